"""A server that is killed at random moments and restarted loses no acknowledged move, and each game counts once."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import aiohttp
import pytest

from tests.journals import moves_in
from tests.play.online.movers import Mover
from tests.thorough import report, rounds
from tests.tui.in_terminal import homes
from tests.waiting import HANG

SERVER = Path(__file__).with_name("serve.py")
OPENED = {"name": "Lu", "size": "9", "komi": "4", "handicap": "0", "rules": "Daoqi", "clock": "10+5", "black": "host"}


class Table(NamedTuple):
    """A server that runs as a process, and its table."""

    process: int
    port: int
    game: str
    seats: tuple[dict[str, str], dict[str, str]]


class Games:
    """The servers of ``serve.py``: nothing but games."""

    def __init__(self, folder: Path, starter: Process) -> None:
        self._folder, self._starter = folder, starter

    async def start(self, port: int = 0) -> Table:
        assert self._starter.stdin is not None
        assert self._starter.stdout is not None
        self._starter.stdin.write(f"{self._folder} {port}\n".encode())
        async with asyncio.timeout(HANG):
            process, number, game, host, guest = (await self._starter.stdout.readline()).decode().split()
        return Table(int(process), int(number), game, ({"key": host}, {"key": guest}))


@asynccontextmanager
async def games(folder: Path, *words: str) -> AsyncIterator[Games]:
    starter = await asyncio.create_subprocess_exec(sys.executable, str(SERVER), *words, stdin=PIPE, stdout=PIPE)
    try:
        yield Games(folder, starter)
    finally:
        assert starter.stdin is not None
        starter.stdin.close()
        await starter.wait()


class Lobby:
    """``daoqi-tui serve --lobby``, where the host opens the table on the page."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: Process | None = None

    async def start(self, port: int = 0) -> Table:
        if self._process is not None:
            await self._process.wait()
        self._process = process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "daoqi_tui", "serve", "--lobby", "--port", str(port)),
            stdin=DEVNULL,
            stdout=PIPE,
            env={**os.environ, **homes(self._folder), "LANG": "C.UTF-8"},
        )
        assert process.stdout is not None
        while not (line := await process.stdout.readline()).startswith(b"The lobby is at "):
            assert line, "the server has ended"
        url = line.decode().split()[-1]
        number = int(url.rpartition(":")[2].partition("/")[0])
        folder = self._folder / "state" / "daoqi-tui" / "online" / "lobby" / "games"
        if folder.exists():
            [game] = (path.name for path in folder.iterdir())
            return Table(process.pid, number, game, ({}, {}))
        # By default aiohttp does not keep cookies from numeric addresses.
        async with (
            aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session,
            session.post(url, data=OPENED, allow_redirects=False) as answer,
        ):
            game = answer.headers["Location"].rpartition("/")[2]
            key, _dot, code = answer.cookies[f"daoqi-seat-{number}-{game}"].value.partition(".")
        return Table(process.pid, number, game, ({"key": key}, {"code": code}))


@asynccontextmanager
async def lobby(folder: Path) -> AsyncIterator[Lobby]:
    served = Lobby(folder)
    try:
        yield served
    finally:
        if served._process is not None:
            if served._process.returncode is None:
                served._process.kill()
            await served._process.wait()


def recorded(folder: Path) -> list[str]:
    """Return the moves in the journal of the only game, as GTP names them."""
    [journal] = folder.rglob("*.journal")
    return [f"{'ABCDEFGHJ'[point % 9]}{9 - point // 9}" for point in moves_in(journal)]


async def soon(seconds: float) -> None:
    """Wait a little before another attempt to connect."""
    await asyncio.sleep(min(seconds, 0.05))


@asynccontextmanager
async def players(table: Table, chance: random.Random) -> AsyncIterator[tuple[Mover, Mover]]:
    url = f"ws://127.0.0.1:{table.port}"
    host, guest = (Mover(url, table.game, chance, sleep=soon, **seat) for seat in table.seats)
    try:
        yield host, guest
    finally:
        await host.end()
        await guest.end()


async def kill_soon(table: Table, mover: Mover, chance: random.Random, most: int) -> None:
    """Kill a server at a random moment after up to so many things that a player is told."""
    told = len(mover.heard) + chance.randrange(most)
    await mover.until(lambda: len(mover.heard) > told)
    for _ in range(chance.randrange(20)):
        await asyncio.sleep(0)
    os.kill(table.process, signal.SIGKILL)


async def test_a_killed_lobby_has_lost_nothing_that_it_acknowledged(tmp_path: Path) -> None:
    chance, kills = random.Random(1), rounds(2, 40)
    async with lobby(tmp_path) as served:
        table = await served.start()
        async with players(table, chance) as (host, guest):
            await host.until(lambda: len(host.acknowledged) > 2)
            for number in range(kills):
                await kill_soon(table, host, chance, 4)
                assert served._process is not None
                await served._process.wait()
                moves = recorded(tmp_path)
                for mover in (host, guest):
                    assert moves[: len(mover.acknowledged)] == mover.acknowledged, number
                again = await served.start(table.port)
                assert again.game == table.game, number
                table = again
            seen = len(host.acknowledged)
            await host.until(lambda: len(host.acknowledged) > seen + 2)
            assert host.lost == guest.lost == []
            report(kills=kills, acknowledged=len(host.acknowledged))


async def test_of_games_one_after_the_other_none_is_lost_and_each_counts_once(tmp_path: Path) -> None:
    """Also where the server is killed as a game ends, is counted, or gives way to the next."""
    pytest.importorskip("sqlalchemy", reason="the extra server is not installed: pip install -e '.[server]'")
    from daoqi_tui.play.online.store import Store

    chance, kills = random.Random(2), rounds(20, 60)
    length = {number: chance.randrange(2, 8) for number in range(1, 10 * kills)}
    async with games(tmp_path, "rated") as served:
        table = await served.start()
        async with players(table, chance) as (host, guest):
            host.length = guest.length = length
            for number in range(kills):
                await kill_soon(table, (host, guest)[number % 2], chance, 12)
                again = await served.start(table.port)
                assert again.game == table.game, number
                table = again
            # The last game is the one after this, since that may have been agreed on already.
            last = max(host._round, guest._round) + 1
            for number in range(last + 1, 10 * kills):
                length.pop(number, None)
            await host.until(lambda: last in host.over)
            await guest.until(lambda: last in guest.over)
            store = Store(f"sqlite:///{tmp_path}/accounts.db")
            await host.until(lambda: len(store.games(most=10**6)) >= last)
            assert host.lost == guest.lost == []
            assert host.over == guest.over
    counted = {game.name.rpartition("-")[2]: game for game in store.games(most=10**6)}
    assert sorted(map(int, counted)) == list(range(1, last + 1))
    assert len(store.games(most=10**6)) == last
    for number, (result, moves) in host.over.items():
        game = counted[str(number)]
        record = store.record_of(game.name)
        assert record is not None
        assert (game.result, record.count(";B[") + record.count(";W[")) == (result, len(moves))
    ids = {id_ for game in counted.values() for id_ in (game.black, game.white)}
    assert [len(store.history(id_, 9)) for id_ in ids] == [last, last]
    store.close()
    report(kills=kills, games=last, moves=sum(len(moves) for _result, moves in host.over.values()))
