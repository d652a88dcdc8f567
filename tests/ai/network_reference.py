"""Reference implementations of the network: in numpy by shifted products in double precision, and in torch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from itertools import cycle
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray

from daoqi_tui.ai.network.layout import Padding
from daoqi_tui.ai.network.network import (
    Activation,
    Block,
    Filter,
    LoadedNetwork,
    NestedBlock,
    Network,
    Norm,
    Outputs,
    Parameters,
    PassLayer,
    PolicyHead,
    Pooling,
    ValueHead,
)
from daoqi_tui.ai.network.reader import read_network

Reference: TypeAlias = Callable[[Parameters, NDArray[Any], NDArray[Any], int, str], Outputs]

ACTIVATIONS: dict[Activation, Callable[[Any], Any]] = {
    Activation.RELU: lambda x: np.maximum(x, 0),
    Activation.MISH: lambda x: x * np.tanh(np.logaddexp(0, x)),
    Activation.SILU: lambda x: x / (1 + np.exp(-x)),
    Activation.IDENTITY: lambda x: x,
}


def load(path: Path, padding: Padding = "wrap") -> LoadedNetwork:
    """Return the network in a KataGo file; with ``zero`` padding it sees a flat board."""
    header, parameters = read_network(path)
    return LoadedNetwork(header, Network(parameters, padding))


class _Random:
    """Random weights, scaled so that signals do not vanish."""

    def __init__(self, seed: int, *activations: Activation) -> None:
        # The legacy generator gives the same numbers in every numpy release; torch's outputs for them are stored.
        self._rng = np.random.RandomState(seed)
        self._activations = cycle(activations or (Activation.RELU,))

    def numbers(self, *shape: int) -> NDArray[np.float32]:
        return self._rng.normal(size=shape).astype(np.float32)

    def conv(self, size: int, given: int, made: int, dilation: int = 1) -> Filter:
        return Filter(self.numbers(size, size, given, made) / np.float32(np.sqrt(size * size * given)), dilation)

    def norm(self, count: int) -> Norm:
        return Norm(1 + self.numbers(count) / 3, self.numbers(count) / 3, self.activation())

    def activation(self) -> Activation:
        return next(self._activations)

    def pooling(self, size: int, given: int, side: int, made: int) -> Pooling:
        return Pooling(self.conv(size, given, side), self.norm(side), self.numbers(3 * side, made) / 3)


def random_parameters(seed: int, planes: int = 5, whole: int = 3, channels: int = 8, kernel: int = 3) -> Parameters:
    """Return a small network with a pooling block."""
    random = _Random(seed)
    numbers, conv, norm = random.numbers, random.conv, random.norm
    side, middle, head = 4, 6, 5
    pooling = random.pooling(3, channels, side, middle)
    blocks = (
        Block(norm(channels), conv(3, channels, channels), None, norm(channels), conv(3, channels, channels)),
        Block(norm(channels), conv(3, channels, middle), pooling, norm(middle), conv(3, middle, channels)),
        Block(norm(channels), conv(3, channels, channels, 2), None, norm(channels), conv(1, channels, channels)),
    )
    policy_pooling = random.pooling(1, channels, side, head)
    return Parameters(
        conv(kernel, planes, channels),
        numbers(whole, channels) / 2,
        blocks,
        norm(channels),
        PolicyHead(conv(1, channels, head), policy_pooling, norm(head), conv(1, head, 1), numbers(3 * side, 1)),
        ValueHead(
            conv(1, channels, head),
            norm(head),
            numbers(3 * head, 7) / 3,
            numbers(7),
            numbers(7, 3) / 2,
            numbers(3),
            numbers(7, 4) / 2,
            numbers(4),
            conv(1, head, 1),
        ),
    )


def nested_parameters(
    seed: int,
    planes: int = 5,
    whole: int = 3,
    *,
    scores: int = 6,
    hidden_pass: bool = True,
    activations: Sequence[Activation] = tuple(Activation),
) -> Parameters:
    """Return a small network like KataGo's later ones: nested blocks and all activation functions."""
    random = _Random(seed, *activations)
    numbers, conv, norm = random.numbers, random.conv, random.norm
    channels, narrow, side, head, width = 12, 6, 4, 5, 7

    def plain(channels: int) -> Block:
        return Block(norm(channels), conv(3, channels, channels), None, norm(channels), conv(3, channels, channels))

    def pooled(channels: int) -> Block:
        pooling = random.pooling(3, channels, side, 5)
        return Block(norm(channels), conv(3, channels, 5), pooling, norm(5), conv(3, 5, channels))

    def nested(channels: int, narrow: int, *blocks: Block | NestedBlock) -> NestedBlock:
        return NestedBlock(norm(channels), conv(1, channels, narrow), blocks, norm(narrow), conv(1, narrow, channels))

    blocks = (
        nested(channels, narrow, plain(narrow), pooled(narrow)),
        plain(channels),
        nested(channels, narrow, nested(narrow, 3, plain(3)), plain(narrow)),
        pooled(channels),
    )
    passing = PassLayer(numbers(head), random.activation(), numbers(head, 1)) if hidden_pass else None
    policy = PolicyHead(
        conv(1, channels, head),
        random.pooling(1, channels, side, head),
        norm(head),
        conv(1, head, 1),
        numbers(3 * side, head if hidden_pass else 1) / 2,
        passing,
    )
    value = ValueHead(
        conv(1, channels, head),
        norm(head),
        numbers(3 * head, width) / 3,
        numbers(width),
        numbers(width, 3) / 2,
        numbers(3),
        numbers(width, scores) / 2,
        numbers(scores),
        conv(1, head, 1),
        random.activation(),
    )
    return Parameters(conv(3, planes, channels), numbers(whole, channels) / 2, blocks, norm(channels), policy, value)


def _shifted_convolution(boards: NDArray[Any], layer: Filter, padding: str) -> NDArray[Any]:
    """Return the convolution of ``boards``, of shape (boards, size, size, channels)."""
    kernel = len(layer.weights)
    reach = kernel // 2 * layer.dilation
    around = ((0, 0), (reach, reach), (reach, reach), (0, 0))
    wide = np.pad(boards, around, mode="wrap") if padding == "wrap" else np.pad(boards, around)
    size = boards.shape[1]
    total = np.zeros((*boards.shape[:3], layer.weights.shape[3]))
    for row in range(kernel):
        for column in range(kernel):
            down, right = row * layer.dilation, column * layer.dilation
            total += wide[:, down : down + size, right : right + size] @ layer.weights[row, column].astype(np.float64)
    return total


def numpy_reference(parameters: Parameters, planes: Any, whole: Any, size: int, padding: str = "wrap") -> Outputs:
    """Return all outputs, computed in double precision."""

    def conv(boards: Any, layer: Filter) -> Any:
        return _shifted_convolution(boards, layer, padding)

    def normed(boards: Any, norm: Norm) -> Any:
        return ACTIVATIONS[norm.activation](boards * norm.scale.astype(np.float64) + norm.bias)

    def pool(boards: Any, pooling: Pooling) -> Any:
        side = normed(conv(boards, pooling.conv), pooling.norm)
        mean = side.mean(axis=(1, 2))
        return np.concatenate((mean, mean * (size - 14) / 10, side.max(axis=(1, 2))), axis=1)

    def after(trunk: Any, block: Block | NestedBlock) -> Any:
        before = normed(trunk, block.before)
        if isinstance(block, NestedBlock):
            inner = reduce(after, block.blocks, conv(before, block.narrow))
            return trunk + conv(normed(inner, block.after), block.widen)
        inner = conv(before, block.first)
        if block.pooling:
            inner += (pool(before, block.pooling) @ block.pooling.weights)[:, None, None]
        return trunk + conv(normed(inner, block.between), block.second)

    trunk = conv(planes.astype(np.float64).reshape(len(planes), size, size, -1), parameters.first)
    trunk += (whole @ parameters.first_globals)[:, None, None]
    tip = normed(reduce(after, parameters.blocks, trunk), parameters.tip)
    head = parameters.policy
    pooled = pool(tip, head.pooling)
    inner = normed(conv(tip, head.conv) + (pooled @ head.pooling.weights)[:, None, None], head.norm)
    plays = conv(inner, head.plays).reshape(len(planes), -1)
    passing = pooled @ head.pass_weights
    if head.pass_layer:
        passing = ACTIVATIONS[head.pass_layer.activation](passing + head.pass_layer.bias) @ head.pass_layer.weights
    value = parameters.value
    inner = normed(conv(tip, value.conv), value.norm)
    mean, apart = inner.mean(axis=(1, 2)), (size - 14) / 10
    hidden = np.concatenate((mean, mean * apart, mean * (apart**2 - 0.1)), axis=1) @ value.hidden + value.hidden_bias
    hidden = ACTIVATIONS[value.activation](hidden)
    return Outputs(
        np.concatenate((plays, passing), axis=1),
        hidden @ value.value + value.value_bias,
        hidden @ value.score + value.score_bias,
        conv(inner, value.ownership).reshape(len(planes), -1),
    )


def torch_reference(parameters: Parameters, planes: Any, whole: Any, size: int, padding: Any = "wrap") -> Outputs:
    """Return all outputs, computed with torch's own convolutions; the test is skipped if torch is not installed."""
    torch = pytest.importorskip("torch", reason="torch is not installed, so there is no second network to compare with")
    from daoqi_tui.ai.network.torch_network import TorchNetwork

    return TorchNetwork(parameters, torch.device("cpu"), padding).run(planes, whole, size)


def furthest(one: Outputs, other: Outputs) -> float:
    """Return the largest difference between two outputs."""
    pairs = ((getattr(one, name), getattr(other, name)) for name in ("policy", "value", "score", "ownership"))
    return max(float(np.abs(a - b).max()) for a, b in pairs)
