"""The player in one piece: a position and a level in, a move out. It keeps its tree from move to move.

Everything outside this process talks to it through :mod:`~daoqi_tui.ai.worker`; scripts that measure use it directly.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Final

import numpy as np

from daoqi_tui.ai import protocol
from daoqi_tui.ai.backend import Backend
from daoqi_tui.ai.endgame import Decision, at_once, decide
from daoqi_tui.ai.estimate import estimate, reconciled
from daoqi_tui.ai.ladders import heed_ladders
from daoqi_tui.ai.levels import level_of
from daoqi_tui.ai.loosening import loosened
from daoqi_tui.ai.network_files import NetworkFiles
from daoqi_tui.ai.network_judge import HISTORY, Judge
from daoqi_tui.ai.playouts import PlayoutEvaluator
from daoqi_tui.ai.protocol import Answer, Estimated, Line, Position, Progress
from daoqi_tui.ai.puct import PuctSearch
from daoqi_tui.ai.search import Search
from daoqi_tui.ai.tree import Node
from daoqi_tui.ai.tree_search import Limits, bounded
from daoqi_tui.engine import BLACK, WHITE

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
        self._search: Search | PuctSearch | None = None
        self._networks = NetworkFiles()
        self._net: str | None = None
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
            NetError: the network's file cannot be used.
        """
        start = time.perf_counter()
        level = level_of(request.level)
        search = self._search_at(request)
        if self._evaluator is not None:
            self._evaluator.stopped = stopped
        if isinstance(search, Search) and level.ladders and search.root is not self._heeded:
            heed_ladders(search.board, search.root, stopped)
            self._heeded = search.root
        effort = level.playouts if isinstance(search, Search) else level.network
        size = request.position.size
        playouts = request.playouts if request.playouts is not None else effort.evaluations_on(size)
        seconds = request.seconds if request.seconds is not None else level.seconds
        if request.analyse:
            playouts, seconds = request.playouts, request.seconds  # type: ignore[assignment]
        elif (move := at_once(search)) is not None:
            return self._answer(request, Decision(move, 0.5 if move >= 0 else 1.0), start)

        def progress() -> None:
            if self._evaluator is not None:
                self._evaluator.backend = self._backend()
            if tell is not None:
                spent = time.perf_counter() - start
                by_network = isinstance(search, PuctSearch)
                tell(Progress(request.id, search.playouts, spent, _lines(search), search.margin, by_network))

        search.run(Limits(playouts, seconds), stopped, progress, 1 / WORDS)
        if request.analyse:
            best = search.candidates(1)[0]
            return self._answer(request, Decision(best.move, best.win), start)
        decision = decide(search, stopped)
        looseness = effort.looseness_on(size)
        if looseness is not None:
            decision = loosened(search, decision, looseness, np.random.default_rng(request.seed))
        return self._answer(request, decision, start)

    def estimate(self, request: protocol.Estimate, stopped: Callable[[], bool] = lambda: False) -> Estimated:
        """The answer to ``request``; raises as :meth:`think` does."""
        if request.net is not None:
            return self._estimate_at_a_look(request, request.net)
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

    def _estimate_at_a_look(self, request: protocol.Estimate, net: str) -> Estimated:
        """What a network says of the position itself."""
        judge, position = self._networks.load(net), request.position
        board = position.board()
        look = judge.look(board, position.komi, position.recent(HISTORY), min(position.passes_in_row, 1))
        found = judge.judge([look], position.size)[0]
        sign = 1.0 if board.to_move == BLACK else -1.0
        margin = bounded(sign * found.lead, board, position.komi)
        on_board = margin + position.komi + board.passes[BLACK] - board.passes[WHITE]
        ownership = tuple(round(float(share), 3) for share in reconciled(sign * found.owner, on_board))
        black = found.win if board.to_move == BLACK else 1.0 - found.win
        return Estimated(request.id, 1, ownership, margin, found.spread, black, True)

    def _answer(self, request: protocol.Think, decision: Decision, start: float) -> Answer:
        search = self._search
        assert search is not None
        spent = time.perf_counter() - start
        found = search.playouts, spent, _lines(search), search.margin, isinstance(search, PuctSearch)
        return Answer(request.id, decision.move, decision.win, decision.hopeless, *found)

    def _search_at(self, request: protocol.Think) -> Search | PuctSearch:
        """The tree kept from before when it leads to the position and no seed is asked for, else a new one."""
        position = request.position
        if position.passes_in_row >= 2:
            raise ValueError("the game is over after two passes; resume it to go on")
        judge = None if request.net is None else self._networks.load(request.net)
        if request.seed is None and request.net == self._net and self._go_on(position, judge):
            assert self._search is not None
            if self._evaluator is not None:
                self._evaluator.backend = self._backend()
            self._position = position
            return self._search
        board, passes = position.board(), position.passes_in_row
        if judge is None:
            self._evaluator = PlayoutEvaluator(seed=_seed(request.seed), backend=self._backend())
            self._search = Search(board, position.komi, self._evaluator, last=position.last, passes_in_row=passes)
        else:
            self._evaluator = None
            recent = position.recent(HISTORY)
            self._search = PuctSearch(board, position.komi, judge, recent=recent, passes_in_row=passes)
        self._position, self._net = position, request.net
        return self._search

    def _go_on(self, position: Position, judge: Judge | None) -> bool:
        """Bring the kept tree to ``position``; False where it does not lead there, or ``judge`` is another network."""
        before, search = self._position, self._search
        if isinstance(search, PuctSearch) and search.judge is not judge:
            return False
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


def _lines(search: Search | PuctSearch) -> tuple[Line, ...]:
    return tuple(Line(found.move, found.visits, found.win, found.line) for found in search.candidates(SHOWN))


def _seed(seed: int | None) -> int:
    return random.getrandbits(32) if seed is None else seed
