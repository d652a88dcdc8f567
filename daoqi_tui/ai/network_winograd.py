"""3×3 convolutions on a torus in numpy by Winograd's minimal filtering; see :mod:`~daoqi_tui.ai.network_steps`.

36 matrix products give all 16 outputs of a tile of 4×4 points, where a plain convolution takes 144; 25 give the 9 of a
tile of 3×3. The transforms go over rows, then over columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Final

import numpy as np

from daoqi_tui.ai.network_grid import Floats, Grid
from daoqi_tui.ai.network_steps import FILTERS, Step, do, expanding, reducing
from daoqi_tui.ai.network_work import Workspace


@dataclass(frozen=True, slots=True)
class _Bound:
    """Steps with the arrays that they begin and end with."""

    start: Floats
    steps: tuple[Step, ...]
    end: Floats


class Winograd:
    """A 3×3 convolution."""

    sight: Final = ("winograd", 3, 1)

    def __init__(self, weights: Floats, bias: Floats | None) -> None:
        self.outputs: Final = weights.shape[3]
        self._plain: Final = np.array(weights, dtype=np.float32)
        self._turned: Final[dict[int, Floats]] = {}
        self._bias: Final = bias

    def _weights(self, tile: int) -> Floats:
        """The transformed weights for tiles of ``tile`` × ``tile`` points, made when they are wanted first."""
        turned = self._turned.get(tile)
        if turned is None:
            way, plain = FILTERS[tile], self._plain.astype(np.float64)
            # Places of columns stand before those of rows, as in what they are multiplied with.
            made = np.einsum("pi,qj,ijco->qpco", way, way, plain, optimize=True)
            turned = self._turned[tile] = np.ascontiguousarray(made.reshape(-1, *plain.shape[2:]), np.float32)
        return turned

    def see(self, inputs: Floats, grid: Grid, work: Workspace) -> Floats:
        """As in :class:`~daoqi_tui.ai.network_conv.Convolution`: the inputs transformed."""
        # What is kept holds the inputs, so that no other array can come to have their number.
        bound = work.kept(("see", id(inputs), grid), lambda: _seeing(inputs, grid, work))
        do(bound.steps)
        return bound.end

    def make(self, seen: Floats, grid: Grid, work: Workspace, out: str) -> Floats:
        """As in :class:`~daoqi_tui.ai.network_conv.Convolution`."""
        shape = (*grid.shape, seen.shape[-2], self.outputs)
        bound = work.kept(("make", out, shape), lambda: _making(shape, work, out))
        products = bound.start
        np.matmul(seen.reshape(len(products), -1, seen.shape[-1]), self._weights(grid.tile), out=products)
        if self._bias is not None:
            # The value at the point 1, for rows and columns, goes into all outputs with weight 1.
            products[grid.tile + 3] += self._bias
        do(bound.steps)
        return bound.end


def _seeing(inputs: Floats, grid: Grid, work: Workspace) -> _Bound:
    steps: list[Step] = []
    tile, seen, plane = grid.tile, grid.tile + 2, inputs.shape[2:]
    wide, narrow = (work.array("scratch", 4, count, *plane) for count in (seen, tile))
    planes = inputs
    if grid.padding == "zero" and not grid.is_exact:
        planes = work.array("masked", *inputs.shape)
        steps.append((np.multiply, inputs, grid.inside, planes))
    # Columns stand before rows from here on, so that most steps go over contiguous arrays.
    rows = work.array("halves", tile, seen, *plane)
    steps += expanding(planes, 1, grid, narrow, rows.swapaxes(0, 1))
    columns = work.array("columns", seen, seen, *plane)
    steps += expanding(rows, 2, grid, wide, columns)
    return _Bound(inputs, tuple(steps), columns.reshape(seen * seen, *plane))


def _making(shape: tuple[int, ...], work: Workspace, out: str) -> _Bound:
    tile, seen, outputs = shape[0], shape[0] + 2, shape[-1]
    rows = prod(shape[2:-1])
    length = rows * outputs
    wide, narrow = (work.array("scratch", 4, count, length) for count in (seen, tile))
    products = work.array("products", seen * seen, rows, outputs)
    halves = work.array("halves", tile, seen, length)
    made = work.array(out, *shape)
    steps = (
        *reducing(products.reshape(seen, seen, length), wide, halves),
        *reducing(halves.swapaxes(0, 1), narrow, made.reshape(tile, tile, length)),
    )
    return _Bound(products, steps, made)
