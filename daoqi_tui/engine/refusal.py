"""Why a play is refused: values that a screen puts into words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from daoqi_tui.engine.colour import name_of


@dataclass(frozen=True, slots=True)
class Occupied:
    """A stone stands on the point."""

    point: int


@dataclass(frozen=True, slots=True)
class Repeats:
    """The play would bring back a state, board and side to move, that has been faced (situational superko)."""

    point: int
    move: int
    """The number of the move after which the state was first faced; 0 is the start."""
    to_move: int
    """The colour that was, and would be, to move in that state."""


@dataclass(frozen=True, slots=True)
class GameOver:
    """The game has ended."""


Refusal: TypeAlias = Occupied | Repeats | GameOver


class IllegalMove(ValueError):
    """A move that the rules refuse; :attr:`refusal` says why. The game is as it was before."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal)
        self.refusal = refusal

    def __str__(self) -> str:
        match self.refusal:
            case Occupied():
                return "a stone stands there already; play on an empty point"
            case Repeats(move=move, to_move=to_move):
                side = name_of(to_move)
                return f"the play would repeat the board after move {move} with {side} to move; play elsewhere"
            case GameOver():
                return "the game is over; resume it to play on"
