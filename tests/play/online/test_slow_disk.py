"""A server whose disk is slow or full: operator and players are told, and no game waits for the disk of another."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from daoqi_tui.engine.clock import TimeControl
from daoqi_tui.i18n import translate, use_language
from daoqi_tui.message import Message
from daoqi_tui.play.online.protocol import Ask, Moved, Play, Refused, Said, Say, State, Welcome
from daoqi_tui.play.online.referee import Referee
from daoqi_tui.play.online.table import Terms
from daoqi_tui.record.journal.writer import JournalFile
from tests.plain.test_online import two
from tests.play.online.table import SMALL, Server, Time, server, tick
from tests.slow_disk import SlowDisk
from tests.waiting import until

WAITS = {"fsync", "io.open", "mkdir", "open", "pwrite", "rename", "replace", "rmdir", "unlink", "write"}
"""Calls for which a disk may be waited."""


def reports_of(table: Server) -> list[str]:
    told: list[str] = []

    def report(message: Message) -> None:
        told.append(translate(message))

    table.lobby.disks.report = report
    return told


async def on_disk(referee: Referee) -> None:
    await until(lambda: not referee.stored.waited)


async def test_the_operator_is_told_once_when_a_move_waits_and_once_when_it_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = SlowDisk(monkeypatch)
    async with server(tmp_path) as table:
        referee, told = table.lay(), reports_of(table)
        host, guest = await two(table)
        await on_disk(referee)
        with disk.blocking("fsync"):
            host.table.answer("c3")
            await until(lambda: referee.stored.waited > 2)
            await until(lambda: told)
            for _ in range(3):
                table.lobby.disks.look()
            assert len(told) == 1
            assert told[0].startswith(
                f"game {table.game}: not saved yet: a change has been waiting for the disk for 1 s"
            )
            assert not any("Black C3" in line for line in guest.told), "shown before it was on the disk"
        await guest.says("Black C3.")
        await until(lambda: len(told) == 2)
        assert told[1].startswith(f"game {table.game}: saved, after ")
        assert table.lobby.disks.slowest is None
        await host.end()
        await guest.end()


@pytest.mark.parametrize(
    ("call", "message"), [("fsync", Ask("undo")), ("io.open", Say("hello"))], ids=["request", "chat"]
)
async def test_a_request_and_a_line_of_chat_that_wait_count_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, message: Ask | Say
) -> None:
    """They hold the game as a move does: what follows waits for them."""
    disk = SlowDisk(monkeypatch)
    async with server(tmp_path) as table:
        referee, told = table.lay(), reports_of(table)
        host, guest, _key = await table.two()
        await host.say(Play(1, "C3"))
        await guest.hear(Moved)
        await on_disk(referee)
        with disk.blocking(call):
            await host.say(message)
            await until(lambda: disk.is_blocking)
            await until(lambda: told)
            assert "not saved yet: a change has been waiting for the disk for 1 s" in told[0]
            slowest = table.lobby.disks.slowest
            assert slowest is referee.stored
        await guest.hear(Said if isinstance(message, Say) else State)
        await until(lambda: len(told) == 2)


async def test_a_clock_that_runs_out_on_a_slow_disk_does_not_hide_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check of the clock waits for the disk itself."""
    disk, time = SlowDisk(monkeypatch), Time()
    async with server(tmp_path, now=time) as table:
        referee, told = table.lay(Terms(size=5, black="host", time=TimeControl(60.0))), reports_of(table)
        host, guest = await two(table)
        await on_disk(referee)
        with disk.blocking("fsync"):
            time.now += 1000
            await until(lambda: disk.is_blocking)
            await until(lambda: told)
        await until(lambda: len(told) == 2)
        await host.end()
        await guest.end()


@pytest.mark.parametrize("seconds", [40.0, 100.0])
@pytest.mark.parametrize("control", [TimeControl(60), TimeControl(60, increment=5), TimeControl(0, 2, 30)], ids=str)
async def test_nobody_loses_time_by_the_disk_of_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, control: TimeControl, seconds: float
) -> None:
    """Neither who has not seen yet that it is their move, nor whose move waits for something else."""
    disk, time = SlowDisk(monkeypatch), Time()
    async with server(tmp_path, now=time) as table:
        referee = table.lay(Terms(size=5, black="host", time=control))
        host, guest, _key = await table.two()
        await on_disk(referee)
        with disk.blocking("fsync"):
            await host.say(Play(1, "C3"))
            await until(lambda: referee.stored.waited)
            time.now += seconds
        moved = await guest.hear(Moved)
        assert (moved.clock.white.seconds, moved.clock.white.periods) == (control.main or 30, control.periods)
        time.now += 7
        with disk.blocking("io.open"):
            await host.say(Say("hello"))
            await until(lambda: referee.stored.waited)
            await guest.say(Play(2, "D4"))
            await until(lambda: referee._lock._waiters)
            time.now += seconds
        moved = await host.hear(Moved)
        while moved.number < 2:
            moved = await host.hear(Moved)
        left = 30 if not control.main else 53 + control.increment
        assert (moved.clock.white.seconds, moved.clock.white.periods) == (left, control.periods)
        # Who thinks for so long loses as ever.
        time.now += 66
        await tick(referee)
        assert referee.state().result == "W+T"


async def test_the_clocks_of_other_games_go_on_while_the_disk_of_one_is_blocked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk, time = SlowDisk(monkeypatch), Time()
    terms = Terms(size=5, black="host", time=TimeControl(60.0))
    async with server(tmp_path, now=time) as table:
        games = []
        for _ in range(3):
            games.append(table.lay(terms))
            host, guest, _key = await table.two()
            await host.say(Play(1, "C3"))
            await guest.hear(Moved)
        for game in games:
            await on_disk(game)
        with disk.blocking("fsync", tmp_path / "online" / games[0].name):
            time.now += 61
            await until(lambda: disk.is_blocking)
            await until(lambda: [game.state().result for game in games[1:]] == ["B+T", "B+T"])
            assert games[0]._lock.locked()
        await until(lambda: games[0].state().result == "B+T")


async def test_many_games_with_a_blocked_disk_hold_no_other_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = SlowDisk(monkeypatch)
    async with server(tmp_path) as table:
        places = []
        # One game more than there are threads for computing.
        for _ in range(min(32, (os.cpu_count() or 1) + 4) + 1):
            game = table.lay()
            host, guest, _key = await table.two()
            await host.say(Play(1, "C3"))
            await guest.hear(Moved)
            await on_disk(game)
            places.append((game, host))
        last, its_host = places.pop()
        other = tmp_path / "elsewhere"
        # The last game lies on another disk.
        (tmp_path / "online" / last.name).rename(other)
        last.stored.__dict__["folder"] = other
        with disk.blocking("fsync", tmp_path / "online"):
            for game, host in places:
                await host.say(Ask("undo"))
                await until(game._lock.locked)
            await its_host.say(Ask("undo"))
            await until(lambda: last.state().request is not None)
            opened = [game.state().request for game, _host in places]
            assert opened == [None] * len(places)
        for game, _host in places:
            await until(lambda: game.state().request is not None)  # noqa: B023
        last.stored.__dict__["folder"] = tmp_path / "online" / last.name
        other.rename(tmp_path / "online" / last.name)


async def test_the_event_loop_waits_for_no_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = SlowDisk(monkeypatch)

    def waited_for() -> set[str]:
        return WAITS & set(disk.elsewhere)

    async with server(tmp_path) as table:
        # What was done at the start is of no interest: nobody was served.
        disk.elsewhere.clear()
        referee, table.host_key, table.code = await table.lobby.open(SMALL, "Lu")
        table.game = referee.name
        host, guest, key = await table.two()
        await host.say(Play(1, "C3"))
        await guest.hear(Moved)
        await guest.say(Say("hello"))
        await host.hear(Said)
        await guest.say(Play(2, "pass"))
        await host.say(Ask("adjourn"))
        await until(lambda: referee.state().request is not None)
        await on_disk(referee)
        for wire in (host, guest):
            await wire.socket.close()
        await until(lambda: not referee.listeners)
        assert waited_for() == set()
        table.lobby.tables.adjourn(referee.name)
        table.lobby._leave(referee.name, "adjourn")
        await until(lambda: not table.lobby.games)
        again = await table.wire()
        assert isinstance(await again.join(key=key), Welcome)
        assert waited_for() == set()


async def test_a_player_is_told_how_long_a_move_waits_in_text_mode(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = SlowDisk(monkeypatch)
    async with server(tmp_path) as table:
        referee = table.lay()
        host, guest = await two(table)
        await on_disk(referee)
        with disk.blocking("fsync"):
            host.table.answer("c3")
            assert not any("SAVED" in line for line in host.told)
            await host.says("NOT SAVED YET: slow server, 1 s.")
            use_language("zh")
            host.table.answer("pass")
            use_language("en")
            assert host.told[-1].startswith("尚未保存：服务器缓慢，")
        await host.says("Black C3.")
        assert host.table.match.client.waited == 0
        await host.end()
        await guest.end()


async def test_a_full_disk_holds_a_move_until_there_is_room_and_names_the_file_to_the_operator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append = JournalFile.append
    full = False

    def append_if_room(file: JournalFile, data: bytes) -> None:
        if full:
            raise OSError(errno.ENOSPC, "No space left on device")
        append(file, data)

    monkeypatch.setattr(JournalFile, "append", append_if_room)
    async with server(tmp_path) as table:
        referee, told = table.lay(), reports_of(table)
        host, guest, _key = await table.two()
        await host.say(Play(1, "C3"))
        await guest.hear(Moved)
        [journal] = (tmp_path / "online" / referee.name).rglob("*.journal")
        full = True
        await guest.say(Play(2, "D4"))
        await until(lambda: told)
        assert told == [
            f"game {referee.name}: not saved: {journal} cannot be written: the disk is full; saving is tried again"
        ]
        full = False
        for number in (1, 2):
            assert (await host.hear(Moved)).number == number
        await until(lambda: len(told) == 2)
        await host.say(Play(3, "E5"))
        assert (await guest.hear(Moved)).number == 2
        assert (await guest.hear(Moved)).number == 3


async def test_a_request_that_a_full_disk_does_not_take_is_refused_and_its_player_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = os.replace
    full = True

    def replace_if_room(source: str, target: str) -> None:
        if full and str(target).endswith("game.json"):
            raise OSError(errno.ENOSPC, "No space left on device")
        replace(source, target)

    async with server(tmp_path) as table:
        referee, told = table.lay(), reports_of(table)
        host, guest, _key = await table.two()
        await host.say(Play(1, "C3"))
        await guest.hear(Moved)
        monkeypatch.setattr(os, "replace", replace_if_room)
        await host.say(Ask("undo"))
        refused = await host.hear(Refused)
        assert (refused.code, refused.fatal) == ("unsaved", False)
        file = tmp_path / "online" / referee.name / "game.json"
        assert told == [f"game {referee.name}: a request was refused: {file} cannot be written: the disk is full"]
        full = False
        await host.say(Ask("undo"))
        await until(lambda: referee.state().request is not None)
        await guest.say(Play(2, "D4"))
        await until(lambda: len(referee.state().moves) == 2)
