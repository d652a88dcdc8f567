"""From a journal back to the game: the whole tree, the cursor, the clock and the view.

Entries name the nodes they are about, so that those after a damaged line still find their place: only what
hangs on a lost move is lost with it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from daoqi_tui.engine import BLACK, EMPTY, PASS, WHITE, Action, Game, IllegalMove, Move, Node, Setup, TwoPasses
from daoqi_tui.engine.clock import TimeControl
from daoqi_tui.record.info import Info
from daoqi_tui.record.journal_entries import (
    About,
    Added,
    At,
    Begin,
    ClockReading,
    Deleted,
    Ended,
    Entry,
    Filed,
    Front,
    Players,
    Promoted,
    Properties,
    View,
)
from daoqi_tui.record.journal_lines import read_lines
from daoqi_tui.record.text import plain_line


class JournalError(Exception):
    """A journal that cannot be opened or holds nothing to restore; the text is one sentence."""


@dataclass
class Restored:
    """A game as its journal tells it.

    Attributes:
        game: the whole tree; the cursor stands where it stood.
        clock: the last reading, None without a clock.
        time: the time control, None without a clock.
        names: players and whatever else is said of the game.
        players: who plays each side, as the screen said; None where it said nothing.
        front: where the game goes on, None where that was not said.
        view: where the person looked last.
        created: when the game was begun, ISO 8601.
        filed: the file name in the library under which the game was filed, None if it was not.
        problems: what was dropped or could not be restored, a sentence each.
        damaged: whether more than a torn last line was unsound.
        numbers: the nodes by the numbers the journal calls them.
        highest: the highest number a node has had, deleted ones included.
        lines: how many lines are sound and follow one another.
        sound: where the last of these ends, in bytes.
    """

    game: Game
    created: str
    time: TimeControl | None
    names: Info = field(default_factory=Info)
    players: Players | None = None
    clock: ClockReading | None = None
    front: Node | None = None
    view: View | None = None
    filed: str | None = None
    problems: tuple[str, ...] = ()
    damaged: bool = False
    numbers: dict[int, Node] = field(default_factory=dict)
    highest: int = 0
    lines: int = 0
    sound: int = 0

    @property
    def cursor(self) -> Node:
        """The node on which the cursor stood."""
        return self.game.node


def replay(source: Path | BinaryIO) -> Restored:
    """Restore the game of a journal as far as it is sound.

    Args:
        source: where the journal is, or its open file from the start.

    Raises:
        JournalError: it cannot be opened, or not even its beginning is sound.
    """
    try:
        if not isinstance(source, Path):
            return _replay(source)
        if not source.is_file():
            raise JournalError(f"{plain_line(str(source))} is not a file")
        with source.open("rb") as file:
            return _replay(file)
    except OSError as error:
        raise JournalError(f"the journal cannot be read: {error.strerror or error}") from error


def _replay(file: BinaryIO) -> Restored:
    player: _Player | None = None
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
        if line.entry is None:
            unknown += 1
        elif isinstance(line.entry, Begin):
            player = player or _Player.begin(line.entry)
        elif player is None or not player.apply(line.entry):
            unplaced += 1
    if player is None:
        raise JournalError("the journal holds no game: its beginning is missing or damaged")
    restored = player.finish()
    torn = unsound == [place] and not missing
    restored.damaged = bool(unplaced or missing or (unsound and not torn))
    restored.problems = tuple(_problems(unsound, torn=torn, missing=missing, unplaced=unplaced, unknown=unknown))
    restored.lines, restored.sound = expected, end
    return restored


def _problems(unsound: list[int], *, torn: bool, missing: int, unplaced: int, unknown: int) -> list[str]:
    problems = []
    if torn:
        problems.append("the last line of the journal was not written whole and was dropped")
    elif unsound:
        more = f" and {len(unsound) - 1} more" if len(unsound) > 1 else ""
        problems.append(f"the journal is damaged at line {unsound[0]}{more}; everything else was restored")
    elif missing:
        problems.append(f"{_entries(missing)} missing from the journal; everything else was restored")
    if unplaced:
        problems.append(f"{_entries(unplaced)} left out, since what they build on is lost")
    if unknown:
        problems.append(f"{_entries(unknown)} passed over, since only a newer version knows their kind")
    return problems


def _entries(count: int) -> str:
    return "1 entry was" if count == 1 else f"{count} entries were"


class _Player:
    """Makes the entries of a journal on a game."""

    def __init__(self, begin: Begin) -> None:
        game = Game(begin.size, begin.komi, begin.handicap)
        # The journal adds every node but the root itself, that of the handicap too.
        game.goto(game.root)
        game.root.children = ()
        self._restored = Restored(game, begin.created, begin.time)
        if begin.root is not None:
            self._set_up(begin.root)
            game.root.action = begin.root
        self._nodes = self._restored.numbers
        self._nodes[0] = game.root
        self._cursor = game.root
        self._numbers = {game.root: 0}

    @classmethod
    def begin(cls, begin: Begin) -> _Player | None:
        """Start a game, or None where the rules know no such one."""
        try:
            return cls(begin)
        except (ValueError, TypeError):
            return None

    def finish(self) -> Restored:
        """The game with its cursor where it stood."""
        self._restored.game.goto(self._cursor)
        return self._restored

    def apply(self, entry: Entry) -> bool:
        """Make one entry; returns whether it could be."""
        try:
            self._apply(entry)
        except (KeyError, ValueError, IllegalMove):
            return False
        return True

    def _apply(self, entry: Entry) -> None:
        restored, game = self._restored, self._restored.game
        match entry:
            case Added():
                self._add(entry.number, self._nodes[entry.parent], entry.action)
            case At(number):
                # The board follows only where something is added: going back and forth costs nothing here.
                self._cursor = self._nodes[number]
            case Ended(number, ending, resumed):
                if isinstance(ending, TwoPasses) and max(ending.dead, default=0) >= game.torus.points:
                    raise ValueError("a dead stone is off the board")
                node = self._nodes[number]
                node.ending, node.resumed = ending, resumed
            case Properties(number, properties):
                self._nodes[number].properties = properties
            case Deleted(number):
                self._delete(self._nodes[number])
            case Promoted(number):
                game.promote(self._nodes[number])
            case About(info, komi):
                restored.names, game.komi = info, komi
            case Players():
                restored.players = entry
            case ClockReading():
                restored.clock = entry
            case Front(number):
                restored.front = self._nodes[number]
            case View(point=point):
                if point is not None and point >= game.torus.points:
                    raise ValueError("the view's point is off the board")
                restored.view = entry
            case Filed(name):
                restored.filed = name

    def _add(self, number: int, parent: Node, action: Action) -> None:
        game = self._restored.game
        if number in self._nodes:
            raise ValueError(f"node {number} is there already")
        if game.node is not parent:
            game.goto(parent)
        board = game.board
        node = Node(parent, action, parent.number + isinstance(action, Move))
        if isinstance(action, Setup):
            self._set_up(action)
        else:
            colour = action.colour
            if colour != board.to_move or not PASS <= action.point < game.torus.points:
                raise ValueError("that move cannot follow here")
            captured, lost = board.captured[colour], board.suicided[colour]
            board.make(action.point)
            node.captured = board.captured[colour] - captured
            node.lost = board.suicided[colour] - lost
        parent.children = (*parent.children, node)
        game.node = self._cursor = self._nodes[number] = node
        self._numbers[node] = number
        self._restored.highest = max(self._restored.highest, number)

    def _set_up(self, action: Setup) -> None:
        """Lay out a setup on the board, as the engine does for a node it enters.

        Raises:
            ValueError: a point is off the board, or a chain would have no liberty.
        """
        board = self._restored.game.board
        torus = board.torus
        colours = list(board.colours)
        if (action.black | action.white | action.empty) & ~torus.full:
            raise ValueError("a point of the setup is off the board")
        for mask, colour in ((action.black, BLACK), (action.white, WHITE), (action.empty, EMPTY)):
            for point in torus.points_in(mask):
                colours[point] = colour
        board.setup(colours, action.to_move)

    def _delete(self, node: Node) -> None:
        parent = node.parent
        if parent is None:
            raise ValueError("the start cannot be deleted")
        if node in self._cursor.path():
            self._cursor = parent
        self._restored.game.delete(node)
        for gone in node.walk():
            if gone is self._restored.front:
                self._restored.front = None
            del self._nodes[self._numbers.pop(gone)]
