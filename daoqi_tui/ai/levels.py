"""Ten levels of play, from one that a child beats to all the strength a time allows.

A weak level is the same player with less reading: it follows shape and the last move, counts captures, and
overlooks what takes several moves to see. None of them plays at random.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

PLAYOUTS_A_VISIT: Final = 50
"""A network is asked once where a level would play so many playouts; it sees at a look what those find out."""


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

    @property
    def visits(self) -> int | None:
        """Evaluations of a network a move, None for as many as the time allows; 0 plays what it first thinks."""
        return None if self.playouts is None else self.playouts // PLAYOUTS_A_VISIT


WEAKEST: Final = 1
STRONGEST: Final = 10
LEVELS: Final = tuple(
    Level(number, playouts, seconds, number >= 7)
    for number, (playouts, seconds) in enumerate(
        (
            (1, 5.0),
            (18, 5.0),
            (45, 5.0),
            (110, 5.0),
            (220, 5.0),
            (480, 5.0),
            (1000, 10.0),
            (2500, 10.0),
            (6000, 15.0),
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
