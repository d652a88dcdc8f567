"""The CPU time of a pan on a board with 240 stones, against a bare app that shows the same lines by Textual's Line API.

    python tests/benchmarks/pan.py

Both run in this process, without a terminal: the bare app crops lines that are made beforehand, and Textual writes them
whole. Printed is the median of rounds of 64 pans, one app after the other; the goal is a ratio of 1.3. The load of the
machine touches both alike: quote the ratio.
"""

from __future__ import annotations

import asyncio
import os
import random
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from textual import events
from textual.app import App, ComposeResult
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Static

os.environ.update(TERM="xterm-256color", COLORTERM="truecolor")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from daoqi_tui.engine import Game
from daoqi_tui.play.session import GameSetup, Session
from daoqi_tui.tui.app import DaoqiApp
from daoqi_tui.tui.board import BoardView
from daoqi_tui.tui.board.lines import GUTTER

_SIZE = (120, 40)
_STONES = 240
_PANS = 64
_ROUNDS = 7


class Lines(Widget):
    """A window over lines that repeat."""

    DEFAULT_CSS = "Lines { width: 1fr; height: 1fr; }"

    def __init__(self, world: list[Strip], period: int, step: int) -> None:
        super().__init__()
        self._world, self._period, self._step, self._x = world, period, step, 0

    def pan(self) -> None:
        self._x += self._step
        self.refresh()

    def render_line(self, y: int) -> Strip:
        x = self._x % self._period
        return self._world[y].crop(x, x + self.size.width)


class Bare(App[None]):
    """As many parts as the game screen has, and a board by the Line API."""

    BINDINGS = [("right", "pan", "")]  # noqa: RUF012 (Textual's form)
    CSS = "Static { height: 1; }"

    def __init__(self, world: list[Strip], period: int, step: int) -> None:
        super().__init__()
        self._lines = Lines(world, period, step)

    def compose(self) -> ComposeResult:
        yield self._lines
        yield Static("status")
        yield Static("hints")

    def action_pan(self) -> None:
        self._lines.pan()


def written_by(app: App[Any]) -> list[str]:
    """Return the list to which an app's output goes from now on."""
    written: list[str] = []
    driver: Any = app._driver
    driver.write = written.append
    type(app).is_headless = False  # type: ignore[method-assign,assignment]
    return written


async def pans(app: App[Any], written: list[str]) -> tuple[float, float]:
    """Return the CPU milliseconds and the bytes of a pan."""
    written.clear()
    size, before = 0, time.process_time()
    for _ in range(_PANS):
        driver: Any = app._driver
        driver.send_message(events.Key("right", None))
        # The line below may be written first, and the board with the next frame.
        while not written or app.screen._dirty_widgets or app.screen._compositor._dirty_regions:
            await asyncio.sleep(0.02)
        size += sum(map(len, written))
        written.clear()
    return 1000 * (time.process_time() - before) / _PANS, size / _PANS


async def measured(app: App[Any], prepare: Callable[[Any], Awaitable[None]]) -> list[tuple[float, float]]:
    async with app.run_test(size=_SIZE) as pilot:
        await pilot.pause()
        await prepare(app)
        written = written_by(app)
        app.refresh()
        await pilot.pause(0.5)
        return [await pans(app, written) for _ in range(_ROUNDS + 1)][1:]


def world_of(board: BoardView) -> tuple[list[Strip], int, int]:
    """Return lines as wide as a window and a period more, the period, and the cells of a point."""
    width, period = board.size.width, board.viewport.period[0]
    world = []
    for y in range(board.size.height):
        line = Strip(board.render_line(y)).crop(GUTTER, GUTTER + period)
        while line.cell_length < period + width:
            line = Strip([*line, *line])
        world.append(line.crop(0, period + width))
    return world, period, board.viewport.cell.width


async def main() -> None:
    found: dict[str, list[tuple[float, float]]] = {}
    worlds: list[tuple[list[Strip], int, int]] = []

    game, pick = Game(16), random.Random(1)
    while sum(map(bool, game.board.colours)) < _STONES:
        game.play(pick.choice(game.legal_points()))

    async def look(app: DaoqiApp) -> None:
        worlds.append(world_of(app.screen.query_one(BoardView)))

    async def nothing(_app: App[Any]) -> None:
        pass

    found["daoqi-tui"] = await measured(DaoqiApp(Session(GameSetup(size=16), game)), look)
    found["bare"] = await measured(Bare(*worlds[0]), nothing)
    for name, rounds in found.items():
        spent, size = (statistics.median(column) for column in zip(*rounds, strict=True))
        print(f"{name:10} {spent:6.2f} ms   {size / 1000:5.1f} kB a pan")
    ratio = statistics.median(ours[0] / bare[0] for ours, bare in zip(*found.values(), strict=True))
    print(f"ratio {ratio:.2f}   (goal: 1.3 at most)")


if __name__ == "__main__":
    asyncio.run(main())
