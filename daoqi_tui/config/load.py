"""Load the settings from a TOML file in the platform's config directory, and from environment variables.

A wrong setting becomes one line in :attr:`Config.problems`, and its default is used. Environment variables override
the file; command-line options, which others apply, override both.
"""

from __future__ import annotations

import os
import re
import reprlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from daoqi_tui.config.schema import BY_PATH, SECTIONS, SETTINGS, Setting, Value, allowed_words
from daoqi_tui.i18n import _, translate, with_suggestion
from daoqi_tui.message import reason_of
from daoqi_tui.numbers import decimal_number
from daoqi_tui.paths import open_file, own_folder

_MAX_PROBLEMS: Final = 20
"""The maximum number of errors in a file that are listed."""
LARGEST: Final = 32 << 10
"""The maximum bytes; a file that explains every setting has a third of this. The worst file of this size takes tomllib
seconds."""

_SHORT: Final = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxlong = _SHORT.maxother = 80


@dataclass(frozen=True, slots=True)
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
    try:
        text = read_text(path)
    except FileNotFoundError:
        text = ""
    except (OSError, ValueError) as error:
        text = ""
        reason = translate(reason_of(error))
        if isinstance(error, UnicodeDecodeError):
            reason = _("it is not UTF-8")
        reading.problems.append(_("{file} cannot be read: {reason}").format(file=path, reason=reason))
    if text:
        reading.read_file(text, frozenset(commands))
    reading.read_environment(os.environ if environment is None else environment)
    return Config(path, reading.values, reading.keys, tuple(reading.problems), reading.sources)


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
        """Collect the valid settings of the file, and its problems."""
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
        from daoqi_tui.commands.command import key_names  # noqa: PLC0415 (most people keep the keys)

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
        """Collect settings from environment variables, which override the file."""
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
        from daoqi_tui.text import plain_line  # noqa: PLC0415

        line = line_of(text, section, name)
        place = _("{file}, line {line}").format(file=self.path, line=line) if line else str(self.path)
        # Quoted names may contain terminal escapes.
        self.problems.append(plain_line(f"{place}: {problem}"))


def wrong_value(setting: Setting, name: str, value: object) -> str:
    """Say that a setting, called `name` where it was set, cannot have a value, and list the allowed ones."""
    words = _("{name} cannot be {value}: {allowed}")
    problem = words.format(name=name, value=shown(value), allowed=allowed_words(setting))
    choices = [choice for choice in setting.choices if isinstance(choice, str)]
    return with_suggestion(problem, value, choices) if isinstance(value, str) else problem


def no_key(value: object) -> str:
    words = _("{value} is not a key; keys are written x, ctrl+x, f5, space or left, several with spaces between")
    return words.format(value=shown(value))


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
    """Return a value as text for a message, shortened if it is long or deep."""
    return _SHORT.repr(value)


_SECTION: Final = re.compile(r"\s*\[\s*([\w-]+)\s*\]\s*(?:#.*)?$")


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
        match = _SECTION.match(line)
        if (match and not section and match[1] == name) or re.match(rf"\s*{section}\.{re.escape(name)}\s*=", line):
            return place + 1
    return None


def range_of(lines: list[str], section: str) -> tuple[int | None, int]:
    """Return the range of a section's lines without its header; it begins with None if there is no such section."""
    start = None if section else 0
    for place, line in enumerate(lines):
        match = _SECTION.match(line)
        if match is None:
            continue
        if start is not None:
            return start, place
        if match[1] == section:
            start = place + 1
    return start, len(lines)


def _assigns(name: str) -> re.Pattern[str]:
    """Return the pattern of the beginning of a line that sets a setting."""
    return re.compile(rf"""\s*["']?{re.escape(name)}["']?\s*=""")
