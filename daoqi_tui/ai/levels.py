"""Defines the levels of play, from beginner to as strong as the time allows.

A weak level is the same player with fewer evaluations: it follows shape and the last move, sees captures, and overlooks
what takes several moves to read. The weakest levels sample from the policy instead of playing the best move; none of
them plays uniformly at random. Each is meant to win three games out of four against the one half a level below
(``docs/strength.md``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from daoqi_tui.typed import LEVEL_NUMBERS, check_level


@dataclass(frozen=True, slots=True)
class Sampling:
    """Parameters for sampling a move from a policy.

    Attributes:
        temperature: 1 samples from the policy itself; a higher temperature flattens it.
        min_ratio: moves with less than this share of the most likely move's probability are excluded.
    """

    temperature: float
    min_ratio: float = 0.01

    def interpolated(self, other: Sampling, share: float) -> Sampling:
        return Sampling(
            self.temperature ** (1.0 - share) * other.temperature**share,
            self.min_ratio ** (1.0 - share) * other.min_ratio**share,
        )


@dataclass(frozen=True, slots=True)
class Effort:
    """The computation per move, on boards of the sizes :data:`MEASURED`, the evaluations on the first two.

    The sizes differ because longer games amplify small differences in strength.

    Attributes:
        evaluations: of the network; None for as many as the time allows. 0 plays from the policy without a search.
        sampling: how moves are sampled from the policy; None plays the best move.
    """

    evaluations: tuple[int, int] | None
    sampling: tuple[Sampling, Sampling, Sampling] | None = None

    def evaluations_on(self, size: int) -> int | None:
        if self.evaluations is None:
            return None
        share = _between(size, *MEASURED[:2])
        evaluations: int = round(self.evaluations[0] ** (1.0 - share) * self.evaluations[1] ** share)
        return evaluations

    def sampling_on(self, size: int) -> Sampling | None:
        if self.sampling is None:
            return None
        small, large, largest = MEASURED
        first, second, third = self.sampling
        if size > large:
            return second.interpolated(third, _between(size, large, largest))
        return first.interpolated(second, _between(size, small, large))


@dataclass(frozen=True, slots=True)
class Level:
    """One level of play.

    Attributes:
        number: one of :data:`~daoqi_tui.typed.LEVEL_NUMBERS`.
        seconds: the limit of a move's search, if no time limit is given.
        effort: the computation per move.
    """

    number: float
    seconds: float
    effort: Effort

    @property
    def timed(self) -> bool:
        return self.effort.evaluations is None


def _between(size: int, small: int, large: int) -> float:
    return min(max((size - small) / (large - small), 0.0), 1.0)


MEASURED: Final = (9, 16, 19)
"""The sizes on which the strength of levels is measured; parameters for sizes between are interpolated."""


def _sampled(evaluations: int, small: Sampling, large: Sampling, largest: Sampling | None = None) -> Effort:
    return Effort((evaluations, evaluations), (small, large, largest or large))


_STRENGTHS: Final[tuple[tuple[float, Effort], ...]] = (
    (5.0, _sampled(0, Sampling(12.0, 0.0001), Sampling(8.0, 0.0007), Sampling(10.8, 0.00027))),
    (5.0, _sampled(0, Sampling(9.4, 0.0004), Sampling(7.3, 0.001), Sampling(10.1, 0.00036))),
    (5.0, _sampled(0, Sampling(8.0, 0.001), Sampling(6.1, 0.0019), Sampling(8.95, 0.0006))),
    (5.0, _sampled(0, Sampling(6.6, 0.002), Sampling(5.3, 0.0035), Sampling(7.8, 0.0011))),
    (5.0, _sampled(0, Sampling(5.5, 0.004), Sampling(4.3, 0.006), Sampling(6.35, 0.003))),
    (5.0, _sampled(0, Sampling(3.7, 0.007), Sampling(2.8, 0.0092), Sampling(5.25, 0.0046))),
    (5.0, _sampled(0, Sampling(2.8), Sampling(1.65), Sampling(4.35, 0.0064))),
    (5.0, _sampled(0, Sampling(1.9), Sampling(1.25), Sampling(2.95))),
    (5.0, _sampled(0, Sampling(1.3), Sampling(0.93), Sampling(1.6))),
    (5.0, _sampled(0, Sampling(0.8), Sampling(0.78), Sampling(0.97))),
    (5.0, _sampled(0, Sampling(0.5), Sampling(0.58), Sampling(0.59))),
    (5.0, _sampled(0, Sampling(0.25), Sampling(0.21))),
    (10.0, Effort((5, 5))),
    (10.0, Effort((12, 11))),
    (10.0, Effort((28, 25))),
    (10.0, Effort((67, 57))),
    (15.0, Effort((160, 128))),
    (15.0, Effort((700, 500))),
    (5.0, Effort(None)),
)
LEVELS: Final = tuple(Level(number, *strength) for number, strength in zip(LEVEL_NUMBERS, _STRENGTHS, strict=True))


def level_of(number: float) -> Level:
    check_level(number)
    return LEVELS[LEVEL_NUMBERS.index(number)]


# Time


FILLED: Final = 0.7
"""The share of the points that are played on by the end of a game."""
LEAST_LEFT: Final = 15
"""The minimum number of own moves that main time must last for, however late in the game."""
UNDECIDED: Final = 0.5
"""The additional time for a move while its search is undecided, as a fraction of its share of the main time."""


def moves_left(points: int, played: int) -> int:
    """Return the own moves that main time must last for.

    Args:
        points: of the board.
        played: moves of both players so far.
    """
    return max(LEAST_LEFT, round((FILLED * points - played) / 2))


def extra_time(left: float, moves: int) -> float:
    """Return the seconds that an undecided move may take beyond its share of the main time.

    Args:
        left: seconds of the main time.
        moves: the number of moves it must last for.
    """
    return UNDECIDED * left / moves
