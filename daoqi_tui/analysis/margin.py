"""How the area margin runs through a game, node by node, for a graph of the game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from daoqi_tui.engine import BLACK, EMPTY, WHITE, Board, Game, Move, Node, Setup, area

Count: TypeAlias = Callable[[Board, float], float]
"""Black's margin on a board with a komi."""


@dataclass(frozen=True, slots=True)
class MarginPoint:
    """The margin after one node.

    Attributes:
        node: the node, for jumping there.
        margin: Black's points less White's, komi and passes counted.
        captured: stones the move took.
        lost: stones the mover lost by suicide.
        is_pass: whether the move was a pass.
    """

    node: Node
    margin: float
    captured: int
    lost: int
    is_pass: bool

    def as_dict(self) -> dict[str, Any]:
        """The point as plain values."""
        return {
            "move": self.node.number,
            "margin": self.margin,
            "captured": self.captured,
            "lost": self.lost,
            "pass": self.is_pass,
        }


def area_margin(board: Board, komi: float) -> float:
    """The margin by Tromp–Taylor area of the board as it stands; what :func:`margins` counts by default."""
    return area(board, komi).margin


def margins(game: Game, through: Node | None = None, count: Count = area_margin) -> tuple[MarginPoint, ...]:
    """The margin after each node of the line through ``through``: from the start, then on along first children.

    The moves are played on a board of their own, so the game's cursor stays where it is. With one colour on the
    board area counts every point for it; give an estimate as ``count`` to see more than that in an opening.

    Args:
        game: the game.
        through: a node of the game, by default its cursor.
        count: Black's margin on a board with a komi.

    Raises:
        ValueError: the node belongs to another game.
    """
    through = game.node if through is None else through
    path = through.path()
    if path[0] is not game.root:
        raise ValueError("that node belongs to another game")
    board = Board(game.torus)
    points = []
    for node in [*path, *through.line()]:
        _make(board, node)
        move = node.move
        points.append(
            MarginPoint(node, count(board, game.komi), node.captured, node.lost, move is not None and move.is_pass)
        )
    return tuple(points)


def _make(board: Board, node: Node) -> None:
    """Play what led to ``node``."""
    match node.action:
        case Move(point=point):
            board.make(point)
        case Setup() as setup:
            colours = list(board.colours)
            for mask, colour in ((setup.black, BLACK), (setup.white, WHITE), (setup.empty, EMPTY)):
                for point in board.torus.points_in(mask):
                    colours[point] = colour
            board.setup(colours, setup.to_move)
