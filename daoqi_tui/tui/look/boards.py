"""The board themes: the palette of each board, and the frame made for it (the colours around the board).

In every theme black stones, white stones and the board differ in brightness, not only in hue.
"""

from __future__ import annotations

from typing import Final

from textual.color import Color as TextualColor
from textual.theme import Theme

from daoqi_tui.tui.look.palette import KAYA, RGB, Palette, Shades, board_of, readable, written

SLATE: Final = board_of(
    Shades(
        board=(104, 118, 130),
        line=(38, 48, 58),
        seam=(250, 196, 128),
        black=(16, 18, 22),
        black_shine=(64, 70, 78),
        white=(246, 248, 250),
        white_shade=(188, 197, 206),
        black_ghost=(62, 71, 80),
        white_ghost=(172, 182, 191),
        cursor=(255, 216, 112),
        last=(222, 78, 36),
        chain=(132, 150, 166),
        liberty=(166, 232, 255),
        black_area=(34, 40, 48),
        white_area=(232, 239, 246),
        refused=(92, 0, 22),
        label=(186, 200, 213),
        label_mark=(255, 224, 140),
    ),
    "slate",
    copies=(58, 67, 76),
    frame=(20, 24, 28),
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
    copies=(190, 181, 164),
    frame=(244, 240, 230),
    share=0.5,
)

NIGHT: Final = board_of(
    Shades(
        board=(84, 95, 122),
        line=(28, 33, 45),
        seam=(190, 164, 232),
        black=(5, 6, 9),
        black_shine=(44, 50, 64),
        white=(222, 228, 240),
        white_shade=(166, 174, 194),
        black_ghost=(40, 46, 60),
        white_ghost=(160, 168, 186),
        cursor=(255, 222, 96),
        last=(206, 62, 50),
        chain=(106, 120, 152),
        liberty=(130, 212, 246),
        black_area=(12, 14, 20),
        white_area=(210, 217, 232),
        refused=(255, 156, 190),
        label=(140, 150, 176),
        label_mark=(246, 214, 140),
    ),
    "night",
    copies=(46, 53, 70),
    frame=(11, 13, 19),
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
    copies=(58, 82, 66),
    frame=(15, 23, 19),
)

CONTRAST: Final = board_of(
    Shades(
        board=(118, 118, 118),
        line=(52, 52, 52),
        seam=(255, 255, 0),
        black=(0, 0, 0),
        black_shine=(58, 58, 58),
        white=(255, 255, 255),
        white_shade=(196, 196, 196),
        black_ghost=(56, 56, 56),
        white_ghost=(192, 192, 192),
        cursor=(255, 255, 0),
        last=(255, 0, 0),
        chain=(150, 150, 96),
        liberty=(255, 255, 0),
        black_area=(0, 0, 0),
        white_area=(255, 255, 255),
        refused=(96, 0, 0),
        label=(255, 255, 255),
        label_mark=(255, 255, 0),
    ),
    "contrast",
    copies=(52, 52, 52),
    frame=(0, 0, 0),
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
    copies=(108, 90, 62),
    frame=(16, 21, 28),
)
"""Signs are blue on yellow-brown, which are distinct with red-green colour blindness (Okabe and Ito, 2002)."""

BOARDS: Final = {board.name: board for board in (KAYA, SLATE, PAPER, NIGHT, JADE, CONTRAST, DEUTERANOPIA)}


_BLACK: Final[RGB] = (0, 0, 0)
_GREY: Final[RGB] = (85, 85, 85)
_SILVER: Final[RGB] = (170, 170, 170)
_WHITE: Final[RGB] = (255, 255, 255)
_RED: Final[RGB] = (170, 0, 0)
_BROWN: Final[RGB] = (170, 85, 0)
_GREEN: Final[RGB] = (0, 170, 0)
_BLUE: Final[RGB] = (0, 0, 170)
_CYAN: Final[RGB] = (0, 170, 170)
_LIGHT_RED: Final[RGB] = (255, 85, 85)
_LIGHT_BLUE: Final[RGB] = (85, 85, 255)
_LIGHT_CYAN: Final[RGB] = (85, 255, 255)
_YELLOW: Final[RGB] = (255, 255, 85)
_MAGENTA: Final[RGB] = (255, 85, 255)

_PALE: Final = (_SILVER, _WHITE)

DARK: Final = "sixteen"
LIGHT: Final = "sixteen-light"
"""The frames around dark and light boards in sixteen colours."""


class _Unmixed(Shades):
    """Shades that cannot be mixed: only the size of a mark shows how certain an owner is."""

    __slots__ = ()

    def _towards(self, area: RGB, share: float) -> RGB:  # noqa: ARG002 (there is nothing between)
        return area


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
    light: bool = False,
) -> Palette:
    """Return a board in sixteen colours, given its ground, the ground of its copies, and the colours of its signs."""
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
        label_mark=liberty,
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
    return Palette(LIGHT if light else DARK, bright, dim, _WHITE if light else _BLACK)


BOARDS16: Final = {
    # Some terminals show this brown as yellow.
    "kaya": _board(_BROWN, _GREY, cursor=_BLACK),
    "slate": _board(_LIGHT_BLUE, _GREY),
    "paper": _board(
        _SILVER,
        _WHITE,
        line=_GREY,
        copied_line=_SILVER,
        seam=_RED,
        cursor=_BLUE,
        chain=_YELLOW,
        liberty=_BLUE,
        refused=_RED,
        light=True,
    ),
    "night": _board(_LIGHT_BLUE, _BLACK, copied_line=_GREY, seam=_LIGHT_CYAN),
    "jade": _board(_GREEN, _GREY, cursor=_BLUE, liberty=_BLUE),
    "contrast": _board(
        _SILVER, _BLACK, copied_line=_GREY, seam=_BLUE, cursor=_BLUE, chain=_YELLOW, liberty=_BLUE, refused=_RED
    ),
    "deuteranopia": _board(
        _SILVER,
        _GREY,
        line=_GREY,
        seam=_BLUE,
        cursor=_BLUE,
        last=_LIGHT_BLUE,
        chain=_YELLOW,
        liberty=_BLUE,
        refused=_RED,
    ),
}
"""The boards in sixteen colours, by name."""

FRAME_PREFIX: Final = "daoqi-"


def _frame(
    name: str,
    *,
    background: str,
    surface: str,
    panel: str,
    foreground: str,
    primary: str,
    secondary: str,
    accent: str,
    error: str = "#f08060",
    dark: bool = True,
    faint: str = "",
    focused: str = "",
) -> Theme:
    """Return a frame as a Textual theme.

    ``faint`` is the colour of muted text, ``focused`` the background of a field with the focus; if empty, they are
    derived from the other colours.
    """
    grounds = tuple(TextualColor.parse(colour).rgb for colour in (background, surface))
    ink = TextualColor.parse(foreground).rgb
    return Theme(
        name=FRAME_PREFIX + name,
        background=background,
        surface=surface,
        panel=panel,
        foreground=foreground,
        primary=primary,
        secondary=secondary,
        accent=accent,
        warning=accent,
        error=error,
        success=secondary,
        dark=dark,
        variables={
            "text-muted": faint or written(readable(ink, grounds, 0.6, 4.5)),
            "text-disabled": faint or written(readable(ink, grounds, 0.38, 3.0)),
            **({"focused": focused} if focused else {}),
        },
    )


FRAMES: Final = {
    theme.name.removeprefix(FRAME_PREFIX): theme
    for theme in (
        _frame(
            "kaya",
            background="#18140f",
            surface="#2a221a",
            panel="#4a3826",
            foreground="#eae0c4",
            primary="#b0582a",
            secondary="#8b7046",
            accent="#e2a45c",
        ),
        _frame(
            "slate",
            background="#14181c",
            surface="#20262c",
            panel="#36414b",
            foreground="#dbe3ea",
            primary="#3f6f93",
            secondary="#6b8296",
            accent="#8fc7ee",
        ),
        _frame(
            "paper",
            background="#f4f0e6",
            surface="#e6dfcf",
            panel="#d3c9b4",
            foreground="#2e2a24",
            primary="#a04a2c",
            secondary="#8a7d66",
            accent="#964020",
            error="#a81c1c",
            dark=False,
        ),
        _frame(
            "night",
            background="#0b0d13",
            surface="#151925",
            panel="#283048",
            foreground="#b9c1d4",
            primary="#3a4a86",
            secondary="#55607e",
            accent="#8d9ddf",
        ),
        _frame(
            "jade",
            background="#0f1713",
            surface="#1a2720",
            panel="#2f4639",
            foreground="#dcebdf",
            primary="#2f7a56",
            secondary="#6a8f79",
            accent="#86d3a8",
        ),
        _frame(
            "contrast",
            background="#000000",
            surface="#1a1a1a",
            panel="#404040",
            foreground="#ffffff",
            primary="#0050d0",
            secondary="#ffffff",
            accent="#ffff00",
            error="#ff9090",
        ),
        _frame(
            "deuteranopia",
            background="#10151c",
            surface="#1b2430",
            panel="#304156",
            foreground="#e8e6df",
            primary="#0072b2",
            secondary="#6f8194",
            accent="#e69f00",
            error="#f0e442",
        ),
        _frame(
            "sixteen",
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
        ),
        _frame(
            "sixteen-light",
            background="#ffffff",
            surface="#aaaaaa",
            panel="#ffffff",
            foreground="#000000",
            primary="#0000aa",
            secondary="#555555",
            accent="#0000aa",
            error="#aa0000",
            dark=False,
            faint="#555555",
            focused="#ffff55",
        ),
    )
}
"""The frames by the board they were made for; those called ``sixteen`` are for terminals with sixteen colours."""
