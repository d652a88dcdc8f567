"""What there is to learn from: all positions of some folders, in memory, and batches drawn from them by chance."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.ai.network_grid import Floats
from daoqi_tui.training.positions import Positions, files, load

HELD_OUT: Final = 25
UNKNOWN: Final = (-1.0, 0.0, -1.0)
"""The value of a position of which the policy alone is to be learnt."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Positions on boards of one size, each turned or mirrored in one of the 8 ways.

    Attributes:
        planes: shape ``(positions, planes, size, size)``.
        whole: shape ``(positions, globals)``.
        policy: shape ``(positions, points + 1)``.
        value: win, lead and spread, shape ``(positions, 3)``; a negative win where the policy alone is to be learnt.
        owner: from −1 to 1, shape ``(positions, points)``.
    """

    planes: Floats
    whole: Floats
    policy: Floats
    value: Floats
    owner: Floats


class Lessons:
    """Positions in memory.

    Args:
        folders: where they are; files that appear later are found by :meth:`refresh`.
        rng: where chance is from.
        held_out: read the files kept for testing rather than those to learn from.
        also: more folders, those of earlier stages.
        policy_of: folders of positions of which the policy alone is to be learnt.
        share: how many of the positions drawn are of ``folders``; None for as many as there are of all.
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
        self._policy_of = frozenset(policy_of)
        self._newest = frozenset(folders)
        self._folders = (*self._newest, *also, *self._policy_of)
        self._share = share
        self._is_new: list[bool] = []
        self._rng = rng
        self._held_out = held_out
        self._read: set[Path] = set()
        self._lots: list[Positions] = []
        self._shares: NDArray[np.float64] = np.zeros(0)
        self.refresh()

    def __len__(self) -> int:
        return sum(map(len, self._lots))

    def refresh(self) -> None:
        """Read the files that are new."""
        for folder in self._folders:
            for path in files(folder):
                if path not in self._read and is_held_out(path) == self._held_out:
                    self._read.add(path)
                    lot = load(path)
                    if folder in self._policy_of:
                        lot.value[:] = UNKNOWN
                    self._lots.append(lot)
                    self._is_new.append(folder in self._newest)
        counts, is_new = np.array([len(lot) for lot in self._lots], np.float64), np.array(self._is_new, np.bool_)
        if self._share is not None and is_new.any() and not is_new.all():
            new = counts[is_new].sum()
            counts *= np.where(is_new, self._share / new, (1.0 - self._share) / (counts.sum() - new))
        self._shares = counts / counts.sum() if self._lots else counts

    def draw(self, count: int) -> Batch:
        """A batch of positions, from several files of one size, since those of one file resemble each other."""
        lots = self._lots
        size = int(lots[self._rng.choice(len(lots), p=self._shares)].size)
        places = [place for place, lot in enumerate(lots) if int(lot.size) == size]
        shares = self._shares[places]
        drawn = self._rng.multinomial(count, shares / shares.sum())
        parts = [self._part(lots[place], number) for place, number in zip(places, drawn, strict=True) if number]
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
    """Whether a file of positions is kept for testing: one in :data:`HELD_OUT` is, from the second on."""
    return int(path.stem.split("-")[0]) % HELD_OUT == 1


def turned(boards: Floats, way: int) -> Floats:
    """Boards, whose rows and columns are the last two dimensions, in one of the 8 ways to turn and mirror them."""
    boards = np.rot90(boards, way % 4, axes=(-2, -1))
    return np.ascontiguousarray(boards[..., ::-1] if way >= 4 else boards)
