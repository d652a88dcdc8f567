"""Convolutions on a torus in numpy: 3×3 ones by Winograd's F(4×4, 3×3), the others as one matrix product.

The minimal filtering algorithm (Winograd 1980; for networks Lavin and Gray 2016) computes 4×4 outputs from 6×6 inputs
with 36 multiplications in place of 144, at the points 0, ±1, ±2 and infinity. The transforms go over rows, then over
columns; in the layout of :mod:`~daoqi_tui.ai.network_grid` each step is an addition of long arrays.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, Protocol

import numpy as np

from daoqi_tui.ai.network_grid import TILE, Floats, Grid, Indices

_FILTER: Final = np.array(
    [
        [1 / 4, 0, 0],
        [-1 / 6, -1 / 6, -1 / 6],
        [-1 / 6, 1 / 6, -1 / 6],
        [1 / 24, 1 / 12, 1 / 6],
        [1 / 24, -1 / 12, 1 / 6],
        [0, 0, 1],
    ]
)
_SEEN: Final = TILE + 2
_ONES: Final = _SEEN + 1
"""The product that goes into all 16 outputs with weight 1: a bias added there is added everywhere."""


class Workspace:
    """Arrays that are used again and again, by name and shape; making them anew costs as much as the arithmetic."""

    def __init__(self) -> None:
        self._arrays: dict[tuple[str, tuple[int, ...]], Floats] = {}

    def array(self, name: str, *shape: int) -> Floats:
        """An array with whatever was in it."""
        array = self._arrays.get((name, shape))
        if array is None:
            array = self._arrays[name, shape] = np.empty(shape, dtype=np.float32)
        return array


class Convolution(Protocol):
    """A convolution with its weights."""

    @property
    def outputs(self) -> int:
        """Channels that come out."""

    def __call__(self, inputs: Floats, grid: Grid, work: Workspace, out: str) -> Floats:
        """The activations after it, in the array of ``work`` named ``out``."""


def convolution(weights: Floats, bias: Floats | None = None, dilation: int = 1) -> Convolution:
    """The fastest convolution for ``weights`` of shape ``(kernel, kernel, inputs, outputs)``."""
    kernel = weights.shape[0]
    if kernel == 1:
        return Pointwise(weights[0, 0], bias)
    if kernel == 3 and dilation == 1:
        return Winograd(weights, bias)
    return Gathered(weights, bias, dilation)


class Pointwise:
    """A convolution that sees one point."""

    def __init__(self, weights: Floats, bias: Floats | None) -> None:
        self.outputs: Final = weights.shape[1]
        self._weights: Final = np.ascontiguousarray(weights, dtype=np.float32)
        self._bias: Final = bias

    def __call__(self, inputs: Floats, grid: Grid, work: Workspace, out: str) -> Floats:  # noqa: ARG002
        """As in :class:`Convolution`."""
        made = work.array(out, *inputs.shape[:-1], self.outputs)
        np.matmul(inputs.reshape(-1, inputs.shape[-1]), self._weights, out=made.reshape(-1, self.outputs))
        if self._bias is not None:
            made += self._bias
        return made


class Gathered:
    """A convolution of any size: what each point sees is gathered into a row of one large matrix product."""

    def __init__(self, weights: Floats, bias: Floats | None, dilation: int) -> None:
        self._kernel: Final = weights.shape[0]
        self._dilation: Final = dilation
        self.outputs: Final = weights.shape[3]
        self._weights: Final = np.ascontiguousarray(weights.reshape(-1, self.outputs), dtype=np.float32)
        self._bias: Final = bias

    def __call__(self, inputs: Floats, grid: Grid, work: Workspace, out: str) -> Floats:
        """As in :class:`Convolution`."""
        count, channels = inputs.shape[2], inputs.shape[-1]
        rows = inputs.reshape(-1, channels)
        if grid.padding == "zero":
            rows = np.concatenate((rows, np.zeros((1, channels), np.float32)))
        seen = _seen(grid, self._kernel, self._dilation, count)
        gathered = work.array("gathered", len(seen), channels)
        np.take(rows, seen, axis=0, out=gathered, mode="clip")
        made = work.array(out, *inputs.shape[:-1], self.outputs)
        np.matmul(gathered.reshape(-1, len(self._weights)), self._weights, out=made.reshape(-1, self.outputs))
        if self._bias is not None:
            made += self._bias
        return made


@lru_cache(maxsize=64)
def _seen(grid: Grid, kernel: int, dilation: int, count: int) -> Indices:
    """The rows of the activations of ``count`` boards that each place sees, flat."""
    seen = grid.neighbourhoods(kernel, dilation)
    tiles = grid.tiles * grid.tiles
    phase, tile = np.divmod(seen, tiles)
    boards = np.arange(count)[:, None, None, None]
    rows = (phase[:, :, None] * count + boards) * tiles + tile[:, :, None]
    off = np.broadcast_to((seen == TILE * TILE * tiles)[:, :, None], rows.shape)
    return np.asarray(np.where(off, TILE * TILE * tiles * count, rows).reshape(-1), dtype=np.intp)


class Winograd:
    """A 3×3 convolution."""

    def __init__(self, weights: Floats, bias: Floats | None) -> None:
        _, _, inputs, self.outputs = weights.shape
        turned = np.einsum("pi,qj,ijco->pqco", _FILTER, _FILTER, weights.astype(np.float64), optimize=True)
        self._weights: Final = np.ascontiguousarray(turned.reshape(_SEEN * _SEEN, inputs, self.outputs), np.float32)
        self._bias: Final = bias

    def __call__(self, inputs: Floats, grid: Grid, work: Workspace, out: str) -> Floats:
        """As in :class:`Convolution`."""
        count, tiles, channels = inputs.shape[2], grid.tiles, inputs.shape[-1]
        if grid.padding == "zero" and not grid.is_exact:
            inputs = np.multiply(inputs, grid.inside, out=work.array("masked", *inputs.shape))
        rows = work.array("rows", _SEEN, TILE, count, tiles, tiles, channels)
        _expand([inputs[phase] for phase in range(TILE)], 2, grid, work, list(rows))
        columns = work.array("columns", _SEEN, _SEEN, count, tiles, tiles, channels)
        _expand([rows[:, phase] for phase in range(TILE)], 3, grid, work, [columns[:, place] for place in range(_SEEN)])
        boards = count * tiles * tiles
        products = work.array("products", _SEEN * _SEEN, boards, self.outputs)
        np.matmul(columns.reshape(_SEEN * _SEEN, boards, channels), self._weights, out=products)
        if self._bias is not None:
            products[_ONES] += self._bias
        squares = products.reshape(_SEEN, _SEEN, boards, self.outputs)
        halves = work.array("halves", TILE, _SEEN, boards, self.outputs)
        _reduce(list(squares), work, list(halves))
        made = work.array(out, TILE, TILE, boards, self.outputs)
        _reduce([halves[:, place] for place in range(_SEEN)], work, [made[:, phase] for phase in range(TILE)])
        return made.reshape(TILE, TILE, count, tiles, tiles, self.outputs)


def _halo(planes: list[Floats], axis: int, grid: Grid, work: Workspace) -> tuple[Floats, Floats]:
    """The rows before and after each tile; ``axis`` is that of the tiles in a plane."""
    before, after = (work.array(name, *planes[0].shape) for name in ("before", "after"))
    first, last = before.swapaxes(0, axis), after.swapaxes(0, axis)
    views = [plane.swapaxes(0, axis) for plane in planes]
    first[1:] = views[-1][:-1]
    last[:-1] = views[0][1:]
    if grid.padding == "wrap":
        tile, phase = divmod(grid.size - 1, TILE)
        first[0] = views[phase][tile]
        tile, phase = divmod(grid.places % grid.size, TILE)
        last[-1] = views[phase][tile]
    else:
        first[0] = 0.0
        last[-1] = 0.0
    return before, after


def _expand(planes: list[Floats], axis: int, grid: Grid, work: Workspace, out: list[Floats]) -> None:
    """The transform of the inputs in one direction: six arrays from four planes and their halo."""
    d0, d5 = _halo(planes, axis, grid, work)
    d1, d2, d3, d4 = planes
    even, odd = work.array("even", *d0.shape), work.array("odd", *d0.shape)
    np.multiply(d2, 4.0, out=even)
    np.subtract(d4, even, out=even)
    np.multiply(d1, 4.0, out=odd)
    np.subtract(d3, odd, out=odd)
    np.add(even, odd, out=out[1])
    np.subtract(even, odd, out=out[2])
    np.subtract(d4, d2, out=even)
    np.subtract(d3, d1, out=odd)
    odd *= 2.0
    np.add(even, odd, out=out[3])
    np.subtract(even, odd, out=out[4])
    d0 -= d2
    d0 *= 4.0
    np.add(d0, even, out=out[0])
    odd *= 2.0
    d5 -= d3
    np.subtract(d5, odd, out=out[5])


def _reduce(m: list[Floats], work: Workspace, out: list[Floats]) -> None:
    """The transform of the products in one direction: four arrays from six."""
    ones, twos = work.array("ones", *m[0].shape), work.array("twos", *m[0].shape)
    np.add(m[1], m[2], out=ones)
    np.add(m[3], m[4], out=twos)
    np.add(m[0], ones, out=out[0])
    out[0] += twos
    twos *= 4.0
    np.add(ones, twos, out=out[2])
    np.subtract(m[1], m[2], out=ones)
    np.subtract(m[3], m[4], out=twos)
    twos *= 2.0
    np.add(ones, twos, out=out[1])
    twos *= 4.0
    ones += twos
    np.add(ones, m[5], out=out[3])
