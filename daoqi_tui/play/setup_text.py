"""Parses the board size, the komi and the handicap of a new game as typed by the user."""

from __future__ import annotations

from typing import Final

from daoqi_tui.message import Message
from daoqi_tui.numbers import komi_number, whole_number

SMALLEST_OFFERED: Final = 5
LARGEST_OFFERED: Final = 25


def read_size(text: str) -> int:
    """Parse a typed board size.

    Raises:
        ValueError: it is none.
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
    """Parse a typed komi.

    Raises:
        ValueError: it is none.
    """
    komi = komi_number(text)
    if komi is None:
        raise ValueError(Message("Komi must be a number such as 4 or 3.75"))
    return komi


def read_handicap(text: str, size: int = LARGEST_OFFERED) -> int:
    """Parse a typed handicap.

    Raises:
        ValueError: it is invalid, or does not fit a board of ``size``.
    """
    from daoqi_tui.engine import handicap_points, torus_of  # noqa: PLC0415 (the command line begins without)

    handicap = whole_number(text, 0, 9)
    try:
        handicap_points(torus_of(size), -1 if handicap is None else handicap)
    except ValueError:
        raise ValueError(Message("The handicap must be 0, or 2 to 9 stones that fit the board")) from None
    assert handicap is not None
    return handicap
