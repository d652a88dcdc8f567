"""The memory layout of a batch of boards, which turns a convolution into plain arithmetic on whole arrays.

A board is cut into tiles of 4×4 points, and the same places of all tiles are stored together: activations
have the shape ``(4, 4, tiles, tiles, boards, channels)``, entry ``[i, j, a, b, n]`` being the point
``(4·a + i, 4·b + j)`` of board ``n``. The six rows that a tile of a 3×3 convolution sees are then the four planes
``[0]`` to ``[3]``, the last of them moved by one tile, and the first moved by one tile. The board axis comes after the
tile axes, so that a shift by one tile copies long pieces of memory in both directions.

A size that is not a multiple of 4 is padded around the torus to one: the points beyond the last row repeat the first
rows. Convolutions are correct there too, since the neighbours are repeated as well. For some sizes, such as 9×9, so
many points would be computed twice that tiles of 3×3 points are faster.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property, lru_cache
from math import prod
from typing import Any, Final, Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float32]
Indices: TypeAlias = NDArray[np.intp]
Padding: TypeAlias = Literal["wrap", "zero"]
"""Circular padding, or zeros (only for measuring on boards with edges)."""

TILES: Final = (4, 3)
"""Points along a side of the tiles to choose from."""


class Mode(NamedTuple):
    """How a network computes.

    Attributes:
        padding: how boards continue beyond the border.
        rounded: whether numbers are rounded to bytes.
    """

    padding: Padding = "wrap"
    rounded: bool = False


class Grid:
    """The tiles of a square board.

    Args:
        size: points along a side.
        padding: how the board continues beyond the border.
        whole: whether each point is a tile, so that the points are stored in the order of the board, none twice.

    Attributes:
        tile: points along a side of a tile.
        tiles: tiles along a side.
        padded_size: points along a side, including the repeated ones.
    """

    def __init__(self, size: int, padding: Padding = "wrap", *, whole: bool = False) -> None:
        self.size: Final = size
        self.padding: Final = padding
        self.whole: Final = whole
        self.points: Final = size * size
        # The number of products in a 3×3 convolution, for each pair of channels.
        self.tile: Final = 1 if whole else min(TILES, key=lambda tile: (-(-size // tile) * (tile + 2)) ** 2)
        self.tiles: Final = -(-size // self.tile)
        self.padded_size: Final = self.tiles * self.tile

    @property
    def shape(self) -> tuple[int, int, int, int]:
        return self.tile, self.tile, self.tiles, self.tiles

    @cached_property
    def order(self) -> Indices:
        """For each entry of ``(tile, tile, tiles, tiles)`` its point; repeated points wrap."""
        rows = np.arange(self.padded_size, dtype=np.intp) % self.size
        board = rows[:, None] * self.size + rows[None, :]
        return self._tiled(board)

    @cached_property
    def back(self) -> Indices:
        """For each point its entry in ``(tile, tile, tiles, tiles)``, flat."""
        own = np.arange(self.size)
        tile, phase = np.divmod(own, self.tile)
        entry = ((phase[:, None] * self.tile + phase[None, :]) * self.tiles + tile[:, None]) * self.tiles + tile[
            None, :
        ]
        return np.asarray(entry.reshape(-1), dtype=np.intp)

    @cached_property
    def sources(self) -> NDArray[np.int64]:
        """For each tile along a side, and each point a 3×3 kernel covers there: its place in its tile, and its tile.

        Flattened; only on a torus.
        """
        seen = np.arange(self.tiles)[:, None] * self.tile + np.arange(-1, self.tile + 1)[None, :]
        seen[0, 0], seen[-1, -1] = self.size - 1, self.padded_size % self.size
        return np.stack((seen % self.tile, seen // self.tile), axis=-1).astype(np.int64).reshape(-1)

    @cached_property
    def inside(self) -> Floats:
        """1 for the points of the board, 0 for repeated ones; shape ``(tile, tile, tiles, tiles, 1, 1)``."""
        inside = np.zeros(self.padded_size * self.padded_size, dtype=np.float32)
        inside[self.back] = 1.0
        return inside.reshape(*self.shape, 1, 1)

    @property
    def is_exact(self) -> bool:
        """True if the size is a multiple of the tile, so that no point is stored twice."""
        return self.padded_size == self.size

    def to_tiles(self, boards: Floats, out: Floats | None = None) -> Floats:
        """Return boards of shape ``(boards, points, channels)`` as activations, in ``out`` if given."""
        count, _, channels = boards.shape
        if out is None:
            out = np.empty((*self.shape, count, channels), dtype=np.float32)
        rows = out.reshape(-1, count, channels)
        # No index is out of range; numpy's check would need a buffer.
        np.take(boards.transpose(1, 0, 2), self.order.reshape(-1), axis=0, out=rows, mode="clip")
        if self.padding != "wrap" and not self.is_exact:
            out *= self.inside
        return out

    def to_boards(self, activations: Floats) -> Floats:
        points = activations.reshape(self.padded_size * self.padded_size, *activations.shape[-2:])[self.back]
        return np.ascontiguousarray(points.transpose(1, 0, 2))

    def mean(self, activations: Floats) -> Floats:
        """Return the mean of each channel over each board; shape ``(boards, channels)``."""
        count, channels = activations.shape[-2:]
        means = np.matmul(self._shares, activations.reshape(-1, count * channels))
        return np.asarray(means.reshape(count, channels), dtype=np.float32)

    @cached_property
    def _shares(self) -> Floats:
        return np.asarray(self.inside.reshape(-1) / self.points, dtype=np.float32)

    def neighbourhoods(self, kernel: int, dilation: int) -> Indices:
        """Return for each entry of ``(tile, tile, tiles, tiles)`` the ``kernel²`` entries a kernel covers, flattened.

        Entries beyond a border that does not wrap are set to the number of entries.
        """
        reach = (np.arange(kernel) - kernel // 2) * dilation
        rows = np.arange(self.padded_size)[:, None] + reach[None, :]
        off = (rows < 0) | (rows >= self.size)
        rows = rows % self.size
        point = rows[:, None, :, None] * self.size + rows[None, :, None, :]
        seen = self.back[point]
        if self.padding == "zero":
            seen[off[:, None, :, None] | off[None, :, None, :]] = self.padded_size * self.padded_size
        return self._tiled(seen.reshape(self.padded_size, self.padded_size, kernel * kernel))

    def _tiled(self, board: Indices) -> Indices:
        cut = board.reshape(self.tiles, self.tile, self.tiles, self.tile, *board.shape[2:])
        return np.ascontiguousarray(np.moveaxis(cut, (1, 3), (0, 1)))


@lru_cache(maxsize=64)
def around(size: int, reach: int) -> NDArray[np.int64]:
    """Return for each point of a torus with a border of ``reach`` points the point that it is, flat."""
    own = np.arange(-reach, size + reach, dtype=np.int64) % size
    return (own[:, None] * size + own[None, :]).reshape(-1)


@lru_cache(maxsize=32)
def grid_of(size: int, padding: Padding = "wrap", *, whole: bool = False) -> Grid:
    return Grid(size, padding, whole=whole)


def aligned(length: int, kind: type[Number]) -> NDArray[Number]:
    """Return zeros that begin where a line of the processor's caches does."""
    count = length * np.dtype(kind).itemsize
    memory = np.zeros(count + _LINE, np.uint8)
    start = -memory.ctypes.data % _LINE
    return memory[start : start + count].view(kind)


class TiledVector:
    """One number per channel, repeated for all boards and a row of tiles, since long inner loops are faster."""

    def __init__(self, numbers: Floats) -> None:
        self._numbers = numbers
        self._row = numbers

    def row(self, length: int) -> Floats:
        if len(self._row) < length:
            self._row = np.tile(self._numbers, -(-length // len(self._numbers)))
        return self._row[:length]

    def shaped_like(self, activations: Floats) -> Floats:
        shape = activations.shape[-3:]
        return self.row(prod(shape)).reshape(shape)


ZERO: Final = TiledVector(np.zeros(1, np.float32))
"""Zero for each channel: the lower limit of a rectifier (ReLU), and the bias of a layer without one."""

Cached = TypeVar("Cached")
Number = TypeVar("Number", np.float32, np.int8)
_LINE: Final = 64
_MAX_CACHED: Final = 64
"""The maximum number of cached values; about 15 KB each, one for every batch shape and kind of layer."""


class Workspace:
    """Reusable arrays by name; allocating them each time would cost as much as the arithmetic.

    All shapes of a name share one block of memory, of the size of the largest.
    """

    def __init__(self) -> None:
        self._memory: dict[str, Floats] = {}
        self._arrays: dict[tuple[str, tuple[int, ...]], Floats] = {}
        self._cached: dict[Hashable, Any] = {}

    def __reduce__(self) -> tuple[type[Workspace], tuple[()]]:
        return Workspace, ()

    def array(self, name: str, *shape: int) -> Floats:
        """Return an uninitialised array; arrays of the same name share memory."""
        array = self._arrays.get((name, shape))
        if array is None:
            size = prod(shape)
            memory = self._memory.get(name)
            if memory is None or len(memory) < size:
                self._arrays = {key: cached for key, cached in self._arrays.items() if key[0] != name}
                self._cached.clear()
                # What is left over in it is multiplied, too: without zeros it might be NaN, which numpy warns of.
                memory = self._memory[name] = aligned(size, np.float32)
            array = self._arrays[name, shape] = memory[:size].reshape(shape)
        return array

    def cached(self, key: Hashable, make: Callable[[], Cached]) -> Cached:
        """Return the value cached for ``key``, made on first use; it may contain arrays of this workspace."""
        found: Cached | None = self._cached.get(key)
        if found is None:
            found = make()
            if len(self._cached) >= _MAX_CACHED:
                self._cached.clear()
            self._cached[key] = found
        return found
