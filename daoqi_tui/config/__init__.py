"""The settings: their schema, and loading them from a TOML file in the platform's config directory and the environment.

The schema is the one table of names, defaults, allowed values and help. A wrong setting becomes one line in
:attr:`Config.problems`, and its default is used. Environment variables override the file; command-line options, which
others apply, override both.
"""

import os
import re
import reprlib
import shlex
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from daoqi_tui import i18n
from daoqi_tui.i18n import N_, _, translate, with_suggestion
from daoqi_tui.message import reason_of
from daoqi_tui.paths import open_file, own_folder
from daoqi_tui.text import plain_line
from daoqi_tui.typed import MOST_THREADS, PlayerText, decimal_number, is_komi

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
"""The board themes by name, each with its label; ``daoqi_tui.pictures.palettes`` has their colours.

:func:`load_themes` adds the user's own, here and to :data:`FRAMES`.
"""
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
FRAMES: Final = dict.fromkeys(("auto", *BOARDS, *TEXTUAL_THEMES))
_BUILT_IN: Final = frozenset(FRAMES)
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
    choices: Collection[Value] = ()

    @property
    def path(self) -> str:
        """Its dotted name, such as ``look.board``."""
        return f"{self.section}.{self.name}" if self.section else self.name

    @property
    def variable(self) -> str:
        """The environment variable that overrides it, such as ``DAOQI_TUI_LOOK_BOARD``."""
        return "DAOQI_TUI_" + self.path.replace(".", "_").upper()


_GRADED: Final = ("inaccuracy", "mistake", "blunder")
_MOST_LOST: Final = 200
_PLAYER_WORDS: Final = N_('"person", "level:4.5", "engine:daoqi-tui gtp", or with seconds per move "time:3 level:5"')


def _player(name: str, text: str) -> Setting:
    return Setting("play", name, "person", lambda value: _can_be(PlayerText.parse, value), _PLAYER_WORDS, text)


def _are_rules(value: Value) -> bool:
    from daoqi_tui.engine import parse_rules  # noqa: PLC0415 (a help page loads no engine)

    return _can_be(parse_rules, value)


def _can_be(parse: Callable[[str], object], value: Value) -> bool:
    if not isinstance(value, str):
        return False
    try:
        parse(value)
    except ValueError:
        return False
    return True


def _is_net(value: Value) -> bool:
    # Version 1.0.0 could play without a network, by "none".
    return isinstance(value, str) and value.strip() not in ("", "none")


def _is_command(value: Value) -> bool:
    return value == "" or (_can_be(shlex.split, value) and bool(shlex.split(str(value))))


def _are_grades(value: Value) -> bool:
    """Return whether a value is three ascending numbers of points, above 0."""
    numbers = [decimal_number(word) for word in value.split()] if isinstance(value, str) else []
    known = [number for number in numbers if number is not None and 0 < number <= _MOST_LOST]
    return len(numbers) == len(known) == len(_GRADED) and sorted(set(known)) == known


def _one_of(section: str, name: str, choices: Collection[Value], text: str) -> Setting:
    return Setting(section, name, next(iter(choices)), choices.__contains__, "", text, choices)


def _switch(section: str, name: str, text: str, *, on: bool = False) -> Setting:
    return Setting(section, name, on, lambda value: isinstance(value, bool), "", text, (False, True))


def _whole(value: Value, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


SETTINGS: Final = (
    _one_of("", "language", LANGUAGES, N_("The language; auto uses the system's.")),
    _one_of("look", "board", BOARDS.keys(), N_("The board theme, built in or your own.")),
    _one_of("look", "frame", FRAMES.keys(), N_("The app's colours; auto matches the board.")),
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
        "review_visits",
        60,
        lambda value: _whole(value, 1, 1_000_000),
        N_("a whole number from 1 to 1000000"),
        N_("Visits of each position in a review."),
    ),
    Setting(
        "analysis",
        "review_seconds",
        2,
        lambda value: _whole(value, 1, 3600),
        N_("a whole number from 1 to 3600"),
        N_("Seconds that each position of a review takes at most."),
    ),
    Setting(
        "analysis",
        "grades",
        "1.5 3 8",
        _are_grades,
        N_('three ascending numbers from 0 to 200, such as "1.5 3 8"'),
        N_("Points lost from which a move is an inaccuracy, a mistake and a blunder."),
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
            "Draw the board as a picture. kitty: with the kitty graphics protocol. sixel: as a Sixel picture. auto: "
            "whichever the terminal supports, but no Sixel over ssh or in tmux. off: characters only."
        ),
    ),
    _one_of(
        "display",
        "output",
        ("changes", "frames"),
        N_(
            "What is written to the terminal. changes: only the characters that change. frames: whole frames, for a "
            "terminal that loses characters."
        ),
    ),
    _one_of("display", "motion", ("full", "reduced"), N_("Animation: reduced keeps everything still.")),
    _switch(
        "display",
        "sound",
        N_(
            "Play the sound of stones: in a terminal with pw-play, paplay, aplay or afplay, and not over ssh; also in "
            "the browser."
        ),
    ),
    _switch("bell", "move", N_("Ring the terminal's bell at each move.")),
    _switch("bell", "capture", N_("Ring the bell when stones are captured.")),
    _switch("bell", "refusal", N_("Ring the bell when a move is refused.")),
    _switch("bell", "end", N_("Ring the bell when the game ends.")),
    _switch("bell", "time", N_("Ring the bell in the last ten seconds of a period.")),
    _switch("bell", "turn", N_("Ring the bell when it is your move in an online game."), on=True),
    _switch("bell", "desktop", N_("Have the terminal show a notification when it is your move in an online game.")),
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
    if setting.choices:
        return ", ".join(toml(choice) for choice in setting.choices)
    return _(setting.allowed)


def toml(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return '"' + "".join(sign if sign.isprintable() else f"\\U{ord(sign):08x}" for sign in escaped) + '"'
    # All digits, so that the value is read back unchanged.
    return str(value) if isinstance(value, int) else repr(value).removesuffix(".0")


# Loading

_MAX_PROBLEMS: Final = 20
"""The maximum number of errors in a file that are listed."""
LARGEST: Final = 32 << 10
"""The maximum bytes; a file that explains every setting has a third of this. The worst file of this size takes tomllib
seconds."""

_LONGEST_LABEL: Final = 24
"""The maximum characters of a theme's label."""
_SHORT: Final = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxlong = _SHORT.maxother = 80


# Nobody compares or prints the settings; functions for it would be compiled at each start.
@dataclass(frozen=True, eq=False, repr=False)
class Config:
    """The settings as they were loaded.

    Attributes:
        path: the file, whether it exists or not.
        values: the settings that differ from their defaults, by path.
        keys: by name of a command, the keys that replace its default ones.
        problems: one line for each mistake, with file and line or the variable, and the allowed values.
        sources: where each of `values` comes from: the file, or the name of a variable.
    """

    path: Path
    values: Mapping[str, Value] = field(default_factory=lambda: MappingProxyType({}))
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    problems: tuple[str, ...] = ()
    sources: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def __getitem__(self, path: str) -> Value:
        return self.values.get(path, BY_PATH[path].default)


def config_path() -> Path:
    """Return the settings file's path, on Linux ``~/.config/daoqi-tui/config.toml`` unless XDG_CONFIG_HOME is set.

    Raises:
        NoHome: the home folder is unknown.
    """
    return own_folder("config") / "config.toml"


def load_config(
    commands: Iterable[str] = (), path: Path | None = None, environment: Mapping[str, str] | None = None
) -> Config:
    """Load the settings from the file and the environment; neither needs to exist or be valid.

    Args:
        commands: names of the commands that can have keys; empty accepts any name.
        path: the file, by default :func:`config_path`.
        environment: the variables, by default those of the process.

    Raises:
        NoHome: no path is given, and the home folder is unknown.
    """
    path = path or config_path()
    reading = _Reading(path)
    reading.problems += load_themes(path.parent / "themes")
    try:
        text = read_text(path)
    except FileNotFoundError:
        text = ""
    except (OSError, ValueError) as error:
        text = ""
        reading.problems.append(_failed(_("{file} cannot be read: {reason}"), path, error))
    if text:
        reading.read_file(text, frozenset(commands))
    reading.read_environment(os.environ if environment is None else environment)
    return Config(path, reading.values, reading.keys, tuple(reading.problems), reading.sources)


def load_themes(folder: Path | None = None) -> list[str]:
    """Add the board themes in a folder to those there are; return one line for each file that is no theme.

    Args:
        folder: with a TOML file for each theme, by default ``themes`` beside the settings file; it need not exist.

    Raises:
        NoHome: no folder is given, and the home folder is unknown.
    """
    files = sorted((folder or config_path().parent / "themes").glob("*.toml"))
    if not files:
        return []
    from daoqi_tui.pictures.palettes import add_board, read_board  # noqa: PLC0415 (most people have no themes)

    problems = []
    for file in files:
        name = file.stem
        try:
            tree = parse(read_text(file))
            if not re.fullmatch("[a-z][a-z0-9-]*", name) or name in _BUILT_IN:
                allowed = _("it is named like a built-in theme, or not in small letters, digits and hyphens")
                raise ValueError(allowed)
            add_board(read_board(name, tree))
        except (OSError, ValueError) as error:
            problems.append(_failed(_("the theme {file} is not used: {reason}"), file, error))
        else:
            BOARDS[name] = plain_line(str(tree.get("label", name)))[:_LONGEST_LABEL]
            FRAMES[name] = None
    return problems


def _failed(text: str, file: Path, error: OSError | ValueError) -> str:
    reason = _("it is not UTF-8") if isinstance(error, UnicodeDecodeError) else translate(reason_of(error))
    # A name in the file may contain terminal escapes.
    return plain_line(text.format(file=file, reason=reason))


class _Reading:
    """Collects settings and problems while the file and the environment are read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.values: dict[str, Value] = {}
        self.keys: dict[str, tuple[str, ...]] = {}
        self.problems: list[str] = []
        self.sources: dict[str, str] = {}
        self.cut_short = False

    def read_file(self, text: str, commands: frozenset[str]) -> None:
        try:
            tree = parse(text)
        except ValueError as error:
            self.problems.append(_("{file}: {problem}; defaults are used").format(file=self.path, problem=error))
            return
        self._read_tree(text, tree, commands)
        if self.cut_short:
            self.problems.append(_("{file}: there are more problems than are listed").format(file=self.path))

    def _read_tree(self, text: str, tree: Mapping[str, Any], commands: frozenset[str]) -> None:
        for name, value in tree.items():
            if not isinstance(value, dict):
                self._take(text, "", name, value)
            elif name == "keys":
                self._take_keys(text, value, commands)
            elif name in SECTIONS:
                for inner, inner_value in value.items():
                    self._take(text, name, inner, inner_value)
            else:
                names = ", ".join(f"[{section}]" for section in SECTIONS if section)
                problem = _("there is no section [{name}]: {allowed}").format(name=name, allowed=names)
                self._complain(text, "", name, with_suggestion(problem, name, filter(None, SECTIONS)))

    def _take(self, text: str, section: str, name: str, value: object) -> None:
        path = f"{section}.{name}" if section else name
        setting = BY_PATH.get(path)
        if setting is None:
            names = ", ".join(setting.name for setting in SETTINGS if setting.section == section)
            problem = _("there is no setting {name}: {allowed}").format(name=path, allowed=names)
            self._complain(text, section, name, with_suggestion(problem, path, BY_PATH))
        elif not isinstance(value, bool | int | float | str) or not setting.fits(value):
            self._complain(text, section, name, wrong_value(setting, path, value))
        else:
            self.values[path] = value
            self.sources[path] = str(self.path)

    def _take_keys(self, text: str, table: Mapping[str, object], commands: frozenset[str]) -> None:
        from daoqi_tui.commands import key_names  # noqa: PLC0415 (most people keep the keys)

        taken: dict[str, str] = {}
        for name, value in table.items():
            if commands and name not in commands:
                problem = _("there is no command {name}: daoqi-tui config --show lists them").format(name=name)
                self._complain(text, "keys", name, with_suggestion(problem, name, commands))
                continue
            keys = key_names(value)
            clash = next((key for key in keys if key in taken), None)
            if not keys:
                self._complain(text, "keys", name, no_key(value))
            elif clash is not None:
                self._complain(text, "keys", name, key_taken(clash, taken[clash]))
            else:
                self.keys[name] = keys
                taken.update(dict.fromkeys(keys, name))

    def read_environment(self, environment: Mapping[str, str]) -> None:
        for setting in SETTINGS:
            text = environment.get(setting.variable)
            if text is None:
                continue
            value = value_of(setting, text)
            if value is None:
                self.problems.append(wrong_value(setting, setting.variable, text))
            else:
                self.values[setting.path] = value
                self.sources[setting.path] = setting.variable

    def _complain(self, text: str, section: str, name: str, problem: str) -> None:
        if len(self.problems) >= _MAX_PROBLEMS:
            self.cut_short = True
            return
        line = line_of(text, section, name)
        place = _("{file}, line {line}").format(file=self.path, line=line) if line else str(self.path)
        # Quoted names may contain terminal escapes.
        self.problems.append(plain_line(f"{place}: {problem}"))


def wrong_value(setting: Setting, name: str, value: object) -> str:
    """Say that a setting, called `name` where it was set, cannot have a value, and list the allowed ones."""
    text = _("{name} cannot be {value}: {allowed}")
    problem = text.format(name=name, value=shown(value), allowed=allowed_words(setting))
    choices = [choice for choice in setting.choices if isinstance(choice, str)]
    return with_suggestion(problem, value, choices) if isinstance(value, str) else problem


def no_key(value: object) -> str:
    text = _("{value} is not a key; keys are written x, ctrl+x, f5, space or left, several with spaces between")
    return text.format(value=shown(value))


def key_taken(key: str, other: str) -> str:
    return _("the key {key} is already used by {other}; choose another").format(key=key, other=other)


def value_of(setting: Setting, text: str) -> Value | None:
    """Parse the value of an environment variable; return None if it is not allowed."""
    candidates: list[Value] = [text]
    if text.lower() in ("1", "true", "yes", "on") and isinstance(setting.default, bool):
        candidates = [True]
    elif text.lower() in ("0", "false", "no", "off") and isinstance(setting.default, bool):
        candidates = [False]
    elif (number := decimal_number(text)) is not None:
        candidates.append(number)
    return next((value for value in candidates if setting.fits(value)), None)


def read_text(path: Path) -> str:
    """Return the text of a file.

    Raises:
        OSError: it cannot be read.
        UnicodeDecodeError: it is not UTF-8, with or without a byte order mark.
        ValueError: it is larger than :data:`LARGEST`; the text is a clause that says so.
    """
    with open_file(path) as file:
        content = file.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise ValueError(_("it is larger than the limit of {size} kB").format(size=LARGEST >> 10))
    # As in text mode, without the carriage returns of Windows.
    return content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")


def parse(text: str) -> dict[str, Any]:
    """Parse a TOML text.

    Raises:
        ValueError: it is not TOML, contains a number with thousands of digits or is nested too deeply; the text says
            which.
    """
    import tomllib  # noqa: PLC0415 (8 ms, and most people have no file)

    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise ValueError(_("it is nested too deeply")) from error


def shown(value: object) -> str:
    return _SHORT.repr(value)


_SECTION: Final = r"\s*\[\s*([\w-]+)\s*\]\s*(?:#.*)?$"


def lines_of(text: str) -> list[str]:
    """Return the lines of a TOML text; ``str.splitlines`` would also split it at Unicode's other line breaks."""
    return text.split("\n")


def line_of(text: str, section: str, name: str) -> int | None:
    """Return the number of the line that sets a setting or begins a section, from 1; None if it is not found."""
    lines = lines_of(text)
    start, end = range_of(lines, section)
    if start is not None:
        for place in range(start, end):
            if _assigns(name).match(lines[place]):
                return place + 1
    for place, line in enumerate(lines):
        match = re.match(_SECTION, line)
        if (match and not section and match[1] == name) or re.match(rf"\s*{section}\.{re.escape(name)}\s*=", line):
            return place + 1
    return None


def range_of(lines: list[str], section: str) -> tuple[int | None, int]:
    """Return the range of a section's lines without its header; it begins with None if there is no such section."""
    start = None if section else 0
    for place, line in enumerate(lines):
        match = re.match(_SECTION, line)
        if match is None:
            continue
        if start is not None:
            return start, place
        if match[1] == section:
            start = place + 1
    return start, len(lines)


def _assigns(name: str) -> re.Pattern[str]:
    return re.compile(rf"""\s*["']?{re.escape(name)}["']?\s*=""")
