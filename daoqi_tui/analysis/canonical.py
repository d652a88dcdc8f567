"""One value for all positions, and for all openings, that a symmetry of the torus takes into each other.

Of all images of a position the *canonical* one is the greatest, read from point 0 on with Black above White above
empty. The greatest has Black on point 0, or White where there is no Black, so only the shifts that bring a stone
there need be looked at: 8 images a stone instead of 8·N².

For a sequence of moves the canonical one is the image that is least, move by move, with points in the order of their
columns, then rows. Wherever several symmetries are equally good all are kept until a later move parts them: that is
what a position with a symmetry of its own needs, and why two stones put into a standard place are not enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.analysis.symmetry import Symmetry, inverse_table, point_table
from daoqi_tui.engine import BLACK, PASS, WHITE, Board, Colour


@dataclass(frozen=True, slots=True)
class Position:
    """Stones on a square torus, as masks, and the side to move."""

    size: int
    black: int = 0
    white: int = 0
    to_move: Colour = BLACK

    @classmethod
    def of(cls, board: Board) -> Position:
        """The position on a board."""
        if board.torus.rows != board.torus.columns:
            raise ValueError(f"symmetries are those of a square board, not of {board.torus!r}")
        return cls(board.torus.size, board.stones(BLACK), board.stones(WHITE), board.to_move)


@dataclass(frozen=True, slots=True)
class CanonicalPosition:
    """The canonical image of a position.

    Attributes:
        position: the image: equal for positions that are equivalent, different for all others.
        indices: the indices of all symmetries that lead there; more than one where the position has symmetries.
    """

    position: Position
    indices: tuple[int, ...]

    @property
    def symmetry(self) -> Symmetry:
        """The first symmetry that leads there."""
        return Symmetry.from_index(self.position.size, self.indices[0])

    def move(self, point: int) -> int:
        """The canonical image of a move in the position: equal for moves that its own symmetries exchange."""
        if point == PASS:
            return PASS
        return int(point_table(self.position.size)[list(self.indices), point].min())

    def back(self, move: int) -> tuple[int, ...]:
        """The moves in the position itself whose canonical image is ``move``, ascending."""
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

    start: Position
    moves: tuple[int, ...]
    indices: tuple[int, ...]

    @property
    def symmetry(self) -> Symmetry:
        """The first symmetry that leads there."""
        return Symmetry.from_index(self.start.size, self.indices[0])


def canonical_position(position: Position | Board) -> CanonicalPosition:
    """The canonical image of a position, side to move included."""
    if isinstance(position, Board):
        position = Position.of(position)
    size = position.size
    if not position.black | position.white:
        return CanonicalPosition(position, _all_indices(size))
    black, white = _bits(position.black, size), _bits(position.white, size)
    values = black << 1 | white
    anchors = np.flatnonzero(black if position.black else white)
    # A turn followed by the shift to an anchor takes point 0 there; so its inverse brings the anchor to point 0.
    undoing = (np.arange(0, 8 * size * size, size * size)[:, None] + anchors).ravel()
    boards = values[point_table(size)[undoing]]
    words = boards.view(f"S{size * size}").ravel()
    best = words.argmax()
    indices = inverse_table(size)[undoing[words == words[best]]]
    image = Position(size, _mask(boards[best] == 2), _mask(boards[best] == 1), position.to_move)
    return CanonicalPosition(image, tuple(np.sort(indices).tolist()))


def canonical_moves(size: int, moves: Sequence[int], start: Position | None = None) -> CanonicalMoves:
    """The canonical image of ``moves``, colours taking turns, from ``start`` or from the empty board.

    The moves are not played: no rule is asked, and a point may come more than once.

    Raises:
        ValueError: a move is neither a point of the board nor a pass.
    """
    first = canonical_position(Position(size) if start is None else start)
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


@lru_cache(maxsize=8)
def _all_indices(size: int) -> tuple[int, ...]:
    return tuple(range(8 * size * size))


@lru_cache(maxsize=8)
def _column_order(size: int) -> NDArray[np.intp]:
    """For each point its place when the board is read column by column."""
    return np.arange(size * size).reshape(size, size).T.ravel()


def _bits(mask: int, size: int) -> NDArray[np.uint8]:
    """A mask as one 0 or 1 for each point."""
    count = size * size
    packed = np.frombuffer(mask.to_bytes((count + 7) // 8, "little"), np.uint8)
    return np.unpackbits(packed, count=count, bitorder="little")


def _mask(bits: NDArray[np.bool_]) -> int:
    return int.from_bytes(np.packbits(bits, bitorder="little").tobytes(), "little")
