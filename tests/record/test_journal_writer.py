"""A failing disk: the game goes on, nothing is lost or reordered, and saving recovers by itself."""

from __future__ import annotations

import asyncio
import errno
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from daoqi_tui import signals
from daoqi_tui.engine import Game
from daoqi_tui.record.journal import Journal, SaveFailure, replay
from daoqi_tui.record.journal import writer as journal_writer
from daoqi_tui.record.journal.format import CursorAt
from daoqi_tui.record.journal.writer import JournalFile, JournalWriter, set_aside
from tests.record.journal_acts import state_of
from tests.record.system_calls import SystemCalls
from tests.waiting import HANG


class Disk:
    """Makes system calls of the journal's thread fail while ``error`` is set."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *calls: str) -> None:
        self.error: int | None = None
        self.partly = 0
        for name in calls:
            monkeypatch.setattr(os, name, self._failing(name, getattr(os, name)))

    def _failing(self, name: str, real: Callable[..., Any]):
        def call(*args: Any, **kwargs: Any):
            if self.error is not None and threading.current_thread().name == "journal":
                if name == "write" and self.partly:
                    real(args[0], bytes(args[1])[: self.partly])
                raise OSError(self.error, os.strerror(self.error))
            return real(*args, **kwargs)

        return call


class Heard(list):
    """The states reported by a journal; ``wait`` waits for the next one."""

    def __init__(self) -> None:
        super().__init__()
        self._come = threading.Semaphore(0)

    def __call__(self, state: SaveFailure | None) -> None:
        self.append(state)
        self._come.release()

    def wait(self) -> SaveFailure | None:
        assert self._come.acquire(timeout=HANG)
        return self[-1]


def begin(folder: Path, heard: Heard, retry: float = 0.02) -> tuple[Journal, Game]:
    game = Game(9)
    journal = Journal.begin(game, folder=folder, on_state=heard)
    journal._writer._retry = retry
    return journal, game


@pytest.mark.parametrize(
    "case",
    [
        (errno.ENOSPC, "full", "the disk is full"),
        (errno.EROFS, "read-only", "the disk is read-only"),
        (errno.EACCES, "forbidden", "the folder is not writable"),
        (errno.EIO, "other", "Input/output error"),
    ],
    ids=lambda case: case[1],
)
@pytest.mark.parametrize("call", ["open", "write", "fsync", "ftruncate"])
def test_a_failing_disk_is_reported_and_saving_recovers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: tuple[int, str, str], call: str
):
    error, why, words = case
    calls = [call] if call != "ftruncate" else ["ftruncate", "fsync"]
    disk, heard = Disk(monkeypatch, *calls), Heard()
    if call == "open":
        disk.error = error
    journal, game = begin(tmp_path / "deep" / "folder", heard)
    game.play(0)
    if call != "open":
        assert journal.follow().wait(HANG)
        disk.error = error
    disk.partly = 7
    for point in range(1, 30):
        game.play(point)
        ticket = journal.follow()
    assert not ticket.wait(HANG), "whoever waits is let go on"
    failing = heard.wait()
    assert failing is not None
    assert (failing.why, failing.file) == (why, journal.path)
    assert words in str(failing)
    assert journal.failing == failing
    for point in range(30, 50):
        game.play(point)
        journal.follow()
    disk.error = None
    assert heard.wait() is None
    assert journal.close()
    assert len(heard) == 2
    back = replay(journal.path)
    assert back.problems == ()
    assert state_of(back.game) == state_of(game)


def test_what_was_written_before_the_disk_failed_can_be_resumed_after_a_kill(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    disk, heard = Disk(monkeypatch, "write", "ftruncate"), Heard()
    journal, game = begin(tmp_path, heard)
    game.play(0)
    assert journal.follow().wait(HANG)
    disk.error, disk.partly = errno.ENOSPC, 7
    game.play(1)
    assert not journal.follow().wait(HANG)
    back = replay(journal.path)
    assert len(back.game.moves()) == 1
    assert "is incomplete" in str(back.problems[0])
    journal.close()


def test_closing_does_not_wait_for_a_disk_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    disk, heard = Disk(monkeypatch, "open"), Heard()
    disk.error = errno.EROFS
    journal, game = begin(tmp_path / "new", heard, retry=60)
    game.play(0)
    journal.follow()
    assert heard.wait() is not None
    assert not journal.close(timeout=HANG)
    assert not journal._writer._thread.is_alive()


async def test_awaiting_goes_on_when_the_disk_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    disk, heard = Disk(monkeypatch, "open"), Heard()
    disk.error = errno.ENOSPC
    journal, game = begin(tmp_path / "new", heard, retry=60)
    game.play(0)
    assert not await asyncio.wait_for(journal.follow(), HANG)
    disk.error = None
    game.play(1)
    assert await asyncio.wait_for(journal.follow(), HANG), "the next move is a reason to try again"
    journal.close()


@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be removed there")
def test_a_journal_someone_removes_is_written_anew(tmp_path: Path):
    heard = Heard()
    journal, game = begin(tmp_path / "folder", heard)
    for point in range(10):
        game.play(point)
        journal.follow().wait(HANG)
    journal.path.unlink()
    (tmp_path / "folder").rmdir()
    game.play(10)
    assert journal.follow().wait(HANG)
    assert journal.close()
    assert state_of(replay(journal.path).game) == state_of(game)


def test_an_error_in_the_callback_does_not_end_the_saving(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    disk = Disk(monkeypatch, "fsync")
    game = Game(9)
    journal = Journal.begin(game, folder=tmp_path, on_state=lambda state: 1 / 0)
    journal._writer._retry = 0.01
    disk.error = errno.ENOSPC
    game.play(0)
    assert not journal.follow().wait(HANG)
    disk.error = None
    game.play(1)
    assert journal.follow().wait(HANG)
    journal.close()


def test_a_journal_that_may_only_be_read_is_restored_and_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    journal, game = begin(tmp_path, Heard())
    game.play(0)
    journal.follow()
    journal.close()
    real, refuse = os.open, [True]

    def refusing(path: Path, flags: int, *args: Any, **kwargs: Any):
        if refuse and flags & os.O_RDWR:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return real(path, flags, *args, **kwargs)

    monkeypatch.setattr(os, "open", refusing)
    heard = Heard()
    journal, back = Journal.resume(journal.path, on_state=heard)
    journal._writer._retry = 0.02
    back.game.play(1)
    journal.follow()
    assert heard.wait().why == "read-only"
    refuse.clear()
    assert heard.wait() is None
    assert journal.close()
    assert state_of(replay(journal.path).game) == state_of(back.game)


def test_tickets_are_done_in_order(tmp_path: Path):
    writer = JournalWriter(JournalFile(tmp_path / "a.journal"))
    tickets = [writer.append(CursorAt(place)) for place in range(500)]
    assert tickets[-1].wait(HANG)
    assert all(ticket.done for ticket in tickets)
    assert writer.close()
    lines = (tmp_path / "a.journal").read_bytes().splitlines()
    assert [line.split()[1] for line in lines] == [b"%d" % place for place in range(500)]


def test_nothing_is_opened_before_something_is_written(tmp_path: Path):
    writer = JournalWriter(JournalFile(tmp_path / "new" / "a.journal"))
    assert writer.close()
    assert list(tmp_path.iterdir()) == []


_UNTIL_FULL = """
import resource, sys, pathlib
from daoqi_tui.engine import Game
from daoqi_tui.record.journal import Journal
resource.setrlimit(resource.RLIMIT_FSIZE, (3000, resource.RLIM_INFINITY))
game, states = Game(19), []
journal = Journal.begin(game, folder=pathlib.Path(sys.argv[1]), on_state=states.append)
done = [(game.play(point), journal.follow().wait())[1] for point in range(200)]
assert done[0] and not done[-1] and done == sorted(done, reverse=True), done
assert states[0].why == "full", states
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
game.pass_turn()
assert journal.follow().wait()
assert states[1:] == [None]
print(sum(done))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limits on files there")
def test_a_file_that_may_not_grow_and_then_may(tmp_path: Path):
    """The system itself refuses to write; the process ends without closing the journal."""
    command = [sys.executable, "-c", _UNTIL_FULL, str(tmp_path)]
    root = Path(__file__).resolve().parents[2]
    ran = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=HANG, check=False)
    assert ran.returncode == 0, ran.stderr
    (path,) = tmp_path.glob("*.journal")
    back = replay(path)
    assert back.problems == ()
    assert len(back.game.moves()) == 201


@pytest.mark.skipif(sys.platform == "win32", reason="folders cannot be flushed there")
def test_names_outlast_a_power_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """After a rename the folder is flushed before the entry is acknowledged."""
    folder = tmp_path.stat().st_ino
    calls = SystemCalls(monkeypatch)
    journal, game = begin(tmp_path, Heard())
    game.play(0)
    assert journal.follow().wait(HANG)
    file = journal.path.stat().st_ino
    assert calls.done == [("flushed", file), ("renamed", file), ("flushed", folder)]

    calls.done.clear()
    game.play(1)
    assert journal.follow().wait(HANG)
    assert calls.done == [("flushed", file)], "its name is safe already"

    calls.done.clear()
    assert journal.close()
    aside = set_aside(journal.path)
    assert aside.stat().st_ino == file
    assert calls.done == [("renamed", file), ("flushed", folder)]


@pytest.mark.skipif(sys.platform == "win32", reason="folders cannot be flushed there")
def test_a_removed_journal_does_not_come_back_after_a_power_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    writer = JournalFile(tmp_path / "a.journal")
    writer.append(b"line\n")
    file, folder = writer.path.stat().st_ino, tmp_path.stat().st_ino
    calls = SystemCalls(monkeypatch)
    writer.remove()
    assert calls.done == [("removed", file), ("flushed", folder)]


def test_a_process_that_ends_while_the_disk_hangs_leaves_what_waited(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    journal, game = begin(tmp_path, Heard())
    game.play(0)
    assert journal.follow().wait(HANG)
    reached, released = threading.Event(), threading.Event()
    sync = os.fsync

    def hang(descriptor: int) -> None:
        reached.set()
        assert released.wait(HANG)
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", hang)
    for point in (1, 2, 3):
        game.play(point)
        journal.follow()
        assert reached.wait(HANG)
    assert replay(journal.path).game.node.number < 4
    for last_resort in tuple(signals.last_resorts):
        last_resort()
    assert state_of(replay(journal.path).game) == state_of(game)
    released.set()
    assert journal.close()
    restored = replay(journal.path)
    assert not restored.problems
    assert state_of(restored.game) == state_of(game)
    assert journal._writer._write_pending not in signals.last_resorts


@pytest.mark.parametrize("slow", ["fsync", "flush_folder"])
@pytest.mark.parametrize("ends", ["signal", "close"])
def test_a_disk_that_is_slow_to_create_the_journal_loses_nothing_at_the_end(
    slow: str, ends: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held, go_on = threading.Event(), threading.Event()

    def wait(*_given: object) -> None:
        held.set()
        assert go_on.wait(HANG)

    monkeypatch.setattr(*((os, slow) if slow == "fsync" else (journal_writer, slow)), wait)
    game = Game(9)
    journal = Journal.begin(game, folder=tmp_path)
    try:
        game.play(40)
        journal.follow()
        assert held.wait(HANG)
        for point in (41, 42):
            game.play(point)
            journal.follow()
        if ends == "close":
            assert not journal.close(timeout=0.01)
        else:
            journal._writer._write_pending()
        assert [path.name for path in tmp_path.iterdir()] == [journal.path.name]
        assert state_of(replay(journal.path).game) == state_of(game)
    finally:
        go_on.set()
    journal.close()
    assert state_of(replay(journal.path).game) == state_of(game)
