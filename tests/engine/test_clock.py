"""Clocks: byo-yomi periods and running out of time."""

from __future__ import annotations

import math

import pytest

from daoqi_tui.engine import BLACK
from daoqi_tui.engine.clock import Clock, TimeControl, TimeLeft, parse_time_control


@pytest.mark.parametrize("number", [math.nan, math.inf, -1])
@pytest.mark.parametrize("field", ["main", "periods", "period", "increment"])
def test_times_are_finite_and_not_negative(field: str, number: float):
    with pytest.raises(ValueError, match=r"times cannot be negative|times must be finite"):
        TimeControl(**{"main": 60, field: number})  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["", "٢٠", "２０+5", "20+", "20+3x", " 20", "20\n", "-20", "20000", "0"])
def test_what_is_no_clock_is_refused(text: str):
    with pytest.raises(ValueError, match="is not a clock: minutes such as 20"):
        parse_time_control(text)


@pytest.mark.parametrize("control", [TimeControl(1, 1, 5), TimeControl(1, increment=5)])
def test_a_move_after_the_flag_has_fallen_brings_no_time_back(control: TimeControl):
    clock = Clock(control)
    clock.start(BLACK, 0)
    clock.press(100)
    assert clock.left(BLACK, 100).is_out


@pytest.mark.parametrize(
    ("spent", "left"),
    [
        (12, TimeLeft(3, 3, in_byoyomi=True)),
        (14, TimeLeft(1, 3, in_byoyomi=True)),
        (15, TimeLeft(5, 2, in_byoyomi=True)),
        (24, TimeLeft(1, 1, in_byoyomi=True)),
        (25, TimeLeft(0, 0, in_byoyomi=True)),
    ],
)
def test_periods_are_used_up_one_after_another(spent: float, left: TimeLeft):
    clock = Clock(TimeControl(10, 3, 5))
    clock.start(BLACK, 0)
    assert clock.left(BLACK, spent) == left
    # Stopping and restarting the clock on the way must not change the result.
    clock.start(BLACK, 12)
    assert clock.left(BLACK, spent) == left


@pytest.mark.parametrize("period", [0, 1e-300])
def test_any_number_of_periods_is_over_at_once(period: float):
    clock = Clock(TimeControl(1, 1 << 53, period))
    clock.start(BLACK, 0)
    assert clock.left(BLACK, 2) == TimeLeft(0, 0, in_byoyomi=True)
