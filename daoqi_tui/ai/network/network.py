"""A residual network for Go, run in numpy alone, on boards of every size.

The architecture is that of the KataGo paper (Wu 2019, "Accelerating Self-Play Learning in Go") and of KataGo's later
networks: residual blocks with normalisation before each convolution, some with global pooling, some nested in a
bottleneck; a policy head, and a value head with score and ownership. It is fully convolutional, so that with circular
padding it commutes with every shift of the torus.

Numpy should run on one BLAS thread (``OPENBLAS_NUM_THREADS=1``, set before numpy is imported): the products are
small, and on a busy machine a second thread costs more than it brings.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from statistics import NormalDist
from typing import Final, Protocol

import numpy as np

from daoqi_tui.ai.network import Counting, Header, NetError
from daoqi_tui.ai.network.convolution import Convolution, convolution, convolve, whole_convolution
from daoqi_tui.ai.network.features import KOMI, LAYOUTS, MINE, THEIRS, Features, mask_to_array
from daoqi_tui.ai.network.layout import ZERO, Floats, Grid, Mode, Padding, TiledVector, Workspace, grid_of
from daoqi_tui.ai.search import Evaluation, Inputs, NetworkEvaluator
from daoqi_tui.engine import Board
from daoqi_tui.message import Message
from daoqi_tui.reading.races import LEAST_STONES, Race, races


class Activation(StrEnum):
    """An activation function, by its name in network files.

    Mish is ``x · tanh(ln(1 + eˣ))`` (Misra 2019, "Mish: A Self Regularized Non-Monotonic Activation Function"), SiLU
    ``x / (1 + e⁻ˣ)``.
    """

    RELU = "relu"
    MISH = "mish"
    SILU = "silu"
    IDENTITY = "identity"


_LEAST: Final = {Activation.RELU: 0.0, Activation.MISH: -0.30885, Activation.SILU: -0.27847}
"""No value of the activation function is less."""
_PART: Final = 1 << 15
"""Numbers computed at a time, so that all steps of a part stay in the CPU caches."""
# Numpy's maximum of two arrays is several times as fast as that of an array and a number.
_ZEROS: Final = np.zeros(_PART, np.float32)


def activate(activation: Activation, activations: Floats) -> Floats:
    """Apply an activation function in place to a contiguous array; return the array."""
    if activation is Activation.IDENTITY:
        return activations
    flat = activations.reshape(-1)
    cuts = [*range(0, len(flat), _PART), len(flat)]
    scratch = _ZEROS if activation is Activation.RELU else np.empty(min(_PART, len(flat)), np.float32)
    # Where the exponential is infinite, the result is the limit.
    with np.errstate(over="ignore"):
        for start, end in pairwise(cuts):
            _apply(activation, flat[start:end], scratch[: end - start])
    return activations


def _apply(activation: Activation, part: Floats, scratch: Floats) -> None:
    if activation is Activation.RELU:
        np.maximum(part, scratch, out=part)
    elif activation is Activation.MISH:
        # tanh(ln(1 + eˣ)) = 1 − 2 / ((1 + eˣ)² + 1)
        np.exp(part, out=scratch)
        scratch += 1.0
        np.multiply(scratch, scratch, out=scratch)
        scratch += 1.0
        np.divide(part, scratch, out=scratch)
        part -= scratch
        part -= scratch
    else:
        np.negative(part, out=scratch)
        np.exp(scratch, out=scratch)
        scratch += 1.0
        np.divide(part, scratch, out=part)


@dataclass(frozen=True, slots=True)
class Filter:
    """A convolution: ``weights`` of shape ``(kernel, kernel, inputs, outputs)``, an odd kernel, its dilation."""

    weights: Floats
    dilation: int = 1


@dataclass(frozen=True, slots=True)
class Norm:
    """A batch normalisation after training: ``scale`` and ``bias`` for each channel, and the activation after it."""

    scale: Floats
    bias: Floats
    activation: Activation = Activation.RELU


@dataclass(frozen=True, slots=True)
class Pooling:
    """A side branch: convolution, norm, mean and maximum over the board, and ``weights`` that make a bias of them."""

    conv: Filter
    norm: Norm
    weights: Floats


@dataclass(frozen=True, slots=True)
class Block:
    """A residual block: norm, convolution, the bias of the pooling where there is one, norm, convolution."""

    before: Norm
    first: Filter
    pooling: Pooling | None
    between: Norm
    second: Filter


@dataclass(frozen=True, slots=True)
class NestedBlock:
    """A residual block around others, which work on fewer channels: norm, convolution, blocks, norm, convolution."""

    before: Norm
    narrow: Filter
    blocks: tuple[Block | NestedBlock, ...]
    after: Norm
    widen: Filter


@dataclass(frozen=True, slots=True)
class PassLayer:
    """A hidden layer for the pass: ``bias`` and activation of what comes in, ``weights`` of what goes out."""

    bias: Floats
    activation: Activation
    weights: Floats


@dataclass(frozen=True, slots=True)
class PolicyHead:
    """The policy: a convolution with the bias of a pooling, norm, a channel of logits; the pass from the pooling.

    Attributes:
        plays: the logits of the points; the first channel counts.
        pass_weights: from the pooled channels, to the logit of the pass or to its hidden layer.
        pass_layer: the hidden layer, where there is one.
    """

    conv: Filter
    pooling: Pooling
    norm: Norm
    plays: Filter
    pass_weights: Floats
    pass_layer: PassLayer | None = None


@dataclass(frozen=True, slots=True)
class ValueHead:
    """Value, score and ownership: convolution, norm, pooling, a hidden layer, and one product for each.

    Attributes:
        hidden, hidden_bias: from the pooled channels.
        value, value_bias: logits of win, loss and no result.
        score, score_bias: the score outputs of the format.
        ownership: from the channels at each point, before tanh.
        activation: that of the hidden layer.
    """

    conv: Filter
    norm: Norm
    hidden: Floats
    hidden_bias: Floats
    value: Floats
    value_bias: Floats
    score: Floats
    score_bias: Floats
    ownership: Filter
    activation: Activation = Activation.RELU


@dataclass(frozen=True, slots=True)
class Parameters:
    """All weights of a network.

    Attributes:
        first: the convolution of the planes.
        first_globals: the weights of the global features, shape ``(globals, channels)``.
        blocks: the residual blocks of the trunk, of which the nested ones hold others.
        tip: the norm at the end of the trunk.
    """

    first: Filter
    first_globals: Floats
    blocks: tuple[Block | NestedBlock, ...]
    tip: Norm
    policy: PolicyHead
    value: ValueHead


_FAR: Final = 1000.0
"""The largest bias, as a multiple of the scale, for which a norm becomes a maximum without loss in float32."""


class NormedActivation:
    """A norm and its activation, folded into the next convolution where possible.

    On a torus ``relu(s·x + b)`` with ``s > 0`` is ``s·max(x, −b/s) + b``. Factor and addend are the same at every point
    and go into the weights and the bias of the next convolution, so that only the maximum remains, and that convolution
    can take it too.
    """

    def __init__(self, norm: Norm, mode: Mode) -> None:
        self._norm, self._mode = norm, mode
        self._is_maximum = (
            mode.padding == "wrap"
            and norm.activation is Activation.RELU
            and bool((np.abs(norm.bias) < _FAR * norm.scale).all())
        )
        self._floor = -norm.bias / norm.scale if self._is_maximum else _least(norm.activation, len(norm.bias), mode)
        self._least = TiledVector(np.zeros_like(norm.bias) if self._floor is None else self._floor)
        self._scale, self._bias = TiledVector(norm.scale), TiledVector(norm.bias)

    def __call__(self, inputs: Floats, out: Floats) -> Floats:
        """Return the inputs for convolutions made by :meth:`fold_into`, in ``out``, which may be ``inputs``."""
        if self._is_maximum:
            return np.maximum(inputs, self._least.shaped_like(inputs), out=out)
        np.multiply(inputs, self._scale.shaped_like(inputs), out=out)
        out += self._bias.shaped_like(out)
        return activate(self._norm.activation, out)

    def transform(self, inputs: Floats, layer: Convolution, grid: Grid, work: Workspace) -> Floats:
        """Return ``inputs`` after norm and activation, transformed for a convolution made by :meth:`fold_into`."""
        if self._is_maximum:
            return layer.transform(inputs, grid, work, self._least)
        return layer.transform(self(inputs, work.array("inner", *inputs.shape)), grid, work)

    def fold_into(self, layer: Filter, after: Norm | None = None) -> Convolution:
        """Return the convolution with this norm folded into it, and any norm ``after`` it but for its activation."""
        weights, bias = layer.weights.astype(np.float64), None
        if after is not None:
            weights, bias = weights * after.scale, after.bias
        if self._is_maximum:
            added = np.einsum("ijco,c->o", weights, self._norm.bias)
            bias = np.asarray(added if bias is None else bias + added, dtype=np.float32)
            weights = weights * self._norm.scale[:, None]
        return _convolution(np.asarray(weights, dtype=np.float32), bias, layer.dilation, self._mode, self._floor)


def _least(activation: Activation, channels: int, mode: Mode) -> Floats | None:
    """Return the least value of each channel, where that matters and there is one."""
    least = _LEAST.get(activation)
    return None if least is None or not mode.rounded else np.full(channels, least, np.float32)


CHUNK: Final = 12 * 16 * 16
"""Points computed at a time; more no longer fit the processor's caches and are slower each."""
_BUFFER: Final = 512
"""Elements in numpy's buffers; with the default size arithmetic on slices is half as fast."""


@dataclass(frozen=True, slots=True)
class Outputs:
    """The raw outputs of the heads for a batch, for the side to move.

    Attributes:
        policy: logits of the points and, last, the pass; shape ``(boards, points + 1)``.
        value: shape ``(boards, 3)``.
        score: shape ``(boards, score outputs of the format)``.
        ownership: before tanh, shape ``(boards, points)``.
    """

    policy: Floats
    value: Floats
    score: Floats
    ownership: Floats


class _Pooling:
    """Global pooling whose result, times the weights and ``scale``, is a bias for each channel."""

    def __init__(self, before: NormedActivation, pooling: Pooling, scale: Floats) -> None:
        self.conv: Final = before.fold_into(pooling.conv, pooling.norm)
        self._activation: Final = pooling.norm.activation
        self._weights = np.ascontiguousarray(pooling.weights * scale)

    def pool(self, transformed: Floats, grid: Grid, work: Workspace) -> Floats:
        """Return mean, mean scaled by board size, and maximum of each channel; shape ``(boards, 3 · channels)``."""
        side = activate(self._activation, self.conv.apply(transformed, grid, work, "side"))
        mean = grid.mean(side)
        # Padding points of a torus repeat others, which does not change the maximum.
        most = side if grid.padding == "wrap" or grid.is_exact else np.where(grid.inside, side, -np.inf)
        most = most.reshape(-1, mean.size).max(axis=0).reshape(mean.shape)
        return np.concatenate((mean, mean * ((grid.size - 14) * 0.1), most), axis=1)

    def bias(self, pooled: Floats) -> Floats:
        return pooled @ self._weights


class _Block:
    def __init__(self, block: Block, mode: Mode) -> None:
        self._before = NormedActivation(block.before, mode)
        self._first = self._before.fold_into(block.first, block.between)
        self._pooling = _Pooling(self._before, block.pooling, block.between.scale) if block.pooling else None
        self._activation = block.between.activation
        self._second = _plain(block.second, mode, _least(self._activation, block.second.weights.shape[2], mode))

    def __call__(self, trunk: Floats, grid: Grid, work: Workspace) -> None:
        added = None
        if self._pooling is None:
            transformed = self._before.transform(trunk, self._first, grid, work)
        else:
            conv = self._pooling.conv
            transformed = self._before.transform(trunk, conv, grid, work)
            added = self._pooling.bias(self._pooling.pool(transformed, grid, work))
            if self._first.transform_key != conv.transform_key:
                transformed = self._before.transform(trunk, self._first, grid, work)
        inner = self._first.apply(transformed, grid, work, "inner", added=added)
        if self._activation is Activation.RELU:
            transformed = self._second.transform(inner, grid, work, ZERO)
        else:
            transformed = self._second.transform(activate(self._activation, inner), grid, work)
        # The output may overwrite the inputs, which are transformed by then.
        self._second.apply(transformed, grid, work, "inner", onto=trunk)


class _NestedBlock:
    def __init__(self, block: NestedBlock, mode: Mode, depth: int) -> None:
        self._before = NormedActivation(block.before, mode)
        self._narrow = self._before.fold_into(block.narrow)
        self._blocks = _runnable(block.blocks, mode, depth + 1)
        self._after = NormedActivation(block.after, mode)
        self._widen = self._after.fold_into(block.widen)
        self._trunk = f"trunk {depth + 1}"

    def __call__(self, trunk: Floats, grid: Grid, work: Workspace) -> None:
        normed = self._before(trunk, work.array("inner", *trunk.shape))
        nested = convolve(normed, self._narrow, grid, work, self._trunk)
        for block in self._blocks:
            block(nested, grid, work)
        # The inner trunk is done with, so that the norm may overwrite it.
        trunk += convolve(self._after(nested, nested), self._widen, grid, work, "inner")


def _runnable(blocks: Sequence[Block | NestedBlock], mode: Mode, depth: int = 0) -> list[_Block | _NestedBlock]:
    return [_Block(block, mode) if isinstance(block, Block) else _NestedBlock(block, mode, depth) for block in blocks]


class Network:
    """A network that can be run.

    Args:
        parameters: its weights.
        padding: what lies beyond the border; anything but a torus is for measuring.
        rounded: whether convolutions are computed in bytes where that is faster; needs a torus and
            :data:`.ROUNDED`.

    Attributes:
        planes, globals: the number of spatial and of global inputs.
        rounded: as given.
    """

    def __init__(self, parameters: Parameters, padding: Padding = "wrap", *, rounded: bool = False) -> None:
        self.planes: Final = parameters.first.weights.shape[2]
        self.globals: Final = parameters.first_globals.shape[0]
        self.rounded: Final = rounded
        self._padding: Final[Padding] = padding
        mode = Mode(padding, rounded)
        # Not the whole: the weights of the blocks are kept as they are computed with.
        self._first_globals = parameters.first_globals
        self._policy_head, self._value_head = parameters.policy, parameters.value
        self._work = Workspace()
        self._first = _plain(parameters.first, mode)
        self._blocks = _runnable(parameters.blocks, mode)
        self._tip = NormedActivation(parameters.tip, mode)
        policy, value = parameters.policy, parameters.value
        self._policy_conv = self._tip.fold_into(policy.conv, policy.norm)
        self._policy_pooling = _Pooling(self._tip, policy.pooling, policy.norm.scale)
        self._plays = _plain(policy.plays, mode)
        self._value_conv = self._tip.fold_into(value.conv, value.norm)
        self._ownership = _plain(value.ownership, mode)

    def run(self, planes: Floats, whole: Floats, size: int) -> Outputs:
        """Compute a batch.

        Args:
            planes: shape ``(boards, size², planes)``, rows from the top.
            whole: the global features, shape ``(boards, globals)``.
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
        grid = grid_of(size, self._padding, whole=self.rounded)
        most = max(1, CHUNK // (grid.padded_size * grid.padded_size))
        count = max(1, -(-len(planes) // most))
        # Equal parts are faster than full ones and a small remainder.
        cuts = [len(planes) * part // count for part in range(count + 1)]
        before = np.setbufsize(_BUFFER)
        try:
            parts = [self._run(planes[start:end], whole[start:end], grid) for start, end in pairwise(cuts)]
        finally:
            np.setbufsize(before)
        return _concatenated(parts) if count > 1 else parts[0]

    def _run(self, planes: Floats, whole: Floats, grid: Grid) -> Outputs:
        work = self._work
        laid = work.array("planes", *grid.shape, len(planes), self.planes)
        trunk = convolve(grid.to_tiles(planes, laid), self._first, grid, work, "trunk")
        trunk += whole @ self._first_globals
        for block in self._blocks:
            block(trunk, grid, work)
        tip = self._tip(trunk, work.array("inner", *trunk.shape))
        policy = self._policy(tip, grid, work)
        return Outputs(policy, *self._value(tip, grid, work))

    def _policy(self, tip: Floats, grid: Grid, work: Workspace) -> Floats:
        head = self._policy_head
        transformed = self._policy_pooling.conv.transform(tip, grid, work)
        pooled = self._policy_pooling.pool(transformed, grid, work)
        inner = convolve(tip, self._policy_conv, grid, work, "policy")
        inner += self._policy_pooling.bias(pooled)
        plays = convolve(activate(head.norm.activation, inner), self._plays, grid, work, "plays")
        passing = pooled @ head.pass_weights
        if head.pass_layer is not None:
            passing += head.pass_layer.bias
            passing = activate(head.pass_layer.activation, passing) @ head.pass_layer.weights
        return np.concatenate((grid.to_boards(plays[..., :1])[:, :, 0], passing[:, :1]), axis=1)

    def _value(self, tip: Floats, grid: Grid, work: Workspace) -> tuple[Floats, Floats, Floats]:
        head = self._value_head
        inner = activate(head.norm.activation, convolve(tip, self._value_conv, grid, work, "value"))
        mean = grid.mean(inner)
        apart = (grid.size - 14) * 0.1
        pooled = np.concatenate((mean, mean * apart, mean * (apart * apart - 0.1)), axis=1)
        hidden = activate(head.activation, pooled @ head.hidden + head.hidden_bias)
        owned = grid.to_boards(convolve(inner, self._ownership, grid, work, "ownership"))[:, :, 0]
        return hidden @ head.value + head.value_bias, hidden @ head.score + head.score_bias, owned


def _plain(layer: Filter, mode: Mode, least: Floats | None = None) -> Convolution:
    return _convolution(layer.weights, None, layer.dilation, mode, least)


def _convolution(weights: Floats, bias: Floats | None, dilation: int, mode: Mode, least: Floats | None) -> Convolution:
    if mode.rounded:
        return whole_convolution(weights, bias, dilation, least)
    return convolution(weights, bias, dilation, mode.padding)


def _concatenated(parts: Sequence[Outputs]) -> Outputs:
    return Outputs(
        np.concatenate([part.policy for part in parts]),
        np.concatenate([part.value for part in parts]),
        np.concatenate([part.score for part in parts]),
        np.concatenate([part.ownership for part in parts]),
    )


# As an evaluator


LEAD: Final = 2
"""The index of the lead in the score outputs since format 8; earlier formats only have the mean score."""
_LEADS: Final = 8
"""The first model format with an output for the lead."""


class Runner(Protocol):
    """Runs a network's weights, in numpy or torch."""

    def run(self, planes: Floats, whole: Floats, size: int) -> Outputs: ...


class LoadedNetwork:
    """A network as a :class:`~daoqi_tui.ai.search.NetworkEvaluator`.

    Args:
        header: from the file; its format determines the inputs and outputs.
        runner: runs the file's weights.
    """

    def __init__(self, header: Header, runner: Runner) -> None:
        self._header = header
        self._runner = runner
        self._features = Features(header.format, ladders=header.ladders)

    @property
    def name(self) -> str:
        return self._header.name

    @property
    def inputs(self) -> Hashable:
        return LAYOUTS[self._header.format], self._header.ladders

    def encode(self, board: Board, komi: float, recent: Sequence[int], passes_in_row: int) -> Inputs:
        inputs = self._features.encode(board, komi, recent, passes_in_row)
        return inputs._replace(races=tuple(races(board, LEAST_STONES)))

    def evaluate(self, batch: Sequence[Inputs], size: int) -> list[Evaluation]:
        """As :meth:`daoqi_tui.ai.search.NetworkEvaluator.evaluate` says.

        Raises:
            NetError: the outputs are not finite, because the weights are not those of a trained network.
        """
        planes = np.stack([inputs.planes for inputs in batch])
        whole = np.stack([inputs.whole for inputs in batch])
        # Overflows are found in the outputs.
        with np.errstate(all="ignore"):
            outputs = self._runner.run(planes, whole, size)
            found = evaluations_of(outputs, self._header, size)
            beside = whole[:, KOMI] * LAYOUTS[self._header.format].komi_unit
            found = [
                with_races(counted(one, float(points), self._header.counting), inputs.races)
                for one, points, inputs in zip(found, beside, batch, strict=True)
            ]
        numbers = outputs.policy, outputs.value, outputs.score, outputs.ownership
        if not all(np.isfinite(part).all() for part in numbers) or not all(
            math.isfinite(one.lead) and math.isfinite(one.spread) for one in found
        ):
            raise NetError(Message("the network {name} computes no numbers; its file is damaged", name=self.name))
        return found


ALONE_FROM: Final = 13
"""The size of the boards from which the values of a network of flat boards are not corrected."""


@dataclass(frozen=True, slots=True)
class CorrectedNetwork:
    """A network of flat boards as a :class:`~daoqi_tui.ai.search.NetworkEvaluator`, its values corrected by another.

    The policy is its own. Its values are far too sure on a torus, and on a nearly empty one they are meaningless. On
    larger boards it plays better with them all the same (``docs/lab.md``).

    Attributes:
        network: the one of flat boards.
        own: one of the torus, with the same inputs.
        alone_from: the size of the boards from which it plays as it is.
    """

    network: NetworkEvaluator
    own: NetworkEvaluator
    alone_from: int = ALONE_FROM

    @property
    def name(self) -> str:
        return f"{self.network.name} + {self.own.name}"

    @property
    def inputs(self) -> Hashable:
        return self.network.inputs

    def encode(self, board: Board, komi: float, recent: Sequence[int], passes_in_row: int) -> Inputs:
        return self.network.encode(board, komi, recent, passes_in_row)

    def evaluate(self, batch: Sequence[Inputs], size: int) -> list[Evaluation]:
        if size >= self.alone_from:
            return self.network.evaluate(batch, size)
        # Races are read once, in what comes out.
        plain = [inputs._replace(races=()) for inputs in batch]
        found = zip(self.network.evaluate(plain, size), self.own.evaluate(plain, size), strict=True)
        return [
            with_races(corrected(flat, own, float(inputs.planes[:, MINE : THEIRS + 1].sum() / size**2)), inputs.races)
            for (flat, own), inputs in zip(found, batch, strict=True)
        ]


def evaluations_of(outputs: Outputs, header: Header, size: int) -> list[Evaluation]:
    """Return what the outputs of a network say, one for each board."""
    policy = _softmax(outputs.policy)
    # Under superko every game has a result.
    win = _softmax(outputs.value[:, :2])[:, 0]
    if header.format == 3:
        # The output is the mean score divided by twice the board's side; there is none for the spread.
        lead, spread = outputs.score[:, 0] * (2.0 * size), np.zeros(len(win))
    else:
        has_lead = header.format >= _LEADS
        lead = outputs.score[:, LEAD] * header.units.lead if has_lead else outputs.score[:, 0] * header.units.mean
        spread = np.logaddexp(outputs.score[:, 1], 0.0) * header.units.spread
    owner = np.tanh(outputs.ownership)
    return [
        Evaluation(
            policy[board],
            float(win[board]),
            float(lead[board]),
            float(spread[board]),
            owner[board],
        )
        for board in range(len(policy))
    ]


def _softmax(logits: Floats) -> Floats:
    risen = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(risen / risen.sum(axis=1, keepdims=True), np.float32)


# Evaluations are corrected by counting points by ownership, and races that are read exactly. The lead and the win rate
# of a network are outputs of its own, learnt from games at much the same komi; they need not follow it. Its ownership
# does not depend on komi, so that its sum with komi and passes moves with them exactly.
SLOPE: Final = 1.2
"""The log odds of a win for each standard deviation of counted points, fitted to the results of settled games."""
SURER: Final = 2.0
"""By how much they are higher on a settled board."""
SETTLED: Final = 14.0
"""The variance of a count at which its share is 1/e of the way to all, which it has on a settled board."""
OPEN: Final = 16
"""The power of a point's mean variance by which a count keeps its share on an open board: half of it at 0.96."""
_FLOOR: Final = 1.0
"""The variance of a count in which all points are certain."""
_SURE: Final = 1e-4
"""Win rates are clamped to this and 1 less it before they are changed."""
_RACING: Final = 0.5
"""The share of the policy for the moves that win a race of chains with as many stones as a row; less for smaller."""


def counted(found: Evaluation, beside: float, shares: Counting) -> Evaluation:
    """Return an evaluation with shares of the points counted by its ownership in lead and win rate.

    Args:
        found: the network's outputs.
        beside: the points of the side to move beside the board: komi, passes, and half a point for who wins ties.
        shares: in lead and win rate; 0 leaves the output as it is, 1 takes the count alone, and between them the share
            grows to 1 as the board is settled.
    """
    if not any(shares):
        return found
    count = float(found.owner.sum()) + beside
    # A point of ownership p belongs to either side with the variance 1 − p².
    variance = float((1.0 - found.owner * found.owner).sum())
    settled = math.exp(-variance / SETTLED)
    open_ = (variance / len(found.owner)) ** OPEN
    win_share = shares.win + max(shares.open - shares.win, 0.0) * open_
    in_lead, in_win = (share + (1.0 - share) * settled if share else 0.0 for share in (shares.lead, win_share))
    slope = SLOPE + SURER * settled
    log_odds = (1.0 - in_win) * _log_odds(found.win) + in_win * slope * count / math.sqrt(_FLOOR + variance)
    return found._replace(win=_win_rate(log_odds), lead=(1.0 - in_lead) * found.lead + in_lead * count)


OWN_SHARE: Final = 0.6
"""The share of the torus' network in the log odds of :func:`corrected`; both are fitted to the results of games."""
FLAT_SHARE: Final = 0.25
"""The share of the network of flat boards."""
FLAT_FROM: Final = 0.3
"""The share of points with stones from which a network of flat boards has its full share."""


def corrected(flat: Evaluation, own: Evaluation, stones: float) -> Evaluation:
    """Return the evaluation of a network of flat boards, with values that another, of the torus, corrects.

    Args:
        flat: that evaluation.
        own: the other network's.
        stones: the share of points with stones.
    """
    grown = min(1.0, stones / FLAT_FROM)
    share = grown / 2
    return flat._replace(
        win=_win_rate(OWN_SHARE * _log_odds(own.win) + grown * FLAT_SHARE * _log_odds(flat.win)),
        lead=(1.0 - share) * own.lead + share * flat.lead,
        spread=(1.0 - share) * own.spread + share * flat.spread,
        owner=(1.0 - share) * own.owner + share * flat.owner,
    )


def _log_odds(win: float) -> float:
    win = _unsure(win)
    return math.log(win / (1.0 - win))


def _win_rate(log_odds: float) -> float:
    return 1.0 / (1.0 + math.exp(-log_odds))


def with_races(found: Evaluation, races: Sequence[Race]) -> Evaluation:
    """Return an evaluation in which the chains that lose a race belong to the other side, and who moves races first.

    Only one of several races that hang on the next move can be had at once: the largest goes to the side to move, the
    next to the opponent, and so on.
    """
    if not any(race.first or race.second for race in races):
        return found
    points, outcomes = len(found.owner), list(_outcomes(races))
    owner, policy = found.owner.copy(), found.policy
    for race, outcome in outcomes:
        if outcome:
            owner[mask_to_array(race.own | race.other, points) > 0] = outcome
    change = float(owner.sum() - found.owner.sum())
    normal = NormalDist()
    win = normal.cdf(normal.inv_cdf(_unsure(found.win)) + change / max(found.spread, 1.0))
    # Races that hang on the next move come first, the largest of them before.
    if moves := outcomes[0][0].moves:
        racing = np.append(mask_to_array(moves, points), np.float32(0))
        stones = (outcomes[0][0].own | outcomes[0][0].other).bit_count()
        share = _RACING * min(1.0, stones / math.sqrt(points))
        policy = (1.0 - share) * policy + racing * np.float32(share / moves.bit_count())
    return found._replace(policy=policy, win=win, lead=found.lead + change, owner=owner)


def _unsure(win: float) -> float:
    return min(max(win, _SURE), 1.0 - _SURE)


def _outcomes(races: Sequence[Race]) -> Iterator[tuple[Race, int]]:
    """Yield each race with its outcome for the side to move, those that hang on the next move first."""
    hanging = sorted((race for race in races if race.moves), key=lambda race: -(race.own | race.other).bit_count())
    yield from ((race, race.second if number % 2 else race.first) for number, race in enumerate(hanging))
    yield from ((race, race.first) for race in races if not race.moves)
