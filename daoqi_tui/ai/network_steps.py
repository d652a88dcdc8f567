"""The transforms of Winograd's F(4×4, 3×3) and F(3×3, 3×3) as lists of steps, each one sum or product of long arrays.

The minimal filtering algorithm (Winograd 1980; for networks Lavin and Gray 2016, "Fast Algorithms for Convolutional
Neural Networks") multiplies polynomials by their values at a few points, here 0, ±1, ±√2 and infinity for tiles of 4×4,
and 0, ±1, 2 and infinity for tiles of 3×3. Lavin and Gray have ±2 for the former; with √2 the differences that the pair
±1 and the pair ±√2 need share more: 15 additions in place of 19 for the inputs, 11 in place of 14 for the products.

Cutting the arrays into what a step needs costs as much time as a step on a single small board, so the steps are
written down once for arrays that stay, and done as often as needed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final, TypeAlias

import numpy as np

from daoqi_tui.ai.network_grid import Floats, Grid

Step: TypeAlias = tuple[np.ufunc, Floats, Floats, Floats]
"""What to compute of which two arrays, and into which."""

_ROOT: Final = np.array(math.sqrt(2), dtype=np.float32)
_THREE: Final = np.array(3, dtype=np.float32)
_MINUS: Final = np.array(-1, dtype=np.float32)
_HALF_ROOT: Final = math.sqrt(2) / 4
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


def do(steps: Iterable[Step]) -> None:
    """Do all steps."""
    for function, one, other, out in steps:
        function(one, other, out)


def expanding(planes: Floats, axis: int, grid: Grid, scratch: Floats, out: Floats) -> list[Step]:
    """The transform of the inputs in one direction, two arrays more than there are.

    Where the inputs that a tile of 4×4 sees are ``d0`` to ``d5``, ``planes`` are ``d1`` to ``d4``; ``d0`` is ``d4`` of
    the tile before, and ``d5`` is ``d1`` of the tile after. ``axis`` is that of the tiles in each.
    """
    # Two axes are enough for all that stays in its tile; more cost numpy time in each step.
    flat, sums, parts = (array.reshape(len(array), planes.shape[1], -1) for array in (planes, out, scratch))
    first = _moved(planes, 1, axis, grid, out[0])  # d0 − d2
    last = _moved(planes, -1, axis, grid, out[-1])  # d5 − d3, or d4 − d2
    if grid.tile == 3:
        return _expanding_three(flat, parts, sums, first, last)
    return _expanding_four(flat, parts, sums, first, last)


def _expanding_four(planes: Floats, scratch: Floats, out: Floats, first: list[Step], last: list[Step]) -> list[Step]:
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


def _expanding_three(planes: Floats, scratch: Floats, out: Floats, first: list[Step], last: list[Step]) -> list[Step]:
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


def reducing(products: Floats, scratch: Floats, out: Floats) -> list[Step]:
    """The transform of the products in one direction, two arrays fewer than there are."""
    return _reducing_three(products, scratch, out) if len(out) == 3 else _reducing_four(products, scratch, out)


def _reducing_three(products: Floats, scratch: Floats, out: Floats) -> list[Step]:
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


def _reducing_four(products: Floats, scratch: Floats, out: Floats) -> list[Step]:
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
    """``d0 − d2`` for a step of 1; for a step of −1 ``d5 − d3`` of a tile of 4×4, ``d4 − d2`` of a tile of 3×3.

    The first of each is a plane moved by one tile; at the border stands the row from the other side, or nothing.
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
        beyond = grid.places % grid.size
    inner: Step = (np.subtract, cut(moved, source), cut(less, target), cut(out, target))
    if grid.padding == "zero":
        return [inner, (np.multiply, cut(less, border), _MINUS, cut(out, border))]
    tile, phase = divmod(beyond, grid.tile)
    across = cut(planes[phase], slice(tile, tile + 1))
    return [inner, (np.subtract, across, cut(less, border), cut(out, border))]
