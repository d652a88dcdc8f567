"""The server's end of a WebSocket: limits input, queues output, and measures the lag."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from socket import SO_SNDBUF, SOL_SOCKET
from typing import Final

from aiohttp import WSCloseCode, WSMsgType, web

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
