"""A node of the search tree: the statistics of its moves, and the choice among them by PUCT."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.ai.compiled import LateKernel
from daoqi_tui.ai.search import Outcome, kernel
from daoqi_tui.engine import Colour

RIVAL_SHARE: Final = 0.25
"""A move is a rival of the one visited most from this share of its visits on."""


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


class PuctNode:
    """An expanded position in the tree with its evaluation. Values are for the side to move, 0 to 1.

    Attributes:
        moves: plays and, last, PASS.
        policy: the probability of each of ``moves``; the sum is 1.
        value: the network's value of the position.
        terminal: the outcome where the game has ended here, else None.
        children: the expanded child nodes, by index in ``moves``.
        visits, value_sum: the number and the sum of values of the evaluations below each move.
        total_visits: the sum of ``visits``.
        margins: the sum of the scores below moves, Black's points less White's, by index in ``moves``. Few moves of a
            node are ever tried, so that a dictionary is smaller and faster than an array.
        excluded: a mask of moves that restrictions exclude; None where none are.
        completed: how many of the ``visits`` of each move have a value: all but those that wait for one.
        squares: the sums of the squared values below moves, by index in ``moves``.

    A visit counts as soon as a leaf is chosen. Until its value is known, it is taken for the mean of its move.
    """

    __slots__ = (
        "_policy_tried",
        "_unobserved",
        "_value_total",
        "children",
        "completed",
        "excluded",
        "margins",
        "moves",
        "policy",
        "squares",
        "terminal",
        "to_move",
        "total_visits",
        "value",
        "value_sum",
        "visits",
    )

    def __init__(
        self,
        to_move: Colour,
        moves: Sequence[int] | NDArray[np.intp],
        policy: NDArray[np.float32],
        value: float,
        terminal: Outcome | None = None,
    ) -> None:
        count = len(moves)
        self.to_move: Final = to_move
        self.moves: Final[NDArray[np.intp]] = np.asarray(moves, dtype=np.intp)
        self.policy = policy
        self.value = value
        self.terminal: Final = terminal
        self.children: dict[int, Self] = {}
        self.total_visits = 0
        self.visits = np.zeros(count, np.float32)
        self.value_sum = np.zeros(count, np.float32)
        self.margins: dict[int, float] = {}
        self.excluded: NDArray[np.bool_] | None = None
        self.squares: dict[int, float] = {}
        self._value_total = 0.0
        self._policy_tried = 0.0
        self.completed = np.zeros(count, np.float32)
        self._unobserved = 0

    def index_of(self, move: int) -> int | None:
        indices = np.flatnonzero(self.moves == move)
        return int(indices[0]) if len(indices) else None

    def after(self, move: int) -> Self | None:
        """Return the node after a move; None where it was not expanded, or the game ends with it."""
        index = self.index_of(move)
        child = None if index is None else self.children.get(index)
        return child if child is not None and child.terminal is None else None

    def count(self) -> int:
        """Return the number of nodes from this one on in which the game goes on."""
        found, waiting = 0, [self]
        while waiting:
            node = waiting.pop()
            found += node.terminal is None
            waiting.extend(node.children.values())
        return found

    def select_puct(self, puct: PuctParameters) -> int:
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

    def margin(self, index: int) -> float | None:
        """Return the mean score below the move at ``index``, Black's less White's; None where it was not visited."""
        visits = self.visits[index]
        return self.margins[index] / float(visits) if visits else None

    def line(self, index: int, longest: int = 12) -> list[tuple[int, int]]:
        """Return the principal variation from the move at ``index`` on: the most visited moves, and their visits."""
        found = [(int(self.moves[index]), int(self.visits[index]))]
        node = self.children.get(index)
        while node is not None and node.total_visits and len(found) < longest:
            index = int(node.visits.argmax())
            found.append((int(node.moves[index]), int(node.visits[index])))
            node = node.children.get(index)
        return found


_ONE: Final = np.float32(1)


def _warm_up(functions: Any) -> None:  # noqa: ANN401
    three = np.ones(3, np.float32)
    functions.select(three, three, three, three, 1.0, 1.0)


KERNEL: Final = LateKernel((kernel,), _warm_up)

NO_MOVES: Final = np.zeros(0, np.float32)
