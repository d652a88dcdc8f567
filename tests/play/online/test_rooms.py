"""The two rooms of chat: what is said in one reaches the other late, and players only if they listen."""

from __future__ import annotations

from pathlib import Path

import pytest

from daoqi_tui.play.online.protocol import Listen, Resign, Said, Say, State, Welcome
from daoqi_tui.play.online.table import Terms
from tests.play.online.table import SMALL, Server, Time, Wire, server, tick
from tests.waiting import until

LATE = Terms(size=5, black="host", delay=60)


async def lines(wire: Wire, last: str) -> list[str]:
    """Return the lines heard up to one that this connection says itself."""
    await wire.say(Say(last))
    heard: list[str] = []
    while last not in heard:
        heard.append((await wire.hear(Said)).text)
    return heard[:-1]


async def listening(table: Server, wire: Wire, *, on: bool = True) -> None:
    await wire.say(Listen(on))
    await until(lambda: bool(table.lobby.games[table.game].state().listening) == on)


async def watcher_at(table: Server) -> Wire:
    wire = await table.wire()
    assert isinstance(await wire.join(name="Wu"), Welcome)
    return wire


@pytest.mark.parametrize("terms", [SMALL, LATE])
async def test_players_hear_spectators_only_if_they_listen(terms: Terms, tmp_path: Path) -> None:
    time = Time()
    async with server(tmp_path, now=time) as table:
        referee = table.lay(terms)
        host, guest, _key = await table.two()
        watcher = await watcher_at(table)
        await watcher.say(Say("cut at C3!"))
        await watcher.hear(Said)
        time.now += 120
        await tick(referee)
        assert await lines(host, "1") == []
        await guest.hear(Said)
        await listening(table, host)
        # The opponent sees that.
        while (await guest.hear(State)).listening != ("black",):
            pass
        await watcher.say(Say("hane at D4!"))
        while (await watcher.hear(Said)).text != "hane at D4!":
            pass
        time.now += 61
        await tick(referee)
        assert await lines(host, "2") == ["hane at D4!"]
        assert await lines(guest, "3") == ["2"]
        await listening(table, host, on=False)
        await watcher.say(Say("a ladder!"))
        time.now += 61
        await tick(referee)
        assert await lines(host, "4") == ["3"]


async def test_the_delay_applies_both_ways(tmp_path: Path) -> None:
    time = Time()
    async with server(tmp_path, now=time) as table:
        referee = table.lay(LATE)
        host, guest, _key = await table.two()
        first, second = await watcher_at(table), await watcher_at(table)
        await listening(table, host)
        await host.say(Say("my plan"))
        await guest.hear(Said)
        await first.say(Say("their plan?"))
        # At once within a room.
        assert (await second.hear(Said)).text == "their plan?"
        time.now += 59
        await tick(referee)
        assert await lines(host, "host 59") == ["my plan"]
        assert await lines(second, "second 59") == []
        time.now += 2
        await tick(referee)
        late = await host.hear(Said)
        assert (late.text, late.number, late.role) == ("their plan?", 0, "spectator")
        late = await second.hear(Said)
        assert (late.text, late.number, late.role) == ("my plan", 0, "black")
        # Who joins now is not told what is still held back.
        again = await watcher_at(table)
        assert await lines(again, "again") == ["their plan?", "second 59"]


async def test_the_rooms_are_open_when_the_game_is_over(tmp_path: Path) -> None:
    async with server(tmp_path, now=Time()) as table:
        referee = table.lay(LATE)
        host, guest, _key = await table.two()
        watcher = await watcher_at(table)
        await listening(table, host)
        await guest.say(Say("good luck"))
        await guest.hear(Said)
        await watcher.say(Say("well played"))
        await watcher.hear(Said)
        await guest.say(Resign())
        await until(lambda: referee.phase == "over")
        assert (await watcher.hear(Said)).text == "good luck"
        assert await lines(host, "thanks") == ["good luck", "well played"]
        assert await lines(watcher, "bye") == ["thanks"]


async def test_a_room_that_talks_much_displaces_no_line_of_the_other_and_holds_back_a_bounded_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from daoqi_tui.play.online import audience
    from daoqi_tui.play.online.limits import Limits

    monkeypatch.setattr(audience, "_MOST_HELD_BACK", 10)
    async with server(tmp_path, Limits(chat=1000, burst=1000), Time()) as table:
        referee = table.lay(LATE)
        host, _guest, key = await table.two()
        await host.say(Say("hello"))
        await host.hear(Said)
        await listening(table, host)
        watcher = await watcher_at(table)
        for number in range(120):
            await watcher.say(Say(f"{number}"))
            await watcher.hear(Said)
        assert len(referee._audience._for_players) == 10
        back = await table.wire()
        await back.join(key=key)
        assert (await back.hear(Said)).text == "hello"
