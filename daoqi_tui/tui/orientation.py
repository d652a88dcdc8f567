"""How the view of the board is turned: the eight ways to lay a square board on the table.

A *board* position is a row and column of the game; a *shown* position is where it stands in the view. Turning the
view never touches the game: names belong to points, and go with them.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Orientation(NamedTuple):
    """Rows and columns are swapped first or not, then the board is turned by quarters clockwise.

    Attributes:
        transposed: whether rows and columns are swapped.
        turns: quarter turns clockwise, 0 to 3.
    """

    transposed: bool = False
    turns: int = 0

    @property
    def upright(self) -> bool:
        """Whether nothing is turned."""
        return self == UPRIGHT

    @property
    def swapped(self) -> bool:
        """Whether the rows of the view are columns of the board."""
        return self.transposed != bool(self.turns % 2)

    def step(self, down: int, right: int) -> tuple[int, int]:
        """Where in the view a step over the board leads, as ``(down, right)``."""
        if self.transposed:
            down, right = right, down
        for _ in range(self.turns):
            down, right = right, -down
        return down, right

    def step_back(self, down: int, right: int) -> tuple[int, int]:
        """The step over the board, ``(down, right)``, that a step in the view makes."""
        for _ in range(self.turns):
            down, right = -right, down
        return (right, down) if self.transposed else (down, right)

    def shown(self, size: int, row: int, column: int) -> tuple[int, int]:
        """The shown row and column of a board position; (0, 0) stays where it is."""
        down, right = self.step(row, column)
        return down % size, right % size

    def board(self, size: int, row: int, column: int) -> tuple[int, int]:
        """The board row and column of a shown position."""
        down, right = self.step_back(row, column)
        return down % size, right % size


UPRIGHT: Final = Orientation()
