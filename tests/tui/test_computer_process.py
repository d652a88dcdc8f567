"""Tests the real player process: that it plays, is restarted after a crash, and never outlives the app."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from pathlib import Path

import pytest

from daoqi_tui.gtp.player import LevelPlayer
from daoqi_tui.play.session import Computer, GameSetup
from tests.tui.driving import Person, playing, until
from tests.tui.in_terminal import read_output
from tests.waiting import is_running, wait_until

ROOT = Path(__file__).resolve().parents[2]


def player_pid(person: Person) -> int | None:
    players = person.screen.match.turns.players._players
    player = next(iter(players.values()))[1] if players else None
    return player.pid if isinstance(player, LevelPlayer) else None


async def test_the_real_player_answers_survives_a_crash_and_ends_with_the_screen() -> None:
    async with playing(setup=GameSetup(size=7, white_seat=Computer(10, 60.0))) as person:
        await person.press("enter")
        await until(person, lambda: "visits" in person.status)
        await person.press("escape")
        await until(person, lambda: len(person.moves) == 2)
        await person.play("A1" if "A1" not in person.moves else "B1")
        await until(person, lambda: "visits" in person.status)
        pid = player_pid(person)
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        await until(person, lambda: player_pid(person) not in (None, pid))
        assert person.screen.match.turns.thinking is not None
        await until(person, lambda: "visits" in person.status)
        await person.press("escape")
        await until(person, lambda: len(person.moves) == 4)
        pid = player_pid(person)
        assert pid is not None
    assert not is_running(pid)


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
    command = [sys.executable, "-m", "daoqi_tui", "--size", "9", "--black", "10", "--white", "9.5", "--time", "60"]
    app = ptyprocess.PtyProcess.spawn(command, dimensions=(40, 120), env=env, cwd=str(tmp_path))
    started: list[int] = []
    os.set_blocking(app.fd, False)
    try:
        # Players of different levels have a process each. Black's first stone needs no search, so White's soon starts.
        def both_started() -> bool:
            with contextlib.suppress(BlockingIOError):
                read_output(app.fd)
            started[:] = children_of(app.pid)
            return len(started) == 2

        wait_until(both_started, lambda: str(started))
        os.kill(app.pid, signal.SIGKILL)
        wait_until(lambda: not any(map(is_running, started)))
    finally:
        app.close(force=True)
