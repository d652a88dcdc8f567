"""Reduced motion: nothing moves unless the user moves it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual.widgets import Input, Static

from daoqi_tui.tui.app import DaoqiApp
from daoqi_tui.tui.features.program.lesson import LessonScreen
from daoqi_tui.tui.features.torus import TorusScreen
from daoqi_tui.tui.look import Options
from daoqi_tui.tui.panes.torus import TorusView
from daoqi_tui.tui.screens import Prompt
from tests.tui.driving import Person, until
from tests.tui.test_torus_view import picture

pytestmark = pytest.mark.usefixtures("every_frame")


class Still(Options):
    """Options with reduced motion."""

    motion = "reduced"


@asynccontextmanager
async def still(size: tuple[int, int] = (120, 40)) -> AsyncIterator[Person]:
    app = DaoqiApp(options=Still())
    async with app.run_test(size=size) as pilot:
        person = Person(app, pilot)
        await person.settle()
        yield person


async def test_the_torus_stands_still_and_is_turned_by_keys_and_mouse() -> None:
    async with still((60, 30)) as person:
        await person.press("3")
        torus = person.open(TorusScreen).query_one(TorusView)
        await until(person, lambda: torus.size.height > 0)
        assert not torus.moving
        for act in (person.press("space"), person.click(30, 15)):
            await act
            assert not torus.turning
            assert not torus.moving
        for act in (person.press("l"), person.press("j"), person.drag((30, 15), (36, 11)), person.press("right")):
            before = picture(torus)
            await act
            assert picture(torus) != before
            assert not torus.moving


async def test_a_torus_that_turns_stops_when_motion_is_reduced() -> None:
    app = DaoqiApp()
    async with app.run_test(size=(60, 30)) as pilot:
        person = Person(app, pilot)
        await person.press("3")
        torus = person.open(TorusScreen).query_one(TorusView)
        await until(person, lambda: torus.moving)
        app.apply_options(Still())
        await until(person, lambda: not torus.moving and not torus.turning)


async def test_the_cursor_in_a_text_does_not_blink() -> None:
    async with still() as person:
        await person.press("g")
        field = person.open(Prompt).query_one(Input)
        assert field.has_focus
        assert not field.cursor_blink


async def test_what_follows_in_the_lesson_is_there_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("daoqi_tui.tui.features.program.lesson._PACE", 1000)
    async with still() as person:
        await person.press("f2")
        lesson = person.open(LessonScreen)
        await person.press(*"n" * 9, "k", "enter")
        assert lesson.lesson.step.praise in str(lesson.query_one("#lesson-said", Static).content)
