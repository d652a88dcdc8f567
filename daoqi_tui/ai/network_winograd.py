"""3×3 convolutions on a torus in numpy by Winograd's minimal filtering; see :mod:`~daoqi_tui.ai.network_steps`.

36 matrix products give all 16 outputs of every tile, where a plain convolution takes 144. The transforms go over rows,
then over columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Final

import numpy as np

from daoqi_tui.ai.network_grid import TILE, Floats, Grid
from daoqi_tui.ai.network_steps import FILTER, ONES, SEEN, Step, do, expanding, reducing
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
        _, _, inputs, self.outputs = weights.shape
        # Places of columns stand before those of rows, as in what they are multiplied with.
        turned = np.einsum("pi,qj,ijco->qpco", FILTER, FILTER, weights.astype(np.float64), optimize=True)
        self._weights: Final = np.ascontiguousarray(turned.reshape(SEEN * SEEN, inputs, self.outputs), np.float32)
        self._bias: Final = bias

    def see(self, inputs: Floats, grid: Grid, work: Workspace) -> Floats:
        """As in :class:`~daoqi_tui.ai.network_conv.Convolution`: the inputs transformed."""
        bound = work.kept(("see", id(inputs), grid), lambda: _seeing(inputs, grid, work))
        do(bound.steps)
        return bound.end

    def make(self, seen: Floats, grid: Grid, work: Workspace, out: str) -> Floats:  # noqa: ARG002
        """As in :class:`~daoqi_tui.ai.network_conv.Convolution`."""
        tiles = seen.shape[1:4]
        bound = work.kept(("make", out, tiles, self.outputs), lambda: _making(tiles, self.outputs, work, out))
        np.matmul(seen.reshape(SEEN * SEEN, -1, seen.shape[-1]), self._weights, out=bound.start)
        if self._bias is not None:
            bound.start[ONES] += self._bias
        do(bound.steps)
        return bound.end


def _seeing(inputs: Floats, grid: Grid, work: Workspace) -> _Bound:
    steps: list[Step] = []
    plane = inputs.shape[2:]
    wide, narrow = (work.array("scratch", 4, count, *plane) for count in (SEEN, TILE))
    planes = inputs
    if grid.padding == "zero" and not grid.is_exact:
        planes = work.array("masked", *inputs.shape)
        steps.append((np.multiply, inputs, grid.inside, planes))
    # Columns stand before rows from here on, so that most steps go over contiguous arrays.
    rows = work.array("halves", TILE, SEEN, *plane)
    steps += expanding(planes, 1, grid, narrow, rows.swapaxes(0, 1))
    columns = work.array("columns", SEEN, SEEN, *plane)
    steps += expanding(rows, 2, grid, wide, columns)
    return _Bound(inputs, tuple(steps), columns.reshape(SEEN * SEEN, *plane))


def _making(tiles: tuple[int, ...], outputs: int, work: Workspace, out: str) -> _Bound:
    length = prod(tiles) * outputs
    wide, narrow = (work.array("scratch", 4, count, length) for count in (SEEN, TILE))
    products = work.array("products", SEEN * SEEN, prod(tiles), outputs)
    halves = work.array("halves", TILE, SEEN, length)
    made = work.array(out, TILE, TILE, *tiles, outputs)
    steps = (
        *reducing(products.reshape(SEEN, SEEN, length), wide, halves),
        *reducing(halves.swapaxes(0, 1), narrow, made.reshape(TILE, TILE, length)),
    )
    return _Bound(products, steps, made)
