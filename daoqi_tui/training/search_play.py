"""Games in which the network searches, many at a time; what the search finds is what the network learns next.

As in the KataGo paper (Wu 2019): most moves get a quick search and are only played, some a full one that is learnt
from (playout cap randomisation); the game's end tells who won, by how much, and whose each point was.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from typing import TypeAlias

import numpy as np

from daoqi_tui.ai.drawing import drawn
from daoqi_tui.ai.network_grid import Floats
from daoqi_tui.ai.network_judge import HISTORY, Judge
from daoqi_tui.ai.puct import Leaf, PuctSearch
from daoqi_tui.engine import PASS, Board, Torus
from daoqi_tui.training.endings import End, Lesson, Seen
from daoqi_tui.training.gumbel import GumbelRoot
from daoqi_tui.training.raw_play import RawPlay
from daoqi_tui.training.settings import Searching

Leaves: TypeAlias = Generator[tuple[PuctSearch, Leaf], None, list[Lesson]]
"""Yields leaves, which are settled before it goes on, and returns what there is to learn."""


def search_games(
    judge: Judge,
    size: int,
    searching: Searching,
    play: RawPlay,
    rng: np.random.Generator,
    *,
    games: int,
    boards: int = 32,
) -> Iterator[list[Lesson]]:
    """Play games, each leaf judged together with those of the other boards.

    Args:
        judge: the network.
        size: points along a side.
        searching: how moves are searched.
        play: openings, komi, and when a game is cut off.
        rng: where chance is from.
        games: how many in all.
        boards: games under way at a time.

    Yields:
        What there is to learn from each game, when it is over.
    """
    waiting = [_game(judge, size, searching, play, rng) for _ in range(games)]
    running: list[Leaves] = []
    while waiting or running:
        asking: list[tuple[Leaves, PuctSearch, Leaf]] = []
        while running or (waiting and len(asking) < boards):
            game = (running or waiting).pop()
            try:
                asking.append((game, *next(game)))
            except StopIteration as end:
                # A game may end without ever asking: its opening can come to two passes.
                yield end.value
        if asking:
            judged = judge.judge([leaf.look for _, _, leaf in asking], size)
            for (_, search, leaf), judgement in zip(asking, judged, strict=True):
                search.settle(leaf, judgement)
        running = [game for game, _, _ in asking]


def _game(judge: Judge, size: int, searching: Searching, play: RawPlay, rng: np.random.Generator) -> Leaves:
    board, komi = Board(Torus(size)), play.komi
    points = size * size
    if rng.random() < play.komi_varied:
        komi += round(float(rng.normal()) * play.komi_spread * points * 2) / 2
    search = PuctSearch(board, komi, judge)
    free, longest = int(rng.integers(0, 1 + round(play.opening * points))), round(play.longest * points)
    found: list[Seen] = []
    recent: list[int] = []
    while search.passes_in_row < 2 and len(recent) < longest:
        root = search.root
        if len(recent) < free:
            place = drawn(root.policy, play.opening_temperature, rng)
        else:
            full = bool(rng.random() < searching.full)
            visits = searching.visits if full else searching.quick_visits
            look = judge.look(board, komi, recent[-HISTORY:], search.passes_in_row) if full else None
            gumbel = GumbelRoot(root, visits, searching.considered, rng if full else None)
            for first in gumbel.places():
                leaf = search.descend(first)
                if isinstance(leaf, Leaf):
                    yield search, leaf
            place = gumbel.best()
            if look is not None:
                policy = _laid_out(root.moves, gumbel.policy(), points)
                found.append(Seen(look, board.to_move, policy, root.rate(place)))
        move = int(root.moves[place])
        search.advance(move)
        recent.append(move)
    return End.of(board, komi).lessons(found, searching.outcome)


def _laid_out(moves: Iterable[int], policy: Floats, points: int) -> Floats:
    """A policy of some moves as one of all points and, last, the pass."""
    whole = np.zeros(points + 1, np.float32)
    whole[[points if move == PASS else move for move in moves]] = policy
    return whole
