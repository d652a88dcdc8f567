"""The board in Firefox, which draws, measures and reports pointers by code of its own: dragged, played and narrow."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

pytest.importorskip("textual_serve", reason="the extra web is not installed: pip install -e '.[web]'")

import aiohttp

from daoqi_tui.engine import Torus
from tests.play.online.table import Player, Time
from tests.waiting import HANG
from tests.web.test_lobby import lobby_here, open_game, somebody

PROGRAM = shutil.which("firefox-esr") or shutil.which("firefox")
SIZE = 9


class Firefox:
    """A headless Firefox with one tab, driven over WebDriver BiDi (https://w3c.github.io/webdriver-bidi/)."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._number = 0
        self.tab = ""
        self.complaints: list[str] = []

    async def call(self, method: str, **parameters: Any) -> Any:
        self._number += 1
        await self._socket.send_json({"id": self._number, "method": method, "params": parameters})
        while True:
            told = await self._socket.receive_json(timeout=HANG)
            if told.get("method") == "log.entryAdded" and told["params"]["level"] == "error":
                self.complaints.append(str(told["params"]["text"]))
            if told.get("id") == self._number:
                assert told["type"] == "success", told
                return told["result"]

    async def value(self, expression: str) -> Any:
        where = {"target": {"context": self.tab}, "awaitPromise": True}
        found = await self.call("script.evaluate", expression=f"JSON.stringify({expression})", **where)
        assert found["type"] == "success", found
        return json.loads(found["result"].get("value", "null"))

    async def shows(self, condition: str) -> None:
        async with asyncio.timeout(HANG):
            while not await self.value(f"document.readyState === 'complete' && Boolean({condition})"):
                await asyncio.sleep(0.05)

    async def point(self, kind: str, *places: tuple[float, float]) -> None:
        """Press at the first place, move over the others, and release."""
        first, *rest = ({"type": "pointerMove", "x": round(x), "y": round(y), "duration": 20} for x, y in places)
        acts = [first, {"type": "pointerDown", "button": 0}, *rest, {"type": "pointerUp", "button": 0}]
        pointer = {"type": "pointer", "id": kind, "parameters": {"pointerType": kind}, "actions": acts}
        await self.call("input.performActions", context=self.tab, actions=[pointer])

    async def board(self) -> dict[str, float]:
        return dict(
            await self.value(
                "(() => { const c = document.querySelector('#board'), b = c.getBoundingClientRect(), d = c.dataset;"
                " return {left: +d.left, top: +d.top, x: b.left + +d.x, y: b.top + +d.y, cell: +d.cell} })()"
            )
        )

    async def place(self, name: str) -> tuple[float, float]:
        row, column = Torus(SIZE).position(Torus(SIZE).parse(name))
        at = await self.board()
        return tuple(
            at[start] + ((line - at[first]) % SIZE + 0.5) * at["cell"]
            for start, first, line in (("x", "left", column), ("y", "top", row))
        )


@asynccontextmanager
async def firefox() -> AsyncIterator[Firefox]:
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        process = await asyncio.create_subprocess_exec(
            *(PROGRAM or "firefox", "--headless", "--no-remote", "--profile", folder, "--remote-debugging-port=0"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={**os.environ, "HOME": folder},
        )
        try:
            assert process.stderr is not None
            async with asyncio.timeout(HANG):
                while "BiDi listening on " not in (line := (await process.stderr.readline()).decode()):
                    assert line, "Firefox has ended"
            url = f"{line.split()[-1]}/session"
            async with aiohttp.ClientSession() as session, session.ws_connect(url, max_msg_size=0) as socket:
                browser = Firefox(socket)
                await browser.call("session.new", capabilities={})
                await browser.call("session.subscribe", events=["log.entryAdded"])
                browser.tab = (await browser.call("browsingContext.getTree"))["contexts"][0]["context"]
                yield browser
                await browser.call("browser.close")
        finally:
            if process.returncode is None:
                process.kill()
            # What it still says is read, so that it can end.
            await process.communicate()


@pytest.mark.skipif(PROGRAM is None, reason="no Firefox on this machine (Debian: apt-get install firefox-esr)")
async def test_the_board_is_dragged_and_played_in_firefox_by_mouse_and_by_touch(tmp_path: Path) -> None:
    async with lobby_here(tmp_path, Time()) as (_lobby, url), somebody() as host, firefox() as browser:
        table = await open_game(host, url, size=str(SIZE))
        game = table.rpartition("/")[2]
        [seat] = [cookie.value for cookie in host.cookie_jar]
        white = Player(url.replace("http", "ws", 1), game, code=seat.partition(".")[2])
        await white.until(lambda: white.client.role == "white")
        cookie = {"name": f"daoqi-seat-{url.rpartition(':')[2]}-{game}", "path": f"/table/{game}"}
        value = {"type": "string", "value": seat}
        await browser.call("storage.setCookie", cookie={**cookie, "value": value, "domain": "127.0.0.1"})
        for kind, width, played in (("mouse", 1100, "C7"), ("touch", 360, "G3")):
            window = {"width": width, "height": 700}
            await browser.call("browsingContext.setViewport", context=browser.tab, viewport=window)
            if kind == "mouse":
                await browser.call("browsingContext.navigate", context=browser.tab, url=table, wait="complete")
            await browser.shows(
                f"innerWidth === {width} && document.querySelector('#standing')?.textContent === 'Your move'"
            )
            # Drawn for this width.
            await browser.shows(
                "(({ dataset: d, clientWidth }) => +d.x + 9 * d.cell <= clientWidth)(document.querySelector('#board'))"
            )
            before = await browser.board()
            x, y = await browser.place("E5")
            steps = [(x - before["cell"] * part, y) for part in (0, 0.5, 1, 1.5, 2)]
            await browser.point(kind, *steps)
            left = (before["left"] + 2) % SIZE
            await browser.shows(f"+document.querySelector('#board').dataset.left === {left}")
            assert await browser.value("[document.documentElement.scrollWidth, scrollX]") == [width, 0]
            await browser.point(kind, await browser.place(played))
            await white.my_turn()
            assert white.client.game.node.move is not None
            assert white.client.game.node.move.point == Torus(SIZE).parse(played)
            white.client.play(Torus(SIZE).parse("E5" if kind == "mouse" else "F6"))
        assert not browser.complaints
        await white.end()
