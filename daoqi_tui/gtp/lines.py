"""Lines of input that can be awaited, so that an analysis ends when the next one comes."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import deque
from typing import Final, TextIO

from daoqi_tui.gtp.parsing import LONGEST_LINE, parse_line

_PENDING: Final = 10_000
"""Lines read ahead; a flood beyond that waits in the pipe."""


class Lines:
    """The lines of a text stream, read by a thread of their own.

    A line longer than :data:`~daoqi_tui.gtp.parsing.LONGEST_LINE` comes cut one character above that length.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[str | None] = deque()
        self._arrived = asyncio.Event()
        self._room = threading.Semaphore(_PENDING)
        threading.Thread(target=self._read, name="read GTP", daemon=True).start()

    async def get(self) -> str | None:
        """The next line, None when the input has ended."""
        await self._arrived.wait()
        line = self._waiting.popleft()
        self._room.release()
        if line is None:
            self._waiting.append(None)
        elif not self._waiting:
            self._arrived.clear()
        return line

    async def arrival(self) -> None:
        """Wait until there is a line to get, or the input has ended; takes nothing."""
        await self._arrived.wait()

    def _read(self) -> None:
        while self._room.acquire():
            try:
                line = self._stream.readline(LONGEST_LINE + 1)
                rest = line
                while len(rest) > LONGEST_LINE and not rest.endswith("\n"):
                    rest = self._stream.readline(LONGEST_LINE + 1)
            except (OSError, ValueError):
                line = ""
            # The loop may have been closed while this thread waited for input; nobody listens then.
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._hand_over, line or None)
            if not line or _ends(line):
                return

    def _hand_over(self, line: str | None) -> None:
        self._waiting.append(line)
        self._arrived.set()


def _ends(line: str) -> bool:
    """Whether nothing is to be read after a line: a thread blocked in a read would outlive the server."""
    command = parse_line(line)
    return command is not None and command.name == "quit" and not command.arguments
