"""What a search needs to know of a position: a network's inputs and its evaluation, and the value of an end."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.ai.network.layout import Floats
from daoqi_tui.engine import Board, Rules

MARGIN_SHARE: Final = 0.04
"""The weight of the score in a value, so that of two won games the clearer is preferred."""
MARGIN_SLOPE: Final = 4.0
"""The slope of tanh for the score as a share of the points."""


def game_value(rules: Rules, margin: float, points: int) -> float:
    """Return the value for Black of a game that ends with ``margin``: win, draw or loss, and a little the score."""
    return blended_value(rules.value(margin), margin, points)


def blended_value(win: float, margin: float, points: int) -> float:
    """Return the value, 0 to 1, of a win rate and a score for the same side."""
    return (1.0 - MARGIN_SHARE) * win + MARGIN_SHARE * (0.5 + 0.5 * math.tanh(MARGIN_SLOPE * margin / points))


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a game that has ended.

    Attributes:
        black: the value for Black, 0 to 1.
        margin: the score in points, Black's less White's, with komi and passes.
        owner: the final colour of each point, 0 for nobody; shape ``(points,)``.
    """

    black: float
    margin: float
    owner: NDArray[np.int8]


HISTORY: Final = 5
"""The number of last moves among a network's inputs."""


class Inputs(NamedTuple):
    """The inputs of a network for one position.

    Attributes:
        planes: the spatial features, shape ``(points, planes)``.
        whole: the global features, shape ``(globals,)``.
    """

    planes: Floats
    whole: Floats


class Evaluation(NamedTuple):
    """A network's evaluation of one position.

    Attributes:
        policy: the probability of each point and, last, of the pass, illegal moves included; the sum is 1.
        win: the win rate of the side to move, 0 to 1.
        lead: the score lead of the side to move in points, with komi and passes.
        spread: the standard deviation of the score, 0 where the network does not have it.
        owner: the ownership of each point from −1 (the opponent's) to 1 (the side to move's).
    """

    policy: Floats
    win: float
    lead: float
    spread: float
    owner: Floats


class NetworkEvaluator(Protocol):
    """A network with the encoding of its inputs."""

    @property
    def name(self) -> str:
        """The network's name."""

    @property
    def inputs(self) -> Hashable:
        """What the inputs are; equal for networks with the same inputs."""

    def encode(self, board: Board, komi: float, recent: Sequence[int], passes_in_row: int) -> Inputs:
        """Return the inputs for the position on ``board``, which is unchanged afterwards.

        Args:
            board: the position.
            komi: points for White.
            recent: up to :data:`HISTORY` moves before this position, oldest first; the board can undo them.
            passes_in_row: the consecutive passes before this position; with one, another ends the game.
        """

    def evaluate(self, batch: Sequence[Inputs], size: int) -> list[Evaluation]:
        """Evaluate positions on boards of ``size`` × ``size`` points; a few at once take less time each."""
