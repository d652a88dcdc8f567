"""The viewport: the position of the window on the endless board."""

from __future__ import annotations

from collections import Counter

from hypothesis import assume, given
from hypothesis import strategies as st

from daoqi_tui.tui.board.viewport import CELLS, Orientation, Viewport


@st.composite
def viewports(draw: st.DrawFn) -> Viewport:
    """Generate any window on any board, in any orientation."""
    size, cell = draw(st.integers(2, 25)), draw(st.sampled_from(CELLS))
    return Viewport(
        size,
        cell,
        draw(st.integers(1, 170)),
        draw(st.integers(1, 90)),
        draw(st.integers(0, size * cell.width - 1)),
        draw(st.integers(0, size * cell.height - 1)),
        draw(st.none() | st.integers(0, 25)),
        draw(st.builds(Orientation, st.booleans(), st.integers(0, 3))),
    )


steps = st.integers(-60, 60)


def fits(viewport: Viewport) -> bool:
    """Return True if a whole period fits into the window."""
    across, along = viewport.period
    return across <= viewport.width and along <= viewport.height


@given(viewports(), steps, steps)
def test_panning_comes_back_exactly_after_a_whole_round(viewport: Viewport, right: int, down: int) -> None:
    walked = viewport
    for _ in range(viewport.size):
        walked = walked.pan_points(right, down)
    assert walked == viewport
    assert viewport.pan(right, down).pan(-right, -down) == viewport


@given(viewports(), steps, steps)
def test_panning_never_jumps(viewport: Viewport, right: int, down: int) -> None:
    panned = viewport.pan(right, down)
    for x in range(0, viewport.width, 7):
        assert panned.column_at(x) == viewport.column_at(x + right)
    for y in range(0, viewport.height, 5):
        assert panned.row_at(y) == viewport.row_at(y + down)
    assert 0 <= panned.x < viewport.period[0]
    assert 0 <= panned.y < viewport.period[1]


@given(viewports())
def test_every_point_appears_exactly_once_in_the_bright_rectangle(viewport: Viewport) -> None:
    assume(fits(viewport))
    columns = Counter(viewport.column_at(x)[0] for x in viewport.bright_columns)
    rows = Counter(viewport.row_at(y)[0] for y in viewport.bright_rows)
    assert columns == dict.fromkeys(range(viewport.size), viewport.cell.width)
    assert rows == dict.fromkeys(range(viewport.size), viewport.cell.height)


@given(viewports())
def test_no_point_is_cut_in_two_where_there_is_room_for_one_more(viewport: Viewport) -> None:
    across, along = viewport.period
    assume(across + viewport.cell.width <= viewport.width and along + viewport.cell.height <= viewport.height)
    assert viewport.column_at(viewport.bright_columns.start)[1] == 0
    assert viewport.row_at(viewport.bright_rows.start)[1] == 0


@given(viewports())
def test_the_bright_rectangle_is_in_the_middle(viewport: Viewport) -> None:
    for span, length, step in (
        (viewport.bright_columns, viewport.width, viewport.cell.width),
        (viewport.bright_rows, viewport.height, viewport.cell.height),
    ):
        assert 0 <= span.start < span.stop <= length
        assert abs(span.start - (length - span.stop)) <= 2 * step


@given(viewports())
def test_the_bright_rectangle_begins_at_the_cell_that_is_nearest_to_the_middle(viewport: Viewport) -> None:
    """Of all places for a whole period without a cut cell, the one with the most equal copies on its two sides."""
    for span, begins, length, step in (
        (viewport.bright_columns, viewport.column_at, viewport.width, viewport.cell.width),
        (viewport.bright_rows, viewport.row_at, viewport.height, viewport.cell.height),
    ):
        period = viewport.size * step
        places = [start for start in range(length - period + 1) if begins(start)[1] == 0]
        if places:
            # Of two equally near ones the first.
            assert span.start == min(places, key=lambda start: abs(2 * start - (length - period)))
            assert span.stop == span.start + period


@given(viewports())
def test_a_point_is_found_where_it_is_drawn(viewport: Viewport) -> None:
    for row in range(viewport.size):
        for column in range(viewport.size):
            x, y = viewport.place_of(row, column)
            shown_row, shown_column = viewport.orientation.shown(viewport.size, row, column)
            assert viewport.column_at(x) == (shown_column, viewport.cell.middle[0])
            assert viewport.row_at(y) == (shown_row, viewport.cell.middle[1])
            if fits(viewport):
                assert x in viewport.bright_columns
                assert y in viewport.bright_rows
            if x in viewport.shown_columns and y in viewport.shown_rows:
                assert viewport.point_at(x, y) == (row, column)


@given(viewports())
def test_a_point_has_its_place_in_the_window_if_any_copy_of_it_has(viewport: Viewport) -> None:
    middle_x = viewport.cell.middle[0]
    visible = {viewport.column_at(x)[0] for x in range(viewport.width) if viewport.column_at(x)[1] == middle_x}
    for column in visible:
        point = viewport.orientation.board(viewport.size, 0, column)
        assert 0 <= viewport.place_of(*point)[0] < viewport.width


@given(viewports())
def test_the_margin_limits_what_is_shown(viewport: Viewport) -> None:
    columns, rows = viewport.shown_columns, viewport.shown_rows
    if viewport.margin is None:
        assert (columns, rows) == (range(viewport.width), range(viewport.height))
        return
    bright = viewport.bright_columns
    room = viewport.margin * viewport.cell.width
    assert columns == range(max(0, bright.start - room), min(viewport.width, bright.stop + room))
    for x in range(viewport.width):
        for y in {0, viewport.height // 2, viewport.height - 1}:
            assert (viewport.point_at(x, y) is not None) == (x in columns and y in rows)


@given(viewports())
def test_no_margin_leaves_each_point_once(viewport: Viewport) -> None:
    bare = viewport._replace(margin=0)
    assume(fits(bare))
    found = Counter(bare.point_at(x, y) for x in range(bare.width) for y in range(bare.height))
    del found[None]
    assert found == {
        (row, column): bare.cell.width * bare.cell.height for row in range(bare.size) for column in range(bare.size)
    }


@given(viewports(), st.integers(1, 170), st.integers(1, 90))
def test_a_window_of_another_size_keeps_its_middle(viewport: Viewport, width: int, height: int) -> None:
    resized = viewport.resized(width, height)
    assert (resized.width, resized.height) == (width, height)
    assert resized.column_at(width // 2) == viewport.column_at(viewport.width // 2)
    assert resized.row_at(height // 2) == viewport.row_at(viewport.height // 2)
    assert resized.resized(viewport.width, viewport.height) == viewport


@given(viewports(), st.sampled_from(CELLS))
def test_larger_and_smaller_cells_keep_the_point_in_the_middle(viewport: Viewport, cell: tuple[int, int]) -> None:
    zoomed = viewport.with_cell(CELLS[CELLS.index(cell)])  # type: ignore[arg-type]
    assert zoomed.cell == cell
    assert zoomed.middle_point() == viewport.middle_point()


@given(viewports(), st.data())
def test_a_point_can_be_centred(viewport: Viewport, data: st.DataObject) -> None:
    row, column = data.draw(st.tuples(*[st.integers(0, viewport.size - 1)] * 2))
    centred = viewport.centred_on(row, column)
    assert centred.middle_point() == (row, column)
    assert centred.column_at(viewport.width // 2)[1] == viewport.cell.middle[0]


@given(
    viewports(), st.tuples(st.integers(5, 20), st.integers(5, 20)), st.integers(1, 170), st.integers(1, 90), st.data()
)
def test_points_of_whole_characters_are_where_a_window_in_characters_has_them(
    viewport: Viewport, unit: tuple[int, int], width: int, height: int, data: st.DataObject
) -> None:
    def in_pixels(window: Viewport) -> Viewport:
        across, down = unit
        lengths = {"width": window.width * across, "height": window.height * down}
        places = {"x": window.x * across, "y": window.y * down}
        return window._replace(cell=window.cell.times(unit), unit=unit, **lengths, **places)

    pixels = in_pixels(viewport)
    row, column = data.draw(st.tuples(*[st.integers(0, viewport.size - 1)] * 2))
    assert pixels.centred_on(row, column) == in_pixels(viewport.centred_on(row, column))
    assert pixels.resized(width * unit[0], height * unit[1]) == in_pixels(viewport.resized(width, height))
    assert pixels.middle_point() == viewport.middle_point()
    for centred in (False, True):
        assert pixels.at_origin(centred=centred) == in_pixels(viewport.at_origin(centred=centred))


@given(viewports())
def test_the_origin_begins_at_the_top_left_point(viewport: Viewport) -> None:
    origin = viewport.at_origin()
    across, along = viewport.period
    if across <= viewport.width:
        assert origin.column_at(origin.bright_columns.start) == (0, 0)
    else:
        assert origin.column_at(0) == (0, 0)
    if along <= viewport.height:
        assert origin.row_at(origin.bright_rows.start) == (0, 0)
    else:
        assert origin.row_at(0) == (0, 0)
    assert origin.pan(5, -7).at_origin() == origin


@given(viewports(), st.data())
def test_showing_pans_by_whole_points_and_only_if_it_must(viewport: Viewport, data: st.DataObject) -> None:
    cell = viewport.cell
    # When panned by whole cells, a window smaller than two cells may never contain a complete one.
    assume(viewport.width >= 2 * cell.width and viewport.height >= 2 * cell.height)
    row, column = data.draw(st.tuples(*[st.integers(0, viewport.size - 1)] * 2))
    shown = viewport.showing(row, column)
    assert (shown.x - viewport.x) % cell.width == 0
    assert (shown.y - viewport.y) % cell.height == 0
    x, y = shown.place_of(row, column)
    assert 0 <= x - cell.middle[0] <= viewport.width - cell.width
    assert 0 <= y - cell.middle[1] <= viewport.height - cell.height
    x, y = viewport.place_of(row, column)
    left, top = x - cell.middle[0], y - cell.middle[1]
    panned_x, panned_y = points_panned(viewport, shown)
    assert panned_x == points_outside(left, cell.width, viewport.width) % viewport.size
    assert panned_y == points_outside(top, cell.height, viewport.height) % viewport.size


def points_panned(before: Viewport, after: Viewport) -> tuple[int, int]:
    cell, (across, along) = before.cell, before.period
    return (after.x - before.x) % across // cell.width, (after.y - before.y) % along // cell.height


def points_outside(start: int, length: int, window: int) -> int:
    """Return by how many steps of ``length`` the window has to move to contain a cell at ``start``."""
    steps = 0
    while start < 0:
        start, steps = start + length, steps - 1
    while start + length > window:
        start, steps = start - length, steps + 1
    return steps


def test_a_point_cut_in_two_by_a_window_of_just_one_period_is_where_its_middle_shows() -> None:
    viewport = Viewport(16, CELLS[2], 96, 48, x=3, y=2)
    assert viewport.place_of(0, 0) == (95, 47)
    assert viewport.point_at(95, 47) == (0, 0)
