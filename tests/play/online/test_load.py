"""What a server does for each move, tick and spectator, counted: it grows with what happens, not with who is there."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from daoqi_tui.engine.clock import TimeControl
from daoqi_tui.play.online.limits import Limits, LookTurns
from daoqi_tui.play.online.protocol import VERSION, Join, Moved, Play, Refused, Said, ServerMessage, State, encode
from daoqi_tui.play.online.referee import Referee
from daoqi_tui.play.online.server import Lobby
from daoqi_tui.play.online.table import Terms
from tests.play.online.table import SMALL, Time, server
from tests.waiting import until

AUDIENCE = 40


class Ear:
    """A connection that keeps what it is sent."""

    lag = 0.0

    def __init__(self) -> None:
        self.heard: list[ServerMessage] = []

    def send(self, message: ServerMessage) -> None:
        self.heard.append(message)

    def drop(self, refusal: Refused) -> None:
        raise AssertionError(refusal)


async def seated(folder: Path, terms: Terms = SMALL, now: Time | None = None) -> tuple[Referee, Ear, Ear]:
    """A game with its two players, without a server that ticks."""
    lobby = Lobby(folder / "online", folder / "library", now=now or Time())
    referee, key, code = lobby.host(terms, "Lu")
    host, guest = Ear(), Ear()
    await referee.enter(host, Join(VERSION, "Lu", key=key))
    await referee.enter(guest, Join(VERSION, "Ke", code=code))
    return referee, host, guest


async def test_a_room_that_fills_or_empties_is_told_once(tmp_path: Path) -> None:
    referee, host, _guest = await seated(tmp_path)
    assert not referee.is_due
    watchers = [Ear() for _ in range(AUDIENCE)]
    told = len(host.heard)
    for watcher in watchers:
        await referee.enter(watcher, Join(VERSION, "Wu"))
    assert referee.is_due
    await referee.tick()
    assert [[type(message).__name__ for message in each.heard] for each in watchers] == [
        ["Welcome", "State", "State"]
    ] * AUDIENCE
    assert [getattr(message, "spectators", None) for message in host.heard[told:]] == [AUDIENCE]
    for watcher in watchers[1:]:
        await referee.leave(watcher)
    await referee.tick()
    assert [message.spectators for message in host.heard[told:] if isinstance(message, State)] == [AUDIENCE, 1]
    assert len(watchers[0].heard) == 4
    assert not referee.is_due
    await referee.close()


async def test_a_move_is_one_short_message_for_everybody_however_long_the_game_is(tmp_path: Path) -> None:
    referee, host, guest = await seated(tmp_path, Terms(size=9, black="host", time=TimeControl(60)))
    watchers = [Ear() for _ in range(AUDIENCE)]
    for watcher in watchers:
        await referee.enter(watcher, Join(VERSION, "Wu"))
    await referee.tick()
    everybody = [host, guest, *watchers]
    for number in range(1, 41):
        before = [len(each.heard) for each in everybody]
        move = f"{'ABCDEFGHJ'[number % 5 * 2]}{number // 5 + 1}"
        await referee.handle((guest, host)[number % 2], Play(number, move))
        told = [each.heard[count:] for each, count in zip(everybody, before, strict=True)]
        assert all(len(each) == 1 and each[0] is told[0][0] for each in told)
        assert isinstance(told[0][0], Moved)
        assert len(encode(told[0][0])) < 250
    await referee.close()


@pytest.mark.parametrize("games", [3, 30])
async def test_games_in_which_nothing_is_due_cost_a_tick_nothing(
    games: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A clock that runs costs a reading of it every few seconds, and its end."""
    ticked: list[str] = []
    tick = Referee.tick
    time = Time()

    async def counting(referee: Referee) -> None:
        ticked.append(referee.name)
        await tick(referee)

    async with server(tmp_path, Limits(games=games), time) as table:
        for _ in range(games):
            table.lay(Terms(size=5, black="host", time=TimeControl(60)))
        host, guest, _key = await table.two()
        await host.say(Play(1, "C3"))
        assert (await guest.hear(Moved)).number == 1
        referee = table.lobby.games[table.game]
        await until(lambda: not any(each.is_due for each in table.lobby.games.values()))
        monkeypatch.setattr(Referee, "tick", counting)
        looks = table.lobby._turns._looks
        await until(lambda: table.lobby._turns._looks > looks + 2)
        assert ticked == []
        time.now += 61
        await until(lambda: referee.phase == "over")
        assert set(ticked) == {referee.name}


@pytest.mark.parametrize("count", [0, 1, 100, 101, 1000])
def test_all_are_looked_at_in_turn_and_few_at_a_time(count: int) -> None:
    turns, things = LookTurns(), range(count)
    looks = [list(turns.some(things)) for _ in range(1 + count // 100)]
    assert sorted(each for look in looks for each in look) == list(things)
    assert max(map(len, looks)) <= 100


async def test_who_comes_where_much_was_said_is_not_too_slow_for_it(tmp_path: Path) -> None:
    """All lines of both rooms are sent at once."""
    async with server(tmp_path) as table:
        referee = table.lay()
        await table.two()
        for number in range(60):
            for role in ("black", "spectator"):
                await referee._audience.chat.add("Ke", role, f"line {number}")  # type: ignore[arg-type]
        watchers = [await table.wire() for _ in range(3)]
        await asyncio.gather(*(watcher.join() for watcher in watchers))
        for watcher in watchers:
            said: list[Any] = [await watcher.hear(Said) for _ in range(100)]
            assert [line.text for line in said] == [f"line {number}" for number in range(10, 60) for _ in range(2)]
