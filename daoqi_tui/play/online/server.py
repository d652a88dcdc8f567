"""The server: a lobby of several games, each with its own referee, on aiohttp.

``/game/ID`` is the WebSocket of a game, ``/games`` a list of the games that may be watched, as JSON. A client is not
trusted: what it sends is limited in size, rate and time, and one that is slow or hostile is closed without the others
noticing. It can start no program and name no file.
"""

from __future__ import annotations

import asyncio
import ipaddress
import math
import secrets
import shutil
import time
from base64 import b32encode
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from socket import SO_SNDBUF, SOL_SOCKET, socket
from time import monotonic
from typing import Any, Final
from urllib.parse import urlsplit

from aiohttp import WSCloseCode, WSMsgType, web

from daoqi_tui import crash, log
from daoqi_tui.message import Message
from daoqi_tui.play.online.protocol import (
    FROM_CLIENT,
    LONGEST_FROM_CLIENT,
    ClientMessage,
    Join,
    Ping,
    Pong,
    ProtocolError,
    Refused,
    Say,
    ServerMessage,
    decode,
    encode,
    type_of,
)
from daoqi_tui.play.online.referee import Referee, RefusedError
from daoqi_tui.play.online.table import GameFileError, Terms
from daoqi_tui.record.lock import InUse

_TICK: Final = 0.25
"""Seconds between two looks at the clocks."""
_PING: Final = 5.0
"""Seconds between two measurements of the lag."""
_HEARTBEAT: Final = 20.0
"""Seconds between two pings that find connections that are dead."""
_GREETING: Final = 10.0
"""Seconds within which the first message has to come."""
_FAREWELL: Final = 2.0
_QUEUE: Final = 64
"""Messages that wait for a slow client before it is closed; it may come back and catch up."""
_BUFFER: Final = 1 << 16
"""Bytes on their way to one client."""
_MINUTE: Final = 60.0
_REMEMBERED: Final = 10_000
"""Addresses whose wrong codes are remembered."""
_KEPT: Final = 7 * 86_400
"""Seconds for which a table is kept where no game is on: for its guest to come, or for a rematch."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What the server bears.

    Attributes:
        games: tables.
        spectators: of one game.
        connections: all together.
        per_address: connections from one address.
        tries: wrong codes and keys from one address in a minute.
        opened: games opened from one address in a minute.
        unattended: seconds after which a game that waits for its guest, or is over, is removed if nobody is there.
        burst: messages of one connection at once.
        rate: messages a second of one connection in the long run.
        chat: chat lines of one connection in ten seconds.
    """

    games: int = 200
    spectators: int = 50
    connections: int = 1000
    per_address: int = 100
    tries: int = 10
    opened: int = 5
    unattended: float = math.inf
    burst: int = 40
    rate: float = 10.0
    chat: int = 10


class Lobby:
    """The games of a server.

    Args:
        folder: where their journals are; each has a folder of its own in it.
        library: where finished games go.
        limits: what the server bears.
        now: the time by which clocks and limits go, in seconds of a steady clock.
        address_of: returns the address that a request counts for.
        prefix: what the ids of its games begin with, by which a proxy finds this server among several.

    Attributes:
        problems: a sentence for each game that could not be taken up again.
        codes: for each game that anyone may sit down at the code of the free seat.
    """

    def __init__(
        self,
        folder: Path,
        library: Path,
        limits: Limits | None = None,
        now: Callable[[], float] = monotonic,
        *,
        address_of: Callable[[web.Request], str] = lambda request: _network_of(request.remote or ""),
        prefix: str = "",
    ) -> None:
        self._prefix = prefix
        self.codes: Final[dict[str, str]] = {}
        self._address_of = address_of
        self.limits: Final = limits or Limits()
        self.games: Final[dict[str, Referee]] = {}
        self.problems: list[Message] = []
        self._folder = folder
        self._library = library
        self._now = now
        self._connections: dict[str, int] = {}
        self._open: set[Connection] = set()
        self._working: set[asyncio.Task[None]] = set()
        self._tries = Rate(self.limits.tries, now)
        self._opened = Rate(self.limits.opened, now)
        self._left: dict[str, float] = {}
        """Since when nobody is at a game that might be removed."""

    # Games

    def load(self) -> None:
        """Take all games up again, as after a crash; waits for the disk. Needs a running event loop."""
        with suppress(FileNotFoundError):
            for folder in sorted(self._folder.iterdir()):
                if folder.is_dir() and folder.name not in self.games:
                    try:
                        game = Referee.load(folder.name, folder, library=self._library, now=self._now)
                    except InUse:
                        # Another process serves it.
                        continue
                    except GameFileError as error:
                        self.problems.append(Message("{file}: {reason}", file=folder.name, reason=error))
                        continue
                    if game.phase in ("waiting", "over") and time.time() - folder.stat().st_mtime > _KEPT:
                        game.discard()
                        shutil.rmtree(folder, ignore_errors=True)
                        continue
                    self.games[folder.name] = game
                    if game.terms.open and game.phase == "waiting":
                        self.codes[folder.name] = game.invite_anew()

    def host(self, terms: Terms, name: str, address: str = "") -> tuple[Referee, str, str]:
        """Lay a table.

        Args:
            terms: of the game.
            name: of the host.
            address: from which it is opened, empty on this computer.

        Returns:
            The game, the key of the host's seat, and the code for the guest.

        Raises:
            RefusedError: there are too many.
            ValueError: the terms are impossible.
            OSError: it cannot be written.
        """
        if len(self.games) >= self.limits.games or (address and not self._opened.allows(address)):
            raise RefusedError("full")
        if address:
            self._opened.count(address)
        game = self._prefix + b32encode(secrets.token_bytes(5)).decode().lower()
        opened = Referee.open(game, self._folder / game, terms, name, library=self._library, now=self._now)
        self.games[game] = opened[0]
        if terms.open:
            self.codes[game] = opened[2]
        return opened

    async def claim(self, name: str, code: str, player: str, address: str) -> str:
        """Take the free seat of a game with its code; returns the key of the seat.

        Raises:
            RefusedError: the code is wrong, or too many were tried from this address.
        """
        game = self.games.get(name)
        if not self._tries.allows(address):
            raise RefusedError("too-many-tries")
        try:
            if game is None:
                raise RefusedError("no-game")
            return await game.claim(code, player)
        except RefusedError:
            self._tries.count(address)
            raise

    async def close(self) -> None:
        """Leave all games, to be taken up later."""
        for game in self.games.values():
            await game.close()
        self.games.clear()

    # Serving

    def app(self) -> web.Application:
        """Return the application."""
        app = web.Application(client_max_size=LONGEST_FROM_CLIENT)
        self.add_to(app)
        return app

    def add_to(self, app: web.Application) -> None:
        """Serve the games as a part of an application."""
        app.router.add_get("/game/{game}", self._connect)
        app.router.add_get("/games", self._list)
        app.cleanup_ctx.append(self._ticking)
        app.on_shutdown.append(self._end_all)

    async def _end_all(self, _app: web.Application) -> None:
        for connection in tuple(self._open):
            connection.end()

    async def _ticking(self, _app: web.Application) -> AsyncIterator[None]:
        task = asyncio.create_task(self._tick())
        yield
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    async def _tick(self) -> None:
        failed: set[str] = set()
        while True:
            await asyncio.sleep(_TICK)
            for name, game in tuple(self.games.items()):
                try:
                    await game.tick()
                except Exception as error:  # One game must not stop the clocks of the others.
                    if name not in failed:
                        # What fails now may fail at every tick.
                        failed.add(name)
                        crash.report(error)
            await self._remove_unattended()

    async def _remove_unattended(self) -> None:
        """Remove games that wait for a guest, or are over, where nobody has been for long."""
        now = self._now()
        for name, game in tuple(self.games.items()):
            if game.listeners or game.phase not in ("waiting", "over"):
                self._left.pop(name, None)
            elif now - self._left.setdefault(name, now) > self.limits.unattended:
                del self.games[name], self._left[name]
                self.codes.pop(name, None)
                await asyncio.to_thread(game.discard)
                await asyncio.to_thread(shutil.rmtree, self._folder / name, ignore_errors=True)

    async def _list(self, _request: web.Request) -> web.Response:
        return web.json_response(self.listed())

    def listed(self) -> list[dict[str, object]]:
        """Return the games that anyone may watch or play, the newest first, each with the code of a free seat."""
        found = []
        for name, game in reversed(self.games.items()):
            code = self.codes.get(name, "") if game.phase == "waiting" else ""
            if code or game.terms.watch:
                found.append({**game.summary(), "code": code})
        return found

    async def _connect(self, request: web.Request) -> web.StreamResponse:
        origin = request.headers.get("Origin")
        if origin is not None and urlsplit(origin).netloc != request.host:
            # A page that a person has open somewhere else must not play.
            raise web.HTTPForbidden(text="this page may not connect to the game\n")
        address = self._address_of(request)
        if (
            sum(self._connections.values()) >= self.limits.connections
            or self._connections.get(address, 0) >= self.limits.per_address
        ):
            raise web.HTTPServiceUnavailable(text="the server has no room for more connections; try again later\n")
        response = web.WebSocketResponse(
            max_msg_size=LONGEST_FROM_CLIENT, heartbeat=_HEARTBEAT, compress=False, timeout=_FAREWELL
        )
        self._connections[address] = self._connections.get(address, 0) + 1
        try:
            await response.prepare(request)
            _limit_buffer(request)
            taken = await self._serve(response, request.match_info["game"], address)
            if not taken and request.transport is not None:
                request.transport.abort()
        finally:
            self._connections[address] -= 1
            if not self._connections[address]:
                del self._connections[address]
        return response

    async def _serve(self, response: web.WebSocketResponse, name: str, address: str) -> bool:
        """Serve a connection to its end; returns whether its client took what was sent."""
        connection = Connection(response, self._now)
        self._open.add(connection)
        writer = asyncio.create_task(connection.write())
        reader = asyncio.create_task(self._read(connection, name, address))
        over = asyncio.create_task(connection.over.wait())
        try:
            await asyncio.wait((reader, writer, over), return_when=asyncio.FIRST_COMPLETED)
            connection.end()
            done, _late = await asyncio.wait((writer,), timeout=_FAREWELL)
            return bool(done)
        finally:
            self._open.discard(connection)
            for task in (writer, reader, over):
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task

    async def _read(self, connection: Connection, name: str, address: str) -> None:
        """Answer what comes, until the connection ends."""
        game = self.games.get(name)
        try:
            game = await self._enter(connection, game, address)
            connection.ping()
            while True:
                await self._answer(connection, game)
        except _GoneError:
            pass
        except _ClosedError as closed:
            connection.drop(closed.refusal)
        except Exception as error:  # One game must not end the others.
            crash.report(error)
            connection.drop(Refused("", "bad-message", "the server failed at this message", fatal=True))
        finally:
            if game is not None:
                await game.leave(connection)

    async def _enter(self, connection: Connection, game: Referee | None, address: str) -> Referee:
        try:
            async with asyncio.timeout(_GREETING):
                message = await connection.read()
        except TimeoutError:
            raise _ClosedError(Refused("", "bad-message", "the first message did not come", fatal=True)) from None
        except ProtocolError as error:
            raise _ClosedError(Refused("", "bad-message", str(error)[:400], fatal=True)) from None
        if not isinstance(message, Join):
            text = "the first message has to be of type join"
            raise _ClosedError(Refused(type_of(message), "bad-message", text, fatal=True))
        secret = bool(message.code or message.key)
        try:
            if secret and not self._tries.allows(address):
                raise RefusedError("too-many-tries")
            if game is None:
                raise RefusedError("no-game")
            if not secret and game.listeners - 2 >= self.limits.spectators:
                raise RefusedError("full")
            await self._uncut(game.enter(connection, message))
        except RefusedError as error:
            if secret and error.code in ("code", "key", "no-game"):
                self._tries.count(address)
            raise _ClosedError(error.message("join", fatal=True)) from None
        if message.peek:
            raise _GoneError
        return game

    async def _answer(self, connection: Connection, game: Referee) -> None:
        """Wait for a message and do what it says."""
        what = ""
        try:
            message = await connection.read()
            what = type_of(message)
            connection.count(self.limits, chat=isinstance(message, Say))
            if isinstance(message, Pong):
                connection.ponged(message.id)
            else:
                await self._uncut(game.handle(connection, message))
        except ProtocolError as error:
            connection.count(self.limits)
            connection.send(Refused(what, "bad-message", str(error)[:400]))
        except RefusedError as error:
            if error.code == "too-fast":
                raise _ClosedError(error.message(what, fatal=True)) from None
            connection.send(error.message(what))

    async def _uncut(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something to its end, even where the connection is lost in the middle: a move made has to be told."""
        task = asyncio.get_running_loop().create_task(work)
        self._working.add(task)
        task.add_done_callback(self._done)
        await asyncio.shield(task)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._working.discard(task)
        if not task.cancelled() and (error := task.exception()) and not isinstance(error, RefusedError):
            log.error(error)


class Rate:
    """Counts what comes from each address, of which so many a minute are allowed."""

    def __init__(self, limit: int, now: Callable[[], float]) -> None:
        self._limit = limit
        self._now = now
        self._counted: OrderedDict[str, deque[float]] = OrderedDict()

    def allows(self, address: str) -> bool:
        """Return whether an address may have another."""
        counted = self._counted.get(address)
        while counted and self._now() - counted[0] > _MINUTE:
            counted.popleft()
        return counted is None or len(counted) < self._limit

    def count(self, address: str) -> None:
        """Count one."""
        self._counted.setdefault(address, deque()).append(self._now())
        self._counted.move_to_end(address)
        while len(self._counted) > _REMEMBERED:
            self._counted.popitem(last=False)


class _GoneError(Exception):
    """The client closed the connection."""


class _ClosedError(Exception):
    """The server closes the connection."""

    def __init__(self, refusal: Refused) -> None:
        super().__init__(refusal)
        self.refusal: Final = refusal


class Connection:
    """A WebSocket with a queue of what is to be sent; the lag is the least of the last measurements.

    Attributes:
        lag: seconds from a ping to its pong.
        over: set when the connection is to be closed.
    """

    def __init__(self, response: web.WebSocketResponse, now: Callable[[], float]) -> None:
        self.lag = 0.0
        self._socket = response
        self._now = now
        self._queue: deque[str] = deque()
        self._changed = asyncio.Event()
        self.over = asyncio.Event()
        self._lags: deque[float] = deque(maxlen=4)
        self._pinged: tuple[int, float] | None = None
        self._pings = 0
        self._tokens: float | None = None
        self._counted = now()
        self._chats: deque[float] = deque()

    # Receiving

    async def read(self) -> ClientMessage:
        """Return the next message.

        Raises:
            ProtocolError: it is none.
            _GoneError: the connection is closed, or will be.
        """
        received = await self._socket.receive()
        if self.over.is_set():
            raise _GoneError
        if received.type is WSMsgType.TEXT:
            return decode(received.data, FROM_CLIENT)
        if received.type is WSMsgType.BINARY:
            raise ProtocolError("messages are text, not binary")
        raise _GoneError

    def count(self, limits: Limits, *, chat: bool = False) -> None:
        """Count a message. Raises RefusedError where there are too many."""
        now = self._now()
        tokens = limits.burst if self._tokens is None else self._tokens + (now - self._counted) * limits.rate
        self._tokens, self._counted = min(limits.burst, tokens) - 1, now
        if self._tokens < 0:
            raise RefusedError("too-fast")
        if chat:
            while self._chats and now - self._chats[0] > 10:
                self._chats.popleft()
            if len(self._chats) >= limits.chat:
                raise RefusedError("too-fast")
            self._chats.append(now)

    def ponged(self, number: int) -> None:
        """Measure the lag by the answer to a ping."""
        if self._pinged is not None and self._pinged[0] == number:
            first = not self._lags
            self._lags.append(self._now() - self._pinged[1])
            self.lag = min(self._lags)
            self._pinged = None
            if first:
                # So that the client knows the lag as well.
                self.ping()

    # Sending

    def send(self, message: ServerMessage) -> None:
        """Queue a message; a client that does not take them is closed."""
        if self.over.is_set():
            return
        if len(self._queue) >= _QUEUE:
            self._queue.clear()
            self.drop(RefusedError("too-slow").message("", fatal=True))
            return
        self._queue.append(encode(message))
        self._changed.set()

    def drop(self, refusal: Refused) -> None:
        """Send the refusal and close."""
        if not self.over.is_set():
            self._queue.append(encode(refusal))
            self.end()

    def end(self) -> None:
        """Close after what is queued was sent."""
        self.over.set()
        self._changed.set()

    async def write(self) -> None:
        """Send what is queued, until the end."""
        try:
            await self._write()
        except ConnectionError:
            self.over.set()
        finally:
            with suppress(ConnectionError, TimeoutError):
                async with asyncio.timeout(_FAREWELL):
                    await self._socket.close(code=WSCloseCode.OK)

    async def _write(self) -> None:
        while True:
            while self._queue:
                text = self._queue.popleft()
                await self._socket.send_str(text)
            if self.over.is_set():
                return
            self._changed.clear()
            try:
                async with asyncio.timeout(_PING):
                    await self._changed.wait()
            except TimeoutError:
                self.ping()

    def ping(self) -> None:
        """Measure the lag, and tell the client what it was."""
        self._pings += 1
        self._pinged = self._pings, self._now()
        self.send(Ping(self._pings, round(self.lag, 4)))


def _network_of(address: str) -> str:
    """Return what counts as one address: a whole /64 of IPv6."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv6Address):
        mapped = found.ipv4_mapped
        return str(mapped) if mapped else str(ipaddress.ip_network((found, 64), strict=False))
    return str(found)


def _limit_buffer(request: web.Request) -> None:
    """Have the system hold little of what a slow client does not take; it would hold megabytes for each."""
    wire = request.transport.get_extra_info("socket") if request.transport is not None else None
    if wire is not None:
        with suppress(OSError):
            wire.setsockopt(SOL_SOCKET, SO_SNDBUF, _BUFFER)


@asynccontextmanager
async def serving(lobby: Lobby, listening: socket) -> AsyncIterator[None]:
    """Serve the lobby at a socket that listens, while the block lasts."""
    runner = web.AppRunner(lobby.app(), access_log=None, handle_signals=False, shutdown_timeout=1.0)
    try:
        await runner.setup()
        await web.SockSite(runner, listening).start()
        log.info("games are served at %s", listening.getsockname())
        yield
    finally:
        await runner.cleanup()
        await lobby.close()
