"""What a server tells and does about its accounts, as JSON: making one, its links, ratings, and records of games.

Rated games are found by position, too: which of them reached one, and what was played there next. That index is the
library's (:mod:`~daoqi_tui.analysis.opening_index`), in a file of its own. It has only games whose records everybody
can download, the last ones first; what one search costs is bounded, however many there are.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Final, TypeVar

from aiohttp import web

from daoqi_tui import codec
from daoqi_tui.analysis.opening_index import OpeningIndex
from daoqi_tui.analysis.opening_records import statistics_of
from daoqi_tui.engine import LARGEST, SMALLEST, Game
from daoqi_tui.gtp import vertex_name
from daoqi_tui.play.online.accounts import (
    ACCOUNTS,
    LINKS,
    ME,
    OWN_GAMES,
    PLAYERS,
    POSITIONS,
    RECORDS,
    VACATION,
    WEBHOOK,
    Account,
    ClaimError,
    FoundGame,
    FoundMove,
    FoundPosition,
    Games,
    Link,
    NewAccount,
    NewLink,
    NewVacation,
    NewWebhook,
    OwnAccount,
    OwnGame,
    OwnGames,
    Player,
    Profile,
    Ranking,
    RatedGame,
    SizeRating,
)
from daoqi_tui.play.online.correspondence import (
    VACATION_DAYS,
    Turn,
    Vacation,
    days_used,
    is_away,
    read_moves,
    time_left,
)
from daoqi_tui.play.online.invitation import LONGEST_NAME
from daoqi_tui.play.online.limits import Rate
from daoqi_tui.play.online.protocol import ROLES, cleaned
from daoqi_tui.play.online.referee import RefusedError
from daoqi_tui.play.online.server import Lobby, as_json, available, spend
from daoqi_tui.play.online.table import digest, new_key
from daoqi_tui.play.online.webhooks import check_address
from daoqi_tui.play.openings import file_of, game_records
from daoqi_tui.record.text import SgfError
from daoqi_tui.typed import whole_number

if TYPE_CHECKING:
    from daoqi_tui.play.online.store import Store


T = TypeVar("T")

_SHOWN: Final = 100
"""The games in a list."""


def number_asked(text: str, least: int, most: int) -> int:
    """Return the number that a request names.

    Raises:
        HTTPBadRequest: it is none, or out of range.
    """
    number = whole_number(text, least, most)
    if number is None:
        raise web.HTTPBadRequest
    return number


class Members:
    """The accounts of a lobby, as a part of its application.

    Args:
        lobby: knows who asks.
        store: the accounts.
        now: returns the time for limits, in seconds.
    """

    def __init__(self, lobby: Lobby, store: Store, now: Callable[[], float] = monotonic) -> None:
        self._lobby = lobby
        self._store = store
        self._asked = Rate(lobby.limits.lookups, now)
        self._positions = PositionSearch(store, lobby.folder.parent / "positions.sqlite")

    def add_to(self, app: web.Application) -> None:
        app.on_cleanup.append(self._close)
        app.add_routes(
            [
                web.post(ACCOUNTS.path, as_json("account", self._make)),
                web.get(ME.path, as_json("account", self._own)),
                web.post(LINKS.path, as_json("account", self._link)),
                web.get(OWN_GAMES.path, as_json("account", self._own_games)),
                web.post(VACATION.path, as_json("account", self._vacation)),
                web.post(WEBHOOK.path, as_json("account", self._webhook)),
                web.get(PLAYERS, as_json("account", self._ranking)),
                web.get(f"{PLAYERS}/{{player:[a-z2-7]{{1,20}}}}", as_json("account", self._player)),
                web.get(RECORDS, as_json("account", self._search)),
                web.get(POSITIONS, as_json("account", self._position)),
                web.get(f"{RECORDS}/{{game:[a-z0-9-]{{1,80}}}}", self._record),
            ]
        )

    async def _close(self, _app: web.Application) -> None:
        await self._positions.close()

    # What others are shown

    def profile(self, account: Account) -> Profile:
        """Return what everybody may see of an account; waits for the database."""
        ratings = self._store.ratings(account.id)
        return Profile(
            Player(account.id, account.name),
            tuple(
                SizeRating(size, rating.value, rating.deviation, self._points(account.id, size))
                for size, rating in ratings.items()
            ),
            tuple(self._store.games(account.id, most=_SHOWN)),
        )

    def player(self, id_: str) -> Profile | None:
        """Return the profile of an account, None if it is gone; waits for the database."""
        account = self._store.account(id_)
        return None if account is None else self.profile(account)

    def search(self, name: str, size: int, winner: str, player: str = "") -> list[RatedGame]:
        """Return rated games, as the store finds them; waits for the database."""
        return self._store.games(player, name=name, size=size, winner=winner, most=_SHOWN)

    def _points(self, id_: str, size: int) -> tuple[tuple[float, float], ...]:
        return tuple((point.at, point.rating.value) for point in self._store.history(id_, size))

    def ranking(self, size: int) -> Ranking:
        """Return the strongest accounts on a size; waits for the database."""
        return Ranking(
            tuple(
                (Player(account.id, account.name), rating.value, rating.deviation)
                for account, rating in self._store.ranked(size)
            )
        )

    def own_games(self, id_: str) -> OwnGames:
        """Return the correspondence games of an account, and its vacation; waits for the database."""
        now, store = self._lobby.date(), self._store
        turns, mine = store.turns_of(id_), store.vacations(id_)
        games = [self._own_game(turn, id_, mine, now) for turn in turns]
        games.sort(key=lambda game: (not game.my_turn, game.seconds, game.game))
        left = max((ended - now for begun, ended in mine if begun <= now < ended), default=0.0)
        days = max(0, int(VACATION_DAYS - days_used(mine, now)))
        return OwnGames(tuple(games), left, days, store.webhook_of(id_))

    def _own_game(self, turn: Turn, id_: str, mine: Sequence[Vacation], now: float) -> OwnGame:
        is_black = turn.black == id_
        my_turn = not turn.mover or turn.mover == ("black" if is_black else "white")
        vacations = mine if my_turn else self._store.vacations(turn.white if is_black else turn.black)
        return OwnGame(
            turn.game,
            turn.white_name if is_black else turn.black_name,
            turn.size,
            turn.moves,
            counting=not turn.mover,
            my_turn=my_turn,
            seconds=time_left(turn.began, turn.seconds, vacations, now),
            away=is_away(vacations, now),
        )

    async def go_on_vacation(self, account: Account, days: int) -> OwnGames:
        """Begin or end a vacation of an account; return its games.

        Raises:
            RefusedError: so many days are not left, or this is impossible now.
        """
        if not await available(partial(self._store.go_on_vacation, account.id, days)):
            raise RefusedError("vacation")
        self._lobby.look_at_vacations(account.id)
        return await available(partial(self.own_games, account.id))

    async def set_webhook(self, account: Account, address: str) -> OwnGames:
        """Set where an account is told of its turn, empty for nowhere; return its games.

        Raises:
            RefusedError: the address is none, or this is impossible now.
        """
        try:
            address = check_address(address) if address.strip() else ""
        except ValueError:
            raise RefusedError("webhook") from None
        await available(partial(self._store.set_webhook, account.id, address))
        return await available(partial(self.own_games, account.id))

    # Requests

    async def make(self, request: web.Request, name: str) -> OwnAccount:
        """Make an account for a visitor, which a new link opens.

        Raises:
            RefusedError: the visitor has made many, or the name cannot be claimed.
        """
        address = self._lobby.visitor(request)
        self._lobby.check_guest(address)
        made = self._lobby.made
        if not made.allows(address):
            raise RefusedError("full", wait=made.wait(address))
        secret = new_key()
        try:
            account = await available(partial(self._store.claim, name, digest(secret), "link"))
        except ClaimError as error:
            raise RefusedError("name", str(error)) from None
        made.count(address)
        return OwnAccount(account.id, account.name, secret)

    async def add_link(self, account: Account, *, alone: bool) -> str:
        """Return the secret of another link to an account; with ``alone``, the earlier ones open it no longer.

        Raises:
            RefusedError: this is impossible now.
        """
        secret = new_key()
        if alone:
            await available(partial(self._store.remove_links, account.id))
        await available(partial(self._store.add_link, account.id, digest(secret)))
        return secret

    async def look_up(self, request: web.Request, work: Callable[[], T]) -> T:
        """Return what the database has, for a visitor. Raises RefusedError where one asks too often, or it fails."""
        spend(self._asked, self._lobby.visitor(request), "too-fast")
        return await available(work)

    async def find_position(self, request: web.Request, game: Game) -> FoundPosition:
        """Return the rated games that reached the position of a game, for a visitor.

        Raises:
            RefusedError: one asks too often, or this is impossible now.
        """
        spend(self._asked, self._lobby.visitor(request), "too-fast")
        try:
            return await self._positions.find(game)
        except OSError as error:
            raise RefusedError("unsaved") from error

    # As JSON

    async def _make(self, request: web.Request) -> OwnAccount:
        asked = cleaned(codec.decode(await request.read(), NewAccount))
        return await self.make(request, asked.name)

    async def _own(self, request: web.Request) -> Profile:
        account = await self.account_of(request)
        return await self.look_up(request, partial(self.profile, account))

    async def _link(self, request: web.Request) -> Link:
        account = await self.account_of(request)
        asked = codec.decode(await request.read(), NewLink)
        return Link(await self.add_link(account, alone=asked.alone))

    async def _own_games(self, request: web.Request) -> OwnGames:
        account = await self.account_of(request)
        return await self.look_up(request, partial(self.own_games, account.id))

    async def _vacation(self, request: web.Request) -> OwnGames:
        account = await self.account_of(request)
        return await self.go_on_vacation(account, codec.decode(await request.read(), NewVacation).days)

    async def _webhook(self, request: web.Request) -> OwnGames:
        account = await self.account_of(request)
        return await self.set_webhook(account, codec.decode(await request.read(), NewWebhook).address)

    async def account_of(self, request: web.Request) -> Account:
        """Return the account of who asks; raises RefusedError for a guest."""
        account = await self._lobby.account_of(request)
        if account is None:
            raise RefusedError("account")
        return account

    async def _ranking(self, request: web.Request) -> Ranking:
        size = number_asked(request.query.get("size", ""), SMALLEST, LARGEST)
        return await self.look_up(request, partial(self.ranking, size))

    async def _player(self, request: web.Request) -> Profile:
        profile = await self.look_up(request, partial(self.player, request.match_info["player"]))
        if profile is None:
            raise web.HTTPNotFound
        return profile

    async def _search(self, request: web.Request) -> Games:
        asked = request.query
        size = number_asked(asked.get("size", "0"), 0, LARGEST)
        winner = asked.get("winner", "")
        if winner not in ("", "B", "W"):
            raise web.HTTPBadRequest
        name, player = asked.get("name", "")[:LONGEST_NAME], asked.get("player", "")[:LONGEST_NAME]
        return Games(tuple(await self.look_up(request, partial(self.search, name, size, winner, player))))

    async def _position(self, request: web.Request) -> FoundPosition:
        size = number_asked(request.query.get("size", ""), SMALLEST, LARGEST)
        try:
            game = read_moves(size, request.query.get("moves", ""), "gtp")
        except ValueError as error:
            raise web.HTTPBadRequest(text=f"{error}\n") from None
        return await self.find_position(request, game)

    async def _record(self, request: web.Request) -> web.Response:
        try:
            record = await self.look_up(request, partial(self._store.record_of, request.match_info["game"]))
        except RefusedError as error:
            raise web.HTTPServiceUnavailable(text=f"{error.message('record').text}\n") from None
        if record is None:
            raise web.HTTPNotFound
        return web.Response(text=record, content_type="application/x-go-sgf")


_MOST_GAMES: Final = 10_000
"""The games in the index: with 250 moves each, they take 60 MB when they are searched."""
_AT_ONCE: Final = 50
"""The most games that one search adds to the index, so that nobody waits long for it."""
_FOUND: Final = 50
"""The moves, and the games, in an answer."""


class PositionSearch:
    """Searches in the games of a store, one at a time.

    Args:
        store: of the server.
        file: of the index, made when it is first searched.
    """

    def __init__(self, store: Store, file: Path) -> None:
        self._store = store
        self._file = file
        self._index: OpeningIndex | None = None
        # SQLite's connection stays in its thread.
        self._thread: Final = ThreadPoolExecutor(1, "positions")

    async def find(self, game: Game) -> FoundPosition:
        """Return the games that reached the position of a game. Raises OSError if the database or the index fails."""
        return await self._in_thread(partial(self._find, game))

    async def close(self) -> None:
        # After a search whose visitor is gone, which may make the index only now.
        await self._in_thread(self._close)
        self._thread.shutdown()

    def _close(self) -> None:
        if self._index is not None:
            self._index.close()

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def _find(self, game: Game) -> FoundPosition:
        try:
            return self._found(game)
        except sqlite3.Error:
            # The index is only a cache.
            if self._index is not None:
                self._index.repair()
            return self._found(game)

    def _found(self, game: Game) -> FoundPosition:
        if self._index is None:
            self._index = OpeningIndex(self._file)
        index = self._index
        self._update(index)
        hits = sorted(index.find(game.board))
        found, torus = statistics_of(hits), game.torus
        numbers = {file_of(hit.source): hit.number for hit in hits}
        return FoundPosition(
            sum(index.sizes().values()),
            found.tally.games,
            found.tally.black,
            found.tally.white,
            tuple(
                FoundMove(
                    tuple(vertex_name(torus, point) for point in move.points[:_FOUND]),
                    ROLES[move.colour],
                    move.tally.games,
                    move.tally.black,
                    move.tally.white,
                )
                for move in found.moves[:_FOUND]
            ),
            tuple(FoundGame(each, numbers[each.name]) for each in self._store.games_named(list(numbers), _FOUND)),
        )

    def _update(self, index: OpeningIndex) -> None:
        """Remove the games whose records are gone, and add some of those that are new, the last ones first."""
        known = index.fingerprints()
        there = dict.fromkeys(self._store.recorded(_MOST_GAMES))
        gone = [source for source in known if file_of(source) not in there]
        if gone:
            index.remove(gone)
        new = [name for name in there if f"{name}#1" not in known][:_AT_ONCE]
        for name in new:
            record = self._store.record_of(name)
            with suppress(SgfError):
                index.add(game_records(name, (record or "").encode()))
