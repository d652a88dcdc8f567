"""Claims against an absent opponent in a game without a clock: never automatic, and never without a warning."""

from __future__ import annotations

import json
from pathlib import Path

from daoqi_tui.engine.clock import TimeControl
from daoqi_tui.play.online.limits import Limits
from daoqi_tui.play.online.protocol import Agree, Claim, Moved, Play, Refused, State, Warned
from daoqi_tui.play.online.table import Terms
from tests.play.online.table import SMALL, Server, Time, Wire, server, tick
from tests.waiting import until

LIMITS = Limits()


async def gone(table: Server, wire: Wire, side: str) -> None:
    await wire.socket.close()
    await until(lambda: side not in table.lobby.games[table.game].state().present)


async def refusal(wire: Wire) -> str:
    await wire.say(Claim())
    return str((await wire.hear(Refused)).code)


async def move(wire: Wire, number: int, point: str) -> None:
    await wire.say(Play(number, point))
    while (await wire.hear(Moved)).number != number:
        pass


async def test_a_win_is_claimed_after_a_time_and_a_warning(tmp_path: Path) -> None:
    time = Time()
    async with server(tmp_path, now=time) as table:
        referee = table.lay(SMALL)
        host, guest, _key = await table.two()
        assert await refusal(guest) == "not-away", "the opponent is here"
        await move(host, 1, "C3")
        await gone(table, guest, "white")
        time.now += LIMITS.away - 1
        assert await refusal(host) == "not-away"
        time.now += 1
        await host.say(Claim())
        await until(lambda: referee.state().warned is not None)
        assert referee.state().warned == Warned("white", LIMITS.warning)
        assert await refusal(host) == "warned"
        time.now += LIMITS.warning - 1
        assert await refusal(host) == "warned"
        time.now += 100 * LIMITS.warning
        await tick(referee)
        assert referee.phase == "playing", "it is never automatic"
        await host.say(Claim())
        await until(lambda: referee.phase == "over")
        assert referee.state().result == "B+T"
        await until(lambda: list((tmp_path / "library").glob("*.sgf")))


async def test_who_returns_sees_the_warning_and_a_move_ends_it(tmp_path: Path) -> None:
    time = Time()
    async with server(tmp_path, now=time) as table:
        referee = table.lay(SMALL)
        host, guest, key = await table.two()
        await move(host, 1, "C3")
        await gone(table, guest, "white")
        time.now += LIMITS.away
        await host.say(Claim())
        await until(lambda: referee.state().warned is not None)
        time.now += LIMITS.warning
        guest = await table.wire()
        await guest.join(key=key)
        assert (await guest.hear(State)).warned == Warned("white", 0.0)
        assert await refusal(host) == "not-away", "nobody who is here loses by it"
        # Looking in without a move ends nothing.
        await gone(table, guest, "white")
        assert await refusal(host) == "not-away"
        guest = await table.wire()
        await guest.join(key=key)
        await move(guest, 2, "D3")
        assert referee.state().warned is None
        await gone(table, guest, "white")
        time.now += LIMITS.away + LIMITS.warning
        assert await refusal(host) == "not-away", "it is the turn of the one who claims"
        assert referee.phase == "playing"


async def test_a_warning_survives_a_restart_and_lasts_no_longer_where_the_system_s_clock_was_wrong(
    tmp_path: Path,
) -> None:
    time = Time()
    async with server(tmp_path, now=time) as table:
        referee = table.lay(SMALL)
        host_key = table.host_key
        host, guest, _key = await table.two()
        await move(host, 1, "C3")
        await gone(table, guest, "white")
        time.now += LIMITS.away
        await host.say(Claim())
        await until(lambda: referee.state().warned is not None)
    file = tmp_path / "online" / referee.name / "game.json"
    for changed, left in ((0.0, LIMITS.warning - 1), (1e9, LIMITS.warning)):
        held = json.loads(file.read_text("utf-8"))
        held["warned"][1] += changed or 0.0
        file.write_text(json.dumps(held), "utf-8")
        async with server(tmp_path, now=time) as table:
            table.game = referee.name
            host = await table.wire()
            await host.join(key=host_key)
            warned = (await host.hear(State)).warned
            assert warned.side == "white"
            assert left <= warned.seconds <= LIMITS.warning
    held["warned"] = ["nobody", 1]
    file.write_text(json.dumps(held), "utf-8")
    async with server(tmp_path) as table:
        assert not table.lobby.games


async def test_the_clock_decides_where_there_is_one(tmp_path: Path) -> None:
    time = Time()
    async with server(tmp_path, now=time) as table:
        table.lay(Terms(size=5, black="guest", time=TimeControl(3600)))
        host, guest, _key = await table.two()
        await gone(table, guest, "black")
        time.now += LIMITS.away
        assert await refusal(host) == "timed"


async def test_who_agreed_to_the_count_can_claim_against_who_left_it(tmp_path: Path) -> None:
    time = Time()
    async with server(tmp_path, now=time) as table:
        referee = table.lay(SMALL)
        host, guest, _key = await table.two()
        await move(host, 1, "pass")
        await move(guest, 2, "pass")
        await gone(table, guest, "white")
        time.now += LIMITS.away
        assert await refusal(host) == "not-away"
        await host.say(Agree())
        await until(lambda: referee.state().agreed)
        await host.say(Claim())
        await until(lambda: referee.state().warned is not None)
        time.now += LIMITS.warning
        await host.say(Claim())
        await until(lambda: referee.phase == "over")
        assert referee.state().result == "B+T"
