"""A convolution of rounded numbers, as loops over flat arrays, to be compiled; :mod:`.convolution` explains it.

A tile holds a row of points of one board, with 64 of their input channels or 16 of their outputs. The inputs have a
border of the points from the other side; so what a row of points sees at one place of the kernel is in memory as a tile
that begins elsewhere, and nothing is gathered. Two rows of points are multiplied by the weights of 32 outputs at a
time: four tiles of sums, two of inputs, two of weights, all that there are.

Without such tiles (:func:`multiply_dots`), the sums of a row of points, or of a piece of one, and of 32 outputs are in
registers. Inputs and weights are in memory in the same order.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from daoqi_tui.ai.network.instructions import (
    add_byte_product,
    add_dots,
    clear,
    configure,
    load,
    most_points,
    put_bytes,
    put_sums,
    raise_most,
    release,
    store,
)

Flat: TypeAlias = Any

BYTES = 64
"""Channels in a row of a tile of inputs."""
OUTPUTS = 32
"""Channels in two tiles of outputs."""
WEIGHTS = 16 * 64
"""Those in a tile."""
ROWS = 16
"""The most rows of a tile, and the numbers of 32 bits in one."""
LONGEST = 16
"""The most points in a tile. A longer row of points takes two."""


def _begin(row: int, size: int, kernel: int, pieces: int, boards: int, outputs: int) -> tuple[int, int]:
    """Return where the inputs at the kernel's first place and the outputs of a row, or a piece of one, begin."""
    board, line = row // (size * pieces), row // pieces % size
    column = row % pieces * ((size + 1) // 2)
    wide = size + kernel - 1
    return (
        ((board * wide + line) * wide + column) * BYTES,
        ((line * size + column) * boards + board) * outputs,
    )


def round_to_bytes(inputs: Flat, least: Flat, out: Flat, units: Flat, most: Flat, around: Flat, boards: int) -> None:
    """Round the inputs of a convolution to bytes, and add the border.

    Args:
        inputs: activations of shape ``(points, boards, channels)``.
        least: the least value of each channel, which becomes 0; smaller ones count as this.
        out: shape ``(channels / 64, boards, points with the border, 64)``; nothing is written where a channel is none.
        units: for each board what a difference of 1 stands for; the largest number of a board is 255 of them.
        most: room for a number for each channel.
        around: for each point with those of the border the point that it is.
        boards: their number.
    """
    channels, places = len(least), len(around)
    for board in range(boards):
        for i in range(channels):
            most[i] = 0
        for at in range(board * channels, len(inputs), boards * channels):
            for first in range(0, channels, 16):
                raise_most(inputs, at + first, least, first, most, first)
        largest = 1e-30
        for i in range(channels):
            largest = max(largest, most[i])
        units[board] = largest / 255
        # In an array, since a number would be one of 64 bits.
        most[0] = 255 / largest
        for place in range(places):
            at = (around[place] * boards + board) * channels
            for first in range(0, channels, 16):
                to = ((first // BYTES * boards + board) * places + place) * BYTES + first % BYTES
                put_bytes(inputs, at + first, least, first, most, 0, out, to)


def multiply_bytes(
    shape: Flat,
    inputs: Flat,
    weights: Flat,
    units: Flat,
    factors: Flat,
    start: Flat,
    out: Flat,
    sums: Flat,
    size: int,
    kernel: int,
    boards: int,
    outputs: int,
    onto: int,
) -> None:
    """Multiply bytes by the weights of a convolution.

    Args:
        shape: of the tiles, for this size.
        inputs, units: as :func:`round_to_bytes` makes them.
        weights: shape ``(outputs / 32, inputs / 64, kernel², 2, 16, 64)``: for each place of the kernel two tiles;
            0 for inputs and outputs that are none.
        factors: for each output what a difference of 1 in its weights stands for.
        start: what the products are added to: ``out`` itself, or numbers of shape ``(boards, outputs)``.
        out: shape ``(points, boards, outputs)``.
        sums: room for four tiles.
        size: points along a side.
        kernel: points along a side of it.
        boards: their number.
        outputs: channels.
        onto: whether ``start`` is ``out``.
    """
    configure(shape)
    pieces = 1 if size <= LONGEST else 2
    rows, pairs = boards * size * pieces, -(-outputs // OUTPUTS)
    for first in range(0, outputs, OUTPUTS):
        for row in range(0, rows, 2):
            # The last of an odd number is computed twice, and stored once.
            other = min(row + 1, rows - 1)
            from_row, to_row = _begin(row, size, kernel, pieces, boards, outputs)
            from_other, to_other = _begin(other, size, kernel, pieces, boards, outputs)
            clear(0)
            clear(1)
            clear(2)
            clear(3)
            weight = len(weights) // pairs * (first // OUTPUTS)
            _add_byte_products(inputs, weights, from_row, from_other, weight, size, kernel, boards, pairs * OUTPUTS)
            store(0, sums, 0, 4 * OUTPUTS)
            store(1, sums, OUTPUTS // 2, 4 * OUTPUTS)
            store(2, sums, LONGEST * OUTPUTS, 4 * OUTPUTS)
            store(3, sums, LONGEST * OUTPUTS + OUTPUTS // 2, 4 * OUTPUTS)
            for number in range(row, other + 1):
                board = number // (size * pieces)
                points = size if pieces == 1 else (size + 1 - number % 2) // 2
                for point in range(points):
                    at = ((number - row) * LONGEST + point) * OUTPUTS
                    to = (to_row if number == row else to_other) + point * boards * outputs + first
                    _put_point(sums, at, units, board, factors, first, start, out, to, outputs, onto)
    release()


def _add_byte_products(
    inputs: Flat, weights: Flat, row: int, other: int, weight: int, size: int, kernel: int, boards: int, outputs: int
) -> None:
    wide = size + kernel - 1
    for part in range(len(weights) // (outputs * kernel * kernel * BYTES)):
        for down in range(kernel):
            for right in range(kernel):
                at = ((part * boards * wide + down) * wide + right) * BYTES
                load(6, weights, weight, 64)
                load(4, inputs, row + at, 64)
                add_byte_product(0, 4, 6)
                load(7, weights, weight + WEIGHTS, 64)
                add_byte_product(1, 4, 7)
                load(5, inputs, other + at, 64)
                add_byte_product(2, 5, 6)
                add_byte_product(3, 5, 7)
                weight += 2 * WEIGHTS


def multiply_dots(
    _shape: Flat,
    inputs: Flat,
    weights: Flat,
    units: Flat,
    factors: Flat,
    start: Flat,
    out: Flat,
    sums: Flat,
    size: int,
    kernel: int,
    boards: int,
    outputs: int,
    onto: int,
) -> None:
    """Do what :func:`multiply_bytes` does, without tiles, and so without their shape."""
    pieces = -(-size // most_points())
    wide = size + kernel - 1
    pairs = -(-outputs // OUTPUTS)
    parts = len(weights) // (pairs * OUTPUTS * kernel * kernel * BYTES)
    for first in range(0, outputs, OUTPUTS):
        weight = len(weights) // pairs * (first // OUTPUTS)
        for number in range(boards * size * pieces):
            board, line, piece = number // (size * pieces), number // pieces % size, number % pieces
            column, end = piece * size // pieces, (piece + 1) * size // pieces
            at = ((board * wide + line) * wide + column) * BYTES
            add_dots(
                inputs,
                at,
                wide * BYTES,
                boards * wide * wide * BYTES,
                weights,
                weight,
                sums,
                end - column,
                parts,
                kernel,
            )
            for point in range(end - column):
                to = ((line * size + column + point) * boards + board) * outputs + first
                _put_point(sums, point * OUTPUTS, units, board, factors, first, start, out, to, outputs, onto)


def _put_point(
    sums: Flat,
    at: int,
    units: Flat,
    board: int,
    factors: Flat,
    first: int,
    start: Flat,
    out: Flat,
    to: int,
    outputs: int,
    onto: int,
) -> None:
    """Scale the sums of a point, those of up to 32 outputs from the ``first`` on, and add what they start from."""
    begin = to if onto else board * outputs + first
    put_sums(sums, at, units, board, factors, first, start, begin, out, to)
    if first + 16 < outputs:
        put_sums(sums, at + 16, units, board, factors, first + 16, start, begin + 16, out, to + 16)
