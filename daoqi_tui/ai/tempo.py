"""Free moves: plays in one's own territory. Under area scoring they cost nothing, whereas a pass costs a point.

The side that runs out of them first has to pass and pay.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from daoqi_tui.engine import Board, Colour, opponent
from daoqi_tui.reading.status import safe_points

ROOMY: Final = 8
"""The size of a territory from which a stone inside cannot endanger the chains around it."""


def territories(board: Board, colour: Colour) -> list[int]:
    """Return the masks of the empty regions that touch stones of ``colour`` alone, the largest first."""
    torus, theirs = board.torus, board.stones(opponent(colour))
    found = []
    for region in torus.regions(board.empty):
        beside = torus.dilate(region)
        if beside & board.stones(colour) and not beside & theirs:
            found.append(region)
    return sorted(found, key=int.bit_count, reverse=True)


def free_moves(board: Board, colour: Colour) -> int:
    """Return the number of free moves of a side, which leave one eye in each of its territories."""
    return sum(region.bit_count() - 1 for region in territories(board, colour))


def free_plays(board: Board) -> Iterator[int]:
    """Yield free moves of the side to move, those first that keep everything alive that certainly is."""
    mine = board.to_move
    regions = [region for region in territories(board, mine) if region.bit_count() > 1]
    safe = safe_points(board, board.rules)[mine]
    legal = board.legal_mask()
    for region in regions:
        if not region & ~safe:
            yield from (point for point in _inside(board, region & legal) if _keeps(board, point, safe))
    for region in regions:
        if region & ~safe and region.bit_count() >= ROOMY:
            yield from _inside(board, region & legal)


def _inside(board: Board, region: int) -> list[int]:
    """Return the points of a region, those with the most adjacent own stones first."""
    torus, mine = board.torus, board.stones(board.to_move)
    return sorted(torus.points_in(region), key=lambda point: -(torus.around[point] & mine).bit_count())


def _keeps(board: Board, point: int, safe: int) -> bool:
    """Return whether all of ``safe`` certainly still belongs to the side to move after its play at ``point``."""
    mine = board.to_move
    board.play(point)
    kept = not safe & ~safe_points(board, board.rules)[mine]
    board.undo()
    return kept
