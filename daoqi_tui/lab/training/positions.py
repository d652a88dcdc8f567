"""Training positions: the network's inputs and targets, stored in write-once files.

Planes are stored as bits, policies as 16-bit floats, ownership in 127ths.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from io import BytesIO
from pathlib import Path
from typing import Any, Final, NamedTuple
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.paths import naming

ENDING: Final = ".npz"
_NAME: Final = re.compile(r"([0-9]+)-([0-9]+)-([0-9]+)(?:-([0-9]+)of([0-9]+))?")


class WrongPositions(ValueError):
    """Raised for a file in a folder of positions that is none, or damaged."""


@dataclass(frozen=True, slots=True)
class Positions:
    """A number of positions on boards of one size.

    Attributes:
        planes: bits of the planes, point by point, shape ``(positions, ⌈points · planes / 8⌉)``, uint8.
        whole: shape ``(positions, globals)``, float32.
        policy: the target probability of each point and, last, of the pass, shape ``(positions, points + 1)``, float16.
        value: win rate from 0 to 1, lead in points, and the lead's standard deviation or a negative number if unknown,
            for the side to move; shape ``(positions, 3)``, float32.
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
        """Return the positions at ``chosen``."""
        columns = {field.name: getattr(self, field.name)[chosen] for field in fields(self) if field.name != "size"}
        return Positions(**columns, size=self.size)

    def planes_of(self, chosen: NDArray[np.int_] | slice = slice(None)) -> NDArray[np.float32]:
        """Return the planes of chosen positions, shape ``(positions, size, size, planes)``."""
        size = int(self.size)
        bits = np.unpackbits(self.planes[chosen], axis=1)
        count = self.planes.shape[1] * 8 // (size * size)
        return bits[:, : size * size * count].reshape(-1, size, size, count).astype(np.float32)


def joined(parts: Sequence[Positions]) -> Positions:
    """Return several lots of positions on boards of one size as one."""
    columns = {
        field.name: np.concatenate([getattr(part, field.name) for part in parts])
        for field in fields(Positions)
        if field.name != "size"
    }
    return Positions(**columns, size=parts[0].size)


class FileParts(NamedTuple):
    """The parts of the name of a file of positions: ``000012-16-2048`` or ``000012-16-2048-1of3``.

    Attributes:
        number: of the file, or of its lot.
        size: of the boards.
        positions: in it.
        part, parts: its index among the lot's files, from 1, and their number.
    """

    number: int
    size: int
    positions: int
    part: int = 1
    parts: int = 1


def parts_of(path: Path) -> FileParts:
    """Parse the name of a file.

    Raises:
        WrongPositions: it is not that of a file of positions.
    """
    if not (named := _NAME.fullmatch(path.stem)):
        raise WrongPositions(
            f"{path} is not named as a file of positions: 000012-16-2048.npz, for lot 12 on 16×16 with 2048 positions; "
            "rename it or move it away"
        )
    return FileParts(*(int(part or 1) for part in named.groups()))


def file_name(number: int, positions: Positions, part: tuple[int, int] = (1, 1)) -> str:
    """Return the name of a file of positions; ``part`` is its index and the number of files of the lot."""
    which = f"-{part[0]}of{part[1]}" if part != (1, 1) else ""
    return f"{number:06}-{int(positions.size)}-{len(positions)}{which}{ENDING}"


def packed(positions: Positions) -> bytes:
    """Return the positions encoded as a file."""
    content = BytesIO()
    np.savez_compressed(content, **{field.name: getattr(positions, field.name) for field in fields(Positions)})
    return content.getvalue()


def load(path: Path) -> Positions:
    """Return the positions in a file.

    Raises:
        WrongPositions: it holds something else.
        OSError: it cannot be read.
    """
    with naming(path):
        content = path.read_bytes()
    try:
        with np.load(BytesIO(content)) as columns:
            return Positions(**{field.name: columns[field.name] for field in fields(Positions)})
    except (OSError, ValueError, KeyError, TypeError, BadZipFile, zlib.error) as error:
        raise WrongPositions(
            f"{path} is damaged, or not a file of positions; move it away, and its games are played again"
        ) from error


def files(folder: Path, *, empty: bool = False, below: int | None = None) -> Iterator[Path]:
    """Yield the files of positions in a folder, oldest first, without hidden ones.

    Args:
        folder: the folder.
        empty: yield those without any positions as well.
        below: yield only those of the lots before this number.

    Raises:
        WrongPositions: a file has another name.
    """
    for path in sorted(folder.glob(f"[!.]*{ENDING}")):
        parts = parts_of(path)
        if (empty or parts.positions) and (below is None or parts.number < below):
            yield path
