"""Positions with the values of two networks, the player and a teacher, and the mixture of both as training targets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.ai.katago.features import MINE, THEIRS
from daoqi_tui.training.positions import Positions, joined


class LabelledPositions(NamedTuple):
    """The same positions with the policy to be learnt and the values of two networks.

    Attributes:
        by_player: with the values of the network that plays.
        by_teacher: with those of the teacher.
        siblings: the number of consecutive positions that follow different plays from the same one; 1 for others.
    """

    by_player: Positions
    by_teacher: Positions
    siblings: int = 1


_FILLED: Final = (0.0, 0.2, 0.35, 0.5, 0.62, 0.8, 1.0)
"""The shares of points with stones for which the weights below are given; in between they are interpolated."""
_WIN_WEIGHTS: Final = ((0.5, 0.5, 0.55, 0.65, 0.8, 0.93, 0.95), (0.45, 0.42, 0.38, 0.28, 0.15, 0.05, 0.03))
"""Of the logits of the win rates, the player's and the teacher's."""
_LEAD_WEIGHTS: Final = ((0.45, 0.45, 0.48, 0.52, 0.65, 0.72, 0.8), (0.7, 0.7, 0.65, 0.5, 0.3, 0.24, 0.2))
_OWNER_SHARE: Final = (0.6, 0.6, 0.55, 0.45, 0.25, 0.1, 0.0)
"""Of the teacher's ownership; the rest is the player's."""
_APART_SHARE: Final = (1.0, 1.0, 0.95, 0.8, 0.55, 0.3, 0.2)
"""Of the teacher in the differences between siblings, which it knows better than how a position stands."""
_SURE: Final = 0.997
"""Win rates are clamped to 1 − _SURE and _SURE before their logits are taken."""
_PHASES: Final = (0.1, 0.2, 0.3, 0.4, 0.55, 0.7)
"""The shares of points with stones between which the teacher's bias is measured."""
_PRIOR: Final = 30
"""Positions without a bias that are counted in each phase, so that a few do not decide on it."""


def mixed_positions(labelled: Sequence[LabelledPositions]) -> Positions:
    """Return the positions with values mixed of both networks.

    A stronger teacher tells the moves of a position apart better, but takes living stones for dead on a torus, mostly
    when much of the board is settled. The weights are near to those that predict the results of games best, with more
    of the teacher in the first half of a game. A teacher of flat boards also prefers one side to move: the mean
    difference to the player's evaluation in each phase of the game is taken off. The differences between siblings are
    nearly all the teacher's.

    Args:
        labelled: positions on boards of one size, some hundreds at least for a good estimate of that.
    """
    player, teacher = joined([pair.by_player for pair in labelled]), joined([pair.by_teacher for pair in labelled])
    family = _families(labelled)
    planes = player.planes_of().reshape(len(player), player.owner.shape[1], -1)
    filled = planes[:, :, [MINE, THEIRS]].sum((1, 2)) / planes.shape[1]
    wins = _mixed(_logit(player.value[:, 0]), _logit(teacher.value[:, 0]), filled, _WIN_WEIGHTS, family)
    leads = _mixed(player.value[:, 1], teacher.value[:, 1], filled, _LEAD_WEIGHTS, family)
    value = np.stack((1.0 / (1.0 + np.exp(-wins)), leads, teacher.value[:, 2]), axis=1)
    share = np.interp(filled, _FILLED, _OWNER_SHARE)[:, None]
    owner = np.rint((1.0 - share) * player.owner + share * teacher.owner)
    return replace(player, value=value.astype(np.float32), owner=owner.astype(np.int8))


def _families(labelled: Sequence[LabelledPositions]) -> NDArray[np.int_]:
    """Return for each position the number of its family: siblings have the same."""
    families: list[NDArray[np.int_]] = []
    first = 0
    for pair in labelled:
        families.append(first + np.arange(len(pair.by_player)) // pair.siblings)
        first = int(families[-1][-1]) + 1
    return np.concatenate(families)


def _mixed(
    player: NDArray[np.float32],
    teacher: NDArray[np.float32],
    filled: NDArray[np.float32],
    weights: tuple[tuple[float, ...], tuple[float, ...]],
    family: NDArray[np.int_],
) -> NDArray[np.float64]:
    """Return the weighted sum of two values of each position, with the teacher's bias taken off.

    Of a family it is the mean; the members differ from it by what the teacher says, and a little the player.
    """
    phase, phases = np.digitize(filled, _PHASES), len(_PHASES) + 1
    counts = np.bincount(phase, minlength=phases)
    bias = np.bincount(phase, teacher - player, phases) / (counts + _PRIOR)
    own, teachers = (np.interp(filled, _FILLED, column) for column in weights)
    mixed = own * player + teachers * (teacher - bias[phase])
    share = np.interp(filled, _FILLED, _APART_SHARE)
    mean, of_player, of_teacher = (_family_means(values, family) for values in (mixed, player, teacher))
    return mean + share * (teacher - of_teacher) + (1.0 - share) * (player - of_player)


def _family_means(values: NDArray[np.floating], family: NDArray[np.int_]) -> NDArray[np.float64]:
    """Return for each position the mean value of its family."""
    return (np.bincount(family, values) / np.bincount(family))[family]


def _logit(wins: NDArray[np.float32]) -> NDArray[np.float32]:
    wins = wins.clip(1.0 - _SURE, _SURE)
    return np.log(wins / (1.0 - wins))
