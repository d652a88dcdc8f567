"""Makes a network's ownership agree with its score lead, and both with what is certain."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.engine import BLACK, WHITE, Board
from daoqi_tui.reading.status import status

_FARTHEST: Final = 8.0
"""The bound of the bias in log odds; beyond it every point would belong entirely to one side."""


def certain_ownership(board: Board) -> NDArray[np.float64]:
    """Return 1 for each point that is Black's for certain, −1 for each of White's, else 0; shape ``(points,)``."""
    owners = np.zeros(board.torus.points)
    for colour, found in status(board, board.rules).items():
        owners[list(board.torus.points_in(found.certain))] = {BLACK: 1.0, WHITE: -1.0}[colour]
    return owners


def reconcile_ownership(
    ownership: NDArray[np.floating], lead: float, certain: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return ownership with what is certain, the other points shifted so that the sum is the expected lead.

    Ownership and lead are separate outputs of a network and may contradict each other on boards with few stones: every
    point may lean to Black, but White be ahead. The same bias is added to the log odds of all points, which moves
    undecided points and hardly affects decided ones.

    Args:
        ownership: for each point from −1 to 1, shape ``(points,)``.
        lead: the score lead of the side that owns points of 1, counted on the board alone (no komi, no passes).
        certain: as :func:`certain_ownership` returns it.
    """
    decided = certain != 0
    odds = np.arctanh(np.clip(ownership, -0.999, 0.999))
    low, high = -_FARTHEST, _FARTHEST
    for _ in range(30):
        bias = (low + high) / 2
        if float(np.where(decided, certain, np.tanh(odds + bias)).sum()) < lead:
            low = bias
        else:
            high = bias
    return np.where(decided, certain, np.tanh(odds + (low + high) / 2))
