"""Estimates the fair komi, at which either side wins half of the games, from the results of games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from daoqi_tui.analysis.opening import FairKomi

RESAMPLES: Final = 2000
"""The number of bootstrap samples for the interval."""
_AT_ONCE: Final = 1 << 20
"""The number of margins drawn at once."""


def fair_komi(margins: Sequence[float], seed: int = 0) -> FairKomi:
    """Estimate the fair komi by the median of the margins, with a bootstrap interval (Efron 1979).

    Args:
        margins: of each game, Black's points minus White's, including the cost of passes, without komi.
        seed: of the bootstrap.

    Raises:
        ValueError: there are no games.

    >>> found = fair_komi([-20, -3, 1, 5, 5, 6, 7, 9, 12, 40])
    >>> found.komi, found.low <= 5.5 <= found.high, found.games
    (5.5, True, 10)
    """
    if not len(margins):
        raise ValueError("no komi can be told from no games")
    held = np.array(margins, np.float64)
    rng = np.random.default_rng(seed)
    # In blocks: all draws at once would take hundreds of megabytes; the random stream is the same.
    rows = max(1, _AT_ONCE // len(held))
    medians = [
        np.median(rng.choice(held, (min(rows, RESAMPLES - done), len(held))), axis=1)
        for done in range(0, RESAMPLES, rows)
    ]
    low, high = np.quantile(np.concatenate(medians), (0.025, 0.975))
    return FairKomi(float(np.median(held)), float(low), float(high), len(held))
