"""Room for boards that are processes: who was let in by a printed address gets it, whatever others have opened."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from ipaddress import ip_network
from pathlib import Path
from socket import create_server

import pytest

pytest.importorskip("textual_serve", reason="the extra web is not installed: pip install -e '.[web]'")

import aiohttp

from daoqi_tui.play.online.connections import Site
from daoqi_tui.web import server as served
from daoqi_tui.web.lobby import MADE_WAY, Board, Boards, NoRoomError
from daoqi_tui.web.server import AccessControl, GameServer
from tests.waiting import HANG, until
from tests.web.test_serving import WAITS

Open = Callable[[str], Awaitable[aiohttp.ClientWebSocketResponse]]


@asynccontextmanager
async def boards(folder: Path, access: AccessControl | None = None) -> AsyncIterator[tuple[GameServer, Open]]:
    """A board server behind a proxy, whose games are a program that needs nothing."""
    site = Site(("https://go.example.org",), proxies=(ip_network("127.0.0.1"),))
    words = [sys.executable, "-S", "-c", WAITS]
    opened = []
    with create_server(("127.0.0.1", 0)) as listening:
        server, ready = GameServer(words, listening, site, access), asyncio.Event()
        task = asyncio.create_task(server.run(ready.set))
        async with asyncio.timeout(HANG):
            await ready.wait()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/ws"
        cookie = {"Cookie": f"{access.cookie}={access.secret}"} if access is not None else {}
        try:
            async with aiohttp.ClientSession() as session:

                async def open_board(address: str) -> aiohttp.ClientWebSocketResponse:
                    # Kept, since a connection without a reference is closed.
                    opened.append(await session.ws_connect(url, headers={"X-Forwarded-For": address, **cookie}))
                    return opened[-1]

                yield server, open_board
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


async def close_code(board: aiohttp.ClientWebSocketResponse) -> int | None:
    async with asyncio.timeout(HANG):
        while (await board.receive()).type not in (aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED):
            pass
    return board.close_code


def programs() -> int:
    """Return how many programs this process has started that still run."""
    found = [path.read_text().split() for path in Path("/proc/self/task").glob("*/children")]
    return sum(
        Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")[1:2] == [b"-S"]
        for children in found
        for child in children
        if Path(f"/proc/{child}/cmdline").exists()
    )


async def started(board: aiohttp.ClientWebSocketResponse) -> None:
    """Wait until the program of a board runs."""
    async with asyncio.timeout(HANG):
        await board.send_json(["ping", "7"])
        while (await board.receive()).data != '["pong", "7"]':
            pass


async def test_a_browser_with_a_printed_address_gets_the_room_of_a_session_over_ssh(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(served, "MOST_GAMES", 6)
    async with boards(tmp_path, AccessControl(1, lambda: None)) as (server, open_board):
        sessions, ended = [Board(f"192.0.2.{number}") for number in range(6)], list[int]()
        for session in sessions:
            server._boards.add(session, 6)
            session.open(ended.append)
            session.over.set()
        await started(await open_board("192.0.2.9"))
        assert ended == [MADE_WAY]
        await started(await open_board("192.0.2.9"))
        with pytest.raises(aiohttp.WSServerHandshakeError, match="503"):
            await open_board("192.0.2.9")
        assert (len(server._boards), programs()) == (6, 2)
        for session in sessions:
            server._boards.remove(session)


async def test_a_server_that_ends_says_that_it_goes_away(tmp_path: Path) -> None:
    async with boards(tmp_path) as (server, open_board):
        ended = asyncio.create_task(close_code(await open_board("192.0.2.1")))
        for board in server._boards:
            board.end(aiohttp.WSCloseCode.GOING_AWAY)
        assert await ended == aiohttp.WSCloseCode.GOING_AWAY
        await until(lambda: not server._boards)


# Room


def opened(boards: Boards, *many: Board, most: int = 3) -> list[Board | None]:
    return [boards.add(board, most) for board in many]


def test_a_board_that_makes_way_before_it_is_open_is_closed_as_soon_as_it_is() -> None:
    boards, first, closed = Boards(), Board("a"), list[int]()
    assert opened(boards, first, Board("b"), Board("c")) == [None] * 3
    assert boards.add(Board("d", invited=True), 3) is first
    first.open(closed.append)
    assert closed == [MADE_WAY]


def test_boards_of_nobody_invited_make_way_for_one_that_is() -> None:
    boards, own, other = Boards(), Board("a", invited=True), Board("b")
    opened(boards, own, other, Board("c", invited=True))
    assert boards.add(Board("d", invited=True), 3) is other
    for late in (Board("e", invited=True), Board("f")):
        with pytest.raises(NoRoomError, match="Too many boards are open already"):
            boards.add(late, 3)
    with pytest.raises(NoRoomError, match="from this address"):
        boards.add(Board("a", invited=True), 3)
