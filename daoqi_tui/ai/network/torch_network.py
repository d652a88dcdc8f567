"""Runs a network's weights in torch, on a GPU or a CPU; torch comes with the extra ``train``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from daoqi_tui.ai.network.layout import Floats, Padding
from daoqi_tui.ai.network.network import (
    Activation,
    Block,
    Filter,
    NestedBlock,
    Norm,
    Outputs,
    Parameters,
    PolicyHead,
    Pooling,
)

_ACTIVATIONS: Final[dict[Activation, Callable[[Tensor], Tensor]]] = {
    Activation.RELU: torch.relu,
    Activation.MISH: functional.mish,
    Activation.SILU: functional.silu,
    Activation.IDENTITY: lambda boards: boards,
}


@dataclass(frozen=True, slots=True)
class TensorOutputs:
    """As :class:`daoqi_tui.ai.network.network.Outputs`, as tensors of 32-bit floats on the device."""

    policy: Tensor
    value: Tensor
    score: Tensor
    ownership: Tensor


def pad_circular(boards: Tensor, reach: int) -> Tensor:
    """Return boards with circular padding of ``reach`` points on each side of the last two axes.

    Several times as fast as ``functional.pad``, which also pads by at most one board's width.
    """
    for axis in (-2, -1):
        size = boards.shape[axis]
        turns, rest = divmod(reach, size)
        last, first = boards.narrow(axis, size - rest, rest), boards.narrow(axis, 0, rest)
        boards = torch.cat((last, *[boards] * (2 * turns + 1), first), axis)
    return boards


def value_features(means: Tensor, size: int) -> Tensor:
    """Return what the hidden layer of a value head sees of the means of its channels, ``(boards, 3 · channels)``."""
    apart = (size - 14) * 0.1
    return torch.cat((means, means * apart, means * (apart * apart - 0.1)), dim=1)


def fast_network(parameters: Parameters) -> TorchNetwork | None:
    """Return a large network on a GPU, in bfloat16; None if there is none for it."""
    if not torch.cuda.is_available():
        return None
    network = TorchNetwork(parameters, torch.device("cuda"))
    planes, whole = parameters.first.weights.shape[2], parameters.first_globals.shape[0]
    try:
        network.run(np.zeros((1, 81, planes), np.float32), np.zeros((1, whole), np.float32), 9)
    except RuntimeError:
        # Not enough memory, or a GPU that this torch does not support.
        return None
    return network


class TorchNetwork:
    """As :class:`daoqi_tui.ai.network.network.Network`, in torch; 16-bit floats on any device but a CPU.

    Args:
        parameters: the weights.
        device: the device it runs on.
        padding: how boards are padded; anything but a torus is for measuring.
        kind: the type of the floats; None for float32 on a CPU and bfloat16 elsewhere.
    """

    def __init__(
        self,
        parameters: Parameters,
        device: torch.device,
        padding: Padding = "wrap",
        kind: torch.dtype | None = None,
    ) -> None:
        self._parameters = parameters
        self._padding = padding
        self._device = device
        self._kind = kind or (torch.float32 if device.type == "cpu" else torch.bfloat16)
        self._laid: dict[int, Tensor] = {}

    def __reduce__(self) -> tuple[type[TorchNetwork], tuple[Parameters, torch.device, Padding, torch.dtype]]:
        return TorchNetwork, (self._parameters, self._device, self._padding, self._kind)

    def _tensor(self, weights: Floats, order: tuple[int, ...] = ()) -> Tensor:
        """Return weights on the device, transposed where an order is given; they are copied there once."""
        if id(weights) not in self._laid:
            laid = np.ascontiguousarray(weights.transpose(order) if order else weights)
            tensor = torch.from_numpy(laid).to(self._device, self._kind)
            self._laid[id(weights)] = self._in_layout(tensor)
        return self._laid[id(weights)]

    def _in_layout(self, tensor: Tensor) -> Tensor:
        """Return boards or filters in the layout that the matrix units of a GPU take; on a CPU as they are."""
        if tensor.ndim == 4 and self._device.type == "cuda":
            return tensor.contiguous(memory_format=torch.channels_last)
        return tensor

    def _conv(self, boards: Tensor, layer: Filter) -> Tensor:
        reach = len(layer.weights) // 2 * layer.dilation
        if reach and self._padding == "wrap":
            boards = pad_circular(boards, reach)
        elif reach:
            boards = functional.pad(boards, (reach,) * 4)
        return functional.conv2d(boards, self._tensor(layer.weights, (3, 2, 0, 1)), dilation=layer.dilation)

    def _normed(self, boards: Tensor, norm: Norm) -> Tensor:
        scale, bias = (self._tensor(numbers)[:, None, None] for numbers in (norm.scale, norm.bias))
        return _ACTIVATIONS[norm.activation](torch.addcmul(bias, boards, scale))

    def _after(self, trunk: Tensor, block: Block | NestedBlock) -> Tensor:
        normed = self._normed(trunk, block.before)
        if isinstance(block, NestedBlock):
            inner = self._conv(normed, block.narrow)
            for nested in block.blocks:
                inner = self._after(inner, nested)
            return trunk + self._conv(self._normed(inner, block.after), block.widen)
        inner = self._conv(normed, block.first)
        if block.pooling:
            pooled = self._pool(normed, block.pooling) @ self._tensor(block.pooling.weights)
            inner = inner + pooled[:, :, None, None]
        return trunk + self._conv(self._normed(inner, block.between), block.second)

    def _pool(self, boards: Tensor, pooling: Pooling) -> Tensor:
        side = self._normed(self._conv(boards, pooling.conv), pooling.norm)
        mean = side.mean(dim=(2, 3))
        return torch.cat((mean, mean * ((boards.shape[2] - 14) * 0.1), side.amax(dim=(2, 3))), dim=1)

    def run(self, planes: Floats, whole: Floats, size: int) -> Outputs:
        with torch.inference_mode():
            boards = torch.from_numpy(planes).to(self._device).reshape(len(planes), size, size, -1).permute(0, 3, 1, 2)
            found = self.outputs(boards, torch.from_numpy(whole).to(self._device))
            return Outputs(*(getattr(found, name).cpu().numpy() for name in TensorOutputs.__slots__))

    def outputs(self, boards: Tensor, whole: Tensor) -> TensorOutputs:
        """Evaluate a batch that is on the device, and leave the outputs there.

        Args:
            boards: the planes, shape ``(boards, planes, size, size)``.
            whole: the global features, shape ``(boards, globals)``.
        """
        boards, whole = self._in_layout(boards.to(self._kind)), whole.to(self._kind)
        parameters, tensor = self._parameters, self._tensor
        trunk = self._conv(boards, parameters.first) + (whole @ tensor(parameters.first_globals))[:, :, None, None]
        for block in parameters.blocks:
            trunk = self._after(trunk, block)
        tip = self._normed(trunk, parameters.tip)
        policy, value = parameters.policy, parameters.value
        pooled = self._pool(tip, policy.pooling)
        inner = self._conv(tip, policy.conv) + (pooled @ tensor(policy.pooling.weights))[:, :, None, None]
        plays = self._conv(self._normed(inner, policy.norm), policy.plays)[:, :1].flatten(1)
        inner = self._normed(self._conv(tip, value.conv), value.norm)
        means = value_features(inner.mean(dim=(2, 3)), boards.shape[2])
        hidden = _ACTIVATIONS[value.activation](means @ tensor(value.hidden) + tensor(value.hidden_bias))
        return TensorOutputs(
            torch.cat((plays, self._pass(pooled, policy)[:, :1]), dim=1).float(),
            (hidden @ tensor(value.value) + tensor(value.value_bias)).float(),
            (hidden @ tensor(value.score) + tensor(value.score_bias)).float(),
            self._conv(inner, value.ownership)[:, 0].flatten(1).float(),
        )

    def _pass(self, pooled: Tensor, policy: PolicyHead) -> Tensor:
        passing = pooled @ self._tensor(policy.pass_weights)
        layer = policy.pass_layer
        if layer is None:
            return passing
        return _ACTIVATIONS[layer.activation](passing + self._tensor(layer.bias)) @ self._tensor(layer.weights)
