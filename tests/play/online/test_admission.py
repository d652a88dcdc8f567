"""Attacks on admission: whoever holds a seat comes back, and no refusal that time heals ends a client."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from ipaddress import ip_network
from pathlib import Path
from typing import get_args

import pytest

from daoqi_tui.play.online import client, connections
from daoqi_tui.play.online.client import Ended, Lost
from daoqi_tui.play.online.connections import Admission, Site, Visit, oldest_of_busiest
from daoqi_tui.play.online.limits import Limits
from daoqi_tui.play.online.protocol import (
    FINAL,
    REASONS,
    RefusalCode,
    Refused,
    Said,
    Say,
    State,
    Welcome,
    describe_reason,
)
from daoqi_tui.play.online.referee import RefusedError
from daoqi_tui.play.online.server import Lobby
from tests.play.online.refusing import TEN, Refusal, aborted, answered, refused, refusing
from tests.play.online.scripted import hearing
from tests.play.online.table import SMALL, Player, Server, Time, Wire, server
from tests.thorough import rounds
from tests.waiting import HANG, until

PROXY = Site((), (ip_network("127.0.0.0/8"),))
"""The tests are the proxy, and say from which address each connection comes."""
FEW = Limits(connections=4, per_address=2, passing=5)


async def returns(table: Server, key: str, address: str = "") -> Wire:
    """Come back to a seat, with a single attempt."""
    wire = await table.wire(address=address)
    welcome = await wire.join(key=key)
    assert isinstance(welcome, Welcome), welcome
    assert isinstance(await wire.hear(State), State)
    return wire


async def test_wrong_codes_of_others_lock_no_player_out(tmp_path: Path) -> None:
    async with server(tmp_path, now=Time()) as table:
        referee = table.lay()
        host, _guest, key = await table.two()
        for number in range(25):
            secret = {"code": "a" * 20} if number % 2 else {"key": "a" * 20}
            expected = ("key", "code")[number % 2] if number < 10 else "too-many-tries"
            assert (await (await table.wire()).join(**secret)).code == expected
        with pytest.raises(RefusedError, match="too-many-tries"):
            await table.lobby.claim(referee.name, table.code, "Mu", "127.0.0.1")
        # The line of the player drops, at the same address.
        assert host.socket._response.connection is not None
        assert host.socket._response.connection.transport is not None
        host.socket._response.connection.transport.abort()
        await returns(table, table.host_key)
        await returns(table, key)
        # Also the program's own client, and one that only looks how the game stands.
        player = Player(table.url, table.game, key=key)
        await player.until(lambda: player.client.connected)
        assert not [event for event in player.heard if isinstance(event, Lost | Ended)]
        await player.end()


async def test_whoever_has_tried_too_often_is_told_for_how_long(tmp_path: Path) -> None:
    time = Time()
    async with server(tmp_path, now=time) as table:
        table.lay()
        for _ in range(10):
            await (await table.wire()).join(code="a" * 20)
        time.now += 20
        assert (await (await table.wire()).join(code="a" * 20)).wait == 40


async def test_what_others_say_at_the_address_of_a_player_silences_no_player(tmp_path: Path) -> None:
    async with server(tmp_path, Limits(chat=3), Time()) as table:
        table.lay()
        host, guest, _key = await table.two()
        watcher = await table.wire()
        await watcher.join()
        for number in range(4):
            await watcher.say(Say(str(number)))
        assert (await watcher.hear(Refused)).code == "too-fast"
        await host.say(Say("well played"))
        while (await guest.hear(Said)).text != "well played":
            pass


async def flood(table: Server) -> tuple[list[Wire], list[Wire]]:
    """Fill the room for spectators, from many addresses, and that for greetings that do not come."""
    watching = []
    for number in range(FEW.connections):
        watcher = await table.wire(address=f"192.0.2.{number}")
        assert isinstance(await watcher.join(), Welcome)
        watching.append(watcher)
    late = await table.wire(address="192.0.2.200")
    assert (await late.join()).code == "full"
    silent = [await table.wire(address=f"198.51.100.{number}") for number in range(3 * FEW.passing)]
    return watching, silent


async def test_players_come_back_when_spectators_and_half_open_greetings_fill_the_server(tmp_path: Path) -> None:
    async with server(tmp_path, FEW, Time(), site=PROXY) as table:
        table.lay()
        _host, _guest, key = await table.two()
        watching, _silent = await flood(table)
        for address in ("203.0.113.1", "192.0.2.0", "198.51.100.0", "198.51.100.14"):
            for seat_key in (table.host_key, key):
                await returns(table, seat_key, address)
        assert not any(wire.socket.closed for wire in watching)
        # A new guest is admitted as well.
        table.lay()
        await table.two()


async def test_connections_that_ask_for_nothing_make_way_the_oldest_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "_MOST_IDLE", 5)
    async with server(tmp_path) as table:
        table.lay()
        _host, _guest, key = await table.two()
        silent = [await asyncio.open_connection(*table.address) for _ in range(20)]
        async with asyncio.timeout(HANG):
            for reader, _writer in silent[:15]:
                with suppress(ConnectionResetError):
                    assert await reader.read() == b""
        await returns(table, key)
        reader, writer = silent[-1]
        writer.write(b"GET /games HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        async with asyncio.timeout(HANG):
            assert (await reader.readline()).startswith(b"HTTP/1.1 200")
        for _reader, writer in silent:
            writer.close()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
async def test_a_server_has_files_for_all_that_it_admits(tmp_path: Path) -> None:
    import resource

    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, before[1]))
        async with server(tmp_path):
            soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        limits = Limits()
        needed = limits.connections + limits.passing + 4 * limits.games + connections._MOST_IDLE
        assert hard == before[1]
        assert soft == (hard if 0 <= hard < needed else max(soft, needed))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


async def test_greetings_that_do_not_come_make_way_the_oldest_first(tmp_path: Path) -> None:
    async with server(tmp_path, FEW, Time(), site=PROXY) as table:
        table.lay()
        _host, _guest, key = await table.two()
        honest = await table.wire(address="203.0.113.1")
        silent = [await table.wire(address="198.51.100.1") for _ in range(3 * FEW.passing)]
        gone = silent[: -(FEW.passing - 1)]
        for wire in gone:
            assert await wire.hear() is None
        # The flood of one address took nothing from another.
        assert isinstance(await honest.join(key=key), Welcome)
        assert isinstance(await silent[-1].join(), Welcome)


async def test_a_seat_that_comes_again_and_again_takes_no_more_room(tmp_path: Path) -> None:
    async with server(tmp_path, FEW, Time(), site=PROXY) as table:
        table.lay()
        host, _guest, key = await table.two()
        for _ in range(4 * FEW.passing):
            await returns(table, key)
            assert len(table.lobby._admission) <= 2 + FEW.passing
        await until(lambda: len(table.lobby._admission) == 2)
        assert not host.socket.closed


async def test_room_is_given_back(tmp_path: Path) -> None:
    async with server(tmp_path, FEW, Time(), site=PROXY) as table:
        table.lay()
        await table.two()
        watching, silent = await flood(table)
        for wire in (*watching, *silent):
            await wire.socket.close()
        await until(lambda: len(table.lobby._admission) == 2)
        assert isinstance(await (await table.wire(address="192.0.2.1")).join(), Welcome)


async def test_a_game_that_another_process_still_has_open_is_refused_until_it_is_free(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        referee = table.lay()
        _host, guest, key = await table.two()
        await guest.socket.close()
        after = Lobby(tmp_path / "online", tmp_path / "library")
        after.load()
        assert after.games == {}
        table.lobby.games.clear()
        table.lobby.in_use.add(referee.name)
        refusal = await (await table.wire()).join(key=key)
        assert (refusal.code, refusal.fatal, refusal.wait) == ("in-use", True, 2)
        await referee.close()
        await returns(table, key)
        # A game that never was here is something else.
        assert (await (await table.wire("aaaaaaaa")).join(key=key)).code == "no-game"


# Room


@dataclass
class Arrived:
    address: str


def test_the_address_with_most_loses_its_oldest() -> None:
    visits = [Arrived(address) for address in "abcbcb"]
    assert oldest_of_busiest(visits) is visits[1]
    assert oldest_of_busiest(visits[:1]) is visits[0]
    assert oldest_of_busiest([*visits, Arrived("c")]) is visits[1]


def test_the_last_message_of_a_connection_that_was_dropped_does_no_harm() -> None:
    admission, dropped = Admission(Limits(passing=1, connections=1)), []
    first = Visit("a", lambda: dropped.append("first"))
    admission.arrive(first)
    admission.arrive(Visit("b", lambda: dropped.append("second")))
    assert dropped == ["first"]
    admission.watch(first)
    assert len(admission) == 2
    admission.leave(first)
    assert len(admission) == 1


# Clients


def test_each_reason_has_words() -> None:
    assert set(get_args(RefusalCode)) == set(REASONS)


@pytest.mark.parametrize("code", [*REASONS, "of-a-newer-server"])
async def test_a_client_ends_for_final_reasons_alone(code: RefusalCode, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "_PAUSES", (0.0,))
    refusal = Refused("join", code, "no", fatal=True)
    async with hearing(refusal) as player:
        if code in FINAL:
            async with asyncio.timeout(HANG):
                assert await player.task == Ended(describe_reason(refusal), code)
            return
        await player.until(lambda: sum(isinstance(event, Lost) for event in player.heard) > 10)
        assert player.client.ended is None
        assert {event.reason for event in player.heard if isinstance(event, Lost)} == {describe_reason(refusal)}


class Clock:
    """Records pauses instead of waiting."""

    def __init__(self) -> None:
        self.pauses: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.pauses.append(seconds)
        await asyncio.sleep(0)


@asynccontextmanager
async def refused_ten_times(folder: Path) -> AsyncIterator[tuple[Player, Player, Clock]]:
    """A host, and a guest whose line drops in mid-game and who is then refused ten times."""
    async with server(folder) as table:
        table.lay(SMALL)
        clock = Clock()
        async with refusing(table.url) as (url, left):
            host = Player(table.url, table.game, key=table.host_key)
            guest = Player(url, table.game, code=table.code, sleep=clock)
            await host.my_turn()
            host.client.play(12)
            await guest.moves(1)
            left.extend(TEN)
            for connection in tuple(table.lobby._open):
                connection.end()
            yield host, guest, clock
            for player in (host, guest):
                await player.end()


async def test_a_client_that_is_refused_ten_times_goes_on_with_its_game(tmp_path: Path) -> None:
    async with refused_ten_times(tmp_path) as (host, guest, clock):
        await until(lambda: len(clock.pauses) >= 11, lambda: str(guest.heard))
        await guest.my_turn()
        guest.client.play(13)
        await host.moves(2)
        assert guest.client.ended is None
        lost = [event for event in guest.heard if isinstance(event, Lost)]
        assert [event.wait for event in lost] == clock.pauses
        # Each says why, in words of its own.
        assert {str(REASONS[code]) for code in ("too-many-tries", "full", "too-fast")} <= {
            str(event.reason) for event in lost
        }


async def test_pauses_grow_and_differ(tmp_path: Path) -> None:
    async with refused_ten_times(tmp_path) as (_host, guest, clock):
        await until(lambda: len(clock.pauses) >= 11 and guest.client.connected, lambda: str(guest.heard))
    least = (0.1, 0.3, 1.0, 2.0, 5.0, *[10.0] * 6)
    for pause, usual in zip(clock.pauses, least, strict=True):
        assert usual <= pause <= 1.25 * usual
    assert len(set(clock.pauses)) == len(clock.pauses)


@pytest.mark.parametrize(
    ("refusal", "least", "most"),
    [
        (refused("too-many-tries", 60), 60, 75),
        (refused("full", 7), 7, 9),
        (refused("full", 10**6), 300, 375),
        (answered(503, Retry_After="40"), 40, 50),
        (answered(429, Retry_After="40"), 40, 50),
        (answered(503, Retry_After="9" * 400), 300, 375),
        (answered(503, Retry_After="Wed, 21 Oct 2015 07:28:00 GMT"), 0.1, 0.125),
        (answered(503, Retry_After="Fri, 21 Oct 2999 07:28:00 GMT"), 300, 375),
        (answered(503, Retry_After="soon"), 0.1, 0.125),
        (answered(503), 0.1, 0.125),
        (aborted, 0.1, 0.125),
    ],
)
async def test_a_client_waits_as_long_as_it_is_asked_to(
    refusal: Refusal, least: float, most: float, tmp_path: Path
) -> None:
    clock = Clock()
    async with server(tmp_path) as table:
        table.lay()
        async with refusing(table.url, refusal) as (url, _left):
            player = Player(url, table.game, key=table.host_key, sleep=clock)
            await player.until(lambda: player.client.connected)
            await player.end()
    assert len(clock.pauses) == 1
    assert least <= clock.pauses[0] <= most


async def test_a_client_that_tries_again_ends_at_whatever_moment_it_is_cancelled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(client, "_PAUSES", (0.0,))
    async with hearing(Refused("join", "full", "no", fatal=True)) as first:
        await first.until(lambda: any(isinstance(event, Lost) for event in first.heard))
        for turns in range(0, 60, rounds(2, 1)):
            player = Player(first.client.invitation.server, "aaaaaaaa", key="k" * 20)
            await player.until(lambda player=player: any(isinstance(event, Lost) for event in player.heard))
            for _ in range(turns):
                await asyncio.sleep(0)
            player.task.cancel()
            await until(player.task.done, lambda turns=turns: f"not after {turns} turns of the loop")
            assert player.task.cancelled()
