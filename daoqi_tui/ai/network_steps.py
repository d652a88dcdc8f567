"""The transforms of Winograd's F(4×4, 3×3) as lists of steps, each one addition or product of long arrays.

The minimal filtering algorithm (Winograd 1980; for networks Lavin and Gray 2016, "Fast Algorithms for Convolutional
Neural Networks") multiplies polynomials by their values at a few points, here 0, ±1, ±√2 and infinity. Lavin and Gray
have ±2; with √2 the differences that the pair ±1 and the pair ±√2 need share more: 15 additions in place of 19 for the
inputs, 11 in place of 14 for the products.

Cutting the arrays into what a step needs costs as much time as a step on a single small board, so the steps are
written down once for arrays that stay, and done as often as needed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final, TypeAlias

import numpy as np

from daoqi_tui.ai.network_grid import TILE, Floats, Grid

Step: TypeAlias = tuple[np.ufunc, Floats, Floats, Floats]
"""What to compute of which two arrays, and into which."""

SEEN: Final = TILE + 2
"""Points along a side that a tile of a 3×3 convolution sees."""
_ROOT: Final = np.array(math.sqrt(2), dtype=np.float32)
_MINUS: Final = np.array(-1, dtype=np.float32)
_HALF_ROOT: Final = math.sqrt(2) / 4
FILTER: Final = np.array(
    [
        [1 / 2, 0, 0],
        [-1 / 2, -1 / 2, -1 / 2],
        [-1 / 2, 1 / 2, -1 / 2],
        [1 / 4, _HALF_ROOT, 1 / 2],
        [1 / 4, -_HALF_ROOT, 1 / 2],
        [0, 0, 1],
    ]
)
"""The transform of the weights in one direction, in double precision."""
ONES: Final = SEEN + 1
"""The product that goes into all 16 outputs with weight 1: a bias added there is added everywhere."""


def do(steps: Iterable[Step]) -> None:
    """Do all steps."""
    for function, one, other, out in steps:
        function(one, other, out)


def expanding(planes: Floats, axis: int, grid: Grid, scratch: Floats, out: Floats) -> list[Step]:
    """The transform of the inputs in one direction, six arrays from four.

    Where the inputs that a tile sees are ``d0`` to ``d5``, ``planes`` are ``d1`` to ``d4``; ``d0`` is ``d4`` of the
    tile before, and ``d5`` is ``d1`` of the tile after. ``axis`` is that of the tiles in each.
    """
    # Two axes are enough for all that stays in its tile; more cost numpy time in each step.
    pair = (planes.shape[1], -1)
    d1, d2, d3, d4 = planes.reshape(TILE, *pair)
    r0, r1, r2, r3, r4, r5 = out.reshape(SEEN, *pair)
    u, v, even, odd = scratch.reshape(4, *pair)
    return [
        (np.subtract, d4, d2, u),
        (np.subtract, d3, d1, v),
        (np.subtract, u, d2, even),
        (np.subtract, v, d1, odd),
        (np.add, even, odd, r1),  # −2·d1 − 2·d2 + d3 + d4
        (np.subtract, even, odd, r2),  # 2·d1 − 2·d2 − d3 + d4
        *_moved(planes, 1, axis, grid, out[0]),  # d0 − d2
        (np.add, r0, r0, r0),
        (np.add, r0, u, r0),  # 2·d0 − 3·d2 + d4
        *_moved(planes, -1, axis, grid, out[5]),  # d5 − d3
        (np.subtract, r5, v, r5),
        (np.subtract, r5, v, r5),  # 2·d1 − 3·d3 + d5
        (np.multiply, v, _ROOT, v),
        (np.add, u, v, r3),  # −√2·d1 − d2 + √2·d3 + d4
        (np.subtract, u, v, r4),  # √2·d1 − d2 − √2·d3 + d4
    ]


def reducing(products: Floats, scratch: Floats, out: Floats) -> list[Step]:
    """The transform of the products in one direction, four arrays from six."""
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


def _moved(planes: Floats, step: int, axis: int, grid: Grid, out: Floats) -> list[Step]:
    """``d0 − d2`` for a step of 1, ``d5 − d3`` for a step of −1.

    ``d0`` and ``d5`` are planes moved by one tile; at the border stands the row from the other side, or nothing.
    """

    def cut(array: Floats, tiles: slice) -> Floats:
        return array[(slice(None),) * axis + (tiles,)]

    if step == 1:
        moved, source = planes[3], slice(None, -1)
        less, target, border = planes[1], slice(1, None), slice(0, 1)
        beyond = grid.size - 1
    else:
        moved, source = planes[0], slice(1, None)
        less, target, border = planes[2], slice(None, -1), slice(-1, None)
        beyond = grid.places % grid.size
    inner: Step = (np.subtract, cut(moved, source), cut(less, target), cut(out, target))
    if grid.padding == "zero":
        return [inner, (np.multiply, cut(less, border), _MINUS, cut(out, border))]
    tile, phase = divmod(beyond, TILE)
    across = cut(planes[phase], slice(tile, tile + 1))
    return [inner, (np.subtract, across, cut(less, border), cut(out, border))]
