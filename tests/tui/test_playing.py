"""Playing moves by keyboard, by mouse and by typing them; undo and redo; drags."""

from __future__ import annotations

import pytest
from textual import events
from textual.widgets import Input

from daoqi_tui.engine import BLACK
from daoqi_tui.pictures.picture import Picture
from daoqi_tui.play.session import GameSetup
from daoqi_tui.tui.board import BoardView
from daoqi_tui.tui.look import Options
from daoqi_tui.tui.screens import Prompt, Question
from tests.tui.driving import Person, playing

SMALL = GameSetup(size=5)


@pytest.mark.parametrize("key", ["enter", "space"])
async def test_a_key_plays_at_the_cursor(key: str) -> None:
    async with playing(setup=SMALL) as person:
        cursor = person.cursor
        await person.press(key, "l", key)
        assert person.moves[0] == cursor
        assert person.moves == ["C3", "D3"]
        assert person.game.to_move == BLACK


async def test_a_click_plays_and_takes_the_cursor_there() -> None:
    async with playing(setup=SMALL) as person:
        await person.click_point("B4")
        await person.click_point("E1")
        assert person.moves == ["B4", "E1"]
        assert person.cursor == "E1"


async def test_a_click_on_a_copy_plays_the_same_point() -> None:
    async with playing(setup=SMALL) as person:
        x, y = person.screen_place("C3")
        across, along = person.viewport.period
        for right, down in [(across, 0), (-across, 0), (0, along), (0, -along)]:
            await person.click(x + right, y + down)
            assert person.moves == ["C3"], (right, down)
            await person.press("u")
            assert person.moves == []


async def test_clicks_on_labels_and_frames_play_nothing() -> None:
    async with playing(setup=SMALL, options=Options(margin=0)) as person:
        for x, y in ((0, 0), (1, 5), (10, 0), (2, 37), (4, 2)):
            await person.click(x, y)
        assert person.moves == []


async def test_a_press_in_one_place_and_a_release_in_another_is_no_click() -> None:
    async with playing(setup=SMALL) as person:
        start = person.screen_place("C3")
        await person.drag(start, (start[0] + 9, start[1]))
        assert person.moves == []


async def test_other_buttons_play_nothing() -> None:
    async with playing(setup=SMALL) as person:
        await person.click_point("C3", button=2)
        await person.click_point("C3", button=3)
        assert person.moves == []


async def test_with_the_guard_on_only_a_second_click_on_the_same_point_plays() -> None:
    async with playing(setup=SMALL, options=Options(confirm_click=True)) as person:
        await person.click_point("B2")
        assert person.moves == []
        ghost = person.board.picture.ghost
        assert ghost is not None
        assert person.game.torus.name(ghost.point) == "B2"
        assert "B2" in person.status
        await person.click_point("D4")
        assert person.moves == []
        await person.click_point("D4")
        assert person.moves == ["D4"]
        await person.press("enter")
        assert "occupied" in person.status
        await person.press("h", "enter")
        assert person.moves == ["D4", "C4"]


async def test_with_the_guard_on_taken_points_are_refused_at_once() -> None:
    async with playing(setup=SMALL, options=Options(confirm_click=True)) as person:
        await person.play("B2")
        await person.click_point("B2")
        assert "B2 is occupied" in person.status


async def typed(person: Person, text: str) -> None:
    """Open the move prompt and enter a move."""
    await person.press("g")
    person.open(Prompt)
    await person.enter_text("Input", text)
    await person.press("enter")


async def test_a_typed_move_is_played_and_shown() -> None:
    async with playing((40, 14)) as person:
        await typed(person, "k16")
        assert person.at_the_board
        assert person.moves == ["K16"]
        assert person.cursor == "K16"
        x, y = person.cursor_place
        assert 0 <= x < person.viewport.width
        assert 0 <= y < person.viewport.height


@pytest.mark.parametrize(
    ("names", "text", "point"), [("daoqi", " j10 ", "J10"), ("gtp", "J10", "I10"), ("sgf", "ah", "A9")]
)
async def test_typed_moves_are_read_in_the_style_chosen(names: str, text: str, point: str) -> None:
    async with playing(options=Options(names=names)) as person:  # type: ignore[arg-type]
        await typed(person, text)
        assert person.moves == [point]


async def test_pass_can_be_typed() -> None:
    async with playing(setup=SMALL) as person:
        await typed(person, "Pass")
        assert person.moves == ["pass"]
        await typed(person, "pass")
        assert "count" in person.open(Question)._question
        await person.press("y")
        assert person.moves == ["pass", "pass"]
        assert person.game.is_over


async def test_nonsense_is_refused_in_words_and_can_be_mended() -> None:
    async with playing(setup=SMALL) as person:
        for nonsense in ("", "   ", "Z9", "A0", "A26", "k", "10", "play", "C3 C4", "道", "[b]", "C³"):
            await typed(person, nonsense)
            prompt = person.open(Prompt)
            assert prompt.query_one("#complaint").display, nonsense
            assert "A1" in person.question()
            assert "E5" in person.question()
            assert person.moves == []
            await person.enter_text("Input", "A1")
            await person.press("enter")
            assert person.moves == ["A1"]
            await person.press("u")


async def test_a_typed_illegal_move_says_why() -> None:
    async with playing(setup=SMALL) as person:
        await person.play("C3")
        await typed(person, "C3")
        assert "C3 is occupied" in person.question()
        await person.press("escape")
        assert person.at_the_board
        assert person.moves == ["C3"]


async def test_the_prompt_can_be_left_by_escape_or_a_click_outside() -> None:
    async with playing(setup=SMALL) as person:
        await person.press("g", "escape")
        assert person.at_the_board
        await person.press("g")
        await person.click(20, 10)
        assert person.at_the_board
        assert person.moves == []


async def test_keys_typed_into_the_prompt_do_nothing_to_the_game() -> None:
    async with playing(setup=SMALL) as person:
        await person.press("g")
        await person.type("pun")
        assert person.open(Prompt).query_one(Input).value == "pun"
        await person.press("escape")
        assert person.moves == []


async def test_moves_are_taken_back_and_played_again() -> None:
    async with playing(setup=SMALL) as person:
        await person.play("C3", "D4", "E5")
        await person.press("u")
        assert person.moves == ["C3", "D4"]
        await person.press("u", "u")
        assert person.moves == []
        await person.press("u")
        assert "start" in person.status
        assert person.moves == []
        await person.press("U")
        assert person.moves == ["C3"]
        await person.press("ctrl+z")
        assert person.moves == []
        await person.press("ctrl+r", "ctrl+r", "ctrl+r")
        assert person.moves == ["C3", "D4", "E5"]
        await person.press("U")
        assert person.moves == ["C3", "D4", "E5"]


@pytest.mark.parametrize("key", ["enter", "p", "u", "U", "left_square_bracket", "right_square_bracket", "home", "R"])
async def test_each_change_of_the_game_is_rendered_once(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rendered = []
    show = BoardView.show_picture

    def count(board: BoardView, picture: Picture) -> None:
        rendered.append(picture)
        show(board, picture)

    async with playing(setup=GameSetup(size=5)) as person:
        await person.play("A1", "B2", "C4")
        await person.press("u")
        monkeypatch.setattr(BoardView, "show_picture", count)
        await person.press(key)
        if key == "R":
            await person.press("y")
        assert len(rendered) == 1


async def test_a_capture_is_taken_back_with_all_its_stones() -> None:
    async with playing(setup=SMALL) as person:
        await person.lay_out(". . . . .\n. X . . .\nX O . . .\n. X . . .\n. . . . .\n")
        before = person.position
        await person.play("C3")
        assert person.tallies() == ["captured 1  passes 0", "captured 0  passes 0"]
        await person.press("u")
        assert person.position == before
        assert person.tallies() == ["captured 0  passes 0"] * 2


async def test_a_hint_can_be_clicked() -> None:
    async with playing(setup=SMALL) as person:
        hints = person.screen.query_one("#hints")
        await person.play("C3")
        line = person.text("#hints")
        await person.click(hints.region.x + 1 + line.index("Undo") + 2, hints.region.y)
        await person.wait()
        assert person.moves == []


async def test_panes_tell_whose_move_it_is() -> None:
    async with playing(setup=GameSetup(size=5, black="Ada", white="Ben")) as person:
        assert person.players() == ["▶  Ada", "Ben"]
        await person.play("C3")
        assert person.players() == ["Ada", "▶  Ben"]
        assert person.text("#game").split("\n")[4].startswith("Move 2 ")


async def test_pressing_over_a_dialog_that_opens_leaves_no_drag_behind() -> None:
    async with playing(setup=SMALL) as person:
        before = person.viewport
        await person.mouse(events.MouseDown, 30, 20, button=1)
        await person.press("question_mark")
        await person.mouse(events.MouseUp, 30, 20, button=1)
        await person.press("escape")
        assert person.at_the_board
        await person.mouse(events.MouseMove, 35, 22)
        await person.mouse(events.MouseMove, 45, 25)
        assert person.viewport == before
        assert person.moves == []


async def test_a_dialog_that_opens_during_a_drag_can_be_clicked() -> None:
    async with playing(setup=SMALL) as person:
        await person.play("C3")
        await person.mouse(events.MouseDown, 30, 20, button=1)
        await person.mouse(events.MouseMove, 33, 20, button=1)
        await person.press("q")
        await person.mouse(events.MouseUp, 33, 20, button=1)
        await person.wait()
        await person.click_widget(person.open(Question).query_one("#answer-n"))
        await person.wait()
        assert person.at_the_board


async def test_the_board_is_shown_as_the_person_likes_it_from_the_first() -> None:
    async with playing(setup=GameSetup(size=16), options=Options(margin=2, names="gtp")) as person:
        assert person.viewport.margin == 2
        letters = person.board.render_line(0).text
        assert "H" in letters
        assert "I" not in letters
