"""Answers requests for moves and estimates in this process, and reuses search trees (:mod:`~daoqi_tui.ai.trees`).

Moves come from a search, at weaker levels sampled from its policy; estimates of ownership and score lead from the
outputs of the network.

The app talks to it through :mod:`~daoqi_tui.ai.process` and :mod:`~daoqi_tui.ai.worker`; benchmarks use it directly.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

import numpy as np

from daoqi_tui.ai import protocol
from daoqi_tui.ai.compiled import CacheState
from daoqi_tui.ai.estimate import certain_ownership, reconcile_ownership
from daoqi_tui.ai.evaluators import BATCH, Evaluators, can_share
from daoqi_tui.ai.katago.compiled import KERNEL as FEATURES
from daoqi_tui.ai.levels import Level, Sampling, level_of
from daoqi_tui.ai.nets import NetworkFiles, file_for
from daoqi_tui.ai.network.layout import Floats
from daoqi_tui.ai.network.winograd import KERNEL as WINOGRAD
from daoqi_tui.ai.passing import Decision, decide, exact_decision, instant_move, may_search_on
from daoqi_tui.ai.protocol import Answer, Estimated, Position, Progress
from daoqi_tui.ai.search.cache import EvaluationCache
from daoqi_tui.ai.search.evaluator import HISTORY, NetworkEvaluator
from daoqi_tui.ai.search.node import KERNEL as CHOICE
from daoqi_tui.ai.search.puct import BELOW, Limits, PuctSearch
from daoqi_tui.ai.trees import Tree, Trees
from daoqi_tui.engine import BLACK, PASS, WHITE, Board, torus_of
from daoqi_tui.message import Message, reason_of

KERNELS: Final = (WINOGRAD, FEATURES, CHOICE)
"""The kernels that a search with a network compiles if possible."""


def cache_state() -> CacheState:
    """Return whether all that the computer player compiles is cached."""
    states = [kernel.cache_state for kernel in KERNELS]
    return next((state for state in states if state != "cached"), "cached")


def sample_index(probabilities: Floats, temperature: float, random: np.random.Generator) -> int:
    """Return a random index, weighted by ``probabilities`` at a temperature.

    Args:
        probabilities: not all 0; they need not add up to 1.
        temperature: above 1 flattens the distribution, below 1 sharpens it.
        random: the source of random numbers.
    """
    weights = probabilities.astype(np.float64) ** (1.0 / temperature)
    return int(random.choice(len(weights), p=weights / weights.sum()))


def sample_move(search: PuctSearch, decision: Decision, sampling: Sampling, random: np.random.Generator) -> Decision:
    """Return a move sampled from the search's policy in place of the best one; a decision to pass stands.

    Args:
        search: the search that made the decision.
        decision: the best move.
        sampling: temperature and cut-off.
        random: the source of random numbers.
    """
    if decision.move == PASS:
        return decision
    board, root, policy = search.board, search.root, search.policy()
    sensible = [
        index
        for index in np.flatnonzero(policy >= sampling.min_ratio * policy[:-1].max(initial=0.0))
        if root.moves[index] != PASS and is_plausible(board, int(root.moves[index]))
    ]
    # A network may be so sure of the pass that all plays underflow to 0 in 32 bits.
    if not policy[sensible].any():
        return decision
    index = int(sensible[sample_index(policy[sensible], sampling.temperature, random)])
    return Decision(int(root.moves[index]), root.win_rate(index), decision.hopeless)


def is_plausible(board: Board, point: int) -> bool:
    """Return whether a human might play at ``point``: it neither fills an own eye nor is suicide."""
    around, mine = board.torus.around[point], board.stones(board.to_move)
    if around & board.empty:
        return True
    if not around & ~mine:
        return False
    board.play(point)
    stands = bool(board.colours[point])
    board.undo()
    return stands


SHOWN_VISITS: Final = 32
"""The evaluations of a search that does not decide the move."""
SHARED_FROM: Final = 64
"""The minimum evaluations for a search to use other processes."""
MOST_STARTS: Final = 3
"""The maximum number of times evaluators are started for one network; if they keep dying, searches do without."""
VERIFYING: Final = 0.25
"""The time to verify a pass, as a share of the search time before it."""
_POLL: Final = 0.1
"""The interval at which the wait for evaluators is checked for a Stop."""
REPORTS_PER_SECOND: Final = 5
"""The rate of progress reports during a search."""


def _report_lost(left: int) -> None:
    # Standard error goes to the log.
    print(f"an evaluator ended by itself; the search goes on with {left}", file=sys.stderr, flush=True)  # noqa: T201


class BadRequest(ValueError):
    """An invalid request: an unknown level, an illegal position, a finished game.

    Any other ``ValueError`` would be a bug.
    """


class SearchPlayer:
    """Answers requests, one at a time.

    Args:
        threads: processor cores that a search uses, unless its answer is to be reproducible.
    """

    def __init__(self, threads: int = 1) -> None:
        self._threads = threads
        self._evaluators: Evaluators | None = None
        self._shared: NetworkEvaluator | None = None
        self._starts = 0
        self._networks = NetworkFiles()
        self._trees = Trees()
        self._known: tuple[NetworkEvaluator, EvaluationCache] | None = None

    def prepare(self, request: protocol.Prepare, stopped: Callable[[], bool] = lambda: False) -> None:
        """Load the network, and search a little, so that the time of the first move does not pay for it.

        The compiled kernels have to be there already. Raises as :meth:`think` does.
        """
        with _refusing():
            level = level_of(request.level)
            board = Board(torus_of(request.size))
        network = self._networks.load(file_for(request.net, request.size, request.level))
        PuctSearch(board, 0.0, network).run(Limits(2 * BATCH), stopped)
        visits = level.effort.evaluations_on(request.size)
        if visits is None or visits >= SHARED_FROM:
            evaluators = self._evaluators_of(network)
            while evaluators is not None and evaluators.loading and not stopped():
                evaluators.poll(_POLL)

    def forget(self) -> None:
        """Drop the search trees and cached evaluations of earlier requests."""
        self._trees.clear()
        self._known = None

    def think(
        self,
        request: protocol.Think,
        stopped: Callable[[], bool] = lambda: False,
        tell: Callable[[Progress], None] | None = None,
    ) -> Answer:
        """Return the answer to ``request``; ``stopped`` is polled between evaluations, ``tell`` receives progress.

        Raises:
            BadRequest: the level does not exist, the position is illegal, or the game is over.
            NetError: the network's file cannot be used.
        """
        start, begun = time.perf_counter(), PuctSearch.clock()
        request = replace(request, net=file_for(request.net, request.position.size, request.level))
        network = self._networks.load(request.net)
        try:
            return self._answer_to(request, stopped, tell, network=network, start=start, begun=begun)
        except BadRequest:
            raise
        except BaseException:
            # The tree may contain visits of unevaluated leaves, and evaluators may still have batches.
            self._trees.clear()
            self.close()
            raise

    def _answer_to(
        self,
        request: protocol.Think,
        stopped: Callable[[], bool],
        tell: Callable[[Progress], None] | None,
        *,
        network: NetworkEvaluator,
        start: float,
        begun: float,
    ) -> Answer:
        """Answer as :meth:`think` does, with the network loaded.

        ``start`` is the time of the request by the wall clock, ``begun`` by the search's clock.
        """
        with _refusing():
            level = level_of(request.level)
        size = request.position.size
        visits = request.visits if request.visits is not None else level.effort.evaluations_on(size)
        # A tree grown by an analysis would make a level with limited evaluations too strong.
        tree = self._tree_at(request, network, analysed=request.analyse or visits is None)
        search = tree.search
        if request.analyse:
            visits = request.visits
        elif not request.restrictions and (move := instant_move(search)) is not None:
            return _answer(request, search, Decision(move, 0.5 if move >= 0 else 1.0), start)
        elif request.visits is None and exact_decision(search) is not None:
            # The search is only for what is shown.
            visits = SHOWN_VISITS if visits is None else min(visits, SHOWN_VISITS)

        def progress() -> None:
            if tell is not None:
                spent = time.perf_counter() - start
                lines = search.candidates(request.shown)
                tell(Progress(request.id, search.visits, spent, lines, search.margin))

        if request.analyse and not search.visits:
            # Regardless of ``stopped``, so that an analysis always has a candidate.
            search.step()
        many = visits is None or visits >= SHARED_FROM
        search.evaluators = self._evaluators_of(search.network) if many and request.seed is None else None
        # An explicitly requested number of evaluations is always completed.
        decided = request.visits is None and not request.analyse
        seconds, latest = _times(request, level, begun)
        limits = Limits(visits, seconds, until_decided=decided)
        since, known = search.clock(), search.visits
        search.run(limits, stopped, progress, 1 / REPORTS_PER_SECOND)
        if request.seconds is not None and not request.analyse and (request.restrictions or not may_search_on(search)):
            # There is nothing to verify, so the time reserved for that remains.
            limits = replace(limits, seconds=max(0.0, latest - search.clock()), extra=request.extra)
            search.run(limits, stopped, progress, 1 / REPORTS_PER_SECOND)
        if request.analyse or request.restrictions:
            best = search.candidates(1)[0]
            return _answer(request, search, Decision(best.move, best.win), start)
        mean = (search.clock() - since) / max(1, search.visits - known)
        decision = decide(search, _ending_by(latest + request.extra, BELOW * mean, stopped))
        sampling = level.effort.sampling_on(size)
        if sampling is not None:
            decision = sample_move(search, decision, sampling, np.random.default_rng(request.seed))
        return _answer(request, search, decision, start)

    def estimate(self, request: protocol.Estimate) -> Estimated:
        """Return the estimate for ``request``, from one evaluation and what is certain; raises as :meth:`think`."""
        position = request.position
        network = self._networks.load(file_for(request.net, position.size))
        board = _board(position)
        inputs = network.encode(board, position.komi, position.recent(HISTORY), min(position.passes_in_row, 1))
        found = network.evaluate([inputs], position.size)[0]
        sign = 1.0 if board.to_move == BLACK else -1.0
        certain = certain_ownership(board)
        least, doubtful = certain.sum(), float((certain == 0).sum())
        beside = board.passes[WHITE] - board.passes[BLACK] - position.komi
        on_board = float(np.clip(sign * found.lead - beside, least - doubtful, least + doubtful))
        owners = reconcile_ownership(sign * found.owner, on_board, certain)
        black = found.win if board.to_move == BLACK else 1.0 - found.win
        return Estimated(
            request.id,
            tuple(round(float(share), 3) for share in owners),
            on_board + beside,
            min(found.spread, doubtful),
            black,
        )

    def _evaluators_of(self, network: NetworkEvaluator) -> Evaluators | None:
        """Return the evaluator processes for a network; None if a single thread is used."""
        if self._threads == 1 or not can_share():
            return None
        # A file of the same name may contain another network by now.
        if self._shared is not network:
            self._starts = 0
        else:
            if self._evaluators is not None:
                self._evaluators.poll()
            if self._starts >= MOST_STARTS or (self._evaluators is not None and self._evaluators.running):
                return self._evaluators
        self.close()
        self._shared = network
        self._starts += 1
        self._evaluators = Evaluators(network, self._threads, _report_lost)
        try:
            self._evaluators.start()
        except OSError as error:
            # The search works without them, or with those that did start.
            print(f"not all evaluators could be started: {error}", file=sys.stderr, flush=True)  # noqa: T201
        return self._evaluators

    def close(self) -> None:
        """End the evaluator processes."""
        if self._evaluators is not None:
            self._evaluators.close()
            self._evaluators = None

    def _tree_at(self, request: protocol.Think, network: NetworkEvaluator, *, analysed: bool) -> Tree:
        """Return the tree of the position, or a new one; with a seed always a new one.

        An analysis keeps the trees of other positions, since the user may go back to them.

        Args:
            request: with the position.
            network: evaluates it.
            analysed: whether a tree grown by an analysis may be reused.
        """
        position = request.position
        if position.passes_in_row >= 2:
            raise BadRequest(Message("the game is over after two passes; resume it to go on"))
        tree = None
        if request.seed is None:
            tree = self._trees.find(position, network, request.restrictions, analyse=request.analyse, analysed=analysed)
        if tree is None:
            search = self._new_search(request, network)
            tree = Tree(position, search, network, request.restrictions, is_analysed=request.analyse)
        self._trees.keep(tree, alone=not request.analyse)
        return tree

    def _new_search(self, request: protocol.Think, network: NetworkEvaluator) -> PuctSearch:
        position = request.position
        board, passes = _board(position), position.passes_in_row
        return PuctSearch(
            board,
            position.komi,
            network,
            recent=position.recent(HISTORY),
            passes_in_row=passes,
            restrictions=request.restrictions,
            cache=EvaluationCache() if request.seed is not None else self._cache_of(network),
        )

    def _cache_of(self, network: NetworkEvaluator) -> EvaluationCache:
        """Return the evaluation cache of a network, shared by all searches with it."""
        if self._known is None or self._known[0] is not network:
            self._known = network, EvaluationCache()
        return self._known[1]


def _times(request: protocol.Think, level: Level, begun: float) -> tuple[float | None, float]:
    """Return the seconds left to search for a request, and the deadline of its answer.

    If a time limit is given, enough of it is reserved to verify a pass.

    Args:
        request: the request.
        level: of play.
        begun: the time of the request, by :attr:`PuctSearch.clock <daoqi_tui.ai.search.puct.PuctSearch.clock>`.
    """
    if request.analyse:
        return request.seconds, math.inf
    now = PuctSearch.clock()
    if request.seconds is None:
        # Without a clock, the level's limit applies to the search alone.
        return level.seconds, now + level.seconds * (1 + VERIFYING)
    latest = begun + request.seconds
    return min(request.seconds / (1 + VERIFYING), latest - now), latest


def _ending_by(latest: float, longest: float, stopped: Callable[[], bool]) -> Callable[[], bool]:
    """Return a function that says whether to stop: if ``stopped``, or if another evaluation might end after ``latest``.

    Args:
        latest: the deadline of the answer.
        longest: the expected seconds per evaluation; updated to the longest seen.
        stopped: whether the request was stopped.
    """
    before = PuctSearch.clock()

    def stops() -> bool:
        nonlocal before, longest
        now = PuctSearch.clock()
        before, longest = now, max(longest, now - before)
        return stopped() or now + longest >= latest

    return stops


def _answer(request: protocol.Think, search: PuctSearch, decision: Decision, start: float) -> Answer:
    spent = time.perf_counter() - start
    found = search.visits, spent, search.candidates(request.shown), search.margin
    return Answer(request.id, decision.move, decision.win, decision.hopeless, *found)


@contextmanager
def _refusing() -> Iterator[None]:
    """Convert a ``ValueError`` about the request's contents to a :class:`BadRequest` with the same text."""
    try:
        yield
    except ValueError as error:
        raise BadRequest(reason_of(error)) from error


def _board(position: Position) -> Board:
    """Return the board of a position from a request.

    Raises:
        BadRequest: the position is illegal.
    """
    with _refusing():
        return position.board()
