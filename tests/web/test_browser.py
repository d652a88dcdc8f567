"""The board in a real browser: clicks, drags, screenshots, closing and reopening."""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from socket import gethostname

import pytest

pytest.importorskip("textual_serve", reason="the extra web is not installed: pip install -e '.[web]'")

from PIL import Image

from daoqi_tui.children import GAME_MEMORY
from daoqi_tui.record import load
from daoqi_tui.record.journal.format import replay
from daoqi_tui.web.server import MOST_GAMES
from tests.ports import free_port
from tests.waiting import HANG
from tests.web.chromium import SHIFT, WINDOW, Chromium, Page, chromium, found
from tests.web.serving import Serving, let_in, serving

if found() is None:
    pytest.skip("no Chromium on this machine (Debian: apt-get install chromium)", allow_module_level=True)


async def opened(browser: Chromium, server: Serving, words: str) -> Page:
    page = await browser.open(server.link)
    await page.wait_until(words)
    await page.wait(lambda: " A " in page.screen.display[0])
    sizes = [message for message in map(json.loads, page.sent) if message[0] == "resize"]
    assert (sizes[-1][1]["height"], sizes[-1][1]["width"]) == (page.screen.lines, page.screen.columns)
    return page


async def centre(page: Page, column: int, row: int) -> tuple[float, float]:
    """Return the centre of a terminal cell, in pixels of the page."""
    box = await page.value(
        "(() => { const b = document.querySelector('.xterm-screen').getBoundingClientRect();"
        " return [b.left, b.top, b.width, b.height] })()"
    )
    return (
        box[0] + (column + 0.5) * box[2] / page.screen.columns,
        box[1] + (row + 0.5) * box[3] / page.screen.lines,
    )


def label(page: Page, name: str) -> int:
    """Return the terminal column of a board column's label, in the bright copy of the board."""
    line = page.screen.display[0]
    return line.index(name, line.index("A", 20))


def row(page: Page, name: str) -> int:
    """Return the terminal line of a board row's label."""
    lines = [text[:3].strip() for text in page.screen.display]
    return lines.index(name, 6)


async def click(page: Page, column: int, line: int) -> tuple[float, float]:
    x, y = await centre(page, column, line)
    await page.mouse("mouseMoved", x, y, "none")
    await page.mouse("mousePressed", x, y)
    await page.mouse("mouseReleased", x, y)
    return x, y


async def test_a_move_by_a_click_and_a_pan_by_a_drag(tmp_path: Path) -> None:
    async with serving(tmp_path / "home") as server, chromium() as browser:
        page = await opened(browser, server, "Move 1")
        x, y = await click(page, label(page, "D"), row(page, "7"))
        await page.wait_until("Move 2")
        await page.wait_until("D7")

        [journal] = server.kept()
        [move] = [node.move for node in replay(journal).game.root.walk() if node.move is not None]
        assert replay(journal).game.torus.name(move.point) == "D7"

        place = label(page, "D")
        points = await centre(page, 0, 0), await centre(page, 12, 0)
        width = points[1][0] - points[0][0]
        await page.mouse("mouseMoved", x, y + 60, "none")
        await page.mouse("mousePressed", x, y + 60)
        for part in range(1, 7):
            await page.mouse("mouseMoved", x + width * part / 6, y + 60)
        await page.mouse("mouseReleased", x + width, y + 60)
        # The board follows the mouse, and releasing the button plays nothing.
        await page.wait(lambda: place + 12 in places(page, "D"))
        assert "Move 2" in page.text
        assert len(list(replay(journal).game.root.walk())) == 2

        shot = tmp_path / "board.png"
        await page.picture(shot)
        with Image.open(shot) as picture:
            # The wood, and the black stone, moved by the length of the drag.
            stone = picture.convert("RGB").getpixel((round(x + width) + 8, round(y)))
            wood = picture.convert("RGB").getpixel((round(x + width) + 8, round(y) + 60))
        assert (max(stone) < 60, max(wood) > 150) == (True, True), (stone, wood)

        assert not page.complaints
        assert await page.value("window.location.href") == server.url + "/", "the token does not stay in the address"
        assert await page.value("document.cookie") == "", "no script reads the cookie"
        # The style sheets that the terminal widget creates are applied.
        assert await page.value("[...document.styleSheets].every((sheet) => sheet.cssRules.length > 0)")
        await page.value("document.fonts.ready")
        assert await page.value("document.fonts.check('16px \"Roboto Mono\"')")
        # Injected inline scripts are not executed.
        await page.value("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.stolen = 1\">')")
        await page.wait(lambda: any("inline event handler" in complaint for complaint in page.complaints))
        assert await page.value("window.stolen") is None
        # Nothing is loaded from another server.
        assert {address.split("/")[2] for address in page.requests} == {server.url.split("/")[2]}


async def test_the_wheel_pans_the_board_in_both_directions(tmp_path: Path) -> None:
    async with serving(tmp_path / "home", "--size", "9") as server, chromium() as browser:
        page = await opened(browser, server, "Move 1")
        place = places(page, "D")
        x, y = await centre(page, label(page, "D"), row(page, "7"))
        await page.wheel(x, y, 120, 0)
        await page.wait(lambda: places(page, "E")[-len(place) :] == place)
        # Firefox turns the vertical wheel with Shift, Chromium the horizontal one.
        await page.wheel(x, y, 0, 120, SHIFT)
        await page.wait(lambda: places(page, "F")[-len(place) :] == place)
        await page.wheel(x, y, -120, 0, SHIFT)
        await page.wait(lambda: places(page, "E")[-len(place) :] == place)
        line = page.screen.display[20]
        await page.wheel(x, y, 10, 120)
        await page.wait(lambda: page.screen.display[20] != line)
        assert places(page, "E")[-len(place) :] == place
        assert not page.complaints


async def test_without_webgl_the_board_has_its_colours(tmp_path: Path) -> None:
    async with serving(tmp_path / "home", "--no-token") as server, chromium(WINDOW, "--disable-3d-apis") as browser:
        # Without a token everyone comes in.
        assert server.link == server.url
        page = await opened(browser, server, "Move 1")
        assert not await page.value("document.createElement('canvas').getContext('webgl')")
        x, y = await click(page, label(page, "D"), row(page, "7"))
        await page.wait_until("Move 2")
        shot = tmp_path / "board.png"
        await page.picture(shot)
        with Image.open(shot) as picture:
            stone = picture.convert("RGB").getpixel((round(x) + 8, round(y)))
            wood = picture.convert("RGB").getpixel((round(x) + 8, round(y) + 60))
        assert (max(stone) < 60, max(wood) > 150) == (True, True), (stone, wood)
        assert not page.complaints


async def test_nothing_is_seen_beside_the_last_column_and_a_telephone_can_be_read(tmp_path: Path) -> None:
    async with serving(tmp_path / "home") as server, chromium() as browser:
        page = await browser.open("about:blank")
        # No whole number of columns.
        window = {"width": 1283, "height": 800, "deviceScaleFactor": 1, "mobile": False}
        await page.call("Emulation.setDeviceMetricsOverride", **window)
        await page.call("Page.navigate", url=server.link)
        await page.wait_until("Move 1")
        await page.wait(lambda: " A " in page.screen.display[0])
        assert await page.value("innerWidth - document.querySelector('.xterm-screen').clientWidth") > 0
        shot = tmp_path / "board.png"
        await page.picture(shot)
        with Image.open(shot) as picture:
            assert picture.width == 1283
            assert picture.convert("RGB").getpixel((picture.width - 1, 400)) == (0x18, 0x14, 0x10)
        telephone = {"width": 390, "height": 844, "deviceScaleFactor": 3, "mobile": True}
        await page.call("Emulation.setDeviceMetricsOverride", **telephone)
        await page.call("Page.reload")
        # 7 pixels wide, as in a small window on a screen with ordinary pixels.
        await page.wait(lambda: sum("/ws?" in address for address in page.requests) == 2)
        assert page.screen.columns == 390 // 7


async def test_a_game_is_copied_and_pasted_from_another_computer(tmp_path: Path) -> None:
    async with serving(tmp_path / "home") as server, chromium() as browser:
        # Only pages from this computer, and encrypted ones, are given a clipboard.
        page = await browser.open(server.link.replace("127.0.0.1", gethostname()))
        await page.wait_until("Move 1")
        await page.wait(lambda: " A " in page.screen.display[0])
        assert not await page.value("window.isSecureContext")
        await click(page, label(page, "D"), row(page, "7"))
        await page.wait_until("Move 2")
        await page.type("Y")
        await page.wait_until("copied")
        await page.paste()
        await page.wait_until("Leave it?")
        await page.type("y")
        # A record is opened at its start.
        await page.wait_until("Move 1")
        assert "D7" in page.text
        assert not page.complaints


def places(page: Page, name: str) -> list[int]:
    return [place for place, sign in enumerate(page.screen.display[0]) if sign == name]


async def test_every_tab_is_a_game_of_its_own_and_a_closed_one_is_offered_again(tmp_path: Path) -> None:
    async with serving(tmp_path / "home", "--size", "9", "--white", "person") as server:
        async with chromium() as browser:
            first = await opened(browser, server, "Move 1")
            await click(first, label(first, "C"), row(first, "5"))
            await first.wait_until("Move 2")
            # The first game is still being played, so it is not offered.
            second = await opened(browser, server, "Move 1")
            assert "Unfinished" not in second.text
            await click(second, label(second, "E"), row(second, "5"))
            await second.wait_until("Move 2")
            assert len(server.kept()) == 2
            await first.close()
            [left] = await server.wait_for_unfinished(1)
            third = await opened(browser, server, "Unfinished games")
            await third.enter()
            await third.wait_until("Move 2")
            assert "C5" in third.text
            assert left in server.kept()
            await server.wait_for_unfinished(0)
        # The browser has been closed with all its tabs.
        await server.wait_for_unfinished(2)


async def describe_closing(page: Page) -> str:
    async with asyncio.timeout(HANG):
        while not await page.value("document.body?.classList.contains('-closed')"):
            await asyncio.sleep(0.05)
    return str(await page.value("document.querySelector('.closed').innerText"))


async def test_the_address_opens_one_browser_and_the_next_address_another(tmp_path: Path) -> None:
    async with serving(tmp_path / "home") as server:
        async with chromium() as browser:
            page = await opened(browser, server, "Move 1")
            # With the cookie, the address without the token and a reload work too.
            again = await browser.open(server.url + "/?fontsize=12")
            await again.wait_until("Move 1")
            await again.call("Page.reload")
            await again.wait(lambda: sum("/ws?" in address for address in again.requests) == 2)
            assert not page.complaints
            assert not again.complaints
        link = await server.next_link()
        async with chromium() as browser:
            stranger = await browser.open(server.link)
            async with asyncio.timeout(HANG):
                while "last address printed" not in (await stranger.value("document.body?.innerText") or ""):
                    await asyncio.sleep(0.05)
            friend = await browser.open(link)
            await friend.wait_until("Move 1")
            assert not friend.complaints


async def test_the_page_says_when_there_is_no_room_for_its_game(tmp_path: Path) -> None:
    async with serving(tmp_path / "home") as server, chromium() as browser:
        async with let_in(server) as session, AsyncExitStack() as games:
            for _ in range(MOST_GAMES // 3):
                await games.enter_async_context(session.ws_connect(server.url + "/ws"))
            page = await browser.open(await server.next_link())
            assert "too many are open already" in await describe_closing(page)
            # It asks again, and is told what the matter is.
            await until_page(page, "innerText.includes('Too many boards are open from this address: close one.')")
            assert "Trying again" in await describe_closing(page)
            # Once the other games are closed, it opens the board by itself.
            await games.aclose()
        await page.wait_until("Move 1")


async def until_page(page: Page, condition: str) -> None:
    """Wait until a condition holds for the note of a page that is closed."""
    async with asyncio.timeout(HANG):
        while not await page.value(f"document.querySelector('.closed')?.{condition}"):
            await asyncio.sleep(0.05)


async def test_the_page_of_a_server_that_was_restarted_says_how_to_open_the_board(tmp_path: Path) -> None:
    port = str(free_port())
    async with chromium() as browser:
        async with serving(tmp_path / "home", "--port", port) as server:
            page = await opened(browser, server, "Move 1")
        assert "This game is closed" in await describe_closing(page)
        async with serving(tmp_path / "home", "--port", port):
            await until_page(page, "innerText.includes('last address printed')")
            assert "Trying again" not in await describe_closing(page)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux holds programs to their memory")
async def test_the_page_says_when_its_game_needs_too_much_memory(tmp_path: Path) -> None:
    import resource

    async with serving(tmp_path / "home", forked=False) as server, chromium() as browser:
        page = await opened(browser, server, "Move 1")
        await page.type(" ")
        await page.wait_until("Move 2")
        [game] = [int(word) for word in children(server.process.pid)]
        soft, hard = resource.prlimit(game, resource.RLIMIT_DATA)
        assert soft == GAME_MEMORY
        # Less than it already uses.
        resource.prlimit(game, resource.RLIMIT_DATA, (1 << 20, hard))
        await page.call(
            "Emulation.setDeviceMetricsOverride", width=2600, height=2000, deviceScaleFactor=1, mobile=False
        )
        assert "exceeded the memory limit" in await describe_closing(page)
        [journal] = await server.wait_for_unfinished(1)
        assert replay(journal).game.node.number == 1
        await page.call("Emulation.clearDeviceMetricsOverride")
        await page.value("document.querySelector('.closed button').click()")
        await page.wait_until("Unfinished games")


def children(process: int) -> list[str]:
    return Path(f"/proc/{process}/task/{process}/children").read_text().split()


async def test_a_saved_game_is_downloaded_under_its_name_and_a_closed_one_is_named(tmp_path: Path) -> None:
    async with serving(tmp_path / "home", "--lang", "zh") as server, chromium() as browser:
        page = await opened(browser, server, "第 1 手")
        await page.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path / "downloads"))
        await page.type(" ")
        await page.wait_until("第 2 手")
        await page.type("w")
        file = tmp_path / "downloads" / "棋局.sgf"
        await page.wait(file.exists)
        await server.stop()
        assert "这局棋已关闭" in await describe_closing(page)
    assert load(file).game.root.line()[-1].number == 1
    assert not list((tmp_path / "home").rglob("*.sgf"))
