"""A network as it plays becomes one that learns on; the reverse of :func:`daoqi_tui.training.model.parameters_of`."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import cast

import numpy as np
import torch
from torch import Tensor, nn

from daoqi_tui.ai.katago_format import NetError
from daoqi_tui.ai.nets import net_of
from daoqi_tui.ai.network_files import read
from daoqi_tui.ai.network_grid import Floats
from daoqi_tui.ai.network_parameters import Filter, Norm, Pooling
from daoqi_tui.training.judges import new_model
from daoqi_tui.training.model import BlockLayer, Model, PoolingLayer, parameters_of
from daoqi_tui.training.settings import Settings


def model_from(choice: str, settings: Settings) -> Model:
    """The network in a file, ready to learn on with its normalisation fixed.

    Args:
        choice: the file, or ``auto`` for the network that comes with the program.
        settings: its shape must be the network's.

    Raises:
        NetError: the file cannot be used, or its network has another shape.
    """
    file = net_of(choice)
    if file is None:
        raise NetError(f"begin is {choice!r}, which is no network; give a file, or auto for the one that comes along")
    header, given = read(Path(file))
    model = new_model(settings)
    if _shapes(given) != _shapes(parameters_of(model)):
        raise NetError(f"{header.name} is not of the shape that the settings name; [shape] must say how it was made")
    with torch.no_grad():
        _convolution(model.first, given.first)
        _matrix(model.first_globals, given.first_globals)
        for block, made in zip(cast("list[BlockLayer]", list(model.blocks)), given.blocks, strict=True):
            _norm(block.before, made.before)
            _convolution(block.first, made.first)
            if block.pooling is not None and made.pooling is not None:
                _pooling(block.pooling, made.pooling)
            _norm(block.between, made.between)
            _convolution(block.second, made.second)
        _norm(model.tip, given.tip)
        policy, value = given.policy, given.value
        _convolution(model.policy, policy.conv)
        _pooling(model.policy_pooling, policy.pooling)
        _norm(model.policy_norm, policy.norm)
        _convolution(model.plays, policy.plays)
        _matrix(model.pass_weights, policy.pass_weights)
        _convolution(model.value, value.conv)
        _norm(model.value_norm, value.norm)
        _matrix(model.hidden, value.hidden, value.hidden_bias)
        _matrix(model.values, value.value, value.value_bias)
        _matrix(model.scores, value.score, value.score_bias)
        _convolution(model.ownership, value.ownership)
    return model


def _shapes(part: object) -> object:
    """The shapes of all weights in a part of a network, in their order."""
    if isinstance(part, np.ndarray):
        return part.shape
    if isinstance(part, tuple):
        return tuple(map(_shapes, part))
    if is_dataclass(part):
        return tuple(_shapes(getattr(part, entry.name)) for entry in fields(part))
    return part


def _tensor(weights: Floats) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(weights, np.float32))


def _convolution(layer: nn.Conv2d, given: Filter) -> None:
    layer.weight.copy_(_tensor(given.weights.transpose(3, 2, 0, 1)))


def _matrix(layer: nn.Linear, weights: Floats, bias: Floats | None = None) -> None:
    layer.weight.copy_(_tensor(weights.T))
    if bias is not None:
        layer.bias.copy_(_tensor(bias))


def _norm(layer: nn.BatchNorm2d, given: Norm) -> None:
    """What the statistics were is in scale and bias by now."""
    assert layer.running_mean is not None
    assert layer.running_var is not None
    layer.weight.copy_(_tensor(given.scale))
    layer.bias.copy_(_tensor(given.bias))
    layer.running_mean.zero_()
    layer.running_var.fill_(1.0 - layer.eps)


def _pooling(layer: PoolingLayer, given: Pooling) -> None:
    _convolution(layer.conv, given.conv)
    _norm(layer.norm, given.norm)
    _matrix(layer.weights, given.weights)
