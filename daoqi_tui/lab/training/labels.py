"""Positions with the values of two networks, the player and a teacher, and the training targets made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.ai.network.features import MINE, THEIRS
from daoqi_tui.lab.training.positions import Positions, joined


class LabelledPositions(NamedTuple):
    """The same positions with the policy to be learnt and the values of two networks.

    Attributes:
        by_player: with the values of the network that plays.
        by_teacher: with those of the teacher.
        stretch: the number of each position's stretch: positions of a game that follow from each other by moves that
            were neither random nor in the opening; that of a sibling's parent. ``(positions,)``.
        ply: the number of moves before each position, ``(positions,)``.
        siblings: the number of consecutive positions that follow different plays from the same one; 1 for others.
        is_played: whether they are positions of the games themselves; siblings are not, even if each is the only one.
    """

    by_player: Positions
    by_teacher: Positions
    stretch: NDArray[np.int64]
    ply: NDArray[np.int64]
    siblings: int = 1
    is_played: bool = True


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
    filled = _filled(player)
    wins = _mixed(_logit(player.value[:, 0]), _logit(teacher.value[:, 0]), filled, _WIN_WEIGHTS, family)
    leads = _mixed(player.value[:, 1], teacher.value[:, 1], filled, _LEAD_WEIGHTS, family)
    value = np.stack((1.0 / (1.0 + np.exp(-wins)), leads, teacher.value[:, 2]), axis=1)
    share = np.interp(filled, _FILLED, _OWNER_SHARE)[:, None]
    owner = np.rint((1.0 - share) * player.owner + share * teacher.owner)
    return replace(player, value=value.astype(np.float32), owner=owner.astype(np.int8))


def look_ahead(positions: Positions, labelled: Sequence[LabelledPositions], moves: float) -> Positions:
    """Return positions whose win rate and lead are averages of those that follow in the same stretch of the game.

    The values of a network jump from move to move where it is wrong; what it says later, averaged, is nearer to the
    result and less extreme (temporal-difference learning, Sutton 1988). The difference between a sibling and its parent
    is shrunk as these averages are.

    Args:
        positions: with their own values.
        labelled: where they are from; the stretches of each in the order of play.
        moves: the mean number of moves ahead; weights fall off exponentially.
    """
    stretch, ply = (np.concatenate([getattr(pair, name) for pair in labelled]) for name in ("stretch", "ply"))
    is_sibling = np.concatenate([np.full(len(pair.ply), not pair.is_played) for pair in labelled])
    own = positions.value[:, :2].astype(np.float64)
    # Of this form, an infinite number leaves only the last position of each stretch.
    keep = 1.0 - 1.0 / (1.0 + moves)
    ahead = _averages_ahead(own, np.where(is_sibling, -1, stretch), ply, keep)
    # Win rates differ in their logits from here on.
    own[:, 0], ahead[:, 0] = _logit(own[:, 0]), _logit(ahead[:, 0])
    phase = np.digitize(_filled(positions), _PHASES)
    shrinks = _shrinks(own[~is_sibling], ahead[~is_sibling], phase[~is_sibling])
    parents = _parents(stretch, is_sibling)
    # The other side is to move after a play.
    apart = own[is_sibling] + own[parents]
    ahead[is_sibling] = shrinks[phase[is_sibling]] * apart - ahead[parents]
    value = np.column_stack((1.0 / (1.0 + np.exp(-ahead[:, 0])), ahead[:, 1], positions.value[:, 2]))
    return replace(positions, value=value.astype(np.float32))


def _averages_ahead(
    values: NDArray[np.float64], stretch: NDArray[np.int64], ply: NDArray[np.int64], keep: float
) -> NDArray[np.float64]:
    """Return for each position the average of its values and those that follow in its stretch.

    Args:
        values: win rate and lead of the side to move, ``(positions, 2)``.
        stretch: the number of each position's stretch, whose positions are in the order of play; −1 for none.
        ply: the number of moves before each position.
        keep: the weight of what follows, for each move that lies between.
    """
    averages = values.copy()
    following: dict[int, int] = {}
    for row in range(len(averages) - 1, -1, -1):
        number = int(stretch[row])
        if number < 0:
            continue
        later, following[number] = following.get(number), row
        if later is not None:
            distance = int(ply[later] - ply[row])
            win, lead = averages[later]
            then = (1.0 - win, -lead) if distance % 2 else (win, lead)
            averages[row] += keep**distance * (np.array(then) - averages[row])
    return averages


def _parents(stretch: NDArray[np.int64], is_sibling: NDArray[np.bool_]) -> NDArray[np.int_]:
    """Return the row of each sibling's parent: the last position before it in its stretch that is no sibling."""
    latest: dict[int, int] = {}
    parents: list[int] = []
    for row, (number, sibling) in enumerate(zip(stretch.tolist(), is_sibling.tolist(), strict=True)):
        if sibling:
            parents.append(latest[number])
        else:
            latest[number] = row
    return np.array(parents, np.int_)


def _shrinks(own: NDArray[np.float64], ahead: NDArray[np.float64], phase: NDArray[np.int_]) -> NDArray[np.float64]:
    """Return by which factors values shrink when they look ahead: slopes of regressions, ``(phases, 2)``."""
    phases = len(_PHASES) + 1

    def sums(products: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.column_stack([np.bincount(phase, column, phases) for column in products.T])

    shrinks: NDArray[np.float64] = (sums(own * ahead) + _PRIOR) / (sums(own * own) + _PRIOR)
    return shrinks


def _filled(positions: Positions) -> NDArray[np.float32]:
    """Return the share of points with stones in each position."""
    planes = positions.planes_of().reshape(len(positions), positions.owner.shape[1], -1)
    filled: NDArray[np.float32] = planes[:, :, [MINE, THEIRS]].sum((1, 2)) / planes.shape[1]
    return filled


def _families(labelled: Sequence[LabelledPositions]) -> NDArray[np.int_]:
    """Return for each position the number of its family: siblings have the same."""
    families: list[NDArray[np.int_]] = []
    first = 0
    for pair in labelled:
        families.append(first + np.arange(len(pair.by_player)) // pair.siblings)
        first = int(families[-1][-1]) + 1
    return np.concatenate(families)


def _mixed(
    player: NDArray[np.floating],
    teacher: NDArray[np.floating],
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
    return (np.bincount(family, values) / np.bincount(family))[family]


def _logit(wins: NDArray[np.floating]) -> NDArray[np.floating]:
    wins = wins.clip(1.0 - _SURE, _SURE)
    return np.log(wins / (1.0 - wins))
