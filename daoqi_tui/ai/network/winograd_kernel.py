"""Winograd's transforms as loops over flat arrays, to be compiled; :mod:`.convolution` explains them.

Each goes over pieces of :data:`PIECE` numbers, so that what lies between its two directions stays in the processor's
first cache. The loops over a piece are functions of their own with few arrays each: only then does the compiler check
that none overlaps another, and uses vector instructions. Arithmetic is in 32-bit floats and in the order of the steps
in numpy, so that results are the same to the last bit; whole numbers may not be mixed in, since numba would take 64-bit
floats for the sum.
"""

from __future__ import annotations

from typing import Any, TypeAlias

Flat: TypeAlias = Any

PIECE = 128
"""Numbers in a piece: those of 36 places take 18 KB."""


def transform_inputs(
    tile: int, inputs: Flat, least: Flat, out: Flat, scratch: Flat, sources: Any, tiles: int, root: Any
) -> None:
    """Transform the inputs of a convolution.

    Args:
        tile: points along a side of a tile, 4 or 3.
        inputs: activations of shape ``(tile, tile, tiles, tiles, length)``, where the length is boards times channels.
        least: the least value of each input, shape ``(length,)``; smaller ones count as this.
        out: shape ``(tile + 2, tile + 2, tiles, tiles, length)``, the places of columns first.
        scratch: room for ``(tile + 2)²`` pieces.
        sources: for each tile along a side, and each of the ``tile + 2`` points it sees there, the point's place in its
            tile and its tile; flat.
        tiles: along a side.
        root: the root of 2.
    """
    length, seen = len(least), tile + 2
    plane = tiles * tiles * length
    for row in range(tiles):
        for column in range(tiles):
            here = (row * tiles + column) * length
            for start in range(0, length, PIECE):
                end = min(length, start + PIECE)
                for place in range(seen):
                    at = 2 * (seen * column + place)
                    across = sources[at] * plane + sources[at + 1] * length
                    to = scratch[place * PIECE :]
                    _load_column(tile, inputs, least, to, sources, row, tiles, across, (start, end), root)
                for place in range(seen):
                    first = place * plane + here
                    _store_row(tile, scratch[place * seen * PIECE :], out, first, seen * plane, (start, end), root)


def _load_column(
    tile: int,
    inputs: Flat,
    least: Flat,
    to: Flat,
    sources: Any,
    row: int,
    tiles: int,
    across: int,
    piece: tuple[int, int],
    root: Any,
) -> None:
    """Transform what a row of tiles sees of one column of points, from the inputs to ``to``."""
    start, end = piece
    at, seen = 2 * (tile + 2) * row, tiles * len(least)
    down = tile * tiles * seen
    s0 = sources[at] * down + sources[at + 1] * seen + across
    s1 = sources[at + 2] * down + sources[at + 3] * seen + across
    s2 = sources[at + 4] * down + sources[at + 5] * seen + across
    s3 = sources[at + 6] * down + sources[at + 7] * seen + across
    s4 = sources[at + 8] * down + sources[at + 9] * seen + across
    d0, d1, d2 = inputs[s0 + start : s0 + end], inputs[s1 + start : s1 + end], inputs[s2 + start : s2 + end]
    d3, d4 = inputs[s3 + start : s3 + end], inputs[s4 + start : s4 + end]
    limits = least[start:end]
    if tile == 3:
        _inputs_three(d0, d1, d2, d3, d4, limits, to, end - start)
    else:
        s5 = sources[at + 10] * down + sources[at + 11] * seen + across
        _inputs_four(d0, d1, d2, d3, d4, inputs[s5 + start : s5 + end], limits, to, end - start, root)


def _at_least(limit: Any, number: Any) -> Any:
    # In this form it is one instruction, and what is not a number stays so.
    return limit if number < limit else number  # noqa: FURB136


def _inputs_four(
    i0: Flat, i1: Flat, i2: Flat, i3: Flat, i4: Flat, i5: Flat, least: Flat, out: Flat, count: int, root: Any
) -> None:
    """Transform six inputs; entry ``k`` of the results is ``6 · k`` pieces from the first."""
    for i in range(count):
        limit = least[i]
        d0, d1, d2 = _at_least(limit, i0[i]), _at_least(limit, i1[i]), _at_least(limit, i2[i])
        d3, d4, d5 = _at_least(limit, i3[i]), _at_least(limit, i4[i]), _at_least(limit, i5[i])
        u, v = d4 - d2, d3 - d1
        even, odd = u - d2, v - d1
        first, last = d0 - d2, d5 - d3
        turned = v * root
        out[i] = first + first + u
        out[i + 6 * PIECE] = even + odd
        out[i + 12 * PIECE] = even - odd
        out[i + 18 * PIECE] = u + turned
        out[i + 24 * PIECE] = u - turned
        out[i + 30 * PIECE] = last - v - v


def _inputs_three(i0: Flat, i1: Flat, i2: Flat, i3: Flat, i4: Flat, least: Flat, out: Flat, count: int) -> None:
    """Transform five inputs; entry ``k`` of the results is ``5 · k`` pieces from the first."""
    for i in range(count):
        limit = least[i]
        d0, d1, d2 = _at_least(limit, i0[i]), _at_least(limit, i1[i]), _at_least(limit, i2[i])
        d3, d4 = _at_least(limit, i3[i]), _at_least(limit, i4[i])
        apart, less = d3 - d1, d1 - d2
        first, last = d0 - d2, d4 - d2
        out[i] = first + first + apart
        out[i + 5 * PIECE] = apart - (d1 + d2)
        out[i + 10 * PIECE] = apart + (less + less + less)
        out[i + 15 * PIECE] = apart
        out[i + 20 * PIECE] = last - apart - apart


def _store_row(tile: int, given: Flat, out: Flat, first: int, step: int, piece: tuple[int, int], root: Any) -> None:
    """Transform a row of pieces in the other direction, from ``given`` to entries of ``out``, ``step`` apart."""
    start, end = first + piece[0], first + piece[1]
    count = end - start
    o0, o1 = out[start:end], out[start + step : end + step]
    o2, o3 = out[start + 2 * step : end + 2 * step], out[start + 3 * step : end + 3 * step]
    o4 = out[start + 4 * step : end + 4 * step]
    if tile == 3:
        _row_three_ends(given, o0, o3, o4, count)
        _row_three_middle(given, o1, o2, count)
    else:
        _row_four_ends(given, o0, out[start + 5 * step : end + 5 * step], count)
        _row_four_ones(given, o1, o2, count)
        _row_four_roots(given, o3, o4, count, root)


def _row_four_ends(given: Flat, o0: Flat, o5: Flat, count: int) -> None:
    for i in range(count):
        d2, d3 = given[i + 2 * PIECE], given[i + 3 * PIECE]
        first, last = given[i] - d2, given[i + 5 * PIECE] - d3
        v = d3 - given[i + PIECE]
        o0[i] = first + first + (given[i + 4 * PIECE] - d2)
        o5[i] = last - v - v


def _row_four_ones(given: Flat, o1: Flat, o2: Flat, count: int) -> None:
    for i in range(count):
        d1, d2 = given[i + PIECE], given[i + 2 * PIECE]
        even, odd = given[i + 4 * PIECE] - d2 - d2, given[i + 3 * PIECE] - d1 - d1
        o1[i] = even + odd
        o2[i] = even - odd


def _row_four_roots(given: Flat, o3: Flat, o4: Flat, count: int, root: Any) -> None:
    for i in range(count):
        u = given[i + 4 * PIECE] - given[i + 2 * PIECE]
        turned = (given[i + 3 * PIECE] - given[i + PIECE]) * root
        o3[i] = u + turned
        o4[i] = u - turned


def _row_three_ends(given: Flat, o0: Flat, o3: Flat, o4: Flat, count: int) -> None:
    for i in range(count):
        d2 = given[i + 2 * PIECE]
        apart = given[i + 3 * PIECE] - given[i + PIECE]
        first, last = given[i] - d2, given[i + 4 * PIECE] - d2
        o0[i] = first + first + apart
        o3[i] = apart
        o4[i] = last - apart - apart


def _row_three_middle(given: Flat, o1: Flat, o2: Flat, count: int) -> None:
    for i in range(count):
        d1, d2 = given[i + PIECE], given[i + 2 * PIECE]
        apart, less = given[i + 3 * PIECE] - d1, d1 - d2
        o1[i] = apart - (d1 + d2)
        o2[i] = apart + (less + less + less)


def transform_products(
    tile: int, products: Flat, added: Flat, out: Flat, scratch: Flat, tiles: int, onto: int, root: Any
) -> None:
    """Transform the products of a convolution.

    Args:
        tile: points along a side of a tile, 4 or 3.
        products: shape ``(tile + 2, tile + 2, tiles, tiles, length)``, the places of columns first.
        added: is added to the outputs, shape ``(length,)``: for each board and channel.
        out: shape ``(tile, tile, tiles, tiles, length)``.
        scratch: room for ``tile · (tile + 2)`` pieces.
        tiles: along a side.
        onto: whether the outputs are added to what ``out`` holds.
        root: the root of 2.
    """
    length, seen = len(added), tile + 2
    plane = tiles * tiles * length
    for here in range(0, plane, length):
        for start in range(0, length, PIECE):
            end = min(length, start + PIECE)
            for place in range(seen):
                first = place * plane + here
                _load_products(tile, products, scratch[place * PIECE :], first, seen * plane, (start, end), root)
            for place in range(tile):
                first, given = place * plane + here, scratch[place * seen * PIECE :]
                _store_outputs(tile, given, added[start:end], out, first, tile * plane, (start, end), onto, root)


def _load_products(
    tile: int, products: Flat, to: Flat, first: int, step: int, piece: tuple[int, int], root: Any
) -> None:
    """Transform products, ``step`` apart, in one direction."""
    start, end = first + piece[0], first + piece[1]
    count = end - start
    m0, m1 = products[start:end], products[start + step : end + step]
    m2, m3 = products[start + 2 * step : end + 2 * step], products[start + 3 * step : end + 3 * step]
    m4 = products[start + 4 * step : end + 4 * step]
    if tile == 3:
        _products_three(m0, m1, m2, m3, m4, to, count)
    else:
        _products_four(m0, m1, m2, m3, m4, products[start + 5 * step : end + 5 * step], to, count, root)


def _store_outputs(
    tile: int,
    given: Flat,
    added: Flat,
    out: Flat,
    first: int,
    step: int,
    piece: tuple[int, int],
    onto: int,
    root: Any,
) -> None:
    """Transform a row of pieces in the other direction, from ``given`` to entries of ``out``, ``step`` apart."""
    start, end = first + piece[0], first + piece[1]
    count = end - start
    o0, o1 = out[start:end], out[start + step : end + step]
    o2 = out[start + 2 * step : end + 2 * step]
    if tile == 3:
        _outputs_three(given, added, o0, o1, o2, count, onto)
    else:
        _outputs_four_even(given, added, o0, o2, count, onto)
        _outputs_four_odd(given, added, o1, out[start + 3 * step : end + 3 * step], count, onto, root)


def _products_four(
    i0: Flat, i1: Flat, i2: Flat, i3: Flat, i4: Flat, i5: Flat, out: Flat, count: int, root: Any
) -> None:
    """Transform six products; entry ``k`` of the results is ``6 · k`` pieces from the first."""
    for i in range(count):
        m1, m2, m3, m4 = i1[i], i2[i], i3[i], i4[i]
        twos = m3 + m4
        ones = m1 + m2 + twos
        turned = (m3 - m4) * root
        odd = m1 - m2 + turned
        out[i] = i0[i] + ones
        out[i + 6 * PIECE] = odd
        out[i + 12 * PIECE] = ones + twos
        out[i + 18 * PIECE] = turned + odd + i5[i]


def _products_three(i0: Flat, i1: Flat, i2: Flat, i3: Flat, i4: Flat, out: Flat, count: int) -> None:
    """Transform five products; entry ``k`` of the results is ``5 · k`` pieces from the first."""
    for i in range(count):
        m1, m2, m3 = i1[i], i2[i], i3[i]
        ones, twos = m1 + m2, m3 + m3
        out[i] = i0[i] + ones + m3
        out[i + 5 * PIECE] = m1 - m2 + twos
        out[i + 10 * PIECE] = ones + (twos + twos) + i4[i]


def _outputs_four_even(given: Flat, added: Flat, o0: Flat, o2: Flat, count: int, onto: int) -> None:
    for i in range(count):
        twos = given[i + 3 * PIECE] + given[i + 4 * PIECE]
        ones = given[i + PIECE] + given[i + 2 * PIECE] + twos
        first, third = given[i] + ones + added[i], ones + twos + added[i]
        if onto:
            first, third = o0[i] + first, o2[i] + third
        o0[i], o2[i] = first, third


def _outputs_four_odd(given: Flat, added: Flat, o1: Flat, o3: Flat, count: int, onto: int, root: Any) -> None:
    for i in range(count):
        turned = (given[i + 3 * PIECE] - given[i + 4 * PIECE]) * root
        odd = given[i + PIECE] - given[i + 2 * PIECE] + turned
        second, fourth = odd + added[i], turned + odd + given[i + 5 * PIECE] + added[i]
        if onto:
            second, fourth = o1[i] + second, o3[i] + fourth
        o1[i], o3[i] = second, fourth


def _outputs_three(given: Flat, added: Flat, o0: Flat, o1: Flat, o2: Flat, count: int, onto: int) -> None:
    for i in range(count):
        m1, m2, m3 = given[i + PIECE], given[i + 2 * PIECE], given[i + 3 * PIECE]
        ones, twos = m1 + m2, m3 + m3
        first, second = given[i] + ones + m3 + added[i], m1 - m2 + twos + added[i]
        third = ones + (twos + twos) + given[i + 4 * PIECE] + added[i]
        if onto:
            first, second, third = o0[i] + first, o1[i] + second, o2[i] + third
        o0[i], o1[i], o2[i] = first, second, third
