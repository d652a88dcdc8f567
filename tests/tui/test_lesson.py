"""The lesson: by the rules of the engine, only the intended answer completes each step; the lesson screen."""

from __future__ import annotations

import pytest
from textual import events
from textual.widgets import Static

from daoqi_tui.engine import BLACK, PASS, WHITE, IllegalMove, Repeats
from daoqi_tui.tui.board import BoardView
from daoqi_tui.tui.board.screen import point_in_view
from daoqi_tui.tui.features.program.lesson import STEPS, Lesson, LessonScreen
from daoqi_tui.tui.look import ASCII, Options
from daoqi_tui.tui.panes.torus import TorusView
from tests.tui.driving import Person, playing, screen_place, until
from tests.tui.test_torus_view import picture

ANSWERS = {
    "No edges": "I5",
    "Panning": "pan",
    "Capturing stones": "G5",
    "Capturing across the seam": "I1",
    "Saving stones": "E1",
    "Suicide": "E5",
    "No repetition": "D5",
    "Passing": "pass",
    "Scoring": "pass",
    "The ladder that bites its tail": "E6",
}
"""The answer by step title; it completes the step, and no other move does."""


def right_points(lesson: Lesson) -> list[str]:
    """Return the names of the points where a move completes the step."""
    found = []
    for point in range(lesson.game.torus.points):
        if lesson.play(point).kind == "done":
            found.append(lesson.game.torus.name(point))
            lesson.go(lesson.place)
    return found


def test_there_are_ten_steps_with_words_for_everything() -> None:
    assert [step.title for step in STEPS] == list(ANSWERS)
    for step in STEPS:
        assert all((step.text, step.task, step.praise, step.hint))


@pytest.mark.parametrize("place", range(10), ids=list(ANSWERS))
def test_a_step_is_done_by_its_answer_alone(place: int) -> None:
    lesson = Lesson()
    lesson.go(place)
    answer = ANSWERS[lesson.step.title]
    assert not lesson.done
    assert right_points(lesson) == ([answer] if answer not in ("pan", "pass") else [])
    passing = lesson.play(PASS).kind
    assert passing == ("done" if answer == "pass" else "wrong")


@pytest.mark.parametrize("place", range(10), ids=list(ANSWERS))
def test_what_was_not_asked_for_is_taken_back(place: int) -> None:
    lesson = Lesson()
    lesson.go(place)
    before = str(lesson.game.board), lesson.game.to_move
    kinds = {lesson.play(lesson.game.torus.parse(name)).kind for name in ("H8", "B2") if not lesson.done}
    assert kinds == {"wrong"}
    assert (str(lesson.game.board), lesson.game.to_move) == before
    assert lesson.game.to_move == lesson.step.to_move


def test_panning_four_points_in_all_does_the_second_step() -> None:
    lesson = Lesson()
    lesson.go(1)
    assert [lesson.pan(1).kind for _ in range(5)] == ["nothing", "nothing", "nothing", "done", "nothing"]


def test_the_repetition_is_refused_for_the_boards_sake() -> None:
    lesson = Lesson()
    lesson.go(6)
    with pytest.raises(IllegalMove) as error:
        lesson.game.play(lesson.game.torus.parse("D5"))
    assert error.value.refusal == Repeats(lesson.game.torus.parse("D5"), move=0, to_move=BLACK)
    outcome = lesson.play(lesson.game.torus.parse("D5"))
    assert outcome.kind == "done"
    assert outcome.refusal == error.value.refusal


def test_a_play_on_a_stone_is_refused_and_does_nothing() -> None:
    lesson = Lesson()
    assert lesson.play(lesson.game.torus.parse("A5")).kind == "refused"
    assert not lesson.done


def test_the_count_is_what_the_lesson_says() -> None:
    lesson = Lesson()
    lesson.go(8)
    lesson.play(PASS)
    area = lesson.game.area()
    assert lesson.game.is_over
    assert (area.black.territory, area.white.territory, area.margin) == (36, 9, 23)


def test_the_ladder_runs_round_the_torus_and_stops_before_the_capture() -> None:
    lesson = Lesson()
    lesson.go(9)
    outcome = lesson.play(lesson.game.torus.parse("E6"))
    assert outcome.kind == "done"
    assert len(outcome.after) == 31
    for point in outcome.after:
        lesson.game.make(point)
    game = lesson.game
    chain = game.chain_at(game.torus.parse("E5"))
    assert chain is not None
    assert len(chain.stones) == game.board.colours.count(WHITE) == 16
    rows, columns = zip(*map(game.torus.position, chain.stones), strict=True)
    everywhere = set(range(game.torus.size))
    assert set(columns) == everywhere
    assert set(rows) == everywhere - {5}, "from E5 up and round to the row of the black stones E4 and F4 below it"
    (last,) = chain.liberties
    assert game.to_move == BLACK
    game.play(last)
    assert game.node.captured == 16


def test_after_a_step_nothing_more_is_played() -> None:
    lesson = Lesson()
    lesson.play(lesson.game.torus.parse("I5"))
    assert lesson.play(lesson.game.torus.parse("E5")).kind == "nothing"
    assert lesson.play(PASS).kind == "nothing"


def test_steps_are_gone_through_in_order_and_not_beyond() -> None:
    lesson = Lesson()
    lesson.go(-3)
    assert lesson.place == 0
    lesson.go(99)
    assert lesson.place == 9
    assert lesson.is_last


# The lesson screen


async def open_lesson(person: Person) -> LessonScreen:
    await person.press("f2")
    await person.wait()
    return person.open(LessonScreen)


def words(screen: LessonScreen) -> str:
    return "\n".join(
        str(screen.query_one(f"#lesson-{name}", Static).content) for name in ("progress", "text", "task", "said")
    )


@pytest.mark.parametrize("size", [(120, 40), (40, 14)])
async def test_the_lesson_is_played_through_by_keys(size: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("daoqi_tui.tui.features.program.lesson._PACE", 0.001)
    async with playing(size) as person:
        screen = await open_lesson(person)
        torus = screen.lesson.game.torus
        for place, step in enumerate(STEPS):
            assert screen.lesson.place == place
            assert step.title in words(screen)
            assert step.task in words(screen)
            answer = ANSWERS[step.title]
            if answer == "pan":
                await person.press("right", "right", "shift+up")
            elif answer == "pass":
                await person.press("p")
            else:
                row, column = torus.position(torus.parse(answer))
                from_row, from_column = torus.position(screen.cursor.point)
                await person.press(*"j" * (row - from_row), *"k" * (from_row - row))
                await person.press(*"l" * (column - from_column), *"h" * (from_column - column))
                await person.press("enter")
            await until(person, lambda praise=step.praise: praise in words(screen))  # type: ignore[misc]
            await person.press("enter")
        assert person.at_the_board
        assert person.moves == [], "the game below is untouched"


@pytest.mark.parametrize("size", [(120, 40), (40, 14)])
async def test_the_ladder_ends_on_the_torus(size: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("daoqi_tui.tui.features.program.lesson._PACE", 0.001)
    async with playing(size) as person:
        screen = await open_lesson(person)
        await person.press(*"n" * 9)
        assert not screen.query(TorusView)
        await person.press("k", "enter")
        await until(person, lambda: screen.query(TorusView) and screen.query_one(TorusView).size.height)
        torus = screen.query_one(TorusView)
        assert not screen.board.is_on_screen
        await person.press("h")
        assert not torus.turning
        # The picture may be drawn some time after the key.
        await until(person, lambda: "▀" in "".join(picture(torus)))
        before = picture(torus)
        await person.press("h")
        await until(person, lambda: picture(torus) != before)
        await person.press("b")
        await until(person, lambda: screen.board.is_on_screen and not screen.query(TorusView))
        assert screen.lesson.place == 8


async def test_a_wrong_move_is_explained_and_a_click_plays() -> None:
    async with playing((120, 40)) as person:
        screen = await open_lesson(person)
        await person.press("enter")
        assert STEPS[0].hint in words(screen)
        torus = screen.lesson.game.torus
        await person.click(*screen_place(screen.query_one(BoardView), *torus.position(torus.parse("I5"))))
        assert STEPS[0].praise in words(screen)


async def test_an_answer_is_in_view_however_late_it_is_laid_out() -> None:
    async with playing((80, 24)) as person:
        screen = await open_lesson(person)
        await person.press("enter")
        await person.wait()
        assert screen.answer.size.height == 2
        screen.answer.update("\n".join("A long answer." for _ in range(9)))
        await until(person, lambda: screen.answer.size.height == 9)
        await until(person, lambda: screen.query_one("#lesson-words").region.contains_region(screen.answer.region))


async def test_the_board_looks_as_chosen_and_names_points_as_the_words_do() -> None:
    async with playing(options=Options(board="slate", glyphs="ascii", names="sgf")) as person:
        board = (await open_lesson(person)).board
        assert (board.palette, board.glyphs) == (person.board.palette, person.board.glyphs)
        assert board.glyphs is ASCII
        assert board.lines.names == "daoqi"


async def test_leaving_and_going_back() -> None:
    async with playing((120, 40)) as person:
        screen = await open_lesson(person)
        assert "Previous step" not in [hint.deed for hint in screen.key_hints()]
        await person.press("n", "n")
        assert screen.lesson.place == 2
        assert "Previous step" in [hint.deed for hint in screen.key_hints()]
        await person.press("b")
        assert screen.lesson.place == 1
        await person.press("escape")
        assert person.at_the_board


async def test_the_cursor_stays_in_the_window_that_the_mouse_moves() -> None:
    async with playing((60, 16)) as person:
        screen = await open_lesson(person)
        viewport = screen.board.viewport
        assert viewport.period[1] > viewport.height
        region = screen.board.region
        for _step in range(6):
            await person.mouse(events.MouseScrollDown, region.x + 10, region.y + 3)
            cursor = screen.board.picture.cursor
            assert cursor is not None
            x, y = screen.board.viewport.place_of(*screen.game.torus.position(cursor))
            assert 0 <= x < viewport.width
            assert 0 <= y < viewport.height


@pytest.mark.parametrize("place", range(10), ids=list(ANSWERS))
async def test_a_small_window_shows_where_the_answer_is_and_no_line_of_dots(place: int) -> None:
    async with playing((40, 14)) as person:
        await person.press("f2", *"n" * place)
        screen = person.app.screen
        assert isinstance(screen, LessonScreen)
        answer = ANSWERS[screen.lesson.step.title]
        if answer not in ("pan", "pass"):
            point = screen.game.torus.parse(answer)
            assert point_in_view(screen.board, point) == point
        assert screen.query_one("#lesson-progress").size.height == 1
