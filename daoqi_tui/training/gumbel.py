"""How a root is searched for self-play: few evaluations, shared out among moves drawn by chance.

Gumbel search with sequential halving (Danihelka, Guez, Schrittwieser and Silver 2022, "Policy improvement by planning
with Gumbel"): moves are drawn without replacement by the policy, each round of evaluations is shared evenly among
those left, and the worse half goes. What was found makes a policy that is better than the network's own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.ai.network_grid import Floats
from daoqi_tui.ai.puct_tree import PuctNode

VISIT_WEIGHT: Final = 50.0
VALUE_SCALE: Final = 0.3
"""Constants of the transformation of values, wins counting from 0 to 1. The paper's scale is 1; with as few evaluations
as suit self-play on processors what is found is less sure, and to play by 0.3 is as strong."""
TINY: Final = 1e-12
"""The least chance that a move is thought to have."""


class GumbelRoot:
    """Decides which moves of a root are evaluated, and in the end which one is played.

    Args:
        root: judged already.
        visits: evaluations to spend.
        considered: moves drawn at most.
        rng: where chance is from; None plays what is thought best, without noise.
    """

    def __init__(self, root: PuctNode, visits: int, considered: int, rng: np.random.Generator | None) -> None:
        self._root = root
        self._visits = visits
        self._logits = np.log(np.maximum(root.policy.astype(np.float64), TINY))
        noise = np.zeros(len(root.moves)) if rng is None else rng.gumbel(size=len(root.moves))
        self._hopes = self._logits + noise
        count = min(considered, len(root.moves), visits)
        self._left = [int(place) for place in np.argsort(-self._hopes)[: max(count, 1)]]

    def places(self) -> Iterator[int]:
        """The places in the root's moves to evaluate one after another; what they bring counts as it comes."""
        for left, turn in halving(self._visits, len(self._left)):
            if left < len(self._left):
                ranks = self._hopes + self._values()
                self._left.sort(key=lambda place: -ranks[place])
                del self._left[left:]
            yield self._left[turn]

    def best(self) -> int:
        """The place of the move to play.

        Of those visited most: what was found after a move alone and what was found after its answer, too, do not
        compare.
        """
        ranks, visits = self._hopes + self._values(), self._root.visits
        return max(self._left, key=lambda place: (visits[place], ranks[place]))

    def policy(self) -> Floats:
        """For each of the root's moves how likely it should be, by what was found."""
        better = self._logits + self._values()
        risen = np.exp(better - better.max())
        return np.asarray(risen / risen.sum(), np.float32)

    def _values(self) -> NDArray[np.float64]:
        """The worth of each move, where it was not tried that of the position, on the scale of the logits."""
        root = self._root
        return np.asarray(completed(Tries(root.policy, root.visits, root.wins, root.worth), np), np.float64)


def halving(visits: int, count: int) -> Iterator[tuple[int, int]]:
    """Sequential halving: how ``visits`` evaluations are shared out among ``count`` moves.

    Yields:
        For each evaluation how many moves are left, and the turn of which of them it is; where fewer are left than
        before, they are the best so far.
    """
    spent, left = 0, count
    rounds = max(1, math.ceil(math.log2(count)))
    while spent < visits:
        for turn in range(min(max(1, visits // (rounds * left)) * left, visits - spent)):
            yield left, turn % left
            spent += 1
        left = math.ceil(left / 2)


class Tries(NamedTuple):
    """What is thought and known of the moves of a position, or of many at once: arrays of numpy or of torch.

    Attributes:
        policy, visits, wins: of each move, the last dimension.
        worth: of the position, for its side to move, with 1 for the dimension of the moves or as a number.
    """

    policy: Any
    visits: Any
    wins: Any
    worth: Any


def completed(tries: Tries, library: Any) -> Any:  # noqa: ANN401 - either library's
    """What was found of each move, where it was not tried of the position, on the scale of the policy's logits.

    Args:
        tries: of the moves.
        library: numpy or torch, whichever the arrays are of.
    """
    policy, visits, wins, worth = tries
    tried = visits > 0
    rates = wins / library.where(tried, visits, 1.0)
    total, known = visits.sum(axis=-1, keepdims=True), (policy * tried).sum(axis=-1, keepdims=True)
    found = (policy * tried * rates).sum(axis=-1, keepdims=True) / library.where(known > 0, known, 1.0)
    mixed = library.where(known > 0, (worth + total * found) / (1 + total), worth)
    most = library.amax(visits, -1)[..., None]
    return (VISIT_WEIGHT + most) * VALUE_SCALE * library.where(tried, rates, mixed)
