"""The game tree: nodes with the moves and setups that lead to them.

:class:`~daoqi_tui.engine.game.Game` moves a cursor through it and keeps the board in step.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias

from daoqi_tui.engine.board import PASS, Board
from daoqi_tui.engine.result import Ending
from daoqi_tui.engine.rules import BLACK, Colour, Refusal, opponent


class Move(NamedTuple):
    """A play at ``point``, or a pass when ``point`` is :data:`~daoqi_tui.engine.board.PASS`."""

    colour: Colour
    point: int

    @property
    def is_pass(self) -> bool:
        return self.point == PASS


class Setup(NamedTuple):
    """Stones added or removed by hand, as masks, and the colour then to move."""

    black: int
    white: int
    empty: int
    to_move: Colour

    @property
    def points(self) -> int:
        return self.black | self.white | self.empty


Action: TypeAlias = Move | Setup
_NONE: Final[tuple[int, int]] = 0, 0


@lru_cache(maxsize=4096)
def move_of(colour: Colour, point: int) -> Move:
    """Return the shared :class:`Move`; a tree contains the same few hundred moves many times."""
    return Move(colour, point)


class Node:
    """A node of the game tree.

    Attributes:
        parent: the node before, None at the root.
        children: what was played next: the main continuation, then the variations.
        action: the move or setup that led here, None for an empty root.
        number: plays and passes from the root to here.
        depth: nodes from the root to here.
        passes: how often Black and White have passed from the root to here.
        deleted: whether the node, with its descendants, was removed from the tree.
        captured: stones the move took from the opponent.
        lost: stones the mover lost by suicide.
        against: why play could not make the recorded move, or why it cannot go on from the recorded setup; None for
            all that the rules allow.
        ending: a resignation, a loss on time or agreed dead stones declared here.
        resumed: whether play was resumed here after two passes.
        properties: the record's other properties of the node, by SGF property name; None if there are none.
    """

    __slots__ = (
        *(
            "action",
            "against",
            "captured",
            "children",
            "deleted",
            "depth",
            "ending",
            "lost",
            "number",
            "parent",
            "passes",
            "properties",
        ),
        "resumed",
    )

    def __init__(self, parent: Node | None, action: Action | None, number: int) -> None:
        self.parent: Final = parent
        self.action = action
        self.number: Final = number
        self.depth: Final[int] = 0 if parent is None else parent.depth + 1
        # Nodes share the pair.
        black, white = passes = _NONE if parent is None else parent.passes
        if isinstance(action, Move) and action.point == PASS:
            passes = (black + 1, white) if action.colour == BLACK else (black, white + 1)
        self.passes: Final[tuple[int, int]] = passes
        self.children: tuple[Node, ...] = ()
        self.deleted = False
        self.captured = 0
        self.lost = 0
        self.against: Refusal | None = None
        self.ending: Ending | None = None
        self.resumed = False
        self.properties: dict[str, Any] | None = None

    def __repr__(self) -> str:
        return f"<Node {self.number}: {self.action}>"

    @property
    def move(self) -> Move | None:
        return self.action if isinstance(self.action, Move) else None

    @property
    def to_move(self) -> Colour:
        """Return the colour to move here."""
        if self.action is None:
            return BLACK
        return opponent(self.action.colour) if isinstance(self.action, Move) else self.action.to_move

    @property
    def passes_in_row(self) -> int:
        """Return the number of consecutive passes that end here; a resumption resets the count."""
        count, node = 0, self
        while isinstance(node.action, Move) and node.action.point == PASS and (node is self or not node.resumed):
            count += 1
            if node.parent is None:
                break
            node = node.parent
        return count

    @property
    def ends_by_passes(self) -> bool:
        """Return whether two passes in a row have ended the game here, without a resumption."""
        return not self.resumed and self.passes_in_row >= 2

    @property
    def is_over(self) -> bool:
        return self.ending is not None or self.ends_by_passes

    def path(self) -> list[Node]:
        """Return the nodes from the root to this one, both included."""
        nodes = [self]
        while (parent := nodes[-1].parent) is not None:
            nodes.append(parent)
        nodes.reverse()
        return nodes

    def line(self) -> list[Node]:
        """Return the nodes that follow along first children, excluding this one."""
        nodes: list[Node] = []
        node = self
        while node.children:
            node = node.children[0]
            nodes.append(node)
        return nodes

    def walk(self) -> Iterator[Node]:
        """Yield this node and its descendants in preorder."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))


def arrange(parent: Node, children: tuple[Node, ...]) -> None:
    """Set the children of a node, in their order; those left out are deleted, until they are children again.

    Raises:
        ValueError: one of them was made below another node, or is named twice. Nothing changes.
    """
    if any(child.parent is not parent for child in children) or len(set(children)) < len(children):
        raise ValueError("not children of this node, each named once")
    for child in parent.children:
        child.deleted = True
    for child in children:
        child.deleted = False
    parent.children = children


def make(board: Board, action: Action | None) -> Refusal | None:
    """Make a recorded move or setup on a board; return what the rules have against it, as :attr:`Node.against`."""
    match action:
        case Move(point=point):
            return board.replay(point)
        case Setup(black, white, empty, to_move):
            board.lay_out(black, white, empty, to_move, recorded=True)
            return board.no_liberties()
    return None
