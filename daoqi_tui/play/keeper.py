"""Saving: a journal during a game and an SGF file in the library after it, automatically, and files as chosen."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from functools import cached_property, reduce
from pathlib import Path
from time import monotonic
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from daoqi_tui.engine import BLACK, WHITE, Game, Node, OutOfTime
from daoqi_tui.engine.clock import Clock, Press
from daoqi_tui.i18n import _, one_of, translate
from daoqi_tui.paths import assets_folder, is_folder, is_open, is_there, journal_folder, library_folder
from daoqi_tui.pictures import EXPORTS
from daoqi_tui.play.events import Filed
from daoqi_tui.play.session import PERSON, GameSetup, Seat, Session, has_ended, is_seat_name, parse_seat, seat_text
from daoqi_tui.play.wording import Unable
from daoqi_tui.text import plain_line

if TYPE_CHECKING:
    from daoqi_tui.play.editing import Edit
    from daoqi_tui.play.profile import Rating, Ratings
    from daoqi_tui.record.journal import Journal, SavedView, SaveFailure, Seats, Ticket
    from daoqi_tui.record.journal.format import Restored
    from daoqi_tui.record.journal.writer import FolderScan
    from daoqi_tui.record.library import Library

_UNFINISHED: Final = "Void"
"""The result of a game without an end, as SGF writes it."""


class Folders(NamedTuple):
    """The folders of journals and of the library."""

    journal: Path
    library: Path

    @property
    def online(self) -> Path:
        """The folder of online games: seats, and games hosted here."""
        return self.journal.with_name("online")

    @classmethod
    def standard(cls) -> Folders:
        return cls(journal_folder(), library_folder())


class Resumable(NamedTuple):
    """An unfinished game, ready to be resumed.

    Attributes:
        session: the game.
        view: the last view of the board.
        journal: its journal, already recording.
    """

    session: Session
    view: SavedView | None
    journal: Journal


class _Followed(NamedTuple):
    session: Session
    journal: Journal


class Keeper:
    """Saves one session after another.

    :meth:`file`, :meth:`leave` and :meth:`close` wait for the disk and may be run in a thread. Changes to a session
    after it was left are not saved.

    Args:
        folders: where games are kept.
        on_state: called on another thread when saving begins to fail, and with None when it works again.
        now: returns the time by which the clocks go, as for the match.
    """

    def __init__(
        self,
        folders: Folders,
        on_state: Callable[[SaveFailure | None], object],
        *,
        now: Callable[[], float] | None = None,
    ) -> None:
        self.folders: Final = folders
        self._on_state = on_state
        self._now = now or monotonic
        # One value, so that a thread that leaves the session takes both atomically.
        self._followed: _Followed | None = None
        self._left: _Followed | None = None
        """The previous session; its journal is closed and ignores writes."""
        self._filing = threading.Lock()

    @cached_property
    def ratings(self) -> Ratings:
        """The results against the computer, stored next to the library."""
        from daoqi_tui.play.profile import Ratings  # noqa: PLC0415 (a game has to end first)

        return Ratings(self.folders.library.parent)

    def rate(self, session: Session, before: Rating | None) -> Rating | None:
        """Note the result of a game that has ended; return the rating after it.

        Args:
            session: the game.
            before: the rating after the same game, if it had ended otherwise before; returned if it is not rated now.
        """
        from daoqi_tui.play.profile import played_in  # noqa: PLC0415 (a game has to end first)

        played = played_in(session)
        if played is None:
            return before
        return self.ratings.note(session.game.torus.size, played, again=before is not None)

    @property
    def _journal(self) -> Journal | None:
        followed = self._followed
        return followed and followed.journal

    @property
    def has_journal(self) -> bool:
        """True if the journal of the session exists on the disk."""
        journal = self._journal
        return journal is not None and journal.path.exists()

    @property
    def has_news(self) -> bool:
        """True if anything happened in the session that is worth saving."""
        journal = self._journal
        return journal is not None and journal.begun

    @property
    def failing(self) -> SaveFailure | None:
        journal = self._journal
        return journal.failing if journal is not None else None

    @property
    def waited(self) -> float:
        """The seconds for which the oldest change not on disk has been waiting; 0 if all are."""
        journal = self._journal
        return journal.waited if journal is not None else 0.0

    @property
    def loses(self) -> bool:
        """True if moves would be lost with the program: neither the journal nor the library has them."""
        journal = self._journal
        return journal is not None and journal.failing is not None and not journal.is_filed

    def library(self) -> Library:
        """Open the library of played games; the caller closes it."""
        return open_library(self.folders.library)

    def begin(self, session: Session) -> None:
        """Save a session from now on; nothing is written before its first change."""
        self.journal_of(session)

    def follow(
        self, session: Session, presses: Mapping[Node, Press] = MappingProxyType({}), *, viewing: bool = False
    ) -> Ticket:
        """Write the changes since the last call to the journal, before they are shown.

        Args:
            session: the session.
            presses: what moves brought on the clock, where that has changed.
            viewing: whether nothing has changed but the node that is viewed.
        """
        late = self._known_journal(session) is None
        journal = self.journal_of(session)
        if journal.info.result is not None and not viewing and session.result_is_outdated:
            journal.write_info(session.record_info())
        clock = None
        if session.clock is not None:
            from daoqi_tui.record.journal import ClockReading  # noqa: PLC0415

            clock = ClockReading.of(session.clock, self._now())
        followed = journal.follow(session.front, clock, presses)
        # If the first move came before the start of the journal, it is not new to the journal.
        return journal.whole() if late and session.info is None and session.start.children else followed

    def write_clock(self, session: Session) -> None:
        if session.clock is not None:
            self.journal_of(session).clock(session.clock, self._now())

    def write_edit(self, session: Session, edit: Edit) -> Ticket:
        journal, info = self.journal_of(session), session.record_info()
        if edit.notes is not None:
            journal.edited(edit.nodes[1])
            return journal.follow()
        parents = [node for node, _before, _after in edit.children]
        return journal.rearranged(parents, info if edit.details or info != journal.info else None, session.front)

    def write_seats(self, session: Session) -> Ticket:
        journal = self.journal_of(session)
        journal.write_info(session.record_info())
        return journal.note(_players(session))

    def _known_journal(self, session: Session) -> Journal | None:
        # In this order, so that a session that is left in between is found in the second place.
        known = (self._followed, self._left)
        return next((each.journal for each in known if each is not None and each.session is session), None)

    def journal_of(self, session: Session) -> Journal:
        """Return the journal of a session; a new one if it has none."""
        from daoqi_tui.record.journal import Journal  # noqa: PLC0415 (nothing is kept before the first paint)

        journal = self._known_journal(session)
        if journal is None:
            journal = Journal.begin(
                session.game,
                session.record_info(),
                time=session.setup.time,
                folder=self.folders.journal,
                on_state=self._on_state,
            )
            self._followed = _Followed(session, journal)
            if any(seat != PERSON for seat in session.seats.values()):
                journal.note(_players(session))
            if session.helped:
                journal.helped()
        return journal

    def leave(self, *, archives: bool = False) -> bool:
        """Stop saving: a finished game goes into the library, any other can be resumed.

        Waits for the disk.

        Args:
            archives: whether an unfinished game goes into the library as well, and cannot be resumed.

        Returns:
            Whether all that was played is on the disk.

        Raises:
            OSError: the game could not be written to the library; its journal stays.
        """
        with self._filing:
            left = self._let_go()
            if left is None:
                return True
            session = left.session
            if archives and session.touched:
                left.journal.write_info(replace(session.record_info(), result=_UNFINISHED))
            elif archives and not session.is_over:
                return left.journal.discard()
            elif not (session.is_over and left.journal.begun):
                return left.journal.close()
            try:
                with closing(self.library()) as library:
                    left.journal.finish(library)
            except OSError:
                left.journal.close()
                raise
            return True

    def close(self) -> bool:
        """Stop saving and keep the journal, to be resumed later even if the game is over. Waits for the disk.

        Returns:
            Whether all that was played is on the disk.
        """
        with self._filing:
            left = self._let_go()
            return left is None or left.journal.close()

    def _let_go(self) -> _Followed | None:
        followed = self._followed
        if followed is not None:
            self._left, self._followed = followed, None
        return followed

    def promote_end(self, session: Session) -> bool:
        """Make the line on which the game ended the main line; return whether this changed anything."""
        game = session.game
        if game.node in (game.root, *game.root.line()):
            return False
        game.promote(game.node)
        self.journal_of(session).promoted(game.node)
        return True

    def file(self, session: Session) -> Path | None:
        """Write the finished game into the library; play may be resumed afterwards. Waits for the disk.

        Returns:
            Its path; None if the session was left meanwhile, which also writes it there, or if the game has not changed
            since it was filed and its file is gone.

        Raises:
            OSError: it could not be written.
        """
        with self._filing:
            followed = self._followed
            if followed is None or followed.session is not session:
                return None
            with closing(self.library()) as library:
                return followed.journal.file(library)

    def file_end(self, session: Session) -> Filed:
        """Save the ratings, and write the finished game into the library as :meth:`file` does. Waits for the disk."""
        unrated = None
        try:
            self.ratings.save()
        except OSError as error:
            unrated = error
        try:
            return Filed(self.file(session), unrated=unrated)
        except OSError as error:
            return Filed(None, error, unrated)

    def is_open(self, session: Session, path: Path) -> bool:
        return self.journal_of(session).filed == path.name or path in (session.source, session.saved_as)

    def follow_renamed(self, session: Session, old: Path, new: Path, black: str | None, white: str | None) -> bool:
        """Apply new names from the library to a session, if it is the game that was renamed there.

        A game restored from the trash under another name counts as renamed, too.

        Args:
            session: what is on the screen.
            old: the file that was renamed.
            new: where it is now.
            black: Black's name; None if it stays.
            white: White's name; None if it stays.

        Returns:
            Whether the session is that game.
        """
        if not self.is_open(session, old):
            return False
        journal = self.journal_of(session)
        session.rename(black, white)
        session.source, session.saved_as = (
            new if place == old else place for place in (session.source, session.saved_as)
        )
        if journal.filed == old.name:
            journal.refile(new.name, session.record_info())
        else:
            journal.write_info(session.record_info())
        return True

    def begin_anew(self, session: Session) -> Callable[[], object]:
        """Start a new journal for a record (:attr:`Session.is_record`) that was saved as a file by the user.

        Returns:
            A function that removes the old journal; it waits for the disk.
        """
        before, self._followed = self._followed, None
        self.begin(session)
        return before.journal.discard if before is not None else lambda: None

    # Resuming games

    def has_left_any(self) -> bool:
        """Return whether there may be games that can be resumed; finding none like this needs no reader of journals."""
        try:
            return any(self.folders.journal.iterdir())
        except OSError as error:
            return not isinstance(error, FileNotFoundError)

    def unfinished(self) -> FolderScan:
        """Find games that can be resumed."""
        from daoqi_tui.record.journal import scan  # noqa: PLC0415

        found = scan(self.folders.journal)
        return replace(found, journals=tuple(game for game in found.journals if not self._was_over(game.path)))

    def _was_over(self, path: Path) -> bool:
        """Finish a game that was over and filed when the program was killed; return whether it was."""
        from daoqi_tui.record.journal import Journal, JournalError  # noqa: PLC0415

        try:
            if b'"filed"' not in path.read_bytes():
                return False
            journal, restored = Journal.resume(path)
        except (OSError, JournalError):
            return False
        if restored.filed is None or not has_ended(restored.game, restored.front):
            journal.close()
            return False
        try:
            with closing(self.library()) as library:
                journal.finish(library)
        except OSError:
            journal.close()
            return False
        return True

    def open(self, path: Path) -> Resumable:
        """Open an unfinished game at its last position; the current game stays followed until :meth:`take`.

        Raises:
            JournalError: it cannot be restored.
        """
        from daoqi_tui.record.journal import Journal  # noqa: PLC0415

        journal, restored = Journal.resume(path, on_state=self._on_state)
        game, names = restored.game, restored.names
        seats = _seats(restored.players)
        # A computer's default name changes with its seat, so it must not be taken for a human's name.
        names = replace(
            names,
            black="" if is_seat_name(names.black, seats[0]) else names.black,
            white="" if is_seat_name(names.white, seats[1]) else names.white,
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
            game.rules,
        )
        clock = None
        if setup.time is not None:
            clock = Clock(setup.time)
            if restored.clock is not None:
                clock.set_left(restored.clock.black, restored.clock.white)
                clock.turn_began = restored.clock.turn_began
        session = Session(setup, game, clock)
        session.front, session.helped = restored.front, restored.helped
        session.presses = restored.presses
        session.info, session.problems = names, restored.problems
        session.trust_result()
        return Resumable(session, restored.view, journal)

    def take(self, resumable: Resumable) -> None:
        """Follow an opened game; call :meth:`leave` for the previous one first."""
        self._followed = _Followed(resumable.session, resumable.journal)


def _players(session: Session) -> Seats:
    from daoqi_tui.record.journal import Seats  # noqa: PLC0415

    return Seats(seat_text(session.seats[BLACK]), seat_text(session.seats[WHITE]), session.resigns)


def _still_timed(restored: Restored) -> bool:
    """Return whether the game keeps its clock, which it loses when resumed after a loss on time."""
    reading, front = restored.clock, restored.front
    if reading is None or not (reading.black.is_out or reading.white.is_out):
        return True
    return front is not None and isinstance(front.ending, OutOfTime)


def _seats(players: Seats | None) -> tuple[Seat, Seat]:
    """Return the seats in a journal; a person where there is none, or none that this version knows."""
    texts = (players.black, players.white) if players is not None else ("person", "person")
    seats: list[Seat] = []
    for text in texts:
        try:
            seats.append(parse_seat(text))
        except ValueError:
            seats.append(PERSON)
    return seats[0], seats[1]


def open_library(folder: Path) -> Library:
    """Open the library in a folder; its index has the opening class of every game. The caller closes it."""
    from daoqi_tui.record.library import Library  # noqa: PLC0415 (a start looks into no library)

    return Library(folder, classify=_opening_number, translate=translate)


def _opening_number(game: Game) -> int:
    from daoqi_tui.analysis.opening import opening_number  # noqa: PLC0415 (only for new games)

    return opening_number(game)


# Files as chosen: their names, and when to ask before overwriting one


def suggested_path(session: Session) -> Path:
    """Return the file to suggest for saving a game: its own, else one named after the file it was opened from."""
    own, source = own_file(session), session.source
    if own is not None:
        return own
    if source is None or is_open(source):
        return Path(_("game.sgf"))
    # A game from a file with several is named by its index, since the file also contains the others.
    name = f"{source.stem}-{session.index + 1}.sgf" if session.games > 1 else f"{source.stem}.sgf"
    return Path(name) if _is_shipped(source) else source.with_name(name)


def own_file(session: Session) -> Path | None:
    """Return the file that contains only this game, which may be overwritten without asking.

    It is the file the game was saved as, or the SGF file with a single game that it was opened from. A board diagram, a
    record in another format and a sample game are not overwritten.
    """
    if session.saved_as is not None:
        return session.saved_as
    source = session.source
    if source is None or session.games > 1 or source.suffix.lower() != ".sgf" or _is_shipped(source):
        return None
    return source


def must_ask(session: Session, path: Path) -> bool:
    """Return whether saving a game as ``path`` would overwrite a file that is not its own."""
    return is_there(path) and path != own_file(session)


def check_target(path: Path) -> None:
    """Check as far as is possible in advance that something can be saved as ``path``.

    Raises:
        Unable: nothing can.
    """
    if is_folder(path):
        raise Unable(_("{file} is a folder: name a file in it"), file=plain_line(str(path)))
    if not is_folder(path.parent):
        raise Unable(_("There is no folder {folder}: name one that exists"), folder=plain_line(str(path.parent)))


def save_as(session: Session, path: Path) -> bytes:
    """Write a game as SGF; return what was written. From then on, the file is the game's own.

    Raises:
        OSError: as the system gives it.
        ValueError: the path is invalid.
    """
    from daoqi_tui.record.files import write_atomically  # noqa: PLC0415 (nothing is saved before the first paint)

    record = session.record()
    write_atomically(path, record)
    session.saved_as = path
    return record


def _is_shipped(path: Path) -> bool:
    try:
        return path.resolve().is_relative_to(assets_folder().resolve())
    except OSError:
        # Circular links, or an installation without the folder.
        return False


def export_note() -> str:
    """Return what a file shows by its ending: ``.png or .svg: the board, .gif: the game``."""
    endings: dict[str, list[str]] = {}
    for export in EXPORTS.values():
        endings.setdefault(export.label, []).append(export.ending)
    notes = [_("{endings}: {label}").format(endings=one_of(each), label=_(label)) for label, each in endings.items()]
    return reduce(lambda before, note: _("{notes}, {note}").format(notes=before, note=note), notes)


def check_export(path: Path) -> None:
    """Check the name of a file for an export, as :func:`check_target` does."""
    if path.suffix.lower() not in EXPORTS:
        raise Unable(_("End the name in {endings}"), endings=one_of(tuple(EXPORTS)))
    check_target(path)
