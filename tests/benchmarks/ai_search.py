"""Evaluations per second in searches of middle-game positions, compared with the network alone in full batches.

python tests/benchmarks/ai_search.py [--net auto] [--sizes 16 9] [--evaluations 400] [--positions 6] [--profile]
python tests/benchmarks/ai_search.py --threads 1 2 4 [--sizes 16 9] [--evaluations 400] [--positions 6]

Both are measured in CPU time in one process, in turns. The positions come from games sampled from the network's policy.
With ``--threads``, the script compares searches with these numbers of evaluators, in turns: the CPU time per evaluation
in the process with the tree, and in the evaluators. With a core for each, the slower of the two is the limit;
wall-clock figures also depend on other programs.
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
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from _arena import compile_kernels

from daoqi_tui.ai.evaluators import BATCH, Evaluators
from daoqi_tui.ai.nets import NetworkFiles, net_of
from daoqi_tui.ai.search import HISTORY, NetworkEvaluator
from daoqi_tui.ai.search.puct import Limits, PuctSearch
from daoqi_tui.engine import PASS, STANDARD_KOMI, Board, torus_of


def middle_game(network: NetworkEvaluator, size: int, seed: int) -> list[int]:
    """Return the moves of a game sampled from the policy, a quarter to a half as many as there are points."""
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
    """Return the evaluations per CPU second in full batches, with the inputs encoded beforehand."""
    batch = [network.encode(board, STANDARD_KOMI, moves[-HISTORY:], 0)] * BATCH
    size = board.torus.size
    network.evaluate(batch, size)
    count, start = 0, time.process_time()
    while time.process_time() < start + seconds:
        network.evaluate(batch, size)
        count += BATCH
    return count / (time.process_time() - start)


def cpu_seconds(pids: tuple[int, ...]) -> float:
    """Return the CPU time of other processes: fields 14 and 15 of ``stat`` in proc(5)."""
    stats = [Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split() for pid in pids]
    return sum(int(stat[11]) + int(stat[12]) for stat in stats) / os.sysconf("SC_CLK_TCK")


@dataclass
class Spent:
    """The time used by the searches with one number of threads, in seconds."""

    tree: float = 0.0
    evaluators: float = 0.0
    clock: float = 0.0


def thread_rates(net: str, size: int, threads: list[int], positions: int, evaluations: int) -> None:
    """Print the rates of searches with each number of threads; with one, the tree's process evaluates."""
    network = NetworkFiles().load(net)
    pools = {count: Evaluators(network, count) for count in threads if count > 1}
    for pool in pools.values():
        pool.start()
        while pool.ready < pool.running:
            pool.poll(None)
    spent = {count: Spent() for count in threads}
    for seed in range(positions):
        moves = middle_game(network, size, seed)
        for count in threads:
            board, used = Board(torus_of(size)), spent[count]
            for move in moves:
                board.make(move)
            search = PuctSearch(board, STANDARD_KOMI, network, recent=moves[-HISTORY:])
            search.evaluators = evaluators = pools.get(count)
            # A small tree has few leaves to evaluate at once.
            search.run(Limits(64))
            pids = evaluators.pids if evaluators is not None else ()
            tree, others, clock = time.process_time(), cpu_seconds(pids), time.perf_counter()
            search.run(Limits(64 + evaluations))
            used.tree += time.process_time() - tree
            used.evaluators += cpu_seconds(pids) - others
            used.clock += time.perf_counter() - clock
    for pool in pools.values():
        pool.close()
    made = positions * evaluations
    for count, used in spent.items():
        possible = made / max(used.tree, used.evaluators / count)
        print(
            f"{size}×{size}, {count} threads: tree {1000 * used.tree / made:.2f} ms, evaluators"
            f" {1000 * used.evaluators / made:.2f} ms an evaluation; {possible:.0f}/s where each has a core,"
            f" {made / used.clock:.0f}/s by the clock",
            flush=True,
        )


def main() -> None:
    """Print a line for each position and the means of each size."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--net", default="auto")
    options.add_argument("--sizes", type=int, nargs="+", default=[16, 9])
    options.add_argument("--evaluations", type=int, default=400)
    options.add_argument("--positions", type=int, default=6)
    options.add_argument("--profile", action="store_true", help="print where the time of the searches goes")
    options.add_argument("--threads", type=int, nargs="+", help="compare searches with so many evaluators")
    options.add_argument("--interpreted", action="store_true", help="do without the compiled kernels")
    given = options.parse_args()
    if not given.interpreted:
        compile_kernels()
    net = net_of(given.net) or "auto"
    if given.threads:
        for size in given.sizes:
            thread_rates(net, size, given.threads, given.positions, given.evaluations)
        return
    network = NetworkFiles().load(net)
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
            rate = search.visits / spent
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
