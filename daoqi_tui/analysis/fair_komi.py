"""Estimates the fair komi, at which either side wins half of the games, from the results of games."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

RESAMPLES: Final = 2000
"""How many times the games are drawn anew for the interval."""
_AT_ONCE: Final = 1 << 20
"""Margins that are drawn at once."""


@dataclass(frozen=True, slots=True)
class FairKomi:
    """The komi at which Black wins half of the games, with its 95 % interval.

    Attributes:
        komi: the estimate.
        low, high: the interval.
        games: that it is the result of.
        visits: of the search for each move of these games; 0 if they were played by the policy alone.
    """

    komi: float
    low: float
    high: float
    games: int
    visits: int


def fair_komi(margins: Sequence[float], visits: int, seed: int = 0) -> FairKomi:
    """Estimate the fair komi by the median of the margins; the interval is that of the bootstrap (Efron 1979).

    Args:
        margins: of each game, Black's points minus White's, the cost of passes counted, without komi.
        visits: of the search for each move of these games.
        seed: of the bootstrap.

    Raises:
        ValueError: there are no games.

    >>> found = fair_komi([-20, -3, 1, 5, 5, 6, 7, 9, 12, 40], visits=8)
    >>> found.komi, found.low <= 5.5 <= found.high, found.games
    (5.5, True, 10)
    """
    if not len(margins):
        raise ValueError("no komi can be told from no games")
    held = np.array(margins, np.float64)
    rng = np.random.default_rng(seed)
    # All draws of many games would take hundreds of megabytes at once; the stream of draws is the same.
    rows = max(1, _AT_ONCE // len(held))
    medians = [
        np.median(rng.choice(held, (min(rows, RESAMPLES - done), len(held))), axis=1)
        for done in range(0, RESAMPLES, rows)
    ]
    low, high = np.quantile(np.concatenate(medians), (0.025, 0.975))
    return FairKomi(float(np.median(held)), float(low), float(high), len(held), visits)
