"""Evaluations per second of networks in numpy, with compiled transforms or in bytes, in onnxruntime and in torch.

python tests/benchmarks/network.py [FILE ...] [--size 16] [--seconds 2]

All run on one thread, in turns, and are measured in CPU time, so that other programs do not count; the best of several
rounds is printed. The networks are those in the files, or have random weights and the architecture of the built-in one:
circular padding, pooling blocks, all heads.
"""

from __future__ import annotations

import os

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

# ruff: noqa: E402 - numpy reads the environment when it is imported
import argparse
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from daoqi_tui.ai.compiled import compile_all
from daoqi_tui.ai.nets import read
from daoqi_tui.ai.network.convolution import KERNEL, KERNELS, ROUNDED
from daoqi_tui.ai.network.network import Block, Filter, Network, Norm, Parameters, PolicyHead, Pooling, ValueHead

PLANES, GLOBALS, ROUNDS = 22, 19, 5
Runner: TypeAlias = Callable[[Any, Any], Any]


def network_of(blocks: int, channels: int) -> Parameters:
    """Return a network with random weights; every third block has pooling."""
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


def parameters_in(path: Path) -> Parameters:
    """Return the weights in a file."""
    return read(path)[1]


def runners(parameters: Parameters, size: int) -> dict[str, Runner]:
    """Return a function for each installed library that can run the network."""
    network = Network(parameters)
    found: dict[str, Runner] = {"numpy": lambda planes, whole: network.run(planes, whole, size).policy}
    try:
        KERNEL.compile()
    except ImportError:
        print("numba is not installed")
    else:
        functions, fast = KERNEL.functions, Network(parameters)

        def run(functions: Any, network: Network, planes: Any, whole: Any) -> Any:
            KERNEL.functions = functions
            return network.run(planes, whole, size).policy

        found = {"numpy": partial(run, None, network), "compiled": partial(run, functions, fast)}
        compile_all(KERNELS)
        if ROUNDED.functions is not None:
            rounded = Network(parameters, rounded=True)
            found["bytes"] = lambda planes, whole: rounded.run(planes, whole, size).policy
    try:
        import torch

        from daoqi_tui.ai.network.torch_network import TorchNetwork
    except ImportError:
        print("torch is not installed")
    else:
        torch.set_num_threads(1)

        def run_torch(module: TorchNetwork, planes: Any, whole: Any) -> Any:
            return module.run(planes, whole, size).policy

        for name, kind in (("torch", torch.float32), ("torch bfloat16", torch.bfloat16)):
            module = TorchNetwork(parameters, torch.device("cpu"), kind=kind)
            found[name] = partial(run_torch, module)
    try:
        import onnxruntime

        from daoqi_tui.lab.onnx_graph import onnx_of
    except ImportError:
        print("onnxruntime and onnx are not installed")
        return found
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    model = onnx_of(parameters, {})
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    def run_onnx(planes: Any, whole: Any) -> Any:
        boards = np.ascontiguousarray(planes.reshape(len(planes), size, size, -1).transpose(0, 3, 1, 2))
        return session.run(None, {"planes": boards, "globals": whole})[0]

    found["onnxruntime"] = run_onnx
    return found


def main() -> None:
    """Print a table."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--size", type=int, default=16)
    options.add_argument("--seconds", type=float, default=2.0, help="of CPU time for each number in the table")
    options.add_argument("--batches", type=int, nargs="+", default=(1, 8, 16, 32), metavar="N")
    options.add_argument("files", type=Path, nargs="*", metavar="FILE")
    given = options.parse_args()
    size = given.size
    networks: dict[str, Callable[[], Parameters]] = {
        f"{blocks}×{channels}": partial(network_of, blocks, channels)
        for blocks, channels in ((4, 32), (6, 64), (10, 96))
    }
    if given.files:
        networks = {path.name[:24]: partial(parameters_in, path) for path in given.files}
    for name_of_network, load in networks.items():
        found = runners(load(), size)
        for boards in given.batches:
            rng = np.random.default_rng(boards)
            planes = (rng.random((boards, size * size, PLANES)) < 0.2).astype(np.float32)
            planes[:, :, 0] = 1
            whole = rng.random((boards, GLOBALS)).astype(np.float32)
            policies = {name: run(planes, whole) for name, run in found.items()}
            for name, policy in policies.items():
                apart = float(np.abs(policy - policies["numpy"]).max()) / (1 + float(np.abs(policies["numpy"]).max()))
                assert apart < (1e-4 if name in ("numpy", "compiled", "torch", "onnxruntime") else 0.1), (name, apart)
            best = dict.fromkeys(found, 0.0)
            for _ in range(ROUNDS):
                for name, run in found.items():
                    end = time.process_time() + given.seconds / ROUNDS
                    count, start = 0, time.process_time()
                    while time.process_time() < end:
                        run(planes, whole)
                        count += boards
                    best[name] = max(best[name], count / (time.process_time() - start))
            speeds = "  ".join(f"{name} {speed:7.1f}/s" for name, speed in best.items())
            ratios = "  ".join(f"{best['numpy'] / best[name]:.2f}× {name}" for name in best if name != "numpy")
            print(f"{name_of_network} {size}×{size}, batch {boards:2}: {speeds}   {ratios}", flush=True)


if __name__ == "__main__":
    main()
