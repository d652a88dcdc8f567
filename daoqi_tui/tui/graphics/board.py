"""A board as a picture: which parts of which pictures lie where, and how they move.

The board repeats, so the terminal is sent one period of it, cut into bands of a few rows, and shows each band as often
as the window needs it. A pan only sends new positions for the bands; a move sends the bands that changed. The copies
lie under a translucent picture, the veil, placed over the window with its hole on the bright period. Its colour is
lighter than black stones, so that they, too, differ from their copies.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from hashlib import blake2b
from time import monotonic
from typing import Final, NamedTuple

from textual.geometry import Region
from textual.timer import Timer

from daoqi_tui.pictures.palettes import NAMES_VEIL, RGB, Palette
from daoqi_tui.pictures.picture import Picture
from daoqi_tui.pictures.raster import (
    Indices,
    LabelStyle,
    Pixels,
    Raster,
    cursor_sprite,
    ghost_sprite,
    label_strip,
    last_sprite,
    outside,
    png,
    png_rgba,
    sheet,
    veil_steps,
)
from daoqi_tui.tui.board.lines import GUTTER, HEADER, BoardLines
from daoqi_tui.tui.board.viewport import Cell, Viewport
from daoqi_tui.tui.board.widget import BoardView
from daoqi_tui.tui.graphics import Means, Placement, uncovered

_BAND: Final = 4
_FRAMES: Final = 60
_GLIDE: Final = 0.13
_FRICTION: Final = 4.0
"""The rate, per second, at which the speed of a flicked board decays exponentially."""
_SLOWEST: Final = 24.0
"""The speed, in pixels per second, below which a flicked board stops."""
_MEMORY: Final = 0.09
"""The last seconds of a drag, over which the speed of a flick is measured."""
SHADE: Final = 0.45


class Offset(NamedTuple):
    """The offset of the picture from its viewport's position, in pixels."""

    right: float = 0.0
    down: float = 0.0

    @property
    def none(self) -> bool:
        """True if the offset is less than half a pixel in each direction."""
        return abs(self.right) < 0.5 and abs(self.down) < 0.5


_NONE: Final = Offset()


class PixelBoard:
    """Shows one board view as pictures.

    Args:
        view: the board; its cells stay empty.
        means: the terminal's pictures; ``may_move`` tells whether the board glides or jumps to its new position.
    """

    def __init__(self, view: BoardView, means: Means) -> None:
        self._view = view
        self._stage = means.stage
        self._depth = means.depth
        self._may_move = means.may_move
        self._ready = means.ready
        self.cell = Pixels(*means.cell)
        self._raster: Raster | None = None
        self._raster_for: tuple[Palette, Pixels] | None = None
        self._drawn: tuple[Picture, list[tuple[Hashable, Indices]]] | None = None
        self._offset = _NONE
        self._from = _NONE
        self._glide_start = 0.0
        self._speed = _NONE
        self._track: list[tuple[float, float, float]] = []
        self._dragging = False
        self._timer: Timer | None = None
        self._waiting: Timer | None = None
        self._last_frame = 0.0
        self._covers: Sequence[Region] = ()
        self._shaded = False
        self._hidden = False
        """True if the board is not shown: another screen covers it, or it has been closed."""

    @property
    def moving(self) -> bool:
        return self._timer is not None

    # Events of the view

    def viewport_changed(self, before: Viewport, after: Viewport) -> None:
        if self._dragging:
            return
        same = before._replace(x=0, y=0) == after._replace(x=0, y=0)
        if not same or not self._may_move():
            self._rest()
        else:
            across, along = after.period
            right = _shortest(before.x - after.x, across) * self.cell.width
            down = _shortest(before.y - after.y, along) * self.cell.height
            self._speed = _NONE
            self._from = Offset(self._offset.right + right, self._offset.down + down)
            self._offset = self._from
            self._glide_start = monotonic()
            self._keep_moving()
        self.sync()

    def drag(self, right: float, down: float) -> None:
        """Move the board with the mouse, by pixels."""
        if not self._dragging:
            self._dragging = True
            self._track.clear()
            self._speed = _NONE
        now = monotonic()
        self._track.append((now, right, down))
        self._track = [each for each in self._track if now - each[0] <= _MEMORY]
        self._move_by(right, down)

    def release(self) -> None:
        """End a drag: the board coasts on, or settles on whole characters if it was slow."""
        if not self._dragging:
            return
        self._dragging = False
        now = monotonic()
        recent = [each for each in self._track if now - each[0] <= _MEMORY]
        if recent and self._may_move():
            span = max(0.02, now - recent[0][0])
            self._speed = Offset(sum(each[1] for each in recent) / span, sum(each[2] for each in recent) / span)
        self._settle_when_slow()
        self.sync()

    def stop(self) -> None:
        if self._speed != _NONE:
            self._speed = _NONE
            self._settle_when_slow()

    def _move_by(self, right: float, down: float) -> None:
        across = self._offset.right + right
        along = self._offset.down + down
        columns, rows = round(across / self.cell.width), round(along / self.cell.height)
        self._offset = Offset(across - columns * self.cell.width, along - rows * self.cell.height)
        if columns or rows:
            dragging, self._dragging = self._dragging, True
            # A picture that moves right means a window that moves left.
            self._view.set_viewport(self._view.viewport.pan(-columns, -rows))
            self._view.post_message(self._view.Panned())
            self._dragging = dragging
        self.sync()

    def _settle_when_slow(self) -> None:
        if math.hypot(*self._speed) < _SLOWEST:
            self._speed = _NONE
            self._from, self._glide_start = self._offset, monotonic()
            if not self._may_move():
                self._rest()
        self._keep_moving()

    def _rest(self) -> None:
        self._offset = self._from = self._speed = _NONE

    def _keep_moving(self) -> None:
        if self._timer is None and not (self._offset.none and self._speed == _NONE):
            self._last_frame = monotonic()
            self._timer = self._view.set_interval(1 / _FRAMES, self._step)

    def _step(self) -> None:
        now = monotonic()
        passed, self._last_frame = min(0.1, now - self._last_frame), now
        if self._dragging:
            return
        if self._speed != _NONE:
            self._move_by(self._speed.right * passed, self._speed.down * passed)
            share = math.exp(-_FRICTION * passed)
            self._speed = Offset(self._speed.right * share, self._speed.down * share)
            self._settle_when_slow()
            return
        share = (now - self._glide_start) / _GLIDE
        left = (1 - share) ** 3 if share < 1 else 0.0
        self._offset = Offset(self._from.right * left, self._from.down * left)
        if share >= 1:
            self._rest()
            if self._timer is not None:
                self._timer.stop()
                self._timer = None
        self.sync()

    # Drawing

    def sync(self, covers: Sequence[Region] | None = None, *, shaded: bool | None = None) -> None:
        """Update the board in the terminal, unless it is still busy with earlier output.

        Args:
            covers: the regions that cover the board, in characters of the screen; unchanged by default.
            shaded: whether a dialog lies over the board's screen; unchanged by default.
        """
        if covers is not None:
            self._covers = covers
            self._hidden = False
        if self._hidden:
            return
        if shaded is not None:
            self._shaded = shaded
        view = self._view
        region = view.region
        if not (view.is_attached and view.display and region):
            self.hide()
            return
        if not self._ready():
            self._retry()
            return
        self._stage.show(uncovered(self._placements(), self._covers, self.cell), self.cell)

    def _retry(self) -> None:
        """Call :meth:`sync` again in a moment; all changes until then are shown in one step."""
        if self._waiting is None:
            self._waiting = self._view.set_timer(1 / _FRAMES, self._try_again)

    def _try_again(self) -> None:
        self._waiting = None
        self.sync()

    def hide(self) -> None:
        self._hidden = True
        self._stage.show((), self.cell)

    def close(self) -> None:
        # A pending retry must not send them again.
        self._hidden = True
        for timer in (self._timer, self._waiting):
            if timer is not None:
                timer.stop()
        self._timer = self._waiting = None
        self._stage.clear()

    def _placements(self) -> Iterator[Placement]:
        view, (cell_width, cell_height) = self._view, self.cell
        viewport = self.in_pixels()
        picture, palette = view.shown, view.painted
        raster = self._raster_of(palette, Pixels(*viewport.cell))
        left, top = (view.region.x + GUTTER) * cell_width, (view.region.y + HEADER) * cell_height
        base = 4 * self._depth
        size = picture.size
        window = _Window(viewport, left, top)
        for band, image in enumerate(self._bands(raster, picture)):
            height = min(_BAND, size - band * _BAND) * viewport.cell.height
            place = 0, band * _BAND * viewport.cell.height
            yield from window.copies(image, place, (viewport.period[0], height), base)
        yield from self._sprites(window, base + 1)
        yield from self._labels(viewport, palette, left, top, base)
        yield from self._veil(viewport, palette, left, top, base + 2)
        breadth, length = GUTTER * cell_width, HEADER * cell_height
        corner = self._stage.image(
            ("plain", breadth, length, palette.frame), lambda: sheet(breadth, length, palette.frame)
        )
        yield Placement(corner, 0, 0, breadth, length, left - breadth, top - length, base)
        if self._shaded:
            width, height = view.region.width * cell_width, view.region.height * cell_height
            shade = self._stage.image(
                ("plain", width, height, palette.frame, SHADE),
                lambda: sheet(width, height, palette.frame, SHADE),
            )
            yield Placement(shade, 0, 0, width, height, left - breadth, top - length, base + 3)

    def in_pixels(self) -> Viewport:
        """Return the viewport in pixels, at the present position of the picture."""
        scaled = in_pixels(self._view.viewport, self.cell)
        return scaled.pan(-round(self._offset.right), -round(self._offset.down))

    def _raster_of(self, palette: Palette, point: Pixels) -> Raster:
        if self._raster is None or self._raster_for != (palette, point):
            self._raster, self._raster_for, self._drawn = Raster(palette, point), (palette, point), None
        return self._raster

    def _bands(self, raster: Raster, picture: Picture) -> list[int]:
        marked = picture.last is not None and picture.last not in picture.labels
        picture = picture._replace(cursor=None, ghost=None, last=None if marked else picture.last)
        if self._drawn is None or self._drawn[0] != picture:
            pixels = raster.draw(picture)
            height = _BAND * raster.point.height
            bands = [pixels[start : start + height] for start in range(0, len(pixels), height)]
            keys = [("band", self._raster_for, blake2b(band.tobytes(), digest_size=16).digest()) for band in bands]
            self._drawn = picture, list(zip(keys, bands, strict=True))
        colours = raster.colours.tobytes()
        return [self._stage.image(key, lambda band=band: png(band, colours)) for key, band in self._drawn[1]]  # type: ignore[misc]

    def _sprites(self, window: _Window, level: int) -> Iterator[Placement]:
        """Yield the mark of the last move, the keyboard cursor, and the preview of the stone that a click would play.

        They are pictures of their own, so that the bands below need not be sent when they move.
        """
        picture, point = self._view.shown, Pixels(*window.viewport.cell)
        shades = self._view.painted.bright
        wanted = []
        if picture.ghost is not None:
            ghost = picture.ghost
            key = "ghost", self._raster_for, ghost.colour
            image = self._stage.image(key, lambda: png_rgba(ghost_sprite(ghost.colour, shades, point)))
            wanted.append((image, ghost.point))
        if picture.last is not None and picture.last not in picture.labels:
            image = self._stage.image(("last", self._raster_for), lambda: png_rgba(last_sprite(shades, point)))
            wanted.append((image, picture.last))
        if picture.cursor is not None:
            image = self._stage.image(("cursor", self._raster_for), lambda: png_rgba(cursor_sprite(shades, point)))
            wanted.append((image, picture.cursor))
        for image, place in wanted:
            row, column = divmod(place, picture.size)
            yield from window.copies(image, (column * point.width, row * point.height), point, level)

    def _labels(self, viewport: Viewport, palette: Palette, left: int, top: int, level: int) -> Iterator[Placement]:
        point = Pixels(*viewport.cell)
        cell_width, cell_height = self.cell
        letters, numbers = label_texts(self._view.lines, self._view.shown.size)
        style = LabelStyle(point, self.cell, palette.frame, palette.bright.label)
        above, beside = HEADER * cell_height, GUTTER * cell_width
        across, along = viewport.period
        # Each strip repeats along the board only; in the other direction its window holds it once.
        row = _Window(viewport._replace(y=0, height=above), left, top - above)
        yield from row.copies(self._label_image(letters, above, style, across=True), (0, 0), (across, above), level)
        column = _Window(viewport._replace(x=0, width=beside), left - beside, top)
        yield from column.copies(
            self._label_image(numbers, beside, style, across=False), (0, 0), (beside, along), level
        )

    def _label_image(self, texts: tuple[str, ...], breadth: int, style: LabelStyle, *, across: bool) -> int:
        key = "labels", texts, breadth, style, across
        return self._stage.image(key, lambda: png(*label_strip(texts, breadth, style, across=across)))

    def _veil(self, viewport: Viewport, palette: Palette, left: int, top: int, level: int) -> Iterator[Placement]:
        width, height = viewport.width, viewport.height
        columns, rows = viewport.bright_columns, viewport.bright_rows
        hole = len(columns), len(rows)
        if hole == (width, height):
            return
        step = Pixels(*viewport.cell)
        around = _room(width, hole[0], step.width), _room(height, hole[1], step.height)
        margin = None if viewport.margin is None else (viewport.margin * step.width, viewport.margin * step.height)
        board = _Veil(hole, around, margin, step, palette.veil, palette.veil_colours)
        x, y = around[0] - columns.start, around[1] - rows.start
        yield Placement(self._stage.image(board, board.draw), x, y, width, height, left, top, level)
        # The names beside the copies fade towards the frame, in which they stand.
        above, beside = HEADER * self.cell.height, GUTTER * self.cell.width
        names = board._replace(shares=NAMES_VEIL, colours=(palette.frame,) * len(NAMES_VEIL))
        if hole[0] < width:
            strip = names._replace(hole=(hole[0], above), around=(around[0], 0))
            yield Placement(self._stage.image(strip, strip.draw), x, 0, width, above, left, top - above, level)
        if hole[1] < height:
            strip = names._replace(hole=(beside, hole[1]), around=(0, around[1]))
            yield Placement(self._stage.image(strip, strip.draw), 0, y, beside, height, left - beside, top, level)


def _room(window: int, hole: int, step: int) -> int:
    """Return how many pixels the veil must reach beyond the hole on each side, wherever the hole is."""
    return (window - hole) // 2 + step + 1 if hole < window else 0


class _Veil(NamedTuple):
    """A veil with a hole, as a picture.

    Attributes:
        hole: width and height of the hole in pixels.
        around: the pixels on each side of it, across and down.
        margin: the distances from the hole across and down beyond which nothing is shown; None if there is no limit.
        step: the size of a point.
        shares, colours: the opacity and the colour at each step.
    """

    hole: tuple[int, int]
    around: tuple[int, int]
    margin: tuple[int, int] | None
    step: Pixels
    shares: tuple[float, ...]
    colours: tuple[RGB, ...]

    def draw(self) -> bytes:
        (width, height), (right, down) = self.hole, self.around
        columns = outside(width + 2 * right, range(right, right + width))
        rows = outside(height + 2 * down, range(down, down + height))
        alpha = bytes(round(255 * share) for share in self.shares)
        return png(veil_steps(columns, rows, self.margin, self.step), b"".join(map(bytes, self.colours)), alpha)


def in_pixels(viewport: Viewport, cell: Pixels) -> Viewport:
    """Return the viewport in pixels, for characters of the size ``cell``."""
    width, height = cell
    return viewport._replace(
        cell=Cell(viewport.cell.width * width, viewport.cell.height * height),
        width=viewport.width * width,
        height=viewport.height * height,
        x=viewport.x * width,
        y=viewport.y * height,
    )


def label_texts(lines: BoardLines, size: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of the columns, and those of the rows."""
    return (
        tuple(lines.label_of(0, column, across=True) for column in range(size)),
        tuple(lines.label_of(row, 0, across=False) for row in range(size)),
    )


def _tiles(origin: int, length: int, period: int) -> list[tuple[int, int]]:
    """Return the copies of a period in a window in one direction, each as the reduced origin and the copy's start."""
    origin %= period
    return [(origin, start) for start in range(0, origin + length, period)]


def _cut(start: int, length: int, window: int) -> tuple[int, int, int]:
    """Clip a length from ``start`` on to the window: return what is cut off before it, the rest, and its position."""
    first, end = max(0, start), min(window, start + length)
    return first - start, end - first, first


class _Window(NamedTuple):
    """A window over a repeating period, and its top left corner on the screen, in pixels."""

    viewport: Viewport
    left: int
    top: int

    def copies(self, image: int, place: tuple[int, int], size: tuple[int, int], level: int) -> Iterator[Placement]:
        viewport = self.viewport
        columns = _tiles(viewport.x - place[0], viewport.width, viewport.period[0])
        for origin, copy in _tiles(viewport.y - place[1], viewport.height, viewport.period[1]):
            y, height, down = _cut(copy - origin, size[1], viewport.height)
            if height <= 0:
                continue
            for beginning, column in columns:
                x, width, right = _cut(column - beginning, size[0], viewport.width)
                if width > 0:
                    yield Placement(image, x, y, width, height, self.left + right, self.top + down, level)


def _shortest(distance: int, period: int) -> int:
    """Return the signed shorter way round a ring of ``period`` that is equivalent to ``distance``."""
    return (distance + period // 2) % period - period // 2
