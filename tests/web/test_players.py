"""The pages about players: accounts by link, ratings with their graph, and records of games."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from html import unescape
from pathlib import Path
from socket import create_server
from urllib.parse import urlencode

import pytest

pytest.importorskip("textual_serve", reason="the extra web is not installed: pip install -e '.[web]'")
pytest.importorskip("sqlalchemy", reason="the extra server is not installed: pip install -e '.[server]'")

import aiohttp

from daoqi_tui.engine import torus_of
from daoqi_tui.plain.online import choose
from daoqi_tui.play.online.accounts import FoundPosition, RatedGame, SizeRating
from daoqi_tui.play.online.connections import Site
from daoqi_tui.play.online.correspondence import read_moves
from daoqi_tui.play.online.hosting import Visit
from daoqi_tui.play.online.members import Members
from daoqi_tui.play.online.seat_book import SeatBook
from daoqi_tui.play.online.seats import find_position
from daoqi_tui.play.online.server import Lobby
from daoqi_tui.play.online.store import Store
from daoqi_tui.play.online.table import digest
from daoqi_tui.web.players import rating_graph
from daoqi_tui.web.server import GameServer
from tests.waiting import HANG, until
from tests.web.chromium import chromium, found


@asynccontextmanager
async def pages(folder: Path) -> AsyncIterator[tuple[Lobby, str]]:
    """The pages of a lobby with accounts, in this process."""
    ready, store = asyncio.Event(), Store(f"sqlite:///{folder}/accounts.db")
    lobby = Lobby(folder / "games", folder / "library", store=store)
    with create_server(("127.0.0.1", 0)) as listening:
        server = GameServer(["true"], listening, Site(), None, lobby=lobby, members=Members(lobby, store))
        running = asyncio.create_task(server.run(ready.set))
        async with asyncio.timeout(HANG):
            await ready.wait()
        try:
            yield lobby, f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
            store.close()


def browser() -> aiohttp.ClientSession:
    return aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True))


async def text_of(session: aiohttp.ClientSession, url: str, **form: str) -> str:
    async with session.request("POST" if form else "GET", url, data=form or None) as answer:
        assert answer.status == 200, await answer.text()
        return await answer.text()


async def status_of(session: aiohttp.ClientSession, url: str, **form: str) -> int:
    async with session.post(url, data=form) as answer:
        return answer.status


def link_in(page: str) -> str:
    return re.findall(r"http://[^<]*/lobby/account#[A-Za-z0-9_-]+", page)[0]


async def test_an_account_is_made_opened_by_its_link_and_forgotten(tmp_path: Path) -> None:
    async with pages(tmp_path) as (lobby, url), browser() as first, browser() as second:
        link = link_in(await text_of(first, f"{url}/lobby/account", name="Ke Jie"))
        assert "<h2>Ke Jie</h2>" in await text_of(first, f"{url}/lobby/account")
        assert await status_of(second, f"{url}/lobby/account", name="ke_jie") == 403
        assert "Ke Jie" not in await text_of(second, f"{url}/lobby/account")
        secret = link.partition("#")[2]
        assert "<h2>Ke Jie</h2>" in await text_of(second, f"{url}/lobby/account/take", secret=secret)
        assert "Ke Jie" not in await text_of(second, f"{url}/lobby/account/forget", x="")
        for wrong in ("", "x", "x" * 101, "x\r\nSet-Cookie: a=b" + "x" * 20):
            assert await status_of(second, f"{url}/lobby/account/take", secret=wrong) == 400
        # The account is known in the lobby as well: a rated game is its own.
        terms = {"size": "9", "komi": "4", "handicap": "0", "rules": "Daoqi", "clock": "", "black": "host"}
        form = {"name": "x", **terms, "watch": "on", "undo": "on", "anyone": "on", "rated": "on"}
        async with first.post(f"{url}/lobby", data=form, allow_redirects=False) as answer:
            assert answer.status == 303
        [game] = lobby.games.values()
        assert (game.table.names[0], game.table.terms.rated, game.table.terms.undo) == ("Ke Jie", True, False)
        assert await status_of(second, f"{url}/lobby", **form) == 403


async def test_ones_correspondence_games_are_in_the_lobby_and_open_with_the_account_alone(tmp_path: Path) -> None:
    async with pages(tmp_path) as (lobby, url), browser() as first, browser() as other, browser() as guest:
        for session, name in ((first, "Ke"), (other, "Lu")):
            await text_of(session, f"{url}/lobby/account", name=name)
        assert 'value="3d">3 days a move<' in await text_of(first, f"{url}/lobby")
        terms = {"size": "9", "komi": "4", "handicap": "0", "rules": "Daoqi", "clock": "3d", "black": "host"}
        assert await status_of(guest, f"{url}/lobby", name="x", **terms) == 403
        await text_of(first, f"{url}/lobby", name="x", **terms)
        [game] = lobby.games.values()
        # As in another browser, to which nothing but the account is known.
        first.cookie_jar.clear(lambda cookie: "seat" in cookie.key)
        assert await status_of(other, f"{url}/table/{game.name}", code="wrong", name="") == 403
        store = lobby.store
        assert store is not None
        ke = store.named("Ke")
        lu = store.named("Lu")
        assert ke is not None
        assert lu is not None
        code = "abcdefghijklmnopqrst"
        game.stored.table = replace(game.table, code=digest(code))
        await lobby.claim(game.name, code, "", "", lu)
        await until(lambda: store.turns_of(ke.id))
        for session, words in ((first, "against Lu: your move, 2 d 23 h"), (other, "against Ke: the opponent&#x27;s")):
            page = await text_of(session, f"{url}/lobby")
            assert f'<a href="{url}/table/{game.name}">{words}' in page
        assert "Your games" not in await text_of(guest, f"{url}/lobby")
        # Nobody may watch, but its player opens it.
        assert '"days":3' in unescape(await text_of(first, f"{url}/table/{game.name}"))
        assert "25 days of vacation left" in await text_of(other, f"{url}/lobby/account/vacation", days="5")
        assert await status_of(other, f"{url}/lobby/account/vacation", days="31") == 400
        assert await status_of(other, f"{url}/lobby/account/vacation", days="-1") == 400
        assert await status_of(guest, f"{url}/lobby/account/vacation", days="1") == 403


async def test_ratings_and_games_are_shown_and_found(tmp_path: Path) -> None:
    async with pages(tmp_path) as (lobby, url), browser() as anybody:
        store = lobby.store
        assert store is not None
        ke, lu = store.claim("Ke", "ke", "link"), store.claim("Lu's", "lu", "link")
        for number, result in enumerate(("B+R", "W+T", "B+3.5"), 1):
            played = RatedGame(f"abc-{number}", 9, ke.id, lu.id, "Ke", "<b>", result, 9, number * 1e6, True)
            store.record(played, "(;SZ[9])")
        page = await text_of(anybody, f"{url}/lobby/players/{ke.id}")
        assert page.count("/records/abc-") == 3
        assert "<b>" not in page
        assert page.count("<polyline") == 1
        strongest = await text_of(anybody, f"{url}/lobby/players?size=9")
        assert strongest.index(">Ke<") < strongest.index(">Lu&#x27;s<")
        assert "No rated game yet" in await text_of(anybody, f"{url}/lobby/players?size=13")
        games = await text_of(anybody, f"{url}/lobby/records?name=ke&winner=W&size=9")
        assert re.findall(r"/records/(abc-\d)\"", games) == ["abc-2"]
        assert await text_of(anybody, f"{url}/records/abc-2") == "(;SZ[9])"


async def test_positions_are_searched_in_the_games_that_everybody_may_see(
    tmp_path: Path,
) -> None:
    """A search finds exactly the games whose record can be downloaded, in any orientation, and what was played next."""
    async with pages(tmp_path) as (lobby, url), browser() as anybody:
        store = lobby.store
        assert store is not None
        ke, lu = store.claim("Ke", "ke", "link"), store.claim("Lu", "lu", "link")

        def play(name: str, result: str, record: str | None, played: float = 1e6) -> None:
            store.record(RatedGame(name, 9, ke.id, lu.id, "Ke", "Lu", result, 3, played, True), record)

        play("aa-1", "B+R", "(;SZ[9]RE[B+R];B[aa];W[cb];B[ee])")
        # The same position, turned and moved across the seam, with another continuation.
        play("bb-1", "W+R", "(;SZ[9]RE[W+R];B[ii];W[hb];B[ff])", 2e6)
        play("cc-1", "W+R", "(;SZ[9]RE[W+R];B[aa];W[ea])")
        play("hidden-1", "B+R", None)
        play("broken-1", "B+R", "nonsense")
        torus = torus_of(9)
        first, second = (torus.name(torus.parse(name, "sgf")) for name in ("aa", "cb"))
        game = read_moves(9, f"{first} {second}")
        found = await find_position(url.replace("http", "ws", 1), game)
        assert isinstance(found, FoundPosition)
        assert (found.searched, found.games, found.black, found.white) == (3, 2, 1, 1)
        assert [each.game.name for each in found.found] == ["bb-1", "aa-1"]
        assert [each.move for each in found.found] == [2, 2]
        assert sum(move.games for move in found.moves) == 2
        assert torus.name(torus.parse("ee", "sgf"), "gtp") in {point for move in found.moves for point in move.points}
        page = await text_of(anybody, f"{url}/lobby/positions?size=9&moves={first}+{second}")
        assert re.findall(r"/records/(\w+-1)\"", page) == ["bb-1", "aa-1"]
        following = [unescape(each) for each in re.findall(r'<li><a href="([^"]+)">', page)]
        assert len(following) == 2
        for each in following:
            assert "1 game: " in await text_of(anybody, each)
        # What is typed is checked, and shown as text.
        for wrong, shown in ((f"{first} {first}", "is occupied"), ("<b>", "&lt;b&gt;"), ("A1 " * 500, "at most 400")):
            assert shown in await text_of(anybody, f"{url}/lobby/positions?{urlencode({'moves': wrong})}")
        async with anybody.get(f"{url}/positions?size=9&moves=Z9") as answer:
            assert answer.status == 400
        # In text mode, and one whose record is gone is found no more.
        store.delete(lu.id)
        typed = iter([f"find 9 {first} {second}\n", f"find 9 {first} {first}\n", "quit\n"])
        visit, lines = Visit(url.replace("http", "ws", 1), "Mi"), list[str]()
        book = SeatBook.in_folder(tmp_path)
        await asyncio.to_thread(choose, visit, book, lambda: next(typed), lines.append)
        assert "0 games: Black won 0, White won 0 (0 games searched)" in lines
        assert any("is occupied" in line for line in lines)


def test_a_graph_keeps_within_its_edges_and_its_order() -> None:
    for history in ((), ((1.0, 1500.0),)):
        assert rating_graph(SizeRating(9, 1500.0, 350.0, history)) == ""
    drawn = rating_graph(SizeRating(9, 1500.0, 350.0, ((0.0, 1500.0), (10.0, 1700.0), (20.0, 1600.0), (20.0, 1400.0))))
    [points] = re.findall('points="([^"]*)"', drawn)
    xs, ys = zip(*(map(float, point.split(",")) for point in points.split()), strict=True)
    assert xs == (12.0, 320.0, 628.0, 628.0)
    assert (min(ys), max(ys)) == (12.0, 148.0)
    assert ys.index(min(ys)) == 1
    # Where nothing changes, there is nothing to divide by.
    assert "nan" not in rating_graph(SizeRating(9, 1500.0, 350.0, ((1.0, 1500.0), (1.0, 1500.0))))


@pytest.mark.skipif(found() is None, reason="no Chromium on this system")
async def test_in_a_browser_a_link_asks_before_it_takes_the_account(tmp_path: Path) -> None:
    async with pages(tmp_path) as (_lobby, url), browser() as first, chromium() as program:
        link = link_in(await text_of(first, f"{url}/lobby/account", name="Ke"))
        page = await program.open(link)

        async def shows(expression: str, wanted: str) -> None:
            async with asyncio.timeout(HANG):
                while await page.value(expression) != wanted:
                    await asyncio.sleep(0)

        await shows("document.querySelector('#taking:not([hidden]) p')?.textContent ?? ''", "Ke")
        assert await page.value("location.hash") == ""
        assert not any(link.partition("#")[2] in address for address in page.requests[1:])
        await page.value("document.querySelector('#taking button').click()")
        await shows("document.querySelector('h2')?.textContent ?? ''", "Ke")
        assert page.complaints == []
