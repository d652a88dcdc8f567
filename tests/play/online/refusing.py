"""A server that refuses a number of connections, each in another way, before it lets clients in."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from socket import create_server
from typing import TypeAlias

from aiohttp import web

from daoqi_tui.play.online.protocol import REASONS, RefusalCode, Refused, encode
from tests.play.online.proxy import BadLine

Refusal: TypeAlias = Callable[[web.Request], Awaitable[web.StreamResponse]]


async def _refuse(code: RefusalCode, wait: int, request: web.Request) -> web.StreamResponse:
    socket = web.WebSocketResponse()
    await socket.prepare(request)
    await socket.receive()
    await socket.send_str(encode(Refused("join", code, str(REASONS[code]), True, wait)))
    await socket.close()
    return socket


def refused(code: RefusalCode, wait: int = 0) -> Refusal:
    """Return a refusal by the protocol."""
    return partial(_refuse, code, wait)


def answered(status: int, **headers: str) -> Refusal:
    """Return an answer that opens no connection, as a proxy gives it whose server is being restarted."""

    async def answer(_request: web.Request) -> web.StreamResponse:
        return web.Response(status=status, headers={name.replace("_", "-"): value for name, value in headers.items()})

    return answer


async def aborted(request: web.Request) -> web.StreamResponse:
    """Lose the line."""
    socket = web.WebSocketResponse()
    await socket.prepare(request)
    assert request.transport is not None
    request.transport.abort()
    return socket


async def closed(request: web.Request) -> web.StreamResponse:
    """Close without a word, as a server that is ending."""
    socket = web.WebSocketResponse()
    await socket.prepare(request)
    await socket.close(code=1001)
    return socket


@asynccontextmanager
async def refusing(target: str, *refusals: Refusal) -> AsyncIterator[tuple[str, list[Refusal]]]:
    """Yield the URL of the server, and the refusals that are left, to which a test may add."""
    left, line = list(refusals), BadLine(target, random.Random(1))

    async def connect(request: web.Request) -> web.StreamResponse:
        return await (left.pop(0)(request) if left else line.connect(request))

    app = web.Application()
    app.router.add_get("/{path:.*}", connect)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    with create_server(("127.0.0.1", 0)) as listening:
        await web.SockSite(runner, listening).start()
        try:
            yield f"ws://127.0.0.1:{listening.getsockname()[1]}", left
        finally:
            await runner.cleanup()


TEN: tuple[Refusal, ...] = (
    refused("too-many-tries"),
    refused("full"),
    answered(503),
    aborted,
    refused("too-fast"),
    answered(502),
    closed,
    refused("in-use"),
    refused("too-slow"),
    answered(429),
)
"""Refusals that time heals."""
