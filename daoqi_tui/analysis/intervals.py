"""Estimates from results of games, with 95 % intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

_Z: Final = 1.959964
"""The 97.5 % quantile of the normal distribution, for 95 % intervals."""


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its 95 % interval."""

    value: float
    low: float
    high: float


def share_of_wins(wins: float, games: int) -> Interval:
    """Return the share of games won, with the score interval of Wilson.

    E. B. Wilson, "Probable inference, the law of succession, and statistical inference", Journal of the American
    Statistical Association 22 (1927). It is valid for few games too, and if none or all of them were won.

    >>> interval = share_of_wins(30, 40)
    >>> f"{interval.value:.3f} {interval.low:.3f} {interval.high:.3f}"
    '0.750 0.598 0.858'
    """
    if not games:
        return Interval(0.5, 0.0, 1.0)
    share = wins / games
    squared = _Z * _Z
    centre = (share + squared / (2 * games)) / (1 + squared / games)
    reach = _Z / (1 + squared / games) * math.sqrt(share * (1 - share) / games + squared / (4 * games * games))
    return Interval(share, max(0.0, centre - reach), min(1.0, centre + reach))
