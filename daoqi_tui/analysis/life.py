"""Finds unconditionally alive stones, and territory that nobody can take, by Benson's algorithm (1976).

Certain area needs no move to keep it, however often the opponent plays in a row.
"""

from __future__ import annotations

from dataclasses import dataclass

from daoqi_tui.engine import BLACK, WHITE, Board, Colour, Torus


@dataclass(frozen=True, slots=True)
class Certain:
    """The certain area of a colour, as masks.

    Attributes:
        safe: pass-alive chains (Benson 1976), and the regions they alone surround where the opponent cannot live.
        surrounded: empty regions that touch only this colour.
    """

    safe: int
    surrounded: int


def safe_points(board: Board) -> dict[Colour, int]:
    """Return for each colour the mask of its pass-alive chains and the territory they alone surround."""
    return {colour: _certain(board, colour).safe for colour in (BLACK, WHITE)}


def area_points(board: Board) -> dict[Colour, int]:
    """Return for each colour the mask of its area; stones that cannot live in safe territory count as dead."""
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
    regions = list(torus.regions(torus.full ^ own))
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
    """Return the mask of the pass-alive chains among ``own`` by Benson's algorithm (1976)."""
    if len(regions) < 2:
        return 0
    chains = list(torus.regions(own))
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
