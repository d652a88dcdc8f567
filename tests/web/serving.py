"""A game server for tests, with its own folders."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from daoqi_tui.record.journal.writer import scan
from tests.forked import forked_command
from tests.waiting import HANG


@dataclass
class Serving:
    """A running server.

    Attributes:
        url: of the page.
        link: the printed address, which admits one browser.
    """

    process: asyncio.subprocess.Process
    url: str
    link: str
    journals: Path

    async def next_link(self) -> str:
        """Return the address that is printed once the previous one has been used."""
        assert self.process.stdout is not None
        async with asyncio.timeout(HANG):
            return _link(await self.process.stdout.readline())

    def kept(self) -> list[Path]:
        """Return all journals."""
        return sorted(self.journals.glob("*.journal"))

    async def wait_for_unfinished(self, count: int) -> list[Path]:
        """Wait until ``count`` games have been left by the programs that played them; return their journals."""
        found: list[Path] = []
        with suppress(TimeoutError):
            async with asyncio.timeout(HANG):
                while len(found) != count:
                    await asyncio.sleep(0.05)
                    found = [game.path for game in scan(self.journals).journals]
        assert len(found) == count, self.kept()
        return found

    async def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        self.process.send_signal(how)
        async with asyncio.timeout(HANG):
            await self.process.wait()


def _link(line: bytes) -> str:
    return next(word for word in line.decode().split() if word.startswith("http"))


@asynccontextmanager
async def let_in(server: Serving) -> AsyncIterator[aiohttp.ClientSession]:
    """A browser session that has opened the printed address."""
    # By default aiohttp does not keep cookies from numeric addresses.
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
        async with session.get(server.link) as answer:
            assert answer.status == 200
        yield session


@asynccontextmanager
async def serving(folder: Path, *options: str, forked: bool = True) -> AsyncIterator[Serving]:
    """Run ``daoqi-tui serve``, which stores everything in ``folder``, in a fork or as a new process."""
    names = ("STATE", "DATA", "CONFIG")
    homes = {f"XDG_{name}_HOME": str(folder / name.lower()) for name in names}
    welcomed = folder / "state" / "daoqi-tui" / "welcomed"
    welcomed.parent.mkdir(parents=True, exist_ok=True)
    # The very first start would offer the lesson.
    welcomed.touch()
    words = ("-m", "daoqi_tui", "serve", "--port", "0", *options)
    process = await asyncio.create_subprocess_exec(
        *(forked_command(*words) if forked else (sys.executable, *words)),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        cwd=Path(__file__).parents[2],
        # A dumb terminal, whose settings must not reach the browser.
        env={**os.environ, **homes, "HOME": str(folder), "LANG": "C.UTF-8", "TERM": "dumb", "NO_COLOR": "1"},
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(HANG):
            link = _link(await process.stdout.readline())
        yield Serving(process, link.partition("/?")[0], link, folder / "state" / "daoqi-tui" / "journal")
    finally:
        with suppress(ProcessLookupError):
            process.terminate()
        try:
            async with asyncio.timeout(HANG):
                await process.wait()
        except TimeoutError:
            process.kill()
            raise
