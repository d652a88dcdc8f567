"""Answers requests for moves and estimates in this process, and reuses search trees (:mod:`~daoqi_tui.ai.player`).

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
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.ai import (
    FIRST_VISITS,
    Answer,
    Candidate,
    Details,
    Estimate,
    Estimated,
    Position,
    Prepare,
    Progress,
    Restriction,
    Think,
)
from daoqi_tui.ai.compiled import CacheState
from daoqi_tui.ai.evaluators import BATCH, Evaluators, can_share
from daoqi_tui.ai.levels import Level, Sampling, level_of
from daoqi_tui.ai.nets import LARGE_BOARD, NetworkFiles, file_for
from daoqi_tui.ai.network.convolution import KERNELS as CONVOLUTIONS
from daoqi_tui.ai.network.features import KERNEL as FEATURES
from daoqi_tui.ai.passing import Decision, decide, exact_decision, instant_move, may_search_on
from daoqi_tui.ai.search import HISTORY, EvaluationCache, NetworkEvaluator
from daoqi_tui.ai.search.node import KERNEL as CHOICE
from daoqi_tui.ai.search.puct import BELOW, Limits, PuctSearch
from daoqi_tui.ai.styles import choose, leaning
from daoqi_tui.engine import BLACK, PASS, WHITE, Board, torus_of
from daoqi_tui.message import Message, reason_of
from daoqi_tui.reading.status import status
from daoqi_tui.typed import WEAKEST

KERNELS: Final = (*CONVOLUTIONS, FEATURES, CHOICE)


def cache_state() -> CacheState:
    states = [kernel.cache_state for kernel in KERNELS]
    return next((state for state in states if state != "cached"), "cached")


def sample_index(probabilities: NDArray[np.floating], temperature: float, random: np.random.Generator) -> int:
    """Return a random index, weighted by ``probabilities`` at a temperature.

    Args:
        probabilities: not all 0; they need not add up to 1.
        temperature: above 1 flattens the distribution, below 1 sharpens it.
        random: the source of random numbers.
    """
    weights = probabilities.astype(np.float64) ** (1.0 / temperature)
    return int(random.choice(len(weights), p=weights / weights.sum()))


def sample_move(
    search: PuctSearch, decision: Decision, sampling: Sampling, random: np.random.Generator, style: str = ""
) -> Decision:
    """Return a move sampled from the search's policy in place of the best one; a decision to pass stands.

    Args:
        search: the search that made the decision.
        decision: the best move.
        sampling: temperature and cut-off.
        random: the source of random numbers.
        style: makes some of the moves likelier.
    """
    if decision.move == PASS:
        return decision
    board, root, policy = search.board, search.root, search.root.policy
    sensible = [
        index
        for index in np.flatnonzero(policy >= sampling.min_ratio * policy[:-1].max(initial=0.0))
        if root.moves[index] != PASS and is_plausible(board, int(root.moves[index]))
    ]
    # A network may be so sure of the pass that all plays underflow to 0 in 32 bits.
    if not policy[sensible].any():
        return decision
    leans = leaning(style, board, [int(root.moves[index]) for index in sensible], root.value, search.ownership())
    weights = policy[sensible] * leans**sampling.temperature
    index = int(sensible[sample_index(weights, sampling.temperature, random)])
    return Decision(int(root.moves[index]), root.win_rate(index), decision.hopeless)


def styled_move(search: PuctSearch, decision: Decision, style: str) -> Decision:
    """Return a move that fits a style in place of the best one; a decision for other reasons stands."""
    candidates = search.candidates(len(search.root.moves))
    if not style or decision.move != candidates[0].move or exact_decision(search) is not None:
        return decision
    best, *others = candidates
    sound = [each for each in others if each.move != PASS and is_plausible(search.board, each.move)]
    chosen = choose(style, search.board, (best, *sound), search.ownership())
    return replace(decision, move=chosen.move, win=chosen.win)


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
REPORTS_PER_SECOND: Final = 5


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

    def prepare(self, request: Prepare, stopped: Callable[[], bool] = lambda: False) -> None:
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

    def look_first(self, request: Think) -> Progress | None:
        """Return what a short search with the smaller bundled network finds, before the larger one is loaded.

        That takes a second on one core, ten times as long as the smaller one. None if there is nothing to wait for.

        Raises:
            BadRequest: the position is illegal.
            NetError: the network's file cannot be used.
        """
        position = request.position
        quick = file_for(request.net, position.size, WEAKEST)
        is_quick = position.size < LARGE_BOARD or quick == file_for(request.net, position.size, request.level)
        if self._networks.is_loaded or is_quick:
            return None
        search = PuctSearch(
            _board(position),
            position.komi,
            NetworkFiles().load(quick),
            recent=position.recent(HISTORY),
            passes_in_row=position.passes_in_row,
            restrictions=request.restrictions,
        )
        search.run(Limits(FIRST_VISITS))
        return Progress(request.id, search.visits, 0.0, *_found(request, search))

    def forget(self) -> None:
        self._trees.clear()
        self._known = None

    def think(
        self,
        request: Think,
        stopped: Callable[[], bool] = lambda: False,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> Answer:
        """Return the answer to a request; ``stopped`` is polled between evaluations, ``on_progress`` gets progress.

        Raises:
            BadRequest: the level does not exist, the position is illegal, or the game is over.
            NetError: the network's file cannot be used.
        """
        start, begun = time.perf_counter(), PuctSearch.clock()
        request = replace(request, net=file_for(request.net, request.position.size, request.level))
        network = self._networks.load(request.net)
        try:
            return self._answer_to(request, stopped, on_progress, network=network, start=start, begun=begun)
        except BadRequest:
            raise
        except BaseException:
            # The tree may contain visits of unevaluated leaves, and evaluators may still have batches.
            self._trees.clear()
            self.close()
            raise

    def _answer_to(
        self,
        request: Think,
        stopped: Callable[[], bool],
        on_progress: Callable[[Progress], None] | None,
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
            if on_progress is not None:
                spent = time.perf_counter() - start
                on_progress(Progress(request.id, search.visits, spent, *_found(request, search)))

        if request.analyse and not search.visits:
            # Regardless of ``stopped``, so that an analysis always has a candidate.
            search.step()
        many = visits is None or visits >= SHARED_FROM
        search.evaluators = self._evaluators_of(search.network) if many and request.seed is None else None
        if search.evaluators is not None:
            tree.network = search.network = search.evaluators.network
        # An explicitly requested number of evaluations is always completed.
        decided = request.visits is None and not request.analyse
        seconds, latest = _times(request, level, begun)
        # What a move leaves of the main time is kept for later ones, and what it leaves of its own time is lost.
        limits = Limits(visits, seconds, until_decided=decided, unclear_in_full=level.timed and not request.extra)
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
            decision = sample_move(search, decision, sampling, np.random.default_rng(request.seed), request.style)
        else:
            decision = styled_move(search, decision, request.style)
        return _answer(request, search, decision, start)

    def estimate(self, request: Estimate) -> Estimated:
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
        self._starts += 1
        self._evaluators = Evaluators(network, self._threads, _report_lost)
        try:
            self._evaluators.start()
        except OSError as error:
            # The search works without them, or with those that did start.
            print(f"not all evaluators could be started: {error}", file=sys.stderr, flush=True)  # noqa: T201
        self._shared = self._evaluators.network
        self._networks.replace(network, self._shared)
        return self._evaluators

    def close(self) -> None:
        if self._evaluators is not None:
            self._evaluators.close()
            self._evaluators = None

    def _tree_at(self, request: Think, network: NetworkEvaluator, *, analysed: bool) -> Tree:
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
            search = PuctSearch(
                _board(position),
                position.komi,
                network,
                recent=position.recent(HISTORY),
                passes_in_row=position.passes_in_row,
                restrictions=request.restrictions,
                cache=EvaluationCache() if request.seed is not None else self._cache_of(network),
            )
            tree = Tree(position, search, network, request.restrictions, is_analysed=request.analyse)
        self._trees.store(tree, alone=not request.analyse)
        return tree

    def _cache_of(self, network: NetworkEvaluator) -> EvaluationCache:
        if self._known is None or self._known[0] is not network:
            self._known = network, EvaluationCache()
        return self._known[1]


def _times(request: Think, level: Level, begun: float) -> tuple[float | None, float]:
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


def _answer(request: Think, search: PuctSearch, decision: Decision, start: float) -> Answer:
    spent = time.perf_counter() - start
    found = search.visits, spent, *_found(request, search)
    return Answer(request.id, decision.move, decision.win, decision.hopeless, *found)


def _found(request: Think, search: PuctSearch) -> tuple[tuple[Candidate, ...], float, Details | None]:
    """Return the candidates, the score lead, and the details if they were asked for."""
    lines = search.candidates(request.shown, owned=request.owned)
    return lines, search.margin, search.details() if request.details else None


@contextmanager
def _refusing() -> Iterator[None]:
    """Convert a ``ValueError`` about the request's contents to a :class:`BadRequest` with the same text."""
    try:
        yield
    except ValueError as error:
        raise BadRequest(reason_of(error)) from error


def _board(position: Position) -> Board:
    with _refusing():
        return position.board()


# Search trees


MOST_TREES: Final = 24
"""The maximum number of trees kept besides the one in use."""
MOST_ENTRIES: Final = 1.5e7
"""The maximum number of moves in all nodes of the kept trees, 20 to 30 bytes each; a node has one per point."""


@dataclass(eq=False)
class Tree:
    """A search tree with the position at its root.

    Attributes:
        position: the position at the root.
        search: the tree.
        network: evaluates its leaves. A file of the same name may contain another one later.
        restrictions: the moves it excludes.
        is_analysed: whether an analysis has grown it, or nodes it shares.
    """

    position: Position
    search: PuctSearch
    network: NetworkEvaluator
    restrictions: tuple[Restriction, ...]
    is_analysed: bool = False

    def moves_to(self, position: Position) -> list[int] | None:
        """Return the moves from the root to ``position``; None if it cannot be reached by moves in the tree.

        A record may contain moves that are illegal in the tree, and positions on the way would have to be evaluated.
        """
        mine = self.position
        if (mine.size, mine.komi, mine.rules) != (position.size, position.komi, position.rules):
            return None
        known = len(mine.actions)
        if position.actions[:known] != mine.actions:
            return None
        more = position.actions[known:]
        points = mine.size**2
        moves = [action for action in more if isinstance(action, int) and -1 <= action < points]
        if len(moves) != len(more) or (moves and self.restrictions):
            # The plies of restrictions count from the root that the tree was made with.
            return None
        node = self.search.root
        for move in moves:
            if (after := node.after(move)) is None:
                return None
            node = after
        return moves

    def advanced(self, moves: list[int], position: Position) -> Tree:
        """Return a new tree for ``position``, ``moves`` later, that starts with the subtree there."""
        search = self.search.fork(self.position.board())
        for move in moves:
            search.advance(move)
        return Tree(position, search, self.network, self.restrictions, is_analysed=self.is_analysed)

    @property
    def entries(self) -> int:
        return self.search.visits * self.search.board.torus.points


class Trees:
    """The trees of recently searched positions, the most recent last."""

    def __init__(self) -> None:
        self._trees: list[Tree] = []

    def clear(self) -> None:
        self._trees.clear()

    def find(
        self,
        position: Position,
        network: NetworkEvaluator,
        restrictions: tuple[Restriction, ...],
        *,
        analyse: bool,
        analysed: bool = True,
    ) -> Tree | None:
        """Return a tree for ``position``: an existing one, or one that starts with a subtree of an earlier one.

        Args:
            position: at its root.
            network: as of :class:`Tree`.
            restrictions: the same.
            analyse: whether it is for an analysis.
            analysed: whether a tree grown by an analysis may be reused.
        """
        found = [
            (tree, moves)
            for tree in reversed(self._trees)
            if tree.network is network
            and tree.restrictions == restrictions
            and (analysed or not tree.is_analysed)
            and (moves := tree.moves_to(position)) is not None
        ]
        if not found:
            return None
        tree, moves = min(found, key=lambda pair: len(pair[1]))
        # Its nodes are shared with the new tree below.
        tree.is_analysed |= analyse
        return tree.advanced(moves, position) if moves else tree

    def store(self, tree: Tree, *, alone: bool) -> None:
        """Keep a tree as the most recent one.

        Args:
            tree: the tree.
            alone: drop all others, since they will not be needed again.
        """
        self._trees = [] if alone else [each for each in self._trees if each is not tree]
        self._trees.append(tree)
        left = MOST_ENTRIES
        for place, each in reversed(list(enumerate(self._trees))):
            left -= each.entries
            if each is not tree and (left < 0 or len(self._trees) - place > MOST_TREES + 1):
                del self._trees[: place + 1]
                break


# Ownership


_FARTHEST: Final = 8.0
"""The bound of the bias in log odds; beyond it every point would belong entirely to one side."""


def certain_ownership(board: Board) -> NDArray[np.float64]:
    """Return 1 for each point that is Black's for certain, −1 for each of White's, else 0; shape ``(points,)``."""
    owners = np.zeros(board.torus.points)
    for colour, found in status(board, board.rules).items():
        owners[list(board.torus.points_in(found.certain))] = {BLACK: 1.0, WHITE: -1.0}[colour]
    return owners


def reconcile_ownership(
    ownership: NDArray[np.floating], lead: float, certain: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return ownership with what is certain, the other points shifted so that the sum is the expected lead.

    Ownership and lead are separate outputs of a network and may contradict each other on boards with few stones: every
    point may lean to Black, but White be ahead. The same bias is added to the log odds of all points, which moves
    undecided points and hardly affects decided ones.

    Args:
        ownership: for each point from −1 to 1, shape ``(points,)``.
        lead: the score lead of the side that owns points of 1, counted on the board alone (no komi, no passes).
        certain: as :func:`certain_ownership` returns it.
    """
    decided = certain != 0
    odds = np.arctanh(np.clip(ownership, -0.999, 0.999))
    low, high = -_FARTHEST, _FARTHEST
    for _ in range(30):
        bias = (low + high) / 2
        if float(np.where(decided, certain, np.tanh(odds + bias)).sum()) < lead:
            low = bias
        else:
            high = bias
    return np.where(decided, certain, np.tanh(odds + (low + high) / 2))
