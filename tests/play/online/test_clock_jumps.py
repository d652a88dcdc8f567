"""The clock of the system jumps: nobody loses on time, no win can be claimed early, and no game is put away."""

from __future__ import annotations

import time as system
from pathlib import Path

import pytest

from daoqi_tui.engine.clock import TimeControl
from daoqi_tui.play.online.limits import DAY, Limits
from daoqi_tui.play.online.protocol import Claim, Moved, Play
from daoqi_tui.play.online.table import Terms
from tests.play.online.table import SMALL, Time, server, tick
from tests.play.online.test_absence import gone, move, refusal
from tests.waiting import until

LIMITS = Limits()
YEARS = 10 * 365 * DAY
JUMPS = pytest.mark.parametrize("jump", [YEARS, -YEARS, 3600.0, -3600.0], ids=["years on", "years back", "on", "back"])


class WallClock:
    """The clock of the system, which a test changes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._time = system.time
        self._off = 0.0
        monkeypatch.setattr(system, "time", lambda: self._time() + self._off)

    def jump(self, seconds: float) -> None:
        self._off += seconds


@pytest.fixture
def wall(monkeypatch: pytest.MonkeyPatch) -> WallClock:
    return WallClock(monkeypatch)


@JUMPS
async def test_nobody_loses_on_time(tmp_path: Path, wall: WallClock, jump: float) -> None:
    time = Time()
    async with server(tmp_path, now=time) as table:
        referee = table.lay(Terms(size=5, black="host", time=TimeControl(60)))
        host, guest, _key = await table.two()
        await host.say(Play(1, "C3"))
        await guest.hear(Moved)
        wall.jump(jump)
        time.now += 30
        await tick(referee)
        clock = referee.state().clock
        assert clock is not None
        assert (referee.phase, clock.white.seconds) == ("playing", 30)
        await guest.say(Play(2, "D4"))
        while (await host.hear(Moved)).number < 2:
            pass
        time.now += 61
        await until(lambda: referee.state().result == "W+T")


@JUMPS
async def test_an_absent_player_has_all_the_time_that_was_promised(
    tmp_path: Path, wall: WallClock, jump: float
) -> None:
    time = Time()
    async with server(tmp_path, now=time) as table:
        referee = table.lay(SMALL)
        host, guest, _key = await table.two()
        await move(host, 1, "C3")
        await gone(table, guest, "white")
        wall.jump(jump)
        assert await refusal(host) == "not-away"
        time.now += LIMITS.away
        await host.say(Claim())
        await until(lambda: referee.state().warned is not None)
        wall.jump(jump)
        time.now += LIMITS.warning - 1
        assert await refusal(host) == "warned"
        time.now += 1
        await host.say(Claim())
        await until(lambda: referee.state().result == "B+T")


@pytest.mark.parametrize("jump", [30 * DAY, 3600.0, -3600.0, -YEARS], ids=["a month on", "on", "back", "years back"])
async def test_a_jump_while_the_server_is_down_wins_no_game(tmp_path: Path, wall: WallClock, jump: float) -> None:
    """The days that a server was down cannot be told from a jump: whoever was warned has time to return after both."""
    time = Time()
    async with server(tmp_path, now=time) as table:
        referee = table.lay(SMALL)
        host, guest, _key = await table.two()
        await move(host, 1, "C3")
        await gone(table, guest, "white")
        time.now += LIMITS.away
        await host.say(Claim())
        await until(lambda: referee.state().warned is not None)
    wall.jump(jump)
    time.now = 5.0
    async with server(tmp_path, now=time) as again:
        game, again.game = again.lobby.games[referee.name], referee.name
        host = await again.wire()
        await host.join(key=table.host_key)
        time.now += LIMITS.away - 1
        assert await refusal(host) == "not-away"
        assert game.phase == "playing"
        if jump < DAY:
            time.now += 1
            assert await refusal(host) == "warned"


@JUMPS
async def test_no_game_is_put_away(tmp_path: Path, wall: WallClock, jump: float) -> None:
    time = Time()
    async with server(tmp_path, now=time) as table:
        referee = table.lay(SMALL)
        host, guest, _key = await table.two()
        await move(host, 1, "C3")
        for wire in (host, guest):
            await wire.socket.close()
        await until(lambda: not referee.listeners)
        lobby = table.lobby
        lobby._look()
        wall.jump(jump)
        lobby._look()
        assert list(lobby.tables.due(lobby.date())) == []
        time.now += LIMITS.absent - 1
        lobby._look()
        assert list(lobby.tables.due(lobby.date())) == []
