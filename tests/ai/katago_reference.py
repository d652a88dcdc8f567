"""A second reader of KataGo's network files, in torch and in double precision.

Written from the description of the format, with no code shared with the program: each layer is computed as it is read,
so that the comparison covers the meaning of the file, not the program's representation of it.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from daoqi_tui.ai.network.network import Outputs


class TorchKataGo:
    """The network in a file, applied to batches of positions on boards of one size.

    Args:
        path: the file.
        padding: ``wrap`` or ``zero``.
    """

    def __init__(self, path: Path, padding: str = "wrap") -> None:
        self.torch = pytest.importorskip(
            "torch", reason="torch is not installed, so there is no second network to compare with"
        )
        content = path.read_bytes()
        self.content = gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content
        self.binary = b"@BIN@" in self.content
        self.padding = padding

    # Reading

    def word(self) -> str:
        start = self.at
        while self.content[start : start + 1].isspace():
            start += 1
        end = start
        while end < len(self.content) and not self.content[end : end + 1].isspace():
            end += 1
        self.at = end
        return self.content[start:end].decode("ascii")

    def numbers(self, *shape: int) -> Any:
        count = int(np.prod(shape))
        if self.binary:
            start = self.content.index(b"@BIN@", self.at) + 5
            self.at = start + 4 * count
            flat = np.frombuffer(self.content[start : self.at], "<f4")
        else:
            flat = np.array([float(self.word()) for _ in range(count)], np.float32)
        return self.torch.tensor(flat.reshape(shape), dtype=self.torch.float64)

    def words(self, count: int) -> list[str]:
        return [self.word() for _ in range(count)]

    # Layers: each is read and applied

    def conv(self, boards: Any) -> Any:
        self.word()
        high, wide, given, made, down, right = map(int, self.words(6))
        weights = self.numbers(high, wide, given, made).permute(3, 2, 0, 1)
        assert boards.shape[1] == given
        reach = (high // 2) * down
        if reach and self.padding == "wrap":
            size = boards.shape[2]
            around = self.torch.arange(-reach, size + reach) % size
            boards = boards[:, :, around][:, :, :, around]
            reach = 0
        return self.torch.nn.functional.conv2d(boards, weights, padding=reach, dilation=(down, right))

    def batch_norm(self, boards: Any) -> Any:
        self.word()
        channels, epsilon = int(self.word()), float(self.word())
        has_scale, has_bias = map(int, self.words(2))
        mean, variance = self.numbers(channels), self.numbers(channels)
        scale = self.numbers(channels) if has_scale else self.torch.ones(channels)
        bias = self.numbers(channels) if has_bias else self.torch.zeros(channels)
        shape = (1, channels, 1, 1)
        normed = (boards - mean.view(shape)) / self.torch.sqrt(variance + epsilon).view(shape)
        return normed * scale.view(shape) + bias.view(shape)

    def activation(self, boards: Any) -> Any:
        functional = self.torch.nn.functional
        kinds: dict[str, Callable[[Any], Any]] = {
            "ACTIVATION_RELU": functional.relu,
            "ACTIVATION_MISH": functional.mish,
            "ACTIVATION_SILU": functional.silu,
            "ACTIVATION_IDENTITY": lambda boards: boards,
        }
        self.word()
        return kinds[self.word() if self.format >= 11 else "ACTIVATION_RELU"](boards)

    def product(self, rows: Any) -> Any:
        self.word()
        given, made = map(int, self.words(2))
        return rows @ self.numbers(given, made)

    def addend(self, rows: Any) -> Any:
        self.word()
        return rows + self.numbers(int(self.word()))

    # Parts

    def block(self, trunk: Any) -> Any:
        kind, _ = self.words(2)
        count = int(self.word()) if kind == "nested_bottleneck_block" else 0
        normed = self.activation(self.batch_norm(trunk))
        inner = self.conv(normed)
        if kind == "gpool_block":
            side = self.activation(self.batch_norm(self.conv(normed)))
            inner = inner + self.product(self.pooled(side))[:, :, None, None]
        for _ in range(count):
            inner = self.block(inner)
        return trunk + self.conv(self.activation(self.batch_norm(inner)))

    def pooled(self, boards: Any) -> Any:
        mean = boards.mean((2, 3))
        return self.torch.cat((mean, mean * (boards.shape[2] - 14) / 10, boards.amax((2, 3))), 1)

    def policy(self, tip: Any) -> Any:
        self.word()
        inner = self.conv(tip)
        pooled = self.pooled(self.activation(self.batch_norm(self.conv(tip))))
        inner = inner + self.product(pooled)[:, :, None, None]
        plays = self.conv(self.activation(self.batch_norm(inner)))
        passing = self.product(pooled)
        if self.format >= 15:
            passing = self.product(self.activation(self.addend(passing)))
        assert plays.shape[1] == passing.shape[1] == (4 if self.format == 16 else 2 if self.format >= 12 else 1)
        return self.torch.cat((plays[:, 0].flatten(1), passing[:, :1]), 1)

    def value(self, tip: Any) -> tuple[Any, Any, Any]:
        self.word()
        inner = self.activation(self.batch_norm(self.conv(tip)))
        mean, apart = inner.mean((2, 3)), (inner.shape[2] - 14) / 10
        pooled = self.torch.cat((mean, mean * apart, mean * (apart**2 - 0.1)), 1)
        hidden = self.activation(self.addend(self.product(pooled)))
        value = self.addend(self.product(hidden))
        return value, self.addend(self.product(hidden)), self.conv(inner)[:, 0].flatten(1)

    def run(self, planes: Any, whole: Any, size: int) -> Outputs:
        """Return all outputs; they are computed while the file is read from its beginning."""
        torch = self.torch
        self.at = 0
        _, model_format, *_ = self.words(4)
        self.format = int(model_format)
        self.words((7 if self.format >= 13 else 0) + (8 if self.format >= 15 else 0) + 1)
        count = int(self.words(6)[0])
        self.words(6 if self.format >= 15 else 0)
        boards = torch.tensor(planes, dtype=torch.float64).reshape(len(planes), size, size, -1).permute(0, 3, 1, 2)
        with torch.inference_mode():
            trunk = self.conv(boards)
            trunk = trunk + self.product(torch.tensor(whole, dtype=torch.float64))[:, :, None, None]
            for _ in range(count):
                trunk = self.block(trunk)
            tip = self.activation(self.batch_norm(trunk))
            outputs = (self.policy(tip), *self.value(tip))
        assert not self.content[self.at :].strip(), "something is left over"
        return Outputs(*(output.numpy().astype(np.float32) for output in outputs))
