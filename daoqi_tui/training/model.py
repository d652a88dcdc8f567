"""The network in torch, as it learns; :func:`parameters_of` gives its weights as numpy runs them.

The same architecture as :mod:`daoqi_tui.ai.network` (Wu 2019), with circular padding and with batch normalisation
(Ioffe and Szegedy 2015) where there the norms are.
"""

from __future__ import annotations

from typing import cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from daoqi_tui.ai.network_grid import Floats
from daoqi_tui.ai.network_parameters import Block, Filter, Norm, Parameters, PolicyHead, Pooling, ValueHead
from daoqi_tui.training.settings import Shape

VALUES, SCORES = 3, 4
"""Outputs for the value and for the score, of which those that are not learnt stay zero."""


class Convolution(nn.Conv2d):
    """A convolution on the torus, without bias."""

    def __init__(self, given: int, made: int, kernel: int = 1) -> None:
        super().__init__(given, made, kernel, bias=False)

    def forward(self, inputs: Tensor) -> Tensor:
        """The channels made, ``(boards, made, size, size)``."""
        reach = self.kernel_size[0] // 2
        if reach:
            inputs = functional.pad(inputs, (reach,) * 4, mode="circular")
        return super().forward(inputs)


class PoolingLayer(nn.Module):
    """A convolution pooled over the board: mean, mean by board size, maximum."""

    def __init__(self, given: int, pooled: int, made: int, kernel: int) -> None:
        super().__init__()
        self.conv = Convolution(given, pooled, kernel)
        self.norm = nn.BatchNorm2d(pooled)
        self.weights = nn.Linear(3 * pooled, made, bias=False)

    def pool(self, inputs: Tensor) -> Tensor:
        """What is pooled of each board, ``(boards, 3 · pooled)``."""
        side = functional.relu(self.norm(self.conv(inputs)))
        mean = side.mean(dim=(2, 3))
        return torch.cat((mean, mean * ((inputs.shape[2] - 14) * 0.1), side.amax(dim=(2, 3))), dim=1)


class BlockLayer(nn.Module):
    """A residual block."""

    def __init__(self, channels: int, pooled: int) -> None:
        super().__init__()
        middle = channels - pooled
        self.before = nn.BatchNorm2d(channels)
        self.first = Convolution(channels, middle, 3)
        self.pooling = PoolingLayer(channels, pooled, middle, 3) if pooled else None
        self.between = nn.BatchNorm2d(middle)
        self.second = Convolution(middle, channels, 3)
        # A block begins by adding nothing.
        nn.init.zeros_(self.second.weight)

    def forward(self, trunk: Tensor) -> Tensor:
        """The trunk after the block."""
        normed = functional.relu(self.before(trunk))
        inner = self.first(normed)
        if self.pooling is not None:
            inner = inner + self.pooling.weights(self.pooling.pool(normed))[:, :, None, None]
        return trunk + cast("Tensor", self.second(functional.relu(self.between(inner))))


class Model(nn.Module):
    """The network.

    Args:
        shape: its architecture.
        planes, whole: how many inputs it takes, for each point and for the whole board.
    """

    def __init__(self, shape: Shape, planes: int, whole: int) -> None:
        super().__init__()
        self.first = Convolution(planes, shape.channels, 3)
        self.first_globals = nn.Linear(whole, shape.channels, bias=False)
        self.blocks = nn.ModuleList(
            BlockLayer(shape.channels, shape.pooled if place in shape.pooling else 0) for place in range(shape.blocks)
        )
        self.tip = nn.BatchNorm2d(shape.channels)
        self.policy = Convolution(shape.channels, shape.head)
        self.policy_pooling = PoolingLayer(shape.channels, shape.head, shape.head, 1)
        self.policy_norm = nn.BatchNorm2d(shape.head)
        self.plays = Convolution(shape.head, 1)
        self.pass_weights = nn.Linear(3 * shape.head, 1, bias=False)
        self.value = Convolution(shape.channels, shape.head)
        self.value_norm = nn.BatchNorm2d(shape.head)
        self.hidden = nn.Linear(3 * shape.head, shape.hidden)
        self.values = nn.Linear(shape.hidden, VALUES)
        self.scores = nn.Linear(shape.hidden, SCORES)
        self.ownership = Convolution(shape.head, 1)

    def forward(self, planes: Tensor, whole: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Policy, value, score and ownership, as :class:`daoqi_tui.ai.network.Outputs` has them.

        Args:
            planes: shape ``(boards, planes, size, size)``.
            whole: shape ``(boards, globals)``.
        """
        trunk = self.first(planes) + self.first_globals(whole)[:, :, None, None]
        for block in self.blocks:
            trunk = block(trunk)
        tip = functional.relu(self.tip(trunk))
        pooled = self.policy_pooling.pool(tip)
        inner = self.policy(tip) + self.policy_pooling.weights(pooled)[:, :, None, None]
        plays = self.plays(functional.relu(self.policy_norm(inner))).flatten(1)
        policy = torch.cat((plays, self.pass_weights(pooled)), dim=1)
        inner = functional.relu(self.value_norm(self.value(tip)))
        mean, apart = inner.mean(dim=(2, 3)), (planes.shape[2] - 14) * 0.1
        pooled = torch.cat((mean, mean * apart, mean * (apart * apart - 0.1)), dim=1)
        hidden = functional.relu(self.hidden(pooled))
        return policy, self.values(hidden), self.scores(hidden), self.ownership(inner).flatten(1)


def parameters_of(model: Model) -> Parameters:
    """The weights, with each batch normalisation as the scale and the bias that it comes to."""
    blocks = tuple(
        Block(
            _norm(block.before),
            _filter(block.first),
            None if block.pooling is None else _pooling(block.pooling),
            _norm(block.between),
            _filter(block.second),
        )
        for block in cast("list[BlockLayer]", list(model.blocks))
    )
    return Parameters(
        _filter(model.first),
        _matrix(model.first_globals),
        blocks,
        _norm(model.tip),
        PolicyHead(
            _filter(model.policy),
            _pooling(model.policy_pooling),
            _norm(model.policy_norm),
            _filter(model.plays),
            _matrix(model.pass_weights),
        ),
        ValueHead(
            _filter(model.value),
            _norm(model.value_norm),
            _matrix(model.hidden),
            _numbers(model.hidden.bias),
            _matrix(model.values),
            _numbers(model.values.bias),
            _matrix(model.scores),
            _numbers(model.scores.bias),
            _filter(model.ownership),
        ),
    )


def _numbers(tensor: Tensor) -> Floats:
    return np.ascontiguousarray(tensor.detach().float().cpu().numpy())


def _filter(convolution: Convolution) -> Filter:
    return Filter(np.ascontiguousarray(_numbers(convolution.weight).transpose(2, 3, 1, 0)))


def _matrix(linear: nn.Linear) -> Floats:
    return np.ascontiguousarray(_numbers(linear.weight).T)


def _norm(norm: nn.BatchNorm2d) -> Norm:
    assert norm.running_mean is not None
    assert norm.running_var is not None
    scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
    return Norm(_numbers(scale), _numbers(norm.bias - norm.running_mean * scale))


def _pooling(pooling: PoolingLayer) -> Pooling:
    return Pooling(_filter(pooling.conv), _norm(pooling.norm), _matrix(pooling.weights))
