"""Convolutions on a torus in numpy: 3×3 ones by Winograd's minimal filtering, the others as one matrix product."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, Protocol

import numpy as np

from daoqi_tui.ai.network_grid import Floats, Grid, Indices
from daoqi_tui.ai.network_winograd import Winograd
from daoqi_tui.ai.network_work import Workspace


class Convolution(Protocol):
    """A convolution with its weights, in two steps: convolutions that see alike can share the first."""

    @property
    def outputs(self) -> int:
        """Channels that come out."""

    @property
    def sight(self) -> tuple[str, int, int]:
        """How it sees its inputs: convolutions of the same sight see the same."""

    def see(self, inputs: Floats, grid: Grid, work: Workspace) -> Floats:
        """The factor that the weights are multiplied with; the next call of any convolution may overwrite it."""

    def make(self, seen: Floats, grid: Grid, work: Workspace, out: str) -> Floats:
        """The activations after it, in the array of ``work`` named ``out``."""


def convolved(inputs: Floats, layer: Convolution, grid: Grid, work: Workspace, out: str) -> Floats:
    """Both steps of a convolution."""
    return layer.make(layer.see(inputs, grid, work), grid, work, out)


def convolution(weights: Floats, bias: Floats | None = None, dilation: int = 1) -> Convolution:
    """The fastest convolution for ``weights`` of shape ``(kernel, kernel, inputs, outputs)``."""
    kernel = weights.shape[0]
    if kernel == 1:
        return Pointwise(weights[0, 0], bias)
    if kernel == 3 and dilation == 1:
        return Winograd(weights, bias)
    return Gathered(weights, bias, dilation)


class _Product:
    """A convolution whose second step is one matrix product.

    Args:
        weights: shape ``(whatever a point sees, outputs)``.
        bias: of each output.
    """

    def __init__(self, weights: Floats, bias: Floats | None) -> None:
        self.outputs: Final = weights.shape[1]
        self._weights: Final = np.ascontiguousarray(weights, dtype=np.float32)
        self._bias: Final = bias

    def make(self, seen: Floats, grid: Grid, work: Workspace, out: str) -> Floats:  # noqa: ARG002
        """As in :class:`Convolution`."""
        made = work.array(out, *seen.shape[:-1], self.outputs)
        np.matmul(seen.reshape(-1, seen.shape[-1]), self._weights, out=made.reshape(-1, self.outputs))
        if self._bias is not None:
            made += self._bias
        return made


class Pointwise(_Product):
    """A convolution that sees one point."""

    sight: Final = ("pointwise", 1, 1)

    def see(self, inputs: Floats, grid: Grid, work: Workspace) -> Floats:  # noqa: ARG002
        """As in :class:`Convolution`: the inputs as they are."""
        return inputs


class Gathered(_Product):
    """A convolution of any size: what each point sees is gathered into a row of one large matrix product."""

    def __init__(self, weights: Floats, bias: Floats | None, dilation: int) -> None:
        super().__init__(weights.reshape(-1, weights.shape[3]), bias)
        self._kernel: Final = weights.shape[0]
        self._dilation: Final = dilation

    @property
    def sight(self) -> tuple[str, int, int]:
        """As in :class:`Convolution`."""
        return "gathered", self._kernel, self._dilation

    def see(self, inputs: Floats, grid: Grid, work: Workspace) -> Floats:
        """As in :class:`Convolution`: for each place the inputs of all that the kernel sees."""
        count, channels = inputs.shape[-2:]
        rows = inputs.reshape(-1, channels)
        if grid.padding == "zero":
            rows = np.concatenate((rows, np.zeros((1, channels), np.float32)))
        seen = _seen(grid, self._kernel, self._dilation, count)
        gathered = work.array("gathered", len(seen), channels)
        np.take(rows, seen, axis=0, out=gathered, mode="clip")
        return gathered.reshape(*inputs.shape[:-1], -1)


@lru_cache(maxsize=64)
def _seen(grid: Grid, kernel: int, dilation: int, count: int) -> Indices:
    """The rows of the activations of ``count`` boards that each place sees, flat."""
    places = grid.places * grid.places
    seen = grid.neighbourhoods(kernel, dilation)[..., None, :]
    boards = np.arange(count)[:, None]
    # All places beyond a border are one row, after those of all boards.
    rows = np.where(seen == places, places * count, seen * count + boards)
    return np.asarray(rows.reshape(-1), dtype=np.intp)
