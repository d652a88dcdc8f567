"""The geometry of the window over the endless board.

The board repeats forever in both directions, one period every ``size`` points. A window shows a rectangle of it. ``x``
and ``y`` are the board coordinates of the window's top left corner, reduced to one period, so that panning never ends
and returns exactly to its start after a full period. All lengths are in character cells, or in pixels where the board
is shown as a picture.

In the middle of the window is the *bright* rectangle: one period, in which every point appears exactly once (or as much
of it as fits). It is surrounded by copies.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from daoqi_tui.pictures.picture import Ghost, Picture


class Orientation(NamedTuple):
    """An orientation of the view: rows and columns optionally swapped, then quarter turns clockwise.

    Attributes:
        transposed: whether rows and columns are swapped.
        turns: quarter turns clockwise, 0 to 3.
    """

    transposed: bool = False
    turns: int = 0

    @property
    def swapped(self) -> bool:
        """True if the rows of the view are columns of the board."""
        return self.transposed != bool(self.turns % 2)

    def step(self, down: int, right: int) -> tuple[int, int]:
        """Return the step in the view, ``(down, right)``, of a step on the board."""
        if self.transposed:
            down, right = right, down
        for _ in range(self.turns):
            down, right = right, -down
        return down, right

    def step_back(self, down: int, right: int) -> tuple[int, int]:
        """Return the step on the board, ``(down, right)``, of a step in the view."""
        for _ in range(self.turns):
            down, right = -right, down
        return (right, down) if self.transposed else (down, right)

    def shown(self, size: int, row: int, column: int) -> tuple[int, int]:
        """Return the shown row and column of a board position; (0, 0) is shown at (0, 0)."""
        down, right = self.step(row, column)
        return down % size, right % size

    def board(self, size: int, row: int, column: int) -> tuple[int, int]:
        down, right = self.step_back(row, column)
        return down % size, right % size


UPRIGHT: Final = Orientation()


class Cell(NamedTuple):
    """The size of a point, and its middle."""

    width: int
    height: int

    @property
    def middle(self) -> tuple[int, int]:
        """``(x, y)`` of the crossing within the cell."""
        return (self.width - 1) // 2, (self.height - 1) // 2

    def times(self, unit: tuple[int, int]) -> "Cell":
        """Return the size in parts of a character, of which it has as many across and down as ``unit`` says."""
        return Cell(self.width * unit[0], self.height * unit[1])


CELLS: Final = (Cell(2, 1), Cell(4, 2), Cell(6, 3))
"""The sizes of points in characters; all look square in a terminal, whose cells are about twice as high as wide."""


class Viewport(NamedTuple):
    """A window of ``width`` × ``height`` over the torus of ``size`` × ``size`` points.

    Attributes:
        margin: the number of points of copies shown around the bright period; None fills the window.
        orientation: the orientation of the view; rows and columns in methods are those of the board unless "shown".
        unit: the size of a character: ``(1, 1)``, or its pixels.
    """

    size: int
    cell: Cell
    width: int
    height: int
    x: int = 0
    y: int = 0
    margin: int | None = None
    orientation: Orientation = UPRIGHT
    unit: tuple[int, int] = (1, 1)

    @property
    def period(self) -> tuple[int, int]:
        """Width and height of one period."""
        return self.size * self.cell.width, self.size * self.cell.height

    @property
    def bright_columns(self) -> range:
        """The window columns of the bright period, whole points where it fits."""
        return self._bright(self.x, self.width, self.cell.width)

    @property
    def bright_rows(self) -> range:
        """The window rows of the bright period, whole points where it fits."""
        return self._bright(self.y, self.height, self.cell.height)

    @property
    def shown_columns(self) -> range:
        """The window columns where anything is drawn: the bright period and the margin around it."""
        return self._shown(self.bright_columns, self.width, self.cell.width)

    @property
    def shown_rows(self) -> range:
        return self._shown(self.bright_rows, self.height, self.cell.height)

    def _bright(self, origin: int, length: int, step: int) -> range:
        period = self.size * step
        if period > length:
            return range(length)
        room = length - period
        # The cell boundary nearest to the centred start, so that no point is cut in two where there is room. Of two
        # equally near ones it is the first, where the unshifted board begins.
        before = (room - step + 1) // 2
        start = min(max(0, before + (-origin - before) % step), room)
        return range(start, start + period)

    def _shown(self, bright: range, length: int, step: int) -> range:
        if self.margin is None:
            return range(length)
        return range(max(0, bright.start - self.margin * step), min(length, bright.stop + self.margin * step))

    def pan(self, right: int, down: int) -> "Viewport":
        """Move the window over the board."""
        across, along = self.period
        return self._replace(x=(self.x + right) % across, y=(self.y + down) % along)

    def pan_points(self, right: int, down: int) -> "Viewport":
        return self.pan(right * self.cell.width, down * self.cell.height)

    def resized(self, width: int, height: int) -> "Viewport":
        (left, top), other = self._halves(self.width, self.height), self._replace(width=width, height=height)
        right, bottom = self._halves(width, height)
        return other.pan(left - right, top - bottom)

    @property
    def _steps(self) -> tuple[int, int]:
        """What all places are multiples of: a character where points are whole characters, else 1.

        The mouse may tell no more than characters, and a window in pixels then shows what one in characters does.
        """
        width, height = self.unit
        return 1 if self.cell.width % width else width, 1 if self.cell.height % height else height

    def _halves(self, width: int, height: int) -> tuple[int, int]:
        """Return half of a width and of a height, rounded down to whole steps."""
        across, along = self._steps
        return width // across // 2 * across, height // along // 2 * along

    def aligned(self) -> "Viewport":
        """Round the position up to whole steps."""
        across, along = self._steps
        return self.pan(-self.x % across, -self.y % along)

    def with_cell(self, cell: Cell) -> "Viewport":
        middle = self.middle_point()
        return self._replace(cell=cell, x=0, y=0).centred_on(*middle)

    def at_origin(self, *, centred: bool = False) -> "Viewport":
        """Return the home view: the unshifted board in the middle, row 0 at the top and column 0 at the left.

        Of a board larger than the window it shows the first rows and columns, or the middle ones if ``centred``.
        """
        across, along = self.period
        left, top = self._halves(self.width - across, self.height - along)
        return self._replace(
            x=-left % across if centred or across <= self.width else 0,
            y=-top % along if centred or along <= self.height else 0,
            orientation=UPRIGHT,
        )

    def turned_to(self, orientation: Orientation, row: int, column: int) -> "Viewport":
        """Turn the view, with a point of the board where the unshifted board has row 0 and column 0."""
        down, right = orientation.shown(self.size, row, column)
        return self.at_origin().pan_points(right, down)._replace(orientation=orientation)

    def centred_on(self, row: int, column: int) -> "Viewport":
        across, along = self._steps
        # As in characters, the middle of a point is the first of two.
        right, down = self._halves(self.cell.width - across, self.cell.height - along)
        x, y = self._halves(self.width, self.height)
        row, column = self.orientation.shown(self.size, row, column)
        left, top = column * self.cell.width + right - x, row * self.cell.height + down - y
        return self._replace(x=left % self.period[0], y=top % self.period[1])

    def middle_point(self) -> tuple[int, int]:
        """Return ``(row, column)`` of the point in the middle of the window."""
        x, y = self._halves(self.width, self.height)
        row, _ = self.row_at(y)
        column, _ = self.column_at(x)
        return self.orientation.board(self.size, row, column)

    def row_at(self, y: int) -> tuple[int, int]:
        """Return the shown row at window row ``y``, and the line within its cell."""
        row, line = divmod(self.y + y, self.cell.height)
        return row % self.size, line

    def column_at(self, x: int) -> tuple[int, int]:
        """Return the shown column at window column ``x``, and the offset within its cell."""
        column, place = divmod(self.x + x, self.cell.width)
        return column % self.size, place

    def point_at(self, x: int, y: int) -> tuple[int, int] | None:
        """Return ``(row, column)`` of the point drawn at a window position; None if nothing is drawn there."""
        if x not in self.shown_columns or y not in self.shown_rows:
            return None
        return self.orientation.board(self.size, self.row_at(y)[0], self.column_at(x)[0])

    def place_of(self, row: int, column: int) -> tuple[int, int]:
        """Return the window position ``(x, y)`` of the middle of a point's bright copy.

        If less than a period fits, it is that of the copy nearest to the middle of the window, which may lie outside.
        """
        middle_x, middle_y = self.cell.middle
        row, column = self.orientation.shown(self.size, row, column)
        return (
            nearest(column * self.cell.width + middle_x - self.x, self.bright_columns, self.period[0]),
            nearest(row * self.cell.height + middle_y - self.y, self.bright_rows, self.period[1]),
        )

    def showing(self, row: int, column: int) -> "Viewport":
        """Pan by the fewest whole points that bring a point into the window."""
        x, y = self.place_of(row, column)
        middle_x, middle_y = self.cell.middle
        return self.pan_points(
            _beyond(x - middle_x, self.cell.width, self.width),
            _beyond(y - middle_y, self.cell.height, self.height),
        )


def nearest(place: int, span: range, period: int) -> int:
    """Return the repetition of a place in a span of one period, or else the one nearest to the span's middle."""
    if span.stop - span.start == period:
        return span.start + (place - span.start) % period
    half = (span.start + span.stop) // 2
    return half + shortest(place - half, period)


def shortest(distance: int, period: int) -> int:
    """Return the signed shorter way round a ring of ``period`` that is equivalent to ``distance``."""
    return (distance + period // 2) % period - period // 2


def _beyond(start: int, length: int, window: int) -> int:
    """Return by how many cells of ``length`` a cell at ``start`` lies beyond a window; negative if before it."""
    if start < 0:
        return start // length
    over = start + length - window
    return (over + length - 1) // length if over > 0 else 0


@lru_cache(maxsize=32)
def _tables(orientation: Orientation, size: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return for each point of the board the place where it is shown, and for each place its point."""
    places, points = [0] * (size * size), [0] * (size * size)
    for point in range(size * size):
        row, column = orientation.shown(size, *divmod(point, size))
        places[point] = row * size + column
        points[row * size + column] = point
    return tuple(places), tuple(points)


def turned(picture: Picture, orientation: Orientation) -> Picture:
    """Return the picture in an orientation: every point where the view shows it."""
    if orientation == UPRIGHT:
        return picture
    places, points = _tables(orientation, picture.size)

    def moved(point: int | None) -> int | None:
        return None if point is None else places[point]

    def all_moved(some: Iterable[int]) -> frozenset[int]:
        return frozenset(places[point] for point in some)

    def values(each: bytes | None) -> bytes | None:
        return None if each is None else bytes([each[point] for point in points])

    return picture._replace(
        stones=bytes([picture.stones[point] for point in points]),
        last=moved(picture.last),
        cursor=moved(picture.cursor),
        ghost=picture.ghost and Ghost(places[picture.ghost.point], picture.ghost.colour),
        chain=all_moved(picture.chain),
        liberties=all_moved(picture.liberties),
        owners=values(picture.owners),
        strength=values(picture.strength),
        dead=all_moved(picture.dead),
        refused=moved(picture.refused),
        labels={places[point]: label for point, label in picture.labels.items()},
        marks={places[point]: mark for point, mark in picture.marks.items()},
        proposed={places[point]: colour for point, colour in picture.proposed.items()},
        badges={places[point]: badge for point, badge in picture.badges.items()},
        chips={places[point]: chip for point, chip in picture.chips.items()},
        mistakes={places[point]: mistake for point, mistake in picture.mistakes.items()},
        links=tuple(link._replace(start=places[link.start], end=places[link.end]) for link in picture.links),
    )
