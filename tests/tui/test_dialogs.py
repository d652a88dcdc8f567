"""Tests the new-game form, the options, the help and other dialogs, by keys and by mouse."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual import events
from textual.containers import VerticalScroll
from textual.geometry import Size
from textual.screen import ModalScreen
from textual.widgets import Button, Checkbox, Input, Label, OptionList, Static, TextArea

from daoqi_tui.engine import BLACK, EMPTY, TROMP_TAYLOR, Rules
from daoqi_tui.engine.clock import TimeControl
from daoqi_tui.i18n import LANGUAGES, _, use_language
from daoqi_tui.play.session import USUAL_LEVEL, Computer, GameSetup, Session
from daoqi_tui.tui.features.notes.dialogs import CommentScreen
from daoqi_tui.tui.features.program.menu import HelpScreen
from daoqi_tui.tui.features.program.options import BoardsScreen, OptionsScreen
from daoqi_tui.tui.look import Options
from daoqi_tui.tui.screens import ChoiceDialog, Picker, Question
from daoqi_tui.tui.screens.form import Choice, Switch
from daoqi_tui.tui.screens.setup import Field, PlayersScreen, SetupScreen
from tests.thorough import THOROUGH
from tests.tui.driving import Person, playing, until
from tests.tui.test_keeping import keeping

SMALL = GameSetup(size=5)


async def fill(person: Person, **fields: str) -> None:
    """Fill in fields of the top form."""
    for name, value in fields.items():
        widget = person.app.screen.query_one(f"#{name}")
        if isinstance(widget, Choice):
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
        await fill(
            person, size="9", komi="3.75", handicap="3", black=" Ada  L. ", white="Ben", **{"white-kind": "person"}
        )
        if begin == "mouse":
            await person.wait()
            await person.click_widget(person.app.screen.query_one("#begin"))
        else:
            await person.press(begin)
        await person.wait()
        assert person.at_the_board
        assert person.session.setup == GameSetup(9, 3.75, 3, "Ada L.", "Ben")
        assert person.game.torus.size == 9
        assert person.position.count("X") == 3
        assert "Ada L." in person.text("#game")
        assert person.viewport.size == 9


@pytest.mark.parametrize("window", [(80, 24), (120, 40)])
async def test_the_list_of_a_choice_opens_below_it(window: tuple[int, int]) -> None:
    async with playing(window) as person:
        await person.press("n")
        await person.wait()
        choice = person.app.screen.query_one("#rules", Choice)
        choice.action_open()
        await person.wait()
        listed = person.app.screen.query_one(OptionList)
        assert (listed.region.right, listed.region.y) == (choice.region.right, choice.region.bottom)
        assert listed.styles.border_top[0] == "round"


async def test_a_new_game_is_played_by_the_rules_that_were_chosen() -> None:
    async with playing(setup=GameSetup(size=5, rules=Rules(suicide=False))) as person:
        await person.press("n")
        await person.wait()
        person.open(SetupScreen)
        assert person.app.screen.query_one("#rules", Choice).value == "suicide=no"
        await fill(person, rules="Tromp-Taylor")
        await person.press("ctrl+s")
        await person.wait()
        assert person.game.rules == person.session.setup.rules == TROMP_TAYLOR


async def test_a_new_game_can_be_typed_by_keys_alone() -> None:
    async with playing() as person:
        await person.press("n")
        await person.wait()
        await person.press("end", "backspace", "backspace")
        await person.type("13")
        await person.press("down", "end", "backspace")
        await person.type("0.5")
        await person.press("enter")
        assert person.session.setup == GameSetup(13, 0.5, white_seat=Computer(USUAL_LEVEL))


async def test_the_field_of_the_size_takes_only_what_can_be_a_size() -> None:
    async with playing() as person:
        await person.press("n")
        await person.wait()
        field = person.open(SetupScreen).query_one("#size", Input)
        for typed, held in (
            ("9", "9"),
            ("19", "19"),
            ("25", "25"),
            ("26", "2"),
            ("30", "3"),
            ("x1q3", "13"),
            ("99", "9"),
            ("1.5", "15"),
        ):
            await person.press("end", "backspace", "backspace")
            await person.type(typed)
            assert field.value == held, typed


async def test_a_size_is_written_in_plain_digits() -> None:
    async with playing(setup=SMALL) as person:
        await person.press("n")
        for size in ("1_6", "１６", "+9", "0x9"):
            await fill(person, size=size, komi="4")
            await person.press("enter")
            assert "The board size must be a whole number" in person.question(), size
            assert person.open(SetupScreen)
            # Another complaint takes its place, so that the next one is new.
            await fill(person, size="9", komi="much")
            await person.press("enter")
            assert "The board size must be a whole number" not in person.question()


async def test_the_size_can_be_deleted_from_either_end() -> None:
    async with playing() as person:
        await person.press("n")
        await person.wait()
        field = person.open(SetupScreen).query_one("#size", Input)
        await fill(person, size="10")
        await person.press("home", "delete", "delete")
        assert field.value == ""


@pytest.mark.parametrize(
    ("key", "captured"), [("t", False), ("enter", False), ("e", True), ("escape", None), ("y", None), ("n", None)]
)
async def test_a_record_is_read_as_it_is_said_to_have_been_played(key: str, captured: bool | None) -> None:
    # White's stone in the corner is captured on a flat board only.
    record = b"(;GM[1]SZ[5];B[ba];W[aa];B[ab])"
    async with playing(setup=SMALL) as person:
        person.screen.begin(session := Session.opened(record))
        await until(person, lambda: isinstance(person.app.screen, ChoiceDialog))
        assert [str(button.label) for button in person.app.screen.query(Button)] == ["Torus (t)", "Edges (e)"]
        await person.press(key)
        await person.settle()
        assert person.at_the_board is (key not in "yn")
        assert (person.session is session) is (captured is None)
        if captured is not None:
            person.game.goto(person.game.root.line()[-1])
            assert (person.game.board.colours[person.game.torus.parse("A5")] == EMPTY) is captured


@pytest.mark.parametrize("opening", ["n", "C"])
async def test_enter_answers_a_form_from_each_of_its_fields(opening: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with playing(setup=SMALL) as person:
        await person.press(opening)
        await person.wait()
        form = person.app.screen
        if opening == "n":
            await fill(person, clock="byoyomi")
        fields = [widget for widget in form.focus_chain if not isinstance(widget, Button | VerticalScroll)]
        assert {type(field) for field in fields} <= {Input, Choice, Switch}
        assert len(fields) >= (10 if opening == "n" else 3)
        answered: list[object] = []
        with monkeypatch.context() as patch:
            patch.setattr(form, "action_begin", lambda: answered.append(form.focused))
            for field in fields:
                field.focus()
                await person.settle()
                await person.press("enter")
        assert answered == fields
        await person.press("enter")
        if isinstance(person.app.screen, Question):
            await person.press("y")
        assert person.at_the_board


async def test_enter_in_an_open_choice_chooses_and_on_a_button_presses_it() -> None:
    async with playing(setup=SMALL) as person:
        await person.press("n")
        await person.wait()
        form = person.open(SetupScreen)
        session = person.session
        clock = form.query_one("#clock", Choice)
        clock.focus()
        await person.press("space", "down", "enter")
        assert clock.value == "byoyomi"
        assert not person.at_the_board
        form.query_one("#cancel").focus()
        await person.press("enter")
        assert person.at_the_board
        assert person.session is session


async def test_keys_that_come_before_the_list_of_a_choice_shows_open_one_list() -> None:
    async with playing(setup=SMALL) as person:
        await person.press("n")
        await person.wait()
        clock = person.open(SetupScreen).query_one("#clock", Choice)
        depth = len(person.app.screen_stack)
        for _ in range(3):
            clock.action_open()
        assert len(person.app.screen_stack) == depth + 1


async def test_clocks_are_read() -> None:
    async with playing() as person:
        for fields, time in (
            ({"clock": "off"}, None),
            ({"clock": "byoyomi", "main": "5", "periods": "4", "period": "20"}, TimeControl(300, 4, 20)),
            ({"clock": "byoyomi", "main": "0", "periods": "1", "period": "30"}, TimeControl(0, 1, 30)),
            ({"clock": "fischer", "main": "1.5", "increment": "7"}, TimeControl(90, increment=7)),
        ):
            before = person.session
            await person.press("n")
            await fill(person, **fields)
            await person.press("enter")
            assert person.session is not before
            assert person.session.setup.time == time
            assert (person.session.clock is not None) == (time is not None)


async def test_a_wrong_field_is_named_and_the_game_goes_on() -> None:
    async with playing(setup=SMALL) as person:
        await person.play("C3")
        session = person.session
        await person.press("n")
        form = person.open(SetupScreen)
        for field, value, clock in (
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
        ):
            await fill(person, clock=clock)
            before = form.query_one(f"#{field}", Input).value
            form.query_one("#complaint", Static).update("")
            await fill(person, **{field: value})
            await person.press("enter")
            assert person.open(SetupScreen) is form
            assert str(form.query_one("#complaint", Static).content), (field, value)
            assert form.focused is form.query_one(f"#{field}"), value
            await fill(person, **{field: before})
        await person.press("escape")
        assert person.at_the_board
        assert person.session is session
        assert person.moves == ["C3"]


async def test_a_handicap_that_does_not_fit_is_refused() -> None:
    async with playing() as person:
        await person.press("n")
        await fill(person, size="5", handicap="9")
        await person.press("enter")
        form = person.open(SetupScreen)
        assert "2 to 9 stones that fit the board" in person.question()
        assert form.focused is form.query_one("#handicap")


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


@pytest.mark.parametrize("window", [(60, 20), (80, 24), (80, 27)])
async def test_the_fields_of_a_new_game_leave_no_row_empty(window: tuple[int, int]) -> None:
    async with playing(window) as person:
        await person.press("n")
        await person.wait()
        form = person.open(SetupScreen)
        room = form.query_one("#setup").content_region
        assert form.query_one("#begin").region.bottom == room.bottom
        assert form.query_one("#setup").region.height == window[1] * 96 // 100


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_the_buttons_of_the_form_are_whole_in_small_windows(code: str) -> None:
    use_language(code)
    async with playing((40, 14)) as person:
        await person.press("n")
        await person.wait()
        form = person.open(SetupScreen)
        # The longest error message takes two lines.
        await fill(person, size="")
        await person.press("enter")
        await person.wait()
        for window in ((40, 14), (80, 24), (80, 20), (44, 20), (40, 15)):
            await person.resize(*window)
            room = form.query_one("#setup").content_region
            buttons = form.query(Button)
            assert len(buttons) == 3
            for button in buttons:
                assert button.region in room, (window, button.label)
                assert button.region.width >= cell_len(str(button.label)) + 2


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize("key", ["n", "N"])
async def test_the_labels_of_a_form_are_whole_in_the_smallest_window(key: str, code: str, tmp_path: Path) -> None:
    use_language(code)
    async with keeping(tmp_path) as person:
        await person.resize(40, 14)
        await person.press(key)
        await until(person, lambda: bool(not person.at_the_board and person.app.screen.query("#clock")))
        if key == "n":
            await fill(person, clock="fischer", **{"white-kind": "engine"})
        await person.wait()
        labels = person.app.screen.query(".field Label").results(Label)
        shown = [label for label in labels if label.size]
        assert len(shown) > 5
        for label in shown:
            assert label.size.width >= cell_len(str(label.content)), label.content


@pytest.mark.parametrize(("code", "words"), [("en", "Level (1–10 and halves)"), ("zh", "棋力（1–10，含半级）")])
async def test_the_level_of_a_computer_is_typed_where_the_other_fields_are(code: str, words: str) -> None:
    use_language(code)
    async with playing((80, 24)) as person:
        await person.press("n")
        await person.wait()
        form = person.open(SetupScreen)
        level = form.query_one("#field-white-level", Field)
        label = level.query_one(Label)
        assert str(label.content).strip() == words
        assert label.size.width >= cell_len(str(label.content))
        assert level.entry.region.x == form.query_one("#komi", Input).region.x


@pytest.mark.parametrize("key", ["n", "N"])
async def test_what_is_chosen_stands_below_what_is_typed(key: str, tmp_path: Path) -> None:
    async with keeping(tmp_path) as person:
        await person.press(key)
        await until(person, lambda: bool(not person.at_the_board and person.app.screen.query("#clock")))
        screen = person.app.screen
        for window in ((80, 24), (60, 20), (50, 16), (40, 14)):
            await person.resize(*window)
            entry, rules = screen.query_one("#komi", Input), screen.query_one("#rules", Choice)
            assert entry.region.x == rules.region.x + rules.render_line(0).text.index("Daoqi"), window


async def test_the_level_stands_right_below_the_size_it_is_for(tmp_path: Path) -> None:
    async with keeping(tmp_path) as person:
        await person.resize(80, 24)
        await person.press("n")
        await until(person, lambda: bool(not person.at_the_board and person.app.screen.query("#rating")))
        await person.wait()
        size, rating, komi = (
            person.app.screen.query_one(f"#{name}").region for name in ("field-size", "rating", "field-komi")
        )
        assert (rating.y - size.bottom, komi.y - rating.bottom) == (0, 1)


async def test_the_longest_answers_are_whole_in_the_smallest_window() -> None:
    async with playing((40, 14)) as person:
        await person.press("p", "p")
        await person.wait()
        room = person.open(Question).query_one(".dialog").content_region
        for button in person.app.screen.query(Button):
            # The padding after the label may be cut off.
            assert button.region.x + 1 + cell_len(str(button.label)) <= room.right, button.label


FORMS = [*product("nCNo", ((40, 14), (80, 24), (120, 40)))]
"""The keys of forms, and windows."""


@pytest.mark.parametrize(("key", "window"), FORMS[:: 1 if THOROUGH else 2])
async def test_the_arrow_keys_go_from_field_to_field_and_these_come_into_view(
    key: str, window: tuple[int, int], tmp_path: Path
) -> None:
    async with keeping(tmp_path) as person:
        await person.pilot.resize_terminal(*window)
        await person.press(key)
        await until(person, lambda: not person.at_the_board and person.app.focused is not None)
        form = person.app.screen
        chain = list(form.focus_chain)
        assert len(chain) > 3
        chain[0].focus()
        await person.wait()
        for field in chain[1:]:
            await person.press("down")
            await person.wait()
            assert form.focused is field
            # Only the rows are checked: fields wider than the window are cut off.
            assert 0 <= field.region.y < field.region.bottom <= form.region.bottom, field.id
        for field in reversed(chain[:-1]):
            await person.press("up")
            assert form.focused is field


async def test_the_options_are_shown_and_taken() -> None:
    async with playing() as person:
        await person.press("o")
        form = person.open(OptionsScreen)
        form.query_one("#margin", Choice).value = 3
        form.query_one("#names", Choice).value = "gtp"
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
        assert form.query_one("#margin", Choice).value == 3
        assert form.query_one("#names", Choice).value == "gtp"
        assert form.query_one("#confirm-click", Checkbox).value
        await person.press("escape")
        assert person.screen.options == Options(margin=3, names="gtp", confirm_click=True, follow=True)


async def test_marks_and_names_change_below_the_options_while_they_are_open() -> None:
    async with playing() as person:
        await person.play("A2", "B2", "C2", "J3", "B1")
        await person.press("o")
        form = person.open(OptionsScreen)
        assert not person.board.picture.badges
        form.query_one("#mark-atari", Checkbox).value = True
        form.query_one("#names", Choice).value = "gtp"
        await until(person, lambda: set(person.board.picture.badges.values()) == {"atari"})
        await until(person, lambda: any("K3" in line for line in person.history_lines()))
        person.open(OptionsScreen)


async def test_a_margin_wider_than_a_small_board_is_kept() -> None:
    async with playing(setup=SMALL, options=Options(margin=10)) as person:
        await person.press("o")
        assert person.open(OptionsScreen).query_one("#margin", Choice).value == 10
        await person.press("escape")
        await until(person, lambda: person.at_the_board)
        assert person.screen.options == Options(margin=10)


async def test_options_survive_a_new_game() -> None:
    async with playing(options=Options(margin=2)) as person:
        await person.press("n")
        await fill(person, size="9")
        await person.press("enter")
        await person.settle()
        assert person.game.torus.size == 9
        assert person.viewport.margin == 2


async def test_the_help_opens_and_closes() -> None:
    async with playing() as person:
        for key in ("question_mark", "f1"):
            for close in ("escape", "question_mark", "q", "enter"):
                await person.press(key)
                person.open(HelpScreen)
                await person.press(close)
                assert person.at_the_board, (key, close)
                assert person.app.is_running


async def test_the_help_scrolls_in_a_small_window() -> None:
    async with playing((40, 14)) as person:
        await person.press("question_mark")
        await person.wait()
        page = person.open(HelpScreen).query_one("#help")
        assert page.max_scroll_y > 0
        await person.press("end")
        await until(person, lambda: page.scroll_y == page.max_scroll_y)


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


@pytest.mark.parametrize("key", ["question_mark", "n", "O", "ctrl+p"])
async def test_a_click_from_a_larger_window_before_does_nothing(key: str) -> None:
    async with playing(setup=SMALL) as person:
        await person.press(key)
        await until(person, lambda: isinstance(person.app.screen, ModalScreen))
        screen = person.app.screen
        x, y = screen.size.width + 90, screen.size.height - 1
        screen.post_message(events.Click(screen, x, y, 0, 0, 1, False, False, False, x, y))
        await person.settle()
        assert person.app.screen is screen


@pytest.mark.parametrize("window", [(120, 40), (80, 24), (60, 20), (40, 14)])
async def test_the_buttons_below_a_long_list_are_in_view(window: tuple[int, int]) -> None:
    async with playing(window) as person:
        rows = [f"{number}  Black – White" for number in range(30)]
        picker = Picker("Games in this file", "The file holds 30 games. Open which?", rows, choose="Open", leave="Back")
        person.app.push_screen(picker)
        await person.wait()
        await person.press("end")
        await person.wait()
        dialog, games = picker.query_one("#picker").content_region, picker.query_one(OptionList)
        assert all(dialog.contains_region(button.region) and button.region.height for button in picker.query(Button))
        assert games.highlighted == 29
        assert games.region.bottom <= dialog.bottom
        assert games.scroll_offset.y + games.size.height == 30


async def test_a_theme_that_was_pointed_at_as_the_choice_was_left_does_not_stay() -> None:
    async with playing() as person:
        before = person.screen.options
        await person.press("T")
        themes = person.open(BoardsScreen)
        await person.wait()
        themes.query_one(OptionList).action_cursor_down()
        themes.action_close()
        await until(person, lambda: person.at_the_board)
        await person.wait()
        assert person.screen.options == before


async def test_in_ascii_a_box_stands_between_brackets() -> None:
    async with playing((80, 24), options=Options(glyphs="ascii")) as person:
        await person.press("o")
        await until(person, lambda: bool(not person.at_the_board and person.app.screen.query(Switch)))
        await person.wait()
        box = person.app.screen.query(Switch).first()
        assert box.render_line(0).text.startswith("[ ] ")
        box.toggle()
        assert box.render_line(0).text.startswith("[X] ")


@pytest.mark.parametrize("window", [(40, 14), (60, 14), (80, 14), (80, 19), (60, 24), (80, 24)])
async def test_the_answers_to_a_long_question_stay_in_view(window: tuple[int, int]) -> None:
    async with playing(window) as person:
        lines = [f"{number} {'0123456789' * 6}" for number in range(8)]
        screen = Question("\n\n".join(lines), "Copy", "Close")
        person.app.push_screen(screen)
        await person.wait()
        page, text = screen.query_one(VerticalScroll), screen.query_one(".question")
        whole = screen.query_one(".dialog").content_region
        assert all(button.region in whole for button in screen.query(Button))
        # No line is cut off, and the keys scroll to the end of the text.
        assert text.region.width <= page.scrollable_content_region.width
        for _line in range(page.max_scroll_y):
            await person.press("down")
        await person.wait()
        assert page.scroll_y == page.max_scroll_y
        assert text.region.bottom <= page.region.bottom
        assert page.region.bottom <= screen.query_one(".buttons").region.y


async def test_up_and_down_go_to_the_other_answer_of_a_short_question() -> None:
    async with playing((80, 24)) as person:
        screen = Question("Leave?", "Leave", "Go back")
        person.app.push_screen(screen)
        await person.wait()
        for key, answer in (("down", "n"), ("up", "y"), ("right", "n")):
            await person.press(key)
            assert person.app.focused is screen.query_one(f"#answer-{answer}")


@pytest.mark.parametrize(("key", "boxes"), [("n", 1), ("C", 1), ("N", 3), ("o", 8)])
async def test_a_box_that_is_not_ticked_shows_no_cross(tmp_path: Path, key: str, boxes: int) -> None:
    # Online games are only available in an app that saves games.
    async with keeping(tmp_path) as person:
        await person.press(key)
        await until(person, lambda: len(person.app.screen.query(Checkbox)) >= boxes)
        for box in person.app.screen.query(Checkbox):
            for value in (box.value, True, False):
                box.value = value
                assert ("X" in str(box.render()).partition(" " + str(box.label))[0]) == value, box.id


@pytest.mark.parametrize("clock", [1, -1])
async def test_a_clock_chosen_just_now_is_read(clock: int) -> None:
    async with playing(setup=SMALL) as person:
        await person.press("n")
        form = person.open(SetupScreen)
        form.query_one("#clock", Choice).action_step(clock)
        form.action_begin()
        await until(person, lambda: person.session.setup.time is not None)
        assert person.session.setup.time == (TimeControl(600, 3, 30) if clock == 1 else TimeControl(600, increment=10))


async def test_a_player_chosen_just_now_is_read() -> None:
    async with playing(setup=SMALL) as person:
        await person.press("C")
        form = person.open(PlayersScreen)
        black = form.query_one("#black-kind", Choice)
        black.action_step(-1)
        form.action_begin()
        await person.settle()
        assert "Enter a program" in person.question()
        assert form.focused is form.query_one("#black-command")
        black.action_step(-1)
        form.action_begin()
        await until(person, lambda: person.session.seats[BLACK] == Computer(USUAL_LEVEL))


@pytest.mark.parametrize("written", ["", "x"])
async def test_a_comment_that_was_written_is_not_left_unasked(written: str) -> None:
    async with playing() as person:
        await person.press("i")
        await person.type(written)
        await person.press("escape")
        if written:
            await person.press("n")
            assert person.open(CommentScreen).query_one(TextArea).text == written
            await person.press("escape", "y")
        assert person.at_the_board


async def test_a_list_may_be_laid_out_without_room_for_one_character() -> None:
    async with playing() as person:
        picker = Picker("Title", "Which?", ["one", "two"], choose="Open", leave="Go back")
        await person.app.push_screen(picker)
        options = picker.query_one(OptionList)
        heights = [options.get_content_height(Size(9, 9), Size(9, 9), width) for width in range(9)]
        assert heights == sorted(heights, reverse=True)
        assert heights[-1] == 2


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", [(120, 40), (80, 24), (60, 20), (40, 14)])
async def test_all_answers_to_a_question_are_seen_whole(size: tuple[int, int], language: str) -> None:
    use_language(language)
    labels = _("Copy"), _("This network"), _("Anywhere"), _("QR code"), _("Close")
    answers = [(key, label, key) for key, label in zip(("c", "l", "a", "q", "escape"), labels, strict=True)]
    async with playing(size) as person:
        screen = ChoiceDialog("\n\n".join(["127.0.0.1:7777#mzxw6ytb-abcdefghijklmnopqrst"] * 5), answers, left="")
        person.app.push_screen(screen)
        await person.wait()
        room = screen.query_one(".dialog").content_region
        for button in screen.query(Button):
            assert button.region in room
            assert cell_len(str(button.label)) <= button.content_region.width
        assert screen.query_one(VerticalScroll).size.height > 1
