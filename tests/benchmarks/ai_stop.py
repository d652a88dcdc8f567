"""The latency of stopping a search, from request to answer: the player's process, both kernels, several board sizes.

    python tests/benchmarks/ai_stop.py [--stops 40] [--sizes 9 16 25]

Stops are requested at random moments of a search. The position has a ladder, so that some come while it is read.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import sys
import time

from daoqi_tui.ai import Position, Think
from daoqi_tui.ai.process import PlayerProcess
from daoqi_tui.engine import STANDARD_KOMI, Game

LONG = 3600.0
WITHOUT_NUMBA = "import sys; sys.modules['numba'] = None; from daoqi_tui.ai.worker import main; main()"


def position(size: int, rng: random.Random) -> Position:
    """Return a position with a ladder on an open board and a few more stones, Black to move."""
    game = Game(size, STANDARD_KOMI)
    middle = size // 2
    point = game.torus.point
    white = (point(middle, middle),)
    black = (point(middle, middle - 1), point(middle + 1, middle), point(middle + 1, middle + 1))
    for pair in zip(black, (*white, point(0, 0), point(0, 3)), strict=True):
        for stone in pair:
            game.play(stone)
    for _ in range(2 * (size // 4)):
        game.play(rng.choice(game.legal_points()))
    return Position.of(game)


async def stops(size: int, count: int, compiled: bool) -> list[float]:
    """Return the milliseconds from request to answer for each stop."""
    rng = random.Random(size)
    command = (sys.executable, "-P", "-m", "daoqi_tui.ai.worker")
    if not compiled:
        command = (sys.executable, "-P", "-c", WITHOUT_NUMBA)
    found = []
    async with PlayerProcess(command) as player:
        await player.think(Think(Position(size, STANDARD_KOMI), 1))
        end = time.monotonic() + 120
        while compiled and player.speed != "compiled" and time.monotonic() < end:
            await asyncio.sleep(0.1)
        for _ in range(count):
            asking = asyncio.create_task(player.think(Think(position(size, rng), 10, seconds=LONG)))
            await asyncio.sleep(rng.uniform(0.005, 0.4))
            start = time.perf_counter()
            player.hurry()
            await asking
            found.append(1000 * (time.perf_counter() - start))
    return found


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--stops", type=int, default=40)
    options.add_argument("--sizes", type=int, nargs="+", default=[9, 16, 25])
    given = options.parse_args()
    print(f"{'milliseconds':24}median   95 %    most")
    for compiled in (False, True):
        for size in given.sizes:
            found = sorted(asyncio.run(stops(size, given.stops, compiled)))
            most = found[int(0.95 * (len(found) - 1))], found[-1]
            name = f"{'compiled' if compiled else 'interpreted'}, {size}×{size}"
            print(f"{name:24}{statistics.median(found):6.1f} {most[0]:6.1f}  {most[1]:6.1f}")


if __name__ == "__main__":
    main()
