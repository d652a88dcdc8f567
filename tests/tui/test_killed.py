"""The program is killed at random moments of a driven game: nothing it showed is lost, and every start works."""

from __future__ import annotations

import os
import random
import re
import select
import signal
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from daoqi_tui.record.journal import replay

ptyprocess = pytest.importorskip("ptyprocess", reason="ptyprocess is not installed, so there is no pty to play in")

KILLS = int(os.environ.get("DAOQI_KILLS", "200"))
GAME = 10
"""Kills a game; then another begins in an empty folder."""
COLUMNS, ROWS = 120, 40
_MOVE = re.compile(rb"Move (\d+)")


def place(point: int) -> tuple[int, int]:
    """Where a point of the unshifted 16 × 16 board stands on a screen of 120 × 40, counted from 1."""
    row, column = divmod(point, 16)
    return 3 + (COLUMNS - 34 - 3 - 64) // 2 + 4 * column + 2, 1 + (ROWS - 3 - 32) // 2 + 2 * row + 1


@dataclass
class Driven:
    """The program in a pty; ``shown`` is the number of the move it last showed."""

    folder: Path
    shown: int | None = None
    output: bytearray = field(default_factory=bytearray)

    def __post_init__(self) -> None:
        home = {f"XDG_{name}_HOME": str(self.folder / name.lower()) for name in ("STATE", "DATA", "CONFIG", "CACHE")}
        environment = {**os.environ, **home, "TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}
        # Not the first start of all, which would offer the lesson.
        welcomed = self.folder / "state" / "daoqi-tui" / "welcomed"
        welcomed.parent.mkdir(parents=True, exist_ok=True)
        welcomed.touch()
        command = [sys.executable, "-m", "daoqi_tui"]
        self.process = ptyprocess.PtyProcess.spawn(command, env=environment, dimensions=(ROWS, COLUMNS))

    def read(self, seconds: float) -> bool:
        """Read what comes within some seconds; tells whether anything did."""
        if not select.select([self.process.fd], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.process.fd, 1 << 18)
        except OSError:
            return False
        self.output += data
        numbers = _MOVE.findall(self.output[-len(data) - 16 :])
        if numbers:
            self.shown = int(numbers[-1]) - 1
        return bool(data)

    def wait_until(self, text: bytes, seconds: float = 30.0) -> bool:
        end = time.monotonic() + seconds
        while text not in self.output and time.monotonic() < end and self.process.isalive():
            self.read(0.05)
        return text in self.output

    def wait_for(self, number: int, until: float) -> bool:
        """Wait until a move's number shows, or it is time to be killed."""
        while self.shown != number and time.monotonic() < until:
            self.read(min(0.05, max(0.0, until - time.monotonic())))
        return self.shown == number

    def send(self, keys: str) -> None:
        self.process.write(keys.encode())

    def kill(self) -> None:
        self.process.kill(signal.SIGKILL)
        while self.process.isalive():
            time.sleep(0.001)
        self.process.close(force=True)


def journal_of(folder: Path) -> Path | None:
    found = sorted((folder / "state").rglob("*.journal"))
    assert len(found) <= 1, "one game has one journal"
    return found[0] if found else None


def test_killed_at_random_moments(tmp_path: Path) -> None:
    rng = random.Random(2004)
    for begun in range(0, KILLS, GAME):
        kill_through_a_game(tmp_path / str(begun), rng, min(GAME, KILLS - begun))


def kill_through_a_game(folder: Path, rng: random.Random, kills: int) -> None:
    points = rng.sample(range(256), 256)
    acknowledged = 0
    for kill in range(kills):
        app = Driven(folder)
        pending: set[int] = set()
        # Every fifth time the program is killed while it starts.
        until = time.monotonic() + (rng.uniform(0.0, 0.5) if kill % 5 == 4 else 60.0)
        kept = journal_of(folder) is not None
        greeting = b"Unfinished games" if kept else b"Move 1"
        ready = app.wait_until(greeting, until - time.monotonic())
        if ready and kept:
            app.send("\r")
            # Before that a click would choose something in the list of unfinished games.
            ready = app.wait_until(b"Taken up where it stood", until - time.monotonic())
        if ready and app.wait_for(acknowledged, until):
            until = time.monotonic() + rng.uniform(0.0, 0.6)
            while time.monotonic() < until and points:
                step = -1 if acknowledged and rng.random() < 0.2 else 1
                if step < 0:
                    app.send("u")
                else:
                    x, y = place(points.pop())
                    app.send(f"\x1b[<0;{x};{y}M\x1b[<0;{x};{y}m")
                pending = {acknowledged + step}
                if not app.wait_for(acknowledged + step, until):
                    break
                acknowledged += step
                pending = set()
        else:
            assert kill % 5 == 4, app.output[-2000:]
        app.kill()
        journal = journal_of(folder)
        if journal is None:
            assert not acknowledged
            continue
        restored = replay(journal)
        assert not restored.damaged
        assert restored.cursor.number in {acknowledged} | pending
        acknowledged = restored.cursor.number
