"""The journal of a running game: everything played is on the disk before it is shown, and comes back after any end.

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
>>> journal, restored = Journal.resume(unfinished(folder)[0].path)
>>> restored.game.moves(), restored.names.black
([Move(colour=1, point=40)], 'Ke')
>>> journal.discard()
True

The parts: :mod:`journal_entries` what is said, :mod:`journal_tracker` what is new,
:mod:`journal_json` and :mod:`journal_lines` the form of a line, :mod:`journal_file` and
:mod:`journal_lock` the file, :mod:`journal_writer` the thread that writes, :mod:`journal_replay` the way back,
:mod:`journal_folder` what can be resumed (all in ``daoqi_tui.record``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from daoqi_tui.engine import BLACK, WHITE, Game, Node, Setup
from daoqi_tui.engine.clock import Clock, TimeControl
from daoqi_tui.record.info import Info
from daoqi_tui.record.journal_entries import (
    About,
    At,
    Begin,
    ClockReading,
    Entry,
    Filed,
    Front,
    Players,
    View,
)
from daoqi_tui.record.journal_file import JournalFile
from daoqi_tui.record.journal_folder import Found, Unfinished, look, new_path, unfinished
from daoqi_tui.record.journal_lock import InUse
from daoqi_tui.record.journal_replay import JournalError, Restored, replay
from daoqi_tui.record.journal_tracker import Tracker
from daoqi_tui.record.journal_writer import Failing, JournalWriter, OnState, Ticket
from daoqi_tui.record.paths import journal_folder
from daoqi_tui.record.sgf import dump

if TYPE_CHECKING:
    from daoqi_tui.record.library import Library


class Journal:
    """Follows a game and writes down what happens.

    Made by :meth:`begin` or :meth:`resume`. A call costs the same however long the game is. Nothing is written
    before something has been played, set up or edited: looking at a game leaves no journal.
    """

    def __init__(
        self, game: Game, info: Info, writer: JournalWriter, *, created: str, time: TimeControl | None = None
    ) -> None:
        self._game = game
        self._info = info
        self._writer = writer
        self._created = created
        self._time = time
        self._begun = False
        self._tracker = Tracker(game)
        self._players: Players | None = None
        self._clock: ClockReading | None = None
        self._front: Node | None = None
        self._view: View | None = None
        self._filed: str | None = None

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
        """Follow a game from here on.

        Args:
            game: the game, new or loaded; everything in its tree will be in the journal.
            info: names and whatever else is said of it.
            time: the time control, if it has a clock.
            folder: where journals are kept, the system's state folder by default.
            on_state: called on another thread when saving begins to fail, and with None when it works again.
        """
        now = datetime.now().replace(microsecond=0)
        path = new_path(folder or journal_folder(), now)
        writer = JournalWriter(JournalFile(path), on_state=on_state)
        return cls(game, info or Info(), writer, created=now.isoformat(), time=time)

    @classmethod
    def resume(cls, path: Path, *, on_state: OnState | None = None) -> tuple[Journal, Restored]:
        """Restore a game and go on writing its journal.

        A torn last line is cut off. A damaged journal is set aside under another name, once a new one holds all
        that could be restored.

        Raises:
            JournalError: another window plays it, it cannot be read, or nothing in it is sound.
        """
        try:
            file = JournalFile.claim(path)
        except InUse as error:
            raise JournalError(str(error)) from error
        except OSError as error:
            raise JournalError(f"{path.name} cannot be opened: {error.strerror or error}") from error
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
        self._players = restored.players
        self._clock, self._front = restored.clock, restored.front
        self._view, self._filed = restored.view, restored.filed
        self._begun = True
        if restored.damaged:
            self._writer.append(*self._snapshot())
            return
        self._tracker = Tracker(self._game, restored.numbers, restored.highest)

    @property
    def path(self) -> Path:
        """Where the journal is, or will be once there is something to write."""
        return self._writer.path

    @property
    def info(self) -> Info:
        """Names and whatever else is said of the game."""
        return self._info

    @property
    def begun(self) -> bool:
        """Whether anything happened that is worth keeping; looking at a game is not."""
        return self._begun

    @property
    def failing(self) -> Failing | None:
        """Why saving fails at the moment, None while it works."""
        return self._writer.failing

    # What happens

    def follow(self) -> Ticket:
        """Note where the cursor is and what is new there; to be called after every act, before it is shown.

        One call suffices for a play, a pass, a setup, a take-back or jump, a resignation, a loss on time,
        resumption, agreed dead stones, and an edited node if the cursor is on it.
        """
        return self._append(self._tracker.follow())

    def whole(self) -> Ticket:
        """Write down everything the game holds, though nothing was seen to happen in it yet."""
        if self._begun:
            return self._writer.last
        self._begun = True
        return self._writer.append(*self._snapshot())

    def edited(self, node: Node) -> Ticket:
        """Note the comment, markup and other properties of a node."""
        return self._append(self._tracker.edited(node))

    def deleted(self, node: Node) -> Ticket:
        """Note that a node was taken out of the tree; call it after :meth:`Game.delete`."""
        return self._append(self._tracker.deleted(node))

    def promoted(self, node: Node) -> Ticket:
        """Note that the line through a node was made the main line."""
        return self._append(self._tracker.promoted(node))

    def about(self, info: Info) -> Ticket:
        """Note other names, or whatever else is said of the game as a whole, and its komi."""
        self._info = info
        return self._append([About(info, self._game.komi)])

    def players(self, players: Players) -> Ticket:
        """Note who plays each side."""
        if players == self._players:
            return self._writer.last
        self._players = players
        return self._append([players])

    def clock(self, clock: Clock, now: float) -> Ticket:
        """Note what both players have left; after each move, and every few seconds between."""
        self._clock = ClockReading(clock.left(BLACK, now), clock.left(WHITE, now), clock.running)
        return self._append([self._clock])

    def front(self, node: Node) -> Ticket:
        """Note where the game goes on, whatever is looked at; a node that the journal does not have is passed over."""
        number = self._tracker.number_of(node)
        if node is self._front or number is None:
            return self._writer.last
        self._front = node
        return self._append([Front(number)])

    def view(self, view: View) -> Ticket:
        """Note where the person looks; a second after panning has come to rest is soon enough."""
        if view == self._view:
            return self._writer.last
        self._view = view
        return self._append([view])

    # The end

    def file(self, library: Library) -> Path:
        """Write the game into the library as SGF, safely on the disk; again under the same name when called again.

        Where a game ended at the cursor, its line becomes the main line. Waits for the disk, so it belongs on
        another thread, while the game stands still.

        Raises:
            OSError: the SGF cannot be written; the journal is still there.
        """
        game = self._game
        if game.is_over and game.node not in (*game.root.line(), game.root):
            game.promote(game.node)
            self.promoted(game.node)
        info = self._info if self._info.date else replace(self._info, date=self._created[:10])
        if self._filed is None:
            self._filed = library.new_name(info)
            # Were the SGF there first, a crash now would make the next start file the game a second time.
            self._append([Filed(self._filed)]).wait(timeout=5)
        return library.put(self._filed, dump(game, info))

    def finish(self, library: Library) -> Path:
        """File the game in the library, and only then remove the journal. Waits for the disk, as :meth:`file` does.

        Raises:
            OSError: the SGF cannot be written; the journal is still there and still open.
        """
        path = self.file(library)
        self.discard()
        return path

    def discard(self) -> bool:
        """Remove the journal: the game is filed, or the person gives it up. Returns whether it is gone."""
        return self._writer.close(remove=True)

    def close(self, timeout: float = 5.0) -> bool:
        """Write what is left and leave the journal to be resumed; returns whether all of it is on the disk."""
        return self._writer.close(timeout)

    # Below the surface

    def _append(self, entries: list[Entry]) -> Ticket:
        if not entries:
            return self._writer.last
        if not self._begun:
            if all(isinstance(entry, (At, About, Players, ClockReading, Front, View)) for entry in entries):
                return self._writer.last
            self._begun = True
            entries = list(self._snapshot())
        return self._writer.append(*entries)

    def _snapshot(self) -> Iterator[Entry]:
        """The whole game as it is now, with numbers given anew."""
        game = self._game
        root = game.root
        begin = Begin(
            game.torus.size,
            game.komi,
            game.handicap,
            self._created,
            self._time,
            root.action if isinstance(root.action, Setup) else None,
        )
        yield from (begin, begin, About(self._info, game.komi))
        if self._players is not None:
            yield self._players
        yield from self._tracker.snapshot()
        if self._clock is not None:
            yield self._clock
        if self._front is not None and (front := self._tracker.number_of(self._front)) is not None:
            yield Front(front)
        if self._view is not None:
            yield self._view
        if self._filed is not None:
            yield Filed(self._filed)


__all__ = [
    "ClockReading",
    "Failing",
    "Found",
    "Journal",
    "JournalError",
    "Players",
    "Restored",
    "Ticket",
    "Unfinished",
    "View",
    "look",
    "replay",
    "unfinished",
]
