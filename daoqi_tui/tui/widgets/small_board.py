"""A small, still picture of a position."""

from __future__ import annotations

from math import isqrt

from textual.strip import Strip
from textual.widget import Widget

from daoqi_tui.tui.minimap import board_pixels, fitting_scale
from daoqi_tui.tui.palette import KAYA, RGB, Palette
from daoqi_tui.tui.pixel_strip import PixelStrip, packed


class SmallBoard(Widget):
    """Draws stones as square pixels, as large as they fit."""

    DEFAULT_CSS = """
    SmallBoard { width: 1fr; height: 1fr; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's own name)
        super().__init__(id=id)
        self._stones = b""
        self._last: int | None = None
        self._palette: Palette = KAYA
        self._strips: list[Strip] | None = None

    def show(self, stones: bytes, last: int | None = None, palette: Palette = KAYA) -> None:
        """Show the colour of each point of a square board, nothing for no points."""
        self._stones, self._last, self._palette = stones, last, palette
        self._strips = None
        self.refresh()

    def on_resize(self) -> None:
        """Use the new room."""
        self._strips = None

    def render_line(self, y: int) -> Strip:
        """Draw two rows of pixels."""
        if self._strips is None:
            self._strips = list(self._draw())
        blank = Strip.blank(self.size.width, self.rich_style)
        return self._strips[y] if y < len(self._strips) else blank

    def _draw(self) -> list[Strip]:
        width, height = self.size
        side = isqrt(len(self._stones))
        scale = fitting_scale(side, width, 2 * height) if side else 0
        if not scale:
            return []
        rows = [[packed(colour) for colour in row] for row in self._pixels(scale)]
        if len(rows) % 2:
            rows.append([packed(self._palette.frame)] * (side * scale))
        left = (width - side * scale) // 2
        strips = []
        for upper, lower in zip(rows[::2], rows[1::2], strict=True):
            padding = Strip.blank(left, self.rich_style)
            rest = Strip.blank(width - left - side * scale, self.rich_style)
            strips.append(Strip.join([padding, PixelStrip(upper, lower), rest]))
        return strips

    def _pixels(self, scale: int) -> list[tuple[RGB, ...]]:
        return list(board_pixels(self._stones, self._last, scale, self._palette.bright))
