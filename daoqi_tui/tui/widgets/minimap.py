"""The whole board once, small and unmoving, with the outline of the window over it; a click goes there."""

from __future__ import annotations

from typing import Final

from rich.segment import Segment
from rich.style import Style as RichStyle
from textual import events
from textual.strip import Strip

from daoqi_tui.engine import Style, torus_of
from daoqi_tui.i18n import _
from daoqi_tui.tui.minimap import draw, fitting_scale, point_at, window_of
from daoqi_tui.tui.palette import KAYA, Palette
from daoqi_tui.tui.picture import Picture
from daoqi_tui.tui.pixel_strip import PixelStrip, packed
from daoqi_tui.tui.viewport import Viewport
from daoqi_tui.tui.widgets.board import BoardView
from daoqi_tui.tui.widgets.drawn import Drawn

_FEWEST_LINES: Final = 4
"""Below this the window's corners are named instead of drawn."""


class MinimapPane(Drawn):
    """Where the window stands on the whole board. A click or a drag brings a point into the middle of the window."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    MinimapPane { width: 1fr; height: 1fr; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's own name)
        super().__init__(id=id)
        self._shown: tuple[Picture, Viewport, Palette, bool, Style] | None = None
        self._strips: list[Strip] = []
        self._pressed = False
        self._board: BoardView | None = None
        self._style: Style = "daoqi"
        self._stones = " ●○"

    def follow(self, board: BoardView, style: Style) -> None:
        """Show what a board on the screen shows, from now on, points named in ``style``."""
        self._style = style
        if self._board is not board:
            self._board = board
            board.changed.subscribe(self, self._show_board, immediate=True)
        self._show_board(board)

    def _show_board(self, board: BoardView) -> None:
        if self.display:
            self._stones = f" {board.glyphs.black}{board.glyphs.white}"
            self.show(board.shown, board.viewport, board.palette, self._style, blocks=board.glyphs.blocks)

    def show(
        self,
        picture: Picture,
        viewport: Viewport,
        palette: Palette = KAYA,
        style: Style = "daoqi",
        *,
        blocks: bool = True,
    ) -> None:
        """Show a picture as the view has it turned, and where the window stands."""
        shown = picture, viewport, palette, blocks, style
        if shown != self._shown:
            self._shown = shown
            self._strips = []
            self.refresh()

    def on_show(self) -> None:
        """Take the room of the frame at its sides: a board of 16 is then twice as large."""
        if self.parent is not None:
            self.parent.set_class(True, "-flush")

    def on_hide(self) -> None:
        """Give it back."""
        if self.parent is not None:
            self.parent.set_class(False, "-flush")

    def on_resize(self) -> None:
        """Draw in the new size."""
        self._strips = []
        self.refresh()

    # Drawing

    def render_line(self, y: int) -> Strip:
        """Draw one line."""
        if not self._strips:
            self._strips = self._lines()
        return self._strips[y] if y < len(self._strips) else Strip.blank(self.size.width, self.rich_style)

    def _lines(self) -> list[Strip]:
        if self._shown is None:
            return []
        picture, viewport, palette, blocks, style = self._shown
        scale = self._scale(picture)
        if not scale:
            return self._words(viewport, style)
        if self.app.no_color:
            return self._signs(picture, viewport, scale)
        rows = draw(picture, viewport, scale, palette.bright, palette.frame)
        left, top = self._corner(picture, scale)
        sky = packed(palette.frame)
        lines = [
            [sky] * left + [packed(colour) for colour in row] + [sky] * (self.size.width - left - len(row))
            for row in rows
        ]
        lines = [[sky] * self.size.width] * top + lines
        lines += [[sky] * self.size.width] * (2 * self.size.height - len(lines))
        return [PixelStrip(*pair, blocks=blocks) for pair in zip(lines[::2], lines[1::2], strict=True)]

    def _signs(self, picture: Picture, viewport: Viewport, scale: int) -> list[Strip]:
        """The map without colours: a character a point, and inside the window dots where no stone stands."""
        across, down = (
            {place % picture.size for place in range(span.start, span.end)} for span in window_of(viewport, 1)
        )
        gap = " " * (scale > 1)
        lines = []
        for row in range(picture.size):
            signs = [
                self._stones[colour]
                if (colour := picture.stones[row * picture.size + column])
                else "·"
                if row in down and column in across
                else " "
                for column in range(picture.size)
            ]
            lines.append(Strip([Segment(gap.join(signs).center(self.size.width))], self.size.width))
        return lines[: self.size.height]

    def _scale(self, picture: Picture) -> int:
        if self.size.height < _FEWEST_LINES:
            return 0
        return fitting_scale(picture.size, self.size.width, 2 * self.size.height)

    def _corner(self, picture: Picture, scale: int) -> tuple[int, int]:
        """Where the map begins, in pixels."""
        length = picture.size * scale
        return (self.size.width - length) // 2, min(2, 2 * self.size.height - length)

    def _words(self, viewport: Viewport, style: Style) -> list[Strip]:
        """Name the first and the last point in the window."""
        torus, across, along = torus_of(viewport.size), viewport.bright_columns, viewport.bright_rows
        names = []
        for x, y in ((across.start, along.start), (across.end - 1, along.end - 1)):
            shown = viewport.row_at(y)[0], viewport.column_at(x)[0]
            names.append(torus.name(torus.point(*viewport.orientation.board(viewport.size, *shown)), style))
        dim = self.rich_style + RichStyle(dim=True)
        lines = [Strip([Segment(_("Window"), dim)]), Strip([Segment(" – ".join(names), self.rich_style)])]
        return [line.adjust_cell_length(self.size.width, self.rich_style) for line in lines]

    # The mouse

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Go where the mouse points."""
        event.stop()
        if event.button == 1:
            self.capture_mouse()
            self._pressed = True
            self._go(event)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Follow the mouse while it is pressed."""
        event.stop()
        if self._pressed:
            self._go(event)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Let go."""
        event.stop()
        if self._pressed:
            self.release_mouse()
            self._pressed = False

    def _go(self, event: events.MouseEvent) -> None:
        if self._shown is None:
            return
        picture, viewport, *_look = self._shown
        scale = self._scale(picture)
        if not scale:
            return
        left, top = self._corner(picture, scale)
        shown = point_at(picture.size, scale, event.x - left, 2 * event.y + 1 - top)
        point = torus_of(picture.size).point(*viewport.orientation.board(picture.size, *shown))
        self.post_message(BoardView.PointRecentred(point))
