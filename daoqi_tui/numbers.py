"""Numbers typed by the user: parsing, and the ranges of levels, komi and time limits."""

from __future__ import annotations

import re
from typing import Final

from daoqi_tui.message import Message

WEAKEST: Final = 1
STRONGEST: Final = 10
"""The range of the levels of play; :mod:`daoqi_tui.ai.levels` says how each plays."""
MOST_THREADS: Final = 64
"""The maximum number of processor cores for a search."""
MOST_KOMI: Final = 200
"""The maximum komi that the user may choose, for either side; records may have more."""

_DECIMAL: Final = re.compile(r"[+-]?(?:[0-9]{1,9}(?:\.[0-9]{0,9})?|\.[0-9]{1,9})")


def whole_number(text: str, least: int, most: int) -> int | None:
    """Return the whole number that `text` names, or None unless it is from `least` (0 or more) to `most`.

    Only ASCII digits count, in any number: Python's ``int`` also accepts spaces, underscores and the digits of other
    scripts, and refuses thousands of digits.

    >>> [whole_number(text, 1, 10) for text in ("007", "11", "1_0", "-1", "9" * 5000)]
    [7, None, None, None, None]
    """
    if not (text.isascii() and text.isdecimal()):
        return None
    digits = text.lstrip("0") or "0"
    if len(digits) > len(str(most)):
        return None
    number = int(digits)
    return number if least <= number <= most else None


def decimal_number(text: str) -> int | float | None:
    """Return the number that `text` names in ASCII digits, None if it names none.

    >>> [decimal_number(text) for text in ("-7", "3.75", "1_6", " 9", "1e2", "nan")]
    [-7, 3.75, None, None, None, None]
    """
    if not _DECIMAL.fullmatch(text):
        return None
    return float(text) if "." in text else int(text)


def komi_number(text: str) -> float | None:
    """Return the komi that `text` names, or None unless it is one of at most :data:`MOST_KOMI` for either side.

    >>> [komi_number(text) for text in ("3.75", "-4", "200.5", "nan", "1_0", "1e2")]
    [3.75, -4.0, None, None, None, None]
    """
    komi = decimal_number(text)
    return float(komi) if komi is not None and is_komi(komi) else None


def is_komi(points: float) -> bool:
    """Return whether the user may choose a komi."""
    return -MOST_KOMI <= points <= MOST_KOMI


def check_level(level: int) -> None:
    """Check a level of play.

    Raises:
        ValueError: it is out of range.
    """
    if not WEAKEST <= level <= STRONGEST:
        raise ValueError(
            Message("level {level} is out of range: {least} to {most}", level=level, least=WEAKEST, most=STRONGEST)
        )


def check_seconds(seconds: float | None, most: float) -> None:
    """Check a time limit of a move, None for none.

    Raises:
        ValueError: it is not more than 0, or more than ``most``.
    """
    if seconds is not None and not 0 < seconds <= most:
        raise ValueError(
            Message(
                "{seconds} seconds per move are out of range: more than 0, at most {most}",
                seconds=f"{seconds:g}",
                most=f"{most:g}",
            )
        )
