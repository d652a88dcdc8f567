"""Tests hints, the continuous analysis, the review and the reports on mistakes, on the screen."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from daoqi_tui.ai import Answer, Candidate, Progress, Think
from daoqi_tui.ai.process import PlayerCrashed
from daoqi_tui.engine import BLACK, WHITE
from daoqi_tui.i18n import use_language
from daoqi_tui.pictures.picture import Mistake
from daoqi_tui.play.evaluation import Clarity, Evaluations, Grade, evaluated_moves
from daoqi_tui.play.keeper import Folders
from daoqi_tui.play.session import GameSetup, Session
from daoqi_tui.record.sgf.markup import comment
from daoqi_tui.tui.app import DaoqiApp
from daoqi_tui.tui.look import Options
from daoqi_tui.tui.panes.history import HistoryPane
from daoqi_tui.tui.panes.study import CandidatesPane
from daoqi_tui.tui.screens import TextPage
from tests.tui.driving import Person, playing, until
from tests.tui.thinkers import QuickAnalyst, analysed_by

SMALL = GameSetup(size=5)
BACK, FORWARD = "left_square_bracket", "right_square_bracket"
NEXT, PREVIOUS = "greater_than_sign", "less_than_sign"


@asynccontextmanager
async def underway(
    options: Options | None = None, window: tuple[int, int] = (120, 40)
) -> AsyncIterator[tuple[Person, QuickAnalyst]]:
    """Yield a person at a small board with two stones far from the proposed moves, and a fake analyst."""
    async with playing(window, setup=SMALL, options=options) as person:
        await person.lay_out("""
            . . . . .
            . . . . .
            . . . . .
            . . . . .
            O . . . X
        """)
        analyst = analysed_by(person)
        analyst.answers[1] = three_moves()
        yield person, analyst


def three_moves(visits: int = 100) -> Answer:
    lines = (
        Candidate(12, 80, 0.62, (12, 13, 14), 2.0),
        Candidate(7, 15, 0.5, (7, 8), -0.5),
        Candidate(0, 5, 0.031, (0,), -12.0),
    )
    return Answer(1, 12, 0.62, False, visits, 1.0, lines, 0.0)


# Hints


async def test_a_hint_grows_clearer_each_time_it_is_asked_for() -> None:
    async with underway() as (person, analyst):
        before = person.position
        await person.press("l", "l", "H")
        picture = person.board.picture
        assert 12 in picture.chain
        assert len(picture.chain) > 1
        assert not picture.labels
        assert person.status.startswith("Look in the highlighted area  ·  H says more, Esc clears")
        await person.press("H")
        assert person.board.picture.labels == {0: "A", 7: "B", 12: "C"}
        assert len(analyst.asked) == 1, "what is known is only said more clearly"
        await person.press("H")
        picture = person.board.picture
        assert picture.proposed == {12: BLACK, 13: WHITE, 14: BLACK}
        assert picture.labels == {12: "1", 13: "2", 14: "3"}
        words = "Best: C3. Black is slightly ahead  ·  Then D3, E3  ·  Esc clears"
        assert person.status.startswith(words)
        assert person.moves == []
        assert person.position == before
        # Another request continues the search.
        await person.press("H")
        assert len(analyst.asked) == 3


async def test_asking_again_before_anything_is_found_does_not_begin_again(monkeypatch: pytest.MonkeyPatch) -> None:
    think, begun = QuickAnalyst.think, []

    async def patient(analyst: QuickAnalyst, *asked: Any) -> Answer:
        begun.append(asked)
        await analyst.may_answer.wait()
        return await think(analyst, *asked)

    async with underway() as (person, analyst):
        monkeypatch.setattr(QuickAnalyst, "think", patient)
        analyst.may_answer.clear()
        await person.press("H", "H", "H")
        analyst.may_answer.set()
        await until(person, lambda: person.status.startswith("Best: C3"))
        assert len(begun) == 1


async def test_a_hint_while_the_analysis_is_on_says_that_it_shows_already() -> None:
    async with underway() as (person, _analyst):
        await person.press("W")
        # What the analysis says comes in its own time.
        await until(person, lambda: person.status.startswith("Best: C3"))
        await person.press("H")
        assert person.status.startswith("The analysis shows the best moves already: W stops it")
        assert person.screen.analysis.on


@pytest.mark.parametrize("key", ["escape", "enter"])
async def test_escape_and_a_move_clear_the_hint(key: str) -> None:
    async with underway() as (person, _analyst):
        await person.press("H", "H", "H", key)
        assert person.board.picture.labels == {}
        assert person.board.picture.proposed == {}
        assert person.moves == (["C3"] if key == "enter" else [])
        assert "62%" not in person.status


async def test_escape_stops_looking() -> None:
    async with underway() as (person, analyst):
        analyst.may_answer.clear()
        analyst.answers[1] = replace(three_moves(), lines=())
        await person.press("H")
        assert "Looking for the best moves" in person.status
        await person.press("escape")
        await until(person, lambda: analyst.cancelled == 1)
        assert person.board.picture.labels == {}
        assert person.screen.analysis.clarity == Clarity.NOTHING


async def test_a_crash_of_the_analyst_is_one_line() -> None:
    async with underway() as (person, analyst):
        analyst.problem = PlayerCrashed("the computer player's process ended with status 1")
        await person.press("H")
        assert person.status.startswith("the computer player's process ended with status 1")
        await person.play("C3")


async def test_no_hint_is_looked_for_on_an_empty_board() -> None:
    async with playing(setup=SMALL) as person:
        analyst = analysed_by(person)
        await person.press("H")
        assert person.status.startswith("All first moves are equal")
        await person.press("W")
        assert person.status.startswith("All first moves are equal")
        await until(person, lambda: "All points are equal" in person.text("#candidates"))
        await person.press("W")
        assert analyst.asked == []
        # After a pass the board is still empty, but the pass has cost a point.
        await person.play("pass")
        await person.press("H")
        assert len(analyst.asked) == 1


async def test_no_hint_is_looked_for_after_the_end() -> None:
    async with playing(setup=SMALL) as person:
        analysed_by(person)
        await person.play("pass", "pass")
        await person.press("H")
        assert "over" in person.status


# The continuous analysis


def rows(person: Person) -> list[str]:
    return [line.strip() for line in str(person.screen.query_one(CandidatesPane).content).split("\n")]


async def test_the_analysis_shows_all_moves_on_the_board_and_in_a_list() -> None:
    async with underway(Options(analysis_visits=700, analysis_seconds=9)) as (person, analyst):
        await person.press("W")
        await until(person, lambda: bool(person.board.picture.chips))
        assert analyst.budgets == [(700, 9)]
        chips = person.board.picture.chips
        assert {point: (chip.grade, chip.rows) for point, chip in chips.items()} == {
            7: (1, ("50%", "−2.5", "15")),
            0: (3, ("3%", "−14.0", "5")),
        }, "the cursor points at the best move, whose line shows instead"
        assert person.board.picture.proposed == {12: BLACK, 13: WHITE, 14: BLACK}
        assert person.screen.panes.side.id == "candidates"
        await until(person, lambda: "network, 100 visits" in rows(person))
        headline = ["Black is slightly ahead", "Win rates for Black", "network, 100 visits"]
        assert rows(person)[:3] == headline
        assert [row.split() for row in rows(person)[4:7]] == [
            ["■", "C3", "62%", "B+2.0", "0", "80"],
            ["■", "C4", "50%", "W+0.5", "−2.5", "15"],
            ["■", "A5", "3%", "W+12", "−14", "5"],
        ]
        await person.press("W")
        assert person.board.picture.chips == {}
        await until(person, lambda: person.screen.panes.side.id == "history")


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_numbers_of_two_and_three_digits_leave_the_columns_where_they_are(code: str) -> None:
    async with underway() as (person, analyst):
        margins = (0.3, 0.0, -12.3, -102.3)
        lines = tuple(
            Candidate(point, 812, 0.5, (point,), margin) for point, margin in zip((12, 7, 3, -1), margins, strict=True)
        )
        analyst.answers[1] = replace(three_moves(), lines=lines)
        use_language(code)
        await person.press("W")
        await until(person, lambda: sum(row.endswith("812") for row in rows(person)) == len(margins))
        shown = [row for row in str(person.screen.query_one(CandidatesPane).content).split("\n") if "■" in row]
        assert len({cell_len(row) for row in shown}) == 1, shown
        assert cell_len(shown[0]) <= person.screen.query_one(CandidatesPane).content_size.width
        assert all(row.endswith(" 812") for row in shown)


@pytest.mark.parametrize("window", [(120, 40), (80, 24), (60, 20)])
async def test_no_column_of_the_list_is_cut(window: tuple[int, int]) -> None:
    async with underway(window=window) as (person, _analyst):
        await person.press("W")
        await until(person, lambda: bool(person.board.picture.chips))
        # The pane may show its first rows before it has its width.
        await until(person, lambda: "■ C3    62%" in person.text("#candidates"))
        await person.wait()
        pane = person.screen.query_one(CandidatesPane)
        lines = person.text("#candidates").split("\n")
        assert max(map(cell_len, lines)) <= pane.content_size.width
        assert "■ C3    62%" in person.text("#candidates")
        if window[0] >= 80:
            assert any(line.endswith("  80") for line in lines)
        if window[0] >= 100:
            assert any(line.endswith("Lost Visits") for line in lines)


async def test_the_cursor_steps_to_a_move_and_the_mouse_points_at_one() -> None:
    async with underway() as (person, _analyst):
        await person.press("W")
        await until(person, lambda: bool(person.board.picture.chips))
        await person.press("right_parenthesis")
        assert person.cursor == "C4"
        assert person.board.picture.proposed == {7: BLACK, 8: WHITE}
        assert person.status.startswith("C4 loses 2.5 points compared with C3  ·  Then D4")
        await person.press("left_parenthesis", "left_parenthesis")
        assert person.cursor == "A5"
        await person.hover_point("C4")
        assert person.board.picture.proposed == {7: BLACK, 8: WHITE}
        await person.hover_point("E5")
        assert person.board.picture.proposed == {}
        assert set(person.board.picture.chips) == {0, 7, 12}
        pane = person.screen.query_one(CandidatesPane)
        region = pane.content_region
        await person.click(region.x + 2, region.y + 5)
        assert person.cursor == "C4"


async def test_the_analysis_follows_to_other_positions_until_it_is_stopped() -> None:
    async with underway() as (person, analyst):
        await person.press("W")
        await until(person, lambda: len(analyst.asked) == 1)
        await person.play("C3")
        await until(person, lambda: len(analyst.asked) == 2)
        assert analyst.asked[-1].actions[-1] == 12
        await until(person, lambda: person.screen.analysis.best is not None)
        await person.press(BACK)
        await until(person, lambda: len(analyst.asked) == 3)
        assert analyst.asked[-1] == analyst.asked[0]
        await person.press("escape", FORWARD)
        await person.wait()
        assert len(analyst.asked) == 3
        assert person.screen.analysis.clarity == Clarity.NOTHING


async def test_the_analysis_searches_anew_with_the_visits_that_the_settings_now_allow() -> None:
    async with underway() as (person, analyst):
        await person.press("W")
        await until(person, lambda: analyst.asked)
        await until(person, lambda: not person.screen.analysis.searching)
        before = len(analyst.asked)
        options = person.screen.options
        person.app.apply_options(options._replace(margin=2))
        await person.wait()
        assert len(analyst.asked) == before
        person.app.apply_options(options._replace(analysis_visits=options.analysis_visits + 1))
        await until(person, lambda: len(analyst.asked) > before)


async def test_where_a_search_comes_to_nothing_it_says_so() -> None:
    async with underway() as (person, analyst):
        analyst.answers[1] = replace(three_moves(), lines=())
        await person.press("W")
        await until(person, lambda: person.status.startswith("Nothing is found yet: ask again"))
        assert person.text("#candidates") == "Nothing is found yet"
        analyst.may_answer.clear()
        person.app.apply_options(person.screen.options._replace(analysis_visits=200))
        await until(person, lambda: len(analyst.asked) == 2)
        assert "Looking for the best moves" in person.status
        assert person.text("#candidates") == "Looking for the best moves …"
        analyst.may_answer.set()
        await until(person, lambda: not person.screen.analysis.searching)
        await person.press("W", "H")
        await until(person, lambda: person.status.startswith("Nothing is found yet: ask again"))


async def test_a_search_under_way_is_cancelled_by_a_step() -> None:
    async with underway() as (person, analyst):
        analyst.may_answer.clear()
        await person.press("W")
        await until(person, lambda: bool(person.board.picture.chips))
        assert person.screen.analysis.searching
        await person.play("C3")
        await until(person, lambda: analyst.cancelled == 1 and len(analyst.asked) == 2)


async def test_the_analysis_waits_at_the_end_of_a_game() -> None:
    async with playing(setup=SMALL) as person:
        analyst = analysed_by(person)
        await person.play("C3", "pass", "pass")
        await person.press("W")
        assert "go back to a move" in person.status
        assert analyst.asked == []
        await person.press(BACK)
        await until(person, lambda: len(analyst.asked) == 1)


async def test_what_was_found_is_in_the_graph_and_in_the_record() -> None:
    async with underway() as (person, _analyst):
        await person.press("W")
        await until(person, lambda: person.screen.analysis.best is not None)
        value = person.screen.match.evaluations.of(person.game.node)
        assert value is not None
        assert (value.black, value.lead) == (0.62, 2.0)
        data = person.session.record()
        assert b"SBKV[62.00]SBKS[2.00]DQEV[network:100]" in data


async def test_looking_at_a_file_makes_no_unfinished_game(tmp_path: Path) -> None:
    folders = Folders(tmp_path / "journal", tmp_path / "library")
    app = DaoqiApp(Session(SMALL), folders=folders)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        person = Person(app, pilot)
        await person.screen.records.open(b"(;FF[4]GM[1]SZ[5]TO[3]KM[4];B[cc];W[bb])")
        await until(person, lambda: person.session.info is not None)
        analyst = analysed_by(person)
        await person.press("right_square_bracket", "W")
        await until(person, lambda: len(analyst.asked) == 1 and not person.screen.analysis.searching)
        assert b"SBKV" in person.session.record()
        assert not list(tmp_path.glob("journal/*.journal"))


async def test_the_engine_of_the_settings_analyses_and_its_failure_is_one_line() -> None:
    options = Options(analysis_engine="no-such-engine --gtp")
    async with playing(setup=SMALL, options=options) as person:
        await person.play("C3")
        await person.press("W")
        await until(person, lambda: "no-such-engine" in person.status)
        assert "cannot be started" in person.status
        assert person.screen.analysis.clarity == Clarity.NOTHING


async def test_in_a_small_window_the_strip_lists_the_moves() -> None:
    async with underway(window=(80, 24)) as (person, _analyst):
        await person.press("W")
        await until(person, lambda: person.screen.analysis.best is not None)
        await until(person, lambda: bool(person.screen.query(CandidatesPane)))
        await until(person, lambda: rows(person)[0].split() == ["■", "C3", "62%", "B+2.0", "0", "80"])


# The review, mistakes and the summary


async def reviewed(person: Person) -> QuickAnalyst:
    """Play six moves, of which the third and fourth lose many points, and review them."""
    analyst = analysed_by(person)
    await person.play("C3", "D3", "C2", "D2", "C4", "D4")
    analyst.leads = {3: -9.0, 4: -5.0, 5: -5.0, 6: -5.0}
    await person.press("V")
    await until(person, lambda: not person.screen.review.on)
    return analyst


async def test_a_review_walks_the_game_and_marks_it_in_the_record() -> None:
    async with playing(setup=SMALL, options=Options(names="daoqi")) as person:
        await reviewed(person)
        assert person.status.startswith(
            "The biggest mistake was move 3, Black C2, which cost 9.0 points  ·  2 mistakes"
        )
        assert person.moves[-1] == "D4"
        marks = {person.game.torus.name(point): mark for point, mark in person.board.picture.mistakes.items()}
        assert marks == {"C2": Mistake(Grade.BLUNDER, punished=True), "D2": Mistake(Grade.MISTAKE, punished=True)}
        listed = person.screen.query_one(HistoryPane)
        assert [number for number in range(7) if "■" in listed.render_line(number).text] == [3, 4]
        person.app.apply_options(person.screen.options._replace(grades="1 2 20"))
        await person.wait()
        assert [mark.grade for mark in person.board.picture.mistakes.values()] == [Grade.MISTAKE, Grade.MISTAKE]
        person.app.apply_options(person.screen.options._replace(grades=Options().grades))
        record = person.session.record()
        assert record.count(b"SBKV") == 7
        again = Session.opened(record)
        marked = again.game.root.line()[2]
        assert "Blunder: A5 was 9.0 points better" in comment(marked)
        assert (marked.properties or {})["BM"] == ["2"]
        line = [again.game.root, *again.game.root.line()]
        assert len(evaluated_moves(line, Evaluations(), again.game.torus.size)) == 6, (
            "what a record says is known at once"
        )


@pytest.mark.parametrize("window", [(80, 24), (120, 40)])
async def test_the_problems_that_a_review_has_made_are_told_with_their_key(
    tmp_path: Path, window: tuple[int, int]
) -> None:
    app = DaoqiApp(Session(SMALL), folders=Folders(tmp_path / "journal", tmp_path / "library"))
    async with app.run_test(size=window) as pilot:
        person = Person(app, pilot)
        await person.settle()
        await reviewed(person)
        await until(person, lambda: list(app._notifications))
        (told,) = app._notifications
        assert told.message == "2 new problems from your mistakes\nF7: problems"


async def test_keys_go_to_the_mistakes_and_the_status_names_them() -> None:
    async with playing(setup=SMALL) as person:
        await reviewed(person)
        await person.press("home", NEXT)
        assert person.game.node.number == 3
        assert "blunder, 9.0 points lost" in person.status
        await person.press(NEXT)
        assert person.game.node.number == 4
        assert "mistake, 4.0 points lost" in person.status
        await person.press(NEXT)
        assert "no mistake after this move  ·  < goes to the previous one" in person.status
        await person.press(PREVIOUS)
        assert person.game.node.number == 3
        await person.press(PREVIOUS)
        assert "no mistake before this move  ·  > goes to the next one" in person.status


async def test_at_a_mistake_the_better_move_stands_on_the_board_and_the_mouse_goes_to_the_next() -> None:
    async with playing((80, 24), setup=SMALL, options=Options(names="daoqi")) as person:
        await reviewed(person)
        assert "Pass" in person.text("#hints"), "the game goes on"
        assert not person.board.picture.proposed
        await person.press("home", NEXT)
        better = person.game.torus.parse("A5")
        assert person.board.picture.proposed == {better: BLACK}
        hints = person.screen.query_one("#hints")
        await person.click(hints.content_region.x + 1 + person.text("#hints").index("> Next mistake"), hints.region.y)
        assert person.game.node.number == 4
        assert person.board.picture.proposed == {better: WHITE}
        await person.press(BACK, BACK)
        assert not person.board.picture.proposed


@pytest.mark.parametrize("key", [NEXT, PREVIOUS])
async def test_during_a_review_keys_go_to_the_mistakes_known_or_tell_how_far_it_is(
    monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    async with playing(setup=SMALL) as person:
        analyst = analysed_by(person)
        think = analyst.think

        async def until_move_four(request: Think, on_progress: Callable[[Progress], None] | None = None) -> Answer:
            if len(request.position.actions) > 4:
                analyst.may_answer.clear()
            return await think(request, on_progress)

        monkeypatch.setattr(analyst, "think", until_move_four)
        await person.play("C3", "D3", "C2", "D2", "C4", "D4")
        analyst.leads = dict.fromkeys(range(3, 7), -9.0)
        analyst.may_answer.clear()
        await person.press("V", key)
        said = person.screen.said
        assert said.startswith("No mistake is found yet  ·  Reviewing the game …  ·  1 of 7,")
        assert said.endswith("V stops")
        analyst.may_answer.set()
        await until(person, lambda: any(move.lost > 8 for move in person.screen.view.evaluated))
        await person.press(key)
        assert person.game.node.number == 3
        await person.press(key)
        assert person.screen.said.startswith("No other mistake is found yet  ·  Reviewing the game …")
        assert person.screen.review.on


async def test_the_summary_opens_once_there_is_something_to_say() -> None:
    async with playing(setup=SMALL) as person:
        await person.press("Z")
        assert "V reviews the game" in person.status
        await person.press(NEXT)
        assert "V reviews the game" in person.status
        await reviewed(person)
        await person.press("Z")
        person.open(TextPage)
        assert "Black: 1 blunder in 3 moves\n  3.00 points lost a move on average" in person.question()
        await person.press("escape")
        assert person.at_the_board


async def test_a_review_can_be_stopped_and_needs_a_move() -> None:
    async with playing(setup=SMALL) as person:
        analyst = analysed_by(person)
        await person.press("V")
        assert "no move to review" in person.status
        analyst.may_answer.clear()
        await person.play("C3")
        await person.press("V")
        assert person.screen.review.on
        assert "Reviewing" in person.status
        await person.press("V")
        assert not person.screen.review.on
        await until(person, lambda: analyst.cancelled == 1)
        assert person.screen.view.evaluated == []
