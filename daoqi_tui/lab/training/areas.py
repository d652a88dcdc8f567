"""The area of many boards at once: by Tromp–Taylor scoring, and pass-alive area by Benson's algorithm.

The latter is a network input, as in :mod:`daoqi_tui.ai.network.features`, found as in :mod:`daoqi_tui.reading.status`
by Benson's algorithm (1976): a chain is alive if two regions are vital to it, that is, all their points are its
liberties, or all their empty points where suicide is illegal.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from daoqi_tui.engine import BLACK, EMPTY, WHITE, Rules
from daoqi_tui.lab.training.grid import TorusGrid, distinct
from daoqi_tui.lab.training.states import States


@dataclass(frozen=True, slots=True)
class Areas:
    """The owners of the points.

    Attributes:
        owners: the colour that each point counts for, EMPTY for nobody; ``(games, points)``, int8.
        certain: Black's and White's area, where stones that cannot live in safe territory count as dead;
            ``(games, 2, points)``, bool.
    """

    owners: Tensor
    certain: Tensor

    def margin(self, passes: Tensor, komi: Tensor) -> Tensor:
        """Return Black's points minus White's, ``(games,)``.

        Args:
            passes: points that Black and White have paid for passes, ``(games, 2)``.
            komi: points for White, ``(games,)``.
        """
        black, white = ((self.owners == colour).sum(1) for colour in (BLACK, WHITE))
        return black - white - passes[:, 0] + passes[:, 1] - komi

    @property
    def black(self) -> Tensor:
        """1 for Black's points, -1 for White's; ``(games, points)``, float32."""
        return (self.owners == BLACK).float() - (self.owners == WHITE).float()


def results_of(margin: Tensor, rules: Rules) -> Tensor:
    """Return what games are worth to Black with Black ``margin`` points ahead, as :meth:`Rules.value`, float32."""
    return (margin > 0).float().where(margin != 0, rules.value(0))


def areas_of(grid: TorusGrid, states: States) -> Areas:
    """Return the owners of the points."""
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


def _certain(grid: TorusGrid, own: Tensor, empty: Tensor, chains: Tensor) -> tuple[Tensor, Tensor]:
    """Return the certain area of one colour, and the empty regions bordered only by it, ``(boards, points)`` each.

    Args:
        grid: for the boards.
        own: its stones, ``(boards, points)``.
        empty: the empty points.
        chains: for each of its stones one stone of the chain, ``points`` elsewhere.
    """
    regions = grid.regions(~own)
    near = grid.around(chains)
    first = distinct(near, grid.points)
    vital = _vital(grid, regions, ~own if grid.rules.suicide else empty, near, first)
    alive = _alive(grid, own, chains, regions, vital)
    dead = own & ~alive
    is_empty = grid.count(regions, ~empty) == 0
    no_room = grid.count(regions, ~first.amax(1)) <= 1
    sheltered = (grid.count(regions, grid.around(dead).amax(1)) == 0) & alive.amax(1, keepdim=True)
    there = own.amax(1, keepdim=True)
    safe = alive | (~own & (sheltered & (is_empty | no_room)).gather(1, regions.long()))
    return safe, ~own & there & is_empty.gather(1, regions.long())


def _vital(grid: TorusGrid, regions: Tensor, counted: Tensor, near: Tensor, first: Tensor) -> Tensor:
    """Return the chains to which each region is vital, at the region's first point.

    Such a chain touches all of its points that are ``counted``, also the first of them, so no region is vital to more
    than four.

    Returns:
        Chains, ``points`` for none; ``(boards, 4, points)``.
    """
    beyond = torch.full_like(near[:, :, :1], grid.points)
    asked = torch.cat((near.where(first, grid.points), beyond), dim=2)
    nowhere = torch.full((len(regions), grid.points + 1), grid.points, device=grid.device)
    inside = grid.indices.where(counted, grid.points)
    starts = nowhere.scatter_reduce(1, regions.long(), inside, "amin").gather(1, regions.long())
    asked = asked.gather(2, starts[:, None].expand(-1, 4, -1))
    # For each direction: does the point also touch that chain?
    touching = torch.stack([(near == asked[:, [way]]).amax(1) for way in range(4)], dim=1) & (asked != grid.points)
    touching &= counted[:, None]
    sizes = grid.count(regions, counted)
    counts = torch.stack([grid.count(regions, touching[:, way]) for way in range(4)], dim=1)
    whole = (counts == sizes[:, None]) & (sizes[:, None] > 0)
    return asked.where(whole[:, :, :-1] & (regions == grid.indices)[:, None], grid.points)


def _alive(grid: TorusGrid, own: Tensor, chains: Tensor, regions: Tensor, vital: Tensor) -> Tensor:
    """Return the stones of unconditionally alive chains."""
    alive = own
    while True:
        votes = grid.count(vital, vital != grid.points)
        left = alive & (votes >= 2).gather(1, chains.long())
        if torch.equal(left, alive):
            return alive
        alive = left
        # A region that touches a chain that is not alive is vital to none.
        spoilt = grid.count(regions, grid.around(own & ~alive).amax(1)) > 0
        vital = vital.where(~spoilt[:, None, :-1], grid.points)
