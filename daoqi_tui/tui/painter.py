"""Draws one period of a board line as characters and inks; the widget repeats, shades and crops it.

Small cells hold one sign a point. Larger cells hold stones made of square pixels, two to a character, where
colours tell black from white (see :mod:`daoqi_tui.tui.pixels`), and figures of characters where shapes have to.
"""

from __future__ import annotations

from daoqi_tui.tui.glyph_painter import GlyphLine
from daoqi_tui.tui.glyphs import Glyphs
from daoqi_tui.tui.line_painter import NOBODY, Ink, Line
from daoqi_tui.tui.picture import Picture
from daoqi_tui.tui.pixel_painter import PixelLine, ShapeLine
from daoqi_tui.tui.viewport import Cell

__all__ = ["NOBODY", "Ink", "Line", "paint"]


def paint(picture: Picture, cell: Cell, glyphs: Glyphs, row: int, line: int) -> Line:
    """Draw line ``line`` of the cells of board row ``row``."""
    if cell.height in glyphs.pixels:
        return PixelLine(picture, cell, glyphs, row, line).painted()
    if glyphs.blocks and cell.height in glyphs.figures:
        return ShapeLine(picture, cell, glyphs, row, line).painted()
    return GlyphLine(picture, cell, glyphs, row, line).painted()
