"""The problem list and the problem screen."""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.content import Content
from textual.widgets import Input, OptionList, Static

from daoqi_tui.analysis.problems import KINDS
from daoqi_tui.i18n import use_language
from daoqi_tui.pictures.palettes import KAYA
from daoqi_tui.pictures.picture import SIGNS
from daoqi_tui.play.keeper import Folders
from daoqi_tui.play.problem_files import Collection, numbers_of, read_collection, shipped
from daoqi_tui.play.problems import Group, Progress, conditions, progress_file
from daoqi_tui.play.session import GameSetup, Session
from daoqi_tui.tui import look
from daoqi_tui.tui.app import DaoqiApp
from daoqi_tui.tui.features.problems.screen import GuessScreen, ProblemList, ProblemScreen
from daoqi_tui.tui.look import Options
from daoqi_tui.tui.screens import ChoiceDialog, Prompt
from daoqi_tui.tui.screens.hinted import KeyList, StudyScreen
from tests.tui.driving import Person, playing, screen_place, until
from tests.tui.test_by_mouse_alone import click_text


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("daoqi_tui.tui.features.problems.screen._PACE", 0.001)
    monkeypatch.setattr("daoqi_tui.tui.features.problems.screen._LADDER_PACE", 0.001)
    monkeypatch.setattr("daoqi_tui.play.problems.library_folder", lambda: tmp_path / "games")


@asynccontextmanager
async def keeping(
    folder: Path, size: tuple[int, int] = (120, 40), setup: GameSetup | None = None
) -> AsyncIterator[Person]:
    """Run the app with its files below ``folder``."""
    app = DaoqiApp(
        Session(setup or GameSetup()), folders=Folders(folder / "journal", folder / "games"), offer_resume=False
    )
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield Person(app, pilot)


async def open_problems(person: Person) -> ProblemList:
    await person.press("f7")
    await until(person, lambda: isinstance(person.app.screen, ProblemList))
    return person.open(ProblemList)


async def open_first(person: Person, *keys: str) -> ProblemScreen:
    await open_problems(person)
    await person.press(*keys, "enter")
    await until(person, lambda: isinstance(person.app.screen, ProblemScreen))
    screen = person.open(ProblemScreen)
    target = screen.game.torus.position(screen.cursor.point)
    await until(person, lambda: screen.board.viewport == screen.board.viewport.centred_on(*target))
    return screen


def words(screen: ProblemScreen) -> str:
    return "\n".join(
        str(screen.query_one(f"#problem-{name}", Static).content) for name in ("progress", "task", "text", "said")
    )


async def play(person: Person, screen: ProblemScreen, point: int) -> None:
    screen.play_at(point)
    await until(person, lambda: not screen._coming)
    await person.wait()


async def test_the_list_has_every_kind_and_is_left() -> None:
    async with playing() as person:
        listed = await open_problems(person)
        rows = listed.query_one(OptionList).options
        assert str(len(shipped())) in str(rows[0].prompt)
        assert len(rows) == 1 + len({(problem.kind, problem.level) for problem in shipped()})
        await person.press("escape")
        await until(person, lambda: person.at_the_board)


async def test_the_board_looks_as_chosen_in_characters_and_in_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(look, "colours_of", lambda _app: "sixteen")
    async with playing(options=Options(board="slate")) as person:
        board = (await open_first(person)).board
        assert (board.palette, board.painted) == (person.board.palette, person.board.painted)
        woods = (palette.bright.board for palette in (board.palette, board.painted, KAYA))
        assert len(set(woods)) == 3


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize("size", [(120, 40), (80, 24), (78, 20), (60, 20), (40, 14)])
async def test_every_row_is_whole_and_the_frame_names_the_way_out(size: tuple[int, int], code: str) -> None:
    use_language(code)
    async with playing(size) as person:
        problems = shipped()[:58]
        listed = ProblemList([Group(kind, 5, problems, 58, 58) for kind in KINDS], opens=True)
        person.app.push_screen(listed)
        await person.wait()
        rows, dialog = listed.query_one(OptionList), listed.query_one("#problems")
        lines = [line for option in rows.options for line in str(option.prompt).split("\n")]
        assert max(map(cell_len, lines)) <= rows.scrollable_content_region.width
        assert Content.from_markup(dialog.border_subtitle).cell_length <= dialog.outer_size.width - 6
        assert "Esc" in str(dialog.border_subtitle)


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (60, 20), (40, 14)])
async def test_every_row_can_be_scrolled_into_view(size: tuple[int, int]) -> None:
    async with playing(size) as person:
        listed = await open_problems(person)
        rows, dialog = listed.query_one(OptionList), listed.query_one("#problems")
        await person.press("end")
        await person.wait()
        assert rows.highlighted == rows.option_count - 1
        assert rows.region.bottom <= dialog.content_region.bottom
        assert rows.scroll_offset.y + rows.size.height == max(rows.size.height, rows.virtual_size.height)


async def test_the_list_comes_back_at_the_line_that_was_chosen() -> None:
    async with playing() as person:
        await open_first(person, "down", "down", "down")
        await person.press("escape")
        await until(person, lambda: isinstance(person.app.screen, ProblemList))
        assert person.open(ProblemList).query_one(OptionList).highlighted == 3


async def test_without_colours_the_highlighted_line_is_underlined(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with playing((80, 24)) as person:
        rows = (await open_problems(person)).query_one(OptionList)
        assert rows.highlighted == 0
        lines = [rows.render_line(y) for y in range(2)]
        assert [any(part.style and part.style.underline for part in line) for line in lines] == [True, False]


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (40, 14)])
async def test_a_problem_is_failed_tried_again_and_solved(size: tuple[int, int], tmp_path: Path) -> None:
    async with keeping(tmp_path, size) as person:
        screen = await open_first(person)
        problem = screen.practice.problem
        wrong = next(step.move for step in problem.steps if not step.right)
        await play(person, screen, wrong)
        assert "Wrong" in words(screen)
        assert "try again" in words(screen)
        assert max(Counter(hint.deed for hint in screen.key_hints()).values()) == 1
        assert offered(screen) == {"next"}
        await person.press("enter")
        assert not screen.practice.attempt.is_wrong
        for _ in range(40):
            if screen.practice.attempt.solved:
                break
            await play(person, screen, screen.practice.attempt.right[0])
        assert "Solved" in words(screen)
        assert "does not count as solved yet" in words(screen)
        assert max(Counter(hint.deed for hint in screen.key_hints()).values()) == 1
        await until(person, lambda: Progress.read(progress_file()).records)
        (record,) = Progress.read(progress_file()).records.values()
        assert (record.box, record.tries) == (0, 1)
        await person.press("enter")
        await until(person, lambda: screen.practice.problem is not problem)
        await person.press("escape")
        await until(person, lambda: isinstance(person.app.screen, ProblemList))
        assert person.moves == [], "the game below is untouched"


def offered(screen: StudyScreen) -> set[str]:
    """Return which of the actions that need a problem to be open are offered, and that to skip it."""
    actions = {str(hint.action).removeprefix("screen.") for hint in screen.key_hints()}
    return actions & {"hint", "pass", "next", "skip"}


async def test_what_ends_an_attempt_or_a_step_is_offered_before_its_end_alone(tmp_path: Path) -> None:
    async with keeping(tmp_path) as person:
        screen = await open_first(person)
        while screen.practice.problem.task != "ladder":
            await person.press("n")
        assert offered(screen) == {"hint", "pass", "next"}
        while not screen.practice.attempt.solved:
            await play(person, screen, screen.practice.attempt.right[0])
        said = words(screen)
        assert "count as solved" not in said
        assert offered(screen) == set()
        await person.press("H", "p")
        assert words(screen) == said


async def test_a_question_mark_lists_the_keys_and_costs_no_hint() -> None:
    async with playing() as person:
        screen = await open_first(person)
        await person.press("question_mark")
        assert "Next problem" in person.question()
        await person.press("question_mark")
        assert person.app.screen is screen
        assert not screen.practice.attempt.failed
        await person.press("H", "H")
        assert screen.practice.attempt.failed


@pytest.mark.parametrize(
    ("opens", "key", "listed"),
    [("f7", "question_mark", "o"), ("b", "f1", "F8"), ("O", "question_mark", "s")],
)
async def test_keys_without_room_on_a_frame_are_listed(opens: str, key: str, listed: str, tmp_path: Path) -> None:
    async with keeping(tmp_path, (40, 14)) as person:
        await person.press(opens)
        await until(person, lambda: not person.at_the_board)
        dialog = person.app.screen
        await person.wait()
        await person.press(key)
        assert person.open(KeyList)
        assert listed in [line.split()[0] for line in person.question().splitlines()]
        await person.press("escape")
        assert person.app.screen is dialog


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_the_numbers_of_problems_stand_below_each_other(code: str, tmp_path: Path) -> None:
    use_language(code)
    async with keeping(tmp_path, (80, 24)) as person:
        await person.press("f7")
        await until(person, lambda: not person.at_the_board)
        rows = person.app.screen.query_one(OptionList)
        ends = set()
        for option in rows.options:
            text = str(option.prompt)
            ends.add(tuple(cell_len(text[: found.end()]) for found in re.finditer(r"\d+", text)))
        assert len(ends) == 1


async def test_in_a_narrow_window_the_hints_lead_to_those_without_room() -> None:
    async with playing(size=(40, 14)) as person:
        screen = await open_first(person)
        problem = screen.practice.problem
        await click_text(person, "#problem-hints", "? Keys")
        await until(person, lambda: isinstance(person.app.screen, KeyList))
        lines = person.question().splitlines()
        assert {"n", "r", "H"} <= {line.split()[0] for line in lines}
        x, y = person.app.screen.query_one(Static).region.offset
        await person.click(x, y + next(row for row, line in enumerate(lines) if "Next problem" in line))
        await until(person, lambda: person.app.screen is screen)
        assert screen.practice.problem is not problem


async def test_a_hint_marks_points_and_a_click_plays() -> None:
    async with playing() as person:
        screen = await open_first(person)
        attempt = screen.practice.attempt
        right = attempt.right[0]

        def marked() -> set[int]:
            labels = {SIGNS["circle"], *numbers_of(screen.practice.problem).values()}
            return {point for point, label in screen.board.picture.labels.items() if label in labels}

        await person.press("H")
        assert "One of these is right" in words(screen)
        assert len(marked()) == 2
        assert right in marked()
        await person.press("H")
        assert "Solution: " in words(screen)
        assert marked() == {right}
        await person.click(*screen_place(screen.board, *screen.game.torus.position(right)))
        await until(person, screen.game.moves)
        assert screen.game.moves()[0].point == right
        assert not attempt.is_wrong
        await person.press("r", "n")
        assert not screen.practice.attempt.failed


async def test_a_hint_leaves_the_numbers_of_the_points_that_it_names() -> None:
    async with playing() as person:
        screen = await open_first(person)
        while not screen.practice.problem.choices:
            await person.press("n")
        numbers = numbers_of(screen.practice.problem)
        await person.press("H")
        hinted = screen.practice.hint()
        assert hinted
        shown = {point: label for point, label in screen.board.picture.labels.items() if point in numbers}
        assert len(shown) == 2
        assert shown.items() <= numbers.items()
        assert set(hinted) <= shown.keys()


async def test_one_row_lies_between_the_task_and_the_answer_where_no_more_is_said() -> None:
    async with playing() as person:
        screen = await open_first(person)
        while conditions(screen.practice.problem):
            await person.press("n")
        await person.press("H")
        await until(person, lambda: bool(screen.answer.region))
        assert screen.answer.region.y - screen.query_one("#problem-task").region.bottom == 1


async def test_a_right_click_centres_the_point() -> None:
    async with playing() as person:
        screen = await open_first(person)
        region = screen.board.region
        before = screen.board.viewport
        await person.click(region.x + region.width // 4, region.y + region.height // 4, button=3)
        await until(person, lambda: screen.board.viewport != before)


async def test_boards_of_all_sizes_are_shown_in_turn() -> None:
    async with playing() as person:
        screen = await open_first(person)
        for _ in range(12):
            assert screen.board.picture.size == screen.practice.problem.position.size
            await person.press("n")


async def test_who_names_no_collection_is_back_at_the_list(tmp_path: Path) -> None:
    async with keeping(tmp_path) as person:
        await open_problems(person)
        await person.press("o")
        await until(person, lambda: isinstance(person.app.screen, Prompt))
        await person.press("escape")
        await until(person, lambda: isinstance(person.app.screen, ProblemList))
        await person.press("escape")
        await until(person, lambda: person.at_the_board)


async def test_a_collection_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "own.sgf"
    file.write_text("(;SZ[5]AB[ba][ab][bc]AW[bb]C[Catch it]PL[B](;B[ca])(;B[cb]C[CORRECT]))(;SZ[5]")
    async with keeping(tmp_path) as person:
        await open_problems(person)
        await person.press("o")
        await until(person, lambda: isinstance(person.app.screen, Prompt))
        prompt = person.app.screen
        prompt.query_one(Input).value = str(tmp_path / "none.sgf")
        await person.press("enter")
        await person.wait()
        assert person.app.screen is prompt
        prompt.query_one(Input).value = str(file)
        await person.press("enter")
        await until(person, lambda: isinstance(person.app.screen, ProblemScreen))
        screen = person.open(ProblemScreen)
        assert any("the file is cut off" in notice.message for notice in person.app._notifications)
        assert "Catch it" in words(screen)
        await play(person, screen, 7)
        assert "Solved" in words(screen)


async def test_a_collection_of_ones_own_is_read_once_off_the_thread_of_the_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "own.sgf"
    file.write_text("(;SZ[5]AB[ba][ab][bc]AW[bb]C[Catch it]PL[B](;B[ca])(;B[cb]C[CORRECT]))")
    threads = []

    def read(source: Path) -> Collection:
        threads.append(threading.current_thread())
        return read_collection(source)

    monkeypatch.setattr("daoqi_tui.tui.features.problems.screen.read_collection", read)
    async with keeping(tmp_path) as person:
        await open_problems(person)
        await person.press("o")
        await until(person, lambda: isinstance(person.app.screen, Prompt))
        await person.enter_text("Input", str(file))
        await person.press("enter")
        await until(person, lambda: isinstance(person.app.screen, ProblemScreen))
    assert len(threads) == 1
    assert threads[0] is not threading.main_thread()


async def test_after_a_guess_enter_leads_to_the_next_move_not_to_a_problem() -> None:
    use_language("zh")
    async with playing() as person:
        await person.play("A1", "B2", "C3", "D4")
        await person.press("Q")
        await until(person, lambda: isinstance(person.app.screen, ChoiceDialog))
        await person.wait()
        await person.press("w")
        await until(person, lambda: isinstance(person.app.screen, GuessScreen))
        screen = person.open(GuessScreen)
        await person.press("l", "enter")
        await until(person, lambda: screen.guessing.answered)
        assert screen.key_hints()[0].deed == "下一手"
        assert offered(screen) == set()
