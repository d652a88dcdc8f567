"""A fake server that sends scripted messages, regardless of what the client sends."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from socket import create_server

from aiohttp import web

from daoqi_tui.play.online.client import Lost
from daoqi_tui.play.online.protocol import VERSION, Refused, ServerMessage, Welcome, encode
from tests.play.online.table import Player

WELCOME = Welcome(VERSION, "aaaaaaaa", "white", "k" * 20)


@asynccontextmanager
async def hearing(*messages: ServerMessage) -> AsyncIterator[Player]:
    """Yield a client whose server sends ``messages`` on every connection and closes it after a fatal refusal."""

    async def answer(request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.receive()
        for message in messages:
            await socket.send_str(encode(message))
        if not (messages and isinstance(messages[-1], Refused) and messages[-1].fatal):
            await socket.receive()
        return socket

    app = web.Application()
    app.router.add_get("/game/aaaaaaaa", answer)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    with create_server(("127.0.0.1", 0)) as listening:
        await web.SockSite(runner, listening).start()
        player = Player(f"ws://127.0.0.1:{listening.getsockname()[1]}", "aaaaaaaa", key="k" * 20)
        try:
            yield player
        finally:
            await player.end()
            await runner.cleanup()


def reconnects(player: Player) -> int:
    return sum(isinstance(event, Lost) for event in player.heard)
