"""The training set: all positions of some folders, in memory, and random batches from them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from daoqi_tui.ai.network.layout import Floats
from daoqi_tui.training.positions import Positions, files, load, parts_of

HELD_OUT: Final = 25
UNKNOWN: Final = (-1.0, 0.0, -1.0)
"""The value targets of a position of which only the policy is learnt."""


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch of positions on boards of one size, under one of the 8 symmetries.

    Attributes:
        planes: shape ``(positions, planes, size, size)``.
        whole: shape ``(positions, globals)``.
        policy: shape ``(positions, points + 1)``.
        value: win, lead and spread, shape ``(positions, 3)``; a negative win if only the policy is to be learnt.
        owner: from −1 to 1, shape ``(positions, points)``.
    """

    planes: Floats
    whole: Floats
    policy: Floats
    value: Floats
    owner: Floats


class Dataset:
    """Positions in memory.

    Args:
        folders: of their files.
        rng: the source of random numbers.
        held_out: read the held-out files for testing rather than the training files.
        also: additional folders, of earlier stages.
        policy_of: folders of positions of which only the policy is to be learnt.
        share: of positions from ``folders`` in a batch; None for their share of all positions.
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
    ) -> None:
        self._rng = rng
        self._lots: list[Positions] = []
        # In order, since the random draws depend on it.
        newest, policy_alone = dict.fromkeys(folders), dict.fromkeys(policy_of)
        found = []
        for folder in (*newest, *also, *policy_alone):
            for path in files(folder):
                if is_held_out(path) == held_out:
                    lot = load(path)
                    if folder in policy_alone:
                        lot.value[:] = UNKNOWN
                    self._lots.append(lot)
                    found.append(folder in newest)
        counts, is_new = np.array([len(lot) for lot in self._lots], np.float64), np.array(found, np.bool_)
        if share is not None and is_new.any() and not is_new.all():
            new = counts[is_new].sum()
            counts *= np.where(is_new, share / new, (1.0 - share) / (counts.sum() - new))
        self._shares = counts / counts.sum() if self._lots else counts

    def __len__(self) -> int:
        return sum(map(len, self._lots))

    def draw(self, count: int) -> Batch:
        """Draw a batch from several files of one size, since the positions of one file are similar."""
        lots = self._lots
        size = int(lots[self._rng.choice(len(lots), p=self._shares)].size)
        indices = [index for index, lot in enumerate(lots) if int(lot.size) == size]
        shares = self._shares[indices]
        drawn = self._rng.multinomial(count, shares / shares.sum())
        parts = [self._part(lots[index], number) for index, number in zip(indices, drawn, strict=True) if number]
        return Batch(*(np.concatenate([getattr(part, name) for part in parts]) for name in Batch.__slots__))

    def _part(self, lot: Positions, count: int) -> Batch:
        rng, size = self._rng, int(lot.size)
        chosen = rng.choice(len(lot), count, replace=count > len(lot))
        planes = lot.planes_of(chosen).transpose(0, 3, 1, 2)
        policy = lot.policy[chosen].astype(np.float32)
        owner = lot.owner[chosen].astype(np.float32) / np.float32(127)
        way = int(rng.integers(8))
        plays = turned(policy[:, :-1].reshape(-1, size, size), way).reshape(count, -1)
        return Batch(
            turned(planes, way),
            lot.whole[chosen],
            np.concatenate((plays, policy[:, -1:]), axis=1),
            lot.value[chosen],
            turned(owner.reshape(-1, size, size), way).reshape(count, -1),
        )


def is_held_out(path: Path) -> bool:
    """Return whether a file of positions is held out for testing: the second and every :data:`HELD_OUT`-th after it.

    If lots have several files each, a part of every lot is held out.
    """
    parts = parts_of(path)
    return (parts.number + parts.part - 1) % HELD_OUT == 1


def turned(boards: Floats, way: int) -> Floats:
    """Return boards, whose rows and columns are the last two axes, under one of the 8 symmetries."""
    boards = np.rot90(boards, way % 4, axes=(-2, -1))
    return np.ascontiguousarray(boards[..., ::-1] if way >= 4 else boards)
