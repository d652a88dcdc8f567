"""A network as an ONNX graph with circular padding, for boards of every size.

Needs the package ``onnx``. What goes in and out is in ``docs/torus-kit.md``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from daoqi_tui.ai.network.network import (
    Activation,
    Block,
    Filter,
    NestedBlock,
    Norm,
    Parameters,
    PolicyHead,
    ValueHead,
)

_OPSET: Final = 19
"""The first set of operators in which ``Pad`` has the mode ``wrap``."""
_IR_VERSION: Final = 9
_AXES: Final = np.array([2, 3], np.int64)
_OUTPUTS: Final = ("policy", "value", "score", "ownership")


def onnx_of(parameters: Parameters, properties: dict[str, str]) -> bytes:
    """Return a network as the content of an ONNX file, with properties of the model."""
    graph = _Graph(parameters)
    points = "size*size"
    planes, whole = parameters.first.weights.shape[2], len(parameters.first_globals)
    inputs = {"planes": ["boards", planes, "size", "size"], "globals": ["boards", whole]}
    widths = dict(zip(_OUTPUTS, (f"{points}+1", 3, parameters.value.score.shape[1], points), strict=True))
    made = helper.make_graph(
        graph.nodes,
        "network",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in inputs.items()],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["boards", width]) for name, width in widths.items()],
        graph.constants,
    )
    opsets = [helper.make_opsetid("", _OPSET)]
    model = helper.make_model(made, opset_imports=opsets, ir_version=_IR_VERSION, producer_name="daoqi-tui")
    helper.set_model_props(model, properties)
    data: bytes = model.SerializeToString()
    return data


class _Graph:
    """The graph of a network; methods add the nodes of a part and return its output's name."""

    def __init__(self, parameters: Parameters) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        size = self.op("Cast", self.op("Shape", "planes", start=2, end=3), to=TensorProto.FLOAT)
        size = self.op("Sub", size, self.constant(np.float32(14)))
        self._apart = self.op("Mul", size, self.constant(np.float32(0.1)))
        for name, output in zip(_OUTPUTS, self.network(parameters), strict=True):
            self.nodes.append(helper.make_node("Identity", [output], [name]))

    def constant(self, array: NDArray[Any] | np.float32) -> str:
        name = f"constant {len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array).reshape(np.shape(array)), name))
        return name

    def op(self, kind: str, *inputs: str, **attributes: Any) -> str:  # noqa: ANN401 (of ONNX's operators)
        name = f"{kind} {len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def conv(self, boards: str, layer: Filter, norm: Norm | None = None) -> str:
        """Add a convolution, with the norm after it folded in if one is given, but not its activation."""
        weights, kernel = layer.weights, len(layer.weights)
        if kernel > 1:
            reach = kernel // 2 * layer.dilation
            around = self.constant(np.array([0, 0, reach, reach] * 2, np.int64))
            boards = self.op("Pad", boards, around, mode="wrap")
        inputs = [boards]
        if norm is not None:
            weights = weights * norm.scale
        inputs.append(self.constant(weights.transpose(3, 2, 0, 1)))
        if norm is not None:
            inputs.append(self.constant(norm.bias))
        return self.op("Conv", *inputs, dilations=[layer.dilation] * 2, kernel_shape=[kernel] * 2)

    def activation(self, boards: str, activation: Activation) -> str:
        match activation:
            case Activation.IDENTITY:
                return boards
            case Activation.RELU:
                return self.op("Relu", boards)
            case Activation.MISH:
                return self.op("Mish", boards)
            case Activation.SILU:
                return self.op("Mul", boards, self.op("Sigmoid", boards))

    def norm(self, boards: str, norm: Norm) -> str:
        scale, bias = (self.constant(numbers[None, :, None, None]) for numbers in (norm.scale, norm.bias))
        return self.activation(self.op("Add", self.op("Mul", boards, scale), bias), norm.activation)

    def product(self, rows: str, weights: NDArray[Any], bias: NDArray[Any] | None = None) -> str:
        made = self.op("MatMul", rows, self.constant(weights))
        return made if bias is None else self.op("Add", made, self.constant(bias))

    def add_bias(self, boards: str, rows: str) -> str:
        return self.op("Add", boards, self.op("Unsqueeze", rows, self.constant(_AXES)))

    def mean(self, boards: str) -> str:
        return self.op("ReduceMean", boards, self.constant(_AXES), keepdims=0)

    def pool(self, boards: str) -> str:
        mean = self.mean(boards)
        most = self.op("ReduceMax", boards, self.constant(_AXES), keepdims=0)
        return self.op("Concat", mean, self.op("Mul", mean, self._apart), most, axis=1)

    def block(self, trunk: str, block: Block | NestedBlock) -> str:
        normed = self.norm(trunk, block.before)
        if isinstance(block, NestedBlock):
            inner = self.conv(normed, block.narrow)
            for nested in block.blocks:
                inner = self.block(inner, nested)
            return self.op("Add", trunk, self.conv(self.norm(inner, block.after), block.widen))
        inner = self.conv(normed, block.first, block.between)
        if block.pooling:
            pooling = block.pooling
            side = self.activation(self.conv(normed, pooling.conv, pooling.norm), pooling.norm.activation)
            inner = self.add_bias(inner, self.product(self.pool(side), pooling.weights * block.between.scale))
        return self.op("Add", trunk, self.conv(self.activation(inner, block.between.activation), block.second))

    def network(self, parameters: Parameters) -> tuple[str, str, str, str]:
        """Add everything; return policy, value, score and ownership."""
        first = self.product("globals", parameters.first_globals)
        trunk = self.add_bias(self.conv("planes", parameters.first), first)
        for block in parameters.blocks:
            trunk = self.block(trunk, block)
        tip = self.norm(trunk, parameters.tip)
        return self.policy(tip, parameters.policy), *self.value(tip, parameters.value)

    def policy(self, tip: str, head: PolicyHead) -> str:
        pooling = head.pooling
        pooled = self.pool(self.activation(self.conv(tip, pooling.conv, pooling.norm), pooling.norm.activation))
        inner = self.add_bias(self.conv(tip, head.conv), self.product(pooled, pooling.weights))
        plays = replace(head.plays, weights=head.plays.weights[..., :1])
        if (layer := head.pass_layer) is None:
            passing = self.product(pooled, head.pass_weights[:, :1])
        else:
            hidden = self.activation(self.product(pooled, head.pass_weights, layer.bias), layer.activation)
            passing = self.product(hidden, layer.weights[:, :1])
        return self.op("Concat", self.op("Flatten", self.conv(self.norm(inner, head.norm), plays)), passing, axis=1)

    def value(self, tip: str, head: ValueHead) -> tuple[str, str, str]:
        inner = self.activation(self.conv(tip, head.conv, head.norm), head.norm.activation)
        mean = self.mean(inner)
        squared = self.op("Sub", self.op("Mul", self._apart, self._apart), self.constant(np.float32(0.1)))
        scaled = [self.op("Mul", mean, factor) for factor in (self._apart, squared)]
        hidden = self.product(self.op("Concat", mean, *scaled, axis=1), head.hidden, head.hidden_bias)
        hidden = self.activation(hidden, head.activation)
        return (
            self.product(hidden, head.value, head.value_bias),
            self.product(hidden, head.score, head.score_bias),
            self.op("Flatten", self.conv(inner, replace(head.ownership, weights=head.ownership.weights[..., :1]))),
        )
