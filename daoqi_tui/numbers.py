"""Numbers typed by the user: parsing, and the ranges of sizes, komi, handicaps, levels and time limits."""

from __future__ import annotations

import re
from typing import Final

from daoqi_tui.message import Message

WEAKEST: Final = 1
STRONGEST: Final = 10
LEVEL_NUMBERS: Final[tuple[float, ...]] = tuple(
    half / 2 if half % 2 else half // 2 for half in range(2 * WEAKEST, 2 * STRONGEST + 1)
)
"""The levels of play, in steps of a half; :mod:`daoqi_tui.ai.levels` says how each plays.

A whole one is an ``int``, so that each is shown as it is typed: ``4``, ``4.5``.
"""
MOST_THREADS: Final = 64
"""The maximum number of processor cores for a search."""
MOST_KOMI: Final = 200
"""The maximum komi that the user may choose, for either side; records may have more."""

SMALLEST_OFFERED: Final = 5
LARGEST_OFFERED: Final = 25
MOST_HANDICAP: Final = 9

_DECIMAL: Final = r"[+-]?(?:[0-9]{1,9}(?:\.[0-9]{0,9})?|\.[0-9]{1,9})"


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
    if not re.fullmatch(_DECIMAL, text):
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


def read_size(text: str) -> int:
    """Return the board size that `text` names.

    Raises:
        ValueError: it names none that is offered.
    """
    size = whole_number(text, SMALLEST_OFFERED, LARGEST_OFFERED)
    if size is None:
        raise ValueError(
            Message(
                "The board size must be a whole number from {least} to {most}",
                least=SMALLEST_OFFERED,
                most=LARGEST_OFFERED,
            )
        )
    return size


def read_komi(text: str) -> float:
    """Return the komi that `text` names.

    Raises:
        ValueError: it names none.
    """
    komi = komi_number(text)
    if komi is None:
        raise ValueError(Message("Komi must be a number such as 4 or 3.75"))
    return komi


def read_handicap(text: str, most: int = MOST_HANDICAP) -> int:
    """Return the number of handicap stones that `text` names.

    Args:
        text: as typed.
        most: that fit the board.

    Raises:
        ValueError: it names none, or more.
    """
    handicap = whole_number(text, 0, most)
    if handicap is None or handicap == 1:
        raise ValueError(Message("The handicap must be 0, or 2 to 9 stones that fit the board"))
    return handicap


def level_number(text: str) -> float | None:
    """Return the level of play that `text` names, None if there is no such level.

    >>> [level_number(text) for text in ("4", "4.5", "4.0", "4.25", "0.5", "10.5")]
    [4, 4.5, 4, None, None, None]
    """
    number = decimal_number(text)
    return next((level for level in LEVEL_NUMBERS if level == number), None)


def read_level(text: str) -> float:
    """Return the level of play that `text` names.

    Raises:
        ValueError: there is no such level.
    """
    level = level_number(text)
    if level is None:
        raise ValueError(_no_level(text))
    return level


def nearest_level(number: float) -> float:
    """Return the level of play nearest to a number, the weaker of two.

    >>> [nearest_level(number) for number in (-3.0, 4.2, 4.3, 4.75, 99.0)]
    [1, 4, 4.5, 4.5, 10]
    """
    return min(LEVEL_NUMBERS, key=lambda level: abs(level - number))


def check_level(level: float) -> None:
    """Check a level of play.

    Raises:
        ValueError: there is no such level.
    """
    if level not in LEVEL_NUMBERS:
        raise ValueError(_no_level(f"{level:g}"))


def _no_level(text: str) -> Message:
    return Message(
        "there is no level {level}: {least} to {most}, in steps of 0.5", level=text, least=WEAKEST, most=STRONGEST
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
