"""The speed of the screen in a real pty: first paint, pan steps, dragging, idling, memory.

Run by hand: ``python tests/benchmarks/screen.py``. The machine's noise is in every figure; quote ratios and
medians.
"""

from __future__ import annotations

import statistics
import sys
import time
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


def first_paint(runs: int = 9) -> None:
    """Time from the start of the process to the first characters, beside a bare app of as many widgets."""
    times: dict[str, list[float]] = {"daoqi-tui": [], "bare": []}
    for _ in range(runs):
        for name, command in (("daoqi-tui", daoqi()), ("bare", [sys.executable, "-c", BARE])):
            app = PtyApp(command)
            times[name].append(app.wait_for_paint())
            app.pump(0.3)
            app.close()
    ours, bare = (statistics.median(times[name]) for name in times)
    ratio = statistics.median(a / b for a, b in zip(times["daoqi-tui"], times["bare"], strict=True))
    print(
        f"first paint      {ours * 1000:6.0f} ms   bare {bare * 1000:.0f} ms   ratio {ratio:.2f}   (goal: 1.25 at most)"
    )


def stones(app: PtyApp, count: int = 60) -> None:
    """Put some stones on the board."""
    for step in range(count):
        app.send("\r" + "lljl"[step % 4] * (1 + step % 3) + ("j" if step % 5 else "kk"))
        app.pump(0.02)
    app.pump(0.5)


def pan_step(cell: str, steps: int = 400) -> None:
    """CPU time of the whole program a step of panning by key."""
    app = PtyApp(daoqi())
    app.wait_for_paint()
    app.pump(1)
    app.send(cell)
    stones(app)
    keys = ["\x1b[C", "\x1b[C", "\x1b[B", "\x1b[D", "\x1b[B", "\x1b[C", "\x1b[A"]
    figures = []
    for _ in range(3):
        before, frames, written = app.cpu_seconds(), app.frames, len(app.output)
        for step in range(steps):
            app.send(keys[step % len(keys)])
            app.pump(0.02)
        app.pump(0.3)
        frames = app.frames - frames
        figures.append(
            (1000 * (app.cpu_seconds() - before) / steps, frames, (len(app.output) - written) / max(1, frames) / 1024)
        )
    cpu, frames, size = sorted(figures)[1]
    print(
        f"pan step {cell or 'auto':>5}   {cpu:6.2f} ms CPU   "
        f"{frames} frames for {steps} steps, {size:.1f} KB each   (goal: 2.5 ms)"
    )
    app.close()


def drag(seconds: float = 4.0, thinking: str = "") -> None:
    """Frames a second while the mouse drags at 125 moves a second.

    ``thinking`` is empty, ``computer`` (at its move, an almost empty board) or ``hint`` (60 stones).
    """
    app = PtyApp(daoqi(*(("--white", "10", "--time", "60") if thinking == "computer" else ())))
    app.wait_for_paint()
    app.pump(1)
    if thinking == "computer":
        app.send("\r")
        app.pump(3)
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
    print(
        f"drag {thinking:8}    {(app.frames - frames) / elapsed:6.1f} frames/s at {moves / elapsed:.0f} moves/s, "
        f"{cpu:.0%} of a core   (goal: 55)"
    )
    app.close()


def idle(seconds: float = 8.0) -> None:
    """CPU share and memory of a program left alone."""
    app = PtyApp(daoqi())
    app.wait_for_paint()
    app.pump(1)
    stones(app)
    app.pump(1)
    before = app.cpu_seconds()
    app.pump(seconds)
    time.sleep(max(0.0, seconds - 0.1))
    share = (app.cpu_seconds() - before) / seconds
    print(f"idle             {share:6.2%} of a core   (goal: under 1 %)")
    print(f"memory           {app.memory_mb():6.1f} MB   (goal: under 60)")
    app.close()


def main() -> None:
    """Measure everything."""
    print("120×40, 60 stones")
    first_paint(5)
    pan_step("")
    pan_step("-")
    drag()
    drag(thinking="computer")
    drag(thinking="hint")
    idle()


if __name__ == "__main__":
    main()
