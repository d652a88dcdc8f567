"""Restore a game from its journal: the whole tree, the cursor, the clock and the view.

Entries refer to nodes by number, so that entries after a damaged line still apply: only the subtree of a lost move is
lost.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from daoqi_tui.engine import Action, Game, IllegalMove, Node, TwoPasses
from daoqi_tui.engine.clock import TimeControl
from daoqi_tui.engine.tree import make
from daoqi_tui.message import Message, counted_message, reason_of
from daoqi_tui.record.journal.format import (
    About,
    Begin,
    ClockReading,
    CursorAt,
    Deleted,
    Ended,
    FiledAs,
    Helped,
    JournalEntry,
    LaidOut,
    LiveNode,
    Played,
    Promoted,
    Properties,
    RecordFiled,
    SavedView,
    Seats,
    read_lines,
)
from daoqi_tui.record.sgf.info import Info
from daoqi_tui.text import plain_line


class JournalError(Exception):
    """A journal that cannot be opened or has nothing to restore; the text is one sentence."""


@dataclass
class Restored:
    """A game restored from its journal.

    Attributes:
        game: the whole tree, with the cursor where it was.
        clock: the last reading, None without a clock.
        time: the time control, None without a clock.
        names: the game information.
        players: who plays each side; None if not recorded.
        front: the node at which the game continues; None if not recorded.
        view: the last view of the board.
        created: when the game was started, ISO 8601.
        filed: the file name in the library under which the game was filed, None if it was not.
        filed_record: the digest of the record that was written there last, None if none was.
        problems: a sentence for each part that was dropped or could not be restored.
        damaged: whether any line but an incomplete last one was invalid.
        numbers: the nodes by their number in the journal.
        highest: the highest number a node has had, including deleted ones.
        lines: the number of consecutive valid lines from the start.
        sound: the offset of the end of the last of these, in bytes.
    """

    game: Game
    created: str
    time: TimeControl | None
    names: Info = field(default_factory=Info)
    players: Seats | None = None
    clock: ClockReading | None = None
    front: Node | None = None
    view: SavedView | None = None
    helped: bool = False
    filed: str | None = None
    filed_record: str | None = None
    problems: tuple[Message, ...] = ()
    damaged: bool = False
    numbers: dict[int, Node] = field(default_factory=dict)
    highest: int = 0
    lines: int = 0
    sound: int = 0

    @property
    def cursor(self) -> Node:
        return self.game.node


def replay(source: Path | BinaryIO) -> Restored:
    """Restore the game of a journal from its valid lines.

    Args:
        source: the path of the journal, or its open file at offset 0.

    Raises:
        JournalError: it cannot be opened, or its first lines are invalid.
    """
    try:
        if not isinstance(source, Path):
            return _replay(source)
        if not source.is_file():
            raise JournalError(Message("{file} is not a file", file=plain_line(str(source))))
        with source.open("rb") as file:
            return _replay(file)
    except OSError as error:
        raise JournalError(Message("the journal cannot be read: {reason}", reason=reason_of(error))) from error


def _replay(file: BinaryIO) -> Restored:
    player: _Player | None = None
    newer: Message | None = None
    unsound: list[int] = []
    unknown = unplaced = missing = expected = place = end = 0
    for line in read_lines(file):
        place = line.place
        if not line.sound or line.sequence < expected:
            unsound.append(place)
            continue
        missing += line.sequence - expected
        expected = line.sequence + 1
        if not unsound and not missing:
            end = line.end
        newer = newer or line.newer
        if line.entry is None:
            unknown += 1
        elif isinstance(line.entry, Begin):
            player = player or _Player.begin(line.entry)
        elif player is None or not player.apply(line.entry):
            unplaced += 1
    if player is None and newer is not None:
        raise JournalError(newer)
    if player is None:
        raise JournalError(Message("the journal holds no game: its beginning is missing or damaged"))
    restored = player.finish()
    torn = unsound == [place] and not missing
    restored.damaged = bool(unplaced or missing or (unsound and not torn))
    restored.problems = tuple(_problems(unsound, torn=torn, missing=missing, unplaced=unplaced, unknown=unknown))
    restored.lines, restored.sound = expected, end
    return restored


def _problems(unsound: list[int], *, torn: bool, missing: int, unplaced: int, unknown: int) -> list[Message]:
    problems = []
    if torn:
        problems.append(Message("the last line of the journal is incomplete and was dropped"))
    elif len(unsound) > 1:
        problems.append(
            Message(
                "the journal is damaged at line {line} and {more} more; everything else was restored",
                line=unsound[0],
                more=len(unsound) - 1,
            )
        )
    elif unsound:
        problems.append(Message("the journal is damaged at line {line}; everything else was restored", line=unsound[0]))
    elif missing:
        problems.append(
            counted_message(
                "{count} entry was missing from the journal; everything else was restored",
                "{count} entries were missing from the journal; everything else was restored",
                missing,
            )
        )
    if unplaced:
        problems.append(
            counted_message(
                "{count} entry was left out because what it builds on is lost",
                "{count} entries were left out because what they build on is lost",
                unplaced,
            )
        )
    if unknown:
        problems.append(
            counted_message(
                "{count} entry was skipped because only a newer version knows its kind",
                "{count} entries were skipped because only a newer version knows their kind",
                unknown,
            )
        )
    return problems


class _Player:
    """Applies the entries of a journal to a game."""

    def __init__(self, begin: Begin) -> None:
        game = Game(begin.size, begin.komi, begin.handicap, begin.parsed_rules)
        # The journal adds every node except the root itself, including the one for the handicap.
        game.goto(game.root)
        game.root.children = ()
        self._restored = Restored(game, begin.created, begin.control)
        if (setup := begin.setup) is not None:
            if setup.points & ~game.torus.full:
                raise ValueError("a point of the setup is off the board")
            make(game.board, setup)
            game.root.action = setup
        self._nodes = self._restored.numbers
        self._nodes[0] = game.root
        self._families: dict[Node, list[Node]] = {}
        """All children of nodes with several; their tuples are made when all are known, or when one is needed."""
        self._cursor = game.root
        self._numbers = {game.root: 0}

    @classmethod
    def begin(cls, begin: Begin) -> _Player | None:
        """Start a game, or return None if its settings are invalid."""
        try:
            return cls(begin)
        except (ValueError, TypeError):
            return None

    def finish(self) -> Restored:
        """Return the restored game with the cursor where it was."""
        self._unite()
        self._restored.game.goto(self._cursor)
        return self._restored

    def apply(self, entry: JournalEntry) -> bool:
        """Apply one entry; return whether that was possible."""
        try:
            self._apply(entry)
        except (KeyError, ValueError, IllegalMove):
            return False
        return True

    def _apply(self, entry: JournalEntry) -> None:
        restored, game = self._restored, self._restored.game
        match entry:
            case Played() | LaidOut():
                self._add(entry.number, self._nodes[entry.parent], entry.action)
            case CursorAt(number):
                # The board is updated only when something is added: going back and forth costs nothing here.
                self._cursor = self._nodes[number]
            case Ended(number, resumed):
                ending = entry.ending
                if isinstance(ending, TwoPasses) and max(ending.dead, default=0) >= game.torus.points:
                    raise ValueError("a dead stone is off the board")
                node = self._nodes[number]
                node.ending, node.resumed = ending, resumed
            case Properties(number, properties):
                self._nodes[number].properties = properties
            case Deleted(number):
                self._unite()
                self._delete(self._nodes[number])
            case Promoted(number):
                self._unite()
                game.promote(self._nodes[number])
            case About(komi, info):
                restored.names, game.komi = info, komi
            case Seats():
                restored.players = entry
            case ClockReading():
                restored.clock = entry
            case LiveNode(number):
                restored.front = self._nodes[number]
            case SavedView(point=point):
                if point is not None and point >= game.torus.points:
                    raise ValueError("the view's point is off the board")
                restored.view = entry
            case Helped():
                restored.helped = True
            case FiledAs(name):
                restored.filed = name
            case RecordFiled(digest):
                restored.filed_record = digest

    def _add(self, number: int, parent: Node, action: Action) -> None:
        game = self._restored.game
        if number in self._nodes:
            raise ValueError(f"node {number} is there already")
        if game.node is not parent:
            game.goto(parent)
        before = parent.children
        node = self._cursor = self._nodes[number] = game.record(action)
        if before:
            # Copying a tuple for each node added to it would take a minute for 100,000 variations.
            self._families.setdefault(parent, list(before)).append(node)
            parent.children = before
        self._numbers[node] = number
        self._restored.highest = max(self._restored.highest, number)

    def _unite(self) -> None:
        """Set the children of nodes from the lists they were collected in."""
        for parent, children in self._families.items():
            parent.children = tuple(children)
        self._families.clear()

    def _delete(self, node: Node) -> None:
        parent = node.parent
        if parent is None:
            raise ValueError(Message("the start cannot be deleted"))
        if node in self._cursor.path():
            self._cursor = parent
        self._restored.game.delete(node)
        for gone in node.walk():
            if gone is self._restored.front:
                self._restored.front = None
            del self._nodes[self._numbers.pop(gone)]
