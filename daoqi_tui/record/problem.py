"""What was wrong with a record, and where: values that a screen can show as one line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from daoqi_tui.record.text import plain_line

MOST_PROBLEMS: Final = 100
"""How many problems are kept one by one; a broken file may have one at every byte."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a record that was left out or read otherwise than it stands there.

    Attributes:
        line: counted from 1, or 0 when the problem has no place in the text.
        column: in characters, counted from 1.
        message: one sentence without a full stop, fit to be shown as it is.
    """

    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.message}" if self.line else self.message


class SgfError(ValueError):
    """A record that cannot be read at all; the text of the error is one sentence, with line and column."""

    def __init__(self, message: str, line: int = 0, column: int = 0) -> None:
        message = plain_line(message)
        super().__init__(message)
        self.problem = Problem(line, column, message)

    def __str__(self) -> str:
        return str(self.problem)


def reason_of(error: Exception) -> str:
    """Why something failed: the system's own words without number and file name, else those of the error."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
