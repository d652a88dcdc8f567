"""Ten levels of play, from one that a child beats to all the strength a time allows.

A weak level is the same player with less reading: it follows shape and the last move, counts captures, and
overlooks what takes several moves to see. The weakest do not even play the best that comes to mind, but draw from what
does; none of them plays at random.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Looseness:
    """How loosely moves are chosen.

    Attributes:
        temperature: 1 draws as likely as the network says, more makes the moves that come to mind more alike.
        least: moves thought less likely than this share of the likeliest do not come to mind.
    """

    temperature: float
    least: float = 0.01

    def mixed(self, other: Looseness, share: float) -> Looseness:
        """So much of another, in equal ratios."""
        return Looseness(
            self.temperature ** (1.0 - share) * other.temperature**share,
            self.least ** (1.0 - share) * other.least**share,
        )


@dataclass(frozen=True, slots=True)
class Effort:
    """What goes into a move, on boards of the two sizes :data:`MEASURED`. A long game makes more of a small difference.

    Attributes:
        evaluations: playouts, or positions that a network looks at; None for as many as the time allows. A network's
            may be 0, which plays what it first thinks.
        looseness: how loosely moves are chosen among those that come to mind; None plays the best.
    """

    evaluations: tuple[int, int] | None
    looseness: tuple[Looseness, Looseness] | None = None

    def evaluations_on(self, size: int) -> int | None:
        """Evaluations a move on boards of a size; None for as many as the time allows."""
        if self.evaluations is None:
            return None
        share = _between(size)
        evaluations: int = round(self.evaluations[0] ** (1.0 - share) * self.evaluations[1] ** share)
        return evaluations

    def looseness_on(self, size: int) -> Looseness | None:
        """How loosely moves are chosen on boards of a size."""
        if self.looseness is None:
            return None
        return self.looseness[0].mixed(self.looseness[1], _between(size))


@dataclass(frozen=True, slots=True)
class Level:
    """How hard the player thinks.

    Attributes:
        number: 1 to 10.
        seconds: a move takes at most so long when nothing else is said.
        playouts: where it plays by playouts.
        network: where it plays with a network.
    """

    number: int
    seconds: float
    playouts: Effort
    network: Effort

    @property
    def ladders(self) -> bool:
        """Whether it reads ladders out before it thinks, where it plays by playouts."""
        return self.number >= LADDERS_FROM

    @property
    def timed(self) -> bool:
        """Whether it thinks as long as it may."""
        return self.playouts.evaluations is None


def _between(size: int) -> float:
    """Where a size is between the two that are measured: 0 at the smaller and below, 1 at the larger and above."""
    small, large = MEASURED
    return min(max((size - small) / (large - small), 0.0), 1.0)


MEASURED: Final = (9, 16)
"""The sizes on which the strength of levels is measured; between them levels are in between."""
WEAKEST: Final = 1
STRONGEST: Final = 10
LADDERS_FROM: Final = 7


def _drawn(evaluations: int, small: Looseness, large: Looseness) -> Effort:
    return Effort((evaluations, evaluations), (small, large))


def _best(small: int, large: int) -> Effort:
    return Effort((small, large))


_UNTIMED: Final = Effort(None)
_PLAYOUTS: Final = (
    _drawn(1, Looseness(2.3), Looseness(1.2)),
    _drawn(1, Looseness(1.2), Looseness(0.75)),
    _drawn(1, Looseness(0.6), Looseness(0.45)),
    _best(1, 1),
    _best(60, 110),
    _best(150, 260),
    _best(420, 560),
    _best(1300, 1500),
    _best(6000, 4000),
    _UNTIMED,
)
_NETWORK: Final = (
    _drawn(0, Looseness(6.0, 0.003), Looseness(3.8, 0.009)),
    _drawn(0, Looseness(4.4), Looseness(2.45)),
    _drawn(0, Looseness(2.5), Looseness(1.85)),
    _drawn(0, Looseness(1.7), Looseness(1.3)),
    _drawn(0, Looseness(1.08), Looseness(0.9)),
    _best(0, 0),
    _best(16, 12),
    _best(64, 40),
    _best(160, 128),
    _UNTIMED,
)
_SECONDS: Final = (5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 10.0, 10.0, 15.0, 5.0)
LEVELS: Final = tuple(
    Level(number, *rest) for number, rest in enumerate(zip(_SECONDS, _PLAYOUTS, _NETWORK, strict=True), start=WEAKEST)
)


def level_of(number: int) -> Level:
    """The level with a number.

    Raises:
        ValueError: there is none.
    """
    if not WEAKEST <= number <= STRONGEST:
        raise ValueError(f"level {number} is out of range: {WEAKEST} to {STRONGEST}")
    return LEVELS[number - WEAKEST]
