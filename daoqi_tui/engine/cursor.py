"""A cursor in a tree of moves and setups, and the board that follows it.

Every node stands for a position, so whoever moves the cursor moves the board with it. Whatever is refused raises
before anything changes: the cursor is never half-way between two nodes.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from daoqi_tui.engine.board import Board
from daoqi_tui.engine.colour import BLACK, EMPTY, WHITE
from daoqi_tui.engine.node import Action, Move, Node, Setup
from daoqi_tui.engine.torus import Torus


class Cursor:
    """A cursor at the root of a tree that has no other node yet.

    Args:
        torus: the points of the board.

    Attributes:
        board: the position at the cursor. Look, but leave playing on it to the game.
        root: the start.
        node: where the cursor is.
    """

    def __init__(self, torus: Torus) -> None:
        self.torus: Final = torus
        self.board = Board(torus)
        self.root: Final = Node(None, None, 0)
        self.node = self.root

    def undo(self) -> Node:
        """Go back one node; the tree keeps what was played.

        Raises:
            ValueError: this is the start.
        """
        if self.node.parent is None:
            raise ValueError("this is the start; there is nothing to take back")
        self.board.undo()
        self.node = self.node.parent
        return self.node

    def redo(self, variation: int = 0) -> Node:
        """Go on to a child of the cursor, the main continuation by default.

        Raises:
            ValueError: nothing was played from here.
            TypeError: ``variation`` is not a whole number.
        """
        if variation.__class__ is not int:
            raise TypeError(f"a variation is a whole number, not {variation!r}")
        if not 0 <= variation < len(self.node.children):
            raise ValueError("nothing more was played from here; there is nothing to play again")
        node = self.node.children[variation]
        self._enter(node)
        return node

    def goto(self, node: Node) -> None:
        """Set the cursor on any node of the tree.

        Raises:
            ValueError: the node is not in the tree: it belongs to another game, or was deleted.
            TypeError: it is not a node.
        """
        path = self._path_to(node)
        depth = {step: place for place, step in enumerate(path)}
        while self.node not in depth:
            self.undo()
        for step in path[depth[self.node] + 1 :]:
            self._enter(step)

    def promote(self, node: Node) -> None:
        """Make the line through ``node`` the main line all the way from the root.

        Raises:
            ValueError: the node is not in the tree.
            TypeError: it is not a node.
        """
        for child in self._path_to(node)[1:]:
            parent = child.parent
            assert parent is not None
            parent.children = (child, *(other for other in parent.children if other is not child))

    def delete(self, node: Node) -> None:
        """Take ``node`` and all below it out of the tree; the cursor steps back out of it.

        Raises:
            ValueError: the node is the root, or not in the tree.
            TypeError: it is not a node.
        """
        self._path_to(node)
        parent = node.parent
        if parent is None:
            raise ValueError("the start cannot be deleted")
        if node in self.node.path():
            self.goto(parent)
        parent.children = tuple(child for child in parent.children if child is not node)

    def board_at(self, node: Node) -> Board:
        """A board of its own with the position at any node; the cursor stays where it is.

        Raises:
            ValueError, TypeError: as for :meth:`goto`.
        """
        board = Board(self.torus)
        for step in self._path_to(node):
            _make(board, step.action)
        return board

    # Below the surface

    def _advance(self, action: Action) -> Node:
        """Set the cursor on the child that ``action``, already made on the board, leads to."""
        here = self.node
        for child in here.children:
            if child.action == action:
                self.node = child
                return child
        node = Node(here, action, here.number + isinstance(action, Move))
        here.children = (*here.children, node)
        self.node = node
        return node

    def _enter(self, node: Node) -> None:
        """Make the action of a child of the cursor on the board, and set the cursor there."""
        _make(self.board, node.action)
        self.node = node

    def _path_to(self, node: Node) -> list[Node]:
        """The nodes from the root to ``node``, which has to be in the tree."""
        if not isinstance(node, Node):
            raise TypeError(f"a node of the game is wanted, not {node!r}")
        path = node.path()
        if path[0] is not self.root or any(child not in parent.children for parent, child in pairwise(path)):
            raise ValueError("that node is not in this game's tree; take one that walk() yields")
        return path


def _make(board: Board, action: Action | None) -> None:
    """Make a move or a setup on a board."""
    match action:
        case Move(point=point):
            board.make(point)
        case Setup() as setup:
            lay_out(board, setup)


def lay_out(board: Board, setup: Setup) -> None:
    """Lay out stones by hand.

    Raises:
        ValueError: a chain would have no liberty.
    """
    colours = list(board.colours)
    for mask, colour in ((setup.black, BLACK), (setup.white, WHITE), (setup.empty, EMPTY)):
        for point in board.torus.points_in(mask):
            colours[point] = colour
    board.setup(colours, setup.to_move)
