"""Thousands of games on boards of one size, stored in tensors and played all at once."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from daoqi_tui.engine import DAOQI, Rules
from daoqi_tui.lab.training.areas import Areas, areas_of
from daoqi_tui.lab.training.grid import TorusGrid, grid_of
from daoqi_tui.lab.training.states import Chains, Legal, States, beginning, chains_of, laid_out, legal, played


class Boards:
    """Games in progress, with the keys of all their positions.

    Args:
        games: their number.
        size: points along a side, 2 to 25.
        device: of the tensors.
        longest: the initial capacity for keys, in moves; it grows when needed.
        rules: of the games.

    Attributes:
        grid: the tables for the size, and the rules.
        states: the positions.
        plies: moves made, ``(games,)``.
        past_keys: the keys of the positions so far, ``(games, positions)``; unused entries repeat the first.
    """

    def __init__(self, games: int, size: int, device: torch.device, longest: int = 0, *, rules: Rules = DAOQI) -> None:
        self.grid: TorusGrid = grid_of(size, device, rules)
        self.states: States
        self._room = max(longest, self.grid.points) + 1
        self._begin(beginning(self.grid, games))

    def _begin(self, states: States) -> None:
        self.states = states
        self.plies = torch.zeros_like(states.key)
        self.past_keys = states.key[:, None].repeat(1, self._room)
        self._made = 0
        self._forget_derived()

    def _forget_derived(self) -> None:
        self._chains: Chains | None = None
        self._areas: Areas | None = None

    def __len__(self) -> int:
        return len(self.states)

    def setup(self, colours: Tensor, to_move: Tensor) -> None:
        """Begin all games from set-up positions, as :func:`~daoqi_tui.lab.training.states.laid_out` takes them."""
        self._begin(laid_out(self.grid, colours, to_move))

    @property
    def chains(self) -> Chains:
        """The chains of the current positions."""
        if self._chains is None:
            self._chains = chains_of(self.grid, self.states)
        return self._chains

    @property
    def areas(self) -> Areas:
        """The areas of the current positions."""
        if self._areas is None:
            self._areas = areas_of(self.grid, self.states)
        return self._areas

    @property
    def history(self) -> Tensor:
        """The used part of ``past_keys``, ``(games, positions)``."""
        return self.past_keys[:, : self._made + 1]

    def legal(self) -> Legal:
        """Return the legal plays of the side to move; a pass is always legal."""
        return legal(self.grid, self.states, self.chains, self.history)

    def play(self, moves: Tensor, where: Tensor | None = None) -> None:
        """Make one move in each game.

        Args:
            moves: points, or ``points`` for a pass, ``(games,)``; assumed to be legal.
            where: a mask of the games to make them in, by default all.
        """
        after = played(self.grid, self.states, self.chains, moves)
        if where is not None:
            after = self.states.instead(after, where)
        self.states = after
        self.plies = self.plies + (1 if where is None else where.long())
        # No game has more moves than calls since the common start.
        self._made += 1
        if self._made >= self.past_keys.shape[1]:
            self._made = int(self.plies.max())
            if self._made >= self.past_keys.shape[1]:
                self.past_keys = torch.cat((self.past_keys, self.past_keys[:, :1].expand_as(self.past_keys)), dim=1)
        self.past_keys.scatter_(1, self.plies[:, None], self.states.key[:, None])
        self._forget_derived()

    def restart(self, where: Tensor) -> None:
        """Restart the games ``where``, shape ``(games,)``, on empty boards."""
        self.states = self.states.instead(beginning(self.grid, len(self)), where)
        self.plies = self.plies.where(~where, 0)
        self.past_keys = self.past_keys.where(~where[:, None], self.states.key[:, None])
        self._forget_derived()

    def forget_passes(self, where: Tensor) -> None:
        """Reset the consecutive passes of the games ``where``, so that another pass does not end them."""
        self.states = replace(self.states, in_row=self.states.in_row.where(~where, 0))

    def keep(self, indices: Tensor) -> None:
        """Keep only the games at ``indices``."""
        self.states = self.states.each(lambda tensor: tensor[indices])
        self.plies, self.past_keys = self.plies[indices], self.past_keys[indices]
        self._forget_derived()
