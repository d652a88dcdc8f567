"""Muon, an optimizer that trains convolutions in fewer steps: momentum with equalised singular values.

Jordan et al. 2024, "Muon: An optimizer for hidden layers in neural networks"; convolutions are treated as matrices with
a row for each output channel.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
                by_shape: dict[tuple[int, ...], list[Parameter]] = {}
                for weights in group["params"]:
                    if weights.grad is not None:
                        by_shape.setdefault(tuple(weights.shape), []).append(weights)
                for alike in by_shape.values():
                    self._change(alike, group["lr"], group["weight_decay"])

    def _change(self, alike: Sequence[Parameter], rate: float, decay: float) -> None:
        """Change weights of one shape, together, since the matrices are small."""
        wanted = []
        for weights in alike:
            gradient = weights.grad
            assert gradient is not None
            momentum = self.state[weights].setdefault("momentum", torch.zeros_like(weights))
            momentum.lerp_(gradient, 1.0 - _MOMENTUM)
            wanted.append(gradient.lerp(momentum, _MOMENTUM).flatten(1))
        updates = orthogonal(torch.stack(wanted))
        # Otherwise tall matrices would move less in each of their outputs.
        rows, columns = updates.shape[-2:]
        scale = max(1.0, rows / columns) ** 0.5
        for weights, update in zip(alike, updates, strict=True):
            weights.mul_(1.0 - rate * decay)
            weights.add_(update.view_as(weights), alpha=-rate * scale)


def orthogonal(matrices: Tensor) -> Tensor:
    """Return matrices with all singular values brought to about 1, by Newton–Schulz iteration.

    Args:
        matrices: one or several of the same shape, ``(…, rows, columns)``.
    """
    tall = matrices.shape[-2] > matrices.shape[-1]
    found = matrices.mT if tall else matrices
    found = found / (found.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    first, third, fifth = _QUINTIC
    for _ in range(_ROUNDS):
        square = found @ found.mT
        found = first * found + (third * square + fifth * square @ square) @ found
    return found.mT if tall else found
