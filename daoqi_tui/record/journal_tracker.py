"""Turns what happens in a game into entries for its journal, each call at a cost that does not grow with the game."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from daoqi_tui.engine import Ending, Game, Node
from daoqi_tui.record.journal_entries import Added, At, Deleted, Ended, Entry, Promoted, Properties


class _Noted(NamedTuple):
    """What the journal knows of a node."""

    number: int
    ending: Ending | None = None
    resumed: bool = False
    properties: dict[str, Any] | None = None


class Tracker:
    """Knows what a journal has been told of a game, and tells what is new.

    Args:
        game: the game.
        numbers: the nodes that are in the journal with their numbers; all of the tree, numbered anew, by default.
        highest: the highest number ever given.
    """

    def __init__(self, game: Game, numbers: dict[int, Node] | None = None, highest: int = 0) -> None:
        if numbers is None:
            numbers = dict(enumerate(game.root.walk()))
            highest = len(numbers) - 1
        self._game = game
        self._cursor = game.node
        self._highest = highest
        self._known = {
            node: _Noted(number, node.ending, node.resumed, node.properties) for number, node in numbers.items()
        }

    def follow(self) -> list[Entry]:
        """Where the cursor is now, and what is new there and where it was."""
        entries: list[Entry] = []
        before, here = self._cursor, self._game.node
        if before in self._known:
            entries += self._news(before)
        fresh = self._adopt(here)
        entries += fresh
        if before is not here:
            if not fresh:
                entries.append(At(self._known[here].number))
            entries += self._news(here)
        self._cursor = here
        return entries

    def edited(self, node: Node) -> list[Entry]:
        """The properties of a node, whether they have changed or not."""
        entries = self._adopt(node)
        noted = self._known[node]
        self._known[node] = noted._replace(properties=node.properties)
        return [*entries, Properties(noted.number, node.properties)]

    def number_of(self, node: Node) -> int | None:
        """The number by which the journal calls a node, None where it does not have it."""
        noted = self._known.get(node)
        return None if noted is None else noted.number

    def deleted(self, node: Node) -> list[Entry]:
        """A node, with all below it, is no longer in the tree."""
        noted = self._known.get(node)
        for gone in node.walk():
            self._known.pop(gone, None)
        entries: list[Entry] = [] if noted is None else [Deleted(noted.number)]
        return entries + self.follow()

    def promoted(self, node: Node) -> list[Entry]:
        """The line through a node is the main line now."""
        return [*self._adopt(node), Promoted(self._known[node].number)]

    def snapshot(self) -> Iterator[Entry]:
        """The whole tree as it is now, but for the setup in its root, with numbers given anew."""
        game = self._game
        self._known = {game.root: _Noted(0)}
        self._highest = 0
        for node in game.root.walk():
            if node is not game.root:
                yield self._added(node)
            yield from self._news(node)
        self._cursor = game.node
        yield At(self._known[game.node].number)

    def _adopt(self, node: Node) -> list[Entry]:
        """Add a node, and those before it, if the journal does not have them."""
        fresh: list[Node] = []
        while node not in self._known:
            fresh.append(node)
            assert node.parent is not None
            node = node.parent
        # Play may have been resumed here a moment ago.
        entries = list(self._news(node)) if fresh else []
        for new in reversed(fresh):
            entries += (self._added(new), *self._news(new))
            self._cursor = new  # As it is for who reads the entry.
        return entries

    def _added(self, node: Node) -> Added:
        assert node.parent is not None
        assert node.action is not None
        parent = self._known[node.parent].number
        self._highest += 1
        self._known[node] = _Noted(self._highest)
        return Added(self._highest, parent, node.action)

    def _news(self, node: Node) -> Iterator[Entry]:
        """What a node says that the journal does not have."""
        noted = self._known[node]
        if node.ending != noted.ending or node.resumed != noted.resumed:
            yield Ended(noted.number, node.ending, node.resumed)
        if node.properties is not noted.properties:
            yield Properties(noted.number, node.properties)
        self._known[node] = _Noted(noted.number, node.ending, node.resumed, node.properties)
