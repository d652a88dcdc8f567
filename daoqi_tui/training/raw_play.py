"""Games by a network's policy alone, many at a time: one evaluation gives both a move and something to learn from.

Openings are played more freely than the policy says, and a few moves anywhere at random, so that what is learnt
covers positions that no good player comes to by itself but a search looks at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from daoqi_tui.ai.drawing import drawn
from daoqi_tui.ai.katago_features import bits
from daoqi_tui.ai.network_grid import Floats
from daoqi_tui.ai.network_judge import HISTORY, Judge, Judgement, Look
from daoqi_tui.engine import PASS, Board, Torus


@dataclass(frozen=True, slots=True)
class RawPlay:
    """How games are played.

    Attributes:
        opening: up to so many moves, as a share of the points, are played at ``opening_temperature``.
        opening_temperature: above 1 moves are more alike in chance than the policy says.
        temperature: for the moves after these.
        random: the share of moves that are any legal ones.
        komi: for White.
        komi_spread: standard deviation of komi, as a share of the points, in those games that have another.
        komi_varied: the share of games that do.
        longest: moves after which a game ends, as a multiple of the points.
    """

    opening: float = 0.06
    opening_temperature: float = 1.8
    temperature: float = 0.8
    random: float = 0.04
    komi: float = 4.0
    komi_spread: float = 0.05
    komi_varied: float = 0.4
    longest: float = 1.1


class RawGame:
    """One game under way.

    Args:
        size: points along a side.
        play: its opening, komi and length.
        rng: where chance is from.
    """

    def __init__(self, size: int, play: RawPlay, rng: np.random.Generator) -> None:
        self.board = Board(Torus(size))
        points = size * size
        self.komi = play.komi
        if rng.random() < play.komi_varied:
            self.komi += round(float(rng.normal()) * play.komi_spread * points * 2) / 2
        self.free = int(rng.integers(0, 1 + round(play.opening * points)))
        self.longest = round(play.longest * points)
        self.recent: list[int] = []
        self.passes = 0

    @property
    def over(self) -> bool:
        """Whether it has ended, or was cut off."""
        return self.passes == 2 or len(self.recent) >= self.longest

    def look(self, judge: Judge) -> Look:
        """How a network sees the position."""
        return judge.look(self.board, self.komi, self.recent[-HISTORY:], self.passes)

    def choose(self, policy: Floats, play: RawPlay, rng: np.random.Generator) -> int:
        """The next move, by a policy of legal moves."""
        if rng.random() < play.random:
            return int(rng.choice(self.board.torus.points_in(self.board.legal_mask()) or [PASS]))
        temperature = play.opening_temperature if len(self.recent) < self.free else play.temperature
        return self.move_at(drawn(policy, temperature, rng))

    def move_at(self, place: int) -> int:
        """The move that an entry of a policy stands for; the last is the pass."""
        return PASS if place == self.board.torus.points else place

    def make(self, move: int) -> None:
        """Play, or pass."""
        self.board.make(move)
        self.passes = self.passes + 1 if move == PASS else 0
        self.recent.append(move)


def legal_policy(policy: Floats, board: Board) -> Floats:
    """A policy without the moves that the rules forbid; the sum is 1."""
    legal = policy.copy()
    legal[:-1] *= bits(board.legal_mask(), board.torus.points)
    total = float(legal.sum())
    if total <= 0.0:
        legal[-1] = total = 1.0
    return np.asarray(legal / np.float32(total), np.float32)


def raw_games(
    judge: Judge, size: int, play: RawPlay, rng: np.random.Generator, boards: int = 32
) -> Iterator[tuple[Sequence[Look], Sequence[Judgement]]]:
    """Play games without end; after each move, how all the games were seen and what the network said.

    Args:
        judge: the network.
        size: points along a side.
        play: how games are played.
        rng: where chance is from.
        boards: games under way at a time.
    """
    games = [RawGame(size, play, rng) for _ in range(boards)]
    # Games that all began together would all be in the same stage.
    for game in games:
        for _ in range(int(rng.integers(0, size))):
            game.make(game.choose(legal_policy(np.ones(size * size + 1, np.float32), game.board), play, rng))
            game.passes = 0
    while True:
        looks = [game.look(judge) for game in games]
        targets = [
            replace(judged, policy=legal_policy(judged.policy, game.board))
            for game, judged in zip(games, judge.judge(looks, size), strict=True)
        ]
        yield looks, targets
        for place, (game, target) in enumerate(zip(games, targets, strict=True)):
            game.make(game.choose(target.policy, play, rng))
            if game.over:
                games[place] = RawGame(size, play, rng)
