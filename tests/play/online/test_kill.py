"""A server that is killed at random moments and restarted loses no acknowledged move, and the game continues."""

from __future__ import annotations

import asyncio
import random
import sys
from asyncio.subprocess import PIPE, Process
from pathlib import Path

from tests.play.online.movers import Mover
from tests.thorough import rounds

KILLS = rounds(6, 200)
SERVER = Path(__file__).with_name("serve.py")


async def start(folder: Path, port: int = 0) -> tuple[Process, list[str]]:
    process = await asyncio.create_subprocess_exec(sys.executable, str(SERVER), str(folder), str(port), stdout=PIPE)
    assert process.stdout is not None
    words = (await process.stdout.readline()).decode().split()
    return process, words


async def kill(process: Process) -> None:
    process.kill()
    await process.wait()


async def test_a_killed_server_has_lost_nothing_that_it_acknowledged(tmp_path: Path) -> None:
    chance = random.Random(1)
    process, (port, game, key, code) = await start(tmp_path)
    url = f"ws://127.0.0.1:{port}"
    host, guest = Mover(url, game, chance, key=key), Mover(url, game, chance, code=code)
    try:
        await host.until(lambda: len(host.acknowledged) > 2)
        for kill_number in range(KILLS):
            seen = len(host.acknowledged)
            # Kill at a random moment within the next few moves.
            await host.until(lambda: len(host.acknowledged) > seen + chance.randrange(3))  # noqa: B023
            for _ in range(chance.randrange(20)):
                await asyncio.sleep(0)
            await kill(process)
            process, words = await start(tmp_path, int(port))
            assert words[1] == game, kill_number
        seen = len(host.acknowledged)
        await host.until(lambda: len(host.acknowledged) > seen + 2)
        assert host.lost == []
        assert guest.lost == []
    finally:
        await host.end()
        await guest.end()
        await kill(process)
