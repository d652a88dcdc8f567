"""The GTP engine as seen by a controller: start-up time, command rate, and the latency of stopping an analysis.

    python tests/benchmarks/gtp_server.py

The engine runs in a separate process under our client, on the standard board.
"""

from __future__ import annotations

import asyncio
import random
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from daoqi_tui.engine import Game
from daoqi_tui.gtp.client import Engine

ROOT = Path(__file__).resolve().parents[2]
COMMAND = [sys.executable, "-P", "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r}); sys.argv[1:] = ['gtp']"]
COMMAND[-1] += "; from daoqi_tui.cli.main import main; main()"
STARTS, MOVES, ANALYSES = 5, 300, 20


def random_moves(count: int) -> list[str]:
    chance = random.Random(1)
    game = Game()
    commands = []
    for _ in range(count):
        colour = "bw"[game.node.number % 2]
        point = chance.choice(game.legal_points())
        game.play(point)
        commands.append(f"play {colour} {game.torus.name(point, 'gtp')}")
    return commands


async def main() -> None:
    starts = []
    for _ in range(STARTS):
        start = time.perf_counter()
        engine = Engine(COMMAND)
        await engine.start()
        starts.append(time.perf_counter() - start)
        await engine.close()
    print(f"start to the first three answers: {1000 * statistics.median(starts):.0f} ms")
    async with Engine(COMMAND) as engine:
        commands = random_moves(MOVES)
        for what, sent in (("play", commands), ("undo", ["undo"] * MOVES), ("showboard", ["showboard"] * MOVES)):
            start = time.perf_counter()
            for command in sent:
                await engine.send(command)
            print(f"{what}: {MOVES / (time.perf_counter() - start):.0f} a second, there and back")
        await engine.send("reg_genmove b")
        ends = []
        for _ in range(ANALYSES):
            stop = asyncio.Event()
            analysing = asyncio.create_task(engine.analyse("lz-analyze b 20", lambda _: None, stop))
            await asyncio.sleep(0.3)
            start = time.perf_counter()
            stop.set()
            await analysing
            ends.append(time.perf_counter() - start)
        ends.sort()
        print(
            f"an analysis ends after: median {1000 * statistics.median(ends):.1f} ms, longest {1000 * ends[-1]:.1f} ms"
        )


if __name__ == "__main__":
    asyncio.run(main())
