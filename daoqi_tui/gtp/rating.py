"""How strong one player is against another, and how sure that is after so many games."""

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


def share_of_wins(wins: int, games: int) -> Interval:
    """The share of games won, with the score interval of Wilson.

    E. B. Wilson, "Probable inference, the law of succession, and statistical inference", Journal of the American
    Statistical Association 22 (1927). It holds for few games too, and for none or all of them won.

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


def elo_difference(wins: int, games: int) -> Interval:
    """The difference in Elo that makes the share of wins the expected one; infinite where all games went one way.

    >>> interval = elo_difference(30, 40)
    >>> f"{interval.value:+.0f} {interval.low:+.0f} {interval.high:+.0f}"
    '+191 +69 +313'
    """
    share = share_of_wins(wins, games)
    return Interval(_elo(share.value), _elo(share.low), _elo(share.high))


def elo_text(interval: Interval) -> str:
    """An Elo difference for people: ``+191 [+69, +313]``, ``above +70`` where every game was won."""
    if interval.value == math.inf:
        return f"above {interval.low:+.0f}"
    if interval.value == -math.inf:
        return f"below {interval.high:+.0f}"
    return f"{interval.value:+.0f} [{interval.low:+.0f}, {interval.high:+.0f}]"


def _elo(share: float) -> float:
    """The inverse of the expected score 1 / (1 + 10^(-d/400)), A. Elo, "The Rating of Chessplayers" (1978)."""
    if share <= 0:
        return -math.inf
    if share >= 1:
        return math.inf
    return 400 * math.log10(share / (1 - share))
