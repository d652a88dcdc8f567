"""The reasons why a play is illegal, as values; faces translate them to text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from daoqi_tui.engine.colour import Colour, colour_message
from daoqi_tui.message import Message


@dataclass(frozen=True, slots=True)
class Occupied:
    """A stone stands on the point."""

    point: int

    def as_message(self) -> Message:
        """Return the refusal as a sentence."""
        return Message("that point is occupied; play on an empty point")


@dataclass(frozen=True, slots=True)
class Repeats:
    """The play would repeat a state, which the rules forbid (superko or ko).

    Attributes:
        point: of the play.
        move: the number of the move after which the state first occurred; 0 is the start.
        to_move: the colour that was to move in that state; unless superko is positional, it would be again.
    """

    point: int
    move: int
    to_move: Colour

    def as_message(self) -> Message:
        """Return the refusal as a sentence."""
        return Message(
            "the move would repeat the position after move {move} with {colour} to move; play elsewhere",
            move=self.move,
            colour=colour_message(self.to_move),
        )


@dataclass(frozen=True, slots=True)
class Suicide:
    """The play would remove its own chain, which the rules forbid."""

    point: int

    def as_message(self) -> Message:
        """Return the refusal as a sentence."""
        return Message("the move would be suicide, which these rules forbid; play elsewhere")


@dataclass(frozen=True, slots=True)
class GameOver:
    """The game has ended."""

    def as_message(self) -> Message:
        """Return the refusal as a sentence."""
        return Message("the game is over; resume it to play on")


Refusal: TypeAlias = Occupied | Repeats | Suicide | GameOver


class IllegalMove(ValueError):
    """A move that the rules forbid; :attr:`refusal` says why. The game is as it was before."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal)
        self.refusal = refusal

    def __str__(self) -> str:
        return str(self.refusal.as_message())
