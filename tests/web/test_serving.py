"""The web server, tested without a browser: access control, messages, limits, and how games end."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from ipaddress import ip_network
from pathlib import Path

import pytest

pytest.importorskip("textual_serve", reason="the extra web is not installed: pip install -e '.[web]'")

import aiohttp
from aiohttp import web
from multidict import CIMultiDict

from daoqi_tui.children import EXHAUSTED, HIGHEST
from daoqi_tui.play.online import connections
from daoqi_tui.play.online.connections import Site
from daoqi_tui.record.journal.format import replay
from daoqi_tui.web import server as served
from daoqi_tui.web.server import AccessControl, GameServer, served_environment
from tests.tui.in_terminal import Emulator
from tests.waiting import HANG, is_running
from tests.web.serving import let_in, serving

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
async def server_of(
    program: str, public_url: str | None = None, access: AccessControl | None = None
) -> AsyncIterator[tuple[GameServer, str]]:
    """Run a server in this process whose games are another program."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        # Where there is a public URL, a proxy on this computer leads here.
        site = Site((public_url,), (ip_network("127.0.0.1"),)) if public_url else Site()
        server = GameServer([sys.executable, "-c", program], listening, site, access)
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
    async with asyncio.timeout(HANG):
        while not condition():
            await asyncio.sleep(0.01)


async def status(url: str, **headers: str) -> int:
    async with aiohttp.ClientSession() as session, session.get(url, headers=headers) as answer:
        return answer.status


# A WebSocket starts as an HTTP request; one that is admitted but lacks the upgrade headers gets status 400.
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


@pytest.mark.parametrize(
    "message",
    [
        "no JSON",
        '["later", [1e400]]',
        "{}",
        "[]",
        '["resize", null]',
        '["resize", {}]',
        '["stdin", 5]',
        '["resize", {"width": 1e400, "height": 24}]',
        '["resize", {"width": 80, "height": -1e400}]',
        '["resize", {"width": NaN, "height": 24}]',
        '["resize", {"width": "80", "height": 24}]',
        f'["resize", {{"width": {"9" * 5000}, "height": 24}}]',
        "[" * 100_000,
        '["stdin", ' + '{"a":' * 100_000,
        '["ping", ' + "[" * 500 + "]" * 500 + "]",
    ],
    ids=lambda message: message[:40],
)
async def test_a_message_that_is_none_ends_the_game_and_nothing_else(
    message: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    async with (
        server_of(WAITS) as (server, url),
        aiohttp.ClientSession() as session,
        session.ws_connect(url + "/ws") as other,
        session.ws_connect(url + "/ws") as browser,
    ):
        await browser.send_str(message)
        async with asyncio.timeout(HANG):
            assert (await browser.receive()).type is aiohttp.WSMsgType.CLOSE
        await until(lambda: len(server._boards) == 1)
        await other.send_json(["ping", "7"])
        assert await other.receive_json() == ["pong", "7"]
    assert not caplog.records
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "message", ['["stdin", "\\ud800"]', '["later", [1]]', '["resize", {"width": 0, "height": -5}]']
)
async def test_a_message_that_says_little_leaves_the_game(message: str) -> None:
    async with (
        server_of(WAITS) as (_server, url),
        aiohttp.ClientSession() as session,
        session.ws_connect(url + "/ws") as browser,
    ):
        await browser.send_str(message)
        await browser.send_json(["ping", "7"])
        assert await browser.receive_json() == ["pong", "7"]


@pytest.mark.parametrize("query", ["width=1e400&height=-1", f"width={'9' * 5000}", f"width={'9' * 4000}", "height=NaN"])
async def test_a_size_that_no_window_has_opens_a_game_all_the_same(query: str) -> None:
    async with (
        server_of(WAITS) as (_server, url),
        aiohttp.ClientSession() as session,
        session.ws_connect(f"{url}/ws?{query}") as browser,
    ):
        await browser.send_json(["ping", "7"])
        assert await browser.receive_json() == ["pong", "7"]


POLICY = "default-src 'none'"


@pytest.mark.parametrize(
    ("path", "headers", "expected"),
    [
        ("/", {}, 200),
        ("/", {"Host": "evil.example"}, 403),
        ("/ws", {}, 400),
        ("/none", {}, 404),
        ("/static/js/textual.js", {}, 200),
        ("/static/none", {}, 404),
        ("/download/none", {}, 404),
    ],
)
async def test_every_answer_says_what_it_may_be_used_for(path: str, headers: dict[str, str], expected: int) -> None:
    async with (
        server_of(WAITS) as (_server, url),
        aiohttp.ClientSession() as session,
        session.get(url + path, headers=headers) as answer,
    ):
        assert answer.status == expected
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        policy = answer.headers["Content-Security-Policy"]
    directives = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert directives["default-src"] == directives["base-uri"] == directives["frame-ancestors"] == "'none'"
    assert "unsafe" not in policy
    assert not {"*", "ws:", "http:", "https:"} & set(policy.replace(";", " ").split())


async def test_every_page_has_a_word_of_its_own_for_its_scripts() -> None:
    async with server_of(WAITS) as (_server, url), aiohttp.ClientSession() as session:
        found = []
        for _ in range(2):
            async with session.get(url) as answer:
                [script] = re.findall("script-src ([^;]*)", answer.headers["Content-Security-Policy"])
                page = await answer.text()
            [nonce] = re.fullmatch("'nonce-([^']*)'", script).groups()  # type: ignore[union-attr]
            scripts = re.findall("<(?:script|style)[^>]*>", page)
            assert len(scripts) == 4
            assert all(f'nonce="{nonce}"' in script for script in scripts)
            assert not re.search(r"\son\w+=", page), "no handlers in the page"
            found.append(nonce)
        assert found[0] != found[1]


async def test_the_token_lets_one_browser_in_and_its_cookie_from_then_on() -> None:
    told: list[str] = []
    access = AccessControl(8000, lambda: told.append(access.token))
    first = access.token
    paths = ("/", "/ws", "/static/js/textual.js", "/download/none", "/none")
    async with (
        server_of(WAITS, access=access) as (server, url),
        aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as owner,
        aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as other,
    ):
        for path in paths:
            async with owner.get(url + path) as answer:
                assert answer.status == 403, path
                assert "Set-Cookie" not in answer.headers
        for wrong in ("", "a", first[:-1], first + "a", access.secret, "%ED%A0%80", "%FF"):
            assert await status(f"{url}/?token={wrong}") == 403
        # The token works neither on another path nor in a HEAD request.
        assert await status(f"{url}/ws?token={first}") == 403
        async with owner.head(f"{url}/?token={first}") as answer:
            assert answer.status == 403
        assert not told

        async with owner.get(f"{url}/?fontsize=20&token={first}") as answer:
            assert answer.status == 200
            assert 'content="0; url=./?fontsize=20"' in await answer.text()
            [cookie] = answer.headers.getall("Set-Cookie")
        assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(cookie.split("; "))
        assert "Secure" not in cookie
        assert told == [access.token] != [first]
        assert [await owner_status(owner, url + path) for path in paths] == [200, 400, 200, 404, 404]
        async with owner.ws_connect(url + "/ws"):
            await until(lambda: len(server._boards) == 1)
        # The same browser can open both addresses again without using up a token.
        assert await owner_status(owner, f"{url}/?token={first}") == 200
        assert await owner_status(owner, f"{url}/?token={access.token}") == 200
        assert len(told) == 1

        assert await owner_status(other, f"{url}/?token={first}") == 403
        assert await owner_status(other, f"{url}/?token={told[0]}") == 200
        assert await owner_status(other, url) == 200
        assert len(told) == 2


async def owner_status(session: aiohttp.ClientSession, url: str) -> int:
    async with session.get(url) as answer:
        return answer.status


@pytest.mark.parametrize("cookie", ["", "a", "\udcff", "é"])
async def test_a_cookie_that_is_none_lets_nobody_in(cookie: str, caplog: pytest.LogCaptureFixture) -> None:
    access = AccessControl(8000, lambda: None)
    async with server_of(WAITS, access=access) as (_server, url):
        reader, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
        request = f"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {access.cookie}={cookie}\r\nConnection: close\r\n\r\n"
        writer.write(request.encode("utf-8", "surrogateescape"))
        async with asyncio.timeout(HANG):
            assert (await reader.readline()).split()[1] == b"403"
        writer.close()
    assert not caplog.records


async def test_the_cookie_of_an_encrypted_page_is_for_encrypted_ones_alone() -> None:
    access = AccessControl(8000, lambda: None)
    async with (
        server_of(WAITS, "https://go.example.org", access) as (_server, url),
        aiohttp.ClientSession() as session,
        session.get(f"{url}/?token={access.token}") as answer,
    ):
        assert "Secure" in answer.headers["Set-Cookie"].split("; ")


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1"])
async def test_a_cookie_opens_nothing_for_the_pages_of_others(origin: str) -> None:
    access = AccessControl(8000, lambda: None)
    async with server_of(WAITS, access=access) as (_server, url):
        cookie = f"{access.cookie}={access.secret}"
        assert await status(url + "/ws", Cookie=cookie) == 400
        assert await status(url + "/ws", Cookie=cookie, Origin=origin) == 403
        assert await status(f"{url}/?token={access.token}", Origin=origin) == 403


@pytest.mark.parametrize(
    "request_line",
    ["\x00\xff" * 50, "GET / HTTP/\xa5.1", "GET / HTTP/1.1\r\nUpgr\xd6de: websocket", f"GET /?{'a' * 9000} HTTP/1.1"],
    ids=lambda line: line[:20],
)
async def test_what_is_no_http_is_refused_quietly(
    request_line: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    async with server_of(WAITS) as (_server, url):
        reader, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
        writer.write(f"{request_line}\r\n\r\n".encode("latin-1"))
        async with asyncio.timeout(HANG):
            assert (await reader.readline()).split()[1] == b"400"
        writer.close()
        assert await status(url) == 200
    assert not caplog.records
    assert capfd.readouterr() == ("", "")


async def test_a_connection_without_a_request_is_aborted_and_a_game_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    async with (
        server_of(WAITS) as (server, url),
        aiohttp.ClientSession() as session,
        session.ws_connect(url + "/ws"),
    ):
        await until(lambda: bool(server._boards))
        monkeypatch.setattr(connections, "_REQUEST", 0.1)
        reader, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
        with suppress(ConnectionResetError):
            async with asyncio.timeout(HANG):
                assert await reader.read() == b""
        writer.close()
        assert server._boards


async def test_a_request_of_which_half_comes_is_aborted(monkeypatch: pytest.MonkeyPatch) -> None:
    async def read(server: GameServer, request: web.Request) -> web.Response:
        await request.read()
        return web.Response()

    monkeypatch.setattr(GameServer, "_index", read)
    monkeypatch.setattr(connections, "_REQUEST", 0.1)
    async with server_of(WAITS) as (_server, url):
        reader, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
        writer.write(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 4\r\n\r\nha")
        with suppress(ConnectionResetError):
            async with asyncio.timeout(HANG):
                assert await reader.read() == b""
        writer.close()


async def test_an_unexpected_exception_is_reported_and_the_server_goes_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(Site, "visitor", lambda *_: {}["x"])
    async with server_of(WAITS) as (_server, url):
        assert await status(url + "/ws") == 500
        assert await status(url) == 200
    [report] = tmp_path.rglob("reports/*.txt")
    assert "KeyError: 'x'" in report.read_text("utf-8")
    words = f"daoqi-tui: an unexpected error occurred (KeyError); a report of it is in {report}\n"
    assert capfd.readouterr() == ("", words)


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
        await until(lambda: not server._boards)
        await until(lambda: processes[0].returncode is not None)
        assert processes[0].returncode == -signal.SIGKILL


async def test_a_game_that_breaks_down_is_closed_in_the_browser() -> None:
    program = WAITS.replace("sys.stdin.buffer.read()", "raise SystemExit(3)")
    async with (
        server_of(program) as (server, url),
        aiohttp.ClientSession() as session,
        session.ws_connect(url + "/ws") as browser,
    ):
        async with asyncio.timeout(HANG):
            assert (await browser.receive()).type is aiohttp.WSMsgType.CLOSE
        await until(lambda: not server._boards)


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
        async with asyncio.timeout(HANG):
            assert (await browser.receive()).type is aiohttp.WSMsgType.CLOSE
        await until(lambda: not server._boards)


async def test_too_many_boards_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served, "MOST_GAMES", 1)
    async with (
        server_of(WAITS) as (_server, url),
        aiohttp.ClientSession() as session,
        session.ws_connect(url + "/ws"),
    ):
        assert await status(url + "/ws") == 503
        assert await status(url + "/") == 200


async def test_one_address_may_hold_a_third_of_the_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served, "MOST_GAMES", 6)
    async with (
        server_of(WAITS, "https://go.example.org") as (server, url),
        aiohttp.ClientSession() as session,
        AsyncExitStack() as open_games,
    ):

        async def come(*told: str) -> bool:
            headers = CIMultiDict(("X-Forwarded-For", address) for address in told)
            before = len(server._boards)
            try:
                await open_games.enter_async_context(session.ws_connect(url + "/ws", headers=headers))
            except aiohttp.WSServerHandshakeError as error:
                return error.status != 503
            await until(lambda: len(server._boards) == before + 1)
            return True

        assert [await come() for _ in range(3)] == [True, True, False]
        # The local proxy appends its entry to whatever the client sent in the header.
        assert [await come(f"10.0.0.{part}, 192.0.2.1") for part in range(3)] == [True, True, False]
        assert not await come("10.0.0.9", "192.0.2.1")
        # An IPv6 network counts as one address.
        assert [await come(f"2001:db8::{part}") for part in range(3)] == [True, True, False]
        assert not await come("192.0.2.7"), "the board is full"


async def test_those_who_come_at_once_are_counted_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served, "MOST_GAMES", 6)
    async with server_of(WAITS) as (server, url), aiohttp.ClientSession() as session:
        came = await asyncio.gather(*(session.ws_connect(url + "/ws") for _ in range(12)), return_exceptions=True)
        games = [game for game in came if isinstance(game, aiohttp.ClientWebSocketResponse)]
        assert len(games) == len(server._boards) == 2
        for game in games:
            await game.close()
        await until(lambda: not server._boards)


@pytest.mark.parametrize("ends", [f"raise SystemExit({EXHAUSTED})", "import os; os.abort()"])
async def test_a_game_that_needs_too_much_memory_is_closed_with_the_reason(ends: str) -> None:
    program = WAITS.replace("sys.stdin.buffer.read()", ends)
    async with (
        server_of(program) as (_server, url),
        aiohttp.ClientSession() as session,
        session.ws_connect(url + "/ws") as browser,
    ):
        async with asyncio.timeout(HANG):
            message = await browser.receive()
        assert (message.type, message.data) == (aiohttp.WSMsgType.CLOSE, 4001)


async def play(session: aiohttp.ClientSession, url: str, keys: str) -> aiohttp.ClientWebSocketResponse:
    """Open a game, press keys, and wait until the program has shown the result."""
    browser = await session.ws_connect(f"{url}/ws?width=80&height=30", max_msg_size=0)
    seen = Emulator(80, 30)
    async with asyncio.timeout(HANG):
        for shown in ("Move 1", "Move 2"):
            while shown not in seen.text:
                message = await browser.receive()
                seen.feed(message.data if message.type is aiohttp.WSMsgType.BINARY else b"")
            if shown == "Move 1":
                await browser.send_json(["stdin", keys])
    return browser


async def test_a_window_of_any_size_typed_as_a_report_is_brought_within_bounds(tmp_path: Path) -> None:
    async with serving(tmp_path, "--white", "person") as server, let_in(server) as session:
        browser = await play(session, server.url, " ")
        await browser.send_json(["stdin", "\x1b[48;3000;9000;3000;9000t"])
        reached = 0
        async with asyncio.timeout(HANG):
            while reached < HIGHEST:
                message = await browser.receive()
                assert message.type is aiohttp.WSMsgType.BINARY, message
                reached = max([reached, *map(int, re.findall(rb"\x1b\[(\d+)(?:;\d+)?H", message.data))])
            assert reached == HIGHEST
            await browser.send_json(["resize", {"width": 80, "height": 30}])
            await browser.send_json(["stdin", "\x1b[C "])
            seen = Emulator(80, 30)
            while "Move 3" not in seen.text:
                message = await browser.receive()
                assert message.type is aiohttp.WSMsgType.BINARY, message
                seen.feed(message.data)
        await browser.close()


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL], ids=lambda how: how.name)
async def test_games_end_with_the_server_and_can_be_resumed(how: signal.Signals, tmp_path: Path) -> None:
    # Each way to end is that of the process itself.
    whole = serving(tmp_path, "--size", "9", "--komi", "0", forked=False)
    async with whole as server, let_in(server) as session:
        first, second = await asyncio.gather(*(play(session, server.url, " ") for _ in range(2)))
        assert len(server.kept()) == 2, "two tabs never share a journal"
        await server.stop(how)
        for journal in await server.wait_for_unfinished(2):
            restored = replay(journal)
            assert (restored.game.torus.size, restored.game.komi, restored.game.node.number) == (9, 0, 1)
            assert not restored.damaged
        await first.close()
        await second.close()


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="only Linux tells of child processes in /proc")
async def test_not_even_a_stopped_game_survives_a_killed_server(tmp_path: Path) -> None:
    async with serving(tmp_path, "--size", "9", forked=False) as server, let_in(server) as session:
        browser = await play(session, server.url, " ")
        [game] = (
            int(pid)
            for pid in Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read_text().split()
        )
        try:
            os.kill(game, signal.SIGSTOP)
            await server.stop(signal.SIGKILL)
            await until(lambda: not is_running(game))
        finally:
            with suppress(ProcessLookupError):
                os.kill(game, signal.SIGKILL)
        await browser.close()


async def test_a_browser_that_vanishes_leaves_its_game_to_be_resumed(tmp_path: Path) -> None:
    async with serving(tmp_path, "--white", "person") as server, let_in(server) as session:
        browser = await play(session, server.url, " ")
        # Without a closing handshake, as when a computer goes to sleep.
        assert browser._response.connection is not None
        transport = browser._response.connection.transport
        assert transport is not None
        transport.abort()
        [journal] = await server.wait_for_unfinished(1)
        assert replay(journal).game.node.number == 1
        # The next tab offers it, although the command line says who plays White.
        again = await session.ws_connect(f"{server.url}/ws?width=80&height=30")
        seen = Emulator(80, 30)
        async with asyncio.timeout(HANG):
            while "Unfinished games" not in seen.text:
                seen.feed((await again.receive()).data)
        await again.close()


def test_a_game_hears_of_the_browser_not_of_the_terminal_of_the_server() -> None:
    environment = {"TERM": "linux", "NO_COLOR": "1", "LC_ALL": "de_DE.ISO-8859-1", "LANG": "zh_CN.GB18030", "HOME": "/"}
    heard = served_environment(environment, 90, 30)
    assert (heard["TERM"], heard["COLUMNS"], heard["ROWS"], heard["HOME"]) == ("xterm-256color", "90", "30", "/")
    assert (heard["LC_ALL"], heard["LANG"]) == ("de_DE.UTF-8", "zh_CN.UTF-8")
    assert "NO_COLOR" not in heard
    assert heard["OPENBLAS_NUM_THREADS"] == "1"
    assert served_environment({"OPENBLAS_NUM_THREADS": "4"}, 90, 30)["OPENBLAS_NUM_THREADS"] == "4"


async def test_a_browser_that_is_refused_gets_a_page_and_a_program_the_sentence() -> None:
    access = AccessControl(1, lambda: None)
    async with server_of(WAITS, access=access) as (_server, url), aiohttp.ClientSession() as session:
        async with session.get(url) as plain, session.get(url, headers={"Accept": "text/html,*/*;q=0.8"}) as page:
            assert (plain.status, page.status) == (403, 403)
            assert (plain.content_type, page.content_type) == ("text/plain", "text/html")
            words, text = (await plain.text()).strip(), await page.text()
            policy = page.headers["Content-Security-Policy"]
        assert words.startswith("Open the board with the last address")
        assert f"<p>{words}</p>" in text
        [nonce] = re.findall(r'nonce="([^"]+)"', text)
        assert f"style-src 'nonce-{nonce}'" in policy
        async with session.get(url + "/none", headers={"Accept": "text/html"}) as page:
            assert page.status == 403
