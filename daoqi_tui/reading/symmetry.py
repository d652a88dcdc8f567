"""The 8·N² symmetries of an N × N torus: any shift after any rotation or reflection.

A symmetry optionally transposes (swaps rows with columns), then rotates by quarter turns clockwise about the point (0,
0), then shifts. Eight rotations and reflections times N² shifts make 2048 on the standard board. They form a group:
compose them with ``@``, invert one with ``inverse``.

Canonical images are equal for all positions, and for all openings, that are equivalent under symmetry.

Of all images of a position the *canonical* one is the greatest, read from point 0 on with Black above White above
empty. The greatest has Black on point 0, or White if there is no Black, so only the shifts that bring a stone there
need to be checked, row by row: 8 images per stone instead of 8·N².

For a sequence of moves the canonical image is the least one, move by move, with points in the order of their columns,
then rows. If several symmetries are equally good, all are kept until a later move distinguishes them: positions with
their own symmetries need this, so fixing two stones would not be enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import Any, Final

from daoqi_tui.engine import BLACK, PASS, WHITE, Board, Colour, torus_of


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
        way, shift = divmod(index, size * size)
        return cls(size, way >= 4, way % 4, *divmod(shift, size))

    @property
    def index(self) -> int:
        """Its number among all, 0 (the identity) to 8·size² - 1."""
        return (self._way * self.size + self.down) * self.size + self.right

    @property
    def _way(self) -> int:
        return 4 * self.transposed + self.turns

    def point(self, point: int) -> int:
        """Return the image of ``point``; a pass stays a pass."""
        if point == PASS:
            return PASS
        return _image(self.size, self.index, point)

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

    def board(self) -> Board:
        """Return a board with the position.

        Raises:
            ValueError: a chain has no liberty.
        """
        board = Board(torus_of(self.size))
        board.lay_out(self.black, self.white, 0, self.to_move)
        return board


@dataclass(frozen=True, slots=True)
class CanonicalPosition:
    """The canonical image of a position.

    Attributes:
        position: the image, equal for equivalent positions and different for all others.
        indices: the indices of all symmetries that lead there; more than one if the position is symmetric.
    """

    position: BoardPosition
    indices: tuple[int, ...]

    def move(self, point: int) -> int:
        """Return the canonical image of a move in the position: equal for moves equivalent under its own symmetries."""
        if point == PASS:
            return PASS
        return min(images(self.position.size, self.indices, point))

    def back(self, move: int) -> tuple[int, ...]:
        """Return the moves in the position itself whose canonical image is ``move``, ascending."""
        if move == PASS:
            return (PASS,)
        inverses = (Symmetry.from_index(self.position.size, index).inverse for index in self.indices)
        return tuple(sorted({inverse.point(move) for inverse in inverses}))


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
    torus = torus_of(size)
    stones = bytearray(size * size)
    for mask, value in ((position.black, 2), (position.white, 1)):
        for point in torus.points_in(mask):
            stones[point] = value
    # Each row twice, so that one shifted to the right is a part of it.
    turned = [[2 * row for row in _rows(bytes(order(stones)), size)] for order in _orders(size)]
    left = [index for point in torus.points_in(position.black or position.white) for index in _to_corner(size, point)]
    rows = []
    for row in range(size):
        seen = []
        for index in left:
            way, shift = divmod(index, size * size)
            down, right = divmod(shift, size)
            first = size - right
            seen.append(turned[way][row - down][first : first + size])
        best = max(seen)
        left = [index for index, each in zip(left, seen, strict=True) if each == best]
        rows.append(best)
    image = b"".join(rows)
    black, white = (torus.mask(point for point, each in enumerate(image) if each == value) for value in (2, 1))
    return CanonicalPosition(BoardPosition(size, black, white, position.to_move), tuple(sorted(left)))


def canonical_moves(size: int, moves: Sequence[int], start: BoardPosition | None = None) -> CanonicalMoves:
    """Return the canonical image of ``moves``, with alternating colours, from ``start`` or from the empty board.

    The moves are not played: no rules are checked, and a point may occur more than once.

    Raises:
        ValueError: a move is neither a point of the board nor a pass.
    """
    first = canonical_position(BoardPosition(size) if start is None else start)
    left: Sequence[int] = first.indices
    found = []
    for move in moves:
        if move == PASS:
            found.append(PASS)
            continue
        if not 0 <= move < size * size:
            raise ValueError(f"move {move} is off the board: 0 to {size * size - 1}, or {PASS} for a pass")
        if len(left) == 8 * size * size:
            left = _to_corner(size, move)
        reached = images(size, left, move)
        # In the order of columns.
        best = min(reached, key=lambda point: (point % size, point))
        left = [index for index, point in zip(left, reached, strict=True) if point == best]
        found.append(best)
    return CanonicalMoves(first.position, tuple(found), tuple(left))


def images(size: int, indices: Iterable[int], point: int) -> list[int]:
    """Return the images of a point under symmetries, by their indices."""
    return [_image(size, index, point) for index in indices]


def _image(size: int, index: int, point: int) -> int:
    way, shift = divmod(index, size * size)
    (a, b, c, d), (row, column), (down, right) = MATRICES[way], divmod(point, size), divmod(shift, size)
    return (a * row + b * column + down) % size * size + (c * row + d * column + right) % size


def _to_corner(size: int, point: int) -> list[int]:
    """Return the symmetries that take a point to point 0, ascending."""
    row, column = divmod(point, size)
    shifts = (-(a * row + b * column) % size * size + -(c * row + d * column) % size for a, b, c, d in MATRICES)
    return [way * size * size + shift for way, shift in enumerate(shifts)]


def _rows(stones: bytes, size: int) -> list[bytes]:
    return [stones[first : first + size] for first in range(0, size * size, size)]


@lru_cache(maxsize=8)
def _orders(size: int) -> tuple[Callable[[Sequence[int]], tuple[int, ...]], ...]:
    """Return functions that turn and reflect the values of all points, one for each matrix."""
    inverses = (Symmetry(size, way >= 4, way % 4).inverse for way in range(len(MATRICES)))
    return tuple(itemgetter(*inverse.points(range(size * size))) for inverse in inverses)


@lru_cache(maxsize=8)
def _all_indices(size: int) -> tuple[int, ...]:
    return tuple(range(8 * size * size))
