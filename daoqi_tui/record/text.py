"""Text in records, escaped and unescaped.

Three forms of one text are kept apart. *Raw* is what the file has between ``[`` and ``]``, escapes included, and
is what travels from file to file. *Text* is the unescaped value. *Plain* is text without anything that a
terminal would interpret (:mod:`daoqi_tui.text`).

The errors and problems of reading a record are also here, since they quote its text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from daoqi_tui.message import Message
from daoqi_tui.text import plain_line

_BREAK = re.compile(r"\r\n|\n\r|\r")
_ESCAPED = re.compile(r"\\(?:\r\n|\n\r|[\r\n]|(.))", re.DOTALL)
"""An escaped character, or a soft line break, which has no character."""
_SAFE_RAW = re.compile(r"[^\]\\]*+(?:\\.[^\]\\]*+)*+", re.DOTALL)


def decode(raw: str) -> str:
    r"""Unescape a raw value of SGF type Text.

    >>> decode(r"a \] and a \\, a soft \
    ... break")
    'a ] and a \\, a soft break'
    """
    if "\\" in raw:
        raw = _ESCAPED.sub(r"\1", raw)
    return _BREAK.sub("\n", raw)


def decode_line(raw: str) -> str:
    """Unescape a raw value of SGF type SimpleText: newlines and tabs become spaces."""
    return decode(raw).replace("\n", " ").replace("\t", " ").strip()


def encode(text: str) -> str:
    r"""Escape ``text`` as a raw value; the colon too, so that it fits composed values.

    >>> encode("[a]:b")
    '[a\\]\\:b'
    """
    return text.replace("\\", "\\\\").replace("]", "\\]").replace(":", "\\:")


def encode_line(text: str) -> str:
    """Escape ``text`` as a raw value of SGF type SimpleText, on one line."""
    return encode(" ".join(text.split()))


def safe(raw: str) -> str:
    """Return ``raw``, escaped if it would not end exactly at its bracket."""
    return raw if _SAFE_RAW.fullmatch(raw) else encode(raw)


MOST_PROBLEMS: Final = 100
"""The maximum number of problems that are kept; a broken file may have one at every byte."""


@dataclass(frozen=True, slots=True)
class SgfProblem:
    """A problem in a record that was skipped or corrected while reading.

    Attributes:
        line: counted from 1, or 0 when the problem has no position in the text.
        column: in characters, counted from 1.
        message: one sentence without a full stop; its quotations from the record are safe to display.
    """

    line: int
    column: int
    message: Message

    def as_message(self) -> Message:
        if not self.line:
            return self.message
        return Message(
            "line {line}, column {column}: {problem}", line=self.line, column=self.column, problem=self.message
        )

    def __str__(self) -> str:
        return str(self.as_message())


class SgfError(ValueError):
    """A record that cannot be read at all; :attr:`problem` says why, with line and column."""

    def __init__(self, message: Message, line: int = 0, column: int = 0) -> None:
        message = message.map_text(plain_line)
        super().__init__(message)
        self.problem = SgfProblem(line, column, message)

    def as_message(self) -> Message:
        return self.problem.as_message()

    def __str__(self) -> str:
        return str(self.problem)
