"""A machine on which everything comes at another time, to find tests that depend on it: ``pytest -p tests.disturbed``.

``DAOQI_DISTURBED`` names what is disturbed, all of it by default:

- ``periodic``: what a server does a few times a second it does all the time, between any two steps of a test.
- ``threads``: work in other threads, such as on the disk, begins and ends late.
- ``starts``: programs start late, and import the package's modules slowly.
- ``frames``: the app lays out and paints late.
- ``loop``: the event loop stops now and then, as where other programs take the processor.
- ``turns``: it stops often, for about a frame, so that timers fire between any two messages.

``DAOQI_DISTURBED_SEED`` is a number: with another one it stops in other places.
"""

from __future__ import annotations

import asyncio
import os
import random
import threading
import time
from asyncio.events import Handle
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final

import pytest
from textual import screen

from daoqi_tui.play import background
from daoqi_tui.play.online import bots, connections, server

_ALL: Final = "periodic threads starts frames loop turns"
_LATE: Final = 0.5
_OFTEN: Final = 0.001
_SITE: Final = f"""
import sys, time

class Slow:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.startswith("daoqi_tui"):
            time.sleep(0.02)

sys.meta_path.insert(0, Slow)
time.sleep({_LATE})
"""
"""What each program runs first. That no module is found has the next finder asked."""


def _periodic(patch: pytest.MonkeyPatch) -> None:
    for module, name in (
        (server, "_TICK"),
        (server, "_MODERATED"),
        (connections, "_TICK"),
        (server, "_LOOK"),
        (bots, "_LOOK"),
    ):
        patch.setattr(module, name, _OFTEN)


def _threads(patch: pytest.MonkeyPatch) -> None:
    to_thread = asyncio.to_thread

    async def late(work: Callable[..., Any], /, *arguments: Any, **named: Any) -> Any:
        await asyncio.sleep(_LATE)
        result = await to_thread(work, *arguments, **named)
        await asyncio.sleep(_LATE)
        return result

    class Late(threading.Thread):
        def run(self) -> None:
            time.sleep(_LATE)
            super().run()

    patch.setattr(asyncio, "to_thread", late)
    patch.setattr(background, "Thread", Late)


def _starts(patch: pytest.MonkeyPatch) -> None:
    folder = Path(mkdtemp())
    (folder / "sitecustomize.py").write_text(_SITE, "utf-8")
    patch.setenv("PYTHONPATH", str(folder), prepend=os.pathsep)


def _frames(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(screen, "UPDATE_PERIOD", _LATE)


def _loop(
    patch: pytest.MonkeyPatch,
    turns: tuple[int, int] = (100, 1200),
    pauses: tuple[float, ...] = (0.05, 0.3, 0.7),
) -> None:
    """Have the event loop pause each time after so many turns, at least and at most."""
    run, chance, left = Handle._run, random.Random(int(os.environ.get("DAOQI_DISTURBED_SEED", "5"))), [0]

    def stopping(handle: Handle) -> None:
        left[0] -= 1
        if left[0] < 0:
            left[0] = chance.randrange(*turns)
            time.sleep(chance.choice(pauses))
        run(handle)

    patch.setattr(Handle, "_run", stopping)


_turns: Final = partial(_loop, turns=(1, 60), pauses=(0.004, 0.02, 0.04))

_KINDS: Final[dict[str, Callable[[pytest.MonkeyPatch], None]]] = {
    "periodic": _periodic,
    "threads": _threads,
    "starts": _starts,
    "frames": _frames,
    "loop": _loop,
    "turns": _turns,
}


@pytest.fixture(autouse=True, scope="session")
def _disturbed() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ.get("DAOQI_DISTURBED", _ALL).split():
            _KINDS[name](patch)
        yield
