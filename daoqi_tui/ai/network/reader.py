"""Reads the weights of KataGo's network files.

The order of the weights in a file follows KataGo's own reader, desc.cpp.
"""

from __future__ import annotations

from math import isfinite
from pathlib import Path
from typing import Final, TypeVar

import numpy as np

from daoqi_tui.ai.network import (
    MAX_CHANNELS,
    MAX_KERNEL,
    MAX_NESTING,
    NAMED_ACTIVATIONS,
    OPTIONS,
    POLICIES,
    SCORES,
    SUPPORTED,
    TRUNK_OPTIONS,
    Header,
    NetError,
    damaged,
    header_of,
    unpacked,
)
from daoqi_tui.ai.network.layout import Floats
from daoqi_tui.ai.network.network import (
    Activation,
    Block,
    Filter,
    NestedBlock,
    Norm,
    Parameters,
    PassLayer,
    PolicyHead,
    Pooling,
    ValueHead,
)
from daoqi_tui.message import Message

T = TypeVar("T", int, float)

_BINARY: Final = b"@BIN@"
_LONGEST: Final = 64
"""The maximum bytes of a number in a text file, including the separator."""
_PART: Final = 1 << 14


def read_network(path: Path) -> tuple[Header, Parameters]:
    """Read the header and the weights of a KataGo file.

    Raises:
        NetError: the file cannot be read, or is not supported.
    """
    return _Reader(path).network()


class _Reader:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._content = unpacked(path)
        self._at = 0
        self._format = 0
        self._is_binary = _BINARY in self._content

    def network(self) -> tuple[Header, Parameters]:
        header, length = header_of(self._content, self._path)
        self._format = header.format
        # The last word is the name of the trunk.
        for _ in range(length + 1):
            self._word()
        count, channels = self._number(), self._number()
        for _ in range(4):
            self._number()
        if self._format >= OPTIONS:
            for _ in range(TRUNK_OPTIONS):
                self._number()
        first = self._conv(header.planes, channels)
        first_globals = self._matrix(header.globals, channels)
        trunk = self._blocks(count, channels)
        tip = self._norm(channels)
        return header, Parameters(first, first_globals, trunk, tip, self._policy(channels), self._value(channels))

    def _blocks(self, count: int, channels: int, depth: int = 0) -> tuple[Block | NestedBlock, ...]:
        if depth > MAX_NESTING:
            raise damaged(self._path)
        return tuple(self._block(channels, depth) for _ in range(count))

    def _block(self, channels: int, depth: int) -> Block | NestedBlock:
        kind = self._word().decode("ascii", "replace")
        if kind not in ("ordinary_block", "gpool_block", "nested_bottleneck_block"):
            raise self._unsupported_block(kind)
        self._word()
        if kind == "nested_bottleneck_block":
            return self._nested(channels, depth)
        before = self._norm(channels)
        first = self._conv(channels)
        middle = first.weights.shape[3]
        pooling = None
        if kind == "gpool_block":
            conv = self._conv(channels)
            side = conv.weights.shape[3]
            pooling = Pooling(conv, self._norm(side), self._matrix(3 * side, middle))
        between = self._norm(middle)
        return Block(before, first, pooling, between, self._conv(middle, channels))

    def _nested(self, channels: int, depth: int) -> NestedBlock:
        count = self._number()
        before = self._norm(channels)
        narrow = self._conv(channels)
        inner = narrow.weights.shape[3]
        blocks = self._blocks(count, inner, depth + 1)
        return NestedBlock(before, narrow, blocks, self._norm(inner), self._conv(inner, channels))

    def _unsupported_block(self, kind: str) -> NetError:
        if kind.startswith("transformer"):
            return NetError(
                Message(
                    "{file} is a transformer network, which is not supported; {supported}",
                    file=self._path.name,
                    supported=SUPPORTED,
                )
            )
        return NetError(
            Message(
                "{file} has a block of the unsupported kind {kind}; {supported}",
                file=self._path.name,
                kind=kind[:40],
                supported=SUPPORTED,
            )
        )

    def _policy(self, channels: int) -> PolicyHead:
        self._word()
        conv, side = self._conv(channels), self._conv(channels)
        inner, pooled = conv.weights.shape[3], side.weights.shape[3]
        pooling = Pooling(side, self._norm(pooled), self._matrix(3 * pooled, inner))
        norm = self._norm(inner)
        policies = POLICIES[self._format]
        plays = self._conv(inner, policies)
        # The first policy is the ordinary one; the others are not computed.
        plays = Filter(np.ascontiguousarray(plays.weights[..., :1]), plays.dilation)
        if self._format < OPTIONS:
            return PolicyHead(conv, pooling, norm, plays, self._plain(self._matrix(3 * pooled, policies)))
        weights = self._matrix(3 * pooled, inner)
        bias, activation = self._bias(inner), self._activation()
        layer = PassLayer(bias, activation, self._plain(self._matrix(inner, policies)))
        return PolicyHead(conv, pooling, norm, plays, weights, layer)

    @staticmethod
    def _plain(weights: Floats) -> Floats:
        return np.ascontiguousarray(weights[:, :1])

    def _value(self, channels: int) -> ValueHead:
        self._word()
        conv = self._conv(channels)
        inner = conv.weights.shape[3]
        norm = self._norm(inner)
        hidden = self._matrix(3 * inner)
        width = hidden.shape[1]
        hidden_bias, activation = self._bias(width), self._activation()
        value, value_bias = self._matrix(width, 3), self._bias(3)
        scores = SCORES[self._format]
        score, score_bias = self._matrix(width, scores), self._bias(scores)
        ownership = self._conv(inner, 1)
        return ValueHead(conv, norm, hidden, hidden_bias, value, value_bias, score, score_bias, ownership, activation)

    # Layers

    def _conv(self, inputs: int, outputs: int | None = None) -> Filter:
        self._word()
        rows, columns, given, made, down, right = (self._number() for _ in range(6))
        if rows != columns or not rows % 2 or rows > MAX_KERNEL or down != right or down < 1:
            raise NetError(
                Message(
                    "{file} has an unsupported {rows}×{columns} convolution; {supported}",
                    file=self._path.name,
                    rows=rows,
                    columns=columns,
                    supported=SUPPORTED,
                )
            )
        self._agree(given, inputs)
        self._agree(made, outputs)
        return Filter(self._floats(rows * columns * given * made).reshape(rows, columns, given, made), down)

    def _norm(self, channels: int) -> Norm:
        """Read a batch normalisation and the activation after it."""
        self._word()
        self._agree(self._number(), channels)
        epsilon = self._decimal()
        has_scale, has_bias = self._number(), self._number()
        mean, variance = self._floats(channels), self._floats(channels)
        scale = self._floats(channels) if has_scale else np.ones(channels, np.float32)
        bias = self._floats(channels) if has_bias else np.zeros(channels, np.float32)
        spread = variance.astype(np.float64) + epsilon
        if not (spread > 0).all():
            raise damaged(self._path)
        with np.errstate(over="ignore"):
            scale = self._finite(np.asarray(scale / np.sqrt(spread), np.float32))
            bias = self._finite(np.asarray(bias - scale.astype(np.float64) * mean, np.float32))
        return Norm(scale, bias, self._activation())

    def _activation(self) -> Activation:
        self._word()
        if self._format < NAMED_ACTIVATIONS:
            return Activation.RELU
        name = self._word().decode("ascii", "replace")
        try:
            return Activation(name.removeprefix("ACTIVATION_").lower())
        except ValueError:
            raise NetError(
                Message(
                    "{file} has the unsupported activation {name}; {supported}",
                    file=self._path.name,
                    name=name[:40],
                    supported=SUPPORTED,
                )
            ) from None

    def _matrix(self, inputs: int, outputs: int | None = None) -> Floats:
        self._word()
        self._agree(self._number(), inputs)
        made = self._number()
        self._agree(made, outputs)
        return self._floats(inputs * made).reshape(inputs, made)

    def _bias(self, channels: int) -> Floats:
        self._word()
        self._agree(self._number(), channels)
        return self._floats(channels)

    # Words and numbers

    def _agree(self, given: int, wanted: int | None) -> None:
        if (wanted is not None and given != wanted) or given < 1:
            raise NetError(
                Message(
                    "{file} has {given} channels where {wanted} are expected; {supported}",
                    file=self._path.name,
                    given=given,
                    wanted=wanted or 1,
                    supported=SUPPORTED,
                )
            )

    def _word(self) -> bytearray:
        words = self._content[self._at : self._at + 256].split(maxsplit=1)
        if not words:
            raise damaged(self._path)
        start = self._content.index(words[0], self._at)
        self._at = start + len(words[0])
        return words[0]

    def _parsed(self, kind: type[T]) -> T:
        try:
            return kind(self._word())
        except ValueError:
            raise damaged(self._path) from None

    def _number(self) -> int:
        number = self._parsed(int)
        if not 0 <= number <= MAX_CHANNELS:
            raise damaged(self._path)
        return number

    def _decimal(self) -> float:
        number = self._parsed(float)
        if not isfinite(number):
            raise damaged(self._path)
        return number

    def _floats(self, count: int) -> Floats:
        try:
            floats = self._binary(count) if self._is_binary else self._text(count)
        except ValueError:
            raise damaged(self._path) from None
        return self._finite(floats)

    def _finite(self, floats: Floats) -> Floats:
        if not np.isfinite(floats).all():
            raise NetError(
                Message(
                    "{file} has weights that are not numbers; {supported}",
                    file=self._path.name,
                    supported=SUPPORTED,
                )
            )
        return floats

    def _binary(self, count: int) -> Floats:
        start = self._content.index(_BINARY, self._at, self._at + 256) + len(_BINARY)
        self._at = start + 4 * count
        # A copy owned by numpy, aligned and in native byte order.
        return np.frombuffer(self._content, "<f4", count, start).astype(np.float32)

    def _text(self, count: int) -> Floats:
        if 2 * count > len(self._content) - self._at + 1:
            raise ValueError
        floats = np.empty(count, np.float32)
        # In parts: as Python words, the numbers take ten times the size of the file.
        for start in range(0, count, _PART):
            part = floats[start : start + _PART]
            piece = bytes(self._content[self._at : self._at + len(part) * _LONGEST])
            words = piece.split(maxsplit=len(part))
            is_all = self._at + len(piece) == len(self._content)
            # The last element is the rest of the piece; without one, the last number may be cut off.
            rest = len(words.pop()) if len(words) > len(part) else 0
            if len(words) != len(part) or max(map(len, words)) > _LONGEST or not (rest or is_all):
                raise ValueError
            part[:] = np.array(words, f"S{_LONGEST}").astype(np.float32)
            self._at += len(piece) - rest
        return floats
