"""Convolutions on a torus: 3×3 and 5×5 ones by Winograd's algorithm, others in numpy as a single matrix product."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, Protocol

import numpy as np

from daoqi_tui.ai.network.layout import Floats, Grid, Indices, Padding, TiledVector, Workspace
from daoqi_tui.ai.network.winograd import Winograd, finished, limited


class Convolution(Protocol):
    """A convolution in two steps: convolutions with the same :attr:`transform_key` can share the first."""

    @property
    def outputs(self) -> int:
        """The number of output channels."""

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
    """Run both steps of a convolution."""
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
        """As in :class:`Convolution`."""
        made = work.array(out, *transformed.shape[:-1], self.outputs)
        np.matmul(transformed.reshape(-1, transformed.shape[-1]), self._weights, out=made.reshape(-1, self.outputs))
        if self._bias is not None:
            made += self._bias
        return finished(made, added, onto)


class Pointwise(_MatrixProduct):
    """A 1×1 convolution."""

    transform_key: Final = ("pointwise", 1, 1)

    def transform(self, inputs: Floats, grid: Grid, work: Workspace, least: TiledVector | None = None) -> Floats:  # noqa: ARG002
        """As in :class:`Convolution`: the inputs as they are."""
        return limited(inputs, least, work)


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

    def transform(self, inputs: Floats, grid: Grid, work: Workspace, least: TiledVector | None = None) -> Floats:
        """As in :class:`Convolution`: for each point the inputs of its neighbourhood."""
        inputs = limited(inputs, least, work)
        return _gathered(inputs, _neighbour_rows(grid, self._kernel, self._dilation, inputs.shape[-2]), grid, work)


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
        """As in :class:`Convolution`: the copies of the inputs, transformed."""
        inputs = limited(inputs, least, work)
        copies = _gathered(inputs, _diagonal_rows(grid, inputs.shape[-2]), grid, work)
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
def _neighbour_rows(grid: Grid, kernel: int, dilation: int, count: int) -> Indices:
    """Return for each point of ``count`` boards the row indices of its neighbourhood in the activations, flattened."""
    return _rows(grid, grid.neighbourhoods(kernel, dilation), count)


@lru_cache(maxsize=64)
def _diagonal_rows(grid: Grid, count: int) -> Indices:
    """Return for each point of ``count`` boards the row indices of its four diagonal neighbours, flattened."""
    return _rows(grid, grid.neighbourhoods(3, 1)[..., [0, 2, 6, 8]], count)


def _rows(grid: Grid, seen: Indices, count: int) -> Indices:
    """Return the row indices of the entries ``seen`` from each point, for ``count`` boards."""
    entries = grid.padded_size * grid.padded_size
    seen, boards = seen[..., None, :], np.arange(count)[:, None]
    # All points beyond a border share one row, after those of all boards.
    rows = np.where(seen == entries, entries * count, seen * count + boards)
    return np.asarray(rows.reshape(-1), dtype=np.intp)
