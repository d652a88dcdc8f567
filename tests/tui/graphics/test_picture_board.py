"""The board as a picture, in a terminal that is told all that ours is told."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count, pairwise, product
from time import monotonic
from typing import Any

import numpy as np
import pytest
from textual import events

from daoqi_tui.pictures.palettes import BOARDS, BOARDS16, Palette
from daoqi_tui.pictures.picture import Chip
from daoqi_tui.pictures.picture import Picture as Shown
from daoqi_tui.pictures.raster import LabelStyle, Pixels, Point, Raster, draw_point, label_strip
from daoqi_tui.play.session import GameSetup, Session
from daoqi_tui.tui.app import DaoqiApp
from daoqi_tui.tui.board import BoardView, Motion
from daoqi_tui.tui.board.lines import GUTTER, HEADER
from daoqi_tui.tui.board.viewport import CELLS, shortest
from daoqi_tui.tui.features.program.lesson import LessonScreen
from daoqi_tui.tui.graphics.board import PixelBoard, whole_labels
from daoqi_tui.tui.look import Options
from tests.thorough import THOROUGH
from tests.tui.driving import Person, playing, until
from tests.tui.graphics.dimming import LEAST, contrast, point_at
from tests.tui.graphics.kitty_terminal import KittyTerminal, Picture

CELL = (10, 20)
STILL = Options(motion="reduced")


@asynccontextmanager
async def pictured(
    window: tuple[int, int] = (120, 40), options: Options = STILL, size: int = 16, *, edits: bool = True
) -> AsyncIterator[tuple[Person, KittyTerminal]]:
    terminal = KittyTerminal(*window, CELL, edits=edits)
    async with playing(window, options=options, setup=GameSetup(size=size)) as person:
        person.app.pictures.write = terminal.write
        person.app.pictures.found(CELL, edits=edits)
        await person.settle()
        yield person, terminal
        person.app.pictures.close()
        assert not terminal.images
        assert not terminal.placements


def pixels_of(person: Person) -> PixelBoard:
    board = person.app.pictures.shown[person.board]
    assert isinstance(board, PixelBoard)
    return board


def motion_of(person: Person) -> Motion:
    return pixels_of(person).motion


def area(person: Person) -> tuple[slice, slice]:
    """Where the board itself is on the screen."""
    region = person.board.region
    top, left = (region.y + HEADER) * CELL[1], (region.x + GUTTER) * CELL[0]
    return slice(top, region.bottom * CELL[1]), slice(left, region.right * CELL[0])


def bright(person: Person, shown: Picture) -> tuple[Picture, Picture]:
    """What is seen in the bright period, and what the raster draws there."""
    view, viewport = person.board, motion_of(person).viewport()
    columns, rows = viewport.bright_columns, viewport.bright_rows
    raster = Raster(view.painted, Pixels(*viewport.cell))
    period = raster.colours[raster.draw(view.shown._replace(cursor=None, ghost=None))]
    rolled = np.roll(period, (-viewport.y - rows.start, -viewport.x - columns.start), (0, 1))
    seen = shown[rows.start : rows.stop, columns.start : columns.stop, :3]
    return seen, rolled[: len(seen), : seen.shape[1]]


def differing(one: Picture, other: Picture) -> float:
    """The share of pixels that differ."""
    return float((one != other).any(axis=2).mean())


async def test_the_bright_period_is_the_board_and_the_cells_below_are_empty() -> None:
    async with pictured() as (person, terminal):
        await person.play("C3", "D4", "P16", "A1", "pass")
        seen, drawn = bright(person, terminal.screen()[area(person)])
        # The marks of the cursor and the last move lie over a point each.
        assert differing(seen, drawn) < 2 / 256
        assert all(not strip.text.strip() for strip in map(person.board.render_line, range(40)))


PANNED = [*product((5, 9, 16, 25), ((80, 24), (120, 40), (200, 60)))]
"""Boards and windows."""


@pytest.mark.parametrize(("size", "window"), PANNED[:: 1 if THOROUGH else 2])
async def test_panned_anywhere_it_is_the_board_rolled(size: int, window: tuple[int, int]) -> None:
    async with pictured(window, size=size) as (person, terminal):
        await person.play("C3", "D4", "A1", "B1")
        chance = np.random.default_rng(size)
        for right, down in chance.integers(-40, 40, (4, 2)):
            person.board.set_viewport(person.viewport.pan_points(int(right), int(down)))
            shown = terminal.screen()[area(person)]
            assert shown[:, :, 3].min() == 255, "a hole in the picture"
            seen, drawn = bright(person, shown)
            assert differing(seen, drawn) < 2 / size**2


@pytest.mark.parametrize("window", [(100, 33), (120, 38), (140, 42)])
@pytest.mark.parametrize("size", [9, 13, 16, 19])
async def test_the_board_is_as_large_as_the_window_allows_beside_the_copies_of_a_point(
    size: int, window: tuple[int, int]
) -> None:
    async with pictured(window, size=size) as (person, _terminal):
        viewport, largest = person.viewport, CELLS[-1].height * CELL[1]
        side = min(viewport.width, viewport.height) // (size + 2)
        assert viewport.cell == (min(side, largest),) * 2


@pytest.mark.parametrize("reported", ["characters", "pixels"])
async def test_the_mouse_is_on_the_point_that_is_drawn_there(reported: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with pictured((100, 33)) as (person, _terminal):
        monkeypatch.setattr(person.app._driver, "_mouse_pixels", reported == "pixels", raising=False)
        person.board.set_viewport(person.viewport.pan(3, 7))
        viewport, region, torus = person.viewport, person.board.region, person.game.torus
        assert viewport.cell.height % CELL[1]
        for name in ("A1", "P16", "B9", "I5", "C14"):
            x, y = viewport.place_of(*torus.position(torus.parse(name)))
            # The corners of a point, or the characters of its middle.
            reach = viewport.cell.width // 2 - 1 if reported == "pixels" else 0
            for right, down in product((-reach, reach), repeat=2):
                place = region.x + GUTTER + (x + right) / CELL[0], region.y + HEADER + (y + down) / CELL[1]
                await person.mouse(events.MouseMove, *(place if reach else map(int, place)))
                ghost = person.board.picture.ghost
                assert ghost is not None
                assert torus.name(ghost.point) == name


async def test_points_grow_and_shrink_by_steps_that_are_seen() -> None:
    async with pictured((100, 33)) as (person, _terminal):
        sides = [person.viewport.cell.height]
        for key in ("minus", "equals_sign", "equals_sign"):
            await person.press(key)
            sides.append(person.viewport.cell.height)
        assert sides[1] < sides[0] < sides[3]
        assert all(abs(new - old) > old / 8 for old, new in pairwise(sides))
        assert sides[1:] == [cell.height * CELL[1] for cell in CELLS]


def begins_at_the_origin(board: BoardView) -> bool:
    """Whether the bright period, as the picture shows it, begins at the first column and row."""
    assert isinstance(board.pixels, Motion)
    viewport = board.pixels.viewport()
    columns, rows = viewport.bright_columns, viewport.bright_rows
    return viewport.column_at(columns.start) == viewport.row_at(rows.start) == (0, 0)


@pytest.mark.parametrize("size", [9, 16])
async def test_the_home_view_begins_at_the_first_row_and_column_in_windows_of_any_size(size: int) -> None:
    chance = np.random.default_rng(size)
    async with pictured((120, 40), size=size) as (person, _terminal):
        for window in (
            (120, 39),
            (119, 37),
            (80, 24),
            (79, 23),
            *chance.integers((40, 16), (160, 60), (8, 2)).tolist(),
        ):
            await person.resize(*window)
            assert begins_at_the_origin(person.board), window
        person.board.set_viewport(person.viewport.pan_points(2, 3))
        await person.resize(101, 33)
        await person.press("0")
        for window in ((80, 25), (112, 40)):
            await person.resize(*window)
            assert begins_at_the_origin(person.board), window


@pytest.mark.parametrize("window", [(80, 24), (81, 25), (120, 39)])
async def test_the_board_of_the_tour_begins_at_its_first_row_and_column(window: tuple[int, int]) -> None:
    async with pictured(window) as (person, terminal):
        await person.press("f2")
        await person.wait()
        board = person.open(LessonScreen).board
        assert begins_at_the_origin(board)
        # The rows of pixels in the middle of the board: the bright ones are those of one period from the first row on.
        left, top = (board.region.x + GUTTER) * CELL[0], (board.region.y + HEADER) * CELL[1]
        columns, rows = board.viewport.bright_columns, board.viewport.bright_rows
        strip = terminal.screen()[top:, left + columns.start : left + columns.stop, :3].mean(axis=(1, 2))
        inside = strip[rows.start : rows.stop]
        outside = np.concatenate([strip[: rows.start], strip[rows.stop : (board.region.height - HEADER) * CELL[1]]])
        assert np.median(outside) < 0.85 * np.median(inside)
        assert inside[: CELL[1]].mean() > 0.9 * inside.mean()


async def test_the_copies_are_dimmer_than_the_board_and_are_copies() -> None:
    async with pictured((200, 60), size=9) as (person, terminal):
        await person.play("C3", "D4", "E5")
        shown = terminal.screen()[area(person)]
        viewport = person.viewport
        columns, rows = viewport.bright_columns, viewport.bright_rows
        period = viewport.period[0]
        middle = shown[rows.start : rows.stop, :, :3].astype(int)
        left, right = middle[:, : columns.start], middle[:, columns.start : columns.stop]
        copied = right[:, period - min(period, left.shape[1]) :]
        left = left[:, -copied.shape[1] :]
        assert left.mean() < 0.8 * copied.mean()
        # As dim as they are, the stones are where they are on the board.
        dark, light = copied.sum(axis=2) < 150, copied.sum(axis=2) > 650
        assert left.sum(axis=2)[dark].mean() < left.sum(axis=2)[light].mean() / 1.6


@pytest.mark.parametrize("theme", BOARDS)
async def test_the_board_and_stones_of_both_colours_differ_from_their_copies(theme: str) -> None:
    async with pictured((120, 40), STILL._replace(board=theme), size=5) as (person, terminal):
        await person.play("A5", "E1", "C3", "B3")
        shown, viewport = terminal.screen()[area(person)], person.viewport
        point = viewport.cell
        right, down = (viewport.size * length for length in point)
        for name in ("A5", "E1", "C3", "B3", "A1", "E5", "D2"):
            column, row = viewport.place_of(*person.game.torus.position(person.game.torus.parse(name)))
            x, y = column - point.middle[0] + point.width / 2, row - point.middle[1] + point.height / 2
            copies = [
                (x + across * right, y + along * down)
                for across, along in product(range(-3, 4), repeat=2)
                if across or along
            ]
            seen = [
                point_at(shown, *place, point)
                for place in copies
                if point[0] < place[0] < shown.shape[1] - point[0] and point[1] < place[1] < shown.shape[0] - point[1]
            ]
            assert seen
            assert min(contrast(point_at(shown, x, y, point), copy) for copy in seen) >= LEAST, name


@pytest.mark.parametrize("edits", [True, False])
async def test_a_terminal_shows_the_same_whether_it_edits_pictures_or_not(edits: bool) -> None:
    async with pictured(edits=edits) as (person, terminal):
        for name in ("C3", "D4", "A1", "P16", "I8"):
            await person.play(name)
            seen, drawn = bright(person, terminal.screen()[area(person)])
            assert differing(seen, drawn) < 2 / 256
        await person.press("left_square_bracket")
        person.board.set_viewport(person.viewport.pan_points(9, 7))
        seen, drawn = bright(person, terminal.screen()[area(person)])
        assert differing(seen, drawn) < 2 / 256


async def test_the_marks_of_a_chain_are_those_of_the_raster_wherever_it_lies() -> None:
    async with pictured(size=9) as (person, terminal):
        await person.play("A1", "E5", "A9", "E6", "I1", "pass", "I9")
        for name in ("A1", "I9", "E5"):
            person.screen.cursor.put(person.game.torus.parse(name))
            for across, along in product((0, 4), repeat=2):
                person.board.set_viewport(person.viewport.pan_points(across, along))
                person.app.pictures.sync()
                seen, drawn = bright(person, terminal.screen()[area(person)])
                # Those of a chain across the edge of the bright period continue on the copies.
                lies_across = name != "E5"
                assert differing(seen, drawn) < (6 if lies_across else 1) / 81, name


async def test_the_outline_of_a_chain_leaves_the_cursor_whole() -> None:
    async with pictured(size=9) as (person, terminal):
        await person.play("E5", "A1", "F5", "B2")
        marked = []
        for name in ("E5", "C7"):
            person.screen.cursor.put(person.game.torus.parse(name))
            person.app.pictures.sync()
            colours = terminal.screen()[area(person)][:, :, :3]
            marked.append(int((colours == person.board.painted.bright.cursor).all(axis=2).sum()))
        assert marked[0] == marked[1] > 0


async def test_a_move_sends_only_what_changed() -> None:
    async with pictured() as (person, terminal):
        chance = np.random.default_rng(6)
        names = [f"{'ABCDEFGHIJKLMNOP'[place % 16]}{place // 16 + 1}" for place in chance.permutation(256)[:130]]
        costs = []
        for name in names:
            before = terminal.transmitted
            await person.play(name)
            costs.append(terminal.transmitted - before)
        assert max(costs) < 6_000


async def test_going_back_sends_nothing_that_was_sent_lately() -> None:
    async with pictured(edits=False) as (person, terminal):
        await person.play("C3", "D4")
        await person.press("left_square_bracket")
        before = terminal.transmitted
        await person.press("right_square_bracket", "left_square_bracket", "right_square_bracket")
        assert terminal.transmitted == before


async def test_a_light_that_stands_still_lies_on_the_board_again_when_it_rests() -> None:
    async with pictured() as (person, terminal):
        board = motion_of(person)
        for right, down in ((7, 3), (12, 9), (-31, 14)):
            board.drag(right, down)
            board.release()
            seen, drawn = bright(person, terminal.screen()[area(person)])
            assert differing(seen, drawn) < 2 / 256


async def test_a_board_that_moves_cuts_no_name() -> None:
    async with pictured() as (person, terminal):
        board, (rows, columns) = motion_of(person), area(person)
        frame, seen = person.board.painted.frame, 0
        # What pictures leave out has the colour of the frame.
        (below,) = person.board.render_line(0)
        assert below.style is not None
        assert below.style.bgcolor is not None
        assert below.style.bgcolor.get_truecolor() == frame
        for _part in range(24):
            board.move_by(-3, -5)
            screen = terminal.screen(frame)[:, :, :3]
            letters = screen[rows.start - CELL[1] : rows.start, columns]
            numbers = screen[rows, columns.start - GUTTER * CELL[0] : columns.start]
            for edge in (letters[:, 0], letters[:, -1], numbers[0], numbers[-1]):
                assert (edge == frame).all()
            seen += bool((letters[:, 1:-1] != frame).any() and (numbers[1:-1] != frame).any())
        assert seen == 24


@pytest.mark.parametrize(("key", "is_shaded"), [("C", True), ("o", False), ("T", False)])
async def test_a_dialog_is_cut_out_and_the_rest_is_shaded_as_in_characters(key: str, is_shaded: bool) -> None:
    """Where a dialog shows what it changes on the board, the board stays as it is."""
    async with pictured() as (person, terminal):
        whole = terminal.screen()
        await person.press(key)
        dialog = person.app.screen.query(".dialog").first().region
        shown = terminal.screen()
        inside = shown[dialog.y * CELL[1] : dialog.bottom * CELL[1], dialog.x * CELL[0] : dialog.right * CELL[0]]
        assert not inside[:, :, 3].any()
        rows, columns = area(person)
        corner = (slice(rows.start, rows.start + 20), slice(columns.start, columns.start + 20))
        assert (shown[corner][:, :, :3].mean() < whole[corner][:, :, :3].mean()) == is_shaded
        await person.press("escape")
        await until(person, lambda: np.array_equal(terminal.screen(), whole))


async def test_the_palette_is_cut_out() -> None:
    async with pictured() as (person, terminal):
        await person.press("ctrl+p")
        # The commands are listed a moment after the field is shown.
        await until(person, lambda: person.app.screen.query_one("CommandList").region.height > 4)
        await person.settle()
        listed = person.app.screen.query_one("CommandList").region
        middle = listed.y * CELL[1] + listed.height * CELL[1] // 2, (listed.x + 4) * CELL[0]
        assert not terminal.screen()[middle][3]
        await person.press("escape")


async def test_notifications_are_cut_out() -> None:
    terminal = KittyTerminal(80, 24, CELL)
    app = DaoqiApp(Session(GameSetup(size=9)))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        person = Person(app, pilot)
        await person.settle()
        app.pictures.write = terminal.write
        app.pictures.found(CELL)
        app.notify("many words " * 20, timeout=1e6)
        await until(person, lambda: any(toast.region for toast in app.screen.query("Toast")))
        await person.settle()
        toast, board = app.screen.query_one("Toast").region, person.board.region
        left, right = max(toast.x, board.x), min(toast.right, board.right)
        assert left < right
        seen = terminal.screen()[:, :, 3]
        assert not seen[toast.y * CELL[1] : toast.bottom * CELL[1], left * CELL[0] : right * CELL[0]].any()
        assert seen[: toast.y * CELL[1], : board.right * CELL[0]].all()


async def test_a_screen_of_its_own_hides_the_board() -> None:
    async with pictured() as (person, terminal):
        before = terminal.screen()
        names = dict(terminal.placements)
        await person.press("3")
        await person.settle()
        assert not names.items() & terminal.placements.items()
        await person.press("escape")
        await until(person, lambda: np.array_equal(terminal.screen(), before))


async def test_off_and_on_in_the_options() -> None:
    async with pictured() as (person, terminal):
        person.app.apply_options(Options(graphics="off"))
        await person.settle()
        assert not terminal.images
        assert any(strip.text.strip() for strip in map(person.board.render_line, range(40)))
        person.app.apply_options(Options())
        await person.settle()
        assert terminal.screen()[:, :, 3].any()


async def test_switched_off_while_the_terminal_is_behind_nothing_comes_after() -> None:
    async with pictured() as (person, terminal):
        pixels = pixels_of(person)
        pixels._ready = lambda: False
        pixels.sync()
        assert pixels._waiting is not None
        person.app.apply_options(Options(graphics="off"))
        assert pixels._waiting is None
        pixels._ready = lambda: True
        # What the stopped timer called may be on its way already.
        pixels._try_again()
        assert not terminal.images


async def test_other_boards_other_cells_and_other_fonts() -> None:
    async with pictured(size=9) as (person, terminal):
        before = terminal.screen()
        person.app.apply_options(Options(board="slate", motion="reduced"))
        await person.settle()
        slate = terminal.screen()
        assert not np.array_equal(slate, before)
        await person.press("minus")
        await person.settle()
        smaller = terminal.screen()
        assert not np.array_equal(smaller, slate)
        seen, drawn = bright(person, smaller[area(person)])
        assert differing(seen, drawn) < 2 / 81


async def test_a_picture_has_all_colours_where_characters_have_few() -> None:
    async with pictured(size=9) as (person, terminal):
        await person.play("C3")
        before = terminal.screen()
        person.board.set_look(palette=BOARDS16["kaya"])
        person.app.pictures.sync()
        assert np.array_equal(terminal.screen(), before)


@pytest.mark.parametrize("palette", [*BOARDS.values(), *BOARDS16.values()], ids=lambda each: str(each.bright.board))
def test_what_is_white_differs_from_what_is_black_on_the_board_and_on_stones(palette: Palette) -> None:
    def seen(**look: Any) -> np.ndarray[Any, Any]:
        return draw_point(Point(**look), palette.bright, 0.0, Pixels(20, 20))

    for black, white in (
        ({"mark": "black"}, {"mark": "white"}),
        *(({"owner": "black", "certainty": step}, {"owner": "white", "certainty": step}) for step in (1, 2, 3)),
        ({"stone": "black"}, {"stone": "black", "label": "8"}),
        ({"stone": "white"}, {"stone": "white", "label": "8"}),
    ):
        assert abs(seen(**black) - seen(**white)).max() > 80


def test_a_dead_stone_shows_whose_it_is_instead_of_its_number() -> None:
    dead: dict[str, Any] = {"stone": "black", "solid": False, "owner": "white", "certainty": 3}
    seen = [draw_point(Point(**dead, label=label), BOARDS["kaya"].bright, 0.0, Pixels(20, 20)) for label in ("", "287")]
    assert (seen[0] == seen[1]).all()


def test_looks_of_points_are_kept_as_far_as_they_are_seen_and_not_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Raster(BOARDS["kaya"], Pixels(8, 8))
    seen = set()
    for visits in range(3):
        kept.draw(Shown(5, bytes(25), chips={0: Chip(1, ("52%", "-0.3", str(visits)), 1)}))
        seen.add(len(kept._blocks))
    assert len(seen) == 1
    monkeypatch.setattr("daoqi_tui.pictures.raster._MOST_BLOCKS", 40)
    for number in range(100):
        kept.draw(Shown(5, bytes(25), labels={0: str(number)}))
    assert len(kept._blocks) <= 40 + 25


async def test_without_colours_there_are_no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    terminal = KittyTerminal(120, 40, CELL)
    async with playing((120, 40)) as person:
        person.app.pictures.write = terminal.write
        person.app.pictures.found(CELL)
        await person.settle()
        assert not terminal.images
        assert any(strip.text.strip() for strip in map(person.board.render_line, range(40)))


@pytest.mark.parametrize("cell", [(0, 20), (10, 0), (-1, 20), (5000, 9000)])
async def test_impossible_characters_show_no_pictures(cell: tuple[int, int]) -> None:
    terminal = KittyTerminal(120, 40, CELL)
    async with playing((120, 40)) as person:
        person.app.pictures.write = terminal.write
        person.app.pictures.found(cell)
        await person.settle()
        assert not terminal.images


class TestMotion:
    """The board under the mouse, and on its own."""

    async def test_the_mouse_moves_it_pixel_by_pixel(self) -> None:
        async with pictured() as (person, terminal):
            await person.play("C3", "D4")
            board = motion_of(person)
            before = terminal.screen()[area(person)][:, :, :3]
            board.drag(3, 0)
            after = terminal.screen()[area(person)][:, :, :3]
            rows = slice(400, 500)
            # The bright period moves along.
            assert differing(after[rows, 303:403], before[rows, 300:400]) < 0.01
            board.drag(-3, 0)
            assert np.array_equal(terminal.screen()[area(person)][:, :, :3], before)

    async def test_many_small_drags_make_a_large_one(self) -> None:
        async with pictured() as (person, _terminal):
            board = motion_of(person)
            start = person.viewport
            for _each in range(100):
                board.drag(1.5, -1)
            board.release()
            assert person.viewport == start.pan(-15 * CELL[0], 5 * CELL[1])

    async def test_released_it_rests_on_whole_characters(self) -> None:
        async with pictured() as (person, terminal):
            board = motion_of(person)
            board.drag(4, 7)
            board.release()
            seen, drawn = bright(person, terminal.screen()[area(person)])
            assert differing(seen, drawn) < 2 / 256

    async def test_flicked_it_runs_on_and_comes_to_rest(self) -> None:
        async with pictured(options=Options(motion="full")) as (person, terminal):
            board = motion_of(person)
            start = person.viewport
            for _each in range(8):
                board.drag(20, 0)
            dragged = person.viewport
            assert dragged == start.pan(-16 * CELL[0], 0)
            board.release()
            while board.moving:
                await person.wait()
            assert person.viewport != dragged
            seen, drawn = bright(person, terminal.screen()[area(person)])
            assert differing(seen, drawn) < 2 / 256

    async def test_the_cursor_is_in_the_window_where_a_flick_ends(self, monkeypatch: pytest.MonkeyPatch) -> None:
        # The board coasts in a fifth of the time, and a little further, since its frames are further apart.
        monkeypatch.setattr("daoqi_tui.tui.board.monotonic", lambda: 5 * monotonic())
        async with pictured((80, 24), options=Options(motion="full"), size=25) as (person, _terminal):
            board = motion_of(person)
            for pushes in range(1, 9):
                for _each in range(pushes):
                    board.drag(0, -20)
                board.release()
                while board.moving:
                    await person.wait()
                await person.settle()
                x, y = person.cursor_place
                assert 0 <= x < person.viewport.width
                assert 0 <= y < person.viewport.height

    @pytest.mark.parametrize("step", [(1, 0), (-2, 0), (0, 1), (3, -1)])
    async def test_a_step_glides_from_where_the_board_was(
        self, step: tuple[int, int], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        frames = count()
        monkeypatch.setattr("daoqi_tui.tui.board.monotonic", lambda: next(frames) / 60)
        async with pictured(options=Options(motion="full")) as (person, _terminal):
            board, before = motion_of(person), person.viewport
            person.board.set_viewport(before.pan_points(*step))
            seen = [board.viewport()]
            board.close()
            while not board.at_rest:
                board._step()
                seen.append(board.viewport())
            assert seen[0] == before
            assert seen[-1] == person.viewport
            across, along = before.period
            ways = [
                (shortest(after.x - at.x, across) * step[0], shortest(after.y - at.y, along) * step[1])
                for at, after in pairwise(seen)
            ]
            assert len(ways) > 3
            assert min(map(min, ways)) >= 0, "it also went back"

    async def test_a_step_glides_and_ends_where_it_belongs(self) -> None:
        async with pictured(options=Options(motion="full")) as (person, terminal):
            await person.play("C3")
            person.board.set_viewport(person.viewport.pan_points(1, 0))
            assert motion_of(person).moving
            while motion_of(person).moving:
                await person.wait()
            seen, drawn = bright(person, terminal.screen()[area(person)])
            assert differing(seen, drawn) < 2 / 256


@pytest.mark.parametrize("across", [True, False])
@pytest.mark.parametrize("cell", [(1, 2), (2, 1), (4, 2)])
def test_no_name_is_cut_at_the_ends_of_the_window(cell: tuple[int, int], across: bool) -> None:
    """Half a ``C`` would be another sign."""
    style = LabelStyle(Pixels(10 * cell[0], 20 * cell[1]), Pixels(10, 20), (0, 0, 0), (255, 255, 255))
    names = tuple("ABCDEFGHIJKLMNOP") if across else tuple(str(number) for number in range(16, 0, -1))
    breadth = 20 if across else 30
    strip, _colours = label_strip(names, breadth, style, across=across)
    ink = np.tile(strip.any(axis=0 if across else 1), 3)
    step, cut = len(ink) // 48, 0
    for start in range(16 * step):
        for length in (7 * step, 9 * step + step // 2):
            begin, end = whole_labels(start, length, breadth, style, across=across)
            shown = ink[start + begin : start + end]
            assert not shown[0]
            assert not shown[-1]
            assert len(shown) > length - 2 * step
            cut += len(shown) < length
    assert cut
