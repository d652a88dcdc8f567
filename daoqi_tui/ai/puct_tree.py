"""The tree of a search with a network: what the network thinks of each move, and what became of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.ai.evaluator import Outcome
from daoqi_tui.ai.tree import Node
from daoqi_tui.engine import Colour


@dataclass(frozen=True, slots=True)
class Puct:
    """How a node weighs what the network thinks against what was found (PUCT: Rosin 2011, Silver et al. 2017).

    Wins count from 0 to 1.

    Attributes:
        exploration: the weight of the policy.
        growth: by how much that grows each time the visits grow e-fold, from ``patience`` visits on.
        patience: the visits after which the growth sets in.
        reduction: how much worse than its node a move is thought that was never tried, once the whole policy is tried.
    """

    exploration: float = 0.35
    growth: float = 0.22
    patience: float = 500.0
    reduction: float = 0.1


class PuctNode(Node):
    """A position in the tree, judged: its moves, and how they fared. Wins are those of the side to move.

    Attributes:
        policy: how likely each of ``moves`` is thought; the sum is 1.
        worth: what the network thinks of the position, for the side to move, 0 to 1.
        waiting: for moves, by place, how many leaves below them wait for the network; each counts as lost meanwhile.
    """

    __slots__ = ("policy", "waiting", "worth")

    def __init__(
        self,
        to_move: Colour,
        moves: Sequence[int],
        policy: NDArray[np.float32],
        worth: float,
        ending: Outcome | None = None,
    ) -> None:
        super().__init__(to_move, moves, None, ending)
        # Nothing is played out here; the arrays for it need no room of their own.
        self.rave_visits, self.rave_wins = self.visits, self.wins
        self.policy = policy
        self.worth = worth
        self.waiting: dict[int, int] = {}

    def choose(self, puct: Puct) -> int:
        """The place in ``moves`` of the one to look at next."""
        visits, total = self.visits, self.total
        if self.waiting:
            visits = visits.copy()
            for place, count in self.waiting.items():
                visits[place] += count
                total += count
        weight = puct.exploration + puct.growth * math.log1p(total / puct.patience)
        tried = visits > 0
        mean = (self.worth + float(self.wins.sum())) / (1 + total)
        unknown = mean - puct.reduction * math.sqrt(float(self.policy[tried].sum()))
        worth = np.where(tried, self.wins / np.maximum(visits, 1.0), np.float32(unknown))
        worth += (weight * math.sqrt(total + 1.0)) * self.policy / (1.0 + visits)
        return int(worth.argmax())

    def await_leaf(self, place: int) -> None:
        """Count a leaf below the move at ``place`` as waiting."""
        self.waiting[place] = self.waiting.get(place, 0) + 1

    def forget_leaf(self, place: int) -> None:
        """The reverse of :meth:`await_leaf`."""
        count = self.waiting.pop(place)
        if count > 1:
            self.waiting[place] = count - 1

    def best(self) -> list[int]:
        """The places in ``moves``, those most visited first, and of those equally often visited the likelier."""
        return [int(place) for place in np.lexsort((-self.policy, -self.visits))]

    def rate(self, place: int) -> float:
        """The share of wins after the move at ``place``; where it was never tried, what the position is worth."""
        visits = self.visits[place]
        return float(self.wins[place] / visits) if visits else self.worth


NO_MOVES: Final = np.zeros(0, np.float32)
"""The policy where the game has ended."""
