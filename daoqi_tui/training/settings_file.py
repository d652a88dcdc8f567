"""The settings of a training in one TOML file, which is kept with the result."""

from __future__ import annotations

import tomllib
from dataclasses import asdict, fields, is_dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

from daoqi_tui.training.settings import Settings

_Table = TypeVar("_Table")
BATCHED: Final = ("auto", "yes", "no")


class SettingsError(ValueError):
    """Settings that cannot be used; the text is one sentence."""


def read_settings(path: Path) -> Settings:
    """The settings in a TOML file; what it does not name is as it is by default.

    Raises:
        SettingsError: it cannot be read, names something unknown or gives a value of the wrong kind.
    """
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path.name} is not TOML: {error}") from error
    settings = _filled(Settings(), content, path.name, "")
    if settings.batched not in BATCHED:
        raise SettingsError(f"{path.name}: batched is {settings.batched!r}; {', '.join(BATCHED)} are known")
    for size in settings.sizes:
        if not (size.isdecimal() and 2 <= int(size) <= 25):
            raise SettingsError(f"{path.name}: sizes has {size!r}, which is no board size from 2 to 25")
    shares = settings.sizes.values()
    if not sum(shares) > 0 or min(shares) < 0:
        raise SettingsError(f"{path.name}: sizes says how often each size is played; one at least is more than 0")
    return settings


def _filled(default: _Table, content: dict[str, Any], file: str, table: str) -> _Table:
    """A copy of ``default`` with what ``content`` says."""
    known = {entry.name for entry in fields(default)}  # type: ignore[arg-type]  # it is a dataclass
    values = {entry: getattr(default, entry) for entry in known}
    for name, value in content.items():
        key = f"{table}{name}"
        if name not in known:
            raise SettingsError(f"{file} names {key!r}; known are {', '.join(sorted(known))}")
        was = values[name]
        if is_dataclass(was):
            if not isinstance(value, dict):
                raise SettingsError(f"{file}: {key} is a table")
            values[name] = _filled(was, value, file, f"{key}.")
        elif isinstance(was, dict):
            if not isinstance(value, dict) or not all(isinstance(share, int | float) for share in value.values()):
                raise SettingsError(f"{file}: {key} is a table of numbers")
            values[name] = {entry: float(share) for entry, share in value.items()}
        elif isinstance(was, tuple):
            if not isinstance(value, list) or not all(isinstance(part, int) for part in value):
                raise SettingsError(f"{file}: {key} is a list of whole numbers")
            values[name] = tuple(value)
        elif isinstance(was, float) and isinstance(value, int) and not isinstance(value, bool):
            values[name] = float(value)
        elif type(value) is not type(was):
            raise SettingsError(f"{file}: {key} is like {was!r}, not {value!r}")
        else:
            values[name] = value
    return type(default)(**values)


def toml_of(settings: Settings) -> str:
    """All settings as a TOML file."""
    return "\n".join(_lines(asdict(settings), "")) + "\n"


def _lines(table: dict[str, Any], name: str) -> list[str]:
    lines = [f"{key} = {_value(value)}" for key, value in table.items() if not isinstance(value, dict)]
    if name:
        lines = ["", f"[{name}]", *lines]
    for key, value in table.items():
        if isinstance(value, dict):
            lines += _lines(value, f"{name}.{key}" if name else key)
    return lines


def _value(value: object) -> str:
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, bool):
        return str(value).lower()
    return str(list(value)) if isinstance(value, tuple | list) else str(value)
