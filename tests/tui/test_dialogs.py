"""The new-game form, the options and the help, by keys and by mouse."""

from __future__ import annotations

import pytest
from textual import events
from textual.widgets import Checkbox, Input, Select

from daoqi_tui.engine.clock import TimeControl
from daoqi_tui.tui.options import Options
from daoqi_tui.tui.screens.dialogs import Question
from daoqi_tui.tui.screens.help import HelpScreen
from daoqi_tui.tui.screens.options import OptionsScreen
from daoqi_tui.tui.screens.setup import SetupScreen
from daoqi_tui.tui.session import GameSetup
from tests.tui.driving import Person, playing

SMALL = GameSetup(size=5)


async def fill(person: Person, **fields: str) -> None:
    """Fill in fields of the form on top."""
    for name, value in fields.items():
        widget = person.app.screen.query_one(f"#{name}")
        if isinstance(widget, Select):
            widget.value = value
        else:
            assert isinstance(widget, Input)
            widget.value = value
        await person.settle()


@pytest.mark.parametrize("begin", ["enter", "ctrl+s", "mouse"])
async def test_a_new_game_begins_with_what_was_filled_in(begin: str) -> None:
    async with playing() as person:
        await person.press("n")
        await person.wait()
        person.open(SetupScreen)
        await fill(person, size="9", komi="3.75", handicap="3", black=" Ada  L. ", white="Ben")
        if begin == "mouse":
            await person.click_widget(person.app.screen.query_one("#begin"))
        else:
            await person.press(begin)
        await person.wait()
        assert person.at_the_board
        assert person.session.setup == GameSetup(9, 3.75, 3, "Ada L.", "Ben")
        assert person.game.torus.size == 9
        assert person.position.count("X") == 3
        assert "Ada L." in person.text("#turn")
        assert person.viewport.size == 9


async def test_a_new_game_can_be_typed_by_keys_alone() -> None:
    async with playing() as person:
        await person.press("n")
        await person.wait()
        await person.press("end", "backspace", "backspace")
        await person.type("13")
        await person.press("down", "end", "backspace")
        await person.type("0.5")
        await person.press("enter")
        assert person.session.setup == GameSetup(13, 0.5)


@pytest.mark.parametrize(
    ("fields", "time"),
    [
        ({"clock": "off"}, None),
        ({"clock": "byoyomi", "main": "5", "periods": "4", "period": "20"}, TimeControl(300, 4, 20)),
        ({"clock": "byoyomi", "main": "0", "periods": "1", "period": "30"}, TimeControl(0, 1, 30)),
        ({"clock": "fischer", "main": "1.5", "increment": "7"}, TimeControl(90, increment=7)),
    ],
)
async def test_clocks_are_read(fields: dict[str, str], time: TimeControl | None) -> None:
    async with playing() as person:
        await person.press("n")
        await fill(person, **fields)
        await person.press("enter")
        assert person.session.setup.time == time
        assert (person.session.clock is not None) == (time is not None)


@pytest.mark.parametrize(
    ("field", "value", "clock"),
    [
        ("size", "4", "off"),
        ("size", "26", "off"),
        ("size", "", "off"),
        ("size", "nine", "off"),
        ("size", "9.5", "off"),
        ("komi", "much", "off"),
        ("komi", "nan", "off"),
        ("komi", "inf", "off"),
        ("komi", "1e9", "off"),
        ("handicap", "1", "off"),
        ("handicap", "10", "off"),
        ("handicap", "-2", "off"),
        ("main", "soon", "byoyomi"),
        ("main", "-1", "byoyomi"),
        ("main", "nan", "fischer"),
        ("main", "0", "fischer"),
        ("periods", "2.5", "byoyomi"),
        ("period", "", "byoyomi"),
        ("increment", "x", "fischer"),
    ],
)
async def test_a_wrong_field_is_named_and_the_game_goes_on(field: str, value: str, clock: str) -> None:
    async with playing(setup=SMALL) as person:
        await person.play("C3")
        session = person.session
        await person.press("n")
        await fill(person, clock=clock, **{field: value})
        await person.press("enter")
        form = person.open(SetupScreen)
        assert str(form.query_one("#complaint").content)  # type: ignore[attr-defined]
        assert form.focused is form.query_one(f"#{field}")
        await person.press("escape")
        assert person.at_the_board
        assert person.session is session
        assert person.moves == ["C3"]


async def test_a_handicap_that_does_not_fit_is_refused() -> None:
    async with playing() as person:
        await person.press("n")
        await fill(person, size="5", handicap="9")
        await person.press("enter")
        await person.settle()
        if not person.at_the_board:
            assert person.open(SetupScreen).focused is person.app.screen.query_one("#handicap")
        else:
            assert person.position.count("X") == 9


@pytest.mark.parametrize("answer", ["y", "n"])
async def test_a_game_under_way_is_not_given_up_unasked(answer: str) -> None:
    async with playing(setup=SMALL) as person:
        await person.play("C3")
        session = person.session
        await person.press("n", "enter")
        person.open(Question)
        await person.press(answer)
        assert person.at_the_board
        assert (person.session is session) == (answer == "n")
        assert person.moves == (["C3"] if answer == "n" else [])


async def test_the_form_remembers_the_game_before() -> None:
    setup = GameSetup(9, 3.75, 2, "Ada", "Ben", TimeControl(90, increment=7))
    async with playing(setup=setup) as person:
        await person.press("n", "enter")
        assert person.session.setup == setup


@pytest.mark.parametrize("window", [(120, 40), (80, 24), (40, 14)])
async def test_all_fields_can_be_reached_in_small_windows(window: tuple[int, int]) -> None:
    async with playing(window) as person:
        await person.press("n")
        await fill(person, clock="byoyomi")
        await person.wait()
        form = person.open(SetupScreen)
        names = [widget.id for widget in form.focus_chain]
        for name in ("size", "komi", "handicap", "black", "white", "clock", "main", "periods", "period", "begin"):
            assert name in names
            form.query_one(f"#{name}").focus()
            await person.wait()
            region = form.query_one(f"#{name}").region
            assert form.region.contains_region(region), name
            assert region.area > 0
            assert form.get_widget_at(region.x, region.y)[0].id != "setup"


async def test_the_options_are_shown_and_taken() -> None:
    async with playing() as person:
        await person.press("o")
        form = person.open(OptionsScreen)
        form.query_one("#margin", Select).value = 3
        form.query_one("#names", Select).value = "gtp"
        form.query_one("#confirm-click", Checkbox).value = True
        form.query_one("#follow", Checkbox).value = True
        await person.press("escape")
        await person.settle()
        assert person.screen.options == Options(margin=3, names="gtp", confirm_click=True, follow=True)
        assert person.viewport.margin == 3
        assert "I" not in person.board.render_line(0).text
        await person.play("J3")
        assert "K3" in person.status
        assert any("K3" in line for line in person.history_lines())
        assert person.viewport.middle_point() == person.game.torus.position(person.game.torus.parse("J3"))
        await person.press("o")
        form = person.open(OptionsScreen)
        assert form.query_one("#margin", Select).value == 3
        assert form.query_one("#names", Select).value == "gtp"
        assert form.query_one("#confirm-click", Checkbox).value
        await person.press("escape")
        assert person.screen.options == Options(margin=3, names="gtp", confirm_click=True, follow=True)


async def test_options_survive_a_new_game() -> None:
    async with playing(options=Options(margin=2)) as person:
        await person.press("n")
        await fill(person, size="9")
        await person.press("enter")
        await person.settle()
        assert person.game.torus.size == 9
        assert person.viewport.margin == 2


@pytest.mark.parametrize("key", ["question_mark", "f1"])
@pytest.mark.parametrize("close", ["escape", "question_mark", "q", "enter"])
async def test_the_help_opens_and_closes(key: str, close: str) -> None:
    async with playing() as person:
        await person.press(key)
        person.open(HelpScreen)
        await person.press(close)
        assert person.at_the_board
        assert person.app.is_running


async def test_the_help_scrolls_in_a_small_window() -> None:
    async with playing((40, 14)) as person:
        await person.press("question_mark")
        await person.wait()
        page = person.open(HelpScreen).query_one("#help")
        assert page.max_scroll_y > 0
        await person.press("end")
        for _ in range(100):
            await person.wait()
            if page.scroll_y == page.max_scroll_y:
                return
        raise AssertionError("the page does not scroll to its end")


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        (["C3", "pass", "p"], "y"),
        (["C3", "q"], "n"),
        (["g"], "escape"),
        (["question_mark"], "escape"),
        (["o"], "escape"),
    ],
)
async def test_a_key_held_down_closes_a_dialog_only_once(opening: list[str], closing: str) -> None:
    async with playing(setup=SMALL) as person:
        for step in opening:
            await (person.play(step) if step in ("C3", "pass") else person.press(step))
        assert not person.at_the_board
        driver = person.app._driver
        assert driver is not None
        for _ in range(4):
            driver.send_message(events.Key(closing, closing if len(closing) == 1 else None))
        await person.wait()
        assert person.app.is_running
        assert person.app.screen_stack[0] is person.screen


async def test_a_double_click_beside_the_menu_closes_it_only_once() -> None:
    async with playing() as person:
        await person.press("ctrl+p")
        await person.wait()
        driver = person.app._driver
        assert driver is not None
        for kind in (events.MouseDown, events.MouseUp) * 2:
            driver.process_message(kind(None, 1, 38, 0, 0, 1, False, False, False))
        await person.wait()
        assert person.at_the_board
