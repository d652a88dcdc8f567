"""How a root is searched for self-play: few evaluations, shared out among moves drawn by chance.

Gumbel search with sequential halving (Danihelka, Guez, Schrittwieser and Silver 2022, "Policy improvement by planning
with Gumbel"): moves are drawn without replacement by the policy, each round of evaluations is shared evenly among
those left, and the worse half goes. What was found makes a policy that is better than the network's own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.ai.network_grid import Floats
from daoqi_tui.ai.puct_tree import PuctNode

VISIT_WEIGHT: Final = 50.0
VALUE_SCALE: Final = 1.0
"""The paper's constants of the transformation of values; wins count from 0 to 1."""


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
        self._logits = np.log(np.maximum(root.policy.astype(np.float64), 1e-12))
        noise = np.zeros(len(root.moves)) if rng is None else rng.gumbel(size=len(root.moves))
        self._hopes = self._logits + noise
        count = min(considered, len(root.moves), visits)
        self._left = [int(place) for place in np.argsort(-self._hopes)[: max(count, 1)]]

    def places(self) -> Iterator[int]:
        """The places in the root's moves to evaluate one after another; what they bring counts as it comes."""
        spent = 0
        rounds = max(1, math.ceil(math.log2(len(self._left))))
        while spent < self._visits:
            each = max(1, self._visits // (rounds * len(self._left)))
            for _ in range(each):
                for place in tuple(self._left):
                    if spent < self._visits:
                        spent += 1
                        yield place
            if len(self._left) > 1:
                ranks = self._hopes + self._values()
                self._left.sort(key=lambda place: -ranks[place])
                del self._left[math.ceil(len(self._left) / 2) :]

    def best(self) -> int:
        """The place of the move to play."""
        ranks = self._hopes + self._values()
        return max(self._left, key=lambda place: ranks[place])

    def policy(self) -> Floats:
        """For each of the root's moves how likely it should be, by what was found."""
        better = self._logits + self._values()
        risen = np.exp(better - better.max())
        return np.asarray(risen / risen.sum(), np.float32)

    def _values(self) -> NDArray[np.float64]:
        """The worth of each move, where it was not tried that of the position, on the scale of the logits."""
        root = self._root
        tried = root.visits > 0
        rates = np.where(tried, root.wins / np.maximum(root.visits, 1.0), 0.0).astype(np.float64)
        known = float(root.policy[tried].sum())
        mixed = root.worth
        if known > 0.0:
            found = float((root.policy * rates)[tried].sum()) / known
            mixed = (root.worth + root.total * found) / (1 + root.total)
        worth = np.where(tried, rates, mixed)
        return np.asarray((VISIT_WEIGHT + float(root.visits.max())) * VALUE_SCALE * worth, np.float64)
