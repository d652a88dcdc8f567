"""The server: a lobby of several games, each with its own referee, on aiohttp.

``/game/ID`` is the WebSocket of a game, ``/games`` a list of the games that may be watched, as JSON. A client is not
trusted: its input is limited in size, rate and time, and a slow or hostile one is closed without affecting the others.
It cannot start programs or name files.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from base64 import b32encode
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from socket import socket
from time import monotonic
from typing import Any, Final

from aiohttp import web

from daoqi_tui import crash, log
from daoqi_tui.message import Message
from daoqi_tui.play.online.addresses import Site
from daoqi_tui.play.online.connection import FAREWELL, Connection, GoneError, limit_buffer
from daoqi_tui.play.online.connections import REQUEST_LOG, IdleConnections
from daoqi_tui.play.online.limits import Limits, Rate
from daoqi_tui.play.online.protocol import (
    LONGEST_FROM_CLIENT,
    Join,
    Pong,
    ProtocolError,
    Refused,
    Say,
    type_of,
)
from daoqi_tui.play.online.referee import Referee, RefusedError
from daoqi_tui.play.online.table import GameFileError, Terms
from daoqi_tui.record.lock import InUse

_TICK: Final = 0.25
"""Seconds between checks of the clocks."""
_HEARTBEAT: Final = 20.0
"""Seconds between pings that detect dead connections."""
_GREETING: Final = 10.0
"""The timeout in seconds for the first message."""
_CHATTING: Final = 10.0
"""The period in seconds for the limit on chat lines from one address."""
_KEPT: Final = 7 * 86_400
"""Seconds for which a table without a running game is kept, for its guest or a rematch."""


class Lobby:
    """The games of a server.

    Args:
        folder: for their journals; each has its own subfolder.
        library: for finished games.
        limits: of the server.
        now: returns the time for clocks and limits, in seconds of a monotonic clock.
        site: the names of the server, and its proxies.
        prefix: what the ids of its games begin with, by which a proxy finds this server among several.

    Attributes:
        problems: a sentence for each game that could not be taken up again.
    """

    def __init__(
        self,
        folder: Path,
        library: Path,
        limits: Limits | None = None,
        now: Callable[[], float] = monotonic,
        *,
        site: Site | None = None,
        prefix: str = "",
    ) -> None:
        self._prefix = prefix
        self._site = site or Site()
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
        self._chats = Rate(self.limits.chat, now, _CHATTING)
        self._left: dict[str, float] = {}
        """The times since which nobody is present at games that might be removed."""

    # Games

    def load(self) -> None:
        """Load all games, as after a crash; waits for the disk. Needs a running event loop."""
        with suppress(FileNotFoundError):
            for folder in sorted(self._folder.iterdir()):
                # An empty one is of a game that could not be opened, for example on a full disk.
                if folder.is_dir() and any(folder.iterdir()) and folder.name not in self.games:
                    try:
                        game = Referee.load(folder.name, folder, library=self._library, now=self._now)
                    except InUse:
                        # Another process serves it.
                        continue
                    except GameFileError as error:
                        self.problems.append(Message("{file}: {reason}", file=folder.name, reason=error))
                        continue
                    if game.unattended and time.time() - folder.stat().st_mtime > _KEPT:
                        game.remove()
                        continue
                    self.games[folder.name] = game

    def host(self, terms: Terms, name: str, address: str = "") -> tuple[Referee, str, str]:
        """Create a table.

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
        if len(self.games) >= self.limits.games or (address and not self._opened.allows(address)):
            raise RefusedError("full")
        if address:
            self._opened.count(address)
        game = self._prefix + b32encode(secrets.token_bytes(5)).decode().lower()
        opened = Referee.open(game, self._folder / game, terms, name, library=self._library, now=self._now)
        self.games[game] = opened[0]
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
        """Close all games, to be loaded later."""
        # All at once, since each may wait a while for a blocked disk.
        await asyncio.gather(*(game.close() for game in self.games.values()))
        self.games.clear()

    # Serving

    def app(self) -> web.Application:
        """Return the application."""
        app = web.Application(client_max_size=LONGEST_FROM_CLIENT, middlewares=[self._site.guard])
        self.add_to(app)
        return app

    def add_to(self, app: web.Application) -> None:
        """Serve the games as a part of an application, which checks Host and Origin."""
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
                        # An error now may recur at every tick.
                        failed.add(name)
                        crash.report(error)
            await self._remove_unattended()

    async def _remove_unattended(self) -> None:
        """Remove games that wait for a guest, or are over, where nobody has been for long."""
        now = self._now()
        for name, game in tuple(self.games.items()):
            if not game.unattended:
                self._left.pop(name, None)
            elif now - self._left.setdefault(name, now) > self.limits.unattended and await game.discard():
                del self.games[name], self._left[name]

    async def _list(self, _request: web.Request) -> web.Response:
        return web.json_response(self.listed())

    def listed(self) -> list[dict[str, object]]:
        """Return the games that anyone may watch or play, the newest first, each with the code of a free seat."""
        return [
            {**game.summary(), "code": game.open_code}
            for game in reversed(self.games.values())
            if game.open_code or game.terms.watch
        ]

    async def _connect(self, request: web.Request) -> web.StreamResponse:
        address = self._site.visitor(request)
        if (
            sum(self._connections.values()) >= self.limits.connections
            or self._connections.get(address, 0) >= self.limits.per_address
        ):
            raise web.HTTPServiceUnavailable(text="the server has no room for more connections; try again later\n")
        response = web.WebSocketResponse(
            max_msg_size=LONGEST_FROM_CLIENT, heartbeat=_HEARTBEAT, compress=False, timeout=FAREWELL
        )
        self._connections[address] = self._connections.get(address, 0) + 1
        try:
            await response.prepare(request)
            limit_buffer(request)
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
            done, _late = await asyncio.wait((writer,), timeout=FAREWELL)
            return bool(done)
        finally:
            self._open.discard(connection)
            for task in (writer, reader, over):
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task

    async def _read(self, connection: Connection, name: str, address: str) -> None:
        """Answer what comes, until the connection ends."""
        game: Referee | None = None
        try:
            join = await self._greeting(connection)
            # Only now, since the table may have been removed meanwhile.
            game = self.games.get(name)
            entered = await self._enter(connection, game, join, address)
            connection.ping()
            while True:
                await self._answer(connection, entered, address)
        except GoneError:
            pass
        except _ClosedError as closed:
            connection.drop(closed.refusal)
        except Exception as error:  # One game must not end the others.
            crash.report(error)
            connection.drop(Refused("", "bad-message", "the server failed at this message", fatal=True))
        finally:
            if game is not None:
                # If cancelled while waiting for the table, the connection would stay there forever.
                await self._uncut(game.leave(connection))

    async def _greeting(self, connection: Connection) -> Join:
        """Return the first message. Raises _ClosedError where it does not come, or is another."""
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
        return message

    async def _enter(self, connection: Connection, game: Referee | None, join: Join, address: str) -> Referee:
        """Admit a connection. Raises _ClosedError if it is not admitted, GoneError if it does not stay."""
        secret = bool(join.code or join.key)
        try:
            if secret and not self._tries.allows(address):
                raise RefusedError("too-many-tries")
            if game is None:
                raise RefusedError("no-game")
            if not secret and game.spectators >= self.limits.spectators:
                raise RefusedError("full")
            await self._uncut(game.enter(connection, join))
        except RefusedError as error:
            if secret and error.code in ("code", "key", "no-game"):
                self._tries.count(address)
            raise _ClosedError(error.message("join", fatal=True)) from None
        if join.peek:
            raise GoneError
        return game

    async def _answer(self, connection: Connection, game: Referee, address: str) -> None:
        """Wait for a message and handle it."""
        what = ""
        try:
            try:
                message = await connection.read()
            except ProtocolError as error:
                connection.count(self.limits)
                connection.send(Refused("", "bad-message", str(error)[:400]))
                return
            what = type_of(message)
            connection.count(self.limits)
            if isinstance(message, Say):
                # By address, so that reconnecting does not reset the count. Others at the address stay connected.
                sender = f"{address} {game.name}"
                if not self._chats.allows(sender):
                    connection.send(RefusedError("too-fast").message(what))
                    return
                self._chats.count(sender)
            if isinstance(message, Pong):
                connection.ponged(message.id)
            else:
                await self._uncut(game.handle(connection, message))
        except RefusedError as error:
            if error.code == "too-fast":
                raise _ClosedError(error.message(what, fatal=True)) from None
            connection.send(error.message(what))

    async def _uncut(self, work: Coroutine[Any, Any, None]) -> None:
        """Run to completion even if the connection is lost, since a move that was made must be announced."""
        task = asyncio.get_running_loop().create_task(work)
        self._working.add(task)
        task.add_done_callback(self._done)
        await asyncio.shield(task)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._working.discard(task)
        if not task.cancelled() and (error := task.exception()) and not isinstance(error, RefusedError):
            log.error(error)


class _ClosedError(Exception):
    """The server closes the connection."""

    def __init__(self, refusal: Refused) -> None:
        super().__init__(refusal)
        self.refusal: Final = refusal


@asynccontextmanager
async def serving(lobby: Lobby, listening: socket) -> AsyncIterator[None]:
    """Serve the lobby at a listening socket, while the block lasts."""
    app = lobby.app()
    idle = IdleConnections(app)
    runner = web.AppRunner(app, logger=REQUEST_LOG, access_log=None, handle_signals=False, shutdown_timeout=1.0)
    try:
        await runner.setup()
        async with idle.aborted(runner):
            await web.SockSite(runner, listening).start()
            log.info("games are served at %s", listening.getsockname())
            yield
    finally:
        await runner.cleanup()
        await lobby.close()
