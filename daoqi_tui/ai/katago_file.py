"""Reads the weights of a KataGo network. What a file holds in which order is told by KataGo's own reader, desc.cpp."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np

from daoqi_tui.ai.katago_format import SUPPORTED, Header, NetError, header_of, unpacked
from daoqi_tui.ai.network_grid import Floats
from daoqi_tui.ai.network_parameters import Block, Filter, Norm, Parameters, PolicyHead, Pooling, ValueHead

_BINARY: Final = b"@BIN@"
_MOST: Final = 4096
"""Channels, blocks or points of a kernel that a sound file may have."""
_LOOK: Final = 4096
"""Bytes in which the header ends."""
_SCORES: Final = {3: 1, 4: 2, 5: 2, 6: 2, 7: 2, 8: 4}
"""For each model format how many things the network says of the score."""


def read_network(path: Path) -> tuple[Header, Parameters]:
    """The header and the weights in a file.

    Raises:
        NetError: the file cannot be read, or is none that is supported.
    """
    return _Reader(path).network()


class _Reader:
    """Goes through a file word by word."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._content = unpacked(path)
        self._at = 0
        self._is_binary = _BINARY in self._content
        # Where numbers are text, a file is best cut into words all at once.
        self._words = [] if self._is_binary else self._content.split()

    def network(self) -> tuple[Header, Parameters]:
        header = header_of(self._content[:_LOOK].split(maxsplit=4)[:4], self._path)
        for _ in range(5):
            self._word()
        blocks, channels = self._number(), self._number()
        for _ in range(4):
            self._number()
        first = self._conv(header.planes, channels)
        first_globals = self._matrix(header.globals, channels)
        trunk = tuple(self._block(channels) for _ in range(blocks))
        tip = self._norm_and_relu(channels)
        parameters = Parameters(
            first, first_globals, trunk, tip, self._policy(channels), self._value(channels, _SCORES[header.format])
        )
        return header, parameters

    def _block(self, channels: int) -> Block:
        kind = self._word().decode("ascii", "replace")
        if kind not in ("ordinary_block", "gpool_block"):
            raise NetError(f"{self._path.name} has a block of the kind {kind[:40]}; {SUPPORTED}")
        self._word()
        before = self._norm_and_relu(channels)
        first = self._conv(channels)
        middle = first.weights.shape[3]
        pooling = None
        if kind == "gpool_block":
            conv = self._conv(channels)
            side = conv.weights.shape[3]
            pooling = Pooling(conv, self._norm_and_relu(side), self._matrix(3 * side, middle))
        between = self._norm_and_relu(middle)
        return Block(before, first, pooling, between, self._conv(middle, channels))

    def _policy(self, channels: int) -> PolicyHead:
        self._word()
        conv, side = self._conv(channels), self._conv(channels)
        inner, pooled = conv.weights.shape[3], side.weights.shape[3]
        pooling = Pooling(side, self._norm_and_relu(pooled), self._matrix(3 * pooled, inner))
        norm = self._norm_and_relu(inner)
        return PolicyHead(conv, pooling, norm, self._conv(inner, 1), self._matrix(3 * pooled, 1))

    def _value(self, channels: int, scores: int) -> ValueHead:
        self._word()
        conv = self._conv(channels)
        inner = conv.weights.shape[3]
        norm = self._norm_and_relu(inner)
        hidden = self._matrix(3 * inner)
        width = hidden.shape[1]
        hidden_bias = self._bias(width)
        self._word()
        value, value_bias = self._matrix(width, 3), self._bias(3)
        score, score_bias = self._matrix(width, scores), self._bias(scores)
        return ValueHead(conv, norm, hidden, hidden_bias, value, value_bias, score, score_bias, self._conv(inner, 1))

    # Layers

    def _conv(self, inputs: int, outputs: int | None = None) -> Filter:
        self._word()
        rows, columns, given, made, down, right = (self._number() for _ in range(6))
        if rows != columns or not rows % 2 or down != right or down < 1:
            raise NetError(f"{self._path.name} has a convolution of {rows}×{columns} points; {SUPPORTED}")
        self._agree(given, inputs)
        self._agree(made, outputs)
        return Filter(self._floats(rows * columns * given * made).reshape(rows, columns, given, made), down)

    def _norm_and_relu(self, channels: int) -> Norm:
        self._word()
        self._agree(self._number(), channels)
        epsilon = self._decimal()
        has_scale, has_bias = self._number(), self._number()
        mean, variance = self._floats(channels), self._floats(channels)
        scale = self._floats(channels) if has_scale else np.ones(channels, np.float32)
        bias = self._floats(channels) if has_bias else np.zeros(channels, np.float32)
        if not (variance + epsilon > 0).all():
            raise self._damaged()
        scale = np.asarray(scale / np.sqrt(variance.astype(np.float64) + epsilon), np.float32)
        self._word()
        return Norm(scale, np.asarray(bias - scale * mean, np.float32))

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
            raise NetError(f"{self._path.name} has {given} channels where {wanted or 1} belong; {SUPPORTED}")

    def _word(self) -> bytes:
        if not self._is_binary:
            if self._at >= len(self._words):
                raise self._damaged()
            self._at += 1
            return self._words[self._at - 1]
        words = self._content[self._at : self._at + 256].split(maxsplit=1)
        if not words:
            raise self._damaged()
        start = self._content.index(words[0], self._at)
        self._at = start + len(words[0])
        return words[0]

    def _number(self) -> int:
        try:
            number = int(self._word())
        except ValueError:
            raise self._damaged() from None
        if not 0 <= number <= _MOST:
            raise self._damaged()
        return number

    def _decimal(self) -> float:
        try:
            return float(self._word())
        except ValueError:
            raise self._damaged() from None

    def _floats(self, count: int) -> Floats:
        try:
            floats = self._binary(count) if self._is_binary else self._text(count)
        except ValueError:
            raise self._damaged() from None
        if not np.isfinite(floats).all():
            raise NetError(f"{self._path.name} holds weights that are no numbers; {SUPPORTED}")
        return floats

    def _binary(self, count: int) -> Floats:
        start = self._content.index(_BINARY, self._at, self._at + 256) + len(_BINARY)
        self._at = start + 4 * count
        # A copy that belongs to numpy, aligned and in the order of this machine.
        return np.frombuffer(self._content, "<f4", count, start).astype(np.float32)

    def _text(self, count: int) -> Floats:
        words = self._words[self._at : self._at + count]
        if len(words) != count:
            raise ValueError
        self._at += count
        return np.array(words).astype(np.float32)

    def _damaged(self) -> NetError:
        return NetError(f"{self._path.name} is damaged or cut short; {SUPPORTED}")
