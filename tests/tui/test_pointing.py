"""Mouse input to a board: messages from a board of another size are ignored; presses, releases and drags."""

from __future__ import annotations

import pytest
from textual import events
from textual.widget import Widget

from daoqi_tui.play.session import GameSetup, Session
from daoqi_tui.tui.board import BoardView
from daoqi_tui.tui.board.screen import BoardScreen
from daoqi_tui.tui.features.problems.position import PositionScreen
from daoqi_tui.tui.features.program.lesson import LessonScreen
from daoqi_tui.tui.features.torus import TorusScreen
from daoqi_tui.tui.panes.torus import TorusView
from daoqi_tui.tui.screens import TextPage
from tests.tui.driving import Person, playing, screen_place, until

OTHER_SCREENS = {"3": TorusScreen, "f2": LessonScreen, "f6": PositionScreen}


async def _open(person: Person, key: str) -> BoardScreen:  # type: ignore[type-arg]
    if not key:
        return person.screen
    await person.press(key)
    await until(person, lambda: isinstance(person.app.screen, OTHER_SCREENS[key]))
    return person.open(OTHER_SCREENS[key])


@pytest.mark.parametrize("key", ["", *OTHER_SCREENS])
async def test_what_points_at_a_board_shown_before_does_nothing(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with playing(setup=GameSetup(size=9)) as person:
        screen = await _open(person, key)
        heard: list[tuple[str, int | None]] = []
        for name in ("chosen", "recentred", "hovered"):
            monkeypatch.setattr(screen, f"point_{name}", lambda point, name=name: heard.append((name, point)))
        size = screen.board_size
        for of in (16, 25, size):
            # Point 3 exists on every board.
            for point in (of * of - 1, 3):
                screen.post_message(BoardView.PointChosen(of, point))
                screen.post_message(BoardView.PointRecentred(of, point))
                screen.post_message(BoardView.PointHovered(of, point))
                await person.settle()
        assert heard == [(name, point) for point in (size * size - 1, 3) for name in ("chosen", "recentred", "hovered")]


async def test_a_press_on_one_board_released_on_another_is_no_click() -> None:
    async with playing(setup=GameSetup(size=9)) as person:
        point = person.game.torus.parse("E5")
        await person.mouse(events.MouseDown, *person.screen_place("E5"), button=1)
        person.screen.begin(Session(GameSetup(size=16)))
        await person.settle()
        await person.mouse(events.MouseUp, *person.screen_place(person.game.torus.name(point)), button=1)
        assert person.moves == []
        await person.click_point("E5")
        assert person.moves == ["E5"]


@pytest.mark.parametrize("key", OTHER_SCREENS)
async def test_a_drag_whose_release_went_to_a_dialog_is_over(key: str) -> None:
    async with playing((120, 40)) as person:
        screen = await _open(person, key)
        view: Widget = screen.query_one(TorusView if key == "3" else BoardView)
        if isinstance(view, TorusView):
            await until(person, lambda: not view.bending)
            view.set_turning(turning=False)
        await person.wait()
        middle = view.region.center
        x, y = int(middle[0]), int(middle[1])
        await person.mouse(events.MouseDown, x, y, button=1)
        person.app.push_screen(TextPage("", ""))
        await person.wait()
        await person.mouse(events.MouseUp, 0, 0, button=1)
        await person.press("escape")
        await until(person, lambda: person.app.screen is screen)
        before = _look(view)
        await person.mouse(events.MouseMove, x + 8, y + 4)
        await person.mouse(events.MouseMove, x + 16, y + 6)
        assert _look(view) == before


def _look(view: Widget) -> object:
    """Return the viewport of a board, or the camera of a torus."""
    return view._camera() if isinstance(view, TorusView) else view.viewport


@pytest.mark.parametrize("other", [2, 3])
async def test_another_button_neither_completes_a_click_nor_ends_a_drag(other: int) -> None:
    async with playing(setup=GameSetup(size=9)) as person:
        x, y = person.screen_place("E5")
        await person.mouse(events.MouseDown, x, y, button=1)
        await person.mouse(events.MouseUp, x, y, button=other)
        assert person.moves == []
        start = person.viewport
        await person.mouse(events.MouseMove, x + 8, y, button=1)
        await person.mouse(events.MouseUp, x + 8, y, button=other)
        await person.mouse(events.MouseMove, x + 16, y, button=1)
        await person.mouse(events.MouseUp, x + 16, y, button=1)
        assert person.viewport == start.pan(-16, 0)
        assert person.moves == []


async def test_the_right_button_centres_the_point_where_it_was_pressed_as_well() -> None:
    async with playing(setup=GameSetup(size=9)) as person:
        start = person.viewport
        await person.mouse(events.MouseDown, *person.screen_place("E5"), button=3)
        await person.mouse(events.MouseUp, *person.screen_place("A1"), button=3)
        assert person.viewport == start
        await person.click_point("A1", button=3)
        assert person.viewport != start


@pytest.mark.parametrize("key", ["", "f2"])
async def test_a_right_click_previews_the_stone_that_the_next_click_plays(key: str) -> None:
    async with playing(setup=GameSetup(size=9)) as person:
        if key:
            await _open(person, key)
        screen = person.app.screen
        board = screen.query_one(BoardView)
        place = screen_place(board, 2, 2)
        await person.mouse(events.MouseMove, *place)
        ghost = board.picture.ghost
        assert ghost is not None
        await person.click(*place, button=3)
        centred = board.picture.ghost
        assert centred is not None
        assert centred.point != ghost.point
        assert board.mouse is not None
        assert board.viewport.point_at(*board.mouse) == divmod(centred.point, 9)
        # A key moves the cursor, which has no preview: Enter plays there.
        await person.press("0")
        assert board.picture.ghost is None
