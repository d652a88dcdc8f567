"""Tests the end of a game: the count, passing, the question at the second pass, dead stones, resuming, resigning."""

from __future__ import annotations

import pytest

from daoqi_tui.engine import BLACK, TROMP_TAYLOR, WHITE, Rules
from daoqi_tui.play.session import GameSetup
from daoqi_tui.tui.look import Options
from daoqi_tui.tui.panes import GamePane
from daoqi_tui.tui.screens import Question
from tests import waiting
from tests.tui.driving import Person, playing, until
from tests.tui.thinkers import analysed_by

SMALL = GameSetup(size=5)

EVEN = """
    . X X O O
    X . X O .
    . X X O O
    . X O . O
    . X X O O
"""
"""Nine stones and one point of territory each; the other points touch both colours, some across the seam."""


async def count(person: Person) -> list[list[str]]:
    """Return the rows of the count pane."""
    assert person.screen.query_one("#area").display
    return [line.split() for line in person.text("#area").split("\n")]


async def test_the_count_shows_owners_and_its_breakdown() -> None:
    async with playing() as person:
        await person.lay_out(EVEN, komi=0.5)
        assert person.board.picture.owners is None
        await person.press("t")
        assert person.board.picture.owners == person.game.area().owners
        rows = {row[0]: row[1:] for row in await count(person)}
        assert rows["stones"] == ["9", "9"]
        assert rows["territory"] == ["1", "1"]
        assert rows["komi"] == ["0.5"]
        assert rows["total"] == ["10", "10.5"]
        assert "White by 0.5" in person.text("#area")
        assert "10.5" in person.status
        await person.press("t")
        assert person.board.picture.owners is None
        assert not person.screen.query_one("#area").display
        assert person.moves == []


async def test_the_count_follows_the_moves_while_it_shows() -> None:
    async with playing() as person:
        await person.lay_out(EVEN, komi=0)
        await person.press("t")
        await person.play("A1")
        rows = {row[0]: row[1:] for row in await count(person)}
        assert rows["stones"] == ["10", "9"]


@pytest.mark.parametrize("key", ["R", "p"])
async def test_a_question_about_a_game_closes_when_the_game_ends(key: str) -> None:
    async with playing(setup=SMALL) as person:
        await person.play("A1", "pass")
        await person.press(key)
        assert person.open(Question)
        person.screen.match.resign(WHITE)
        await until(person, lambda: person.at_the_board)
        assert person.moves == ["A1", "pass"]
        await until(person, lambda: "White resigns" in person.status)


async def test_a_pass_is_played_and_its_cost_shown() -> None:
    async with playing(setup=SMALL) as person:
        await person.press("p")
        assert person.at_the_board
        assert person.moves == ["pass"]
        assert person.tallies() == ["captured 0  passes 1 (−1)", "captured 0  passes 0"]


@pytest.mark.parametrize(("width", "captures"), [(80, "×1"), (50, "")])
async def test_beside_the_count_in_a_narrow_window_names_are_whole(width: int, captures: str) -> None:
    def rows() -> list[str]:
        pane = person.screen.query_one(GamePane)
        return [strip.text.strip() for strip in pane.render_lines(pane.size.region)[:3]]

    async with playing((width, 24), setup=SMALL) as person:
        await person.play("C3", "B3", "A1", "D3", "A2", "C4", "A3", "C2")
        before = rows()
        assert "captured" not in before[1]
        assert before[1].split()[-2:] == ["1", "0"]
        await person.press("t")
        await person.wait()
        assert rows()[0].endswith("Black")
        assert rows()[1] == f"● White {captures}".strip()
        assert rows()[2] == "Move 9"
        await person.press("t")
        await person.wait()
        assert rows() == before


@pytest.mark.parametrize(("rules", "tally"), [(Rules(pass_cost=3), "passes 2 (−6)"), (TROMP_TAYLOR, "passes 2")])
async def test_passes_are_counted_whatever_they_cost(rules: Rules, tally: str) -> None:
    async with playing(setup=SMALL._replace(rules=rules)) as person:
        await person.press("p")
        await person.play("A1")
        await person.press("p")
        assert person.tallies() == [f"captured 0  {tally}", "captured 0  passes 0"]


@pytest.mark.parametrize("answer", ["y", "n", "escape"])
async def test_the_second_pass_asks_first_with_the_count_it_would_end_with(answer: str) -> None:
    async with playing() as person:
        await person.lay_out(EVEN, komi=1)
        await person.press("p", "p")
        question = person.open(Question)._question
        # The question already includes the cost of the second pass, which is not played yet.
        assert "● 9 + 1 − 1 = 9" in question
        assert "○ 9 + 1 − 1 + 1 = 10" in question
        assert "White by 1" in question
        assert person.moves == ["pass"]
        assert person.game.board.passes[WHITE] == 0
        await person.press(answer)
        assert person.at_the_board
        if answer == "y":
            assert str(person.game.result) == "W+1"
            assert "White wins by 1" in person.status
            assert "W+1" in person.text("#game")
            assert person.board.picture.owners is not None
        else:
            assert person.moves == ["pass"]
            assert not person.game.is_over
            await person.play("A1")


async def test_the_question_can_be_answered_by_mouse_and_by_tab_and_enter() -> None:
    async with playing(setup=SMALL) as person:
        await person.press("p", "p")
        await person.wait()
        await person.click_widget(person.open(Question).query_one("#answer-n"))
        await person.wait()
        assert person.moves == ["pass"]
        await person.press("p")
        await person.wait()
        await person.press("enter")
        await person.wait()
        assert person.moves == ["pass", "pass"]


async def test_passes_apart_do_not_ask() -> None:
    async with playing(setup=SMALL) as person:
        await person.press("p", "enter", "p", "l", "enter", "p")
        assert person.moves == ["pass", "C3", "pass", "D3", "pass"]
        assert person.at_the_board


async def test_nothing_can_be_played_after_the_end() -> None:
    async with playing(setup=SMALL) as person:
        await person.play("C3", "pass", "pass")
        await person.press("l", "enter")
        assert "over" in person.status
        await person.click_point("A1")
        assert "over" in person.status
        await person.press("p")
        assert "over" in person.status
        await person.press("R")
        assert "over" in person.status
        assert person.moves == ["C3", "pass", "pass"]


async def test_dead_stones_are_offered_after_two_passes_and_not_after_resigning() -> None:
    async with playing(setup=SMALL) as person:
        await person.play("C3", "pass", "pass")
        assert person.text("#hints").startswith("r Resume   d Dead stones")
        assert "V Review" in person.text("#hints")
        await person.press("r", "R", "y")
        assert person.game.is_over
        assert person.text("#hints").startswith("r Resume   V Review")
        assert "Dead stones" not in person.text("#hints")


async def test_play_can_be_resumed_and_ends_with_two_new_passes() -> None:
    async with playing(setup=SMALL) as person:
        await person.press("r")
        assert "not over" in person.status
        await person.play("C3", "pass", "pass")
        await person.press("r")
        assert not person.game.is_over
        assert person.board.picture.owners is None
        await person.press("p")
        assert person.at_the_board
        assert not person.game.is_over
        await person.press("p")
        person.open(Question)
        await person.press("y")
        assert person.game.is_over
        assert person.game.board.passes[1:] == [2, 2]


async def test_dead_stones_are_agreed_by_chain_and_taken_off_the_count() -> None:
    async with playing(setup=SMALL) as person:
        await person.press("d")
        assert "two passes" in person.status
        assert not person.screen.counting.marking
        await person.lay_out(
            """
            X X X X X
            X X X X X
            X X . X X
            X . O O X
            X X . X X
            """,
            komi=0,
        )
        await person.play("pass", "pass")
        analysed_by(person)
        before = person.game.area()
        await person.press("d")
        await person.click_point("C2")
        torus = person.game.torus
        assert person.board.picture.dead == {torus.parse("C2"), torus.parse("D2")}
        assert person.screen.counting.now.black.total == 24
        assert before.black.total < 24
        assert str(person.game.result) == "B+25"
        await person.click_point("D2")
        assert person.board.picture.dead == frozenset()
        assert person.game.area() == before
        await person.click_point("C1")
        assert "There is no stone at C1" in person.status
        await person.press("g", "d", "2", "enter")
        assert person.board.picture.dead == {torus.parse("C2"), torus.parse("D2")}
        await person.press("g", "c", "2", "enter")
        assert person.board.picture.dead == frozenset()
        await person.press("g", "c", "1", "enter")
        assert "There is no stone at C1" in person.status
        await person.click_point("D2")
        await person.press("d")
        assert not person.screen.counting.marking
        assert str(person.game.result) == "B+25"
        assert person.moves == ["pass", "pass"]


DEAD_CORNER = """
    . X . O .
    X X . O .
    . X O O .
    X X . O .
    . X . O X
"""


async def test_dead_stones_are_proposed_and_changed_by_a_click() -> None:
    async with playing(setup=SMALL) as person:
        await person.lay_out(DEAD_CORNER)
        analyst = analysed_by(person)
        colours = person.game.board.colours
        analyst.ownership = tuple({0: 0.0, 1: 0.7, 2: -0.95}[colour] for colour in colours)
        dead = person.game.torus.parse("E1")
        analyst.ownership = (*analyst.ownership[:dead], -0.9, *analyst.ownership[dead + 1 :])
        await person.play("pass", "pass")
        await person.press("d")
        await until(person, lambda: person.board.picture.dead == {dead})
        assert person.status.startswith("These look dead (over 80% sure)")
        assert "1 stone dead: White by 3" in person.status
        await person.click_point("E1")
        assert person.board.picture.dead == frozenset()
        assert "All alive (Tromp–Taylor): White by 2" in person.status
        assert "look dead" not in person.status


async def test_a_proposal_comes_too_late_for_stones_that_were_marked() -> None:
    async with playing(setup=SMALL) as person:
        await person.lay_out(DEAD_CORNER)
        analyst = analysed_by(person)
        analyst.ownership = (-1.0,) * 25
        analyst.may_answer.clear()
        await person.play("pass", "pass")
        await person.press("d")
        await person.click_point("E1")
        analyst.may_answer.set()
        await person.wait()
        assert person.board.picture.dead == {person.game.torus.parse("E1")}


async def test_after_two_passes_the_count_stands_in_place_of_an_estimate() -> None:
    async with playing(setup=SMALL) as person:
        await person.play("C3", "pass", "pass")
        await person.press("t", "e")
        assert "the count shows" in person.status
        assert person.screen.counting.on
        assert not person.screen.estimate.on


async def test_the_count_that_the_end_brought_goes_when_the_end_is_undone() -> None:
    async with playing(setup=SMALL) as person:
        await person.play("C3", "pass", "pass")
        assert person.screen.counting.on
        await person.press("left_square_bracket")
        assert person.screen.counting.on, "the game is over, though an earlier move shows"
        await person.press("end", "u")
        assert not person.screen.counting.on
        # A count that was requested stays.
        await person.press("t")
        await person.play("pass")
        await person.press("t", "t", "u")
        assert person.screen.counting.on


async def test_the_count_at_the_end_replaces_an_estimate_that_was_on() -> None:
    async with playing(setup=SMALL) as person:
        analysed_by(person)
        await person.play("C3")
        await person.press("e")
        assert person.screen.estimate.on
        await person.play("pass", "pass")
        await person.press("e")
        assert "the count shows" in person.status
        assert person.screen.counting.on


@pytest.mark.parametrize("away", ["left_square_bracket", "home", "u", "left_curly_bracket"])
async def test_going_elsewhere_ends_the_choosing_of_dead_stones(away: str) -> None:
    async with playing(setup=SMALL) as person:
        analysed_by(person)
        await person.play("C3", "D4", "pass", "pass")
        await person.press("d", away)
        assert not person.screen.counting.marking
        assert not person.game.is_over
        await person.click_point("D4")
        await person.click_point("C3")
        await person.click_point("E5")
        assert person.moves[-1] == "E5"


async def test_a_click_in_the_history_ends_the_choosing_of_dead_stones() -> None:
    async with playing(setup=SMALL) as person:
        analysed_by(person)
        await person.play("C3", "D4", "pass", "pass")
        await person.press("d")
        await person.wait()
        history = person.screen.query_one("#history").content_region
        await person.click(history.x + 2, history.y + 1)
        assert person.moves == ["C3"]
        await person.click_point("C3")
        assert "C3 is occupied" in person.status


async def test_taking_back_after_dead_stones_leads_back_into_the_game() -> None:
    async with playing(setup=SMALL) as person:
        analysed_by(person)
        await person.play("C3", "D4", "pass", "pass")
        await person.press("d")
        await person.click_point("D4")
        await person.press("d", "u")
        assert not person.game.is_over
        assert person.screen.match.game.dead == frozenset()


async def test_the_passes_of_a_resumed_game_taken_back_end_it_again_when_passed_again() -> None:
    async with playing(setup=SMALL) as person:
        await person.play("C3", "pass", "pass")
        await person.press("r", "u")
        assert person.moves == ["C3", "pass"]
        await person.press("p")
        person.open(Question)
        await person.press("y")
        assert person.moves == ["C3", "pass", "pass"]
        assert person.game.is_over


@pytest.mark.parametrize("answer", ["y", "n"])
async def test_resigning_asks_first(answer: str) -> None:
    async with playing(setup=SMALL) as person:
        await person.play("C3")
        await person.press("R")
        assert "White" in person.open(Question)._question
        await person.press(answer)
        assert person.game.is_over == (answer == "y")
        if answer == "y":
            assert str(person.game.result) == "B+R"
            assert "White resigns" in person.status
            await person.press("u")
            assert not person.game.is_over
            assert person.moves == ["C3"]


@pytest.mark.parametrize("keys", [("R", "y"), ("p", "p", "y")])
async def test_the_bell_at_the_end_rings_however_the_game_ends(
    keys: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    rung: list[bool] = []
    async with playing(setup=SMALL, options=Options(bells=frozenset({"end"}))) as person:
        monkeypatch.setattr(person.app, "bell", lambda: rung.append(person.game.is_over))
        await person.press(*keys)
        await until(person, lambda: rung)
        assert rung == [True]


async def test_quitting_asks_only_while_a_game_is_under_way() -> None:
    async with playing(setup=SMALL) as person:
        await person.play("C3")
        await person.press("q")
        person.open(Question)
        await person.press("n")
        assert person.at_the_board
        assert person.app.is_running
        await person.play("pass", "pass")
        await person.press("q")
        await waiting.until(lambda: not person.app.is_running)
    async with playing() as person:
        await person.press("q")
        await waiting.until(lambda: not person.app.is_running)
        assert person.app.return_code == 0


async def test_a_whole_game_by_mouse_and_by_keys_has_the_same_end() -> None:
    names = ["C3", "C4", "D4", "B3", "E1", "A5"]
    ends = []
    for by_mouse in (True, False):
        async with playing(setup=SMALL) as person:
            for name in names:
                if by_mouse:
                    await person.click_point(name)
                else:
                    await person.press("g")
                    await person.type(name)
                    await person.press("enter")
            await person.press("p", "p", "y")
            ends.append((person.position, person.moves, str(person.game.result)))
            assert person.game.board.to_move == BLACK
    assert ends[0] == ends[1]
    assert ends[0][1] == [*names, "pass", "pass"]
