"""What all boards of one size on one device share: who is whose neighbour, and the numbers that states are known by.

A state is known by a sum modulo 2^64: one number drawn by chance for each colour on each point, and one for White to
move. Zobrist (1970) combines such numbers by exclusive or; sums do as well, and a graphics card can scatter them. Two
states that differ have the same sum with a chance of 2^-64. A game on 16×16 compares at most some 10^7 pairs, so that
one game in 10^12 may see a legal play refused, which does no harm beyond that.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
import torch
from torch import Tensor

from daoqi_tui.engine import torus_of

_SEED: Final = 20260


class Grid:
    """The tables of one size of board on one device.

    Args:
        size: points along a side, 2 to 25. On 2 × 2 a neighbour stands twice in the table; whatever reads it counts
            chains once and asks of points only whether there are any, so that this does not matter.
        device: where the tables are.

    Attributes:
        points: how many there are; also stands for a pass, and for the chain of an empty point.
        near: the four neighbours of each point, shape ``(4, points)``.
        stones: the numbers of a point empty, black and white, shape ``(3 · points,)``; those of empty points are 0.
        white: the number for White to move, no dimensions.
    """

    def __init__(self, size: int, device: torch.device) -> None:
        torus = torus_of(size)
        self.size: Final = size
        self.points: Final = torus.points
        self.device: Final = device
        steps = ((-1, 0), (0, 1), (1, 0), (0, -1))
        near = [[torus.shift(point, down, right) for point in range(torus.points)] for down, right in steps]
        self.near: Final = torch.tensor(near, device=device)
        rng = np.random.default_rng((_SEED, size))
        numbers = rng.integers(-(2**63), 2**63, 2 * torus.points + 1, np.int64)
        empty = np.zeros(torus.points, np.int64)
        self.stones: Final = torch.from_numpy(np.concatenate((empty, numbers[:-1]))).to(device)
        self.white: Final = torch.tensor(int(numbers[-1]), device=device)
        self._places: Final = torch.arange(torus.points, device=device)

    def around(self, boards: Tensor) -> Tensor:
        """What stands on the four neighbours of each point: ``(boards, points)`` gives ``(boards, 4, points)``."""
        return boards[:, self.near.flatten()].view(len(boards), 4, self.points)

    def numbers(self, colours: Tensor) -> Tensor:
        """The number of what stands on each point; shapes ``(boards, points)``."""
        return self.stones[colours.long() * self.points + self._places]

    def regions(self, inside: Tensor) -> Tensor:
        """The connected parts of some points of each board.

        Labels spread to neighbours and then along themselves, so that their reach doubles each time.

        Args:
            inside: which points, shape ``(boards, points)``.

        Returns:
            For each point the least point of its part, and ``points`` for those outside; ``(boards, points)``.
        """
        outside = torch.full((len(inside), 1), self.points, device=self.device)
        labels = self._places.where(inside, outside)
        while True:
            spread = labels.minimum(self.around(labels).amin(1)).where(inside, outside)
            for _ in range(2):
                spread = torch.cat((spread, outside), dim=1).gather(1, spread)
            if torch.equal(spread, labels):
                return labels
            labels = spread

    def count(self, labels: Tensor, counted: Tensor) -> Tensor:
        """How many counted points bear each label.

        Args:
            labels: points, or ``points`` for none; shape ``(boards, …)``.
            counted: of the same shape.

        Returns:
            Shape ``(boards, points + 1)``; the last, for those without a label, is 0.
        """
        counts = torch.zeros((len(labels), self.points + 1), dtype=torch.int32, device=self.device)
        counts.scatter_add_(1, labels.flatten(1), counted.flatten(1).int())
        counts[:, -1] = 0
        return counts


def distinct(labels: Tensor, none: int) -> Tensor:
    """Which of the labels along dimension 1, four neighbours, are there and stand for the first time."""
    first = labels != none
    for later in range(1, labels.shape[1]):
        first[:, later] &= (labels[:, :later] != labels[:, later : later + 1]).all(1)
    return first


@lru_cache(maxsize=64)
def grid_of(size: int, device: torch.device) -> Grid:
    """The shared :class:`Grid` of a size on a device."""
    return Grid(size, device)
