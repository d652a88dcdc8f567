"""Estimates ownership and score by playouts, and makes a network's ownership agree with its lead."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.ai.search.evaluator import Evaluator, Stopped
from daoqi_tui.engine import BLACK, WHITE, Board

ENOUGH: Final = 400
"""Playouts after which the ownership of a point is known to about 5 %."""
_FARTHEST: Final = 8.0
"""The bound of the bias in log odds; beyond it every point would belong entirely to one side."""


@dataclass(frozen=True, slots=True)
class PlayoutEstimate:
    """The result of a number of playouts from one position.

    Attributes:
        playouts: their number.
        ownership: for each point from −1 (White's every time) to 1 (Black's).
        margin: the mean of Black's points minus White's, with komi and passes.
        spread: the standard deviation of the margin from playout to playout.
        black: Black's win rate, 0 to 1; a drawn game counts as half a win.
    """

    playouts: int
    ownership: tuple[float, ...]
    margin: float
    spread: float
    black: float


def estimate(
    board: Board,
    komi: float,
    evaluator: Evaluator,
    last: int,
    *,
    playouts: int = ENOUGH,
    seconds: float | None = None,
    stopped: Callable[[], bool] = lambda: False,
) -> PlayoutEstimate:
    """Play ``board`` out until ``playouts`` or ``seconds`` are used up or ``stopped`` returns true, at least once."""
    evaluator.begin(board, komi, last)
    owned = np.zeros(board.torus.points)
    margins: list[float] = []
    lead = board.passes[WHITE] - board.passes[BLACK]
    deadline = float("inf") if seconds is None else time.perf_counter() + seconds
    while True:
        try:
            outcome = evaluator.evaluate([], lead)
        except Stopped:
            break
        # The first playout always runs to its end, so that there is an answer.
        evaluator.stopped = stopped
        owned += outcome.owner == BLACK
        owned -= outcome.owner == WHITE
        margins.append(outcome.margin)
        if len(margins) >= playouts or stopped() or time.perf_counter() >= deadline:
            break
    ownership = tuple(round(float(share), 3) for share in owned / len(margins))
    won = sum(board.rules.value(margin) for margin in margins) / len(margins)
    return PlayoutEstimate(len(margins), ownership, float(np.mean(margins)), float(np.std(margins)), won)


def reconcile_ownership(ownership: NDArray[np.floating], lead: float) -> NDArray[np.float64]:
    """Return ownership shifted so that its sum is the expected lead.

    Ownership and lead are separate outputs of a network and may contradict each other on boards with few stones: every
    point may lean to Black, but White be ahead. The same bias is added to the log odds of all points, which moves
    undecided points and hardly affects decided ones.

    Args:
        ownership: for each point from −1 to 1, shape ``(points,)``.
        lead: the score lead of the side that owns points of 1, counted on the board alone (no komi, no passes).
    """
    odds = np.arctanh(np.clip(ownership, -0.999, 0.999))
    low, high = -_FARTHEST, _FARTHEST
    for _ in range(30):
        bias = (low + high) / 2
        if float(np.tanh(odds + bias).sum()) < lead:
            low = bias
        else:
            high = bias
    return np.asarray(np.tanh(odds + (low + high) / 2), np.float64)
