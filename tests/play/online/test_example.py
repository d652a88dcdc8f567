"""The example client in docs/online.md takes a seat and plays."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import DEVNULL, PIPE
from pathlib import Path

from tests.play.online.table import SMALL, server
from tests.readme.pages import DOCS, blocks
from tests.waiting import until


async def test_two_clients_of_the_page_play(tmp_path: Path) -> None:
    [program] = blocks((DOCS / "online.md").read_text("utf-8"), "python")
    assert len(program.splitlines()) <= 40
    # The host joins with a key, the guest with a code.
    seats = {"code": program, "key": program.replace('"code": code', '"key": code')}
    async with server(tmp_path) as table:
        referee = table.lay(SMALL)
        running = []
        for name, secret in (("key", table.host_key), ("code", table.code)):
            file = tmp_path / f"{name}.py"
            file.write_text(seats[name], encoding="utf-8")
            url = f"{table.url}/game/{table.game}"
            running.append(
                await asyncio.create_subprocess_exec(sys.executable, str(file), url, secret, stdin=DEVNULL, stdout=PIPE)
            )
        # The length of a random game is unbounded, so do not wait for its end.
        await until(lambda: referee.phase != "waiting" and len(referee.state().moves) > 1)
        for process in running:
            process.kill()
            await process.communicate()
