"""Evaluations a second in a search of middle-game positions, beside those of the network alone in full batches.

python tests/benchmarks/ai_search.py [--net auto] [--sizes 16 9] [--evaluations 400] [--positions 6] [--profile]

Both by CPU time in one process, in turns. The positions come from games of the network's policy.
"""

from __future__ import annotations

import os

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

# ruff: noqa: E402 - numpy reads the environment when it is imported
import argparse
import cProfile
import pstats
import time

import numpy as np

from daoqi_tui.ai.katago.compiled import KERNEL as FEATURES
from daoqi_tui.ai.nets import NetworkFiles, net_of
from daoqi_tui.ai.search.evaluator import HISTORY, NetworkEvaluator
from daoqi_tui.ai.search.mcts import Limits
from daoqi_tui.ai.search.puct import BATCH, PuctSearch
from daoqi_tui.ai.search.puct import KERNEL as CHOICE
from daoqi_tui.engine import PASS, STANDARD_KOMI, Board, torus_of

KERNELS = (FEATURES, CHOICE)


def middle_game(network: NetworkEvaluator, size: int, seed: int) -> list[int]:
    """Return the moves of a game sampled from the policy, up to between a quarter and a half of the points."""
    rng = np.random.default_rng(seed)
    board, moves = Board(torus_of(size)), [int(point) for point in rng.choice(size * size, 2, replace=False)]
    for move in moves:
        board.make(move)
    length = int(size * size * rng.uniform(0.25, 0.5))
    while len(moves) < length:
        inputs = network.encode(board, STANDARD_KOMI, moves[-HISTORY:], 0)
        policy = network.evaluate([inputs], size)[0].policy[:-1].astype(np.float64) ** 1.5
        policy *= [board.colours[point] == 0 and board.refusal(point) is None for point in range(size * size)]
        move = int(rng.choice(size * size, p=policy / policy.sum())) if policy.any() else PASS
        board.make(move)
        moves.append(move)
    return moves


def raw_rate(network: NetworkEvaluator, board: Board, moves: list[int], seconds: float) -> float:
    """Return the evaluations per CPU second of one full batch after the other, their inputs made before."""
    batch = [network.encode(board, STANDARD_KOMI, moves[-HISTORY:], 0)] * BATCH
    size = board.torus.size
    network.evaluate(batch, size)
    count, start = 0, time.process_time()
    while time.process_time() < start + seconds:
        network.evaluate(batch, size)
        count += BATCH
    return count / (time.process_time() - start)


def compile_kernels() -> None:
    """Compile what the player's process compiles in the background."""
    for kernel in KERNELS:
        kernel.compile()


def main() -> None:
    """Print a line for each position and the means of each size."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--net", default="auto")
    options.add_argument("--sizes", type=int, nargs="+", default=[16, 9])
    options.add_argument("--evaluations", type=int, default=400)
    options.add_argument("--positions", type=int, default=6)
    options.add_argument("--profile", action="store_true", help="print where the time of the searches goes")
    options.add_argument("--interpreted", action="store_true", help="do without the compiled kernels")
    given = options.parse_args()
    if not given.interpreted:
        compile_kernels()
    network = NetworkFiles().load(net_of(given.net) or "auto")
    profiler = cProfile.Profile() if given.profile else None
    for size in given.sizes:
        shares = []
        for seed in range(given.positions):
            moves = middle_game(network, size, seed)
            board = Board(torus_of(size))
            for move in moves:
                board.make(move)
            before = raw_rate(network, board, moves, 0.5)
            if profiler:
                profiler.enable()
            start = time.process_time()
            search = PuctSearch(board, STANDARD_KOMI, network, recent=moves[-HISTORY:])
            search.run(Limits(given.evaluations))
            spent = time.process_time() - start
            if profiler:
                profiler.disable()
            raw = (before + raw_rate(network, board, moves, 0.5)) / 2
            rate = search.playouts / spent
            shares.append(rate / raw)
            print(
                f"{size}×{size}, {len(moves):3} moves:"
                f" search {rate:6.0f}/s, network {raw:6.0f}/s, share {rate / raw:.2f}"
            )
        print(f"{size}×{size}: mean share {np.mean(shares):.3f}", flush=True)
    if profiler:
        pstats.Stats(profiler).sort_stats("tottime").print_stats(40)


if __name__ == "__main__":
    main()
