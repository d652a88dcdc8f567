"""Whose each point is as far as it is certain: what KataGo's networks are told of the area.

Benson's algorithm (1976) finds the chains that no sequence of moves can capture even if their owner always passes:
those with two vital regions each. A region is vital to a chain when all its points touch the chain; suicide being
legal, points with opposing stones on them count too. On a torus nothing changes but the neighbours.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from daoqi_tui.engine import BLACK, WHITE, Board, Colour, Torus


@dataclass(frozen=True, slots=True)
class Certain:
    """What a colour has, as masks.

    Attributes:
        safe: chains that live whatever happens, and the regions they alone surround where the opponent cannot live.
        surrounded: empty regions that only this colour touches.
    """

    safe: int
    surrounded: int


def safe_points(board: Board) -> dict[Colour, int]:
    """For each colour the mask of its uncapturable chains and of the territory they alone surround."""
    return {colour: _certain(board, colour).safe for colour in (BLACK, WHITE)}


def area_points(board: Board) -> dict[Colour, int]:
    """For each colour the mask of its area, where stones that cannot live in safe territory count as dead."""
    found = {colour: _certain(board, colour) for colour in (BLACK, WHITE)}
    claimed = found[BLACK].safe | found[WHITE].safe
    return {
        colour: certain.safe | ((certain.surrounded | board.stones(colour)) & ~claimed)
        for colour, certain in found.items()
    }


def _certain(board: Board, colour: Colour) -> Certain:
    torus, own = board.torus, board.stones(colour)
    if not own:
        return Certain(0, 0)
    regions = list(_components(torus, torus.full ^ own))
    alive = _alive(torus, own, regions)
    safe, surrounded = alive, 0
    touched = torus.dilate(own)
    for region in regions:
        is_empty = not region & ~board.empty
        if is_empty:
            surrounded |= region
        if alive and not torus.dilate(region) & own & ~alive and (is_empty or (region & ~touched).bit_count() <= 1):
            safe |= region
    return Certain(safe, surrounded)


def _alive(torus: Torus, own: int, regions: list[int]) -> int:
    """The mask of the chains among ``own`` that cannot be captured."""
    if len(regions) < 2:
        return 0
    chains = list(_components(torus, own))
    around = {chain: torus.dilate(chain) for chain in chains}
    while chains:
        alive = [chain for chain in chains if sum(not region & ~around[chain] for region in regions) >= 2]
        if len(alive) == len(chains):
            break
        dead = 0
        for chain in chains:
            if chain not in alive:
                dead |= around[chain]
        regions = [region for region in regions if not region & dead]
        chains = alive
    mask = 0
    for chain in chains:
        mask |= chain
    return mask


def _components(torus: Torus, mask: int) -> Iterator[int]:
    """The connected parts of a mask."""
    while mask:
        part = mask & -mask
        while (wider := (part | torus.dilate(part)) & mask) != part:
            part = wider
        mask ^= part
        yield part
