"""Pictures of the 3-D torus: what is drawn where, panning, shading, bending and antialiasing."""

from __future__ import annotations

import numpy as np
import pytest

from daoqi_tui.engine import BLACK, WHITE
from daoqi_tui.pictures.palettes import KAYA
from daoqi_tui.pictures.torus import (
    STEEPEST,
    Camera,
    PixelArray,
    Scene,
    point_at,
    render,
    render_frame,
    render_rows,
    sketch,
)
from daoqi_tui.pictures.torus_surface import OUTER, SAMPLES, Frame, shape_of

SIZE = 8
SKY = (0, 0, 255)


def scene(last: int | None = None, **stones: int) -> Scene:
    """Return a board with stones; ``r3c5=BLACK`` is one at row 3, column 5."""
    colours = bytearray(SIZE * SIZE)
    for name, colour in stones.items():
        row, column = name[1:].split("c")
        colours[int(row) * SIZE + int(column)] = colour
    return Scene(bytes(colours), SIZE, KAYA.bright, SKY, last)


def is_sky(pixels: PixelArray) -> np.ndarray:
    return (pixels == SKY).all(axis=2)


def changed(one: PixelArray, other: PixelArray) -> np.ndarray:
    """Return the mean ``(row, column)`` of the pixels that differ."""
    places = np.argwhere((one != other).any(axis=2))
    assert places.size, "the pictures are the same"
    return places.mean(axis=0)


@pytest.mark.parametrize("size", [(60, 60), (30, 46), (9, 4), (1, 2), (200, 20)])
def test_a_picture_has_the_size_asked_for(size: tuple[int, int]) -> None:
    width, height = size
    picture = render(scene(), Camera(0, 0, 0.8), width, height)
    assert picture.shape == (height, width, 3)
    assert picture.dtype == np.uint8


@pytest.mark.parametrize("tilt", [-STEEPEST, -0.6, 0.0, 0.3, 0.82, STEEPEST])
def test_the_whole_torus_is_in_the_picture_and_fills_it(tilt: float) -> None:
    sky = is_sky(render(scene(), Camera(0, 0, tilt), 60, 60))
    assert sky[[0, -1]].all() or sky[:, [0, -1]].all(), "it reaches beyond one of the sides"
    rows, columns = np.flatnonzero(~sky.all(axis=1)), np.flatnonzero(~sky.all(axis=0))
    assert max(np.ptp(rows), np.ptp(columns)) >= 54


def test_from_above_one_sees_through_the_hole() -> None:
    sky = is_sky(render(scene(), Camera(0, 0, STEEPEST), 60, 60))
    assert sky[30, 30]
    assert not sky[30, 12]
    assert not sky[30, 48]


def test_the_point_that_faces_the_viewer_is_in_the_middle_of_the_near_side() -> None:
    empty = render(scene(), Camera(5, 3, 0.82), 60, 60)
    row, column = changed(empty, render(scene(r3c5=WHITE), Camera(5, 3, 0.82), 60, 60))
    assert abs(column - 29.5) < 1.5
    assert row > 30


@pytest.mark.parametrize(("name", "across", "down"), [("r3c6", 1, 0), ("r3c4", -1, 0), ("r4c5", 0, 1), ("r2c5", 0, -1)])
def test_right_is_right_and_down_is_down(name: str, across: int, down: int) -> None:
    view = Camera(5, 3, 0.5)
    middle = changed(render(scene(), view, 80, 80), render(scene(r3c5=BLACK), view, 80, 80))
    beside = changed(render(scene(), view, 80, 80), render(scene(**{name: BLACK}), view, 80, 80))
    way = beside - middle
    along = way[1] * across + way[0] * down
    assert along > 5
    assert abs(way).max() == along


def test_black_is_dark_and_white_is_bright() -> None:
    view = Camera(5, 3, 0.82)
    empty = render(scene(), view, 60, 60)
    row, column = changed(empty, render(scene(r3c5=WHITE), view, 60, 60)).round().astype(int)
    brightness = [
        int(render(board, view, 60, 60)[row, column].sum()) for board in (scene(r3c5=BLACK), scene(), scene(r3c5=WHITE))
    ]
    assert brightness[0] < 200 < brightness[1] < 600 < brightness[2]


def test_panning_a_point_is_moving_the_stones_a_point() -> None:
    def distance(one: PixelArray, other: PixelArray) -> np.ndarray:
        apart: np.ndarray = np.abs(one.astype(int) - other).max(axis=2)
        return apart

    here, there = Camera(5, 3, 0.82), Camera(5, 4, 0.82)
    before = render(scene(r3c5=BLACK, r0c0=WHITE), here, 40, 40)
    after = render(scene(r4c5=BLACK, r1c0=WHITE), there, 40, 40)
    seam = distance(render(scene(), here, 40, 40), render(scene(), there, 40, 40)) > 2
    assert 0 < seam.sum() < 40
    assert distance(before, after)[~seam].max() <= 2, "only the seam moves"
    whole = render(scene(r3c5=BLACK, r0c0=WHITE), Camera(5 + SIZE, 3 - SIZE, 0.82), 40, 40)
    assert distance(before, whole).max() <= 2, "after a whole round everything is where it was"


def test_after_many_turns_it_looks_as_at_first() -> None:
    board, turns = scene(r0c0=BLACK, r2c5=WHITE, last=0), 1_000_000 * SIZE
    first = render(board, Camera(0.3, 0.6, 0.8), 60, 60).astype(int)
    later = render(board, Camera(0.3 + turns, 0.6 - turns, 0.8), 60, 60)
    assert np.abs(later - first).max() <= 1


def test_the_last_move_is_marked() -> None:
    view = Camera(5, 3, 0.82)
    plain = render(scene(r3c5=BLACK), view, 60, 60)
    marked = render(scene(last=3 * SIZE + 5, r3c5=BLACK), view, 60, 60)
    row, column = changed(plain, marked).round().astype(int)
    red, green, blue = marked[row, column].astype(int)
    assert red > 2 * max(green, blue)


def test_every_cell_is_a_square_on_the_surface() -> None:
    """The radii are chosen so that the map from board to torus is conformal."""
    step = 1e-3
    for down in np.linspace(-0.45, 0.45, 19):
        tubes = [2 * np.arctan(np.tan(np.pi * place) / (OUTER - 1)) for place in (down - step, down + step)]
        ring = OUTER + np.cos(np.mean(tubes))
        assert (tubes[1] - tubes[0]) / (2 * np.pi * 2 * step * ring) == pytest.approx(1, rel=1e-3)


def test_the_shape_is_computed_once_for_a_size_and_a_tilt() -> None:
    shape = shape_of(Frame(20, 20, 0.7))
    assert shape_of(Frame(20, 20, 0.7)) is shape
    assert shape.hit.max() < (20 * SAMPLES) ** 2
    assert len(shape.hit) == len(shape.across) == len(shape.down) == len(shape.lit)


def test_without_colours_stones_differ_by_shape_and_light_is_density() -> None:
    view = Camera(5, 3, 0.82)
    lines = sketch(scene(r3c5=BLACK, r3c4=WHITE), view, 60, 30, ("X", "O"))
    assert [len(line) for line in lines] == [60] * 30
    text = "".join(lines)
    assert set(" .*XO") <= set(text) <= set(" .:-=+*XO")
    below = next(line for line in lines if "X" in line and "O" in line)
    assert below.index("O") < below.index("X"), "column 4 stands left of column 5"
    assert "*" in lines[3]
    assert "*" not in lines[-2], "the light comes from above"


@pytest.mark.parametrize("zoom", [1.0, 2.5])
@pytest.mark.parametrize("tilt", [-0.6, 0.0, 0.82])
def test_the_point_at_a_place_is_the_one_drawn_there(tilt: float, zoom: float) -> None:
    view = Camera(5.3, 3.1, tilt, zoom)
    frame = view.frame(90, 60)
    empty = render(scene(), view, 90, 60)
    found = set()
    for y in range(4, 60, 8):
        for x in range(4, 90, 8):
            point = point_at(view, SIZE, frame, x + 0.5, y + 0.5)
            assert (point is None) == (tuple(empty[y, x]) == SKY) or is_sky(empty)[y - 1 : y + 2, x - 1 : x + 2].any()
            if point is not None and point not in found:
                found.add(point)
                stone = render(scene(**{f"r{point // SIZE}c{point % SIZE}": WHITE}), view, 90, 60)
                spot = (stone != empty).any(axis=2)
                assert spot[max(0, y - 9) : y + 10, max(0, x - 9) : x + 10].any()
    assert len(found) > (5 if zoom == 1 else 1)


@pytest.mark.parametrize("bend", [0.0, 0.3, 0.5, 0.8, 0.999])
def test_on_its_way_the_board_has_no_holes_and_fills_the_picture(bend: float) -> None:
    view = Camera(5, 3, 0.8 * bend, bend=bend)
    sky = is_sky(render_frame(scene(), view, view.frame(120, 120, 1)))
    rows, columns = np.flatnonzero(~sky.all(axis=1)), np.flatnonzero(~sky.all(axis=0))
    assert max(np.ptp(rows), np.ptp(columns)) >= 108
    if bend <= 0.5:
        assert not sky[rows[0] + 12 : rows[-1] - 11, columns[0] + 12 : columns[-1] - 11].any()


def test_flat_it_is_the_flat_board() -> None:
    view = Camera(5, 3, 0.0, bend=0.0)
    empty = render(scene(), view, 80, 80)
    middle = changed(empty, render(scene(r3c5=BLACK), view, 80, 80))
    beside = changed(empty, render(scene(r4c6=BLACK), view, 80, 80))
    assert middle == pytest.approx((39.5, 39.5), abs=0.6)
    assert beside - middle == pytest.approx((80 / SIZE / 1.04,) * 2, abs=0.6)


def test_bent_all_the_way_it_is_the_torus() -> None:
    board = scene(r3c5=BLACK, r2c6=WHITE)
    almost, whole = Camera(5, 3, 0.82, bend=0.9999), Camera(5, 3, 0.82)
    one, other = (render(board, view, 80, 80).astype(int) for view in (almost, whole))
    assert np.abs(one - other).mean() < 3


def test_bands_of_a_picture_are_the_picture_and_name_the_points_in_them() -> None:
    board, view = scene(r3c5=BLACK, r2c6=WHITE), Camera(5, 3, 0.82)
    frame = view.frame(80, 80)
    bands = [render_rows(board, view, frame, first, 20) for first in range(0, 80, 20)]
    whole, _ = render_rows(board, view, frame, 0, 80)
    assert np.abs(np.concatenate([pixels for pixels, _ in bands]).astype(int) - whole).mean() < 0.1
    place = 3 * SIZE + 5
    other, _ = render_rows(scene(r2c6=WHITE), view, frame, 0, 80)
    for number, (pixels, points) in enumerate(bands):
        if (pixels != other[number * 20 : number * 20 + 20]).any(axis=2).sum() > 20:
            assert points[place]
    assert any(not points[place] for _, points in bands)


def test_a_sharp_picture_is_smooth_where_the_torus_ends_and_hides_itself() -> None:
    board, view = scene(r3c5=BLACK, r2c6=WHITE), Camera(5, 3, 0.82)
    frame = view.frame(240, 240)
    true = render_frame(board, view, frame._replace(samples=4)).astype(int)
    jagged = render_frame(board, view, frame._replace(samples=1))
    edges = (np.abs(true - jagged) > 40).any(axis=2)
    assert edges.sum() > 200
    sharp, _ = render_rows(board, view, frame, 0, 240)
    off, off_jagged = (np.abs(true - each)[edges].mean() for each in (sharp, jagged))
    assert off < off_jagged / 3
    assert np.abs(true - sharp).mean() < 1


@pytest.mark.parametrize("zoom", [1.0, 3.0])
def test_any_rows_of_a_sharp_picture_can_be_drawn(zoom: float) -> None:
    board, view = scene(r3c5=BLACK), Camera(5, 3, 0.5, zoom)
    frame = view.frame(60, 90)
    whole, _ = render_rows(board, view, frame, 0, 90)
    shown = set()
    for row in range(0, 90, 3):
        pixels, points = render_rows(board, view, frame, row, 1)
        assert np.abs(pixels[0].astype(int) - whole[row]).mean() < 2
        shown.add((bool(is_sky(pixels).all()), bool(points.any())))
    # Rows of sky alone and, in a close-up, rows of torus alone have no edges to supersample.
    assert shown == {(True, False), (False, True)}
