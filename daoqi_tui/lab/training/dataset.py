"""The training set: all positions of some folders, in the memory of the device, and random batches from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from daoqi_tui.lab.training.positions import Positions, files, joined, load, parts_of

HELD_OUT: Final = 25
UNKNOWN: Final = (-1.0, 0.0, -1.0)
"""The value targets of a position of which only the policy is learnt."""
WAYS: Final = 8
"""The number of symmetries of the board."""


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch of positions on boards of one size, each under one of the 8 symmetries; all tensors are float32.

    Attributes:
        planes: shape ``(positions, planes, size, size)``.
        whole: shape ``(positions, globals)``.
        policy: shape ``(positions, points + 1)``.
        value: win, lead and spread, shape ``(positions, 3)``; a negative win if only the policy is to be learnt.
        owner: from −1 to 1, shape ``(positions, points)``.
    """

    planes: Tensor
    whole: Tensor
    policy: Tensor
    value: Tensor
    owner: Tensor


class _SameSize:
    """Positions on boards of one size, as in :class:`Positions`, on a device.

    Args:
        positions: all of them.
        weight: the frequency of each position, relative to those of all sizes.
        device: where they are kept.
    """

    def __init__(self, positions: Positions, weight: NDArray[np.float64], device: torch.device) -> None:
        self.size: Final = int(positions.size)
        self.share: Final = float(weight.sum())
        # Positions with the same weight are consecutive, so that drawing one takes no search.
        order = np.argsort(weight, kind="stable")
        _, counts = np.unique(weight, return_counts=True)
        self._ends: Final = np.cumsum(counts)
        self._shares: Final = np.add.reduceat(weight[order], self._ends - counts) / self.share
        in_order = positions.taken(order) if len(counts) > 1 else positions
        self.planes, self.whole, self.policy, self.value, self.owner = (
            torch.from_numpy(getattr(in_order, name)).to(device)
            for name in ("planes", "whole", "policy", "value", "owner")
        )

    def draw(self, count: int, rng: np.random.Generator) -> NDArray[np.int_]:
        """Return random indices, each weight as often as its positions are to be drawn."""
        ends, drawn = self._ends, rng.multinomial(count, self._shares)
        return np.concatenate(
            [rng.integers(first, end, number) for first, end, number in zip((0, *ends[:-1]), ends, drawn, strict=True)]
        )


class Dataset:
    """Positions in memory.

    Args:
        folders: of their files.
        rng: the source of random numbers.
        held_out: read the held-out files for testing rather than the training files.
        also: additional folders, of earlier stages.
        policy_of: folders of positions of which only the policy is to be learnt.
        share: of positions from ``folders`` in a batch; None for their share of all positions.
        needed: the number of lots, from the first, that are read in a folder; in others all are.
        device: where positions are kept and batches are made.
    """

    def __init__(
        self,
        folders: Iterable[Path],
        rng: np.random.Generator,
        *,
        held_out: bool = False,
        also: Iterable[Path] = (),
        policy_of: Iterable[Path] = (),
        share: float | None = None,
        needed: Mapping[Path, int] = MappingProxyType({}),
        device: torch.device | None = None,
    ) -> None:
        self._rng = rng
        self._device = device or torch.device("cpu")
        # In order, since the random draws depend on it.
        newest, policy_alone = dict.fromkeys(folders), dict.fromkeys(policy_of)
        found = [
            (folder, path)
            for folder in (*newest, *also, *policy_alone)
            for path in files(folder, below=needed.get(folder))
            if is_held_out(path) == held_out
        ]
        with ThreadPoolExecutor() as pool:
            lots = list(pool.map(load, [path for _, path in found]))
        for (folder, _), lot in zip(found, lots, strict=True):
            if folder in policy_alone:
                lot.value[:] = UNKNOWN
        weights = _weights(lots, [folder in newest for folder, _ in found], share)
        self._sizes: list[_SameSize] = []
        for size in dict.fromkeys(int(lot.size) for lot in lots):
            chosen = [index for index, lot in enumerate(lots) if int(lot.size) == size]
            weight = np.concatenate([np.full(len(lots[index]), weights[index]) for index in chosen])
            self._sizes.append(_SameSize(joined([lots[index] for index in chosen]), weight, self._device))

    def __len__(self) -> int:
        return sum(len(same.whole) for same in self._sizes)

    def draw(self, count: int) -> Batch:
        """Draw a batch of one size."""
        rng = self._rng
        shares = np.array([same.share for same in self._sizes])
        same = self._sizes[rng.choice(len(shares), p=shares / shares.sum())]
        size = same.size
        chosen = torch.from_numpy(same.draw(count, rng)).to(self._device)
        # Runs of positions are turned together; which are together is random.
        runs = rng.multinomial(count, np.full(WAYS, 1.0 / WAYS)).tolist()
        policy = same.policy[chosen].float()
        plays = _turned_runs(policy[:, :-1].reshape(count, size, size), runs)
        owner = same.owner[chosen].float() / 127
        return Batch(
            _turned_runs(_planes(same.planes[chosen], size), runs),
            same.whole[chosen],
            torch.cat((plays.flatten(1), policy[:, -1:]), dim=1),
            same.value[chosen],
            _turned_runs(owner.reshape(count, size, size), runs).flatten(1),
        )


def _weights(lots: Sequence[Positions], is_new: Sequence[bool], share: float | None) -> NDArray[np.float64]:
    """Return how often a position of each lot is drawn, if together the new ones have this share."""
    weights, counts, new = np.ones(len(lots)), np.array([len(lot) for lot in lots]), np.array(is_new, np.bool_)
    if share is not None and new.any() and not new.all():
        weights = np.where(new, share / counts[new].sum(), (1.0 - share) / counts[~new].sum())
    return weights


def _planes(bits: Tensor, size: int) -> Tensor:
    """Return the planes of positions from their bits, ``(positions, planes, size, size)``, float32."""
    shifts = torch.arange(7, -1, -1, dtype=torch.uint8, device=bits.device)
    points = size * size
    count = bits.shape[1] * 8 // points
    flat = ((bits[:, :, None] >> shifts) & 1).flatten(1)[:, : points * count]
    return flat.reshape(-1, size, size, count).permute(0, 3, 1, 2).float()


def _turned_runs(boards: Tensor, runs: Sequence[int]) -> Tensor:
    """Return boards with each run of them under the next of the 8 symmetries."""
    return torch.cat([turned(part, way) for way, part in enumerate(boards.split(list(runs)))])


def is_held_out(path: Path) -> bool:
    """Return whether a file of positions is held out for testing: the second and every :data:`HELD_OUT`-th after it.

    If lots have several files each, a part of every lot is held out.
    """
    parts = parts_of(path)
    return (parts.number + parts.part - 1) % HELD_OUT == 1


def turned(boards: Tensor, way: int) -> Tensor:
    """Return boards, whose rows and columns are the last two axes, under one of the 8 symmetries."""
    boards = torch.rot90(boards, way % 4, (-2, -1))
    return boards.flip(-1) if way >= 4 else boards
