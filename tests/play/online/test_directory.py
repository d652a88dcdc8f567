"""Several servers that share a lobby through PostgreSQL.

The invariant: as long as the database answers, each server lists its own games and those of the others that are up, as
they are, and leads to each of their games; no other game, and none that is hidden. Whatever becomes of the database, of
another server or of the channel, a server's own games go on, and no move that was acknowledged is lost.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="the extra server is not installed: pip install -e '.[server]'")

from aiohttp import ClientSession
from sqlalchemy import create_engine, make_url

from daoqi_tui.play.online import store as module
from daoqi_tui.play.online.client import Lost
from daoqi_tui.play.online.listing import LOBBY, Directory, ListedGame, Listing, NewGame
from daoqi_tui.play.online.seat_book import SavedSeat
from daoqi_tui.play.online.seats import ask, take_seat
from daoqi_tui.play.online.store import Store
from daoqi_tui.play.online.story import describe_cut_off, describe_listed
from daoqi_tui.play.online.table import Terms, digest
from tests.play.online.table import Player, Server, server
from tests.waiting import until

_NUMBER = count()
OPEN = Terms(size=5, black="host", open=True)
HIDDEN = Terms(size=5, black="host", open=False, watch=False)


@pytest.fixture
def database(new_database: Callable[[str], str]) -> str:
    return new_database(f"shared_{os.getpid()}_{next(_NUMBER)}")


@pytest.fixture(autouse=True)
def _servers_look_more_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have those in this process look at the database as often as at their tables, in place of every other second."""
    for name in ("_STEP", "_SEEN", "_AGAIN"):
        monkeypatch.setattr(f"daoqi_tui.play.online.listing.{name}", 0.2)


@asynccontextmanager
async def sharing(folder: Path, database: str) -> AsyncIterator[Server]:
    with closing(Store(database)) as store:
        async with server(folder, store=store) as running:
            yield running


def at(running: Server) -> str:
    return running.url.replace("ws", "http", 1)


async def listed(running: Server | str, wanted: Callable[[Listing], object]) -> Listing:
    """Wait until a server lists what is wanted, as clients see it."""
    found: list[Listing] = []

    async def see(seconds: float) -> None:
        listing = await ask(running if isinstance(running, str) else running.url, LOBBY)
        assert isinstance(listing, Listing), listing
        found[:] = [listing]
        await asyncio.sleep(seconds)

    await until(lambda: found and wanted(found[0]), lambda: str(found), see)
    return found[0]


def games(listing: Listing) -> dict[str, tuple[str, int]]:
    return {game.game: (game.server, game.moves) for game in listing.games}


async def soon(_seconds: float) -> None:
    await asyncio.sleep(0.2)


def execute(database: str, *statements: str) -> None:
    """Do as somebody else who may use the database."""
    engine = create_engine(module._read_address(database), isolation_level="AUTOCOMMIT")
    with engine.connect() as db:
        for statement in statements:
            db.exec_driver_sql(statement)
    engine.dispose()


async def test_each_server_lists_the_games_of_all_and_leads_to_them(database: str, tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        first, second = [await stack.enter_async_context(sharing(tmp_path / name, database)) for name in "ab"]
        store = first.lobby.store
        assert store is not None
        secrets = ("k" * 32, "l" * 32)
        accounts = [
            store.claim(name, digest(secret), "link") for name, secret in zip(("Ke", "Lu"), secrets, strict=True)
        ]
        rated, key, code = await first.lobby.open(
            Terms(size=5, black="host", open=True, rated=True, undo=False), "", account=accounts[0]
        )
        other, _key, _code = await second.lobby.open(OPEN, "Mi")
        hidden, hidden_key, _code = await first.lobby.open(HIDDEN, "Ne")
        all_of = {rated.name: 0, other.name: 0}.keys()
        seen = await listed(second, lambda listing: games(listing).keys() == all_of)
        assert games(seen) == {rated.name: (at(first), 0), other.name: ("", 0)}
        seen = await listed(first, lambda listing: games(listing).keys() == all_of)
        assert games(seen) == {rated.name: ("", 0), other.name: (at(second), 0)}
        assert [at(second).partition("://")[2] in describe_listed(game) for game in seen.games] == [False, True]

        # Whoever joins at the one what is at the other is sent there, with their account.
        host = Player(second.url, rated.name, key=key, account=secrets[0])
        guest = Player(second.url, rated.name, code=code, account=secrets[1])
        await host.my_turn()
        await guest.until(lambda: guest.client.role == "white")
        assert list(rated.table.accounts) == [account.id for account in accounts]
        host.client.play(0)
        await guest.moves(1)
        await listed(second, lambda listing: games(listing).get(rated.name) == (at(first), 1))
        # A game that is not listed is found by who has its key, and by nobody else.
        owner = Player(second.url, hidden.name, key=hidden_key)
        await owner.until(lambda: owner.client.role == "black")
        stranger = Player(second.url, hidden.name)
        ended = await stranger.task
        assert ended.code == "not-watched"
        assert (await Player(second.url, "a" * 8).task).code == "no-game"
        for player in (host, guest, owner):
            await player.end()


async def test_what_is_forged_on_the_channel_or_in_a_row_shows_nothing(database: str, tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        first, second = [await stack.enter_async_context(sharing(tmp_path / name, database)) for name in "ab"]
        game, _key, _code = await first.lobby.open(OPEN, "Ke")
        await listed(second, lambda listing: game.name in games(listing))
        evil = ListedGame("evil", "Mallory", "", 5, 0, "playing", watch=True)
        says = ["x", "\\", "{}", str(evil).replace("'", ""), "\x1b[2J", "y" * 7999]
        execute(
            database,
            *(f"SELECT pg_notify('{module._CHANNEL}', '{said}')" for said in says),
            "INSERT INTO servers (id, address, seen) VALUES ('evil', 'javascript:alert(1)', 9e12)",
            *(
                f"INSERT INTO tables (game, server, listed) VALUES ('{number}', 'evil', '{row}')"
                for number, row in enumerate(
                    (
                        "nonsense",
                        "[]",
                        (
                            '{"game":"evil","black":"","white":"","size":5,"moves":0,"phase":"playing","watch":true,'
                            '"server":"javascript:alert(1)"}'
                        ),
                        '{"game":"evil/..","black":"","white":"","size":5,"moves":0,"phase":"playing","watch":true}',
                    )
                )
            ),
            f"SELECT pg_notify('{module._CHANNEL}', 'evil')",
        )
        # What is told later is heard later: then the others were read again.
        later, _key, _code = await first.lobby.open(OPEN, "Lu")
        seen = await listed(second, lambda listing: later.name in games(listing))
        assert games(seen) == {name: (at(first), 0) for name in (game.name, later.name)}


async def test_without_the_database_a_servers_own_games_go_on(database: str, tmp_path: Path) -> None:
    name = make_url(database).database
    elsewhere = make_url(database).set(database="postgres").render_as_string()
    async with AsyncExitStack() as stack:
        first, second = [await stack.enter_async_context(sharing(tmp_path / each, database)) for each in "ab"]
        game, key, _code = await first.lobby.open(OPEN, "Ke")
        other, other_key, _code = await second.lobby.open(OPEN, "Lu")
        await listed(first, lambda listing: other.name in games(listing))
        player = Player(first.url, game.name, key=key)
        await player.until(lambda: player.client.role == "black")
        execute(
            elsewhere,
            f"ALTER DATABASE {name} ALLOW_CONNECTIONS false",
            f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'",
        )
        for running, own in ((first, game), (second, other)):
            seen = await listed(running, lambda listing: listing.cut_off)
            assert games(seen) == {own.name: ("", 0)}
            assert "missing" in describe_cut_off(seen)
        guest = Player(first.url, game.name, code=game.table.open_code, name="Mi")
        await guest.until(lambda guest=guest: guest.client.role == "white")
        await player.my_turn()
        player.client.play(3)
        await guest.moves(1)
        # Nothing is known of this game now: its player is not told that it is gone.
        waiting = Player(first.url, other.name, key=other_key, sleep=soon)
        await waiting.until(lambda: any(isinstance(each, Lost) and each.refused for each in waiting.heard))
        execute(elsewhere, f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
        # Watched only, since both seats are taken.
        seen = await listed(second, lambda listing: games(listing).get(game.name) == (at(first), 1))
        assert not describe_cut_off(seen)
        await waiting.until(lambda: waiting.client.role == "black")
        for each in (player, guest, waiting):
            await each.end()


async def test_a_table_that_goes_while_the_database_is_away_leaves_the_lists(database: str) -> None:
    name = make_url(database).database
    elsewhere = make_url(database).set(database="postgres").render_as_string()
    game = ListedGame("aaaaaaaa", "Ke", "Lu", 5, 0, "playing", watch=True)
    own: dict[str, ListedGame | None] = {each: replace(game, game=each) for each in ("aaaaaaaa", "bbbbbbbb")}
    with closing(Store(database)) as here, closing(Store(database)) as there:
        first = Directory(here, "http://here.example", lambda: own)
        second = Directory(there, "http://there.example", dict)
        tasks = [asyncio.create_task(each.run()) for each in (first, second)]
        try:
            await until(lambda: {each.game for each in second.others} == own.keys(), lambda: str(second.others))
            execute(
                elsewhere,
                f"ALTER DATABASE {name} ALLOW_CONNECTIONS false",
                f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'",
            )
            await until(lambda: first.cut_off and second.cut_off, lambda: "one has not noticed")
            del own["bbbbbbbb"]
            execute(elsewhere, f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
            await until(lambda: {each.game for each in second.others} == {"aaaaaaaa"}, lambda: str(second.others))
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


async def test_the_games_of_a_killed_server_open_at_another_with_its_folder(database: str, tmp_path: Path) -> None:
    pytest.importorskip("textual_serve", reason="the extra web is not installed: pip install -e '.[web]'")
    from tests.web.serving import serving

    options = ("--lobby", "--bots", "0", "--database", database)
    async with (
        serving(tmp_path / "a", *options) as first,
        serving(tmp_path / "b", *options) as second,
        ClientSession() as session,
    ):
        seat = await take_seat(first.url, NewGame("Ke", 5, black="host"))
        assert isinstance(seat, SavedSeat)
        there = second.url.replace("http", "ws", 1)
        [game] = (await listed(there, lambda listing: listing.games)).games
        assert game.server == first.url
        # In a browser the link leads there, and so does the address of the table at this server.
        async with session.get(f"{second.url}/lobby") as answer:
            assert f'<a href="{first.url}/table/{game.game}?code={game.code}">' in await answer.text()
        async with session.get(f"{second.url}/table/{game.game}?code={game.code}") as answer:
            assert str(answer.url) == f"{first.url}/table/{game.game}?code={game.code}"
            assert answer.status == 200
        host = Player(there, game.game, key=seat.key, sleep=soon)
        guest = Player(there, game.game, code=game.code, sleep=soon)
        await host.my_turn()
        host.client.play(0)
        await guest.my_turn()
        guest.client.play(7)
        await host.moves(2)
        first.process.kill()
        await first.process.wait()
        await listed(there, lambda listing: not listing.games)
        await host.until(lambda: any(isinstance(each, Lost) and each.refused for each in host.heard))
        shutil.move(tmp_path / "a", tmp_path / "c")
        async with serving(tmp_path / "c", *options) as third:
            # Back by the server that both know, and nothing is lost.
            await host.my_turn()
            await guest.until(lambda: guest.client.connected)
            assert [len(player.client.state.moves) for player in (host, guest) if player.client.state] == [2, 2]
            host.client.play(12)
            await guest.moves(3)
            [again] = (await listed(there, lambda listing: listing.games and listing.games[0].moves == 3)).games
            assert (again.game, again.server) == (game.game, third.url)
            for player in (host, guest):
                await player.end()
