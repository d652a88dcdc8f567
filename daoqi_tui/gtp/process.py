"""A program in a process group of its own, ended for certain: politely, then by force, at the latest when we end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import weakref
from collections import deque
from collections.abc import Sequence
from typing import Final

LONGEST_LINE: Final = 1 << 20
"""Bytes of a line of output; an analysis of the largest board takes some 20,000."""
_ERROR_LINES: Final = 200
_ERROR_COLUMNS: Final = 500
_HAS_GROUPS: Final = hasattr(os, "killpg")


class Program:
    """A running program with its standard streams.

    Attributes:
        errors: the last lines of its standard error.
    """

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.errors: Final[deque[str]] = deque(maxlen=_ERROR_LINES)
        self._listening = asyncio.create_task(self._keep_errors())
        self._last_resort = weakref.finalize(self, _signal, process.pid, force=True)

    @classmethod
    async def start(cls, words: Sequence[str]) -> Program:
        """Start a program.

        Raises:
            OSError: the system cannot.
        """
        process = await asyncio.create_subprocess_exec(
            *words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            limit=LONGEST_LINE,
            start_new_session=_HAS_GROUPS,
        )
        return cls(process)

    @property
    def pid(self) -> int | None:
        """Its process, None when it has ended."""
        return self._process.pid if self._process.returncode is None else None

    async def write(self, text: str) -> None:
        """Write to its standard input.

        Raises:
            OSError: it no longer reads.
        """
        assert self._process.stdin is not None
        self._process.stdin.write(text.encode())
        await self._process.stdin.drain()

    async def read_line(self) -> str | None:
        """A line of its standard output, None when that has ended.

        Raises:
            ValueError: the line is longer than :data:`LONGEST_LINE`.
        """
        assert self._process.stdout is not None
        line = await self._process.stdout.readline()
        return line.decode(errors="replace") if line else None

    async def end(self, patience: float = 0.0) -> int:
        """End it and everything it has started; returns its status, negative where a signal ended it.

        Args:
            patience: seconds it may take to end by itself first, and again after it is asked to by a signal.
        """
        assert self._process.stdin is not None
        self._process.stdin.close()
        code = await self._wait(patience)
        if code is None:
            _signal(self._process.pid, force=False)
            code = await self._wait(max(patience, 0.2))
        # Those it has started may live on when it has ended, so the group is ended in any case.
        _signal(self._process.pid, force=True)
        self._last_resort.detach()
        if code is None:
            code = await self._process.wait()
        await asyncio.wait((self._listening,), timeout=0.2)
        self._listening.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._listening
        return code

    async def _wait(self, seconds: float) -> int | None:
        try:
            return await asyncio.wait_for(self._process.wait(), seconds)
        except TimeoutError:
            return None

    async def _keep_errors(self) -> None:
        assert self._process.stderr is not None
        while True:
            try:
                line = await self._process.stderr.readline()
            except ValueError:
                # A line beyond the limit; what comes after it may be readable again.
                continue
            if not line:
                return
            text = line.decode(errors="replace").rstrip()
            self.errors.append("".join(sign if sign.isprintable() else "�" for sign in text[:_ERROR_COLUMNS]))


def _signal(pid: int, *, force: bool) -> None:
    """Tell a process group to end, or make it."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if _HAS_GROUPS:
            os.killpg(pid, signal.SIGKILL if force else signal.SIGTERM)
        else:
            os.kill(pid, signal.SIGTERM)
