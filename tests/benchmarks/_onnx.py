"""A network as an ONNX graph with circular padding, for comparing onnxruntime with numpy."""

from __future__ import annotations

from typing import Any

import numpy as np

from daoqi_tui.ai.network.network import Activation, Block, Filter, NestedBlock, Norm, Parameters

_OPERATORS = {Activation.RELU: "Relu", Activation.MISH: "Mish"}
_AXES = np.array([2, 3], np.int64)


class Graph:
    """The graph of a network for boards of one size; methods add the nodes of a part and return its output's name."""

    def __init__(self, parameters: Parameters, size: int) -> None:
        from onnx import TensorProto, helper, numpy_helper

        self.helper, self.numpy_helper = helper, numpy_helper
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.apart = np.float32((size - 14) * 0.1)
        self.add_network(parameters)
        planes, whole = parameters.first.weights.shape[2], len(parameters.first_globals)
        inputs = {"planes": ["boards", planes, size, size], "whole": ["boards", whole]}
        self.graph = helper.make_graph(
            self.nodes,
            "network",
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in inputs.items()],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in self.outputs],
            self.constants,
        )

    def model(self) -> bytes:
        """Return the content of the model's file."""
        opsets = [self.helper.make_opsetid("", 19)]
        made: bytes = self.helper.make_model(self.graph, opset_imports=opsets, ir_version=9).SerializeToString()
        return made

    def constant(self, array: Any) -> str:
        name = f"constant {len(self.constants)}"
        self.constants.append(self.numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        name = f"value {len(self.nodes)}"
        self.nodes.append(self.helper.make_node(kind, list(inputs), [name], **attributes))
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
        return boards if activation is Activation.IDENTITY else self.op(_OPERATORS[activation], boards)

    def norm(self, boards: str, norm: Norm) -> str:
        scale, bias = (self.constant(numbers[None, :, None, None]) for numbers in (norm.scale, norm.bias))
        return self.activation(self.op("Add", self.op("Mul", boards, scale), bias), norm.activation)

    def product(self, rows: str, weights: Any, bias: Any = None) -> str:
        made = self.op("MatMul", rows, self.constant(weights))
        return made if bias is None else self.op("Add", made, self.constant(bias))

    def add_bias(self, boards: str, rows: str) -> str:
        return self.op("Add", boards, self.op("Unsqueeze", rows, self.constant(_AXES)))

    def mean(self, boards: str) -> str:
        return self.op("ReduceMean", boards, self.constant(_AXES), keepdims=0)

    def pool(self, boards: str) -> str:
        mean = self.mean(boards)
        most = self.op("ReduceMax", boards, self.constant(_AXES), keepdims=0)
        return self.op("Concat", mean, self.op("Mul", mean, self.constant(self.apart)), most, axis=1)

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

    def add_network(self, parameters: Parameters) -> None:
        policy, value = parameters.policy, parameters.value
        assert policy.pass_layer is None, "formats 15 and 16 are not drawn as a graph"
        trunk = self.add_bias(self.conv("planes", parameters.first), self.product("whole", parameters.first_globals))
        for block in parameters.blocks:
            trunk = self.block(trunk, block)
        tip = self.norm(trunk, parameters.tip)
        pooling = policy.pooling
        pooled = self.pool(self.activation(self.conv(tip, pooling.conv, pooling.norm), pooling.norm.activation))
        inner = self.add_bias(self.conv(tip, policy.conv), self.product(pooled, pooling.weights))
        plays = self.op("Flatten", self.conv(self.norm(inner, policy.norm), policy.plays))
        logits = self.op("Concat", plays, self.product(pooled, policy.pass_weights), axis=1)
        inner = self.activation(self.conv(tip, value.conv, value.norm), value.norm.activation)
        mean, apart = self.mean(inner), self.apart
        scaled = [self.op("Mul", mean, self.constant(np.float32(factor))) for factor in (apart, apart * apart - 0.1)]
        hidden = self.product(self.op("Concat", mean, *scaled, axis=1), value.hidden, value.hidden_bias)
        hidden = self.activation(hidden, value.activation)
        self.outputs = (
            logits,
            self.product(hidden, value.value, value.value_bias),
            self.product(hidden, value.score, value.score_bias),
            self.op("Flatten", self.conv(inner, value.ownership)),
        )
