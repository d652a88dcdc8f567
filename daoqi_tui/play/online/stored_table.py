"""A table on disk: its file, the journal of the current game, and the earlier games in the library."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Final, NamedTuple

from daoqi_tui.engine import BLACK, WHITE, Game
from daoqi_tui.play.background import Background, DiskWork, Work
from daoqi_tui.play.keeper import Folders, Keeper
from daoqi_tui.play.match import Match
from daoqi_tui.play.online.audience import ChatLog
from daoqi_tui.play.online.table import Table, Terms, locked, table_file
from daoqi_tui.play.players import PlayerTable
from daoqi_tui.play.session import Session
from daoqi_tui.record.journal import JournalError, SaveFailure
from daoqi_tui.record.journal.writer import failure_of

_CHAT: Final = "chat.jsonl"
_GAMES: Final = "*/*.journal"
_RETRY: Final = 0.2
"""Seconds until the disk is checked again while saving fails."""


class _Unwritten(NamedTuple):
    """A change of the file that could not be written."""

    since: float
    failing: SaveFailure


class StoredTable:
    """A table with its match, stored on disk. Made by :meth:`lay` or :meth:`load`, and locked against other processes.

    Args:
        folder: of this table.
        table: what its file holds.
        library: where finished games go.
        now: the time by which the clocks go, in seconds of a steady clock.

    Attributes:
        folder: of this table.
        table: what its file holds, or is about to.
        match: the game of the current round, at its last move, paused.
        chat: the last lines of chat.
        closing: set before :meth:`close`, so that nothing waits for the disk.
    """

    def __init__(self, folder: Path, table: Table, library: Path, now: Callable[[], float]) -> None:
        self.folder: Final = folder
        self.table = table
        self.closing = False
        self._library = library
        self._now = now
        self._tasks: set[asyncio.Task[None]] = set()
        self._disk: Final = DiskWork()
        self._unwritten: _Unwritten | None = None
        """Why the file is still as before the last change."""
        self._release = locked(folder)
        try:
            self.match: Final = self._take_up()
            self.chat: Final = ChatLog(folder / _CHAT, self._disk)
        except BaseException:
            self._release()
            raise

    @classmethod
    def lay(
        cls, folder: Path, terms: Terms, host: str, library: Path, now: Callable[[], float]
    ) -> tuple[StoredTable, str, str]:
        """Create a new table; waits for the disk.

        Returns:
            The table, the key of the host's seat, and the one-time code of the other.

        Raises:
            ValueError: the terms are impossible.
            OSError: it cannot be written.
        """
        setup = terms.setup("", "")
        Game(setup.size, setup.komi, setup.handicap, setup.rules)
        table, key, code = Table.lay(terms, host)
        folder.mkdir(parents=True, mode=0o700)
        table.save(folder)
        return cls(folder, table, library, now), key, code

    @classmethod
    def load(cls, folder: Path, library: Path, now: Callable[[], float]) -> StoredTable:
        """Load a table; waits for the disk.

        Raises:
            GameFileError: its file is damaged.
            JournalError: the journal of the game cannot be restored.
            ValueError, TypeError: the file is invalid.
            InUse: another process has it.
            OSError: it cannot be read.
        """
        return cls(folder, Table.load(folder), library, now)

    # Loading

    def _new_keeper(self) -> Keeper:
        folders = Folders(self.folder / str(len(self.table.blacks)), self._library)
        return Keeper(folders, lambda _state: None, now=self._now)

    def _new_session(self) -> Session:
        return Session(self.table.terms.setup(self.table.name_of(BLACK), self.table.name_of(WHITE)))

    def _take_up(self) -> Match:
        """Make the match of the current round, from its journal if there is one."""
        keeper = self._new_keeper()
        self._file_earlier_rounds()
        journals = sorted(keeper.folders.journal.glob("*.journal"), key=lambda path: path.stat().st_mtime)
        if journals:
            resumable = keeper.open(journals[-1])
            keeper.take(resumable)
            session = resumable.session
            session.game.goto(session.front or session.game.node)
            session.front = session.game.node
        else:
            session = self._new_session()
        match = Match(session, PlayerTable, keeper, spawn=self._spawn, now=self._now)
        match.pause()
        return match

    def _file_earlier_rounds(self) -> None:
        """Put the games into the library that a kill kept from it."""
        for number in range(1, len(self.table.blacks)):
            for path in (self.folder / str(number)).glob("*.journal"):
                keeper = self._new_keeper()
                with suppress(OSError, JournalError):
                    keeper.take(keeper.open(path))
                    keeper.leave()

    def _spawn(self, work: Work) -> Background:
        task = asyncio.get_running_loop().create_task(work())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    @property
    def _keeper(self) -> Keeper:
        keeper = self.match.keeper
        assert keeper is not None
        return keeper

    # Saving

    @property
    def waited(self) -> float:
        """The seconds for which the oldest change or line of chat has been waiting for the disk; 0 if all are on it."""
        unwritten = self._unwritten
        late = 0.0 if unwritten is None else monotonic() - unwritten.since
        return max(self._keeper.waited, self._disk.waited, late)

    @property
    def failing(self) -> SaveFailure | None:
        """The reason why a change cannot be saved now, None if it can."""
        return self._keeper.failing or (None if self._unwritten is None else self._unwritten.failing)

    def begin_game(self) -> None:
        """Save the game of the current round from now on, and start its clock; both players are known."""
        session = self.match.session
        session.setup = session.setup._replace(black=self.table.name_of(BLACK), white=self.table.name_of(WHITE))
        self._keeper.begin(session)
        self.match.unpause()

    async def begin_round(self, table: Table) -> None:
        """Begin another game, for the next round.

        Raises:
            OSError: the file cannot be written, and nothing has changed.
        """
        before = self._keeper
        await self._idle()
        await self.change(table)
        # Only now: a journal left over here is put into the library at the next start.
        with suppress(OSError):
            await self._disk.do(before.leave)
        self.match.keeper = self._new_keeper()
        self.match.begin(self._new_session())
        self.begin_game()

    async def change(self, table: Table) -> None:
        """Adopt a changed table once its file is written; if that fails, nothing has changed.

        Raises:
            OSError: the file cannot be written.
        """
        await self._disk.do(partial(table.save, self.folder))
        self.table, self._unwritten = table, None

    async def close_request(self) -> None:
        """Close the request and the warning, since the game has moved on, even if the file cannot be written now."""
        if self.table.request is None and self.table.warned is None:
            return
        table = replace(self.table, request=None, warned=None)
        try:
            await self.change(table)
        except OSError as error:
            # Written by :meth:`catch_up`, or with the next change.
            self.table = table
            self._unwritten = _Unwritten(monotonic(), failure_of(error, table_file(self.folder)))

    async def catch_up(self) -> None:
        """Write the file if that failed before, and is possible now."""
        if self._unwritten is not None:
            with suppress(OSError):
                await self.change(self.table)

    async def settled(self) -> bool:
        """Wait until everything is on disk, however long that takes.

        Returns:
            Whether it is; False if the table is closed before that, in which case nobody may be told.
        """
        if self.closing:
            return False
        if self._keeper.has_news:
            ticket = self._keeper.follow(self.match.session)
            while not ticket.done:
                if self.closing:
                    return False
                if not await ticket:
                    await asyncio.sleep(_RETRY)
        while not self.match.written:
            await asyncio.sleep(0)
        return True

    async def _idle(self) -> None:
        """Wait until a finished game is in the library."""
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)

    # The end

    async def close(self) -> None:
        """Close the table, to be loaded later."""
        await self._idle()
        await self._disk.do(self._keeper.close)
        self._release()

    async def archive(self) -> None:
        """Remove the table, as :meth:`remove` does, when all writes are done."""
        await self._idle()
        await self._disk.do(self.remove)

    def remove(self) -> None:
        """Put its games into the library, also one in progress, and remove the folder of the table. Waits for the disk.

        The folder is kept if it holds the only copy of a game, which is put into the library at a later start.
        """
        self._file_earlier_rounds()
        with suppress(OSError):
            self._keeper.leave(archives=True)
        kept = any(self.folder.glob(_GAMES))
        self._release()
        if not kept:
            shutil.rmtree(self.folder, ignore_errors=True)


def last_sign(folder: Path) -> tuple[float, bool]:
    """Return when a table on disk changed last, in seconds of the epoch, and whether it has a game.

    Raises:
        OSError: it cannot be read.
    """
    journals = list(folder.glob(_GAMES))
    return max(path.stat().st_mtime for path in (folder, *journals)), bool(journals)
