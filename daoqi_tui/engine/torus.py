"""The torus: points, neighbours, shifts and the names of points.

A point is an index ``row * columns + column`` with row 0 at the top. A set of points is given either as a
tuple of indices or as a *mask*, an integer whose bit ``p`` stands for point ``p``: on masks a whole board
is one number, so that union, intersection and dilation are single operations on Python integers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import compress
from typing import Final, Literal, TypeAlias

from daoqi_tui.message import Message

Style: TypeAlias = Literal["daoqi", "gtp", "sgf"]
STYLES: Final[tuple[Style, ...]] = ("daoqi", "gtp", "sgf")

SMALLEST: Final = 2
LARGEST: Final = 25

_COLUMN_LETTERS: Final = {"daoqi": "ABCDEFGHIJKLMNOPQRSTUVWXY", "gtp": "ABCDEFGHJKLMNOPQRSTUVWXYZ"}
_BITS_OF_DIGITS: Final = bytes.maketrans(b"01", b"\x00\x01")
_FEW: Final = 16
"""A mask of so many points is read bit by bit, which is faster then than through its digits."""


class Torus:
    """A torus of ``rows`` × ``columns`` points (square when only one number is given).

    Instances are immutable; :func:`torus_of` shares one per size. Oblong boards and rings, 1 × n, exist for
    the known counts of positions that test the rules; games are played on squares of 2 to 25.
    """

    def __init__(self, rows: int, columns: int | None = None) -> None:
        columns = rows if columns is None else columns
        for length in (rows, columns):
            if isinstance(length, bool) or not isinstance(length, int):
                raise TypeError(f"a board size is a whole number, not {length!r}")
            if not 1 <= length <= LARGEST:
                raise ValueError(
                    Message(
                        "board size {size} is out of range: {least} to {most}",
                        size=length,
                        least=SMALLEST,
                        most=LARGEST,
                    )
                )
        self.rows: Final = rows
        self.columns: Final = columns
        self.points: Final = rows * columns
        self.full: Final = (1 << self.points) - 1
        self._all = tuple(range(self.points))
        self.bits: Final = tuple([1 << point for point in self._all])
        self.neighbours: Final = self._nearby()
        self.around: Final = tuple([sum(map(self.bits.__getitem__, nearby)) for nearby in self.neighbours])
        self._first_column = self.mask(range(0, self.points, columns))
        self._last_column = self._first_column << (columns - 1)

    def __repr__(self) -> str:
        return f"Torus({self.rows})" if self.rows == self.columns else f"Torus({self.rows}, {self.columns})"

    @property
    def size(self) -> int:
        return self.rows

    def _nearby(self) -> tuple[tuple[int, ...], ...]:
        """Return the neighbours of each point: above, to the right, below, to the left, each once and none of itself.

        Whole rows are shifted, which takes a fifth of the time of a function for each point.
        """
        rows, columns, points = self.rows, self.columns, list(self._all)
        lines = [points[start : start + columns] for start in range(0, self.points, columns)]
        right = [point for line in lines for point in line[1:] + line[:1]]
        left = [point for line in lines for point in line[-1:] + line[:-1]]
        up, down = points[-columns:] + points[:-columns], points[columns:] + points[:columns]
        nearby = tuple(zip(up, right, down, left, strict=True))
        if min(rows, columns) > 2:
            return nearby
        return tuple(tuple(dict.fromkeys(near for near in four if near != point)) for point, four in enumerate(nearby))

    def point(self, row: int, column: int) -> int:
        """Return the point at ``(row, column)``, any integers: both directions wrap."""
        return row % self.rows * self.columns + column % self.columns

    def position(self, point: int) -> tuple[int, int]:
        """Return ``(row, column)`` of a point, row 0 at the top."""
        return divmod(point, self.columns)

    def shift(self, point: int, down: int, right: int) -> int:
        """Return the point ``down`` rows below and ``right`` columns to the right, wrapping around."""
        row, column = divmod(point, self.columns)
        return self.point(row + down, column + right)

    def offset(self, start: int, end: int) -> tuple[int, int]:
        """Return the shortest offset ``(down, right)`` from ``start`` to ``end``; half the board counts as positive."""
        (row, column), (end_row, end_column) = self.position(start), self.position(end)
        down, right = (end_row - row) % self.rows, (end_column - column) % self.columns
        return (
            down if 2 * down <= self.rows else down - self.rows,
            right if 2 * right <= self.columns else right - self.columns,
        )

    def distance(self, start: int, end: int) -> int:
        """Return the number of steps between neighbours from ``start`` to ``end``."""
        down, right = self.offset(start, end)
        return abs(down) + abs(right)

    def mask(self, points: Iterable[int]) -> int:
        mask = 0
        for point in points:
            mask |= 1 << point
        return mask

    def points_in(self, mask: int) -> tuple[int, ...]:
        """Return the points of a mask in ascending order."""
        if mask.bit_count() <= _FEW:
            points = []
            while mask:
                lowest = mask & -mask
                points.append(lowest.bit_length() - 1)
                mask ^= lowest
            return tuple(points)
        digits = bin(mask)[:1:-1].encode()
        return tuple(compress(self._all, digits.translate(_BITS_OF_DIGITS)))

    def dilate(self, mask: int) -> int:
        """Return the mask of all neighbours of the points in ``mask``."""
        width, count = self.columns, self.points
        first, last = self._first_column, self._last_column
        dilated = 0
        if width > 1:
            dilated = (
                (mask & ~last) << 1
                | (mask & last) >> (width - 1)
                | (mask & ~first) >> 1
                | (mask & first) << (width - 1)
            )
        if count > width:
            dilated |= mask << width | mask >> (count - width) | mask >> width | mask << (count - width)
        return self.full & dilated

    def flood(self, start: int, within: int) -> int:
        """Return the mask of the points of ``within`` that are connected within it to those of ``start``."""
        reached = start
        while (wider := (reached | self.dilate(reached)) & within) != reached:
            reached = wider
        return reached

    def regions(self, mask: int) -> Iterator[int]:
        """Yield the masks of the connected regions of a mask, the one with the lowest point first."""
        while mask:
            region = self.flood(mask & -mask, mask)
            mask ^= region
            yield region

    def name(self, point: int, style: Style = "daoqi") -> str:
        """Return the name of ``point``: ``K9`` (``daoqi``), ``L9`` (``gtp``, which skips I) or ``kh`` (``sgf``).

        Raises:
            ValueError: the point is off the board.
        """
        if not 0 <= point < self.points:
            raise ValueError(off_board(point, self.points))
        row, column = self.position(point)
        if style == "sgf":
            return chr(ord("a") + column) + chr(ord("a") + row)
        return f"{_COLUMN_LETTERS[style][column]}{self.rows - row}"

    def parse(self, text: str, style: Style = "daoqi") -> int:
        """Return the point named ``text``, upper or lower case.

        Raises:
            ValueError: the name is invalid; the message says what would be valid.
            TypeError: ``text`` is not text.
        """
        if not isinstance(text, str):
            raise TypeError(f"the name of a point is text, not {text!r}")
        word = text.strip()
        if style == "sgf":
            if len(word) == 2 and word.isascii() and word.isalpha():
                column, row = (ord(letter) - ord("a") for letter in word.lower())
                if column < self.columns and row < self.rows:
                    return self.point(row, column)
            last = chr(ord("a") + self.rows - 1)
            raise ValueError(Message("{text} is not a point: two letters from a to {last}", text=repr(text), last=last))
        letters = _COLUMN_LETTERS[style][: self.columns]
        column = letters.find(word[0].upper()) if word and word.isascii() else -1
        number = word[1:]
        if column >= 0 and number.isdigit() and len(number) <= 2 and 1 <= int(number) <= self.rows:
            return self.point(self.rows - int(number), column)
        if style == "gtp" and self.columns >= 9:
            wanted = Message(
                "a letter from A to {letter} and a number from 1 to {number}; the letter I is skipped",
                letter=letters[-1],
                number=self.rows,
            )
        else:
            wanted = Message(
                "a letter from A to {letter} and a number from 1 to {number}", letter=letters[-1], number=self.rows
            )
        raise ValueError(Message("{text} is not a point: {wanted}", text=repr(text), wanted=wanted))


def off_board(point: int, points: int) -> Message:
    return Message("point {point} is off the board: 0 to {last}", point=point, last=points - 1)


@lru_cache(maxsize=64, typed=True)
def torus_of(rows: int, columns: int | None = None) -> Torus:
    """Return the shared :class:`Torus` of a size, so that its tables are made once."""
    return Torus(rows, columns)
