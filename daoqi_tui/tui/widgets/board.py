"""The endless board as a widget: draws a picture through a viewport, and tells what the person points at.

Panning must be cheap enough to follow a mouse at full speed, also over ssh. So a line is painted once a period,
composed once for each horizontal place, and handed to the compositor as the same cached strip for as long as
the row looks that way, and again when it comes to look that way again.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Final

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.filter import ANSIToTruecolor, NoColor
from textual.geometry import Region, Size
from textual.message import Message
from textual.signal import Signal
from textual.strip import Strip

from daoqi_tui.engine import STYLES, torus_of
from daoqi_tui.engine import Style as NameStyle
from daoqi_tui.tui.ascii_filter import AsciiFilter
from daoqi_tui.tui.compact_strip import CompactStrip
from daoqi_tui.tui.glyphs import DISCS, Glyphs
from daoqi_tui.tui.painter import Ink, Line, paint
from daoqi_tui.tui.palette import KAYA, Palette, plain_style, style_of
from daoqi_tui.tui.picture import Picture
from daoqi_tui.tui.turned_picture import turned
from daoqi_tui.tui.viewport import CELLS, Cell, Viewport
from daoqi_tui.tui.widgets.drawn import Drawn

GUTTER: Final = 3
"""Columns left of the board for the row labels."""
HEADER: Final = 1
"""Lines above the board for the column labels."""
_MOST_STRIPS: Final = 2400
_GRID: Final = ("line", "seam")
_NEEDLESS_FILTERS: Final = (ANSIToTruecolor, NoColor, AsciiFilter)
_LABELS: Final = -1
_NOTHING: Final = -2
"""Stand for a board row where a line of the widget shows the column labels, or nothing."""


class BoardView(Drawn):
    """A window over the endless board."""

    ALLOW_SELECT = False
    # Its colours are true ones, or none, and its characters those of the set that was chosen.
    NEEDLESS_FILTERS = _NEEDLESS_FILTERS
    DEFAULT_CSS = """
    BoardView { width: 1fr; height: 1fr; }
    """

    @dataclass
    class PointChosen(Message):
        """A point was clicked."""

        point: int

    @dataclass
    class PointRecentred(Message):
        """A point was clicked with the right button, to be brought into the middle."""

        point: int

    @dataclass
    class PointHovered(Message):
        """The mouse moved to another point, or away from the board (None)."""

        point: int | None

        def can_replace(self, message: Message) -> bool:
            """Let a later hover replace one still waiting."""
            return isinstance(message, BoardView.PointHovered)

    class Resized(Message):
        """The window over the board has another size, and the viewport is fitted to it."""

    class Panned(Message):
        """The view was panned by mouse."""

        def can_replace(self, message: Message) -> bool:
            """Let a later pan replace one still waiting."""
            return isinstance(message, BoardView.Panned)

    def __init__(self, size: int, *, id: str | None = None) -> None:  # noqa: A002 (Textual's own name)
        super().__init__(id=id)
        self._picture = self._shown = Picture(size, bytes(size * size))
        """What the board holds, and the same as the view has it when it is turned."""
        self._palette: Palette = KAYA
        self._glyphs: Glyphs = DISCS
        self._name_style: NameStyle = STYLES[0]
        self._cell: Cell | None = None
        self._viewport = Viewport(size, CELLS[0], 1, 1)
        self._moved = False
        """Whether the window has been moved; until then it stays at the origin, whatever its size."""
        self._signatures = self._picture.row_signatures()
        self._lines: dict[tuple[Hashable, int], Line] = {}
        self._strips: dict[tuple[Hashable, int, bool, int], Strip] = {}
        self._styles: dict[tuple[bool, Ink], Style] = {}
        self._pressed_at: tuple[int, int] | None = None
        self._dragging = False
        self._hovered: int | None = None
        self.changed: Signal[BoardView] = Signal(self, "changed")
        """Tells other views of the same board that the picture, the window or the look changed."""

    # What is shown

    @property
    def shown(self) -> Picture:
        """The picture as the view has it turned."""
        return self._shown

    @property
    def palette(self) -> Palette:
        """The colours it is drawn in."""
        return self._palette

    @property
    def glyphs(self) -> Glyphs:
        """The characters it is drawn with."""
        return self._glyphs

    @property
    def picture(self) -> Picture:
        """What is drawn now."""
        return self._picture

    @property
    def viewport(self) -> Viewport:
        """Where the window stands."""
        return self._viewport

    def show_picture(self, picture: Picture) -> None:
        """Draw another picture; only the rows that differ are drawn anew."""
        before = self._picture
        if picture == before:
            return
        self._picture = picture
        if picture.size != before.size:
            self._moved = False
            self._viewport = self._viewport._replace(size=picture.size).at_origin()
            self._show_turned()
            self._fit(self.size)
            self.redraw()
            self.changed.publish(self)
            return
        known = self._signatures
        self._show_turned()
        rows = {row for row, pair in enumerate(zip(self._signatures, known, strict=True)) if pair[0] != pair[1]}
        viewport = self._viewport
        dirty = [y for y in range(viewport.height) if viewport.row_at(y)[0] in rows]
        if dirty:
            self.refresh(*(Region(0, y + HEADER, self.size.width, 1) for y in dirty))
        self.changed.publish(self)

    def _show_turned(self) -> None:
        """Lay the picture out as the view has it."""
        self._shown = turned(self._picture, self._viewport.orientation)
        self._signatures = self._shown.row_signatures()

    def redraw(self) -> None:
        """Draw everything anew, after a change of look."""
        self._lines.clear()
        self._strips.clear()
        self._styles.clear()
        self.refresh()

    def set_viewport(self, viewport: Viewport) -> None:
        """Move the window over the board."""
        if viewport == self._viewport:
            return
        before = self._viewport
        self._viewport = viewport
        if (viewport.cell, viewport.margin) != (before.cell, before.margin):
            self._lines.clear()
            self._strips.clear()
        if viewport.orientation != before.orientation:
            self._lines.clear()
            self._strips.clear()
            self._show_turned()
        self._moved = viewport != viewport.at_origin()
        self.refresh()
        self.changed.publish(self)

    def set_look(
        self,
        *,
        palette: Palette | None = None,
        glyphs: Glyphs | None = None,
        name_style: NameStyle | None = None,
    ) -> None:
        """Change how the board is drawn; what is not given stays."""
        self._palette = palette or self._palette
        self._glyphs = glyphs or self._glyphs
        self._name_style = name_style or self._name_style
        self.redraw()
        self.changed.publish(self)

    def set_cell(self, cell: Cell | None) -> None:
        """Draw points in cells of one size; None takes the largest that shows a whole period."""
        self._cell = cell
        self.set_viewport(self._viewport.with_cell(cell or self._best_cell(self.size)))

    # Size

    def on_resize(self, event: events.Resize) -> None:
        """Keep the middle of the window where it was."""
        self._fit(event.size)
        self.post_message(self.Resized())

    def _fit(self, size: Size) -> None:
        width, height = max(1, size.width - GUTTER), max(1, size.height - HEADER)
        self._lines.clear()
        self._strips.clear()
        cell = self._cell or self._best_cell(size)
        if not self._moved:
            self._viewport = self._viewport._replace(width=width, height=height, cell=cell).at_origin()
        else:
            viewport = self._viewport.resized(width, height)
            self._viewport = viewport if viewport.cell == cell else viewport.with_cell(cell)
        self.refresh()
        self.changed.publish(self)

    def _best_cell(self, size: Size) -> Cell:
        length = self._picture.size
        fitting = [
            cell
            for cell in CELLS
            if cell.width * length <= size.width - GUTTER and cell.height * length <= size.height - HEADER
        ]
        return fitting[-1] if fitting else CELLS[0]

    # Drawing

    def render_line(self, y: int) -> Strip:
        """Draw one line of the widget."""
        viewport = self._viewport
        y -= HEADER
        row, line, bright = _LABELS, 0, False
        if y >= 0:
            row, line = viewport.row_at(y)
            bright = y in viewport.bright_rows
            if y not in viewport.shown_rows:
                row, line = _NOTHING, 0
        key = (self._signatures[row] if row >= 0 else row, line, bright, viewport.x)
        strip = self._strips.get(key)
        if strip is None:
            if len(self._strips) >= _MOST_STRIPS:
                self._strips.clear()
                self._lines.clear()
            strip = self._strips[key] = self._compose_line(row, line, bright)
        return strip

    def _compose_line(self, row: int, line: int, bright: bool) -> Strip:
        """Put a widget line together from the label, the copies and the bright period."""
        viewport = self._viewport
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
            painted = self._lines[key] = paint(self._shown, viewport.cell, self._glyphs, row, line)
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

    def _run(self, painted: Line, start: int, end: int, bright: bool) -> Iterable[Segment]:
        """Segments for the window columns from ``start`` to ``end``, characters of one ink joined."""
        characters, inks = painted
        period = len(characters)
        # Without colours the copies are told by their bare ground.
        hidden = self._palette.plain and not bright
        text: list[str] = []
        current: Ink | None = None
        for place in range(self._viewport.x + start, self._viewport.x + end):
            place %= period
            ink = inks[place]
            if ink is not current and ink != current:
                if current is not None:
                    yield Segment("".join(text), self._style(bright, current))
                    text = []
                current = ink
            text.append(" " if hidden and ink[0] in _GRID else characters[place])
        if current is not None:
            yield Segment("".join(text), self._style(bright, current))

    def _style(self, bright: bool, ink: Ink) -> Style:
        style = self._styles.get((bright, ink))
        if style is None:
            shades = self._palette.bright if bright else self._palette.dim
            foreground, background, bold, underline = ink
            if self._palette.plain:
                style = plain_style(foreground, background, bold, underline, bright)
            else:
                style = style_of(getattr(shades, foreground), getattr(shades, background), bold, underline)
            self._styles[bright, ink] = style
        return style

    @property
    def _frame_style(self) -> Style:
        if self._palette.plain:
            return plain_style("label", "board", False, False, True)
        return style_of(self._palette.dim.label, self._palette.frame)

    def _label_style(self, bright: bool) -> Style:
        if self._palette.plain:
            return plain_style("label", "board", False, False, bright)
        shades = self._palette.bright if bright else self._palette.dim
        return style_of(shades.label, self._palette.frame)

    def _row_label(self, row: int, line: int) -> str:
        if row < 0 or line != self._viewport.cell.middle[1]:
            return " " * GUTTER
        return f"{self._label_of(row, 0, across=False):>{GUTTER - 1}} "

    def _label_of(self, row: int, column: int, *, across: bool) -> str:
        """The letter or number of a shown row, or of a shown column (``across``)."""
        size, orientation = self._picture.size, self._viewport.orientation
        torus = torus_of(size)
        name = torus.name(torus.point(*orientation.board(size, row, column)), self._name_style)
        return name[0] if across != orientation.swapped else name[1:]

    def _column_labels(self) -> list[Segment]:
        viewport = self._viewport
        bright, shown, cell = viewport.bright_columns, viewport.shown_columns, viewport.cell
        labels = [self._label_of(0, column, across=True) for column in range(viewport.size)]
        if cell.width == CELLS[0].width and any(len(label) > 1 for label in labels):
            # Numbers of two digits would run together: every other one is enough.
            labels = ["" if label.isdecimal() and int(label) % 2 else label for label in labels]
        segments = []
        for x in range(viewport.width):
            column, place = viewport.column_at(x)
            letter = labels[column][place - cell.middle[0] :][:1] if place >= cell.middle[0] else ""
            letter = letter or " "
            if x not in shown:
                letter = " "
            segments.append(Segment(letter, self._label_style(x in bright)))
        return segments

    # The mouse

    def _point_at(self, event: events.MouseEvent) -> int | None:
        place = self._viewport.point_at(event.x - GUTTER, event.y - HEADER)
        if event.x < GUTTER or event.y < HEADER or place is None:
            return None
        return torus_of(self._picture.size).point(*place)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Begin a click or a drag."""
        event.stop()
        if event.button == 1:
            self.capture_mouse()
            self._pressed_at = event.screen_x, event.screen_y
            self._dragging = False

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Pan while dragging; otherwise tell what point the mouse is over."""
        event.stop()
        if self._pressed_at is None:
            self._hover(self._point_at(event))
            return
        x, y = event.screen_x, event.screen_y
        right, down = self._pressed_at[0] - x, self._pressed_at[1] - y
        if right or down:
            if not self._dragging:
                self._dragging = True
                self._hover(None)
            self._pressed_at = x, y
            self.set_viewport(self._viewport.pan(right, down))
            self.post_message(self.Panned())

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """End a drag, or a click: a press that did not move."""
        event.stop()
        pressed, dragged = self._pressed_at is not None, self._dragging
        if pressed:
            self.release_mouse()
        self._pressed_at, self._dragging = None, False
        point = self._point_at(event)
        if point is None or dragged:
            return
        if event.button == 3:
            self.post_message(self.PointRecentred(point))
        elif pressed:
            self.post_message(self.PointChosen(point))

    def let_go(self) -> None:
        """Forget a press whose release will not be heard, as when a dialog opens meanwhile."""
        if self._pressed_at is not None:
            self.release_mouse()
        self._pressed_at, self._dragging = None, False

    def on_leave(self) -> None:
        """Forget what the mouse was over."""
        self._hover(None)

    def _hover(self, point: int | None) -> None:
        if point != self._hovered:
            self._hovered = point
            self.post_message(self.PointHovered(point))

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Pan with the wheel; with shift sideways."""
        self._scroll(event, -1, sideways=event.shift)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Pan with the wheel; with shift sideways."""
        self._scroll(event, 1, sideways=event.shift)

    def on_mouse_scroll_left(self, event: events.MouseScrollLeft) -> None:
        """Pan with a wheel that tilts."""
        self._scroll(event, -1, sideways=True)

    def on_mouse_scroll_right(self, event: events.MouseScrollRight) -> None:
        """Pan with a wheel that tilts."""
        self._scroll(event, 1, sideways=True)

    def _scroll(self, event: events.MouseEvent, step: int, *, sideways: bool) -> None:
        event.stop()
        self.set_viewport(self._viewport.pan_points(step, 0) if sideways else self._viewport.pan_points(0, step))
        self.post_message(self.Panned())
