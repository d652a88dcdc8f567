"""How the margin ran through a game, drawn with blocks: two moves and two steps of the margin to a character."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from typing import Final

_BLOCKS: Final = " ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█"
"""By the sum of the bits of its quarters: 1 and 2 above, 4 and 8 below. Every font has them, unlike braille."""
_LEAST: Final = 8
"""Points that the height stands for at least, so that small swings stay small."""


@dataclass(frozen=True, slots=True)
class Graph:
    """A drawing in ``width`` × ``height`` characters.

    Attributes:
        rows: its lines.
        zero: the line that holds the margin of nobody.
        top: the margin at its upper end.
        bottom: the margin at its lower end.
        places: for each value the column of characters it is drawn in.
    """

    rows: tuple[str, ...]
    zero: int
    top: float
    bottom: float
    places: tuple[int, ...]

    def value_at(self, place: int) -> int:
        """The value drawn nearest to a column; of several in one column the last."""
        return max(range(len(self.places)), key=lambda index: (-abs(self.places[index] - place), index))


def draw(values: Sequence[float], width: int, height: int, span: float | None = None) -> Graph:
    """Draw values as bars from zero: half a character wide each, or less where they would not fit.

    What is not a number is left out. The height stands for the values there are, or for ``span`` up and down.
    """
    known = [value for value in values if not isnan(value)]
    top, bottom = max(0.0, *known, 0.0), min(0.0, *known, 0.0)
    if top - bottom < _LEAST:
        top, bottom = (top, top - _LEAST) if top > -bottom else (bottom + _LEAST, bottom)
    if span is not None:
        top, bottom = span, -span
    across, down = 2 * width, 2 * height
    step = min(1.0, (across - 1) / max(1, len(values) - 1))
    unit = (down - 1) / (top - bottom)
    zero = round(top * unit)
    bits = [[0] * width for _ in range(height)]
    places = []
    columns: dict[int, float] = {}
    for index, value in enumerate(values):
        place = int(index * step)
        places.append(place // 2)
        # Of several in one column the one furthest from zero shows, so that no peak is lost.
        if not isnan(value) and abs(value) >= abs(columns.get(place, 0)):
            columns[place] = value
    for place, value in columns.items():
        end = round((top - value) * unit)
        for dot in range(min(zero, end), max(zero, end) + 1):
            bits[dot // 2][place // 2] |= 1 << (2 * (dot % 2) + place % 2)
    rows = tuple("".join(_BLOCKS[bit] for bit in row) for row in bits)
    return Graph(rows, zero // 2, top, bottom, tuple(places))
