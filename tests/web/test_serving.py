"""The server of games, spoken to without a browser: who may come in, and how its games end."""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

pytest.importorskip("textual_serve", reason="the extra web is not installed: pip install -e '.[web]'")

import aiohttp

from daoqi_tui import serving as served
from daoqi_tui.record.journal_replay import replay
from daoqi_tui.serving import GameServer, is_own_name, served_environment
from tests.web.serving import serving

WAITS = """
import sys
sys.stdout.write("__GANGLION__\\n")
sys.stdout.flush()
sys.stdin.buffer.read()
"""
"""A program that ends when its input does."""
DEAF = """
import sys, time
sys.stdout.write("__GANGLION__\\n")
sys.stdout.flush()
time.sleep(600)
"""


@asynccontextmanager
async def server_of(program: str, public_url: str | None = None) -> AsyncIterator[tuple[GameServer, str]]:
    """A server in this process whose games are another program."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = GameServer([sys.executable, "-c", program], listening, public_url)
        ready = asyncio.Event()
        task = asyncio.create_task(server.run(ready.set))
        await ready.wait()
        try:
            yield server, f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0.01)


async def status(url: str, **headers: str) -> int:
    async with aiohttp.ClientSession() as session, session.get(url, headers=headers) as answer:
        return answer.status


# A WebSocket begins as a request like any other; what is let in without the words of one is asked for them (400).
@pytest.mark.parametrize(
    ("path", "headers", "expected"),
    [
        ("/", {}, 200),
        ("/", {"Host": "localhost:8000"}, 200),
        ("/", {"Host": "go.example.org"}, 200),
        ("/", {"Host": "evil.example"}, 403),
        ("/", {"Host": "127.0.0.1.evil.example"}, 403),
        ("/ws", {}, 400),
        ("/ws", {"Origin": "https://go.example.org"}, 400),
        ("/ws", {"Origin": "http://evil.example"}, 403),
        ("/ws", {"Origin": "http://127.0.0.1:1"}, 403),
        ("/ws", {"Origin": "null"}, 403),
        ("/ws", {"Origin": "http://evil.example", "Host": "evil.example"}, 403),
        ("/static/js/textual.js", {}, 200),
        ("/static/", {}, 403),
        ("/static/../server.py", {}, 404),
        ("/download/none", {}, 404),
    ],
)
async def test_only_the_page_itself_is_answered(path: str, headers: dict[str, str], expected: int) -> None:
    async with server_of(WAITS, "https://go.example.org") as (_server, url):
        assert await status(url + path, **headers) == expected


async def test_the_page_of_a_proxy_leads_back_to_it() -> None:
    async with (
        server_of(WAITS, "https://go.example.org/daoqi") as (_server, url),
        aiohttp.ClientSession() as session,
        session.get(url + "/?fontsize=20%22") as answer,
    ):
        page = await answer.text()
    assert 'data-session-websocket-url="wss://go.example.org/daoqi/ws"' in page
    assert 'src="https://go.example.org/daoqi/static/js/textual.js"' in page
    assert 'data-font-size="16"' in page, "what is no number is the usual size"
    assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]


@pytest.mark.parametrize("message", ["no JSON", "{}", "[]", '["resize", null]', '["resize", {}]', '["stdin", 5]'])
async def test_a_message_that_is_none_ends_the_game_and_nothing_else(message: str) -> None:
    async with (
        server_of(WAITS) as (server, url),
        aiohttp.ClientSession() as session,
        session.ws_connect(url + "/ws") as other,
        session.ws_connect(url + "/ws") as browser,
    ):
        await browser.send_str(message)
        async with asyncio.timeout(20):
            assert (await browser.receive()).type is aiohttp.WSMsgType.CLOSE
        await until(lambda: len(server._sockets) == 1)
        await other.send_json(["ping", "7"])
        assert await other.receive_json() == ["pong", "7"]


async def test_a_game_that_does_not_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served, "_PATIENCE", 0.2)
    processes: list[asyncio.subprocess.Process] = []
    opened = served.GameProcess._open_app_process

    async def noted(self: served.GameProcess, width: int = 80, height: int = 24) -> asyncio.subprocess.Process:
        processes.append(await opened(self, width, height))
        return processes[-1]

    monkeypatch.setattr(served.GameProcess, "_open_app_process", noted)
    async with server_of(DEAF) as (server, url), aiohttp.ClientSession() as session:
        async with session.ws_connect(url + "/ws"):
            await until(lambda: bool(processes))
        await until(lambda: not server._sockets)
        await until(lambda: processes[0].returncode is not None)
        assert processes[0].returncode == -signal.SIGKILL


async def test_a_game_that_breaks_down_is_closed_in_the_browser() -> None:
    program = WAITS.replace("sys.stdin.buffer.read()", "raise SystemExit(3)")
    async with (
        server_of(program) as (server, url),
        aiohttp.ClientSession() as session,
        session.ws_connect(url + "/ws") as browser,
    ):
        async with asyncio.timeout(20):
            assert (await browser.receive()).type is aiohttp.WSMsgType.CLOSE
        await until(lambda: not server._sockets)


async def test_a_game_that_broke_down_before_it_was_listened_to_is_closed_too(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = served.GameProcess._open_app_process

    async def late(self: served.GameProcess, width: int = 80, height: int = 24) -> asyncio.subprocess.Process:
        process = await opened(self, width, height)
        await process.wait()
        await asyncio.sleep(0.2)
        return process

    monkeypatch.setattr(served.GameProcess, "_open_app_process", late)
    program = WAITS.replace("sys.stdin.buffer.read()", "raise SystemExit(3)")
    async with (
        server_of(program) as (server, url),
        aiohttp.ClientSession() as session,
        session.ws_connect(url + "/ws") as browser,
    ):
        async with asyncio.timeout(20):
            assert (await browser.receive()).type is aiohttp.WSMsgType.CLOSE
        await until(lambda: not server._sockets)


async def test_too_many_boards_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served, "MOST_GAMES", 1)
    async with (
        server_of(WAITS) as (_server, url),
        aiohttp.ClientSession() as session,
        session.ws_connect(url + "/ws"),
    ):
        assert await status(url + "/ws") == 503
        assert await status(url + "/") == 200


async def play(session: aiohttp.ClientSession, url: str, keys: str) -> aiohttp.ClientWebSocketResponse:
    """Open a game, press keys, and wait until the program has shown what they did."""
    browser = await session.ws_connect(f"{url}/ws?width=80&height=30")
    seen = b""
    async with asyncio.timeout(30):
        while b"Move 1" not in seen:
            message = await browser.receive()
            seen += message.data if message.type is aiohttp.WSMsgType.BINARY else b""
        await browser.send_json(["stdin", keys])
        while b"Move 2" not in seen:
            message = await browser.receive()
            seen += message.data if message.type is aiohttp.WSMsgType.BINARY else b""
    return browser


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL], ids=lambda how: how.name)
async def test_games_end_with_the_server_and_can_be_resumed(how: signal.Signals, tmp_path: Path) -> None:
    async with serving(tmp_path, "--size", "9", "--komi", "0") as server, aiohttp.ClientSession() as session:
        first, second = await asyncio.gather(*(play(session, server.url, " ") for _ in range(2)))
        assert len(server.kept()) == 2, "two tabs never share a journal"
        await server.stop(how)
        for journal in await server.wait_for_unfinished(2):
            restored = replay(journal)
            assert (restored.game.torus.size, restored.game.komi, restored.cursor.number) == (9, 0, 1)
            assert not restored.damaged
        await first.close()
        await second.close()


async def test_a_browser_that_vanishes_leaves_its_game_to_be_resumed(tmp_path: Path) -> None:
    async with serving(tmp_path, "--white", "person") as server, aiohttp.ClientSession() as session:
        browser = await play(session, server.url, " ")
        # Without a word of leave, as when a computer goes to sleep.
        assert browser._response.connection is not None
        transport = browser._response.connection.transport
        assert transport is not None
        transport.abort()
        [journal] = await server.wait_for_unfinished(1)
        assert replay(journal).cursor.number == 1
        # The next tab offers it, though who plays White was said on the command line.
        again = await session.ws_connect(f"{server.url}/ws?width=80&height=30")
        seen = b""
        async with asyncio.timeout(30):
            while b"Unfinished games" not in seen:
                seen += (await again.receive()).data
        await again.close()


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1:8000", True),
        ("192.168.1.7:8000", True),
        ("[fe80::1]:8000", True),
        ("localhost", True),
        (f"{socket.gethostname()}:80", True),
        ("my.name:8000", True),
        ("evil.example:8000", False),
        ("127.0.0.1.nip.example", False),
        ("", False),
        ("[::1", False),
    ],
)
def test_names_of_this_computer(host: str, expected: bool) -> None:
    assert is_own_name(host, {"my.name", None}) is expected


def test_a_game_hears_of_the_browser_not_of_the_terminal_of_the_server() -> None:
    environment = {"TERM": "linux", "NO_COLOR": "1", "LC_ALL": "de_DE.ISO-8859-1", "LANG": "zh_CN.GB18030", "HOME": "/"}
    heard = served_environment(environment, 90, 30)
    assert (heard["TERM"], heard["COLUMNS"], heard["ROWS"], heard["HOME"]) == ("xterm-256color", "90", "30", "/")
    assert (heard["LC_ALL"], heard["LANG"]) == ("de_DE.UTF-8", "zh_CN.UTF-8")
    assert "NO_COLOR" not in heard
