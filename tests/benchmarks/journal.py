"""The cost of the journal: recording a move on the caller's thread, until it is on disk, and restoring a game.

    python tests/benchmarks/journal.py [FOLDER]

FOLDER is on the disk to be measured, by default that of temporary files. Waiting for the disk is measured in wall-clock
time, everything else in CPU time; recording counts only the caller's thread, since another one writes in parallel.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from random import Random
from statistics import median, quantiles

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from daoqi_tui.engine import Game
from daoqi_tui.record.journal import Journal, replay, scan


def main() -> None:
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as name:
        folder, rng = Path(name), Random(1)
        game = Game()
        journal = Journal.begin(game, folder=folder)
        noting, waiting = [], []
        for _ in range(600):
            if game.is_over:
                game.resume()
            points = game.legal_points()
            game.play(rng.choice(points)) if points else game.pass_turn()
            start, busy = time.perf_counter(), time.thread_time()
            ticket = journal.follow()
            noting.append((time.thread_time() - busy) * 1e6)
            assert ticket.wait()
            waiting.append((time.perf_counter() - start) * 1e3)
        print(f"noting a move: median {median(noting):.0f} µs; moves 1-100 {median(noting[:100]):.0f}, ", end="")
        print(f"moves 501-600 {median(noting[500:]):.0f}")
        print(f"until it is on the disk: median {median(waiting):.2f} ms, ", end="")
        print(f"99 of 100 under {quantiles(waiting, n=100)[98]:.2f} ms, worst {max(waiting):.2f} ms")
        size = journal.path.stat().st_size
        journal.close()
        start = time.process_time()
        found = scan(folder).journals
        looked = time.process_time()
        replay(found[0].path)
        end = time.process_time()
        print(f"600 moves, {size} bytes: found in {(looked - start) * 1e3:.1f} ms, ", end="")
        print(f"restored in {(end - looked) * 1e3:.1f} ms")


if __name__ == "__main__":
    main()
