"""Normalisations and ReLUs, in as few passes over the activations as can be."""

from __future__ import annotations

from math import prod
from typing import Final

import numpy as np

from daoqi_tui.ai.network_conv import Convolution, convolution
from daoqi_tui.ai.network_grid import Floats, Padding
from daoqi_tui.ai.network_parameters import Filter, Norm

_FAR: Final = 1000.0
"""How many times a norm's scale its addend may be to become a limit: float32 must still tell the rest."""


class NormedReLU:
    """A norm and its ReLU.

    On a torus ``relu(s·x + b)`` with ``s > 0`` is ``s·max(x, −b/s) + b``, and what a convolution makes of the factor
    and of the addend, the same at every point, goes into its weights and its bias: only the maximum remains.
    """

    def __init__(self, norm: Norm, padding: Padding) -> None:
        self._norm = norm
        self._is_maximum = padding == "wrap" and bool((np.abs(norm.bias) < _FAR * norm.scale).all())
        self._least = Repeated(-norm.bias / norm.scale if self._is_maximum else np.zeros_like(norm.bias))
        self._scale, self._bias = Repeated(norm.scale), Repeated(norm.bias)

    def __call__(self, inputs: Floats, out: Floats) -> Floats:
        """What the convolutions of :meth:`then` take, in ``out``, which may be ``inputs``."""
        if not self._is_maximum:
            np.multiply(inputs, self._scale.like(inputs), out=out)
            out += self._bias.like(out)
            inputs = out
        return np.maximum(inputs, self._least.like(inputs), out=out)

    def then(self, layer: Filter, after: Norm) -> Convolution:
        """The convolution after this norm, with the norm after that, all but its ReLU."""
        weights = layer.weights.astype(np.float64) * after.scale
        bias = after.bias
        if self._is_maximum:
            bias = np.asarray(bias + np.einsum("ijco,c->o", weights, self._norm.bias), dtype=np.float32)
            weights *= self._norm.scale[:, None]
        return convolution(np.asarray(weights, dtype=np.float32), bias, layer.dilation)


class Repeated:
    """A number for each channel, repeated for all boards and a row of tiles, since long inner loops are faster."""

    def __init__(self, numbers: Floats) -> None:
        self._numbers = numbers
        self._row = numbers

    def like(self, activations: Floats) -> Floats:
        """Of the shape of the last three axes of ``activations``."""
        shape = activations.shape[-3:]
        length = prod(shape)
        if len(self._row) < length:
            self._row = np.tile(self._numbers, length // len(self._numbers))
        return self._row[:length].reshape(shape)


_ZEROS: Final = Repeated(np.zeros(1, dtype=np.float32))


def relu(activations: Floats) -> Floats:
    """The ReLU, in place; numpy's maximum of two arrays is several times as fast as that with a number."""
    return np.maximum(activations, _ZEROS.like(activations), out=activations)
