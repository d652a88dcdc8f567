"""Games in which the network searches, many at a time; what the search finds is what the network learns next.

As in the KataGo paper (Wu 2019) some moves get a full search, which is learnt from, and the others are only played,
quickly (playout cap randomisation). Games go astray first and are then played until nothing is left to settle, as in
:mod:`daoqi_tui.training.finished_play`; their end tells who won, by how much, and whose each point was.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from typing import Final, TypeAlias

import numpy as np

from daoqi_tui.ai.drawing import drawn
from daoqi_tui.ai.network_grid import Floats
from daoqi_tui.ai.network_judge import Judge, Judgement, Look
from daoqi_tui.ai.puct import Leaf, PuctSearch
from daoqi_tui.engine import PASS
from daoqi_tui.training.endings import Lesson, Seen
from daoqi_tui.training.finished_play import FinishedGame
from daoqi_tui.training.gumbel import GumbelRoot
from daoqi_tui.training.raw_play import RawPlay, legal_policy
from daoqi_tui.training.settings import Finishing, Searching

Looks: TypeAlias = Generator[Look, Judgement, list[Lesson]]
"""Yields what is to be judged, is sent the judgement, and returns what there is to learn."""
SURE: Final = 0.97
"""A game in which the network gives one side so much is thought decided."""


def search_games(
    judge: Judge,
    size: int,
    searching: Searching,
    play: RawPlay,
    finishing: Finishing,
    *,
    rng: np.random.Generator,
    games: int,
    boards: int = 32,
) -> Iterator[list[Lesson]]:
    """Play games, what is to be judged in each judged together with that of the other boards.

    Args:
        judge: the network.
        size: points along a side.
        searching: how moves are searched.
        play: openings, komi, and how games go astray.
        finishing: how far they go astray, the temperature of moves that are not searched, and their length.
        rng: where chance is from.
        games: how many in all.
        boards: games under way at a time.

    Yields:
        What there is to learn from each game, when it is over; nothing of games that find no end.
    """
    waiting = [_game(judge, size, searching, play, finishing, rng=rng) for _ in range(games)]
    asking: list[tuple[Looks, Look]] = []
    while waiting or asking:
        while waiting and len(asking) < boards:
            game = waiting.pop()
            asking.append((game, next(game)))
        judged = judge.judge([look for _, look in asking], size)
        going, asking = asking, []
        for (game, _), judgement in zip(going, judged, strict=True):
            try:
                asking.append((game, game.send(judgement)))
            except StopIteration as end:
                yield end.value


def _game(
    judge: Judge, size: int, searching: Searching, play: RawPlay, finishing: Finishing, *, rng: np.random.Generator
) -> Looks:
    game = FinishedGame(size, play, finishing, rng)
    while not game.over:
        look = game.look(judge)
        judged = yield look
        policy = legal_policy(judged.policy, game.board)
        if not game.is_serious:
            game.make(game.choose(policy, play, rng))
            continue
        game.heed(policy)
        full = bool(rng.random() < searching.full * (searching.decided if _is_decided(judged) else 1.0))
        visits = searching.visits if full else searching.quick_visits
        if not visits:
            game.make(game.move_at(drawn(game.serious_policy(policy, judged.lead), finishing.temperature, rng)))
            continue
        search = PuctSearch(
            game.board, game.komi, judge, recent=game.recent, passes_in_row=game.passes, judgement=judged
        )
        gumbel = GumbelRoot(search.root, visits, searching.considered, rng if full else None)
        for first in gumbel.places():
            leaf = search.descend(first)
            if isinstance(leaf, Leaf):
                search.settle(leaf, (yield leaf.look))
        best, moves = gumbel.best(), search.root.moves
        found = game.serious_policy(_laid_out(moves, gumbel.policy(), game.board.torus.points), judged.lead)
        if full:
            game.seen.append(Seen(look, game.board.to_move, found, search.root.rate(best)))
        # Where the search would pass too early, what it likes next is played.
        passes_early = moves[best] == PASS and not found[-1]
        game.make(game.move_at(int(found.argmax())) if passes_early else int(moves[best]))
    return game.end().lessons(game.seen, searching.outcome) if game.passes == 2 else []


def _is_decided(judged: Judgement) -> bool:
    """Whether the network is sure who wins."""
    return abs(judged.win - 0.5) > SURE - 0.5


def _laid_out(moves: Iterable[int], policy: Floats, points: int) -> Floats:
    """A policy of some moves as one of all points and, last, the pass."""
    whole = np.zeros(points + 1, np.float32)
    whole[[points if move == PASS else move for move in moves]] = policy
    return whole
