"""Points in SGF: two letters from the top left, rectangles of them, and a pass."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from daoqi_tui.engine import PASS, torus_of

_SPACE = re.compile(r"\s+")
_SETUP: Final = (("AE", 0), ("AB", 1), ("AW", 2))


class PointError(ValueError):
    """A value that is no point of the board; the text says what would be."""


@lru_cache(maxsize=32)
def moves_of(size: int) -> dict[str, int]:
    """The usual spellings of all moves: points in lower case, ``[]`` and, up to 19, ``[tt]`` for a pass."""
    torus = torus_of(size)
    known = {torus.name(point, "sgf"): point for point in range(torus.points)}
    known[""] = PASS
    if size <= 19:
        known["tt"] = PASS
    return known


@lru_cache(maxsize=32)
def names_of(size: int) -> tuple[str, ...]:
    """The name of each point; the last, at index :data:`~daoqi_tui.engine.PASS`, is the pass, empty."""
    torus = torus_of(size)
    return (*(torus.name(point, "sgf") for point in range(torus.points)), "")


def point_of(raw: str, size: int) -> int:
    """The point, or :data:`~daoqi_tui.engine.PASS`, that a raw value names; forgives case and white space.

    Raises:
        PointError: it names none on this board.
    """
    known = moves_of(size)
    point = known.get(raw)
    if point is None:
        word = _SPACE.sub("", raw[:50]).lower()
        point = PASS if word == "pass" else known.get(word)
    if point is None:
        shown = raw if len(raw) <= 12 else raw[:12] + "…"
        last = chr(ord("a") + size - 1)
        raise PointError(f"[{shown}] is not a point of a {size}×{size} board: two letters from a to {last}")
    return point


@lru_cache(maxsize=4096)
def rectangle(raw: str, size: int) -> int:
    """The mask of a point ``aa`` or a rectangle ``aa:cc``, whichever two opposite corners it gives.

    Raises:
        PointError: a corner is no point of the board.
    """
    start, colon, end = raw.partition(":")
    first = point_of(start, size)
    last = point_of(end, size) if colon else first
    if PASS in (first, last):
        raise PointError(f"[{raw[:12]}] is not a point to put a stone on or take it from")
    top, bottom = sorted((first // size, last // size))
    left, right = sorted((first % size, last % size))
    row = ((1 << (right - left + 1)) - 1) << left
    # Rows repeat every ``size`` bits: the number 1 + 2**size + 2**2size … has one bit for each row wanted.
    rows = ((1 << (size * (bottom - top + 1))) - 1) // ((1 << size) - 1)
    return (row * rows) << (top * size)


@dataclass(frozen=True, slots=True)
class SetupMasks:
    """Stones laid out in one node: masks of the points to empty, to make black and to make white.

    Attributes:
        wrong: a sentence for each value that was no point.
    """

    masks: tuple[int, int, int]
    wrong: tuple[str, ...]


def masks_of(properties: dict[str, list[str]], size: int) -> SetupMasks:
    """The stones that AE, AB and AW lay out; where they contradict each other the later property counts."""
    masks = [0, 0, 0]
    wrong: list[str] = []
    order = {name: place for place, name in enumerate(properties)}
    for name, colour in sorted(_SETUP, key=lambda pair: order.get(pair[0], 0)):
        mask = 0
        for raw in properties.get(name, ()):
            if not raw.strip() and name == "AE":
                continue
            try:
                mask |= rectangle(raw, size)
            except PointError as error:
                wrong.append(f"{name}{error}")
        masks = [other & ~mask for other in masks]
        masks[colour] = mask
    return SetupMasks((masks[0], masks[1], masks[2]), tuple(wrong))


def values_of(mask: int, size: int) -> list[str]:
    """The raw values that list the points of a mask one by one, which every program can read."""
    names = names_of(size)
    return [names[point] for point in torus_of(size).points_in(mask)]
