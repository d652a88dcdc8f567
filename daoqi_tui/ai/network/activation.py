"""The activation functions of networks, computed in place.

Mish is ``x · tanh(ln(1 + eˣ))`` (Misra 2019, "Mish: A Self Regularized Non-Monotonic Activation Function"), SiLU
``x / (1 + e⁻ˣ)``.
"""

from __future__ import annotations

from enum import StrEnum
from itertools import pairwise
from typing import Final

import numpy as np

from daoqi_tui.ai.network.layout import Floats


class Activation(StrEnum):
    """An activation function, by its name in network files."""

    RELU = "relu"
    MISH = "mish"
    SILU = "silu"
    IDENTITY = "identity"


_PART: Final = 1 << 15
"""Numbers computed at a time, so that all steps of a part stay in the CPU caches."""
# Numpy's maximum of two arrays is several times as fast as that of an array and a number.
_ZEROS: Final = np.zeros(_PART, np.float32)


def activate(activation: Activation, activations: Floats) -> Floats:
    """Apply an activation function in place to a contiguous array; return the array."""
    if activation is Activation.IDENTITY:
        return activations
    flat = activations.reshape(-1)
    cuts = [*range(0, len(flat), _PART), len(flat)]
    scratch = _ZEROS if activation is Activation.RELU else np.empty(min(_PART, len(flat)), np.float32)
    # Where the exponential is infinite, the result is the limit.
    with np.errstate(over="ignore"):
        for start, end in pairwise(cuts):
            _apply(activation, flat[start:end], scratch[: end - start])
    return activations


def _apply(activation: Activation, part: Floats, scratch: Floats) -> None:
    if activation is Activation.RELU:
        np.maximum(part, scratch, out=part)
    elif activation is Activation.MISH:
        # tanh(ln(1 + eˣ)) = 1 − 2 / ((1 + eˣ)² + 1)
        np.exp(part, out=scratch)
        scratch += 1.0
        np.multiply(scratch, scratch, out=scratch)
        scratch += 1.0
        np.divide(part, scratch, out=scratch)
        part -= scratch
        part -= scratch
    else:
        np.negative(part, out=scratch)
        np.exp(scratch, out=scratch)
        scratch += 1.0
        np.divide(part, scratch, out=part)
