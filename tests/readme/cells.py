"""Pictures of a terminal window, drawn cell by cell.

Block and line characters are drawn as shapes, not with a font, so that they meet at the edges of their cells as they
do in a terminal. Everything else is DejaVu Sans Mono (Debian: ``fonts-dejavu-core``), and for double-width characters
the first of `_WIDE_FONTS` that is installed (Debian: ``fonts-noto-cjk`` or ``fonts-droid-fallback``; the wheel
``mplfonts`` on PyPI contains the second).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Final

from PIL import Image, ImageDraw, ImageFont
from rich.cells import cell_len
from rich.color import Color
from rich.segment import Segment
from rich.style import Style

WIDTH: Final = 20
HEIGHT: Final = 40
"""The size of a cell in pixels."""
_BASELINE: Final = 30
"""Pixels from the top of a cell to the baseline, for every font."""
_THIN: Final = 2
_WIDE_FONTS: Final = ("NotoSansCJK-Regular.ttc", "NotoSansCJKsc-Regular.otf", "DroidSansFallbackFull.ttf")
_PAPER: Final = (24, 20, 15)
_PEN: Final = (224, 224, 224)

# Left, top, right, bottom, in eighths of the cell.
BLOCKS: Final[Mapping[str, tuple[tuple[int, int, int, int], ...]]] = {
    "█": ((0, 0, 8, 8),),
    "▀": ((0, 0, 8, 4),),
    "▄": ((0, 4, 8, 8),),
    "▂": ((0, 6, 8, 8),),
    "▃": ((0, 5, 8, 8),),
    "▅": ((0, 3, 8, 8),),
    "▆": ((0, 2, 8, 8),),
    "▌": ((0, 0, 4, 8),),
    "▐": ((4, 0, 8, 8),),
    "▘": ((0, 0, 4, 4),),
    "▝": ((4, 0, 8, 4),),
    "▖": ((0, 4, 4, 8),),
    "▗": ((4, 4, 8, 8),),
    "▏": ((0, 0, 1, 8),),
    "▕": ((7, 0, 8, 8),),
}
# The sides that a line reaches from the middle of the cell; corners are rounded.
LINES: Final[Mapping[str, str]] = {
    "─": "left right",
    "│": "up down",
    "┼": "left right up down",
    "╭": "right down",
    "╮": "left down",
    "╰": "right up",
    "╯": "left up",
}
_CORNERS: Final[Mapping[str, tuple[int, bool, bool]]] = {
    "right down": (180, True, True),
    "left down": (270, False, True),
    "right up": (90, True, False),
    "left up": (0, False, False),
}
"""Where the arc of a corner starts, in degrees clockwise from the right, and whether it opens right and down."""


def many_colours() -> None:
    """Set the environment so that apps started from now on detect a truecolor terminal."""
    for name in ("NO_COLOR", "FORCE_COLOR"):
        os.environ.pop(name, None)
    os.environ |= {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}


def picture(rows: Iterable[Iterable[Segment]], columns: int) -> Image.Image:
    """Draw the rows of a window that is ``columns`` cells wide."""
    lines = [list(row) for row in rows]
    image = Image.new("RGB", (columns * WIDTH, len(lines) * HEIGHT), _PAPER)
    draw = ImageDraw.Draw(image)
    fonts = {
        bold: ImageFont.truetype(f"DejaVuSansMono{'-Bold' if bold else ''}.ttf", round(HEIGHT * 0.8))
        for bold in (False, True)
    }
    wide = _wide_font()
    for row, segments in enumerate(lines):
        column = 0
        for text, style, _control in segments:
            for character in text:
                width = cell_len(character)
                font = wide if width > 1 else fonts[bool(style and style.bold)]
                _cell(draw, (column * WIDTH, row * HEIGHT), character, style or Style.null(), font)
                column += width
    return image


def _wide_font() -> ImageFont.FreeTypeFont:
    """Return a font that has Chinese characters, as wide as two cells.

    Raises:
        OSError: none is installed.
    """
    for name in _WIDE_FONTS:
        try:
            return ImageFont.truetype(name, round(1.7 * WIDTH))
        except OSError:
            continue
    raise OSError(f"install one of the fonts {', '.join(_WIDE_FONTS)}")


def _cell(
    draw: ImageDraw.ImageDraw,
    place: tuple[int, int],
    character: str,
    style: Style,
    font: ImageFont.FreeTypeFont,
) -> None:
    x, y = place
    pen, paper = _rgb(style.color, _PEN), _rgb(style.bgcolor, _PAPER)
    if style.reverse:
        pen, paper = paper, pen
    if style.dim:
        pen = tuple((a + b) // 2 for a, b in zip(pen, paper, strict=True))
    draw.rectangle((x, y, x + WIDTH * cell_len(character) - 1, y + HEIGHT - 1), fill=paper)
    if character in BLOCKS:
        for left, top, right, bottom in BLOCKS[character]:
            box = (
                x + left * WIDTH // 8,
                y + top * HEIGHT // 8,
                x + right * WIDTH // 8 - 1,
                y + bottom * HEIGHT // 8 - 1,
            )
            draw.rectangle(box, fill=pen)
    elif character in LINES:
        _line(draw, x, y, LINES[character], pen)
    elif not character.isspace():
        draw.text((x, y + _BASELINE), character, font=font, fill=pen, anchor="ls")
    if style.underline:
        draw.rectangle((x, y + HEIGHT - _THIN, x + WIDTH - 1, y + HEIGHT - 1), fill=pen)


def _line(draw: ImageDraw.ImageDraw, x: int, y: int, sides: str, pen: tuple[int, ...]) -> None:
    """Draw a line character; all strokes are two pixels wide, around the middle of the cell."""
    middle_x, middle_y = x + WIDTH // 2, y + HEIGHT // 2
    if sides in _CORNERS:
        start, right, down = _CORNERS[sides]
        radius = WIDTH // 2
        across, along = (x + WIDTH if right else x), (middle_y + radius if down else middle_y - radius)
        box = (across - radius - 1, along - radius - 1, across + radius, along + radius)
        draw.arc(box, start, start + 90, fill=pen, width=_THIN)
        ends = (along, y + HEIGHT - 1) if down else (y, along - 1)
        draw.rectangle((middle_x - 1, ends[0], middle_x, ends[1]), fill=pen)
        return
    if "left" in sides:
        draw.rectangle((x, middle_y - 1, middle_x, middle_y), fill=pen)
    if "right" in sides:
        draw.rectangle((middle_x - 1, middle_y - 1, x + WIDTH - 1, middle_y), fill=pen)
    if "up" in sides:
        draw.rectangle((middle_x - 1, y, middle_x, middle_y), fill=pen)
    if "down" in sides:
        draw.rectangle((middle_x - 1, middle_y - 1, middle_x, y + HEIGHT - 1), fill=pen)


def _rgb(colour: Color | None, default: tuple[int, ...]) -> tuple[int, ...]:
    return default if colour is None or colour.is_default else tuple(colour.get_truecolor())
