"""The schema of the settings: the one table of their names, defaults, allowed values and help."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from daoqi_tui import i18n
from daoqi_tui.i18n import N_
from daoqi_tui.numbers import MOST_THREADS, is_komi

Value = bool | int | float | str

LANGUAGES: Final = ("auto", *i18n.LANGUAGES)
BOARDS: Final = {
    "kaya": N_("Kaya wood"),
    "slate": N_("Slate"),
    "paper": N_("Paper"),
    "night": N_("Night"),
    "jade": N_("Jade"),
    "contrast": N_("High contrast"),
    "deuteranopia": N_("Colour-blind safe"),
}
"""The board themes by name, each with its label; ``daoqi_tui.pictures.palettes`` has their colours."""
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
"""Listed here so that a file can be checked without importing Textual; a test compares the list with Textual's."""
FRAMES: Final = ("auto", *BOARDS, *TEXTUAL_THEMES)
STONES: Final = ("auto", "discs", "round", "blocks", "ascii")
CELLS: Final = ("auto", "2x1", "4x2", "6x3")
NAMES: Final = ("daoqi", "gtp", "sgf")


class Setting(NamedTuple):
    """One setting.

    Attributes:
        section: its table in the file, empty for the top level.
        name: its name there.
        default: its default value.
        fits: returns whether a value is allowed.
        allowed: a description of the allowed values, if there are no `choices`.
        help: what it does.
        choices: the allowed values, if there are finitely many.
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
        """Its dotted name, such as ``look.board``."""
        return f"{self.section}.{self.name}" if self.section else self.name

    @property
    def variable(self) -> str:
        """The environment variable that overrides it, such as ``DAOQI_TUI_LOOK_BOARD``."""
        return "DAOQI_TUI_" + self.path.replace(".", "_").upper()


_PLAYER_WORDS: Final = N_('"person", "level:4.5", "engine:daoqi-tui gtp", or with seconds per move "time:3 level:5"')


def _player(name: str, words: str) -> Setting:
    return Setting("play", name, "person", _is_player, _PLAYER_WORDS, words)


def _is_player(value: Value) -> bool:
    from daoqi_tui.player_text import PlayerText  # noqa: PLC0415 (most people set no players)

    if not isinstance(value, str):
        return False
    try:
        PlayerText.parse(value)
    except ValueError:
        return False
    return True


def _are_rules(value: Value) -> bool:
    from daoqi_tui.engine import parse_rules  # noqa: PLC0415 (most people keep Daoqi's)

    if not isinstance(value, str):
        return False
    try:
        parse_rules(value)
    except ValueError:
        return False
    return True


def _is_net(value: Value) -> bool:
    # Version 1.0.0 could play without a network, by "none".
    return isinstance(value, str) and value.strip() not in ("", "none")


def _is_command(value: Value) -> bool:
    if not isinstance(value, str):
        return False
    from shlex import split  # noqa: PLC0415 (most people analyse without an engine)

    try:
        return not value or bool(split(value))
    except ValueError:
        return False


def _one_of(section: str, name: str, choices: tuple[Value, ...], words: str) -> Setting:
    return Setting(section, name, choices[0], choices.__contains__, "", words, choices)


def _switch(section: str, name: str, words: str, *, on: bool = False) -> Setting:
    return Setting(section, name, on, lambda value: isinstance(value, bool), "", words, (False, True))


def _whole(value: Value, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


SETTINGS: Final = (
    _one_of("", "language", LANGUAGES, N_("The language; auto uses the system's.")),
    _one_of("look", "board", tuple(BOARDS), N_("The board theme.")),
    _one_of("look", "frame", FRAMES, N_("The app's colours; auto matches the board.")),
    _one_of(
        "look",
        "stones",
        STONES,
        N_("Stone style: auto uses discs if there are enough colours, else round, else ascii."),
    ),
    _one_of("look", "cell", CELLS, N_("Cell size in characters; auto uses the largest that shows the whole board.")),
    Setting(
        "look",
        "copies",
        "fill",
        lambda value: value == "fill" or _whole(value, 0, 25),
        N_('"fill", or a whole number from 0 to 25'),
        N_("Margin: lines of wrapped copies around the board; fill fills the window."),
    ),
    _one_of("look", "names", NAMES, N_("Coordinates: daoqi uses the letter I, gtp does not, sgf has two letters.")),
    Setting(
        "play",
        "size",
        16,
        lambda value: _whole(value, 5, 25),
        N_("a whole number from 5 to 25"),
        N_("Board size of a new game."),
    ),
    Setting(
        "play",
        "komi",
        4,
        lambda value: isinstance(value, int | float) and not isinstance(value, bool) and is_komi(value),
        N_("a number from -200 to 200, such as 4 or 3.75"),
        N_("Komi of a new game: points for White."),
    ),
    Setting(
        "play",
        "rules",
        "daoqi",
        _are_rules,
        N_('"daoqi", another preset such as "tromp-taylor", or fields such as "superko=simple, suicide=no"'),
        N_("Rules of a new game."),
    ),
    _player("black", N_("Who plays Black in a new game: a human, the computer, or a GTP engine.")),
    _player("white", N_("Who plays White in a new game.")),
    Setting(
        "play",
        "name",
        "",
        lambda value: isinstance(value, str) and len(value) <= 40,
        N_('a name of at most 40 characters, or ""'),
        N_('Your name in online games; "" calls you Player.'),
    ),
    Setting(
        "play",
        "net",
        "auto",
        _is_net,
        N_('"auto", "katrain", or the path of a network\'s file'),
        N_("The computer's neural network: auto for the built-in ones, katrain for KaTrain's."),
    ),
    Setting(
        "play",
        "threads",
        "auto",
        lambda value: value == "auto" or _whole(value, 1, MOST_THREADS),
        N_('"auto", or a whole number from 1 to 64'),
        N_("Processor cores for the computer's search: auto leaves one to the screen."),
    ),
    _switch("play", "ponder", N_("Level 10 thinks on while you do."), on=True),
    Setting(
        "play",
        "teach",
        0,
        lambda value: _whole(value, 0, 100),
        N_("a whole number from 0 to 100"),
        N_("Teach mode: warn when a move against the computer loses at least this many points; 0 is off."),
    ),
    _switch("play", "confirm_click", N_("Click a point twice to play there.")),
    _switch("play", "follow", N_("Keep the last move in the middle of the window.")),
    _switch("play", "mark_atari", N_("Highlight chains in atari.")),
    _switch("play", "mark_ladders", N_("Highlight chains caught in a ladder.")),
    Setting(
        "analysis",
        "visits",
        2000,
        lambda value: _whole(value, 1, 1_000_000),
        N_("a whole number from 1 to 1000000"),
        N_("Visits after which the analysis of a position stops."),
    ),
    Setting(
        "analysis",
        "seconds",
        60,
        lambda value: _whole(value, 1, 3600),
        N_("a whole number from 1 to 3600"),
        N_("Seconds after which the analysis of a position stops."),
    ),
    Setting(
        "analysis",
        "engine",
        "",
        _is_command,
        N_('a command such as "katago gtp", or "" for the computer'),
        N_("The GTP engine that analyses; it needs kata-analyze or lz-analyze."),
    ),
    _one_of(
        "display",
        "graphics",
        ("auto", "kitty", "sixel", "off"),
        N_(
            "Draw the board as a picture. kitty: with the kitty graphics protocol. sixel: as a Sixel picture while the "
            "board is at rest. auto: whichever the terminal supports, but no Sixel over ssh. off: characters only."
        ),
    ),
    _one_of("display", "motion", ("full", "reduced"), N_("Animation: reduced keeps everything still.")),
    _switch("bell", "move", N_("Ring the terminal's bell at each move.")),
    _switch("bell", "capture", N_("Ring the bell when stones are captured.")),
    _switch("bell", "refusal", N_("Ring the bell when a move is refused.")),
    _switch("bell", "end", N_("Ring the bell when the game ends.")),
    _switch("bell", "time", N_("Ring the bell in the last ten seconds of a period.")),
    _switch("bell", "turn", N_("Ring the bell when it is your move in an online game."), on=True),
)
BY_PATH: Final = {setting.path: setting for setting in SETTINGS}
SECTIONS: Final = {
    "": "",
    "look": N_("How the board looks."),
    "play": N_("How games are played."),
    "analysis": N_("How positions are analysed."),
    "display": N_("What the terminal is asked to do."),
    "bell": N_("When the terminal's bell rings."),
    "keys": N_('Keys of commands; separate several with spaces, as in pass = "p ctrl+n".'),
}


def allowed_words(setting: Setting) -> str:
    """Return the allowed values of a setting, as they are written in TOML."""
    if setting.choices:
        return ", ".join(toml(choice) for choice in setting.choices)
    from daoqi_tui.i18n import _  # noqa: PLC0415 (the language may change while the program runs)

    return _(setting.allowed)


def toml(value: Value) -> str:
    """Return a value as it is written in TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return '"' + "".join(sign if sign.isprintable() else f"\\U{ord(sign):08x}" for sign in escaped) + '"'
    # All digits, so that the value is read back unchanged.
    return str(value) if isinstance(value, int) else repr(value).removesuffix(".0")
