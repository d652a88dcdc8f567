"""A headless Chromium, driven over its DevTools protocol.

https://chromedevtools.github.io/devtools-protocol/ — it needs only a system browser and aiohttp, which serving needs
anyway.
"""

from __future__ import annotations

import asyncio
import atexit
import base64
import json
import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import cache
from pathlib import Path
from socket import gethostname
from tempfile import TemporaryDirectory
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

import aiohttp
import pyte

from tests.waiting import HANG

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
WINDOW = (1280, 800)
BINARY = 2
CONTROL, SHIFT = 2, 8
_NAVIGATED = (
    "Inspected target navigated or closed",
    "uniqueContextId not found",
    "Execution context was destroyed",
    "Cannot find context with specified id",
)
"""What the browser's errors say where a navigation breaks off what was asked of a document."""


def found() -> str | None:
    """Return the path of a Chromium, or None if there is none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Page:
    """One tab; ``screen`` is what a terminal of its size shows after everything that the page received."""

    def __init__(self, session: aiohttp.ClientSession, socket: aiohttp.ClientWebSocketResponse, frame: str) -> None:
        self._session, self._socket, self._frame = session, socket, frame
        # The id by which scripts are evaluated in the document that is shown; None between two.
        self._document: str | None = None
        self._number = 0
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self.screen = pyte.Screen(80, 24)
        self._stream = pyte.ByteStream(self.screen)
        self.requests: list[str] = []
        """The addresses of everything the page requested."""
        self.complaints: list[str] = []
        """Errors reported by the browser: violations of the content policy, and script errors."""
        self.sent: list[str] = []
        """The messages that the page sent to the program."""
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def opened(cls, session: aiohttp.ClientSession, target: dict[str, str], url: str) -> Self:
        page = cls(session, await session.ws_connect(target["webSocketDebuggerUrl"], max_msg_size=0), target["id"])
        for domain in ("Page", "Network", "Runtime", "Log"):
            await page.call(f"{domain}.enable")
        await page.call("Page.navigate", url=url)
        return page

    async def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        number = self._number
        answer = self._waiting[number] = asyncio.get_running_loop().create_future()
        await self._socket.send_json({"id": number, "method": method, "params": parameters})
        async with asyncio.timeout(HANG):
            return await answer

    async def _read(self) -> None:
        try:
            await self._hear_all()
        finally:
            for waiting in self._waiting.values():
                if not waiting.done():
                    waiting.set_exception(ConnectionError("the page is closed"))

    async def _hear_all(self) -> None:
        async for message in self._socket:
            event = message.json()
            if "id" in event:
                waiting = self._waiting.pop(event["id"], None)
                if waiting is None or waiting.done():
                    continue
                if "error" in event:
                    waiting.set_exception(RuntimeError(str(event["error"])))
                else:
                    waiting.set_result(event["result"])
                continue
            self._hear(event["method"], event["params"])

    def _hear(self, method: str, told: dict[str, Any]) -> None:
        if method == "Network.requestWillBeSent":
            self.requests.append(told["request"]["url"])
        elif method == "Log.entryAdded" and told["entry"]["level"] == "error":
            self.complaints.append(told["entry"]["text"])
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(str(told["exceptionDetails"]))
        elif method == "Runtime.executionContextsCleared":
            self._document = None
        elif method == "Runtime.executionContextCreated":
            world = told["context"]["auxData"]
            if world["isDefault"] and world["frameId"] == self._frame:
                self._document = told["context"]["uniqueId"]
        elif method == "Network.webSocketCreated":
            self.requests.append(told["url"])
            size = parse_qs(urlsplit(told["url"]).query)
            # A board in canvas has no terminal.
            if size:
                self.screen.resize(int(size["height"][0]), int(size["width"][0]))
        elif method == "Network.webSocketFrameSent":
            self._note_sent(told["response"]["payloadData"])
        elif method == "Network.webSocketFrameReceived" and told["response"]["opcode"] == BINARY:
            self._stream.feed(base64.b64decode(told["response"]["payloadData"]))

    def _note_sent(self, message: str) -> None:
        self.sent.append(message)
        match json.loads(message):
            case ["resize", {"height": height, "width": width}]:
                self.screen.resize(height, width)

    async def value(self, expression: str) -> Any:
        """Return the value of a JavaScript expression; if a navigation breaks it off, that in the new document."""
        document = None
        async with asyncio.timeout(HANG):
            while True:
                # Without a document named, it might be the empty one in which the browser begins the next.
                await self.wait(lambda: self._reading.done() or self._document not in (None, document))  # noqa: B023
                document = self._document
                try:
                    answer = await self.call(
                        "Runtime.evaluate",
                        expression=expression,
                        uniqueContextId=document,
                        returnByValue=True,
                        awaitPromise=True,
                    )
                except RuntimeError as problem:
                    if not any(words in str(problem) for words in _NAVIGATED):
                        raise
                else:
                    return answer["result"].get("value")

    async def wait(self, until: Callable[[], bool], seconds: float = HANG) -> None:
        """Wait until a condition holds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not until():
                    await asyncio.sleep(0.05)
        assert until(), self.text

    async def wait_until(self, words: str) -> None:
        """Wait until the terminal shows some words."""
        await self.wait(lambda: words in self.text)

    @property
    def text(self) -> str:
        return "\n".join(self.screen.display)

    async def mouse(self, kind: str, x: float, y: float, button: str = "left") -> None:
        """Send a press, move or release of the mouse, in pixels of the page."""
        held = kind == "mouseMoved" and button != "none"
        await self.call(
            "Input.dispatchMouseEvent",
            type=kind,
            x=x,
            y=y,
            button=button,
            buttons=int(held or kind == "mousePressed"),
            clickCount=0 if kind == "mouseMoved" else 1,
        )

    async def wheel(self, x: float, y: float, across: float, along: float, modifiers: int = 0) -> None:
        """Turn the wheel, in pixels of the page."""
        place = {"x": x, "y": y, "deltaX": across, "deltaY": along, "modifiers": modifiers}
        await self.call("Input.dispatchMouseEvent", type="mouseWheel", **place)

    async def enter(self) -> None:
        """Press the Enter key."""
        for kind in ("keyDown", "keyUp"):
            text = {"text": "\r"} if kind == "keyDown" else {}
            code = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13}
            await self.call("Input.dispatchKeyEvent", type=kind, **code, **text)

    async def type(self, sign: str) -> None:
        """Press the key of a character."""
        await self.call("Input.dispatchKeyEvent", type="keyDown", key=sign, text=sign)
        await self.call("Input.dispatchKeyEvent", type="keyUp", key=sign)

    async def paste(self) -> None:
        """Press Ctrl+V."""
        code = {"key": "v", "code": "KeyV", "windowsVirtualKeyCode": 86, "modifiers": CONTROL}
        await self.call("Input.dispatchKeyEvent", type="rawKeyDown", commands=["paste"], **code)
        await self.call("Input.dispatchKeyEvent", type="keyUp", **code)

    async def picture(self, path: Path) -> None:
        shot = await self.call("Page.captureScreenshot", format="png")
        path.write_bytes(base64.b64decode(shot["data"]))

    async def close(self) -> None:
        with suppress(RuntimeError, TimeoutError, ConnectionError):
            await self.call("Page.close")
        await self._socket.close()
        await asyncio.gather(self._reading, return_exceptions=True)


class Chromium:
    """A browser without cookies and tabs; at the end its tabs are closed."""

    def __init__(self, session: aiohttp.ClientSession, devtools: str) -> None:
        self._session, self._devtools = session, devtools
        self._opened: list[str] = []

    async def open(self, url: str) -> Page:
        """Open an address in a new tab."""
        async with self._session.put(f"{self._devtools}/json/new") as answer:
            target = await answer.json(content_type=None)
        self._opened.append(target["id"])
        return await Page.opened(self._session, target, url)

    async def forget_cookies(self) -> None:
        async with self._session.get(f"{self._devtools}/json/version") as answer:
            address = (await answer.json(content_type=None))["webSocketDebuggerUrl"]
        async with self._session.ws_connect(address, max_msg_size=0) as socket, asyncio.timeout(HANG):
            await socket.send_json({"id": 1, "method": "Storage.clearCookies"})
            assert "result" in await socket.receive_json()

    async def close_tabs(self) -> None:
        for tab in self._opened:
            async with self._session.get(f"{self._devtools}/json/close/{tab}"):
                pass


@asynccontextmanager
async def chromium(window: tuple[int, int] = WINDOW, *options: str) -> AsyncIterator[Chromium]:
    """Run a browser. One process is kept for all that need no other window and no options."""
    process = _Process(window, options) if options or window != WINDOW else _kept()
    try:
        async with aiohttp.ClientSession() as session:
            browser = Chromium(session, await process.devtools())
            await browser.forget_cookies()
            try:
                yield browser
            finally:
                await browser.close_tabs()
    finally:
        if process is not _kept():
            process.end()


class _Process:
    """A process of the browser, with a profile of its own."""

    def __init__(self, window: tuple[int, int], options: Sequence[str]) -> None:
        program = found()
        assert program is not None
        self._folder = TemporaryDirectory(ignore_cleanup_errors=True)
        folder = self._folder.name
        self._process = subprocess.Popen(
            [
                program,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                # Software rendering, without a GPU.
                "--enable-unsafe-swiftshader",
                "--disable-dev-shm-usage",
                "--no-first-run",
                # For pages that are not from this computer.
                f"--host-resolver-rules=MAP {gethostname()} 127.0.0.1",
                f"--window-size={window[0]},{window[1]}",
                f"--user-data-dir={folder}/profile",
                "--remote-debugging-port=0",
                *options,
                "about:blank",
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": folder, "XDG_CONFIG_HOME": folder, "XDG_CACHE_HOME": folder},
        )

    async def devtools(self) -> str:
        """Return the address of the protocol, when it is ready."""
        told = Path(self._folder.name) / "profile" / "DevToolsActivePort"
        async with asyncio.timeout(HANG):
            while not (told.exists() and "\n" in told.read_text()):
                assert self._process.poll() is None, "Chromium did not start"
                await asyncio.sleep(0.05)
        return f"http://127.0.0.1:{told.read_text().splitlines()[0]}"

    def end(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._folder.cleanup()


@cache
def _kept() -> _Process:
    process = _Process(WINDOW, ())
    atexit.register(process.end)
    return process
