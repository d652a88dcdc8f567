"""A server that is killed at random moments and restarted loses no acknowledged move, and the game continues."""

from __future__ import annotations

import asyncio
import os
import random
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from pathlib import Path
from typing import NamedTuple

import aiohttp
import pytest

from tests.journals import moves_in
from tests.play.online.movers import Mover
from tests.thorough import report, rounds
from tests.tui.in_terminal import homes

SERVER = Path(__file__).with_name("serve.py")
OPENED = {"name": "Lu", "size": "9", "komi": "4", "handicap": "0", "rules": "Daoqi", "clock": "", "black": "host"}


class Table(NamedTuple):
    """A running server, and its table."""

    process: Process
    port: int
    game: str
    key: str
    code: str


class Games:
    """The server of ``serve.py``: nothing but games."""

    kills = rounds(4, 200)

    async def start(self, folder: Path, port: int = 0) -> Table:
        process = await asyncio.create_subprocess_exec(sys.executable, str(SERVER), str(folder), str(port), stdout=PIPE)
        assert process.stdout is not None
        number, game, *secrets = (await process.stdout.readline()).decode().split()
        key, code = secrets or ("", "")
        return Table(process, int(number), game, key, code)


class Lobby:
    """``daoqi-tui serve --lobby``, where the host opens the table on the page."""

    kills = rounds(2, 40)

    async def start(self, folder: Path, port: int = 0) -> Table:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "daoqi_tui", "serve", "--lobby", "--port", str(port)),
            stdin=DEVNULL,
            stdout=PIPE,
            env={**os.environ, **homes(folder), "LANG": "C.UTF-8"},
        )
        assert process.stdout is not None
        while not (line := await process.stdout.readline()).startswith(b"The lobby is at "):
            assert line, "the server has ended"
        url = line.decode().split()[-1]
        number = int(url.rpartition(":")[2].partition("/")[0])
        games = folder / "state" / "daoqi-tui" / "online" / "lobby" / "games"
        if games.exists():
            [game] = (path.name for path in games.iterdir())
            return Table(process, number, game, "", "")
        # By default aiohttp does not keep cookies from numeric addresses.
        async with (
            aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session,
            session.post(url, data=OPENED, allow_redirects=False) as answer,
        ):
            game = answer.headers["Location"].rpartition("/")[2]
            key, _dot, code = answer.cookies[f"daoqi-seat-{number}-{game}"].value.partition(".")
        return Table(process, number, game, key, code)


def recorded(folder: Path) -> list[str]:
    """Return the moves in the journal of the only game, as GTP names them."""
    [journal] = folder.rglob("*.journal")
    return [f"{'ABCDEFGHJ'[point % 9]}{9 - point // 9}" for point in moves_in(journal)]


@pytest.mark.parametrize("kind", [Games, Lobby])
async def test_a_killed_server_has_lost_nothing_that_it_acknowledged(tmp_path: Path, kind: type[Games | Lobby]) -> None:
    chance, server = random.Random(1), kind()
    table = await server.start(tmp_path)
    url = f"ws://127.0.0.1:{table.port}"
    host, guest = Mover(url, table.game, chance, key=table.key), Mover(url, table.game, chance, code=table.code)
    running = table.process
    try:
        await host.until(lambda: len(host.acknowledged) > 2)
        for kill_number in range(server.kills):
            seen = len(host.acknowledged)
            # Kill at a random moment within the next few moves.
            await host.until(lambda: len(host.acknowledged) > seen + chance.randrange(3))  # noqa: B023
            for _ in range(chance.randrange(20)):
                await asyncio.sleep(0)
            running.kill()
            await running.wait()
            moves = recorded(tmp_path)
            for mover in (host, guest):
                assert moves[: len(mover.acknowledged)] == mover.acknowledged, kill_number
            again = await server.start(tmp_path, table.port)
            running = again.process
            assert again.game == table.game, kill_number
        seen = len(host.acknowledged)
        await host.until(lambda: len(host.acknowledged) > seen + 2)
        assert host.lost == []
        assert guest.lost == []
        report(kills=server.kills, acknowledged=len(host.acknowledged))
    finally:
        await host.end()
        await guest.end()
        if running.returncode is None:
            running.kill()
        await running.wait()
