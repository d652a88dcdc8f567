"""Keeps what is played: a journal while a game is on, an SGF in the library when it is over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from daoqi_tui.engine import BLACK, WHITE, OutOfTime
from daoqi_tui.tui.opponents import PERSON, Seat, parse_seat, seat_name, seat_text
from daoqi_tui.tui.session import GameSetup, Session

if TYPE_CHECKING:
    from daoqi_tui.engine import Node
    from daoqi_tui.record.journal import Failing, Journal, Players, Ticket, View
    from daoqi_tui.record.journal_folder import Found
    from daoqi_tui.record.journal_replay import Restored
    from daoqi_tui.record.library import Library


class Folders(NamedTuple):
    """Where games are kept."""

    journal: Path
    library: Path

    @classmethod
    def standard(cls) -> Folders:
        """Return the folders the system sets aside."""
        from daoqi_tui.record.paths import journal_folder, library_folder  # noqa: PLC0415

        return cls(journal_folder(), library_folder())


class Resumable(NamedTuple):
    """An unfinished game, ready to be gone on with.

    Attributes:
        session: the game.
        view: where the person looked last.
        journal: follows the game already.
    """

    session: Session
    view: View | None
    journal: Journal


class Keeper:
    """Follows one session after another.

    Args:
        folders: makes the folders; asked only when there is something to keep, which a start does not have.
        on_state: called on another thread when saving begins to fail, and with None when it works again.
    """

    def __init__(self, folders: Callable[[], Folders], on_state: Callable[[Failing | None], object]) -> None:
        self._make_folders = folders
        self._on_state = on_state
        self._folders: Folders | None = None
        self._session: Session | None = None
        self._journal: Journal | None = None

    @property
    def folders(self) -> Folders:
        """Where games are kept."""
        if self._folders is None:
            self._folders = self._make_folders()
        return self._folders

    @property
    def has_journal(self) -> bool:
        """Whether there is something of the session on the disk."""
        return self._journal is not None and self._journal.path.exists()

    @property
    def has_news(self) -> bool:
        """Whether anything happened in the session that is worth keeping."""
        return self._journal is not None and self._journal.begun

    @property
    def failing(self) -> Failing | None:
        """Why what is played cannot be saved at the moment, None while it can."""
        return self._journal.failing if self._journal is not None else None

    def library(self) -> Library:
        """Open the library of played games."""
        from daoqi_tui.record.library import Library  # noqa: PLC0415

        return Library(self.folders.library)

    def begin(self, session: Session) -> None:
        """Follow a session from now on; nothing is written before something happens in it."""
        self._journal_of(session)

    def follow(self, session: Session) -> Ticket:
        """Write down where the session's game stands and what is new there, to be called before it is shown."""
        late = self._journal is None or session is not self._session
        journal = self._journal_of(session)
        if late and session.info is None and session.start.children:
            # The first move was quicker than the start of the journal, to which it is nothing new.
            return journal.whole()
        if journal.info.result and session.result_is_outdated:
            journal.about(session.record_info())
        if session.clock is not None:
            journal.clock(session.clock, monotonic())
        followed = journal.follow()
        # Without a clock nothing hangs on it.
        return followed if session.clock is None or session.front is None else journal.front(session.front)

    def timed(self, session: Session) -> None:
        """Write down what the clock shows, between two moves."""
        if session.clock is not None:
            self._journal_of(session).clock(session.clock, monotonic())

    def edited(self, session: Session, node: Node) -> Ticket:
        """Write down what was noted on a node."""
        return self._journal_of(session).edited(node)

    def seated(self, session: Session) -> Ticket:
        """Write down who plays each side from here on."""
        journal = self._journal_of(session)
        journal.about(session.record_info())
        return journal.players(_players(session))

    def looked(self, session: Session, view: View) -> None:
        """Write down where the person looks."""
        self._journal_of(session).view(view)

    def _journal_of(self, session: Session) -> Journal:
        if self._journal is None or session is not self._session:
            from daoqi_tui.record.journal import Journal  # noqa: PLC0415 (nothing is kept before the first paint)

            self._session = session
            self._journal = Journal.begin(
                session.game,
                session.record_info(),
                time=session.setup.time,
                folder=self.folders.journal,
                on_state=self._on_state,
            )
            if any(seat != PERSON for seat in session.seats.values()):
                self._journal.players(_players(session))
        return self._journal

    def leave(self) -> bool:
        """Give up following: a game that is over goes into the library, any other can be resumed.

        Waits for the disk.

        Returns:
            Whether all that was played is on the disk.

        Raises:
            OSError: the game could not be put into the library; its journal stays.
        """
        session, journal = self._session, self._journal
        self._session = self._journal = None
        if journal is None or session is None:
            return True
        if not (session.game.is_over and journal.begun):
            return journal.close()
        try:
            journal.finish(self.library())
        except OSError:
            journal.close()
            raise
        return True

    def promote_end(self, session: Session) -> bool:
        """Make the line on which the game ended its main line; returns whether it was not."""
        game = session.game
        if game.node in (game.root, *game.root.line()):
            return False
        game.promote(game.node)
        self._journal_of(session).promoted(game.node)
        return True

    def file(self) -> Path | None:
        """Put the game, which is over, into the library; play may go on all the same. Waits for the disk.

        Raises:
            OSError: it could not be written.
        """
        return self._journal.file(self.library()) if self._journal is not None else None

    def saved(self, session: Session) -> Callable[[], object]:
        """Begin anew with a game that was saved as a file of the person's own.

        Returns:
            What removes the journal there was; it waits for the disk.
        """
        journal, self._journal = self._journal, None
        self.begin(session)
        return journal.discard if journal is not None else lambda: None

    # Taking up again

    def unfinished(self) -> Found:
        """Look for games that can be resumed."""
        from daoqi_tui.record.journal import look  # noqa: PLC0415

        found = look(self.folders.journal)
        return replace(found, journals=tuple(game for game in found.journals if not self._was_over(game.path)))

    def _was_over(self, path: Path) -> bool:
        """Finish a game that was over and filed when the program was ended from outside; returns whether it was."""
        from daoqi_tui.record.journal import Journal, JournalError  # noqa: PLC0415

        try:
            if b'"filed"' not in path.read_bytes():
                return False
            journal, restored = Journal.resume(path)
        except (OSError, JournalError):
            return False
        if restored.filed is None or not restored.game.is_over:
            journal.close()
            return False
        try:
            journal.finish(self.library())
        except OSError:
            journal.close()
            return False
        return True

    def open(self, path: Path) -> Resumable:
        """Open an unfinished game where it stood; the one that is followed stays so until :meth:`take`.

        Raises:
            JournalError: it cannot be restored.
        """
        from daoqi_tui.engine.clock import Clock  # noqa: PLC0415
        from daoqi_tui.record.journal import Journal  # noqa: PLC0415
        from daoqi_tui.record.text import plain_line  # noqa: PLC0415

        journal, restored = Journal.resume(path, on_state=self._on_state)
        game, names = restored.game, restored.names
        seats = _seats(restored.players)
        # The name a computer bears goes when another sits down in its place, so it is not taken for a person's.
        names = replace(
            names,
            black="" if names.black == seat_name(seats[0]) else names.black,
            white="" if names.white == seat_name(seats[1]) else names.white,
        )
        setup = GameSetup(
            game.torus.size,
            game.komi,
            game.handicap,
            plain_line(names.black),
            plain_line(names.white),
            restored.time if _still_timed(restored) else None,
            *seats,
            restored.players is None or restored.players.resigns,
        )
        clock = None
        if setup.time is not None:
            clock = Clock(setup.time)
            if restored.clock is not None:
                clock.set_left(restored.clock.black, restored.clock.white)
        session = Session(setup, game, clock)
        session.front = restored.front
        session.info, session.problems = names, restored.problems
        session.trust_result()
        return Resumable(session, restored.view, journal)

    def take(self, resumable: Resumable) -> None:
        """Follow a game that was opened; the one before must have been left."""
        self._session, self._journal = resumable.session, resumable.journal


def _players(session: Session) -> Players:
    from daoqi_tui.record.journal import Players  # noqa: PLC0415

    return Players(seat_text(session.seats[BLACK]), seat_text(session.seats[WHITE]), session.resigns)


def _still_timed(restored: Restored) -> bool:
    """Whether the clock still counts: where time ran out and play was resumed, it would end the game again at once."""
    reading, front = restored.clock, restored.front
    if reading is None or not (reading.black.is_out or reading.white.is_out):
        return True
    return front is not None and isinstance(front.ending, OutOfTime)


def _seats(players: Players | None) -> tuple[Seat, Seat]:
    """Who sat at the board; a person where nothing is said, or nothing this version knows."""
    texts = (players.black, players.white) if players is not None else ("person", "person")
    seats: list[Seat] = []
    for text in texts:
        try:
            seats.append(parse_seat(text))
        except ValueError:
            seats.append(PERSON)
    return seats[0], seats[1]
