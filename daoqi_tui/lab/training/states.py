"""Positions of many games in tensors, their legal moves and successor positions, without a loop over games.

Only :func:`legal` checks repetition; it is given the keys of past positions, so that the same code serves games and
search trees. The rules are those of the grid, applied as in :class:`daoqi_tui.engine.Board`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Final, Self

import torch
from torch import Tensor

from daoqi_tui.ai.search import HISTORY
from daoqi_tui.engine import BLACK, EMPTY, SIMPLE, WHITE
from daoqi_tui.lab.training.grid import TorusGrid, distinct

_COMPARED: Final = 1 << 25
"""The maximum number of key pairs compared at once; they take a byte each, and eight while they are gathered."""


@dataclass(frozen=True, slots=True)
class States:
    """One position of each game. All tensors begin with the dimension of the games.

    Attributes:
        colours: EMPTY, BLACK or WHITE, shape ``(games, points)``, int8.
        chains: for each stone a representative stone of its chain, ``points`` for empty points; ``(games, points)``,
            int16.
        vacated: points where Black's, and White's, stones were ever captured; ``(games, 2, points)``, bool.
        to_move: BLACK or WHITE, ``(games,)``, int64.
        passes: points that Black and White have paid for passes, ``(games, 2)``, int32.
        in_row: the number of consecutive passes before the position, ``(games,)``, int8; two end the game.
        recent: the last moves, the last one first, ``points`` for a pass and -1 for none; ``(games, HISTORY)``, int16.
        key: the key of the position, which superko compares, ``(games,)``, int64.
        before: the key before the last move if that was a play, else ``key``; ``(games,)``, int64.
    """

    colours: Tensor
    chains: Tensor
    vacated: Tensor
    to_move: Tensor
    passes: Tensor
    in_row: Tensor
    recent: Tensor
    key: Tensor
    before: Tensor

    def __len__(self) -> int:
        return len(self.key)

    def each(self, change: Callable[[Tensor], Tensor]) -> Self:
        """Return the positions with ``change`` applied to each tensor."""
        return type(self)(*(change(getattr(self, field.name)) for field in fields(self)))

    def instead(self, others: States, where: Tensor) -> Self:
        """Return the positions, replaced by those of ``others`` in the games ``where``, a mask."""
        chosen = (
            torch.where(where.view(-1, *[1] * (own.ndim - 1)), other, own)
            for own, other in ((getattr(self, field.name), getattr(others, field.name)) for field in fields(self))
        )
        return type(self)(*chosen)

    @property
    def over(self) -> Tensor:
        """A mask of the games ended by two passes in a row, ``(games,)``."""
        return self.in_row >= 2

    @property
    def own(self) -> Tensor:
        """The stones of the side to move, ``(games, points)``."""
        return self.colours == self.to_move[:, None]


def beginning(grid: TorusGrid, games: int) -> States:
    """Return empty boards, Black to move."""

    def zeros(*shape: int, kind: torch.dtype) -> Tensor:
        return torch.zeros((games, *shape), dtype=kind, device=grid.device)

    return States(
        zeros(grid.points, kind=torch.int8),
        zeros(grid.points, kind=torch.int16) + grid.points,
        zeros(2, grid.points, kind=torch.bool),
        zeros(kind=torch.int64) + BLACK,
        zeros(2, kind=torch.int32),
        zeros(kind=torch.int8),
        zeros(HISTORY, kind=torch.int16) - 1,
        zeros(kind=torch.int64),
        zeros(kind=torch.int64),
    )


def laid_out(grid: TorusGrid, colours: Tensor, to_move: Tensor) -> States:
    """Return positions with set-up stones.

    Args:
        grid: for the boards.
        colours: of each point, ``(games, points)``; each chain has a liberty.
        to_move: ``(games,)``.
    """
    states = beginning(grid, len(colours))
    chains = grid.regions(colours == BLACK).minimum(grid.regions(colours == WHITE))
    key = grid.numbers(colours).sum(1) + torch.where(to_move == WHITE, grid.white, 0)
    return replace(states, colours=colours.to(torch.int8), chains=chains, to_move=to_move, key=key, before=key)


@dataclass(frozen=True, slots=True)
class Chains:
    """The chains adjacent to each point.

    Attributes:
        near: the chains of the four neighbours, ``points`` where they are empty; ``(games, 4, points)``, int16.
        first: mask of those to which no earlier neighbour belongs; bool.
        colours: the neighbours' colours, int8.
        liberties: of each stone's chain, 0 for empty points; ``(games, points)``, int16.
        near_liberties: the liberties of the neighbours' chains.
    """

    near: Tensor
    first: Tensor
    colours: Tensor
    liberties: Tensor
    near_liberties: Tensor


def chains_of(grid: TorusGrid, states: States) -> Chains:
    """Return the chains adjacent to each point, with exact liberty counts."""
    near = grid.around(states.chains)
    first = distinct(near, grid.points)
    empty = states.colours == EMPTY
    counts = grid.count(near, first & empty[:, None])
    liberties = counts.gather(1, states.chains.long()).to(torch.int16)
    return Chains(near, first, grid.around(states.colours), liberties, grid.around(liberties))


@dataclass(frozen=True, slots=True)
class Legal:
    """The legal plays of the side to move; ``(games, points)``.

    Attributes:
        plays: all legal plays.
        sensible: the same, but only the first of all single-stone suicides, which lead to the same position.
        banned: the empty points where only the repetition is illegal; a stone alone without a liberty is held for
            suicide, as in :mod:`daoqi_tui.ai.network.features`.
    """

    plays: Tensor
    sensible: Tensor
    banned: Tensor


def legal(grid: TorusGrid, states: States, chains: Chains, past_keys: Tensor) -> Legal:
    """Return the legal plays: empty points where the rules forbid neither suicide nor the repetition of a position.

    As in :meth:`daoqi_tui.engine.Board.legal_mask`, a play that repeats a position is suicide, or is on a point where
    the same colour had a stone before: only such points are compared with past positions.

    Args:
        grid: for the boards.
        states: the positions.
        chains: of the positions.
        past_keys: the keys of each game's past positions, ``(games, states)``; a key may occur twice.
    """
    to_move = states.to_move
    empty = states.colours == EMPTY
    own = chains.colours == to_move[:, None, None]
    taken = (chains.colours == 3 - to_move[:, None, None]) & (chains.near_liberties == 1)
    breathes = (chains.colours == EMPTY) | (own & (chains.near_liberties > 1)) | taken
    suicide = empty & ~breathes.amax(1)
    vacated = states.vacated.gather(1, (to_move - 1)[:, None, None].expand(-1, 1, grid.points))[:, 0]
    game, point = (empty & (vacated | suicide)).nonzero(as_tuple=True)
    plays, banned = empty.clone(), torch.zeros_like(empty)
    if len(game):
        keys_of_chains = torch.zeros((len(states), grid.points + 1), dtype=torch.int64, device=grid.device)
        keys_of_chains.scatter_add_(1, states.chains.long(), grid.numbers(states.colours))
        dies = suicide[game, point]
        gone = chains.first[game, :, point] & torch.where(dies[:, None], own[game, :, point], taken[game, :, point])
        lost = keys_of_chains[game[:, None], chains.near[game, :, point].long()].where(gone, 0).sum(1)
        put = grid.stones[to_move[game] * grid.points + point].where(~dies, 0)
        turn = torch.where(to_move[game] == BLACK, grid.white, -grid.white)
        key = states.key[game] + put - lost + turn
        repeats = key == states.before[game] if grid.rules.superko == SIMPLE else _repeats(key, game, past_keys)
        allowed = torch.ones_like(dies) if grid.rules.suicide else ~dies
        plays[game, point] = allowed & ~repeats
        banned[game, point] = allowed & repeats
    alone = suicide & ~own.amax(1)
    lone = plays & alone
    return Legal(plays, plays & ~(lone & (lone.cumsum(1) > 1)), banned & ~alone)


def _repeats(keys: Tensor, games: Tensor, past_keys: Tensor) -> Tensor:
    """Return which of the keys are among the past keys of their games."""
    lot = max(1, _COMPARED // max(1, past_keys.shape[1]))
    parts = [
        (past_keys[games[start : start + lot]] == keys[start : start + lot, None]).any(1)
        for start in range(0, len(keys), lot)
    ]
    return torch.cat(parts)


def played(grid: TorusGrid, states: States, chains: Chains, moves: Tensor) -> States:
    """Return the positions after one move in each game.

    Args:
        grid: for the boards.
        states: the positions before.
        chains: of these positions.
        moves: points, or ``points`` for a pass, shape ``(games,)``, int64; assumed to be legal.
    """
    to_move, plays = states.to_move, moves < grid.points
    point = moves.clamp(max=grid.points - 1)
    at = point[:, None, None].expand(-1, 4, 1)
    near, colours, near_liberties = (
        each.gather(2, at)[:, :, 0] for each in (chains.near, chains.colours, chains.near_liberties)
    )
    own, other = colours == to_move[:, None], colours == 3 - to_move[:, None]
    taken = other & (near_liberties == 1) & plays[:, None]
    breathes = (colours == EMPTY) | (own & (near_liberties > 1)) | taken
    dies = plays & ~breathes.amax(1)
    labels = states.chains
    here = torch.nn.functional.one_hot(point, grid.points).bool() & plays[:, None]
    joined = _labelled(labels, near, own & plays[:, None]) | here
    gone = _labelled(labels, near, taken) | (joined & dies[:, None])
    grown = torch.where(here, to_move[:, None].to(torch.int8), states.colours)
    after = grown.where(~gone, EMPTY)
    lost = torch.stack([gone & (grown == colour) for colour in (1, 2)], dim=1)
    turn = torch.where(to_move == BLACK, grid.white, 0)
    paid = torch.nn.functional.one_hot(to_move - 1, 2) * ~plays[:, None] * grid.rules.pass_cost
    key = grid.numbers(after).sum(1) + turn
    return States(
        after,
        torch.where(joined, point[:, None].to(torch.int16), labels).where(~gone, grid.points),
        states.vacated | lost,
        3 - to_move,
        states.passes + paid.to(torch.int32),
        (states.in_row + 1).where(~plays, 0),
        torch.cat((moves[:, None].to(torch.int16), states.recent[:, :-1]), dim=1),
        key,
        torch.where(plays, states.key, key),
    )


def _labelled(labels: Tensor, wanted: Tensor, valid: Tensor) -> Tensor:
    """Return which points have one of four labels, ``(games, points)``; ``wanted`` and ``valid`` are ``(games, 4)``."""
    return (labels[:, None] == wanted.where(valid, -1)[:, :, None]).amax(1)
