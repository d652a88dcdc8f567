"""The class of an opening of two moves, and its standard form (棋盘标准化).

On the torus every first move is like every other, and the second is told by its displacement from the first, turned
and reflected so that 0 ≤ x ≤ y ≤ N/2 (x columns, y rows). That makes 44 classes on the standard board. They are
numbered from the nearest ring outwards, y·(y + 1)/2 + x, so that a displacement has one number on every size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from daoqi_tui.analysis.canonical import Position, canonical_moves
from daoqi_tui.analysis.opening_names import OpeningName, opening_name
from daoqi_tui.analysis.symmetry import Symmetry
from daoqi_tui.engine import BLACK, PASS, Game, Move, Node, Setup


@dataclass(frozen=True, slots=True)
class OpeningClass:
    """One class: its number from 1, Black's and White's stones in standard form, its name."""

    number: int
    displacement: tuple[int, int]
    """Columns x and rows y from Black's stone to White's."""
    name: OpeningName

    def points(self, size: int) -> tuple[int, int]:
        """Black's point, 0, and White's."""
        x, y = self.displacement
        return 0, y * size + x


@dataclass(frozen=True, slots=True)
class Opening:
    """What a game begins with.

    Attributes:
        kind: its class; None before the second move, and where the game does not begin with a black and a white
            play on the empty board.
        moves: all its moves in standard form.
        symmetry: the symmetry that takes the game to the standard form.
    """

    kind: OpeningClass | None
    moves: tuple[int, ...]
    symmetry: Symmetry

    def as_dict(self) -> dict[str, Any]:
        """``{"class": 1…44 or None, "standard": [[column, row], …], "symmetry": …}``; a pass is None."""
        size = self.symmetry.size
        return {
            "class": self.kind.number if self.kind else None,
            "standard": [None if move == PASS else [move % size, move // size] for move in self.moves],
            "symmetry": self.symmetry.as_dict(),
        }


def class_count(size: int) -> int:
    """How many classes a board of ``size`` has."""
    half = size // 2
    return half * (half + 3) // 2


def opening_class(size: int, number: int) -> OpeningClass:
    """The class with a number from 1 to :func:`class_count`.

    Raises:
        ValueError: there is no such class.
    """
    if not 1 <= number <= class_count(size):
        raise ValueError(f"opening {number} does not exist: 1 to {class_count(size)} on size {size}")
    y = next(y for y in range(1, size) if number <= y * (y + 3) // 2)
    x = number - y * (y + 1) // 2
    return OpeningClass(number, (x, y), opening_name(size, (x, y)))


def opening_classes(size: int) -> Iterator[OpeningClass]:
    """All classes, the nearest first."""
    return (opening_class(size, number) for number in range(1, class_count(size) + 1))


def find_opening(size: int, moves: Sequence[int], start: Position | None = None) -> Opening:
    """The class and the standard form of a game that begins with ``moves``.

    Args:
        size: the side of the board.
        moves: points and passes, colours taking turns.
        start: the position they start from, the empty board with Black to move by default.

    Raises:
        ValueError: a move is neither a point of the board nor a pass.
    """
    form = canonical_moves(size, moves, start)
    usual = start is None or start == Position(size, to_move=BLACK)
    kind = None
    if usual and len(moves) >= 2 and PASS not in form.moves[:2] and form.moves[0] != form.moves[1]:
        y, x = divmod(form.moves[1], size)
        kind = opening_class(size, y * (y + 1) // 2 + x)
    return Opening(kind, form.moves, form.symmetry)


def opening_of(game: Game) -> Opening:
    """The opening of ``game`` along the line to its cursor; the game stays as it is."""
    start, moves = opening_moves(game)
    return find_opening(game.torus.size, moves, start)


def opening_moves(game: Game, end: Node | None = None) -> tuple[Position, tuple[int, ...]]:
    """The position after the setup a game begins with, and the moves to ``end`` or to a later setup.

    Args:
        game: the game; it stays as it is.
        end: the node to stop at, by default the cursor.
    """
    black = white = 0
    to_move = BLACK
    moves: list[int] = []
    for node in (end or game.node).path():
        match node.action:
            case Setup() as setup if not moves:
                gone = setup.black | setup.white | setup.empty
                black, white = black & ~gone | setup.black, white & ~gone | setup.white
                to_move = setup.to_move
            case Setup():
                break
            case Move(point=point):
                moves.append(point)
    return Position(game.torus.size, black, white, to_move), tuple(moves)
