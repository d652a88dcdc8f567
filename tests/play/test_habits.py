"""Habits persist between sessions, and an unreadable or damaged file is never an error."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Semaphore

import pytest

from daoqi_tui.play.profile import HABITS, Habits
from daoqi_tui.play.session import PERSON, USUAL_LEVEL, Computer, EngineSeat
from daoqi_tui.record import files
from daoqi_tui.record.files import changing


def test_without_a_folder_there_are_no_habits_yet() -> None:
    habits = Habits()
    assert habits.level == USUAL_LEVEL
    assert habits.uses("count") == 0


def test_what_was_noted_is_there_at_the_next_start(tmp_path: Path) -> None:
    folder = tmp_path / "not yet made"
    habits = Habits(folder)
    assert habits.played_by((PERSON, Computer(8)))
    habits.used("count")
    habits.used("count")
    habits.save()
    again = Habits(folder)
    assert (again.level, again.uses("count"), again.uses("hint")) == (8, 2, 0)


def test_two_windows_keep_the_habits_of_both(tmp_path: Path) -> None:
    one, other = (Habits(tmp_path) for _ in range(2))
    assert one.uses("review") == other.uses("review") == 0
    for _ in range(5):
        one.used("review")
    assert one.played_by((PERSON, Computer(8)))
    one.save()
    other.used("review")
    other.used("hint")
    other.save()
    for habits in (other, Habits(tmp_path)):
        assert (habits.level, habits.uses("review"), habits.uses("hint")) == (8, 6, 1)
    one.save()
    again = Habits(tmp_path)
    assert (again.level, again.uses("review"), again.uses("hint")) == (8, 6, 1), "each use is added once"


def test_saves_that_wait_for_one_another_add_each_use_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waiting = Semaphore(0)

    @contextmanager
    def noted(path: Path) -> Iterator[None]:
        waiting.release()
        with changing(path):
            yield

    monkeypatch.setattr(files, "changing", noted)
    habits = Habits(tmp_path)
    with ThreadPoolExecutor() as threads, changing(tmp_path / HABITS):
        for name in ("count", "hint", "count"):
            habits.used(name)
            threads.submit(habits.save)
            assert waiting.acquire(timeout=30)
    for each in (habits, Habits(tmp_path)):
        assert (each.uses("count"), each.uses("hint")) == (2, 1)


def test_only_another_level_of_the_computer_is_news() -> None:
    habits = Habits()
    assert not habits.played_by((PERSON, PERSON))
    assert not habits.played_by((PERSON, EngineSeat("gnugo")))
    assert not habits.played_by((Computer(USUAL_LEVEL), PERSON))
    assert habits.played_by((Computer(2), PERSON))
    assert habits.level == 2


@pytest.mark.parametrize(
    "kept",
    [b"", b"{", b"[]", b"\xff\xfe", b"[" * 60_000, b'{"level": 11, "commands": []}', b'{"level": true}',
     b'{"level": "3", "commands": {"count": "many", "hint": -1, "pass": true}}'],
)  # fmt: skip
def test_a_file_that_is_none_of_ours_is_as_good_as_none(kept: bytes, tmp_path: Path) -> None:
    (tmp_path / HABITS).write_bytes(kept)
    habits = Habits(tmp_path)
    assert habits.level == USUAL_LEVEL
    assert [habits.uses(name) for name in ("count", "hint", "pass")] == [0, 0, 0]


@pytest.mark.parametrize("kept", [b"{", b"[]", b"\xff\xfe"])
def test_a_file_that_cannot_be_understood_is_set_aside(kept: bytes, tmp_path: Path) -> None:
    (tmp_path / HABITS).write_bytes(kept)
    habits = Habits(tmp_path)
    habits.used("count")
    habits.save()
    assert Habits(tmp_path).uses("count") == 1
    assert (tmp_path / f"{HABITS}.damaged").read_bytes() == kept


def test_a_file_that_cannot_be_read_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    habits = Habits(tmp_path)
    habits.used("count")
    habits.save()
    kept = (tmp_path / HABITS).read_bytes()

    def read_json(_path: Path, _most: int, _kind: object) -> object:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr("daoqi_tui.record.files.read_json", read_json)
        unread = Habits(tmp_path)
        unread.used("hint")
        unread.save()
        assert unread.uses("hint") == 1
        assert (tmp_path / HABITS).read_bytes() == kept
    unread.save()
    assert (Habits(tmp_path).uses("count"), Habits(tmp_path).uses("hint")) == (1, 1)


def test_where_nothing_can_be_written_habits_last_as_long_as_the_program(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where the folder should be")
    habits = Habits(tmp_path / "state" / "daoqi-tui")
    habits.used("count")
    habits.save()
    assert habits.uses("count") == 1
