"""A slow disk in the faces: what is not saved yet is marked with the seconds, until it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from daoqi_tui.i18n import use_language
from daoqi_tui.plain import execute
from tests.plain.test_games import kept_person
from tests.slow_disk import SlowDisk
from tests.tui.driving import until
from tests.tui.test_keeping import keeping
from tests.waiting import wait_until


async def test_a_move_that_waits_for_the_disk_is_marked_until_it_is_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = SlowDisk(monkeypatch)
    async with keeping(tmp_path) as person:
        await person.play("C3")
        assert "NOT SAVED" not in person.text("#game")
        with disk.blocking("fsync"):
            for point in ("D4", "E5"):
                await person.play(point)
                await until(person, lambda: person.screen.match.written)
            assert len(person.moves) == 3
            # A busy machine may not show every second.
            await until(person, lambda: re.search(r"slow disk, ([3-9]|\d\d+) s", person.text("#game")))
            assert "NOT SAVED YET" in person.text("#game")
        await until(person, lambda: "NOT SAVED" not in person.text("#game"))
        assert person.screen.clocks._disk_timer is None, "nothing ticks without need"


async def test_the_board_alone_says_so_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = SlowDisk(monkeypatch)
    async with keeping(tmp_path) as person:
        await person.play("C3")
        await person.press("F")
        with disk.blocking("fsync"):
            await person.play("D4")
            await until(person, lambda: person.status.startswith("NOT SAVED YET: slow disk"))


def test_text_mode_says_so_after_every_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = SlowDisk(monkeypatch)
    person = kept_person(tmp_path)
    assert not any("SAVED" in line for line in execute(person, "c3"))
    with disk.blocking("fsync"):
        assert any(line.startswith("NOT SAVED YET: slow disk, ") for line in execute(person, "d4"))
        assert any(line.startswith("NOT SAVED YET: slow disk, ") for line in execute(person, "score"))
        use_language("zh")
        assert any(line.startswith("尚未保存：磁盘缓慢，") for line in execute(person, "score"))
        use_language("en")
    assert person.keeper is not None
    keeper = person.keeper.keeper
    wait_until(lambda: not keeper.waited)
    assert "All moves are saved now." in execute(person, "score")
    assert not any("saved" in line for line in execute(person, "score"))
    person.close()
