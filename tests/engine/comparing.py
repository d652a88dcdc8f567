"""Assertions that compare the engine with the naive referee."""

from __future__ import annotations

from collections.abc import Iterable

from daoqi_tui.engine import BLACK, EMPTY, WHITE, Board, Colour, Occupied, Refusal, Repeats, area
from tests.engine.referee import Position

LETTER = {BLACK: "B", WHITE: "W"}
COLOUR = {"B": BLACK, "W": WHITE}


def refusal_of(position: Position, point: int) -> Refusal | None:
    """Return the referee's verdict on a play as the engine's ``Refusal``, or None if it is legal."""
    result = position.after(divmod(point, position.columns))
    if result == "occupied":
        return Occupied(point)
    if isinstance(result, int):
        return Repeats(point, result, COLOUR["W" if position.to_move == "B" else "B"])
    return None


def colours_of(position: Position) -> list[Colour]:
    """Return the referee's stones in the engine's representation."""
    cells = ((row, column) for row in range(position.rows) for column in range(position.columns))
    return [COLOUR[position.cells[cell]] if cell in position.cells else EMPTY for cell in cells]


def same_position(board: Board, position: Position) -> None:
    """Check that stones, side to move, chains, prisoners, passes and area agree."""
    assert board.colours == colours_of(position)
    assert LETTER[board.to_move] == position.to_move
    assert board.move_number == position.number
    for colour, letter in LETTER.items():
        assert board.captured[colour] == position.captured[letter]
        assert board.suicided[colour] == position.suicided[letter]
        assert board.passes[colour] == position.passes[letter]
        assert board.torus.points_in(board.stones(colour)) == tuple(
            point for point, found in enumerate(board.colours) if found == colour
        )
    assert board.torus.points_in(board.empty) == tuple(
        point for point, found in enumerate(board.colours) if found == EMPTY
    )
    same_chains(board, position)
    count, told = area(board, 0), position.area()
    assert count.black.stones + count.black.territory == told["B"]
    assert count.white.stones + count.white.territory == told["W"]
    assert count.neutral == told[""] == count.owners.count(EMPTY)
    assert count.owners.count(BLACK) == told["B"]


def same_chains(board: Board, position: Position) -> None:
    """Check that the chain at every point has the stones and liberties found by flood fill."""
    columns = position.columns
    for point, colour in enumerate(board.colours):
        chain = board.chain_at(point)
        if not colour:
            assert chain is None
            continue
        assert chain is not None
        stones, liberties = position.chain(position.cells, divmod(point, columns))
        assert chain.colour == colour
        assert chain.stones == tuple(sorted(row * columns + column for row, column in stones))
        assert chain.liberties == tuple(sorted(row * columns + column for row, column in liberties))


def same_refusals(board: Board, position: Position, points: Iterable[int]) -> None:
    """Check that both refuse the same plays, for the same reason, and that the board is left unchanged."""
    key, legal = board.key, board.torus.points_in(board.legal_mask())
    for point in points:
        verdict = refusal_of(position, point)
        assert board.refusal(point) == verdict
        assert (point in legal) == (verdict is None)
    assert board.key == key
