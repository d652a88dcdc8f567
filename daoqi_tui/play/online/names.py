"""Names at a table: two that look alike are told apart by a number."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from typing import Final
from unicodedata import category, normalize

from daoqi_tui.play.online.protocol import LONGEST_NAME

_BLANK: Final = frozenset(
    map(
        chr,
        (
            # Default-ignorable characters that are letters, marks or symbols, and the blank pattern of Braille.
            *(0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2065, 0x2800, 0x3164, 0xFFA0),
            *range(0x180B, 0x1810),
            *range(0xFE00, 0xFE10),
            *range(0xFFF0, 0xFFF9),
            *range(0xE0000, 0xE1000),
        ),
    )
)


def skeleton(name: str) -> str:
    r"""Return what is equal for names that differ in case, width, spaces or invisible characters alone.

    It is NFKC_Casefold of Unicode without spaces and controls; letters of different scripts stay different.

    >>> skeleton("Ke Jie") == skeleton("ｋｅ\u200bＪＩＥ")
    True
    """
    folded = normalize("NFKC", normalize("NFKC", name).casefold())
    return "".join(sign for sign in folded if sign not in _BLANK and category(sign)[0] not in "CZ")


def distinct(name: str, taken: Iterable[str]) -> str:
    r"""Return a name that looks like none of those ``taken``, with a number behind it if necessary.

    A name that shows nothing is no name.

    >>> distinct("Ke", ["KE", "Lu"]), distinct("Ke", ["ke", "Ke 2"]), distinct("\u3164", [])
    ('Ke 2', 'Ke 3', '')
    """
    if not skeleton(name):
        return ""
    known = {skeleton(other) for other in taken}
    if skeleton(name) not in known:
        return name
    tries = (f"{name[: LONGEST_NAME - len(end)]}{end}" for number in count(2) for end in (f" {number}",))
    return next(one for one in tries if skeleton(one) not in known)
