"""A residual network for Go, run in numpy alone, on boards of every size.

The architecture is that of the KataGo paper (Wu 2019, "Accelerating Self-Play Learning in Go"): residual blocks with
normalisation before each convolution, some with global pooling; a policy head, and a value head with score and
ownership. It is fully convolutional, so that with circular padding it commutes with every shift of the torus.

Numpy should run on one BLAS thread (``OPENBLAS_NUM_THREADS=1``, set before numpy is imported): the products are
small, and on a busy machine a second thread costs more than it brings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from daoqi_tui.ai.network_conv import Convolution, Workspace, convolution
from daoqi_tui.ai.network_grid import Floats, Grid, Padding, grid_of
from daoqi_tui.ai.network_parameters import Block, Filter, Norm, Parameters, Pooling

CHUNK: Final = 8
"""Boards computed at a time; more no longer fit the processor's caches and are slower each."""


@dataclass(frozen=True, slots=True)
class Outputs:
    """What comes out for a batch, as the heads say it, all for the side to move.

    Attributes:
        policy: logits of the points and, last, the pass; shape ``(boards, points + 1)``.
        value: shape ``(boards, 3)``.
        score: shape ``(boards, whatever the network says)``.
        ownership: before tanh, shape ``(boards, points)``.
    """

    policy: Floats
    value: Floats
    score: Floats
    ownership: Floats


class _Norm:
    """A norm and its ReLU, in place; the arrays are laid out as long as a plane, for long inner loops."""

    def __init__(self, norm: Norm) -> None:
        self._norm = norm
        self._laid: dict[int, tuple[Floats, Floats]] = {}

    def __call__(self, inputs: Floats, out: Floats) -> Floats:
        tiles = inputs.shape[3]
        if tiles not in self._laid:
            shape = (tiles, tiles, len(self._norm.scale))
            self._laid[tiles] = (
                np.ascontiguousarray(np.broadcast_to(self._norm.scale, shape)),
                np.ascontiguousarray(np.broadcast_to(self._norm.bias, shape)),
            )
        scale, bias = self._laid[tiles]
        np.multiply(inputs, scale, out=out)
        out += bias
        return np.maximum(out, 0.0, out=out)


class _Pooling:
    """Global pooling to a bias of ``scale`` times what the weights say."""

    def __init__(self, pooling: Pooling, scale: Floats | None = None) -> None:
        self._conv = convolution(_scaled(pooling.conv, pooling.norm.scale), pooling.norm.bias, pooling.conv.dilation)
        weights = pooling.weights if scale is None else pooling.weights * scale
        self._weights = np.ascontiguousarray(weights)

    def pool(self, inputs: Floats, grid: Grid, work: Workspace) -> Floats:
        """Mean, mean by board size, and maximum of each channel; shape ``(boards, 3 · channels)``."""
        side = self._conv(inputs, grid, work, "side")
        np.maximum(side, 0.0, out=side)
        mean = _mean(side, grid)
        # Points that continue a torus repeat others, which the maximum does not mind.
        most = side if grid.padding == "wrap" or grid.is_exact else side * grid.inside
        return np.concatenate((mean, mean * ((grid.size - 14) * 0.1), most.max(axis=(0, 1, 3, 4))), axis=1)

    def bias(self, pooled: Floats) -> Floats:
        """What is added to each channel, laid out for activations."""
        return (pooled @ self._weights)[:, None, None, :]


class _Block:
    def __init__(self, block: Block) -> None:
        between = block.between
        self._before = _Norm(block.before)
        # The second norm goes into the weights before it.
        self._first = convolution(_scaled(block.first, between.scale), between.bias, block.first.dilation)
        self._pooling = _Pooling(block.pooling, between.scale) if block.pooling else None
        self._second = convolution(block.second.weights, None, block.second.dilation)

    def __call__(self, trunk: Floats, grid: Grid, work: Workspace) -> None:
        normed = self._before(trunk, work.array("normed", *trunk.shape))
        inner = self._first(normed, grid, work, "inner")
        if self._pooling is not None:
            inner += self._pooling.bias(self._pooling.pool(normed, grid, work))
        np.maximum(inner, 0.0, out=inner)
        trunk += self._second(inner, grid, work, "outer")


class Network:
    """A network ready to run.

    Args:
        parameters: its weights.
        padding: what lies beyond the border; anything but a torus is for measuring.

    Attributes:
        planes, globals: how many inputs it takes, for each point and for the whole board.
    """

    def __init__(self, parameters: Parameters, padding: Padding = "wrap") -> None:
        self.planes: Final = parameters.first.weights.shape[2]
        self.globals: Final = parameters.first_globals.shape[0]
        self._padding: Final[Padding] = padding
        self._parameters = parameters
        self._work = Workspace()
        self._first = _plain(parameters.first)
        self._blocks = [_Block(block) for block in parameters.blocks]
        self._tip = _Norm(parameters.tip)
        policy, value = parameters.policy, parameters.value
        self._policy_conv = convolution(_scaled(policy.conv, policy.norm.scale), policy.norm.bias, policy.conv.dilation)
        self._policy_pooling = _Pooling(policy.pooling, policy.norm.scale)
        self._plays = _plain(policy.plays)
        self._value_conv = convolution(_scaled(value.conv, value.norm.scale), value.norm.bias, value.conv.dilation)
        self._ownership = _plain(value.ownership)

    def run(self, planes: Floats, whole: Floats, size: int) -> Outputs:
        """Compute a batch.

        Args:
            planes: shape ``(boards, size², planes)``, rows from the top.
            whole: what is said of the whole board, shape ``(boards, globals)``.
            size: points along a side.

        Raises:
            ValueError: the inputs are not of these shapes.
        """
        for name, given, wanted in (
            ("planes", planes.shape, (len(planes), size * size, self.planes)),
            ("whole", whole.shape, (len(planes), self.globals)),
        ):
            if given != wanted:
                raise ValueError(f"{name} has the shape {given}, not {wanted}")
        grid = grid_of(size, self._padding)
        parts = [
            self._run(planes[start : start + CHUNK], whole[start : start + CHUNK], grid)
            for start in range(0, len(planes), CHUNK)
        ]
        return _joined(parts) if len(parts) != 1 else parts[0]

    def _run(self, planes: Floats, whole: Floats, grid: Grid) -> Outputs:
        work = self._work
        trunk = self._first(grid.spread(planes), grid, work, "trunk")
        trunk += (whole @ self._parameters.first_globals)[:, None, None, :]
        for block in self._blocks:
            block(trunk, grid, work)
        tip = self._tip(trunk, work.array("normed", *trunk.shape))
        policy = self._policy(tip, grid, work)
        return Outputs(policy, *self._value(tip, grid, work))

    def _policy(self, tip: Floats, grid: Grid, work: Workspace) -> Floats:
        inner = self._policy_conv(tip, grid, work, "policy")
        pooled = self._policy_pooling.pool(tip, grid, work)
        inner += self._policy_pooling.bias(pooled)
        np.maximum(inner, 0.0, out=inner)
        plays = grid.gather(self._plays(inner, grid, work, "plays")[..., :1])[:, :, 0]
        return np.concatenate((plays, (pooled @ self._parameters.policy.pass_weights)[:, :1]), axis=1)

    def _value(self, tip: Floats, grid: Grid, work: Workspace) -> tuple[Floats, Floats, Floats]:
        head = self._parameters.value
        inner = self._value_conv(tip, grid, work, "value")
        np.maximum(inner, 0.0, out=inner)
        mean = _mean(inner, grid)
        apart = (grid.size - 14) * 0.1
        pooled = np.concatenate((mean, mean * apart, mean * (apart * apart - 0.1)), axis=1)
        hidden = np.maximum(pooled @ head.hidden + head.hidden_bias, 0.0)
        owned = grid.gather(self._ownership(inner, grid, work, "ownership"))[:, :, 0]
        return hidden @ head.value + head.value_bias, hidden @ head.score + head.score_bias, owned


def _scaled(layer: Filter, scale: Floats) -> Floats:
    return np.asarray(layer.weights * scale, dtype=np.float32)


def _plain(layer: Filter) -> Convolution:
    return convolution(layer.weights, None, layer.dilation)


def _mean(inputs: Floats, grid: Grid) -> Floats:
    """The mean of each channel over the board; shape ``(boards, channels)``."""
    if not grid.is_exact:
        inputs = inputs * grid.inside
    return np.asarray(inputs.sum(axis=(0, 1)).sum(axis=(1, 2)) / np.float32(grid.points), dtype=np.float32)


def _joined(parts: Sequence[Outputs]) -> Outputs:
    return Outputs(
        np.concatenate([part.policy for part in parts]),
        np.concatenate([part.value for part in parts]),
        np.concatenate([part.score for part in parts]),
        np.concatenate([part.ownership for part in parts]),
    )
