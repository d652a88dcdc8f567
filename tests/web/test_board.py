"""The board in canvas: whole games in Chromium, its scripts against the engine, and what the server sends."""

from __future__ import annotations

import asyncio
import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("textual_serve", reason="the extra web is not installed: pip install -e '.[web]'")

from daoqi_tui.engine import BLACK, WHITE, Game, Torus
from daoqi_tui.engine.clock import Clock, TimeControl, TimeLeft, parse_clock
from daoqi_tui.engine.game import handicap_points
from daoqi_tui.play.online.table import Terms, digest
from daoqi_tui.web.board import SCRIPTS
from tests.play.online.table import Player, Time
from tests.waiting import HANG
from tests.web.chromium import Page, chromium, found
from tests.web.serving import serving
from tests.web.test_lobby import OPEN, lobby_here, open_game, somebody, text_of
from tests.web.test_players import pages

in_chromium = pytest.mark.skipif(
    found() is None, reason="no Chromium on this machine (Debian: apt-get install chromium)"
)
DATA = "document.querySelector('#board').dataset"
HOSTILE = "<img src=x onerror=alert(1)>"


async def shows(page: Page, condition: str) -> None:
    """Wait until a condition holds in a page."""
    try:
        async with asyncio.timeout(HANG):
            while not await page.value(f"document.readyState === 'complete' && Boolean({condition})"):
                await asyncio.sleep(0.05)
    except TimeoutError:
        text = await page.value("document.body.innerText")
        raise AssertionError(f"{condition} does not hold: {text}; {page.complaints}") from None


async def says(page: Page, words: str) -> None:
    await shows(page, f"document.querySelector('#standing')?.textContent.includes({json.dumps(words)})")


async def press(page: Page, selector: str) -> None:
    """Press a button, once it can be pressed."""
    one = f"document.querySelector({json.dumps(selector)})"
    await shows(page, f"{one} && !{one}.disabled && {one}.checkVisibility()")
    await page.value(f"({one}.click(), 1)")


async def answer(page: Page, words: str) -> None:
    """Press the button of the bar that says something."""
    one = f"[...document.querySelectorAll('#bar button')].find((each) => each.textContent === {json.dumps(words)})"
    await shows(page, one)
    await page.value(f"({one}.click(), 1)")


async def place(page: Page, name: str, size: int) -> tuple[float, float]:
    """Return the centre of a point in the bright period, in pixels of the page."""
    left, top, x, y, cell = await page.value(
        "(() => { const c = document.querySelector('#board'), b = c.getBoundingClientRect(), d = c.dataset;"
        " return [+d.left, +d.top, b.left + +d.x, b.top + +d.y, +d.cell] })()"
    )
    column, row = "ABCDEFGHIJKLMNOPQRSTUVWXY".index(name[0]), size - int(name[1:])
    return x + ((column - left) % size + 0.5) * cell, y + ((row - top) % size + 0.5) * cell


async def click(page: Page, name: str, size: int = 5) -> None:
    x, y = await place(page, name, size)
    await page.mouse("mousePressed", x, y)
    await page.mouse("mouseReleased", x, y)


async def touch(page: Page, name: str, size: int) -> None:
    x, y = await place(page, name, size)
    await page.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
    await page.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])


async def key(page: Page, name: str, *, shift: bool = False) -> None:
    text = {"text": "\r"} if name == "Enter" else {"text": name} if len(name) == 1 else {}
    await page.call("Input.dispatchKeyEvent", type="keyDown", key=name, modifiers=8 * shift, **text)
    await page.call("Input.dispatchKeyEvent", type="keyUp", key=name, modifiers=8 * shift)


async def moves(page: Page, count: int) -> None:
    await shows(page, f"document.querySelector('#slider').max === '{count}'")


async def sit(page: Page, url: str, table: str, seat: str) -> None:
    """Open the page of a seat, whose cookie the browser has then."""
    address = f"{url}/table/{table}"
    cookie = {"name": f"daoqi-seat-{url.rpartition(':')[2]}-{table}", "value": seat, "path": f"/table/{table}"}
    await page.call("Network.setCookie", url=address, **cookie)
    await page.call("Page.navigate", url=address)
    await shows(page, "document.querySelector('#standing')?.textContent")


@in_chromium
async def test_two_browsers_play_a_game_to_its_end_and_another(tmp_path: Path) -> None:
    async with serving(tmp_path, "--lobby", "--bots", "0") as server, chromium() as browser:
        black = await browser.open(f"{server.url}/lobby")
        await shows(black, "document.forms.host")
        terms = {"name": HOSTILE, "size": "5", "black": "host", "clock": "10+5"}
        for name, value in terms.items():
            await black.value(f"(document.forms.host.elements.{name}.value = {json.dumps(value)}, 1)")
        await black.value("(document.forms.host.requestSubmit(), 1)")
        await says(black, "Waiting for the guest")
        link = await black.value("document.querySelector('#link').value")
        # The two names of this computer have cookies of their own.
        white = await browser.open(link.replace("127.0.0.1", "localhost"))
        await shows(white, "document.querySelector('[name=code]')")
        await white.value("(document.querySelector('[name=name]').value = 'Ke', 1)")
        await white.value("(document.forms[0].requestSubmit(), 1)")
        await says(white, "The opponent's move")
        # By the mouse, by keys and by a typed point.
        await black.call("Page.bringToFront")
        await click(black, "B2")
        await moves(white, 1)
        await white.call("Page.bringToFront")
        for name in ("ArrowUp", "ArrowRight", "Enter"):
            await key(white, name)
        await moves(black, 2)
        assert "Move 2: White D4." in await black.value("document.querySelector('#spoken').textContent")
        assert await white.value("document.querySelector('#cursor').textContent") == "D4 empty"
        await black.value("(document.querySelector('#point').value = 'a1', 1)")
        await black.value("(document.querySelector('#typed').requestSubmit(), 1)")
        await moves(white, 3)
        # The undo is asked for, and granted.
        await press(black, "[data-act=undo]")
        await answer(white, "Accept")
        await moves(black, 2)
        # The server would cut off whoever sends it every point that the mouse crosses.
        for page in (black, white):
            await page.value("(document.querySelector('#share').click(), 1)")
        await shows(black, "document.querySelector('#share').checked")
        await black.call("Page.bringToFront")
        corners = [await place(black, name, 5) for name in ("A1", "B2", "C3", "D4", "E5")]
        for _ in range(12):
            for x, y in corners:
                await black.mouse("mouseMoved", x, y, "none")
        # What anybody is called or says is text.
        await black.value(f"(document.querySelector('#say input').value = {json.dumps(HOSTILE)}, 1)")
        await black.value("(document.querySelector('#say').requestSubmit(), 1)")
        await shows(
            white,
            f"document.querySelector('#lines').textContent.includes({json.dumps(HOSTILE + ' (Black)' + HOSTILE)})",
        )
        assert await white.value("document.querySelector('#black .name').textContent") == HOSTILE
        assert not await white.value("document.images.length")
        # Both pass; Black's stone is dead, and both agree.
        await press(black, "[data-act=pass]")
        await press(white, "[data-act=pass]")
        await says(black, "Mark the dead stones")
        await white.call("Page.bringToFront")
        await click(white, "B2")
        await shows(black, "document.querySelector('#bar').textContent.includes('Black -1, White 28: White by 29')")
        await answer(black, "Agree")
        await says(white, "The opponent agrees to the count.")
        await answer(white, "Agree")
        for page in (black, white):
            await says(page, "The game is over. White wins by 29.")
        # Replayed from the start.
        await press(white, "[data-go=start]")
        await says(white, "Move 0 of 4")
        await answer(black, "Rematch")
        await answer(white, "Accept")
        await says(white, "Your move")
        await press(white, "[data-act=resign]")
        await press(white, "#yes")
        await says(black, "Black resigns: White wins")
        for page in (black, white):
            assert not page.complaints
            hosts = {address.split("/")[2] for address in page.requests if not address.startswith("about:")}
            assert len(hosts) == 1
            assert sum(address.startswith("ws:") for address in page.requests) == 1
        # A viewer costs no process.
        children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children")
        assert not children.exists() or children.read_text() == ""


@in_chromium
async def test_conditional_moves_are_given_in_the_page_and_all_is_said_to_who_does_not_see_it(tmp_path: Path) -> None:
    """Each move is in the tree that Chromium shows to screen readers, and all that can be used has a name there."""
    async with pages(tmp_path) as (lobby, url), chromium() as browser:
        store = lobby.store
        assert store is not None
        ke, _lu = (store.claim(name, digest(name), "link") for name in ("Ke", "Lu"))
        terms = Terms(size=5, black="host", open=True, time=parse_clock("3d"))
        game, _key, code = await lobby.open(terms, "", account=ke)
        white = Player(url.replace("http", "ws", 1), game.name, code=code, account="Lu")
        await white.until(lambda: white.client.role == "white")
        page = await browser.open("about:blank")
        cookie = {"name": lobby.cookie, "value": "Ke", "path": "/", "sameSite": "Strict"}
        await page.call("Network.setCookie", url=url, **cookie)
        await page.call("Page.navigate", url=f"{url}/table/{game.name}")
        await says(page, "Your move")
        await press(page, "#more summary")
        # Not on one's own turn.
        assert not await page.value("document.querySelector('#plan').checkVisibility()")
        await submit(page, "#typed", "#point", "C3")
        await white.my_turn()
        await shows(page, "document.querySelector('#plan').checkVisibility()")
        await submit(page, "#plan", "#answers", "D4 Z9")
        await says(page, "Type their move, your answer")
        # A line that answers twice is the server's to refuse.
        await submit(page, "#plan", "#answers", "D4 D4")
        await says(page, "conditional moves are for the opponent's turn, each with one answer.")
        assert game.table.plans == (None, None)
        await submit(page, "#plan", "#answers", "d4 e5; B2 A1 ; pass B5")
        await shows(
            page, "document.querySelector('#planned').textContent === 'Conditional moves: D4 E5; B2 A1; pass B5.'"
        )
        white.client.play(Torus(5).parse("D4"))
        await moves(page, 3)
        await white.moves(3)
        await says(page, "The opponent's move")
        nodes = (await page.call("Accessibility.getFullAXTree"))["nodes"]
        seen = [(said(each, "role"), said(each, "name")) for each in nodes if not each["ignored"]]
        usable = {"button", "textbox", "slider", "link", "checkbox", "application", "DisclosureTriangle"}
        assert usable <= {role for role, _name in seen}
        assert [role for role, name in seen if role in usable and not name] == []
        assert next(name for role, name in seen if role == "application").startswith("Board")
        [log] = [each for each in nodes if said(each, "role") == "log" and "live" in str(each) and within(nodes, each)]
        assert "Move 2: White D4." in within(nodes, log)
        assert "Move 3: Black E5." in within(nodes, log)
        assert {"name": "live", "value": {"type": "token", "value": "polite"}} in log["properties"]
        assert not page.complaints
        await white.end()


def said(node: dict[str, Any], what: str) -> str:
    return str(node.get(what, {}).get("value", ""))


def within(nodes: list[dict[str, Any]], node: dict[str, Any]) -> str:
    """Return the text below a node of the tree."""
    known = {each["nodeId"]: each for each in nodes}
    below = (known[each] for each in node.get("childIds", ()) if each in known)
    return " ".join(
        (said(node, "name") if said(node, "role") == "StaticText" else "", *(within(nodes, each) for each in below))
    )


async def submit(page: Page, form: str, field: str, text: str) -> None:
    await page.value(f"(document.querySelector({json.dumps(field)}).value = {json.dumps(text)}, 1)")
    await page.value(f"(document.querySelector({json.dumps(form)}).requestSubmit(), 1)")


@in_chromium
async def test_a_move_whose_answer_or_which_itself_is_lost_is_played_once(tmp_path: Path) -> None:
    async with lobby_here(tmp_path, Time()) as (lobby, url), chromium() as browser:
        table, key, code = lobby.host(Terms(size=5, black="host"), "Lu")
        guest = Player(re.sub("^http", "ws", url), table.name, code=code)
        page = await browser.open("about:blank")
        await sit(page, url, table.name, key)
        await says(page, "Your move")
        # A line that is lost while a move is sent, before or after it.
        await page.value(
            "(() => { const { send } = WebSocket.prototype; window.cut = ''; window.sent = [];"
            " WebSocket.prototype.send = function (text) {"
            "  const lost = JSON.parse(text).type === 'move' ? window.cut : '';"
            "  if (JSON.parse(text).type === 'move') window.sent.push(text);"
            "  if (lost !== 'before') send.call(this, text);"
            "  if (lost) { window.cut = ''; this.close() } }; return 1 })()"
        )
        for number, (cut, name) in enumerate((("before", "B2"), ("after", "D4")), 1):
            await page.value(f"(window.cut = '{cut}', 1)")
            await click(page, name)
            await guest.moves(2 * number - 1)
            await says(page, "The opponent's move")
            guest.client.play(guest.client.game.torus.parse(f"A{number}", "gtp"))
            await moves(page, 2 * number)
            await says(page, "Your move")
        assert guest.client.state.moves == ("B2", "A1", "D4", "A2")
        assert await page.value("window.cut") == ""
        assert (await page.value("window.sent.length")) >= 3
        # A reload is the same seat; in another tab, it takes the place of the first for good.
        await page.call("Page.reload")
        await says(page, "Your move")
        other = await browser.open(f"{url}/table/{table.name}")
        await says(other, "Your move")
        await says(page, "the seat was taken over by another connection with the same key")
        await guest.end()
        assert not [each for each in (*page.complaints, *other.complaints) if "WebSocket" not in each]


@in_chromium
@pytest.mark.parametrize("language", ["en", "zh-CN"])
async def test_on_a_phone_all_for_a_move_fits_and_the_board_is_dragged_without_end(
    language: str, tmp_path: Path
) -> None:
    size = 16
    async with lobby_here(tmp_path, Time()) as (lobby, url), chromium() as browser:
        table, key, code = lobby.host(Terms(size=size, black="host", time=TimeControl(600.0)), "L" * 40)
        guest = Player(re.sub("^http", "ws", url), table.name, code=code)
        page = await browser.open("about:blank")
        await page.call("Emulation.setDeviceMetricsOverride", width=360, height=640, deviceScaleFactor=2, mobile=True)
        await page.call("Emulation.setTouchEmulationEnabled", enabled=True)
        await page.call("Network.setExtraHTTPHeaders", headers={"Accept-Language": language})
        await sit(page, url, table.name, key)
        await says(page, {"en": "Your move", "zh-CN": "轮到你"}[language])
        assert await page.value("document.documentElement.scrollWidth") <= 360
        for shown in ("#board", "[data-act=pass]", "[data-act=undo]", "[data-act=resign]", "[data-go=end]"):
            left, top, right, bottom = await page.value(
                f"(() => {{ const b = document.querySelector('{shown}').getBoundingClientRect();"
                " return [b.left, b.top, b.right, b.bottom] })()"
            )
            assert (left >= 0, top >= 0, right <= 360, bottom <= 640) == (True,) * 4, shown
        # A drag of 20 points, more than the board has, plays nothing.
        cell = await page.value("+document.querySelector('#board').dataset.cell")
        for part in range(4):
            await drag(page, 300, 200, -5 * cell, 2 * cell)
            at = ((5 * part + 5) % size, (-2 * part - 2) % size)
            await shows(
                page, f"((d) => +d.left === {at[0]} && +d.top === {at[1]})(document.querySelector('#board').dataset)"
            )
        # Points narrower than a finger are tapped twice.
        await touch(page, "D7", size)
        await says(page, "D7")
        assert not guest.client.state.moves
        await touch(page, "D7", size)
        await guest.moves(1)
        assert guest.client.state.moves == ("D7",)
        # In the middle all is bright, at the edge dim.
        bright, dim = await page.value(
            "(() => { const c = document.querySelector('#board'), d = c.dataset, ink = c.getContext('2d');"
            " const at = (x, y) => Math.max(...ink.getImageData(2 * x, 2 * y, 1, 1).data.slice(0, 3));"
            " return [at(+d.x + 1.25 * d.cell, +d.y + 1.25 * d.cell), at(+d.x - d.cell / 4, +d.y + 1.25 * d.cell)] })()"
        )
        assert bright > dim + 40 > 80
        await guest.end()
        assert not page.complaints


async def drag(page: Page, x: float, y: float, across: float, along: float) -> None:
    def points(share: float) -> list[dict[str, float]]:
        return [{"x": x + share * across, "y": y + share * along}]

    await page.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=points(0))
    for part in range(1, 6):
        await page.call("Input.dispatchTouchEvent", type="touchMove", touchPoints=points(part / 5))
    await page.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])


def played(size: int, handicap: int, seed: int) -> Game:
    """Return a game of random moves, with captures, suicides and passes."""
    chance, game = random.Random(seed), Game(size, handicap=handicap)
    for _ in range(3 * size**2):
        if game.is_over:
            game.resume()
        legal = [point for point in range(size**2) if game.refusal(point) is None]
        if not legal or chance.random() < 0.04:
            game.pass_turn()
        else:
            game.play(chance.choice(legal))
    return game


@in_chromium
async def test_the_scripts_agree_with_the_engine_and_a_spectator_has_no_buttons(tmp_path: Path) -> None:
    games = [played(size, handicap, size) for size, handicap in ((2, 0), (3, 0), (5, 2), (7, 0), (9, 4))]
    asked, wanted = [], []
    for game in games:
        torus, moved = game.torus, game.moves()
        names = ["pass" if move.is_pass else torus.name(move.point, "gtp") for move in moved]
        asked.append([torus.size, [torus.name(point, "gtp") for point in handicap_points(torus, game.handicap)], names])
        area = game.area()
        board = game.board
        wanted.append(
            [
                list(board.colours),
                [board.captured[BLACK], board.captured[WHITE]],
                list(area.owners),
                [area.black.stones + area.black.territory, area.white.stones + area.white.territory],
            ]
        )
    assert any(game.board.suicided[BLACK] for game in games)
    control = TimeControl(60.0, 3, 30.0)
    times = [(60.0, 3, False, spent) for spent in (0.0, 59.5, 60.0, 75.0, 90.0, 119.0, 149.5, 150.0, 400.0)]
    times += [(12.0, 2, True, spent) for spent in (5.0, 12.0, 41.5, 42.0)]
    async with lobby_here(tmp_path, Time()) as (lobby, url), chromium() as browser:
        table, _key, _code = lobby.host(Terms(size=5), "Lu")
        page = await browser.open(f"{url}/table/{table.name}")
        await says(page, "Waiting for the guest")
        assert not await page.value(
            "[...document.querySelectorAll('#actions, #bar, #stopping, #invitation, #listening, #sharing')]"
            ".some((each) => each.checkVisibility())"
        )
        found = await page.value(
            "import('../board/torus.js').then(({ Torus, Position, area }) =>"
            f" {json.dumps(asked)}.map(([size, setup, moves]) => {{"
            "  const torus = new Torus(size);"
            "  const position = new Position(torus, setup.map((name) => torus.parse(name, 'gtp')));"
            "  for (const move of moves) position.make(move);"
            "  const { owners, points } = area(torus, position.colours, []);"
            "  return [[...position.colours], position.captured.slice(1), [...owners], points.slice(1)] }))"
        )
        assert found == wanted
        left = await page.value(
            "import('../board/clock.js').then(({ timeLeft }) =>"
            f" {json.dumps(times)}.map(([seconds, periods, byoyomi, spent]) =>"
            " Object.values(timeLeft({ main: 60, periods: 3, period: 30 }, { seconds, periods, byoyomi }, spent))))"
        )
        assert left == [list(clock_left(control, *each)) for each in times]
        assert not page.complaints


def clock_left(control: TimeControl, seconds: float, periods: int, byoyomi: bool, spent: float) -> TimeLeft:
    clock = Clock(control)
    left = TimeLeft(seconds, periods, byoyomi)
    clock.set_left(left, left)
    clock.start(BLACK, 0.0)
    return clock.left(BLACK, spent)


@pytest.mark.parametrize("is_open", [True, False], ids=["open", "invited"])
async def test_the_page_has_the_key_of_its_visitor_alone_and_speaks_their_language(
    is_open: bool, tmp_path: Path
) -> None:
    async with lobby_here(tmp_path, Time()) as (_lobby, url), somebody() as host, somebody() as other:
        table = await open_game(host, url, handicap="2", anyone="on" if is_open else "-")
        [key, code] = next(cookie.value for cookie in host.cookie_jar).split(".")
        async with host.get(table) as answer:
            own, headers = await answer.text(), answer.headers
        assert key in own
        assert code in own
        assert "'unsafe-inline'" not in headers["Content-Security-Policy"]
        assert headers["Cache-Control"] == "no-store"
        assert not re.search(r"<script(?![^>]*\bsrc=)|\son\w+=|\sstyle=", own)
        watched = await text_of(other, table)
        assert key not in watched
        assert (code in watched) == is_open
        assert "Lu <b>" not in watched
        spoken = {"zh-CN,zh;q=0.9,en;q=0.8": "认输", "zh-TW": "聊天", "en-GB,zh;q=0.5": "Resign", "fr": "Resign"}
        for wished, word in spoken.items():
            async with other.get(table, headers={"Accept-Language": wished}) as answer:
                assert word in await answer.text()
            async with other.get(f"{url}/lobby", headers={"Accept-Language": wished}) as answer:
                assert ("Watch" in await answer.text()) == (word == "Resign")
        for wrong, said in (({"komi": "x"}, "贴目应为数字"), ({"size": "6"}, "表单不完整")):
            form, asks = {**OPEN, **wrong}, {"Accept-Language": "zh"}
            async with other.post(f"{url}/lobby", data=form, headers=asks) as answer:
                assert said in await answer.text()
        # Nothing opens a program for a viewer.
        await text_of(host, f"{table}/ws", 404)
        await text_of(other, f"{url}/board/../board.html", 404)
        for file in SCRIPTS.iterdir():
            async with other.get(f"{url}/board/{file.name}") as answer:
                assert answer.content_type in ("text/javascript", "application/javascript", "text/css")


def test_the_scripts_ask_for_nothing_that_the_page_does_not_have() -> None:
    page = (SCRIPTS.parents[1] / "board.html").read_text("utf-8")
    asked = {
        name for file in SCRIPTS.glob("*.js") for name in re.findall(r"find\([\"']#([\w-]+)", file.read_text("utf-8"))
    }
    assert asked
    assert asked <= set(re.findall(r'\bid="([\w-]+)"', page))
