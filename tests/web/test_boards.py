"""Room for boards in browsers: those who hold a seat get it, whatever others have opened."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from ipaddress import ip_network
from pathlib import Path
from socket import create_server

import pytest

pytest.importorskip("textual_serve", reason="the extra web is not installed: pip install -e '.[web]'")

import aiohttp
from aiohttp import web

from daoqi_tui.play.online.connections import Site
from daoqi_tui.play.online.server import Lobby
from daoqi_tui.play.online.table import Terms
from daoqi_tui.web import server as served
from daoqi_tui.web.lobby import MADE_WAY, REPLACED, Board, Boards, NoRoomError
from daoqi_tui.web.server import AccessControl, GameServer
from tests.waiting import HANG, until
from tests.web.test_serving import WAITS

MOST = 24


class Served:
    """A board server with a lobby, behind a proxy, whose games are a program that needs nothing."""

    def __init__(self, server: GameServer, lobby: Lobby, port: int, session: aiohttp.ClientSession) -> None:
        self.server = server
        self.lobby = lobby
        self.port = port
        self.session = session
        self.opened: list[aiohttp.ClientWebSocketResponse] = []
        """Kept, since a connection without a reference is closed."""

    def headers(self, address: str, game: str, key: str) -> dict[str, str]:
        cookie = {"Cookie": f"daoqi-seat-{self.port}-{game}={key}"} if key else {}
        return {"X-Forwarded-For": address, **cookie}

    async def open(self, address: str, game: str, key: str = "") -> aiohttp.ClientWebSocketResponse:
        url = f"http://127.0.0.1:{self.port}/table/{game}/ws"
        self.opened.append(await self.session.ws_connect(url, headers=self.headers(address, game, key)))
        return self.opened[-1]

    async def probe(self, address: str, game: str, key: str = "") -> aiohttp.ClientResponse:
        """Ask as the page does, without opening a board."""
        url = f"http://127.0.0.1:{self.port}/table/{game}/ws"
        async with self.session.get(url, headers=self.headers(address, game, key)) as answer:
            return answer


@asynccontextmanager
async def boards(
    folder: Path, monkeypatch: pytest.MonkeyPatch, access: AccessControl | None = None
) -> AsyncIterator[Served]:
    play = GameServer.play

    async def cheap(
        self: GameServer, request: web.Request, board: Board, _words: Sequence[str], variables: Mapping[str, str]
    ) -> web.StreamResponse:
        return await play(self, request, board, [sys.executable, "-S", "-c", WAITS], variables)

    monkeypatch.setattr(GameServer, "play", cheap)
    site = Site(("https://go.example.org",), proxies=(ip_network("127.0.0.1"),))
    lobby = Lobby(folder / "online", folder / "library", site=site)
    with create_server(("127.0.0.1", 0)) as listening:
        server, ready = GameServer(["true"], listening, site, access, lobby=lobby), asyncio.Event()
        task = asyncio.create_task(server.run(ready.set))
        async with asyncio.timeout(HANG):
            await ready.wait()
        try:
            async with aiohttp.ClientSession() as session:
                yield Served(server, lobby, listening.getsockname()[1], session)
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


@pytest.mark.parametrize("address", ["203.0.113.1", "192.0.2.0"], ids=["elsewhere", "at an attacker's address"])
async def test_anonymous_tabs_from_three_addresses_keep_no_player_out(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with boards(tmp_path, monkeypatch) as site:
        referee, key, code = site.lobby.host(Terms(size=5), "Lu")
        guest = await site.lobby.claim(referee.name, code, "Ke", "203.0.113.1")
        tabs = [await site.open(f"192.0.2.{number % 3}", referee.name) for number in range(MOST)]
        codes = [asyncio.create_task(close_code(tab)) for tab in tabs]
        for taken in ("192.0.2.0", "192.0.2.9"):
            refused = await site.probe(taken, referee.name)
            assert (refused.status, refused.headers["Retry-After"]) == (503, "10")
            with pytest.raises(aiohttp.WSServerHandshakeError, match="503"):
                await site.open(taken, referee.name)
        # A key that is none gets no more than no key.
        with pytest.raises(aiohttp.WSServerHandshakeError, match="503"):
            await site.open("192.0.2.9", referee.name, "a" * 32)
        # Asking takes nothing from anybody.
        assert (await site.probe(address, referee.name, key)).status == 400
        assert not any(code.done() for code in codes)
        for number, seat in enumerate((key, guest)):
            board = await site.open(address, referee.name, seat)
            await started(board)
            assert await codes[number] == MADE_WAY
            assert len(site.server._boards) == MOST
            assert programs() <= MOST
        # In another tab, the player's own board makes way.
        replaced = asyncio.create_task(close_code(board))
        await started(await site.open(address, referee.name, guest))
        assert await replaced == REPLACED
        assert len(site.server._boards) == MOST
        for code in codes:
            code.cancel()


async def test_the_seats_of_a_few_addresses_keep_no_other_player_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(served, "MOST_GAMES", 6)
    async with boards(tmp_path, monkeypatch) as site:
        for number in range(6):
            referee, key, _code = site.lobby.host(Terms(size=5), "Mu", f"192.0.2.{number % 3}")
            await site.open(f"192.0.2.{number % 3}", referee.name, key)
        referee, key, code = site.lobby.host(Terms(size=5), "Lu", "203.0.113.1")
        guest = await site.lobby.claim(referee.name, code, "Ke", "203.0.113.2")
        players = [
            await site.open("203.0.113.1", referee.name, key),
            await site.open("203.0.113.2", referee.name, guest),
        ]
        for board in players:
            await started(board)
        # The attacker does not come back in their place.
        for _ in range(3):
            more, key, _code = site.lobby.host(Terms(size=5), "Mu")
            with suppress(aiohttp.WSServerHandshakeError):
                await site.open("192.0.2.0", more.name, key)
        assert not any(board.closed for board in players)
        held = [board.address for board in site.server._boards]
        assert {"203.0.113.1", "203.0.113.2"} <= set(held)


async def test_a_browser_with_a_printed_address_gets_its_board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served, "MOST_GAMES", 3)
    access = AccessControl(1, lambda: None)
    async with boards(tmp_path, monkeypatch, access) as site:
        referee, _key, _code = site.lobby.host(Terms(size=5), "Lu")
        tabs = [await site.open(f"192.0.2.{number}", referee.name) for number in range(3)]
        first = asyncio.create_task(close_code(tabs[0]))
        url = f"http://127.0.0.1:{site.port}/ws"
        await started(await site.session.ws_connect(url, headers={"Cookie": f"{access.cookie}={access.secret}"}))
        assert await first == MADE_WAY


async def test_a_server_that_ends_says_that_it_goes_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with boards(tmp_path, monkeypatch) as site:
        referee, key, _code = site.lobby.host(Terms(size=5), "Lu")
        board = await site.open("192.0.2.1", referee.name, key)
        ended = asyncio.create_task(close_code(board))
        for open_board in site.server._boards:
            open_board.end(aiohttp.WSCloseCode.GOING_AWAY)
        assert await ended == aiohttp.WSCloseCode.GOING_AWAY
        await until(lambda: not site.server._boards)


# Room


def opened(boards: Boards, *many: Board, most: int = 3) -> list[Board | None]:
    return [boards.add(board, most) for board in many]


def test_a_board_that_makes_way_before_it_is_open_is_closed_as_soon_as_it_is() -> None:
    boards, first, closed = Boards(), Board("a"), list[int]()
    assert opened(boards, first, Board("b"), Board("c")) == [None] * 3
    assert boards.add(Board("d", "game 0"), 3) is first
    first.open(closed.append)
    assert closed == [MADE_WAY]


def test_boards_without_a_seat_make_way_before_those_with_one() -> None:
    boards, player, watcher = Boards(), Board("a", "game 0"), Board("b")
    opened(boards, player, watcher, Board("c", "game 1"))
    assert boards.add(Board("d", "other 0"), 3) is watcher
    with pytest.raises(NoRoomError, match="Too many"):
        boards.add(Board("e", "other 1"), 3)
    with pytest.raises(NoRoomError):
        boards.add(Board("f"), 3)


def test_the_seats_of_an_address_make_way_only_for_one_that_has_fewer() -> None:
    boards, mine = Boards(), [Board("a", f"game {number}") for number in range(3)]
    opened(boards, *mine)
    assert boards.add(Board("b", "other 0"), 3) is mine[0]
    with pytest.raises(NoRoomError):
        boards.add(Board("b", "other 1"), 3)
