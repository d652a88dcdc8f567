"""Games that a network plays against itself, several at once so that positions are evaluated in batches.

The board is scored as it stands after two passes, so neither side passes while stones it considers dead are on the
board.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.ai.search import HISTORY, Evaluation, NetworkEvaluator
from daoqi_tui.ai.search.node import PuctNode
from daoqi_tui.ai.search.puct import Leaf, PuctSearch
from daoqi_tui.engine import BLACK, PASS, Board, area, torus_of

TOGETHER: Final = 8
"""Games played at once; larger batches are hardly faster."""
SLACK: Final = 2.0
"""The points by which the score on the board may fall short of the expected lead if a pass is to be allowed."""
DECIDED: Final = 0.97
"""The win rate of either side above which moves come from the policy, without a search."""
MOST_MOVES: Final = 3
"""Moves per point after which a game is scored as it stands."""


@dataclass(frozen=True, slots=True)
class PlayStyle:
    """How the moves of a game are chosen.

    Attributes:
        opening: the number of sampled moves at the start of each game, as a multiple of the board's side.
        temperature: for sampling in the opening: 1 samples from the policy.
        later: the temperature after the opening; 0 plays the best move.
    """

    opening: float = 1.0
    temperature: float = 0.8
    later: float = 0.2


@dataclass(frozen=True, slots=True)
class FinishedGame:
    """A game that was played to its end.

    Attributes:
        komi: points for White.
        margin: Black's points minus White's on the board, including the cost of passes, without komi.
        moves: their number.
    """

    komi: float
    margin: int
    moves: int


def search_together(network: NetworkEvaluator, searches: Sequence[PuctSearch], visits: int) -> None:
    """Continue searches on boards of one size until each has ``visits``, evaluating one leaf of each at a time."""
    while active := [search for search in searches if search.visits < visits]:
        chosen = [(search, search.select_leaf()) for search in active]
        waiting = [(search, leaf) for search, leaf in chosen if isinstance(leaf, Leaf)]
        if waiting:
            found = network.evaluate([leaf.inputs for _, leaf in waiting], active[0].board.torus.size)
            for (search, leaf), evaluation in zip(waiting, found, strict=True):
                search.expand(leaf, evaluation)


class _Game:
    """A game in progress."""

    def __init__(self, size: int, komi: float) -> None:
        self.komi: Final = komi
        self.board = Board(torus_of(size))
        self.passes_in_row = 0
        self.recent: tuple[int, ...] = ()

    def play(self, move: int) -> None:
        self.board.make(move)
        self.recent = (*self.recent, move)[-HISTORY:]
        self.passes_in_row = self.passes_in_row + 1 if move == PASS else 0

    @property
    def over(self) -> bool:
        return self.passes_in_row >= 2 or self.board.move_number >= MOST_MOVES * self.board.torus.points

    def finished(self) -> FinishedGame:
        return FinishedGame(self.komi, int(area(self.board, 0).margin), self.board.move_number)


def play_games(
    network: NetworkEvaluator,
    size: int,
    komis: Sequence[float],
    style: PlayStyle,
    random: np.random.Generator,
) -> Iterator[FinishedGame]:
    """Play a game at each komi by the policy alone, under the rules of Daoqi, and yield them as they end.

    Args:
        network: plays both sides.
        size: of the board.
        komis: of the games.
        style: how moves are chosen.
        random: the source of random numbers.
    """
    left = list(reversed(komis))
    games: list[_Game] = []
    while left or games:
        while left and len(games) < TOGETHER:
            games.append(_Game(size, left.pop()))
        _play_moves(network, games, style, random)
        yield from (game.finished() for game in games if game.over)
        games = [game for game in games if not game.over]


def _play_moves(
    network: NetworkEvaluator, games: Sequence[_Game], style: PlayStyle, random: np.random.Generator
) -> None:
    """Play one move in each game."""
    inputs = [network.encode(game.board, game.komi, game.recent, game.passes_in_row) for game in games]
    found = network.evaluate(inputs, games[0].board.torus.size)
    for game, evaluation in zip(games, found, strict=True):
        search = PuctSearch(
            game.board,
            game.komi,
            network,
            recent=game.recent,
            passes_in_row=game.passes_in_row,
            evaluation=evaluation,
        )
        game.play(_choose(game, search.root, evaluation, style, random))


def _choose(game: _Game, root: PuctNode, evaluation: Evaluation, style: PlayStyle, random: np.random.Generator) -> int:
    """Return the move to play."""
    weights = root.policy.astype(np.float64)
    best = int(weights.argmax())
    if root.moves[best] == PASS and not _is_settled(game, evaluation):
        # Points enclosed by one's own stones are mostly eyes; filling them settles nothing.
        weights = weights * _useful(game.board, root)
        if not weights.any():
            return PASS
        best = int(weights.argmax())
    if root.moves[best] == PASS:
        return PASS
    temperature = style.temperature if game.board.move_number < style.opening * game.board.torus.size else style.later
    if not temperature:
        return int(root.moves[best])
    # A pass is played if it is best, and never sampled.
    plays = (weights[:-1] / weights[:-1].max()) ** (1 / temperature)
    return int(root.moves[random.choice(len(plays), p=plays / plays.sum())])


def _useful(board: Board, root: PuctNode) -> NDArray[np.bool_]:
    """Return a mask of the root's moves: plays that are not enclosed by the mover's own stones."""
    mine, around = board.stones(board.to_move), board.torus.around
    return np.array([move != PASS and bool(around[move] & ~mine) for move in root.moves.tolist()])


def _is_settled(game: _Game, evaluation: Evaluation) -> bool:
    """Return whether the side to move already has its expected final score on the board."""
    margin = area(game.board, game.komi).margin
    return (margin if game.board.to_move == BLACK else -margin) >= evaluation.lead - SLACK
