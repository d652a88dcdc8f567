"""How a game ends, and its result as records write it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from daoqi_tui.engine.colour import BLACK, Colour, opponent
from daoqi_tui.engine.score import points_text


@dataclass(frozen=True, slots=True)
class TwoPasses:
    """Both players passed in a row; the board is counted.

    Attributes:
        dead: the stones both players agreed are dead; normally none, since what stands on the board counts.
    """

    dead: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Resignation:
    """A player gave up."""

    loser: Colour


@dataclass(frozen=True, slots=True)
class OutOfTime:
    """A player's clock ran out."""

    loser: Colour


Ending: TypeAlias = TwoPasses | Resignation | OutOfTime


@dataclass(frozen=True, slots=True)
class Result:
    """Who won and how."""

    winner: Colour
    margin: float | None
    """Points, or None when the game was not counted."""
    ending: Ending

    def __str__(self) -> str:
        """As SGF writes it: ``B+3.75``, ``W+0`` (a tie, which White wins), ``W+R``, ``B+T``."""
        letter = "B" if self.winner == BLACK else "W"
        if self.margin is not None:
            return f"{letter}+{points_text(self.margin)}"
        return f"{letter}+{'R' if isinstance(self.ending, Resignation) else 'T'}"


def uncounted(ending: Resignation | OutOfTime) -> Result:
    """The result of a game that a resignation or the clock decided."""
    return Result(opponent(ending.loser), None, ending)
