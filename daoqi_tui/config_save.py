"""Writing settings back into the file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from daoqi_tui.config_keys import BY_PATH, Value
from daoqi_tui.config_text import edited
from daoqi_tui.i18n import _
from daoqi_tui.record.files import write_atomically


def save(path: Path, changes: Mapping[str, Value]) -> None:
    """Set settings, by their paths, in the file; what else it says stays as it is. Makes the file if need be.

    Raises:
        RuntimeError: the file cannot be read or written, or is not TOML; the message is a sentence.
    """
    import tomllib  # noqa: PLC0415 (8 ms)

    try:
        text = path.read_text("utf-8") if path.exists() else ""
        tomllib.loads(text)
        for name, value in changes.items():
            setting = BY_PATH[name]
            text = edited(text, setting.section, setting.name, value)
        if not _says(tomllib.loads(text), changes):
            raise RuntimeError(_("{file} says it in a way that cannot be changed line by line").format(file=path))
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text.encode())
    except OSError as error:
        raise RuntimeError(
            _("{file} cannot be written: {reason}").format(file=path, reason=error.strerror or error)
        ) from error
    except ValueError as error:
        raise RuntimeError(_("{file} is not valid TOML: {problem}").format(file=path, problem=error)) from error


def _says(tree: dict[str, object], changes: Mapping[str, Value]) -> bool:
    for name, value in changes.items():
        setting = BY_PATH[name]
        table = tree.get(setting.section) if setting.section else tree
        if not isinstance(table, dict) or table.get(setting.name) != value:
            return False
    return True
