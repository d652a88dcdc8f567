"""The lines of a window over the endless board, cached by their appearance.

One period of a line is painted once, and composed into the line of the window once for each horizontal offset. Both are
cached by the appearance of the board row, so that they are reused when a row looks the same again.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import lru_cache
from itertools import groupby
from typing import Final

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from daoqi_tui.engine import STYLES, torus_of
from daoqi_tui.engine import Style as NameStyle
from daoqi_tui.pictures.palettes import KAYA, Palette
from daoqi_tui.pictures.picture import Picture
from daoqi_tui.tui.board.paint import Ink, PaintedLine, paint
from daoqi_tui.tui.board.strips import CompactStrip
from daoqi_tui.tui.board.viewport import CELLS, Viewport
from daoqi_tui.tui.look.glyphs import DISCS, Glyphs
from daoqi_tui.tui.look.text import plain_style, style_of

GUTTER: Final = 3
"""Columns left of the board for the row labels."""
HEADER: Final = 1
"""Lines above the board for the column labels."""
_MOST_STRIPS: Final = 2400
_GRID: Final = ("line", "seam")
_LABELS: Final = -1
_NOTHING: Final = -2
"""Used in place of a board row for lines of the window that show the column labels, or nothing."""


class BoardLines:
    """The lines of a window with their labels, as strips.

    Attributes:
        palette, glyphs, names: the colours, characters and notation of points; call :meth:`forget_styles` after a
            change.
    """

    def __init__(self, picture: Picture, viewport: Viewport) -> None:
        self.viewport = viewport
        self.palette: Palette = KAYA
        self.glyphs: Glyphs = DISCS
        self.names: NameStyle = STYLES[0]
        self._shown = picture
        self._signatures = picture.row_signatures()
        self._lines: dict[tuple[Hashable, int], PaintedLine] = {}
        self._strips: dict[tuple[Hashable, int, bool, int], Strip] = {}
        self._styles: dict[tuple[bool, Ink], Style] = {}
        self.bare = False
        """True if the terminal shows the board as a picture, so that the lines are left empty."""

    @property
    def viewport(self) -> Viewport:
        """The window; call :meth:`forget` after any change but a pan."""
        return self._viewport

    @viewport.setter
    def viewport(self, viewport: Viewport) -> None:
        self._viewport = viewport
        # Stored, since each line needs them.
        self._shown_rows, self._bright_rows = viewport.shown_rows, viewport.bright_rows

    @property
    def shown(self) -> Picture:
        """The picture in the orientation of the view."""
        return self._shown

    def show(self, picture: Picture) -> list[int]:
        """Show another picture; return the lines of the window that have changed, not counting the column labels."""
        known = self._signatures
        self._shown = picture
        self._signatures = picture.row_signatures()
        if len(known) != len(self._signatures):
            return list(range(self.viewport.height))
        rows = {row for row, pair in enumerate(zip(self._signatures, known, strict=True)) if pair[0] != pair[1]}
        return [y for y in range(self.viewport.height) if self.viewport.row_at(y)[0] in rows]

    def forget(self) -> None:
        """Redraw every line."""
        self._lines.clear()
        self._strips.clear()

    def forget_styles(self) -> None:
        """Redraw every line, in other colours or characters."""
        self.forget()
        self._styles.clear()

    def strip(self, y: int) -> Strip:
        """Return line ``y`` of the widget; the column labels are the first."""
        if self.bare:
            return _bare(GUTTER + self.viewport.width)
        viewport = self.viewport
        y -= HEADER
        row, line, bright = _LABELS, 0, False
        if y >= 0:
            row, line = viewport.row_at(y)
            bright = y in self._bright_rows
            if y not in self._shown_rows:
                row, line = _NOTHING, 0
        key = (self._signatures[row] if row >= 0 else row, line, bright, viewport.x)
        strip = self._strips.get(key)
        if strip is None:
            if len(self._strips) >= _MOST_STRIPS:
                self.forget()
            strip = self._strips[key] = self._compose_line(row, line, bright)
        return strip

    def _compose_line(self, row: int, line: int, bright: bool) -> Strip:
        """Compose a line of the widget from the label, the copies and the bright period."""
        viewport = self.viewport
        frame = self._frame_style
        width = viewport.width
        if row == _NOTHING:
            return CompactStrip([Segment(" " * (width + GUTTER), frame)], width + GUTTER)
        segments = [Segment(self._row_label(row, line), self._label_style(bright))]
        if row == _LABELS:
            return CompactStrip(segments + self._column_labels(), width + GUTTER)
        key = (self._signatures[row], line)
        painted = self._lines.get(key)
        if painted is None:
            painted = self._lines[key] = paint(self._shown, viewport.cell, self.glyphs, row, line)
        shown, middle = viewport.shown_columns, viewport.bright_columns
        if shown.start:
            segments.append(Segment(" " * shown.start, frame))
        if bright:
            segments.extend(self._run(painted, shown.start, middle.start, False))
            segments.extend(self._run(painted, middle.start, middle.end, True))
            segments.extend(self._run(painted, middle.end, shown.end, False))
        else:
            segments.extend(self._run(painted, shown.start, shown.end, False))
        if shown.end < width:
            segments.append(Segment(" " * (width - shown.end), frame))
        return CompactStrip(segments, width + GUTTER)

    def _run(self, painted: PaintedLine, start: int, end: int, bright: bool) -> Iterable[Segment]:
        """Yield segments for the window columns from ``start`` to ``end``, joining characters of the same ink."""
        characters, inks = painted
        period = len(characters)
        # Without colours, the copies differ by showing only the crossings of the grid.
        hidden = self.palette.plain and not bright
        cross = self.glyphs.cross
        places = (place % period for place in range(self.viewport.x + start, self.viewport.x + end))
        for ink, run in groupby(places, inks.__getitem__):
            text = "".join([characters[place] for place in run])
            if hidden and ink[0] in _GRID:
                text = "".join([character if character == cross else " " for character in text])
            yield Segment(text, self._style(bright, ink))

    def _style(self, bright: bool, ink: Ink) -> Style:
        style = self._styles.get((bright, ink))
        if style is None:
            shades = self.palette.bright if bright else self.palette.dim
            foreground, background, bold, underline = ink
            if self.palette.plain:
                style = plain_style(foreground, background, bold, underline, bright)
            else:
                written, ground = getattr(shades, foreground), getattr(shades, background)
                if written == ground:
                    # In sixteen colours a white ring has the same colour as the ground of a refused play.
                    written = shades.on_refused
                style = style_of(written, ground, bold, underline)
            self._styles[bright, ink] = style
        return style

    @property
    def _frame_style(self) -> Style:
        if self.palette.plain:
            return plain_style("label", "board", False, False, True)
        return style_of(self.palette.dim.label, self.palette.frame)

    def _label_style(self, bright: bool) -> Style:
        if self.palette.plain:
            return plain_style("label", "board", False, False, bright)
        shades = self.palette.bright if bright else self.palette.dim
        return style_of(shades.label, self.palette.frame)

    def _row_label(self, row: int, line: int) -> str:
        if row < 0 or line != self.viewport.cell.middle[1]:
            return " " * GUTTER
        return f"{self.label_of(row, 0, across=False):>{GUTTER - 1}} "

    def label_of(self, row: int, column: int, *, across: bool) -> str:
        """Return the letter or number of a shown column (``across``), or of a shown row."""
        size, orientation = self._shown.size, self.viewport.orientation
        torus = torus_of(size)
        name = torus.name(torus.point(*orientation.board(size, row, column)), self.names)
        return name[0] if across != orientation.swapped else name[1:]

    def _column_labels(self) -> list[Segment]:
        viewport = self.viewport
        bright, shown, cell = viewport.bright_columns, viewport.shown_columns, viewport.cell
        labels = [self.label_of(0, column, across=True) for column in range(viewport.size)]
        if cell.width == CELLS[0].width and any(len(label) > 1 for label in labels):
            # Numbers of two digits would run together, so only every other one is shown.
            labels = ["" if label.isdecimal() and int(label) % 2 else label for label in labels]
        segments = []
        for in_bright, run in groupby(range(viewport.width), bright.__contains__):
            letters = []
            for x in run:
                column, place = viewport.column_at(x)
                letter = labels[column][place - cell.middle[0] :][:1] if place >= cell.middle[0] else ""
                letters.append(letter if letter and x in shown else " ")
            segments.append(Segment("".join(letters), self._label_style(in_bright)))
        return segments


@lru_cache(maxsize=4)
def _bare(width: int) -> Strip:
    """Return a line without colours, through which a picture is visible."""
    return CompactStrip([Segment(" " * width, Style.null())], width)
