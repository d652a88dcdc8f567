"""A node of the game tree: one move or setup, and what followed it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, TypeAlias

from daoqi_tui.engine.board import PASS
from daoqi_tui.engine.colour import BLACK, Colour, opponent
from daoqi_tui.engine.ending import Ending


@dataclass(frozen=True, slots=True)
class Move:
    """A play at ``point``, or a pass when ``point`` is :data:`~daoqi_tui.engine.board.PASS`."""

    colour: Colour
    point: int

    @property
    def is_pass(self) -> bool:
        """Whether the player passed."""
        return self.point == PASS


@dataclass(frozen=True, slots=True)
class Setup:
    """Stones laid out or taken off by hand, as masks, and the colour then to move."""

    black: int
    white: int
    empty: int
    to_move: Colour


Action: TypeAlias = Move | Setup


@lru_cache(maxsize=4096)
def move_of(colour: Colour, point: int) -> Move:
    """The shared :class:`Move`; a tree holds the same few hundred again and again."""
    return Move(colour, point)


class Node:
    """A place in the tree of a game.

    Attributes:
        parent: the node before, None at the root.
        children: what was played next: the main continuation, then the variations.
        action: the move or setup that led here, None for an empty root.
        number: plays and passes from the root to here.
        captured: stones the move took from the opponent.
        lost: stones the mover lost by suicide.
        ending: a resignation, a loss on time or agreed dead stones declared here.
        resumed: whether play was resumed here after two passes.
        properties: what else a record says of the node, by SGF property name; None when nothing.
    """

    __slots__ = ("action", "captured", "children", "ending", "lost", "number", "parent", "properties", "resumed")

    def __init__(self, parent: Node | None, action: Action | None, number: int) -> None:
        self.parent: Final = parent
        self.action = action
        self.number: Final = number
        self.children: tuple[Node, ...] = ()
        self.captured = 0
        self.lost = 0
        self.ending: Ending | None = None
        self.resumed = False
        self.properties: dict[str, Any] | None = None

    def __repr__(self) -> str:
        return f"<Node {self.number}: {self.action}>"

    @property
    def move(self) -> Move | None:
        """The move that led here, None at the root and at setup."""
        return self.action if isinstance(self.action, Move) else None

    @property
    def to_move(self) -> Colour:
        """Who is to move here."""
        if self.action is None:
            return BLACK
        return opponent(self.action.colour) if isinstance(self.action, Move) else self.action.to_move

    @property
    def passes_in_row(self) -> int:
        """How many passes in a row end here; a resumption starts the count anew."""
        count, node = 0, self
        while node.move is not None and node.move.is_pass and not (node.resumed and node is not self):
            count += 1
            if node.parent is None:
                break
            node = node.parent
        return count

    @property
    def ends_by_passes(self) -> bool:
        """Whether two passes in a row have ended the game here, and nobody resumed it."""
        return self.passes_in_row >= 2 and not self.resumed

    @property
    def is_over(self) -> bool:
        """Whether the game has ended here."""
        return self.ending is not None or self.ends_by_passes

    def path(self) -> list[Node]:
        """The nodes from the root to this one, both included."""
        nodes = [self]
        while (parent := nodes[-1].parent) is not None:
            nodes.append(parent)
        nodes.reverse()
        return nodes

    def line(self) -> list[Node]:
        """The nodes that follow along first children, this one excluded."""
        nodes: list[Node] = []
        node = self
        while node.children:
            node = node.children[0]
            nodes.append(node)
        return nodes

    def walk(self) -> Iterator[Node]:
        """This node and all below it, each before its children."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))
