"""Games killed with SIGKILL at random moments: nothing acknowledged is lost, and every restart succeeds."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import NamedTuple

import pytest

from daoqi_tui.record import load
from daoqi_tui.record.journal import replay, scan
from tests.record.journal_acts import digest_of
from tests.thorough import rounds
from tests.waiting import HANG

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the driver forks")

KILLS = rounds(30, 4000)


class Driver:
    """The driver program, and the lines it prints."""

    def __init__(self) -> None:
        command = [sys.executable, str(Path(__file__).with_name("journal_driver.py"))]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.lines: Queue[str] = Queue()
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()
        assert self.line() == "ready"

    def _read(self) -> None:
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))

    def line(self) -> str:
        return self.lines.get(timeout=HANG)

    def play(self, seed: int, folder: Path) -> None:
        self.process.stdin.write(f"{seed} {folder}\n")
        self.process.stdin.flush()

    def end(self) -> None:
        self.process.stdin.close()
        assert self.process.wait(HANG) == 0
        self._reader.join(HANG)
        self.process.stdout.close()


@pytest.fixture
def driver() -> Iterator[Driver]:
    driver = Driver()
    yield driver
    driver.end()


def killed_round(driver: Driver, seed: int, folder: Path, rng: random.Random) -> list[str]:
    """Let a game run and kill it at a random moment; return the lines it printed."""
    driver.play(seed, folder)
    said: list[str] = []
    pid = 0
    moments = [(0, "ack"), (0, "ack"), (1, "ack"), (3, "ack"), (10, "ack"), (60, "ack"), (1, "filing")]
    wanted, until = rng.choice(moments)
    while not (pid and said.count(until) >= wanted):
        line = driver.line()
        assert not line.startswith("error"), line
        if line.startswith("pid "):
            pid = int(line[4:])
        else:
            said.append(line)
    time.sleep(rng.random() * 0.004)
    os.kill(pid, signal.SIGKILL)
    while (line := driver.line()) != "gone":
        assert not line.startswith("error"), line
        said.append(line)
    return said


class State(NamedTuple):
    """A digest of a game, and one of its tree alone, which ignores the cursor."""

    game: str
    tree: str


def states_allowed(said: list[str]) -> tuple[State | None, list[State], bool]:
    """Return the last game's first state, its states since the last acknowledgement, and whether it was being filed."""
    acked, filing = 0, False
    states: list[State] = []
    for line in said:
        if line == "ack":
            acked = len(states) - 1
        elif line == "filing":
            filing = True
        elif line == "filed":
            states, acked, filing = [], 0, False
        else:
            states.append(State(*line.removeprefix("do ").split()))
    return states[0] if states else None, states[acked:], filing


def test_nothing_acknowledged_is_lost(driver: Driver, tmp_path: Path):
    rng = random.Random(2024)
    acks = resumed = 0
    before: str | None = None
    for seed in range(KILLS):
        said = killed_round(driver, seed, tmp_path, rng)
        acks += said.count("ack")
        if before is not None and said:
            assert said[0].startswith(f"do {before} "), "the game goes on where the last start found it"
            resumed += 1
        first, allowed, filing = states_allowed(said)
        found = scan(tmp_path)
        assert found.problems == ()
        assert len(found.journals) <= 1
        if not found.journals:
            # The game is in the library, or nothing but navigation was acknowledged.
            assert before is None or said
            assert filing or not allowed or (first is not None and allowed[0].tree == first.tree)
            before = None
            continue
        back = replay(found.journals[0].path)
        assert not back.damaged
        before = digest_of(back.game)
        if said:
            assert before in [state.game for state in allowed], "a state from the last acknowledgement on"
    assert acks > KILLS
    assert resumed > KILLS // 3
    filed = list((tmp_path / "games").glob("*.sgf"))
    assert filed
    assert len({path.read_bytes() for path in filed}) == len(filed), "no game is filed twice"
    for path in filed:
        assert load(path).problems == ()
