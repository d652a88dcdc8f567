"""The CPU time to the first frame of each screen, opened for the first time in a program of its own, in a real pty.

Run by hand: ``python tests/benchmarks/screens.py [KEY …]``. The median of three programs is printed, and after it the
CPU time until nothing more is written, with the frames and the KB until then. The goal is 80 ms to the first frame.
"""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from pty_app import PtyApp, daoqi

KEYS = {
    "N": "play online",
    "O": "openings",
    "\x1b[18~": "problems",
    "C": "players",
    "b": "library",
    "n": "new game",
    "o": "options",
    "\x1bOQ": "lesson",
    "\x10": "palette",
    "?": "help",
}
_RUNS = 3
_QUIET = 0.7
_IDLE = 0.02
"""The most CPU seconds in that time of a program that does nothing."""
_LEAST = 1_500
_BLINK = 200
"""The most bytes of a cursor that blinks while nothing else happens."""


def settle(app: PtyApp) -> None:
    """Wait until the program does nothing more than blink a cursor: neither write nor import or parse ahead."""
    written, used = -_BLINK - 1, 0.0
    while len(app.output) > written + _BLINK or app.cpu_seconds_of_threads() > used + _IDLE:
        written, used = len(app.output), app.cpu_seconds_of_threads()
        app.pump(_QUIET)
        # It ends early where something is written.
        end = time.perf_counter() + _QUIET
        while time.perf_counter() < end:
            app.pump(end - time.perf_counter())


def cost_of(key: str) -> tuple[float, float, int, float]:
    """Return the CPU ms to the first frame after a key, those until nothing more is written, the frames and the KB."""
    app = PtyApp(daoqi())
    app.wait_for_paint()
    settle(app)
    frames, written, before = app.frames, len(app.output), app.cpu_seconds_of_threads()
    app.send(key)
    # A frame in which only the status line changes is none of the screen.
    while len(app.output) < written + _LEAST:
        app.pump(0.002)
    first = app.cpu_seconds_of_threads() - before
    settle(app)
    whole = app.cpu_seconds_of_threads() - before
    found = first * 1000, whole * 1000, app.frames - frames, (len(app.output) - written) / 1024
    app.close()
    return found


def main() -> None:
    for key in sys.argv[1:] or KEYS:
        costs = [cost_of(key) for _run in range(_RUNS)]
        first, whole, frames, size = (statistics.median(column) for column in zip(*costs, strict=True))
        name = KEYS.get(key, "")
        print(
            f"{key!r:10} {name:14} {first:5.0f} ms   in all {whole:5.0f} ms, {frames:.0f} frames, {size:.0f} KB",
            flush=True,
        )


if __name__ == "__main__":
    main()
