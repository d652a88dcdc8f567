"""The endless board as a widget: draws a picture through a viewport, and tells what the person points at.

Panning must be cheap enough to follow a mouse at full speed, also over ssh. So :class:`BoardLines` keeps its
lines, and they go to the compositor as they are.
"""

from __future__ import annotations

from typing import Final

from textual import events
from textual.filter import ANSIToTruecolor, NoColor
from textual.geometry import Region, Size
from textual.message import Message
from textual.signal import Signal
from textual.strip import Strip

from daoqi_tui.engine import Style as NameStyle
from daoqi_tui.tui.ascii_filter import AsciiFilter
from daoqi_tui.tui.board_lines import GUTTER, HEADER, BoardLines
from daoqi_tui.tui.glyphs import Glyphs
from daoqi_tui.tui.palette import Palette
from daoqi_tui.tui.picture import Picture
from daoqi_tui.tui.turned_picture import turned
from daoqi_tui.tui.viewport import CELLS, Cell, Viewport
from daoqi_tui.tui.widgets.pointed_board import PointedBoard

_NEEDLESS_FILTERS: Final = (ANSIToTruecolor, NoColor, AsciiFilter)


class BoardView(PointedBoard):
    """A window over the endless board."""

    ALLOW_SELECT = False
    # Its colours are true ones, or none, and its characters those of the set that was chosen.
    NEEDLESS_FILTERS = _NEEDLESS_FILTERS
    DEFAULT_CSS = """
    BoardView { width: 1fr; height: 1fr; }
    """

    class Resized(Message):
        """The window over the board has another size, and the viewport is fitted to it."""

    def __init__(self, size: int, *, id: str | None = None) -> None:  # noqa: A002 (Textual's own name)
        super().__init__(id=id)
        self._picture = Picture(size, bytes(size * size))
        self._lines: Final = BoardLines(self._picture, Viewport(size, CELLS[0], 1, 1))
        self._cell: Cell | None = None
        self._moved = False
        """Whether the window has been moved; until then it stays at the origin, whatever its size."""
        self.changed: Signal[BoardView] = Signal(self, "changed")
        """Tells other views of the same board that the picture, the window or the look changed."""

    # What is shown

    @property
    def shown(self) -> Picture:
        """The picture as the view has it turned."""
        return self._lines.shown

    @property
    def palette(self) -> Palette:
        """The colours it is drawn in."""
        return self._lines.palette

    @property
    def glyphs(self) -> Glyphs:
        """The characters it is drawn with."""
        return self._lines.glyphs

    @property
    def picture(self) -> Picture:
        """What is drawn now."""
        return self._picture

    @property
    def viewport(self) -> Viewport:
        """Where the window stands."""
        return self._lines.viewport

    def show_picture(self, picture: Picture) -> None:
        """Draw another picture; only the rows that differ are drawn anew."""
        before = self._picture
        if picture == before:
            return
        self._picture = picture
        lines = self._lines
        if picture.size != before.size:
            self._moved = False
            lines.viewport = lines.viewport._replace(size=picture.size).at_origin()
            self._show_turned()
            self._fit(self.size)
            self.redraw()
            self.changed.publish(self)
            return
        dirty = self._show_turned()
        if dirty:
            self.refresh(*(Region(0, y + HEADER, self.size.width, 1) for y in dirty))
        self.changed.publish(self)

    def _show_turned(self) -> list[int]:
        """Lay the picture out as the view has it; returns the lines that differ."""
        return self._lines.show(turned(self._picture, self.viewport.orientation))

    def redraw(self) -> None:
        """Draw everything anew, after a change of look."""
        self._lines.forget_styles()
        self.refresh()

    def set_viewport(self, viewport: Viewport) -> None:
        """Move the window over the board."""
        before = self.viewport
        if viewport == before:
            return
        self._lines.viewport = viewport
        if (viewport.cell, viewport.margin, viewport.orientation) != (before.cell, before.margin, before.orientation):
            self._lines.forget()
        if viewport.orientation != before.orientation:
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
        lines = self._lines
        lines.palette = palette or lines.palette
        lines.glyphs = glyphs or lines.glyphs
        lines.names = name_style or lines.names
        self.redraw()
        self.changed.publish(self)

    def render_line(self, y: int) -> Strip:
        """Draw one line of the widget."""
        return self._lines.strip(y)

    def set_cell(self, cell: Cell | None) -> None:
        """Draw points in cells of one size; None takes the largest that shows a whole period."""
        self._cell = cell
        self.set_viewport(self.viewport.with_cell(cell or self._best_cell(self.size)))

    # Size

    def on_resize(self, event: events.Resize) -> None:
        """Keep the middle of the window where it was."""
        self._fit(event.size)
        self.post_message(self.Resized())

    def _fit(self, size: Size) -> None:
        width, height = max(1, size.width - GUTTER), max(1, size.height - HEADER)
        lines = self._lines
        lines.forget()
        cell = self._cell or self._best_cell(size)
        if not self._moved:
            lines.viewport = lines.viewport._replace(width=width, height=height, cell=cell).at_origin()
        else:
            viewport = lines.viewport.resized(width, height)
            lines.viewport = viewport if viewport.cell == cell else viewport.with_cell(cell)
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
