"""A proxy that simulates a bad connection: it randomly delays and reorders messages and drops connections."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from socket import create_server

from aiohttp import ClientError, ClientSession, ClientWebSocketResponse, WSMsgType, web


@dataclass
class BadLine:
    """A faulty WebSocket proxy.

    Attributes:
        url: the address that clients connect to.
        drop: the probability that a message closes its connection, losing all messages in transit.
        swap: the probability that a message is sent after the next one.
        delay: the maximum delay of a message in seconds.
        dropped, swapped: how many times each fault occurred.
    """

    target: str
    chance: random.Random
    drop: float = 0.0
    swap: float = 0.0
    delay: float = 0.0
    url: str = ""
    dropped: int = 0
    swapped: int = 0

    async def connect(self, request: web.Request) -> web.WebSocketResponse:
        """Forward messages both ways until one side disconnects or the connection is dropped."""
        client = web.WebSocketResponse()
        await client.prepare(request)
        try:
            async with (
                ClientSession() as session,
                session.ws_connect(self.target + request.path, max_msg_size=0) as server,
            ):
                ways = {asyncio.create_task(self._pass(*pair)) for pair in ((client, server), (server, client))}
                await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
                for way in ways:
                    way.cancel()
                await asyncio.gather(*ways, return_exceptions=True)
                # No closing handshake, as if a cable had been pulled.
                for end in (request.transport, server._response.connection and server._response.connection.transport):
                    if end is not None:
                        end.abort()
        except (ClientError, OSError):
            pass  # The server is currently down.
        return client

    async def _pass(
        self,
        source: web.WebSocketResponse | ClientWebSocketResponse,
        target: web.WebSocketResponse | ClientWebSocketResponse,
    ) -> None:
        held: list[str] = []
        async for received in source:
            if received.type is not WSMsgType.TEXT:
                return
            if self.chance.random() < self.drop:
                self.dropped += 1
                return
            await asyncio.sleep(self.chance.uniform(0, self.delay))
            held.append(received.data)
            if len(held) == 2:
                self.swapped += 1
                held.reverse()
            elif self.chance.random() < self.swap:
                # Hold the message back so that the next one overtakes it; the server's pings guarantee a next one.
                continue
            for text in held:
                with suppress(ClientError, OSError):
                    await target.send_str(text)
            held.clear()


@asynccontextmanager
async def bad_line(target: str, chance: random.Random, **faults: float) -> AsyncIterator[BadLine]:
    """Run a proxy in front of the server at ``target``."""
    line = BadLine(target, chance, **faults)  # type: ignore[arg-type]
    app = web.Application()
    app.router.add_get("/{path:.*}", line.connect)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    with create_server(("127.0.0.1", 0)) as listening:
        await web.SockSite(runner, listening).start()
        line.url = f"ws://127.0.0.1:{listening.getsockname()[1]}"
        try:
            yield line
        finally:
            await runner.cleanup()
