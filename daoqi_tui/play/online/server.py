"""The server: a lobby of several games, each with its own referee, on aiohttp.

``/game/ID`` is the WebSocket of a game, ``/games`` a :class:`~daoqi_tui.play.online.listing.Listing`. A client is not
trusted: its input is limited in size, rate and time, and a slow or hostile one is closed without affecting the others.
It cannot start programs or name files.
"""

from __future__ import annotations

import asyncio
import math
import os
import re
import secrets
import time
from base64 import b32encode
from collections.abc import AsyncIterator, Awaitable, Callable, Container, Coroutine, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from socket import AF_INET6, create_server, has_dualstack_ipv6, socket
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar

from aiohttp import web

from daoqi_tui import codec, crash, log
from daoqi_tui.i18n import _
from daoqi_tui.message import Message, problem_of
from daoqi_tui.paths import SLOW
from daoqi_tui.play.background import begin_task, on_disk
from daoqi_tui.play.online.accounts import GUEST_MARK, Account, ClaimError, NetworkBan, RatedGame, Report
from daoqi_tui.play.online.connections import (
    FAREWELL,
    PASS,
    REQUEST_LOG,
    Admission,
    Connection,
    GoneError,
    IdleConnections,
    Passes,
    Site,
    Visit,
    limit_buffer,
    secret_of,
)
from daoqi_tui.play.online.correspondence import Turn
from daoqi_tui.play.online.invitation import LONGEST_NAME
from daoqi_tui.play.online.limits import DAY, Limits, LookTurns, Rate, Sight, Step, Tables
from daoqi_tui.play.online.listing import (
    LOBBY,
    MOST_LISTED,
    NEW_GAME,
    Bots,
    Directory,
    ListedGame,
    Listing,
    NewGame,
    Opened,
)
from daoqi_tui.play.online.protocol import (
    LONGEST_FROM_CLIENT,
    REASONS,
    VERSION,
    Join,
    Pong,
    ProtocolError,
    RefusalCode,
    Refused,
    Say,
    cleaned,
    encode,
    type_of,
)
from daoqi_tui.play.online.referee import Book, Referee, RefusedError
from daoqi_tui.play.online.table import (
    GUEST,
    HOST,
    SHORTEST_KEY,
    GameFileError,
    StoredTable,
    Table,
    Terms,
    digest,
    last_sign,
    skeleton,
    table_file,
)
from daoqi_tui.play.online.webhooks import Notice, Webhooks
from daoqi_tui.play.wording import describe_days
from daoqi_tui.record.files import InUse
from daoqi_tui.record.journal import SaveFailure
from daoqi_tui.record.journal.writer import failure_of
from daoqi_tui.text import plain_line

if TYPE_CHECKING:
    from daoqi_tui.play.online.store import Store

T = TypeVar("T")

_GAME: Final = re.compile("[a-z2-7]{1,40}")
_TICK: Final = 0.25
_MODERATED: Final = 2.0
"""Seconds between looks at what the operator decided."""
_REPORT: Final = "/report"
"""How a line of chat begins that is for the operator."""
_HEARTBEAT: Final = 20.0
"""Seconds between pings that detect dead connections."""
_GREETING: Final = 10.0
"""The timeout in seconds for the first message."""
_CHATTING: Final = 10.0
"""The period in seconds for the limit on chat lines from one address."""
_EXPIRED: Final = 10.0
"""Seconds between looks at the deadlines of correspondence games that are adjourned, and at games to be counted."""
_AT_ONCE: Final = 10
"""The number of tables that are adjourned or archived at the same time."""
_ARCHIVE_AGAIN: Final = 3600.0
"""Seconds after which it is tried again to archive a table whose game could not be counted."""
_IN_USE: Final = 2.0
"""The seconds after which a client asks again for a game that another process has open."""


class Lobby:
    """The games of a server.

    Args:
        folder: for their journals; each has its own subfolder.
        library: for finished games.
        limits: of the server.
        now: returns the time for clocks and limits, in seconds of a monotonic clock.
        site: the names of the server, and its proxies.
        store: its accounts and ratings; None for a server without.
        prefix: what the ids of its games begin with, by which a proxy finds this server among several.
        wall: returns the seconds of the epoch; it is read once, at the start of the steady clock.
        private_webhooks: whether webhooks may lead to addresses that are not public.
        address: the URL by which servers with the same database send visitors here.

    Attributes:
        problems: a sentence for each game that could not be taken up again.
        in_use: the games that another process has open.
        folder: of their journals.
        site: its names and proxies.
        disks: tells the operator what waits for the disk.
        bots: those that wait for anybody, None for none.
        house: the games whose host is one of these bots, which count for no address.
        passes: those of programs that speak for visitors.
        made: counts the accounts that each address made.
        cookie: the name of the cookie by which a browser tells its account, empty for none.
    """

    def __init__(
        self,
        folder: Path,
        library: Path,
        limits: Limits | None = None,
        now: Callable[[], float] = monotonic,
        *,
        site: Site | None = None,
        store: Store | None = None,
        prefix: str = "",
        wall: Callable[[], float] = time.time,
        private_webhooks: bool = False,
        address: str = "",
    ) -> None:
        self._prefix = prefix
        self.store: Final = store
        self.passes: Final = Passes()
        self.cookie = ""
        self.site: Final = site or Site()
        self.limits: Final = limits or Limits()
        self.games: Final[dict[str, Referee]] = {}
        self.problems: list[Message] = []
        self.bots: Bots | None = None
        self.house: Container[str] = ()
        self.folder: Final = folder
        self._library = library
        self._now = now
        self._admission = Admission(self.limits)
        self._open: set[Connection] = set()
        self._working: set[asyncio.Task[Any]] = set()
        self._tries = Rate(self.limits.tries, now)
        self._opened = Rate(self.limits.opened, now)
        self._chats = Rate(self.limits.chat, now, _CHATTING)
        self._opened_daily = Rate(self.limits.opened_daily, now, DAY)
        self._rated_daily = Rate(self.limits.rated_daily, now, DAY)
        self.made: Final = Rate(self.limits.accounts_daily, now, DAY)
        self._reports = Rate(self.limits.reports_daily, now, DAY)
        self._moderated: dict[str, Account] = {}
        """The accounts that are banned or muted, as they were lately."""
        self._bans: list[NetworkBan] = []
        """The networks whose guests are kept out, as they were lately."""
        self._visits: dict[Connection, Visit] = {}
        """Those that were admitted to a game."""
        self._epoch: Final = wall() - now()
        """The start of the steady clock, in seconds of the epoch; later jumps of the system's clock have no effect."""
        self.tables: Final = Tables(self.limits)
        self.in_use: Final[set[str]] = set()
        self._moving: dict[str, asyncio.Task[None]] = {}
        self._prune_after = now()
        self._turns: Final = LookTurns()
        self._expired_after = now()
        self.book: Book | None = None
        if store is not None:
            self.book = Book(self._count, self._put_turn, lambda account: on_disk(partial(store.vacations, account)))
        self._webhooks: Final = (
            None if store is None else Webhooks(store.webhook_of, self.limits.notices, now, private=private_webhooks)
        )
        self._directory: Final = (
            Directory(store, address, self._directed) if store is not None and store.is_shared and address else None
        )
        self._asked: Final = Rate(self.limits.lookups, now)
        self.disks: Final = DiskWatch(self.games)
        self._uncounted: dict[str, tuple[RatedGame, str | None]] = {}
        """The rated games, with their records, that could not be counted yet."""
        self._count_after = -math.inf
        self._failed: Final[set[str]] = set()
        """The games of which an unexpected exception was reported."""

    # Games

    def date(self) -> float:
        """Return the seconds of the epoch, by a clock that does not jump."""
        return self._epoch + self._now()

    def load(self) -> None:
        """Load the games that were in use last, as after a crash; waits for the disk. Needs a running event loop."""
        now, folders = self.date(), []
        with suppress(FileNotFoundError):
            # An empty one is of a game that could not be opened, for example on a full disk.
            folders = [folder for folder in self.folder.iterdir() if folder.is_dir() and any(folder.iterdir())]
        found = [(*last_sign(folder), folder.name) for folder in folders if folder.name not in self.games]
        for left, begun, name in sorted(found, reverse=True):
            self.tables.add(name, now, left=left, seen=Sight(begun=begun))
            if len(self.games) < self.limits.games:
                with self._forgetting(name):
                    self._take(self._referee(name, self._stored(name)))
        for name, game in tuple(self.games.items()):
            # One that is to be counted stays until it is.
            if self.tables.is_outdated(name, now) and game.uncounted is None:
                del self.games[name]
                self.tables.remove(name)
                game.stored.remove()

    def _stored(self, name: str) -> StoredTable:
        """Load a table; waits for the disk. Raises GameFileError if it is damaged, InUse if another process has it."""
        return StoredTable.load(self.folder / name, self._library, self._now)

    def _referee(self, name: str, stored: StoredTable) -> Referee:
        return Referee(name, stored, self.limits, self.book, now=self._now, date=self.date)

    async def _count(self, finished: RatedGame, record: str | None) -> None:
        """Count a rated game. Raises OSError, of which the operator is told, if that is impossible now."""
        assert self.store is not None
        try:
            await on_disk(partial(self.store.record, finished, record))
        except OSError as error:
            if finished.name not in self._uncounted:
                text = Message("game {game}: not rated yet: {reason}", game=finished.name, reason=problem_of(error))
                self.disks.notify(text)
            self._uncounted[finished.name] = finished, record
            raise
        if self._uncounted.pop(finished.name, None) is not None:
            self.disks.notify(Message("game {game}: rated now", game=finished.name))

    async def _count_again(self) -> None:
        """Count the games that could not be counted, also those whose tables are adjourned meanwhile."""
        self._count_after = math.inf
        try:
            for finished, record in tuple(self._uncounted.values()):
                # One that can never be counted delays no other.
                with self._reporting(finished.name), suppress(OSError):
                    await self._count(finished, record)
        finally:
            self._count_after = self._now() + _EXPIRED

    def _take(self, game: Referee) -> None:
        now = self.date()
        self.games[game.name] = game
        self.tables.wake(game.name, now)
        self.tables.see(game.name, game.sight, now)

    @contextmanager
    def _forgetting(self, name: str) -> Iterator[None]:
        """Forget a table that cannot be loaded; its folder stays."""
        try:
            yield
        except InUse:
            # Another process serves it, perhaps one that is about to end.
            self.tables.remove(name)
            self.in_use.add(name)
        except GameFileError as error:
            self.tables.remove(name)
            self.problems.append(Message("{file}: {reason}", file=name, reason=error))
        except BaseException:
            self.tables.remove(name)
            raise

    async def find(self, name: str, *secrets: str, account: str = "") -> Referee | None:
        """Return a game, None if it is unknown; the key of a seat, or the code, resumes an adjourned one.

        A correspondence game is resumed by the account of a player as well.

        Raises:
            RefusedError: the game is adjourned, and none of the secrets resumes it, or another process has it open.
        """
        if name in self.in_use and any((*secrets, account)):
            self.in_use.remove(name)
            # Removed meanwhile, it is unknown.
            with suppress(OSError):
                left, begun = last_sign(self.folder / name)
                self.tables.add(name, self.date(), left=left, seen=Sight(begun=begun))
        while name not in self.games or name in self._moving:
            if (moving := self._moving.get(name)) is not None:
                await asyncio.wait((moving,))
            elif name in self.in_use:
                raise RefusedError("in-use", wait=_IN_USE)
            elif name not in self.tables.lives:
                return None
            elif not await on_disk(partial(_opens, self.folder / name, secrets, account)):
                raise RefusedError("adjourned")
            elif name not in self._moving:
                # A player who returns is admitted in any case; a table where nobody is gives way if there is one.
                self._make_room("")
                self._move(name, self._wake(name))
        return self.games[name]

    def _make_room(self, address: str) -> bool:
        """Return whether there is room for one more table, after adjourning one where nobody is if necessary."""
        self._look()
        if self.tables.has_room(address):
            return True
        name = self.tables.giving_way()
        if name is None:
            return False
        self._leave(name, "adjourn")
        return True

    def host(self, terms: Terms, name: str, address: str = "") -> tuple[Referee, str, str]:
        """Create a table before anyone is served: waits for the disk. Needs a running event loop.

        Args:
            terms: of the game.
            name: of the host.
            address: from which it is opened, empty on this computer.

        Returns:
            The game, the key of the host's seat, and the code for the guest.

        Raises:
            RefusedError: there are too many games.
            ValueError: the terms are impossible.
            OSError: it cannot be written.
        """
        if terms.days:
            raise ValueError(REASONS["members"])
        game = self._new_game(address)
        stored, key, code = StoredTable.lay(self.folder / game, terms, name, self._library, self._now)
        return self._add(game, stored, address), key, code

    async def open(
        self, terms: Terms, name: str, address: str = "", account: Account | None = None
    ) -> tuple[Referee, str, str]:
        """Create a table as :meth:`host` does, while no game waits for the disk.

        Raises:
            RefusedError: there are too many games, the game cannot be rated as its terms say, or the disk does not take
                it.
            ValueError: the terms are impossible.
        """
        if terms.rated and not terms.is_even:
            raise RefusedError("uneven")
        self._check_terms(terms, account)
        name = await self.name_for(name, account)
        game = self._new_game(address)
        id_ = "" if account is None else account.id

        async def lay() -> tuple[Referee, str, str]:
            folder = self.folder / game
            work = partial(StoredTable.lay, folder, terms, name, self._library, self._now, account=id_)
            stored, key, code = await on_disk(work)
            return self._add(game, stored, address), key, code

        return await self._uncut(game, lay())

    def _new_game(self, address: str) -> str:
        """Return the name of a new table. Raises RefusedError if there is no room for one from an address."""
        rates = (self._opened, self._opened_daily)
        if address and (self.tables.refuses(address) or not all(rate.allows(address) for rate in rates)):
            raise RefusedError("quota")
        if not self._make_room(address):
            raise RefusedError("full")
        if address:
            for rate in rates:
                rate.count(address)
        return self._prefix + b32encode(secrets.token_bytes(5)).decode().lower()

    def _add(self, name: str, stored: StoredTable, address: str) -> Referee:
        game = self.games[name] = self._referee(name, stored)
        self.tables.add(name, self.date(), address)
        return game

    def _check_terms(self, terms: Terms, account: Account | None) -> None:
        """Check that an account can begin another game with these terms. Raises RefusedError if it cannot."""
        if terms.days and (account is None or self.book is None):
            raise RefusedError("members")
        if not terms.rated:
            return
        if account is None:
            raise RefusedError("rated")
        if not self._rated_daily.allows(account.id):
            raise RefusedError("quota", wait=self._rated_daily.wait(account.id))

    async def claim(self, name: str, code: str, player: str, address: str, account: Account | None = None) -> str:
        """Take the free seat of a game with its code; returns the key of the seat.

        Raises:
            RefusedError: the code is wrong, too many were tried from this address, it holds too many seats, or the game
                is rated and not for this account.
        """
        player = await self.name_for(player, account)
        try:
            game, _seat = await self._seat_for(name, Join(VERSION, code=code), address, "")
            self._check_terms(game.table.terms, account)
            key = await self._uncut(game.name, game.claim(code, player, "" if account is None else account.id))
        except RefusedError as error:
            if error.code not in ("quota", "unsaved", "rated", "members"):
                self._tries.count(address)
            raise
        self._begun(game, account)
        self._seated(game, GUEST, address)
        return key

    def _seated(self, game: Referee, seat: int, address: str) -> None:
        if self.games.get(game.name) is game:
            if seat == HOST and game.name in self.house:
                address = ""
            self.tables.sit(game.name, seat, address, self.date())
            self.tables.see(game.name, game.sight, self.date())

    def _begun(self, game: Referee, account: Account | None) -> None:
        if game.table.terms.rated and account is not None:
            for id_ in game.table.accounts:
                self._rated_daily.count(id_)

    # Who it is

    def visitor(self, request: web.Request) -> str:
        """Return the address that a request counts for: that of its pass, if it has one."""
        given = self.passes.find(secret_of(request))
        return self.site.visitor(request) if given is None else given.address

    async def account_of(self, request: web.Request) -> Account | None:
        """Return the account of who makes a request, None for a guest.

        Raises:
            RefusedError: it is unknown, or banned, or cannot be looked up now.
        """
        secret, store = secret_of(request), self.store
        cookie = request.cookies.get(self.cookie, "") if self.cookie and not secret else ""
        given, account = self.passes.find(secret), None
        if store is not None and given is not None and given.account:
            account = await available(partial(store.account, given.account))
        elif store is not None and given is None and (secret or cookie):
            account = await available(partial(store.opened_with, digest(secret or cookie)))
            # A pass is good at one server; elsewhere its visitor is a guest.
            if account is None and secret and not secret.startswith(PASS):
                raise RefusedError("account")
        if account is None:
            self.check_guest(self.visitor(request))
        elif account.banned:
            raise RefusedError("banned")
        return account

    def check_guest(self, address: str) -> None:
        """Check that a guest from an address is admitted. Raises RefusedError if the operator keeps them out."""
        ends = [ban.ended for ban in self._bans if ban.ended > self.date() and ban.covers(address)]
        if ends:
            raise RefusedError("banned-here", wait=max(ends) - self.date())

    async def account_with_key(self, fingerprint: str, name: str, address: str) -> Account | None:
        """Return the account of who has proved to have a key, None for a guest.

        A key without an account gets one with a name that nobody has.

        Raises:
            RefusedError: the account is banned, or cannot be looked up now.
        """
        if self.store is None or not fingerprint:
            self.check_guest(address)
            return None
        # Of no link: those are known by the digest of a secret, which has no colon.
        known = f"ssh:{fingerprint}"
        account = await available(partial(self.store.opened_with, known))
        if account is None:
            self.check_guest(address)
        if account is None and name and self.made.allows(address):
            with suppress(ClaimError):
                account = await available(partial(self.store.claim, name, known, "ssh"))
                self.made.count(address)
        if account is not None and account.banned:
            raise RefusedError("banned")
        return account

    async def name_for(self, name: str, account: Account | None) -> str:
        """Return what a player is called: like their account, or as they wish, but not like somebody's account."""
        if account is not None:
            return account.name
        if self.store is None or not skeleton(name):
            return name
        try:
            claimed = await on_disk(partial(self.store.named, name)) is not None
        except OSError:
            # Nobody is taken for somebody else meanwhile.
            claimed = True
        return f"{GUEST_MARK}{name}"[:LONGEST_NAME] if claimed else name

    async def _check_seat(self, id_: str) -> None:
        """Check the account that holds a seat. Raises RefusedError if it is banned."""
        if id_ and self.store is not None:
            with suppress(OSError):
                account = await on_disk(partial(self.store.account, id_))
                if account is not None and account.banned:
                    raise RefusedError("banned")

    def _check_tries(self, address: str) -> None:
        if not self._tries.allows(address):
            raise RefusedError("too-many-tries", wait=self._tries.wait(address))

    async def close(self) -> None:
        while self._moving:
            await asyncio.wait(self._moving.values())
        # All at once, since each may wait a while for a blocked disk.
        await asyncio.gather(*(game.close() for game in self.games.values()))
        self.games.clear()

    # Serving

    def add_to(self, app: web.Application) -> None:
        """Serve the games as a part of an application, which checks Host and Origin."""
        app.router.add_get("/game/{game}", self._connect)
        app.router.add_get(LOBBY.path, self._list)
        app.router.add_post(NEW_GAME.path, as_json("game", self._open_asked))
        app.cleanup_ctx.append(self._ticking)
        app.on_shutdown.append(self._end_all)

    async def _end_all(self, _app: web.Application) -> None:
        for connection in tuple(self._open):
            connection.end()

    async def _ticking(self, _app: web.Application) -> AsyncIterator[None]:
        works = [self._tick(), self.disks.run(), self._moderate()]
        if self._webhooks is not None:
            works.append(self._webhooks.run())
        if self._directory is not None:
            works.append(self._directory.run())
        tasks = [asyncio.create_task(work) for work in works]
        yield
        for task in tasks:
            task.cancel()
        for task in tasks:
            with suppress(asyncio.CancelledError):
                await task

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(_TICK)
            # Each in a task of its own: a clock that runs out waits for the disk, for which no other game may wait.
            for game in [game for game in self.games.values() if game.is_due]:
                self._begin(self._tick_one(game))
            now = self.date()
            for game in self._turns.some(self.games.values()):
                self.tables.see(game.name, game.sight, now)
            if self.store is not None and self._now() >= self._prune_after:
                self._prune_after = self._now() + DAY
                self._begin(on_disk(self.store.prune))
            for name, step in islice(self.tables.due(self.date()), _AT_ONCE):
                self._leave(name, step)
            if self.store is not None and self._now() >= self._expired_after:
                self._expired_after = self._now() + _EXPIRED
                self._begin(self._wake_expired(self.store))
            if self._uncounted and self._now() >= self._count_after:
                self._begin(self._count_again())

    async def _wake_expired(self, store: Store) -> None:
        """Resume the adjourned correspondence games whose deadline is over, so that they end."""
        names = await on_disk(partial(store.expired, self.date()))
        asleep = (name for name in names if name not in self.games and name in self.tables.lives)
        for name in islice((name for name in asleep if name not in self._moving), _AT_ONCE):
            if self._make_room(""):
                self._move(name, self._wake(name))

    async def _put_turn(self, name: str, turn: Turn | None) -> None:
        """Note the turn of a game, and have the player whose it has become be told, unless they are at the table."""
        assert self.store is not None
        is_new = await on_disk(partial(self.store.put_turn, name, turn))
        if turn is None or not is_new:
            return
        account, opponent = (turn.black, turn.white_name) if turn.mover == "black" else (turn.white, turn.black_name)
        game = self.games.get(turn.game)
        if self._webhooks is None or (game is not None and game.is_present(game.table.accounts.index(account))):
            return
        left = describe_days(turn.seconds)
        wording = _("Your move against {name}, {size}×{size}, move {number}: {time} left.")
        text = wording.format(name=plain_line(opponent), size=turn.size, number=turn.moves + 1, time=left)
        public = self.site.public[0].rstrip("/") if self.site.public else ""
        self._webhooks.notify(Notice(account, text, f"{public}/table/{turn.game}" if public else ""))

    def look_at_vacations(self, account: str) -> None:
        """Have the games of an account notice that a vacation began or ended."""
        for game in self.games.values():
            if account in game.table.accounts:
                game.look_again()

    async def _moderate(self) -> None:
        """Follow what the operator decides, in a program of its own."""
        while self.store is not None:
            with suppress(OSError):
                self._moderated = await on_disk(self.store.moderated)
                self._bans = await on_disk(self.store.banned_networks)
            for connection, visit in tuple(self._visits.items()):
                if any(self._moderated[id_].banned for id_ in visit.ids & self._moderated.keys()):
                    connection.drop(RefusedError("banned").message("join", fatal=True))
                elif not visit.ids:
                    try:
                        self.check_guest(visit.address)
                    except RefusedError as error:
                        connection.drop(error.message("join", fatal=True))
            await asyncio.sleep(_MODERATED)

    async def _tick_one(self, game: Referee) -> None:
        with self._reporting(game.name):
            await game.tick()

    @contextmanager
    def _reporting(self, name: str) -> Iterator[None]:
        """Report an unexpected exception of one game, which must not stop the others; only the first: it may recur."""
        try:
            yield
        except Exception as error:
            if name not in self._failed:
                self._failed.add(name)
                crash.report(error)

    def _look(self) -> None:
        now = self.date()
        for name, game in self.games.items():
            self.tables.see(name, game.sight, now)

    def _leave(self, name: str, step: Step) -> None:
        if name in self._moving:
            return
        if step == "adjourn":
            self.tables.adjourn(name)
        self._move(name, self._adjourn(name) if step == "adjourn" else self._archive(name))

    def _move(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        """Have a table adjourned, loaded or archived, while whoever wants it waits."""
        task = self._moving[name] = self._begin(work)
        task.add_done_callback(lambda _task: self._moving.pop(name))

    async def _adjourn(self, name: str) -> None:
        gone = True
        try:
            gone = await self.games[name].adjourn()
        finally:
            if gone:
                del self.games[name]
            else:
                # A player came first.
                self.tables.wake(name, self.date())
        if gone:
            with suppress(OSError):
                # After a restart, the time counts from here.
                await on_disk(partial(os.utime, self.folder / name))

    async def _wake(self, name: str) -> None:
        with self._forgetting(name):
            self._take(self._referee(name, await on_disk(partial(self._stored, name))))

    async def _archive(self, name: str) -> None:
        with self._forgetting(name):
            game = self._referee(name, await on_disk(partial(self._stored, name)))
            try:
                await game.count()
            except OSError:
                await game.close()
                self.tables.lives[name].left += _ARCHIVE_AGAIN
                return
            if self.book is not None and game.turn is not None:
                with suppress(OSError):
                    await self.book.put(name, None)
            self.tables.remove(name)
            await game.archive()

    async def _list(self, _request: web.Request) -> web.Response:
        return web.json_response(body=codec.encode(self.listing()))

    async def _open_asked(self, request: web.Request) -> Opened:
        asked = cleaned(codec.decode(await request.read(), NewGame))
        try:
            terms = asked.terms()
            account = await self.account_of(request)
            game, key, code = await self.open(terms, asked.name, self.visitor(request), account)
        except ValueError as error:
            raise web.HTTPBadRequest(text=f"{error}\n") from None
        return Opened(game.name, key, code)

    def listing(self) -> Listing:
        """Return what this lobby shows: its own games first, then those of other servers with the same database."""
        games = tuple(self._listed())
        if self._directory is None:
            return Listing(games, self.bots, self.store is not None)
        others = tuple(game for game in self._directory.others if game.game not in self.games)
        return Listing((*games, *others)[:MOST_LISTED], self.bots, accounts=True, cut_off=self._directory.cut_off)

    def _listed(self) -> Iterator[ListedGame]:
        now = self.date()
        for name, game in reversed(self.games.items()):
            if (game.table.open_code or game.table.terms.watch) and self.tables.is_listed(name, now):
                yield game.listed()

    def _directed(self) -> dict[str, ListedGame | None]:
        return {**dict.fromkeys(self.tables.lives), **{game.game: game for game in self._listed()}}

    async def elsewhere(self, name: str, address: str = "") -> str | None:
        """Return the URL of the server that has a game which this one has not; empty if that is down, None for none.

        Args:
            name: the id of the game.
            address: of who asks, empty if that was counted already.

        Raises:
            RefusedError: it was asked too often from this address.
        """
        known = name in self.games or name in self.tables.lives or name in self.in_use
        if self._directory is None or known or not _GAME.fullmatch(name):
            return None
        if address:
            spend(self._asked, address, "too-fast")
        return await self._directory.where(name)

    async def _connect(self, request: web.Request) -> web.StreamResponse:
        visit = Visit(self.visitor(request), partial(_abort, request))
        name = request.match_info["game"]
        with suppress(RefusedError):
            if server := await self.elsewhere(name, visit.address):
                raise web.HTTPTemporaryRedirect(f"{server}/game/{name}")
        response = web.WebSocketResponse(
            max_msg_size=LONGEST_FROM_CLIENT, heartbeat=_HEARTBEAT, compress=False, timeout=FAREWELL
        )
        # Before the first await, so that simultaneous requests are counted too.
        self._admission.arrive(visit)
        try:
            await response.prepare(request)
            limit_buffer(request)
            if not await self._serve(response, request, visit):
                visit.abort()
        finally:
            self._admission.leave(visit)
        return response

    async def _serve(self, response: web.WebSocketResponse, request: web.Request, visit: Visit) -> bool:
        """Serve a connection to its end; returns whether its client took what was sent."""
        connection = Connection(response, self._now)
        self._open.add(connection)
        writer = asyncio.create_task(connection.write())
        reader = asyncio.create_task(self._read(connection, request, visit))
        over = asyncio.create_task(connection.over.wait())
        try:
            await asyncio.wait((reader, writer, over), return_when=asyncio.FIRST_COMPLETED)
            connection.end()
            self._admission.arrive(visit)
            done, _late = await asyncio.wait((writer,), timeout=FAREWELL)
            return bool(done)
        finally:
            self._open.discard(connection)
            for task in (writer, reader, over):
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task

    async def _read(self, connection: Connection, request: web.Request, visit: Visit) -> None:
        game: Referee | None = None
        try:
            join = await self._greeting(connection)
            visit.account = await self.account_of(request)
            # Only now, since the table may have been removed meanwhile.
            game = await self._enter(connection, request.match_info["game"], join, visit)
            seat, account = game.seat_of(connection), visit.account
            seated = "" if seat is None else game.table.accounts[seat]
            visit.ids = frozenset(filter(None, (seated, "" if account is None else account.id)))
            self._visits[connection] = visit
            connection.ping()
            while True:
                await self._answer(connection, game, visit)
        except GoneError:
            pass
        except RefusedError as error:
            connection.drop(error.message("join", fatal=True))
        except Exception as error:  # One game must not end the others.
            crash.report(error)
            connection.drop(Refused("", "bad-message", "the server failed at this message", fatal=True))
        finally:
            self._visits.pop(connection, None)
            if game is not None:
                await self._uncut(game.name, game.leave(connection))

    async def _greeting(self, connection: Connection) -> Join:
        """Return the first message. Raises RefusedError where it does not come, or is another."""
        try:
            async with asyncio.timeout(_GREETING):
                message = await connection.read()
        except TimeoutError:
            raise RefusedError("bad-message", "the first message did not come", what="") from None
        except ProtocolError as error:
            raise RefusedError("bad-message", str(error), what="") from None
        if not isinstance(message, Join):
            raise RefusedError("bad-message", "the first message has to be of type join", what=type_of(message))
        return message

    async def _enter(self, connection: Connection, name: str, join: Join, visit: Visit) -> Referee:
        """Admit a connection. Raises RefusedError if it is not admitted, GoneError if it does not stay."""
        secret = bool(join.code or join.key)
        try:
            game = await self._admit(connection, name, join, visit)
        except RefusedError as error:
            if secret and error.code in ("code", "key", "no-game"):
                self._tries.count(visit.address)
            raise
        if join.peek:
            raise GoneError
        return game

    async def _admit(self, connection: Connection, name: str, join: Join, visit: Visit) -> Referee:
        """Admit a connection. Raises RefusedError if it is not admitted."""
        join = replace(join, name=await self.name_for(join.name, visit.account))
        account = "" if visit.account is None else visit.account.id
        while True:
            game, seat = await self._seat_for(name, join, visit.address, "" if join.code else account)
            if seat is not None:
                await self._check_seat(game.table.accounts[seat])
            elif join.code:
                self._check_terms(game.table.terms, visit.account)
            if seat is not None and not join.peek:
                # So that it is not dropped while it waits for its turn at the table.
                self._admission.sit(visit, (name, seat))
            elif seat is None and not join.code:
                if game.spectators >= self.limits.spectators:
                    raise RefusedError("full")
                self._admission.watch(visit)
            try:
                await self._uncut(game.name, game.enter(connection, join, account))
            except RefusedError as error:
                if error.code == "adjourned":
                    # While it waited for its turn at the table.
                    continue
                raise
            except asyncio.CancelledError:
                # It enters all the same, and would stay there forever.
                await self._uncut(game.name, game.leave(connection))
                raise
            if seat is None and join.code:
                seat = GUEST
                self._begun(game, visit.account)
            if seat is not None and not join.peek:
                self._admission.sit(visit, (name, seat))
                self._seated(game, seat, visit.address)
            return game

    async def _seat_for(self, name: str, join: Join, address: str, account: str) -> tuple[Referee, int | None]:
        """Return the game for a connection, and the seat to which its key belongs, if any.

        The key of a seat is checked first, so that no limit that others have reached applies to its player.

        Raises:
            RefusedError: there is no such game, or the address has reached a limit.
        """
        try:
            game = await self._find_for(name, join, account)
        except RefusedError:
            if join.code or join.key:
                self._check_tries(address)
            raise
        seat = game.table.seat_for(join.key, account)
        if seat is None:
            if (join.code or join.key) and not game.table.opens(join.code):
                self._check_tries(address)
            key = digest(join.key) if len(join.key) >= SHORTEST_KEY else ""
            if join.code and self.tables.refuses(address, key, at=name):
                raise RefusedError("quota")
        return game, seat

    async def _find_for(self, name: str, join: Join, account: str = "") -> Referee:
        """Return the game for a connection. Raises RefusedError if it is unknown, or adjourned and stays so."""
        try:
            game = await self.find(name, join.key, join.code, account=account)
        except RefusedError as error:
            if error.code != "adjourned":
                raise
            raise RefusedError("code" if join.code else "key" if join.key else error.code) from None
        if game is None:
            # A game that is only down is not gone, and neither is one of which nothing is known now.
            raise RefusedError("no-game" if await self.elsewhere(name) is None else "elsewhere")
        return game

    async def _answer(self, connection: Connection, game: Referee, visit: Visit) -> None:
        what = ""
        try:
            try:
                message = await connection.read()
            except ProtocolError as error:
                connection.count(self.limits)
                raise RefusedError("bad-message", str(error)) from None
            what = type_of(message)
            connection.count(self.limits)
            if isinstance(message, Say):
                # Not by connection, so that another one does not reset the count; what others say from the address of
                # a player is not counted for the player.
                seat = game.seat_of(connection)
                sender = f"{game.name} {visit.address if seat is None else seat}"
                if not self._chats.allows(sender):
                    connection.send(RefusedError("too-fast").message(what))
                    return
                self._chats.count(sender)
                if message.text.startswith(_REPORT) and self.store is not None:
                    await self._report(self.store, connection, game, visit, message.text)
                if any(self._moderated[id_].muted for id_ in visit.ids & self._moderated.keys()):
                    raise RefusedError("muted")
            if isinstance(message, Pong):
                connection.ponged(message.id)
            else:
                await self._uncut(game.name, game.handle(connection, message))
        except RefusedError as error:
            if error.code == "too-fast":
                raise RefusedError(error.code, what=what) from None
            connection.send(error.message(what))

    async def _report(self, store: Store, connection: Connection, game: Referee, visit: Visit, text: str) -> NoReturn:
        """Keep what a player tells the operator. Raises RefusedError in any case: nobody at the table is told."""
        text = text.removeprefix(_REPORT).strip()
        found = game.report(connection, text)
        if found is None:
            raise RefusedError("nobody")
        by = visit.address if visit.account is None else visit.account.id
        spend(self._reports, by, "full")
        name, account, chat = found
        # A guest can be kept out by nothing else.
        guests = {each.address for at, each in self._visits.items() if not each.ids and game.name_of(at) == name}
        chat = "\n".join((*(f"{name} @ {address}" for address in sorted(guests)), chat))
        report = Report(by, game.name_of(connection), account, name, game.name, text, chat, self.date())
        await available(partial(store.report, report))
        raise RefusedError("reported")

    async def _uncut(self, game: str, work: Coroutine[Any, Any, T]) -> T:
        """Run a change of a game to completion even if the connection is lost, since a move that was made must be told.

        Raises:
            RefusedError: what it asks for is refused, also by the disk, of which the operator is told.
        """
        try:
            return await asyncio.shield(self._begin(work))
        except OSError as error:
            failure = failure_of(error, table_file(self.folder / game))
            self.disks.notify(
                Message(
                    "game {game}: a request was refused: {file} cannot be written: {reason}",
                    game=game,
                    file=failure.file,
                    reason=failure.cause,
                )
            )
            raise RefusedError("unsaved") from error

    def _begin(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = begin_task(work, self._working)
        task.add_done_callback(_log_failure)
        return task


def _log_failure(task: asyncio.Task[Any]) -> None:
    if not task.cancelled() and (error := task.exception()) and not isinstance(error, RefusedError | OSError):
        log.error(error)


_LOOK: Final = 0.25
"""Seconds between looks at what waits for the disk."""


class DiskWatch:
    """Tells the operator of a server when a change has to wait for the disk, and when that is over.

    Args:
        games: of the server, by name.
    """

    def __init__(self, games: Mapping[str, Referee]) -> None:
        self._games = games
        self._turns: Final = LookTurns()
        self._reported: dict[str, tuple[float, SaveFailure | None]] = {}
        """The games of which the operator was told, with the time since which they wait, and why."""
        self.report: Callable[[Message], object] = lambda _message: None
        """Tells the operator, besides the log."""

    def notify(self, message: Message) -> None:
        log.warning("%s", message)
        self.report(message)

    async def run(self) -> None:
        while True:
            await asyncio.sleep(_LOOK)
            self.look()

    def look(self) -> None:
        for name, game in self._turns.some(self._games.items()):
            waited, failing = game.stored.waited, game.stored.failing
            told = self._reported.get(name)
            if waited >= SLOW and (told is None or told[1] != failing):
                self._reported[name] = monotonic() - waited, failing
                self.notify(_unsaved_message(name, waited, failing))
        for name, (since, _failing) in tuple(self._reported.items()):
            if name not in self._games or not self._games[name].stored.waited:
                del self._reported[name]
                seconds = int(monotonic() - since)
                self.notify(Message("game {game}: saved, after {seconds} s", game=name, seconds=seconds))

    @property
    def slowest(self) -> StoredTable | None:
        slow = (game.stored for game in self._games.values() if game.stored.waited >= SLOW)
        return max(slow, key=lambda stored: stored.waited, default=None)


def _unsaved_message(name: str, waited: float, failing: SaveFailure | None) -> Message:
    if failing is None:
        return Message(
            "game {game}: not saved yet: a change has been waiting for the disk for {seconds} s",
            game=name,
            seconds=int(waited),
        )
    return Message(
        "game {game}: not saved: {file} cannot be written: {reason}; saving is tried again",
        game=name,
        file=failing.file,
        reason=failing.cause,
    )


def _abort(request: web.Request) -> None:
    if request.transport is not None:
        request.transport.abort()


async def available(work: Callable[[], T]) -> T:
    """Return the result of a function that waits for the disk or the database. Raises RefusedError if they fail now."""
    try:
        return await on_disk(work)
    except OSError as error:
        raise RefusedError("unsaved") from error


def spend(rate: Rate, whose: str, code: RefusalCode) -> None:
    """Count an event of somebody. Raises RefusedError, with a code, if that is one too many."""
    if not rate.allows(whose):
        raise RefusedError(code, wait=rate.wait(whose))
    rate.count(whose)


def as_json(
    what: str, answer: Callable[[web.Request], Awaitable[object]]
) -> Callable[[web.Request], Awaitable[web.Response]]:
    """Return a handler that sends a value, or why the request for ``what`` is refused, as one JSON object."""

    async def handle(request: web.Request) -> web.Response:
        # Seats and accounts are for their owner, not for a proxy to keep.
        headers = {"Cache-Control": "no-store"}
        try:
            return web.json_response(body=codec.encode(await answer(request)), headers=headers)
        except codec.JsonError as error:
            raise web.HTTPBadRequest(text=f"{error}\n") from None
        except RefusedError as error:
            refused = encode(error.message(what))
            return web.json_response(text=refused, status=web.HTTPForbidden.status_code, headers=headers)

    return handle


def _opens(folder: Path, secrets: Sequence[str], account: str) -> bool:
    try:
        table = Table.load(folder)
    except (GameFileError, OSError):
        return False
    return table.seat_for("", account) is not None or any(
        table.seat_with(secret) is not None or table.opens(secret) for secret in secrets
    )


class Port:
    """Where a running server listens."""

    def __init__(self, runner: web.AppRunner) -> None:
        self._runner = runner

    async def listen(self, listening: socket) -> None:
        """Listen at a socket."""
        self._site, self._address = web.SockSite(self._runner, listening), listening.getsockname()[:2]
        await self._site.start()
        log.info("games are served at %s", listening.getsockname())

    async def move(self, host: str) -> None:
        """Listen at another address, on the same port; open connections stay.

        Raises:
            OSError: that is impossible, and the server listens where it did.
        """
        before, number = self._address
        # The port is free for all addresses only when none is taken.
        await self._site.stop()
        try:
            listening = listening_at(host, number)
        except OSError:
            await self.listen(listening_at(before, number))
            raise
        await self.listen(listening)


def listening_at(host: str, number: int) -> socket:
    """Return a socket that listens at an address; ``::`` is all addresses, those of IPv4 too where that is possible.

    Raises:
        OSError: the port is taken, or the address is not one of this computer.
    """
    if ":" not in host:
        return create_server((host, number))
    both = host == "::" and has_dualstack_ipv6()
    return create_server((host, number), family=AF_INET6, dualstack_ipv6=both)


@asynccontextmanager
async def serving(lobby: Lobby, listening: socket) -> AsyncIterator[Port]:
    """Serve the lobby at a listening socket while the block lasts."""
    app = web.Application(client_max_size=LONGEST_FROM_CLIENT, middlewares=[lobby.site.guard])
    lobby.add_to(app)
    idle = IdleConnections(app)
    runner = web.AppRunner(app, logger=REQUEST_LOG, access_log=None, handle_signals=False, shutdown_timeout=1.0)
    try:
        await runner.setup()
        async with idle.aborted(runner):
            port = Port(runner)
            await port.listen(listening)
            yield port
    finally:
        await runner.cleanup()
        await lobby.close()
