"""The location of a setting in the text of a settings file."""

from __future__ import annotations

import re
from typing import Final

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
