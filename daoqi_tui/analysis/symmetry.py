"""The 8·N² symmetries of an N × N torus: any shift after any turn or reflection.

A symmetry first transposes (swaps rows with columns) or not, then turns by quarters clockwise about the point (0, 0),
then shifts. Eight ways to turn times N² ways to shift: 2048 on the standard board. They form a group: compose them
with ``@``, undo one with ``inverse``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.engine import PASS, torus_of

PointTable: TypeAlias = NDArray[np.int16]
Values: TypeAlias = NDArray[np.uint8]


def _matrices() -> tuple[tuple[int, int, int, int], ...]:
    """For each of the eight ways to turn (a, b, c, d): (row, column) goes to (a·row + b·column, c·row + d·column)."""
    found = []
    for matrix in ((1, 0, 0, 1), (0, 1, 1, 0)):
        for _ in range(4):
            found.append(matrix)
            a, b, c, d = matrix
            # A quarter turn clockwise takes (row, column) to (column, -row).
            matrix = (c, d, -a, -b)
    return tuple(found)


_MATRICES: Final = _matrices()
_INDEX: Final = {matrix: index for index, matrix in enumerate(_MATRICES)}


@dataclass(frozen=True, slots=True)
class Symmetry:
    """A symmetry of the ``size`` × ``size`` torus.

    Attributes:
        size: the side of the board.
        transposed: whether rows and columns are swapped first.
        turns: quarter turns clockwise made next, 0 to 3.
        down: rows shifted down last, 0 to size - 1.
        right: columns shifted to the right last, 0 to size - 1.
    """

    size: int
    transposed: bool = False
    turns: int = 0
    down: int = 0
    right: int = 0

    def __post_init__(self) -> None:
        if not (0 <= self.turns < 4 and 0 <= self.down < self.size and 0 <= self.right < self.size):
            raise ValueError(f"{self!r}: turns are 0 to 3, shifts 0 to {self.size - 1}")

    @classmethod
    def from_index(cls, size: int, index: int) -> Symmetry:
        """The symmetry in row ``index`` of the tables below."""
        way, shift = divmod(index, size * size)
        return cls(size, way >= 4, way % 4, *divmod(shift, size))

    @property
    def index(self) -> int:
        """Its row in the tables below, 0 (the identity) to 8·size² - 1."""
        return (self._way * self.size + self.down) * self.size + self.right

    @property
    def _way(self) -> int:
        return 4 * self.transposed + self.turns

    def point(self, point: int) -> int:
        """Where ``point`` goes; a pass stays a pass."""
        if point == PASS:
            return PASS
        a, b, c, d = _MATRICES[self._way]
        row, column = divmod(point, self.size)
        size = self.size
        return (a * row + b * column + self.down) % size * size + (c * row + d * column + self.right) % size

    def points(self, points: Iterable[int]) -> tuple[int, ...]:
        """Where each of ``points`` goes, in the same order."""
        return tuple(self.point(point) for point in points)

    def mask(self, mask: int) -> int:
        """Where the points of a mask go."""
        torus = torus_of(self.size)
        return torus.mask(self.points(torus.points_in(mask)))

    def __matmul__(self, first: Symmetry) -> Symmetry:
        """``second @ first``: the symmetry that does ``first``, then ``second``."""
        if first.size != self.size:
            raise ValueError(f"symmetries of sizes {self.size} and {first.size} cannot follow one another")
        a, b, c, d = _MATRICES[self._way]
        e, f, g, h = _MATRICES[first._way]
        way = _INDEX[a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h]
        size = self.size
        down = (a * first.down + b * first.right + self.down) % size
        right = (c * first.down + d * first.right + self.right) % size
        return Symmetry(size, way >= 4, way % 4, down, right)

    @property
    def inverse(self) -> Symmetry:
        """The symmetry that undoes this one."""
        a, b, c, d = _MATRICES[self._way]
        # The matrices are orthogonal, so the inverse is the transposed matrix.
        way, size = _INDEX[a, c, b, d], self.size
        down, right = -(a * self.down + c * self.right) % size, -(b * self.down + d * self.right) % size
        return Symmetry(size, way >= 4, way % 4, down, right)

    def as_dict(self) -> dict[str, Any]:
        """The symmetry as plain values, for ``--json``."""
        return {"transposed": self.transposed, "turns": self.turns, "down": self.down, "right": self.right}


def symmetries(size: int) -> Iterator[Symmetry]:
    """All 8·size² symmetries by index, the identity first. On tiny boards several move the points alike."""
    return (Symmetry.from_index(size, index) for index in range(8 * size * size))


@lru_cache(maxsize=8)
def point_table(size: int) -> PointTable:
    """Where every symmetry takes every point: shape (8·size², size²), row ``index`` of :class:`Symmetry`."""
    rows, columns = np.divmod(np.arange(size * size), size)
    shifts_down, shifts_right = rows[:, None], columns[:, None]
    ways = [
        (a * rows + b * columns + shifts_down) % size * size + (c * rows + d * columns + shifts_right) % size
        for a, b, c, d in _MATRICES
    ]
    table = np.concatenate(ways).astype(np.int16)
    table.flags.writeable = False
    return table


@lru_cache(maxsize=8)
def inverse_table(size: int) -> NDArray[np.intp]:
    """The index of the inverse of every symmetry: shape (8·size²,)."""
    return np.array([symmetry.inverse.index for symmetry in symmetries(size)], dtype=np.intp)


def images(values: Values, size: int) -> Values:
    """All images of a board at once: shape (8·size², size²), row ``index`` of :class:`Symmetry`.

    Args:
        values: one value for each point, shape (size²,).
        size: the side of the board.
    """
    found: Values = values[point_table(size)[inverse_table(size)]]
    return found
