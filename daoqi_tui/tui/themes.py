"""Boards to choose from, and a frame for each: the colours of everything around the board, as a Textual theme.

Boards and frames are chosen apart; ``auto`` takes the frame that was made for the board.
"""

from __future__ import annotations

from typing import Final, Literal

from textual.color import Color
from textual.theme import BUILTIN_THEMES, Theme

from daoqi_tui.i18n import N_
from daoqi_tui.tui.boards import BOARDS
from daoqi_tui.tui.palette import KAYA, Palette, framed

Colours = Literal["none", "sixteen", "many"]
"""How many colours a terminal has; 256 are many."""

BOARD_LABELS: Final = {
    "kaya": N_("Kaya wood"),
    "slate": N_("Slate"),
    "paper": N_("Paper"),
    "night": N_("Night"),
    "jade": N_("Jade"),
    "contrast": N_("High contrast"),
    "deuteranopia": N_("Without red and green"),
}

_PREFIX: Final = "daoqi-"


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
) -> Theme:
    return Theme(
        name=_PREFIX + name,
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
    )


FRAMES: Final = {
    theme.name.removeprefix(_PREFIX): theme
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
            panel="#0000aa",
            foreground="#ffffff",
            primary="#0000aa",
            secondary="#aaaaaa",
            accent="#ffff55",
            error="#ff5555",
        ),
        _frame(
            "sixteen-light",
            background="#ffffff",
            surface="#aaaaaa",
            panel="#aaaaaa",
            foreground="#000000",
            primary="#0000aa",
            secondary="#555555",
            accent="#0000aa",
            error="#aa0000",
            dark=False,
        ),
    )
}
"""By the name of the board they were made for; those called ``sixteen`` are for terminals of sixteen colours."""

FRAME_NAMES: Final = ("auto", *(name for name in FRAMES if name in BOARDS), *sorted(BUILTIN_THEMES))
"""What can be chosen; Textual's own themes come after ours."""


def frame_for(board: str, frame: str, colours: Colours) -> str:
    """Return the name of the Textual theme for a choice of board and frame."""
    if colours == "none":
        return "ansi-dark"
    if frame != "auto":
        return _PREFIX + frame if frame in FRAMES else frame
    return FRAMES[_board_of(board, colours).name].name


def palette_for(board: str, frame: Theme, colours: Colours) -> Palette:
    """Return the colours of a board within a frame."""
    if colours == "none":
        return KAYA._replace(name="plain", plain=True)
    palette = _board_of(board, colours)
    if frame.name == _PREFIX + palette.name:
        return palette
    background = Color.parse(frame.background or ("#121212" if frame.dark else "#efefef"))
    foreground = Color.parse(frame.foreground or ("#e0e0e0" if frame.dark else "#101010"))
    if background.ansi is not None or foreground.ansi is not None:
        # The terminal's own colours, which nobody knows here; the frame of the board is sure to fit it.
        return palette
    return framed(palette, background.rgb, foreground.rgb)


def _board_of(name: str, colours: Colours) -> Palette:
    """A board as a terminal of so many colours can show it; it is named after its frame."""
    if colours != "sixteen":
        return BOARDS[name]
    from daoqi_tui.tui.boards16 import BOARDS16  # noqa: PLC0415 (few terminals have so few)

    return BOARDS16[name]
