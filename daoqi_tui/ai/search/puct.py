"""PUCT: tree search with a network that gives a policy and a value for each position.

Leaves are evaluated in batches. While a leaf waits for its evaluation, the moves that led to it count as visited, with
the mean value they had (WU-UCT, Liu et al. 2020), so that others are explored. Where the search comes to that leaf
again all the same, virtual losses turn it away, which last until the batch is chosen.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.ai.compiled import LateKernel
from daoqi_tui.ai.evaluators import BATCH, Evaluators
from daoqi_tui.ai.protocol import Restriction
from daoqi_tui.ai.search import kernel
from daoqi_tui.ai.search.cache import EvaluationCache, Situation
from daoqi_tui.ai.search.evaluator import HISTORY, Evaluation, Inputs, NetworkEvaluator, Outcome, blended_value
from daoqi_tui.ai.search.mcts import RIVAL_SHARE, SearchNode, TreeSearch, margin_bounds
from daoqi_tui.engine import BLACK, PASS, WHITE, Board, Colour


@dataclass(frozen=True, slots=True)
class PuctParameters:
    """Parameters of move selection by PUCT (Rosin 2011, Silver et al. 2017). Values are from 0 to 1.

    Attributes:
        exploration: the weight of the policy term (KataGo's ``cpuctExploration``).
        exploration_growth: by how much that grows for each e-fold growth of the visits (``cpuctExplorationLog``).
        exploration_base: the visits at which the growth sets in (``cpuctExplorationBase``).
        fpu_reduction: first-play urgency: how far the value of an unvisited move lies below its node's mean, times the
            root of the policy mass visited so far (``fpuReductionMax``).
    """

    exploration: float = 0.35
    exploration_growth: float = 0.22
    exploration_base: float = 500.0
    fpu_reduction: float = 0.1


DEVIATIONS: Final = 3.0
"""How many standard deviations of its mean the lower confidence bound of a move lies below it."""
UNSURE: Final = 0.02
"""The variance of a visit that is added to those made."""
CLEARLY: Final = 0.01
"""By how much a lower confidence bound has to be higher; less is noise where all moves win or lose."""


class PuctNode(SearchNode):
    """An expanded position in the tree with its evaluation. Values are for the side to move, 0 to 1.

    Attributes:
        policy: the probability of each of ``moves``; the sum is 1.
        value: the network's value of the position.
        completed: how many of the ``visits`` of each move have a value: all but those that wait for one.
        squares: the sums of the squared values below moves, by index in ``moves``.

    A visit counts as soon as a leaf is chosen. Until its value is known, it is taken for the mean of its move.
    """

    __slots__ = ("_policy_tried", "_unobserved", "_value_total", "completed", "policy", "squares", "value")

    def __init__(
        self,
        to_move: Colour,
        moves: Sequence[int] | NDArray[np.intp],
        policy: NDArray[np.float32],
        value: float,
        terminal: Outcome | None = None,
    ) -> None:
        super().__init__(to_move, moves, None, terminal)
        self.policy = policy
        self.value = value
        self.squares: dict[int, float] = {}
        self._value_total = 0.0
        self._policy_tried = 0.0
        self.completed = np.zeros(len(self.moves), np.float32)
        self._unobserved = 0

    def select_puct(self, puct: PuctParameters) -> int:
        """Return the index of the move with the highest PUCT value."""
        visits, completed, total = self.visits, self.completed, self.total_visits
        weight = puct.exploration + puct.exploration_growth * math.log1p(total / puct.exploration_base)
        scale = weight * math.sqrt(total + 1.0)
        mean = (self.value + self._value_total) / (1 + total - self._unobserved)
        unvisited = mean - puct.fpu_reduction * math.sqrt(self._policy_tried)
        functions = KERNEL.functions
        if functions is not None and self.excluded is None:
            index: int = functions.select(visits, completed, self.value_sum, self.policy, unvisited, scale)
            return index
        values = np.where(completed > 0, self.value_sum / np.maximum(completed, _ONE), np.float32(unvisited))
        values += np.float32(scale) * self.policy / (_ONE + visits)
        if self.excluded is not None:
            values[self.excluded] = -np.inf
        return int(values.argmax())

    def visit(self, index: int) -> None:
        """Count a visit of the move at ``index``, whose value :meth:`add_value` adds later."""
        if not self.visits[index]:
            self._policy_tried += float(self.policy[index])
        self.total_visits += 1
        self.visits[index] += 1.0
        self._unobserved += 1

    def add_virtual_loss(self, index: int) -> None:
        """Count a lost visit of the move at ``index``, until :meth:`remove_virtual_loss`."""
        self.total_visits += 1
        self.visits[index] += 1.0
        self.completed[index] += 1.0

    def remove_virtual_loss(self, index: int) -> None:
        """Take a visit that counts as lost back."""
        self.total_visits -= 1
        self.visits[index] -= 1.0
        self.completed[index] -= 1.0

    def add_value(self, index: int, value: float, margin: float) -> None:
        """Add the value of a visit, for the side to move, and Black's points less White's."""
        self._unobserved -= 1
        self.completed[index] += 1.0
        self.value_sum[index] += value
        self._value_total += value
        self.squares[index] = self.squares.get(index, 0.0) + value * value
        self.margins[index] = self.margins.get(index, 0.0) + margin

    def best(self) -> list[int]:
        """Return the indices of all moves, the best first, then the most visited; of those as often the likelier.

        The best is the most visited one, unless another, visited nearly as often, has a lower confidence bound that is
        clearly higher; of such moves, the one with the highest.
        """
        order = [int(index) for index in np.lexsort((-self.policy, -self.visits))]
        least = RIVAL_SHARE * self.visits[order[0]]
        rivals = [index for index in order if self.visits[index] >= max(least, 2)]
        if len(rivals) > 1:
            best = max(rivals, key=self.lower_bound)
            if self.lower_bound(best) > self.lower_bound(order[0]) + CLEARLY:
                order.remove(best)
                order.insert(0, best)
        return order

    def leader_is_best(self) -> bool:
        """As :meth:`daoqi_tui.ai.search.mcts.SearchNode.leader_is_best`, by the lower confidence bound."""
        return bool(self.visits[self.best()[0]] == self.visits.max())

    def lower_bound(self, index: int) -> float:
        """Return the lower confidence bound of the value of the move at ``index``; 0 where no visit has a value yet."""
        visits = float(self.completed[index])
        if not visits:
            return 0.0
        mean = float(self.value_sum[index]) / visits
        spread = max(0.0, self.squares[index] / visits - mean * mean)
        # A few visits of the same value do not make it certain.
        return mean - DEVIATIONS * math.sqrt((spread + UNSURE / visits) / visits)

    def win_rate(self, index: int) -> float:
        """Return the mean value of the move at ``index``; the value of the position where no visit of it has one."""
        visits = float(self.completed[index])
        return float(self.value_sum[index]) / visits if visits else self.value


_ONE: Final = np.float32(1)


def _warm_up(functions: Any) -> None:  # noqa: ANN401
    three = np.ones(3, np.float32)
    functions.select(three, three, three, three, 1.0, 1.0)


KERNEL: Final = LateKernel((kernel,), _warm_up)

NO_MOVES: Final = np.zeros(0, np.float32)
"""The policy of a position where the game has ended."""


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


class PuctSearch(TreeSearch[PuctNode]):
    """A search tree whose leaves a network evaluates.

    Args:
        board, komi, passes_in_row, restrictions: as in :class:`~daoqi_tui.ai.search.mcts.TreeSearch`.
        network: evaluates leaves.
        puct: the parameters of move selection.
        recent: the last moves before this position, oldest first; the board can undo them.
        evaluation: of the position, where it is known already.
        cache: keeps the evaluations of the network; None evaluates each leaf, with the moves that led there.

    Attributes:
        evaluators: evaluate the batches, several at a time; without them the network does here, one after the other.
    """

    min_visits = 8
    proof_visits = 32
    lost_win_rate = 0.02
    ranks_unvisited = True

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
        super().__init__(board, komi, passes_in_row, restrictions)
        self.evaluators: Evaluators | None = None
        self._cache = cache
        self._submitted: dict[int, list[Leaf]] = {}
        self.network: Final = network
        self.puct: Final = puct or PuctParameters()
        self._room = ROOM / board.torus.points
        self._recent = tuple(recent)[-HISTORY:]
        # The moves from the root that are on the board.
        self._path: tuple[int, ...] = ()
        # The leaves of the batch at hand: their parents, and their indices among the moves.
        self._waiting: set[tuple[int, int]] = set()
        self.root = self._begin(None, evaluation)

    def _enter(self, move: int, kept: PuctNode | None) -> PuctNode:
        self._recent = (*self._recent, move)[-HISTORY:]
        # The search that this one was forked from waits for its own.
        self._submitted = {}
        return self._begin(kept)

    def _begin(self, kept: PuctNode | None, evaluation: Evaluation | None = None) -> PuctNode:
        """Return the root for the position on the board: ``kept``, or a new node with ``evaluation`` where given."""
        # A new root is evaluated with the moves that led here, and not as it is known by others.
        cache = self._cache if kept is not None else None
        reached, found = self._see((), (), self.passes_in_row, cache, evaluation)
        evaluation = self._evaluate_leaves([Leaf(reached, found)])[0] if isinstance(found, Inputs) else found
        self._owned = np.zeros(self.board.torus.points)
        self._note(reached, evaluation)
        return kept or self._node(reached, evaluation)

    # Growing the tree

    def _grow(self, left: float) -> None:
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
        """As :meth:`daoqi_tui.ai.search.mcts.TreeSearch.step` says."""
        self._evaluate(1, 1, first)

    def grow_below(self, first: int, left: int) -> None:
        """As :meth:`daoqi_tui.ai.search.mcts.TreeSearch.grow_below` says."""
        self._evaluate(min(BELOW, left), left, first)

    def _evaluate(self, most: int, left: float, first: int | None = None) -> None:
        """Evaluate up to ``most`` leaves at once, with at most ``left`` visits."""
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
            self._cache.keep(leaf.reached.situation, evaluation)
        self._add(leaf.reached, evaluation)

    def _add(self, reached: Reached, evaluation: Evaluation) -> None:
        """Add the node of a position, whose visits are counted, and back its value up."""
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
        moves = moves_of(self._plays(board, legal), board.torus.points)
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
        """Return the value for the side to move: mostly the win rate, and a little the lead, as for playouts."""
        return blended_value(evaluation.win, evaluation.lead, self.board.torus.points)

    def _learn(self, nodes: Sequence[tuple[PuctNode, int]], node: PuctNode, terminal: Outcome) -> PuctNode:
        self._evaluated += 1
        self._margins += terminal.margin
        self._owned += (terminal.owner == BLACK).astype(np.float64) - (terminal.owner == WHITE)
        for each, index in nodes:
            each.visit(index)
        _back_up(nodes, terminal.black, terminal.margin)
        return node

    def _note(self, reached: Reached, evaluation: Evaluation) -> float:
        """Add an evaluation to score and ownership; return the score, Black's points less White's."""
        sign = 1.0 if reached.to_move == BLACK else -1.0
        least, most = reached.margin_bounds
        margin = min(max(sign * float(evaluation.lead), least), most)
        self._evaluated += 1
        self._margins += margin
        self._owned += sign * evaluation.owner
        return margin

    def policy(self) -> NDArray[np.float32]:
        """As :meth:`daoqi_tui.ai.search.mcts.TreeSearch.policy` says."""
        return self.root.policy

    def ownership(self) -> NDArray[np.float64]:
        """As :meth:`daoqi_tui.ai.search.mcts.TreeSearch.ownership` says."""
        return self._owned / self._evaluated


def moves_of(plays: int, points: int) -> NDArray[np.intp]:
    """Return the plays of a mask and, last, PASS."""
    packed = np.frombuffer((plays | 1 << points).to_bytes(points // 8 + 1, "little"), np.uint8)
    moves = np.unpackbits(packed, bitorder="little").view(np.bool_).nonzero()[0]
    moves[-1] = PASS
    return moves


def _back_up(nodes: Sequence[tuple[PuctNode, int]], black: float, margin: float) -> None:
    for node, index in nodes:
        node.add_value(index, black if node.to_move == BLACK else 1.0 - black, margin)
