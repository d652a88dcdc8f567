"""Numbers that a person types: the levels of play, and reading whole numbers."""

from __future__ import annotations

from typing import Final

WEAKEST: Final = 1
STRONGEST: Final = 10
MOST_THREADS: Final = 64
"""The range of the levels of play; :mod:`daoqi_tui.ai.levels` says how each plays."""


def whole_number(text: str, least: int, most: int) -> int | None:
    """Return the whole number that `text` names, or None unless it is from `least` (0 or more) to `most`.

    Only ASCII digits count, however many: Python's ``int`` also takes spaces, underscores and the digits of other
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
