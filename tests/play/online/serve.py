"""Server processes for kill tests: ``python serve.py [rated]`` starts one for each line ``FOLDER PORT`` of its input.

Each is a fork of this process, which has imported everything: that takes a tenth of the CPU time. It opens a game for
two players, or resumes the existing one, and prints its process id, the port, the game, and the keys of both seats if
it has opened it. The next begins when the previous one has ended; at the end of the input it is killed.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from importlib import import_module
from pathlib import Path
from socket import create_server

from daoqi_tui.play.online.limits import Limits
from daoqi_tui.play.online.server import Lobby, serving
from daoqi_tui.play.online.table import Terms

NAMES = ("Lu", "Ke")


async def serve(folder: Path, port: int, *, rated: bool) -> None:
    accounts, store = [None, None], None
    if rated:
        from daoqi_tui.play.online.store import Store

        store = Store(f"sqlite:///{folder}/accounts.db")
        accounts = [store.named(name) or store.claim(name, f"the secret of {name}", "link") for name in NAMES]
    # Nobody is too fast here.
    lobby = Lobby(folder / "online", folder / "library", Limits(burst=10**9), store=store)
    lobby.load()
    assert not lobby.problems, lobby.problems
    keys = ["-", "-"]
    if not lobby.games:
        terms = Terms(size=9, black="host", undo=False, rated=rated)
        game, keys[0], code = await lobby.open(terms, NAMES[0], account=accounts[0])
        keys[1] = await lobby.claim(game.name, code, NAMES[1], "", accounts[1])
    listening = create_server(("127.0.0.1", port))
    async with serving(lobby, listening):
        print(os.getpid(), listening.getsockname()[1], *lobby.games, *keys, flush=True)  # noqa: T201
        await asyncio.Event().wait()


def main() -> None:
    process = 0
    if "rated" in sys.argv:
        import_module("daoqi_tui.play.online.store")
    for line in iter(sys.stdin.readline, ""):
        if process:
            os.waitpid(process, 0)
        folder, port = line.split()
        process = os.fork()
        if not process:
            asyncio.run(serve(Path(folder), int(port), rated="rated" in sys.argv))
    if process:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)


if __name__ == "__main__":
    main()
