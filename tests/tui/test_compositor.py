"""Tests that a screen with a board renders only what changed, with the same result as Textual's compositor."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from rich.segment import Segment
from textual._compositor import Compositor
from textual.color import Color
from textual.geometry import Region
from textual.renderables.background_screen import BackgroundScreen
from textual.strip import Strip
from textual.widget import Widget

from daoqi_tui.tui.board import BoardView
from daoqi_tui.tui.fitting import Backdrop, _tinted
from daoqi_tui.tui.output import StripWidget
from tests.tui.driving import Person, playing, until

pytestmark = pytest.mark.usefixtures("every_frame")


def written(frame: Any, person: Person) -> Iterator[tuple[tuple[int, int], object]]:
    """Yield each character that a frame writes, with its place and style."""
    for y, left, right in frame.spans:
        for x, strip in frame.chops[y].items():
            at = x
            for text, style, _ in strip or ():
                for character in text:
                    if left <= at < right:
                        yield (at, y), (character, person.app.console.get_style(style) if style else None)
                    at += 1


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (50, 20)])
async def test_what_is_written_is_what_textual_would_write(size: tuple[int, int]) -> None:
    pick = random.Random(1)
    async with playing(size) as person:
        await person.play("C3", "D4", "E5")
        person.app.notify("over the board")
        await person.settle()
        compositor, plain = person.app.screen._compositor, Compositor()
        plain.__dict__.update(compositor.__dict__)
        for _ in range(40):
            corners = [(pick.randrange(size[0]), pick.randrange(size[1])) for _ in range(pick.randint(1, 3))]
            areas = {Region(x, y, pick.randint(1, size[0]), pick.randint(1, size[1])) for x, y in corners}
            areas = {area.intersection(Region(0, 0, *size)) for area in areas}
            frames = []
            for each in (compositor, plain):
                each._dirty_regions.update(areas)
                frames.append(dict(written(each.render_partial_update(), person)))
            places = {(x, y) for area in areas for y in area.line_range for x in area.column_range}
            assert frames[0].keys() >= places
            assert frames[0] == frames[1]


@pytest.mark.parametrize("size", [(120, 40), (50, 20)])
@pytest.mark.parametrize("key", ["O", "n"])
async def test_a_dialog_is_cut_as_textual_would_where_it_is_seen(key: str, size: tuple[int, int]) -> None:
    async with playing(size) as person:
        await person.press(key)
        await until(person, lambda: not person.at_the_board)
        await person.settle()
        compositor, plain = person.app.screen._compositor, Compositor()
        plain.__dict__.update(compositor.__dict__)
        frames = [each.render_full_update().strips for each in (compositor, plain)]
        ours, theirs = ([[list(strip) for strip in line] for line in frame] for frame in frames)
        assert ours == theirs


async def test_a_pan_renders_the_board_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    rendered: set[Widget] = set()
    for kind in (Widget, StripWidget):

        def render_lines(self: Widget, crop: Region, as_before: Any = kind.render_lines) -> Any:
            rendered.add(self)
            return as_before(self, crop)

        monkeypatch.setattr(kind, "render_lines", render_lines)
    async with playing((120, 40)) as person:
        await person.wait()
        rendered.clear()
        person.board.set_viewport(person.viewport.pan_points(1, 1))
        await until(person, lambda: rendered)
        assert rendered == {person.board}
        rendered.clear()
        person.board.refresh()
        person.screen.status.refresh()
        await until(person, lambda: rendered)
        assert rendered == {person.board, person.screen.status}


async def test_a_board_that_covers_the_screen_is_drawn_before_it_knows_its_new_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with playing((120, 40)) as person:
        await person.wait()
        width = person.board.size.width
        # The frame after a change of layout can come before the message about the size.
        monkeypatch.setattr(BoardView, "on_resize", lambda _self: None)
        await person.press("F")
        await until(person, lambda: person.board.size.width == 120)
        assert width < 120
        lines = person.app.screen._compositor.render_full_update().strips
        assert [sum(strip.cell_length for strip in line) for line in lines] == [120] * 40


@pytest.mark.parametrize("short", [True, False])
async def test_all_is_drawn_where_widgets_draw_less_than_their_room(
    short: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with playing((50, 20)) as person:
        await person.press("n")
        await until(person, lambda: not person.at_the_board)
        as_before = Widget.render_lines

        def less(self: Widget, crop: Region) -> list[Strip]:
            lines = as_before(self, crop)
            return [line.crop(0, line.cell_length - 1) for line in lines] if short else lines[:-1]

        monkeypatch.setattr(Widget, "render_lines", less)
        frame = person.app.screen._compositor.render_full_update()
        widths = [sum(strip.cell_length for strip in line) for line in frame.strips]
        assert widths == [50] * 20


async def test_behind_a_dialog_each_style_is_tinted_once_and_as_textual_does(monkeypatch: pytest.MonkeyPatch) -> None:
    async with playing() as person:
        await person.play("C3", "D4")
        await person.wait()
        shown = [*person.app.console.render(person.screen._compositor, person.app.console_options)]
        textual, tinted = BackgroundScreen.process_segments, Counter[object]()

        def counted(segments: list[Segment], colour: Color) -> Iterable[Segment]:
            tinted.update((each.style, colour) for each in segments)
            return textual(segments, colour)

        monkeypatch.setattr(BackgroundScreen, "process_segments", counted)
        _tinted.cache_clear()
        for colour in (Color(0, 0, 0, 0.6), Color(0, 0, 0, 0)):
            assert [*Backdrop.process_segments(shown, colour)] == [*textual(shown, colour)]
        assert len(shown) > 2 * len(tinted)
        assert max(tinted.values()) == 1
        tinted.clear()
        await person.press("n")
        await person.wait()
        assert max(tinted.values()) == 1, "the dialog, too"
