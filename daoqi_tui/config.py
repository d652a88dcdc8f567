"""The settings file: one TOML file in the folder that the system's habits set aside for settings.

What is wrong in it costs one line each, and the default is used. The environment beats the file; whoever reads the
command line beats both.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from daoqi_tui.config_keys import BY_PATH, SECTIONS, SETTINGS, Setting, Value, allowed_words
from daoqi_tui.i18n import _


@dataclass(frozen=True, slots=True)
class Config:
    """What was read.

    Attributes:
        path: the file, whether it exists or not.
        values: the settings that are not as by default, by their path.
        keys: for commands, by name, the keys that replace their own.
        problems: what is wrong, each a line that names file and line or the variable, and what is allowed.
        sources: where each of ``values`` comes from: the file, or a variable.
    """

    path: Path
    values: Mapping[str, Value] = field(default_factory=lambda: MappingProxyType({}))
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    problems: tuple[str, ...] = ()
    sources: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def __getitem__(self, path: str) -> Value:
        return self.values.get(path, BY_PATH[path].default)


def config_path() -> Path:
    """The settings file, ``~/.config/daoqi-tui/config.toml`` on Linux unless XDG_CONFIG_HOME says otherwise."""
    if sys.platform in ("win32", "darwin"):
        from platformdirs import user_config_path  # noqa: PLC0415 (costs a start up to 25 ms)

        return user_config_path("daoqi-tui", appauthor=False) / "config.toml"
    home = os.environ.get("XDG_CONFIG_HOME", "")
    # A relative path there has to be ignored, says the XDG base directory specification.
    folder = Path(home) if home.startswith("/") else Path.home() / ".config"
    return folder / "daoqi-tui" / "config.toml"


def load_config(
    commands: Iterable[str] = (), path: Path | None = None, environment: Mapping[str, str] | None = None
) -> Config:
    """Read the file and the environment. Neither has to be there, or right.

    Args:
        commands: the names of the commands whose keys can be set; empty does not look at keys.
        path: the file, the usual one if not given.
        environment: the variables, the process's own if not given.
    """
    path = path or config_path()
    reading = _Reading(path)
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        text = ""
    except (OSError, UnicodeDecodeError) as error:
        text = ""
        reason = error.strerror if isinstance(error, OSError) else _("it is not UTF-8")
        reading.problems.append(_("{file} cannot be read: {reason}").format(file=path, reason=reason))
    if text:
        reading.read_file(text, frozenset(commands))
    reading.read_environment(os.environ if environment is None else environment)
    return Config(path, reading.values, reading.keys, tuple(reading.problems), reading.sources)


class _Reading:
    """What is gathered while a file and the environment are read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.values: dict[str, Value] = {}
        self.keys: dict[str, tuple[str, ...]] = {}
        self.problems: list[str] = []
        self.sources: dict[str, str] = {}

    def read_file(self, text: str, commands: frozenset[str]) -> None:
        """Take what is right from the file, and note what is wrong."""
        import tomllib  # noqa: PLC0415 (8 ms, and most people have no file)

        try:
            tree = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            self.problems.append(_("{file}: {problem}; defaults are used").format(file=self.path, problem=error))
            return
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
                self._complain(text, "", name, _("there is no section [{name}]: {allowed}"), name=name, allowed=names)

    def _take(self, text: str, section: str, name: str, value: object) -> None:
        path = f"{section}.{name}" if section else name
        setting = BY_PATH.get(path)
        if setting is None:
            names = ", ".join(setting.name for setting in SETTINGS if setting.section == section)
            self._complain(text, section, name, _("there is no setting {name}: {allowed}"), name=path, allowed=names)
        elif not isinstance(value, bool | int | float | str) or not setting.fits(value):
            words = _("{name} cannot be {value}: {allowed}")
            self._complain(text, section, name, words, name=path, value=repr(value), allowed=allowed_words(setting))
        else:
            self.values[path] = value
            self.sources[path] = str(self.path)

    def _take_keys(self, text: str, table: Mapping[str, object], commands: frozenset[str]) -> None:
        from daoqi_tui.config_text import key_names  # noqa: PLC0415 (most people keep the keys)

        taken: dict[str, str] = {}
        for name, value in table.items():
            if commands and name not in commands:
                words = _("there is no command {name}: daoqi-tui config --show lists them")
                self._complain(text, "keys", name, words, name=name)
                continue
            keys = key_names(value)
            clash = next((key for key in keys if key in taken), None)
            if not keys:
                words = _("{value} is not a key: such as x, ctrl+x, f5, space or left, several with spaces between")
                self._complain(text, "keys", name, words, value=repr(value))
            elif clash is not None:
                words = _("the key {key} is that of {other} already: choose another")
                self._complain(text, "keys", name, words, key=clash, other=taken[clash])
            else:
                self.keys[name] = keys
                taken.update(dict.fromkeys(keys, name))

    def read_environment(self, environment: Mapping[str, str]) -> None:
        """Take settings from variables, which beat the file."""
        for setting in SETTINGS:
            text = environment.get(setting.variable)
            if text is None:
                continue
            value = value_of(setting, text)
            if value is None:
                words = _("{name} cannot be {value}: {allowed}")
                self.problems.append(
                    words.format(name=setting.variable, value=repr(text), allowed=allowed_words(setting))
                )
            else:
                self.values[setting.path] = value
                self.sources[setting.path] = setting.variable

    def _complain(self, text: str, section: str, name: str, words: str, /, **parts: str) -> None:
        from daoqi_tui.config_text import line_of  # noqa: PLC0415 (most files are right)
        from daoqi_tui.record.text import plain_line  # noqa: PLC0415

        line = line_of(text, section, name)
        problem = words.format(**parts)
        place = _("{file}, line {line}").format(file=self.path, line=line) if line else str(self.path)
        # Names in quotation marks may hold what a terminal would obey.
        self.problems.append(plain_line(f"{place}: {problem}"))


def value_of(setting: Setting, text: str) -> Value | None:
    """Read a value as a person writes it in a variable; None when it is not allowed."""
    candidates: list[Value] = [text]
    if text.lower() in ("1", "true", "yes", "on") and isinstance(setting.default, bool):
        candidates = [True]
    elif text.lower() in ("0", "false", "no", "off") and isinstance(setting.default, bool):
        candidates = [False]
    else:
        for kind in (int, float):
            try:
                candidates.append(kind(text))
            except ValueError:
                continue
    return next((value for value in candidates if setting.fits(value)), None)
