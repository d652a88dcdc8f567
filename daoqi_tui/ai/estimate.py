"""Who will own what, and the expected margin: by playing the position out many times, or as a network sees it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.ai.evaluator import Evaluator, Stopped
from daoqi_tui.engine import BLACK, WHITE, Board

ENOUGH: Final = 400
"""Playouts after which the share of a point is known to about 5 %."""
_FARTHEST: Final = 8.0
"""The bias beyond which every point would be wholly one side's."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """What playouts say of a position.

    Attributes:
        playouts: how many.
        ownership: for each point from −1 (White's every time) to 1 (Black's).
        margin: the mean of Black's points less White's, with komi and passes.
        spread: the standard deviation of the margin from playout to playout.
        black: the share of playouts that Black won.
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
) -> Forecast:
    """Play ``board`` out until ``playouts`` or ``seconds`` are used up or ``stopped`` says so, once at least."""
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
        # The first is played to its end in any case, so that there is an answer.
        evaluator.stopped = stopped
        owned += outcome.owner == BLACK
        owned -= outcome.owner == WHITE
        margins.append(outcome.margin)
        if len(margins) >= playouts or stopped() or time.perf_counter() >= deadline:
            break
    ownership = tuple(round(float(share), 3) for share in owned / len(margins))
    won = sum(margin > 0 for margin in margins) / len(margins)
    return Forecast(len(margins), ownership, float(np.mean(margins)), float(np.std(margins)), won)


def reconciled(ownership: NDArray[np.floating], lead: float) -> NDArray[np.float64]:
    """Ownership whose sum is the expected lead, moved away from what a network says of it as little as can be.

    A network tells the two apart from each other, and with few stones on the board they may contradict each other:
    every point a little Black's, and White ahead. The same bias is added to the log odds of all points, so that what
    is decided stays as it is, and what is open yields.

    Args:
        ownership: for each point from −1 to 1.
        lead: the points of the side whose points are 1 less those of the other, on the board alone.
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
