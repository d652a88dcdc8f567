"""Damaged journals: every start succeeds, and everything intact is restored."""

from __future__ import annotations

import io
import os
from pathlib import Path
from random import Random
from typing import Any
from zlib import crc32

import pytest

from daoqi_tui.engine import Game
from daoqi_tui.engine.clock import Clock, TimeControl
from daoqi_tui.record import Info
from daoqi_tui.record.journal import Journal, JournalError, replay, scan
from daoqi_tui.record.journal.format import ClockReading
from tests.record.journal_acts import act, state_of
from tests.thorough import rounds


@pytest.fixture
def played(tmp_path: Path) -> tuple[Path, Game]:
    """Return a journal of about a hundred entries, and its game."""
    rng = Random(11)
    game = Game(7)
    journal = Journal.begin(game, Info(black="Ke"), folder=tmp_path)
    for _ in range(110):
        act(game, rng)(journal)
    assert journal.close()
    return journal.path, game


def main_moves(path_or_bytes: bytes) -> list[int]:
    game = replay(io.BytesIO(path_or_bytes)).game
    return [node.move.point if node.move else -2 for node in game.root.walk()]


def simple(folder: Path, moves: int) -> Path:
    """Return a journal of a game without variations."""
    game = Game(9)
    journal = Journal.begin(game, Info(), folder=folder)
    for point in range(moves):
        game.play(2 * point % 81)
        journal.follow()
    assert journal.close()
    return journal.path


def test_cut_off_anywhere_a_beginning_of_the_play_comes_back(tmp_path: Path):
    data = simple(tmp_path, 30).read_bytes()
    lines = data.splitlines(keepends=True)
    head = len(lines[0])
    moves = main_moves(data)
    for end in range(len(data)):
        cut = data[:end]
        if end < head:
            with pytest.raises(JournalError, match="no game"):
                replay(io.BytesIO(cut))
            continue
        back = replay(io.BytesIO(cut))
        whole = cut.count(b"\n")
        added = sum(b'"move"' in line for line in lines[:whole])
        found = [node.move.point if node.move else -2 for node in back.game.root.walk()]
        assert found == moves[: added + 1]
        assert not back.damaged
        assert bool(back.problems) == (not cut.endswith(b"\n"))
        assert back.sound == cut.rfind(b"\n") + 1


def test_a_torn_last_line_is_dropped_and_said_and_play_goes_on(tmp_path: Path):
    path = simple(tmp_path, 10)
    path.write_bytes(path.read_bytes()[:-5])
    journal, back = Journal.resume(path)
    assert tuple(map(str, back.problems)) == ("the last line of the journal is incomplete and was dropped",)
    assert len(back.game.moves()) == 9
    back.game.play(80)
    journal.follow()
    assert journal.close()
    again = replay(path)
    assert again.problems == ()
    assert again.game.moves() == back.game.moves()


def test_zeros_at_the_end_are_a_torn_line(tmp_path: Path):
    path = simple(tmp_path, 10)
    path.write_bytes(path.read_bytes() + bytes(4096))
    back = replay(path)
    assert len(back.game.moves()) == 10
    assert not back.damaged


def test_a_bit_turned_anywhere_never_raises(tmp_path: Path, played: tuple[Path, Game]):
    data = played[0].read_bytes()
    rng = Random(3)
    for place in rng.sample(range(len(data)), rounds(200, 2_000)):
        flipped = bytearray(data)
        flipped[place] ^= 1 << rng.randrange(8)
        back = replay(io.BytesIO(flipped))
        assert back.problems


@pytest.mark.parametrize("place", [0.0, 0.3, 0.6, 0.97])
def test_random_bytes_over_a_part_never_raise_but_journal_errors(played: tuple[Path, Game], place: float):
    data = bytearray(played[0].read_bytes())
    rng = Random(5)
    start = int(len(data) * place)
    for length in (10, 100, 1000, 100_000):
        data[start : start + length] = rng.randbytes(length)
        if place == 0 and length >= 100:
            with pytest.raises(JournalError, match="no game"):
                replay(io.BytesIO(data))
        else:
            assert replay(io.BytesIO(data)).problems


def test_what_does_not_hang_on_a_lost_line_is_restored(tmp_path: Path):
    game = Game(9)
    journal = Journal.begin(game, Info(), folder=tmp_path)
    for point in (0, 10, 20):
        game.play(point)
        journal.follow()
    game.goto(game.root)
    game.play(30)
    journal.follow()
    game.play(40)
    journal.follow()
    journal.close()
    lines = journal.path.read_bytes().splitlines(keepends=True)
    (lost,) = [place for place, line in enumerate(lines) if b",10]" in line]
    lines[lost] = lines[lost].replace(b",10]", b",11]")
    journal.path.write_bytes(b"".join(lines))
    back = replay(journal.path)
    assert back.damaged
    assert [[node.move.point for node in child.line()] for child in back.game.root.children] == [[], [40]]
    assert [move.point for move in back.game.moves()] == [30, 40]
    assert tuple(map(str, back.problems)) == (
        f"the journal is damaged at line {lost + 1}; everything else was restored",
        "1 entry was left out because what it builds on is lost",
    )


def test_a_missing_line_is_noticed(tmp_path: Path):
    path = simple(tmp_path, 10)
    lines = path.read_bytes().splitlines(keepends=True)
    del lines[-2]
    path.write_bytes(b"".join(lines))
    back = replay(path)
    assert back.damaged
    assert "1 entry was missing from the journal" in str(back.problems[0])
    assert len(back.game.moves()) == 8


def test_a_damaged_journal_is_set_aside_once_the_new_one_is_on_the_disk(tmp_path: Path):
    path = simple(tmp_path, 20)
    lines = path.read_bytes().splitlines(keepends=True)
    lines[-3] = b"garbage\n"
    damaged = b"".join(lines)
    path.write_bytes(damaged)
    journal, back = Journal.resume(path)
    assert back.damaged
    journal.follow().wait()
    assert journal.close()
    assert not path.exists()
    assert path.with_name(f"{path.name}.damaged").read_bytes() == damaged
    (found,) = scan(tmp_path).journals
    assert found.path == journal.path != path
    assert replay(found.path).problems == ()
    assert state_of(replay(found.path).game) == state_of(back.game)


def test_entries_of_a_newer_version_are_passed_over(tmp_path: Path):
    path = simple(tmp_path, 3)
    sequence = path.read_bytes().count(b"\n")
    body = b'%d ["dance",1,2]' % sequence
    path.write_bytes(path.read_bytes() + b"%08x %s\n" % (crc32(body), body))
    back = replay(path)
    assert not back.damaged
    assert "newer version" in str(back.problems[0])


def test_a_journal_of_a_newer_format_is_reported_and_left_as_it_is(tmp_path: Path):
    path = tmp_path / "new.journal"
    bodies = [b'%d ["daoqi",3,{"size":9}]' % place for place in range(2)]
    data = b"".join(b"%08x %s\n" % (crc32(body), body) for body in bodies)
    path.write_bytes(data)
    said = "the journal has format 3; this version reads format 2"
    for _ in range(2):
        found = scan(tmp_path)
        assert found.journals == ()
        assert [str(problem) for problem in found.problems] == [f"new.journal: {said}"]
    with pytest.raises(JournalError, match=said):
        Journal.resume(path)
    assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [("new.journal", data)]


@pytest.mark.parametrize(("time", "number"), [(None, 1), (TimeControl(600, increment=5), 2)])
def test_a_version_that_knows_no_moves_in_edits_leaves_the_journals_with_them_alone(
    tmp_path: Path, time: TimeControl | None, number: int
):
    game, clock = Game(9), Clock(time or TimeControl(60))
    clock.start(game.to_move, 0)
    journal = Journal.begin(game, time=time, folder=tmp_path)
    for point in range(3):
        game.play(point)
        journal.follow(clock=None if time is None else ClockReading.of(clock, point)).wait()
    assert journal.close()
    text = journal.path.read_text()
    assert text.count(f'["daoqi",{number},') == 2
    assert ('"move"' in text.partition('["edit"')[2]) == (number == 2)
    assert len(replay(journal.path).game.moves()) == 3


def crafted(*entries: str) -> bytes:
    head = ['["daoqi",1,5,4,0,"",null,null]', *entries]
    bodies = [b"%d %s" % (place, entry.encode()) for place, entry in enumerate(head)]
    return b"".join(b"%08x %s\n" % (crc32(body), body) for body in bodies)


@pytest.mark.parametrize(
    "entry",
    [
        '["move",1,0,1,25]',
        '["move",1,0,2,0]',
        '["move",1,7,1,0]',
        '["move",0,0,1,0]',
        '["move",1,0,true,0]',
        '["move",1]',
        '["setup",1,0,"ffffffffff","0","0",1]',
        '["setup",1,0,"0","x","0",1]',
        '["at",5]',
        '["at",1e400]',
        '["delete",0]',
        '["end",0,false,"dead",[624]]',
        '["end",0,false,"dead",7]',
        '["end",0,1]',
        '["properties",0,{"C":[1]}]',
        '["about",NaN,{}]',
        '["about",4,{"black":7}]',
        '["clock",[1,2,false],null]',
        '["front",5]',
        '["front",null]',
        '["view",0,0,0,1,null,null]',
        '["view",0,0,2,1,600,null]',
        '["filed","../up.sgf"]',
        '["filed","a\\u0000.sgf"]',
        '["record",7]',
        "[]",
        "7",
        '[["at"],1]',
        "[" * 5000,
        '["at",' + "9" * 5000 + "]",
    ],
)
def test_entries_that_make_no_sense_are_left_out(entry: str):
    back = replay(io.BytesIO(crafted(entry, '["move",9,0,1,3]')))
    assert back.damaged
    assert [move.point for move in back.game.moves()] == [3]


@pytest.mark.parametrize("head", ['["daoqi",1,99,4,0,"",null,null]', '["daoqi",1,5,4,9,"",null,null]', '["daoqi",7]'])
def test_a_beginning_that_makes_no_sense_is_an_error(head: str):
    data = crafted().replace(b'["daoqi",1,5,4,0,"",null,null]', head.encode())
    with pytest.raises(JournalError):
        replay(io.BytesIO(data))


def test_no_file_in_the_folder_hinders_a_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    good = simple(tmp_path, 5)
    (tmp_path / "random.journal").write_bytes(Random(1).randbytes(100_000))
    (tmp_path / "empty.journal").touch()
    (tmp_path / "folder.journal").mkdir()
    (tmp_path / "nowhere.journal").symlink_to(tmp_path / "missing")
    (tmp_path / "loop.journal").symlink_to(tmp_path / "loop.journal")
    (tmp_path / "\udcff\n.journal").write_bytes(b"\n" * 100_000)
    os.mkfifo(tmp_path / "pipe.journal")
    with (tmp_path / "huge.journal").open("wb") as file:
        file.truncate(10 * 2**30)
    forbidden = tmp_path / "forbidden.journal"
    forbidden.write_bytes(good.read_bytes())
    real_open = os.open

    def refusing(path: Path, *args: Any, **kwargs: Any):
        if str(path) == str(forbidden):
            raise PermissionError(13, "Permission denied")
        return real_open(path, *args, **kwargs)

    monkeypatch.setattr(os, "open", refusing)
    found = scan(tmp_path)
    assert [journal.path for journal in found.journals] == [good]
    assert len(found.problems) == 9
    assert not any("\n" in str(problem) for problem in found.problems)
    assert (tmp_path / "random.journal.damaged").stat().st_size == 100_000
    assert (tmp_path / "huge.journal.damaged").exists()
    assert len(scan(tmp_path).problems) == 5, "what was set aside is not looked at again"


def test_a_folder_that_is_missing_or_none_is_no_error(tmp_path: Path):
    assert scan(tmp_path / "missing").problems == ()
    (tmp_path / "file").touch()
    found = scan(tmp_path / "file")
    assert found.journals == ()
    assert "cannot be read" in str(found.problems[0])


def test_what_cannot_be_resumed_is_said(tmp_path: Path):
    with pytest.raises(JournalError, match="cannot be opened"):
        Journal.resume(tmp_path / "missing.journal")
    (tmp_path / "random.journal").write_bytes(b"abc")
    for _ in range(2):  # The first attempt must release the lock.
        with pytest.raises(JournalError, match="no game"):
            Journal.resume(tmp_path / "random.journal")


def test_names_set_aside_do_not_collide(tmp_path: Path):
    for _ in range(3):
        (tmp_path / "a.journal").write_bytes(b"abc")
        scan(tmp_path)
    assert len(list(tmp_path.glob("a.journal.damaged*"))) == 3
