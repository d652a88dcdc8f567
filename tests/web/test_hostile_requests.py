"""Hostile requests to every route of a lobby: none fails the server, and an honest pair finishes its game."""

from __future__ import annotations

import asyncio
import json
import random
import re
from contextlib import suppress
from pathlib import Path
from socket import create_server

import pytest

pytest.importorskip("textual_serve", reason="the extra web is not installed: pip install -e '.[web]'")
pytest.importorskip("sqlalchemy", reason="the extra server is not installed: pip install -e '.[server]'")

from aiohttp import ClientSession

from daoqi_tui import crash, log
from daoqi_tui.play.online.connections import Site
from daoqi_tui.play.online.invitation import Invitation
from daoqi_tui.play.online.limits import Limits
from daoqi_tui.play.online.members import Members
from daoqi_tui.play.online.protocol import Agree, Play, State
from daoqi_tui.play.online.server import Lobby
from daoqi_tui.play.online.store import Store
from daoqi_tui.play.online.table import Terms
from daoqi_tui.web.server import GameServer
from tests.play.online.table import Wire
from tests.thorough import rounds
from tests.waiting import HANG

REQUESTS = rounds(300, 10_000)
TEXTS = (
    "",
    "x",
    "Ke",
    "%",
    "_",
    "' OR 1=1 --",
    '"); DROP TABLE accounts; --',
    "\x00",
    "\x1b]0;title\x07",
    "\u202egnp",
    "К\u0435",
    "\ud800",
    "\U000e0041",
    "a" * 300,
    "9" * 40,
    "-1",
    "1e400",
    "NaN",
    "٣",
    "..",
    "../../../etc/passwd",
    "<script>alert(1)</script>",
    "${nonce}",
    "[[x]]",
    "{}",
)
NAMES = ("name", "size", "komi", "handicap", "rules", "clock", "black", "code", "secret", "winner", "player", "delay")
FIELDS = (*NAMES, "rated", "undo", "watch", "level", "bot", "days", "alone", "width", "height", "fontsize", "token")


class Grammar:
    """Makes requests: a known route, and members that are known, each with a value that may be anything."""

    def __init__(self, chance: random.Random, routes: list[tuple[str, str]], good: tuple[str, ...]) -> None:
        self.chance, self.routes, self.good = chance, routes, good

    def text(self) -> str:
        kind = self.chance.randrange(4)
        if kind == 0:
            return self.chance.choice(self.good)
        if kind == 1:
            return "".join(chr(self.chance.randrange(0x250)) for _ in range(self.chance.randrange(30)))
        return self.chance.choice(TEXTS)

    def raw(self) -> bytes:
        """A value of a header, with any bytes but the end of a line."""
        text = self.text().encode("utf-8", "surrogatepass")
        if self.chance.random() < 0.3:
            text += self.chance.randbytes(8)
        return re.sub(rb"[\r\n\0]", b"?", text)

    def query(self) -> bytes:
        pairs = []
        for _ in range(self.chance.randrange(4)):
            value = self.text().encode("utf-8", "surrogatepass")
            pairs.append(f"{self.chance.choice(FIELDS)}=".encode() + b"".join(b"%%%02X" % byte for byte in value))
        return b"&".join(pairs)

    def body(self) -> tuple[bytes, bytes]:
        kind = self.chance.randrange(4)
        if kind == 0:
            return b"application/x-www-form-urlencoded", self.query()
        if kind == 1:
            values = (self.text(), -1, 1e9, None, True, [], {}, [[]], 10**30)
            held = {self.chance.choice(FIELDS): self.chance.choice(values) for _ in range(3)}
            return b"application/json", json.dumps(held).encode()
        if kind == 2:
            return self.raw(), self.chance.randbytes(self.chance.randrange(60))
        return b"application/json", self.chance.choice((b"", b"{", b"[" * 3000, b"null", b'{"name":' * 500))

    def request(self) -> bytes:
        method, route = self.chance.choice(self.routes)
        if self.chance.random() < 0.1:
            method = self.chance.choice(("GET", "POST", "PUT", "OPTIONS", "HEAD", "DELETE"))

        def part(_found: re.Match[str]) -> str:
            text = self.chance.choice((self.chance.choice(self.good), self.text()))
            return "".join(f"%{byte:02X}" for byte in text.encode("utf-8", "surrogatepass"))

        path = re.sub(r"\{[^}]*\}", part, route)
        lines = [f"{method} {path}".encode() + b"?" + self.query() + b" HTTP/1.1", b"Host: 127.0.0.1"]
        headers = (
            (b"Cookie", lambda: self.cookie() + b"=" + self.raw()),
            (b"Authorization", lambda: b"Bearer " + self.raw()),
            (b"Accept-Language", self.raw),
            (b"X-Forwarded-For", self.raw),
            (b"Origin", lambda: self.chance.choice((b"http://127.0.0.1", self.raw()))),
            (b"Accept", lambda: self.chance.choice((b"text/html", self.raw()))),
            (b"If-Modified-Since", self.raw),
            (b"Range", self.raw),
        )
        lines += [name + b": " + make() for name, make in headers if self.chance.random() < 0.25]
        kind, body = self.body() if method in ("POST", "PUT") else (b"", b"")
        if body or kind:
            lines += [b"Content-Type: " + kind, b"Content-Length: %d" % len(body)]
        return b"\r\n".join(lines) + b"\r\n\r\n" + body

    def cookie(self) -> bytes:
        return self.chance.choice(self.good).encode()


class Line:
    """A connection that is opened again where the server closes it."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, request: bytes) -> int:
        """Send a request; return the status of the answer."""
        if self.streams is None:
            self.streams = await asyncio.open_connection("127.0.0.1", self.port)
        reader, writer = self.streams
        writer.write(request)
        async with asyncio.timeout(HANG):
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
        status = int(head.split(b" ", 2)[1])
        length = re.search(rb"content-length: (\d+)", head)
        if status < 200 or status >= 400 or length is None or b"connection: close" in head:
            await self.close()
        elif not request.startswith(b"HEAD"):
            await reader.readexactly(int(length[1]))
        return status

    async def close(self) -> None:
        if self.streams is not None:
            self.streams[1].transport.abort()
            self.streams = None


async def finish(session: ClientSession, url: str, seats: tuple[tuple[str, str], ...], game: str) -> None:
    """Have two honest clients play a game to its end."""
    wires = []
    for key, code in seats:
        socket = await session.ws_connect(Invitation(url, game).url, compress=0)
        wires.append(Wire(socket))
        assert (await wires[-1].join(code, key)).role in ("black", "white")
    for number, move in enumerate(("C3", "B2", "pass", "pass"), 1):
        await wires[1 - number % 2].say(Play(number, move))
    for wire in wires:
        while (await wire.hear(State)).phase != "counting":
            pass
        await wire.say(Agree(()))
    for wire in wires:
        while (state := await wire.hear(State)).phase != "over":
            pass
        assert state.result
        await wire.socket.close()


async def test_hostile_requests_are_answered_and_hurt_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reported: list[BaseException] = []
    monkeypatch.setattr(crash, "report", reported.append)
    monkeypatch.setattr(log, "error", reported.append)
    store = Store(f"sqlite:///{tmp_path}/accounts.db")
    known = store.claim("Ke", "x", "link")
    # So that what is asked is done, instead of being refused as too much.
    many = Limits(games=40, kept=40, lookups=10**9, opened=10**9, tables_per_address=10**9, opened_daily=10**9)
    lobby = Lobby(tmp_path / "games", tmp_path / "library", many, store=store)
    lobby.folder.mkdir()
    with create_server(("127.0.0.1", 0)) as listening:
        members = Members(lobby, store)
        server, ready = GameServer(["true"], listening, Site(), None, lobby=lobby, members=members), asyncio.Event()
        task = asyncio.create_task(server.run(ready.set))
        async with asyncio.timeout(HANG):
            await ready.wait()
        port = listening.getsockname()[1]
        try:
            game, key, code = lobby.host(Terms(size=5, black="host"), "Lu")
            good = (game.name, key, code, known.id, "9", "daoqi", "on", lobby.cookie, f"daoqi-seat-{port}-{game.name}")
            routes = sorted({(route.method, route.resource.canonical) for route in server.app().router.routes()})
            grammar, line = Grammar(random.Random(7), routes, good), Line(port)
            statuses: dict[int, int] = {}
            for _ in range(REQUESTS):
                request = grammar.request()
                status = await line.ask(request)
                statuses[status] = statuses.get(status, 0) + 1
                assert status < 500, (request, reported)
                assert reported == [], request
            await line.close()
            # The grammar reaches what is behind the routes.
            assert {200, 303, 400, 403, 404} <= statuses.keys(), statuses
            assert len(lobby.games) <= many.games
            async with ClientSession() as session:
                await finish(session, f"ws://127.0.0.1:{port}", ((key, ""), ("", code)), game.name)
            assert reported == []
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            store.close()
