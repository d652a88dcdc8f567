"""What all boards of one size on one device share: the rules, neighbours and Zobrist keys.

The key of a position is a sum modulo 2^64: one random number for each colour on each point, and one for White to move.
Zobrist (1970) combines the numbers by exclusive or; sums work as well, and a GPU can scatter them. Two different
positions have the same key with a probability of 2^-64. A game on 16×16 compares at most about 10^7 pairs, so that in
one game in 10^12 superko may wrongly refuse a legal play, which does no further harm.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
import torch
from torch import Tensor

from daoqi_tui.engine import BLACK, DAOQI, POSITIONAL, WHITE, Rules

_SEED: Final = 20260


class TorusGrid:
    """The tables of one size of board on one device, and the rules of the games on it.

    Args:
        size: points along a side, 2 to 25. On 2 × 2 each neighbour occurs in two directions; this does not matter,
            since chains are counted once, and points are only tested for existence.
        device: of the tables.
        rules: of the games; the komi of each is given where it is needed.

    Attributes:
        points: the number of points; also stands for a pass, and for the chain of an empty point.
        indices: the points, shape ``(points,)``, int64.
        stones: the keys of a point empty, black and white, shape ``(3 · points,)``; those of empty points are 0.
        white: the key for White to move, no dimensions; 0 where superko is positional.
    """

    def __init__(self, size: int, device: torch.device, rules: Rules = DAOQI) -> None:
        self.size: Final = size
        self.rules: Final = rules
        self.points: Final = size * size
        self.device: Final = device
        rng = np.random.default_rng((_SEED, size))
        numbers = rng.integers(-(2**63), 2**63, 2 * self.points + 1, np.int64)
        empty = np.zeros(self.points, np.int64)
        self.stones: Final = torch.from_numpy(np.concatenate((empty, numbers[:-1]))).to(device)
        self.white: Final = torch.tensor(0 if rules.superko == POSITIONAL else int(numbers[-1]), device=device)
        self.indices: Final = torch.arange(self.points, device=device)

    def around(self, boards: Tensor) -> Tensor:
        """Return the values of each point's four neighbours: ``(boards, points)`` gives ``(boards, 4, points)``."""
        square = boards.view(len(boards), self.size, self.size)
        ways = (square.roll(1, 1), square.roll(-1, 2), square.roll(-1, 1), square.roll(1, 2))
        return torch.stack(ways, dim=1).view(len(boards), 4, self.points)

    def numbers(self, colours: Tensor) -> Tensor:
        """Return the key of the colour on each point; shapes ``(boards, points)``."""
        _, black, white = self.stones.view(3, -1)
        return black.where(colours == BLACK, 0) + white.where(colours == WHITE, 0)

    def regions(self, inside: Tensor) -> Tensor:
        """Return the connected components of some points of each board.

        In each round every point passes the minimum label among its neighbours to the point named by its own label;
        then labels are replaced by the labels they name (FastSV: Zhang, Azad and Hu 2020). About five rounds suffice,
        whatever the shape of the components.

        Args:
            inside: which points, shape ``(boards, points)``.

        Returns:
            For each point the lowest point of its component, ``points`` for those outside; ``(boards, points)``, int16.
        """
        nowhere = torch.full_like(inside[:, :1], self.points, dtype=torch.int64)
        labels = torch.cat((self.indices.where(inside, nowhere), nowhere), dim=1)
        while True:
            own = labels[:, :-1]
            least = own.minimum(self.around(own.to(torch.int16)).amin(1)).where(inside, nowhere)
            spread = labels.scatter_reduce(1, own, least, "amin")
            spread = torch.cat((spread[:, :-1].minimum(least), nowhere), dim=1)
            for _ in range(2):
                spread = spread.gather(1, spread)
            if torch.equal(spread, labels):
                return own.to(torch.int16)
            labels = spread

    def count(self, labels: Tensor, counted: Tensor) -> Tensor:
        """Return the number of counted points with each label.

        Args:
            labels: points, or ``points`` for none; shape ``(boards, …)``, any whole numbers.
            counted: of the same shape.

        Returns:
            Shape ``(boards, points + 1)``; the last, for those without a label, is 0.
        """
        counts = torch.zeros((len(labels), self.points + 1), dtype=torch.int32, device=self.device)
        counts.scatter_add_(1, labels.flatten(1).long(), counted.flatten(1).int())
        counts[:, -1] = 0
        return counts


def distinct(labels: Tensor, none: int) -> Tensor:
    """Return which of the labels along dimension 1, four neighbours, are not ``none`` and occur for the first time."""
    first = labels != none
    for later in range(1, labels.shape[1]):
        for earlier in range(later):
            first[:, later] &= labels[:, later] != labels[:, earlier]
    return first


@lru_cache(maxsize=64)
def grid_of(size: int, device: torch.device, rules: Rules = DAOQI) -> TorusGrid:
    """Return the shared :class:`TorusGrid` of a size on a device, under the given rules."""
    return TorusGrid(size, device, rules)
