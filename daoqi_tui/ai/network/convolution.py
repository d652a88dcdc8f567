"""Convolutions on a torus: 3×3 and 5×5 ones by Winograd's algorithm, others in numpy as a single matrix product.

Winograd's F(4×4, 3×3) and F(3×3, 3×3) (Winograd 1980; for networks Lavin and Gray 2016, "Fast Algorithms for
Convolutional Neural Networks") multiply polynomials by their values at a few points, here 0, ±1, ±√2 and infinity for
tiles of 4×4, and 0, ±1, 2 and infinity for tiles of 3×3. Lavin and Gray have ±2 for the former; with √2 the differences
that the pair ±1 and the pair ±√2 need share more: 15 additions in place of 19 for the inputs, 11 in place of 14 for the
products.

In numpy the transforms are lists of steps, each one sum or product of long arrays. Slicing the arrays for a step costs
as much time as the step itself on a single small board, so the steps are built once for arrays that stay, and run as
often as needed. Compiled, they are loops that read and write each number once (:mod:`.winograd_kernel`); the matrix
products between them are numpy's.

Processors with instructions for products of bytes (AVX-512 VNNI, AVX-VNNI) multiply 4 times as many of these in a cycle
as floats, those with tiles of matrices (AMX) 32 times as many. There convolutions need no transforms: their inputs and
weights are rounded to bytes where the inputs have a least value, such as after a rectifier, and the products are summed
in 32 bits (:mod:`.rounded_kernel`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import prod, sqrt
from typing import Any, Final, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.ai.compiled import LateKernel
from daoqi_tui.ai.network import instructions, rounded_kernel, winograd_kernel
from daoqi_tui.ai.network.instructions import shape_of_tiles
from daoqi_tui.ai.network.layout import (
    TILES,
    ZERO,
    Floats,
    Grid,
    Indices,
    Padding,
    TiledVector,
    Workspace,
    aligned,
    around,
    grid_of,
)
from daoqi_tui.ai.network.rounded_kernel import BYTES, LONGEST, OUTPUTS, ROWS
from daoqi_tui.ai.network.winograd_kernel import PIECE

INSTRUCTIONS: Final = instructions.available()
"""Those for :data:`ROUNDED` that this machine has."""
CHANNELS: Final = 16
"""Channels of which multiples are computed in bytes."""


class Convolution(Protocol):
    """A convolution in two steps: convolutions with the same :attr:`transform_key` can share the first."""

    @property
    def outputs(self) -> int: ...

    @property
    def transform_key(self) -> tuple[str, int, int]:
        """Kind, kernel size and dilation; convolutions with the same key share transformed inputs."""

    def transform(self, inputs: Floats, grid: Grid, work: Workspace, least: TiledVector | None = None) -> Floats:
        """Return the transformed inputs, valid until the next call of any convolution.

        Inputs are clamped from below to ``least``, which has a number for each channel.
        """

    def apply(
        self,
        transformed: Floats,
        grid: Grid,
        work: Workspace,
        out: str,
        *,
        added: Floats | None = None,
        onto: Floats | None = None,
    ) -> Floats:
        """Multiply by the weights.

        Args:
            transformed: the transformed inputs.
            grid: the tiles of the boards.
            work: the arrays to use.
            out: the name of the array for the outputs, which may be that of the inputs.
            added: numbers to add for each board and channel, shape ``(boards, outputs)``.
            onto: activations to which the outputs are added.

        Returns:
            The outputs, or ``onto``.
        """


def convolve(inputs: Floats, layer: Convolution, grid: Grid, work: Workspace, out: str) -> Floats:
    return layer.apply(layer.transform(inputs, grid, work), grid, work, out)


def convolution(
    weights: Floats, bias: Floats | None = None, dilation: int = 1, padding: Padding = "wrap"
) -> Convolution:
    """Return the fastest convolution for ``weights`` of shape ``(kernel, kernel, inputs, outputs)``."""
    kernel = weights.shape[0]
    if kernel == 1:
        return Pointwise(weights[0, 0], bias)
    if kernel == 3 and dilation == 1:
        return Winograd(weights, bias)
    if kernel == 5 and dilation == 1 and padding == "wrap":
        return Quartered(weights, bias)
    return Gathered(weights, bias, dilation)


def whole_convolution(
    weights: Floats, bias: Floats | None = None, dilation: int = 1, least: Floats | None = None
) -> Convolution:
    """Return the fastest one on a torus whose points are in the order of the board (:attr:`.Grid.whole`).

    Where each input has a ``least`` value, or its ``transform`` is called with one, that is to be given here.
    """
    kernel, _, inputs, outputs = weights.shape
    fits = dilation == 1 and not inputs % CHANNELS and not outputs % CHANNELS and kernel**2 * inputs <= _MOST_PRODUCTS
    # With few outputs, rounding the inputs of a 1×1 convolution would take more time than bytes save.
    if least is not None and fits and (kernel > 1 or outputs >= _MANY_OUTPUTS):
        return Quantised(weights, bias, least)
    if kernel == 1:
        return Pointwise(weights[0, 0], bias)
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

    def apply(
        self,
        transformed: Floats,
        grid: Grid,  # noqa: ARG002
        work: Workspace,
        out: str,
        *,
        added: Floats | None = None,
        onto: Floats | None = None,
    ) -> Floats:
        made = work.array(out, *transformed.shape[:-1], self.outputs)
        np.matmul(transformed.reshape(-1, transformed.shape[-1]), self._weights, out=made.reshape(-1, self.outputs))
        if self._bias is not None:
            made += self._bias
        return finished(made, added, onto)


class Pointwise(_MatrixProduct):
    """A 1×1 convolution."""

    transform_key: Final = ("pointwise", 1, 1)

    def transform(self, inputs: Floats, grid: Grid, work: Workspace, least: TiledVector | None = None) -> Floats:  # noqa: ARG002
        return limited(inputs, least, work)


class Gathered(_MatrixProduct):
    """A convolution of any kernel and dilation by im2col: one row of a matrix for the neighbourhood of each point."""

    def __init__(self, weights: Floats, bias: Floats | None, dilation: int) -> None:
        super().__init__(weights.reshape(-1, weights.shape[3]), bias)
        self._kernel: Final = weights.shape[0]
        self._dilation: Final = dilation

    @property
    def transform_key(self) -> tuple[str, int, int]:
        return "gathered", self._kernel, self._dilation

    def transform(self, inputs: Floats, grid: Grid, work: Workspace, least: TiledVector | None = None) -> Floats:
        inputs = limited(inputs, least, work)
        return _gathered(inputs, _rows(grid, self._kernel, self._dilation, inputs.shape[-2]), grid, work)


class Quantised:
    """A convolution on a torus of inputs and weights that are rounded to bytes.

    Each board's inputs are rounded to 255 steps above the least value of their channel, the weights of an output to 127
    on either side of 0. It can only be used once :data:`ROUNDED` is compiled, on grids that are :attr:`~.Grid.whole`.

    Args:
        weights: shape ``(kernel, kernel, inputs, outputs)``; inputs and outputs are multiples of 16.
        bias: of each output.
        least: of each input.
    """

    def __init__(self, weights: Floats, bias: Floats | None, least: Floats) -> None:
        self.least: Final = TiledVector(least)
        self.outputs: Final = weights.shape[3]
        self._kernel: Final = len(weights)
        # What is not finite stays so in the factors.
        self._factors: Final = np.asarray(np.abs(weights).max(axis=(0, 1, 2)) / 127 + _TINY, np.float32)
        whole = np.nan_to_num(np.rint(weights / self._factors)).astype(np.int8)
        whole = np.pad(whole, ((0, 0), (0, 0), (0, -whole.shape[2] % BYTES), (0, -whole.shape[3] % OUTPUTS)))
        self._parts: Final[int] = whole.shape[2] // BYTES
        self.weights: Final = aligned(whole.size, np.int8)
        self.weights[:] = _in_tiles(whole).reshape(-1)
        # The products are of what the inputs are above the least ones.
        below = np.einsum("ijco,c->o", weights.astype(np.float64), least)
        self._bias: Final = np.asarray(below if bias is None else bias + below, np.float32)

    @property
    def transform_key(self) -> tuple[str, int, int]:
        return "bytes", self._kernel, 1

    def transform(self, inputs: Floats, grid: Grid, work: Workspace, least: TiledVector | None = None) -> Floats:
        return self.transformed(ROUNDED.functions, inputs, grid, work, least or self.least)

    def transformed(
        self,
        functions: Any,  # noqa: ANN401
        inputs: Floats,
        grid: Grid,
        work: Workspace,
        least: TiledVector,
    ) -> Floats:
        boards, channels = inputs.shape[-2:]
        places = around(grid.size, self._kernel // 2)
        count = self._length(boards, grid)
        # Behind the bytes stands for each board what one step is.
        out = work.array("rounded", count + boards)
        functions.round_to_bytes(
            inputs.reshape(-1),
            least.row(channels),
            out[:count].view(np.uint8),
            out[count:],
            work.array("most", channels),
            places,
            boards,
        )
        return out

    def _length(self, boards: int, grid: Grid) -> int:
        """Return how many numbers of 32 bits take the place of the bytes of so many boards."""
        wide = grid.size + self._kernel - 1
        return boards * wide**2 * self._parts * BYTES // 4

    def apply(
        self,
        transformed: Floats,
        grid: Grid,
        work: Workspace,
        out: str,
        *,
        added: Floats | None = None,
        onto: Floats | None = None,
    ) -> Floats:
        boards = len(transformed) // (self._length(1, grid) + 1)
        if onto is None:
            row = work.array("row", boards, self.outputs)
            row[:] = self._bias
            if added is not None:
                row += added
            return self.products(ROUNDED.functions, transformed, grid, row, work.array(out, *grid.shape, *row.shape))
        onto += self._bias
        if added is not None:
            onto += added
        return self.products(ROUNDED.functions, transformed, grid, onto, onto)

    def products(self, functions: Any, transformed: Floats, grid: Grid, start: Floats, out: Floats) -> Floats:  # noqa: ANN401
        boards = out.shape[-2]
        multiply = functions.multiply_bytes if INSTRUCTIONS == "tiles" else functions.multiply_dots
        multiply(
            _tile_shape(grid.size),
            transformed[:-boards].view(np.uint8),
            self.weights,
            transformed[-boards:],
            self._factors,
            start.reshape(-1),
            out.reshape(-1),
            np.empty(4 * ROWS * OUTPUTS // 2, np.int32),
            grid.size,
            self._kernel,
            boards,
            self.outputs,
            int(start is out),
        )
        return out


_TINY: Final = 1e-30
_MANY_OUTPUTS: Final = 64
_MOST_PRODUCTS: Final = (2**31 - 1) // (255 * 127)
"""Of bytes, of which the sum fits into 32 bits."""


def _in_tiles(weights: NDArray[np.int8]) -> NDArray[np.int8]:
    """Return weights as they are multiplied: by outputs, inputs, places, outputs in two tiles, fours of inputs."""
    kernel, _, _, outputs = weights.shape
    shape = kernel**2, -1, ROWS, 4, outputs // OUTPUTS, 2, OUTPUTS // 2
    return weights.reshape(shape).transpose(4, 1, 0, 5, 2, 6, 3)


def check_products(functions: Any) -> None:  # noqa: ANN401
    """Compile what convolutions of rounded numbers need, and compare what that gives with numpy.

    Raises:
        ArithmeticError: it is not the same, so that the instructions cannot be used here.
    """
    rng, work = np.random.default_rng(1), Workspace()
    # Whole numbers up to the most that there are, so that nothing is lost by rounding; rows of two pieces, and of one.
    for size, kernel in ((LONGEST + 1, 3), (3, 5)):
        grid = grid_of(size, whole=True)
        inputs = rng.integers(0, 256, (*grid.shape, 1, BYTES)).astype(np.float32)
        inputs.flat[0] = 255
        weights = rng.integers(-127, 128, (kernel, kernel, BYTES, OUTPUTS)).astype(np.float32)
        weights[0, 0, 0] = 127
        exact = convolve(inputs, Gathered(weights, None, 1), grid, work, "exact")
        layer = Quantised(weights, None, np.zeros(BYTES, np.float32))
        # Weights that are mapped from a file are read-only, which is another type to the compiler.
        layer.weights.flags.writeable = size == LONGEST + 1
        transformed = layer.transformed(functions, inputs, grid, work, ZERO)
        found = layer.products(functions, transformed, grid, np.zeros((1, OUTPUTS), np.float32), -exact)
        if not np.array_equal(found, exact):
            raise ArithmeticError(f"products of bytes are wrong by {np.abs(found - exact).max()}")


@lru_cache(maxsize=32)
def _tile_shape(size: int) -> NDArray[np.uint8]:
    """Return the shapes of tiles for rows of points, of which the longer ones are cut into two pieces."""
    first = size if size <= LONGEST else (size + 1) // 2
    other = size if size <= LONGEST else size // 2
    return shape_of_tiles((first, first, other, other, first, other, 16, 16))


class Quartered:
    """A 5×5 convolution on a torus, as a 3×3 one of four copies of the inputs, moved by a point along each diagonal.

    The copies see the quarters of the kernel, of 3×3, 3×2, 2×3 and 2×2 points. With tiles of 4×4, that takes 9 products
    for each pair of channels and point, and one matrix product 25.
    """

    transform_key: Final = ("quartered", 5, 1)

    def __init__(self, weights: Floats, bias: Floats | None) -> None:
        inputs, outputs = weights.shape[2:]
        quarters = np.zeros((3, 3, 4, inputs, outputs), np.float32)
        quarters[:, :, 0], quarters[:, 1:, 1] = weights[:3, :3], weights[:3, 3:]
        quarters[1:, :, 2], quarters[1:, 1:, 3] = weights[3:, :3], weights[3:, 3:]
        self._winograd = Winograd(quarters.reshape(3, 3, -1, outputs), bias)
        self.outputs: Final = outputs
        self.apply: Final = self._winograd.apply

    def transform(self, inputs: Floats, grid: Grid, work: Workspace, least: TiledVector | None = None) -> Floats:
        inputs = limited(inputs, least, work)
        copies = _gathered(inputs, _rows(grid, 3, 1, inputs.shape[-2], corners=True), grid, work)
        return self._winograd.transform(copies, grid, work)


def _gathered(inputs: Floats, rows: Indices, grid: Grid, work: Workspace) -> Floats:
    """Return for each point of each board the channels of its points in ``rows``, one after the other."""
    channels = inputs.shape[-1]
    given = inputs.reshape(-1, channels)
    if grid.padding == "zero":
        given = np.concatenate((given, np.zeros((1, channels), np.float32)))
    gathered = work.array("gathered", len(rows), channels)
    np.take(given, rows, axis=0, out=gathered, mode="clip")
    return gathered.reshape(*inputs.shape[:-1], -1)


@lru_cache(maxsize=64)
def _rows(grid: Grid, kernel: int, dilation: int, count: int, *, corners: bool = False) -> Indices:
    """Return for each point of ``count`` boards the row indices of its neighbourhood in the activations, flattened.

    The neighbourhood is what a kernel covers, or of that the corners.
    """
    entries = grid.padded_size * grid.padded_size
    seen = grid.neighbourhoods(kernel, dilation)
    seen = (seen[..., [0, kernel - 1, -kernel, -1]] if corners else seen)[..., None, :]
    boards = np.arange(count)[:, None]
    # All points beyond a border share one row, after those of all boards.
    rows = np.where(seen == entries, entries * count, seen * count + boards)
    return np.asarray(rows.reshape(-1), dtype=np.intp)


Step: TypeAlias = tuple[np.ufunc, Floats, Floats, Floats]

_ROOT: Final = np.array(sqrt(2), dtype=np.float32)
_ROOT32: Final = np.float32(_ROOT)
"""The same for the kernel, which takes no arrays without axes."""
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


_NO_LIMIT: Final = TiledVector(np.array([-np.inf], np.float32))


@dataclass(frozen=True, slots=True)
class _Bound:
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
            both = np.einsum("pi,qj->qpij", way, way).reshape(-1, 9)
            made = (both @ plain.reshape(9, -1)).astype(np.float32)
            turned = self._transformed[tile] = made.reshape(-1, *plain.shape[2:])
        return turned

    def transform(self, inputs: Floats, grid: Grid, work: Workspace, least: TiledVector | None = None) -> Floats:
        functions = KERNEL.functions
        if functions is None or grid.padding != "wrap":
            inputs = limited(inputs, least, work)
            # The cached value holds the inputs, so that no other array can get their id.
            bound = work.cached(("transform", id(inputs), grid), lambda: _bind_transform(inputs, grid, work))
            run_steps(bound.steps)
            return bound.end
        tile, places = grid.tile, (grid.tile + 2) ** 2
        out, scratch = (
            work.array("columns", places, *inputs.shape[2:]),
            work.array("scratch", places * PIECE),
        )
        limits = (least or _NO_LIMIT).row(inputs.shape[-2] * inputs.shape[-1])
        functions.transform_inputs(
            tile, inputs.reshape(-1), limits, out.reshape(-1), scratch, grid.sources, grid.tiles, _ROOT32
        )
        return out

    def apply(
        self,
        transformed: Floats,
        grid: Grid,
        work: Workspace,
        out: str,
        *,
        added: Floats | None = None,
        onto: Floats | None = None,
    ) -> Floats:
        tile, boards = grid.tile, transformed.shape[-2]
        shape = *grid.shape, boards, self.outputs
        rows = prod(shape[2:-1])
        products = work.array("products", len(transformed), rows, self.outputs)
        np.matmul(transformed.reshape(len(products), rows, -1), self._weights(tile), out=products)
        if self._bias is not None:
            # The value at the point 1, for rows and columns, goes into all outputs with weight 1.
            products[tile + 3] += self._bias
        functions = KERNEL.functions
        if functions is None:
            bound = work.cached(("apply", out, shape), lambda: _bind_apply(products, shape, work, out))
            run_steps(bound.steps)
            return finished(bound.end, added, onto)
        row = ZERO.row(boards * self.outputs) if added is None else added.reshape(-1)
        made = work.array(out, *shape) if onto is None else onto
        scratch = work.array("scratch", tile * (tile + 2) * PIECE)
        functions.transform_products(
            tile, products.reshape(-1), row, made.reshape(-1), scratch, grid.tiles, int(onto is not None), _ROOT32
        )
        return made


def limited(inputs: Floats, least: TiledVector | None, work: Workspace) -> Floats:
    """Return inputs with those below ``least`` raised to it, in another array than ``inputs``."""
    if least is None:
        return inputs
    return np.maximum(inputs, least.shaped_like(inputs), out=work.array("limited", *inputs.shape))


def finished(made: Floats, added: Floats | None, onto: Floats | None) -> Floats:
    """Return what a convolution made with ``added`` added for each board and channel, and all of it to ``onto``."""
    if added is not None:
        made += added
    if onto is None:
        return made
    onto += made
    return onto


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


def _bind_apply(products: Floats, shape: tuple[int, ...], work: Workspace, out: str) -> _Bound:
    tile, transformed = shape[0], shape[0] + 2
    length = prod(shape[2:])
    wide, narrow = (work.array("scratch", 4, count, length) for count in (transformed, tile))
    halves = work.array("halves", tile, transformed, length)
    made = work.array(out, *shape)
    steps = (
        *output_transform(products.reshape(transformed, transformed, length), wide, halves),
        *output_transform(halves.swapaxes(0, 1), narrow, made.reshape(tile, tile, length)),
    )
    return _Bound(products, steps, made)


def _warm_up(functions: Any) -> None:  # noqa: ANN401
    for tile in TILES:
        inputs, transformed, scratch = (np.zeros(count, np.float32) for count in (16, 36, 36 * PIECE))
        row, sources = inputs[:1], grid_of(tile).sources
        functions.transform_inputs(tile, inputs, row, transformed, scratch, sources, 1, _ROOT32)
        functions.transform_products(tile, transformed, row, inputs, scratch, 1, 0, _ROOT32)


KERNEL: Final = LateKernel((winograd_kernel,), _warm_up)
ROUNDED: Final = LateKernel((rounded_kernel,), check_products, instructions)
KERNELS: Final = (KERNEL, ROUNDED) if INSTRUCTIONS else (KERNEL,)
"""Those that this machine can use."""
