"""Connections of servers: those of a game; of all, idle ones are aborted and unexpected exceptions are reported.

Even an idle connection takes a file descriptor.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from socket import SO_SNDBUF, SOL_SOCKET
from time import monotonic
from typing import Final

from aiohttp import WSCloseCode, WSMsgType, web
from aiohttp.http_exceptions import HttpProcessingError

from daoqi_tui import crash
from daoqi_tui.play.online.limits import Limits
from daoqi_tui.play.online.protocol import (
    FROM_CLIENT,
    ClientMessage,
    Ping,
    ProtocolError,
    Refused,
    ServerMessage,
    decode,
    encode,
)
from daoqi_tui.play.online.referee import RefusedError

_REQUEST: Final = 10.0
"""The timeout in seconds for a request on a connection."""
_TICK: Final = 0.25
"""Seconds between checks of the connections."""
_MOST_IDLE: Final = 200
"""The number of connections without a request; of more, the oldest are aborted."""
_FILES: Final = 4096
"""The number of open files and connections that a server with all its games, players and spectators needs."""


class IdleConnections:
    """Aborts connections without a complete request for a while.

    Args:
        app: the served application, whose requests are watched.
    """

    def __init__(self, app: web.Application) -> None:
        self._served: Final[dict[object, web.Request]] = {}
        app.middlewares.append(self._note)

    @web.middleware
    async def _note(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        self._served[request.protocol] = request
        try:
            return await handler(request)
        finally:
            del self._served[request.protocol]

    @asynccontextmanager
    async def aborted(self, runner: web.AppRunner) -> AsyncIterator[None]:
        """Abort idle connections of a runner that is set up, while the block lasts."""
        assert runner.server is not None
        _allow_files()
        watching = asyncio.create_task(self._watch(runner.server))
        try:
            yield
        finally:
            watching.cancel()
            await asyncio.wait((watching,))

    async def _watch(self, server: web.Server) -> None:
        """Abort connections whose request did not arrive in time, or not completely."""
        since: dict[tuple[object, int], float] = {}
        while True:
            await asyncio.sleep(_TICK)
            now = monotonic()
            idle = [(each, request) for each in server.connections if _is_late(request := self._served.get(each))]
            since = {(each, id(request)): since.get((each, id(request)), now) for each, request in idle}
            # The oldest first; the sort keeps the order of those that were first seen at the same time.
            idle.sort(key=lambda entry: since[entry[0], id(entry[1])])
            for number, (each, request) in enumerate(idle):
                late = now - since[each, id(request)] > _REQUEST or number < len(idle) - _MOST_IDLE
                if late and each.transport is not None:
                    each.transport.abort()


def _allow_files() -> None:
    """Allow this process as many open files as a server needs, as far as the system permits."""
    try:
        import resource  # noqa: PLC0415 (Windows has none)
    except ImportError:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _is_late(request: web.Request | None) -> bool:
    """Return whether a request has not arrived, or only in part."""
    return request is None or not request.content.is_eof()


def _is_logged(record: logging.LogRecord) -> bool:
    """Report an exception that ended a request, instead of logging it."""
    error = record.exc_info[1] if record.exc_info else None
    if error is None:
        return True
    # Invalid HTTP is answered with 400; an aborted request gets no answer.
    if not isinstance(error, HttpProcessingError | ConnectionError):
        crash.report(error)
    return False


REQUEST_LOG: Final = logging.getLogger(__name__)
"""The format of aiohttp's request log, for the runner of a server."""
REQUEST_LOG.addFilter(_is_logged)


_PING: Final = 5.0
"""Seconds between measurements of the lag."""
FAREWELL: Final = 2.0
"""The timeout in seconds for a client to receive the rest when its connection is closed."""
_QUEUE: Final = 64
"""The maximum number of messages queued for a slow client before it is closed; it may reconnect and catch up."""
_BUFFER: Final = 1 << 16
"""The size of the send buffer of a client in bytes."""


class GoneError(Exception):
    """The client closed the connection."""


class Connection:
    """A WebSocket with an output queue; the lag is the minimum of the last measurements.

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

    # Receiving

    async def read(self) -> ClientMessage:
        """Return the next message.

        Raises:
            ProtocolError: it is none.
            GoneError: the connection is closed, or will be.
        """
        received = await self._socket.receive()
        if self.over.is_set():
            raise GoneError
        if received.type is WSMsgType.TEXT:
            return decode(received.data, FROM_CLIENT)
        if received.type is WSMsgType.BINARY:
            raise ProtocolError("messages are text, not binary")
        raise GoneError

    def count(self, limits: Limits) -> None:
        """Count a message. Raises RefusedError where there are too many."""
        now = self._now()
        tokens = limits.burst if self._tokens is None else self._tokens + (now - self._counted) * limits.rate
        self._tokens, self._counted = min(limits.burst, tokens) - 1, now
        if self._tokens < 0:
            raise RefusedError("too-fast")

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
        if not self.over.is_set():
            self._queue.append(encode(refusal))
            self.end()

    def end(self) -> None:
        """Close after sending the queued messages."""
        self.over.set()
        self._changed.set()

    async def write(self) -> None:
        """Send queued messages, until the end."""
        try:
            await self._write()
        except ConnectionError:
            self.over.set()
        finally:
            with suppress(ConnectionError, TimeoutError):
                async with asyncio.timeout(FAREWELL):
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


def limit_buffer(request: web.Request) -> None:
    """Limit the system's send buffer for a slow client, which would otherwise grow to megabytes each."""
    wire = request.transport.get_extra_info("socket") if request.transport is not None else None
    if wire is not None:
        with suppress(OSError):
            wire.setsockopt(SOL_SOCKET, SO_SNDBUF, _BUFFER)
