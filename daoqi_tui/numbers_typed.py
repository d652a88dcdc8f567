"""Whole numbers as a person types them."""

from __future__ import annotations


def whole_number(text: str, least: int, most: int) -> int | None:
    """The number that ``text`` names, None where it names none from ``least``, 0 or more, to ``most``.

    Digits alone, as many as there may be: Python's ``int`` also takes spaces, underscores and the digits of other
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
