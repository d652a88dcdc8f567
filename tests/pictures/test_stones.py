"""Stones in pixels: whatever marks one, it has its neighbours' outline, and what is written can be read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from daoqi_tui.pictures.palettes import BOARDS, RGB, contrast
from daoqi_tui.pictures.picture import Mistake
from daoqi_tui.pictures.raster import Floats, Pixels, Point, Raster, draw_point
from tests.every import every

SIZES = (12, 16, 24, 40)
_LAST = frozenset(("last",))
MARKED: dict[str, dict[str, Any]] = {
    "last": {"signs": _LAST},
    "atari": {"badge": "atari"},
    "ladder": {"badge": "ladder"},
    "area": {"owner": "black", "certainty": 3},
    **{f"label-{label}": {"label": label} for label in ("7", "23", "123", "888", "A", "WW", "WWW", "▲", "○")},
    "last-label": {"signs": _LAST, "label": "123"},
    **{f"mistake-{punished}": {"mistake": Mistake(2, punished=punished)} for punished in (False, True)},
    "last-mistake": {"signs": _LAST, "mistake": Mistake(3, punished=True)},
    "all": {"signs": _LAST, "label": "88", "badge": "atari"},
}


def drawn(theme: str, side: int, look: Point) -> Floats:
    return draw_point(look, BOARDS[theme].bright, 0.0, Pixels(side, side))


def edge(side: int) -> Any:
    """Return the pixels of the rim of a stone and of everything around it."""
    places = np.arange(side) - (side - 1) / 2
    return np.hypot(places[None, :], places[:, None]) >= 0.445 * side + 0.5


@every("mark", MARKED)
@every("theme", BOARDS)
def test_a_marked_stone_has_its_neighbours_outline(theme: str, mark: str) -> None:
    for side in SIZES:
        for stone in ("black", "white"):
            plain, marked = (drawn(theme, side, Point(stone, **marks)) for marks in ({}, MARKED[mark]))
            outside = edge(side)
            assert (plain != marked).any(), (side, stone)
            assert np.allclose(plain[outside], marked[outside], atol=0.5), (side, stone)


@pytest.mark.parametrize("theme", BOARDS)
def test_a_dead_stone_has_the_outline_of_a_living_one(theme: str) -> None:
    for side in SIZES:
        for stone in ("black", "white"):
            empty, dead = drawn(theme, side, Point()), drawn(theme, side, Point(stone, solid=False))
            places = np.arange(side) - (side - 1) / 2
            distance = np.hypot(places[None, :], places[:, None])
            differs = (empty != dead).any(axis=2)
            assert differs[distance <= 0.475 * side - 0.5].all()
            assert not differs[distance >= 0.475 * side + 0.5].any()


@every("label", ["A", "B", "12", "123"])
@every("theme", BOARDS)
def test_a_label_on_an_empty_point_is_read(theme: str, label: str) -> None:
    for side in SIZES[1:]:
        empty, labelled = drawn(theme, side, Point()), drawn(theme, side, Point(label=label))
        changed = (empty != labelled).any(axis=2)
        rows, columns = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
        # The ground is whole around the text, on all sides.
        border = labelled[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1][[1, -2]].reshape(-1, 3)[1:-1]
        ground = rgb(np.median(border, axis=0))
        found = max(contrast(ground, rgb(pixel)) for pixel in labelled[changed].reshape(-1, 3))
        assert found >= 4.5, side
        assert contrast(ground, BOARDS[theme].bright.board) >= 3


def rgb(pixel: Any) -> RGB:
    red, green, blue = (round(float(value)) for value in pixel)
    return red, green, blue


@every("theme", BOARDS)
@every("side", SIZES)
def test_colours_that_tell_something_are_in_the_palette(theme: str, side: int) -> None:
    shades = BOARDS[theme].bright
    colours = set(map(tuple, Raster(BOARDS[theme], Pixels(side, side)).colours.tolist()))
    for name in ("seam", "cursor", "last", "liberty", "refused", "label_mark", "inaccuracy", "mistake", "blunder"):
        assert getattr(shades, name) in colours, name
