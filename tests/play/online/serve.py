"""A server process for kill tests: ``python serve.py FOLDER PORT`` opens a game or resumes the existing one."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from socket import create_server

from daoqi_tui.play.online.server import Lobby, serving
from daoqi_tui.play.online.table import Terms


async def main(folder: Path, port: int) -> None:
    lobby = Lobby(folder / "online", folder / "library")
    lobby.load()
    assert not lobby.problems, lobby.problems
    key = code = ""
    if not lobby.games:
        _game, key, code = lobby.host(Terms(size=9, black="host"), "Lu")
    listening = create_server(("127.0.0.1", port))
    async with serving(lobby, listening):
        print(listening.getsockname()[1], *lobby.games, key, code, flush=True)  # noqa: T201
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
