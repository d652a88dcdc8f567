"""Estimate the territory of an unfinished game by the stones' influence.

The method is Bouzy's: B. Bouzy, "Mathematical morphology applied to computer Go", International Journal of Pattern
Recognition and Artificial Intelligence 17 (2003). Stones start with a large value, positive for Black. *Dilation*: a
point that is not an enemy's and touches none gains one for every friendly neighbour. *Erosion*: a point loses
one for every neighbour that is not of its own side, down to zero. Five dilations reach across a moyo, and the 21
erosions remove unsupported influence. On the torus every point has four neighbours, so there is no bonus from an edge.

It ignores life and death: every stone counts as alive. On a settled board it gives the area.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.engine import BLACK, EMPTY, WHITE, Area, Board, PlayerArea

DILATIONS: Final = 5
EROSIONS: Final = 21
_STONE: Final = 128
"""More than 21 erosions by all four neighbours can remove, so that no stone changes sides."""
_FULL: Final = 4 * DILATIONS
"""The maximum that dilation gives an empty point."""


@dataclass(frozen=True, slots=True)
class InfluenceEstimate:
    """Estimated territory and score.

    Attributes:
        area: the estimated score of each side, including passes and komi, with the owner of each point.
        strength: for each point from -1 (certainly White's) to 1 (certainly Black's); a stone is -1 or 1.
    """

    area: Area
    strength: tuple[float, ...]


def estimate(board: Board, komi: float) -> InfluenceEstimate:
    values = influence(board).ravel()
    colours = np.array(board.colours, dtype=np.uint8)
    owners = np.where(values > 0, BLACK, np.where(values < 0, WHITE, EMPTY)).astype(np.uint8)
    owners = np.where(colours == EMPTY, owners, colours)
    black, white = (
        PlayerArea(
            stones=int(np.count_nonzero(colours == colour)),
            territory=int(np.count_nonzero((owners == colour) & (colours == EMPTY))),
            passes=board.passes[colour],
            komi=komi * (colour == WHITE),
        )
        for colour in (BLACK, WHITE)
    )
    neutral = int(np.count_nonzero(owners == EMPTY))
    strength = np.clip(values / _FULL, -1, 1)
    return InfluenceEstimate(Area(black, white, neutral, owners.tobytes(), board.rules.tie), tuple(strength.tolist()))


def influence(board: Board, dilations: int = DILATIONS, erosions: int = EROSIONS) -> NDArray[np.int16]:
    """Return the influence on each point after dilation and erosion, positive for Black: shape (rows, columns)."""
    torus = board.torus
    colours = np.array(board.colours, dtype=np.uint8).reshape(torus.rows, torus.columns)
    values: NDArray[np.int16] = _STONE * ((colours == BLACK).astype(np.int16) - (colours == WHITE))
    for _ in range(dilations):
        black, white = _touching(values > 0), _touching(values < 0)
        gain = np.where((values >= 0) & (white == 0), black, 0)
        loss = np.where((values <= 0) & (black == 0), white, 0)
        values = values + gain - loss
    for _ in range(erosions):
        black, white = _touching(values > 0), _touching(values < 0)
        values = np.where(values > 0, np.maximum(values - (4 - black), 0), np.minimum(values + (4 - white), 0))
    return values


def _touching(points: NDArray[np.bool_]) -> NDArray[np.int16]:
    counted = points.astype(np.int16)
    return np.roll(counted, 1, 0) + np.roll(counted, -1, 0) + np.roll(counted, 1, 1) + np.roll(counted, -1, 1)
