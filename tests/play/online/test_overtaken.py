"""A client that hears messages in another order connects again; it does not wait for what happened already."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from socket import create_server

from aiohttp import web

from daoqi_tui.play.online.events import Lost
from daoqi_tui.play.online.protocol import VERSION, OpenRequest, ServerMessage, State, Welcome, encode
from tests.play.online.table import Player, server

WELCOME = Welcome(VERSION, "aaaaaaaa", "white", "k" * 20)


async def after_two_moves(folder: Path) -> State:
    """Where a game stands after two moves."""
    async with server(folder) as table:
        referee = table.lay()
        await table.two()
        return replace(referee.state(), moves=("C3", "B2"))


@asynccontextmanager
async def hearing(*messages: ServerMessage) -> AsyncIterator[Player]:
    """A client whose server says just this, each time that it connects."""

    async def answer(request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.receive()
        for message in messages:
            await socket.send_str(encode(message))
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


async def test_a_state_that_a_later_one_overtook_is_not_believed(tmp_path: Path) -> None:
    now = await after_two_moves(tmp_path)
    for old in (replace(now, moves=("C3",)), replace(now, phase="waiting")):
        async with hearing(WELCOME, now, old) as player:
            await player.until(lambda: reconnects(player))
            assert player.client.state == now


async def test_an_undo_takes_moves_away(tmp_path: Path) -> None:
    now = await after_two_moves(tmp_path)
    asked = replace(now, request=OpenRequest("undo", "white"))
    undone = replace(now, moves=("C3",))
    async with hearing(WELCOME, now, asked, undone) as player:
        await player.until(lambda: player.client.state == undone)
        assert not reconnects(player)


async def test_a_state_before_the_welcome_has_the_client_connect_again(tmp_path: Path) -> None:
    async with hearing(await after_two_moves(tmp_path), WELCOME) as player:
        await player.until(lambda: reconnects(player))
        assert player.client.state is None
