"""A second implementation of the rules of Daoqi, as slow and simple as possible.

Written from the rules alone to check the engine: a position is a dictionary from (row, column) to a letter, a move
is made on a copy, chains and regions are found by flood fill each time, and the states faced so far are a list of
pictures.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TypeAlias

Cell: TypeAlias = tuple[int, int]
Cells: TypeAlias = dict[Cell, str]
OTHER = {"B": "W", "W": "B"}


@dataclass(frozen=True)
class Position:
    """A position with its whole history; every move creates a new one."""

    rows: int
    columns: int
    cells: Cells = field(default_factory=dict)
    to_move: str = "B"
    number: int = 0
    captured: dict[str, int] = field(default_factory=lambda: {"B": 0, "W": 0})
    suicided: dict[str, int] = field(default_factory=lambda: {"B": 0, "W": 0})
    passes: dict[str, int] = field(default_factory=lambda: {"B": 0, "W": 0})
    faced: tuple[tuple[str, int], ...] = ()

    def __post_init__(self) -> None:
        if not self.faced:
            object.__setattr__(self, "faced", ((self.picture(), self.number),))

    def picture(self) -> str:
        """Return stones and side to move as text."""
        lines = (
            "".join({"B": "X", "W": "O"}.get(self.cells.get((row, column), ""), ".") for column in range(self.columns))
            for row in range(self.rows)
        )
        return "\n".join([*lines, self.to_move])

    def beside(self, cell: Cell) -> set[Cell]:
        """Return the neighbours of a cell: each once, and never the cell itself."""
        row, column = cell
        found = {
            ((row - 1) % self.rows, column),
            ((row + 1) % self.rows, column),
            (row, (column - 1) % self.columns),
            (row, (column + 1) % self.columns),
        }
        return found - {cell}

    def flood(self, cells: Cells, start: Cell) -> tuple[set[Cell], set[Cell]]:
        """Return the connected cells with the same content as ``start``, and all other cells adjacent to them."""
        inside, border, waiting = {start}, set(), [start]
        while waiting:
            for nearby in self.beside(waiting.pop()):
                if cells.get(nearby) != cells.get(start):
                    border.add(nearby)
                elif nearby not in inside:
                    inside.add(nearby)
                    waiting.append(nearby)
        return inside, border

    def chain(self, cells: Cells, start: Cell) -> tuple[set[Cell], set[Cell]]:
        """Return the stones and liberties of the chain at ``start``."""
        stones, border = self.flood(cells, start)
        return stones, {cell for cell in border if cell not in cells}

    def after(self, cell: Cell) -> Position | str | int:
        """Return the position after a play, or why it is refused: "occupied", or the number of the move it repeats."""
        if cell in self.cells:
            return "occupied"
        mine, theirs = self.to_move, OTHER[self.to_move]
        cells = dict(self.cells)
        cells[cell] = mine
        captured, suicided = dict(self.captured), dict(self.suicided)
        for nearby in self.beside(cell):
            if cells.get(nearby) == theirs:
                stones, liberties = self.chain(cells, nearby)
                if not liberties:
                    captured[mine] += len(stones)
                    for stone in stones:
                        del cells[stone]
        stones, liberties = self.chain(cells, cell)
        if not liberties:
            suicided[mine] += len(stones)
            for stone in stones:
                del cells[stone]
        result = replace(
            self, cells=cells, to_move=theirs, number=self.number + 1, captured=captured, suicided=suicided
        )
        drawing = result.picture()
        for picture, number in self.faced:
            if picture == drawing:
                return number
        return replace(result, faced=(*self.faced, (drawing, result.number)))

    def after_pass(self) -> Position:
        """Return the position after a pass."""
        passes = dict(self.passes)
        passes[self.to_move] += 1
        result = replace(self, to_move=OTHER[self.to_move], number=self.number + 1, passes=passes)
        return replace(result, faced=(*self.faced, (result.picture(), result.number)))

    def after_setup(self, changes: dict[Cell, str | None], to_move: str) -> Position | None:
        """Return the position with cells changed, as a new start; None if a chain would have no liberty."""
        cells = {cell: colour for cell, colour in {**self.cells, **changes}.items() if colour}
        if any(not self.chain(cells, cell)[1] for cell in cells):
            return None
        if cells == self.cells and to_move == self.to_move:
            return self
        return replace(self, cells=cells, to_move=to_move, faced=())

    def area(self) -> dict[str, int]:
        """Return the stones plus territory of each side, and the neutral points as ""."""
        count = {"B": 0, "W": 0, "": 0}
        seen: set[Cell] = set()
        for cell in ((row, column) for row in range(self.rows) for column in range(self.columns)):
            if cell in self.cells:
                count[self.cells[cell]] += 1
            elif cell not in seen:
                region, border = self.flood(self.cells, cell)
                seen |= region
                owners = {self.cells[stone] for stone in border}
                count[owners.pop() if len(owners) == 1 else ""] += len(region)
        return count
