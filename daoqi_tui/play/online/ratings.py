"""Glicko-2 ratings, by Mark Glickman's "Example of the Glicko-2 system" (2022); no clock and no file."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

_SCALE: Final = 173.7178
_CENTRE: Final = 1500.0
_TAU: Final = 0.5
"""How much a volatility may change; the paper suggests 0.3 to 1.2."""
_PRECISE: Final = 1e-6
_MOST_DEVIATION: Final = 350.0
PERIOD: Final = 4 * 24 * 3600.0
"""The seconds of a rating period: after a year without a game, a deviation of 45 is about 110 again."""


@dataclass(frozen=True, slots=True)
class Rating:
    """The strength of a player, at first of an unknown one.

    Attributes:
        value: the rating; a difference of 200 means about 76 % of the games.
        deviation: its standard deviation.
        volatility: how much the strength is expected to change in a period.
    """

    value: float = _CENTRE
    deviation: float = _MOST_DEVIATION
    volatility: float = 0.06


_BARS: Final = "▁▂▃▄▅▆▇█"


def sparkline(values: Sequence[float], columns: int) -> str:
    """Return a graph of one line of the last values, from the lowest to the highest of them.

    >>> sparkline([1500, 1600, 1550, 1700], 10), sparkline([1500, 1500], 10)
    ('▁▅▃█', '▄▄')
    """
    last = values[-columns:]
    low, high = min(last, default=0.0), max(last, default=0.0)
    if low == high:
        return _BARS[3] * len(last)
    return "".join(_BARS[min(7, int((value - low) / (high - low) * 8))] for value in last)


def updated(rating: Rating, results: Iterable[tuple[Rating, float]], periods: float = 1.0) -> Rating:
    """Return the rating after some games.

    Args:
        rating: before them.
        results: the rating of each opponent before the games, and the score: 1 for a win, 0 for a loss.
        periods: the time since the last update; without games, the deviation alone grows with it.
    """
    mean, deviation = (rating.value - _CENTRE) / _SCALE, rating.deviation / _SCALE
    information = gain = 0.0
    for opponent, score in results:
        weight = 1 / math.sqrt(1 + 3 * (opponent.deviation / _SCALE / math.pi) ** 2)
        expected = 1 / (1 + math.exp(-weight * (mean - (opponent.value - _CENTRE) / _SCALE)))
        information += weight * weight * expected * (1 - expected)
        gain += weight * (score - expected)
    if not information:
        return _rating(mean, math.hypot(deviation, rating.volatility * math.sqrt(periods)), rating.volatility)
    volatility = _volatility(rating.volatility, deviation, 1 / information, gain / information)
    before = deviation**2 + periods * volatility**2
    after = 1 / (1 / before + information)
    return _rating(mean + after * gain, math.sqrt(after), volatility)


def _rating(mean: float, deviation: float, volatility: float) -> Rating:
    return Rating(_CENTRE + _SCALE * mean, min(_MOST_DEVIATION, _SCALE * deviation), volatility)


def _volatility(volatility: float, deviation: float, variance: float, change: float) -> float:
    """Return the new volatility: step 5 of the paper, the Illinois form of regula falsi."""
    start = math.log(volatility**2)

    def slope(x: float) -> float:
        total = deviation**2 + variance + math.exp(x)
        return math.exp(x) * (change**2 - total) / (2 * total**2) - (x - start) / _TAU**2

    low = start
    if change**2 > deviation**2 + variance:
        high = math.log(change**2 - deviation**2 - variance)
    else:
        high = start - _TAU
        while slope(high) < 0:
            high -= _TAU
    at_low, at_high = slope(low), slope(high)
    while abs(high - low) > _PRECISE:
        between = low + (low - high) * at_low / (at_high - at_low)
        at_between = slope(between)
        if at_between * at_high <= 0:
            low, at_low = high, at_high
        else:
            at_low /= 2
        high, at_high = between, at_between
    return math.exp(low / 2)
