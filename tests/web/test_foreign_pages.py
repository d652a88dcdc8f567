"""No route of any server answers a page of another site: neither by its origin, nor by a name that leads here."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from pathlib import Path
from socket import create_server
from typing import TypeAlias

import pytest

pytest.importorskip("textual_serve", reason="the extra web is not installed: pip install -e '.[web]'")

import aiohttp
from aiohttp import web

from daoqi_tui.play.online.connections import Site
from daoqi_tui.play.online.hosting import hosting
from daoqi_tui.play.online.server import Lobby
from daoqi_tui.play.online.table import Terms
from daoqi_tui.web.server import GameServer
from tests.waiting import HANG

FOREIGN: tuple[dict[str, str], ...] = (
    {"Host": "evil.example"},
    {"Host": "evil.example:7777"},
    {"Host": ""},
    {"Host": "evil.example", "Origin": "http://evil.example"},
    {"Origin": "http://evil.example"},
    {"Origin": "https://127.0.0.1"},
    {"Origin": "null"},
    {"Origin": ""},
    {"Origin": "http://["},
    {"Origin": "http://127.0.0.1.evil.example"},
)
Served: TypeAlias = Callable[[Path], AbstractAsyncContextManager[tuple[str, set[tuple[str, str]]]]]
UNKNOWN = ("GET", "/not/a/route")


def routes(app: web.Application, game: str) -> set[tuple[str, str]]:
    """Return the method and a path of each route, so that a new one is covered as well."""
    found = {UNKNOWN}
    for route in app.router.routes():
        assert route.resource is not None
        path = re.sub(r"\{game\}", game, route.resource.canonical)
        path = re.sub(r"\{[^}]*\}", "x", path)
        found.add((route.method, f"{path}/js/textual.js" if path == "/static" else path))
    return found


@asynccontextmanager
async def host(folder: Path) -> AsyncIterator[tuple[str, set[tuple[str, str]]]]:
    """A hosted game, as of ``daoqi-tui host``."""
    with create_server(("127.0.0.1", 0)) as listening:
        async with hosting(listening, Terms(), "Lu", folder=folder, library=folder / "library") as (place, _problems):
            app = web.Application()
            Lobby(folder, folder).add_to(app)
            yield place.invitation.server.replace("ws://", "http://"), routes(app, place.invitation.game)


@asynccontextmanager
async def boards(folder: Path) -> AsyncIterator[tuple[str, set[tuple[str, str]]]]:
    """A board server with a lobby, as of ``daoqi-tui serve --lobby``."""
    site = Site(("https://go.example.org",))
    lobby = Lobby(folder / "online", folder / "library", site=site)
    lobby.folder.mkdir()
    with create_server(("127.0.0.1", 0)) as listening:
        server, ready = GameServer(["true"], listening, site, None, lobby=lobby), asyncio.Event()
        task = asyncio.create_task(server.run(ready.set))
        async with asyncio.timeout(HANG):
            await ready.wait()
        try:
            game, _key, _code = lobby.host(Terms(), "Lu")
            yield f"http://127.0.0.1:{listening.getsockname()[1]}", routes(server.app(), game.name)
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


@pytest.mark.parametrize("served", [host, boards])
async def test_no_route_answers_a_foreign_page(served: Served, tmp_path: Path) -> None:
    async with served(tmp_path) as (url, found), aiohttp.ClientSession() as session:
        assert len(found) > 3

        async def ask(method: str, path: str, headers: dict[str, str]) -> tuple[int, str]:
            async with session.request(method, url + path, headers=headers, allow_redirects=False) as answer:
                return answer.status, await answer.text(errors="replace") if method != "HEAD" else ""

        for method, path in sorted(found):
            status, text = await ask(method, path, {})
            assert status != 403 or "--public-url" not in text, (method, path)
            for headers in FOREIGN:
                status, text = await ask(method, path, headers)
                assert status in (400, 403), (method, path, headers)
                assert "Lu" not in text, (method, path, headers)
            if served is boards:
                status, text = await ask(method, path, {"Host": "go.example.org", "Origin": "https://go.example.org"})
                assert status != 403 or "--public-url" not in text, (method, path)


@pytest.mark.parametrize("served", [host, boards])
async def test_a_request_without_a_host_or_with_two_is_refused(served: Served, tmp_path: Path) -> None:
    async with served(tmp_path) as (url, _found):
        for lines in ("", "Host: 127.0.0.1\r\nHost: evil.example\r\n"):
            port = int(url.rpartition(":")[2])
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(f"GET /games HTTP/1.1\r\n{lines}Connection: close\r\n\r\n".encode())
            async with asyncio.timeout(HANG):
                answer = await reader.read()
            assert answer.split(b" ")[1] in (b"400", b"403"), answer
            writer.close()
