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
from itertools import pairwise
from typing import Final

import numpy as np

from daoqi_tui.ai.network_conv import Convolution, convolution, convolved
from daoqi_tui.ai.network_grid import Floats, Grid, Padding, grid_of
from daoqi_tui.ai.network_norm import NormedReLU, relu
from daoqi_tui.ai.network_parameters import Block, Filter, Parameters, Pooling
from daoqi_tui.ai.network_work import Workspace

CHUNK: Final = 12 * 16 * 16
"""Points computed at a time; more no longer fit the processor's caches and are slower each."""
_BUFFER: Final = 512
"""Numbers in numpy's buffers; those of the usual size make arithmetic on parts of arrays half as fast."""


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


class _Pooling:
    """Global pooling to a bias of ``scale`` times what the weights say."""

    def __init__(self, before: NormedReLU, pooling: Pooling, scale: Floats) -> None:
        self.conv: Final = before.then(pooling.conv, pooling.norm)
        self._weights = np.ascontiguousarray(pooling.weights * scale)

    def pool(self, seen: Floats, grid: Grid, work: Workspace) -> Floats:
        """Mean, mean by board size, and maximum of each channel; shape ``(boards, 3 · channels)``."""
        side = relu(self.conv.make(seen, grid, work, "side"))
        mean = grid.mean(side)
        # Points that continue a torus repeat others, which the maximum does not mind.
        most = side if grid.padding == "wrap" or grid.is_exact else side * grid.inside
        most = most.reshape(-1, mean.size).max(axis=0).reshape(mean.shape)
        return np.concatenate((mean, mean * ((grid.size - 14) * 0.1), most), axis=1)

    def bias(self, pooled: Floats) -> Floats:
        """What is added to each channel, shape ``(boards, channels)``."""
        return pooled @ self._weights


class _Block:
    def __init__(self, block: Block, padding: Padding) -> None:
        self._before = NormedReLU(block.before, padding)
        self._first = self._before.then(block.first, block.between)
        self._pooling = _Pooling(self._before, block.pooling, block.between.scale) if block.pooling else None
        self._second = convolution(block.second.weights, None, block.second.dilation)

    def __call__(self, trunk: Floats, grid: Grid, work: Workspace) -> None:
        normed = self._before(trunk, work.array("inner", *trunk.shape))
        if self._pooling is None:
            inner = convolved(normed, self._first, grid, work, "inner")
        else:
            inner = self._with_pooling(self._pooling, normed, grid, work)
        # What comes out may lie where the inputs lay: they are seen by then.
        trunk += convolved(relu(inner), self._second, grid, work, "inner")

    def _with_pooling(self, pooling: _Pooling, normed: Floats, grid: Grid, work: Workspace) -> Floats:
        seen = pooling.conv.see(normed, grid, work)
        pooled = pooling.pool(seen, grid, work)
        if self._first.sight != pooling.conv.sight:
            seen = self._first.see(normed, grid, work)
        inner = self._first.make(seen, grid, work, "inner")
        inner += pooling.bias(pooled)
        return inner


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
        self._blocks = [_Block(block, padding) for block in parameters.blocks]
        self._tip = NormedReLU(parameters.tip, padding)
        policy, value = parameters.policy, parameters.value
        self._policy_conv = self._tip.then(policy.conv, policy.norm)
        self._policy_pooling = _Pooling(self._tip, policy.pooling, policy.norm.scale)
        self._plays = _plain(policy.plays)
        self._value_conv = self._tip.then(value.conv, value.norm)
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
        most = max(1, CHUNK // (grid.places * grid.places))
        count = max(1, -(-len(planes) // most))
        # Parts alike in size are faster than full ones and a small rest.
        cuts = [len(planes) * part // count for part in range(count + 1)]
        before = np.setbufsize(_BUFFER)
        try:
            parts = [self._run(planes[start:end], whole[start:end], grid) for start, end in pairwise(cuts)]
        finally:
            np.setbufsize(before)
        return _joined(parts) if count > 1 else parts[0]

    def _run(self, planes: Floats, whole: Floats, grid: Grid) -> Outputs:
        work = self._work
        laid = work.array("planes", *grid.shape, len(planes), self.planes)
        trunk = convolved(grid.spread(planes, laid), self._first, grid, work, "trunk")
        trunk += whole @ self._parameters.first_globals
        for block in self._blocks:
            block(trunk, grid, work)
        tip = self._tip(trunk, work.array("inner", *trunk.shape))
        policy = self._policy(tip, grid, work)
        return Outputs(policy, *self._value(tip, grid, work))

    def _policy(self, tip: Floats, grid: Grid, work: Workspace) -> Floats:
        seen = self._policy_pooling.conv.see(tip, grid, work)
        pooled = self._policy_pooling.pool(seen, grid, work)
        inner = convolved(tip, self._policy_conv, grid, work, "policy")
        inner += self._policy_pooling.bias(pooled)
        plays = grid.gather(convolved(relu(inner), self._plays, grid, work, "plays")[..., :1])[:, :, 0]
        return np.concatenate((plays, (pooled @ self._parameters.policy.pass_weights)[:, :1]), axis=1)

    def _value(self, tip: Floats, grid: Grid, work: Workspace) -> tuple[Floats, Floats, Floats]:
        head = self._parameters.value
        inner = relu(convolved(tip, self._value_conv, grid, work, "value"))
        mean = grid.mean(inner)
        apart = (grid.size - 14) * 0.1
        pooled = np.concatenate((mean, mean * apart, mean * (apart * apart - 0.1)), axis=1)
        hidden = np.maximum(pooled @ head.hidden + head.hidden_bias, 0.0)
        owned = grid.gather(convolved(inner, self._ownership, grid, work, "ownership"))[:, :, 0]
        return hidden @ head.value + head.value_bias, hidden @ head.score + head.score_bias, owned


def _plain(layer: Filter) -> Convolution:
    return convolution(layer.weights, None, layer.dilation)


def _joined(parts: Sequence[Outputs]) -> Outputs:
    return Outputs(
        np.concatenate([part.policy for part in parts]),
        np.concatenate([part.value for part in parts]),
        np.concatenate([part.score for part in parts]),
        np.concatenate([part.ownership for part in parts]),
    )
