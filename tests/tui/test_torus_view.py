"""The torus in the round on the screen: it turns, follows the flat board, and rests when nobody looks."""

from __future__ import annotations

import subprocess
import sys

from rich.console import Console
from textual.color import Color
from textual.filter import Monochrome

from daoqi_tui.tui.pixel_strip import PixelStrip
from daoqi_tui.tui.screens.round import RoundScreen
from daoqi_tui.tui.widgets.torus3d import TorusView
from tests.tui.driving import Person, playing

RED, BLUE = 0xFF0000, 0x0000FF


def torus_of(person: Person) -> TorusView:
    return person.app.screen.query_one(TorusView)


def picture(torus: TorusView) -> list[str]:
    """What is drawn, as it is written."""
    console = Console(force_terminal=True, color_system="truecolor")
    return [torus.render_line(y).render(console) for y in range(torus.size.height)]


async def open_round(person: Person, *, turning: bool = False) -> TorusView:
    await person.press("3")
    person.open(RoundScreen)
    await person.wait()
    torus = torus_of(person)
    torus.set_turning(turning=turning)
    await person.wait()
    return torus


async def test_it_turns_by_itself_until_stopped() -> None:
    async with playing((60, 30)) as person:
        torus = await open_round(person, turning=True)
        before = picture(torus)
        await person.wait(0.3)
        assert picture(torus) != before
        await person.press("space")
        await person.wait(0.1)
        assert not torus.moving
        before = picture(torus)
        await person.wait(0.2)
        assert picture(torus) == before
        await person.press("space")
        assert torus.moving


async def test_stones_show_and_arrow_keys_pan_both_boards() -> None:
    async with playing((60, 30)) as person:
        torus = await open_round(person)
        empty = picture(torus)
        await person.press("escape")
        await person.play("I8")
        torus = await open_round(person)
        assert picture(torus) != empty
        # It turned a little before it was stopped; panning brings it back to face the window.
        await person.press("right", "left")
        await person.wait(1.2)
        before, flat = picture(torus), person.viewport
        await person.press("right", "shift+down")
        assert person.viewport == flat.pan_points(1, 4)
        await person.wait(1.2)
        assert not torus.moving, "it has arrived"
        moved = picture(torus)
        assert moved != before
        await person.press("left", "shift+up")
        await person.wait(1.2)
        assert picture(torus) == before


async def test_the_game_is_stepped_through_from_here() -> None:
    async with playing((60, 30)) as person:
        await person.play("I8", "J8")
        torus = await open_round(person)
        before = picture(torus)
        await person.press("left_square_bracket")
        assert person.moves == ["I8"]
        assert picture(torus) != before


async def test_dragging_turns_it_and_a_click_lets_it_turn() -> None:
    async with playing((60, 30)) as person:
        torus = await open_round(person)
        before, flat = picture(torus), person.viewport
        await person.drag((30, 15), (36, 15), (36, 11))
        assert picture(torus) != before
        assert not torus.turning
        assert person.viewport == flat, "the flat board stays"
        await person.click(30, 15)
        assert torus.turning


async def test_the_pane_rests_while_another_pane_shows() -> None:
    async with playing((120, 40)) as person:
        while person.screen.side.id != "torus":
            await person.press("tab")
            await person.wait(0.05)
        torus = torus_of(person)
        await person.wait(0.2)
        assert torus.moving
        await person.press("tab")
        await person.wait(0.2)
        assert not torus.moving
        await person.press("shift+tab")
        await person.wait(0.2)
        assert torus.moving


async def test_the_pane_rests_below_a_dialog() -> None:
    async with playing((120, 40)) as person:
        while person.screen.side.id != "torus":
            await person.press("tab")
            await person.wait(0.05)
        torus = torus_of(person)
        await person.press("question_mark")
        await person.wait(0.2)
        assert not torus.moving
        await person.press("escape")
        await person.wait(0.8)
        assert torus.moving


def test_the_first_paint_imports_no_numpy() -> None:
    code = (
        "import asyncio, sys\n"
        "from daoqi_tui.tui.app import DaoqiApp\n"
        "async def main():\n"
        "    async with DaoqiApp().run_test(size=(120, 40)) as pilot:\n"
        "        await pilot.pause()\n"
        "asyncio.run(main())\n"
        "print('numpy' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_a_line_of_pixels_names_a_colour_only_where_it_changes() -> None:
    strip = PixelStrip([RED, RED, RED], [BLUE, BLUE, RED])
    console = Console(force_terminal=True, color_system="truecolor")
    assert strip.cell_length == 3
    assert strip.render(console) == "\x1b[48;2;0;0;255m\x1b[38;2;255;0;0m▀▀\x1b[48;2;255;0;0m \x1b[0m"


def test_a_line_of_pixels_is_segments_where_that_is_asked_for() -> None:
    strip = PixelStrip([RED, RED, RED], [BLUE, BLUE, RED])
    assert strip.text == "▀▀ "
    assert strip.divide([3]) == [strip]
    assert [part.text for part in strip.divide([1, 3])] == ["▀", "▀ "]
    assert strip.crop(1, 3).text == "▀ "
    grey = strip.apply_filter(Monochrome(), Color(0, 0, 0))
    styles = [segment.style for segment in grey]
    for style in styles:
        assert style is not None
        assert style.bgcolor is not None
        red, green, blue = style.bgcolor.get_truecolor()
        assert red == green == blue
    few = Console(force_terminal=True, color_system="standard")
    assert "\x1b[38" not in strip.render(few)


def test_without_half_blocks_a_character_has_one_colour() -> None:
    strip = PixelStrip([RED, RED], [BLUE, RED], blocks=False)
    assert strip.text == "  "
