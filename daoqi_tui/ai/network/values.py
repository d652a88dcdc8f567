"""Corrects an evaluation by counting: points by ownership, and races that are read exactly.

The lead and the win rate of a network are outputs of its own, learnt from games at much the same komi; they need not
follow it. Its ownership does not depend on komi, so that its sum with komi and passes moves with them exactly.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import NormalDist
from typing import Final

import numpy as np

from daoqi_tui.ai.network import Counting
from daoqi_tui.ai.network.features import mask_to_array
from daoqi_tui.ai.search import Evaluation
from daoqi_tui.reading.races import Race

SLOPE: Final = 0.7
"""The log odds of a win for each standard deviation of counted points, fitted to the results of settled games."""
SURER: Final = 0.6
"""By how much they are higher on a settled board."""
SETTLED: Final = 10.0
"""The variance of a count at which its share is 1/e of the way to all, which it has on a settled board."""
OPEN: Final = 16
"""The power of a point's mean variance by which a count keeps its share on an open board: half of it at 0.96."""
_FLOOR: Final = 1.0
"""The variance of a count in which all points are certain."""
_SURE: Final = 1e-4
"""Win rates are clamped to this and 1 less it before they are changed."""
_RACING: Final = 0.5
"""The share of the policy for the moves that win a race of chains with as many stones as a row; less for smaller."""


def counted(found: Evaluation, beside: float, shares: Counting) -> Evaluation:
    """Return an evaluation with shares of the points counted by its ownership in lead and win rate.

    Args:
        found: the network's outputs.
        beside: the points of the side to move beside the board: komi, passes, and half a point for who wins ties.
        shares: in lead and win rate; 0 leaves the output as it is, 1 takes the count alone, and between them the share
            grows to 1 as the board is settled.
    """
    if not any(shares):
        return found
    count = float(found.owner.sum()) + beside
    # A point of ownership p belongs to either side with the variance 1 − p².
    variance = float((1.0 - found.owner * found.owner).sum())
    settled = math.exp(-variance / SETTLED)
    open_ = (variance / len(found.owner)) ** OPEN
    win_share = shares.win + max(shares.open - shares.win, 0.0) * open_
    in_lead, in_win = (share + (1.0 - share) * settled if share else 0.0 for share in (shares.lead, win_share))
    win = _unsure(found.win)
    slope = SLOPE + SURER * settled
    odds = (1.0 - in_win) * math.log(win / (1.0 - win)) + in_win * slope * count / math.sqrt(_FLOOR + variance)
    return found._replace(win=1.0 / (1.0 + math.exp(-odds)), lead=(1.0 - in_lead) * found.lead + in_lead * count)


def with_races(found: Evaluation, races: Sequence[Race]) -> Evaluation:
    """Return an evaluation in which the chains that lose a race belong to the other side, and who moves races first.

    Only one of several races that hang on the next move can be had at once: the largest goes to the side to move, the
    next to the opponent, and so on.
    """
    if not any(race.first or race.second for race in races):
        return found
    points, outcomes = len(found.owner), list(_outcomes(races))
    owner, policy = found.owner.copy(), found.policy
    for race, outcome in outcomes:
        if outcome:
            owner[mask_to_array(race.own | race.other, points) > 0] = outcome
    change = float(owner.sum() - found.owner.sum())
    normal = NormalDist()
    win = normal.cdf(normal.inv_cdf(_unsure(found.win)) + change / max(found.spread, 1.0))
    # Races that hang on the next move come first, the largest of them before.
    if moves := outcomes[0][0].moves:
        racing = np.append(mask_to_array(moves, points), np.float32(0))
        stones = (outcomes[0][0].own | outcomes[0][0].other).bit_count()
        share = _RACING * min(1.0, stones / math.sqrt(points))
        policy = (1.0 - share) * policy + racing * np.float32(share / moves.bit_count())
    return found._replace(policy=policy, win=win, lead=found.lead + change, owner=owner)


def _unsure(win: float) -> float:
    return min(max(win, _SURE), 1.0 - _SURE)


def _outcomes(races: Sequence[Race]) -> Iterator[tuple[Race, int]]:
    """Yield each race with its outcome for the side to move, those that hang on the next move first."""
    hanging = sorted((race for race in races if race.moves), key=lambda race: -(race.own | race.other).bit_count())
    yield from ((race, race.second if number % 2 else race.first) for number, race in enumerate(hanging))
    yield from ((race, race.first) for race in races if not race.moves)
