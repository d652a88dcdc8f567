"""Prunes the channels of a network's blocks: a large network becomes a fast one, to be trained further.

Each block keeps the channels between its two convolutions that contribute most to the trunk. Its second convolution is
fitted anew, by least squares on positions, so that the trunk comes as close as possible to that of the wide network;
this also makes up for the errors of the blocks before (He, Zhang and Sun 2017, "Channel pruning for accelerating very
deep neural networks").
"""

from __future__ import annotations

import zlib
from itertools import islice
from typing import Final, cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from daoqi_tui.ai.network.torch_network import pad_circular
from daoqi_tui.ai.search import NetworkEvaluator
from daoqi_tui.lab.training.engine_games import EngineGames
from daoqi_tui.lab.training.model import POOLED_FEATURES, BlockLayer, Model, PoolingLayer
from daoqi_tui.lab.training.positions import joined
from daoqi_tui.lab.training.self_play import generator_on, policy_positions
from daoqi_tui.lab.training.settings import Settings, Teaching

_RIDGE: Final = 1e-3
"""The weight of the change of a convolution, as a share of the mean variance of its inputs."""
_GAMES: Final = 32
"""The number of games for the positions."""
_POSITIONS: Final = 12
"""About as many positions are taken of each, at equal distances."""


def sampled_positions(network: NetworkEvaluator, settings: Settings) -> tuple[Tensor, Tensor]:
    """Play policy-only games; return the inputs of some of their positions, for :func:`prune`.

    The boards are of the most frequent size.
    """
    size = int(max(settings.sizes, key=settings.sizes.__getitem__))
    turns = settings.play.max_moves(size * size)
    rng = np.random.default_rng((settings.seed, zlib.crc32(b"pruning")))
    games = EngineGames(network, size, _GAMES)
    found = policy_positions(games, settings.play, Teaching(), generator_on(games.device, rng), turns)
    positions = joined([labelled.by_player for labelled in islice(found, 0, None, max(1, turns // _POSITIONS))])
    planes = torch.from_numpy(positions.planes_of()).permute(0, 3, 1, 2).contiguous()
    return planes, torch.from_numpy(positions.whole)


def prune(wide: Model, narrow: Model, planes: Tensor, whole: Tensor) -> None:
    """Give a network the weights of one that differs only in the width of its blocks.

    Args:
        wide: the network to prune; without bottlenecks.
        narrow: the network whose weights are set.
        planes: of some hundreds of positions on boards of one size, ``(positions, planes, size, size)``.
        whole: their other inputs, ``(positions, globals)``.
    """
    wide.eval()
    narrow.eval()
    with torch.no_grad():
        _copy_equal(wide, narrow)
        trunk = wide.stem(planes, whole)
        # The trunk of the narrow network lacks constants, which the norms that read it add.
        missing, ours = trunk.new_zeros(trunk.shape[1]), trunk
        for wide_block, block in zip(_blocks_of(wide), _blocks_of(narrow), strict=True):
            after = wide_block(trunk)
            _shift(block.before, missing)
            _narrow(wide_block, block, ours)
            missing = missing + _fit(block, ours, after - ours - missing[:, None, None])
            trunk, ours = after, block(ours)
        _shift(narrow.tip, missing)


def _blocks_of(model: Model) -> list[BlockLayer]:
    return cast("list[BlockLayer]", list(model.blocks))


def _copy_equal(wide: nn.Module, narrow: nn.Module) -> None:
    """Copy the weights that have equal shapes."""
    held = wide.state_dict()
    for name, weights in narrow.state_dict().items():
        if name in held and weights.shape == held[name].shape:
            weights.copy_(held[name])


def _shift(norm: nn.BatchNorm2d, constants: Tensor) -> None:
    """Make a norm add constants to its inputs, of each channel."""
    assert norm.running_mean is not None
    norm.running_mean -= constants


def _narrow(wide: BlockLayer, block: BlockLayer, trunk: Tensor) -> None:
    """Choose the channels between the convolutions of a block, and set all its weights for them."""
    normed = functional.relu(block.before(trunk))
    inner = wide.inner(normed)
    power = functional.relu(wide.between(inner)).var(dim=(0, 2, 3)) * wide.second.weight.square().sum(dim=(0, 2, 3))
    kept = _largest(power, len(block.first.weight))
    block.first.weight.copy_(wide.first.weight[kept])
    block.second.weight.copy_(wide.second.weight[:, kept])
    _take_norm(wide.between, block.between, kept)
    if wide.pooling is not None and block.pooling is not None:
        _shift(block.between, _narrow_pooling(wide.pooling, block.pooling, normed, kept))


def _narrow_pooling(wide: PoolingLayer, pooling: PoolingLayer, normed: Tensor, middle: Tensor) -> Tensor:
    """Choose the pooled channels and set the weights; return the mean of what the others added, for each output.

    Args:
        wide: the pooling with all channels.
        pooling: the one whose weights are set.
        normed: the inputs.
        middle: the indices of the outputs that are kept.
    """
    pooled, weights = wide.pool(normed), wide.weights.weight[middle]
    power = pooled.var(dim=0) * weights.square().sum(dim=0)
    kept = _largest(power.view(POOLED_FEATURES, -1).sum(dim=0), len(pooling.conv.weight))
    pooling.conv.weight.copy_(wide.conv.weight[kept])
    _take_norm(wide.norm, pooling.norm, kept)
    is_kept = torch.zeros(len(wide.conv.weight), dtype=torch.bool)
    is_kept[kept] = True
    columns = is_kept.repeat(POOLED_FEATURES)
    pooling.weights.weight.copy_(weights[:, columns])
    return weights[:, ~columns] @ pooled[:, ~columns].mean(dim=0)


def _fit(block: BlockLayer, trunk: Tensor, wanted: Tensor) -> Tensor:
    """Fit the second convolution of a block to what the block should add to the trunk; return the constants left."""
    weights = block.second.weight
    middle = block.middle(trunk)
    inputs = functional.unfold(pad_circular(middle, weights.shape[-1] // 2), weights.shape[-1]).transpose(1, 2)
    inputs, outputs = inputs.flatten(0, 1), wanted.flatten(2).transpose(1, 2).flatten(0, 1)
    input_mean, output_mean = inputs.mean(dim=0), outputs.mean(dim=0)
    inputs, outputs = inputs - input_mean, outputs - output_mean
    before = weights.flatten(1).T
    square = inputs.T @ inputs
    ridge = _RIDGE * square.diag().mean() * torch.eye(len(square))
    change = torch.linalg.solve(square + ridge, inputs.T @ (outputs - inputs @ before))
    weights.copy_((before + change).T.view_as(weights))
    return output_mean - input_mean @ (before + change)


def _largest(powers: Tensor, count: int) -> Tensor:
    return powers.topk(count).indices.sort().values


def _take_norm(wide: nn.BatchNorm2d, norm: nn.BatchNorm2d, kept: Tensor) -> None:
    """Give a norm the numbers of the kept channels of another."""
    given = wide.state_dict()
    for name, numbers in norm.state_dict().items():
        numbers.copy_(given[name][kept] if numbers.ndim else given[name])
