"""What a search asks of whoever judges positions: first thoughts on moves, and the worth of a leaf.

The search knows of nothing else, so that a network can take the place of the playouts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.engine import Board


@dataclass(frozen=True, slots=True)
class Prior:
    """What is thought of each move of a node before any is tried, as games imagined.

    Attributes:
        games: imagined games, one entry a move, each more than 0.
        wins: how many of them the side to move won.
    """

    games: NDArray[np.float32]
    wins: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The worth of a leaf.

    Attributes:
        black: Black's chance to win, 0 to 1.
        margin: the expected margin in points, Black's less White's, with komi and passes.
        owner: the colour that each point ends with, 0 for nobody.
        first: the colour that was the first to play at each point when the leaf was played out, 0 for none;
            None where nothing was played out. One entry more than points, for the pass, always 0.
    """

    black: float
    margin: float
    owner: NDArray[np.int8]
    first: NDArray[np.int8] | None


class Stopped(Exception):
    """An evaluation was broken off in the middle, because nobody waits for it any more."""


class Evaluator(Protocol):
    """Judges the positions of one search at a time."""

    stopped: Callable[[], bool]
    """Asked in the middle of an evaluation that takes long; where it says so, the evaluation raises Stopped."""

    patience: int
    """How often a leaf is evaluated before the search opens it."""

    def begin(self, board: Board, komi: float, last: int) -> None:
        """Take ``board`` as it stands for the root of what follows; ``last`` is the point just played, or PASS."""

    def prior(self, path: Sequence[int], moves: Sequence[int]) -> Prior:
        """First thoughts on ``moves``, plays and then PASS, in the position that ``path`` leads to from the root."""

    def policy(self, moves: Sequence[int]) -> NDArray[np.float32]:
        """How likely each of ``moves``, as for :meth:`prior`, comes to mind at the root; the sum is 1."""

    def evaluate(self, path: Sequence[int], black_lead: int) -> Outcome:
        """The worth of the position that ``path``, plays and PASS, leads to from the root.

        Args:
            path: the moves.
            black_lead: White's passes less Black's, on the board and along the path, in points.

        Raises:
            Stopped: as ``stopped`` said.
        """
