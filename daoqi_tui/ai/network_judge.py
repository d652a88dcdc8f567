"""What a search asks of a network: to look at a position that stands on the board, and to judge a batch of looks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from daoqi_tui.ai.network_grid import Floats
from daoqi_tui.engine import Board

HISTORY: Final = 5
"""How many moves before a position a network may want to know."""


@dataclass(frozen=True, slots=True)
class Look:
    """A position as a network sees it.

    Attributes:
        planes: shape ``(points, planes)``.
        whole: what is said of the whole board, shape ``(globals,)``.
    """

    planes: Floats
    whole: Floats


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a network thinks of a position.

    Attributes:
        policy: how likely each point and, last, the pass is played, illegal ones too; the sum is 1.
        win: the chance of the side to move to win, 0 to 1.
        lead: by how many points the side to move is expected to win, with komi and passes.
        spread: the standard deviation of that, 0 where the network does not tell.
        owner: for each point from −1 (the opponent's) to 1 (owned by the side to move).
    """

    policy: Floats
    win: float
    lead: float
    spread: float
    owner: Floats


class Judge(Protocol):
    """A network with its way to look at positions."""

    @property
    def name(self) -> str:
        """The network's name."""

    def look(self, board: Board, komi: float, recent: Sequence[int], passes_in_row: int) -> Look:
        """See the position on ``board``, which is as it was afterwards.

        Args:
            board: the position.
            komi: points for White.
            recent: up to :data:`HISTORY` moves that led here, the last one last, by turns; the board can undo them.
            passes_in_row: how many passes in a row led here; with one, another ends the game.
        """

    def judge(self, looks: Sequence[Look], size: int) -> list[Judgement]:
        """Judge positions on boards of ``size`` × ``size`` points, best up to 32 at once."""
