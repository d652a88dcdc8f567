"""A network's weights run by torch on a device, for self-play on a graphics card."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from daoqi_tui.ai.network import Outputs
from daoqi_tui.ai.network_grid import Floats, Padding
from daoqi_tui.ai.network_parameters import Filter, Norm, Parameters, Pooling


@dataclass(frozen=True, slots=True)
class TensorOutputs:
    """As :class:`daoqi_tui.ai.network.Outputs`, as tensors of 32-bit floats on the device."""

    policy: Tensor
    value: Tensor
    score: Tensor
    ownership: Tensor


class TorchNetwork:
    """As :class:`daoqi_tui.ai.network.Network`, in torch; 16-bit floats but on a processor.

    Args:
        parameters: the weights.
        device: where it runs.
        padding: what lies beyond the border; anything but a torus is for measuring.
        kind: the floats it computes with; None for what suits the device.
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

    def _tensor(self, weights: Floats, order: tuple[int, ...] = ()) -> Tensor:
        """Weights on the device, their dimensions in another order where one is given; copied there once."""
        if id(weights) not in self._laid:
            laid = np.ascontiguousarray(weights.transpose(order) if order else weights)
            self._laid[id(weights)] = torch.from_numpy(laid).to(self._device, self._kind)
        return self._laid[id(weights)]

    def _conv(self, boards: Tensor, layer: Filter) -> Tensor:
        reach = len(layer.weights) // 2 * layer.dilation
        if reach and self._padding == "wrap":
            # Torch pads by at most one board's width.
            places = torch.arange(-reach, boards.shape[2] + reach, device=self._device) % boards.shape[2]
            boards = boards[:, :, places][:, :, :, places]
        elif reach:
            boards = functional.pad(boards, (reach,) * 4)
        return functional.conv2d(boards, self._tensor(layer.weights, (3, 2, 0, 1)), dilation=layer.dilation)

    def _relu(self, boards: Tensor, norm: Norm) -> Tensor:
        return torch.relu(
            boards * self._tensor(norm.scale)[:, None, None] + self._tensor(norm.bias)[:, None, None],
        )

    def _pool(self, boards: Tensor, pooling: Pooling) -> Tensor:
        side = self._relu(self._conv(boards, pooling.conv), pooling.norm)
        mean = side.mean(dim=(2, 3))
        return torch.cat((mean, mean * ((boards.shape[2] - 14) * 0.1), side.amax(dim=(2, 3))), dim=1)

    def run(self, planes: Floats, whole: Floats, size: int) -> Outputs:
        """As :meth:`daoqi_tui.ai.network.Network.run`."""
        with torch.inference_mode():
            boards = torch.from_numpy(planes).to(self._device).reshape(len(planes), size, size, -1).permute(0, 3, 1, 2)
            found = self.outputs(boards, torch.from_numpy(whole).to(self._device))
            return Outputs(*(getattr(found, name).cpu().numpy() for name in TensorOutputs.__slots__))

    def outputs(self, boards: Tensor, whole: Tensor) -> TensorOutputs:
        """Compute a batch that is on the device, and leave it there.

        Args:
            boards: the planes, shape ``(boards, planes, size, size)``.
            whole: what is said of the whole board, shape ``(boards, globals)``.
        """
        boards, whole = boards.to(self._kind), whole.to(self._kind)
        parameters, tensor = self._parameters, self._tensor
        trunk = self._conv(boards, parameters.first) + (whole @ tensor(parameters.first_globals))[:, :, None, None]
        for block in parameters.blocks:
            normed = self._relu(trunk, block.before)
            inner = self._conv(normed, block.first)
            if block.pooling:
                pooled = self._pool(normed, block.pooling) @ tensor(block.pooling.weights)
                inner = inner + pooled[:, :, None, None]
            trunk = trunk + self._conv(self._relu(inner, block.between), block.second)
        tip = self._relu(trunk, parameters.tip)
        policy, value = parameters.policy, parameters.value
        pooled = self._pool(tip, policy.pooling)
        inner = self._conv(tip, policy.conv) + (pooled @ tensor(policy.pooling.weights))[:, :, None, None]
        plays = self._conv(self._relu(inner, policy.norm), policy.plays)[:, :1].flatten(1)
        inner = self._relu(self._conv(tip, value.conv), value.norm)
        mean, apart = inner.mean(dim=(2, 3)), (boards.shape[2] - 14) * 0.1
        means = torch.cat((mean, mean * apart, mean * (apart * apart - 0.1)), dim=1)
        hidden = torch.relu(means @ tensor(value.hidden) + tensor(value.hidden_bias))
        return TensorOutputs(
            torch.cat((plays, (pooled @ tensor(policy.pass_weights))[:, :1]), dim=1).float(),
            (hidden @ tensor(value.value) + tensor(value.value_bias)).float(),
            (hidden @ tensor(value.score) + tensor(value.score_bias)).float(),
            self._conv(inner, value.ownership)[:, 0].flatten(1).float(),
        )
