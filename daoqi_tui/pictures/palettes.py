"""The colours of boards: the palette of each board theme, in all colours and in sixteen.

In every theme black stones, white stones and the board differ in brightness, not only in hue.
"""

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final, NamedTuple

from daoqi_tui.message import Message

RGB = tuple[int, int, int]
GRADES: Final = ("good", "inaccuracy", "mistake", "blunder")
"""The colours of graded moves, by their grade."""


class Shades(NamedTuple):
    """Colours of one brightness, each as ``(red, green, blue)`` from 0 to 255."""

    board: RGB
    line: RGB
    seam: RGB
    black: RGB
    black_shine: RGB
    white: RGB
    white_shade: RGB
    black_ghost: RGB
    white_ghost: RGB
    cursor: RGB
    last: RGB
    chain: RGB
    liberty: RGB
    black_area: RGB
    white_area: RGB
    refused: RGB
    label: RGB
    label_mark: RGB
    good: RGB = (95, 175, 255)
    inaccuracy: RGB = (215, 215, 95)
    mistake: RGB = (255, 175, 0)
    blunder: RGB = (255, 95, 95)
    graded: RGB = (16, 16, 16)
    """The ink on the colours of the grades of moves, which are distinct with red-green colour blindness, too."""

    @property
    def white_fill(self) -> RGB:
        """The fill of White's stones in pixels; in characters they may be rings in Black's ink."""
        return self.white_shade if self.white == self.black else self.white

    @property
    def white_ghost_fill(self) -> RGB:
        return self.white_shade if self.white == self.black else self.white_ghost

    @property
    def white_area_fill(self) -> RGB:
        return self.white_shade if self.white_area == self.black_area else self.white_area

    @property
    def on_refused(self) -> RGB:
        """The ink on a point where a play was refused."""
        return max(self.black, self.white_fill, key=lambda ink: contrast(ink, self.refused))

    @property
    def on_cursor(self) -> RGB:
        return max(self.black, self.white_fill, key=lambda ink: contrast(ink, self.cursor))

    @property
    def on_label(self) -> RGB:
        """The ink of a label on an empty point, which is written on a plate in the colour ``label_mark``."""
        return max(self.black, self.white_fill, key=lambda ink: contrast(ink, self.label_mark))

    @property
    def black_faint(self) -> RGB:
        """The colour of points that are more likely Black's than not."""
        return self._towards(self.black_area, 0.45)

    @property
    def black_fair(self) -> RGB:
        """The colour of points that are probably Black's."""
        return self._towards(self.black_area, 0.72)

    @property
    def white_faint(self) -> RGB:
        """The colour of points that are more likely White's than not."""
        return self._towards(self.white_area, 0.45)

    @property
    def white_fair(self) -> RGB:
        """The colour of points that are probably White's."""
        return self._towards(self.white_area, 0.72)

    @property
    def black_beside(self) -> RGB:
        """The ground of a number on every other black stone, where neighbouring numbers touch."""
        return blend(self.black, self.white_fill, 0.24)

    @property
    def white_beside(self) -> RGB:
        """The ground of a number on every other white stone, where neighbouring numbers touch."""
        return blend(self.white_fill, self.black, 0.24)

    def _towards(self, area: RGB, share: float) -> RGB:
        return blend(self.board, area, share)


class Interface(NamedTuple):
    """The colours of panes, dialogs and text around a board.

    Attributes:
        faint: the colour of muted text; by default foreground and background are mixed.
        focused: the background of a field with the focus; by default as ``primary``.
    """

    background: RGB
    surface: RGB
    panel: RGB
    foreground: RGB
    primary: RGB
    secondary: RGB
    accent: RGB
    error: RGB = (240, 128, 96)
    faint: RGB | None = None
    focused: RGB | None = None

    @property
    def dark(self) -> bool:
        return _luminance(self.background) < _luminance(self.foreground)


def interface(**colours: str) -> Interface:
    """Return an interface, given its colours as ``#rrggbb``."""
    return Interface(**{name: rgb(colour) for name, colour in colours.items()})


def rgb(colour: str) -> RGB:
    """Parse a colour written ``#rrggbb``.

    Raises:
        ValueError: it is none.
    """
    if len(colour) != 7 or not colour.startswith("#"):
        raise ValueError(colour)
    # Also raised for what are not six digits.
    red, green, blue = bytes.fromhex(colour[1:])
    return red, green, blue


class Palette(NamedTuple):
    """The colours of a board, bright and dimmed, and of its surroundings.

    Attributes:
        frame: the colour around the board.
        interface: the colours of all else on the screen, with the name `name`.
        plain: whether the board is drawn without colours, the copies dim; the shades are not used then.
        grain: the strength of the wood's grain when drawn in pixels, 0 for stone and paper.
        shade: the colour in whose shade the copies lie: darker than the board, but lighter than black stones, since
            nothing darkens those.
        near: the share of that colour in every colour of a copy next to the bright period.
        copies: the colours of the copies, where they are not the bright ones in that shade.
    """

    name: str
    bright: Shades
    frame: RGB
    interface: Interface
    plain: bool = False
    grain: float = 0.0
    shade: RGB = (0, 0, 0)
    near: float = 0.0
    copies: Shades | None = None

    @property
    def dim(self) -> Shades:
        """The colours of the copies; they are mixed when they are first asked for, since most boards are not shown."""
        return self.copies or _copied(self.bright, self.shade, self.near, self.frame)

    @property
    def dimming(self) -> tuple[float, ...]:
        """The share of the shade at each step, from the bright period (0) to where nothing is shown (1)."""
        return _dimming(self.near * _SEAM, self.near, self.near + (1 - self.near) * _FALL)

    @property
    def dimming_colours(self) -> tuple[RGB, ...]:
        """The colour of the shade at each step: beyond the copies it is that of the frame."""
        return (*(self.shade,) * STEPS, self.frame)


STEPS: Final = 24
"""The number of steps in which the light falls off with the distance from the bright period, itself included."""
_SEAM: Final = 0.5
"""The part of the shade that begins at the seam itself; the rest follows within the first point of a copy."""
_FALL: Final = 0.35
"""The share of the remaining light that is lost with distance."""
_LABEL: Final = 0.85
"""The share of the colour of text in coordinates."""
_NAMES_NEAR, _NAMES_FAR = 0.47, 0.72
"""The share of the frame in the names beside the copies."""


def _dimming(first: float, near: float, far: float) -> tuple[float, ...]:
    half = STEPS // 2
    rising = (first + (near - first) * step / half for step in range(half))
    falling = (near + (far - near) * step / (half - 2) for step in range(half - 1))
    return (0.0, *rising, *falling, 1.0)


NAMES_DIMMING: Final = _dimming(_NAMES_NEAR, _NAMES_NEAR, _NAMES_FAR)
"""The share of the frame in the names beside the copies at each step."""


def blend(colour: RGB, other: RGB, share: float) -> RGB:
    (red, green, blue), (to_red, to_green, to_blue) = colour, other
    return (
        round(red + (to_red - red) * share),
        round(green + (to_green - green) * share),
        round(blue + (to_blue - blue) * share),
    )


def contrast(one: RGB, other: RGB) -> float:
    """Return the contrast of two colours by WCAG 2: 1 for the same, 21 for black and white."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@lru_cache(maxsize=1024)
def _luminance(colour: RGB) -> float:
    red, green, blue = map(_linear, colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@lru_cache(maxsize=256)
def _linear(channel: int) -> float:
    value = channel / 255
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


LEAST: Final[Mapping[str, float]] = MappingProxyType(
    {
        "black": 3.0,
        "white_fill": 3.0,
        "line": 2.5,
        "seam": 2.5,
        "cursor": 3.0,
        "liberty": 3.0,
        "refused": 3.0,
        "label_mark": 3.0,
    }
)
"""The minimum contrast of each element with the bright board, by WCAG 2."""
LEAST_DIMMED: Final[Mapping[str, float]] = MappingProxyType({"board": 1.5, "black": 1.5, "white_fill": 1.5})
"""The minimum contrast of the board and the stones with their own copies."""
LEAST_ON_COPIES: Final[Mapping[str, float]] = MappingProxyType(
    {"black": 1.5, "white_fill": 1.5, "line": 1.5, "seam": 1.5}
)
"""The same on the copies: dimmed, but visible."""
LEAST_ON_STONES: Final = 3.0
"""The minimum contrast of the mark of the last move with the stones of both players."""
LEAST_BETWEEN_STONES: Final = 6.0
LEAST_OF_TEXT: Final = 4.5
"""The minimum contrast of text and coordinates with what they are written on."""
_SPARE: Final = 0.1
"""The additional contrast for copies, since colours are rounded."""


def dimmed(shades: Shades, shade: RGB, share: float) -> Shades:
    """Put all colours in the shade, as pictures do, but lines only as far as they remain visible in characters."""
    mixed = {field: blend(getattr(shades, field), shade, share) for field in Shades._fields}
    for field in ("line", "seam"):
        end = _end_of(getattr(shades, field), shades.board)
        steps = (blend(mixed[field], end, percent / 100) for percent in range(101))
        wanted = LEAST_ON_COPIES[field] + _SPARE
        mixed[field] = next((colour for colour in steps if contrast(colour, mixed["board"]) >= wanted), end)
    return Shades(**mixed)


@lru_cache(maxsize=64)
def _copied(bright: Shades, shade: RGB, near: float, frame: RGB) -> Shades:
    return dimmed(bright, shade, near)._replace(label=blend(bright.label, frame, _NAMES_NEAR))


_BLACK: Final[RGB] = (0, 0, 0)
_WHITE: Final[RGB] = (255, 255, 255)


def _end_of(colour: RGB, board: RGB) -> RGB:
    """Return black for a colour that is darker than its board, else white."""
    return _BLACK if _luminance(colour) < _luminance(board) else _WHITE


def board_of(bright: Shades, name: str, shade: RGB, near: float, colours: Interface) -> Palette:
    """Return a board with these bright shades, with its copies in the shade, and framed by its interface."""
    return Palette(name, bright, colours.background, colours, shade=shade, near=near)


def framed(palette: Palette, background: RGB, foreground: RGB) -> Palette:
    """Return a board in a frame of other colours, with readable coordinates."""
    label = blend(background, foreground, _LABEL)
    return palette._replace(
        frame=background,
        bright=palette.bright._replace(label=label),
        copies=palette.copies and palette.copies._replace(label=blend(label, background, _NAMES_NEAR)),
    )


KAYA: Final = board_of(
    Shades(
        board=(184, 140, 80),
        line=(98, 68, 30),
        seam=(142, 30, 12),
        black=(18, 18, 22),
        black_shine=(70, 70, 78),
        white=(255, 254, 250),
        white_shade=(214, 208, 198),
        black_ghost=(84, 66, 42),
        white_ghost=(226, 203, 168),
        cursor=(22, 30, 136),
        last=(214, 64, 44),
        chain=(214, 172, 108),
        liberty=(8, 66, 96),
        black_area=(62, 42, 18),
        white_area=(255, 250, 236),
        refused=(132, 0, 24),
        label=(226, 200, 150),
        label_mark=(12, 40, 110),
    ),
    "kaya",
    shade=(110, 84, 48),
    near=0.62,
    colours=interface(
        background="#181410",
        surface="#2a221a",
        panel="#4a3826",
        foreground="#eae0c4",
        primary="#b0582a",
        secondary="#8b7046",
        accent="#e2a45c",
    ),
)._replace(grain=0.07)

SLATE: Final = board_of(
    Shades(
        board=(118, 133, 147),
        line=(38, 48, 58),
        seam=(255, 212, 156),
        black=(16, 18, 22),
        black_shine=(64, 70, 78),
        white=(246, 248, 250),
        white_shade=(188, 197, 206),
        black_ghost=(62, 71, 80),
        white_ghost=(172, 182, 191),
        cursor=(255, 236, 164),
        last=(222, 78, 36),
        chain=(132, 150, 166),
        liberty=(190, 240, 255),
        black_area=(34, 40, 48),
        white_area=(232, 239, 246),
        refused=(92, 0, 22),
        label=(186, 200, 213),
        label_mark=(255, 234, 168),
    ),
    "slate",
    shade=(72, 81, 90),
    near=0.69,
    colours=interface(
        background="#14181c",
        surface="#20262c",
        panel="#36414b",
        foreground="#dbe3ea",
        primary="#3f6f93",
        secondary="#6b8296",
        accent="#8fc7ee",
    ),
)

PAPER: Final = board_of(
    Shades(
        board=(156, 146, 127),
        line=(84, 76, 62),
        seam=(132, 36, 10),
        black=(24, 23, 22),
        black_shine=(92, 88, 84),
        white=(255, 255, 255),
        white_shade=(222, 216, 204),
        black_ghost=(78, 72, 62),
        white_ghost=(212, 205, 193),
        cursor=(16, 36, 128),
        last=(206, 52, 36),
        chain=(190, 176, 140),
        liberty=(8, 62, 104),
        black_area=(52, 48, 42),
        white_area=(255, 255, 252),
        refused=(128, 0, 22),
        label=(74, 67, 56),
        label_mark=(10, 40, 108),
    ),
    "paper",
    shade=(96, 89, 77),
    near=0.67,
    colours=interface(
        background="#f4f0e6",
        surface="#e6dfcf",
        panel="#d3c9b4",
        foreground="#2e2a24",
        primary="#a04a2c",
        secondary="#8a7d66",
        accent="#964020",
        error="#a81c1c",
    ),
)

NIGHT: Final = board_of(
    Shades(
        board=(102, 116, 149),
        line=(28, 33, 45),
        seam=(214, 194, 246),
        black=(2, 3, 6),
        black_shine=(30, 34, 44),
        white=(222, 228, 240),
        white_shade=(166, 174, 194),
        black_ghost=(40, 46, 60),
        white_ghost=(160, 168, 186),
        cursor=(255, 222, 96),
        last=(206, 62, 50),
        chain=(106, 120, 152),
        liberty=(164, 226, 252),
        black_area=(12, 14, 20),
        white_area=(210, 217, 232),
        refused=(255, 200, 220),
        label=(140, 150, 176),
        label_mark=(246, 214, 140),
    ),
    "night",
    shade=(61, 70, 89),
    near=0.7,
    colours=interface(
        background="#0b0d13",
        surface="#151925",
        panel="#283048",
        foreground="#b9c1d4",
        primary="#3a4a86",
        secondary="#55607e",
        accent="#8d9ddf",
    ),
)

JADE: Final = board_of(
    Shades(
        board=(98, 136, 110),
        line=(34, 58, 42),
        seam=(250, 222, 150),
        black=(10, 18, 14),
        black_shine=(62, 78, 70),
        white=(248, 252, 247),
        white_shade=(196, 210, 198),
        black_ghost=(48, 70, 56),
        white_ghost=(180, 203, 186),
        cursor=(255, 232, 130),
        last=(222, 74, 40),
        chain=(128, 168, 138),
        liberty=(196, 240, 255),
        black_area=(18, 34, 24),
        white_area=(244, 252, 244),
        refused=(96, 0, 20),
        label=(176, 206, 186),
        label_mark=(255, 240, 180),
    ),
    "jade",
    shade=(61, 85, 69),
    near=0.72,
    colours=interface(
        background="#0f1713",
        surface="#1a2720",
        panel="#2f4639",
        foreground="#dcebdf",
        primary="#2f7a56",
        secondary="#6a8f79",
        accent="#86d3a8",
    ),
)

CONTRAST: Final = board_of(
    Shades(
        board=(118, 118, 118),
        line=(52, 52, 52),
        seam=(120, 240, 120),
        black=(0, 0, 0),
        black_shine=(58, 58, 58),
        white=(255, 255, 255),
        white_shade=(196, 196, 196),
        black_ghost=(56, 56, 56),
        white_ghost=(192, 192, 192),
        cursor=(255, 255, 0),
        last=(255, 0, 0),
        chain=(150, 150, 96),
        liberty=(0, 255, 255),
        black_area=(0, 0, 0),
        white_area=(255, 255, 255),
        refused=(96, 0, 0),
        label=(255, 255, 255),
        label_mark=(255, 255, 0),
    ),
    "contrast",
    shade=(70, 70, 70),
    near=0.75,
    colours=interface(
        background="#000000",
        surface="#1a1a1a",
        panel="#404040",
        foreground="#ffffff",
        primary="#0050d0",
        secondary="#ffffff",
        accent="#ffff00",
        error="#ff9090",
    ),
)
"""Black and white stones stand out equally: both have a contrast of 4.6 to 1 with the board (WCAG 2)."""

DEUTERANOPIA: Final = board_of(
    Shades(
        board=(172, 141, 93),
        line=(92, 72, 40),
        seam=(0, 56, 112),
        black=(16, 16, 20),
        black_shine=(72, 74, 84),
        white=(255, 254, 250),
        white_shade=(216, 210, 200),
        black_ghost=(80, 67, 48),
        white_ghost=(224, 208, 180),
        cursor=(0, 42, 140),
        last=(0, 116, 196),
        chain=(206, 175, 116),
        liberty=(0, 62, 118),
        black_area=(58, 44, 24),
        white_area=(255, 252, 240),
        refused=(108, 8, 0),
        label=(214, 206, 190),
        label_mark=(0, 42, 112),
    ),
    "deuteranopia",
    shade=(95, 87, 69),
    near=0.61,
    colours=interface(
        background="#10151c",
        surface="#1b2430",
        panel="#304156",
        foreground="#e8e6df",
        primary="#0072b2",
        secondary="#6f8194",
        accent="#e69f00",
        error="#f0e442",
    ),
)
"""Signs are blue on yellow-brown, which are distinct with red-green colour blindness (Okabe and Ito, 2002)."""

BOARDS: Final = {board.name: board for board in (KAYA, SLATE, PAPER, NIGHT, JADE, CONTRAST, DEUTERANOPIA)}
"""The boards by name; those that :func:`add_board` adds are the user's own."""


_GREY: Final[RGB] = (85, 85, 85)
_SILVER: Final[RGB] = (170, 170, 170)
_RED: Final[RGB] = (170, 0, 0)
_BROWN: Final[RGB] = (170, 85, 0)
_GREEN: Final[RGB] = (0, 170, 0)
_BLUE: Final[RGB] = (0, 0, 170)
_CYAN: Final[RGB] = (0, 170, 170)
_DARK_MAGENTA: Final[RGB] = (170, 0, 170)
_LIGHT_GREEN: Final[RGB] = (85, 255, 85)
_LIGHT_RED: Final[RGB] = (255, 85, 85)
_LIGHT_BLUE: Final[RGB] = (85, 85, 255)
_LIGHT_CYAN: Final[RGB] = (85, 255, 255)
_YELLOW: Final[RGB] = (255, 255, 85)
_MAGENTA: Final[RGB] = (255, 85, 255)

_PALE: Final = (_SILVER, _WHITE)

_DARK16: Final = interface(
    background="#000000",
    surface="#555555",
    panel="#000000",
    foreground="#ffffff",
    primary="#0000aa",
    secondary="#aaaaaa",
    accent="#ffff55",
    error="#ff5555",
    faint="#aaaaaa",
    focused="#0000aa",
)
_LIGHT16: Final = interface(
    background="#ffffff",
    surface="#aaaaaa",
    panel="#ffffff",
    foreground="#000000",
    primary="#0000aa",
    secondary="#555555",
    accent="#0000aa",
    error="#aa0000",
    faint="#555555",
    focused="#ffff55",
)


class _Unmixed(Shades):
    """Shades that cannot be mixed: only the size of a mark shows how certain an owner is."""

    __slots__ = ()

    def _towards(self, area: RGB, share: float) -> RGB:  # noqa: ARG002 (there is nothing between)
        return area

    @property
    def black_beside(self) -> RGB:
        return self.black

    @property
    def white_beside(self) -> RGB:
        return self.white_fill


def _board(
    ground: RGB,
    copies: RGB,
    *,
    line: RGB = _BLACK,
    copied_line: RGB = _BLACK,
    seam: RGB = _YELLOW,
    cursor: RGB = _YELLOW,
    last: RGB = _LIGHT_RED,
    chain: RGB = _CYAN,
    liberty: RGB = _LIGHT_CYAN,
    refused: RGB = _WHITE,
    label_mark: RGB | None = None,
    light: bool = False,
) -> Palette:
    """Return a board in sixteen colours, given its ground, the ground of its copies, and the colours of its signs.

    Cursor, liberties and seam differ on each board, though on a silver ground few colours are seen.
    """
    # A white ring would be invisible on a pale ground, and on the brown and green of some terminals, so it is black
    # there, as in print.
    white = _WHITE if ground == _LIGHT_BLUE else _BLACK
    bright = _Unmixed(
        board=ground,
        line=line,
        seam=seam,
        black=_BLACK,
        black_shine=_BLACK,
        white=white,
        white_shade=_WHITE,
        black_ghost=_GREY,
        white_ghost=_GREY if ground in _PALE else _SILVER,
        cursor=cursor,
        last=last,
        chain=chain,
        liberty=liberty,
        black_area=_BLACK,
        white_area=white,
        refused=refused,
        label=_BLACK if light else _WHITE,
        label_mark=label_mark or liberty,
        good=_LIGHT_CYAN,
        inaccuracy=_YELLOW,
        mistake=_LIGHT_RED,
        blunder=_MAGENTA,
        graded=_BLACK,
    )
    black = _BLACK if copies == _GREY else _GREY
    white = _GREY if copies in _PALE else _SILVER
    dim = bright._replace(
        board=copies,
        line=copied_line,
        black=black,
        black_shine=black,
        white=white,
        white_shade=_SILVER,
        black_ghost=black,
        white_ghost=white,
        chain=_BLUE if copies != _BLUE else _CYAN,
        black_area=black,
        white_area=white,
        label=_GREY if light else _SILVER,
    )
    name, colours = ("sixteen-light", _LIGHT16) if light else ("sixteen", _DARK16)
    return Palette(name, bright, colours.background, colours, shade=copies, near=0.6, copies=dim)


BOARDS16: Final = {
    # Some terminals show this brown as yellow.
    "kaya": _board(_BROWN, _GREY, cursor=_BLACK),
    "slate": _board(_LIGHT_BLUE, _GREY, seam=_LIGHT_GREEN),
    "paper": _board(
        _SILVER,
        _WHITE,
        line=_GREY,
        copied_line=_SILVER,
        seam=_DARK_MAGENTA,
        cursor=_BLUE,
        chain=_YELLOW,
        liberty=_RED,
        refused=_RED,
        label_mark=_BLUE,
        light=True,
    ),
    "night": _board(_LIGHT_BLUE, _BLACK, copied_line=_GREY, seam=_LIGHT_GREEN),
    "jade": _board(_GREEN, _GREY, cursor=_BLUE, liberty=_WHITE, label_mark=_BLUE),
    "contrast": _board(
        _SILVER,
        _BLACK,
        copied_line=_GREY,
        seam=_DARK_MAGENTA,
        cursor=_BLUE,
        chain=_YELLOW,
        liberty=_RED,
        refused=_RED,
        label_mark=_BLUE,
    ),
    "deuteranopia": _board(
        _SILVER,
        _GREY,
        line=_GREY,
        seam=_BLACK,
        cursor=_BLUE,
        last=_LIGHT_BLUE,
        chain=_YELLOW,
        liberty=_RED,
        refused=_RED,
        label_mark=_BLUE,
    ),
}


# Boards of the user's own.

_TABLES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "wood": ("board", "copies", "dim", "grain"),
        "lines": ("line", "seam", "label"),
        "stones": (
            *("black", "black_shine", "black_ghost", "black_area"),
            *("white", "white_shade", "white_ghost", "white_area"),
        ),
        "marks": (
            *("cursor", "last", "chain", "liberty", "refused", "label_mark"),
            *(*GRADES, "graded"),
        ),
        "interface": ("background", "surface", "panel", "foreground", "primary", "secondary", "accent", "error"),
    }
)
"""What each table of a theme's file may set: fields of :class:`Shades` and :class:`Interface`, and of the copies."""


def read_board(name: str, tree: Mapping[str, object]) -> Palette:
    """Return the board that a parsed file describes; what it leaves out is as on the board that it names as its base.

    Raises:
        ValueError: it has an unknown name or a wrong value, or something would be hard to see; with a message.
    """
    base = BOARDS.get(str(tree.get("base", KAYA.name)))
    if base is None:
        raise ValueError(Message("base is none of these themes: {themes}", themes=", ".join(BOARDS)))
    colours: dict[str, RGB] = {}
    shares = {"dim": base.near, "grain": base.grain}
    for table, entries in tree.items():
        if table in ("base", "label"):
            continue
        if table not in _TABLES or not isinstance(entries, Mapping):
            allowed = ", ".join(("base", "label", *(f"[{each}]" for each in _TABLES)))
            raise ValueError(Message("a theme has no {name}: {allowed}", name=table, allowed=allowed))
        for field, value in entries.items():
            if field not in _TABLES[table]:
                allowed = ", ".join(_TABLES[table])
                raise ValueError(Message("a theme has no {name}: {allowed}", name=f"{table}.{field}", allowed=allowed))
            if field in shares:
                shares[field] = _share(f"{table}.{field}", value)
            else:
                colours[field] = _colour(f"{table}.{field}", value)
    set_here = colours.items()
    bright = base.bright._replace(**{field: colour for field, colour in set_here if field in Shades._fields})
    around = base.interface._replace(**{field: colour for field, colour in set_here if field in Interface._fields})
    if "label" not in colours:
        bright = bright._replace(label=blend(around.background, around.foreground, _LABEL))
    board = board_of(bright, name, colours.get("copies", base.shade), shares["dim"], around)
    _check_contrast(board)
    return board._replace(grain=shares["grain"])


def _colour(name: str, value: object) -> RGB:
    try:
        return rgb(value) if isinstance(value, str) else rgb("")
    except ValueError:
        raise ValueError(Message('{name} is not a colour such as "#b88c50"', name=name)) from None


def _share(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError(Message("{name} is not a number from 0 to 1", name=name))
    return float(value)


def _check_contrast(board: Palette) -> None:
    """Require of a board what the tests require of those built in.

    Raises:
        ValueError: something would be hard to see; the message names the first.
    """
    names = {field: f"{table}.{field}" for table, fields in _TABLES.items() for field in fields}
    names["white_fill"] = "stones.white"
    bright, dim, around = board.bright, board.dim, board.interface
    if not _luminance(bright.black) < _luminance(bright.board) < _luminance(bright.white):
        raise ValueError(Message("stones.black has to be darker than wood.board, and stones.white lighter"))
    copied = {field: Message("{name} on the copies", name=name) for field, name in names.items()}
    stones = (("black", bright.black), ("white", bright.white))
    pairs: list[tuple[object, object, RGB, RGB, float]] = [
        *((names[each], names["board"], getattr(bright, each), bright.board, least) for each, least in LEAST.items()),
        *(
            (names[each], copied[each], getattr(bright, each), getattr(dim, each), n)
            for each, n in LEAST_DIMMED.items()
        ),
        *(
            (copied[each], copied["board"], getattr(dim, each), dim.board, least)
            for each, least in LEAST_ON_COPIES.items()
        ),
        *((names["last"], names[each], bright.last, stone, LEAST_ON_STONES) for each, stone in stones),
        (names["black"], names["white"], bright.black, bright.white, LEAST_BETWEEN_STONES),
        (names["label"], names["background"], bright.label, board.frame, LEAST_OF_TEXT),
        *(
            (names["foreground"], names[each], around.foreground, getattr(around, each), LEAST_OF_TEXT)
            for each in ("background", "surface")
        ),
    ]
    for one, other, colour, ground, least in pairs:
        if (found := contrast(colour, ground)) < least:
            raise ValueError(
                Message(
                    "the contrast of {one} and {other} is {found}:1 and has to be at least {least}:1",
                    one=one,
                    other=other,
                    found=f"{int(found * 100) / 100:g}",
                    least=f"{least:g}",
                )
            )


def add_board(board: Palette) -> None:
    """Add a board to those there are; in 16 colours it is the one of the most similar colour."""

    def distance(name: str) -> int:
        return sum((a - b) ** 2 for a, b in zip(BOARDS[name].bright.board, board.bright.board, strict=True))

    BOARDS16[board.name] = BOARDS16[min(BOARDS, key=distance)]
    BOARDS[board.name] = board
