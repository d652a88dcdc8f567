"""The text of panes and dialogs: conversion to ASCII, Chinese line breaks, stones in text, and text styles.

Terminals without other characters, or with wide symbols, get ASCII. Chinese and other text is kept: only symbols that
are one cell wide according to Unicode are replaced, by one character each.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from rich.cells import cell_len
from rich.color import Color as RichColor
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.color import Color
from textual.filter import LineFilter
from textual.widget import Widget

from daoqi_tui.engine import BLACK, WHITE, Colour
from daoqi_tui.pictures.palettes import KAYA, RGB, Palette
from daoqi_tui.tui.look.glyphs import DISCS, Glyphs

_SIGNS: Final = str.maketrans(
    {
        "●": "X", "○": "O", "◉": "#", "◎": "@", "◇": "*", "◆": "#", "■": "#", "□": "+", "▪": "+", "▫": "-",
        "▶": ">", "▸": ">", "►": ">", "◀": "<", "◂": "<", "◄": "<", "▲": "^", "△": "^", "▴": "^", "▵": "^",
        "▼": "v", "▽": "v", "▾": "v", "←": "<", "→": ">", "↑": "^", "↓": "v", "⇧": "^", "↔": "-", "↕": "|",
        "•": "*", "·": "-", "…": "~", "×": "x", "−": "-", "–": "-", "—": "-", "±": "~", "✓": "v", "✗": "x",
        "†": "+", "‡": "+", "“": '"', "”": '"', "‘": "'", "’": "'", "°": "o", "»": ">", "«": "<", "⊗": "o",
    }
)  # fmt: skip
_LINES: Final = str.maketrans(
    dict.fromkeys("─━┄┅┈┉╌╍╴╶═▔▁▂", "-")
    | dict.fromkeys("│┃┆┇┊┋╎╏║▏▕▎▍", "|")
    | dict.fromkeys("┌┐└┘├┤┬┴┼╭╮╯╰╔╗╚╝╠╣╦╩╬┏┓┗┛┣┫┳┻╋", "+")
    | dict.fromkeys("█▉▊▋▌▐▇▆▅▓▀▄▃▖▗▘▝▚▞▙▛▜▟", "#")
    | dict.fromkeys("▒░", ":")
)


def ascii_text(text: str) -> str:
    """Convert symbols and frames to ASCII; other text is kept."""
    return text if text.isascii() else text.translate(_SIGNS).translate(_LINES)


class AsciiFilter(LineFilter):
    """Applies :func:`ascii_text` to every line on the screen."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002 (Textual's form)
        """Rewrite one line."""
        return [Segment(ascii_text(text), style, control) for text, style, control in segments]


_UNIT: Final = re.compile(
    r"[ ]+|\n|[（“‘《「『【]*(?:[\u3040-\u30ff\u3400-\u9fff]"
    r"|(?:\b[A-Z] )?[^\s\u3040-\u30ff\u3400-\u9fff（“‘《「『【，。：；）！？、”》」』】…—]+)?"
    r"[，。：；）！？、”’》」』】…—]*"
)
"""The unbreakable units of a line: a Chinese character or a word, with its punctuation.

A single letter belongs to the word after it: ``D A6`` is the letter of an answer and its point.
"""


class Paragraph:
    """Text that is wrapped like Chinese: between any two characters, but not before closing punctuation.

    Rich and Textual break lines only at spaces, so that a point's name at the beginning of a Chinese sentence would be
    on a line of its own. Text without Chinese is wrapped at spaces here, too.
    """

    def __init__(self, text: Text) -> None:
        self.text: Final = text

    def __str__(self) -> str:
        return self.text.plain

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Render the text in the available width."""
        yield folded(self.text, options.max_width)

    def __rich_measure__(self, _console: Console, _options: ConsoleOptions) -> Measurement:
        """Return the width of the widest line without wrapping."""
        return Measurement(0, max(map(cell_len, self.text.plain.split("\n"))))


def folded(text: Text, width: int) -> Text:
    """Return the text with line breaks so that no line is wider than ``width`` cells; longer words stay whole."""
    lines: list[tuple[int, int]] = []
    begin = end = column = 0
    for unit in _UNIT.finditer(text.plain):
        cells = cell_len(unit[0])
        if unit[0] == "\n" or (unit[0].strip() and column and column + cells > width):
            lines.append((begin, end))
            begin, column = (unit.end(), 0) if unit[0] == "\n" else (unit.start(), cells)
            end = unit.end()
        elif unit[0].strip() or column:
            column += cells
            end = unit.end() if unit[0].strip() else end
        else:
            begin = end = unit.end()
    lines.append((begin, end))
    whole = Text("\n", end="").join(text[first:last] for first, last in lines)
    # The height of a renderable is the number of its line ends.
    whole.end = "\n"
    whole.no_wrap = True
    return whole


STONES: Final = {BLACK: "●", WHITE: "○"}
"""The stones in text; :meth:`StoneSigns.dress` replaces them with those of the board."""


class StoneSigns(NamedTuple):
    """The signs for the stones of a board in text."""

    palette: Palette = KAYA
    glyphs: Glyphs = DISCS

    def sign(self, colour: Colour) -> str:
        """Return the character of a stone in running text."""
        glyphs = self.glyphs
        if colour == BLACK:
            return glyphs.black_sign or glyphs.black[0]
        return glyphs.white_sign or glyphs.white[0]

    def last_sign(self, colour: Colour) -> str:
        """Return the character of the stone played last."""
        return (self.glyphs.black_last if colour == BLACK else self.glyphs.white_last)[-1]

    def style(self, colour: Colour, around: Style, *, dim: bool = False) -> Style:
        """Return the style of a stone among text of the style ``around``, as on the copies of the board if ``dim``."""
        if self.palette.plain:
            return around
        shades = self.palette.dim if dim else self.palette.bright
        return style_of(shades.black if colour == BLACK else shades.white, shades.board)

    def dress(self, text: Text) -> None:
        """Replace the stones in a text with the characters and styles of the board."""
        plain = text.plain
        for colour, sign in STONES.items():
            for place, character in enumerate(plain):
                if character == sign:
                    text.stylize(self.style(colour, Style.null()), place, place + 1)
        text.plain = plain.translate({ord(sign): self.sign(colour) for colour, sign in STONES.items()})


def signs_of(widget: Widget) -> StoneSigns:
    """Return the signs for stones on the screen of a widget; in a dialog, those of the screen below it."""
    for screen in (widget.screen, *reversed(widget.app.screen_stack)):
        if isinstance(signs := getattr(screen, "stone_signs", None), StoneSigns):
            return signs
    return StoneSigns()


Tone = Literal["foreground", "accent", "primary", "error", "muted"]


def tone(widget: Widget, name: Tone, *, bold: bool | None = None) -> Style:
    """Return the style of a tone in the app's current theme."""
    variables = widget.app.theme_variables
    ink = Color.parse(variables["foreground" if name == "muted" else name])
    if name != "muted":
        return Style(color=ink.rich_color, bold=bold)
    paper = Color.parse(variables["background"])
    if ink.ansi is not None or paper.ansi is not None:
        return Style(dim=True, bold=bold)
    return Style(color=paper.blend(ink, 0.65).rich_color, bold=bold)


@lru_cache(maxsize=4096)
def style_of(foreground: RGB, background: RGB, bold: bool = False, underline: bool = False) -> Style:
    """Return the Rich style of two colours, cached."""
    return Style(
        color=RichColor.from_rgb(*foreground),
        bgcolor=RichColor.from_rgb(*background),
        bold=bold or None,
        underline=underline or None,
    )


@lru_cache(maxsize=256)
def plain_style(foreground: str, background: str, bold: bool, underline: bool, bright: bool) -> Style:
    """Return the style of an ink without colours.

    Text on a dark ground is reversed; copies, proposed stones and the grid are dim if the terminal supports it.
    """
    return Style(
        bold=bold or None,
        underline=(underline and bright) or None,
        reverse=background in _REVERSED or None,
        dim=not bright or "_ghost" in foreground + background or foreground == "line" or None,
    )


_REVERSED: Final = frozenset(("black", "black_ghost", "cursor", "refused"))
