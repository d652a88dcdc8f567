"""The 3-D torus: the time for a single frame, and frames per second in a real pty.

Run by hand: ``python tests/benchmarks/torus3d.py``. All figures contain the machine's noise; quote medians.
"""

from __future__ import annotations

import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from pty_app import PtyApp, daoqi
from rich.console import Console
from textual._compositor import LayoutUpdate
from textual.geometry import Region
from textual.strip import Strip

from daoqi_tui.pictures.palettes import KAYA
from daoqi_tui.pictures.torus import Camera, Scene, render
from daoqi_tui.pictures.torus_surface import Frame, shape_of
from daoqi_tui.tui.output import PixelStrip, Terminal

_CONSOLE = Console(force_terminal=True, color_system="truecolor")


def median_ms(deed: Callable[[int], object], runs: int = 40) -> float:
    """Return the median CPU time of ``deed(run)`` in milliseconds."""
    times = []
    for run in range(runs):
        start = time.process_time()
        deed(run)
        times.append(time.process_time() - start)
    return statistics.median(times) * 1000


def parts(columns: int, rows: int) -> None:
    """Time the shape (made once per inclination), the pixels of a frame, and the characters made of them."""
    random.seed(1)
    scene = Scene(bytes(random.choice((0, 0, 1, 2)) for _ in range(256)), 16, KAYA.bright, KAYA.frame)

    def shape(run: int) -> None:
        shape_of.cache_clear()
        shape_of(Frame(columns, 2 * rows, 0.8 + run / 1000))

    def frame(run: int) -> None:
        render(scene, Camera(run / 7, 3.0, 0.82), columns, 2 * rows)

    pixels = render(scene, Camera(1.3, 3.0, 0.82), columns, 2 * rows)
    lines = (pixels.astype("int32") @ (1 << 16, 1 << 8, 1)).tolist()

    def write(_run: int) -> int:
        strips: list[Iterable[Strip]] = [[PixelStrip(*pair)] for pair in zip(lines[::2], lines[1::2], strict=True)]
        update = LayoutUpdate(strips, Region(0, 0, columns, len(strips)))
        return len(Terminal().frame(update, _CONSOLE, (columns, len(strips)), (0, 0)) or "")

    print(
        f"{columns}×{rows:<4} shape {median_ms(shape, 9):6.2f} ms   pixels {median_ms(frame):6.2f} ms   "
        f"characters {median_ms(write):6.2f} ms   {write(0) / 1024:6.1f} KB"
    )


def frames(columns: int, rows: int, seconds: float = 4.0) -> None:
    """Print the frames per second and the CPU time per frame on the whole screen."""
    app = PtyApp(daoqi(), columns, rows)
    app.wait_for_paint()
    app.pump(1.5)
    app.send("3")
    app.pump(1.5)
    before, drawn, start = app.cpu_seconds(), app.frames, time.perf_counter()
    while (left := start + seconds - time.perf_counter()) > 0:
        app.pump(left)
    elapsed = time.perf_counter() - start
    drawn, cpu = app.frames - drawn, app.cpu_seconds() - before
    app.send(" ")
    app.pump(0.5)
    before = app.cpu_seconds()
    app.pump(2)
    resting = (app.cpu_seconds() - before) / 2
    print(
        f"{columns}×{rows:<4} {drawn / elapsed:5.1f} frames/s, {1000 * cpu / max(1, drawn):5.1f} ms CPU a frame   "
        f"(goal at 60×30: 20)   resting {resting:.1%} of a core"
    )
    app.close()


def main() -> None:
    """Measure everything, with a state folder of its own so that no dialog asks about an unfinished game."""
    for size in ((60, 30), (120, 40), (207, 90)):
        parts(*size)
    for size in ((60, 30), (120, 40), (300, 90)):
        with tempfile.TemporaryDirectory() as folder:
            os.environ |= {f"XDG_{kind}_HOME": folder for kind in ("STATE", "DATA", "CONFIG")}
            frames(*size)


if __name__ == "__main__":
    main()
