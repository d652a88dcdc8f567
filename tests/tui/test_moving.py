"""Panning, moving the cursor, centring, changing the cell size, and pointing with the mouse."""

from __future__ import annotations

import pytest
from textual import events

from daoqi_tui.play.session import GameSetup
from daoqi_tui.tui.board.lines import GUTTER, HEADER
from daoqi_tui.tui.board.viewport import CELLS
from daoqi_tui.tui.look import Options
from tests.tui.driving import Person, playing

STEPS = {"left": (0, -1), "right": (0, 1), "up": (-1, 0), "down": (1, 0)}


def middle(person: Person) -> tuple[int, int]:
    return person.viewport.middle_point()


@pytest.mark.parametrize("direction", STEPS)
@pytest.mark.parametrize(("key", "points"), [("{}", 1), ("shift+{}", 4)])
async def test_an_arrow_pans_one_point_and_with_shift_four(direction: str, key: str, points: int) -> None:
    async with playing() as person:
        (row, column), (down, right) = middle(person), STEPS[direction]
        await person.press(key.format(direction))
        assert middle(person) == ((row + points * down) % 16, (column + points * right) % 16)


@pytest.mark.parametrize("direction", STEPS)
async def test_after_a_whole_round_the_board_is_exactly_where_it_began(direction: str) -> None:
    async with playing(setup=GameSetup(size=9)) as person:
        before, cursor = person.viewport, person.cursor
        seen = set()
        for _ in range(9):
            await person.press(direction)
            seen.add(middle(person))
        assert len(seen) == 9
        assert (person.viewport, person.cursor) == (before, cursor)


async def test_the_cursor_keeps_its_place_on_the_screen_while_the_world_moves_under_it() -> None:
    async with playing() as person:
        place, torus = person.cursor_place, person.game.torus
        for key, down, right in [("right", 0, 1), ("shift+down", 4, 0), ("shift+left", 0, -4), ("up", -1, 0)] * 8:
            point = person.screen.cursor.point
            await person.press(key)
            assert person.cursor_place == place
            assert person.screen.cursor.point == torus.shift(point, down, right)


async def test_arrows_and_enter_alone_can_play_anywhere() -> None:
    async with playing(setup=GameSetup(size=5)) as person:
        for _ in range(5):
            for _ in range(5):
                await person.press("enter", "right")
            await person.press("down")
        assert person.game.node.number == 25


@pytest.mark.parametrize(("key", "down", "right"), [("h", 0, -1), ("j", 1, 0), ("k", -1, 0), ("l", 0, 1)], ids=str)
@pytest.mark.parametrize("window", [(120, 40), (80, 24), (40, 14)])
async def test_the_cursor_moves_over_the_board_and_the_view_follows_at_the_edge(
    window: tuple[int, int], key: str, down: int, right: int
) -> None:
    async with playing(window) as person:
        torus, cell = person.game.torus, person.viewport.cell
        await person.press(*[{"h": "l", "l": "h", "j": "k", "k": "j"}[key]] * 3)
        still, followed = 0, 0
        for _ in range(40):
            point, place, before = person.screen.cursor.point, person.cursor_place, person.viewport
            await person.press(key)
            assert person.screen.cursor.point == torus.shift(point, down, right)
            x, y = person.cursor_place
            assert 0 <= x < person.viewport.width
            assert 0 <= y < person.viewport.height
            if person.viewport == before:
                still += 1
                assert (x, y) == (place[0] + right * cell.width, place[1] + down * cell.height)
            else:
                followed += 1
                assert person.viewport == before.pan_points(right, down)
                assert (x, y) == place
        assert still > 0
        assert followed > 0


async def test_dragging_pans_with_the_mouse_and_plays_nothing() -> None:
    async with playing() as person:
        before = person.viewport
        await person.drag((30, 20), (31, 20), (34, 22), (35, 19))
        assert person.viewport == before.pan(-5, 1)
        assert person.moves == []
        await person.mouse(events.MouseMove, 50, 10)
        assert person.viewport == before.pan(-5, 1)


async def test_dragging_far_outside_the_window_goes_on_for_ever() -> None:
    async with playing() as person:
        (across, along), (width, height) = person.viewport.period, person.app.size
        for right, down in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            before = person.viewport
            x, y = 10 + right * (across * 3 + 5), 10 + down * (along * 3 + 5)
            assert not (0 <= x < width and 0 <= y < height)
            await person.drag((10, 10), (x, y))
            assert person.viewport == before.pan(-5 * right, -5 * down)


async def test_a_drag_back_to_where_it_began_is_no_click() -> None:
    async with playing() as person:
        before = person.viewport
        await person.drag((30, 20), (40, 20), (30, 20))
        assert person.viewport == before
        assert person.moves == []


@pytest.mark.parametrize("window", [(120, 40), (80, 24), (200, 70)])
async def test_a_click_that_jitters_plays_on_its_point(window: tuple[int, int]) -> None:
    async with playing(size=window) as person:
        before = person.viewport
        played = []
        for name in ("B15", "D13", "F11", "H9", "J7"):
            x, y = person.screen_place(name)
            position = person.game.torus.position(person.game.torus.parse(name))
            # At least one neighbouring character belongs to the same point.
            right, down = next(
                (right, down)
                for right, down in ((-1, 0), (1, 0), (0, -1), (0, 1))
                if person.viewport.point_at(x + right - GUTTER, y + down - HEADER) == position
            )
            await person.drag((x, y), (x + right, y + down))
            played.append(name)
            assert person.moves == played
            assert person.viewport == before


async def test_a_press_that_is_let_go_on_the_next_point_neither_plays_nor_pans() -> None:
    async with playing(size=(80, 24)) as person:
        before = person.viewport
        x, y = person.screen_place("H9")
        await person.drag((x, y), (x, y + 1))
        assert person.moves == []
        assert person.viewport == before


async def test_beyond_the_threshold_a_drag_pans_by_all_of_its_way() -> None:
    async with playing() as person:
        before = person.viewport
        await person.drag((30, 20), (31, 20), (32, 20), (33, 20))
        assert person.viewport == before.pan(-3, 0)
        # Once the drag pans, even a move of one character counts.
        await person.drag((30, 20), (33, 20), (34, 20), (33, 20), (32, 20))
        assert person.viewport == before.pan(-5, 0)
        assert person.moves == []


@pytest.mark.parametrize("modifier", ["shift", "alt", "ctrl"])
async def test_the_wheel_pans_up_and_down_and_with_a_modifier_sideways(modifier: str) -> None:
    async with playing() as person:
        row, column = middle(person)
        await person.mouse(events.MouseScrollDown, 30, 20)
        assert middle(person) == (row + 1, column)
        await person.mouse(events.MouseScrollUp, 30, 20)
        assert middle(person) == (row, column)
        await person.mouse(events.MouseScrollDown, 30, 20, **{modifier: True})
        assert middle(person) == (row, column + 1)
        await person.mouse(events.MouseScrollUp, 30, 20, **{modifier: True})
        assert middle(person) == (row, column)
        await person.mouse(events.MouseScrollRight, 30, 20)
        assert middle(person) == (row, column + 1)
        await person.mouse(events.MouseScrollLeft, 30, 20)
        assert middle(person) == (row, column)


async def test_a_right_click_centres_the_point_and_plays_nothing() -> None:
    async with playing() as person:
        await person.click_point("D13", button=3)
        assert middle(person) == person.game.torus.position(person.game.torus.parse("D13"))
        assert person.moves == []


async def test_the_last_move_can_be_centred() -> None:
    async with playing() as person:
        await person.press("c")
        assert "no last" in person.status
        await person.play("C3", "N14")
        await person.press("c")
        assert middle(person) == person.game.torus.position(person.game.torus.parse("N14"))


async def test_0_restores_the_origin() -> None:
    async with playing() as person:
        before = person.viewport
        await person.press("right", "shift+up", "c")
        await person.drag((30, 20), (33, 21))
        assert person.viewport != before
        await person.press("0")
        assert person.viewport == before


async def test_following_keeps_the_last_move_in_the_middle() -> None:
    async with playing() as person:
        torus = person.game.torus
        await person.press("f")
        for name in ("C3", "N14", "H8"):
            await person.play(name)
            assert middle(person) == torus.position(torus.parse(name))
        await person.press("left_square_bracket")
        assert middle(person) == torus.position(torus.parse("N14"))
        await person.press("f")
        before = person.viewport
        await person.play("A1")
        assert person.viewport == before


async def test_following_never_loses_the_cursor_out_of_sight() -> None:
    async with playing((40, 14), options=Options(follow=True)) as person:
        await person.play("H8", "H16", "H9")
        for _ in range(3):
            await person.press("left_square_bracket")
            x, y = person.cursor_place
            assert 0 <= x < person.viewport.width
            assert 0 <= y < person.viewport.height


async def test_larger_and_smaller_cells_stop_at_their_ends() -> None:
    async with playing() as person:
        await person.press(*["minus"] * 3)
        assert person.viewport.cell == CELLS[0]
        assert "smallest" in person.status
        before = middle(person)
        for cell in CELLS[1:]:
            await person.press("plus")
            assert person.viewport.cell == cell
            assert middle(person) == before
        await person.press("equals_sign")
        assert person.viewport.cell == CELLS[-1]
        assert "largest" in person.status
        x, y = person.cursor_place
        assert 0 <= x < person.viewport.width
        assert 0 <= y < person.viewport.height


async def test_the_largest_cells_that_show_the_whole_board_are_the_first_choice() -> None:
    for window, size in [((120, 40), 16), ((120, 40), 9), ((80, 24), 16), ((40, 14), 25)]:
        async with playing(window, GameSetup(size=size)) as person:
            viewport = person.viewport
            fitting = [
                cell for cell in CELLS if size * cell.width <= viewport.width and size * cell.height <= viewport.height
            ]
            assert viewport.cell == (fitting or CELLS)[-1 if fitting else 0]


async def test_what_the_mouse_is_over_is_shown_as_a_ghost_or_a_chain() -> None:
    async with playing() as person:
        await person.play("D4", "N14", "D5")
        await person.hover_point("H8")
        ghost = person.board.picture.ghost
        assert ghost is not None
        assert (person.game.torus.name(ghost.point), ghost.colour) == ("H8", person.game.to_move)
        await person.mouse(events.MouseMove, *person.screen_place("D5"))
        picture, torus = person.board.picture, person.game.torus
        assert picture.ghost is None
        assert picture.chain == {torus.parse("D4"), torus.parse("D5")}
        assert picture.liberties == {torus.parse(name) for name in ("C4", "C5", "E4", "E5", "D3", "D6")}
        await person.mouse(events.MouseMove, 119, 39)
        assert person.board.picture.chain == frozenset()


async def test_the_chain_under_the_cursor_reaches_across_the_seam() -> None:
    async with playing(setup=GameSetup(size=5)) as person:
        await person.play("A1", "C3", "E1", "C4", "A5")
        torus = person.game.torus
        person.screen.cursor.put(torus.parse("A1"))
        assert person.board.picture.chain == {torus.parse(name) for name in ("A1", "E1", "A5")}


@pytest.mark.parametrize("size", [5, 16, 25])
@pytest.mark.parametrize("window", [(120, 40), (80, 24), (40, 14)])
async def test_the_cursor_is_in_sight_from_the_first_and_after_every_resize(window: tuple[int, int], size: int) -> None:
    async with playing(window, GameSetup(size=size)) as person:
        for columns, rows in [window, (140, 50), (60, 16), (40, 14), (100, 20)]:
            await person.resize(columns, rows)
            x, y = person.cursor_place
            assert 0 <= x < person.viewport.width
            assert 0 <= y < person.viewport.height
            await person.press("shift+right", "shift+down")
