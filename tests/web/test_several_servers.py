"""Several servers behind one address: a proxy picks the server of a game by the first letter of the game's id."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from socket import create_server

import pytest

pytest.importorskip("textual_serve", reason="the extra web is not installed: pip install -e '.[web]'")

import aiohttp
from aiohttp import web

from tests.play.online.table import Player
from tests.ports import free_port
from tests.readme.pages import DOCS, blocks
from tests.waiting import until
from tests.web.serving import Serving, serving
from tests.web.test_lobby import open_game, somebody

LETTERS = ("a", "b")


@asynccontextmanager
async def small_proxy(port: int, ports: tuple[int, ...], _folder: Path) -> AsyncIterator[None]:
    """A minimal proxy that routes by path and forwards everything."""

    def target(request: web.Request) -> str:
        found = re.match("/(?:game|table)/([ab])", request.path)
        return f"127.0.0.1:{ports[LETTERS.index(found[1]) if found else 0]}"

    async def passed(request: web.Request) -> web.StreamResponse:
        headers = {**request.headers, "X-Forwarded-For": request.remote or ""}
        async with aiohttp.ClientSession(auto_decompress=False) as session:
            if "upgrade" in request.headers.get("Connection", "").lower():
                client = web.WebSocketResponse()
                await client.prepare(request)
                async with session.ws_connect(
                    f"ws://{target(request)}{request.path_qs}", headers={"Host": request.host}
                ) as server:

                    async def pump(source: object, sink: object) -> None:
                        async for message in source:  # type: ignore[attr-defined]
                            await sink.send_str(message.data)  # type: ignore[attr-defined]
                        await sink.close()  # type: ignore[attr-defined]

                    await asyncio.gather(pump(client, server), pump(server, client), return_exceptions=True)
                return client
            body = await request.read()
            url = f"http://{target(request)}{request.path_qs}"
            async with session.request(
                request.method, url, headers=headers, data=body, allow_redirects=False
            ) as answer:
                kept = {name: value for name, value in answer.headers.items() if name in ("Content-Type", "Location")}
                return web.Response(body=await answer.read(), status=answer.status, headers=kept)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", passed)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    with create_server(("127.0.0.1", port)) as listening:
        await web.SockSite(runner, listening).start()
        try:
            yield
        finally:
            await runner.cleanup()


@asynccontextmanager
async def nginx(port: int, ports: tuple[int, ...], folder: Path) -> AsyncIterator[None]:
    """Run nginx with the configuration from the documentation page."""
    [page] = blocks((DOCS / "online.md").read_text("utf-8"), "nginx")
    for given, used in zip(("8001", "8002"), ports, strict=True):
        page = page.replace(given, str(used))
    page = re.sub(r"listen 443 ssl;|ssl_certificate.*;", "", page)
    page = page.replace("server {\n", f"server {{\n    listen 127.0.0.1:{port};\n", 1)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    places = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in kinds)
    config = folder / "nginx.conf"
    config.write_text(
        f"daemon off; worker_processes 1; pid {folder}/pid; error_log stderr;\nevents {{}}\n"
        f"http {{\naccess_log off;\n{places}{page}}}\n",
        encoding="utf-8",
    )
    process = await asyncio.create_subprocess_exec(found_nginx(), "-p", str(folder), "-c", str(config))
    try:
        yield
    finally:
        process.terminate()
        await process.wait()


def found_nginx() -> str:
    return shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin") or ""


@pytest.mark.parametrize(
    "proxy",
    [
        small_proxy,
        pytest.param(
            nginx,
            marks=pytest.mark.skipif(
                not found_nginx(), reason="no nginx on this machine (Debian: apt-get install nginx-light)"
            ),
        ),
    ],
)
async def test_two_servers_behind_a_proxy(
    proxy: Callable[[int, tuple[int, ...], Path], AbstractAsyncContextManager[None]], tmp_path: Path
) -> None:
    port, *ports = (free_port() for _ in range(3))
    public = f"http://127.0.0.1:{port}"

    def server(number: int) -> AbstractAsyncContextManager[Serving]:
        letter = LETTERS[number]
        options = ("--lobby", "--game-prefix", letter, "--public-url", public, "--port", str(ports[number]))
        return serving(tmp_path / letter, *options)

    async with server(0) as first, server(1), proxy(port, (ports[0], ports[1]), tmp_path), somebody() as session:
        await until_open(session, public)
        players = []
        for letter, number in zip(LETTERS, ports, strict=True):
            # As for a visitor whom the proxy has sent to this server's lobby.
            table = await open_game(session, f"http://127.0.0.1:{number}")
            async with session.get(f"http://127.0.0.1:{number}/games") as answer:
                [game] = (await answer.json())["games"]
            assert table == f"{public}/table/{game['game']}"
            assert game["game"].startswith(letter)
            # From here on everything goes through the public address.
            async with session.get(table) as answer:
                assert answer.status == 200
                assert '<canvas id="board"' in await answer.text()
            players.append(Player(public.replace("http", "ws"), game["game"], code=game["code"]))
        for player in players:
            await player.until(lambda player=player: player.client.connected and player.client.state is not None)
        # One server is killed: the other's games go on, and its own continue once it is back.
        first.process.kill()
        await first.process.wait()
        await players[0].until(lambda: not players[0].client.connected)
        assert players[1].client.connected
        async with server(0):
            await players[0].until(lambda: players[0].client.connected)
            assert players[0].client.role == "white"
            for player in players:
                await player.end()


async def until_open(session: aiohttp.ClientSession, public: str) -> None:
    opened = False

    async def look(seconds: float) -> None:
        nonlocal opened
        try:
            async with session.get(f"{public}/lobby") as answer:
                opened = answer.status == 200
        except aiohttp.ClientError:
            await asyncio.sleep(seconds)

    await until(lambda: opened, pause=look)
