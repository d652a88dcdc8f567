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


@dataclass(frozen=True, slots=True)
class Level:
    """How hard the player thinks.

    Attributes:
        number: 1 to 10.
        playouts: evaluations a move, None for as many as the time allows.
        seconds: a move takes at most so long when nothing else is said.
        ladders: whether it reads ladders out before it thinks, where it plays by playouts.
        visits: evaluations of a network a move, None for as many as the time allows; 0 plays what it first thinks.
        looseness: with a network, how loosely moves are chosen among those that come to mind; None plays the best.
    """

    number: int
    playouts: int | None
    seconds: float
    ladders: bool
    visits: int | None
    looseness: Looseness | None


WEAKEST: Final = 1
STRONGEST: Final = 10
LEVELS: Final = tuple(
    Level(number, playouts, seconds, number >= 7, visits, looseness)
    for number, (playouts, seconds, visits, looseness) in enumerate(
        (
            (1, 5.0, 0, Looseness(6.0, 0.003)),
            (18, 5.0, 0, Looseness(4.0)),
            (45, 5.0, 0, Looseness(2.4)),
            (110, 5.0, 0, Looseness(1.5)),
            (220, 5.0, 0, Looseness(0.9)),
            (480, 5.0, 0, None),
            (1000, 10.0, 12, None),
            (2500, 10.0, 40, None),
            (6000, 15.0, 128, None),
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
