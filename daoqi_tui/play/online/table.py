"""A table: the terms of its games, its seats, the names of its players, which differ, and their agreements; on disk.

The file of a table holds only digests of codes and keys, except for a public code; moves and clocks are in the journals
next to it, the earlier games in the library.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
import shutil
from base64 import b32encode
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from pathlib import Path
from time import monotonic
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias
from unicodedata import category, normalize

from msgspec import Meta

from daoqi_tui import codec
from daoqi_tui.engine import BLACK, WHITE, Colour, Game, parse_rules
from daoqi_tui.engine.clock import TimeControl
from daoqi_tui.message import Message, problem_of
from daoqi_tui.play.background import Background, DiskWork, Work, begin_task
from daoqi_tui.play.keeper import Folders, Keeper
from daoqi_tui.play.match import Match
from daoqi_tui.play.online.audience import ChatLog
from daoqi_tui.play.online.invitation import LONGEST_NAME
from daoqi_tui.play.online.protocol import Plan, RequestKind, Side
from daoqi_tui.play.players import PlayerTable
from daoqi_tui.play.session import GameSetup, Session
from daoqi_tui.record.files import InUse, lock_file, read_json, write_atomically
from daoqi_tui.record.journal import JournalError, SaveFailure
from daoqi_tui.record.journal.writer import failure_of

_FORMAT: Final = 1
_FILE: Final = "game.json"
_MOST_BYTES: Final = 1 << 20
_TIME: Final = ("main", "periods", "period", "increment")
"""The time control in files of earlier versions, a list."""
SHORTEST_KEY: Final = 20

Chooser: TypeAlias = Literal["host", "guest", "nigiri"]
HOST, GUEST = 0, 1


class GameFileError(Exception):
    """A table cannot be loaded."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms set by the host before the game.

    Attributes:
        black: who plays Black in the first game.
        undo: whether undo may be requested.
        watch: whether others may watch.
        delay: their delay in seconds.
        open: whether anyone may join, so that the code is public.
        rated: whether the games count for the ratings of both players, who then need accounts.
    """

    size: int = 16
    komi: float = 4.0
    handicap: int = 0
    rules: str = "daoqi"
    time: TimeControl | None = None
    black: Chooser = "nigiri"
    undo: bool = True
    watch: bool = True
    delay: int = 0
    open: bool = False
    rated: bool = False

    @property
    def is_even(self) -> bool:
        """True if neither side has an advantage, and no move is taken back: so a game can be rated."""
        return not self.handicap and not self.undo and self.komi == parse_rules(self.rules).komi

    @property
    def days(self) -> int:
        """The days for each move of correspondence games, which need accounts; 0 for other games."""
        return self.time.days if self.time is not None else 0

    def setup(self, black: str, white: str) -> GameSetup:
        """Return the setup of a game between two names.

        Raises:
            ValueError: the rules are unknown.
        """
        return GameSetup(
            self.size, self.komi, self.handicap, black, white, self.time, rules=parse_rules(self.rules), resigns=False
        )


def new_code() -> str:
    return b32encode(secrets.token_bytes(13)).decode().rstrip("=").lower()[:20]


def new_key() -> str:
    return secrets.token_urlsafe(24)


def table_file(folder: Path) -> Path:
    return folder / _FILE


def digest(secret: str) -> str:
    # Of a header or cookie, bytes that are no text come as halves of surrogate pairs.
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _is(secret: str, stored: str) -> bool:
    return bool(secret) and bool(stored) and hmac.compare_digest(digest(secret), stored)


@dataclass(frozen=True)
class Table:
    """The contents of a table's file, with only digests of keys.

    Attributes:
        terms: of its games.
        code: the digest of the code of the guest's seat, empty when it is used up.
        open_code: the code itself if anyone may join, empty when it is used up.
        keys, names: of host and guest.
        blacks: who had Black in each round, the current one last.
        stopped: what the players agreed on, empty while they play.
        counted: whether they agreed on the count.
        request: the open request and its side; it is in the file to survive a restart.
        warned: the side that was warned for its absence, and when, in seconds of the epoch.
        accounts: the ids of the accounts of host and guest, empty for one without.
        begun: when the current round of a correspondence game began, in seconds of the epoch.
        plans: the conditional moves of host and guest in such a game.
        agreed: the sides that agreed to its count, and the digest of the count.
        ended: when the rated game of the current round ended, in seconds of the epoch; 0 while that is not known.
    """

    terms: Terms
    code: str
    open_code: str
    keys: tuple[str, str]
    names: tuple[str, str]
    blacks: Annotated[tuple[Annotated[int, Meta(ge=HOST, le=GUEST)], ...], Meta(min_length=1)]
    stopped: Literal["", "paused", "adjourned"] = ""
    counted: bool = False
    request: tuple[RequestKind, Side] | None = None
    warned: tuple[Side, float] | None = None
    accounts: tuple[str, str] = ("", "")
    begun: float = 0.0
    plans: tuple[Plan | None, Plan | None] = (None, None)
    agreed: tuple[tuple[Side, ...], str] = ((), "")
    ended: float = 0.0

    @staticmethod
    def lay(terms: Terms, host: str, account: str = "") -> tuple[Table, str, str]:
        """Return a table with the key of the host's seat, and the one-time code of the other."""
        key, code = new_key(), new_code()
        first = {"host": HOST, "guest": GUEST}.get(terms.black, secrets.randbelow(2))
        open_code = code if terms.open else ""
        accounts = (account, "")
        table = Table(terms, digest(code), open_code, (digest(key), ""), (host, ""), (first,), accounts=accounts)
        return table, key, code

    # Seats

    @property
    def has_guest(self) -> bool:
        return bool(self.keys[GUEST])

    def opens(self, code: str) -> bool:
        return _is(code, self.code)

    def given_to_guest(self, key: str, name: str, account: str = "") -> tuple[Table, str]:
        """Return the table with its guest, the code used up, and the seat's key: a new one if ``key`` is too short."""
        if len(key) < SHORTEST_KEY:
            key = new_key()
        host = (self.keys[HOST], self.names[HOST])
        accounts = (self.accounts[HOST], account)
        keys, names = (host[0], digest(key)), (host[1], name)
        return replace(self, code="", open_code="", keys=keys, names=names, accounts=accounts), key

    def seat_with(self, key: str) -> int | None:
        return next((seat for seat in (HOST, GUEST) if _is(key, self.keys[seat])), None)

    def seat_for(self, key: str, account: str) -> int | None:
        """Return the seat that a key, or in a correspondence game an account, leads to."""
        seat = self.seat_with(key)
        if seat is None and account and self.terms.days and account in self.accounts:
            seat = self.accounts.index(account)
        return seat

    def seat_of(self, colour: Colour) -> int:
        black = self.blacks[-1]
        return black if colour == BLACK else 1 - black

    def colour_of(self, seat: int) -> Colour:
        return BLACK if seat == self.blacks[-1] else WHITE

    def name_of(self, colour: Colour) -> str:
        return self.names[self.seat_of(colour)]

    # The file

    def save(self, folder: Path) -> None:
        """Write the file into the folder of the table; waits for the disk.

        Raises:
            OSError: it cannot be written.
        """
        write_atomically(table_file(folder), codec.encode({"format": _FORMAT, **vars(self)}, indent=1))

    @staticmethod
    def load(folder: Path) -> Table:
        """Read the file in the folder of a table.

        Raises:
            GameFileError: it is damaged.
            OSError: it cannot be read.
        """
        try:
            held = read_json(table_file(folder), _MOST_BYTES, dict[str, Any])
            if held["format"] != _FORMAT:
                raise GameFileError(Message("the game was kept by a newer version of the program"))
            terms = held["terms"]
            if isinstance(terms["time"], list):
                terms["time"] = dict(zip(_TIME, terms["time"], strict=True))
            # Earlier builds of 1.0.0 saved none.
            return codec.convert({"open_code": "", **held}, Table)
        except (ValueError, TypeError, KeyError) as error:
            raise GameFileError(Message("the file of the game is damaged")) from error


_BLANK: Final = frozenset(
    map(
        chr,
        (
            # Default-ignorable characters that are letters, marks or symbols, and the blank pattern of Braille.
            *(0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2065, 0x2800, 0x3164, 0xFFA0),
            *range(0x180B, 0x1810),
            *range(0xFE00, 0xFE10),
            *range(0xFFF0, 0xFFF9),
            *range(0xE0000, 0xE1000),
        ),
    )
)


def skeleton(name: str) -> str:
    r"""Return what is equal for names that differ in case, width, spaces or invisible characters alone.

    It is NFKC_Casefold of Unicode without spaces and controls; letters of different scripts stay different.

    >>> skeleton("Ke Jie") == skeleton("ｋｅ\u200bＪＩＥ")
    True
    """
    folded = normalize("NFKC", normalize("NFKC", name).casefold())
    return "".join(sign for sign in folded if sign not in _BLANK and category(sign)[0] not in "CZ")


def distinct(name: str, taken: Iterable[str]) -> str:
    r"""Return a name that looks like none of those ``taken``, with a number behind it if necessary.

    A name that shows nothing is no name.

    >>> distinct("Ke", ["KE", "Lu"]), distinct("Ke", ["ke", "Ke 2"]), distinct("\u3164", [])
    ('Ke 2', 'Ke 3', '')
    """
    if not skeleton(name):
        return ""
    known = {skeleton(other) for other in taken}
    if skeleton(name) not in known:
        return name
    tries = (f"{name[: LONGEST_NAME - len(end)]}{end}" for number in count(2) for end in (f" {number}",))
    return next(one for one in tries if skeleton(one) not in known)


_CHAT: Final = "chat.jsonl"
_GAMES: Final = "*/*.journal"
_RETRY: Final = 0.2
"""Seconds until the disk is checked again while saving fails."""


class _Unwritten(NamedTuple):
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
        written: when the journal was written last before the table was loaded, in seconds of the epoch.
        closing: set before :meth:`close`, so that nothing waits for the disk.
    """

    def __init__(self, folder: Path, table: Table, library: Path, now: Callable[[], float]) -> None:
        self.folder: Final = folder
        self.table = table
        self.closing = False
        self.written = 0.0
        self._library = library
        self._now = now
        self._tasks: set[asyncio.Task[None]] = set()
        self._disk: Final = DiskWork()
        self._unwritten: _Unwritten | None = None
        """Why the file is still as before the last change."""
        self._release = lock_file(folder / "lock")
        try:
            self.match: Final = self._take_up()
            self.chat: Final = ChatLog(folder / _CHAT, self._disk)
        except BaseException:
            self._release()
            raise

    @classmethod
    def lay(
        cls, folder: Path, terms: Terms, host: str, library: Path, now: Callable[[], float], *, account: str = ""
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
        table, key, code = Table.lay(terms, host, account)
        folder.mkdir(parents=True, mode=0o700)
        table.save(folder)
        return cls(folder, table, library, now), key, code

    @classmethod
    def load(cls, folder: Path, library: Path, now: Callable[[], float]) -> StoredTable:
        """Load a table; waits for the disk.

        Raises:
            GameFileError: it is damaged.
            InUse: another process has it.
        """
        try:
            return cls(folder, Table.load(folder), library, now)
        except InUse:
            raise
        except (OSError, ValueError, TypeError, JournalError) as error:
            raise GameFileError(Message("the game cannot be resumed: {reason}", reason=problem_of(error))) from error

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
            self.written = journals[-1].stat().st_mtime
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
        return begin_task(work(), self._tasks)

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
        return self._keeper.failing or (None if self._unwritten is None else self._unwritten.failing)

    def begin_game(self) -> None:
        """Save the game of the current round from now on, and start its clock; both players are known."""
        session = self.match.session
        session.setup = session.setup._replace(black=self.table.name_of(BLACK), white=self.table.name_of(WHITE))
        self._keeper.begin(session)
        self.match.unpause()
        if session.clock is not None:
            session.clock.turn_began = self.table.begun

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

    @property
    def is_unwritten(self) -> bool:
        """True if the file is still as before the last change."""
        return self._unwritten is not None

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
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)

    # The end

    async def close(self) -> None:
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
