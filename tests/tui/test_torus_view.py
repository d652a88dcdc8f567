"""The 3-D torus view: it turns, follows the flat board, and stops while it is hidden."""

from __future__ import annotations

import subprocess
import sys
from typing import cast

import numpy as np
import pytest
from rich.color import ColorSystem
from rich.console import Console
from textual import events
from textual._compositor import LayoutUpdate
from textual.color import Color
from textual.filter import Monochrome
from textual.geometry import Region
from textual.widgets import Static

from daoqi_tui.commands.screen import TORUS_KEYS
from daoqi_tui.engine import WHITE
from daoqi_tui.i18n import _, use_language
from daoqi_tui.pictures.palettes import BOARDS
from daoqi_tui.pictures.torus import point_at, render
from daoqi_tui.tui.features.playing.result import ResultScreen
from daoqi_tui.tui.features.torus import TorusScreen
from daoqi_tui.tui.look import Options, palette256
from daoqi_tui.tui.output import PixelStrip, Terminal, style_of
from daoqi_tui.tui.panes.torus import TorusView
from daoqi_tui.tui.screen import GameScreen
from daoqi_tui.tui.screens import FRAME_ENDS
from daoqi_tui.tui.screens.hinted import KeyList
from tests.tui.driving import Person, playing, until
from tests.tui.test_colours256 import oklab

pytestmark = pytest.mark.usefixtures("every_frame")

STILL = Options(motion="reduced")
RED, BLUE = 0xFF0000, 0x0000FF


def torus_of(person: Person) -> TorusView:
    return person.app.screen.query_one(TorusView)


def picture(torus: TorusView) -> list[str]:
    """Return the drawn lines with their escape sequences."""
    console = Console(force_terminal=True, color_system="truecolor")
    return [torus.render_line(y).render(console) for y in range(torus.size.height)]


async def open_round(person: Person, *, turning: bool = False) -> TorusView:
    await person.press("3")
    person.open(TorusScreen)
    await person.wait()
    torus = torus_of(person)
    await until(person, lambda: not torus.bending)
    torus.set_turning(turning=turning)
    await person.wait()
    return torus


async def test_it_turns_by_itself_until_stopped() -> None:
    async with playing((60, 30)) as person:
        torus = await open_round(person, turning=True)
        before = picture(torus)
        await until(person, lambda: picture(torus) != before)
        await person.press("space")
        await until(person, lambda: not torus.moving)
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
        # It may have turned a little before it was stopped; panning makes it face the middle of the viewport again.
        await person.press("right", "left")
        await until(person, lambda: not torus.moving)
        before, flat = picture(torus), person.viewport
        await person.press("right", "shift+down")
        assert person.viewport == flat.pan_points(1, 4)
        await until(person, lambda: not torus.moving)
        moved = picture(torus)
        assert moved != before
        await person.press("left", "shift+up")
        await until(person, lambda: not torus.moving)
        assert picture(torus) == before


async def test_the_game_is_stepped_through_from_here() -> None:
    async with playing((60, 30)) as person:
        await person.play("I8", "J8")
        torus = await open_round(person)
        before = picture(torus)
        await person.press("left_square_bracket")
        assert person.moves == ["I8"]
        assert picture(torus) != before


async def test_dragging_turns_it_and_a_click_beside_it_lets_it_turn() -> None:
    async with playing((60, 30)) as person:
        torus = await open_round(person)
        before, flat = picture(torus), person.viewport
        await person.drag((30, 15), (36, 15), (36, 11))
        assert picture(torus) != before
        assert not torus.turning
        assert person.viewport == flat, "the flat board stays"
        await person.click(0, 1)
        assert torus.turning


async def test_it_opens_still_facing_the_last_move_told_in_one_line() -> None:
    async with playing((60, 30)) as person:
        await person.play("I8", "B3")
        await person.press("3")
        torus = torus_of(person)
        await until(person, lambda: not torus.bending)
        assert not torus.turning
        assert torus._facing == person.game.torus.position(person.game.torus.parse("B3"))
        assert str(person.app.screen.query_one("#round-line", Static).content) == (
            "Black to move  ·  last: White B3  ·  captures: ● 0  ● 0"
        )


async def test_the_line_tells_the_result() -> None:
    async with playing((60, 30)) as person:
        await person.play("I8")
        person.screen.match.resign(WHITE)
        await open_round(person)
        assert "Black wins" in str(person.app.screen.query_one("#round-line", Static).content)


async def test_a_click_plays_the_point_that_is_seen_there() -> None:
    async with playing((60, 30), options=STILL) as person:
        await person.play("I8")
        torus = await open_round(person)
        # The stone that faces the viewer is in the middle column, below the hole.
        camera, height = torus._camera(), torus.size.height
        frame = camera.frame(60, 2 * height)
        seen = [
            y for y in range(height) if point_at(camera, 16, frame, 30.5, 2 * y + 1) == person.game.torus.parse("I8")
        ]
        y = seen[len(seen) // 2]
        await person.click(30, torus.region.y + y)
        assert "occupied" in str(person.app.screen.query_one("#round-line", Static).content)
        assert person.moves == ["I8"]
        await person.press("h", "h", "h", "h")
        await person.click(30, torus.region.y + y)
        assert len(person.moves) == 2
        assert person.moves[1][1:] == "8"
        assert person.moves[1] != "I8"
        assert "last: White" in str(person.app.screen.query_one("#round-line", Static).content)


async def test_the_stone_that_a_click_would_play_is_seen() -> None:
    async with playing((60, 30), options=STILL) as person:
        torus = await open_round(person)
        before = picture(torus)
        await person.mouse(events.MouseMove, 30, torus.region.y + 20)
        assert picture(torus) != before
        assert person.screen.cursor.hovered is not None
        await person.mouse(events.MouseMove, 1, torus.region.y + 1)
        assert picture(torus) == before


async def test_without_colours_square_stones_of_both_players_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with playing((120, 40), options=STILL._replace(glyphs="blocks")) as person:
        await person.play("E5", "F5")
        shown = "".join(picture(await open_round(person)))
        assert {"■", "□"} <= set(shown)
        assert "█" not in shown


async def test_the_wheel_and_keys_bring_it_closer() -> None:
    async with playing((60, 30), options=STILL) as person:
        torus = await open_round(person)
        before = picture(torus)
        await person.mouse(events.MouseScrollUp, 30, 15)
        closer = picture(torus)
        assert closer != before
        await person.press("minus")
        assert picture(torus) == before
        await person.press("plus")
        assert picture(torus) == closer


@pytest.mark.parametrize("key", ["question_mark", "f1"])
async def test_its_keys_and_gestures_are_listed_and_a_click_does_what_one_does(key: str) -> None:
    async with playing((60, 30), options=STILL) as person:
        await open_round(person)
        round_screen = person.app.screen
        assert "? Keys" in str(round_screen.query_one("#round-hints", Static).content)
        await person.press(key)
        keys = person.open(KeyList)
        lines = person.question().splitlines()
        assert {"h", "Space", "3", "Esc", "Wheel"} <= {line.split()[0] for line in lines}
        x, y = keys.query_one(Static).region.offset
        await person.click(x, y + next(row for row, line in enumerate(lines) if "at once" in line))
        await until(person, lambda: person.at_the_board)


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize("window", [(40, 14), (60, 20), (120, 40)])
async def test_what_its_keys_do_is_readable_in_every_window(window: tuple[int, int], code: str) -> None:
    use_language(code)
    async with playing((120, 40), options=STILL) as person:
        await open_round(person)
        await person.press("question_mark")
        text = person.open(KeyList).query_one(Static)
        await person.resize(*window)
        await until(person, lambda: text.size.height and text.region.width <= window[0] - FRAME_ENDS)
        rows = [text.render_line(y).text for y in range(text.size.height)]
        shown = "".join("".join(rows).split())
        assert all("".join(_(keys.help).split()) in shown for keys in TORUS_KEYS), rows


async def test_with_little_motion_it_is_still_and_there_at_once() -> None:
    async with playing((60, 30), options=STILL) as person:
        await person.press("3")
        torus = torus_of(person)
        assert (torus.bending, torus.turning, torus.moving) == (False, False, False)
        await person.press("right")
        assert not torus.moving
        assert torus._facing == torus._goal == torus._window
        await person.press("3")
        assert person.at_the_board


async def test_the_flat_board_bends_into_the_torus_and_back(monkeypatch: pytest.MonkeyPatch) -> None:
    shares: list[float] = []
    bend_on = TorusView._bend_on

    def recorded(torus: TorusView, passed: float) -> None:
        bend_on(torus, passed)
        shares.append(torus._camera().bend)

    monkeypatch.setattr(TorusView, "_bend_on", recorded)
    async with playing((60, 30)) as person:
        await person.press("3")
        await until(person, lambda: shares[-1:] == [1])
        there = shares.copy()
        await person.press("3")
        await until(person, lambda: person.at_the_board)
        back = shares[len(there) :]
    # However late a frame comes, it bends the board by a small step.
    assert there == sorted(there)
    assert there[0] < 0.5
    assert back == sorted(back, reverse=True)
    assert back[0] > 0.5
    assert back[-1] == pytest.approx(0, abs=1e-6)


async def test_esc_goes_back_at_once_and_so_does_the_second_3() -> None:
    async with playing((60, 30)) as person:
        await person.press("3", "escape")
        assert person.at_the_board
        await open_round(person)
        await person.press("3", "3")
        assert person.at_the_board


async def test_no_frame_is_drawn_that_the_terminal_would_not_take() -> None:
    async with playing((60, 30)) as person:
        torus = await open_round(person, turning=True)
        free = False
        person.app.pictures.ready = lambda: free  # type: ignore[method-assign]
        before = picture(torus)
        await person.wait(0.3)
        assert torus.moving
        assert picture(torus) == before
        free = True
        await until(person, lambda: picture(torus) != before)


async def test_the_pane_rests_while_another_pane_shows() -> None:
    async with playing((120, 40)) as person:
        await person.show_pane("torus")
        torus = torus_of(person)
        await until(person, lambda: torus.moving)
        await person.press("tab")
        await until(person, lambda: not torus.moving)
        await person.press("shift+tab")
        await until(person, lambda: torus.moving)


async def test_the_pane_rests_below_a_dialog() -> None:
    async with playing((120, 40)) as person:
        await person.show_pane("torus")
        torus = torus_of(person)
        await person.press("question_mark")
        await until(person, lambda: not torus.moving)
        await person.press("escape")
        await until(person, lambda: torus.moving)


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
    frame = Terminal().frame(LayoutUpdate([[strip]], Region(0, 0, 3, 1)), console, (4, 1), (3, 0))
    assert frame == "\x1b[1H\x1b[48;2;0;0;255m\x1b[38;2;255;0;0m▀▀\x1b[48;2;255;0;0m \x1b[m"


def test_a_line_of_pixels_is_segments_where_that_is_asked_for() -> None:
    # Rich keeps the sequences of a style for the first terminal that it is written for, as another test may have done.
    style_of.cache_clear()
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


async def test_the_line_tells_how_the_game_ended_and_the_result_is_shown_over_the_torus(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(GameScreen, "shows_result", True)
    async with playing((80, 30), options=STILL) as person:
        await person.play("D4")
        await open_round(person)
        line = person.app.screen.query_one("#round-line", Static)
        assert "White to move" in str(line.content)
        person.screen.match.resign(WHITE)
        await until(person, lambda: isinstance(person.app.screen, ResultScreen))
        assert "White resigns: Black wins" in str(line.content)


async def test_stepping_to_the_second_pass_tells_the_result() -> None:
    async with playing((80, 30), options=STILL) as person:
        await person.play("D4")
        await person.press("p")
        await person.press("p", "y")
        await person.press("left_square_bracket")
        await open_round(person)
        line = person.app.screen.query_one("#round-line", Static)
        assert "to move" in str(line.content)
        await person.press("right_square_bracket")
        await until(person, lambda: "to move" not in str(line.content))
        assert "Black wins" in str(line.content)


async def test_what_was_pointed_at_on_the_torus_is_not_pointed_at_after_it() -> None:
    async with playing((80, 30), options=STILL) as person:
        await open_round(person)
        person.open(TorusScreen).point_hovered(3)
        assert person.screen.cursor.hovered == 3
        await person.press("escape")
        await until(person, lambda: person.at_the_board)
        assert person.screen.cursor.hovered is None


@pytest.mark.parametrize("system", [ColorSystem.TRUECOLOR, ColorSystem.EIGHT_BIT], ids=["slow", "256"])
async def test_few_colours_keep_the_hue_of_light_and_shade(system: ColorSystem) -> None:
    """Grey stone had green and violet patches, and the shadow on wood was pink or olive."""
    async with playing((100, 40), options=STILL) as person:
        await person.play("I8", "J8", "H7", "K9", "C3", "D4")
        torus = await open_round(person)
        person.app.console._color_system = system
        for board in BOARDS.values():
            torus._palette = palette256(board) if system is ColorSystem.EIGHT_BIT else board
            lit = render(torus._scene(torus._palette), torus._camera(), torus._wide, 2 * torus.size.height)
            torus._is_slow = system is ColorSystem.TRUECOLOR
            rows = [line for strip in torus._draw() for line in cast("PixelStrip", strip).half_blocks]
            left = (torus.size.width - torus._wide) // 2
            shown = np.array([row[left : left + torus._wide] for row in rows])
            few = np.stack([shown >> 16, shown >> 8 & 255, shown & 255], -1)
            (ahead, there), (before, meant) = colourful(few), colourful(lit)
            turned = 2 * (there * meant - (ahead * before).sum(-1))
            assert turned.max() <= 0.03**2, board.name
            assert len(np.unique(shown)) < len(np.unique(lit.reshape(-1, 3), axis=0)) / 3


def colourful(colours: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the direction of the hues in Oklab, each as long as the saturation, and the saturations."""
    hues = oklab(colours)[..., 1:]
    return hues, np.hypot(hues[..., 0], hues[..., 1])
