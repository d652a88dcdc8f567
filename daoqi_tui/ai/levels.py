"""Ten levels of play, from one that a child beats to all the strength a time allows.

A weak level is the same player with less reading: it follows shape and the last move, counts captures, and
overlooks what takes several moves to see. None of them plays at random.
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
class Level:
    """How hard the player thinks.

    Attributes:
        number: 1 to 10.
        playouts: evaluations a move, None for as many as the time allows.
        seconds: a move takes at most so long when nothing else is said.
        ladders: whether it reads ladders out before it thinks, where it plays by playouts.
        visits: evaluations of a network a move on boards of the sizes :data:`MEASURED`, None for as many as the time
            allows; 0 plays what it first thinks.
        looseness: with a network, how loosely moves are chosen among those that come to mind, on boards of these sizes;
            None plays the best. A long game makes more of a small difference.
    """

    number: int
    playouts: int | None
    seconds: float
    ladders: bool
    visits: tuple[int, int] | None
    looseness: tuple[Looseness, Looseness] | None

    def looseness_on(self, size: int) -> Looseness | None:
        """How loosely moves are chosen on boards of a size."""
        if self.looseness is None:
            return None
        return self.looseness[0].mixed(self.looseness[1], _between(size))

    def visits_on(self, size: int) -> int | None:
        """Evaluations of a network a move on boards of a size; None for as many as the time allows."""
        if self.visits is None:
            return None
        share = _between(size)
        visits: int = round(self.visits[0] ** (1.0 - share) * self.visits[1] ** share)
        return visits


def _between(size: int) -> float:
    """Where a size is between the two that are measured: 0 at the smaller and below, 1 at the larger and above."""
    small, large = MEASURED
    return min(max((size - small) / (large - small), 0.0), 1.0)


MEASURED: Final = (9, 16)
"""The sizes on which the strength of levels is measured; between them levels are in between."""
FIRST_THOUGHT: Final = (0, 0)
"""No visits on any size."""
WEAKEST: Final = 1
STRONGEST: Final = 10
LEVELS: Final = tuple(
    Level(number, playouts, seconds, number >= 7, visits, looseness)
    for number, (playouts, seconds, visits, looseness) in enumerate(
        (
            (1, 5.0, FIRST_THOUGHT, (Looseness(6.0, 0.003), Looseness(3.8, 0.009))),
            (18, 5.0, FIRST_THOUGHT, (Looseness(4.4), Looseness(2.45))),
            (45, 5.0, FIRST_THOUGHT, (Looseness(2.5), Looseness(1.85))),
            (110, 5.0, FIRST_THOUGHT, (Looseness(1.7), Looseness(1.3))),
            (220, 5.0, FIRST_THOUGHT, (Looseness(1.08), Looseness(0.9))),
            (480, 5.0, FIRST_THOUGHT, None),
            (1000, 10.0, (16, 12), None),
            (2500, 10.0, (64, 40), None),
            (6000, 15.0, (160, 128), None),
            (None, 5.0, None, None),
        ),
        start=WEAKEST,
    )
)


def level_of(number: int) -> Level:
    """The level with a number.

    Raises:
        ValueError: there is none.
    """
    if not WEAKEST <= number <= STRONGEST:
        raise ValueError(f"level {number} is out of range: {WEAKEST} to {STRONGEST}")
    return LEVELS[number - WEAKEST]
