"""The 3×3 shapes worth an answer, after Gelly, Wang, Munos and Teytaud (2006), without those of the edge.

A shape is drawn with the empty point to play in the middle: ``X`` and ``O`` are the two colours, ``.`` is empty,
``?`` is anything, ``x`` is anything but X, ``o`` anything but O. Each stands for its eight rotations and
reflections and for both colourings.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import Final

SHAPES: Final = (
    ("hane", "XOX ... ???"),
    ("hane", "XO. ... ?.?"),
    ("hane", "XO? X.. ?.?"),
    ("diagonal against two", "XOO ... ?.?"),
    ("cut", "XO? O.o ?o?"),
    ("peeped cut", "XO? O.X ???"),
    ("cut across", "?X? O.O xxx"),
)
_ANY: Final = {"X": (1,), "O": (2,), ".": (0,), "?": (0, 1, 2), "x": (0, 2), "o": (0, 1)}
# Where a kernel's code holds the eight places of a drawing read row by row without the middle: the order of
# Torus.neighbours (up, right, down, left), then of Torus.diagonals (from the upper left, clockwise).
_SHIFT: Final = (8, 0, 10, 6, 2, 14, 4, 12)


@lru_cache(maxsize=1)
def pattern_table() -> bytes:
    """For each code of eight surroundings 3 when the middle is worth an answer, by either colour, else 0."""
    table = bytearray(1 << 16)
    for _, drawing in SHAPES:
        for places in _symmetries(drawing.replace(" ", "")):
            for colours in product(*(_ANY[place] for place in places)):
                code = sum(colour << shift for colour, shift in zip(colours, _SHIFT, strict=True))
                swapped = sum(((0, 2, 1)[colour]) << shift for colour, shift in zip(colours, _SHIFT, strict=True))
                table[code] = table[swapped] = 3
    return bytes(table)


def _symmetries(drawing: str) -> Iterator[str]:
    """The rotations and reflections of nine places, each without its middle."""
    seen = set()
    for _ in range(2):
        for _ in range(4):
            drawing = "".join(drawing[3 * (2 - column) + row] for row in range(3) for column in range(3))
            seen.add(drawing[:4] + drawing[5:])
        drawing = drawing[::-1]
        drawing = "".join(drawing[3 * row + 2 - column] for row in range(3) for column in range(3))
    yield from sorted(seen)
