"""Evaluations a second of networks in plain numpy, beside onnxruntime and torch where they are installed.

python tests/benchmarks/network.py [--size 16] [--seconds 2]

All on one thread, in turns, so that a busy machine slows them alike; the best of several rounds counts. The networks
have random weights and the architecture of the player's own: circular padding, a pooling block, all heads.
"""

from __future__ import annotations

import os

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

# ruff: noqa: E402 - numpy reads the environment when it is imported
import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from daoqi_tui.ai.network import Network
from daoqi_tui.ai.network_parameters import Block, Filter, Norm, Parameters, PolicyHead, Pooling, ValueHead

PLANES, GLOBALS, ROUNDS = 22, 19, 5
Runner: TypeAlias = Callable[[Any, Any], Any]


def network_of(blocks: int, channels: int) -> Parameters:
    """Random weights; every third block has pooling."""
    rng = np.random.default_rng(1)

    def conv(kernel: int, given: int, made: int) -> Filter:
        weights = rng.normal(size=(kernel, kernel, given, made)) / np.sqrt(kernel * kernel * given)
        return Filter(weights.astype(np.float32))

    def numbers(*shape: int) -> Any:
        return (rng.normal(size=shape) / 10).astype(np.float32)

    def norm(count: int) -> Norm:
        return Norm(1 + numbers(count), numbers(count))

    def pooling(kernel: int, given: int, side: int, made: int) -> Pooling:
        return Pooling(conv(kernel, given, side), norm(side), numbers(3 * side, made))

    trunk = []
    for number in range(blocks):
        middle, pool = channels, None
        if number % 3 == 2:
            pool = pooling(3, channels, channels // 4, channels)
        first, second = conv(3, channels, middle), conv(3, middle, channels)
        trunk.append(Block(norm(channels), first, pool, norm(middle), second))
    side = 24
    policy = PolicyHead(
        conv(1, channels, side), pooling(1, channels, side, side), norm(side), conv(1, side, 1), numbers(3 * side, 1)
    )
    value = ValueHead(
        conv(1, channels, side),
        norm(side),
        numbers(3 * side, 48),
        numbers(48),
        numbers(48, 3),
        numbers(3),
        numbers(48, 4),
        numbers(4),
        conv(1, side, 1),
    )
    return Parameters(
        conv(3, PLANES, channels), numbers(GLOBALS, channels), tuple(trunk), norm(channels), policy, value
    )


def torch_module(parameters: Parameters, size: int) -> Any:
    """The same network as a torch module, with circular padding."""
    import torch
    from torch import nn
    from torch.nn import functional

    def conv(layer: Filter, scale: Any = None, bias: Any = None) -> Any:
        kernel, _, given, made = layer.weights.shape
        built = nn.Conv2d(given, made, kernel, bias=bias is not None)
        weights = layer.weights if scale is None else layer.weights * scale
        built.weight.data = torch.from_numpy(np.ascontiguousarray(weights.transpose(3, 2, 0, 1)))
        if bias is not None:
            built.bias.data = torch.from_numpy(bias.copy())
        return built

    class Torus(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.convs = nn.ModuleList()
            self.numbers = nn.ParameterList()
            self.plan: list[Any] = []

        def keep(self, module: Any) -> int:
            self.convs.append(module)
            return len(self.convs) - 1

        def number(self, array: Any) -> int:
            self.numbers.append(nn.Parameter(torch.from_numpy(np.ascontiguousarray(array)), requires_grad=False))
            return len(self.numbers) - 1

        def conv(self, number: int, boards: Any) -> Any:
            module = self.convs[number]
            if module.kernel_size[0] > 1:
                boards = functional.pad(boards, (1, 1, 1, 1), mode="circular")
            return module(boards)

        def relu(self, numbers: tuple[int, int], boards: Any) -> Any:
            scale, bias = (self.numbers[number][None, :, None, None] for number in numbers)
            return torch.relu(boards * scale + bias)

        def pool(self, plan: tuple[int, int], boards: Any) -> tuple[Any, Any]:
            side = torch.relu(self.conv(plan[0], boards))
            mean = side.mean((2, 3))
            pooled = torch.cat((mean, mean * ((size - 14) * 0.1), side.amax((2, 3))), 1)
            return pooled, (pooled @ self.numbers[plan[1]])[:, :, None, None]

        def forward(self, planes: Any, whole: Any) -> Any:
            trunk = self.conv(self.first, planes) + (whole @ self.numbers[self.whole])[:, :, None, None]
            for before, first, pooling, second in self.plan:
                normed = self.relu(before, trunk)
                inner = self.conv(first, normed)
                if pooling is not None:
                    inner = inner + self.pool(pooling, normed)[1]
                trunk = trunk + self.conv(second, torch.relu(inner))
            tip = self.relu(self.tip, trunk)
            pooled, bias = self.pool(self.policy_pool, tip)
            plays = self.conv(self.plays, torch.relu(self.conv(self.policy, tip) + bias)).flatten(1)
            inner = torch.relu(self.conv(self.value, tip))
            mean, apart = inner.mean((2, 3)), (size - 14) * 0.1
            hidden = torch.cat((mean, mean * apart, mean * (apart * apart - 0.1)), 1)
            hidden = torch.relu(hidden @ self.numbers[self.hidden] + self.numbers[self.hidden + 1])
            value = hidden @ self.numbers[self.hidden + 2] + self.numbers[self.hidden + 3]
            score = hidden @ self.numbers[self.hidden + 4] + self.numbers[self.hidden + 5]
            policy = torch.cat((plays, pooled @ self.numbers[self.passing]), 1)
            return policy, value, score, self.conv(self.ownership, inner).flatten(1)

    made = Torus()

    def norm(layer: Norm) -> tuple[int, int]:
        return made.number(layer.scale), made.number(layer.bias)

    def pooling(layer: Pooling, scale: Any) -> tuple[int, int]:
        conv_number = made.keep(conv(layer.conv, layer.norm.scale, layer.norm.bias))
        return conv_number, made.number(layer.weights * scale)

    made.first, made.whole = made.keep(conv(parameters.first)), made.number(parameters.first_globals)
    for block in parameters.blocks:
        between = block.between
        pool = pooling(block.pooling, between.scale) if block.pooling else None
        first = made.keep(conv(block.first, between.scale, between.bias))
        made.plan.append((norm(block.before), first, pool, made.keep(conv(block.second))))
    made.tip = norm(parameters.tip)
    head, value = parameters.policy, parameters.value
    made.policy_pool = pooling(head.pooling, head.norm.scale)
    made.policy = made.keep(conv(head.conv, head.norm.scale, head.norm.bias))
    made.plays, made.passing = made.keep(conv(head.plays)), made.number(head.pass_weights)
    made.value = made.keep(conv(value.conv, value.norm.scale, value.norm.bias))
    arrays = (value.hidden, value.hidden_bias, value.value, value.value_bias, value.score, value.score_bias)
    made.hidden = min([made.number(array) for array in arrays])
    made.ownership = made.keep(conv(value.ownership))
    return made.eval()


def runners(parameters: Parameters, size: int) -> dict[str, Runner]:
    """Whatever can run the network here."""
    network = Network(parameters)
    found: dict[str, Runner] = {"numpy": lambda planes, whole: network.run(planes, whole, size).policy}
    try:
        import torch
    except ImportError:
        print("torch is not installed")
        return found
    torch.set_num_threads(1)
    module = torch_module(parameters, size)

    def boards(planes: Any) -> Any:
        return np.ascontiguousarray(planes.reshape(len(planes), size, size, -1).transpose(0, 3, 1, 2))

    def run_torch(planes: Any, whole: Any) -> Any:
        with torch.inference_mode():
            return module(torch.from_numpy(boards(planes)), torch.from_numpy(whole))[0].numpy()

    found["torch"] = run_torch
    try:
        import onnxruntime
    except ImportError:
        print("onnxruntime is not installed")
        return found
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "net.onnx")
        example = (torch.zeros(2, PLANES, size, size), torch.zeros(2, GLOBALS))
        names = {"planes": {0: "boards"}, "whole": {0: "boards"}}
        with torch.inference_mode():
            torch.onnx.export(module, example, path, input_names=list(names), dynamic_axes=names, dynamo=False)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    found["onnxruntime"] = lambda planes, whole: session.run(None, {"planes": boards(planes), "whole": whole})[0]
    return found


def main() -> None:
    """Print a table."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--size", type=int, default=16)
    options.add_argument("--seconds", type=float, default=2.0, help="for each number in the table")
    given = options.parse_args()
    size = given.size
    for blocks, channels in ((4, 32), (6, 64), (10, 96)):
        parameters = network_of(blocks, channels)
        found = runners(parameters, size)
        for boards in (1, 8, 16, 32):
            rng = np.random.default_rng(boards)
            planes = (rng.random((boards, size * size, PLANES)) < 0.2).astype(np.float32)
            whole = rng.random((boards, GLOBALS)).astype(np.float32)
            policies = {name: run(planes, whole) for name, run in found.items()}
            apart = max(float(np.abs(policy - policies["numpy"]).max()) for policy in policies.values())
            assert apart < 1e-3, apart
            best = dict.fromkeys(found, 0.0)
            for _ in range(ROUNDS):
                for name, run in found.items():
                    end = time.perf_counter() + given.seconds / ROUNDS
                    count, start = 0, time.perf_counter()
                    while time.perf_counter() < end:
                        run(planes, whole)
                        count += boards
                    best[name] = max(best[name], count / (time.perf_counter() - start))
            speeds = "  ".join(f"{name} {speed:7.0f}/s" for name, speed in best.items())
            ratios = "  ".join(f"{best['numpy'] / best[name]:.2f}× {name}" for name in best if name != "numpy")
            print(f"{blocks:2}×{channels:<3} {size}×{size}, batch {boards:2}: {speeds}   {ratios}", flush=True)


if __name__ == "__main__":
    main()
