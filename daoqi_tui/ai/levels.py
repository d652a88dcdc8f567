"""Ten levels of play, from one that a child beats to all the strength a time allows.

A weak level is the same player with less reading: it follows shape and the last move, counts captures, and
overlooks what takes several moves to see. None of them plays at random.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Level:
    """How hard the player thinks.

    Attributes:
        number: 1 to 10.
        playouts: evaluations a move, None for as many as the time allows.
        seconds: a move takes at most so long when nothing else is said.
        ladders: whether it reads ladders out before it thinks.
    """

    number: int
    playouts: int | None
    seconds: float
    ladders: bool


WEAKEST: Final = 1
STRONGEST: Final = 10
LEVELS: Final = tuple(
    Level(number, playouts, seconds, number >= 7)
    for number, (playouts, seconds) in enumerate(
        (
            (4, 5.0),
            (10, 5.0),
            (25, 5.0),
            (60, 5.0),
            (150, 5.0),
            (350, 5.0),
            (800, 10.0),
            (2000, 10.0),
            (5000, 15.0),
            (None, 5.0),
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
