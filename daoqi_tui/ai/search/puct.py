"""PUCT: tree search with a network that gives a policy and a value for each position.

Leaves are evaluated in batches. While a leaf waits for its evaluation, the moves that led to it count as visited, with
the mean value they had (WU-UCT, Liu et al. 2020), so that others are explored. Where the search comes to that leaf
again all the same, virtual losses turn it away, which last until the batch is chosen.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import ClassVar, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.ai import Candidate, Details, Ownership, Restriction
from daoqi_tui.ai.evaluators import BATCH, Evaluators
from daoqi_tui.ai.search import (
    HISTORY,
    Evaluation,
    EvaluationCache,
    Inputs,
    NetworkEvaluator,
    Outcome,
    Situation,
    blended_value,
    game_value,
    margin_bounds,
    sensible_plays,
    value_after_cost,
)
from daoqi_tui.ai.search.node import NO_MOVES, PuctNode, PuctParameters
from daoqi_tui.engine import BLACK, PASS, WHITE, Board, Colour, area
from daoqi_tui.reading.status import final_margin


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a search; the first one reached ends it.

    Attributes:
        visits: evaluations, including those of a reused tree; None for no limit.
        seconds: of search; None for no limit.
        extra: seconds more, while the move visited most is not the best one (Huang, Coulom and Lin 2010).
        until_decided: end the search as soon as no move can be visited as often as the leader within the limits.
        unclear_in_full: where neither the value nor the move is clear, search on all the same.
    """

    visits: int | None = None
    seconds: float | None = None
    extra: float = 0.0
    until_decided: bool = False
    unclear_in_full: bool = False


MOST_VISITS: Final = 16_000_000
"""Visits of the root that end any search: numbers of 32 bits count no further than 2 ** 24."""
DECISION_INTERVAL: Final = 16
"""Visits between two checks whether a search is decided."""
WON: Final = 0.9
"""The win rate from which the value of a position is clear."""
FORCED: Final = 0.9
"""The probability in the policy from which a move is clear."""


BELOW: Final = 2
"""The largest batch below one move. The time may be up between two batches, and larger ones would go on beyond it."""
COLLISIONS: Final = 8
"""How often the search may come to leaves that are in the batch already, before it takes a smaller one."""
VISITS_PER_LEAF: Final = 2
"""The batch grows by one leaf for each so many visits of the root."""
WAITING: Final = 0.1
"""The most seconds that a search waits for evaluators before it looks whether it has to end."""
ROOM: Final = 1.5e7
"""The most moves in all nodes of a tree, some 24 bytes each; leaves beyond are evaluated, but not added."""


class Reached(NamedTuple):
    """A position that the search has reached and not expanded.

    Attributes:
        nodes: the path from the root, each node with the index of the move taken.
        to_move: the side to move.
        moves: plays and, last, PASS.
        situation: by which its evaluation is kept.
        pass_wins: whether a pass ends the game and wins.
        margin_bounds: the lowest and the highest score possible, Black's less White's; a network may exceed them.
    """

    nodes: tuple[tuple[PuctNode, int], ...]
    to_move: Colour
    moves: NDArray[np.intp]
    situation: Situation
    pass_wins: bool
    margin_bounds: tuple[float, float]


class Leaf(NamedTuple):
    """A position that waits for its evaluation, with the network's inputs for it."""

    reached: Reached
    inputs: Inputs


class Collision(NamedTuple):
    """A leaf that the search came to again while it waits for its evaluation.

    Attributes:
        nodes: the path from the root, as of :class:`Reached`.
    """

    nodes: tuple[tuple[PuctNode, int], ...]


class OwnershipSums:
    """Adds up the ownership of evaluated positions, from −1 (White's) to 1 (Black's) for each point.

    Attributes:
        count: of the positions.
        below: the same for those below each move of the root, by its index.
    """

    def __init__(self, points: int) -> None:
        self.count = 0
        self.below: dict[int, OwnershipSums] = {}
        self._sum = np.zeros(points)
        self._squares = np.zeros(points)

    def add(self, owner: NDArray[np.floating], index: int | None = None) -> None:
        """Add a position, below the root's move at ``index``; None for the root itself."""
        self.count += 1
        self._sum += owner
        self._squares += owner * owner
        if index is not None:
            if index not in self.below:
                self.below[index] = OwnershipSums(len(owner))
            self.below[index].add(owner)

    @property
    def mean(self) -> NDArray[np.float64]:
        return self._sum / self.count

    def summary(self) -> Ownership:
        """Return the mean and the standard deviation, in thousandths."""
        deviation = np.sqrt(np.maximum(self._squares / self.count - self.mean**2, 0.0))
        return Ownership(tuple(self.mean.round(3).tolist()), tuple(deviation.round(3).tolist()))


class PuctSearch:
    """A search tree whose leaves a network evaluates.

    Args:
        board: the position; the search plays on it and undoes all it played.
        komi: points for White.
        network: evaluates leaves.
        puct: the parameters of move selection.
        recent: the last moves before this position, oldest first; the board can undo them.
        passes_in_row: the consecutive passes before this position; with one, another ends the game.
        restrictions: moves to exclude; their plies are counted from this position.
        evaluation: of the position, where it is known already.
        cache: keeps the evaluations of the network; None evaluates each leaf, with the moves that led there.

    Attributes:
        root: the position on the board.
        evaluators: evaluate the batches, several at a time; without them the network does here, one after the other.
    """

    min_visits: Final = 8
    """Evaluations below which the ownership is too noisy to use."""
    proof_visits: Final = 32
    """Evaluations spent on refuting a pass, and before resigning."""
    lost_win_rate: Final = 0.02
    """The win rate below which a game counts as lost with fewer evaluations than that."""
    clock: ClassVar[staticmethod[[], float]] = staticmethod(time.perf_counter)
    """The clock of :attr:`Limits.seconds`; benchmarks that run both players in one process set it to CPU time."""

    def __init__(
        self,
        board: Board,
        komi: float,
        network: NetworkEvaluator,
        puct: PuctParameters | None = None,
        *,
        recent: Sequence[int] = (),
        passes_in_row: int = 0,
        evaluation: Evaluation | None = None,
        restrictions: Sequence[Restriction] = (),
        cache: EvaluationCache | None = None,
    ) -> None:
        self.board = board
        self._restrictions = tuple(restrictions)
        self.komi: Final = komi
        self.passes_in_row = passes_in_row
        self._margins = 0.0
        self._opened = 0
        self.evaluators: Evaluators | None = None
        self._cache = cache
        self._submitted: dict[int, list[Leaf]] = {}
        self.network = network
        self.puct: Final = puct or PuctParameters()
        self._room = ROOM / board.torus.points
        self._recent = tuple(recent)[-HISTORY:]
        # The moves from the root that are on the board.
        self._path: tuple[int, ...] = ()
        # The leaves of the batch at hand: their parents, and their indices among the moves.
        self._waiting: set[tuple[int, int]] = set()
        self.root = self._begin(None, evaluation)

    def advance(self, move: int) -> None:
        """Make ``move`` on the board and keep the subtree below it.

        Raises:
            IllegalMove: the rules refuse it; nothing changes.
        """
        self.board.make(move)
        self.passes_in_row = self.passes_in_row + 1 if move == PASS else 0
        self._margins, self._opened = 0.0, 0
        subtree = self.root.after(move)
        self._recent = (*self._recent, move)[-HISTORY:]
        # The search that this one was forked from waits for its own.
        self._submitted = {}
        self.root = self._begin(subtree)
        if subtree is not None:
            self._opened = subtree.count()

    def fork(self, board: Board) -> Self:
        """Return another search that shares this tree, on ``board``, which holds the same position.

        Either may advance without the other; what both visit afterwards grows for both.
        """
        other = copy(self)
        other.board = board
        return other

    def _begin(self, subtree: PuctNode | None, evaluation: Evaluation | None = None) -> PuctNode:
        """Return the root for the position on the board: ``subtree``, or a new node with ``evaluation`` where given."""
        # A new root is evaluated with the moves that led here, and not as it is known by others.
        cache = self._cache if subtree is not None else None
        reached, found = self._see((), (), self.passes_in_row, cache, evaluation)
        evaluation = self._evaluate_leaves([Leaf(reached, found)])[0] if isinstance(found, Inputs) else found
        self._owned = OwnershipSums(self.board.torus.points)
        self._note(reached, evaluation)
        return subtree or self._node(reached, evaluation)

    # Growing the tree

    def run(
        self,
        limits: Limits,
        stopped: Callable[[], bool] = lambda: False,
        progress: Callable[[], None] | None = None,
        pace: float = 0.2,
    ) -> None:
        """Search until a limit is reached or ``stopped`` returns true; calls ``progress`` every ``pace`` seconds.

        No search has more visits than :data:`MOST_VISITS`.
        """
        start, known = self.clock(), self.root.total_visits
        due = start + pace
        deadline = start + limits.seconds if limits.seconds is not None else math.inf
        most = MOST_VISITS if limits.visits is None else min(limits.visits, MOST_VISITS)
        checked = known if limits.until_decided else math.inf
        while self.root.total_visits < most and not stopped():
            now = self.clock()
            if now >= deadline and (now >= deadline + limits.extra or self.root.leader_is_best()):
                break
            if self.root.total_visits >= checked + DECISION_INTERVAL:
                checked = self.root.total_visits
                rate = (checked - known) / max(now - start, 1e-9)
                decided = self._is_decided(min(most - checked, rate * (deadline + limits.extra - now)))
                if decided and not (limits.unclear_in_full and self._is_unclear()):
                    break
            if progress is not None and now >= due:
                # Visits without a value would be told as lost.
                self._settle()
                progress()
                due = now + pace
            left = most - self.root.total_visits
            made = self.root.total_visits - known
            end = deadline if now < deadline else deadline + limits.extra
            if made and end < math.inf:
                # A batch that begins before the end shall not go on long after it.
                left = min(left, max(1, int((end - now) * made / max(now - start, 1e-9))))
            self._grow(left)
        self._settle()

    def _is_decided(self, left: float) -> bool:
        """Return whether the leader is the best, and stays the move visited most when ``left`` more visits are made.

        Those visits might still find another move to be better; the search does not wait for that.
        """
        if len(self.root.visits) == 1:
            return True
        second, first = np.partition(self.root.visits, -2)[-2:]
        return bool(first - second > left) and self.root.leader_is_best()

    def _is_unclear(self) -> bool:
        best = self.root.best()[0]
        return WON > self.root.win_rate(best) > 1.0 - WON and self.root.policy[best] < FORCED

    def _grow(self, left: float) -> None:
        """Evaluate one leaf or a batch, at most ``left`` of them."""
        evaluators = self.evaluators
        size = 1 + self.root.total_visits // VISITS_PER_LEAF
        if evaluators is not None:
            evaluators.poll()
        if evaluators is None or (not evaluators.ready and not self._submitted):
            # None has loaded the network yet, or none is left.
            self._evaluate(int(min(BATCH, size)), left)
        elif evaluators.is_full or not self._submit(evaluators, int(min(BATCH, 1 + size // evaluators.ready)), left):
            self._collect(evaluators, WAITING)

    def _submit(self, evaluators: Evaluators, most: int, left: float) -> bool:
        """Give up to ``most`` leaves to an evaluator; return whether there was a visit, of ``left`` at most."""
        before = self.root.total_visits
        leaves = self._select(most, left)
        if leaves:
            ticket = evaluators.submit([leaf.inputs for leaf in leaves], self.board.torus.size)
            self._submitted[ticket] = leaves
        elif self.root.total_visits == before and not self._submitted:
            # Nothing waits, so that the leaf is free.
            self._evaluate(1, 1)
        return bool(leaves) or self.root.total_visits > before

    def _collect(self, evaluators: Evaluators, seconds: float | None = None) -> None:
        """Wait for an evaluator, but not for longer than ``seconds``, and add what has come to the tree."""
        for ticket, found in evaluators.collect(seconds):
            leaves = self._submitted.pop(ticket)
            # Inputs come back where no evaluator is left.
            known = found if isinstance(found, list) else self._evaluate_leaves(leaves)
            for leaf, evaluation in zip(leaves, known, strict=True):
                self.expand(leaf, evaluation)

    def _settle(self) -> None:
        while self.evaluators is not None and self._submitted:
            self._collect(self.evaluators)

    def step(self, first: int | None = None) -> None:
        self._evaluate(1, 1, first)

    def grow_below(self, first: int, left: int) -> None:
        self._evaluate(min(BELOW, left), left, first)

    def _evaluate(self, most: int, left: float, first: int | None = None) -> None:
        leaves = self._select(most, left, first)
        for leaf, evaluation in zip(leaves, self._evaluate_leaves(leaves), strict=True):
            self.expand(leaf, evaluation)

    def _select(self, most: int, left: float, first: int | None = None) -> list[Leaf]:
        """Return up to ``most`` leaves to evaluate, after at most ``left`` visits, some of which need no evaluation."""
        leaves: list[Leaf] = []
        collisions: list[Collision] = []
        last = self.root.total_visits + min(left, 2 * most)
        try:
            while (
                len(leaves) < most and len(collisions) < COLLISIONS and self.root.total_visits < last + len(collisions)
            ):
                found = self._descend(first)
                if isinstance(found, Leaf):
                    leaves.append(found)
                elif isinstance(found, Collision):
                    collisions.append(found)
                    for node, index in found.nodes:
                        node.add_virtual_loss(index)
        finally:
            for collision in collisions:
                for node, index in collision.nodes:
                    node.remove_virtual_loss(index)
            self._follow(())
        return leaves

    def expand(self, leaf: Leaf, evaluation: Evaluation) -> None:
        """Add the node of a leaf from :meth:`select_leaf` with its evaluation, and back the value up."""
        parent, index = leaf.reached.nodes[-1]
        self._waiting.remove((id(parent), index))
        if self._cache is not None:
            self._cache.store(leaf.reached.situation, evaluation)
        self._add(leaf.reached, evaluation)

    def _add(self, reached: Reached, evaluation: Evaluation) -> None:
        parent, index = reached.nodes[-1]
        if self._opened < self._room:
            parent.children[index] = self._node(reached, evaluation)
        margin = self._note(reached, evaluation)
        mine = self._value(evaluation)
        _back_up(reached.nodes, mine if reached.to_move == BLACK else 1.0 - mine, margin)

    def select_leaf(self, first: int | None = None) -> Leaf | PuctNode | Reached | Collision:
        """Descend to a leaf and return it for evaluation, with visits counted on the way.

        An ended game is scored and backed up at once, and its node returned; so is a position whose evaluation is
        known. A collision, of which no visit is counted, where the leaf is in the batch already.

        Args:
            first: the index of the root's move to descend by; chosen by PUCT where it is not given.
        """
        try:
            return self._descend(first)
        finally:
            self._follow(())

    def _descend(self, first: int | None) -> Leaf | PuctNode | Reached | Collision:
        """Do what :meth:`select_leaf` says; the moves that lead to the leaf stay on the board."""
        node = self.root
        nodes: list[tuple[PuctNode, int]] = []
        path: list[int] = []
        while True:
            index = first if first is not None and not path else node.select_puct(self.puct)
            nodes.append((node, index))
            path.append(int(node.moves[index]))
            child = node.children.get(index)
            if child is None:
                break
            node = child
            if node.terminal is not None:
                return self._learn(nodes, node, node.terminal)
        parent, index = nodes[-1]
        if (id(parent), index) in self._waiting:
            return Collision(tuple(nodes))
        passes = self._passes(path)
        to_move = self._follow(path).to_move
        if (terminal := self._outcome(passes)) is not None:
            mine = terminal.black if to_move == BLACK else 1.0 - terminal.black
            parent.children[index] = child = PuctNode(to_move, (), NO_MOVES, mine, terminal)
            return self._learn(nodes, child, terminal)
        for each, chosen in nodes:
            each.visit(chosen)
        reached, found = self._see(path, nodes, passes, self._cache)
        if isinstance(found, Inputs):
            self._waiting.add((id(parent), index))
            return Leaf(reached, found)
        self._add(reached, found)
        return reached

    def _see(
        self,
        path: Sequence[int],
        nodes: Sequence[tuple[PuctNode, int]],
        passes: int,
        cache: EvaluationCache | None,
        known: Evaluation | None = None,
    ) -> tuple[Reached, Inputs | Evaluation]:
        """Return the position that ``path`` leads to and its evaluation, ``known`` or in the cache, else the inputs."""
        board = self._follow(path)
        legal = board.legal_mask()
        # Restrictions may leave only a senseless play.
        moves = moves_of(legal if self._restrictions else sensible_plays(board, legal), board.torus.points)
        situation = Situation.of(board, legal, self.komi, passes)
        pass_wins = passes == 1 and self._pass_wins()
        bounds = margin_bounds(board, self.komi)
        reached = Reached(tuple(nodes), board.to_move, moves, situation, pass_wins, bounds)
        if known is None and cache is not None:
            known = cache.find(situation)
        if known is not None:
            return reached, known
        recent = (*self._recent, *path)[-HISTORY:]
        return reached, self.network.encode(board, self.komi, recent, passes)

    def _follow(self, path: Sequence[int]) -> Board:
        """Return the board with the moves of ``path`` made from the root.

        The leaves of a batch often begin with the same moves, which stay on the board from one to the next.
        """
        board, made = self.board, self._path
        same = 0
        for move, before in zip(path, made, strict=False):
            if move != before:
                break
            same += 1
        for _ in range(same, len(made)):
            board.undo()
        for move in path[same:]:
            board.make(move)
        self._path = tuple(path)
        return board

    def _evaluate_leaves(self, leaves: Sequence[Leaf]) -> list[Evaluation]:
        return self.network.evaluate([leaf.inputs for leaf in leaves], self.board.torus.size) if leaves else []

    def _node(self, reached: Reached, evaluation: Evaluation) -> PuctNode:
        self._opened += 1
        # A pass is the last entry of the policy, where −1 points to.
        policy = evaluation.policy.take(reached.moves)
        if reached.pass_wins:
            policy[-1] += 1.0
        total = float(policy.sum())
        if total > 0:
            policy /= np.float32(total)
        else:
            policy.fill(1 / len(policy))
        return self._restrict(
            PuctNode(reached.to_move, reached.moves, policy, self._value(evaluation)), len(reached.nodes)
        )

    def _value(self, evaluation: Evaluation) -> float:
        return blended_value(evaluation.win, evaluation.lead, self.board.torus.points)

    def _learn(self, nodes: Sequence[tuple[PuctNode, int]], node: PuctNode, terminal: Outcome) -> PuctNode:
        self._margins += terminal.margin
        self._owned.add((terminal.owner == BLACK).astype(np.float64) - (terminal.owner == WHITE), nodes[0][1])
        for each, index in nodes:
            each.visit(index)
        _back_up(nodes, terminal.black, terminal.margin)
        return node

    def _note(self, reached: Reached, evaluation: Evaluation) -> float:
        """Add an evaluation to score and ownership; return the score, Black's points less White's."""
        sign = 1.0 if reached.to_move == BLACK else -1.0
        least, most = reached.margin_bounds
        margin = min(max(sign * float(evaluation.lead), least), most)
        self._margins += margin
        self._owned.add(sign * evaluation.owner, reached.nodes[0][1] if reached.nodes else None)
        return margin

    # Along a path from the root

    def _restrict(self, node: PuctNode, plies: int) -> PuctNode:
        """Exclude the restricted moves of a node ``plies`` moves from the root, unless no move would be left."""
        for restriction in self._restrictions:
            if restriction.colour == node.to_move and plies < restriction.plies:
                excluded = np.isin(node.moves, restriction.moves, invert=restriction.only)
                excluded = excluded if node.excluded is None else excluded | node.excluded
                if not excluded.all():
                    node.excluded = excluded
        return node

    def _passes(self, path: Sequence[int]) -> int:
        passes = self.passes_in_row if len(path) == 1 else 0
        for move in path[-2:]:
            passes = passes + 1 if move == PASS else 0
        return passes

    def _outcome(self, passes: int) -> Outcome | None:
        """Return the outcome if the game has ended with the board as it stands, or who wins is certain; else None.

        ``passes`` are the consecutive ones before.
        """
        ended = passes >= 2
        certain = None if ended or self._restrictions else final_margin(self.board, self.komi, passed=passes == 1)
        if certain is None and not ended:
            return None
        count = area(self.board, self.komi)
        margin = count.margin if certain is None else certain
        owner = np.frombuffer(count.owners, dtype=np.int8)
        return Outcome(game_value(self.board.rules, margin, self.board.torus.points), margin, owner)

    def _pass_wins(self) -> bool:
        return value_after_cost(self.board, self.board.rules.pass_cost, area(self.board, self.komi).margin) == 1

    # What was found

    @property
    def visits(self) -> int:
        """Evaluations below the root, including those of a reused tree."""
        return self.root.total_visits

    @property
    def owner_visits(self) -> int:
        """Evaluations in :meth:`ownership`: those of a reused tree are not, since their ownership is not kept."""
        return min(self._owned.count, self.root.total_visits)

    def candidates(self, most: int = 3, *, owned: bool = False) -> tuple[Candidate, ...]:
        """Return up to ``most`` moves in the order of :meth:`PuctNode.best`, ``owned`` with their ownership."""
        root = self.root
        best = [index for index in root.best() if root.excluded is None or not root.excluded[index]]
        # Before any visit, moves are ranked by the policy.
        shown = [index for index in best[:most] if root.visits[index] or not root.total_visits or index == best[0]]
        return tuple(self._candidate(index, self._owned.below.get(index) if owned else None) for index in shown)

    def _candidate(self, index: int, owned: OwnershipSums | None) -> Candidate:
        root = self.root
        found = root.margin(index)
        line = root.line(index)
        return Candidate(
            int(root.moves[index]),
            int(root.visits[index]),
            root.win_rate(index),
            tuple(move for move, _visits in line),
            self.margin if found is None else found,
            float(root.policy[index]),
            tuple(visits for _move, visits in line),
            None if owned is None else owned.summary(),
        )

    def details(self) -> Details:
        """Return what an analysis tells of the position as a whole."""
        root, points = self.root, self.board.torus.points
        policy = np.full(points + 1, -1.0)
        allowed = slice(None) if root.excluded is None else ~root.excluded
        # A pass is the last entry, where −1 points to.
        policy[root.moves[allowed]] = root.policy[allowed]
        return Details(self._owned.summary(), tuple(policy.round(6).tolist()))

    def ownership(self) -> NDArray[np.float64]:
        """Return the mean ownership since the last move, from −1 (White's) to 1 (Black's); shape ``(points,)``."""
        return self._owned.mean

    @property
    def margin(self) -> float:
        """The mean score in the tree, Black's less White's; the root's own until a move is searched."""
        root = self.root
        if completed := float(root.completed.sum()):
            return sum(root.margins.values()) / completed
        return self._margins / max(1, self._owned.count)


def moves_of(plays: int, points: int) -> NDArray[np.intp]:
    packed = np.frombuffer((plays | 1 << points).to_bytes(points // 8 + 1, "little"), np.uint8)
    moves = np.unpackbits(packed, bitorder="little").view(np.bool_).nonzero()[0]
    moves[-1] = PASS
    return moves


def _back_up(nodes: Sequence[tuple[PuctNode, int]], black: float, margin: float) -> None:
    for node, index in nodes:
        node.add_value(index, black if node.to_move == BLACK else 1.0 - black, margin)
