"""The same network, computed as plainly as can be: in numpy by shifted products in double precision, and in torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray

from daoqi_tui.ai.network import Outputs
from daoqi_tui.ai.network_parameters import Block, Filter, Norm, Parameters, PolicyHead, Pooling, ValueHead

Reference: TypeAlias = Callable[[Parameters, NDArray[Any], NDArray[Any], int, str], Outputs]


def random_parameters(seed: int, planes: int = 5, whole: int = 3, channels: int = 8, kernel: int = 3) -> Parameters:
    """A small network with a pooling block, with weights of a size that keeps signals alive."""
    rng = np.random.default_rng(seed)

    def numbers(*shape: int) -> NDArray[np.float32]:
        return rng.normal(size=shape).astype(np.float32)

    def conv(size: int, given: int, made: int, dilation: int = 1) -> Filter:
        return Filter(numbers(size, size, given, made) / np.float32(np.sqrt(size * size * given)), dilation)

    def norm(count: int) -> Norm:
        return Norm(1 + numbers(count) / 3, numbers(count) / 3)

    side, middle, head = 4, 6, 5
    pooling = Pooling(conv(3, channels, side), norm(side), numbers(3 * side, middle) / 3)
    blocks = (
        Block(norm(channels), conv(3, channels, channels), None, norm(channels), conv(3, channels, channels)),
        Block(norm(channels), conv(3, channels, middle), pooling, norm(middle), conv(3, middle, channels)),
        Block(norm(channels), conv(3, channels, channels, 2), None, norm(channels), conv(1, channels, channels)),
    )
    policy_pooling = Pooling(conv(1, channels, side), norm(side), numbers(3 * side, head) / 3)
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


def _shifted_convolution(boards: NDArray[Any], layer: Filter, padding: str) -> NDArray[Any]:
    """``boards`` of shape (boards, size, size, channels)."""
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
    """All outputs in double precision."""

    def conv(boards: Any, layer: Filter) -> Any:
        return _shifted_convolution(boards, layer, padding)

    def relu(boards: Any, norm: Norm) -> Any:
        return np.maximum(boards * norm.scale.astype(np.float64) + norm.bias, 0)

    def pool(boards: Any, pooling: Pooling) -> Any:
        side = relu(conv(boards, pooling.conv), pooling.norm)
        mean = side.mean(axis=(1, 2))
        return np.concatenate((mean, mean * (size - 14) / 10, side.max(axis=(1, 2))), axis=1)

    trunk = conv(planes.astype(np.float64).reshape(len(planes), size, size, -1), parameters.first)
    trunk += (whole @ parameters.first_globals)[:, None, None]
    for block in parameters.blocks:
        normed = relu(trunk, block.before)
        inner = conv(normed, block.first)
        if block.pooling:
            inner += (pool(normed, block.pooling) @ block.pooling.weights)[:, None, None]
        trunk = trunk + conv(relu(inner, block.between), block.second)
    tip = relu(trunk, parameters.tip)
    head = parameters.policy
    pooled = pool(tip, head.pooling)
    inner = relu(conv(tip, head.conv) + (pooled @ head.pooling.weights)[:, None, None], head.norm)
    plays = conv(inner, head.plays).reshape(len(planes), -1)
    value = parameters.value
    inner = relu(conv(tip, value.conv), value.norm)
    mean, apart = inner.mean(axis=(1, 2)), (size - 14) / 10
    hidden = np.concatenate((mean, mean * apart, mean * (apart**2 - 0.1)), axis=1) @ value.hidden + value.hidden_bias
    hidden = np.maximum(hidden, 0)
    return Outputs(
        np.concatenate((plays, pooled @ head.pass_weights), axis=1),
        hidden @ value.value + value.value_bias,
        hidden @ value.score + value.score_bias,
        conv(inner, value.ownership).reshape(len(planes), -1),
    )


def torch_reference(parameters: Parameters, planes: Any, whole: Any, size: int, padding: Any = "wrap") -> Outputs:
    """All outputs by torch's own convolutions; the test is skipped, saying why, where torch is missing."""
    torch = pytest.importorskip("torch", reason="torch is not installed, so there is no second network to compare with")
    from daoqi_tui.training.torch_network import TorchNetwork

    return TorchNetwork(parameters, torch.device("cpu"), padding).run(planes, whole, size)


def furthest(one: Outputs, other: Outputs) -> float:
    """The largest difference between two outputs."""
    pairs = ((getattr(one, name), getattr(other, name)) for name in ("policy", "value", "score", "ownership"))
    return max(float(np.abs(a - b).max()) for a, b in pairs)
