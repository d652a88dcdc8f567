"""The directory of several servers that share a lobby: each has its own games, and shows those of all that are up.

The rows are in their PostgreSQL database (:mod:`~daoqi_tui.play.online.store`); what changed in them is said by NOTIFY,
and only that: what comes over the channel is no more than a reason to look, so that nobody can forge anything there.
The games of a server never wait for the directory.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from threading import Event
from typing import TYPE_CHECKING, Final

from daoqi_tui import codec, log
from daoqi_tui.play.background import on_disk
from daoqi_tui.play.online.listing import MOST_LISTED, ListedGame
from daoqi_tui.play.online.protocol import cleaned

if TYPE_CHECKING:
    from daoqi_tui.play.online.store import Store

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
