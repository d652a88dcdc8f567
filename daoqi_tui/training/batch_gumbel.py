"""How the roots of many trees are searched for self-play: :mod:`daoqi_tui.training.gumbel` in tensors."""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor

from daoqi_tui.training.batch_tree import BatchTree
from daoqi_tui.training.gumbel import TINY, Tries, completed, halving


class GumbelRoots:
    """Decides which moves of each root are evaluated, and in the end which are played.

    Args:
        tree: the trees, of which only the roots are judged.
        visits: evaluations to spend on each.
        considered: moves drawn at most for each.
        chance: where it is from; None plays what is thought best, without noise.
    """

    def __init__(self, tree: BatchTree, visits: int, considered: int, chance: torch.Generator | None) -> None:
        self._tree = tree
        self._visits = visits
        self._moves = tree.moves[:, 0]
        self._logits = tree.policy[:, 0].double().clamp(min=TINY).log()
        hopes = self._logits
        if chance is not None:
            # The logarithm of what is exponentially distributed is a Gumbel distribution turned round.
            hopes = hopes - torch.empty_like(hopes).exponential_(generator=chance).log()
        self._hopes = hopes.masked_fill(~self._moves, -torch.inf)
        most = min(considered, visits, self._moves.shape[1])
        self._order = self._hopes.sort(dim=1, descending=True, stable=True).indices[:, :most]
        counts = self._moves.sum(1).clamp(max=most)
        schedules = [list(halving(visits, max(1, count))) for count in range(most + 1)]
        self._halves = [any(plan[spent][0] < plan[spent - 1][0] for plan in schedules) for spent in range(1, visits)]
        table = torch.tensor(schedules, device=counts.device)
        self._left, self._turns = table[counts, :, 0], table[counts, :, 1]

    def search(self) -> None:
        """Spend the evaluations."""
        for spent in range(self._visits):
            if spent and self._halves[spent - 1]:
                self._halve(self._left[:, spent - 1], self._left[:, spent])
            turn = self._turns[:, spent, None]
            self._tree.evaluate(self._order.gather(1, turn)[:, 0])

    def _halve(self, before: Tensor, left: Tensor) -> None:
        """Put the best of those that were left first, in the games where fewer go on."""
        better = self._ranks(before).sort(dim=1, descending=True, stable=True).indices
        self._order = torch.where((left < before)[:, None], self._order.gather(1, better), self._order)

    def _ranks(self, left: Tensor) -> Tensor:
        """How good the drawn moves are thought by now, in their order; those that are not left come last."""
        ranks = (self._hopes + self._values()).gather(1, self._order)
        places = torch.arange(self._order.shape[1], device=left.device)
        return ranks.masked_fill(places >= left[:, None], -torch.inf)

    def best(self) -> Tensor:
        """The moves to play, ``(games,)``; of those visited most, as :meth:`.gumbel.GumbelRoot.best` says."""
        ranks = self._ranks(self._left[:, -1])
        visits = self._tree.visits[:, 0].gather(1, self._order).masked_fill(ranks == -torch.inf, -1.0)
        best = ranks.masked_fill(visits < visits.amax(1, keepdim=True), -torch.inf).argmax(1)
        return self._order.gather(1, best[:, None])[:, 0]

    def policy(self) -> Tensor:
        """How likely each move should be, by what was found; ``(games, points + 1)``."""
        return (self._logits + self._values()).masked_fill(~self._moves, -torch.inf).softmax(1).float()

    def rates(self, moves: Tensor) -> Tensor:
        """The share of wins after one move of each root; where it was not tried, what the position is worth."""
        tree, at = self._tree, moves[:, None]
        visits, wins = (part[:, 0].gather(1, at)[:, 0] for part in (tree.visits, tree.wins))
        return torch.where(visits > 0, wins / visits.clamp(min=1.0), tree.worth[:, 0])

    def _values(self) -> Tensor:
        tree = self._tree
        policy, visits, wins = (part[:, 0].double() for part in (tree.policy, tree.visits, tree.wins))
        return cast("Tensor", completed(Tries(policy, visits, wins, tree.worth[:, 0, None].double()), torch))
