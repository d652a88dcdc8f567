"""Kills the program at random moments of a game: no move it showed may be lost, and every start must work.

``DAOQI_KILLS=1000 python -m pytest tests/tui/test_killed.py`` runs longer.
"""

from __future__ import annotations

import os
import random
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from daoqi_tui.record.journal.journal import replay
from tests.thorough import rounds
from tests.tui.in_terminal import COLUMNS, ROWS, Terminal, journal_of, place, welcome
from tests.waiting import HANG

termios = pytest.importorskip("termios", reason="this system has no pseudo-terminals to play in")

KILLS = int(os.environ.get("DAOQI_KILLS", str(rounds(15, 1000))))
GAME = 5
"""The number of kills per game; after them a new game begins in an empty folder."""


class Starter:
    """Starts the program in one terminal after another; ``running`` is its process id while it runs."""

    running: int | None = None

    def __init__(self) -> None:
        environment = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}
        command = [sys.executable, str(Path(__file__).with_name("starter.py"))]
        self.process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        assert self.hear() == "ready"

    def hear(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().decode().rstrip("\n")

    def start(self, folder: Path, terminal: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{folder}\t{terminal}\n".encode())
        self.running = int(self.hear())

    def kill(self) -> None:
        """Kill the program."""
        if self.running is not None:
            os.kill(self.running, signal.SIGKILL)
            assert self.hear() == "gone"
            self.running = None

    def told(self) -> bool:
        """Return whether the starter has reported something: that the program has ended."""
        return bool(select.select([self.process.stdout], [], [], 0)[0])


@pytest.fixture
def starter() -> Iterator[Starter]:
    starter = Starter()
    with starter.process:
        yield starter
        # After a failure the program may still be running.
        starter.kill()


class Driven:
    """The program in a terminal, launched by a starter."""

    def __init__(self, starter: Starter, folder: Path) -> None:
        welcome(folder)
        self._starter = starter
        ours, self._theirs = os.openpty()
        # The program's end stays open, so that the terminal exists before the program starts and after it ends.
        termios.tcsetwinsize(self._theirs, (ROWS, COLUMNS))
        starter.start(folder, os.ttyname(self._theirs))
        self.terminal = Terminal(ours, starter.told)

    def kill(self) -> None:
        self._starter.kill()
        os.close(self.terminal.descriptor)
        os.close(self._theirs)


def test_killed_at_random_moments(starter: Starter, tmp_path: Path) -> None:
    rng = random.Random(2004)
    for begun in range(0, KILLS, GAME):
        kill_through_a_game(starter, tmp_path / str(begun), rng, min(GAME, KILLS - begun))


def kill_through_a_game(starter: Starter, folder: Path, rng: random.Random, kills: int) -> None:
    points = rng.sample(range(256), 256)
    acknowledged = 0
    for kill in range(kills):
        program = Driven(starter, folder)
        app = program.terminal
        pending: set[int] = set()
        # Every fifth time, the program is killed while it starts.
        until = time.monotonic() + (rng.uniform(0.0, 0.5) if kill % 5 == 4 else HANG)
        kept = journal_of(folder) is not None
        greeting = b"Unfinished games" if kept else b"Move 1"
        ready = app.wait_until(greeting, until - time.monotonic())
        if ready and kept:
            app.send("\r")
            # Before that, a click would select something in the list of unfinished games.
            ready = app.wait_until(b"Game resumed", until - time.monotonic())
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
        program.kill()
        journal = journal_of(folder)
        if journal is None:
            assert not acknowledged
            continue
        restored = replay(journal)
        assert not restored.damaged
        assert restored.cursor.number in {acknowledged} | pending
        acknowledged = restored.cursor.number
