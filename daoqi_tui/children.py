"""Child processes: the command and environment of those that run a module of this package, and their end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, Final, TypeVar

from daoqi_tui.child import PARENT, STARTED_IN_THREAD

_T = TypeVar("_T")

_KILL_LATER: Final = 'read -r line || { sleep 0.5; kill -s KILL -- "-$1"; }'
"""A shell script that kills a process group when its input ends, unless it has read a line before."""


def command(module: str) -> tuple[str, ...]:
    """Return the command line that runs a module of this package as a child of this process, with which it ends."""
    return sys.executable, "-P", "-m", "daoqi_tui.child", module


def environment(**settings: str) -> dict[str, str]:
    """Return this process's environment for a :func:`command`, with this package on the child's path.

    Args:
        settings: variables of the child, overriding those of this process.
    """
    root = str(Path(__file__).resolve().parents[1])
    path = os.pathsep.join(part for part in (root, os.environ.get("PYTHONPATH", "")) if part)
    in_thread = "" if threading.current_thread() is threading.main_thread() else "yes"
    starter = {PARENT: str(os.getpid()), STARTED_IN_THREAD: in_thread}
    return {**os.environ, **settings, "PYTHONPATH": path, **starter}


class Guard:
    """A process that kills a process group of another program if this process ends without having released it.

    The program may not notice that its input ends, or may have started others. It is given half a second for that.
    """

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    @classmethod
    async def of(cls, group: int) -> Guard | None:
        """Guard the process group of a child; None where there is no shell for it."""
        try:
            process = await asyncio.create_subprocess_exec(
                *("/bin/sh", "-c", _KILL_LATER, "sh", str(group)),
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError:
            return None
        return cls(process)

    async def release(self) -> None:
        """End the guard, and leave the group alone."""
        # It may have been killed.
        with contextlib.suppress(OSError):
            await self._process.communicate(b"\n")


async def complete(ending: Coroutine[Any, Any, _T]) -> _T:
    """Await ``ending`` until it is done even if this task is cancelled, however often; only then is it cancelled.

    With :func:`asyncio.shield` alone a process would be orphaned, and the event loop could end before it.

    Raises:
        Exception: that of ``ending`` if it fails, also where this task was cancelled: nobody else would ever see it.
    """
    task = asyncio.ensure_future(ending)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait((task,))
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is None:
        return task.result()
    if not task.cancelled() and (failure := task.exception()) is not None:
        raise failure from cancelled
    raise cancelled
