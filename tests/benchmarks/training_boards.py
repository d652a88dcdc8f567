"""Boards in tensors compared with the engine's, and the positions per second of self-play, on the available device.

    python tests/benchmarks/training_boards.py [--device cuda] [--size 16] [--boards 256 512 1024 2048] [--net FILE]

First plies of random games: in tensors all legal plays are found before each, as self-play needs them; the engine plays
the same kind of games one by one on one core, and finds all legal plays as well. Then positions per second of
policy-only play and of searched play, by an untrained network of the default shape or the one in FILE. Tensors and
engine take turns, and medians are printed. On the CPU, times are CPU time of one thread; on other devices, wall-clock
time.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from dataclasses import replace
from itertools import islice
from pathlib import Path
from statistics import median

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from daoqi_tui.engine import Board, torus_of
from daoqi_tui.lab.training.boards import Boards
from daoqi_tui.lab.training.evaluators import batch_evaluator_of, device_of
from daoqi_tui.lab.training.self_play import policy_positions, searched_games
from daoqi_tui.lab.training.settings import Finishing, PolicyPlay, Searching, Settings, Teaching
from daoqi_tui.lab.training.tensor_games import TensorGames

ROUNDS = 5


def wait(device: torch.device) -> None:
    """Wait until the device has finished its work."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def now(device: torch.device) -> float:
    """Return the time once the device has finished its work: CPU seconds, on other devices wall-clock seconds."""
    wait(device)
    return time.process_time() if device.type == "cpu" else time.perf_counter()


def tensors(boards: Boards, plies: int, chance: torch.Generator) -> float:
    """Play random plies on all boards; return plies per second."""
    start = now(boards.grid.device)
    for _ in range(plies):
        plays = boards.legal().plays
        weights = torch.cat((plays.float(), (~plays.any(1, keepdim=True)).float()), dim=1)
        boards.play(torch.multinomial(weights, 1, generator=chance)[:, 0])
    return len(boards) * plies / (now(boards.grid.device) - start)


def engines(size: int, plies: int, rng: random.Random) -> float:
    """Play random games one after another; return plies per second."""
    games = max(1, plies // size**2)
    start = time.process_time()
    for _ in range(games):
        board = Board(torus_of(size))
        for _ in range(size * size):
            choices = board.torus.points_in(board.legal_mask())
            if choices:
                board.play(rng.choice(choices))
            else:
                board.pass_turn()
    return games * size * size / (time.process_time() - start)


def plies(options: argparse.Namespace, device: torch.device) -> None:
    rng = random.Random(1)
    for count in options.boards:
        chance = torch.Generator(device).manual_seed(1)
        found, beside = [], []
        for _ in range(ROUNDS):
            boards = Boards(count, options.size, device)
            # Measured in short runs over a whole game, so that it covers the same stages as the engine's games.
            speeds = [tensors(boards, 16, chance) for _ in range(options.size**2 // 16)]
            found.append(len(speeds) / sum(1 / speed for speed in speeds))
            beside.append(engines(options.size, 2 * options.size**2, rng))
        ours, theirs = median(found), median(beside)
        print(f"{count} boards: {ours:,.0f} plies/s; the engine {theirs:,.0f}; ratio {ours / theirs:.2f}", flush=True)


def play(options: argparse.Namespace, device: torch.device) -> None:
    settings = Settings(device=device.type, batched="yes", ladders=False)
    network = batch_evaluator_of(options.net, settings)
    size, generator = options.size, torch.Generator(device).manual_seed(1)
    for count in options.boards:
        games, turns = TensorGames(network, size, count), 1 + ROUNDS * options.moves
        source = policy_positions(games, PolicyPlay(), Teaching(), generator, turns)
        next(source)
        speeds = []
        for _ in range(ROUNDS):
            start = now(device)
            made = sum(len(positions) for positions, *_ in islice(source, options.moves))
            speeds.append(made / (now(device) - start))
        print(f"{count} boards by the policy alone: {median(speeds):,.0f} positions/s", flush=True)
    searching = Searching()
    shorter = Finishing(exploratory=0.0, longest=options.searched / size**2)
    for count in options.boards:
        seconds = {}
        for full in (0.0, 1.0):
            start = now(device)
            games = TensorGames(network, size, count)
            searched_games(games, replace(searching, full=full), PolicyPlay(), shorter, generator)
            seconds[full] = (now(device) - start) / (count * options.searched)
        mean = searching.full * seconds[1.0] + (1 - searching.full) * seconds[0.0]
        print(
            f"{count} boards searched: {1 / seconds[1.0]:,.1f} moves/s with {searching.visits} visits, "
            f"{1 / seconds[0.0]:,.1f} with {searching.quick_visits}; {searching.full / mean:,.1f} positions/s "
            f"where {searching.full:.0%} are searched in full",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--size", type=int, default=16)
    parser.add_argument("--boards", type=int, nargs="+", default=[256, 512, 1024, 2048])
    parser.add_argument("--net", type=Path)
    parser.add_argument("--moves", type=int, default=4, help="of each round of play by the policy alone")
    parser.add_argument("--searched", type=int, default=6, help="moves of each searched game")
    parser.add_argument("--only", choices=("plies", "play"))
    options = parser.parse_args()
    device = device_of(Settings(device=options.device))
    if device.type == "cpu":
        torch.set_num_threads(1)
    print(f"{options.size}×{options.size} on {device}, torch {torch.__version__}")
    if options.only != "play":
        plies(options, device)
    if options.only != "plies":
        play(options, device)


if __name__ == "__main__":
    main()
