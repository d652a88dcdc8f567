"""Estimates the fair komi, at which Black wins half of the games, from games that were played at several komi."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

RESAMPLES: Final = 2000
"""How many times the games are drawn anew for the interval."""
_STEPS: Final = 30
_PRIOR: Final = 0.5
"""Won and lost games added to the fit, so that it has a slope where every game of a sample was won or lost alike."""


@dataclass(frozen=True, slots=True)
class FairKomi:
    """The komi at which Black wins half of the games, with its 95 % interval.

    Attributes:
        komi: the estimate.
        low, high: the interval.
        games: that it is the result of.
        visits: of the search for each move of these games.
    """

    komi: float
    low: float
    high: float
    games: int
    visits: int


def fair_komi(games: Sequence[tuple[float, bool]], visits: int, seed: int = 0) -> FairKomi:
    """Estimate the fair komi by logistic regression of Black's wins on the komi.

    The interval is that of the bootstrap (Efron 1979): the games of each komi are drawn anew with replacement.

    Args:
        games: the komi of each game and whether Black won it.
        visits: of the search for each move of these games.
        seed: of the bootstrap.

    Raises:
        ValueError: the games have fewer than two komi.

    >>> games = [(komi, number >= 2 * komi) for komi in range(11) for number in range(20)]
    >>> found = fair_komi(games, visits=8)
    >>> round(found.komi, 1), found.low < 5 < found.high, found.games
    (5.0, True, 220)
    """
    komi = np.array(sorted({komi for komi, _won in games}), np.float64)
    if len(komi) < 2:
        raise ValueError("a fair komi needs games with more than one komi")
    played = np.array([sum(each == value for each, _won in games) for value in komi], np.float64)
    won = np.array([sum(each == value and black for each, black in games) for value in komi], np.float64)
    random = np.random.default_rng(seed)
    resampled = random.binomial(played.astype(np.int64), won / played, (RESAMPLES, len(komi))).astype(np.float64)
    low, high = np.quantile(_even(komi, played, resampled), (0.025, 0.975))
    return FairKomi(float(_even(komi, played, won[None])[0]), float(low), float(high), len(games), visits)


def _even(komi: NDArray[np.float64], played: NDArray[np.float64], won: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each row of wins the komi at which the fitted win rate is a half, by Newton's method.

    Args:
        komi: the values, shape ``(values,)``.
        played: games at each.
        won: Black's wins at each, shape ``(rows, values)``.
    """
    centre = komi.mean()
    at = komi - centre
    weights = played + 2 * _PRIOR / len(komi)
    share = (won + _PRIOR / len(komi)) / weights
    # Win rate 1 / (1 + exp(−(level − slope · komi))).
    level, slope = np.zeros(len(won)), np.full(len(won), 0.05)
    for _ in range(_STEPS):
        rate = 1 / (1 + np.exp(-(level[:, None] - slope[:, None] * at)))
        residue, curve = weights * (share - rate), weights * rate * (1 - rate)
        first, second = residue.sum(1), -(residue * at).sum(1)
        a, b, d = curve.sum(1), -(curve * at).sum(1), (curve * at * at).sum(1)
        det = a * d - b * b
        level += np.clip((d * first - b * second) / det, -1, 1)
        slope += np.clip((a * second - b * first) / det, -0.1, 0.1)
    slope = np.maximum(slope, _FLATTEST)
    return np.asarray(centre + np.clip(level / slope, -_FARTHEST, _FARTHEST), np.float64)


_FLATTEST: Final = 1e-3
_FARTHEST: Final = 60.0
"""Bounds of the estimate where the games hardly depend on the komi."""
