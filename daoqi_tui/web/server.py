"""The web server of ``serve``: every browser tab is a game in a separate process.

textual-serve sends the program's screen to the browser, and keys and clicks back. This module adds checks of host,
origin and token, a strict content security policy, limits, and reliably ends games whose tab was closed, so that they
can be resumed.
"""

from __future__ import annotations

import asyncio
import json
import re
import signal
import socket
from asyncio.subprocess import PIPE, Process
from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from functools import lru_cache, partial
from hmac import compare_digest
from html import escape
from importlib.metadata import version
from pathlib import Path
from secrets import token_urlsafe
from string import Template
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from urllib.parse import quote, urlencode, urlsplit

from aiohttp import WSCloseCode, WSMsgType, web
from textual_serve.app_service import AppService
from textual_serve.server import Server

from daoqi_tui import codec, log
from daoqi_tui.children import EXHAUSTED, clamped, environment, kill
from daoqi_tui.i18n import _, language
from daoqi_tui.message import Message
from daoqi_tui.paths import assets_folder
from daoqi_tui.play.background import begin_task
from daoqi_tui.play.online.connections import REQUEST_LOG, IdleConnections, Site
from daoqi_tui.signals import handling
from daoqi_tui.web.lobby import MADE_WAY, MOST_GAMES, Board, Boards, LobbyPages, NoRoomError, unavailable
from daoqi_tui.web.players import PlayerPages

if TYPE_CHECKING:
    from daoqi_tui.play.online.bots import House
    from daoqi_tui.play.online.members import Members
    from daoqi_tui.play.online.server import Lobby

TOKEN: Final = "token"
_BYTES: Final = 32


class AccessControl:
    """Admits one browser per token, and recognises it by a cookie from then on.

    Args:
        port: the server's. Cookies do not depend on the port, so those of two servers need different names.
        renewed: called when a token has been used and replaced.

    Attributes:
        token: admits the next browser.
        cookie: the name of the cookie.
        secret: the value of the cookie.
    """

    def __init__(self, port: int, renewed: Callable[[], None]) -> None:
        self.token = token_urlsafe(_BYTES)
        self.cookie: Final = f"daoqi-tui-{port}"
        self.secret: Final = token_urlsafe(_BYTES)
        self._renewed = renewed

    def is_admitted(self, cookies: Mapping[str, str]) -> bool:
        return _is_same(cookies.get(self.cookie, ""), self.secret)

    def use_token(self, token: str) -> bool:
        """Return whether `token` is valid; a valid token is thereby used up."""
        if not _is_same(token, self.token):
            return False
        self.token = token_urlsafe(_BYTES)
        self._renewed()
        return True


def _is_same(given: str, secret: str) -> bool:
    """Compare in constant time; `given` comes from the network and may contain lone surrogates."""
    return compare_digest(given.encode("utf-8", "surrogatepass"), secret.encode())


def without_token(request: web.Request) -> web.Response:
    """Return a page that redirects to the URL without the token.

    Not an HTTP redirect, which a browser coming from a link on another site would follow without the cookie.
    """
    query = urlencode([(name, word) for name, word in request.query.items() if name != TOKEN])
    address = escape(f"./?{query}" if query else "./")
    leading = f'<meta http-equiv="refresh" content="0; url={address}">'
    page = f'<!DOCTYPE html><html><head><meta charset="utf-8">{leading}<title>Daoqi</title></head></html>'
    return web.Response(text=page, content_type="text/html")


_PATIENCE: Final = 5.0
"""Seconds before a game is killed; everything played is already on disk."""
_HEARTBEAT: Final = 15.0
"""Seconds between pings of the browser."""
_FAREWELL: Final = 2.0
_WENT_EXHAUSTED: Final = 4001
"""The WebSocket close code for a game that needed too much memory."""
_TITLE: Final = "Daoqi"
_PAGE: Final = Path(__file__).parent / "page.html"
_REFUSAL: Final = Path(__file__).parent / "refusal.html"
_POLICY: Final = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
"""Nothing is loaded, and no other page may frame this one (clickjacking)."""
_PAGE_POLICY: Final = (
    f"{_POLICY}; script-src 'nonce-$nonce'; style-src 'self' 'nonce-$nonce'; font-src 'self'; img-src data:; "
    "media-src data:; connect-src 'self'"
)
"""For the page: files of this server, and inline scripts and styles with the nonce of this response."""
_HEADERS: Final = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    # Addresses may contain a token.
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}


@lru_cache
def _recording(name: str) -> str:
    """Return a sound in Base64."""
    return b64encode((assets_folder() / "sounds" / f"{name}.wav").read_bytes()).decode()


@web.middleware
async def _refusal_page(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """Give a browser that asks for a page and is refused one that says why; scripts and programs get the sentence."""
    try:
        return await handler(request)
    except web.HTTPException as error:
        if error.status < 400 or "text/html" not in request.headers.get("Accept", ""):
            raise
        words = {"language": language(), "words": escape((error.text or "").strip()), "nonce": token_urlsafe(16)}
        text = Template(_REFUSAL.read_text("utf-8")).substitute(words)
        headers = {"Content-Security-Policy": f"{_POLICY}; style-src 'nonce-{words['nonce']}'"}
        headers |= {name: value for name, value in error.headers.items() if name in ("Retry-After", "Allow")}
        return web.Response(status=error.status, text=text, content_type="text/html", headers=headers)


class GameProcess(AppService):
    """The process of one tab's game."""

    words: Sequence[str] = ()
    """The command line that starts it, a :func:`~daoqi_tui.children.command`."""
    is_exhausted: bool = False

    async def _open_app_process(self, width: int = 80, height: int = 24) -> Process:
        # Without a shell in between, for which arguments would need quoting.
        width, height = clamped(width, height)
        self._process = await asyncio.create_subprocess_exec(
            *self.words, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=served_environment(environment(), width, height)
        )
        assert self._process.stdin is not None
        self._stdin = self._process.stdin
        return self._process

    async def set_terminal_size(self, width: int, height: int) -> None:
        await super().set_terminal_size(*clamped(width, height))

    async def run(self) -> None:
        """Forward the program's output; close the browser's connection when the program has ended."""
        task = asyncio.current_task()
        try:
            await super().run()
        except asyncio.CancelledError:
            # Textual's server cancels the reader of errors, if a program has ended immediately even before it started.
            if task is not None and task.cancelling():
                raise
        if self._task is not None:
            await self._note_exit()
            await self.remote_close()

    async def _note_exit(self) -> None:
        """Record why the program ended, if it has: it may only have closed its output."""
        assert self._process is not None
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                # Python aborts where it has no memory to raise an error.
                self.is_exhausted = await self._process.wait() in (EXHAUSTED, -signal.SIGABRT)

    async def on_data(self, payload: bytes) -> None:
        """Forward output; after the tab has closed, discard it, so that the program does not block."""
        with suppress(ConnectionError):
            await super().on_data(payload)

    async def on_meta(self, data: bytes) -> None:
        """Have the page play a sound; other messages are the base class's."""
        message = json.loads(data)
        if message["type"] == "sound":
            await self.remote_write_str(json.dumps(["sound", str(message["name"])]))
        else:
            await super().on_meta(data)

    def kill(self) -> None:
        if self._process is not None:
            kill(self._process)

    async def stop(self) -> None:
        """End the program: send it a quit message and close its input; kill it if that takes too long."""
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
            kill(process)
            await process.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


Ssh: TypeAlias = Callable[[Boards, str], AbstractAsyncContextManager[None]]


class GameServer(Server):
    """Serves the page and its games.

    Args:
        words: the command line of a game.
        listening: the listening socket.
        site: its names, of which the first public URL is that of the page, and its proxies.
        access: admits browsers; None admits all.
        lobby: the online games, with the same site; None for no lobby.
        house: the bots of the lobby; None for none.
        members: its accounts; None for none.
        ssh: serves the lobby over ssh as well while a block lasts, given the boards and the URL of the lobby.
    """

    def __init__(
        self,
        words: Sequence[str],
        listening: socket.socket,
        site: Site,
        access: AccessControl | None = None,
        *,
        lobby: Lobby | None = None,
        house: House | None = None,
        members: Members | None = None,
        ssh: Ssh | None = None,
    ) -> None:
        host, port = listening.getsockname()[:2]
        public = site.public[0] if site.public else None
        super().__init__(words[0], host, port, title=_TITLE, public_url=public)
        self._words = tuple(words)
        self._listening = listening
        self._public = public.rstrip("/") if public else None
        self.site: Final = site
        self._access = access
        self._lobby = lobby
        self._house = house
        self._members = members
        self._ssh = ssh
        self._boards: Final = Boards()
        self._closing: set[asyncio.Task[bool]] = set()

    async def run(self, ready: Callable[[], None]) -> None:
        """Serve until a signal is received; call `ready` when the page can be opened."""
        app = self.app()
        if self._lobby is not None:
            self._lobby.load()
            for problem in self._lobby.problems:
                self._lobby.disks.notify(problem)
            if self._lobby.in_use:
                text = Message(
                    "another daoqi-tui serves games of this folder, which open here when it has ended: {games}",
                    games=", ".join(sorted(self._lobby.in_use)),
                )
                self._lobby.disks.notify(text)
        if self._house is not None:
            self._house.load()
        idle = IdleConnections(app)
        runner = web.AppRunner(app, logger=REQUEST_LOG, access_log=None, shutdown_timeout=_PATIENCE + 1)
        await runner.setup()
        try:
            async with idle.aborted(runner):
                await web.SockSite(runner, self._listening).start()
                async with AsyncExitStack() as doors:
                    await doors.enter_async_context(self._playing_bots())
                    if self._ssh is not None:
                        await doors.enter_async_context(self._ssh(self._boards, self._own_url))
                    await _until_signalled(ready)
        finally:
            for board in self._boards:
                board.end(WSCloseCode.GOING_AWAY)
            await asyncio.gather(*self._closing, return_exceptions=True)
            await runner.cleanup()
            if self._lobby is not None:
                await self._lobby.close()

    @property
    def _own_url(self) -> str:
        host, port = self.local_address
        return f"ws://[{host}]:{port}" if ":" in host else f"ws://{host}:{port}"

    @asynccontextmanager
    async def _playing_bots(self) -> AsyncIterator[None]:
        playing = asyncio.create_task(self._house.run(self._own_url)) if self._house is not None else None
        try:
            yield
        finally:
            if playing is not None:
                playing.cancel()
                await asyncio.gather(playing, return_exceptions=True)

    def app(self) -> web.Application:
        app = web.Application(middlewares=[_refusal_page, self.site.guard, self._keep_out])
        app.add_routes(
            [
                web.get("/", self._index),
                web.get("/ws", self._play),
                web.get("/download/{key}", self._download),
                web.static("/static", self.statics_path),
            ]
        )
        if self._lobby is not None:
            port = self.local_address[1]
            LobbyPages(self._lobby, self.base, port, self._house, self._members).add_to(app)
            if self._members is not None:
                # Cookies do not depend on the port.
                self._lobby.cookie = f"daoqi-account-{port}"
                self._members.add_to(app)
                PlayerPages(self._lobby, self._members, self.base).add_to(app)
        app.on_response_prepare.append(_add_headers)
        return app

    @web.middleware
    async def _keep_out(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        if self._access is not None and not (self._lobby is not None and LobbyPages.are_for(request)):
            if not self._access.is_admitted(request.cookies):
                return self._admit(self._access, request)
            if TOKEN in request.query:
                return without_token(request)
        return await handler(request)

    def _admit(self, access: AccessControl, request: web.Request) -> web.Response:
        is_page = request.path == "/" and request.method == "GET"
        if not (is_page and access.use_token(request.query.get(TOKEN, ""))):
            text = _(
                "Open the board with the last address printed by daoqi-tui serve. Each address opens "
                "one browser; then the next is printed."
            )
            raise web.HTTPForbidden(text=text + "\n")
        response = without_token(request)
        is_secure = urlsplit(self._public or "").scheme == "https"
        response.set_cookie(access.cookie, access.secret, httponly=True, samesite="Strict", secure=is_secure)
        return response

    def base(self, request: web.Request) -> str:
        return self._public or f"{request.scheme}://{request.host}"

    @property
    def local_address(self) -> tuple[str, int]:
        """The address under which this computer reaches the server."""
        host, port = self._listening.getsockname()[:2]
        return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host), port

    async def _index(self, request: web.Request) -> web.Response:
        asked = request.query.get("fontsize")
        base = self.base(request)
        words = {
            "language": language(),
            "base": base,
            "socket": re.sub("^http", "ws", base) + "/ws",
            "font_size": str(min(40, max(6, _number(asked, 16)))) if asked else "",
            "loading": _("Opening the board …"),
            "closed": _("This game is closed. Its moves are saved: open the board again to continue."),
            "again": _("Open the board"),
            "exhausted": _(
                "This game exceeded the memory limit of a game in a browser and was ended. Its moves "
                "are saved: open the board again to continue."
            ),
            "refused": _("No board could be opened: too many are open already, or the program has ended."),
            "made_way": _("A player needed the room of this board."),
            "trying": _("Trying again …"),
            "exhausted_code": str(_WENT_EXHAUSTED),
            "made_way_code": str(MADE_WAY),
            "nonce": token_urlsafe(16),
            **{f"{name}_sound": _recording(name) for name in ("stone", "capture")},
        }
        page = Template(_PAGE.read_text("utf-8"))
        text = page.substitute({name: escape(word) for name, word in words.items()})
        policy = Template(_PAGE_POLICY).substitute(nonce=words["nonce"])
        headers = {"Content-Security-Policy": policy}
        return web.Response(text=text, content_type="text/html", headers=headers)

    async def _download(self, request: web.Request) -> web.StreamResponse:
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
        """Run one game as long as its tab is open."""
        # Who gets here with access control was let in by an address that was printed.
        board = Board(self.site.visitor(request), invited=self._access is not None)
        browser = web.WebSocketResponse(heartbeat=_HEARTBEAT, timeout=_FAREWELL)
        try:
            if not browser.can_prepare(request):
                # The page asks whether it may try again.
                self._boards.making_way(board, MOST_GAMES)
                raise web.HTTPBadRequest
            # Before the first await, so that simultaneous requests are counted too.
            before = self._boards.add(board, MOST_GAMES)
        except NoRoomError as error:
            raise unavailable(_(str(error))) from None
        log.info("browser %s connected, %d in all", board.address, len(self._boards))
        try:
            await browser.prepare(request)
            board.open(partial(self._close, browser))
            if before is not None:
                # So that there are never more programs than boards.
                await before.over.wait()
            if board.ended is None and not browser.closed:
                await self._play_in(browser, request, board)
        finally:
            self._boards.remove(board)
            board.over.set()
            log.info("browser %s disconnected, %d left", board.address, len(self._boards))
        return browser

    def _close(self, browser: web.WebSocketResponse, code: int) -> None:
        begin_task(browser.close(code=code), self._closing)

    async def _play_in(self, browser: web.WebSocketResponse, request: web.Request, board: Board) -> None:
        async def close() -> None:
            await browser.close(code=_WENT_EXHAUSTED if game.is_exhausted else WSCloseCode.OK)

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
            board.start(game.kill)
            await _listen(browser, game)
        finally:
            await game.stop()
            await browser.close()


async def _listen(browser: web.WebSocketResponse, game: GameProcess) -> None:
    """Forward the page's messages; an invalid one ends the game, like closing the tab."""
    async for frame in browser:
        if frame.type is not WSMsgType.TEXT:
            continue
        try:
            message: object = codec.decode(frame.data, Any)
        except codec.JsonError:
            return
        match message:
            case ["stdin", str(typed)]:
                # JSON can contain lone surrogates.
                await game.send_bytes(typed.encode("utf-8", "replace"))
            case ["resize", {"width": int(width), "height": int(height)}]:
                await game.set_terminal_size(width, height)
            case ["ping", str(mark)]:
                await browser.send_json(["pong", mark])
            case ["blur"]:
                await game.blur()
            case ["focus"]:
                await game.focus()
            case [str(kind), *_rest] if kind not in ("stdin", "resize", "ping"):
                # Sent by a newer textual-serve.
                continue
            case _:
                return


async def _add_headers(_request: web.Request, response: web.StreamResponse) -> None:
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)


def served_environment(environment: Mapping[str, str], width: int, height: int) -> dict[str, str]:
    """Return the environment of a game: that of a terminal like the browser's, regardless of the server's own."""
    served = {
        # Each numpy thread takes memory, of which a game may have little; one is as fast.
        "OPENBLAS_NUM_THREADS": "1",
        **environment,
        "TEXTUAL_DRIVER": "daoqi_tui.tui.web_driver:ServedDriver",
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


async def _until_signalled(ready: Callable[[], None]) -> None:
    """Call `ready`, and wait for a signal that ends the server."""
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    # Windows has no handlers; there Ctrl+C cancels this very coroutine.
    with suppress(NotImplementedError):
        loop.add_signal_handler(signal.SIGINT, ended.set)
    with handling(lambda _number: loop.call_soon_threadsafe(ended.set)):
        ready()
        await ended.wait()
        # A second signal does not wait for the browsers' closing handshakes.
        with suppress(NotImplementedError):
            loop.remove_signal_handler(signal.SIGINT)


def serve(
    words: Sequence[str],
    listening: socket.socket,
    site: Site,
    ready: Callable[[], None],
    access: AccessControl | None,
    *,
    lobby: Lobby | None = None,
    house: House | None = None,
    members: Members | None = None,
    ssh: Ssh | None = None,
) -> None:
    server = GameServer(words, listening, site, access, lobby=lobby, house=house, members=members, ssh=ssh)
    with suppress(KeyboardInterrupt):
        asyncio.run(server.run(ready))


def _number(text: str | None, default: int) -> int:
    try:
        return int(text or "")
    except ValueError:
        return default
