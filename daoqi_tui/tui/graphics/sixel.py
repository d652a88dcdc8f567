"""A board as a Sixel picture (https://vt100.net/docs/vt3xx-gp/chapter14.html).

A Sixel picture lies where it was painted, until characters are written there or another one is painted over it. So a
pan paints the board anew, as often as the terminal is ready for more, and a move what it changes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from PIL import Image
from textual.geometry import Region

from daoqi_tui.pictures.palettes import NAMES_DIMMING, STEPS, Palette, blend
from daoqi_tui.pictures.picture import Picture
from daoqi_tui.pictures.raster import Indices, LabelStyle, Pixels, Raster, dimmed, dimming_steps, label_strip, outside
from daoqi_tui.tui.board import BoardView, Motion
from daoqi_tui.tui.board.lines import GUTTER, HEADER
from daoqi_tui.tui.board.viewport import Cell, Viewport
from daoqi_tui.tui.graphics import Sixel, in_place
from daoqi_tui.tui.graphics.board import label_texts, whole_labels
from daoqi_tui.tui.graphics.shown import SHADE, Shown

Cells: TypeAlias = "np.ndarray[Any, np.dtype[np.bool_]]"

_MOST_PARTS: Final = 16
"""The maximum number of pictures that together show the board: xterm drops the oldest of more."""
_SMALL: Final = 0.05
"""The largest share of the board that is painted as one picture although not all of it has changed."""
_COLOURS: Final = 64
"""The maximum number of colours of a picture: more take the terminal longer and hardly show."""
_HEIGHT: Final = 6
_SHORT: Final = 3
"""The longest run of equal sixels that is written out; longer ones become a repeat count."""
_LABEL_SHADES: Final = 16
_FADE: Final = 8
"""Of the colours of a picture one in so many is for plain wood as the light falls off."""
_MARKED: Final = 16
"""The same for marks."""
_SAMPLED: Final = (0, 0, 0, 6, 14, 22)
"""Steps of the dimming under which all kinds of points are sampled to choose the colours of pictures."""


class Paints(NamedTuple):
    """The means by which a board is painted.

    Attributes:
        write: sends text to the terminal.
        rewrite: has the characters of a region of the screen written again, whatever they replace.
        ready: returns whether the terminal has taken all output.
        cell: the size of a character in pixels.
        sixel: the terminal's limits for pictures.
    """

    write: Callable[[str], None]
    rewrite: Callable[[Region], None]
    ready: Callable[[], bool]
    cell: tuple[int, int]
    sixel: Sixel


class SixelBoard(Shown):
    """Paints one board view."""

    def __init__(self, view: BoardView, paints: Paints) -> None:
        super().__init__(view, paints.ready)
        self._board: Final = view
        self._paints = paints
        cell = Pixels(*paints.cell)
        # Each step of a glide would be a whole picture, and so would all that changes with one key.
        self.motion: Final = Motion(view, Cell(*cell), lambda: False, self.again, in_cells=True)
        self._flat = Flat(cell, min(paints.sixel.most, _COLOURS))
        self._region = Region()
        self._seen = np.zeros((0, 0), np.uint8)
        """The picture that has been painted, as indices into ``_colours``."""
        self._colours = self._flat.colours
        self._painted: Cells = np.zeros((0, 0), bool)
        """The cells over which it is visible."""
        self._parts = 0
        """The number of pictures that have been painted since the last whole one."""

    def written(self, areas: Iterable[Region]) -> None:
        """Note that characters have been written in regions of the screen."""
        for area in areas:
            x, y, width, height = area.intersection(self._region).translate((-self._region.x, -self._region.y))
            self._painted[y : y + height, x : x + width] = False

    def draw(self) -> None:
        """Paint the cells where the picture has changed or characters have been written."""
        view, region = self._board, self._board.region
        columns, rows = self._paints.cell
        window = view.viewport.width + GUTTER * columns, view.viewport.height + HEADER * rows
        # Else it is painted once the board has fitted its window, and has room beside its labels.
        if window != (region.width * columns, region.height * rows):
            return
        wanted = self._flat.draw(view, self.motion.viewport())
        colours = self._flat.shaded if self.shaded else self._flat.colours
        if region != self._region or wanted.shape != self._seen.shape:
            self.erase()
            self._region, self._seen = region, wanted.copy()
            self._painted = np.zeros((region.height, region.width), bool)
        if colours is not self._colours:
            self._colours = colours
            self._painted[:] = False
        changed = (wanted != self._seen).reshape(region.height, rows, region.width, columns).any(axis=(1, 3))
        new = (changed | ~self._painted) & self._open()
        if not new.any():
            return
        can = self._open()
        new = _joined(new, can)
        parts = self._cut(new)
        self._parts += len(parts)
        if self._parts > _MOST_PARTS:
            new, parts = can, self._cut(can)
            self._parts = len(parts)
        pieces = []
        for x, y, width, height in parts:
            part = (slice(y * rows, (y + height) * rows), slice(x * columns, (x + width) * columns))
            pieces.append(f"\x1b[{region.y + y + 1};{region.x + x + 1}H{encode(wanted[part], colours)}")
            self._seen[part] = wanted[part]
        self._painted |= new
        self._paints.write(in_place(pieces))

    def erase(self) -> None:
        if self._painted.any():
            self._painted[:] = False
            self._paints.rewrite(self._region)

    def free(self) -> None:
        self.motion.close()
        self.erase()

    def _open(self) -> Cells:
        """Return the cells that may be painted: not covered, and not on the screen's last line, which would scroll."""
        region = self._region
        found = np.ones((region.height, region.width), bool)
        found[max(0, self._board.app.size.height - 1 - region.y) :] = False
        for cover in self.covers:
            x, y, width, height = cover.intersection(region).translate((-region.x, -region.y))
            found[y : y + height, x : x + width] = False
        return found

    def _cut(self, cells: Cells) -> list[Region]:
        """Divide cells into rectangles no larger than the terminal's limit for a picture."""
        largest = self._paints.sixel.largest
        if largest is None:
            return _areas(cells)
        width, height = (max(1, most // length) for most, length in zip(largest, self._paints.cell, strict=True))
        return [
            area.intersection(Region(x, y, width, height))
            for area in _areas(cells)
            for y in range(area.y, area.bottom, height)
            for x in range(area.x, area.right, width)
        ]


def _joined(cells: Cells, can: Cells) -> Cells:
    """Return the rectangle around some cells if it is small and all of it can be painted, or else the cells."""
    rows, columns = np.flatnonzero(cells.any(axis=1)), np.flatnonzero(cells.any(axis=0))
    box = np.zeros_like(cells)
    box[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1] = True
    return box if box.mean() <= _SMALL and can[box].all() else cells


def _areas(cells: Cells) -> list[Region]:
    """Divide cells into rectangles: runs of columns, joined with equal runs in the rows below."""
    found: list[Region] = []
    growing: dict[tuple[int, int], int] = {}
    padded = np.zeros((len(cells), cells.shape[1] + 2), np.int8)
    padded[:, 1:-1] = cells
    steps = np.diff(padded, axis=1)
    for y, row in enumerate(steps):
        runs = list(zip(np.flatnonzero(row == 1).tolist(), np.flatnonzero(row == -1).tolist(), strict=True))
        found.extend(Region(x, top, end - x, y - top) for (x, end), top in growing.items() if (x, end) not in runs)
        growing = {run: growing.get(run, y) for run in runs}
    found.extend(Region(x, top, end - x, len(cells) - top) for (x, end), top in growing.items())
    return found


class Flat:
    """Draws boards as the window shows them, with labels and dimmed copies, in few colours.

    Args:
        cell: the size of a character in pixels.
        most: the maximum number of colours.

    Attributes:
        colours: the colours of the latest picture, shape ``(colours, 3)``.
        shaded: the same below a dialog.
    """

    def __init__(self, cell: Pixels, most: int) -> None:
        self._cell = cell
        self._most = most
        self._raster: Raster | None = None
        self._drawn_for: tuple[Palette, Pixels] | None = None
        self._period: tuple[Picture, Indices] | None = None
        self._look: Hashable = None
        self._canvas = np.zeros((0, 0), np.uint8)
        self._table = self._label_table = np.zeros((0, 0), np.uint8)
        self.colours = self.shaded = np.zeros((0, 3), np.uint8)

    def draw(self, view: BoardView, viewport: Viewport) -> Indices:
        """Draw a view through a viewport in pixels, as indices into :attr:`colours`."""
        look = view.shown, viewport, view.painted, view.lines.names
        if look != self._look:
            self._look, self._canvas = look, self._draw_anew(view, viewport)
        return self._canvas

    def _draw_anew(self, view: BoardView, viewport: Viewport) -> Indices:
        point = Pixels(*viewport.cell)
        raster = self._raster_of(view.painted, point)
        if self._period is None or self._period[0] != view.shown:
            self._period = view.shown, raster.draw(view.shown)
        period = self._period[1]
        margin = None if viewport.margin is None else (viewport.margin * point.width, viewport.margin * point.height)
        across = outside(viewport.width, viewport.bright_columns)
        down = outside(viewport.height, viewport.bright_rows)
        columns = (viewport.x + np.arange(viewport.width)) % viewport.period[0]
        rows = (viewport.y + np.arange(viewport.height)) % viewport.period[1]
        above, beside = HEADER * self._cell.height, GUTTER * self._cell.width
        canvas = np.full((above + viewport.height, beside + viewport.width), self._table[-1, 0], np.uint8)
        canvas[above:, beside:] = self._table[
            dimming_steps(across, down, margin, point), period[rows[:, None], columns]
        ]
        letters, numbers = label_texts(view.lines, view.shown.size)
        style = LabelStyle(point, self._cell, view.painted.frame, view.painted.bright.label)
        top, _colours = label_strip(letters, above, style, across=True)
        left, _colours = label_strip(numbers, beside, style, across=False)
        none = np.zeros(1, np.int64)
        top, left = top[:, columns], left[rows]
        begin, end = whole_labels(viewport.x, viewport.width, above, style, across=True)
        top[:, :begin] = top[:, end:] = 0
        begin, end = whole_labels(viewport.y, viewport.height, beside, style, across=False)
        left[:begin] = left[end:] = 0
        canvas[:above, beside:] = self._label_table[dimming_steps(across, none, margin, point), top]
        canvas[above:, :beside] = self._label_table[dimming_steps(none, down, margin, point), left]
        return canvas

    def _raster_of(self, palette: Palette, point: Pixels) -> Raster:
        if self._raster is None or self._drawn_for != (palette, point):
            self._raster, self._drawn_for, self._period = Raster(palette, point), (palette, point), None
            self._choose_colours(self._raster, palette)
        return self._raster

    def _choose_colours(self, raster: Raster, palette: Palette) -> None:
        """Choose the colours of the pictures, and the nearest one to each colour of the raster at each dimming step."""
        labels = np.array(
            [blend(palette.frame, palette.bright.label, shade / (_LABEL_SHADES - 1)) for shade in range(_LABEL_SHADES)]
        )
        board = dimmed(raster.colours, palette.dimming, palette.dimming_colours)
        names = dimmed(labels, NAMES_DIMMING, (palette.frame,) * len(NAMES_DIMMING))
        frame, bright = np.array(palette.frame), palette.bright
        # The wood falls off in steps that are not seen as rims, and the names stand on the colour of the frame itself.
        # Marks are too small to have a share in the choice.
        wood = np.bincount(raster.sample.ravel()).argmax()
        steps = np.linspace(0, STEPS, self._most // _FADE).astype(int)
        marks = (bright.liberty, bright.cursor, bright.last, bright.seam)[: self._most // _MARKED]
        kept = np.concatenate([board[steps, wood], np.array((palette.frame, *marks), np.uint8)])
        sample = np.concatenate([board[each, raster.sample][::2, ::2] for each in _SAMPLED], axis=1)
        count = self._most - len(kept)
        chosen = Image.fromarray(sample).quantize(count, Image.Quantize.MEDIANCUT, kmeans=2)
        self.colours = np.concatenate([kept, np.array(chosen.getpalette(), np.uint8).reshape(-1, 3)[:count]])
        self.shaded = np.rint(self.colours + (frame - self.colours.astype(int)) * SHADE).astype(np.uint8)
        self._table, self._label_table = (_nearest(each, self.colours) for each in (board, names))


def _nearest(wanted: Indices, colours: Indices) -> Indices:
    """Return the index of the nearest colour to each wanted one, of shape ``(…, 3)``."""
    off = wanted[..., None, :].astype(np.int32) - colours
    found: Indices = (off * off).sum(axis=-1).argmin(axis=-1).astype(np.uint8)
    return found


def encode(indices: Indices, colours: Indices) -> str:
    """Encode a picture as a Sixel sequence.

    Args:
        indices: the colour of each pixel, of shape ``(height, width)``.
        colours: red, green and blue of each colour, from 0 to 255, shape ``(colours, 3)``.
    """
    height, width = indices.shape
    bands = -(-height // _HEIGHT)
    used = np.zeros((bands, len(colours)), bool)
    rows = np.arange(height)
    used[(rows // _HEIGHT)[:, None], indices] = True
    # One line of sixels for each colour of a band: the bits are the six pixels of a column that have the colour.
    band, colour = np.nonzero(used)
    line_of = np.zeros(used.shape, np.int32)
    line_of[band, colour] = np.arange(len(band))
    sixels = np.zeros((len(band), width), np.uint8)
    across = np.arange(width)
    for down in range(_HEIGHT):
        pixels = indices[down::_HEIGHT]
        lines = line_of[np.arange(len(pixels))[:, None], pixels]
        sixels[lines, across] |= np.uint8(1 << down)
    percent = np.rint(colours.astype(np.float32) * (100 / 255)).astype(int)
    palette = "".join("#{};2;{};{};{}".format(each, *percent[each]) for each in np.flatnonzero(used.any(axis=0)))
    heads = [f"#{each}".encode() for each in range(len(colours))]
    # The lines of a band are drawn over each other ("$" returns to its left edge); "-" goes on to the next band. After
    # the last one it is left out, since it could scroll the screen.
    last = np.append(band[1:] != band[:-1], False)
    pieces = _runs(sixels, last)
    data = b"".join(piece for head, line in zip(colour.tolist(), pieces, strict=True) for piece in (heads[head], line))
    return f'\x1bP0;1;0q"1;1;{width};{height}{palette}{data.decode("ascii")}\x1b\\'


def _runs(sixels: Indices, last: Cells) -> list[bytes]:
    """Encode lines of sixels, longer runs of equal ones as repeat counts; ``last`` tells which lines end a band."""
    count, width = sixels.shape
    begins = np.ones((count, width), bool)
    begins[:, 1:] = sixels[:, 1:] != sixels[:, :-1]
    line, start = np.nonzero(begins)
    value = sixels[line, start]
    end = np.empty_like(start)
    end[:-1] = np.where(line[1:] == line[:-1], start[1:], width)
    end[-1:] = width
    # Empty sixels at the end of a line need not be written.
    kept = (value > 0) | (end < width)
    line, value, length = line[kept], value[kept], (end - start)[kept]
    digits = np.where(length > 999, 4, np.where(length > 99, 3, np.where(length > 9, 2, 1)))
    size = np.where(length > _SHORT, digits + 2, length)
    place = np.cumsum(size) - size
    text = np.empty(int(size.sum()), np.uint8)
    text[:] = np.repeat(value + 63, size)
    long = length > _SHORT
    text[place[long]] = ord("!")
    for power in range(4):
        of = long & (digits > power)
        text[place[of] + digits[of] - power] = ord("0") + length[of] // 10**power % 10
    written = text.tobytes()
    sizes = np.bincount(line, weights=size, minlength=count).astype(int)
    ends = np.cumsum(sizes)
    return [
        written[until - many : until] + (b"-" if closes else b"$")
        for until, many, closes in zip(ends.tolist(), sizes.tolist(), last.tolist(), strict=True)
    ]
