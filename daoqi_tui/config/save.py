"""Save settings: write a documented settings file, or change single settings and keep comments and layout."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from pathlib import Path

from daoqi_tui.commands import Command
from daoqi_tui.config import (
    SECTIONS,
    SETTINGS,
    Value,
    allowed_words,
    line_of,
    lines_of,
    parse,
    range_of,
    read_text,
    toml,
)
from daoqi_tui.i18n import SentenceError, _
from daoqi_tui.record.files import changing, write_atomically


class ConfigError(SentenceError):
    """The settings file cannot be changed; the text is one sentence in the user's language."""


def documented(values: Mapping[str, Value], commands: Iterable[Command], changed: Mapping[str, tuple[str, ...]]) -> str:
    """Return the text of a whole file: every setting explained, those with their default value behind a ``#``.

    Args:
        values: settings by path, without those that have their default.
        commands: all that keys run.
        changed: by command, the keys that replace its own.
    """
    precedence = _("Environment variables such as {variable} override this file; command-line options override both.")
    lines = [
        "# " + _("Settings of daoqi-tui. Remove the # at the beginning of a line to set it."),
        "# " + precedence.format(variable="DAOQI_TUI_LOOK_BOARD"),
    ]
    for section, text in SECTIONS.items():
        if section:
            lines += ["", "# " + _(text), f"[{section}]"]
        for setting in SETTINGS:
            if setting.section == section:
                value = values.get(setting.path, setting.default)
                mark = "" if setting.path in values else "# "
                lines += ["", "# " + _(setting.help), "# " + _("Allowed: {allowed}").format(
                    allowed=allowed_words(setting)
                ), f"{mark}{setting.name} = {toml(value)}"]  # fmt: skip
    lines.append("")
    for command in commands:
        mark = "" if command.name in changed else "# "
        line = f"{mark}{command.name} = {toml(' '.join(changed.get(command.name, command.keys)))}"
        lines.append(f"{line:<44} # {_(command.help)}")
    return "\n".join(lines) + "\n"


def edited(text: str, section: str, name: str, value: Value) -> str:
    """Return the text of a settings file with one setting changed; comments and layout stay.

    A setting that is only commented out is written on that line.

    Raises:
        ValueError: the section is not a table, or the text is not TOML.
    """
    import tomlkit  # noqa: PLC0415 (36 ms, and most starts change no setting)

    if text and not text.endswith("\n"):
        text += "\n"
    try:
        document = tomlkit.parse(text)
        table = document.setdefault(section, tomlkit.table()) if section else document
        if not isinstance(table, MutableMapping):
            raise ValueError(f"{section} is not a table")
        if name not in table and (line := _commented_line(text, section, name)) is not None:
            lines = lines_of(text)
            lines[line] = f"{name} = {toml(value)}{_remark(lines[line])}"
            return "\n".join(lines)
        table[name] = tomlkit.value(toml(value))
        return tomlkit.dumps(document)
    except tomlkit.exceptions.TOMLKitError as error:
        raise ValueError(str(error)) from error


def _commented_line(text: str, section: str, name: str) -> int | None:
    lines = lines_of(text)
    start, end = range_of(lines, section)
    pattern = re.compile(rf"\s*#\s*{re.escape(name)}\s*=")
    return next((line for line in range(start, end) if pattern.match(lines[line])), None) if start is not None else None


def _remark(line: str) -> str:
    """Return the comment at the end of a line, which may itself be commented out."""
    match = re.search(r"\s+#[^\"']*$", line.lstrip("# "))
    return match[0] if match else ""


def save(path: Path, changes: Mapping[str, Value], check: Callable[[], object] = lambda: None) -> None:
    """Write settings, by path, into the file, which is created if missing; everything else in it stays as it is.

    Args:
        path: the file.
        changes: by path, which is that of a setting, or ``keys.`` and the name of a command.
        check: called with the file locked, before anything is changed; what it raises leaves the file as it is.

    Raises:
        ConfigError: the file cannot be read or written, or is not TOML; the message is a sentence.
    """

    def change(text: str) -> str:
        check()
        for name, value in changes.items():
            text = edited(text, *_section_and_name(name), value)
        return text

    _rewrite(path, change, changes)


def unset(path: Path, name: str) -> None:
    """Comment a setting out in the file; everything else in it stays as it is.

    Raises:
        ConfigError: the file cannot be read or written, or is not TOML; the message is a sentence.
    """
    if path.exists():
        _rewrite(path, lambda text: without(text, *_section_and_name(name)), {name: None})


def without(text: str, section: str, name: str) -> str:
    """Return the text of a settings file with the line of one setting commented out.

    A setting that shares its line with others is removed from it.

    Raises:
        ValueError: the text is not TOML.
    """
    if _value_in(parse(text), section, name) is None:
        return text
    if not text.endswith("\n"):
        text += "\n"
    line = line_of(text, section, name)
    if line is not None:
        lines = lines_of(text)
        lines[line - 1] = f"# {lines[line - 1]}"
        commented = "\n".join(lines)
        if _is_without(commented, text, section, name):
            return commented
    import tomlkit  # noqa: PLC0415 (36 ms, and most starts change no setting)

    document = tomlkit.parse(text)
    table = document[section] if section else document
    if isinstance(table, MutableMapping):
        del table[name]
    return tomlkit.dumps(document)


def _is_without(changed: str, text: str, section: str, name: str) -> bool:
    """Return whether a change removed one setting and nothing else."""
    rest = parse(text)
    del (rest[section] if section else rest)[name]
    try:
        found = parse(changed)
    except ValueError:
        return False
    # A table may have gone with the last setting in it.
    return {key: value for key, value in found.items() if value != {}} == {
        key: value for key, value in rest.items() if value != {}
    }


def _rewrite(path: Path, change: Callable[[str], str], wanted: Mapping[str, Value | None]) -> None:
    """Change the file, after checking that the result has the wanted settings; None means a setting that is absent."""
    with ConfigError.writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        # Another window may save settings at the same time. Links are followed, as when writing.
        with changing(Path(os.path.realpath(path))):
            try:
                text = read_text(path) if path.exists() else ""
                parse(text)
                text = change(text)
                tree = parse(text)
            except ValueError as error:
                raise ConfigError(_("{file} is not valid TOML: {problem}"), file=path, problem=error) from error
            if any(_value_in(tree, *_section_and_name(name)) != value for name, value in wanted.items()):
                raise ConfigError(
                    _("{file} is written in a way that cannot be changed line by line; edit it by hand"), file=path
                )
            write_atomically(path, text.encode())


def _section_and_name(path: str) -> tuple[str, str]:
    section, _dot, name = path.rpartition(".")
    return section, name


def _value_in(tree: Mapping[str, object], section: str, name: str) -> object:
    table = tree.get(section) if section else tree
    return table.get(name) if isinstance(table, Mapping) else None
