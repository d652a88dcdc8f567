"""The journal of a running game: every change is on disk before it is shown, and is restored after a crash.

>>> import tempfile; from pathlib import Path
>>> from daoqi_tui.engine import Game
>>> folder = Path(tempfile.mkdtemp())
>>> game = Game(size=9)
>>> journal = Journal.begin(game, Info(black="Ke"), folder=folder)
>>> node = game.play(40)
>>> journal.follow().wait()
True
>>> journal.close()
True
>>> journal, restored = Journal.resume(scan(folder).journals[0].path)
>>> restored.game.moves(), restored.names.black
([Move(colour=1, point=40)], 'Ke')
>>> journal.discard()
True

The parts: ``format`` defines entries and lines and restores a game from them, ``writer`` is the thread that writes,
with the files, their locks and the list of games that can be resumed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from daoqi_tui.engine import Ending, Game, Node
from daoqi_tui.engine.clock import Clock, Press, TimeControl
from daoqi_tui.message import Message, reason_of
from daoqi_tui.paths import journal_folder
from daoqi_tui.record.files import InUse
from daoqi_tui.record.journal.format import (
    About,
    Arranged,
    Begin,
    ClockReading,
    CursorAt,
    Edited,
    Ended,
    FiledAs,
    Helped,
    JournalEntry,
    JournalError,
    LaidOut,
    LiveNode,
    Played,
    Pressed,
    Promoted,
    Properties,
    RecordFiled,
    Restored,
    SavedView,
    Seats,
    added,
    replay,
)
from daoqi_tui.record.journal.writer import (
    FolderScan,
    JournalFile,
    JournalWriter,
    OnState,
    SaveFailure,
    Ticket,
    UnfinishedGame,
    new_path,
    scan,
)
from daoqi_tui.record.sgf.info import Info
from daoqi_tui.record.sgf.write import dump

if TYPE_CHECKING:
    from daoqi_tui.record.library import Library


_IDLE: Final = (CursorAt, About, Seats, ClockReading, Pressed, LiveNode, SavedView, Helped)
"""Entries that do not start a journal by themselves: nothing was played, set up or edited."""


class Journal:
    """Records every change of a game.

    Created by :meth:`begin` or :meth:`resume`. The cost of a call does not depend on the length of the game. Nothing is
    written until something has been played, set up or edited: viewing a game leaves no journal.

    Attributes:
        info: the game information.
        begun: whether anything has happened that is worth saving; viewing a game is not.
        filed: the file name under which the game is in the library, None if it was not filed.
    """

    def __init__(
        self, game: Game, info: Info, writer: JournalWriter, *, created: str, time: TimeControl | None = None
    ) -> None:
        self._game = game
        self.info = info
        self._writer = writer
        self._created = created
        self._time = time
        self.begun = False
        self._tracker = _Tracker(game)
        self._last: dict[type, JournalEntry] = {}
        """The last entry of each kind of which only the last one counts, and which names no node."""
        self._presses: dict[Node, Press] = {}
        """What moves brought on the clock."""
        self._front: Node | None = None
        self.filed: str | None = None
        self._filed_record: str | None = None

    @classmethod
    def begin(
        cls,
        game: Game,
        info: Info | None = None,
        *,
        time: TimeControl | None = None,
        folder: Path | None = None,
        on_state: OnState | None = None,
    ) -> Journal:
        """Start the journal of a game.

        Args:
            game: the game, new or loaded; everything in its tree will be in the journal.
            info: the game information.
            time: the time control, if it has a clock.
            folder: for journals, by default the system's state folder.
            on_state: called on another thread when saving begins to fail, and with None when it works again.
        """
        now = datetime.now().replace(microsecond=0)
        path = new_path(folder or journal_folder(), now)
        writer = JournalWriter(JournalFile(path), on_state=on_state)
        return cls(game, info or Info(), writer, created=now.isoformat(), time=time)

    @classmethod
    def resume(cls, path: Path, *, on_state: OnState | None = None) -> tuple[Journal, Restored]:
        """Restore a game and continue its journal.

        A torn last line is truncated. A damaged journal is renamed, once a new one contains everything that could be
        restored.

        Raises:
            JournalError: another window has locked it, it cannot be read, or no line of it is valid.
        """
        try:
            file = JournalFile.claim(path)
        except InUse as error:
            raise JournalError(reason_of(error)) from error
        except OSError as error:
            raise JournalError(
                Message("{file} cannot be opened: {reason}", file=path.name, reason=reason_of(error))
            ) from error
        try:
            with file.reader() as reader:
                restored = replay(reader)
        except BaseException:
            file.close()
            raise
        if restored.damaged:
            now = datetime.now().replace(microsecond=0)
            fresh = JournalFile(new_path(path.parent, now))
            writer = JournalWriter(fresh, on_state=on_state, after_first=file.set_aside)
        else:
            file.begin_at(restored.sound)
            writer = JournalWriter(file, restored.lines, on_state=on_state)
        journal = cls(restored.game, restored.names, writer, created=restored.created, time=restored.time)
        journal._take_up(restored)
        return journal, restored

    def _take_up(self, restored: Restored) -> None:
        last = restored.players, restored.clock, restored.view, Helped() if restored.helped else None
        self._last = {type(entry): entry for entry in last if entry is not None}
        self._presses, self._front = restored.presses, restored.front
        self.filed, self._filed_record = restored.filed, restored.filed_record
        self.begun = True
        if restored.damaged:
            self._writer.append(*self._snapshot())
            return
        self._tracker = _Tracker(self._game, restored.numbers, restored.highest)

    @property
    def path(self) -> Path:
        """The path of the journal, which exists once there is something to write."""
        return self._writer.path

    @property
    def is_filed(self) -> bool:
        return self._filed_record is not None and self._filed_record == _digest(self._record())

    @property
    def failing(self) -> SaveFailure | None:
        """The reason why saving currently fails, None while it works."""
        return self._writer.failing

    @property
    def waited(self) -> float:
        """The seconds for which the oldest change not on disk has been waiting; 0 if all are."""
        return self._writer.waited

    # Recording changes

    def follow(
        self,
        front: Node | None = None,
        clock: ClockReading | None = None,
        presses: Mapping[Node, Press] = MappingProxyType({}),
    ) -> Ticket:
        """Record the cursor and the changes there; call it after every change, before it is shown.

        One call suffices for a play, a pass, a setup, an undo or jump, a resignation, a loss on time,
        resumption, agreed dead stones, and an edited node if the cursor is on it.

        Args:
            front: the node from which the game continues.
            clock: how it stands after the change; on the disk are both or neither, so that no move is paid for twice.
            presses: what moves brought on the clock, where that has changed.
        """
        entries = self._tracker.follow()
        if front is not None:
            entries += self._front_at(front)
        for node, press in presses.items():
            self._presses[node] = press
            if (number := self._tracker.number_of(node)) is not None:
                entries.append(Pressed.of(number, press))
        if clock is not None and clock != self._last.get(ClockReading):
            self._last[ClockReading] = clock
            entries.append(clock)
        return self._append(entries, whole=clock is not None)

    def whole(self) -> Ticket:
        """Write the entire game, even before any change to it."""
        if self.begun:
            return self._writer.last
        self.begun = True
        return self._writer.append(*self._snapshot())

    def edited(self, node: Node) -> Ticket:
        return self._append(self._tracker.edited(node))

    def rearranged(self, parents: Iterable[Node], info: Info | None = None, front: Node | None = None) -> Ticket:
        """Record one edit of the tree, all of it or nothing; call it after every other change was followed.

        Args:
            parents: the nodes whose children were added, removed or reordered.
            info: the game information, if it, komi or the rules have changed.
            front: the node from which the game continues.
        """
        entries = self._tracker.rearranged(parents)
        if info is not None:
            self.info = info
            entries.append(About(self._game.komi, info, str(self._game.rules)))
        if front is not None:
            entries += self._front_at(front)
        return self._append([Edited.of(entries)])

    def promoted(self, node: Node) -> Ticket:
        return self._append(self._tracker.promoted(node))

    def write_info(self, info: Info) -> Ticket:
        self.info = info
        return self._append([About(self._game.komi, info)])

    def note(self, entry: Seats | ClockReading | SavedView | Helped) -> Ticket:
        """Record what only the last entry of its kind says; a view, a second after panning has stopped."""
        if entry == self._last.get(type(entry)):
            return self._writer.last
        self._last[type(entry)] = entry
        return self._append([entry])

    def clock(self, clock: Clock, now: float) -> Ticket:
        """Record the time left of both players; after each move, and every few seconds in between."""
        return self.note(ClockReading.of(clock, now))

    def front(self, node: Node) -> Ticket:
        """Record the node from which the game continues; a node that is not in the journal is ignored."""
        return self._append(self._front_at(node))

    def helped(self) -> Ticket:
        return self.note(Helped())

    # The end

    def file(self, library: Library) -> Path | None:
        """Write the game into the library as SGF, synced to disk; under the same name again if it has changed.

        An unchanged game is not written again: it may have been deleted or renamed in the library.
        Waits for the disk, so call it on another thread, while the game does not change.

        Returns:
            Its path; None if it was there before, and no longer is.

        Raises:
            OSError: the SGF cannot be written; the journal is still there.
        """
        if self.filed is None:
            self.filed = library.new_name(self._dated)
            # If the SGF were written first, a crash now would make the next start file the game a second time.
            self._append([FiledAs(self.filed)]).wait(timeout=5)
        record = self._record()
        if (digest := _digest(record)) == self._filed_record:
            path = library.path(self.filed)
            return path if path.exists() else None
        path = library.put(self.filed, record)
        self._note_filed(digest)
        return path

    def refile(self, file: str, info: Info) -> None:
        """Follow the game to another file name in the library, where its information has been changed."""
        unchanged = self.is_filed
        self.write_info(info)
        self.filed = file
        self._append([FiledAs(file)])
        if unchanged:
            self._note_filed(_digest(self._record()))

    def finish(self, library: Library) -> Path | None:
        """File the game in the library, and only then remove the journal. Waits for the disk, as :meth:`file` does.

        Raises:
            OSError: the SGF cannot be written; the journal is still there and still open.
        """
        path = self.file(library)
        self.discard()
        return path

    def discard(self) -> bool:
        """Remove the journal, for a game that is filed or abandoned; returns whether it is gone."""
        return self._writer.close(remove=True)

    def close(self, timeout: float = 5.0) -> bool:
        """Flush and close the journal, to be resumed later; returns whether all of it is on the disk."""
        return self._writer.close(timeout)

    # Internals

    @property
    def _dated(self) -> Info:
        """The game information; without a date, the day on which the journal was created is used."""
        return self.info if self.info.date else replace(self.info, date=self._created[:10])

    def _record(self) -> bytes:
        return dump(self._game, self._dated)

    def _note_filed(self, digest: str) -> None:
        """Record which record is in the library, so that it is not written again after a crash either."""
        self._filed_record = digest
        self._append([RecordFiled(digest)])

    def _front_at(self, node: Node) -> list[JournalEntry]:
        number = self._tracker.number_of(node)
        if node is self._front or number is None:
            return []
        self._front = node
        return [LiveNode(number)]

    def _append(self, entries: list[JournalEntry], *, whole: bool = False) -> Ticket:
        """Write entries, with ``whole`` all of them or none."""
        if not entries:
            return self._writer.last
        if not self.begun:
            if all(isinstance(entry, _IDLE) for entry in entries):
                return self._writer.last
            self.begun = True
            entries = list(self._snapshot())
        elif whole and len(entries) > 1:
            entries = [Edited.of(entries)]
        return self._writer.append(*entries)

    def _snapshot(self) -> Iterator[JournalEntry]:
        """Yield the entries that restore the whole game, its nodes renumbered."""
        game = self._game
        begin = Begin.of(game, self._created, self._time)
        yield from (begin, begin, About(game.komi, self.info))
        yield from self._tracker.snapshot()
        yield from self._last.values()
        for node, press in self._presses.items():
            if (number := self._tracker.number_of(node)) is not None:
                yield Pressed.of(number, press)
        if self._front is not None and (front := self._tracker.number_of(self._front)) is not None:
            yield LiveNode(front)
        if self.filed is not None:
            yield FiledAs(self.filed)
        if self._filed_record is not None:
            yield RecordFiled(self._filed_record)


def _digest(record: bytes) -> str:
    return hashlib.blake2b(record, digest_size=16).hexdigest()


class _Recorded(NamedTuple):
    number: int
    ending: Ending | None = None
    resumed: bool = False
    properties: dict[str, Any] | None = None


class _Tracker:
    """Compares a game with its journal, and generates the missing entries.

    Args:
        game: the game.
        numbers: the nodes in the journal with their numbers; by default the whole tree, renumbered.
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
            node: _Recorded(number, node.ending, node.resumed, node.properties) for number, node in numbers.items()
        }

    def follow(self) -> list[JournalEntry]:
        """Return entries for the move of the cursor, and for changes at its old and new node."""
        entries: list[JournalEntry] = []
        before, here = self._cursor, self._game.node
        if before in self._known:
            entries += self._news(before)
        fresh = self._adopt(here)
        entries += fresh
        if before is not here:
            if not fresh:
                entries.append(CursorAt(self._known[here].number))
            entries += self._news(here)
        self._cursor = here
        return entries

    def edited(self, node: Node) -> list[JournalEntry]:
        entries = self._adopt(node)
        noted = self._known[node]
        self._known[node] = noted._replace(properties=node.properties)
        return [*entries, Properties(noted.number, node.properties)]

    def number_of(self, node: Node) -> int | None:
        """Return the journal's number of a node, None if the journal does not have it."""
        noted = self._known.get(node)
        return None if noted is None else noted.number

    def rearranged(self, parents: Iterable[Node]) -> list[JournalEntry]:
        """Return entries for the children of nodes; those that were deleted keep their numbers, to be put back."""
        entries: list[JournalEntry] = []
        for parent in parents:
            entries += self._adopt(parent)
            for child in parent.children:
                if child not in self._known:
                    for node in child.walk():
                        entries += self._adopt(node)
            children = [self._known[child].number for child in parent.children]
            entries.append(Arranged(self._known[parent].number, children))
        here = self._cursor = self._game.node
        return [*entries, *self._adopt(here), CursorAt(self._known[here].number)]

    def promoted(self, node: Node) -> list[JournalEntry]:
        return [*self._adopt(node), Promoted(self._known[node].number)]

    def snapshot(self) -> Iterator[JournalEntry]:
        """Yield entries for the whole tree except the setup in its root; renumbers the nodes."""
        game = self._game
        self._known = {game.root: _Recorded(0)}
        self._highest = 0
        for node in game.root.walk():
            if node is not game.root:
                yield self._added(node)
            yield from self._news(node)
        self._cursor = game.node
        yield CursorAt(self._known[game.node].number)

    def _adopt(self, node: Node) -> list[JournalEntry]:
        """Return entries for a node and its ancestors that are not in the journal yet."""
        fresh: list[Node] = []
        while node not in self._known:
            fresh.append(node)
            assert node.parent is not None
            node = node.parent
        # The node may just have been marked as resumed.
        entries = list(self._news(node)) if fresh else []
        for new in reversed(fresh):
            entries += (self._added(new), *self._news(new))
            self._cursor = new  # The state as a reader of the entry sees it.
        return entries

    def _added(self, node: Node) -> Played | LaidOut:
        assert node.parent is not None
        assert node.action is not None
        parent = self._known[node.parent].number
        self._highest += 1
        self._known[node] = _Recorded(self._highest)
        return added(self._highest, parent, node.action)

    def _news(self, node: Node) -> Iterator[JournalEntry]:
        noted = self._known[node]
        if node.ending != noted.ending or node.resumed != noted.resumed:
            yield Ended.of(noted.number, node.ending, resumed=node.resumed)
        if node.properties is not noted.properties:
            yield Properties(noted.number, node.properties)
        self._known[node] = _Recorded(noted.number, node.ending, node.resumed, node.properties)


__all__ = [
    "ClockReading",
    "FolderScan",
    "Journal",
    "JournalError",
    "Restored",
    "SaveFailure",
    "SavedView",
    "Seats",
    "Ticket",
    "UnfinishedGame",
    "replay",
    "scan",
]
