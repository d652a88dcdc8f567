"""3×3 convolutions on a torus in numpy by Winograd's minimal filtering, F(4×4, 3×3).

The algorithm (Winograd 1980; for networks Lavin and Gray 2016, "Fast Algorithms for Convolutional Neural Networks")
computes 4×4 outputs from 6×6 inputs with 36 multiplications in place of 144. Polynomials are multiplied by their
values at the points 0, ±1, ±√2 and infinity. Lavin and Gray have ±2; with √2 the differences that the pair ±1 and the
pair ±√2 need share more, a transform is 15 additions in place of 19, and the numbers stay nearer to one another.

The transforms go over rows, then over columns; in the layout of :mod:`~daoqi_tui.ai.network_grid` each step is one
addition of long arrays.
"""

from __future__ import annotations

import math
from math import prod
from typing import Final

import numpy as np

from daoqi_tui.ai.network_grid import TILE, Floats, Grid
from daoqi_tui.ai.network_work import Workspace

_ROOT: Final = np.float32(math.sqrt(2))
_HALF: Final = math.sqrt(2) / 4
_FILTER: Final = np.array(
    [
        [1 / 2, 0, 0],
        [-1 / 2, -1 / 2, -1 / 2],
        [-1 / 2, 1 / 2, -1 / 2],
        [1 / 4, _HALF, 1 / 2],
        [1 / 4, -_HALF, 1 / 2],
        [0, 0, 1],
    ]
)
_SEEN: Final = TILE + 2
_ONES: Final = _SEEN + 1
"""The product that goes into all 16 outputs with weight 1: a bias added there is added everywhere."""


class Winograd:
    """A 3×3 convolution."""

    sight: Final = ("winograd", 3, 1)

    def __init__(self, weights: Floats, bias: Floats | None) -> None:
        _, _, inputs, self.outputs = weights.shape
        turned = np.einsum("pi,qj,ijco->qpco", _FILTER, _FILTER, weights.astype(np.float64), optimize=True)
        self._weights: Final = np.ascontiguousarray(turned.reshape(_SEEN * _SEEN, inputs, self.outputs), np.float32)
        self._bias: Final = bias

    def see(self, inputs: Floats, grid: Grid, work: Workspace) -> Floats:
        """As in :class:`~daoqi_tui.ai.network_conv.Convolution`: the inputs transformed."""
        if grid.padding == "zero" and not grid.is_exact:
            inputs = np.multiply(inputs, grid.inside, out=work.array("masked", *inputs.shape))
        plane = inputs.shape[2:]
        # Places of columns stand before those of rows from here on, so that most steps go over contiguous arrays.
        rows = work.array("halves", TILE, _SEEN, *plane)
        _expand(inputs, 1, grid, work.array("scratch", 4, TILE, *plane), rows.swapaxes(0, 1))
        columns = work.array("columns", _SEEN, _SEEN, *plane)
        _expand(rows, 2, grid, work.array("scratch", 4, _SEEN, *plane), columns)
        return columns

    def make(self, seen: Floats, grid: Grid, work: Workspace, out: str) -> Floats:  # noqa: ARG002
        """As in :class:`~daoqi_tui.ai.network_conv.Convolution`."""
        tiles = seen.shape[2:5]
        length = prod(tiles) * self.outputs
        products = work.array("products", _SEEN * _SEEN, prod(tiles), self.outputs)
        np.matmul(seen.reshape(_SEEN * _SEEN, -1, seen.shape[-1]), self._weights, out=products)
        if self._bias is not None:
            products[_ONES] += self._bias
        halves = work.array("halves", TILE, _SEEN, length)
        scratch = work.array("scratch", 4, _SEEN, length)
        _reduce(products.reshape(_SEEN, _SEEN, length), scratch, halves)
        made = work.array(out, TILE, TILE, *tiles, self.outputs)
        _reduce(halves.swapaxes(0, 1), work.array("scratch", 4, TILE, length), made.reshape(TILE, TILE, length))
        return made


def _expand(planes: Floats, axis: int, grid: Grid, scratch: Floats, out: Floats) -> None:
    """The transform of the inputs in one direction, six arrays from four.

    Where the inputs that a tile sees are ``d0`` to ``d5``, ``planes`` are ``d1`` to ``d4``; ``d0`` is ``d4`` of the
    tile before, and ``d5`` is ``d1`` of the tile after. ``axis`` is that of the tiles in each.
    """
    r0, _, _, _, _, r5 = out
    _subtract_moved(planes, 1, axis, grid, r0)
    _subtract_moved(planes, -1, axis, grid, r5)
    # Two axes are enough for all the rest; more cost numpy time in each step.
    d1, d2, d3, d4 = planes.reshape(TILE, planes.shape[1], -1)
    r0, r1, r2, r3, r4, r5 = out.reshape(_SEEN, planes.shape[1], -1)
    u, v, even, odd = scratch.reshape(4, planes.shape[1], -1)
    np.subtract(d4, d2, out=u)
    np.subtract(d3, d1, out=v)
    np.subtract(u, d2, out=even)
    np.subtract(v, d1, out=odd)
    np.add(even, odd, out=r1)  # −2·d1 − 2·d2 + d3 + d4
    np.subtract(even, odd, out=r2)  # 2·d1 − 2·d2 − d3 + d4
    r0 += r0
    r0 += u  # 2·d0 − 3·d2 + d4
    r5 -= v
    r5 -= v  # 2·d1 − 3·d3 + d5
    v *= _ROOT
    np.add(u, v, out=r3)  # −√2·d1 − d2 + √2·d3 + d4
    np.subtract(u, v, out=r4)  # √2·d1 − d2 − √2·d3 + d4


def _subtract_moved(planes: Floats, step: int, axis: int, grid: Grid, out: Floats) -> None:
    """``d0 − d2`` for a step of 1, ``d5 − d3`` for a step of −1."""
    over = (slice(None),) * axis
    all_but_first, all_but_last = (*over, slice(1, None)), (*over, slice(None, -1))
    if step == 1:
        moved, less = planes[3], planes[1]
        np.subtract(moved[all_but_last], less[all_but_first], out=out[all_but_first])
        border, beyond = (*over, slice(0, 1)), grid.size - 1
    else:
        moved, less = planes[0], planes[2]
        np.subtract(moved[all_but_first], less[all_but_last], out=out[all_but_last])
        border, beyond = (*over, slice(-1, None)), grid.places % grid.size
    if grid.padding == "wrap":
        tile, phase = divmod(beyond, TILE)
        np.subtract(planes[phase][(*over, slice(tile, tile + 1))], less[border], out=out[border])
    else:
        np.negative(less[border], out=out[border])


def _reduce(products: Floats, scratch: Floats, out: Floats) -> None:
    """The transform of the products in one direction, four arrays from six."""
    m0, m1, m2, m3, m4, m5 = products
    o0, o1, o2, o3 = out
    ones, twos, odd, root = scratch
    np.add(m1, m2, out=ones)
    np.add(m3, m4, out=twos)
    ones += twos
    np.add(m0, ones, out=o0)
    np.add(ones, twos, out=o2)  # (m1 + m2) + 2·(m3 + m4)
    np.subtract(m1, m2, out=odd)
    np.subtract(m3, m4, out=root)
    root *= _ROOT
    np.add(odd, root, out=o1)  # (m1 − m2) + √2·(m3 − m4)
    root += o1
    np.add(root, m5, out=o3)  # (m1 − m2) + 2·√2·(m3 − m4) + m5
