"""The pages of a lobby about its players: one's account, the strongest, a player's ratings and games, and all games.

A link to an account has its secret behind the ``#``, which browsers send to nobody. The page asks before it takes the
account, so that a link cannot have somebody play as another unawares, and then keeps the secret in a cookie.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from html import escape
from secrets import token_urlsafe
from string import Template
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode, urlsplit

from aiohttp import web

from daoqi_tui.engine import LARGEST, PASS, SMALLEST, Game
from daoqi_tui.i18n import _, name_in_language, translate
from daoqi_tui.message import filled, reason_of
from daoqi_tui.pictures.text import svg_picture
from daoqi_tui.play.online.accounts import (
    LONGEST_CLAIM,
    ME,
    RECORDS,
    FoundPosition,
    OwnGames,
    Profile,
    RatedGame,
    SizeRating,
)
from daoqi_tui.play.online.bots import SIZES
from daoqi_tui.play.online.correspondence import VACATION_DAYS, read_moves
from daoqi_tui.play.online.invitation import LONGEST_NAME, link_to_account
from daoqi_tui.play.online.members import number_asked
from daoqi_tui.play.online.protocol import REASONS
from daoqi_tui.play.online.referee import RefusedError
from daoqi_tui.play.online.story import describe_vacation, next_move, position_lines
from daoqi_tui.play.online.webhooks import LONGEST_ADDRESS
from daoqi_tui.play.openings import describe_next
from daoqi_tui.play.wording import brief_result, sentence
from daoqi_tui.record.sgf.markup import set_label
from daoqi_tui.text import plain_line
from daoqi_tui.web.lobby import Base, page, read_form, speaking_to, table_of, text_in

if TYPE_CHECKING:
    from daoqi_tui.play.online.members import Members
    from daoqi_tui.play.online.server import Lobby

_MARKED: Final = 64
"""A move with more equivalent points is not marked on the board: on an empty one all are the same."""
_KEPT: Final = 400 * 24 * 3600
"""The seconds for which a browser keeps an account, the most that they allow."""
_WIDTH, _HEIGHT, _EDGE = 640, 160, 12
_TAKE: Final = """
<script nonce="$nonce">
  const secret = location.hash.slice(1), taking = document.querySelector("#taking");
  if (/^[A-Za-z0-9_-]{20,100}$$/.test(secret)) {
    history.replaceState(null, "", location.pathname);
    fetch("$me", { headers: { Authorization: `Bearer $${secret}` } }).then(async (answer) => {
      const told = await answer.json();
      taking.querySelector("p").textContent = answer.ok ? told.player.name : taking.dataset.unknown;
      taking.querySelector("button").hidden = !answer.ok;
      taking.querySelector("[name=secret]").value = secret;
      taking.hidden = false;
    });
  }
</script>
"""


class PlayerPages:
    """The pages about players, as a part of the server of a lobby.

    Args:
        lobby: knows who asks.
        members: its accounts.
        base: returns the address of the server.
    """

    def __init__(self, lobby: Lobby, members: Members, base: Base) -> None:
        self._lobby, self._members, self._base = lobby, members, base

    def add_to(self, app: web.Application) -> None:
        app.add_routes(
            [
                web.get("/lobby/account", _refusing(self._account)),
                web.post("/lobby/account", _refusing(self._make)),
                web.post("/lobby/account/take", self._take),
                web.post("/lobby/account/forget", self._forget),
                web.post("/lobby/account/vacation", _refusing(self._vacation)),
                web.post("/lobby/account/webhook", _refusing(self._webhook)),
                web.get("/lobby/players", _refusing(self._ranking)),
                web.get("/lobby/players/{player:[a-z2-7]{1,20}}", _refusing(self._player)),
                web.get("/lobby/records", _refusing(self._search)),
                web.get("/lobby/positions", _refusing(self._position)),
            ]
        )

    # An account

    async def _account(self, request: web.Request) -> web.Response:
        account = await self._lobby.account_of(request)
        if account is None:
            body = (
                f"<p>{escape(_('With an account your name is yours, and games can be rated.'))}</p>"
                f'<form method="post"><label>{escape(_("Your name"))} '
                f'<input name="name" maxlength="{LONGEST_CLAIM}" required></label>'
                f"<button>{escape(_('Make an account'))}</button></form>"
            )
        else:
            profile = await self._members.look_up(request, partial(self._members.profile, account))
            own = partial(self._members.own_games, account.id)
            action = f"{self._base(request)}/lobby/account/forget"
            text = _("Forget the account in this browser")
            body = (
                self._profile(request, profile)
                + self._vacation_form(request, await self._members.look_up(request, own))
                + f'<form method="post" action="{escape(action)}"><button>{escape(text)}</button></form>'
            )
        return self._page(request, _("Account"), self._taking(request) + body, script=_TAKE)

    def _vacation_form(self, request: web.Request, own: OwnGames) -> str:
        action = escape(f"{self._base(request)}/lobby/account/vacation")
        told = _("When it becomes your turn in a correspondence game, a line is posted to this address.")
        return (
            f"<h2>{escape(_('Vacation'))}</h2><p>{escape(sentence(describe_vacation(own)))}</p>"
            f'<form method="post" action="{action}"><label>{escape(_("Days from now on, 0 to end it"))} '
            f'<input name="days" type="number" min="0" max="{VACATION_DAYS}" value="0" required></label>'
            f"<button>{escape(_('Change the vacation'))}</button></form>"
            f"<h2>{escape(_('Webhook'))}</h2><p>{escape(told)}</p>"
            f'<form method="post" action="{escape(self._base(request))}/lobby/account/webhook">'
            f'<label>{escape(_("Address"))} <input name="address" type="url" maxlength="{LONGEST_ADDRESS}" '
            f'value="{escape(own.webhook)}" placeholder="https://ntfy.example.org/topic"></label>'
            f"<button>{escape(_('Save'))}</button></form>"
        )

    async def _webhook(self, request: web.Request) -> web.Response:
        address = text_in(await read_form(request), "address")
        await self._members.set_webhook(await self._members.account_of(request), address)
        raise web.HTTPSeeOther(f"{self._base(request)}/lobby/account")

    async def _vacation(self, request: web.Request) -> web.Response:
        days = number_asked(text_in(await read_form(request), "days"), 0, VACATION_DAYS)
        await self._members.go_on_vacation(await self._members.account_of(request), days)
        raise web.HTTPSeeOther(f"{self._base(request)}/lobby/account")

    def _taking(self, request: web.Request) -> str:
        action = f"{self._base(request)}/lobby/account/take"
        unknown = sentence(translate(REASONS["account"]))
        return (
            f'<form method="post" id="taking" action="{escape(action)}" data-unknown="{escape(unknown)}" hidden>'
            f'<p></p><input type="hidden" name="secret">'
            f"<button>{escape(_('Play with this account here'))}</button></form>"
        )

    async def _make(self, request: web.Request) -> web.Response:
        made = await self._members.make(request, plain_line(text_in(await read_form(request), "name")))
        link = link_to_account(self._base(request), made.secret)
        text = _(
            "Keep this link: whoever has it plays as you. It opens the account in another browser, and in a terminal."
        )
        body = (
            f"<p>{escape(filled(_('The account {name} is yours.'), name=made.name))}</p><p>{escape(text)}</p>"
            f"<p><code>{escape(link)}</code></p><p><code>daoqi-tui join '{escape(link)}'</code></p>"
        )
        response = self._page(request, _("Account"), body)
        self._keep(request, response, made.secret)
        return response

    async def _take(self, request: web.Request) -> web.Response:
        secret = text_in(await read_form(request), "secret")
        if not re.fullmatch("[A-Za-z0-9_-]{20,100}", secret):
            raise web.HTTPBadRequest
        response = web.HTTPSeeOther(f"{self._base(request)}/lobby/account")
        self._keep(request, response, secret)
        raise response

    async def _forget(self, request: web.Request) -> web.Response:
        base = self._base(request)
        response = web.HTTPSeeOther(f"{base}/lobby/account")
        response.del_cookie(self._lobby.cookie, path=urlsplit(base).path or "/")
        raise response

    def _keep(self, request: web.Request, response: web.StreamResponse, secret: str) -> None:
        base = self._base(request)
        response.set_cookie(
            self._lobby.cookie,
            secret,
            max_age=_KEPT,
            path=urlsplit(base).path or "/",
            httponly=True,
            samesite="Strict",
            secure=urlsplit(base).scheme == "https",
        )

    # Others

    async def _ranking(self, request: web.Request) -> web.Response:
        size = number_asked(request.query.get("size", str(SIZES[0])), 1, LARGEST)
        ranking = await self._members.look_up(request, partial(self._members.ranking, size))
        base = escape(self._base(request))
        links = " ".join(f'<a href="{base}/lobby/players?size={each}">{each}×{each}</a>' for each in SIZES)
        rows = [
            (
                str(place),
                f'<a href="{base}/lobby/players/{player.id}">{escape(player.name)}</a>',
                _rating(value, deviation),
            )
            for place, (player, value, deviation) in enumerate(ranking.players, 1)
        ]
        table = table_of(("", _("Name"), _("Rating")), rows) if rows else f"<p>{escape(_('No rated game yet.'))}</p>"
        return self._page(request, f"{_('Ranking')} {size}×{size}", f"<p>{links}</p>{table}")

    async def _player(self, request: web.Request) -> web.Response:
        profile = await self._members.look_up(request, partial(self._members.player, request.match_info["player"]))
        if profile is None:
            raise web.HTTPNotFound
        return self._page(request, _("Rating"), self._profile(request, profile))

    async def _search(self, request: web.Request) -> web.Response:
        asked = dict(request.query)
        size = number_asked(asked.get("size") or "0", 0, LARGEST)
        winner = asked.get("winner", "")
        if winner not in ("", "B", "W"):
            raise web.HTTPBadRequest
        found = await self._members.look_up(
            request, partial(self._members.search, asked.get("name", "")[:LONGEST_NAME], size, winner)
        )
        return self._page(request, _("Rated games"), self._search_form(asked) + self._games(request, found))

    async def _position(self, request: web.Request) -> web.Response:
        size = number_asked(request.query.get("size", str(SIZES[0])), SMALLEST, LARGEST)
        moves = plain_line(request.query.get("moves", ""))
        form = (
            f'<form><label>{escape(_("Board size"))} <input name="size" inputmode="numeric" value="{size}"></label>'
            f'<label>{escape(_("Moves"))} <input name="moves" value="{escape(moves)}" placeholder="D4 E5 C3"></label>'
            f"<button>{escape(_('Search'))}</button></form>"
        )
        try:
            game = read_moves(size, moves)
        except ValueError as error:
            found = f"<p>{escape(sentence(translate(reason_of(error))))}</p>"
        else:
            found = self._found(request, game, await self._members.find_position(request, game))
        return self._page(request, _("Positions"), form + found)

    def _found(self, request: web.Request, game: Game, found: FoundPosition) -> str:
        """Return the board with the moves that were played there next, each a link to the position after it."""
        torus, base = game.torus, escape(self._base(request))
        line = ["pass" if move.point == PASS else torus.name(move.point) for move in game.moves()]
        rows = []
        for move in (next_move(each, torus) for each in found.moves):
            name = "pass" if move.points == (PASS,) else torus.name(move.points[0])
            query = escape(urlencode({"size": torus.size, "moves": " ".join((*line, name))}))
            text = escape(describe_next(move, torus, "daoqi"))
            rows.append(f'<li><a href="{base}/lobby/positions?{query}">{text}</a></li>')
            for point in move.points if move.points != (PASS,) and len(move.points) <= _MARKED else ():
                set_label(game.node, point, str(move.tally.games) if move.tally.games < 100 else "+", torus.size)
        picture = b64encode(svg_picture(game).encode()).decode()
        first, *_games = position_lines(found, torus)
        return (
            f"<p>{escape(first)}</p>"
            f'<p><img src="data:image/svg+xml;base64,{picture}" width="420" alt="{escape(" ".join(line))}"></p>'
            f"<ul>{''.join(rows)}</ul>" + self._games(request, [each.game for each in found.found])
        )

    def _search_form(self, asked: Mapping[str, str]) -> str:
        winners = "".join(
            f'<option value="{value}"{" selected" if asked.get("winner", "") == value else ""}>{escape(text)}</option>'
            for value, text in (("", _("any")), ("B", _("Black wins")), ("W", _("White wins")))
        )
        name, size = escape(asked.get("name", "")), escape(asked.get("size", ""))
        return (
            f'<form><label>{escape(_("Name"))} <input name="name" maxlength="{LONGEST_NAME}" value="{name}"></label>'
            f'<label>{escape(_("Board size"))} <input name="size" inputmode="numeric" value="{size}"></label>'
            f'<label>{escape(_("Result"))} <select name="winner">{winners}</select></label>'
            f"<button>{escape(_('Search'))}</button></form>"
        )

    def _profile(self, request: web.Request, profile: Profile) -> str:
        parts = [
            f"<h2>{escape(profile.player.name)}</h2>",
            *(
                f"<p>{each.size}×{each.size}: {_rating(each.value, each.deviation)}</p>{rating_graph(each)}"
                for each in profile.ratings
            ),
        ]
        if not profile.ratings:
            parts.append(f"<p>{escape(_('No rated game yet.'))}</p>")
        query = urlencode({"name": profile.player.name})
        more = f"{self._base(request)}/lobby/records?{query}"
        parts.append(self._games(request, profile.games))
        parts.append(f'<p><a href="{escape(more)}">{escape(_("Search games"))}</a></p>')
        return "".join(parts)

    def _games(self, request: web.Request, games: Sequence[RatedGame]) -> str:
        base = escape(self._base(request))
        rows = []
        for game in games:
            record = f'<a href="{base}{RECORDS}/{escape(game.name)}" download="{escape(game.name)}.sgf">SGF</a>'
            players = (
                f'<a href="{base}/lobby/players/{escape(id_)}">{escape(name)}</a>' if id_ else escape(name) or "–"
                for id_, name in (
                    (game.black, name_in_language(game.black_name)),
                    (game.white, name_in_language(game.white_name)),
                )
            )
            day = f"{datetime.fromtimestamp(game.played, UTC):%Y-%m-%d}"
            size = f"{game.size}×{game.size}"
            rows.append((day, *players, size, escape(brief_result(game.result)), record if game.has_record else ""))
        if not rows:
            return f"<p>{escape(_('There is no such game.'))}</p>"
        return table_of((_("Date"), _("Black"), _("White"), _("Board"), _("Result"), ""), rows)

    def _page(self, request: web.Request, title: str, body: str, *, script: str = "") -> web.Response:
        nonce, base = token_urlsafe(16), self._base(request)
        places = (
            ("lobby", _("Daoqi lobby")),
            ("lobby/players", _("Ranking")),
            ("lobby/records", _("Rated games")),
            ("lobby/positions", _("Positions")),
            ("lobby/account", _("Account")),
        )
        links = " · ".join(f'<a href="{escape(base)}/{path}">{escape(text)}</a>' for path, text in places)
        script = Template(script).substitute(nonce=nonce, me=escape(f"{base}{ME.path}"))
        response = page(title, f"<p>{links}</p>{body}{script}", nonce)
        response.headers["Cache-Control"] = "no-store"
        return response


def _refusing(
    answer: Callable[[web.Request], Awaitable[web.Response]],
) -> Callable[[web.Request], Awaitable[web.Response]]:
    """Return a handler that speaks the language of the browser, and says why something is refused."""

    async def handle(request: web.Request) -> web.Response:
        with speaking_to(request):
            try:
                return await answer(request)
            except RefusedError as error:
                text = error.detail or translate(REASONS[error.code])
                raise web.HTTPForbidden(text=f"{sentence(text)}\n") from None

    return handle


def _rating(value: float, deviation: float) -> str:
    return f"{value:.0f} ± {deviation:.0f}"


def rating_graph(rating: SizeRating) -> str:
    """Return the ratings after each game as a line in SVG, by the time of the games; empty for fewer than two."""
    points = rating.history
    if len(points) < 2:
        return ""
    times, values = zip(*points, strict=True)
    begin, low = min(times), min(values)
    across, up = max(times) - begin or 1.0, max(values) - low or 1.0

    def places() -> Iterator[str]:
        for at, value in points:
            x = _EDGE + (at - begin) / across * (_WIDTH - 2 * _EDGE)
            y = _HEIGHT - _EDGE - (value - low) / up * (_HEIGHT - 2 * _EDGE)
            yield f"{x:.1f},{y:.1f}"

    label = f"{rating.size}×{rating.size}: {values[0]:.0f} → {values[-1]:.0f}"
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" width="100%" role="img" aria-label="{label}">'
        f'<polyline points="{" ".join(places())}" fill="none" stroke="#c99b5b" stroke-width="2"/>'
        f'<text x="{_EDGE}" y="{_EDGE + 4}" fill="#e8e0d2" font-size="12">{max(values):.0f}</text>'
        f'<text x="{_EDGE}" y="{_HEIGHT - 2}" fill="#e8e0d2" font-size="12">{low:.0f}</text></svg>'
    )
