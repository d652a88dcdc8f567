"""What a lobby shows, as one document: its games, those of the servers that share it, and the bots that wait.

Each server has its own games, and shows those of all that are up. The rows are in their PostgreSQL database
(:mod:`~daoqi_tui.play.online.store`); what changed in them is said by NOTIFY, and only that: what comes over the
channel is no more than a reason to look, so that nobody can forge anything there. Games never wait for it.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from threading import Event
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

from msgspec import Meta

from daoqi_tui import codec, log
from daoqi_tui.engine import LARGEST, SMALLEST, parse_rules, torus_of
from daoqi_tui.engine.clock import parse_clock
from daoqi_tui.engine.game import most_handicap
from daoqi_tui.message import Message
from daoqi_tui.play.background import on_disk
from daoqi_tui.play.online.accounts import Endpoint
from daoqi_tui.play.online.protocol import Name, Phase, cleaned
from daoqi_tui.play.online.table import Chooser, Terms
from daoqi_tui.typed import STRONGEST, WEAKEST

if TYPE_CHECKING:
    from daoqi_tui.play.online.store import Store


MOST_LISTED: Final = 2000
"""The most games in a listing, which is a message of limited length."""

_Game: TypeAlias = Annotated[str, Meta(pattern="^[a-z2-7]{1,40}$")]
_Size: TypeAlias = Annotated[int, Meta(ge=SMALLEST, le=LARGEST)]
_Level: TypeAlias = Annotated[float, Meta(ge=WEAKEST, le=STRONGEST)]


@dataclass(frozen=True, slots=True)
class ListedGame:
    """A game of a lobby.

    Attributes:
        game: its id.
        black, white: the names of the players, empty while there is none.
        moves: their number.
        watch: whether others may watch.
        code: that of the invitation if anybody may sit down, else empty.
        rated: whether it counts for ratings.
        days: for each move of a correspondence game, 0 for any other.
        server: the URL of the server that has it, empty for the one that lists it.
    """

    game: _Game
    black: Name
    white: Name
    size: _Size
    moves: Annotated[int, Meta(ge=0)]
    phase: Phase
    watch: bool
    code: Annotated[str, Meta(pattern="^[a-z2-7]{0,100}$")] = ""
    rated: bool = False
    days: Annotated[int, Meta(ge=0, le=366)] = 0
    server: Annotated[str, Meta(pattern=r"^(https?://[^\s/?#@]+(/[^\s?#@]*)?)?$", max_length=300)] = ""


@dataclass(frozen=True, slots=True)
class NewGame:
    """Asks for a new game of one's own.

    Attributes:
        name: of the host.
        size, komi, handicap, rules, black, undo, watch, rated: as of the terms of a table.
        clock: as it is typed, empty for none.
        anyone: whether anybody may sit down.
    """

    name: Name = ""
    size: _Size = 16
    komi: Annotated[float, Meta(ge=-1000, le=1000)] = 4.0
    handicap: Annotated[int, Meta(ge=0, le=9)] = 0
    rules: Annotated[str, Meta(max_length=200)] = "daoqi"
    clock: Annotated[str, Meta(max_length=20)] = ""
    black: Chooser = "nigiri"
    undo: bool = True
    watch: bool = True
    anyone: bool = True
    rated: bool = False

    def terms(self) -> Terms:
        """Return the terms of the table.

        Raises:
            ValueError: they are impossible; the message says why.
        """
        most = most_handicap(torus_of(self.size))
        if self.handicap == 1 or self.handicap > most:
            raise ValueError(Message("a handicap has 2 to {most} stones on this board", most=most))
        return Terms(
            self.size,
            self.komi,
            self.handicap,
            str(parse_rules(self.rules)),
            parse_clock(self.clock) if self.clock else None,
            self.black,
            undo=self.undo and not self.rated,
            watch=self.watch,
            open=self.anyone,
            rated=self.rated,
        )


@dataclass(frozen=True, slots=True)
class Opened:
    """The answer to a new game or a challenge.

    Attributes:
        game: its id.
        key: of the seat of whoever asked.
        code: for the other seat, empty where a bot has it.
    """

    game: _Game
    key: Annotated[str, Meta(max_length=100)]
    code: Annotated[str, Meta(max_length=100)] = ""


@dataclass(frozen=True, slots=True)
class Bots:
    """The bots of a lobby: one for each level and size."""

    levels: Annotated[tuple[_Level, ...], Meta(min_length=1, max_length=100)]
    sizes: Annotated[tuple[_Size, ...], Meta(min_length=1, max_length=30)]


@dataclass(frozen=True, slots=True)
class Listing:
    """What a lobby shows.

    Attributes:
        games: those that may be joined or watched, the newest first.
        bots: None where there are none.
        accounts: whether players can have accounts.
        cut_off: whether the games of other servers of the lobby are missing, since its database is away.
    """

    games: Annotated[tuple[ListedGame, ...], Meta(max_length=MOST_LISTED)] = ()
    bots: Bots | None = None
    accounts: bool = False
    cut_off: bool = False

    def without(self, known: Container[str]) -> tuple[list[ListedGame], list[ListedGame]]:
        """Return the games with a free seat, and those to watch, but none that the visitor knows by its id.

        A game in which a seat is free has nothing to be watched yet.
        """
        others = [game for game in self.games if game.game not in known]
        return [game for game in others if game.code], [game for game in others if game.watch and not game.code]


@dataclass(frozen=True, slots=True)
class Challenge:
    """Asks a bot for a game.

    Attributes:
        level, size: of the bot, as listed.
        name: of the challenger.
        black: who plays Black; the bot is the host.
    """

    level: _Level
    size: _Size
    name: Name = ""
    black: Chooser = "nigiri"


LOBBY: Final = Endpoint("/games", Listing)
NEW_GAME: Final = Endpoint("/games", Opened)
CHALLENGE: Final = Endpoint("/bots", Opened)

_STEP: Final = 0.5
"""The seconds between looks at the own tables, and the least between looks at those of others."""
_SEEN: Final = 2.0
"""The seconds between signs that this server is up, and looks at who else is."""
_AGAIN: Final = 2.0
"""The seconds after which a database that failed is tried again."""


class Directory:
    """Announces the tables of a server to the others, and lists theirs.

    Args:
        store: of all servers.
        address: the URL of this one, under which visitors reach it.
        tables: returns what is listed of each of its tables, by the id of its game; None for one that is not listed.

    Attributes:
        others: the listed games of the other servers that are up.
        cut_off: whether the database is away, so that no other server is seen.
    """

    def __init__(self, store: Store, address: str, tables: Callable[[], Mapping[str, ListedGame | None]]) -> None:
        self.others: tuple[ListedGame, ...] = ()
        self.cut_off = False
        self._store = store
        self._address = address
        self._tables = tables
        self._id: Final = secrets.token_hex(8)
        self._announced: dict[str, ListedGame | None] | None = None
        """The own tables as they are stored; None while that is not known."""
        self._stored: set[str] = set()
        """The games of which anything may be stored, also by what failed."""

    async def run(self) -> None:
        """Announce and list, until it is cancelled."""
        try:
            while True:
                try:
                    await self._take_part()
                except OSError as error:
                    if not self.cut_off:
                        log.info("the directory of servers: %s", error)
                    self.others, self.cut_off, self._announced = (), True, None
                await asyncio.sleep(_AGAIN)
        finally:
            if self._announced is not None:
                with suppress(OSError):
                    await on_disk(partial(self._store.withdraw, self._id))

    async def _take_part(self) -> None:
        """Announce and list as long as the database can be used. Raises OSError when it cannot."""
        changed, ended = asyncio.Event(), Event()
        loop = asyncio.get_running_loop()
        wake = partial(loop.call_soon_threadsafe, changed.set)
        listening = loop.create_task(on_disk(partial(self._listen, wake, ended)))
        try:
            seen_after = loop.time()
            while not listening.done():
                is_time = loop.time() >= seen_after
                await self._announce(is_sign=is_time)
                if is_time or changed.is_set():
                    changed.clear()
                    seen_after = loop.time() + _SEEN
                    found = await on_disk(partial(self._store.listed_elsewhere, self._id))
                    self.others, self.cut_off = tuple(self._read(found))[:MOST_LISTED], False
                await asyncio.sleep(_STEP)
            await listening
        finally:
            ended.set()
            listening.cancel()
            with suppress(asyncio.CancelledError, OSError):
                await listening

    def _listen(self, wake: Callable[[], object], ended: Event) -> None:
        for payload in self._store.changes(_STEP):
            if ended.is_set():
                return
            if payload and payload != self._id:
                wake()

    async def _announce(self, *, is_sign: bool) -> None:
        """Store what is new of the own tables, and with a sign in any case that this server is up."""
        tables = dict(self._tables())
        before = self._announced or {}
        # Only what is new is written as JSON, twice a second and with thousands of tables.
        new = {
            name: "" if game is None else codec.encode(replace(game, server=self._address)).decode()
            for name, game in tables.items()
            if name not in before or before[name] != game
        }
        gone = self._stored - tables.keys()
        if new or gone or is_sign:
            self._stored |= new.keys()
            await on_disk(partial(self._store.announce, self._id, self._address, new, gone))
            self._announced = tables
            self._stored -= gone

    def _read(self, rows: Iterable[str]) -> Iterator[ListedGame]:
        """Yield the games of rows, without those that this version cannot read."""
        for listed in rows:
            with suppress(codec.JsonError):
                game = cleaned(codec.decode(listed, ListedGame))
                # Behind a proxy all have one address.
                yield replace(game, server="") if game.server == self._address else game

    async def where(self, game: str) -> str | None:
        """Return the URL of the other server that has a game, empty if that cannot be reached now, None for none."""
        if self.cut_off:
            return ""
        try:
            found = await on_disk(partial(self._store.server_of, game, self._id))
        except OSError:
            return ""
        return "" if found == self._address else found
