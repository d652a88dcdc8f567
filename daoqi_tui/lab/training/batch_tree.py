"""Search trees of many games in tensors: each evaluation adds one node to every tree.

As in mctx (DeepMind's search in JAX, published with Danihelka et al. 2022), a tree is a row of arrays, so that
selection, evaluation and backup are operations on all games together. Below the root, moves are selected by PUCT, as in
:mod:`daoqi_tui.ai.search.puct`. Superko applies in the tree: repetition is checked against the positions of the game
and of the path. Trees are not reused from one move to the next.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Final

import torch
from torch import Tensor

from daoqi_tui.ai.search.node import PuctParameters
from daoqi_tui.engine import BLACK
from daoqi_tui.lab.training.areas import areas_of, results_of
from daoqi_tui.lab.training.batch_evaluator import BatchEvaluation, BatchEvaluator, blended_values
from daoqi_tui.lab.training.batch_features import inputs_of
from daoqi_tui.lab.training.boards import Boards
from daoqi_tui.lab.training.gumbel import RootStatistics
from daoqi_tui.lab.training.states import States, chains_of, legal, played


class BatchTree:
    """One search tree for each game: :class:`~daoqi_tui.lab.training.gumbel.SearchTrees`.

    Args:
        network: evaluates the positions.
        games: the games; they are not changed.
        komi: points for White, ``(games,)``.
        visits: the capacity in evaluations.
        puct: the parameters of move selection below the root.
        evaluation: of the roots, if already known.

    Attributes:
        moves: mask of a node's moves, ``(games, nodes, points + 1)``, bool; the last is the pass, node 0 the root.
        policy: the probability of each move, summing to 1.
        visits, value_sum: of each move, from the perspective of the side to move at the node.
        value: the network's value of a node, for its side to move, 0 to 1; ``(games, nodes)``.
    """

    def __init__(
        self,
        network: BatchEvaluator,
        games: Boards,
        komi: Tensor,
        visits: int,
        puct: PuctParameters | None = None,
        *,
        evaluation: BatchEvaluation | None = None,
    ) -> None:
        self._network: Final = network
        self._grid: Final = games.grid
        self._komi: Final = komi
        self._past_keys: Final = games.history
        self._puct: Final = puct or PuctParameters()
        device, count, nodes = games.grid.device, len(games), visits + 1
        shape = (count, nodes, games.grid.points + 1)
        self._rows: Final = torch.arange(count, device=device)
        self._states: Final[States] = games.states.each(lambda part: part.new_empty((count, nodes, *part.shape[1:])))
        self._children: Final = torch.full(shape, -1, dtype=torch.int16, device=device)
        self._ended: Final = torch.zeros((count, nodes), dtype=torch.bool, device=device)
        self.moves: Final = torch.zeros(shape, dtype=torch.bool, device=device)
        self.policy: Final = torch.zeros(shape, device=device)
        self.visits: Final = torch.zeros(shape, device=device)
        self.value_sum: Final = torch.zeros(shape, device=device)
        self.value: Final = torch.zeros((count, nodes), device=device)
        self._nodes = 0
        self._open(games.states, self._past_keys, evaluation)

    def roots(self) -> RootStatistics:
        """Return the statistics of the roots."""
        columns = (self.moves, self.policy, self.visits, self.value_sum, self.value)
        return RootStatistics(*(column[:, 0] for column in columns))

    def evaluate(self, first: Tensor) -> None:
        """Add one evaluation to each tree, below the root's moves ``first``, ``(games,)``."""
        rows = self._rows
        node, move = torch.zeros_like(first), first
        going = torch.ones_like(first, dtype=torch.bool)
        path: list[tuple[Tensor, Tensor, Tensor]] = []
        while True:
            path.append((node, move, going))
            child = self._children[rows, node, move].long()
            going = going & (child >= 0) & ~self._ended[rows, child.clamp(min=0)]
            if not going.any():
                break
            node = child.where(going, node)
            move = self._select_puct(node).where(going, move)
        before = self._states.each(lambda part: part[rows, node])
        after = played(self._grid, before, chains_of(self._grid, before), move)
        # With its own key, which a suicide can repeat where superko is positional.
        keys = torch.stack([*(self._states.key[rows, at] for at, _, _ in path), after.key], dim=1)
        # A finished game that is reached again is added again, with the same value.
        self._children[rows, node, move] = self._nodes
        self._open(after, torch.cat((self._past_keys, keys), dim=1))
        value = self.value[:, self._nodes - 1]
        for at, made, on in path:
            same = self._states.to_move[rows, at] == after.to_move
            self.visits[rows, at, made] += on
            self.value_sum[rows, at, made] += torch.where(same, value, 1.0 - value) * on

    def _select_puct(self, node: Tensor) -> Tensor:
        """Return the move with the highest PUCT value in one node of each tree.

        The same formula as :meth:`daoqi_tui.ai.search.puct.PuctNode.select_puct`, which works on a single node: the
        sums are numbers there and tensors here, and sharing one function would cost the player a thirtieth of its
        speed.
        """
        puct, rows = self._puct, self._rows
        policy, visits, value_sum = (part[rows, node] for part in (self.policy, self.visits, self.value_sum))
        total = visits.sum(1, keepdim=True)
        weight = puct.exploration + puct.exploration_growth * torch.log1p(total / puct.exploration_base)
        tried = visits > 0
        mean = (self.value[rows, node][:, None] + value_sum.sum(1, keepdim=True)) / (1 + total)
        unknown = mean - puct.fpu_reduction * (policy * tried).sum(1, keepdim=True).sqrt()
        value = torch.where(tried, value_sum / visits.clamp(min=1.0), unknown)
        urgency = value + weight * (total + 1.0).sqrt() * policy / (1.0 + visits)
        return urgency.masked_fill(~self.moves[rows, node], -torch.inf).argmax(1)

    def _open(self, states: States, past_keys: Tensor, evaluation: BatchEvaluation | None = None) -> None:
        """Add a position of each game as the next node, with its evaluation if already known."""
        grid, new = self._grid, self._nodes
        chains, areas = chains_of(grid, states), areas_of(grid, states)
        found = legal(grid, states, chains, past_keys)
        if evaluation is None:
            inputs = inputs_of(grid, states, chains, found.banned, areas, komi=self._komi)
            evaluation = self._network.evaluate(inputs, grid.size)
        is_black = states.to_move == BLACK
        margin = areas.margin(states.passes, self._komi)
        black = blended_values(results_of(margin, grid.rules), margin, grid.points)
        counted = torch.where(is_black, black, 1.0 - black)
        moves = torch.cat((found.sensible, torch.ones_like(is_black[:, None])), dim=1)
        policy = evaluation.policy * moves
        # A pass after a pass ends the game; it also costs what the rules say.
        cost = grid.rules.pass_cost
        black_wins = results_of(margin + torch.where(is_black, -cost, cost), grid.rules)
        policy[:, -1] += (states.in_row == 1) & (black_wins == is_black.float())
        total = policy.sum(1, keepdim=True)
        self.policy[:, new] = torch.where(total > 0, policy / total, moves / moves.sum(1, keepdim=True))
        self.moves[:, new] = moves
        self.value[:, new] = torch.where(states.over, counted, evaluation.value())
        self._ended[:, new] = states.over
        for field in fields(States):
            getattr(self._states, field.name)[:, new] = getattr(states, field.name)
        self._nodes += 1
