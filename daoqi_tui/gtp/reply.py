"""The answer to one command: ``=`` or ``?``, its id, its text, and the empty line that ends it."""

from __future__ import annotations

import re
from collections.abc import Callable

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Reply:
    """An answer, which may begin before all of it is known, as that of an analysis does.

    Args:
        number: the id of the command, as it came.
        write: takes the text away, and sees to it that it arrives at once.
    """

    def __init__(self, number: str, write: Callable[[str], None]) -> None:
        self._number = number
        self._write = write
        self._begun = False

    def say(self, line: str) -> None:
        """Send a line of the answer now."""
        head = "" if self._begun else f"={self._number}\n"
        self._begun = True
        self._write(f"{head}{_tidy(line)}\n")

    def finish(self, text: str) -> None:
        """Send the rest of the answer, or all of it."""
        if self._begun:
            self._write(_tidy(text) + "\n\n" if text else "\n")
        else:
            space = "" if text[:1] in ("", "\n") else " "
            self._write(f"={self._number}{space}{_tidy(text)}\n\n")

    def fail(self, text: str) -> None:
        """Send that the command could not be done; what has begun already can only be ended."""
        if self._begun:
            self._write("\n")
        else:
            self._write(f"?{self._number} {_tidy(text)}".rstrip(" ") + "\n\n")


def _tidy(text: str) -> str:
    """``text`` without empty lines, of which the first would end the answer, and without control characters."""
    first, *others = _CONTROL.sub("�", text.replace("\r\n", "\n")).split("\n")
    return "\n".join([first, *(line for line in others if line.strip())]).rstrip("\n")
