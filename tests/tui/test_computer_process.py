"""The real player behind the screen: one game's worth of it, its crash, and that it never outlives the app."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from daoqi_tui.tui.minds import LevelMind
from daoqi_tui.tui.opponents import Computer
from daoqi_tui.tui.session import GameSetup
from tests.tui.driving import Person, playing

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 30.0


async def until(person: Person, done: Callable[[], bool]) -> None:
    for _ in range(int(PATIENCE / 0.05)):
        await person.wait(0.05)
        if done():
            return
    raise AssertionError(f"it did not happen within {PATIENCE:g} seconds; the status line says: {person.status}")


def player_pid(person: Person) -> int | None:
    minds = person.screen.minds._minds
    mind = next(iter(minds.values()))[1] if minds else None
    return mind.player.pid if isinstance(mind, LevelMind) else None


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


async def test_the_real_player_answers_survives_a_crash_and_ends_with_the_screen() -> None:
    async with playing(setup=GameSetup(size=7, white_seat=Computer(10, 60.0))) as person:
        await person.press("enter")
        await until(person, lambda: "positions judged" in person.status)
        await person.press("escape")
        await until(person, lambda: len(person.moves) == 2)
        await person.play("A1" if "A1" not in person.moves else "B1")
        await until(person, lambda: "positions judged" in person.status)
        pid = player_pid(person)
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        await until(person, lambda: player_pid(person) not in (None, pid))
        assert person.screen.thinking is not None
        await until(person, lambda: "positions judged" in person.status)
        await person.press("escape")
        await until(person, lambda: len(person.moves) == 4)
        pid = player_pid(person)
        assert pid is not None
    assert not is_alive(pid)


def children_of(pid: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with contextlib.suppress(OSError, IndexError):
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                if int(fields[1]) == pid and fields[0] != "Z":
                    found.append(int(entry.name))
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to see processes")
def test_the_player_dies_with_an_app_that_is_killed(tmp_path: Path) -> None:
    ptyprocess = pytest.importorskip("ptyprocess")
    env = {
        **os.environ,
        "TERM": "xterm-256color",
        "HOME": str(tmp_path),
        "XDG_STATE_HOME": str(tmp_path),
        "XDG_DATA_HOME": str(tmp_path),
        "PYTHONPATH": str(ROOT),
    }
    command = [sys.executable, "-m", "daoqi_tui", "--size", "9", "--black", "10", "--white", "10", "--time", "60"]
    app = ptyprocess.PtyProcess.spawn(command, dimensions=(40, 120), env=env, cwd=str(tmp_path))
    started: list[int] = []
    deadline = time.monotonic() + PATIENCE
    os.set_blocking(app.fd, False)
    try:
        # Black's first stone takes no thought; White's player is the second process.
        while len(started) < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
            with contextlib.suppress(BlockingIOError, EOFError, OSError):
                os.read(app.fd, 1 << 16)
            started = children_of(app.pid)
        assert len(started) == 2
        os.kill(app.pid, signal.SIGKILL)
        while any(map(is_alive, started)) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not [pid for pid in started if is_alive(pid)]
    finally:
        app.terminate(force=True)
