"""The minimap: the outline of the window, and panning by clicks and drags."""

from __future__ import annotations

import pytest
from rich.color import Color, ColorTriplet
from textual import events
from textual.screen import Screen

from daoqi_tui.engine import BLACK, WHITE
from daoqi_tui.pictures.palettes import KAYA
from daoqi_tui.pictures.picture import Picture
from daoqi_tui.play.session import GameSetup
from daoqi_tui.tui.board.viewport import CELLS, Viewport
from daoqi_tui.tui.look import Options
from daoqi_tui.tui.panes.minimap import (
    MinimapPane,
    SmallBoard,
    alternate,
    board_pixels,
    draw,
    fitting_scale,
    point_at,
    window_of,
)
from daoqi_tui.tui.screens import TextPage
from tests.tui.driving import Person, playing, until

SHADES, SKY = KAYA.bright, (0, 0, 0)


def sketch(picture: Picture, viewport: Viewport, scale: int = 1) -> list[str]:
    """Return the map as text: ``X`` ``O`` stones, ``L`` last stone, ``.`` board, ``,`` outside, ``#`` outline."""
    known = {SHADES.board: ".", alternate(SHADES): ".", SHADES.black: "X", SHADES.white: "O", SHADES.last: "L"}

    def sign(colour: tuple[int, int, int]) -> str:
        if colour in known:
            return known[colour]
        return "," if max(colour) < 130 else "#"

    return ["".join(map(sign, row)) for row in draw(picture, viewport, scale, SHADES, SKY)]


def board(size: int, **stones: int) -> Picture:
    colours = bytearray(size * size)
    for name, colour in stones.items():
        row, column = map(int, name[1:].split("c"))
        colours[row * size + column] = colour
    return Picture(size, bytes(colours))


def test_the_scale_is_the_largest_that_fits() -> None:
    assert fitting_scale(16, 32, 60) == 2
    assert fitting_scale(16, 31, 60) == 1
    assert fitting_scale(16, 15, 60) == 0
    assert fitting_scale(5, 300, 300) == 8


@pytest.mark.parametrize("size", [9, 16])
async def test_below_a_small_board_is_the_ground_it_stands_on(size: int) -> None:
    """A board with an odd number of lines of pixels fills half of its last line."""
    async with playing() as person:
        small = SmallBoard()
        small.styles.width, small.styles.height, small.styles.background = 30, 15, "#123456"
        await person.app.push_screen(Screen())
        await person.app.screen.mount(small)
        await until(person, lambda: small.size == (30, 15))
        small.show(bytes(size * size))
        segments = [segment for y in range(15) for segment in small.render_line(y)]
        grounds = {segment.style.bgcolor for segment in segments if segment.style}
        assert Color.parse("#123456") in grounds
        assert Color.from_triplet(ColorTriplet(*KAYA.frame)) not in grounds


async def test_a_small_board_has_the_colours_of_the_games_in_any_dialog() -> None:
    async with playing(options=Options(board="night")) as person:
        small = SmallBoard()
        await person.app.push_screen(Screen())
        await person.app.screen.mount(small)
        small.show(bytes(81))
        await until(person, lambda: bool(small.size))
        segments = [segment for y in range(small.size.height) for segment in small.render_line(y)]
        grounds = {segment.style.bgcolor for segment in segments if segment.style}
        assert person.board.palette.bright.board != KAYA.bright.board
        assert Color.from_triplet(ColorTriplet(*person.board.palette.bright.board)) in grounds


@pytest.mark.parametrize("scale", [1, 2, 3])
def test_distances_can_be_seen_on_an_empty_board(scale: int) -> None:
    rows = list(board_pixels(bytes(16), None, scale, KAYA.bright))
    assert len({*rows[0], *rows[scale // 2]}) > 1
    points = [[row[scale * column] for column in range(4)] for row in rows[::scale]]
    alternates = all(points[row][column] != points[row][column + 1] for row in range(4) for column in range(3))
    assert alternates == (scale < 3), "lines are enough"


def test_a_window_over_a_part_is_outlined_and_the_rest_is_dark() -> None:
    viewport = Viewport(7, CELLS[0], 8, 3, x=2, y=2)
    assert sketch(board(7, r2c1=BLACK, r3c2=WHITE, r6c6=WHITE), viewport) == [
        ",,,,,,,",
        ",,,,,,,",
        ",####,,",
        ",#O.#,,",
        ",####,,",
        ",,,,,,,",
        ",,,,,,,",
    ]


def test_a_window_across_the_seam_is_outlined_on_both_sides() -> None:
    viewport = Viewport(6, CELLS[0], 8, 3, x=8, y=5)
    assert sketch(board(6), viewport) == [
        ".#,,#.",
        "##,,##",
        ",,,,,,",
        ",,,,,,",
        ",,,,,,",
        "##,,##",
    ]


def test_a_window_over_everything_is_framed_where_the_bright_period_begins() -> None:
    whole = Viewport(4, CELLS[0], 8, 4)
    assert sketch(board(4), whole) == ["####", "#..#", "#..#", "####"]
    assert sketch(board(4), whole.pan_points(2, 0)) == ["####", ".##.", ".##.", "####"]


@pytest.mark.parametrize("cell", CELLS)
def test_the_outline_has_the_windows_proportions_in_every_cell(cell: object) -> None:
    assert isinstance(cell, type(CELLS[0]))
    viewport = Viewport(16, cell, 8 * cell.width, 4 * cell.height, x=3 * cell.width, y=14 * cell.height)
    assert window_of(viewport, 2) == (range(6, 22), range(28, 36))


def test_the_last_stone_is_marked_where_there_is_room() -> None:
    picture = Picture(3, bytes([0, 0, 0, 0, BLACK, 0, 0, 0, 0]), last=4)
    assert "".join(sketch(picture, Viewport(3, CELLS[0], 6, 3), 2)).count("L") == 1


def test_a_pixel_leads_to_the_point_below_it() -> None:
    assert point_at(16, 2, 0, 0) == (0, 0)
    assert point_at(16, 2, 31, 3) == (1, 15)
    assert point_at(16, 2, -4, 99) == (15, 0)


async def show_map(person: Person) -> MinimapPane:
    await person.show_pane("minimap")
    return person.screen.query_one(MinimapPane)


async def test_a_click_centres_the_point() -> None:
    async with playing((120, 40), GameSetup(size=16)) as person:
        pane = await show_map(person)
        region = pane.region
        # A 16 × 16 board is drawn with two pixels per point, from the second line on.
        left = region.x + (region.width - 32) // 2
        await person.click(left + 2 * 10, region.y + 1 + 4)
        assert person.viewport.middle_point() == (4, 10)


async def test_dragging_over_the_map_pans() -> None:
    async with playing((120, 40)) as person:
        pane = await show_map(person)
        region = pane.region
        left = region.x + (region.width - 32) // 2
        await person.drag((left + 2, region.y + 3), (left + 8, region.y + 3), (left + 8, region.y + 9))
        assert person.viewport.middle_point() == (8, 4)


async def test_a_drag_whose_release_went_to_a_dialog_is_over() -> None:
    async with playing((120, 40)) as person:
        region = (await show_map(person)).region
        left = region.x + (region.width - 32) // 2
        await person.mouse(events.MouseDown, left + 2, region.y + 3, button=1)
        person.app.push_screen(TextPage("", ""))
        await person.wait()
        await person.mouse(events.MouseUp, 0, 0, button=1)
        await person.press("escape")
        await until(person, lambda: person.at_the_board)
        before = person.viewport
        await person.mouse(events.MouseMove, left + 8, region.y + 9)
        assert person.viewport == before


async def test_panning_moves_the_outline() -> None:
    async with playing((120, 40)) as person:
        pane = await show_map(person)
        before = [list(pane.render_line(y)) for y in range(pane.size.height)]
        await person.press("right")
        assert [list(pane.render_line(y)) for y in range(pane.size.height)] != before
        await person.press("left")
        assert [list(pane.render_line(y)) for y in range(pane.size.height)] == before


async def test_in_a_narrow_window_the_corners_are_named() -> None:
    async with playing((60, 20), GameSetup(size=9)) as person:
        pane = await show_map(person)
        assert [pane.render_line(y).text.strip() for y in range(3)] == ["Window", "A9 – I1", ""]


async def test_without_colours_the_map_is_drawn_in_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with playing((120, 40), GameSetup(size=5)) as person:
        await person.play("B4", "C4")
        pane = await show_map(person)
        rows = [pane.render_line(y).text.split() for y in range(5)]
        assert rows == [["·"] * 5, ["·", "●", "○", "·", "·"], ["·"] * 5, ["·"] * 5, ["·"] * 5]


@pytest.mark.parametrize("size", [5, 16, 19])
async def test_without_colours_a_click_centres_the_point(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with playing((120, 44), GameSetup(size=size)) as person:
        game = person.game
        await person.play(game.torus.name(game.torus.point(3, 4)))
        pane = await show_map(person)
        (y, x), *_others = ((y, line.index("●")) for y in range(size) if "●" in (line := pane.render_line(y).text))
        await person.click(pane.region.x + x, pane.region.y + y)
        assert person.viewport.middle_point() == (3, 4)


async def test_without_colours_a_map_that_does_not_fit_names_the_corners(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with playing((120, 24), GameSetup(size=16)) as person:
        pane = await show_map(person)
        assert 4 <= pane.size.height < 16
        lines = [pane.render_line(y).text.strip() for y in range(pane.size.height)]
        assert lines[0] == "Window"
        assert not any(lines[2:])


async def test_without_colours_square_stones_of_both_players_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with playing((120, 40), GameSetup(size=5), options=Options(glyphs="blocks")) as person:
        await person.play("B4", "C4")
        pane = await show_map(person)
        assert pane.render_line(1).text.split() == ["·", "■", "□", "·", "·"]
