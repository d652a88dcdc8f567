"""The lobby page: games opened, joined and watched by link, in a browser and from a terminal."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from socket import create_server
from urllib.parse import urlsplit

import pytest

pytest.importorskip("textual_serve", reason="the extra web is not installed: pip install -e '.[web]'")

import aiohttp

from daoqi_tui.play.online.connections import Site
from daoqi_tui.play.online.invitation import Invitation
from daoqi_tui.play.online.server import DiskWatch, Lobby
from daoqi_tui.play.online.table import Terms
from daoqi_tui.web.server import GameServer
from tests.play.online.table import Player, Time
from tests.ports import free_port
from tests.waiting import until
from tests.web.chromium import chromium, found
from tests.web.serving import serving

BOARD = '<canvas id="board"'
TERMS = {"size": "5", "komi": "4", "handicap": "0", "rules": "Daoqi", "clock": "", "black": "host"}
OPEN = {"name": "Lu <b>", **TERMS, "anyone": "on", "watch": "on", "undo": "on"}


@asynccontextmanager
async def somebody() -> AsyncIterator[aiohttp.ClientSession]:
    """A browser session without a token."""
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
        yield session


async def text_of(session: aiohttp.ClientSession, url: str, status: int = 200) -> str:
    async with session.get(url) as answer:
        text = await answer.text()
        assert answer.status == status, text
        return text


async def open_game(session: aiohttp.ClientSession, url: str, **changed: str) -> str:
    form = {name: value for name, value in {**OPEN, **changed}.items() if value != "-"}
    async with session.post(f"{url}/lobby", data=form, allow_redirects=False) as answer:
        assert answer.status == 303, await answer.text()
        return answer.headers["Location"]


async def test_the_page_speaks_chinese(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAOQI_TUI_LANGUAGE", "zh")
    async with serving(tmp_path, "--lobby") as server, somebody() as host, somebody() as guest:
        empty = await text_of(guest, f"{server.url}/lobby")
        table = await open_game(host, server.url, name="Ke")
        page = await text_of(guest, f"{server.url}/lobby")
        [code] = re.findall(r"\?code=([a-z2-7]+)", page)
        asked = await text_of(guest, f"{table}?code={code}")
    words = [shown(each) for each in (empty, page, asked)]
    for known in ("daoqi-tui", "Tromp", "Taylor", "Daoqi", "Ke"):
        words = [each.replace(known, "") for each in words]
    assert not [word for each in words for word in re.findall("[A-Za-z]{2,}", each)]
    assert "现在没有对局" in words[0]
    assert {"开设", "执黑执白", "观战", "入座"} <= set(words[1].split())
    assert "落子" not in words[1]


def shown(page: str) -> str:
    """Return the text of a page, without tags, scripts, and commands to type."""
    return re.sub(r"(?s)<(style|script|code)\b.*?</\1>|<[^>]*>", " ", page)


async def test_games_are_opened_listed_and_joined_without_a_token(tmp_path: Path) -> None:
    async with serving(tmp_path, "--lobby") as server, somebody() as host, somebody() as guest:
        assert "No game is on." in await text_of(guest, f"{server.url}/lobby")
        # The private games of the server's owner stay private.
        await text_of(guest, f"{server.url}/", 403)
        await text_of(guest, f"{server.url}/ws", 403)
        table = await open_game(host, server.url)
        listed = await text_of(guest, f"{server.url}/lobby/games")
        assert "Lu &lt;b&gt;" in listed
        assert "<b>" not in listed
        [code] = re.findall(r"\?code=([a-z2-7]+)", listed)
        name = table.rpartition("/")[2]
        assert f"daoqi-tui join {server.url.removeprefix('http://')}#{name}-{code}" in listed
        # Viewing the link does not take the seat.
        assert "Lu &lt;b&gt; invites you" in await text_of(guest, f"{table}?code={code}")
        async with guest.post(table, data={"code": "a" * 20, "name": "Ke"}) as answer:
            assert answer.status == 403
        async with guest.post(table, data={"code": code, "name": "Ke"}) as answer:
            assert answer.status == 200
            assert BOARD in await answer.text()
        async with guest.get(f"{server.url}/games") as answer:
            [game] = (await answer.json())["games"]
        assert (game["black"], game["white"], game["phase"], game["code"]) == ("Lu <b>", "Ke", "playing", "")
        # The game is not saved among the files of the server's owner.
        assert not list((tmp_path / "data").rglob("*.sgf"))


@asynccontextmanager
async def lobby_here(folder: Path, time: Time) -> AsyncIterator[tuple[Lobby, str]]:
    """A lobby in this process, whose clock is ``time``."""
    site, ready = Site(), asyncio.Event()
    lobby = Lobby(folder / "games", folder / "library", now=time, site=site)
    with create_server(("127.0.0.1", 0)) as listening:
        running = asyncio.create_task(GameServer(["true"], listening, site, None, lobby=lobby).run(ready.set))
        await ready.wait()
        try:
            yield lobby, f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)


async def test_the_operator_is_told_of_games_that_cannot_be_taken_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(DiskWatch, "notify", lambda _self, message: told.append(str(message)))
    async with lobby_here(tmp_path, Time()) as (lobby, _url):
        game, _key, _code = await lobby.open(Terms(size=5), "Lu")
        assert not told
        damaged = tmp_path / "games" / "damaged"
        damaged.mkdir()
        (damaged / "game.json").write_text("{", encoding="utf-8")
        async with lobby_here(tmp_path, Time()) as (other, _url):
            assert not other.games
        served = f"another daoqi-tui serves games of this folder, which open here when it has ended: {game.name}"
        assert told == ["damaged: the file of the game is damaged", served]


async def test_an_abandoned_game_leaves_the_page_and_the_browser_of_its_seat_resumes_it(tmp_path: Path) -> None:
    time = Time()
    async with lobby_here(tmp_path, time) as (lobby, url), somebody() as host, somebody() as other:
        table = await open_game(host, url)
        listed = await text_of(other, f"{url}/lobby/games")
        assert table in listed
        [code] = re.findall(r"\?code=([a-z2-7]+)", listed)
        for resumes, address, shown in (
            (host, table, BOARD),
            (other, f"{table}?code={code}", "invites you"),
        ):
            time.now += lobby.limits.absent + 1
            await until(lambda: not lobby.games and not lobby._moving)
            assert "No game is on." in await text_of(other, f"{url}/lobby/games")
            async with somebody() as stranger:
                assert "adjourned" in await text_of(stranger, table, 503)
                await text_of(stranger, f"{table}?code={'a' * 20}", 503)
            assert not lobby.games
            assert shown in await text_of(resumes, address)
            assert len(lobby.games) == 1
        for _ in range(lobby.limits.opened):
            await open_game(other, url)
        async with other.post(f"{url}/lobby", data=OPEN, allow_redirects=False) as answer:
            assert answer.status == 503
            assert "too many games from here" in await answer.text()


@pytest.mark.parametrize("public", ["", "https://go.example.org/daoqi"])
async def test_the_cookie_of_a_seat_goes_to_its_game_alone(public: str, tmp_path: Path) -> None:
    port = free_port()
    options = ("--public-url", public) if public else ()
    async with (
        serving(tmp_path, "--lobby", "--port", str(port), *options),
        somebody() as host,
        host.post(f"http://127.0.0.1:{port}/lobby", data=OPEN, allow_redirects=False) as answer,
    ):
        [cookie] = answer.cookies.values()
        assert cookie["path"] == urlsplit(answer.headers["Location"]).path
        assert cookie["path"].startswith(f"{urlsplit(public).path}/table/")


async def test_behind_a_proxy_the_page_shows_an_invitation_that_leads_there(tmp_path: Path) -> None:
    port = free_port()
    public = "https://go.example.org/daoqi"
    async with serving(tmp_path, "--lobby", "--port", str(port), "--public-url", public), somebody() as session:
        here = f"http://127.0.0.1:{port}"
        name = (await open_game(session, here)).rpartition("/")[2]
        listed = await text_of(session, f"{here}/lobby/games")
        [shown] = re.findall(r"<code>daoqi-tui join (.*?)</code>", listed)
        assert Invitation.parse(shown).url == f"wss://go.example.org/daoqi/game/{name}"


async def test_komi_handicap_and_rules_are_chosen_in_the_form(tmp_path: Path) -> None:
    async with serving(tmp_path, "--lobby") as server, somebody() as session:
        page = await text_of(session, f"{server.url}/lobby")
        assert '<input name="komi" value="4"' in page
        assert '<option value="Tromp-Taylor">Tromp–Taylor (free passes, draws)</option>' in page
        chosen = {"size": "9", "komi": "0.5", "handicap": "3", "rules": "Tromp-Taylor"}
        table = await open_game(session, server.url, **chosen)
        game = table.rpartition("/")[2]
        async with session.ws_connect(f"{server.url}/game/{game}") as socket:
            await socket.send_json({"type": "join", "version": 1})
            while (state := await socket.receive_json())["type"] != "state":
                pass
    assert {name: state[name] for name in chosen} == {**chosen, "size": 9, "komi": 0.5, "handicap": 3}


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"komi": "much"}, "Komi must be a number such as 4 or 3.75"),
        ({"komi": "1e9"}, "Komi must be a number such as 4 or 3.75"),
        ({"handicap": "1"}, "The handicap must be 0, or 2 to 9 stones that fit the board"),
        ({"handicap": "9", "size": "5"}, "The handicap must be 0, or 2 to 9 stones that fit the board"),
        ({"rules": "Go"}, "'Go' is not a set of rules: Daoqi, Tromp-Taylor, or a field such as suicide=no"),
    ],
)
async def test_wrong_terms_bring_one_sentence(wrong: dict[str, str], sentence: str, tmp_path: Path) -> None:
    async with serving(tmp_path, "--lobby") as server, somebody() as session:
        async with session.post(f"{server.url}/lobby", data={**OPEN, **wrong}, allow_redirects=False) as answer:
            assert answer.status == 400
            assert (await answer.text()) == f"{sentence}.\n"
        assert "No game is on." in await text_of(session, f"{server.url}/lobby")


async def test_what_a_form_may_not_say_is_refused(tmp_path: Path) -> None:
    async with serving(tmp_path, "--lobby") as server, somebody() as session:
        for wrong in ({"size": "6"}, {"size": "-"}, {"clock": "9"}, {"black": "me"}):
            form = {name: value for name, value in {**OPEN, **wrong}.items() if value != "-"}
            async with session.post(f"{server.url}/lobby", data=form, allow_redirects=False) as answer:
                assert answer.status == 400
        headers = {"Origin": "http://evil.example"}
        async with session.post(f"{server.url}/lobby", data=OPEN, headers=headers, allow_redirects=False) as answer:
            assert answer.status == 403
        await text_of(session, f"{server.url}/table/nosuchgame", 404)
        table = await open_game(session, server.url, watch="-", anyone="-")
        async with somebody() as other:
            await text_of(other, table, 403)
            assert "No game is on." in await text_of(other, f"{server.url}/lobby/games")
        for _ in range(4):
            await open_game(session, server.url)
        async with session.post(f"{server.url}/lobby", data=OPEN, allow_redirects=False) as answer:
            assert answer.status == 503


async def test_a_bot_plays_whoever_asks_for_a_game(tmp_path: Path) -> None:
    asked = {"name": "Ke", "level": "1.5", "size": "9", "black": "host"}
    async with serving(tmp_path, "--lobby") as server, somebody() as session:
        bots = (await session.get(f"{server.url}/games")).json()
        assert (await bots)["bots"] == {"levels": [half / 2 for half in range(2, 21)], "sizes": [9, 13, 16]}
        for wrong in ({"level": "x"}, {"level": "11"}, {"size": "6"}, {"black": "me"}):
            form = {**asked, **wrong}
            async with session.post(f"{server.url}/lobby/bots", data=form, allow_redirects=False) as answer:
                assert answer.status in (400, 403), form
        async with session.post(f"{server.url}/lobby/bots", data=asked, allow_redirects=False) as answer:
            assert answer.status == 303
            table = answer.headers["Location"]
        assert BOARD in await text_of(session, table)
        for body, status in (("{", 400), ('{"level": 1.2, "size": 9}', 403)):
            async with session.post(f"{server.url}/bots", data=body) as answer:
                assert answer.status == status
        async with session.post(f"{server.url}/bots", json={"level": 1, "size": 9, "black": "host"}) as answer:
            begun = await answer.json()
        person = Player(re.sub("^http", "ws", server.url), begun["game"], key=begun["key"])
        # The first move is a worker's, and Black's.
        await person.moves(1)
        assert person.client.role == "white"
        await person.end()
    async with serving(tmp_path, "--lobby", "--bots", "0") as server, somebody() as session:
        assert "lobby/bots" not in await text_of(session, f"{server.url}/lobby")
        async with session.post(f"{server.url}/lobby/bots", data=asked) as answer:
            assert answer.status == 404


_OF_UNKNOWN_TRANSFER = (
    b'--x\r\nContent-Disposition: form-data; name="name"\r\nContent-Transfer-Encoding: foo\r\n\r\nLu\r\n--x--\r\n'
)


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("application/x-www-form-urlencoded", b"name=\xff"),
        ("application/x-www-form-urlencoded; charset=xyz", b"name=Lu"),
        ("multipart/form-data", b"name=Lu"),
        ("multipart/form-data; boundary=x", _OF_UNKNOWN_TRANSFER),
    ],
    ids=["bytes", "encoding", "boundary", "transfer"],
)
async def test_a_form_that_cannot_be_read_is_refused(kind: str, data: bytes, tmp_path: Path) -> None:
    async with serving(tmp_path, "--lobby") as server, somebody() as session:
        table = await open_game(session, server.url)
        for url in (f"{server.url}/lobby", table):
            async with session.post(url, data=data, headers={"Content-Type": kind}, allow_redirects=False) as answer:
                assert answer.status == 400
                assert await answer.text() == "The form is incomplete: open the lobby again\n"
    assert not list(tmp_path.rglob("reports/*"))


FORM = "POST /lobby HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n"


async def test_a_form_that_breaks_off_is_no_error_of_the_program(tmp_path: Path) -> None:
    async with serving(tmp_path, "--lobby") as server, somebody() as visitor:
        address = urlsplit(server.url)
        _reader, writer = await asyncio.open_connection(address.hostname, address.port)
        writer.write(f"{FORM}Host: {address.netloc}\r\n\r\nname=Lu".encode())
        await writer.drain()
        await text_of(visitor, f"{server.url}/lobby")
        writer.close()
        await writer.wait_closed()
        await text_of(visitor, f"{server.url}/lobby")
    assert not list(tmp_path.rglob("reports/*"))


async def test_without_the_option_there_is_no_lobby(tmp_path: Path) -> None:
    async with serving(tmp_path, "--no-token") as server, somebody() as session:
        await text_of(session, f"{server.url}/lobby", 404)
        await text_of(session, f"{server.url}/games", 404)


@pytest.mark.skipif(found() is None, reason="no Chromium on this machine (Debian: apt-get install chromium)")
@pytest.mark.parametrize("width", [1000, 360])
async def test_headings_and_names_are_not_broken_into_letters(width: int, tmp_path: Path) -> None:
    async with serving(tmp_path, "--lobby") as server, chromium() as browser:
        async with somebody() as session:
            await open_game(session, server.url, name="Player")
        page = await browser.open(f"{server.url}/lobby")
        screen = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
        await page.call("Emulation.setDeviceMetricsOverride", **screen)
        while not await page.value("document.querySelector('#games td') && document.readyState === 'complete'"):
            await asyncio.sleep(0.05)
        lines = await page.value(
            "[...document.querySelectorAll('#games th, #games td:nth-child(-n+4)')].map((cell) => {"
            " const range = document.createRange(); range.selectNodeContents(cell);"
            " return [cell.innerText, new Set([...range.getClientRects()].map((line) => line.top)).size] })"
        )
        assert ["Player", 1] in lines
        assert [text for text, count in lines if count > 1] == []
        assert await page.value("document.documentElement.scrollWidth") <= width
