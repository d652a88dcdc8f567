"""Gumbel search at the roots of many trees for self-play: few evaluations, allocated to randomly drawn moves.

Gumbel search with sequential halving (Danihelka, Guez, Schrittwieser and Silver 2022, "Policy improvement by planning
with Gumbel"): moves are sampled without replacement from the policy, each round of evaluations is shared evenly among
the remaining ones, and the worse half is dropped. The completed Q values give a policy that improves on the network's.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final, NamedTuple, Protocol

import torch
from torch import Tensor

VISIT_WEIGHT: Final = 50.0
VALUE_SCALE: Final = 0.3
"""Constants of the transformation of Q values (the paper's c_visit and c_scale), which are from 0 to 1. The paper's
scale is 1; with the few evaluations affordable in self-play on CPUs, the values are noisier, and 0.3 plays as well."""
TINY: Final = 1e-12
"""The lowest probability of a move."""


class RootStatistics(NamedTuple):
    """The statistics of the roots of many trees; the last entry of the moves is the pass.

    Attributes:
        moves: mask of the moves the tree considers, ``(games, points + 1)``, bool.
        policy, visits, value_sum: of each move, ``(games, points + 1)``.
        value: the network's value of each root, for its side to move, 0 to 1; ``(games,)``.
    """

    moves: Tensor
    policy: Tensor
    visits: Tensor
    value_sum: Tensor
    value: Tensor


class SearchTrees(Protocol):
    """Search trees of many games that grow together."""

    def roots(self) -> RootStatistics:
        """Return the statistics of the roots."""

    def evaluate(self, first: Tensor) -> None:
        """Add one evaluation to each tree, below the root's moves ``first``, ``(games,)``."""


class GumbelRoots:
    """Chooses the moves of each root to evaluate, and finally the one to play.

    Args:
        trees: new search trees.
        visits: evaluations to spend on each.
        considered: the maximum number of moves drawn for each.
        generator: the source of the Gumbel noise; None searches the most likely moves, without noise.
    """

    def __init__(self, trees: SearchTrees, visits: int, considered: int, generator: torch.Generator | None) -> None:
        self._trees = trees
        self._visits = visits
        roots = trees.roots()
        self._moves = roots.moves
        self._logits = roots.policy.double().clamp(min=TINY).log()
        scores = self._logits
        if generator is not None:
            # Minus the logarithm of an exponential variable has a Gumbel distribution.
            scores = scores - torch.empty_like(scores).exponential_(generator=generator).log()
        self._scores = scores.masked_fill(~self._moves, -torch.inf)
        most = min(considered, visits, self._moves.shape[1])
        self._order = self._scores.sort(dim=1, descending=True, stable=True).indices[:, :most]
        counts = self._moves.sum(1).clamp(max=most)
        schedules = [list(sequential_halving(visits, max(1, count))) for count in range(most + 1)]
        self._halves = [any(plan[spent][0] < plan[spent - 1][0] for plan in schedules) for spent in range(1, visits)]
        table = torch.tensor(schedules, device=counts.device)
        self._left, self._turns = table[counts, :, 0], table[counts, :, 1]

    def search(self) -> None:
        """Spend the evaluations."""
        for spent in range(self._visits):
            if spent and self._halves[spent - 1]:
                self._halve(self._left[:, spent - 1], self._left[:, spent])
            turn = self._turns[:, spent, None]
            self._trees.evaluate(self._order.gather(1, turn)[:, 0])

    def _halve(self, before: Tensor, left: Tensor) -> None:
        """Sort the remaining moves by rank, in the games where fewer remain now."""
        better = self._ranks(before).sort(dim=1, descending=True, stable=True).indices
        self._order = torch.where((left < before)[:, None], self._order.gather(1, better), self._order)

    def _ranks(self, left: Tensor) -> Tensor:
        """Return the sum of logit, noise and Q value of the drawn moves, in order; −∞ for dropped ones."""
        ranks = (self._scores + completed_q(self._trees.roots())).gather(1, self._order)
        indices = torch.arange(self._order.shape[1], device=left.device)
        return ranks.masked_fill(indices >= left[:, None], -torch.inf)

    def best(self) -> Tensor:
        """Return the moves to play, ``(games,)``: of the most visited ones, those with the highest rank.

        The value of a move with a single visit is not comparable with that of one whose answers were searched.
        """
        ranks = self._ranks(self._left[:, -1])
        visits = self._trees.roots().visits.gather(1, self._order).masked_fill(ranks == -torch.inf, -1.0)
        best = ranks.masked_fill(visits < visits.amax(1, keepdim=True), -torch.inf).argmax(1)
        return self._order.gather(1, best[:, None])[:, 0]

    def policy(self) -> Tensor:
        """Return the improved policy, ``(games, points + 1)``, float32."""
        better = self._logits + completed_q(self._trees.roots())
        return better.masked_fill(~self._moves, -torch.inf).softmax(1).float()

    def win_rates(self, moves: Tensor) -> Tensor:
        """Return the mean value of one move of each root; the root's own value where it was not visited.

        Values are the search's: win rates with a small share of the lead
        (:func:`~daoqi_tui.ai.search.blended_value`).
        """
        roots, at = self._trees.roots(), moves[:, None]
        visits, value_sum = (column.gather(1, at)[:, 0] for column in (roots.visits, roots.value_sum))
        return torch.where(visits > 0, value_sum / visits.clamp(min=1.0), roots.value)


def sequential_halving(visits: int, count: int) -> Iterator[tuple[int, int]]:
    """Yield the schedule of sequential halving for ``visits`` evaluations among ``count`` moves.

    Yields:
        For each evaluation the number of remaining moves, and the index of the one to evaluate; when fewer remain than
        before, they are the best so far.
    """
    spent, left = 0, count
    rounds = max(1, math.ceil(math.log2(count)))
    while spent < visits:
        for turn in range(min(max(1, visits // (rounds * left)) * left, visits - spent)):
            yield left, turn % left
            spent += 1
        left = math.ceil(left / 2)


def completed_q(roots: RootStatistics) -> Tensor:
    """Return the completed Q values on the scale of the policy's logits, ``(games, points + 1)``, float64.

    Unvisited moves get the mixed value: the root's value and the values of the visited moves, weighted by the policy.
    """
    policy, visits, value_sum = (column.double() for column in (roots.policy, roots.visits, roots.value_sum))
    value = roots.value[:, None].double()
    tried = visits > 0
    q_values = value_sum / torch.where(tried, visits, 1.0)
    total, known = visits.sum(1, keepdim=True), (policy * tried).sum(1, keepdim=True)
    mean = (policy * tried * q_values).sum(1, keepdim=True) / torch.where(known > 0, known, 1.0)
    mixed = torch.where(known > 0, (value + total * mean) / (1 + total), value)
    return (VISIT_WEIGHT + visits.amax(1, keepdim=True)) * VALUE_SCALE * torch.where(tried, q_values, mixed)
