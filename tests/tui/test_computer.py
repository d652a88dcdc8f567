"""Tests computer players, with fakes that answer at once: when they move, and what a person can do meanwhile."""

from __future__ import annotations

import pytest

from daoqi_tui.ai import Progress
from daoqi_tui.ai.process import PlayerCrashed, PlayerError
from daoqi_tui.engine import BLACK, PASS, WHITE
from daoqi_tui.engine.clock import TimeControl, TimeLeft
from daoqi_tui.gtp.client import EngineError
from daoqi_tui.gtp.player import RESIGN
from daoqi_tui.pictures.picture import Ghost
from daoqi_tui.play.players import time_for_move
from daoqi_tui.play.session import Computer, EngineSeat, GameSetup, Session
from daoqi_tui.tui.look import Options
from daoqi_tui.tui.screens import Question
from tests.play.quick import PlayerFactory, answer
from tests.tui.driving import playing, until

AS_BLACK = GameSetup(size=5, white_seat=Computer(3))
AS_WHITE = GameSetup(size=5, black_seat=Computer(3))
BACK, ON = "left_square_bracket", "right_square_bracket"
BOTH = GameSetup(size=5, black_seat=Computer(1), white_seat=Computer(2))


# When they move


async def test_a_computer_answers_each_move(factory: PlayerFactory) -> None:
    async with playing(setup=AS_BLACK) as person:
        assert "Computer 3" in person.text("#game")
        assert person.moves == []
        await person.press("enter")
        assert person.moves == ["C3", "A5"]
        assert person.screen.match.turns.thinking is None
        await person.play("D3")
        assert person.moves == ["C3", "A5", "D3", "B5"]
        assert len(factory.players) == 1


async def test_a_computer_that_plays_black_begins(factory: PlayerFactory) -> None:
    async with playing(setup=AS_WHITE) as person:
        await person.wait()
        assert person.moves == ["A5"]


async def test_persons_alone_set_no_computer_in_motion(factory: PlayerFactory) -> None:
    async with playing(setup=GameSetup(size=5)) as person:
        await person.play("C3", "D3")
        assert person.moves == ["C3", "D3"]
        assert factory.players == []


async def test_looking_back_sets_none_in_motion_and_a_known_move_played_again_does(factory: PlayerFactory) -> None:
    async with playing(setup=AS_BLACK) as person:
        await person.play("C3")
        await person.play("D3")
        assert len(factory.last.asked) == 2
        await person.press(BACK, BACK, BACK)
        assert person.moves == ["C3"]
        assert person.screen.match.turns.thinking is None
        await person.press(BACK)
        await person.play("C3")
        assert len(factory.last.asked) == 3
        assert person.moves == ["C3", "A5"]


async def test_no_stone_of_the_computers_hangs_under_the_mouse(factory: PlayerFactory) -> None:
    factory.holding = True
    async with playing(setup=AS_BLACK) as person:
        await person.hover_point("B2")
        assert person.board.picture.ghost is not None
        await person.play("C3")
        await person.hover_point("D3")
        assert person.screen.match.turns.thinking is not None
        assert person.board.picture.ghost is None
        factory.last.may_answer.set()
        await person.wait()
        await person.hover_point("D2")
        assert person.board.picture.ghost == Ghost(person.game.torus.parse("D2"), BLACK)


async def test_it_agrees_to_end_with_a_pass_and_the_game_ends(factory: PlayerFactory) -> None:
    factory.script.append(answer(PASS))
    async with playing(setup=AS_BLACK) as person:
        await person.press("p")
        assert person.moves == ["pass", "pass"]
        assert person.game.is_over
        assert person.screen.counting.on


async def test_it_passes_first_and_that_is_said(factory: PlayerFactory) -> None:
    factory.script.append(answer(PASS))
    async with playing(setup=AS_BLACK) as person:
        await person.play("C3")
        assert person.moves == ["C3", "pass"]
        assert "White passes" in person.status


@pytest.mark.parametrize("resigns", [True, False])
async def test_it_resigns_when_hopeless_for_long_if_it_may(factory: PlayerFactory, resigns: bool) -> None:
    factory.script += [answer(point, 0.01, hopeless=True) for point in (0, 1, 2)]
    async with playing(setup=GameSetup(size=5, white_seat=Computer(3), resigns=resigns)) as person:
        await person.play("C3")
        await person.play("D3")
        assert not person.game.is_over
        await person.play("C2")
        assert person.game.is_over is resigns
        assert (str(person.game.result) == "B+R") is resigns


async def test_a_pass_that_ends_the_game_is_no_resignation(factory: PlayerFactory) -> None:
    factory.script += [answer(point, 0.01, hopeless=True) for point in (0, 1, PASS)]
    async with playing(setup=AS_BLACK) as person:
        for name in ("C3", "D3", "pass"):
            await person.play(name)
        assert person.moves[-2:] == ["pass", "pass"]
        assert person.game.result is not None
        assert person.game.result.margin is not None


async def test_hope_in_between_counts_from_the_start_again(factory: PlayerFactory) -> None:
    factory.script += [answer(point, 0.01, hopeless=point != 1) for point in (0, 1, 2)]
    async with playing(setup=AS_BLACK) as person:
        for name in ("C3", "D3", "C2"):
            await person.play(name)
        assert not person.game.is_over


async def test_an_engine_that_resigns_loses(factory: PlayerFactory) -> None:
    factory.script.append(answer(RESIGN))
    async with playing(setup=GameSetup(size=5, white_seat=EngineSeat("gnugo"))) as person:
        await person.play("C3")
        assert str(person.game.result) == "B+R"


# While they think


async def test_the_progress_is_told_and_escape_makes_it_move(factory: PlayerFactory) -> None:
    factory.holding = True
    async with playing(setup=AS_BLACK) as person:
        await person.press("enter")
        assert person.status.startswith("Computer 3 is thinking")
        assert "Esc: move now" in person.status
        tell = factory.last.progress
        assert tell is not None
        lines = answer(7, 0.625, line=(7, 8)).lines
        tell(Progress(1, 12345, 1.5, lines, 0.0))
        person.screen.status.show_progress()
        assert "12,345 visits" in person.status
        assert "C4 62% D4" in person.status
        await person.press("escape", "escape")
        assert factory.last.hurried == 1
        assert person.moves == ["C3", "A5"]
        assert "thinking" not in person.status


async def test_other_words_stay_while_it_thinks(factory: PlayerFactory) -> None:
    factory.holding = True
    async with playing(setup=AS_BLACK) as person:
        await person.press("enter", "y")
        assert "Copied" in person.status
        person.screen.status.show_progress()
        assert "Copied" in person.status


async def test_nobody_else_moves_while_it_thinks(factory: PlayerFactory) -> None:
    factory.holding = True
    async with playing(setup=AS_BLACK) as person:
        await person.press("enter", "l", "enter")
        assert person.moves == ["C3"]
        assert "Computer 3 is thinking: Esc makes it move now" in person.status
        await person.press("p")
        assert person.moves == ["C3"]


async def test_with_the_guard_on_no_second_click_is_asked_for_while_it_thinks(factory: PlayerFactory) -> None:
    factory.holding = True
    async with playing(setup=AS_BLACK, options=Options(confirm_click=True)) as person:
        await person.press("enter")
        assert person.screen.match.turns.thinking is not None
        await person.click_point("D4")
        assert "Computer 3 is thinking: Esc makes it move now" in person.status
        assert person.moves == ["C3"]


async def test_taking_back_while_it_thinks_ends_the_thought(factory: PlayerFactory) -> None:
    factory.holding = True
    async with playing(setup=AS_BLACK) as person:
        await person.press("enter", "u")
        assert person.moves == []
        assert person.screen.match.turns.thinking is None
        factory.last.may_answer.set()
        await person.wait()
        assert person.moves == []
        await person.play("B2")
        assert person.moves == ["B2", "A5"]


async def test_taking_back_takes_both_moves(factory: PlayerFactory) -> None:
    async with playing(setup=AS_BLACK) as person:
        await person.play("C3")
        await person.play("D3")
        await person.press("u")
        assert person.moves == ["C3", "A5"]
        await person.press("u")
        assert person.moves == []
        await person.press("u")
        assert "You have no move to undo" in person.status


async def test_the_first_move_of_a_computer_is_not_taken_back(factory: PlayerFactory) -> None:
    async with playing(setup=AS_WHITE) as person:
        await person.wait()
        await person.press("u")
        assert person.moves == ["A5"]
        assert "You have no move to undo" in person.status


async def test_taking_back_its_resignation_takes_the_move_before_it(factory: PlayerFactory) -> None:
    factory.script.append(answer(RESIGN))
    async with playing(setup=AS_BLACK) as person:
        await person.play("C3")
        assert person.game.is_over
        await person.press("u")
        assert not person.game.is_over
        assert person.moves == []


@pytest.mark.parametrize("keys", [(BACK,), (BACK, ON)])
async def test_it_thinks_on_while_one_looks_back_and_its_move_is_shown(
    factory: PlayerFactory, keys: tuple[str, ...]
) -> None:
    factory.holding = True
    async with playing(setup=AS_BLACK) as person:
        await person.press("enter", *keys)
        assert person.screen.match.turns.thinking is not None
        assert "is thinking" in person.status
        assert len(factory.last.asked) == 1
        factory.last.may_answer.set()
        await person.wait()
        assert person.moves == ["C3", "A5"]


async def test_a_new_game_ends_the_thought(factory: PlayerFactory) -> None:
    factory.holding = True
    async with playing(setup=AS_BLACK) as person:
        await person.press("enter")
        person.screen.begin(Session(GameSetup(size=5)))
        factory.last.may_answer.set()
        await person.wait()
        assert person.moves == []
        assert person.screen.match.turns.thinking is None


async def test_a_person_resigns_for_themself_whoever_is_to_move(factory: PlayerFactory) -> None:
    factory.holding = True
    async with playing(setup=AS_BLACK) as person:
        await person.press("enter", "R")
        assert "Resign as Black?" in person.open(Question)._question
        await person.press("y")
        assert str(person.game.result) == "W+R"
        assert person.screen.match.turns.thinking is None


# Two computers


async def test_two_computers_play_on_and_can_be_paused_and_stepped(factory: PlayerFactory) -> None:
    factory.holding = True
    async with playing(setup=BOTH) as person:
        await person.wait()
        assert [player.seat for player in factory.players] == [Computer(1)]
        await person.press("z")
        assert person.screen.match.turns.paused
        assert person.screen.match.turns.thinking is None
        assert "z resumes them" in person.status
        factory.holding = False
        for player in factory.players:
            player.may_answer.set()
        await person.press("s")
        assert person.moves == ["A5"]
        await person.press("s")
        assert person.moves == ["A5", "B5"]
        assert [player.seat for player in factory.players] == [Computer(1), Computer(2)]
        factory.script += [answer(PASS), answer(PASS)]
        await person.press("z")
        await person.wait()
        assert person.game.is_over
        assert person.moves == ["A5", "B5", "pass", "pass"]


async def test_taking_back_between_two_computers_pauses_them(factory: PlayerFactory) -> None:
    async with playing(setup=GameSetup(size=5)) as person:
        person.session.seats = {BLACK: Computer(1), WHITE: Computer(2)}
        person.screen.match.turns.paused = True
        await person.press("s", "s", "u")
        assert person.screen.match.turns.paused
        assert person.moves == ["A5"]


async def test_computers_are_not_said_to_be_paused_where_there_was_nothing_to_undo(factory: PlayerFactory) -> None:
    factory.holding = True
    async with playing(setup=BOTH) as person:
        await person.wait()
        await person.press("u")
        assert "nothing to undo" in person.status
        assert not person.screen.match.turns.paused


async def test_a_step_makes_one_move_for_a_person_too(factory: PlayerFactory) -> None:
    async with playing(setup=GameSetup(size=5)) as person:
        await person.press("s")
        assert person.moves == ["A5"]
        await person.press("z")
        assert "Two humans play" in person.status


# Failures


async def test_a_crash_is_told_and_play_goes_on(factory: PlayerFactory) -> None:
    factory.script.append(PlayerCrashed("the computer player's process ended by SIGKILL"))
    async with playing(setup=AS_BLACK) as person:
        said: list[str] = []
        say = person.screen.say
        person.screen.say = lambda words: (said.append(words), say(words))[1]  # type: ignore[method-assign]
        await person.play("C3")
        assert "the computer player's process ended by SIGKILL" in said
        assert person.moves == ["C3", "A5"]


@pytest.mark.parametrize(
    ("problem", "asked"),
    [
        (PlayerCrashed("it ended"), 2),
        (PlayerError("it cannot"), 1),
        (EngineError("illegal move", "gnugo played A1, which is illegal on the torus"), 1),
        (EngineError("crashed", "gnugo ended with status 1"), 2),
    ],
)
async def test_a_player_that_gives_no_move_waits_and_the_game_goes_on(
    factory: PlayerFactory, problem: PlayerError, asked: int
) -> None:
    factory.script += [problem, problem]
    async with playing(setup=AS_BLACK) as person:
        await person.play("C3")
        assert len(factory.last.asked) == asked
        assert str(problem) in person.status
        assert person.screen.match.turns.paused
        await person.play("D3")
        assert person.moves == ["C3", "D3"]
        factory.script.clear()
        await person.press("s")
        assert person.moves == ["C3", "D3", "A5"]


async def test_an_engine_is_ended_when_its_thought_is_called_off(factory: PlayerFactory) -> None:
    factory.holding = True
    async with playing(setup=GameSetup(size=5, white_seat=EngineSeat("gnugo"))) as person:
        await person.press("enter", "u")
        await person.wait()
        assert factory.last.closed == 1
        assert person.moves == []


async def test_escape_stops_waiting_for_an_engine_which_can_be_asked_again(factory: PlayerFactory) -> None:
    factory.holding = True
    async with playing(setup=GameSetup(size=5, white_seat=EngineSeat("gnugo"))) as person:
        await person.press("enter", "escape")
        await until(person, lambda: factory.last.closed == 1)
        assert "gnugo was stopped before it had moved" in person.status
        assert "asks again" in person.status
        assert person.screen.match.turns.thinking is None
        factory.holding = False
        await person.press("s")
        await until(person, lambda: len(person.moves) == 2)


async def test_all_players_are_ended_with_the_screen(factory: PlayerFactory) -> None:
    async with playing(setup=GameSetup(size=5)) as person:
        person.session.seats = {BLACK: Computer(1), WHITE: Computer(2)}
        person.screen.match.turns.paused = True
        await person.press("s", "s")
    assert [player.closed for player in factory.players] == [1, 1]


# Time


@pytest.mark.parametrize(
    ("seconds", "left", "allowed"),
    [
        (5.0, None, (5.0, 0.0)),
        (None, None, (None, 0.0)),
        (5.0, TimeLeft(600, 0, in_byoyomi=False), (5.0, 0.0)),
        (None, TimeLeft(600, 0, in_byoyomi=False), (20.0, 10.0)),
        (25.0, TimeLeft(600, 0, in_byoyomi=False), (20.0, 5.0)),
        (None, TimeLeft(10, 3, in_byoyomi=True), (9.0, 0.0)),
        (60.0, TimeLeft(10, 3, in_byoyomi=True), (9.0, 0.0)),
        (60.0, TimeLeft(2, 3, in_byoyomi=True), (1.6, 0.0)),
        (60.0, TimeLeft(0.1, 0, in_byoyomi=False), (0.05, 0.0033)),
    ],
)
def test_a_move_takes_no_more_than_the_clock_allows(
    seconds: float | None, left: TimeLeft | None, allowed: tuple[float | None, float]
) -> None:
    # After 10 moves on 100 points 60 are left, half of them the player's; it always plans for at least 15 of its own.
    points, played = 100, 10
    if left is not None and left.seconds < 1:
        played = 100
    timed = None if left is None else (TimeControl(600), left)
    assert time_for_move(seconds, timed, points=points, played=played) == pytest.approx(allowed, abs=1e-4)


def test_the_main_time_is_used_up_where_periods_follow_it() -> None:
    def seconds(left: TimeLeft, played: int = 100) -> float | None:
        return time_for_move(None, (TimeControl(0, 1, 30), left), points=100, played=played).seconds

    assert seconds(TimeLeft(1200, 3, in_byoyomi=False), 10) == pytest.approx(40)
    assert seconds(TimeLeft(60, 3, in_byoyomi=False)) == pytest.approx(29)
    assert seconds(TimeLeft(0.5, 1, in_byoyomi=False)) == pytest.approx(29), "the period is not lost by it"
    assert seconds(TimeLeft(0.5, 0, in_byoyomi=False)) == pytest.approx(0.05)
    assert seconds(TimeLeft(30, 1, in_byoyomi=True)) == pytest.approx(29)


def test_an_increment_is_used_up_too() -> None:
    control, left = TimeControl(600, increment=10), TimeLeft(600, 0, in_byoyomi=False)
    assert time_for_move(None, (control, left), points=100, played=10).seconds == pytest.approx(29)
    nearly_out = TimeLeft(2, 0, in_byoyomi=False)
    assert time_for_move(None, (control, nearly_out), points=100, played=10) == pytest.approx((1.6, 0))
