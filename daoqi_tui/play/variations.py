"""Steps through the variations of a game, following the line that was viewed last."""

from __future__ import annotations

from daoqi_tui.engine import Node
from daoqi_tui.play.session import Session


class Variations:
    """The nodes before, after and next to the viewed one; does not view any itself.

    Args:
        session: the game.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._viewed: dict[Node, Node] = {}
        """The last viewed child of each node."""
        self.remember()

    def remember(self) -> None:
        """Remember the line through the viewed node; call it after every step."""
        node = self._session.game.node
        while (parent := node.parent) is not None and self._viewed.get(parent) is not node:
            self._viewed[parent] = node
            node = parent

    def next_node(self, node: Node) -> Node | None:
        """Return the child of ``node`` that was viewed last, or the first one; None at the end of a line."""
        return self._viewed.get(node) or next(iter(node.children), None)

    def last_node(self) -> Node:
        """Return the end of the line that was viewed last."""
        node = self._session.game.node
        while following := self.next_node(node):
            node = following
        return node

    def earlier(self, moves: int) -> Node:
        """Return the node some moves earlier, but not before the start of the game."""
        node = self._session.game.node
        for _move in range(moves):
            if node.parent is None or node is self._session.start:
                break
            node = node.parent
        return node

    def later(self, moves: int) -> Node:
        """Return the node some moves later on the line viewed last, up to its end."""
        node = self._session.game.node
        for _move in range(moves):
            following = self.next_node(node)
            if following is None:
                break
            node = following
        return node

    def sibling(self) -> Node:
        """Return the next variation of this move, cyclically; the move itself if it has none."""
        node = self._session.game.node
        siblings = node.parent.children if node.parent is not None else (node,)
        return siblings[(siblings.index(node) + 1) % len(siblings)]
