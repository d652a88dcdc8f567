"""Tests clocks in a game: byo-yomi, Fischer time, losing on time. The tests advance a fake clock."""

from __future__ import annotations

import time as system

import pytest
from textual.screen import Screen

from daoqi_tui.engine import BLACK, WHITE
from daoqi_tui.engine.clock import TimeControl, TimeLeft
from daoqi_tui.play import keeper, match
from daoqi_tui.play.match import Match
from daoqi_tui.play.session import GameSetup
from daoqi_tui.tui import panes, status
from daoqi_tui.tui.screens import Question
from tests.tui.driving import Person, playing

pytestmark = pytest.mark.usefixtures("every_frame")

BYOYOMI = GameSetup(size=5, time=TimeControl(60, periods=3, period=10))
FISCHER = GameSetup(size=5, time=TimeControl(60, increment=5))


class Time:
    """A fake clock that advances only through :meth:`passes`."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def passes(self, seconds: float, person: Person) -> None:
        """Advance the clock and have the screen check it."""
        self.now += seconds
        person.screen.clocks.tick()


def drawings(person: Person, monkeypatch: pytest.MonkeyPatch) -> list[Screen[object]]:
    """Return a list that collects every screen drawn from now on."""
    drawn: list[Screen[object]] = []
    monkeypatch.setattr(person.app, "_display", lambda screen, _: drawn.append(screen))
    return drawn


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    time = Time()
    for module in (match, status, panes, keeper):
        monkeypatch.setattr(module, "monotonic", time)
    return time


def left(person: Person, time: Time) -> tuple[TimeLeft, TimeLeft]:
    clock = person.session.clock
    assert clock is not None
    return clock.left(BLACK, time.now), clock.left(WHITE, time.now)


async def test_words_stand_still_below_a_dialog(monkeypatch: pytest.MonkeyPatch) -> None:
    # A change below a dialog would redraw the whole dimmed window.
    async with playing(setup=GameSetup(size=5)) as person:
        await person.press("question_mark")
        await person.wait()
        assert not person.at_the_board
        drawn = drawings(person, monkeypatch)
        person.screen.say("nobody can read this")
        await person.wait()
        assert drawn == []
        assert "nobody" not in person.status
        await person.press("escape")
        await person.wait()
        assert person.at_the_board
        assert "nobody can read this" in person.status
        assert drawn


@pytest.mark.parametrize("jump", [3e8, -3e8], ids=["on", "back"])
async def test_a_jump_of_the_clock_of_the_system_costs_no_time(
    time: Time, monkeypatch: pytest.MonkeyPatch, jump: float
) -> None:
    now = system.time
    async with playing(setup=BYOYOMI) as person:
        await person.play("C3")
        monkeypatch.setattr(system, "time", lambda: now() + jump)
        time.passes(20, person)
        assert person.session.game.result is None
        assert left(person, time)[1] == TimeLeft(40.0, 3, False)
        await person.play("D4")
        assert len(person.moves) == 2


async def test_a_clock_that_runs_is_seen_below_a_dialog(time: Time) -> None:
    async with playing(setup=BYOYOMI) as person:
        await person.press("question_mark")
        time.passes(12, person)
        assert "0:48" in person.text("#game")


async def test_the_clock_of_the_side_to_move_runs(time: Time) -> None:
    async with playing(setup=BYOYOMI) as person:
        time.passes(12, person)
        black, white = left(person, time)
        assert (black.seconds, white.seconds) == (48, 60)
        assert "0:48" in person.text("#game")
        assert "1:00" in person.text("#game")
        await person.press("enter")
        time.passes(5, person)
        black, white = left(person, time)
        assert (black.seconds, white.seconds) == (48, 55)


async def test_byoyomi_periods_start_anew_at_each_move_and_are_lost_one_by_one(time: Time) -> None:
    async with playing(setup=BYOYOMI) as person:
        time.passes(65, person)
        assert left(person, time)[0] == TimeLeft(5, 3, in_byoyomi=True)
        assert "×3" in person.text("#game")
        await person.press("enter")
        assert left(person, time)[0] == TimeLeft(10, 3, in_byoyomi=True)
        await person.press("l", "enter")
        time.passes(12, person)
        assert left(person, time)[0] == TimeLeft(8, 2, in_byoyomi=True)
        assert not person.game.is_over


async def test_fischer_time_adds_an_increment_a_move(time: Time) -> None:
    async with playing(setup=FISCHER) as person:
        time.passes(10, person)
        await person.press("enter")
        assert left(person, time)[0].seconds == 55
        time.passes(1, person)
        await person.press("p")
        assert left(person, time)[1].seconds == 64


@pytest.mark.parametrize("setup", [BYOYOMI, FISCHER])
async def test_who_runs_out_of_time_has_lost(setup: GameSetup, time: Time) -> None:
    async with playing(setup=setup) as person:
        await person.press("enter")
        time.passes(200, person)
        await person.settle()
        assert str(person.game.result) == "B+T"
        assert "White ran out of time" in person.status
        assert "0:00" in person.text("#game")
        await person.press("l", "enter")
        assert "over" in person.status
        assert person.moves == ["C3"]


async def test_the_bell_at_the_end_rings_for_a_loss_on_time(time: Time, monkeypatch: pytest.MonkeyPatch) -> None:
    rung: list[str] = []
    async with playing(setup=FISCHER) as person:
        monkeypatch.setattr(person.screen, "ring", rung.append)
        await person.press("enter")
        time.passes(200, person)
        await person.settle()
        assert str(person.game.result) == "B+T"
        assert rung.count("end") == 1


async def test_the_flag_falls_while_a_question_is_open(time: Time) -> None:
    async with playing(setup=FISCHER) as person:
        await person.press("p", "p")
        person.open(Question)
        time.passes(100, person)
        await person.settle()
        await person.press("y")
        assert person.moves == ["pass"]
        assert str(person.game.result) == "B+T"


async def test_playing_on_after_the_flag_fell_is_playing_without_a_clock(time: Time) -> None:
    async with playing(setup=FISCHER) as person:
        await person.press("enter")
        time.passes(100, person)
        await person.settle()
        await person.press("r")
        assert not person.game.is_over
        time.passes(1, person)
        await person.settle()
        assert not person.game.is_over
        await person.press("l", "enter")
        assert person.moves == ["C3", "D3"]


async def test_the_clock_of_the_game_runs_on_while_earlier_moves_are_looked_at(time: Time) -> None:
    async with playing(setup=FISCHER) as person:
        await person.press("enter", "l", "enter", "left_square_bracket", "left_square_bracket")
        black, white = left(person, time)
        time.passes(20, person)
        assert left(person, time) == (black._replace(seconds=black.seconds - 20), white)
        await person.press("end")
        time.passes(10, person)
        assert left(person, time) == (black._replace(seconds=black.seconds - 30), white)


async def test_the_flag_falls_at_the_front_whatever_is_looked_at(time: Time) -> None:
    async with playing(setup=FISCHER) as person:
        await person.press("enter", "l", "enter", "home")
        time.passes(200, person)
        await person.settle()
        assert str(person.game.result) == "W+T"
        assert len(person.moves) == 2
        assert "Black ran out of time" in person.status


async def test_a_variation_becomes_the_game_and_earns_no_time_for_its_first_move(time: Time) -> None:
    async with playing(setup=FISCHER) as person:
        await person.press("enter", "home")
        black, white = left(person, time)
        await person.press("l", "enter")
        assert left(person, time) == (black, white)
        time.passes(7, person)
        assert left(person, time) == (black, white._replace(seconds=white.seconds - 7))


async def test_a_move_taken_back_is_thought_about_again(time: Time) -> None:
    async with playing(setup=FISCHER) as person:
        await person.press("enter", "u")
        black, white = left(person, time)
        time.passes(7, person)
        assert left(person, time) == (black._replace(seconds=black.seconds - 7), white)
        await person.press("U")
        time.passes(3, person)
        assert left(person, time)[1] == white._replace(seconds=white.seconds - 3)


async def test_the_clock_stands_while_the_computers_wait(time: Time, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Match, "persons", (BLACK,))
    async with playing(setup=FISCHER) as person:
        time.passes(5, person)
        await person.press("z")
        before = left(person, time)
        time.passes(200, person)
        assert left(person, time) == before
        assert not person.game.is_over
        await person.press("z")
        time.passes(5, person)
        assert left(person, time)[0].seconds == before[0].seconds - 5


async def test_a_finished_game_is_looked_through_without_a_clock(time: Time) -> None:
    async with playing(setup=FISCHER) as person:
        await person.press("p", "p", "y")
        before = left(person, time)
        await person.press("left_square_bracket", "left_square_bracket")
        time.passes(300, person)
        assert left(person, time) == before


async def test_the_clock_stands_when_the_game_is_over_and_runs_when_it_is_resumed(time: Time) -> None:
    async with playing(setup=FISCHER) as person:
        await person.press("p", "p", "y")
        assert person.game.is_over
        before = left(person, time)
        time.passes(30, person)
        assert left(person, time) == before
        await person.press("r")
        time.passes(3, person)
        assert left(person, time)[0].seconds == before[0].seconds - 3


async def test_a_new_game_has_a_new_clock(time: Time) -> None:
    async with playing(setup=FISCHER) as person:
        time.passes(30, person)
        await person.press("n", "enter")
        assert left(person, time)[0].seconds == 60
