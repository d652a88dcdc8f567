"""The protocols of evaluators: what the searches need to know of a position.

The RAVE search takes an :class:`Evaluator` (priors and a policy for moves, values of leaves), such as
:class:`~daoqi_tui.ai.playout.evaluator.PlayoutEvaluator`. The PUCT search takes a :class:`NetworkEvaluator`, which
encodes positions and evaluates them in batches.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
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
class Prior:
    """Prior knowledge of the moves of a new node, expressed as virtual playouts (Gelly and Silver 2007).

    Attributes:
        visits: virtual playouts, one entry per move, each more than 0.
        value_sum: how many of them the side to move won.
    """

    visits: NDArray[np.float32]
    value_sum: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of evaluating a leaf.

    Attributes:
        black: the value for Black, 0 to 1.
        margin: the score in points, Black's less White's, with komi and passes.
        owner: the final colour of each point, 0 for nobody; shape ``(points,)``.
        first: for AMAF the colour that first played at each point during the playout, 0 for none; None where nothing
            was played out. Shape ``(points + 1,)``; the last entry, for the pass, is always 0.
    """

    black: float
    margin: float
    owner: NDArray[np.int8]
    first: NDArray[np.int8] | None


PATH_A_POINT: Final = 16
"""The most moves of a path, per point of the board. Only without superko, where cycles are legal, do searches come so
deep."""


class Stopped(Exception):
    """Raised in the middle of an evaluation that was asked to stop."""


class BatchEvaluator(Protocol):
    """Evaluates several positions of one search at a time, beside others in other threads."""

    def evaluate_batch(self, paths: Sequence[Sequence[int]], black_leads: Sequence[int]) -> list[Outcome]:
        """Evaluate the positions that ``paths`` lead to from the root, as :meth:`Evaluator.evaluate` does."""


class Evaluator(Protocol):
    """Evaluates the positions of one search at a time."""

    stopped: Callable[[], bool]
    """Polled during a long evaluation, which raises :class:`Stopped` where it returns true."""

    expansion_visits: int
    """Visits of a leaf before the search expands it."""

    def twins(self, count: int) -> Sequence[BatchEvaluator]:
        """Return evaluators of the same root that run beside each other, each in a thread; none where none can."""

    def begin(self, board: Board, komi: float, last: int) -> None:
        """Set the root to the position on ``board``; ``last`` is the point just played, or PASS."""

    def prior(self, path: Sequence[int], moves: Sequence[int]) -> Prior:
        """Return the prior of ``moves``, plays and then PASS, in the position that ``path`` leads to from the root."""

    def policy(self, moves: Sequence[int]) -> NDArray[np.float32]:
        """Return the policy at the root for ``moves``, as for :meth:`prior`: probabilities whose sum is 1."""

    def evaluate(self, path: Sequence[int], black_lead: int) -> Outcome:
        """Evaluate the position that ``path`` leads to from the root.

        Args:
            path: plays and PASS, at most :data:`PATH_A_POINT` a point.
            black_lead: White's passes less Black's, on the board and along the path, in points.

        Raises:
            Stopped: ``stopped`` returned true.
        """


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
