"""Muon, an optimizer that trains convolutions in fewer steps: momentum with equalised singular values.

Jordan et al. 2024, "Muon: An optimizer for hidden layers in neural networks"; convolutions are treated as matrices with
a row for each output channel.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import torch
from torch import Tensor
from torch.nn import Parameter

_MOMENTUM: Final = 0.95
_ROUNDS: Final = 5
_QUINTIC: Final = (3.4445, -4.7750, 2.0315)
"""The paper's polynomial, which brings all singular values close to 1 in five iterations."""


class Muon(torch.optim.Optimizer):
    """Steps along orthogonalised momentum (Nesterov's).

    Args:
        weights: of two dimensions or more, flattened to matrices from the second on.
        rate: the learning rate; a step changes each weight by about this over the root of the row's length.
        decay: weight decay.
    """

    def __init__(self, weights: Iterable[Parameter], rate: float, decay: float) -> None:
        super().__init__(weights, {"lr": rate, "weight_decay": decay})

    def step(self, closure: None = None) -> None:  # type: ignore[override]
        """Change the weights by their gradients; a closure is not supported."""
        assert closure is None
        with torch.no_grad():
            for group in self.param_groups:
                for weights in group["params"]:
                    self._change(weights, group["lr"], group["weight_decay"])

    def _change(self, weights: Parameter, rate: float, decay: float) -> None:
        gradient = weights.grad
        if gradient is None:
            return
        momentum = self.state[weights].setdefault("momentum", torch.zeros_like(weights))
        momentum.lerp_(gradient, 1.0 - _MOMENTUM)
        update = orthogonal(gradient.lerp(momentum, _MOMENTUM).flatten(1))
        # Otherwise tall matrices would move less in each of their outputs.
        rows, columns = update.shape
        scale = max(1.0, rows / columns) ** 0.5
        weights.mul_(1.0 - rate * decay)
        weights.add_(update.view_as(weights), alpha=-rate * scale)


def orthogonal(matrix: Tensor) -> Tensor:
    """Return the matrix with all singular values brought to about 1, by Newton–Schulz iteration."""
    tall = matrix.shape[0] > matrix.shape[1]
    found = matrix.T if tall else matrix
    found = found / (found.norm() + 1e-7)
    first, third, fifth = _QUINTIC
    for _ in range(_ROUNDS):
        square = found @ found.T
        found = first * found + (third * square + fifth * square @ square) @ found
    return found.T if tall else found
