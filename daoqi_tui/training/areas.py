"""Whose each point is on many boards at once: by Tromp–Taylor, and as far as it is certain.

The second is what :mod:`daoqi_tui.ai.katago_area` tells networks, Benson's algorithm (1976) with suicide: a chain lives
whatever happens when two regions are vital to it, all of whose points it touches.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from daoqi_tui.engine import BLACK, EMPTY, WHITE
from daoqi_tui.training.grid import Grid, distinct
from daoqi_tui.training.states import States


@dataclass(frozen=True, slots=True)
class Areas:
    """Whose each point is.

    Attributes:
        owners: the colour that each point counts for, EMPTY for nobody; ``(games, points)``, int8.
        certain: Black's and White's area, where stones that cannot live in safe territory count as dead;
            ``(games, 2, points)``, bool.
    """

    owners: Tensor
    certain: Tensor

    def margin(self, passes: Tensor, komi: Tensor) -> Tensor:
        """Black's points less White's, ``(games,)``.

        Args:
            passes: made by Black and by White, ``(games, 2)``; each costs a point.
            komi: points for White, ``(games,)``.
        """
        black, white = ((self.owners == colour).sum(1) for colour in (BLACK, WHITE))
        return black - white - passes[:, 0] + passes[:, 1] - komi

    @property
    def black(self) -> Tensor:
        """1 for Black's points, -1 for White's; ``(games, points)``, float32."""
        return (self.owners == BLACK).float() - (self.owners == WHITE).float()


def areas_of(grid: Grid, states: States) -> Areas:
    """Whose each point is."""
    games = len(states)
    colours = states.colours
    own = torch.cat((colours == BLACK, colours == WHITE))
    empty = torch.cat((colours == EMPTY,) * 2)
    chains = torch.cat((states.chains,) * 2).where(own, grid.points)
    safe, surrounded = _certain(grid, own, empty, chains)
    black, white = surrounded[:games], surrounded[games:]
    claimed = (safe[:games] | safe[games:]).repeat(2, 1)
    certain = safe | ((surrounded | own) & ~claimed)
    return Areas(
        colours + black.to(torch.int8) * BLACK + white.to(torch.int8) * WHITE,
        torch.stack((certain[:games], certain[games:]), dim=1),
    )


def _certain(grid: Grid, own: Tensor, empty: Tensor, chains: Tensor) -> tuple[Tensor, Tensor]:
    """What one colour has on each board: safe chains and regions, and empty regions that only it touches.

    Args:
        grid: for the boards.
        own: its stones, ``(boards, points)``.
        empty: the empty points.
        chains: for each of its stones one stone of the chain, ``points`` elsewhere.
    """
    regions = grid.regions(~own)
    sizes = grid.count(regions, ~own)
    near = grid.around(chains)
    first = distinct(near, grid.points)
    vital = _vital(grid, regions, sizes, near, first)
    alive = _alive(grid, own, chains, regions, vital)
    dead = own & ~alive
    is_empty = grid.count(regions, ~empty) == 0
    no_room = grid.count(regions, ~first.amax(1)) <= 1
    sheltered = (grid.count(regions, grid.around(dead).amax(1)) == 0) & alive.amax(1, keepdim=True)
    there = own.amax(1, keepdim=True)
    safe = alive | (~own & (sheltered & (is_empty | no_room)).gather(1, regions.long()))
    return safe, ~own & there & is_empty.gather(1, regions.long())


def _vital(grid: Grid, regions: Tensor, sizes: Tensor, near: Tensor, first: Tensor) -> Tensor:
    """For each region's first point and each of the four directions the chain there, if the region is vital to it.

    A chain to which a region is vital touches its first point too, so that no region has more than four.

    Returns:
        Chains, ``points`` for none; ``(boards, 4, points)``.
    """
    beyond = torch.full_like(near[:, :, :1], grid.points)
    asked = torch.cat((near.where(first, grid.points), beyond), dim=2)
    asked = asked.gather(2, regions[:, None].long().expand(-1, 4, -1))
    # For each direction asked: does the point touch that chain too?
    touching = torch.stack([(near == asked[:, [way]]).amax(1) for way in range(4)], dim=1) & (asked != grid.points)
    counts = torch.stack([grid.count(regions, touching[:, way]) for way in range(4)], dim=1)
    whole = (counts == sizes[:, None]) & (sizes[:, None] > 0)
    return asked.where(whole[:, :, :-1] & (regions == grid.places)[:, None], grid.points)


def _alive(grid: Grid, own: Tensor, chains: Tensor, regions: Tensor, vital: Tensor) -> Tensor:
    """The stones of chains that cannot be captured."""
    alive = own
    while True:
        votes = grid.count(vital, vital != grid.points)
        left = alive & (votes >= 2).gather(1, chains.long())
        if torch.equal(left, alive):
            return alive
        alive = left
        # A region that touches a chain which is not alive is vital to none.
        spoilt = grid.count(regions, grid.around(own & ~alive).amax(1)) > 0
        vital = vital.where(~spoilt[:, None, :-1], grid.points)
