"""Short changes of files that several windows share: each waits for the others."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from daoqi_tui.analysis.problems import Problem
from daoqi_tui.cli import UsageError
from daoqi_tui.cli.main import run
from daoqi_tui.config import load_config
from daoqi_tui.config.save import save, unset
from daoqi_tui.play.online.seat_book import SavedSeat, SeatBook
from daoqi_tui.play.problem_files import keep, shipped
from daoqi_tui.play.problems import ProgressFile
from daoqi_tui.play.profile import Habits, Played, Ratings
from daoqi_tui.play.session import PERSON, Computer
from daoqi_tui.record import files

TODAY = date(2026, 12, 1)
SETTINGS = {
    "look.board": "slate",
    "look.stones": "round",
    "look.names": "gtp",
    "display.motion": "reduced",
    "display.graphics": "off",
    "language": "en",
    "keys.pass": "ctrl+n",
    "play.size": "13",
}


def _problem() -> Problem:
    return shipped()[0]


def _rate(folder: Path) -> None:
    ratings = Ratings(folder)
    ratings.note(9, Played(4, 1))
    ratings.save()


def _have_habits(folder: Path) -> None:
    habits = Habits(folder)
    habits.played_by((PERSON, Computer(7)))
    habits.save()


def _progress(folder: Path) -> None:
    file = ProgressFile(folder / "problems.json")
    file.record(_problem(), TODAY, solved_at_once=True)
    file.save()
    assert file.trouble is None


def _set(folder: Path) -> None:
    save(folder / "config.toml", {"look.board": "slate"})


def _unset(folder: Path) -> None:
    (folder / "config.toml").write_text('[look]\nboard = "slate"\n')
    unset(folder / "config.toml", "look.board")


CHANGES: dict[str, tuple[str, Callable[[Path], object]]] = {
    "a setting": ("config.toml", _set),
    "a setting that is removed": ("config.toml", _unset),
    "a rating": ("ratings.json", _rate),
    "habits": ("habits.json", _have_habits),
    "progress with problems": ("problems.json", _progress),
    "a problem of one's own": ("problems.sgf", lambda folder: keep(_problem(), folder / "problems.sgf")),
    "a seat": ("seats.json", lambda folder: SeatBook(folder / "seats.json").put(SavedSeat("ws://h:1", "g", "k", "n"))),
}


class Clock:
    """A clock that advances only while somebody waits; at a given time, another process releases a lock."""

    def __init__(self, at: float, release: files.Release) -> None:
        self.now, self._at, self._release = 0.0, at, release
        self.released = False

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        if self.now >= self._at and not self.released:
            self.released = True
            self._release()


@pytest.mark.parametrize("kind", CHANGES)
def test_a_change_waits_for_others_that_take_twenty_seconds(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, change = CHANGES[kind]
    clock = Clock(20, files.lock_file(tmp_path / f".{name}.lock"))
    monkeypatch.setattr(files, "time", clock)
    change(tmp_path)
    assert clock.released, "it waited"
    clean = tmp_path / "alone"
    clean.mkdir()
    change(clean)
    assert (tmp_path / name).read_bytes() == (clean / name).read_bytes()


def test_nobody_waits_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(3600, files.lock_file(tmp_path / ".file.lock"))
    monkeypatch.setattr(files, "time", clock)
    with pytest.raises(files.InUse, match=r"^file is in use by another daoqi-tui$"), files.changing(tmp_path / "file"):
        pass


def test_settings_that_eight_processes_set_at_once_are_all_kept(tmp_path: Path) -> None:
    environment = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path)}
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "daoqi_tui", "config", "set", name, value],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for name, value in SETTINGS.items()
    ]
    said = [process.communicate()[0] for process in started]
    assert [process.returncode for process in started] == [0] * len(SETTINGS), said
    config = load_config(("pass",), tmp_path / "daoqi-tui" / "config.toml", {})
    assert not config.problems
    assert {name: str(config[name]) for name in SETTINGS if name != "keys.pass"} == {
        name: value for name, value in SETTINGS.items() if name != "keys.pass"
    }
    assert config.keys == {"pass": ("ctrl+n",)}


def test_keys_that_another_window_takes_meanwhile_are_not_set_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    file = tmp_path / "daoqi-tui" / "config.toml"
    file.parent.mkdir()
    unlock = files.lock_file(file.with_name(".config.toml.lock"))

    def other_window() -> None:
        file.write_text('[keys]\nundo = "ctrl+n"\n')
        unlock()

    monkeypatch.setattr(files, "time", Clock(1, other_window))
    with pytest.raises(UsageError, match=r"ctrl\+n"):
        run(["config", "set", "keys.pass", "ctrl+n"])
    assert file.read_text() == '[keys]\nundo = "ctrl+n"\n'


_WINDOW = """
import sys
from pathlib import Path
from daoqi_tui.play.profile import Habits
from daoqi_tui.play.profile import Played, Ratings

folder, level = Path(sys.argv[1]), int(sys.argv[2])
ratings, habits = Ratings(folder), Habits(folder)
ratings.of(9), habits.uses("pass")
print("ready", flush=True)
sys.stdin.readline()
for number in range(10):
    ratings.note(9, Played(level, number % 2))
    ratings.save()
    habits.used("pass")
    habits.used(f"own-{level}")
    habits.save()
"""


def test_ratings_and_habits_of_two_processes_are_all_kept(tmp_path: Path) -> None:
    windows = [
        subprocess.Popen(
            [sys.executable, "-c", _WINDOW, str(tmp_path), level],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for level in ("3", "7")
    ]
    for window in windows:
        assert window.stdout is not None
        assert window.stdout.readline() == "ready\n"
    for window in windows:
        assert window.stdin is not None
        window.stdin.write("go\n")
        window.stdin.flush()
    for window in windows:
        window.communicate()
        assert window.returncode == 0
    games = json.loads((tmp_path / "ratings.json").read_text())["9"]
    assert sorted(level for level, _score in games) == [3] * 10 + [7] * 10
    assert [score for level, score in games if level == 3] == [0, 1] * 5
    habits = Habits(tmp_path)
    assert [habits.uses(name) for name in ("pass", "own-3", "own-7")] == [20, 10, 10]
