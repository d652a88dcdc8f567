"""How the program looks: the characters of boards, the text of panes and dialogs, and the board and frame in colours.

Text is converted to ASCII for terminals without other characters or with wide symbols. Chinese and other text is kept:
only symbols that are one cell wide according to Unicode are replaced, by one character each.

Board and frame (the colours around the board) are separate settings; the frame ``auto`` is the one made for the board.
Both are the user's choice, as far as the terminal supports it. The colours of boards are in
:mod:`daoqi_tui.pictures.palettes`. What the user chooses, for playing too, are :class:`Options`.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, TypeAlias, cast

from rich.cells import cell_len
from rich.color import Color as RichColor
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.app import App
from textual.color import Color
from textual.filter import LineFilter
from textual.theme import Theme
from textual.widget import Widget

from daoqi_tui.config import Config, Value
from daoqi_tui.engine import BLACK, STYLES, WHITE, Colour
from daoqi_tui.engine import Style as NameStyle
from daoqi_tui.pictures.palettes import (
    BOARDS,
    BOARDS16,
    KAYA,
    LEAST,
    LEAST_DIMMED,
    LEAST_ON_COPIES,
    LEAST_ON_STONES,
    RGB,
    Palette,
    Shades,
    blend,
    contrast,
    framed,
)
from daoqi_tui.streams import PLAIN_TERMINALS, locale_in
from daoqi_tui.tui.output import FIXED, difference, fixed_by_lightness, oklab, style_of


class Options(NamedTuple):
    """Options that apply to every game.

    Attributes:
        margin: lines of wrapped copies around the bright period; None fills the window.
        confirm_click: whether a click must be repeated on the same point to play there.
        follow: whether the last move is kept in the middle of the window.
        names: style of coordinates.
        mark_atari: whether chains in atari are marked.
        mark_ladders: whether chains caught in a ladder are marked.
        board: the colours of the board, one of :data:`~daoqi_tui.pictures.palettes.BOARDS`.
        frame: the colours around it: ``auto`` for those made for the board, or the name of a theme.
        glyphs: what stones are drawn with, one of :data:`~daoqi_tui.config.STONES`.
        cell: the width of a point in characters, 2, 4 or 6; None takes the largest that shows the whole board.
        bells: the events at which the terminal's bell rings: any of :data:`BELLS`.
        graphics: whether the board is a picture where the terminal shows pictures: ``auto``, ``kitty``,
            ``sixel`` or ``off``.
        motion: ``full``, or ``reduced`` for no animations.
        sound: whether stones are heard.
        net: the computer's network: ``auto``, ``none`` or a file.
        threads: the processor cores it uses: ``auto``, or a number.
        ponder: whether it ponders while a human thinks.
        teach: the points lost from which teach mode warns about a move; 0 for never.
        analysis_visits, analysis_seconds: the limits of the analysis of a position.
        review_visits, review_seconds: the same of a position in a review.
        grades: the points lost from which a move is an inaccuracy, a mistake and a blunder.
        analysis_engine: the command of a GTP engine that analyses; empty for our own player.
    """

    margin: int | None = None
    confirm_click: bool = False
    follow: bool = False
    names: NameStyle = STYLES[0]
    mark_atari: bool = False
    mark_ladders: bool = False
    board: str = "kaya"
    frame: str = "auto"
    glyphs: str = "auto"
    cell: int | None = None
    bells: frozenset[str] = frozenset()
    net: str = "auto"
    graphics: str = "auto"
    motion: str = "full"
    sound: bool = False
    threads: str = "auto"
    ponder: bool = True
    teach: int = 0
    analysis_visits: int = 2000
    analysis_seconds: int = 60
    review_visits: int = 60
    review_seconds: int = 2
    grades: str = "1.5 3 8"
    analysis_engine: str = ""


BELLS: Final = ("move", "capture", "refusal", "end", "time", "turn", "desktop")
_CELLS: Final[Mapping[int | None, str]] = {None: "auto", 2: "2x1", 4: "4x2", 6: "6x3"}


def options_of(config: Config) -> Options:
    copies = config["look.copies"]
    return Options(
        margin=None if copies == "fill" else cast("int", copies),
        confirm_click=bool(config["play.confirm_click"]),
        follow=bool(config["play.follow"]),
        names=cast("NameStyle", config["look.names"]),
        mark_atari=bool(config["play.mark_atari"]),
        mark_ladders=bool(config["play.mark_ladders"]),
        board=str(config["look.board"]),
        frame=str(config["look.frame"]),
        glyphs=str(config["look.stones"]),
        cell=next(width for width, name in _CELLS.items() if name == config["look.cell"]),
        bells=frozenset(event for event in BELLS if config[f"bell.{event}"]),
        net=str(config["play.net"]),
        graphics=str(config["display.graphics"]),
        motion=str(config["display.motion"]),
        sound=bool(config["display.sound"]),
        threads=str(config["play.threads"]),
        ponder=bool(config["play.ponder"]),
        teach=cast("int", config["play.teach"]),
        analysis_visits=cast("int", config["analysis.visits"]),
        analysis_seconds=cast("int", config["analysis.seconds"]),
        review_visits=cast("int", config["analysis.review_visits"]),
        review_seconds=cast("int", config["analysis.review_seconds"]),
        grades=str(config["analysis.grades"]),
        analysis_engine=str(config["analysis.engine"]),
    )


def settings_of(options: Options) -> dict[str, Value]:
    return {
        "look.board": options.board,
        "look.frame": options.frame,
        "look.stones": options.glyphs,
        "look.cell": _CELLS[options.cell],
        "look.copies": "fill" if options.margin is None else options.margin,
        "look.names": options.names,
        "play.confirm_click": options.confirm_click,
        "play.follow": options.follow,
        "play.mark_atari": options.mark_atari,
        "play.mark_ladders": options.mark_ladders,
        "play.net": options.net,
        "play.threads": options.threads if options.threads == "auto" else int(options.threads),
        "play.ponder": options.ponder,
        "play.teach": options.teach,
        "display.graphics": options.graphics,
        "display.motion": options.motion,
        "display.sound": options.sound,
        "analysis.visits": options.analysis_visits,
        "analysis.seconds": options.analysis_seconds,
        "analysis.review_visits": options.review_visits,
        "analysis.review_seconds": options.review_seconds,
        "analysis.grades": options.grades,
        "analysis.engine": options.analysis_engine,
        **{f"bell.{event}": event in options.bells for event in BELLS},
    }


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


def glyphs_for(name: str, *, many_colours: bool, plain_text: bool) -> Glyphs:
    """Return the glyphs for a setting.

    Args:
        name: one of :data:`~daoqi_tui.config.STONES`.
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


_CHINESE: Final = r"\u3040-\u30ff\u3400-\u9fff"
_CLOSING: Final = "，。：；）！？、”》」』】…—"
_LETTER: Final = rf"[^\s{_CHINESE}（“‘《「『【{_CLOSING}]"
_UNIT: Final = (
    rf"[ ]+|\n|[（“‘《「『【]*(?:(?:第 )?[+−±-]?\d+(?:[.,]\d+)* (?:[{_CHINESE}]|[a-z]{_LETTER}*)"
    rf"|[{_CHINESE}]|(?:\b[A-Z] )?{_LETTER}+)?[’{_CLOSING}]*"
)
"""The unbreakable units of a line: a Chinese character or a word, with its punctuation.

A number belongs to the unit after it, as in ``3.1 目`` and ``2 points``, and a single letter to the word after it:
``D A6`` is the letter of an answer and its point. Compiled when first used, which takes 3 ms.
"""
_WORD: Final = " +|[^ ]+"


class Paragraph:
    """Text that is wrapped like Chinese: between any two characters, but not before closing punctuation.

    Rich and Textual break lines only at spaces, so that a point's name at the beginning of a Chinese sentence would be
    on a line of its own. Text without Chinese is wrapped at spaces here, too. Stones in it are those of the board below
    a widget, if one is given: their colours change with the theme while the text is shown.
    """

    def __init__(self, text: Text, widget: Widget | None = None) -> None:
        self.text: Final = text
        self._widget = widget

    def __str__(self) -> str:
        return self.text.plain

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        text = self.text if self._widget is None else signs_of(self._widget).replace_stones(self.text.copy())
        yield text if text.no_wrap else folded(text, options.max_width)

    def __rich_measure__(self, _console: Console, _options: ConsoleOptions) -> Measurement:
        """Return the width of the widest line without wrapping."""
        return Measurement(0, max(map(cell_len, self.text.plain.split("\n"))))


def _units(text: str, width: int) -> Iterator[re.Match[str]]:
    """Yield what a line break does not divide; the words of a unit that is wider than the line one by one."""
    for unit in re.finditer(_UNIT, text):
        if cell_len(unit[0]) <= width:
            yield unit
        else:
            yield from re.compile(_WORD).finditer(text, unit.start(), unit.end())


def folded(text: Text, width: int) -> Text:
    """Return the text with line breaks so that no line is wider than ``width`` cells; a longer word is broken.

    The spaces at the beginning of a line of the text stay, those around a line break that is added do not.
    """
    lines: list[tuple[int, int]] = []
    begin = end = column = 0
    for unit in _units(text.plain, width):
        cells = cell_len(unit[0])
        if unit[0] == "\n" or (unit[0].strip() and column and column + cells > width):
            # A first word that has no room beside its indent comes without it.
            if unit[0] == "\n" or end > begin:
                lines.append((begin, end))
            begin, column = (unit.end(), 0) if unit[0] == "\n" else (unit.start(), cells)
            end = unit.end()
        else:
            column += cells
            end = unit.end() if unit[0].strip() else end
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

    def replace_stones(self, text: Text) -> Text:
        """Give the stones in a text the characters and styles of the board, and return the text."""
        plain = text.plain
        for colour, sign in STONES.items():
            for place, character in enumerate(plain):
                if character == sign:
                    text.stylize(self.style(colour, Style.null()), place, place + 1)
        text.plain = plain.translate({ord(sign): self.sign(colour) for colour, sign in STONES.items()})
        return text


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
    grounds = paper.rgb, Color.parse(variables["surface"]).rgb
    return Style(color=RichColor.from_rgb(*readable(ink.rgb, grounds, 0.65, 4.5)), bold=bold)


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


Colours = Literal["none", "sixteen", "many"]


def frame_for(board: str, frame: str, colours: Colours) -> str:
    if colours == "none":
        return "ansi-dark"
    if frame != "auto":
        return FRAME_PREFIX + frame if frame in BOARDS else frame
    return FRAME_PREFIX + _board_of(board, colours).name


def palette_for(board: str, frame: Theme, colours: Colours) -> Palette:
    if colours == "none":
        return KAYA._replace(name="plain", plain=True)
    palette = _board_of(board, colours)
    if frame.name == FRAME_PREFIX + palette.name:
        return palette
    background = Color.parse(frame.background or ("#121212" if frame.dark else "#efefef"))
    foreground = Color.parse(frame.foreground or ("#e0e0e0" if frame.dark else "#101010"))
    if background.ansi is not None or foreground.ansi is not None:
        # The terminal's own colours are unknown here; the frame of the board always fits it.
        return palette
    return framed(palette, background.rgb, foreground.rgb)


def _board_of(name: str, colours: Colours) -> Palette:
    """Return a board for a number of colours; its name is that of its frame."""
    return (BOARDS16 if colours == "sixteen" else BOARDS)[name]


_FEW: Final = ("standard", "windows", None)
"""Rich's names of colour systems with sixteen colours or fewer."""


class BoardStyle(NamedTuple):
    """The style of a board.

    Attributes:
        palette: the colours of its characters.
        glyphs: the characters.
        painted: the colours of pictures, which may be more than characters can have.
    """

    palette: Palette
    glyphs: Glyphs
    painted: Palette


def colours_of(app: App[Any]) -> Colours:
    if app.no_color:
        return "none"
    return "sixteen" if app.console.color_system in _FEW else "many"


def board_style_for(app: App[Any], options: Options) -> BoardStyle:
    colours = colours_of(app)
    # The program's own app has asked the terminal.
    plain_text = getattr(app, "wide_signs", False) or wants_plain_text(os.environ)
    glyphs = glyphs_for(options.glyphs, many_colours=colours == "many", plain_text=plain_text)
    palette = palette_for(options.board, app.current_theme, colours)
    painted = palette if colours != "sixteen" else palette_for(options.board, app.current_theme, "many")
    if has_256(app) and not palette.plain:
        palette = palette256(palette)
    return BoardStyle(palette, glyphs, painted)


def frames_for(app: App[Any]) -> Iterable[Theme]:
    """Return the frames of all boards in colours that the terminal of an app can show."""
    frames = map(theme_of, {board.name: board for board in (*BOARDS.values(), *BOARDS16.values())}.values())
    return map(frame256, frames) if has_256(app) else frames


def has_256(app: App[Any]) -> bool:
    return app.console.color_system == "256"


def theme_for(app: App[Any], options: Options) -> str:
    name = frame_for(options.board, options.frame, colours_of(app))
    return name if name in app.available_themes else frame_for(options.board, "auto", colours_of(app))


def wants_plain_text(environment: Mapping[str, str]) -> bool:
    """Return whether the terminal needs ASCII: its locale has another charset than UTF-8, or it has few characters.

    Without a charset (C, POSIX) UTF-8 is assumed, as most containers are set up like that.
    """
    _language, _dot, charset = locale_in(environment).partition(".")
    if charset and charset.partition("@")[0].lower().replace("-", "") not in ("utf8", ""):
        return True
    return environment.get("TERM", "").startswith(PLAIN_TERMINALS)


# Frames.

FRAME_PREFIX: Final = "daoqi-"


@lru_cache(maxsize=64)
def readable(ink: RGB, grounds: tuple[RGB, ...], share: float, least: float) -> RGB:
    """Mix as little of an ink, but at least ``share``, into the first ground as is readable on all of them.

    Args:
        ink: the ink.
        grounds: the backgrounds.
        share: the least fraction of the ink.
        least: the minimum contrast with each ground.
    """
    mixed = (blend(grounds[0], ink, percent / 100) for percent in range(round(100 * share), 100, 2))
    return next((colour for colour in mixed if all(contrast(colour, ground) >= least for ground in grounds)), ink)


def written(colour: RGB) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)


def theme_of(palette: Palette) -> Theme:
    colours = palette.interface
    grounds = (colours.background, colours.surface)
    faint = colours.faint and written(colours.faint)
    return Theme(
        name=FRAME_PREFIX + palette.name,
        background=written(colours.background),
        surface=written(colours.surface),
        panel=written(colours.panel),
        foreground=written(colours.foreground),
        primary=written(colours.primary),
        secondary=written(colours.secondary),
        accent=written(colours.accent),
        warning=written(colours.accent),
        error=written(colours.error),
        success=written(colours.secondary),
        dark=colours.dark,
        variables={
            "text-muted": faint or written(readable(colours.foreground, grounds, 0.6, 4.5)),
            "text-disabled": faint or written(readable(colours.foreground, grounds, 0.38, 3.0)),
            **({"focused": written(colours.focused)} if colours.focused else {}),
        },
    )


# Terminals with 256 colours.

_GROUNDS: Final[dict[str, RGB]] = {"slate": (95, 135, 175), "night": (108, 108, 108)}
"""The grounds, by the name of the board, where the nearest would be that of another board, or too dark for copies."""


@lru_cache(maxsize=512)
def nearest_fixed(colour: RGB, seen_on: tuple[tuple[RGB, float], ...] = ()) -> RGB:
    """Return the most similar fixed colour, or where none has the contrast wanted, the one with most of it.

    Args:
        colour: the colour wanted.
        seen_on: grounds, each with the minimum contrast.
    """
    wanted = oklab(colour)

    def fit(place: int, lab: tuple[float, float, float]) -> tuple[float, float]:
        enough = min((contrast(FIXED[place], ground) / least for ground, least in seen_on), default=1.0)
        return min(enough, 1.0), -difference(lab, wanted)

    _lab, found = max(fixed_by_lightness(), key=lambda pair: fit(pair[1], pair[0]))
    return FIXED[found]


def palette256(palette: Palette) -> Palette:
    stones = ((palette.bright.black, LEAST["black"]), (palette.bright.white_fill, LEAST["white_fill"]))
    ground = _GROUNDS.get(palette.name) or nearest_fixed(palette.bright.board, stones)
    bright = _shades(palette.bright, ground, LEAST)
    copies = nearest_fixed(palette.dim.board, ((ground, LEAST_DIMMED["board"]),))
    return palette._replace(
        bright=bright,
        copies=_shades(palette.dim, copies, LEAST_ON_COPIES, bright),
        frame=nearest_fixed(palette.frame),
    )


def frame256(theme: Theme) -> Theme:
    """Return the frame in the fixed colours, with text in a neutral grey, whose mixtures stay grey."""
    if theme.foreground is None:
        return theme
    grey = round(255 * Color.parse(theme.foreground).brightness)
    return replace(
        theme,
        foreground=written((grey, grey, grey)),
        background=_fixed(theme.background),
        surface=_fixed(theme.surface),
        panel=_fixed(theme.panel),
        variables={name: written(nearest_fixed(Color.parse(colour).rgb)) for name, colour in theme.variables.items()},
    )


def _fixed(colour: str | None) -> str | None:
    return colour and written(nearest_fixed(Color.parse(colour).rgb))


def _shades(shades: Shades, ground: RGB, least: Mapping[str, float], bright: Shades | None = None) -> Shades:
    """Return shades in the fixed colours with sufficient contrast on a ground, and with what they copy, if copies."""
    found = {}
    for name in Shades._fields:
        if name == "board":
            continue
        kind = "white_fill" if name == "white" else name
        seen_on = [(ground, least.get(kind, 1.0))]
        if bright is not None and kind in LEAST_DIMMED:
            seen_on.append((getattr(bright, name), LEAST_DIMMED[kind]))
        found[name] = nearest_fixed(getattr(shades, name), tuple(seen_on))
    stones = ((found["black"], LEAST_ON_STONES), (found["white"], LEAST_ON_STONES))
    found["last"] = nearest_fixed(shades.last, stones if least is LEAST else ())
    return Shades(board=ground, **found)
