"""The text of the settings file: written with every key explained, and changed line by line so that remarks stay."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from daoqi_tui.config_keys import SECTIONS, SETTINGS, Value, allowed_words, toml
from daoqi_tui.i18n import _

_SECTION: Final = re.compile(r"\s*\[\s*([\w-]+)\s*\]\s*(?:#.*)?$")
_NAMED_KEYS: Final = frozenset(
    """up down left right home end pageup pagedown insert delete enter escape tab space backspace plus minus slash
    backslash underscore at""".split()  # noqa: SIM905 (a list would take 21 lines)
)
_MODIFIERS: Final = frozenset(("ctrl", "shift", "alt", "super", "meta"))


class KeyLine(NamedTuple):
    """What the file says about the keys of a command."""

    name: str
    keys: tuple[str, ...]
    help: str


def documented(values: Mapping[str, Value], keys: Iterable[KeyLine], changed: Mapping[str, tuple[str, ...]]) -> str:
    """Write a whole file: every setting explained, those that are as by default behind a ``#``."""
    lines = [
        "# " + _("Settings of daoqi-tui. A line takes effect without the # at its beginning."),
        "# " + _("Variables such as {variable} beat this file; options on the command line beat both.").format(
            variable="DAOQI_TUI_LOOK_BOARD"
        ),
    ]  # fmt: skip
    for section, words in SECTIONS.items():
        if section:
            lines += ["", "# " + _(words), f"[{section}]"]
        for setting in SETTINGS:
            if setting.section == section:
                value = values.get(setting.path, setting.default)
                mark = "" if setting.path in values else "# "
                lines += ["", "# " + _(setting.help), "# " + _("Allowed: {allowed}").format(
                    allowed=allowed_words(setting)
                ), f"{mark}{setting.name} = {toml(value)}"]  # fmt: skip
    lines.append("")
    for key in keys:
        mark = "" if key.name in changed else "# "
        line = f"{mark}{key.name} = {toml(' '.join(changed.get(key.name, key.keys)))}"
        lines.append(f"{line:<44} # {key.help}")
    return "\n".join(lines) + "\n"


def edited(text: str, section: str, name: str, value: Value) -> str:
    """Set one setting in the text of a file: its line is rewritten, or the one behind a ``#``, or one is added."""
    lines = text.splitlines()
    start, end = _range_of(lines, section)
    assignment = f"{name} = {toml(value)}"
    if start is None:
        return "\n".join([*lines, *([""] if lines else []), f"[{section}]", assignment]) + "\n"
    for pattern in (_assigns(name), re.compile(rf"\s*#\s*{re.escape(name)}\s*=")):
        for place in range(start, end):
            if pattern.match(lines[place]):
                lines[place] = assignment + _remark(lines[place])
                return "\n".join(lines) + "\n"
    while end > start and not lines[end - 1].strip():
        end -= 1
    lines.insert(end, assignment)
    return "\n".join(lines) + "\n"


def line_of(text: str, section: str, name: str) -> int | None:
    """The number of the line where a setting, or a section, is given a value; None when it cannot be told."""
    lines = text.splitlines()
    start, end = _range_of(lines, section)
    if start is not None:
        for place in range(start, end):
            if _assigns(name).match(lines[place]):
                return place + 1
    for place, line in enumerate(lines):
        match = _SECTION.match(line)
        if (match and not section and match[1] == name) or re.match(rf"\s*{section}\.{re.escape(name)}\s*=", line):
            return place + 1
    return None


def key_names(value: object) -> tuple[str, ...]:
    """Read the keys of a command, as Textual names them; empty when one of them is none."""
    if not isinstance(value, str):
        return ()
    keys = []
    for word in value.split():
        *modifiers, last = word.split("+") if len(word) > 1 and not word.endswith("+") else (word,)
        if word.endswith("+") and len(word) > 1:
            *modifiers, last = [*word[:-2].split("+"), "plus"]
        if not set(modifiers) <= _MODIFIERS or not _is_key(last):
            return ()
        keys.append("+".join([*modifiers, last if len(last) > 1 or last.isalnum() else _name_of(last)]))
    return tuple(keys)


def _is_key(name: str) -> bool:
    if len(name) == 1:
        return name.isprintable() and not name.isspace()
    if name in _NAMED_KEYS or re.fullmatch(r"f([1-9]|1\d|2[0-4])", name):
        return True
    try:
        unicodedata.lookup(name.replace("_", " "))
    except KeyError:
        return False
    return True


def _name_of(sign: str) -> str:
    """Textual's name of a sign: that of Unicode, but for a few."""
    short = {"+": "plus", "-": "minus", "/": "slash", "\\": "backslash", "_": "underscore", "@": "at"}
    return short.get(sign) or unicodedata.name(sign).lower().replace("-", "_").replace(" ", "_")


def _assigns(name: str) -> re.Pattern[str]:
    return re.compile(rf"""\s*["']?{re.escape(name)}["']?\s*=""")


def _remark(line: str) -> str:
    """The remark at the end of a line, which may itself stand behind a ``#``."""
    match = re.search(r"\s+#[^\"']*$", line.lstrip("# "))
    return match[0] if match else ""


def _range_of(lines: list[str], section: str) -> tuple[int | None, int]:
    """The lines of a section without its head; None when the file has no such section."""
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
