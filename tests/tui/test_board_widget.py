"""Tests that the board widget's optimisations do not change what it draws."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.color import Color
from textual.app import App, ComposeResult
from textual.filter import Monochrome
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from daoqi_tui.engine import BLACK, EMPTY, WHITE
from daoqi_tui.pictures.picture import Ghost, Picture
from daoqi_tui.tui.board import BoardView, lines
from daoqi_tui.tui.board.lines import GUTTER, HEADER, PaintedLine
from daoqi_tui.tui.board.viewport import CELLS, Cell, Viewport
from daoqi_tui.tui.look import Glyphs
from tests.every import every

SIZE = 5


class Host(App[None]):
    """An app with nothing but a board."""

    def compose(self) -> ComposeResult:
        yield BoardView(16)


def cells(strip: Strip) -> list[tuple[str, Any]]:
    """Return each character of a strip with its style."""
    looks: list[tuple[str, Any]] = []
    for text, style, _ in strip:
        look = style and (style.color, style.bgcolor, bool(style.bold), bool(style.underline))
        looks.extend((character, look) for character in text)
    return looks


def random_picture(pick: random.Random, size: int) -> Picture:
    """Return a picture with random stones and marks."""
    points = size * size

    def some(most: int) -> frozenset[int]:
        return frozenset(pick.sample(range(points), pick.randint(0, most)))

    return Picture(
        size,
        bytes(pick.choice((EMPTY, EMPTY, BLACK, WHITE)) for _ in range(points)),
        last=pick.choice((None, pick.randrange(points))),
        cursor=pick.randrange(points),
        ghost=pick.choice((None, Ghost(pick.randrange(points), pick.choice((BLACK, WHITE))))),
        chain=some(4),
        liberties=some(4),
        owners=pick.choice((None, bytes(pick.choice((EMPTY, BLACK, WHITE)) for _ in range(points)))),
        refused=pick.choice((None, None, pick.randrange(points))),
    )


@pytest.mark.parametrize("no_colour", [False, True], ids=["colours", "NO_COLOR"])
@pytest.mark.parametrize("cell", CELLS)
async def test_the_lines_are_those_the_base_class_would_hand_over(
    cell: Any, no_colour: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if no_colour:
        monkeypatch.setenv("NO_COLOR", "1")
    app, pick = Host(), random.Random(1)
    async with app.run_test(size=(90, 40)) as pilot:
        await pilot.pause()
        view = app.query_one(BoardView)
        view.set_cell(cell)
        assert any(isinstance(each, Monochrome) for each in view.get_line_filters()) is no_colour
        for step in range(6):
            view.show_picture(random_picture(pick, 16))
            view.set_viewport(view.viewport.pan(step, 3 * step))
            width, height = view.size
            crops = [
                Region(0, 0, width, height),
                Region(0, 5, width, 1),
                Region(7, 3, 20, 11),
                Region(width - 1, 0, 1, height),
            ]
            for crop in crops:
                view._styles_cache.clear()
                expected = Widget.render_lines(view, crop)
                found = view.render_lines(crop)
                assert list(map(cells, found)) == list(map(cells, expected))
                assert [strip.cell_length for strip in found] == [crop.width] * crop.height


class Screenful:
    """A simulated terminal that redraws only the lines that the board asks to refresh."""

    def __init__(self, view: BoardView) -> None:
        self.view = view
        self.lines: dict[int, list[tuple[str, Any]]] = {}

    def draw(self, regions: Iterable[Region]) -> None:
        height = self.view.viewport.height + HEADER
        for y in {y for region in regions or [Region(0, 0, 1, height)] for y in region.line_range}:
            self.lines[y] = cells(self.view.render_line(y))


class WatchedBoard(BoardView):
    """A board that redraws the simulated terminal at each refresh."""

    shown: Screenful | None = None

    def refresh(self, *regions: Region, **_more: Any) -> Any:
        if self.shown is not None:
            self.shown.draw(regions)
        return self


def fresh_lines(view: BoardView) -> dict[int, list[tuple[str, Any]]]:
    """Return what a new board draws with the current picture, viewport and look."""
    fresh = BoardView(view.picture.size)
    fresh.show_picture(view.picture)
    fresh.set_viewport(view.viewport)
    fresh.set_look(palette=view.palette, glyphs=view.glyphs, name_style=view.lines.names)
    return {y: cells(fresh.render_line(y)) for y in range(view.viewport.height + HEADER)}


@st.composite
def changes(draw: st.DrawFn) -> tuple[str, Any]:
    """Draw one random change to a board."""
    kind = draw(st.sampled_from(["picture", "mark", "pan", "cell", "margin", "look"]))
    number = draw(st.integers(0, 10_000))
    return kind, number


@given(st.lists(changes(), min_size=1, max_size=30), st.integers(12, 40), st.integers(6, 20))
def test_nothing_stale_is_ever_shown(history: list[tuple[str, int]], width: int, height: int) -> None:
    view = WatchedBoard(SIZE)
    view.set_viewport(Viewport(SIZE, CELLS[0], width, height))
    view.shown = Screenful(view)
    view.shown.draw(())
    for kind, number in history:
        pick = random.Random(number)
        viewport = view.viewport
        match kind:
            case "picture":
                view.show_picture(random_picture(pick, SIZE))
            case "mark":
                mark = pick.choice([{"cursor": number % 25}, {"last": number % 25}, {"ghost": None}, {"owners": None}])
                view.show_picture(view.picture._replace(**mark))  # type: ignore[arg-type]
            case "pan":
                view.set_viewport(viewport.pan(number % 7 - 3, number % 5 - 2))
            case "cell":
                view.set_viewport(viewport.with_cell(CELLS[number % 3]))
            case "margin":
                view.set_viewport(viewport._replace(margin=(None, 0, 1, 2)[number % 4]))
            case "look":
                view.set_look(name_style=("daoqi", "gtp")[number % 2])
        assert view.shown.lines == fresh_lines(view), (kind, number)


def test_a_strip_taken_from_the_cache_is_the_same_object_while_nothing_changed() -> None:
    view = BoardView(SIZE)
    view.set_viewport(Viewport(SIZE, CELLS[0], 30, 12))
    first = view.render_line(3)
    view.set_viewport(view.viewport.pan_points(1, 0))
    assert view.render_line(3) is not first
    view.set_viewport(view.viewport.pan_points(-1, 0))
    assert view.render_line(3) is first


def test_the_caches_do_not_grow_without_end() -> None:
    view = BoardView(16)
    view.set_viewport(Viewport(16, CELLS[0], 60, 30))
    pick = random.Random(3)
    for _ in range(150):
        view.show_picture(random_picture(pick, 16))
        for y in range(31):
            view.render_line(y)
    assert len(view.lines._strips) <= 2400
    assert len(view.lines._lines) <= 2400


def test_rows_that_look_alike_are_painted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the first frame: an empty row, that of the cursor, and the last one, above the seam."""
    painted: list[tuple[int, int]] = []
    paint = lines.paint

    def noted(picture: Picture, cell: Cell, glyphs: Glyphs, row: int, line: int) -> PaintedLine:
        painted.append((row, line))
        return paint(picture, cell, glyphs, row, line)

    monkeypatch.setattr(lines, "paint", noted)
    view = BoardView(16)
    view.set_viewport(Viewport(16, CELLS[1], 80, 36))
    view.show_picture(Picture(16, bytes(256), cursor=136))
    for y in range(37):
        view.render_line(y)
    assert len(painted) == 3 * CELLS[1].height


@pytest.mark.parametrize("cell", CELLS)
def test_rows_that_look_alike_are_drawn_as_alone(cell: Cell) -> None:
    pick = random.Random(11)
    for _ in range(20):
        kinds = [bytes(pick.choice((EMPTY, BLACK, WHITE)) for _ in range(SIZE)) for _ in range(2)]
        marked = random_picture(pick, SIZE)._replace(
            stones=b"".join(pick.choice(kinds) for _ in range(SIZE)), ghost=None, chain=frozenset(), owners=None
        )
        window = Viewport(SIZE, cell, 70, 24)
        view = BoardView(SIZE)
        view.set_viewport(window)
        view.show_picture(marked)
        for y in range(25):
            alone = BoardView(SIZE)
            alone.set_viewport(window)
            alone.show_picture(marked)
            assert cells(view.render_line(y)) == cells(alone.render_line(y)), y


@pytest.mark.parametrize("cell", CELLS)
def test_every_copy_shows_the_same(cell: Any) -> None:
    view = BoardView(SIZE)
    across, along = 2 * SIZE * cell.width, 2 * SIZE * cell.height
    pick = random.Random(7)
    for _ in range(10):
        view.show_picture(random_picture(pick, SIZE))
        view.set_viewport(Viewport(SIZE, cell, across, along, x=pick.randrange(across), y=pick.randrange(along)))
        lines = [view.render_line(y + HEADER).text[GUTTER:] for y in range(along)]
        assert all(line[: across // 2] == line[across // 2 :] for line in lines)
        assert lines[: along // 2] == lines[along // 2 :]


def test_labels_travel_with_the_board() -> None:
    view = BoardView(SIZE)
    view.set_viewport(Viewport(SIZE, CELLS[0], 10, 5).at_origin())
    assert view.render_line(0).text[GUTTER:].split() == list("ABCDE")
    assert [view.render_line(y).text[:GUTTER].strip() for y in range(1, 6)] == list("54321")
    view.set_viewport(view.viewport.pan_points(2, 1))
    assert view.render_line(0).text[GUTTER:].split() == list("CDEAB")
    assert [view.render_line(y).text[:GUTTER].strip() for y in range(1, 6)] == list("43215")


def test_with_a_margin_of_none_only_one_period_is_drawn() -> None:
    view = BoardView(SIZE)
    view.show_picture(Picture(SIZE, bytes([BLACK]) + bytes(24)))
    view.set_viewport(Viewport(SIZE, CELLS[0], 40, 20, margin=0).at_origin())
    board = "\n".join(view.render_line(y).text for y in range(21))
    assert sum(board.count(sign) for sign in "●○◉◎") == 1
    view.set_viewport(view.viewport._replace(margin=1))
    assert sum("\n".join(view.render_line(y).text for y in range(21)).count(sign) for sign in "●○") == 4


@every("window", [(30, 15), (67, 33), (80, 24), (117, 38), (118, 39), (150, 50)], ids=str)
@every("size", [5, 9, 16])
@every("cell", CELLS, ids=["2x1", "4x2", "6x3"])
def test_at_home_the_bright_period_ends_at_the_seam(cell: Any, size: int, window: tuple[int, int]) -> None:
    view = BoardView(size)
    view.set_viewport(Viewport(size, cell, *window).at_origin())
    across, along = view.viewport.bright_columns, view.viewport.bright_rows
    shades = view.lines.palette.bright
    seam = Color.from_rgb(*shades.seam)
    if len(across) == size * cell.width:
        assert [view.viewport.column_at(x) for x in (across[0], across[-1])] == [(0, 0), (size - 1, cell.width - 1)]
        for y in along:
            assert cells(view.render_line(y + HEADER))[GUTTER + across[-1]][1][0] == seam
    if len(along) == size * cell.height:
        assert [view.viewport.row_at(y) for y in (along[0], along[-1])] == [(0, 0), (size - 1, cell.height - 1)]
        line = cells(view.render_line(along[-1] + HEADER))[GUTTER:]
        assert all(line[x][1][3] for x in across)


def test_copies_are_shaded_and_the_period_is_bright() -> None:
    view = BoardView(SIZE)
    view.set_viewport(Viewport(SIZE, CELLS[0], 30, 15).at_origin())
    bright, shaded = set[Any](), set[Any]()
    for y in range(view.viewport.height):
        for x, (_, look) in enumerate(cells(view.render_line(y + HEADER))[GUTTER:]):
            inside = x in view.viewport.bright_columns and y in view.viewport.bright_rows
            (bright if inside else shaded).add(look[1])
    assert len(bright) == len(shaded) == 1
    assert bright != shaded
