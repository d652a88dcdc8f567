"""Time canonical keys: ``python -m tests.benchmarks.symmetry``. Goal: a position of 100 stones in under 2 ms.

Times are CPU time.
"""

import random
import time

from daoqi_tui.engine import torus_of
from daoqi_tui.reading.symmetry import BoardPosition, canonical_moves, canonical_position


def main() -> None:
    chance, torus = random.Random(0), torus_of(16)
    for stones in (2, 10, 30, 100, 200):
        spent = []
        for _ in range(200):
            points = chance.sample(range(256), stones)
            position = BoardPosition(16, torus.mask(points[::2]), torus.mask(points[1::2]))
            start = time.process_time()
            canonical_position(position)
            spent.append(time.process_time() - start)
        spent.sort()
        print(
            f"canonical position, {stones:3} stones: median {spent[100] * 1e3:.3f} ms, worst {spent[-1] * 1e3:.3f} ms"
        )
    moves = chance.sample(range(256), 100)
    start = time.process_time()
    canonical_moves(16, moves)
    print(f"canonical form of 100 moves: {(time.process_time() - start) * 1e3:.2f} ms")


if __name__ == "__main__":
    main()
