"""The speed of the screen in a real pty: first paint, pan steps, dragging, idling, memory.

Run by hand: ``python tests/benchmarks/screen.py``, with ``--looks`` for a table of boards, stones, cell sizes and
languages, or with ``--start`` or ``--dragging`` for the first paint or dragging alone. ``--threads N`` sets the threads
of the computer player while the board is dragged. All figures contain the machine's noise; quote ratios and medians,
and CPU time on a busy machine.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from pty_app import PtyApp, daoqi

BARE = """
from textual.app import App
from textual.containers import Container, Vertical
from textual.widgets import Static
class Bare(App):
    def compose(self):
        with Vertical():
            with Container():
                yield Static("board")
                with Container():
                    for name in ("turn", "captures", "passes", "area", "history"):
                        yield Static(name)
            yield Static("status")
            yield Static("hints")
Bare().run()
"""


_QUIET = 0.3
"""Seconds without output after which a screen is settled."""


def settled(app: PtyApp) -> float:
    """Wait until nothing more is written; return the CPU seconds until the last output."""
    written, used, last = len(app.output), app.cpu_seconds_of_threads(), time.perf_counter()
    while time.perf_counter() < last + _QUIET:
        app.pump(0.005)
        if len(app.output) != written:
            written, used, last = len(app.output), app.cpu_seconds_of_threads(), time.perf_counter()
    return used


def start_times(arguments: Sequence[str], runs: int) -> dict[str, list[tuple[float, float, float]]]:
    """Return the times of starts, of the program and of a bare app with as many widgets.

    They are the wall-clock and CPU seconds to the first paint, and the CPU seconds until the screen is settled.
    """
    times: dict[str, list[tuple[float, float, float]]] = {"daoqi-tui": [], "bare": []}
    # The first round only warms the system's caches.
    for run in range(runs + 1):
        for name, command in (("daoqi-tui", daoqi(*arguments)), ("bare", [sys.executable, "-c", BARE])):
            app = PtyApp(command)
            seconds = app.wait_for_paint()
            if run:
                times[name].append((seconds, app.cpu_seconds_of_threads(), settled(app)))
            app.close()
    return times


def first_paint(arguments: Sequence[str] = (), runs: int = 15) -> None:
    """Print the time to the first paint and to the settled screen compared with a bare app."""
    times = start_times(arguments, runs)
    for place, (name, goal) in enumerate((("first paint", 1.15), ("… in CPU time", 1.15), ("settled, CPU", 1.25))):
        ours, bare = ([run[place] for run in times[app]] for app in times)
        ratio = statistics.median(a / b for a, b in zip(ours, bare, strict=True))
        print(
            f"{name:16} {statistics.median(ours) * 1000:6.0f} ms   bare {statistics.median(bare) * 1000:.0f} ms   "
            f"ratio {ratio:.2f}   (goal: {goal} at most)"
        )


def stones(app: PtyApp, count: int = 60) -> None:
    """Put some stones on the board."""
    for step in range(count):
        app.send("\r" + "lljl"[step % 4] * (1 + step % 3) + ("j" if step % 5 else "kk"))
        app.pump(0.02)
    app.pump(0.5)


def pan_figures(cell: str, arguments: Sequence[str] = (), steps: int = 400) -> tuple[float, int, float]:
    """Return CPU milliseconds per pan step, frames for all steps, and KB per frame, from the median of three runs."""
    app = PtyApp(daoqi(*arguments))
    app.wait_for_paint()
    app.pump(1)
    app.send(cell)
    stones(app)
    keys = ["\x1b[C", "\x1b[C", "\x1b[B", "\x1b[D", "\x1b[B", "\x1b[C", "\x1b[A"]
    figures = []
    for _ in range(3):
        before, frames, written = app.cpu_seconds_of_threads(), app.frames, len(app.output)
        for step in range(steps):
            app.send(keys[step % len(keys)])
            app.pump(0.02)
        app.pump(0.3)
        frames = app.frames - frames
        cpu = 1000 * (app.cpu_seconds_of_threads() - before) / steps
        figures.append((cpu, frames, (len(app.output) - written) / max(1, frames) / 1024))
    app.close()
    return sorted(figures)[1]


def pan_step(cell: str, steps: int = 400) -> None:
    """Print the CPU time of the whole program per pan step."""
    cpu, frames, size = pan_figures(cell, steps=steps)
    print(
        f"pan step {cell or 'auto':>5}   {cpu:6.2f} ms CPU   "
        f"{frames} frames for {steps} steps, {size:.1f} KB each   (goal: 2.5 ms)"
    )


def drag_figures(seconds: float = 4.0, thinking: str = "", arguments: Sequence[str] = ()) -> tuple[float, float, float]:
    """Return frames and mouse moves per second, and the share of a core, during a drag at 125 mouse moves per second.

    ``thinking`` is empty, ``computer`` (during its move, on an almost empty board), ``ponder`` (after its move) or
    ``hint`` (with 60 stones).
    """
    level = {"computer": ("--white", "10", "--time", "60"), "ponder": ("--white", "10", "--time", "1")}.get(
        thinking, ()
    )
    app = PtyApp(daoqi(*arguments, *level))
    app.wait_for_paint()
    app.pump(1)
    if level:
        app.send("\r")
        app.pump(5)
    else:
        stones(app)
    if thinking == "hint":
        app.send("H")
        app.pump(0.7)
    app.send("\x1b[<0;30;20M")
    app.pump(0.1)
    frames, before, start = app.frames, app.cpu_seconds(), time.perf_counter()
    moves = 0
    while (now := time.perf_counter()) < start + seconds:
        x, y = 30 + moves % 40, 15 + moves // 7 % 12
        app.send(f"\x1b[<32;{x};{y}M")
        moves += 1
        app.pump(max(0.0, start + moves / 125 - now))
        while time.perf_counter() < start + moves / 125:
            app.pump(start + moves / 125 - time.perf_counter())
    elapsed = time.perf_counter() - start
    cpu = (app.cpu_seconds() - before) / elapsed
    app.close()
    return (app.frames - frames) / elapsed, moves / elapsed, cpu


def drag(thinking: str = "", arguments: Sequence[str] = ()) -> None:
    """Print the figures of a drag."""
    rate, moves, cpu = drag_figures(thinking=thinking, arguments=arguments)
    print(f"drag {thinking:8}    {rate:6.1f} frames/s at {moves:.0f} moves/s, {cpu:.0%} of a core   (goal: 55)")


def drags(threads: str) -> None:
    """Print the figures of drags with and without a search in the background."""
    for thinking in ("", "computer", "ponder", "hint"):
        drag(thinking, ("--threads", threads))


LOOKS = (
    ("as it comes", ()),
    ("paper", ("--board", "paper")),
    ("night", ("--board", "night")),
    ("contrast", ("--board", "contrast")),
    ("round", ("--stones", "round")),
    ("blocks", ("--stones", "blocks")),
    ("ascii", ("--stones", "ascii")),
    ("Chinese", ("--lang", "zh")),
    ("Chinese, slate, round", ("--lang", "zh", "--board", "slate", "--stones", "round")),
)
"""The looks to be measured, with their options."""


def looks() -> None:
    """Print a table of how boards, stones and languages change the figures."""
    print("look                    first paint, ratio of CPU times   pan step 4×2, 2×1, ms CPU   drag, frames/s")
    for name, arguments in LOOKS:
        times = start_times(arguments, 7)
        ratio = statistics.median(a[1] / b[1] for a, b in zip(times["daoqi-tui"], times["bare"], strict=True))
        large, small = (pan_figures(cell, arguments, steps=200)[0] for cell in ("", "-"))
        rate = drag_figures(3.0, arguments=arguments)[0]
        print(f"{name:24}{ratio:28.2f}{large:22.2f}{small:8.2f}{rate:21.1f}", flush=True)


def idle(seconds: float = 8.0) -> None:
    """Print the CPU share and the memory of an idle program."""
    app = PtyApp(daoqi())
    app.wait_for_paint()
    app.pump(1)
    stones(app)
    app.pump(1)
    before = app.cpu_seconds()
    app.pump(seconds)
    share = (app.cpu_seconds() - before) / seconds
    print(f"idle             {share:6.2%} of a core   (goal: under 1 %)")
    print(f"memory           {app.memory_mb():6.1f} MB   (goal: under 60)")
    app.close()


def main() -> None:
    """Measure everything, or what the options select."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--looks", action="store_true", help="a table over boards, stones and languages")
    parser.add_argument("--start", action="store_true", help="the first paint alone")
    parser.add_argument("--dragging", action="store_true", help="dragging alone")
    parser.add_argument("--threads", default="auto", help="of the computer while the board is dragged")
    options = parser.parse_args()
    print("120×40, 60 stones")
    if options.looks:
        looks()
        return
    if options.dragging:
        drags(options.threads)
        return
    first_paint()
    if options.start:
        return
    pan_step("")
    pan_step("-")
    drags(options.threads)
    idle()


if __name__ == "__main__":
    main()
