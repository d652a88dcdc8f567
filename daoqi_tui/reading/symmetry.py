"""The 8·N² symmetries of an N × N torus: any shift after any rotation or reflection.

A symmetry optionally transposes (swaps rows with columns), then rotates by quarter turns clockwise about the point (0,
0), then shifts. Eight rotations and reflections times N² shifts make 2048 on the standard board. They form a group:
compose them with ``@``, invert one with ``inverse``.

Canonical images are equal for all positions, and for all openings, that are equivalent under symmetry.

Of all images of a position the *canonical* one is the greatest, read from point 0 on with Black above White above
empty. The greatest has Black on point 0, or White if there is no Black, so only the shifts that bring a stone there
need to be checked: 8 images per stone instead of 8·N².

For a sequence of moves the canonical image is the least one, move by move, with points in the order of their columns,
then rows. If several symmetries are equally good, all are kept until a later move distinguishes them: positions with
their own symmetries need this, so fixing two stones would not be enough.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.engine import BLACK, PASS, WHITE, Board, Colour, torus_of

PointTable: TypeAlias = NDArray[np.int16]


def _matrices() -> tuple[tuple[int, int, int, int], ...]:
    """Return the eight matrices (a, b, c, d): (row, column) goes to (a·row + b·column, c·row + d·column)."""
    found = []
    for matrix in ((1, 0, 0, 1), (0, 1, 1, 0)):
        for _ in range(4):
            found.append(matrix)
            a, b, c, d = matrix
            # A quarter turn clockwise takes (row, column) to (column, -row).
            matrix = (c, d, -a, -b)
    return tuple(found)


MATRICES: Final = _matrices()
_INDEX: Final = {matrix: index for index, matrix in enumerate(MATRICES)}


@dataclass(frozen=True, slots=True)
class Symmetry:
    """A symmetry of the ``size`` × ``size`` torus.

    Attributes:
        size: the side of the board.
        transposed: whether rows and columns are swapped first.
        turns: quarter turns clockwise after that, 0 to 3.
        down: rows shifted down last, 0 to size - 1.
        right: columns shifted to the right last, 0 to size - 1.
    """

    size: int
    transposed: bool = False
    turns: int = 0
    down: int = 0
    right: int = 0

    def __post_init__(self) -> None:
        if not (0 <= self.turns < 4 and 0 <= self.down < self.size and 0 <= self.right < self.size):
            raise ValueError(f"{self!r}: turns are 0 to 3, shifts 0 to {self.size - 1}")

    @classmethod
    def from_index(cls, size: int, index: int) -> Symmetry:
        """Make the symmetry of row ``index`` in :func:`point_table`."""
        way, shift = divmod(index, size * size)
        return cls(size, way >= 4, way % 4, *divmod(shift, size))

    @property
    def index(self) -> int:
        """Its row in the tables below, 0 (the identity) to 8·size² - 1."""
        return (self._way * self.size + self.down) * self.size + self.right

    @property
    def _way(self) -> int:
        return 4 * self.transposed + self.turns

    def point(self, point: int) -> int:
        """Return the image of ``point``; a pass stays a pass."""
        if point == PASS:
            return PASS
        a, b, c, d = MATRICES[self._way]
        row, column = divmod(point, self.size)
        size = self.size
        return (a * row + b * column + self.down) % size * size + (c * row + d * column + self.right) % size

    def points(self, points: Iterable[int]) -> tuple[int, ...]:
        return tuple(self.point(point) for point in points)

    def mask(self, mask: int) -> int:
        torus = torus_of(self.size)
        return torus.mask(self.points(torus.points_in(mask)))

    def __matmul__(self, first: Symmetry) -> Symmetry:
        """Compose: ``second @ first`` applies ``first``, then ``second``."""
        if first.size != self.size:
            raise ValueError(f"symmetries of sizes {self.size} and {first.size} cannot follow one another")
        a, b, c, d = MATRICES[self._way]
        e, f, g, h = MATRICES[first._way]
        way = _INDEX[a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h]
        size = self.size
        down = (a * first.down + b * first.right + self.down) % size
        right = (c * first.down + d * first.right + self.right) % size
        return Symmetry(size, way >= 4, way % 4, down, right)

    @property
    def inverse(self) -> Symmetry:
        a, b, c, d = MATRICES[self._way]
        # The matrices are orthogonal, so the inverse is the transposed matrix.
        way, size = _INDEX[a, c, b, d], self.size
        down, right = -(a * self.down + c * self.right) % size, -(b * self.down + d * self.right) % size
        return Symmetry(size, way >= 4, way % 4, down, right)

    def as_dict(self) -> dict[str, Any]:
        return {"transposed": self.transposed, "turns": self.turns, "down": self.down, "right": self.right}


def symmetries(size: int) -> Iterator[Symmetry]:
    """Return all 8·size² symmetries by index, the identity first. On tiny boards several are identical."""
    return (Symmetry.from_index(size, index) for index in range(8 * size * size))


@lru_cache(maxsize=8)
def point_table(size: int) -> PointTable:
    """Return the image of every point: shape (8·size², size²), row ``index`` of :class:`Symmetry`."""
    rows, columns = np.divmod(np.arange(size * size), size)
    shifts_down, shifts_right = rows[:, None], columns[:, None]
    ways = [
        (a * rows + b * columns + shifts_down) % size * size + (c * rows + d * columns + shifts_right) % size
        for a, b, c, d in MATRICES
    ]
    table = np.concatenate(ways).astype(np.int16)
    table.flags.writeable = False
    return table


@lru_cache(maxsize=8)
def inverse_table(size: int) -> NDArray[np.intp]:
    """Return the index of the inverse of every symmetry: shape (8·size²,)."""
    return np.array([symmetry.inverse.index for symmetry in symmetries(size)], dtype=np.intp)


@dataclass(frozen=True, slots=True)
class BoardPosition:
    """Stones on a square torus, as masks, and the side to move."""

    size: int
    black: int = 0
    white: int = 0
    to_move: Colour = BLACK

    @classmethod
    def of(cls, board: Board) -> BoardPosition:
        if board.torus.rows != board.torus.columns:
            raise ValueError(f"symmetries are those of a square board, not of {board.torus!r}")
        return cls(board.torus.size, board.stones(BLACK), board.stones(WHITE), board.to_move)


@dataclass(frozen=True, slots=True)
class CanonicalPosition:
    """The canonical image of a position.

    Attributes:
        position: the image, equal for equivalent positions and different for all others.
        indices: the indices of all symmetries that lead there; more than one if the position is symmetric.
    """

    position: BoardPosition
    indices: tuple[int, ...]

    @property
    def symmetry(self) -> Symmetry:
        return Symmetry.from_index(self.position.size, self.indices[0])

    def move(self, point: int) -> int:
        """Return the canonical image of a move in the position: equal for moves equivalent under its own symmetries."""
        if point == PASS:
            return PASS
        return int(point_table(self.position.size)[list(self.indices), point].min())

    def back(self, move: int) -> tuple[int, ...]:
        """Return the moves in the position itself whose canonical image is ``move``, ascending."""
        if move == PASS:
            return (PASS,)
        size = self.position.size
        undoing = inverse_table(size)[list(self.indices)]
        return tuple(np.unique(point_table(size)[undoing, move]).tolist())


@dataclass(frozen=True, slots=True)
class CanonicalMoves:
    """The canonical image of a sequence of moves.

    Attributes:
        start: the canonical image of the position it starts from.
        moves: the image of the moves, passes as they are; with ``start`` equal for equivalent sequences only.
        indices: the indices of all symmetries that lead there.
    """

    start: BoardPosition
    moves: tuple[int, ...]
    indices: tuple[int, ...]

    @property
    def symmetry(self) -> Symmetry:
        return Symmetry.from_index(self.start.size, self.indices[0])


def canonical_position(position: BoardPosition | Board) -> CanonicalPosition:
    """Return the canonical image of a position, side to move included."""
    if isinstance(position, Board):
        position = BoardPosition.of(position)
    size = position.size
    if not position.black | position.white:
        return CanonicalPosition(position, _all_indices(size))
    black, white = _bits(position.black, size), _bits(position.white, size)
    values = black << 1 | white
    anchors = np.flatnonzero(black if position.black else white)
    # A rotation followed by the shift to an anchor takes point 0 there; so its inverse takes the anchor to point 0.
    undoing = (np.arange(0, 8 * size * size, size * size)[:, None] + anchors).ravel()
    boards = values[point_table(size)[undoing]]
    words = boards.view(f"S{size * size}").ravel()
    best = words.argmax()
    indices = inverse_table(size)[undoing[words == words[best]]]
    image = BoardPosition(size, _mask(boards[best] == 2), _mask(boards[best] == 1), position.to_move)
    return CanonicalPosition(image, tuple(np.sort(indices).tolist()))


def canonical_moves(size: int, moves: Sequence[int], start: BoardPosition | None = None) -> CanonicalMoves:
    """Return the canonical image of ``moves``, with alternating colours, from ``start`` or from the empty board.

    The moves are not played: no rules are checked, and a point may occur more than once.

    Raises:
        ValueError: a move is neither a point of the board nor a pass.
    """
    first = canonical_position(BoardPosition(size) if start is None else start)
    table, order = point_table(size), _column_order(size)
    left = np.array(first.indices)
    found = []
    for move in moves:
        if move == PASS:
            found.append(PASS)
            continue
        if not 0 <= move < size * size:
            raise ValueError(f"move {move} is off the board: 0 to {size * size - 1}, or {PASS} for a pass")
        reached = table[left, move]
        places = order[reached]
        left = left[places == places.min()]
        found.append(int(table[left[0], move]))
    return CanonicalMoves(first.position, tuple(found), tuple(left.tolist()))


def symmetric_keys(
    size: int, boards: NDArray[np.uint8], movers: NDArray[np.uint8], moves: Sequence[int]
) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    """Return keys of positions and of moves in them that are the same for all images, also with colours exchanged.

    A Zobrist sum is kept for each of the 8·N² symmetries, and a change of a point changes each by one addition. The key
    is the sum of all of them after mixing, so it depends on their set only. Seen from the side to move, a stone adds
    its number if it is the mover's and subtracts it otherwise. Keys of 64 bits are taken for exact: that any of five
    million positions has the key of another has a chance of 3 in 10¹³.

    Args:
        size: the side of the board.
        boards: the colours of all points, (positions, size²); fast if each differs little from the one before.
        movers: the side to move.
        moves: the point of the move in each position, negative for another key of 0.

    Returns:
        The keys of the positions, even if Black is to move and odd otherwise, and those of the moves, 2 or greater.
    """
    numbers, pointers = _numbers(size, "stones"), _numbers(size, "points")

    def images(table: NDArray[np.uint64], point: int) -> NDArray[np.uint64]:
        row, column = divmod(point, size)
        return table[:, row : row + size, column : column + size]

    signs = _SIGNS[boards]
    steps = np.diff(signs, axis=0, prepend=np.zeros((1, size * size), np.int8))
    places, points = np.nonzero(steps)
    changes = iter(zip(places.tolist(), points.tolist(), steps[places, points].tolist(), strict=True))
    change = next(changes, None)
    sums = np.zeros((8, size, size), np.uint64)
    products = np.empty_like(sums)
    keys, move_keys = np.empty(len(boards), np.uint64), np.zeros(len(boards), np.uint32)
    for first in range(0, len(boards), _BLOCK):
        chosen = slice(first, first + _BLOCK)
        is_white = movers[chosen] == WHITE
        block = np.empty((len(is_white), 8, size, size), np.uint64)
        for place in range(len(block)):
            while change is not None and change[0] == first + place:
                for _ in range(abs(change[2])):
                    (np.add if change[2] > 0 else np.subtract)(sums, images(numbers, change[1]), out=sums)
                change = next(changes, None)
            (np.negative if is_white[place] else np.positive)(sums, out=block[place])
        block ^= block >> np.uint64(32)
        block *= _MULTIPLIER
        block ^= block >> np.uint64(29)
        keys[chosen] = block.reshape(len(block), -1).sum(axis=1) & ~np.uint64(1) | is_white
        for place, mixed in enumerate(block, first):
            if moves[place] >= 0:
                np.multiply(mixed, images(pointers, moves[place]), out=products)
                move_keys[place] = max(2, int(np.add.reduce(products, axis=None)) >> 32)
    return keys, move_keys


_SIGNS: Final = np.array([0, 1, -1], np.int8)
"""What a point of each colour adds, for Black."""
_BLOCK: Final = 8
"""Positions that are mixed at a time, so that they stay in the cache of a core."""
_MULTIPLIER: Final = np.uint64(0x9E3779B97F4A7C15)
"""An odd number without structure: 2⁶⁴ divided by the golden ratio."""


@lru_cache(maxsize=8)
def _numbers(size: int, purpose: str) -> NDArray[np.uint64]:
    """Return a random number for each point after each rotation or reflection, twice over: (8, 2·size, 2·size)."""
    data = hashlib.shake_128(f"{purpose} {size}".encode()).digest(8 * size * size)
    numbers = np.frombuffer(data, "<u8").astype(np.uint64)
    table = point_table(size)[:: size * size]
    return np.tile(numbers[table].reshape(8, size, size), (1, 2, 2))


@lru_cache(maxsize=8)
def _all_indices(size: int) -> tuple[int, ...]:
    return tuple(range(8 * size * size))


@lru_cache(maxsize=8)
def _column_order(size: int) -> NDArray[np.intp]:
    """Return the rank of each point when the board is read column by column."""
    return np.arange(size * size).reshape(size, size).T.ravel()


def _bits(mask: int, size: int) -> NDArray[np.uint8]:
    count = size * size
    packed = np.frombuffer(mask.to_bytes((count + 7) // 8, "little"), np.uint8)
    return np.unpackbits(packed, count=count, bitorder="little")


def _mask(bits: NDArray[np.bool_]) -> int:
    return int.from_bytes(np.packbits(bits, bitorder="little").tobytes(), "little")
