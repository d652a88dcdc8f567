"""Time management: how much time a move gets."""

from __future__ import annotations

import asyncio
import io
import math
import time
from typing import Any

import pytest

from daoqi_tui.ai import Answer, Estimated, Position, Think
from daoqi_tui.engine import BLACK, WHITE, Colour
from daoqi_tui.gtp.engine import ServeOptions, Server
from daoqi_tui.gtp.engine.session import TimeSettings, Timing
from tests.gtp.simple import SimplePlayer


def timing(*settings: object) -> Timing:
    clock = Timing()
    clock.set(TimeSettings(*settings))
    return clock


def test_without_settings_there_is_no_limit():
    clock = Timing()
    for played in range(0, 10, 2):
        assert clock.budget(BLACK, 256, played) is None
        clock.spend(BLACK, 3.0, played)


@pytest.mark.parametrize("points", [25, 81, 256, 625])
def test_main_time_lasts_for_the_game(points: int):
    clock = timing("absolute", 600.0)
    spent = 0.0
    for played in range(0, points, 2):
        budget = clock.budget(BLACK, points, played)
        assert budget is not None
        clock.spend(BLACK, budget, played)
        spent += budget
    assert 300 < spent < 600
    assert clock.budget(WHITE, points, 0) == pytest.approx(timing("absolute", 600.0).budget(BLACK, points, 0))


def test_overtime_is_used_but_not_overrun():
    clock = timing("byoyomi", 0.0, 30.0, 5)
    assert 20 < (clock.budget(BLACK, 81, 0) or 0) < 30
    clock.set_left(BLACK, 30, 5)
    assert 20 < (clock.budget(BLACK, 81, 0) or 0) < 30
    clock = timing("canadian", 0.0, 100.0, 10)
    assert 5 < (clock.budget(BLACK, 81, 0) or 0) < 10
    clock.set_left(BLACK, 9, 3)
    assert 2 < (clock.budget(BLACK, 81, 0) or 0) < 3


def test_what_the_controller_tells_counts():
    clock = timing("absolute", 600.0)
    before = clock.budget(BLACK, 81, 0)
    clock.set_left(BLACK, 60, 0)
    after = clock.budget(BLACK, 81, 0)
    assert before is not None
    assert after is not None
    assert after < before / 5
    clock.set_left(BLACK, 0, 0)
    assert 0 < (clock.budget(BLACK, 81, 0) or 0) < 0.1


@pytest.mark.parametrize(
    "settings",
    [("none",), ("absolute", 0.0), ("canadian", 0.0, 0.0, 5), ("byoyomi", 0.0, 30.0, 0), ("canadian",), ("fischer",)],
)
def test_no_time_at_all_is_no_limit(settings: tuple[object, ...]):
    clock = timing(*settings)
    clock.spend(BLACK, 5.0, 0)
    assert clock.budget(BLACK, 81, 2) is None
    # Controllers send this where there is no clock.
    clock.set_left(BLACK, 0, 0)
    assert clock.budget(BLACK, 81, 2) is None
    clock.set_left(BLACK, 60, 0)
    assert clock.budget(BLACK, 81, 2) is not None


def test_overtime_without_periods_is_none():
    assert timing("byoyomi", 60.0, 30.0, 0).budget(BLACK, 81, 0) == timing("absolute", 60.0).budget(BLACK, 81, 0)


def test_another_game_begins_with_a_full_clock():
    clock = timing("absolute", 600.0)
    full = clock.budget(BLACK, 81, 0)
    clock.spend(BLACK, 500, 0)
    clock.set_left(WHITE, 1, 0)
    clock.restart()
    assert clock.budget(BLACK, 81, 0) == clock.budget(WHITE, 81, 0) == full


def test_moves_taken_back_give_back_what_was_counted_for_them():
    clock = timing("absolute", 600.0)
    budgets = []
    for played in range(6):
        budgets.append(clock.budget(BLACK if played % 2 == 0 else WHITE, 625, 0))
        clock.spend(BLACK if played % 2 == 0 else WHITE, 100, played)
    clock.spend(BLACK, 1000, 6)
    clock.take_back(6)
    assert clock.budget(BLACK, 625, 0) == pytest.approx(budgets[4] - 100 / 219)
    clock.take_back(3)
    assert clock.budget(BLACK, 625, 0) == budgets[4]
    assert clock.budget(WHITE, 625, 0) == budgets[3]
    clock.take_back(0)
    assert clock.budget(WHITE, 625, 0) == budgets[1]


def test_the_controllers_clock_stands_when_moves_are_taken_back():
    clock = timing("absolute", 600.0)
    clock.spend(BLACK, 100, 0)
    clock.set_left(BLACK, 30, 3)
    told = clock.budget(BLACK, 81, 0)
    clock.take_back(0)
    assert clock.budget(BLACK, 81, 0) == told


def test_an_undecided_move_may_take_more_of_the_main_time_but_not_of_a_period():
    clock = timing("absolute", 600.0)
    budget, extra = clock.budget(BLACK, 81, 0), clock.extra(BLACK, 81, 0)
    assert budget is not None
    assert budget / 2 - 0.1 <= extra <= budget / 2
    assert Timing().extra(BLACK, 81, 0) == 0
    clock.set_left(BLACK, 30, 5)
    assert clock.extra(BLACK, 81, 0) == 0


@pytest.mark.parametrize("points", [25, 81, 256, 361])
def test_main_time_lasts_where_every_move_is_undecided(points: int):
    clock = timing("absolute", 600.0)
    spent = 0.0
    for played in range(0, points, 2):
        seconds = (clock.budget(BLACK, points, played) or 0) + clock.extra(BLACK, points, played)
        clock.spend(BLACK, seconds, played)
        spent += seconds
    assert 300 < spent < 600


FISCHER = [(20.0, 2.0), (600.0, 5.0), (2.0, 2.0), (0.5, 30.0), (1e9, 0.5)]


@pytest.mark.parametrize(("main", "increment"), FISCHER)
@pytest.mark.parametrize("points", [25, 81, 361])
def test_fischer_time_is_used_and_never_runs_out(points: int, main: float, increment: float):
    for undecided in (0, 1):
        clock, left, spent = timing("fischer", main, 0, 0, increment), main, 0.0
        moves = range(0, points, 2)
        for played in moves:
            seconds = (clock.budget(BLACK, points, played) or 0) + undecided * clock.extra(BLACK, points, played)
            assert 0 < seconds < left
            clock.spend(BLACK, seconds, played)
            left, spent = left - seconds + increment, spent + seconds
        assert spent > (main + increment * (len(moves) - 1)) / 2


def test_a_fischer_move_has_its_share_of_the_main_time_and_of_the_increments():
    clock = timing("fischer", 20.0, 0, 0, 2.0)
    share = (timing("absolute", 20.0).budget(BLACK, 81, 0) or 0) + 2
    assert clock.budget(BLACK, 81, 0) == pytest.approx(share, abs=0.1)
    clock.set_left(BLACK, 2, 0)
    assert 0 < (clock.budget(BLACK, 81, 0) or 0) + clock.extra(BLACK, 81, 0) < 2
    clock.set_left(BLACK, 0, 0)
    assert 0 < (clock.budget(BLACK, 81, 0) or 0) < 0.1


def test_a_fischer_move_taken_back_takes_its_increment_back():
    clock = timing("fischer", 20.0, 0, 0, 2.0)
    budgets = []
    for played in range(0, 8, 2):
        budgets.append(clock.budget(BLACK, 81, 0))
        clock.spend(BLACK, (0.5, 4.0, 500.0, 1.0)[played // 2], played)
    for played in (6, 4, 2, 0):
        clock.take_back(played)
        assert clock.budget(BLACK, 81, 0) == pytest.approx(budgets[played // 2])


@pytest.mark.parametrize("most_of_move", [1.0, math.inf])
@pytest.mark.parametrize(("main", "increment", "most"), [(20.0, 2.0, 30.0), (60.0, 5.0, 20.0), (0.5, 30.0, 0.5)])
def test_fischer_time_within_limits(main: float, increment: float, most: float, most_of_move: float):
    """No move takes longer than its limit or than the time left, and the clock never holds more than its own."""
    clock, left = timing("fischer-capped", main, 0, 0, increment, most, most_of_move), main
    for played in range(0, 120, 2):
        seconds = (clock.budget(BLACK, 361, played) or 0) + clock.extra(BLACK, 361, played)
        assert 0 < seconds <= min(left, most_of_move)
        clock.spend(BLACK, seconds, played)
        left = max(left - seconds, min(left - seconds + increment, most))
        told = timing("fischer-capped", main, 0, 0, increment, most, most_of_move)
        told.set_left(BLACK, left, 0)
        assert clock.budget(BLACK, 361, played + 2) == pytest.approx(told.budget(BLACK, 361, played + 2))


class Slow(SimplePlayer):
    """A player that takes a while to estimate ownership."""

    def __init__(self) -> None:
        super().__init__()
        self.given: list[float | None] = []

    async def estimate(self, position: Position) -> Estimated:
        await asyncio.sleep(0.3)
        return await super().estimate(position)

    async def think(self, request: Think, *_: Any) -> Answer:
        self.given.append(request.seconds)
        return await super().think(Think(request.position))


def slow_moves(monkeypatch: pytest.MonkeyPatch, *clock: str) -> list[float | None]:
    """Return the seconds allotted to the search; check that the time of the ownership is charged to the move, too."""
    spent: list[float] = []

    def spend(_timing: Timing, _colour: Colour, seconds: float, _played: int) -> None:
        spent.append(seconds)

    monkeypatch.setattr(Timing, "spend", spend)
    player, target = Slow(), io.StringIO()
    source = io.StringIO("".join(f"{line}\n" for line in (*clock, "kata-genmove_analyze b ownership true")))
    start = time.monotonic()
    asyncio.run(Server(source, target, player, ServeOptions(5)).run())
    assert "play " in target.getvalue()
    assert 0.3 <= spent[0] <= time.monotonic() - start
    return player.given


def test_the_clock_runs_while_ownership_is_estimated(monkeypatch: pytest.MonkeyPatch):
    (search,) = slow_moves(monkeypatch, "time_settings 0 2 1")
    assert search is not None
    assert search <= 2 - 0.3


def test_ownership_leaves_a_moment_for_the_search(monkeypatch: pytest.MonkeyPatch):
    (search,) = slow_moves(monkeypatch, "time_settings 100 0 0", "time_left b 1 0")
    assert search is not None
    assert 0 < search <= 0.1


def test_without_a_clock_the_search_has_no_limit_after_the_ownership(monkeypatch: pytest.MonkeyPatch):
    assert slow_moves(monkeypatch) == [None]
