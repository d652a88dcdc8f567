"""Search trees of many games at once, kept in tensors: each evaluation adds one position to every tree.

As in mctx (DeepMind's search in JAX, beside Danihelka et al. 2022) a tree is a row of arrays, so that going down,
judging and backing up are operations on all games together. Below the root moves are weighed as in
:mod:`daoqi_tui.ai.puct_tree`. Every position is one by the rules: repetition is looked for in what the game has faced
and on the way through the tree. Trees are not kept from one move of a game to the next.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Final

import torch
from torch import Tensor

from daoqi_tui.ai.puct_tree import Puct
from daoqi_tui.engine import BLACK, WHITE
from daoqi_tui.training.areas import areas_of
from daoqi_tui.training.batch_features import looks_of
from daoqi_tui.training.batch_judge import BatchJudge, blended
from daoqi_tui.training.boards import Boards
from daoqi_tui.training.states import States, chains_of, legal, played


class BatchTree:
    """One search tree for each game.

    Args:
        judge: the network.
        games: the games; they are not changed.
        komi: points for White, ``(games,)``.
        visits: evaluations for which there is room.
        puct: how a tree weighs moves below its root.

    Attributes:
        moves: which are considered, ``(games, nodes, points + 1)``, bool; the last is the pass, node 0 the root.
        policy: how likely each is thought; each sum is 1.
        visits, wins: what was found of each; wins are those of the node's side to move.
        worth: what the network thinks of a node, for its side to move, 0 to 1; ``(games, nodes)``.
    """

    def __init__(self, judge: BatchJudge, games: Boards, komi: Tensor, visits: int, puct: Puct | None = None) -> None:
        self._judge: Final = judge
        self._grid: Final = games.grid
        self._komi: Final = komi
        self._faced: Final = games.history
        self._puct: Final = puct or Puct()
        device, count, nodes = games.grid.device, len(games), visits + 1
        shape = (count, nodes, games.grid.points + 1)
        self._rows: Final = torch.arange(count, device=device)
        self._states: Final[States] = games.states.each(lambda part: part.new_empty((count, nodes, *part.shape[1:])))
        self._children: Final = torch.full(shape, -1, dtype=torch.int16, device=device)
        self._ended: Final = torch.zeros((count, nodes), dtype=torch.bool, device=device)
        self.moves: Final = torch.zeros(shape, dtype=torch.bool, device=device)
        self.policy: Final = torch.zeros(shape, device=device)
        self.visits: Final = torch.zeros(shape, device=device)
        self.wins: Final = torch.zeros(shape, device=device)
        self.worth: Final = torch.zeros((count, nodes), device=device)
        self._nodes = 0
        self._open(games.states, self._faced)

    def evaluate(self, first: Tensor) -> None:
        """Add one position to each tree, below one of the root's moves.

        Args:
            first: the moves, ``(games,)``.
        """
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
            move = self._choose(node).where(going, move)
        before = self._states.each(lambda part: part[rows, node])
        after = played(self._grid, before, chains_of(self._grid, before), move)
        keys = torch.stack([self._states.key[rows, at] for at, _, _ in path], dim=1)
        # A game's end that is come to again is added again, which does no harm: it is worth the same.
        self._children[rows, node, move] = self._nodes
        self._open(after, torch.cat((self._faced, keys), dim=1))
        worth = self.worth[:, self._nodes - 1]
        for at, made, on in path:
            same = self._states.to_move[rows, at] == after.to_move
            self.visits[rows, at, made] += on
            self.wins[rows, at, made] += torch.where(same, worth, 1.0 - worth) * on

    def _choose(self, node: Tensor) -> Tensor:
        """The move to look at next in one node of each tree.

        As :meth:`daoqi_tui.ai.puct_tree.PuctNode.choose`, which is written for one node: sums of one row are numbers
        there and tensors here, and one text for both would cost the player a thirtieth of its speed.
        """
        puct, rows = self._puct, self._rows
        policy, visits, wins = (part[rows, node] for part in (self.policy, self.visits, self.wins))
        total = visits.sum(1, keepdim=True)
        weight = puct.exploration + puct.growth * torch.log1p(total / puct.patience)
        tried = visits > 0
        mean = (self.worth[rows, node][:, None] + wins.sum(1, keepdim=True)) / (1 + total)
        unknown = mean - puct.reduction * (policy * tried).sum(1, keepdim=True).sqrt()
        worth = torch.where(tried, wins / visits.clamp(min=1.0), unknown)
        urgency = worth + weight * (total + 1.0).sqrt() * policy / (1.0 + visits)
        return urgency.masked_fill(~self.moves[rows, node], -torch.inf).argmax(1)

    def _open(self, states: States, faced: Tensor) -> None:
        """Judge a position of each game and make it the next node."""
        grid, new = self._grid, self._nodes
        chains, areas = chains_of(grid, states), areas_of(grid, states)
        found = legal(grid, states, chains, faced)
        looks = looks_of(grid, states, chains, found.plays, areas, komi=self._komi)
        verdicts = self._judge.judge(looks, grid.size)
        is_black = states.to_move == BLACK
        margin = areas.margin(states.passes, self._komi)
        black = blended((margin > 0).float(), margin, grid.points)
        counted = torch.where(is_black, black, 1.0 - black)
        moves = torch.cat((found.sensible, torch.ones_like(is_black[:, None])), dim=1)
        policy = verdicts.policy * moves
        # A pass after a pass ends the game; it costs a point, too.
        after_pass = margin + torch.where(states.to_move == WHITE, 1.0, -1.0)
        policy[:, -1] += (states.in_row == 1) & ((after_pass > 0) == is_black)
        total = policy.sum(1, keepdim=True)
        self.policy[:, new] = torch.where(total > 0, policy / total, moves / moves.sum(1, keepdim=True))
        self.moves[:, new] = moves
        self.worth[:, new] = torch.where(states.over, counted, verdicts.worth())
        self._ended[:, new] = states.over
        for field in fields(States):
            getattr(self._states, field.name)[:, new] = getattr(states, field.name)
        self._nodes += 1
