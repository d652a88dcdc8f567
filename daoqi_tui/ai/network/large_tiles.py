"""Winograd's transforms for tiles of 8×8 points, as loops over flat arrays, to be compiled.

F(8×8, 3×3) takes 100 products for 64 outputs, where F(4×4, 3×3) takes 144. Its points are 0, ±1, ±3/8, ±5/4, ±19/8 and
infinity: 32-bit floats hold them and the products of their squares exactly, the bias is added at 1, and of such points
they lose the least accuracy, 2e-5 of what a layer computes. With a pair of points ±p, a polynomial's even part and p
times its odd part are added and subtracted, so that each is computed once.

The loops go over pieces, as in :mod:`.kernel`, whose comment says why each is a function of its own. No numpy version
exists: its arithmetic would take longer than the products saved.
"""

from __future__ import annotations

from typing import Any, TypeAlias

Flat: TypeAlias = Any
"""A flat array of 32-bit floats."""

LARGE = 8
"""Points along a side of a large tile."""
BAND = 256
"""Numbers in a piece."""
C_PAIRS = 4
"""The index of the constants of the pairs of points, 4 each.

They are the coefficients of a polynomial in p² that is zero at all other pairs, the lowest first, without the highest,
which is 1; and p. Before them are the coefficients of the one that is zero at all pairs, for the points 0 and infinity.
"""
C_POWERS = 20
"""The index of the powers of the pairs, 4 each: p², p⁴, p⁶ and p."""
C_ROOT = 36
"""The index of the root of 2, for tiles of 4×4."""


def transform_large_inputs(
    inputs: Flat, least: Flat, out: Flat, scratch: Flat, sources: Any, tiles: int, constants: Flat
) -> None:
    """Transform the inputs of a convolution, as :func:`.kernel.transform_inputs` does, for tiles of 8×8.

    Args:
        inputs: activations of shape ``(8, 8, tiles, tiles, length)``, where the length is boards times channels.
        least: the least value of each input, shape ``(length,)``; smaller ones count as this.
        out: shape ``(10, 10, tiles, tiles, length)``, the places of columns first.
        scratch: room for 110 pieces.
        sources: for each tile along a side, and each of the ten points it sees there, the point's place in its tile and
            its tile; flat.
        tiles: along a side.
        constants: as the indices above name them.
    """
    length = len(least)
    plane = tiles * tiles * length
    seen = scratch[100 * BAND :]
    for row in range(tiles):
        for column in range(tiles):
            here = (row * tiles + column) * length
            for start in range(0, length, BAND):
                count = min(length - start, BAND)
                limits = least[start : start + count]
                for place in range(10):
                    at = 20 * column + 2 * place
                    across = sources[at] * plane + sources[at + 1] * length + start
                    for k in range(10):
                        at = 20 * row + 2 * k
                        first = sources[at] * 8 * plane + sources[at + 1] * tiles * length + across
                        _raise(inputs[first : first + count], limits, seen[k * BAND :], count)
                    _inputs_eight(seen, scratch[place * BAND :], count, 10 * BAND, constants)
                for place in range(10):
                    first = place * plane + here + start
                    _inputs_eight(scratch[place * 10 * BAND :], out[first:], count, 10 * plane, constants)


def _raise(given: Flat, least: Flat, to: Flat, count: int) -> None:
    for i in range(count):
        limit, number = least[i], given[i]
        # In this form it is one instruction, and what is not a number stays so.
        to[i] = limit if number < limit else number  # noqa: FURB136


def _inputs_eight(given: Flat, out: Flat, count: int, step: int, constants: Flat) -> None:
    """Transform ten inputs, a piece apart; the results are ``step`` apart."""
    _input_ends(given, out, out[9 * step :], count, constants)
    for pair in range(4):
        at = C_PAIRS + 4 * pair
        first = 1 + 2 * pair
        _input_pair(given, out[first * step :], out[(first + 1) * step :], count, constants[at : at + 4])


def _input_ends(given: Flat, o0: Flat, o9: Flat, count: int, constants: Flat) -> None:
    s0, s1, s2, s3 = constants[0], constants[1], constants[2], constants[3]
    for i in range(count):
        even = s0 * given[i] + s1 * given[i + 2 * BAND] + s2 * given[i + 4 * BAND] + s3 * given[i + 6 * BAND]
        odd = s0 * given[i + BAND] + s1 * given[i + 3 * BAND] + s2 * given[i + 5 * BAND] + s3 * given[i + 7 * BAND]
        o0[i] = even + given[i + 8 * BAND]
        o9[i] = odd + given[i + 9 * BAND]


def _input_pair(given: Flat, plus: Flat, minus: Flat, count: int, constants: Flat) -> None:
    r0, r1, r2, p = constants[0], constants[1], constants[2], constants[3]
    for i in range(count):
        even = r0 * given[i + 2 * BAND] + r1 * given[i + 4 * BAND] + r2 * given[i + 6 * BAND] + given[i + 8 * BAND]
        odd = r0 * given[i + BAND] + r1 * given[i + 3 * BAND] + r2 * given[i + 5 * BAND] + given[i + 7 * BAND]
        plus[i] = even + p * odd
        minus[i] = even - p * odd


def transform_large_products(
    products: Flat, added: Flat, out: Flat, scratch: Flat, tiles: int, onto: int, constants: Flat
) -> None:
    """Transform the products of a convolution, as :func:`.kernel.transform_products` does, for tiles of 8×8.

    Args:
        products: shape ``(10, 10, tiles, tiles, length)``, the places of columns first.
        added: is added to the outputs, shape ``(length,)``: for each board and channel.
        out: shape ``(8, 8, tiles, tiles, length)``.
        scratch: room for 90 pieces.
        tiles: along a side.
        onto: whether the outputs are added to what ``out`` holds.
        constants: as the indices above name them.
    """
    length = len(added)
    plane = tiles * tiles * length
    given = scratch[80 * BAND :]
    for here in range(0, plane, length):
        for start in range(0, length, BAND):
            count = min(length - start, BAND)
            more = added[start : start + count]
            for place in range(10):
                for k in range(10):
                    first = (10 * k + place) * plane + here + start
                    _copy(products[first : first + count], given[k * BAND :], count)
                _outputs_eight(given, scratch[place * BAND :], count, 10 * BAND, constants)
            for place in range(8):
                _outputs_eight(scratch[place * 10 * BAND :], given, count, BAND, constants)
                for k in range(8):
                    first = (8 * k + place) * plane + here + start
                    _store(given[k * BAND :], more, out[first : first + count], count, onto)


def _outputs_eight(given: Flat, out: Flat, count: int, step: int, constants: Flat) -> None:
    """Transform ten products, a piece apart; the results are ``step`` apart."""
    powers = constants[C_POWERS : C_POWERS + 16]
    _outputs_even(given, out, out[2 * step :], out[4 * step :], out[6 * step :], count, powers)
    _outputs_odd(given, out[step:], out[3 * step :], out[5 * step :], out[7 * step :], count, powers)


def _outputs_even(given: Flat, o0: Flat, o2: Flat, o4: Flat, o6: Flat, count: int, powers: Flat) -> None:
    a2, a4, a6 = powers[0], powers[1], powers[2]
    b2, b4, b6 = powers[4], powers[5], powers[6]
    c2, c4, c6 = powers[8], powers[9], powers[10]
    d2, d4, d6 = powers[12], powers[13], powers[14]
    for i in range(count):
        a, b = given[i + BAND] + given[i + 2 * BAND], given[i + 3 * BAND] + given[i + 4 * BAND]
        c, d = given[i + 5 * BAND] + given[i + 6 * BAND], given[i + 7 * BAND] + given[i + 8 * BAND]
        o0[i] = given[i] + a + b + c + d
        o2[i] = a2 * a + b2 * b + c2 * c + d2 * d
        o4[i] = a4 * a + b4 * b + c4 * c + d4 * d
        o6[i] = a6 * a + b6 * b + c6 * c + d6 * d


def _outputs_odd(given: Flat, o1: Flat, o3: Flat, o5: Flat, o7: Flat, count: int, powers: Flat) -> None:
    a2, a4, a6, a1 = powers[0], powers[1], powers[2], powers[3]
    b2, b4, b6, b1 = powers[4], powers[5], powers[6], powers[7]
    c2, c4, c6, c1 = powers[8], powers[9], powers[10], powers[11]
    d2, d4, d6, d1 = powers[12], powers[13], powers[14], powers[15]
    for i in range(count):
        a, b = a1 * (given[i + BAND] - given[i + 2 * BAND]), b1 * (given[i + 3 * BAND] - given[i + 4 * BAND])
        c, d = c1 * (given[i + 5 * BAND] - given[i + 6 * BAND]), d1 * (given[i + 7 * BAND] - given[i + 8 * BAND])
        o1[i] = a + b + c + d
        o3[i] = a2 * a + b2 * b + c2 * c + d2 * d
        o5[i] = a4 * a + b4 * b + c4 * c + d4 * d
        o7[i] = a6 * a + b6 * b + c6 * c + d6 * d + given[i + 9 * BAND]


def _copy(given: Flat, to: Flat, count: int) -> None:
    for i in range(count):
        to[i] = given[i]


def _store(given: Flat, added: Flat, out: Flat, count: int, onto: int) -> None:
    if onto:
        for i in range(count):
            out[i] += given[i] + added[i]
    else:
        for i in range(count):
            out[i] = given[i] + added[i]
