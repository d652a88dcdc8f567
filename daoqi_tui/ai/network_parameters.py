"""The weights of a network, as values: what a file is read into, and what training will write."""

from __future__ import annotations

from dataclasses import dataclass

from daoqi_tui.ai.network_grid import Floats


@dataclass(frozen=True, slots=True)
class Filter:
    """A convolution: ``weights`` of shape ``(kernel, kernel, inputs, outputs)``, an odd kernel, its dilation."""

    weights: Floats
    dilation: int = 1


@dataclass(frozen=True, slots=True)
class Norm:
    """A batch normalisation after training: ``scale`` and ``bias`` for each channel. A ReLU follows."""

    scale: Floats
    bias: Floats


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
class PolicyHead:
    """The policy: a convolution with the bias of a pooling, norm, a channel of logits; the pass from the pooling."""

    conv: Filter
    pooling: Pooling
    norm: Norm
    plays: Filter
    pass_weights: Floats


@dataclass(frozen=True, slots=True)
class ValueHead:
    """Value, score and ownership: convolution, norm, pooling, a hidden layer, and one product for each.

    Attributes:
        hidden, hidden_bias: from the pooled channels.
        value, value_bias: logits of win, loss and no result.
        score, score_bias: whatever the network says of the score.
        ownership: from the channels at each point, before tanh.
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


@dataclass(frozen=True, slots=True)
class Parameters:
    """All weights of a network.

    Attributes:
        first: the convolution of the planes.
        first_globals: the weights of what is said of the whole board, shape ``(globals, channels)``.
        blocks: the trunk.
        tip: the norm at its end.
    """

    first: Filter
    first_globals: Floats
    blocks: tuple[Block, ...]
    tip: Norm
    policy: PolicyHead
    value: ValueHead
