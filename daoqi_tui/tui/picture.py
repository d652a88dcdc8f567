"""What a board shows: one immutable value that the screen hands to the board widget."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from daoqi_tui.engine import Colour

_NO_LABELS: Final[Mapping[int, str]] = MappingProxyType({})


class Ghost(NamedTuple):
    """A stone that would be played."""

    point: int
    colour: Colour


class Picture(NamedTuple):
    """Everything drawn on a board of ``size`` × ``size`` points.

    Attributes:
        stones: the colour of each point.
        last: the point of the last move.
        cursor: the point the keyboard plays at.
        ghost: the stone that a click would play.
        chain: the stones of the chain pointed at.
        liberties: its liberties.
        owners: for each point the colour it counts for; None when the count is not shown.
        dead: stones agreed to be dead.
        refused: a point where a play was just refused.
        labels: one character to show on a point, or a number.
        strength: for each point from 125 (surely White's) over 128 (nobody's) to 131 (surely Black's); None when
            the estimate is not shown.
        marks: the kind of a mark on an empty point: ``black``, ``white`` or ``both``, the stones that would matter.
        badges: what a stone is to be warned of: ``atari``, or ``ladder`` when one captures it.
    """

    size: int
    stones: bytes
    last: int | None = None
    cursor: int | None = None
    ghost: Ghost | None = None
    chain: frozenset[int] = frozenset()
    liberties: frozenset[int] = frozenset()
    owners: bytes | None = None
    dead: frozenset[int] = frozenset()
    refused: int | None = None
    labels: Mapping[int, str] = _NO_LABELS
    strength: bytes | None = None
    marks: Mapping[int, str] = _NO_LABELS
    badges: Mapping[int, str] = _NO_LABELS

    def row_signatures(self) -> tuple[Hashable, ...]:
        """For each board row a value that is equal for rows that look the same and stand in the same place."""
        size = self.size
        marks: list[list[Hashable]] = [[] for _ in range(size)]
        for name, point in (("last", self.last), ("cursor", self.cursor), ("refused", self.refused)):
            if point is not None:
                marks[point // size].append((name, point))
        if self.ghost is not None:
            marks[self.ghost.point // size].append(self.ghost)
        for name, points in (("chain", self.chain), ("liberty", self.liberties), ("dead", self.dead)):
            for point in sorted(points):
                marks[point // size].append((name, point))
        for place, signs in enumerate((self.labels, self.marks, self.badges)):
            for point, sign in sorted(signs.items()):
                marks[point // size].append((place, sign, point))
        owners, strength = self.owners, self.strength
        return tuple(
            (
                row,
                self.stones[start : start + size],
                owners and owners[start : start + size],
                strength and strength[start : start + size],
                tuple(marks[row]),
            )
            for row, start in enumerate(range(0, size * size, size))
        )
