"""Convolutions on a torus in numpy: 3×3 ones by Winograd's algorithm, the others as one matrix product.

Winograd's F(4×4, 3×3) and F(3×3, 3×3) are minimal filtering algorithms (Winograd 1980; for networks Lavin and Gray
2016, "Fast Algorithms for Convolutional Neural Networks"): they multiply polynomials by their values at a few points,
here 0, ±1, ±√2 and infinity for tiles of 4×4, and 0, ±1, 2 and infinity for tiles of 3×3. Lavin and Gray have ±2 for
the former; with √2 the differences that the pair ±1 and the pair ±√2 need share more: 15 additions in place of 19 for
the inputs, 11 in place of 14 for the products.

The transforms are lists of steps, each one sum or product of long arrays. Slicing the arrays for a step costs as much
time as the step itself on a single small board, so the steps are built once for arrays that stay, and run as often as
needed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import prod, sqrt
from typing import Final, Protocol, TypeAlias

import numpy as np

from daoqi_tui.ai.network.layout import Floats, Grid, Indices, Workspace


class Convolution(Protocol):
    """A convolution in two steps: convolutions with the same :attr:`transform_key` can share the first."""

    @property
    def outputs(self) -> int:
        """The number of output channels."""

    @property
    def transform_key(self) -> tuple[str, int, int]:
        """Kind, kernel size and dilation; convolutions with the same key share transformed inputs."""

    def transform(self, inputs: Floats, grid: Grid, work: Workspace) -> Floats:
        """Return the transformed inputs, valid until the next call of any convolution."""

    def apply(self, transformed: Floats, grid: Grid, work: Workspace, out: str) -> Floats:
        """Multiply by the weights; return the activations in the array of ``work`` named ``out``."""


def convolve(inputs: Floats, layer: Convolution, grid: Grid, work: Workspace, out: str) -> Floats:
    """Run both steps of a convolution."""
    return layer.apply(layer.transform(inputs, grid, work), grid, work, out)


def convolution(weights: Floats, bias: Floats | None = None, dilation: int = 1) -> Convolution:
    """Return the fastest convolution for ``weights`` of shape ``(kernel, kernel, inputs, outputs)``."""
    kernel = weights.shape[0]
    if kernel == 1:
        return Pointwise(weights[0, 0], bias)
    if kernel == 3 and dilation == 1:
        return Winograd(weights, bias)
    return Gathered(weights, bias, dilation)


class _MatrixProduct:
    """A convolution whose second step is one matrix product.

    Args:
        weights: shape ``(transformed channels, outputs)``.
        bias: of each output.
    """

    def __init__(self, weights: Floats, bias: Floats | None) -> None:
        self.outputs: Final = weights.shape[1]
        self._weights: Final = np.ascontiguousarray(weights, dtype=np.float32)
        self._bias: Final = bias

    def apply(self, transformed: Floats, grid: Grid, work: Workspace, out: str) -> Floats:  # noqa: ARG002
        """As in :class:`Convolution`."""
        made = work.array(out, *transformed.shape[:-1], self.outputs)
        np.matmul(transformed.reshape(-1, transformed.shape[-1]), self._weights, out=made.reshape(-1, self.outputs))
        if self._bias is not None:
            made += self._bias
        return made


class Pointwise(_MatrixProduct):
    """A 1×1 convolution."""

    transform_key: Final = ("pointwise", 1, 1)

    def transform(self, inputs: Floats, grid: Grid, work: Workspace) -> Floats:  # noqa: ARG002
        """As in :class:`Convolution`: the inputs as they are."""
        return inputs


class Gathered(_MatrixProduct):
    """A convolution of any kernel and dilation by im2col: one row of a matrix for the neighbourhood of each point."""

    def __init__(self, weights: Floats, bias: Floats | None, dilation: int) -> None:
        super().__init__(weights.reshape(-1, weights.shape[3]), bias)
        self._kernel: Final = weights.shape[0]
        self._dilation: Final = dilation

    @property
    def transform_key(self) -> tuple[str, int, int]:
        """As in :class:`Convolution`."""
        return "gathered", self._kernel, self._dilation

    def transform(self, inputs: Floats, grid: Grid, work: Workspace) -> Floats:
        """As in :class:`Convolution`: for each point the inputs of its neighbourhood."""
        count, channels = inputs.shape[-2:]
        rows = inputs.reshape(-1, channels)
        if grid.padding == "zero":
            rows = np.concatenate((rows, np.zeros((1, channels), np.float32)))
        transformed = _neighbour_rows(grid, self._kernel, self._dilation, count)
        gathered = work.array("gathered", len(transformed), channels)
        np.take(rows, transformed, axis=0, out=gathered, mode="clip")
        return gathered.reshape(*inputs.shape[:-1], -1)


@lru_cache(maxsize=64)
def _neighbour_rows(grid: Grid, kernel: int, dilation: int, count: int) -> Indices:
    """Return for each point of ``count`` boards the row indices of its neighbourhood in the activations, flat."""
    padded_size = grid.padded_size * grid.padded_size
    transformed = grid.neighbourhoods(kernel, dilation)[..., None, :]
    boards = np.arange(count)[:, None]
    # All places beyond a border are one row, after those of all boards.
    rows = np.where(transformed == padded_size, padded_size * count, transformed * count + boards)
    return np.asarray(rows.reshape(-1), dtype=np.intp)


Step: TypeAlias = tuple[np.ufunc, Floats, Floats, Floats]
"""What to compute of which two arrays, and into which."""

_ROOT: Final = np.array(sqrt(2), dtype=np.float32)
_THREE: Final = np.array(3, dtype=np.float32)
_MINUS: Final = np.array(-1, dtype=np.float32)
_HALF_ROOT: Final = sqrt(2) / 4
FILTERS: Final = {
    4: np.array(
        [
            [1 / 2, 0, 0],
            [-1 / 2, -1 / 2, -1 / 2],
            [-1 / 2, 1 / 2, -1 / 2],
            [1 / 4, _HALF_ROOT, 1 / 2],
            [1 / 4, -_HALF_ROOT, 1 / 2],
            [0, 0, 1],
        ]
    ),
    3: np.array(
        [
            [1 / 2, 0, 0],
            [-1 / 2, -1 / 2, -1 / 2],
            [-1 / 6, 1 / 6, -1 / 6],
            [1 / 6, 1 / 3, 2 / 3],
            [0, 0, 1],
        ]
    ),
}
"""For each tile the transform of the weights in one direction, in double precision; row 1 is the value at 1."""


def run_steps(steps: Iterable[Step]) -> None:
    """Run all steps."""
    for function, one, other, out in steps:
        function(one, other, out)


def input_transform(planes: Floats, axis: int, grid: Grid, scratch: Floats, out: Floats) -> list[Step]:
    """Return the steps of the input transform in one direction, which gives two arrays more than it takes.

    Where the inputs that a tile of 4×4 sees are ``d0`` to ``d5``, ``planes`` are ``d1`` to ``d4``; ``d0`` is ``d4`` of
    the tile before, and ``d5`` is ``d1`` of the tile after. ``axis`` is that of the tiles in each.
    """
    # Two axes are enough for all that stays in its tile; more cost numpy time in each step.
    flat, sums, parts = (array.reshape(len(array), planes.shape[1], -1) for array in (planes, out, scratch))
    first = _shifted_difference(planes, 1, axis, grid, out[0])  # d0 − d2
    last = _shifted_difference(planes, -1, axis, grid, out[-1])  # d5 − d3, or d4 − d2
    if grid.tile == 3:
        return _input_transform_three(flat, parts, sums, first, last)
    return _input_transform_four(flat, parts, sums, first, last)


def _input_transform_four(
    planes: Floats, scratch: Floats, out: Floats, first: list[Step], last: list[Step]
) -> list[Step]:
    d1, d2, d3, d4 = planes
    r0, r1, r2, r3, r4, r5 = out
    u, v, even, odd = scratch
    return [
        (np.subtract, d4, d2, u),
        (np.subtract, d3, d1, v),
        (np.subtract, u, d2, even),
        (np.subtract, v, d1, odd),
        (np.add, even, odd, r1),  # −2·d1 − 2·d2 + d3 + d4
        (np.subtract, even, odd, r2),  # 2·d1 − 2·d2 − d3 + d4
        *first,
        (np.add, r0, r0, r0),
        (np.add, r0, u, r0),  # 2·d0 − 3·d2 + d4
        *last,
        (np.subtract, r5, v, r5),
        (np.subtract, r5, v, r5),  # 2·d1 − 3·d3 + d5
        (np.multiply, v, _ROOT, v),
        (np.add, u, v, r3),  # −√2·d1 − d2 + √2·d3 + d4
        (np.subtract, u, v, r4),  # √2·d1 − d2 − √2·d3 + d4
    ]


def _input_transform_three(
    planes: Floats, scratch: Floats, out: Floats, first: list[Step], last: list[Step]
) -> list[Step]:
    d1, d2, d3 = planes
    r0, r1, r2, r3, r4 = out
    u = scratch[0]
    return [
        (np.subtract, d3, d1, r3),  # −d1 + d3
        (np.add, d1, d2, u),
        (np.subtract, r3, u, r1),  # −2·d1 − d2 + d3
        (np.subtract, d1, d2, u),
        (np.multiply, u, _THREE, u),
        (np.add, r3, u, r2),  # 2·d1 − 3·d2 + d3
        *first,
        (np.add, r0, r0, r0),
        (np.add, r0, r3, r0),  # 2·d0 − d1 − 2·d2 + d3
        *last,
        (np.subtract, r4, r3, r4),
        (np.subtract, r4, r3, r4),  # 2·d1 − d2 − 2·d3 + d4
    ]


def output_transform(products: Floats, scratch: Floats, out: Floats) -> list[Step]:
    """Return the steps of the output transform in one direction, which gives two arrays fewer than it takes."""
    return (
        _output_transform_three(products, scratch, out)
        if len(out) == 3
        else _output_transform_four(products, scratch, out)
    )


def _output_transform_three(products: Floats, scratch: Floats, out: Floats) -> list[Step]:
    m0, m1, m2, m3, m4 = products
    o0, o1, o2 = out
    ones, twos = scratch[:2]
    return [
        (np.add, m1, m2, ones),
        (np.add, m3, m3, twos),
        (np.add, m0, ones, o0),
        (np.add, o0, m3, o0),  # m0 + m1 + m2 + m3
        (np.subtract, m1, m2, o1),
        (np.add, o1, twos, o1),  # m1 − m2 + 2·m3
        (np.add, twos, twos, twos),
        (np.add, ones, twos, o2),
        (np.add, o2, m4, o2),  # m1 + m2 + 4·m3 + m4
    ]


def _output_transform_four(products: Floats, scratch: Floats, out: Floats) -> list[Step]:
    m0, m1, m2, m3, m4, m5 = products
    o0, o1, o2, o3 = out
    ones, twos, odd, root = scratch
    return [
        (np.add, m1, m2, ones),
        (np.add, m3, m4, twos),
        (np.add, ones, twos, ones),
        (np.add, m0, ones, o0),
        (np.add, ones, twos, o2),  # (m1 + m2) + 2·(m3 + m4)
        (np.subtract, m1, m2, odd),
        (np.subtract, m3, m4, root),
        (np.multiply, root, _ROOT, root),
        (np.add, odd, root, o1),  # (m1 − m2) + √2·(m3 − m4)
        (np.add, root, o1, root),
        (np.add, root, m5, o3),  # (m1 − m2) + 2·√2·(m3 − m4) + m5
    ]


def _shifted_difference(planes: Floats, step: int, axis: int, grid: Grid, out: Floats) -> list[Step]:
    """Return the steps of the difference of a plane moved by one tile and a plane in its place.

    It is ``d0 − d2`` for a ``step`` of 1; for a step of −1 it is ``d5 − d3`` of a tile of 4×4, ``d4 − d2`` of a tile of
    3×3. At the border stands the row from the other side, or nothing.
    """

    def cut(array: Floats, tiles: slice) -> Floats:
        return array[(slice(None),) * axis + (tiles,)]

    if step == 1:
        moved, source = planes[-1], slice(None, -1)
        less, target, border = planes[1], slice(1, None), slice(0, 1)
        beyond = grid.size - 1
    else:
        moved, source = planes[0], slice(1, None)
        less, target, border = planes[-2], slice(None, -1), slice(-1, None)
        beyond = grid.padded_size % grid.size
    inner: Step = (np.subtract, cut(moved, source), cut(less, target), cut(out, target))
    if grid.padding == "zero":
        return [inner, (np.multiply, cut(less, border), _MINUS, cut(out, border))]
    tile, phase = divmod(beyond, grid.tile)
    across = cut(planes[phase], slice(tile, tile + 1))
    return [inner, (np.subtract, across, cut(less, border), cut(out, border))]


@dataclass(frozen=True, slots=True)
class _Bound:
    """A list of steps bound to their arrays: the first input and the last output."""

    start: Floats
    steps: tuple[Step, ...]
    end: Floats


class Winograd:
    """A 3×3 convolution by Winograd's minimal filtering."""

    transform_key: Final = ("winograd", 3, 1)

    def __init__(self, weights: Floats, bias: Floats | None) -> None:
        self.outputs: Final = weights.shape[3]
        self._plain: Final = np.array(weights, dtype=np.float32)
        self._transformed: Final[dict[int, Floats]] = {}
        self._bias: Final = bias

    def _weights(self, tile: int) -> Floats:
        """Return the transformed weights for tiles of ``tile`` × ``tile`` points, computed on first use."""
        turned = self._transformed.get(tile)
        if turned is None:
            way, plain = FILTERS[tile], self._plain.astype(np.float64)
            # Places of columns stand before those of rows, as in what they are multiplied with.
            made = np.einsum("pi,qj,ijco->qpco", way, way, plain, optimize=True)
            turned = self._transformed[tile] = np.ascontiguousarray(made.reshape(-1, *plain.shape[2:]), np.float32)
        return turned

    def transform(self, inputs: Floats, grid: Grid, work: Workspace) -> Floats:
        """As in :class:`Convolution`: the inputs transformed."""
        # The cached value holds the inputs, so that no other array can get their id.
        bound = work.cached(("transform", id(inputs), grid), lambda: _bind_transform(inputs, grid, work))
        run_steps(bound.steps)
        return bound.end

    def apply(self, transformed: Floats, grid: Grid, work: Workspace, out: str) -> Floats:
        """As in :class:`Convolution`."""
        shape = (*grid.shape, transformed.shape[-2], self.outputs)
        bound = work.cached(("apply", out, shape), lambda: _bind_apply(shape, work, out))
        products = bound.start
        np.matmul(transformed.reshape(len(products), -1, transformed.shape[-1]), self._weights(grid.tile), out=products)
        if self._bias is not None:
            # The value at the point 1, for rows and columns, goes into all outputs with weight 1.
            products[grid.tile + 3] += self._bias
        run_steps(bound.steps)
        return bound.end


def _bind_transform(inputs: Floats, grid: Grid, work: Workspace) -> _Bound:
    steps: list[Step] = []
    tile, transformed, plane = grid.tile, grid.tile + 2, inputs.shape[2:]
    wide, narrow = (work.array("scratch", 4, count, *plane) for count in (transformed, tile))
    planes = inputs
    if grid.padding == "zero" and not grid.is_exact:
        planes = work.array("masked", *inputs.shape)
        steps.append((np.multiply, inputs, grid.inside, planes))
    # Columns stand before rows from here on, so that most steps go over contiguous arrays.
    rows = work.array("halves", tile, transformed, *plane)
    steps += input_transform(planes, 1, grid, narrow, rows.swapaxes(0, 1))
    columns = work.array("columns", transformed, transformed, *plane)
    steps += input_transform(rows, 2, grid, wide, columns)
    return _Bound(inputs, tuple(steps), columns.reshape(transformed * transformed, *plane))


def _bind_apply(shape: tuple[int, ...], work: Workspace, out: str) -> _Bound:
    tile, transformed, outputs = shape[0], shape[0] + 2, shape[-1]
    rows = prod(shape[2:-1])
    length = rows * outputs
    wide, narrow = (work.array("scratch", 4, count, length) for count in (transformed, tile))
    products = work.array("products", transformed * transformed, rows, outputs)
    halves = work.array("halves", tile, transformed, length)
    made = work.array(out, *shape)
    steps = (
        *output_transform(products.reshape(transformed, transformed, length), wide, halves),
        *output_transform(halves.swapaxes(0, 1), narrow, made.reshape(tile, tile, length)),
    )
    return _Bound(products, steps, made)
