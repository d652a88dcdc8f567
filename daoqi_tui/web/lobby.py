"""The pages of ``serve --lobby``, and room for the boards of a server, each of which is a process.

``/lobby`` lists the games and opens new ones, ``/table/ID`` is a game: with ``?code=CODE`` a visitor who gives a name
takes the seat, the cookie of a seat readmits its player, anybody else watches. The board there is that of
:mod:`~daoqi_tui.web.board`, without a process; processes are the boards of whoever has the address that ``serve``
printed, and those over ssh.
"""

from __future__ import annotations

import asyncio
import math
import re
import site
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from html import escape
from pathlib import Path
from secrets import token_urlsafe
from string import Template
from typing import TYPE_CHECKING, Final, TypeAlias, cast, get_args
from urllib.parse import quote, urlsplit

from aiohttp import web

from daoqi_tui import codec
from daoqi_tui.engine import DAOQI, PRESETS, points_text, torus_of
from daoqi_tui.engine.clock import parse_clock
from daoqi_tui.engine.game import most_handicap
from daoqi_tui.i18n import N_, _, accepted_language, language, plural, speaking, translate
from daoqi_tui.play.online.accounts import ACCOUNTS, PLAYERS, POSITIONS, RECORDS, OwnGames
from daoqi_tui.play.online.connections import oldest_of_busiest
from daoqi_tui.play.online.invitation import JOIN_COMMAND, LONGEST_NAME, Invitation
from daoqi_tui.play.online.listing import CHALLENGE, LOBBY, Challenge, ListedGame, NewGame
from daoqi_tui.play.online.protocol import FINAL, REASONS
from daoqi_tui.play.online.referee import Referee, RefusedError
from daoqi_tui.play.online.story import describe_cut_off, describe_own, host_of, phase_word
from daoqi_tui.play.online.table import HOST, Chooser
from daoqi_tui.play.wording import describe_rules, sentence
from daoqi_tui.text import plain_line
from daoqi_tui.typed import read_handicap, read_komi
from daoqi_tui.web.board import SCRIPTS, Place

if TYPE_CHECKING:
    from daoqi_tui.play.online.bots import House
    from daoqi_tui.play.online.members import Members
    from daoqi_tui.play.online.server import Lobby


MADE_WAY: Final = 4002
"""The WebSocket close code for a board that was closed because its room was needed."""


MOST_GAMES: Final = 24
"""The most games at a time; each is a process of about 50 MB."""
_RETRY: Final = 10
"""The seconds after which a browser asks again if it is unknown when there will be room."""


def unavailable(text: str, wait: float = 0.0) -> web.HTTPServiceUnavailable:
    headers = {"Retry-After": str(math.ceil(wait) or _RETRY)}
    return web.HTTPServiceUnavailable(text=f"{text}\n", headers=headers)


def homes(folder: str) -> dict[str, str]:
    """Return the variables of a program whose files are all in a folder of its own."""
    found = {f"XDG_{kind}_HOME": f"{folder}/{kind.lower()}" for kind in ("STATE", "DATA", "CONFIG", "CACHE")}
    # Where these variables have no effect, the home folder has; packages may be below the real one.
    return found | {"HOME": folder, "PYTHONUSERBASE": site.getuserbase()}


class NoRoomError(Exception):
    """No more boards can be opened now; the text is an English sentence of the catalogue."""


class Board:
    """A board in a browser, or over ssh.

    Args:
        address: that it counts for.
        invited: whether its browser was let in by an address that was printed for it.

    Attributes:
        over: set when its program has ended.
    """

    def __init__(self, address: str, *, invited: bool = False) -> None:
        self.address: Final = address
        self.invited: Final = invited
        self.over: Final = asyncio.Event()
        self.ended: int | None = None
        self._makes_way = False
        self._close: Callable[[int], object] | None = None
        self._kill: Callable[[], object] | None = None

    def end(self, code: int) -> None:
        self.ended = code
        if self._close is not None:
            self._close(code)

    def make_way(self, code: int) -> None:
        """Close it, and do not wait for its program, whose moves are on disk."""
        self._makes_way = True
        self.end(code)
        if self._kill is not None:
            self._kill()

    def open(self, close: Callable[[int], object]) -> None:
        """Note how it is closed, once it is open."""
        self._close = close
        if self.ended is not None:
            close(self.ended)

    def start(self, kill: Callable[[], object]) -> None:
        """Note how its program is killed, once it runs."""
        self._kill = kill
        if self._makes_way:
            kill()


class Boards:
    """The boards that are open, in the order in which they were opened."""

    def __init__(self) -> None:
        # A dictionary keeps their order.
        self._open: dict[Board, None] = {}

    def __len__(self) -> int:
        return len(self._open)

    def __iter__(self) -> Iterator[Board]:
        return iter(tuple(self._open))

    def add(self, board: Board, most: int) -> Board | None:
        """Add a board if there is room, and end the one in whose place it comes, if any; return that one.

        Args:
            board: the new one.
            most: the number of boards.

        Raises:
            NoRoomError: there is no room for it now.
        """
        before = self.making_way(board, most)
        if before is not None:
            del self._open[before]
            before.make_way(MADE_WAY)
        self._open[board] = None
        return before

    def remove(self, board: Board) -> None:
        self._open.pop(board, None)

    def making_way(self, board: Board, most: int) -> Board | None:
        """Return the board in whose place a new one would come, None if there is room; raises as :meth:`add`."""
        if sum(other.address == board.address for other in self._open) >= max(1, most // 3):
            raise NoRoomError(N_("Too many boards are open from this address: close one."))
        if len(self._open) < most:
            return None
        others = [other for other in self._open if not other.invited] if board.invited else []
        if not others:
            raise NoRoomError(N_("Too many boards are open already."))
        return oldest_of_busiest(others)


Base: TypeAlias = Callable[[web.Request], str]
"""Returns the address under which the browser that has sent a request sees the server."""
SIZES: Final = (5, 7, 9, 11, 13, 16, 19, 25)
CLOCKS: Final = ("", "10+5", "20+3x30", "60+5x60")
DAYS: Final = ("1d", "2d", "3d", "5d", "7d", "14d")
"""Clocks with days for each move, which need accounts."""
_PAGE: Final = Path(__file__).parent / "lobby.html"
_POLICY: Final = (
    "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
    "script-src 'nonce-$nonce'; style-src 'nonce-$nonce'; img-src data:; connect-src 'self'"
)
_ID: Final = "[a-z2-7]{1,40}"
_SEAT: Final = r"(?P<key>[A-Za-z0-9_-]{1,100})(\.(?P<code>[a-z2-7]{1,100}))?"


class LobbyPages:
    """The pages of a lobby, as a part of the board server.

    Args:
        lobby: the games.
        base: returns the address of the server.
        port: of the server; cookies do not depend on it, so that those of two servers need different names.
        house: the bots; None for none.
        members: the accounts; None for none.
    """

    def __init__(self, lobby: Lobby, base: Base, port: int, house: House | None, members: Members | None) -> None:
        self._lobby, self._house, self._members = lobby, house, members
        self._base, self._port = base, port

    def add_to(self, app: web.Application) -> None:
        app.add_routes(
            [
                web.get("/lobby", self._show),
                web.post("/lobby", self._open),
                web.post("/lobby/bots", self._challenge),
                web.get("/lobby/games", self._list),
                web.get(f"/table/{{game:{_ID}}}", self._table),
                web.post(f"/table/{{game:{_ID}}}", self._sit),
                web.static("/board", SCRIPTS),
            ]
        )
        self._lobby.add_to(app)
        if self._house is not None:
            self._house.add_to(app)

    @staticmethod
    def are_for(request: web.Request) -> bool:
        """Return whether a request is one of the lobby's, which needs no token."""
        return request.path in ("/lobby", LOBBY.path, CHALLENGE.path) or request.path.startswith(
            ("/lobby/", "/table/", "/game/", "/board/", ACCOUNTS.path, PLAYERS, RECORDS, POSITIONS)
        )

    # The lobby

    async def _show(self, request: web.Request) -> web.Response:
        own = await self._own_games(request)
        with speaking_to(request):
            body = self._mine(request, own) + self._games(request) + self._bots_form(request) + self._form(request)
            games = escape(f"{self._base(request)}/lobby/games")
            return page(_("Daoqi lobby"), body, token_urlsafe(16), games=games)

    async def _own_games(self, request: web.Request) -> OwnGames:
        """Return the correspondence games of the visitor, none for a guest or where they cannot be seen now."""
        with suppress(RefusedError):
            account = await self._lobby.account_of(request)
            if account is not None and self._members is not None:
                return await self._members.look_up(request, partial(self._members.own_games, account.id))
        return OwnGames()

    def _mine(self, request: web.Request, own: OwnGames) -> str:
        base = escape(self._base(request))
        rows = "".join(
            f'<li><a href="{base}/table/{game.game}">{escape(describe_own(game))}</a></li>' for game in own.games
        )
        return f'<h2>{escape(_("Your games"))}</h2><ul id="mine">{rows}</ul>' if rows else ""

    async def _list(self, request: web.Request) -> web.Response:
        with speaking_to(request):
            return web.Response(text=self._games(request), content_type="text/html")

    def _games(self, request: web.Request) -> str:
        """Return the list of games, escaping all text from users."""
        listing = self._lobby.listing()
        rows = [self._row(request, game) for game in listing.games]
        cut_off = f"<p>{escape(describe_cut_off(listing))}</p>" if listing.cut_off else ""
        if not rows:
            return f'<div id="games">{cut_off}<p>{escape(_("No game is on."))}</p></div>'
        heads = (_("Black"), _("White"), _("Board"), _("Moves"), _("State"), "")
        return f'<div id="games">{cut_off}{table_of(heads, rows)}</div>'

    def _row(self, request: web.Request, game: ListedGame) -> tuple[str, ...]:
        table = f"{game.server or self._base(request)}/table/{game.game}"
        link = f'<a href="{escape(table)}">{escape(_("Watch"))}</a>' if game.watch else ""
        if game.code:
            address = re.sub("^http", "ws", self._base(request))
            typed = f"{JOIN_COMMAND}{Invitation(address, game.game, game.code)}"
            seat = escape(f"{table}?code={game.code}")
            link += f' <a href="{seat}">{escape(_("Sit down"))}</a> <code>{escape(typed)}</code>'
        if game.server:
            link += f" {escape(host_of(game.server))}"
        cells = (game.black or "–", game.white or "–", f"{game.size}×{game.size}", game.moves, phase_word(game.phase))
        return (*map(escape, map(str, cells)), link)

    def _bots_form(self, request: web.Request) -> str:
        bots = self._lobby.bots
        if bots is None:
            return ""
        sizes = "".join(f"<option>{size}</option>" for size in bots.sizes)
        levels = "".join(f"<option>{level:g}</option>" for level in bots.levels)
        action = escape(f"{self._base(request)}/lobby/bots")
        return (
            f'<h2>{escape(_("Play a bot"))}</h2><form method="post" action="{action}">'
            f'<label>{escape(_("Your name"))} <input name="name" maxlength="{LONGEST_NAME}" required></label>'
            f'<label>{escape(_("Level"))} <select name="level">{levels}</select></label>'
            f'<label>{escape(_("Board size"))} <select name="size">{sizes}</select></label>'
            f'<label>{escape(_("Your colour"))} <select name="black">{_colours("guest", "host")}</select></label>'
            f"<button>{escape(_('Play a bot'))}</button></form>"
        )

    async def _challenge(self, request: web.Request) -> web.StreamResponse:
        if self._house is None:
            raise web.HTTPNotFound
        form = await read_form(request)
        try:
            challenge = codec.convert(
                {**form, "level": float(text_in(form, "level")), "size": int(text_in(form, "size"))}, Challenge
            )
            challenge = replace(challenge, name=_name(challenge.name))
        except ValueError:
            raise _incomplete(request) from None
        try:
            account = await self._lobby.account_of(request)
            begun = await self._house.challenge(challenge, self._lobby.visitor(request), account)
        except RefusedError as error:
            raise _refusal(request, error, web.HTTPForbidden) from None
        raise self._seated(request, begun.game, begun.key)

    def _form(self, request: web.Request) -> str:
        sizes = "".join(f"<option{' selected' if size == 16 else ''}>{size}</option>" for size in SIZES)
        komi = points_text(DAOQI.komi)
        stones = "".join(f"<option>{count}</option>" for count in (0, *range(2, 10)))
        rules = "".join(
            f'<option value="{escape(name)}">{escape(describe_rules(preset))}</option>'
            for name, preset in PRESETS.items()
        )
        clocks = "".join(f'<option value="{clock}">{escape(clock or _("off"))}</option>' for clock in CLOCKS)
        if self._lobby.store is not None:
            for clock in DAYS:
                text = plural("{count} day a move", "{count} days a move", parse_clock(clock).days)
                clocks += f'<option value="{clock}">{escape(text)}</option>'
        boxes = {
            "anyone": _("Anyone may sit down"),
            "watch": _("Others may watch"),
            "undo": _("Undo may be requested"),
        }
        rated = f'<label><input type="checkbox" name="rated"> {escape(_("Rated, without undo"))}</label>'
        account = f'<p><a href="{escape(self._base(request))}/lobby/account">{escape(_("Account"))}</a></p>'
        ticks = "".join(
            f'<label><input type="checkbox" name="{name}" checked> {escape(text)}</label>'
            for name, text in boxes.items()
        )
        return (
            f"{account if self._lobby.store is not None else ''}"
            f'<h2>{escape(_("Host a game"))}</h2><form method="post" id="host">'
            f'<label>{escape(_("Your name"))} <input name="name" maxlength="{LONGEST_NAME}" required></label>'
            f'<label>{escape(_("Board size"))} <select name="size">{sizes}</select></label>'
            f'<label>{escape(_("Komi"))} <input name="komi" value="{komi}" inputmode="decimal" required></label>'
            f'<label>{escape(_("Handicap"))} <select name="handicap">{stones}</select></label>'
            f'<label>{escape(_("Rules"))} <select name="rules">{rules}</select></label>'
            f'<label>{escape(_("Your colour"))} <select name="black">{_colours("host", "guest")}</select></label>'
            f'<label>{escape(_("Clock"))} <select name="clock">{clocks}</select></label>{ticks}'
            f"{rated if self._lobby.store is not None else ''}"
            f"<button>{escape(_('Open the game'))}</button></form>"
        )

    async def _open(self, request: web.Request) -> web.StreamResponse:
        text = partial(text_in, await read_form(request))
        size, clock = text("size"), text("clock")
        if size not in map(str, SIZES) or clock not in (*CLOCKS, *DAYS) or text("black") not in get_args(Chooser):
            raise _incomplete(request)
        try:
            asked = NewGame(
                _name(text("name")),
                int(size),
                read_komi(text("komi")),
                read_handicap(text("handicap"), most_handicap(torus_of(int(size)))),
                text("rules"),
                clock,
                cast("Chooser", text("black")),
                undo=bool(text("undo")),
                watch=bool(text("watch")),
                anyone=bool(text("anyone")),
                rated=bool(text("rated")),
            )
            terms = asked.terms()
        except ValueError as error:
            with speaking_to(request):
                raise web.HTTPBadRequest(text=sentence(translate(error)) + "\n") from None
        try:
            account = await self._lobby.account_of(request)
            game, key, code = await self._lobby.open(terms, asked.name, self._lobby.visitor(request), account)
        except RefusedError as error:
            raise _refusal(request, error, web.HTTPForbidden) from None
        raise self._seated(request, game.name, f"{key}.{code}")

    # A table

    async def _game(self, request: web.Request, code: str = "") -> Referee:
        name = request.match_info["game"]
        seat = self._seat(request, name)
        try:
            account = await self._lobby.account_of(request) if seat is None and not code else None
            id_ = "" if account is None else account.id
            game = await self._lobby.find(name, seat["key"] if seat is not None else "", code, account=id_)
            if game is None:
                if server := await self._lobby.elsewhere(name, self._lobby.visitor(request)):
                    raise web.HTTPFound(f"{server}/table/{name}{f'?code={quote(code)}' if code else ''}")
                raise RefusedError("no-game" if server is None else "elsewhere")
        except RefusedError as error:
            raise _refusal(request, error, web.HTTPNotFound) from None
        return game

    def _cookie(self, game: str) -> str:
        return f"daoqi-seat-{self._port}-{game}"

    def _seat(self, request: web.Request, game: str) -> re.Match[str] | None:
        return re.fullmatch(_SEAT, request.cookies.get(self._cookie(game), ""))

    async def _table(self, request: web.Request) -> web.Response:
        code = request.query.get("code", "")
        game = await self._game(request, code)
        seat = self._seat(request, game.name)
        with speaking_to(request):
            if seat is not None:
                return self._place(request, game, seat["key"], seat["code"] or "").page()
            if code:
                return page(_("Daoqi lobby"), self._sitting_form(game, code), token_urlsafe(16))
            if not game.table.terms.watch and not game.table.terms.days:
                raise _refusal(request, RefusedError("not-watched"), web.HTTPForbidden)
            # Where anybody may sit down, the page of a spectator leads there.
            return self._place(request, game, code=game.table.open_code).page()

    def _place(self, request: web.Request, game: Referee, key: str = "", code: str = "") -> Place:
        return Place(self._base(request), game.name, game.table.terms, key, code)

    def _sitting_form(self, game: Referee, code: str) -> str:
        # A link preview, as in chats, must not take the seat: that needs the button.
        host = game.table.names[HOST] or "–"
        return (
            f"<p>{escape(_('{name} invites you to a game.').format(name=host))}</p>"
            f'<form method="post"><input type="hidden" name="code" value="{escape(code)}">'
            f'<label>{escape(_("Your name"))} <input name="name" maxlength="{LONGEST_NAME}" required></label>'
            f"<button>{escape(_('Sit down'))}</button></form>"
        )

    async def _sit(self, request: web.Request) -> web.StreamResponse:
        form = await read_form(request)
        code, player = text_in(form, "code"), text_in(form, "name")
        name = (await self._game(request, code)).name
        try:
            account = await self._lobby.account_of(request)
            key = await self._lobby.claim(name, code, _name(player), self._lobby.visitor(request), account)
        except RefusedError as error:
            raise _refusal(request, error, web.HTTPForbidden) from None
        raise self._seated(request, name, key)

    def _seated(self, request: web.Request, game: str, seat: str) -> web.HTTPSeeOther:
        base = self._base(request)
        table = f"{base}/table/{game}"
        response = web.HTTPSeeOther(table)
        response.set_cookie(
            self._cookie(game),
            seat,
            # As long as the table may be kept without its players.
            max_age=round(self._lobby.limits.archived),
            # Sent only to this game: all seats together would exceed the server's header limit.
            path=urlsplit(table).path,
            httponly=True,
            samesite="Strict",
            secure=urlsplit(base).scheme == "https",
        )
        return response


def page(title: str, body: str, nonce: str, *, games: str = "") -> web.Response:
    """Return a page of the lobby.

    Args:
        title: its heading.
        body: HTML.
        nonce: of the scripts and styles that the page may have.
        games: the address of the list of games, which the page then renews.
    """
    text = Template(_PAGE.read_text("utf-8")).substitute(
        language=language(), nonce=nonce, title=escape(title), body=body, games=games
    )
    headers = {
        "Content-Security-Policy": Template(_POLICY).substitute(nonce=nonce),
        # Without any referrer, a browser also sends a form without its origin, and it would be refused.
        "Referrer-Policy": "same-origin",
    }
    return web.Response(text=text, content_type="text/html", headers=headers)


def table_of(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table; its cells are HTML."""
    head = "".join(f"<th>{escape(text)}</th>" for text in heads)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


def speaking_to(request: web.Request) -> AbstractContextManager[None]:
    """Answer in the language that the browser asks for; without a wish, in the server's."""
    wished = request.headers.get("Accept-Language")
    return speaking(accepted_language(wished)) if wished else nullcontext()


def _refusal(request: web.Request, error: RefusedError, final: type[web.HTTPException]) -> web.HTTPException:
    with speaking_to(request):
        text = translate(REASONS[error.code])
    return final(text=f"{text}\n") if error.code in FINAL else unavailable(text, error.wait)


async def read_form(request: web.Request) -> Mapping[str, object]:
    """Return what a form says.

    Raises:
        HTTPBadRequest: it cannot be read.
    """
    # Only the encoding that browsers use for these forms; aiohttp raises arbitrary errors for faulty multipart data.
    if request.content_type != "application/x-www-form-urlencoded":
        raise _incomplete(request)
    try:
        return await request.post()
    except (LookupError, ValueError):
        # An unknown encoding, or bytes that are invalid in it.
        raise _incomplete(request) from None


def text_in(form: Mapping[str, object], field: str) -> str:
    value = form.get(field, "")
    return value if isinstance(value, str) else ""


def _colours(black: Chooser, white: Chooser) -> str:
    """Return the choices of a colour, for whoever plays Black if the one plays Black, White if the other does."""
    choices = (("nigiri", _("Random (nigiri)")), (black, _("I play Black")), (white, _("I play White")))
    return "".join(f'<option value="{value}">{escape(text)}</option>' for value, text in choices)


def _incomplete(request: web.Request) -> web.HTTPBadRequest:
    with speaking_to(request):
        return web.HTTPBadRequest(text=_("The form is incomplete: open the lobby again") + "\n")


def _name(text: str) -> str:
    return plain_line(text.strip())[:LONGEST_NAME]
