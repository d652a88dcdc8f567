"""Positions to learn from: how each is seen, and what is to be said of it. Kept in files that are written once.

Planes hold zeros and ones and are kept as bits; policies as 16-bit floats, ownership in 127ths.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.ai.network_judge import Judgement, Look
from daoqi_tui.record.files import write_atomically

ENDING: Final = ".npz"


@dataclass(frozen=True, slots=True)
class Positions:
    """A number of positions on boards of one size.

    Attributes:
        planes: bits of the planes, point by point, shape ``(positions, ⌈points · planes / 8⌉)``, uint8.
        whole: shape ``(positions, globals)``, float32.
        policy: how likely each point and, last, the pass should be, shape ``(positions, points + 1)``, float16.
        value: chance to win from 0 to 1, lead in points, and the lead's standard deviation or a negative number
            where that is not known, for the side to move; shape ``(positions, 3)``, float32.
        owner: 127 where the side to move owns the point, −127 where the opponent does; ``(positions, points)``, int8.
        size: points along a side, an array of no dimensions.
    """

    planes: NDArray[np.uint8]
    whole: NDArray[np.float32]
    policy: NDArray[np.float16]
    value: NDArray[np.float32]
    owner: NDArray[np.int8]
    size: NDArray[Any]

    def __len__(self) -> int:
        return len(self.whole)

    def taken(self, chosen: NDArray[np.int_]) -> Positions:
        """Some of the positions, those at ``chosen``."""
        columns = {field.name: getattr(self, field.name)[chosen] for field in fields(self) if field.name != "size"}
        return Positions(**columns, size=self.size)

    def planes_of(self, chosen: NDArray[np.int_] | slice = slice(None)) -> NDArray[np.float32]:
        """The planes of chosen positions, shape ``(positions, size, size, planes)``."""
        size = int(self.size)
        bits = np.unpackbits(self.planes[chosen], axis=1)
        count = self.planes.shape[1] * 8 // (size * size)
        return bits[:, : size * size * count].reshape(-1, size, size, count).astype(np.float32)


def positions_of(looks: Sequence[Look], targets: Sequence[Judgement], size: int) -> Positions:
    """Looks at boards of one size, with what is to be said of them."""
    planes = np.stack([look.planes for look in looks]).astype(np.bool_)
    return Positions(
        np.packbits(planes.reshape(len(looks), -1), axis=1),
        np.stack([look.whole for look in looks]),
        np.stack([target.policy for target in targets]).astype(np.float16),
        np.array([(target.win, target.lead, target.spread) for target in targets], np.float32),
        np.rint(np.stack([target.owner for target in targets]) * 127).astype(np.int8),
        np.array(size),
    )


def joined(parts: Sequence[Positions]) -> Positions:
    """Several lots of positions on boards of one size, as one."""
    columns = {
        field.name: np.concatenate([getattr(part, field.name) for part in parts])
        for field in fields(Positions)
        if field.name != "size"
    }
    return Positions(**columns, size=parts[0].size)


def save(positions: Positions, folder: Path) -> Path:
    """Write positions to a file of their own: whole, or not at all. Its name tells number, board size and count."""
    folder.mkdir(parents=True, exist_ok=True)
    number = 1 + max((int(path.stem.split("-")[0]) for path in files(folder)), default=-1)
    path = folder / f"{number:06}-{int(positions.size)}-{len(positions)}{ENDING}"
    packed = BytesIO()
    np.savez_compressed(packed, **{field.name: getattr(positions, field.name) for field in fields(Positions)})
    write_atomically(path, packed.getvalue())
    return path


def load(path: Path) -> Positions:
    """The positions in a file."""
    with np.load(path) as columns:
        return Positions(**{field.name: columns[field.name] for field in fields(Positions)})


def files(folder: Path) -> Iterator[Path]:
    """The files of positions in a folder, oldest first."""
    yield from sorted(folder.glob(f"*{ENDING}"))


def count(folder: Path) -> int:
    """How many positions are in the files of a folder, as their names tell."""
    return sum(int(path.stem.split("-")[2]) for path in files(folder))
