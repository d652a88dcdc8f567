"""A web server on which every tab of a browser is a game of its own, in a process of its own.

textual-serve carries the program's screen to the browser and the browser's keys and clicks back. What it leaves to
others is done here: only our own page may speak to a game, whatever other page is open in the same browser; the page
fetches nothing from elsewhere; and a game whose tab has gone always ends, so that it can be resumed.
"""

from __future__ import annotations

import asyncio
import ipaddress
import os
import re
import signal
import socket
from asyncio.subprocess import PIPE, Process
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from html import escape
from importlib.metadata import version
from pathlib import Path
from string import Template
from typing import Final
from urllib.parse import quote, urlsplit

from aiohttp import web
from textual_serve.app_service import AppService
from textual_serve.server import Server

from daoqi_tui.i18n import _, language

MOST_GAMES: Final = 24
"""Tabs that can be open at once; each is a process of some 50 MB."""
_PATIENCE: Final = 5.0
"""Seconds that a game has to end by itself; it writes nothing that is not on the disk already."""
_HEARTBEAT: Final = 15.0
"""Seconds between two questions whether the browser is still there."""
_FAREWELL: Final = 2.0
"""Seconds for a browser to agree that its game is closed."""
_WIDEST, _HIGHEST = 1000, 400
_TITLE: Final = "Daoqi"
_PAGE: Final = Path(__file__).parent / "serving.html"
_HEADERS: Final = {
    # Nothing from elsewhere, and in no other page's frame, where clicks could be stolen.
    "Content-Security-Policy": (
        "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data:; connect-src 'self' ws: wss:; frame-ancestors 'none'"
    ),
    "Cache-Control": "no-cache",
}


class GameProcess(AppService):
    """One tab's game."""

    words: Sequence[str] = ()
    """The command line."""

    def _build_environment(self, width: int = 80, height: int = 24) -> dict[str, str]:
        return served_environment(os.environ, width, height)

    async def _open_app_process(self, width: int = 80, height: int = 24) -> Process:
        # Without the shell between, which would have to be quoted for, and waited for.
        width, height = _clamped(width, height)
        self._process = await asyncio.create_subprocess_exec(
            *self.words, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=self._build_environment(width, height)
        )
        assert self._process.stdin is not None
        self._stdin = self._process.stdin
        return self._process

    async def set_terminal_size(self, width: int, height: int) -> None:
        """Tell the program how large the window is; what no window can be is brought within bounds."""
        await super().set_terminal_size(*_clamped(width, height))

    async def run(self) -> None:
        """Pass on what the program shows; a program that ended without a word is not waited for in the browser."""
        task = asyncio.current_task()
        try:
            await super().run()
        except asyncio.CancelledError:
            # Textual's server cancels what reads the errors; where a program had ended at once, before it began to.
            if task is not None and task.cancelling():
                raise
        if self._task is not None:
            await self.remote_close()

    async def on_data(self, payload: bytes) -> None:
        """Show what the program sends; after the tab has closed, only take it, so that the program is not held up."""
        with suppress(ConnectionError):
            await super().on_data(payload)

    async def stop(self) -> None:
        """End the program: by asking, then by closing its input, then by force."""
        process, task = self._process, self._task
        if process is None or task is None:
            return
        self._task = None
        try:
            async with asyncio.timeout(_PATIENCE):
                await self._download_manager.cancel_app_downloads(app_service_id=self.app_service_id)
                await self.send_meta({"type": "quit"})
                self.stdin.close()
                await process.wait()
        except TimeoutError:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


class GameServer(Server):
    """Serves the page and its games.

    Args:
        words: the command line of a game.
        listening: where requests come in.
        public_url: the address under which a proxy shows the page, None without one.
    """

    def __init__(self, words: Sequence[str], listening: socket.socket, public_url: str | None = None) -> None:
        host, port = listening.getsockname()[:2]
        super().__init__(words[0], host, port, title=_TITLE, public_url=public_url)
        self._words = tuple(words)
        self._listening = listening
        self._public = public_url.rstrip("/") if public_url else None
        self._sockets: set[web.WebSocketResponse] = set()

    async def run(self, ready: Callable[[], None]) -> None:
        """Serve until a signal ends it; ``ready`` is called when the page can be opened."""
        app = web.Application(middlewares=[self._guard])
        app.add_routes(
            [
                web.get("/", self._index),
                web.get("/ws", self._play),
                web.get("/download/{key}", self._download),
                web.static("/static", self.statics_path),
            ]
        )
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=_PATIENCE + 1)
        await runner.setup()
        try:
            await web.SockSite(runner, self._listening).start()
            ended = asyncio.Event()
            loop = asyncio.get_running_loop()
            # Windows has fewer signals and no handlers; there Ctrl+C cancels this very coroutine.
            signals = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
            with suppress(NotImplementedError):
                for each in signals:
                    loop.add_signal_handler(each, ended.set)
            ready()
            await ended.wait()
            # Whoever asks twice does not want to wait for the browsers to say goodbye.
            for each in signals:
                loop.remove_signal_handler(each)
        finally:
            await asyncio.gather(*(browser.close(code=1001) for browser in self._sockets), return_exceptions=True)
            await runner.cleanup()

    @web.middleware
    async def _guard(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        """Answer only those who asked for this page by its own name, from this page."""
        names = {self.host, urlsplit(self._public or "").hostname}
        if not (is_own_name(request.host, names) and self._is_own_origin(request)):
            raise web.HTTPForbidden(text=_("This address is not that of the board: see --public-url.") + "\n")
        response: web.StreamResponse = await handler(request)
        if not response.prepared:
            response.headers.update(_HEADERS)
        return response

    def _is_own_origin(self, request: web.Request) -> bool:
        """Whether a request comes from our page, or from no page at all."""
        origin = request.headers.get("Origin")
        if origin is None:
            return True
        public = urlsplit(self._public or "")
        return origin in (f"{request.scheme}://{request.host}", f"{public.scheme}://{public.netloc}")

    async def _index(self, request: web.Request) -> web.Response:
        asked = request.query.get("fontsize")
        base = self._public or f"{request.scheme}://{request.host}"
        words = {
            "language": language(),
            "base": base,
            "socket": re.sub("^http", "ws", base) + "/ws",
            "font_size": str(min(40, max(6, _number(asked, 16)))) if asked else "",
            "loading": _("The board is being set up …"),
            "closed": _("This game is closed. What was played is kept: open the board again to go on."),
            "again": _("Open the board"),
        }
        page = Template(_PAGE.read_text("utf-8"))
        text = page.substitute({name: escape(word) for name, word in words.items()})
        return web.Response(text=text, content_type="text/html")

    async def _download(self, request: web.Request) -> web.StreamResponse:
        """Hand over a file that a game offers."""
        key = request.match_info["key"]
        try:
            offered = await self.download_manager.get_download_metadata(key)
        except KeyError as error:
            raise web.HTTPNotFound from error
        # Names may have spaces and be in any script (RFC 6266).
        headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(offered.file_name)}"}
        response = web.StreamResponse(headers=headers)
        response.content_type = offered.mime_type
        await response.prepare(request)
        async for chunk in self.download_manager.download(key):
            await response.write(chunk)
        await response.write_eof()
        return response

    async def _play(self, request: web.Request) -> web.StreamResponse:
        """Play one game, for as long as its tab is open."""
        if len(self._sockets) >= MOST_GAMES:
            raise web.HTTPServiceUnavailable(text=_("Too many boards are open already.") + "\n")
        browser = web.WebSocketResponse(heartbeat=_HEARTBEAT, timeout=_FAREWELL)
        await browser.prepare(request)
        self._sockets.add(browser)

        async def close() -> None:
            await browser.close()

        game = GameProcess(
            self.command,
            write_bytes=browser.send_bytes,
            write_str=browser.send_str,
            close=close,
            download_manager=self.download_manager,
        )
        game.words = self._words
        try:
            await game.start(_number(request.query.get("width"), 80), _number(request.query.get("height"), 24))
            # What is no message of our page's ends the game as closing the tab does.
            with suppress(AssertionError, AttributeError, LookupError, TypeError, ValueError):
                await self._process_messages(browser, game)
        finally:
            self._sockets.discard(browser)
            await game.stop()
            await browser.close()
        return browser


def served_environment(environment: Mapping[str, str], width: int, height: int) -> dict[str, str]:
    """The variables of a game: those of a terminal such as the browser's, whatever the server's own is."""
    served = {
        **environment,
        "TEXTUAL_DRIVER": "daoqi_tui.tui.served:ServedDriver",
        "TEXTUAL_FPS": "60",
        "TEXTUAL_COLOR_SYSTEM": "truecolor",
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "TERM_PROGRAM": "textual",
        "TERM_PROGRAM_VERSION": version("textual-serve"),
        "COLUMNS": str(width),
        "ROWS": str(height),
        "PYTHONUTF8": "1",
    }
    served.pop("NO_COLOR", None)
    for name in ("LC_ALL", "LC_CTYPE", "LANG"):
        if "." in served.get(name, ""):
            served[name] = re.sub(r"\.[^@]*", ".UTF-8", served[name])
    return served


def is_own_name(host: str, names: set[str | None]) -> bool:
    """Whether a page was asked for by a number, by a name of this computer, or by one of ``names``.

    A stranger's page can have its own name lead to this computer (DNS rebinding), but not a number.

    >>> is_own_name("127.0.0.1:8000", set()), is_own_name("[::1]:8000", set()), is_own_name("evil.example", set())
    (True, True, False)
    """
    try:
        name = urlsplit(f"//{host}").hostname
    except ValueError:
        return False
    if name is None:
        return False
    with suppress(ValueError):
        ipaddress.ip_address(name)
        return True
    return name in ("localhost", socket.gethostname().lower(), *names)


def serve(words: Sequence[str], listening: socket.socket, public_url: str | None, ready: Callable[[], None]) -> None:
    """Serve games until a signal ends it."""
    with suppress(KeyboardInterrupt):
        asyncio.run(GameServer(words, listening, public_url).run(ready))


def _clamped(width: int, height: int) -> tuple[int, int]:
    return min(_WIDEST, max(1, int(width))), min(_HIGHEST, max(1, int(height)))


def _number(text: str | None, default: int) -> int:
    try:
        return int(text or "")
    except ValueError:
        return default
