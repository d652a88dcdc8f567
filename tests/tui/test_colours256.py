"""What a terminal with 256 colours shows: the most similar of the fixed ones, also where themes are blended."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
from rich.color import EIGHT_BIT_PALETTE, Color, ColorSystem
from textual.color import Color as Blended

from daoqi_tui.pictures.palettes import BOARDS, RGB, Palette, Shades
from daoqi_tui.tui.look import frame256, nearest_fixed, palette256, theme_of
from daoqi_tui.tui.output import FIRST_FIXED, FIXED, fixed_number
from tests.every import every

_DIALOG = 0.6
"""How much the background covers of what is behind a dialog."""


def oklab(colours: object) -> np.ndarray:
    """Return colours in Oklab by the matrices of its publication (Ottosson, 2020)."""
    light = np.asarray(colours, float) / 255
    light = np.where(light <= 0.04045, light / 12.92, ((light + 0.055) / 1.055) ** 2.4)
    to_cones = np.array(
        [
            [0.4122214708, 0.5363325363, 0.0514459929],
            [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005],
        ]
    )
    to_lab = np.array(
        [
            [0.2104542553, 0.7936177850, -0.0040720468],
            [1.9779984951, -2.4285922050, 0.4505937099],
            [0.0259040371, 0.7827717662, -0.8086757660],
        ]
    )
    return np.cbrt(light @ to_cones.T) @ to_lab.T


def distances(colour: RGB) -> np.ndarray:
    """Return how far all fixed colours are, hue counting twice."""
    return ((oklab(list(FIXED)) - oklab(colour)) ** 2) @ (1, 2, 2)


def colours_of(board: Palette) -> Iterator[RGB]:
    """Yield the colours of a theme, its frame, and their mixtures behind a dialog and on the torus."""
    frame = theme_of(board)
    ground = Blended.parse(frame.background or "")
    for palette in (board, palette256(board)):
        shown = [getattr(shades, name) for shades in (palette.bright, palette.dim) for name in Shades._fields]
        yield from shown
        yield from (Blended(*each).blend(ground, _DIALOG).rgb for each in shown)
        for share in range(1, 10):
            red, green, blue = palette.bright.board
            yield red * share // 10, green * share // 10, blue * share // 10
    for each in (frame, frame256(frame)):
        yield from (Blended.parse(colour).rgb for colour in (each.background, each.surface, each.panel) if colour)


def test_the_fixed_colours_have_their_numbers() -> None:
    assert [tuple(EIGHT_BIT_PALETTE[FIRST_FIXED + place]) for place in range(len(FIXED))] == [*FIXED]
    assert FIRST_FIXED + len(FIXED) == 256
    assert [fixed_number(colour) for colour in FIXED] == [*range(FIRST_FIXED, 256)]


@every("board", BOARDS.values(), ids=lambda board: board.name)
def test_no_other_fixed_colour_is_more_similar(board: Palette) -> None:
    for colour in dict.fromkeys(colours_of(board)):
        found, all_of_them = fixed_number(colour) - FIRST_FIXED, distances(colour)
        assert all_of_them[found] <= all_of_them.min() + 1e-12, colour
        assert FIXED[found] == nearest_fixed(colour)


def test_nor_is_one_for_any_colour() -> None:
    levels = range(0, 256, 17)
    for colour in itertools.product(levels, levels, range(3, 256, 42)):
        all_of_them = distances(colour)
        assert all_of_them[fixed_number(colour) - FIRST_FIXED] <= all_of_them.min() + 1e-12, colour


@every("board", BOARDS.values(), ids=lambda board: board.name)
def test_what_is_behind_a_dialog_keeps_its_lightness(board: Palette) -> None:
    """Rich would make the wood of a board behind a dialog olive: twice as light, and of another hue."""
    ground = Blended.parse(theme_of(board).background or "")
    for shades in (palette256(board).bright, palette256(board).dim):
        behind = Blended(*shades.board).blend(ground, _DIALOG).rgb
        shown = FIXED[fixed_number(behind) - FIRST_FIXED]
        assert abs(oklab(shown)[0] - oklab(behind)[0]) <= 0.03
        rich = Color.from_rgb(*behind).downgrade(ColorSystem.EIGHT_BIT).number
        assert rich is not None
        assert distances(behind)[fixed_number(behind) - FIRST_FIXED] <= distances(behind)[rich - FIRST_FIXED]
