"""Every setting, once: its name, default, what is allowed and what it does are all read off this table."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from daoqi_tui.i18n import N_

Value = bool | int | float | str

LANGUAGES: Final = ("auto", "en", "zh")
BOARDS: Final = ("kaya", "slate", "paper", "night", "jade", "contrast", "deuteranopia")
TEXTUAL_THEMES: Final = (
    "ansi-dark",
    "ansi-light",
    "atom-one-dark",
    "atom-one-light",
    "catppuccin-frappe",
    "catppuccin-latte",
    "catppuccin-macchiato",
    "catppuccin-mocha",
    "dracula",
    "flexoki",
    "gruvbox",
    "monokai",
    "nord",
    "rose-pine",
    "rose-pine-dawn",
    "rose-pine-moon",
    "solarized-dark",
    "solarized-light",
    "textual-dark",
    "textual-light",
    "tokyo-night",
)
"""Named here so that a file can be checked without loading Textual; a test holds the list to Textual's own."""
FRAMES: Final = ("auto", *BOARDS, *TEXTUAL_THEMES)
STONES: Final = ("auto", "discs", "round", "blocks", "ascii")
CELLS: Final = ("auto", "2x1", "4x2", "6x3")
NAMES: Final = ("daoqi", "gtp", "sgf")


class Setting(NamedTuple):
    """One setting.

    Attributes:
        section: the table of the file it stands in, empty for the top.
        name: its name there.
        default: its value where nothing is said.
        fits: whether a value is allowed.
        allowed: what is allowed, in words; takes the place of ``choices`` where there are none.
        help: what it does.
        choices: the values to choose from, where they can be counted.
    """

    section: str
    name: str
    default: Value
    fits: Callable[[Value], bool]
    allowed: str
    help: str
    choices: tuple[Value, ...] = ()

    @property
    def path(self) -> str:
        """Its name in messages and on the command line: ``look.board``."""
        return f"{self.section}.{self.name}" if self.section else self.name

    @property
    def variable(self) -> str:
        """The environment variable that sets it: ``DAOQI_TUI_LOOK_BOARD``."""
        return "DAOQI_TUI_" + self.path.replace(".", "_").upper()


_PLAYER: Final = r"person|(time:[0-9]{1,4}(\.[0-9]{1,3})? )?(level:([1-9]|10)|engine:.*\S.*)"
_PLAYER_WORDS: Final = N_('"person", "level:5", "engine:gnugo --mode gtp", or with seconds a move "time:3 level:5"')


def _player(name: str, words: str) -> Setting:
    def fits(value: Value) -> bool:
        return isinstance(value, str) and re.fullmatch(_PLAYER, value) is not None

    return Setting("play", name, "person", fits, _PLAYER_WORDS, words)


def _one_of(section: str, name: str, choices: tuple[Value, ...], words: str) -> Setting:
    return Setting(section, name, choices[0], choices.__contains__, "", words, choices)


def _switch(section: str, name: str, words: str) -> Setting:
    return Setting(section, name, False, lambda value: isinstance(value, bool), "", words, (False, True))


def _whole(value: Value, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


SETTINGS: Final = (
    _one_of("", "language", LANGUAGES, N_("The language: auto takes the one of the system.")),
    _one_of("look", "board", BOARDS, N_("The colours of the board.")),
    _one_of("look", "frame", FRAMES, N_("The colours around it: auto takes those made for the board.")),
    _one_of(
        "look",
        "stones",
        STONES,
        N_("What stones are drawn with: auto takes discs where there are colours enough, else round, else ascii."),
    ),
    _one_of("look", "cell", CELLS, N_("Characters a point: auto takes the largest that shows the whole board.")),
    Setting(
        "look",
        "copies",
        "fill",
        lambda value: value == "fill" or _whole(value, 0, 25),
        N_('"fill", or a whole number from 0 to 25'),
        N_("How many lines of copies stand around the board; fill fills the window."),
    ),
    _one_of("look", "names", NAMES, N_("Names of points: daoqi uses the letter I, gtp does not, sgf has two letters.")),
    Setting(
        "play",
        "size",
        16,
        lambda value: _whole(value, 5, 25),
        N_("a whole number from 5 to 25"),
        N_("The size of the board of a new game."),
    ),
    Setting(
        "play",
        "komi",
        4,
        lambda value: isinstance(value, int | float) and not isinstance(value, bool) and -200 <= value <= 200,
        N_("a number from -200 to 200, such as 4 or 3.75"),
        N_("Points for White in a new game."),
    ),
    _player("black", N_("Who plays Black in a new game: a person, the computer, or a GTP engine.")),
    _player("white", N_("Who plays White.")),
    Setting(
        "play",
        "net",
        "auto",
        lambda value: isinstance(value, str) and bool(value.strip()),
        N_('"auto", "none", or the path of a network\'s file'),
        N_("The network that the computer thinks with: auto takes the one that comes along, none takes playouts."),
    ),
    _switch("play", "confirm_click", N_("Whether a point has to be clicked twice to play there.")),
    _switch("play", "follow", N_("Whether the last move is kept in the middle of the window.")),
    _switch("play", "mark_atari", N_("Whether chains in atari are marked.")),
    _switch("play", "mark_ladders", N_("Whether chains that a ladder captures are marked.")),
    _switch("bell", "move", N_("Whether the terminal's bell rings at each move.")),
    _switch("bell", "capture", N_("… when stones are captured.")),
    _switch("bell", "refusal", N_("… when a play is refused.")),
    _switch("bell", "end", N_("… when the game ends.")),
    _switch("bell", "time", N_("… in the last ten seconds of a period.")),
)
BY_PATH: Final = {setting.path: setting for setting in SETTINGS}
SECTIONS: Final = {
    "": "",
    "look": N_("How the board looks."),
    "play": N_("How it is played on."),
    "bell": N_("When the terminal's bell rings."),
    "keys": N_('Keys of commands, several with spaces between them, as in pass = "p ctrl+n".'),
}


def allowed_words(setting: Setting) -> str:
    """Say in TOML what a setting may be."""
    if setting.choices:
        return ", ".join(toml(choice) for choice in setting.choices)
    from daoqi_tui.i18n import _  # noqa: PLC0415 (the language may change while the program runs)

    return _(setting.allowed)


def toml(value: Value) -> str:
    """Write a value in TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return '"' + "".join(sign if sign.isprintable() else f"\\u{ord(sign):04x}" for sign in escaped) + '"'
    return f"{value:g}"
