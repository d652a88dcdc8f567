"""The sequential probability ratio test: ends a match as soon as one of two Elo differences is accepted.

A. Wald, "Sequential tests of statistical hypotheses", Annals of Mathematical Statistics 16 (1945), for pairs of games
from one opening. The scores of pairs, not of games, are independent. Their distribution is unknown, so the likelihoods
are maximised under each difference: the generalised test of M. Van den Bergh, "A practical introduction to the GSPRT",
which is used to test chess programs.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from daoqi_tui.lab.match.results import Played, expected_score
from daoqi_tui.message import Message

Verdict: TypeAlias = Literal["elo0", "elo1"]
_SCORES: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
"""A's mean score in a pair of games."""
_FARTHEST: Final = 1000
"""The largest Elo difference of a test; beyond it, the stronger player hardly ever loses a game."""
_NEVER_SEEN: Final = 1e-3
"""Pseudo-count of pairs for a score that has not occurred, which is not therefore impossible."""


@dataclass(frozen=True, slots=True)
class Sprt:
    """A test of two Elo differences of A over B.

    Attributes:
        elo0, elo1: the differences; the second is the larger.
        alpha: the probability of accepting ``elo1`` if ``elo0`` is true.
        beta: the probability of the opposite error.

    Raises:
        ValueError: ``elo1`` is not larger than ``elo0``, a difference is beyond 1000, or a probability is invalid.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise ValueError(
                Message(
                    "the test is between {elo0} and {elo1} Elo; the second must be larger",
                    elo0=f"{self.elo0:g}",
                    elo1=f"{self.elo1:g}",
                )
            )
        if self.elo0 < -_FARTHEST or self.elo1 > _FARTHEST:
            raise ValueError(
                Message(
                    "the test is between {elo0} and {elo1} Elo; both must be from {least} to {most}",
                    elo0=f"{self.elo0:g}",
                    elo1=f"{self.elo1:g}",
                    least=-_FARTHEST,
                    most=_FARTHEST,
                )
            )
        if not (self.alpha > 0 and self.beta > 0 and self.alpha + self.beta < 1):
            raise ValueError(
                Message(
                    "the chances of an error are {alpha} and {beta}; each must be more than 0, their sum less than 1",
                    alpha=f"{self.alpha:g}",
                    beta=f"{self.beta:g}",
                )
            )

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which ``elo0`` and ``elo1`` are accepted.

        >>> low, high = Sprt(0, 50).bounds
        >>> f"{low:.2f} {high:.2f}"
        '-2.94 2.94'
        """
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def log_likelihood_ratio(self, pairs: Sequence[float] | Mapping[float, int]) -> float:
        """Return the log-likelihood ratio of ``elo1`` to ``elo0``.

        Args:
            pairs: A's mean score in each pair of games: 0, 0.25, 0.5, 0.75 or 1; or how often each of these occurred.

        >>> f"{Sprt(0, 50).log_likelihood_ratio([1.0, 0.5] * 10):.2f}"
        '2.67'
        """
        seen = Counter(pairs)
        counts = [seen[score] or _NEVER_SEEN for score in _SCORES]
        return _log_likelihood(counts, expected_score(self.elo1)) - _log_likelihood(counts, expected_score(self.elo0))


class SequentialTest:
    """A running test. It ends with the first pair at which a bound is reached, regardless of later pairs.

    Attributes:
        sprt: the two differences.
        verdict: which of them is accepted, None if more games are needed.
        ratio: the log-likelihood ratio of the pairs that were counted.
    """

    def __init__(self, sprt: Sprt) -> None:
        self.sprt: Final = sprt
        self.verdict: Verdict | None = None
        self._seen: Counter[float] = Counter()
        self.ratio = sprt.log_likelihood_ratio(self._seen)

    @property
    def pairs(self) -> int:
        """The number of pairs that were counted, up to the verdict."""
        return self._seen.total()

    def go_on(self, pairs: Sequence[float]) -> Verdict | None:
        """Count the new pairs, one after the other, and return the verdict.

        Args:
            pairs: A's mean score in all pairs so far, those of earlier calls first.
        """
        low, high = self.sprt.bounds
        for score in pairs[self.pairs :]:
            if self.verdict is not None:
                break
            self._seen[score] += 1
            self.ratio = self.sprt.log_likelihood_ratio(self._seen)
            self.verdict = "elo0" if self.ratio <= low else "elo1" if self.ratio >= high else None
        return self.verdict


def _log_likelihood(counts: Sequence[float], mean: float) -> float:
    """Return the maximum log-likelihood of the counted scores over all distributions with a given mean.

    That distribution is ``count / (total · (1 + λ · (score − mean)))``, with λ such that it has that mean.
    """
    off = [score - mean for score in _SCORES]
    low, high = -1 / max(off), -1 / min(off)
    for _ in range(50):
        factor = (low + high) / 2
        if sum(count * away / (1 + factor * away) for count, away in zip(counts, off, strict=True)) > 0:
            low = factor
        else:
            high = factor
    total = sum(counts)
    return sum(count * math.log(count / (total * (1 + factor * away))) for count, away in zip(counts, off, strict=True))


def paired_scores(played: Sequence[Played]) -> list[float]:
    """Return A's mean score in each pair of games from one opening, up to the first unfinished pair.

    Later games are excluded, since short games would otherwise count first. So are pairs with a forfeit.
    """
    games = {game.game: game for game in played}
    scores: list[float] = []
    number = 1
    while (first := games.get(number)) is not None and (second := games.get(number + 1)) is not None:
        if "forfeit" not in (first.end, second.end):
            scores.append((first.score + second.score) / 2)
        number += 2
    return scores
