"""A board as a picture: which parts of which pictures lie where.

The terminal holds one picture of the board, as much larger than its window as a period, so that whatever the window
shows is one part of it. A pan only tells which. A move sends what changes in one period, and the terminal copies that
to the others. Over it lies the light, a translucent picture of the whole window: it is clear over the bright period and
dims the copies and their names. Its colour is lighter than black stones, so that they, too, differ from their copies.

The light stands still while the board moves below it, and so does a cursor that moves against the board; the marks of
a chain appear when the board rests. They lie between board and light as pictures of their own, so that the board need
not be changed for them, each in one place: on the bright copy, or at the mouse.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator
from hashlib import blake2b
from typing import Final

import numpy as np
from textual.geometry import Region

from daoqi_tui.pictures.palettes import NAMES_DIMMING, STEPS, Palette
from daoqi_tui.pictures.picture import Picture
from daoqi_tui.pictures.raster import (
    CLEAR,
    Indices,
    LabelStyle,
    Pixels,
    Raster,
    chain_of,
    chain_sprite,
    cursor_sprite,
    dimming_steps,
    ghost_sprite,
    label_size,
    label_strip,
    outside,
    png,
    png_rgba,
    points_mask,
    sheet,
)
from daoqi_tui.tui.board import BoardView, Motion
from daoqi_tui.tui.board.lines import GUTTER, HEADER, BoardLines
from daoqi_tui.tui.board.viewport import Cell, Viewport, nearest
from daoqi_tui.tui.graphics import Placement
from daoqi_tui.tui.graphics.shown import LEVELS, Canvas, Shown


class PixelBoard(Shown):
    """Shows one board view as pictures.

    Args:
        view: the board.
        canvas: the terminal's pictures; ``may_move`` tells whether the board glides or jumps to its new position.
    """

    def __init__(self, view: BoardView, canvas: Canvas) -> None:
        super().__init__(view, canvas.ready)
        self._board: Final = view
        self._canvas = canvas
        self._stage = canvas.stage
        self._cell = Pixels(*canvas.cell)
        self.motion: Final = Motion(view, Cell(*canvas.cell), canvas.may_move, self.sync)
        self._raster: Raster | None = None
        self._raster_for: tuple[Palette, Pixels] | None = None
        self._drawn: tuple[Picture, Indices] | None = None
        """The latest picture, and one period of it."""
        self._held: tuple[int, Indices] | None = None
        """The number of the picture that the terminal holds, and one period of it."""
        self._light: _Light | None = None
        self._cursor: int | None = None
        """The point of the cursor when the board was last at rest."""

    def draw(self) -> None:
        # Else it is drawn once the board has fitted its window.
        if self._board.is_fitted:
            self._canvas.show(self._placements(), self.covers)

    def erase(self) -> None:
        self._canvas.show((), ())

    def free(self) -> None:
        self.motion.close()
        self._stage.clear()

    def _placements(self) -> Iterator[Placement]:
        view, cell = self._board, self._cell
        viewport, palette = self.motion.viewport(), view.painted
        point = Pixels(*viewport.cell)
        raster = self._raster_of(palette, point)
        beside, above = GUTTER * cell.width, HEADER * cell.height
        left, top = view.region.x * cell.width + beside, view.region.y * cell.height + above
        x, y, width, height = viewport.x, viewport.y, viewport.width, viewport.height
        level = self._canvas.level
        length = width + viewport.period[0], height + viewport.period[1]
        yield Placement(self._board_image(raster, length), x, y, width, height, left, top, level)
        letters, numbers = label_texts(view.lines, viewport.size)
        style = LabelStyle(point, cell, palette.frame, palette.bright.label)
        image = self._label_image(letters, above, length[0], style, across=True)
        begin, end = whole_labels(x, width, above, style, across=True)
        yield Placement(image, x + begin, 0, end - begin, above, left + begin, top - above, level)
        image = self._label_image(numbers, beside, length[1], style, across=False)
        begin, end = whole_labels(y, height, beside, style, across=False)
        yield Placement(image, 0, y + begin, beside, end - begin, left - beside, top + begin, level)
        light = _Light(viewport, viewport.bright_columns, viewport.bright_rows, (beside, above), palette)
        if self._light is None or self.motion.at_rest or not light.fits(self._light):
            self._light = light
        for placement in self._sprites(viewport, self._light):
            yield placement._replace(left=left + placement.left, top=top + placement.top, level=level + placement.level)
        image = self._stage.image(self._light.key, self._light.draw)
        whole = beside + width, above + height
        yield Placement(image, 0, 0, *whole, left - beside, top - above, level + 3)
        if self.shaded:
            yield self._canvas.shade(view.region, palette.frame, level + LEVELS - 1)

    def _raster_of(self, palette: Palette, point: Pixels) -> Raster:
        if self._raster is None or self._raster_for != (palette, point):
            self._raster, self._raster_for = Raster(palette, point), (palette, point)
            self._drawn = self._held = None
        return self._raster

    def _board_image(self, raster: Raster, length: tuple[int, int]) -> int:
        """Return the number of the picture of the board, repeated over this width and height."""
        shown = self._board.shown
        # A chain is marked by a picture of its own, but the empty points of a region are coloured below their lines.
        region = shown.chain - chain_of(shown)[0]
        picture = shown._replace(cursor=None, ghost=None, liberties=frozenset(), chain=region)
        if self._drawn is None or self._drawn[0] != picture:
            self._drawn = picture, raster.draw(picture)
        period, colours = self._drawn[1], raster.colours.tobytes()
        key: Hashable = "board", self._raster_for, length
        if not self._stage.edits:
            key = key, blake2b(period.tobytes(), digest_size=16).digest()
            return self._stage.image(key, lambda: png(_repeated(period, *length), colours))
        image = self._stage.image(key, lambda: sheet(*length, (0, 0, 0)))
        before = None if self._held is None or self._held[0] != image else self._held[1]
        if before is period:
            return image
        changed = np.ones(period.shape, np.bool_) if before is None else before != period
        self._held = image, period
        if changed.any():
            rows, columns = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
            part = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
            pixels = np.where(changed[part], period[part], np.uint8(CLEAR))
            alpha = b"" if before is None else bytes([*[255] * CLEAR, 0])
            file = png(pixels, colours, alpha)
            self._stage.edit(image, file, (int(columns[0]), int(rows[0])), _copies(period.shape, length))
        return image

    def _label_image(
        self, texts: tuple[str, ...], breadth: int, length: int, style: LabelStyle, *, across: bool
    ) -> int:
        def draw() -> bytes:
            strip, colours = label_strip(texts, breadth, style, across=across)
            size = (length, breadth) if across else (breadth, length)
            return png(_repeated(strip, *size), colours)

        return self._stage.image(("labels", texts, breadth, length, style, across), draw)

    def _sprites(self, viewport: Viewport, light: _Light) -> Iterator[Placement]:
        """Yield the preview of the stone that a click would play, the marks of a chain, and the keyboard cursor."""
        picture, point, view = self._board.shown, Pixels(*viewport.cell), self._board
        shades, size = view.painted.bright, self._board.shown.size
        bright = light.columns, light.rows
        mouse, pointed = bright, picture.cursor
        if view.mouse is not None:
            x, y = view.mouse
            pointed = view.viewport.row_at(y)[0] * size + view.viewport.column_at(x)[0]
            mouse = range(x, x + 1), range(y, y + 1)
        if self.motion.at_rest:
            self._cursor = picture.cursor
        if picture.ghost is not None:
            place, colour = picture.ghost
            image = self._stage.image(
                ("ghost", self._raster_for, colour), lambda: png_rgba(ghost_sprite(colour, shades, point))
            )
            yield from _clipped(image, point, _place_of(place, viewport, mouse), viewport)
        stones, liberties = chain_of(picture)
        if stones and self.motion.at_rest:
            near = mouse if pointed in stones else bright
            middle = next(each for each in (pointed, picture.cursor, min(stones)) if each in stones)
            # Every point of the chain in its copy that is nearest to the one pointed at.
            row, column = divmod(middle, size)
            shift = size // 2 - row, size // 2 - column
            rings, dots = (np.roll(points_mask(points, size), shift, (0, 1)) for points in (stones, liberties))
            rows, columns = (np.flatnonzero((rings | dots).any(axis=axis)) for axis in (1, 0))
            part = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
            rings, dots = rings[part], dots[part]
            key = "chain", self._raster_for, rings.shape, rings.tobytes(), dots.tobytes()
            image = self._stage.image(key, lambda: chain_sprite(rings, dots, shades, point))
            x, y = _place_of(middle, viewport, near)
            corner = x + int(columns[0] - size // 2) * point.width, y + int(rows[0] - size // 2) * point.height
            length = Pixels(rings.shape[1] * point.width, rings.shape[0] * point.height)
            yield from _clipped(image, length, corner, viewport)
        if picture.cursor is not None:
            image = self._stage.image(("cursor", self._raster_for), lambda: png_rgba(cursor_sprite(shades, point)))
            window = viewport if picture.cursor == self._cursor else view.viewport
            # Above the outline of its chain, which would cover its corners.
            yield from _clipped(image, point, _place_of(picture.cursor, window, bright), viewport, 2)


def _place_of(point: int, viewport: Viewport, near: tuple[range, range]) -> tuple[int, int]:
    """Return the top left corner of the copy of a shown point in or nearest to an area of the window, in pixels."""
    row, column = divmod(point, viewport.size)
    (width, height), (across, along) = viewport.cell, viewport.period
    return (
        nearest(column * width + width // 2 - viewport.x, near[0], across) - width // 2,
        nearest(row * height + height // 2 - viewport.y, near[1], along) - height // 2,
    )


def _clipped(
    image: int, size: Pixels, corner: tuple[int, int], viewport: Viewport, level: int = 1
) -> Iterator[Placement]:
    """Yield the part of a picture inside the window, so many levels above the board."""
    (x, width), (y, height) = (
        (max(0, -begin), min(begin + length, window) - max(0, begin))
        for begin, length, window in zip(corner, size, (viewport.width, viewport.height), strict=True)
    )
    if width > 0 and height > 0:
        yield Placement(image, x, y, width, height, max(0, corner[0]), max(0, corner[1]), level)


def _repeated(period: Indices, width: int, height: int) -> Indices:
    rows, columns = period.shape
    return np.tile(period, (-(-height // rows), -(-width // columns)))[:height, :width]


def _copies(period: tuple[int, ...], length: tuple[int, int]) -> Iterator[Region]:
    """Yield the parts to which the top left part is copied until the period fills a width and a height."""
    height, width = period[:2]
    while width < length[0]:
        yield Region(width, 0, min(width, length[0] - width), height)
        width = min(2 * width, length[0])
    while height < length[1]:
        yield Region(0, height, width, min(height, length[1] - height))
        height = min(2 * height, length[1])


class _Light:
    """The light over a window and its names, as a picture.

    Args:
        viewport: the window, in pixels.
        columns, rows: those of the bright period.
        names: the width of the names of rows, and the height of those of columns.
        palette: the colours.
    """

    def __init__(
        self,
        viewport: Viewport,
        columns: range,
        rows: range,
        names: tuple[int, int],
        palette: Palette,
    ) -> None:
        self.columns, self.rows = columns, rows
        self._window = viewport._replace(x=0, y=0), names, palette

    @property
    def key(self) -> Hashable:
        return "light", self._window, self.columns, self.rows

    def fits(self, other: _Light) -> bool:
        """Return whether two lights differ only in the place of the bright period."""
        return self._window == other._window

    def draw(self) -> bytes:
        viewport, (beside, above), palette = self._window
        step = Pixels(*viewport.cell)
        margin = None if viewport.margin is None else (viewport.margin * step.width, viewport.margin * step.height)
        across, down = outside(viewport.width, self.columns), outside(viewport.height, self.rows)
        none = np.zeros(1, np.int64)
        # The corner between the names is that of the frame, which is the last colour.
        shade = np.full((above + viewport.height, beside + viewport.width), 2 * STEPS + 1, np.uint8)
        shade[above:, beside:] = dimming_steps(across, down, margin, step)
        # The names beside the copies fade towards the frame, in which they stand.
        shade[:above, beside:] = STEPS + 1 + dimming_steps(across, none, margin, step)
        shade[above:, :beside] = STEPS + 1 + dimming_steps(none, down, margin, step)
        colours = b"".join(map(bytes, (*palette.dimming_colours, *(palette.frame,) * len(NAMES_DIMMING))))
        return png(shade, colours, bytes(round(255 * share) for share in (*palette.dimming, *NAMES_DIMMING)))


def whole_labels(start: int, length: int, breadth: int, style: LabelStyle, *, across: bool) -> tuple[int, int]:
    """Return where the names that a window shows whole begin and end in it: half a ``C`` would be another sign.

    Args:
        start: where the window begins in the strip of names.
        length: of the window.
        breadth: of the strip.
        style: of the names.
        across: whether they are those of columns.
    """
    step = style.point.width if across else style.point.height
    half = label_size(breadth, style, across=across) / 2
    first, last = start % step, (start + length) % step
    begin = math.ceil(step / 2 + half - first) if abs(first - step / 2) < half else 0
    end = length - math.ceil(last - step / 2 + half) if abs(last - step / 2) < half else length
    return begin, max(begin, end)


def label_texts(lines: BoardLines, size: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of the columns, and those of the rows."""
    return (
        tuple(lines.label_of(0, column, across=True) for column in range(size)),
        tuple(lines.label_of(row, 0, across=False) for row in range(size)),
    )
