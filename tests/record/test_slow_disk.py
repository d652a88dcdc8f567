"""A disk that is slow at any of the journal's system calls: what is not on it is known to wait, with the time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from daoqi_tui.engine import Game
from daoqi_tui.record.journal import Journal, writer
from tests.slow_disk import SlowDisk


def moves_in(folder: Path) -> int:
    """Return the number of moves in the journal of a folder, read without the program's code."""
    [path] = folder.glob("*.journal")
    whole = path.read_bytes()
    assert whole.endswith(b"\n")
    entries = [json.loads(line.split(b" ", 2)[2]) for line in whole.splitlines()]
    return sum(entry[0] == "move" for entry in entries)


def recorded(folder: Path, moves: int) -> tuple[Game, Journal]:
    game = Game(5)
    journal = Journal.begin(game, folder=folder)
    for point in range(moves):
        game.play(point)
        assert journal.follow().wait()
    return game, journal


def calls_of(folder: Path, disk: SlowDisk, moves: int) -> set[str]:
    """Return the system calls with which a move is written after ``moves`` others."""
    game, journal = recorded(folder, moves)
    disk.calls.clear()
    game.play(20)
    assert journal.follow().wait()
    made = set(disk.calls)
    journal.close()
    return made


@pytest.mark.parametrize("moves", [0, 3], ids=["first move", "later move"])
def test_whatever_call_is_slow_a_move_waits_until_it_is_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moves: int
) -> None:
    clock = 100.0
    monkeypatch.setattr(
        writer.JournalWriter.__init__,
        "__kwdefaults__",
        {**writer.JournalWriter.__init__.__kwdefaults__, "now": lambda: clock},
    )
    disk = SlowDisk(monkeypatch)
    calls = calls_of(tmp_path / "any", disk, moves)
    assert "fsync" in calls
    for name in sorted(calls):
        folder = tmp_path / name
        game, journal = recorded(folder, moves)
        assert journal.waited == 0
        with disk.blocking(name):
            game.play(20)
            ticket = journal.follow()
            disk.wait()
            clock += 7
            game.play(21)
            later = journal.follow()
            clock += 13
            assert not ticket.done, name
            assert not later.done, name
            assert journal.waited == 20, name
        assert ticket.wait()
        assert later.wait()
        assert journal.waited == 0, name
        assert moves_in(folder) == moves + 2, name
        journal.close()
