"""A board with edges, for comparisons with programs that do not know the torus."""

from __future__ import annotations

from daoqi_tui.engine import Torus


class Bordered(Torus):
    """A board with edges; everything else is as on the torus."""

    def _nearby(self) -> tuple[tuple[int, ...], ...]:
        table = []
        for point in range(self.points):
            row, column = self.position(point)
            reached = [(row + down, column + right) for down, right in ((-1, 0), (0, 1), (1, 0), (0, -1))]
            table.append(
                tuple(
                    row * self.columns + column
                    for row, column in reached
                    if 0 <= row < self.rows and 0 <= column < self.columns
                )
            )
        return tuple(table)

    def dilate(self, mask: int) -> int:
        width = self.columns
        return self.full & (
            mask << width | mask >> width | (mask & ~self._last_column) << 1 | (mask & ~self._first_column) >> 1
        )
