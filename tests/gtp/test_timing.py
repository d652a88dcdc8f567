"""How much time a move gets."""

from __future__ import annotations

import pytest

from daoqi_tui.engine import BLACK, WHITE
from daoqi_tui.gtp.timing import TimeSettings, Timing


def timing(*settings: object) -> Timing:
    clock = Timing()
    clock.set(TimeSettings(*settings))
    return clock


def test_without_settings_there_is_no_limit():
    assert Timing().budget(BLACK, 256, 0) is None


@pytest.mark.parametrize("points", [25, 81, 256, 625])
def test_main_time_lasts_for_the_game(points: int):
    clock = timing("absolute", 600.0)
    spent = 0.0
    for played in range(0, points, 2):
        budget = clock.budget(BLACK, points, played)
        assert budget is not None
        clock.spend(BLACK, budget)
        spent += budget
    assert 300 < spent < 600
    assert clock.budget(WHITE, points, 0) == pytest.approx(timing("absolute", 600.0).budget(BLACK, points, 0))


def test_overtime_is_used_but_not_overrun():
    clock = timing("byoyomi", 0.0, 30.0, 5)
    assert 20 < (clock.budget(BLACK, 81, 0) or 0) < 30
    clock.tell(BLACK, 30, 5)
    assert 20 < (clock.budget(BLACK, 81, 0) or 0) < 30
    clock = timing("canadian", 0.0, 100.0, 10)
    assert 5 < (clock.budget(BLACK, 81, 0) or 0) < 10
    clock.tell(BLACK, 9, 3)
    assert 2 < (clock.budget(BLACK, 81, 0) or 0) < 3


def test_what_the_controller_tells_counts():
    clock = timing("absolute", 600.0)
    before = clock.budget(BLACK, 81, 0)
    clock.tell(BLACK, 60, 0)
    after = clock.budget(BLACK, 81, 0)
    assert before is not None
    assert after is not None
    assert after < before / 5
    clock.tell(BLACK, 0, 0)
    assert 0 < (clock.budget(BLACK, 81, 0) or 0) < 0.1
