"""Who will own what: the territory estimate and the expected margin, by playing the position out many times."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from daoqi_tui.ai.evaluator import Evaluator, Stopped
from daoqi_tui.engine import BLACK, WHITE, Board

ENOUGH: Final = 400
"""Playouts after which the share of a point is known to about 5 %."""


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
