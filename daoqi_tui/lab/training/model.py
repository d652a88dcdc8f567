"""The network in torch, for training; :func:`parameters_of` returns its weights for numpy.

:func:`load_parameters` is the reverse. The same architecture as :mod:`daoqi_tui.ai.network.network` (Wu 2019), with
circular padding, and with batch normalisation (Ioffe and Szegedy 2015) in place of its norms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.autograd.function import FunctionCtx
from torch.nn import functional

from daoqi_tui.ai.network.layout import Floats
from daoqi_tui.ai.network.network import Block, Filter, NestedBlock, Norm, Parameters, PolicyHead, Pooling, ValueHead
from daoqi_tui.ai.network.torch_network import pad_circular, value_features
from daoqi_tui.lab.training.settings import NetworkShape

VALUES, SCORES = 3, 4
"""The number of outputs of the value head and of the score head; those that are not trained stay zero."""
POOLED_FEATURES = 3
"""The number of features of each pooled channel."""


class _CircularPadding(torch.autograd.Function):
    """Circular padding by at most one board's width, with fewer copies in the backward pass than by automatic steps."""

    @staticmethod
    def forward(ctx: FunctionCtx, boards: Tensor, reach: int) -> Tensor:
        """Return the padded boards."""
        ctx.reach = reach
        return pad_circular(boards, reach)

    @staticmethod
    def backward(ctx: FunctionCtx, *gradients: Tensor) -> tuple[Tensor, None]:
        """Return the gradient of the boards: that of the margins is added on the opposite sides."""
        (gradient,), reach = gradients, ctx.reach
        for axis in (-1, -2):
            size = gradient.shape[axis] - 2 * reach
            before, inner, after = gradient.split((reach, size, reach), axis)
            gradient = inner.clone(memory_format=torch.preserve_format)
            gradient.narrow(axis, size - reach, reach).add_(before)
            gradient.narrow(axis, 0, reach).add_(after)
        return gradient, None


class ConvolutionLayer(nn.Conv2d):
    """A convolution on the torus, without bias."""

    def __init__(self, given: int, made: int, kernel: int = 1) -> None:
        super().__init__(given, made, kernel, bias=False)

    def forward(self, inputs: Tensor) -> Tensor:
        """Return the output channels, ``(boards, made, size, size)``."""
        reach = self.kernel_size[0] // 2
        if reach > inputs.shape[-1] or torch.compiler.is_compiling():
            # A compiler joins the copies itself.
            inputs = pad_circular(inputs, reach)
        elif reach:
            inputs = cast("Tensor", _CircularPadding.apply(inputs, reach))
        return super().forward(inputs)


class PoolingLayer(nn.Module):
    """A convolution pooled over the board: mean, mean by board size, maximum."""

    def __init__(self, given: int, pooled: int, made: int, kernel: int) -> None:
        super().__init__()
        self.conv = ConvolutionLayer(given, pooled, kernel)
        self.norm = nn.BatchNorm2d(pooled)
        self.weights = nn.Linear(POOLED_FEATURES * pooled, made, bias=False)

    def pool(self, inputs: Tensor) -> Tensor:
        """Return the pooled features of each board, ``(boards, POOLED_FEATURES · pooled)``."""
        side = functional.relu(self.norm(self.conv(inputs)))
        mean = side.mean(dim=(2, 3))
        return torch.cat((mean, mean * ((inputs.shape[2] - 14) * 0.1), side.amax(dim=(2, 3))), dim=1)


class BlockLayer(nn.Module):
    """A residual block."""

    def __init__(self, channels: int, pooled: int, middle: int) -> None:
        super().__init__()
        middle = middle or channels - pooled
        self.before = nn.BatchNorm2d(channels)
        self.first = ConvolutionLayer(channels, middle, 3)
        self.pooling = PoolingLayer(channels, pooled, middle, 3) if pooled else None
        self.between = nn.BatchNorm2d(middle)
        self.second = ConvolutionLayer(middle, channels, 3)
        # The residual is zero at first.
        nn.init.zeros_(self.second.weight)

    def inner(self, normed: Tensor) -> Tensor:
        """Return the outputs of the first convolution, with the bias of the pooling."""
        inner: Tensor = self.first(normed)
        if self.pooling is not None:
            inner = inner + self.pooling.weights(self.pooling.pool(normed))[:, :, None, None]
        return inner

    def middle(self, trunk: Tensor) -> Tensor:
        """Return the inputs of the second convolution."""
        return functional.relu(self.between(self.inner(functional.relu(self.before(trunk)))))

    def forward(self, trunk: Tensor) -> Tensor:
        """Return the trunk after the block."""
        return trunk + cast("Tensor", self.second(self.middle(trunk)))


class BottleneckLayer(nn.Module):
    """A residual block around others, which work on fewer channels."""

    def __init__(self, shape: NetworkShape, pooled: int) -> None:
        super().__init__()
        channels, inner = shape.channels, shape.bottleneck
        self.before = nn.BatchNorm2d(channels)
        self.narrow = ConvolutionLayer(channels, inner)
        self.blocks = nn.ModuleList(
            BlockLayer(inner, 0 if index else pooled, shape.middle) for index in range(shape.nested)
        )
        self.after = nn.BatchNorm2d(inner)
        self.widen = ConvolutionLayer(inner, channels)
        # The residual is zero at first.
        nn.init.zeros_(self.widen.weight)

    def forward(self, trunk: Tensor) -> Tensor:
        """Return the trunk after the block."""
        inner = self.narrow(functional.relu(self.before(trunk)))
        for block in self.blocks:
            inner = block(inner)
        return trunk + cast("Tensor", self.widen(functional.relu(self.after(inner))))


def _layer(shape: NetworkShape, index: int) -> BlockLayer | BottleneckLayer:
    """Return the block of the trunk at an index."""
    pooled = shape.pooled if index in shape.pooling else 0
    if shape.bottleneck:
        return BottleneckLayer(shape, pooled)
    return BlockLayer(shape.channels, pooled, shape.middle)


class Model(nn.Module):
    """The network.

    Args:
        shape: its architecture.
        planes, whole: the number of inputs for each point and for the whole board.
    """

    def __init__(self, shape: NetworkShape, planes: int, whole: int) -> None:
        super().__init__()
        self.first = ConvolutionLayer(planes, shape.channels, shape.kernel)
        self.first_globals = nn.Linear(whole, shape.channels, bias=False)
        self.blocks = nn.ModuleList(_layer(shape, index) for index in range(shape.blocks))
        self.tip = nn.BatchNorm2d(shape.channels)
        self.policy = ConvolutionLayer(shape.channels, shape.head)
        self.policy_pooling = PoolingLayer(shape.channels, shape.head, shape.head, 1)
        self.policy_norm = nn.BatchNorm2d(shape.head)
        self.plays = ConvolutionLayer(shape.head, 1)
        self.pass_weights = nn.Linear(POOLED_FEATURES * shape.head, 1, bias=False)
        self.value = ConvolutionLayer(shape.channels, shape.head)
        self.value_norm = nn.BatchNorm2d(shape.head)
        self.hidden = nn.Linear(3 * shape.head, shape.hidden)
        self.values = nn.Linear(shape.hidden, VALUES)
        self.scores = nn.Linear(shape.hidden, SCORES)
        self.ownership = ConvolutionLayer(shape.head, 1)

    def stem(self, planes: Tensor, whole: Tensor) -> Tensor:
        """Return the trunk before the blocks."""
        trunk: Tensor = self.first(planes) + self.first_globals(whole)[:, :, None, None]
        return trunk

    def forward(self, planes: Tensor, whole: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return policy, value, score and ownership, as in :class:`daoqi_tui.ai.network.network.Outputs`.

        Args:
            planes: shape ``(boards, planes, size, size)``.
            whole: shape ``(boards, globals)``.
        """
        trunk = self.stem(planes, whole)
        for block in self.blocks:
            trunk = block(trunk)
        tip = functional.relu(self.tip(trunk))
        pooled = self.policy_pooling.pool(tip)
        inner = self.policy(tip) + self.policy_pooling.weights(pooled)[:, :, None, None]
        plays = self.plays(functional.relu(self.policy_norm(inner))).flatten(1)
        policy = torch.cat((plays, self.pass_weights(pooled)), dim=1)
        inner = functional.relu(self.value_norm(self.value(tip)))
        hidden = functional.relu(self.hidden(value_features(inner.mean(dim=(2, 3)), planes.shape[2])))
        return policy, self.values(hidden), self.scores(hidden), self.ownership(inner).flatten(1)


def parameters_of(model: Model) -> Parameters:
    """Return the weights, with each batch normalisation folded into a scale and a bias."""
    return Parameters(
        _filter(model.first),
        matrix_of(model.first_globals),
        _blocks(model.blocks),
        _norm(model.tip),
        PolicyHead(
            _filter(model.policy),
            _pooling(model.policy_pooling),
            _norm(model.policy_norm),
            _filter(model.plays),
            matrix_of(model.pass_weights),
        ),
        ValueHead(
            _filter(model.value),
            _norm(model.value_norm),
            matrix_of(model.hidden),
            numbers_of(model.hidden.bias),
            matrix_of(model.values),
            numbers_of(model.values.bias),
            matrix_of(model.scores),
            numbers_of(model.scores.bias),
            _filter(model.ownership),
        ),
    )


def _blocks(layers: nn.ModuleList) -> tuple[Block | NestedBlock, ...]:
    return tuple(_block(layer) for layer in cast("list[BlockLayer | BottleneckLayer]", list(layers)))


def _block(layer: BlockLayer | BottleneckLayer) -> Block | NestedBlock:
    if isinstance(layer, BottleneckLayer):
        return NestedBlock(
            _norm(layer.before),
            _filter(layer.narrow),
            _blocks(layer.blocks),
            _norm(layer.after),
            _filter(layer.widen),
        )
    return Block(
        _norm(layer.before),
        _filter(layer.first),
        None if layer.pooling is None else _pooling(layer.pooling),
        _norm(layer.between),
        _filter(layer.second),
    )


def numbers_of(tensor: Tensor) -> Floats:
    """Return a tensor as an array."""
    return np.ascontiguousarray(tensor.detach().float().cpu().numpy())


def _filter(convolution: ConvolutionLayer) -> Filter:
    return Filter(np.ascontiguousarray(numbers_of(convolution.weight).transpose(2, 3, 1, 0)))


def matrix_of(linear: nn.Linear) -> Floats:
    """Return the weights of a layer, ``(inputs, outputs)``."""
    return np.ascontiguousarray(numbers_of(linear.weight).T)


def _norm(norm: nn.BatchNorm2d) -> Norm:
    assert norm.running_mean is not None
    assert norm.running_var is not None
    scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
    return Norm(numbers_of(scale), numbers_of(norm.bias - norm.running_mean * scale))


def _pooling(pooling: PoolingLayer) -> Pooling:
    return Pooling(_filter(pooling.conv), _norm(pooling.norm), matrix_of(pooling.weights))


def load_parameters(model: Model, parameters: Parameters) -> bool:
    """Load weights into a model; return False, leaving the model unchanged, if their shapes differ from the model's.

    The running statistics of batch normalisation, which are folded into the scales and biases, are reset to identity.
    """
    if _shapes(parameters) != _shapes(parameters_of(model)):
        return False
    with torch.no_grad():
        _set_convolution(model.first, parameters.first)
        set_matrix(model.first_globals, parameters.first_globals)
        _set_blocks(model.blocks, parameters.blocks)
        _set_norm(model.tip, parameters.tip)
        policy, value = parameters.policy, parameters.value
        _set_convolution(model.policy, policy.conv)
        _set_pooling(model.policy_pooling, policy.pooling)
        _set_norm(model.policy_norm, policy.norm)
        _set_convolution(model.plays, policy.plays)
        set_matrix(model.pass_weights, policy.pass_weights)
        _set_convolution(model.value, value.conv)
        _set_norm(model.value_norm, value.norm)
        set_matrix(model.hidden, value.hidden, value.hidden_bias)
        set_matrix(model.values, value.value, value.value_bias)
        set_matrix(model.scores, value.score, value.score_bias)
        _set_convolution(model.ownership, value.ownership)
    return True


def _shapes(part: object) -> object:
    """Return the shapes of all weights in a part of a network, in their order."""
    if isinstance(part, np.ndarray):
        return part.shape
    if isinstance(part, tuple):
        return tuple(map(_shapes, part))
    if is_dataclass(part):
        return tuple(_shapes(getattr(part, entry.name)) for entry in fields(part))
    return part


def _set_blocks(layers: nn.ModuleList, blocks: Sequence[Block | NestedBlock]) -> None:
    """Load blocks of the layers' shapes."""
    for layer, block in zip(layers, blocks, strict=True):
        if isinstance(layer, BottleneckLayer) and isinstance(block, NestedBlock):
            _set_norm(layer.before, block.before)
            _set_convolution(layer.narrow, block.narrow)
            _set_blocks(layer.blocks, block.blocks)
            _set_norm(layer.after, block.after)
            _set_convolution(layer.widen, block.widen)
        elif isinstance(layer, BlockLayer) and isinstance(block, Block):
            _set_norm(layer.before, block.before)
            _set_convolution(layer.first, block.first)
            if layer.pooling is not None and block.pooling is not None:
                _set_pooling(layer.pooling, block.pooling)
            _set_norm(layer.between, block.between)
            _set_convolution(layer.second, block.second)
        else:
            raise AssertionError("the shapes are the model's")


def _as_tensor(weights: Floats) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(weights, np.float32))


def _set_convolution(layer: nn.Conv2d, given: Filter) -> None:
    layer.weight.copy_(_as_tensor(given.weights.transpose(3, 2, 0, 1)))


def set_matrix(layer: nn.Linear, weights: Floats, bias: Floats | None = None) -> None:
    """Load weights of shape ``(inputs, outputs)``, and the bias if the layer has one."""
    layer.weight.copy_(_as_tensor(weights.T))
    if bias is not None:
        layer.bias.copy_(_as_tensor(bias))


def _set_norm(layer: nn.BatchNorm2d, given: Norm) -> None:
    assert layer.running_mean is not None
    assert layer.running_var is not None
    layer.weight.copy_(_as_tensor(given.scale))
    layer.bias.copy_(_as_tensor(given.bias))
    layer.running_mean.zero_()
    layer.running_var.fill_(1.0 - layer.eps)


def _set_pooling(layer: PoolingLayer, given: Pooling) -> None:
    _set_convolution(layer.conv, given.conv)
    _set_norm(layer.norm, given.norm)
    set_matrix(layer.weights, given.weights)
