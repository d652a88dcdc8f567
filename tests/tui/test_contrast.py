"""Tests that what is drawn is visible on every board theme, in truecolor, 256 and 16 colours, and if colour-blind.

Contrasts are those of WCAG 2. Eyes without green cones are simulated after Machado, Oliveira and Fernandes ("A
physiologically-based model for simulation of color vision deficiency", IEEE TVCG 15(6), 2009, severity 1.0), in linear
light. Colour differences are measured in CIELAB (CIE 76), where 2.3 is just noticeable.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import pytest
from rich.style import Style
from textual.color import Color
from textual.widgets import Input

from daoqi_tui import tui
from daoqi_tui.pictures.palettes import BOARDS, BOARDS16, RGB, Palette, Shades
from daoqi_tui.pictures.picture import Picture
from daoqi_tui.tui.board.lines import paint
from daoqi_tui.tui.board.viewport import CELLS, Cell
from daoqi_tui.tui.features.program.menu import Menu
from daoqi_tui.tui.look import ASCII, DISCS, ROUND, TILES, Glyphs, palette256, theme_of, tone
from daoqi_tui.tui.screens import Prompt
from tests.every import every
from tests.tui.driving import playing, until

_ALL: Final = [
    *(pytest.param(board, id=f"{name}-truecolor") for name, board in BOARDS.items()),
    *(pytest.param(palette256(board), id=f"{name}-256") for name, board in BOARDS.items()),
    *(pytest.param(board, id=f"{name}-16") for name, board in BOARDS16.items()),
]
_SCREEN: Final = Path(tui.__file__).parent
_EYES: Final = ("all cones", "no green cones")


def _linear(colour: RGB) -> list[float]:
    return [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in (c / 255 for c in colour)]


def _luminance(colour: RGB) -> float:
    return sum(w * v for w, v in zip((0.2126, 0.7152, 0.0722), _linear(colour), strict=True))


def _contrast(one: RGB, other: RGB) -> float:
    light, dark = sorted(map(_luminance, (one, other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


_DEUTERANOPIA: Final = (
    (0.367322, 0.860646, -0.227968),
    (0.280085, 0.672501, 0.047413),
    (-0.011820, 0.042940, 0.968881),
)


def _seen(colour: RGB, eyes: str) -> RGB:
    if eyes == "all cones":
        return colour
    mixed = (sum(w * v for w, v in zip(row, _linear(colour), strict=True)) for row in _DEUTERANOPIA)
    shown = (min(1.0, max(0.0, v)) for v in mixed)
    red, green, blue = (round(255 * (v * 12.92 if v <= 0.0031308 else 1.055 * v ** (1 / 2.4) - 0.055)) for v in shown)
    return red, green, blue


def _apart(one: RGB, other: RGB) -> float:
    """Return the distance of two colours in CIELAB, with the white point D65."""
    return math.dist(_lab(one), _lab(other))


def _lab(colour: RGB) -> tuple[float, float, float]:
    red, green, blue = _linear(colour)
    x = (0.4124564 * red + 0.3575761 * green + 0.1804375 * blue) / 0.95047
    y = 0.2126729 * red + 0.7151522 * green + 0.0721750 * blue
    z = (0.0193339 * red + 0.1191920 * green + 0.9503041 * blue) / 1.08883
    x, y, z = (v ** (1 / 3) if v > 216 / 24389 else (24389 / 27 * v + 16) / 116 for v in (x, y, z))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def test_the_measures_are_those_of_the_literature() -> None:
    assert _contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21)
    assert _contrast((118, 118, 118), (255, 255, 255)) == pytest.approx(4.54, abs=0.01)
    assert _seen((255, 255, 255), "no green cones") == (255, 255, 255)
    # Without green cones, red and green of equal lightness look almost the same; blue and yellow stay distinct.
    red, green = ((200, 80, 0), (120, 125, 0))
    assert _apart(red, green) > 50
    assert _apart(*(_seen(colour, "no green cones") for colour in (red, green))) < 20
    blue, yellow = ((0, 0, 255), (255, 255, 0))
    assert _apart(*(_seen(colour, "no green cones") for colour in (blue, yellow))) > 150
    assert _lab((255, 255, 255)) == pytest.approx((100, 0, 0), abs=0.02)


@every("board", _ALL)
def test_everything_on_the_board_is_seen(board: Palette) -> None:
    """Require 3:1 for stones and marks, 2.5:1 for the grid, and 1.5:1 in the dimmed copies."""
    bright, copies = board.bright, board.dim
    # Where White's stones are rings in Black's colour, the ring is what has to be visible.
    for stone in (bright.black, bright.white):
        assert _contrast(stone, bright.board) >= 3
        assert _contrast(stone, bright.chain) >= 2
    assert _contrast(bright.black, bright.white_fill) >= 6
    assert _contrast(bright.line, bright.board) >= 2.5
    assert _contrast(bright.seam, bright.board) >= 2.5
    for shade in (copies.line, copies.seam, copies.black, copies.white):
        assert _contrast(shade, copies.board) >= 1.5
    assert _contrast(copies.black, copies.board) < _contrast(bright.black, bright.board)
    assert _contrast(copies.line, copies.board) < _contrast(bright.line, bright.board)
    if board not in BOARDS16.values():
        for copied, copy in (
            (bright.board, copies.board),
            (bright.black, copies.black),
            (bright.white_fill, copies.white_fill),
        ):
            assert _contrast(copied, copy) >= 1.5
        # In grey, too, black is darker than the board and white lighter, on it and on its copies.
        for shades in (bright, copies):
            assert _luminance(shades.black) < _luminance(shades.board) < _luminance(shades.white)
        assert _contrast(copies.black, copies.white) >= 2
    assert _contrast(bright.board, copies.board) >= 1.2
    for sign in (bright.cursor, bright.refused, bright.liberty, bright.label_mark):
        assert _contrast(sign, bright.board) >= 3
    for stone in (bright.black, bright.white_fill):
        assert _contrast(bright.last, stone) >= 3
    assert _contrast(bright.on_refused, bright.refused) >= 3
    assert _contrast(bright.on_cursor, bright.cursor) >= 3
    assert _contrast(bright.label, board.frame) >= 4.5
    for eyes in _EYES:
        for one, other in itertools.combinations((bright.cursor, bright.last, bright.refused), 2):
            assert _apart(_seen(one, eyes), _seen(other, eyes)) >= 20


@every("eyes", _EYES)
@every("board", _ALL)
def test_numbers_on_stones_are_read(board: Palette, eyes: str) -> None:
    many = board not in BOARDS16.values()
    marked = Picture(
        3,
        bytes((1, 2, 0, 0, 0, 0, 0, 0, 0)),
        proposed={3: 1, 4: 2},
        labels={0: "1", 1: "2", 3: "3", 4: "4", 8: "5"},
    )
    for cell, row in itertools.product(CELLS, range(3)):
        for ink in _inks_of(marked, cell, DISCS if many else ROUND, row, "12345"):
            foreground, ground = (_seen(getattr(board.bright, name), eyes) for name in ink)
            assert _contrast(foreground, ground) >= 4.5, (cell, ink)


@every("board", _ALL)
def test_neighbouring_numbers_in_the_smallest_cells_are_told_apart(board: Palette) -> None:
    stones = Picture(3, bytes((1, 1, 0, 2, 2, 0, 0, 0, 0)), labels={0: "98", 1: "6", 3: "97", 4: "12"})
    for row in range(2):
        inks = _inks_of(stones, CELLS[0], ROUND, row, "0123456789")
        assert len(inks) == 2, "the grounds of neighbours differ"
        for ink in inks:
            foreground, ground = (getattr(board.bright, name) for name in ink)
            assert _contrast(foreground, ground) >= 4.5
        if board not in BOARDS16.values():
            one, other = (getattr(board.bright, ground) for _ink, ground in inks)
            assert _contrast(one, other) >= 1.3
    assert len(_inks_of(stones, CELLS[1], ROUND, 0, "0123456789")) == 1, "there is room between them"


@every("eyes", _EYES)
@every("board", _ALL)
def test_letters_on_empty_points_are_read(board: Palette, eyes: str) -> None:
    """A letter contrasts with its ground by 4.5:1, and the ground with the board by 3:1, so that it is found."""
    glyphs = [ROUND, ASCII] if board in BOARDS16.values() else [DISCS, TILES, ASCII]
    marked = Picture(3, bytes(9), labels={0: "A", 4: "BC", 8: "1"})
    for cell, row, each in itertools.product(CELLS, range(3), glyphs):
        found = _inks_of(marked, cell, each, row, "ABC1")
        assert len(found) == 1
        for ink in found:
            foreground, ground = (_seen(getattr(board.bright, name), eyes) for name in ink)
            assert _contrast(foreground, ground) >= 4.5, (cell, ink)
            assert _contrast(getattr(board.bright, ink[1]), board.bright.board) >= 3, (cell, ink)


def _inks_of(picture: Picture, cell: Cell, glyphs: Glyphs, row: int, wanted: str) -> set[tuple[str, str]]:
    painted = [paint(picture, cell, glyphs, row, line) for line in range(cell.height)]
    return {
        ink[:2]
        for line in painted
        for character, ink in zip(line.characters, line.inks, strict=True)
        if character in wanted
    }


@every("cell", CELLS, ids=lambda cell: f"{cell.width}x{cell.height}")
@every("board", _ALL)
def test_a_sign_is_seen_as_it_is_drawn(board: Palette, cell: Cell) -> None:
    """A mark changes what is drawn, and contrasts with its background by 3:1."""
    glyphs = ROUND if board in BOARDS16.values() else DISCS
    for stone, sign in itertools.product((0, 1, 2), ("cursor", "refused", "last")):
        if sign == "last" and not stone:
            continue
        plain = Picture(3, bytes((0, 0, 0, 0, stone, 0, 0, 0, 0)))
        marked = plain._replace(**{sign: 4})
        found = []
        for line in range(cell.height):
            before, after = (paint(picture, cell, glyphs, 1, line) for picture in (plain, marked))
            for was, now in zip(_pairs(before), _pairs(after), strict=True):
                if was != now:
                    found += _differences(board.bright, now)
        assert max(found) >= 3, (stone, sign)


def _pairs(line: tuple[list[str], list[tuple[str, str, bool, bool]]]) -> list[tuple[str, str, str]]:
    return [(character, *ink[:2]) for character, ink in zip(*line, strict=True)]


def _differences(shades: Shades, cell: tuple[str, str, str]) -> list[float]:
    colour: Callable[[str], RGB] = lambda name: getattr(shades, name)  # noqa: E731
    _character, foreground, ground = cell
    return [_contrast(colour(foreground), colour(ground)), _contrast(colour(ground), shades.board)]


@every("board", [*BOARDS.values(), BOARDS16["kaya"], BOARDS16["paper"]], ids=lambda board: board.name)
def test_words_of_less_weight_are_read(board: Palette) -> None:
    frame = theme_of(board)
    for ground in (frame.background, frame.surface):
        paper = Color.parse(ground or "").rgb
        least = {"text-muted": 4.5, "text-disabled": 3.0}
        if board.name.startswith("sixteen"):
            # The 16 colours have no greys in between.
            least = dict.fromkeys(least, 3.0)
        for variable, contrast in least.items():
            assert _contrast(Color.parse(frame.variables[variable]).rgb, paper) >= contrast, variable


@every("board", BOARDS.values(), ids=lambda board: board.name)
def test_words_in_a_share_of_the_foreground_are_read(board: Palette) -> None:
    """Those that would not be, have the colour ``text-muted``, which is as faint as can be read."""
    sheets = (file.read_text("utf-8") for file in _SCREEN.rglob("*") if file.suffix in (".py", ".tcss"))
    shares = {int(share) for sheet in sheets for share in re.findall(r"color: \$foreground (\d+)%", sheet)}
    assert shares
    frame = theme_of(board)
    for ground in map(Color.parse, (frame.background or "", frame.surface or "")):
        mixed = ground.blend(Color.parse(frame.foreground or ""), min(shares) / 100)
        assert _contrast(mixed.rgb, ground.rgb) >= 4.5
    names = "background", "surface", "foreground"
    widget: Any = SimpleNamespace(app=SimpleNamespace(theme_variables={name: getattr(frame, name) for name in names}))
    muted = tone(widget, "muted").color
    assert muted is not None
    assert muted.triplet is not None
    assert all(_contrast(muted.triplet, Color.parse(getattr(frame, name)).rgb) >= 4.5 for name in names[:2])


def test_high_contrast_is_high_both_ways() -> None:
    bright = BOARDS["contrast"].bright
    assert _contrast(bright.black, bright.board) >= 4.5
    assert _contrast(bright.white, bright.board) >= 4.5


@every("board", list(BOARDS16.values()), ids=list(BOARDS16))
def test_the_cursor_the_liberties_and_the_seam_have_colours_of_their_own(board: Palette) -> None:
    signs = (board.bright.cursor, board.bright.liberty, board.bright.seam)
    for eyes in _EYES if board is BOARDS16["deuteranopia"] else _EYES[:1]:
        for one, other in itertools.combinations(signs, 2):
            assert _apart(_seen(one, eyes), _seen(other, eyes)) >= 20, eyes


@every("eyes", _EYES)
def test_high_contrast_tells_all_signs_from_the_stones_in_sixteen_colours(eyes: str) -> None:
    bright = BOARDS16["contrast"].bright
    named = (bright.cursor, bright.liberty, bright.seam, bright.black, bright.white_fill)
    for one, other in itertools.combinations(named, 2):
        assert _apart(_seen(one, eyes), _seen(other, eyes)) >= 40


@every("eyes", _EYES)
@every(
    "board",
    [BOARDS["contrast"], palette256(BOARDS["contrast"]), BOARDS16["contrast"]],
    ids=["truecolor", "256", "16"],
)
def test_high_contrast_tells_cursor_liberties_and_seam_apart(board: Palette, eyes: str) -> None:
    signs = (board.bright.cursor, board.bright.liberty, board.bright.seam)
    for one, other in itertools.combinations(signs, 2):
        assert _apart(_seen(one, eyes), _seen(other, eyes)) >= 40


async def test_what_may_be_typed_is_read_as_well_as_other_words_of_less_weight() -> None:
    async with playing() as person:
        app = person.app
        await person.press("ctrl+p")
        search = person.open(Menu).query_one(Input)
        app.push_screen(Prompt("Save as: ", "game.sgf", str, note="A note."))
        await until(person, lambda: bool(app.screen.query(Input)))
        field, note = app.screen.query_one(Input), app.screen.query_one("#note")
        for name, theme in app.available_themes.items():
            if theme.ansi:
                # The colours are the terminal's own.
                continue
            app.theme = name
            await person.pilot.pause()
            least = min(4.5, _drawn(note.rich_style))
            for each in (search, field):
                assert _drawn(each.get_component_rich_style("input--placeholder")) >= least, name


def _drawn(style: Style) -> float:
    assert style.color is not None
    assert style.bgcolor is not None
    return _contrast(style.color.get_truecolor(), style.bgcolor.get_truecolor())
