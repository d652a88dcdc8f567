"""The board in the round as a picture, in a terminal that is told all that ours is told."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import numpy as np
import pytest

from daoqi_tui.pictures.palettes import BOARDS, BOARDS16
from daoqi_tui.pictures.torus import render_frame, render_rows
from daoqi_tui.play.session import GameSetup
from daoqi_tui.tui.board.lines import HEADER
from daoqi_tui.tui.features.torus import TorusScreen
from daoqi_tui.tui.graphics import torus as graphics
from daoqi_tui.tui.graphics.shown import LEVELS
from daoqi_tui.tui.look import Options
from daoqi_tui.tui.panes.torus import TorusView
from daoqi_tui.tui.screens import Question
from tests.tui.driving import Person, draw, playing, until
from tests.tui.graphics.kitty_terminal import KittyTerminal, Picture

CELL = (8, 16)
WINDOW = (60, 24)
STILL = Options(motion="reduced")


class Line:
    """A line to the terminal that may be busy."""

    def __init__(self) -> None:
        self.free = True


@asynccontextmanager
async def in_the_round(
    *moves: str, options: Options = STILL, size: int = 9
) -> AsyncIterator[tuple[Person, KittyTerminal, TorusView, Line]]:
    """A person who looks at the torus."""
    terminal, line = KittyTerminal(*WINDOW, CELL), Line()
    async with playing(WINDOW, options=options, setup=GameSetup(size=size)) as person:
        person.app.pictures.write = terminal.write
        person.app.pictures.ready = lambda: line.free  # type: ignore[method-assign]
        person.app.pictures.found(CELL)
        await person.play(*moves)
        await person.press("3")
        torus = person.open(TorusScreen).query_one(TorusView)
        # Its first size may not be its last one: its picture would be another one later.
        await draw(person.app)
        yield person, terminal, torus, line
        person.app.pictures.close()
        assert not terminal.images
        assert not terminal.placements


def sharp(terminal: KittyTerminal) -> bool:
    """Whether all that is seen has the screen's own pixels."""
    return bool(terminal.placements) and all(source[2:] == size for source, _, _, size in terminal.placements.values())


def area(torus: TorusView, shown: Picture) -> Picture:
    """What is seen where the torus's picture is, without what is beside it."""
    region, wide = torus.region, torus._wide
    left = region.x + (region.width - wide) // 2
    return shown[region.y * CELL[1] : region.bottom * CELL[1], left * CELL[0] : (left + wide) * CELL[0]]


def drawn(torus: TorusView) -> Picture:
    """The torus drawn at once, as sharp as can be."""
    seen = torus.seen()
    assert seen is not None
    frame = seen.camera.frame(seen.columns * CELL[0], torus.size.height * CELL[1])
    return render_rows(seen.scene, seen.camera, frame, 0, frame.height)[0]


def difference(one: Picture, other: Picture) -> float:
    return float(np.abs(one[:, :, :3].astype(int) - other[:, :, :3].astype(int)).mean())


async def test_at_rest_it_is_drawn_with_all_the_pixels_of_the_screen() -> None:
    async with in_the_round("C3", "D4") as (person, terminal, torus, _line):
        assert terminal.placements, "there is something to be seen at once"
        await until(person, lambda: sharp(terminal))
        shown = area(torus, terminal.screen())
        assert shown[:, :, 3].min() == 255, "a hole in the picture"
        assert difference(shown, drawn(torus)) < 2.5
        assert all(not torus.render_line(y).text.strip() for y in range(torus.size.height))


async def test_the_coarse_picture_shows_the_same_in_fewer_pixels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graphics, "_FEW", 20_000)
    # On a busy machine the first sharp band would come before anything is looked at.
    monkeypatch.setattr(graphics, "_REST", 3600)
    async with in_the_round("C3", "D4") as (_person, terminal, torus, _line):
        [(source, _, _, size)] = terminal.placements.values()
        assert source[2] * source[3] <= 24_000
        assert source[2] < size[0]
        assert difference(area(torus, terminal.screen()), drawn(torus)) < 9


async def test_a_move_sends_only_the_bands_that_show_it() -> None:
    async with in_the_round("C3", "D4") as (person, terminal, torus, _line):
        await until(person, lambda: sharp(terminal))
        before, bands, sent = set(terminal.images), len(terminal.images), terminal.transmitted
        await person.press("left_square_bracket")
        await until(person, lambda: sharp(terminal) and set(terminal.images) != before and not torus.moving)
        await until(person, lambda: difference(area(torus, terminal.screen()), drawn(torus)) < 2.5)
        assert len(terminal.images) == bands, "pictures out of date are kept"
        assert terminal.transmitted - sent < sent


async def test_a_change_is_seen_at_once_while_the_picture_is_being_sharpened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graphics, "_BAND", 1)
    async with in_the_round("C3", "D4") as (person, _terminal, torus, _line):
        pixels = torus._pixels
        assert pixels is not None
        await until(person, lambda: pixels._bands)
        before = pixels._coarse
        picture = person.board.picture
        person.board.show_picture(picture._replace(stones=bytes(len(picture.stones))))
        assert before is not None
        assert pixels._coarse is not None
        assert pixels._coarse.image != before.image


async def test_all_is_freed_when_it_is_left_and_the_board_is_there_again() -> None:
    async with in_the_round("C3") as (person, terminal, torus, _line):
        board = set(terminal.images)
        await until(person, lambda: sharp(terminal))
        own = set(terminal.images) - board
        await person.press("escape")
        assert person.at_the_board
        await until(person, lambda: bool(terminal.placements))
        seen = terminal.screen()[:, :, 3]
        assert (
            seen[HEADER * CELL[1] : person.board.region.bottom * CELL[1], : person.board.region.width * CELL[0]] > 0
        ).all()
        assert not own & set(terminal.images)
        assert not torus.is_attached


async def test_nothing_is_drawn_while_the_terminal_is_busy_and_esc_is_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    count = 0

    def counted(*arguments: object) -> object:
        nonlocal count
        count += 1
        return render_frame(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(graphics, "render_frame", counted)
    async with in_the_round("C3", options=Options()) as (person, terminal, torus, line):
        await until(person, lambda: count > 0)
        line.free = False
        await person.settle()
        before, received = count, terminal.received
        await person.wait(0.3)
        assert torus.moving
        assert (count, terminal.received) == (before, received)
        await person.press("escape")
        assert person.at_the_board
        line.free = True


async def test_the_board_below_shows_nothing_when_a_move_is_played_on_the_torus() -> None:
    async with in_the_round("C3") as (person, terminal, torus, _line):
        await until(person, lambda: sharp(terminal))
        x, y = torus.region.width // 2, torus.region.y + torus.region.height * 2 // 3
        await person.click(x + 12, y)
        assert len(person.moves) == 2
        shown = {place for _, place, level, _ in terminal.placements.values() if level < LEVELS}
        assert not shown, "the flat board lies over the torus or below it"


async def test_what_lies_over_it_is_cut_out() -> None:
    async with in_the_round("C3") as (person, terminal, torus, _line):
        await until(person, lambda: sharp(terminal))
        before = terminal.screen()
        await person.app.push_screen(Question("Is it there?", "Yes", "No"))
        await until(person, lambda: area(torus, terminal.screen())[:, :, 3].min() == 0)
        box = person.app.screen.query_one(".dialog").region
        below = terminal.screen()
        inside = below[box.y * CELL[1] : box.bottom * CELL[1], box.x * CELL[0] : box.right * CELL[0]]
        assert not inside[:, :, 3].any()
        assert below[:, :, :3].sum() < 0.8 * before[:, :, :3].sum(), "it is not shaded"
        await person.press("escape")
        await until(person, lambda: difference(terminal.screen(), before) < 1)


async def test_without_colours_there_is_no_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with in_the_round("C3") as (_person, terminal, torus, _line):
        assert not terminal.images
        assert any(torus.render_line(y).text.strip() for y in range(torus.size.height))


async def test_it_has_all_colours_where_characters_have_few() -> None:
    async with in_the_round("C3") as (person, _terminal, torus, _line):
        person.board.set_look(palette=BOARDS16["kaya"])
        seen = torus.seen()
        assert seen is not None
        assert (seen.scene.shades, seen.scene.sky) == (BOARDS["kaya"].bright, BOARDS["kaya"].frame)
        person.board.set_look(painted=BOARDS["slate"])
        seen = torus.seen()
        assert seen is not None
        assert seen.scene.shades == BOARDS["slate"].bright


async def test_the_torus_beside_the_board_is_a_picture_too() -> None:
    terminal = KittyTerminal(120, 40, CELL)
    async with playing((120, 40), options=STILL) as person:
        person.app.pictures.write = terminal.write
        person.app.pictures.found(CELL)
        await person.show_pane("torus")
        torus = person.app.screen.query_one(TorusView)
        left = torus.region.x * CELL[0]
        await until(person, lambda: terminal.screen()[torus.region.y * CELL[1] + 8, left + torus.region.width * 4, 3])
        await until(person, lambda: difference(area(torus, terminal.screen()), drawn(torus)) < 2.5)
        await person.press("tab")
        await until(person, lambda: not terminal.screen()[:, left:, 3].any())
