"""How the program looks: the characters of boards, and the text of panes and dialogs (:mod:`.themes` has the colours).

Text is converted to ASCII for terminals without other characters or with wide symbols. Chinese and other text is kept:
only symbols that are one cell wide according to Unicode are replaced, by one character each.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, TypeAlias

from rich.cells import cell_len
from rich.color import Color as RichColor
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.segment import Segment
from rich.style import Style
from rich.table import Table
from rich.text import Text
from textual.color import Color
from textual.filter import LineFilter
from textual.widget import Widget

from daoqi_tui.engine import BLACK, WHITE, Colour
from daoqi_tui.pictures.palettes import KAYA, RGB, Palette

Shape: TypeAlias = tuple[str, ...]
"""A stone in a larger cell, one string per line, in the colour of the stone; a space is bare board.

A character has two colours, so that one on the edge of a stone has none left for a mark. The line with the middle of
the stone therefore has full blocks between its edges: whatever is written there, the stone keeps its outline.

A lower edge may be drawn with :data:`CUT`: Unicode has lower blocks of every eighth of a cell, but hardly any upper
ones.
"""


CUT: Final = "▁▂▃"
"""Blocks drawn in the colour of the board on that of the stone, unlike all others."""

ROUND_STONES: Final[Mapping[int, Shape]] = MappingProxyType({2: ("▗██▖", "▝▂▂▘"), 3: ("▗▅▆▅▖", "█████", "▝▃▂▃▘")})

SQUARE_STONES: Final[Mapping[int, Shape]] = MappingProxyType({2: ("███ ", "▀▀▀ "), 3: ("█████", "█████", "▀▀▀▀▀")})


Figures = Mapping[int, tuple[tuple[str, ...], tuple[str, ...]]]
"""By the height of a cell: a black and a white stone, one string per line; ``.`` leaves the grid visible."""
_NO_FIGURES: Final[Figures] = MappingProxyType({})
_NO_SHAPES: Final[Mapping[int, Shape]] = MappingProxyType({})


class Glyphs(NamedTuple):
    """The characters for each element of a board.

    Each is a single character, except that a stone in the smallest cell may take both columns of its cell.

    Attributes:
        dead: a dead stone; ``white_dead`` is used for White's if it is not empty.
        atari, ladder: warnings beside a stone in danger.
        black_strength: Black's likely points, from the least certain to the most; ``white_strength`` those of White.
        black_sign, white_sign: stones in running text; empty if they are the same as on the board. Full blocks would
            hide the piece of board that a sign is drawn on, and Black's would be dark on dark.
        blocks: whether half blocks can be shown.
        shapes: stones in larger cells where colours distinguish them, by the height of a cell.
        figures: stones in larger cells where characters have to; without either, a stone is a single character.
        mistakes: marks of moves that lost points, one that was not punished and one that was.
        labels: replacements for the signs of a record's marks and of a problem's area that cannot be shown.
    """

    name: str
    black: str
    white: str
    black_last: str
    white_last: str
    dead: str
    liberty: str
    black_area: str
    white_area: str
    cross: str
    across: str
    down: str
    seam_down: str
    seam_cross: str
    blocks: bool
    black_sign: str = ""
    white_sign: str = ""
    white_dead: str = ""
    shapes: Mapping[int, Shape] = _NO_SHAPES
    figures: Figures = _NO_FIGURES
    labels: Mapping[str, str] = MappingProxyType({})
    mistakes: tuple[str, str] = ("▪", "■")
    atari: str = "!"
    ladder: str = "•"
    black_strength: tuple[str, str, str] = ("·", "▪", "■")
    white_strength: tuple[str, str, str] = ("·", "▫", "□")


ROUND: Final = Glyphs(
    name="round",
    black="●",
    white="○",
    black_last="◉",
    white_last="◎",
    dead="×",
    white_dead="⊗",
    liberty="•",
    black_area="▪",
    white_area="▫",
    cross="┼",
    across="─",
    down="│",
    seam_down="║",
    seam_cross="╫",
    blocks=True,
)
"""Stones that differ by shape as well as by colour."""

DISCS: Final = ROUND._replace(
    name="discs",
    white="●",
    white_last="◉",
    white_dead="×",
    white_area="▪",
    shapes=ROUND_STONES,
)

TILES: Final = DISCS._replace(
    name="blocks",
    black="██",
    white="██",
    black_last="█◆",
    white_last="█◆",
    black_sign="■",
    white_sign="■",
    shapes=SQUARE_STONES,
)

HATCHED: Final = ROUND._replace(
    name="blocks",
    black="██",
    white="▒▒",
    black_last="█◆",
    white_last="▒◇",
    black_sign="■",
    white_sign="□",
    figures=MappingProxyType(
        {
            2: (("████", "████"), ("▒▒▒▒", "▒▒▒▒")),
            3: (("█████", "█████", "█████"), ("▒▒▒▒▒", "▒▒▒▒▒", "▒▒▒▒▒")),
        }
    ),
)
"""Square stones for terminals with few colours: White's are hatched."""

ASCII: Final = Glyphs(
    name="ascii",
    black="X",
    white="O",
    black_last="#",
    white_last="@",
    dead="x",
    white_dead="o",
    liberty="*",
    black_area="&",
    white_area="=",
    cross="+",
    across="-",
    down="|",
    seam_down=":",
    seam_cross=":",
    blocks=False,
    figures=MappingProxyType(
        {
            2: (("XXX.",), ("OOO.",)),
            3: ((".XXX.", "XXXXX", ".XXX."), (".OOO.", "O   O", ".OOO.")),
        }
    ),
    labels=MappingProxyType(
        {"▲": "^", "■": "$", "○": "o", "×": "x", "▫": "~", "•": "*"} | dict(zip("→↘↓↙←↖↑↗", ">\\v/<\\^/", strict=True))
    ),
    mistakes=(",", "?"),
    ladder="%",
    black_strength=(",", ";", "&"),
    white_strength=(".", ":", "="),
)
"""For terminals and fonts with nothing else.

The signs of areas differ from those of the grid, since in sixteen colours Black's area has the colour of the grid.
"""

GLYPH_NAMES: Final = ("auto", "discs", "round", "blocks", "ascii")


def glyphs_for(name: str, *, many_colours: bool, plain_text: bool) -> Glyphs:
    """Return the glyphs for a setting.

    Args:
        name: one of :data:`GLYPH_NAMES`.
        many_colours: whether colour alone can distinguish black from white.
        plain_text: whether ``auto`` means ASCII.
    """
    if name == "ascii" or (name == "auto" and plain_text):
        return ASCII
    if name == "blocks":
        return TILES if many_colours else HATCHED
    return DISCS if many_colours and name != "round" else ROUND


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
        yield folded(self.text, options.max_width)

    def __rich_measure__(self, _console: Console, _options: ConsoleOptions) -> Measurement:
        """Return the width of the widest line without wrapping."""
        return Measurement(0, max(map(cell_len, self.text.plain.split("\n"))))


class Drawn:
    """A table that is laid out once for each width, rather than for each layout and again to be drawn."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._segments: dict[int, list[Segment]] = {}

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = options.max_width
        if width not in self._segments:
            self._segments[width] = list(console.render(self._table, options))
        return self._segments[width]

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement.get(console, options, self._table)


def folded(text: Text, width: int) -> Text:
    """Return the text with line breaks so that no line is wider than ``width`` cells; a longer word is broken."""
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
        while 0 < width < min(column, end - begin):
            # Such words, as addresses are, have no wide characters.
            lines.append((begin, begin + width))
            begin, column = begin + width, column - width
    lines.append((begin, end))
    whole = Text("\n", end="").join(text[first:last] for first, last in lines)
    # The height of a renderable is the number of its line ends.
    whole.end = "\n"
    whole.no_wrap = True
    return whole


STONES: Final = {BLACK: "●", WHITE: "○"}
"""The stones in text; :meth:`StoneSigns.replace_stones` replaces them with those of the board."""


class StoneSigns(NamedTuple):
    """The signs for the stones of a board in text."""

    palette: Palette = KAYA
    glyphs: Glyphs = DISCS

    def sign(self, colour: Colour) -> str:
        glyphs = self.glyphs
        if colour == BLACK:
            return glyphs.black_sign or glyphs.black[0]
        return glyphs.white_sign or glyphs.white[0]

    def last_sign(self, colour: Colour) -> str:
        return (self.glyphs.black_last if colour == BLACK else self.glyphs.white_last)[-1]

    def style(self, colour: Colour, around: Style, *, dim: bool = False) -> Style:
        """Return the style of a stone among text of the style ``around``, as on the copies of the board if ``dim``."""
        if self.palette.plain:
            return around
        shades = self.palette.dim if dim else self.palette.bright
        return style_of(shades.black if colour == BLACK else shades.white, shades.board)

    def replace_stones(self, text: Text) -> None:
        """Give the stones in a text the characters and styles of the board."""
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

    Text on a dark ground is reversed; copies, proposed stones and the grid are dim if the terminal supports it. A label
    on an empty point is underlined, since a number on a stone is reversed if it is Black's, and plain if White's.
    """
    return Style(
        bold=bold or None,
        underline=(underline and bright) or background == "label_mark" or None,
        reverse=background in _REVERSED or None,
        dim=not bright or "_ghost" in foreground + background or foreground == "line" or None,
    )


_REVERSED: Final = frozenset(("black", "black_ghost", "cursor", "refused"))
