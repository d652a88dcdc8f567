"""The player in one piece: a position and a level in, a move out. It keeps its tree from move to move.

Everything outside this process talks to it through :mod:`~daoqi_tui.ai.worker`; scripts that measure use it directly.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Final

from daoqi_tui.ai import protocol
from daoqi_tui.ai.backend import Backend
from daoqi_tui.ai.endgame import Decision, at_once, decide
from daoqi_tui.ai.estimate import estimate
from daoqi_tui.ai.ladders import heed_ladders
from daoqi_tui.ai.levels import level_of
from daoqi_tui.ai.playouts import PlayoutEvaluator
from daoqi_tui.ai.protocol import Answer, Estimated, Line, Position, Progress
from daoqi_tui.ai.search import Limits, Search
from daoqi_tui.ai.tree import Node

SHOWN: Final = 3
"""How many candidates are told."""
WORDS: Final = 5
"""How many times a second progress is told."""


class Thinker:
    """Answers requests, one at a time.

    Args:
        backend: gives the kernel to use, asked again for every thought and now and then during one.
    """

    def __init__(self, backend: Callable[[], Backend]) -> None:
        self._backend = backend
        self._search: Search | None = None
        self._evaluator: PlayoutEvaluator | None = None
        self._position: Position | None = None
        self._heeded: Node | None = None

    def think(
        self,
        request: protocol.Think,
        stopped: Callable[[], bool] = lambda: False,
        tell: Callable[[Progress], None] | None = None,
    ) -> Answer:
        """The answer to ``request``; ``stopped`` is asked between evaluations, ``tell`` is given progress.

        Raises:
            IllegalMove: the position's actions break the rules.
            ValueError: the level does not exist, the position cannot be laid out, or the game is over.
        """
        start = time.perf_counter()
        level = level_of(request.level)
        search = self._search_at(request)
        if level.ladders and search.root is not self._heeded:
            heed_ladders(search.board, search.root)
            self._heeded = search.root
        playouts = request.playouts if request.playouts is not None else level.playouts
        seconds = request.seconds if request.seconds is not None else level.seconds
        if request.analyse:
            playouts, seconds = request.playouts, request.seconds  # type: ignore[assignment]
        elif (move := at_once(search)) is not None:
            return self._answer(request, Decision(move, 0.5 if move >= 0 else 1.0), start)

        def progress() -> None:
            assert self._evaluator is not None
            self._evaluator.backend = self._backend()
            if tell is not None:
                spent = time.perf_counter() - start
                tell(Progress(request.id, search.playouts, spent, _lines(search), search.margin))

        search.run(Limits(playouts, seconds), stopped, progress, 1 / WORDS)
        if request.analyse:
            best = search.candidates(1)[0]
            return self._answer(request, Decision(best.move, best.win), start)
        return self._answer(request, decide(search, stopped), start)

    def estimate(self, request: protocol.Estimate, stopped: Callable[[], bool] = lambda: False) -> Estimated:
        """The answer to ``request``; raises as :meth:`think` does."""
        evaluator = PlayoutEvaluator(seed=_seed(request.seed), backend=self._backend())
        position = request.position
        board, last = position.board(), position.last
        found = estimate(
            board,
            position.komi,
            evaluator,
            last,
            playouts=request.playouts,
            seconds=request.seconds,
            stopped=stopped,
        )
        return Estimated(request.id, found.playouts, found.ownership, found.margin, found.spread, found.black)

    def _answer(self, request: protocol.Think, decision: Decision, start: float) -> Answer:
        search = self._search
        assert search is not None
        spent = time.perf_counter() - start
        found = search.playouts, spent, _lines(search), search.margin
        return Answer(request.id, decision.move, decision.win, decision.hopeless, *found)

    def _search_at(self, request: protocol.Think) -> Search:
        """The tree kept from before when it leads to the position and no seed is asked for, else a new one."""
        position = request.position
        if position.passes_in_row >= 2:
            raise ValueError("the game is over after two passes; resume it to go on")
        if request.seed is None and self._go_on(position):
            assert self._search is not None
            assert self._evaluator is not None
            self._evaluator.backend = self._backend()
            self._position = position
            return self._search
        self._evaluator = PlayoutEvaluator(seed=_seed(request.seed), backend=self._backend())
        board = position.board()
        self._search = Search(
            board, position.komi, self._evaluator, last=position.last, passes_in_row=position.passes_in_row
        )
        self._position = position
        return self._search

    def _go_on(self, position: Position) -> bool:
        """Bring the kept tree to ``position``; False where it does not lead there."""
        before, search = self._position, self._search
        if before is None or search is None or (before.size, before.komi) != (position.size, position.komi):
            return False
        known = len(before.actions)
        if position.actions[:known] != before.actions:
            return False
        more = position.actions[known:]
        moves = [action for action in more if isinstance(action, int) and action != protocol.RESUME]
        if len(moves) != len(more):
            return False
        # From here on the kept tree is no longer where it was, whatever happens.
        self._position = None
        for move in moves:
            if not -1 <= move < search.board.torus.points:
                return False
            search.advance(move)
        return True


def _lines(search: Search) -> tuple[Line, ...]:
    return tuple(Line(found.move, found.visits, found.win, found.line) for found in search.candidates(SHOWN))


def _seed(seed: int | None) -> int:
    return random.getrandbits(32) if seed is None else seed
