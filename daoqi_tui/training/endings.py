"""What the end of a game says of the positions that led to it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from daoqi_tui.ai.network_grid import Floats
from daoqi_tui.ai.network_judge import Judgement, Look
from daoqi_tui.engine import BLACK, WHITE, Board, Colour, area

Lesson: TypeAlias = tuple[Look, Judgement]


@dataclass(frozen=True, slots=True)
class Seen:
    """A position of a game: how it was seen, who was to move, the policy to be learnt, and the win that was thought."""

    look: Look
    to_move: Colour
    policy: Floats
    win: float


@dataclass(frozen=True, slots=True)
class End:
    """How a game ended.

    Attributes:
        margin: Black's points less White's.
        black: for each point 1 where it is Black's, −1 where it is White's, 0 where nobody's.
    """

    margin: float
    black: Floats

    @classmethod
    def of(cls, board: Board, komi: float) -> End:
        """The end on a board, counted as it stands."""
        count = area(board, komi)
        owners = np.frombuffer(count.owners, np.int8)
        return cls(count.margin, (owners == BLACK).astype(np.float32) - (owners == WHITE))

    def lessons(self, seen: Iterable[Seen], outcome: float) -> list[Lesson]:
        """What there is to learn from each position.

        Args:
            seen: the positions.
            outcome: how much of the chance to win is the game's outcome; the rest is what was thought.
        """
        lessons: list[Lesson] = []
        for position in seen:
            sign = 1.0 if position.to_move == BLACK else -1.0
            won = float((self.margin > 0) == (position.to_move == BLACK))
            win = outcome * won + (1.0 - outcome) * position.win
            target = Judgement(position.policy, win, sign * self.margin, -1.0, np.float32(sign) * self.black)
            lessons.append((position.look, target))
        return lessons
