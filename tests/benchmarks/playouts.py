"""Random games per second: the kernel in both forms compared with the 2022 listing, all in one run on one core.

    python tests/benchmarks/playouts.py [--size 16] [--seconds 5] [--rival "libego=./libego"]

A rival is a program that takes a number of games, plays as many plain ones, and prints their number, their moves and
the seconds of CPU time used. Unlike the kernel, it is not called from Python for every game.

Both games and moves are counted, because the listing's games run on to the limit of three moves per point: it has no
rule against single-stone suicide. The ratio is that of moves per second. Seconds are CPU time.
"""

from __future__ import annotations

import argparse
import random
import shlex
import subprocess
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from _listing import load_listing

from daoqi_tui.ai.playout.backend import Backend, Tables, compiled, copy, interpreted
from daoqi_tui.ai.playout.policy import PATTERNS, PLAIN, TACTICS
from daoqi_tui.engine import torus_of

ROUNDS = 5
RIVAL_GAMES = 5000
"""Games of a rival in each round."""


def listing_game(module: Any, size: int, rng: random.Random) -> int:
    """Play a random game with the listing, with legal plays outside own eyes found by trial; return its length."""
    state = module.GameState(size=size)
    points = [(row, column) for row in range(size) for column in range(size)]
    passes = 0
    for move in range(3 * size * size):
        mine = state.current_player
        for _ in range(4 * len(points)):
            point = rng.choice(points)
            if state.is_legal(point) and not state.is_eyeish(point, mine):
                break
        else:
            point = None
        state.do_move(point)
        passes = passes + 1 if point is None else 0
        if passes == 2:
            return move + 1
    return 3 * size * size


def kernel_game(backend: Backend, size: int, style: int) -> Callable[[], int]:
    """Return a function that plays one game with the kernel from the empty board and returns its length."""
    torus = torus_of(size)
    tables = Tables.of(torus, backend)
    root, work = backend.empty_state(torus.points), backend.empty_state(torus.points)
    backend.load(torus.points, tables.near, root, backend.sequence([0] * torus.points))
    moves = backend.sequence([0] * (3 * torus.points))
    rng = random.Random(1)

    def game() -> int:
        copy(root, work)
        seed = rng.getrandbits(32)
        return backend.playout(tables.near, tables.diagonal, tables.pattern, work, moves, 1, style, seed)

    game()
    return game


def measure(game: Callable[[], int], seconds: float, tally: list[float]) -> None:
    """Play for some seconds of CPU time; add games, moves and seconds used to ``tally``."""
    start = time.process_time()
    while time.process_time() - start < seconds:
        tally[1] += game()
        tally[0] += 1
    tally[2] += time.process_time() - start


def measure_rival(command: str, seconds: float, tally: list[float]) -> None:
    """Do as :func:`measure`, with a rival."""
    until = tally[2] + seconds
    while tally[2] < until:
        played = subprocess.run(
            [*shlex.split(command), str(RIVAL_GAMES)], stdout=subprocess.PIPE, check=True, text=True
        )
        for place, number in enumerate(played.stdout.split()):
            tally[place] += float(number)


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--size", type=int, default=16)
    options.add_argument("--seconds", type=float, default=5.0, help="for each row")
    options.add_argument("--rival", metavar="NAME=COMMAND", action="append", default=[])
    given = options.parse_args()
    rows: list[tuple[str, Callable[[float, list[float]], None]]] = []
    listing = load_listing()
    rng = random.Random(1)
    rows.append(("listing of 2022", partial(measure, lambda: listing_game(listing, given.size, rng))))
    backends = [interpreted()]
    try:
        backends.append(compiled())
    except ImportError:
        print("numba is not installed: no compiled rows")
    for backend in backends:
        for name, style in (
            ("plain", PLAIN),
            ("tactics", TACTICS),
            ("tactics and patterns", TACTICS | PATTERNS),
        ):
            rows.append((f"{backend.name}, {name}", partial(measure, kernel_game(backend, given.size, style))))
    for rival in given.rival:
        name, _, command = rival.partition("=")
        rows.append((name, partial(measure_rival, command)))
    tallies = [[0.0, 0.0, 0.0] for _ in rows]
    # In turns, so that other load on the machine affects all rows equally.
    for _ in range(ROUNDS):
        for (_, play), tally in zip(rows, tallies, strict=True):
            play(given.seconds / ROUNDS, tally)
    base = tallies[0][1] / tallies[0][2]
    print(f"{given.size}×{given.size}{'':34}games/s     moves/s  moves/game  ratio")
    for (name, _), (games, moves, spent) in zip(rows, tallies, strict=True):
        print(f"{name:36}{games / spent:12.1f}{moves / spent:12.0f}{moves / games:12.1f}{moves / spent / base:7.1f}")


if __name__ == "__main__":
    main()
