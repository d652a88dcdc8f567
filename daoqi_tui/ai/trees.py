"""Keeps the search trees of recent positions, so that a search continues where it stopped.

Stepping forward from a position reuses the subtree; stepping back finds the earlier tree again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from daoqi_tui.ai.protocol import Position, Restriction
from daoqi_tui.ai.search.evaluator import NetworkEvaluator
from daoqi_tui.ai.search.puct import PuctSearch

MOST_TREES: Final = 24
"""The maximum number of trees kept besides the one in use."""
MOST_ENTRIES: Final = 1.5e7
"""The maximum number of moves in all nodes of the kept trees, 20 to 30 bytes each; a node has one per point."""


@dataclass(eq=False)
class Tree:
    """A search tree with the position at its root.

    Attributes:
        position: the position at the root.
        search: the tree.
        network: evaluates its leaves. A file of the same name may contain another one later.
        restrictions: the moves it excludes.
        is_analysed: whether an analysis has grown it, or nodes it shares.
    """

    position: Position
    search: PuctSearch
    network: NetworkEvaluator
    restrictions: tuple[Restriction, ...]
    is_analysed: bool = False

    def moves_to(self, position: Position) -> list[int] | None:
        """Return the moves from the root to ``position``; None if it cannot be reached by moves in the tree.

        A record may contain moves that are illegal in the tree, and positions on the way would have to be evaluated.
        """
        mine = self.position
        if (mine.size, mine.komi, mine.rules) != (position.size, position.komi, position.rules):
            return None
        known = len(mine.actions)
        if position.actions[:known] != mine.actions:
            return None
        more = position.actions[known:]
        points = mine.size**2
        moves = [action for action in more if isinstance(action, int) and -1 <= action < points]
        if len(moves) != len(more) or (moves and self.restrictions):
            # The plies of restrictions count from the root that the tree was made with.
            return None
        node = self.search.root
        for move in moves:
            if (after := node.after(move)) is None:
                return None
            node = after
        return moves

    def advanced(self, moves: list[int], position: Position) -> Tree:
        """Return a new tree for ``position``, ``moves`` later, that starts with the subtree there."""
        search = self.search.fork(self.position.board())
        for move in moves:
            search.advance(move)
        return Tree(position, search, self.network, self.restrictions, is_analysed=self.is_analysed)

    @property
    def entries(self) -> int:
        """The maximum total number of moves of its nodes."""
        return self.search.visits * self.search.board.torus.points


class Trees:
    """The trees of recently searched positions, the most recent last."""

    def __init__(self) -> None:
        self._trees: list[Tree] = []

    def clear(self) -> None:
        """Drop all trees."""
        self._trees.clear()

    def find(
        self,
        position: Position,
        network: NetworkEvaluator,
        restrictions: tuple[Restriction, ...],
        *,
        analyse: bool,
        analysed: bool = True,
    ) -> Tree | None:
        """Return a tree for ``position``: an existing one, or one that starts with a subtree of an earlier one.

        Args:
            position: at its root.
            network: as of :class:`Tree`.
            restrictions: the same.
            analyse: whether it is for an analysis.
            analysed: whether a tree grown by an analysis may be reused.
        """
        found = [
            (tree, moves)
            for tree in reversed(self._trees)
            if tree.network is network
            and tree.restrictions == restrictions
            and (analysed or not tree.is_analysed)
            and (moves := tree.moves_to(position)) is not None
        ]
        if not found:
            return None
        tree, moves = min(found, key=lambda pair: len(pair[1]))
        # Its nodes are shared with the new tree below.
        tree.is_analysed |= analyse
        return tree.advanced(moves, position) if moves else tree

    def keep(self, tree: Tree, *, alone: bool) -> None:
        """Keep a tree as the most recent one.

        Args:
            tree: the tree.
            alone: drop all others, since they will not be needed again.
        """
        self._trees = [] if alone else [kept for kept in self._trees if kept is not tree]
        self._trees.append(tree)
        left = MOST_ENTRIES
        for place, kept in self._from_last():
            left -= kept.entries
            if kept is not tree and (left < 0 or len(self._trees) - place > MOST_TREES + 1):
                del self._trees[: place + 1]
                break

    def _from_last(self) -> Iterator[tuple[int, Tree]]:
        yield from reversed(list(enumerate(self._trees)))
