"""Runs the program in a pseudo-terminal, reads its output and sends it keys."""

from __future__ import annotations

import errno
import os
import re
import select
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Self

import ptyprocess
import pyte

from tests.forked import in_terminal
from tests.waiting import HANG

COLUMNS, ROWS = 120, 40
_MOVE = re.compile(r"Move (\d+)")
_UNKNOWN = re.compile(rb"\x1b_[^\x1b]*\x1b\\\\|\x1b\[[<>=?][\d;]*[uqmtnS]|\x1b\[\?[\d;]*\$p|\x1bP[^\x1b]*\x1b\\\\")
"""What pyte does not know, and would show as text."""


def place(point: int) -> tuple[int, int]:
    """Return the 1-based cell of a point of the unpanned 16 × 16 board on a 120 × 40 screen."""
    row, column = divmod(point, 16)
    return 3 + (COLUMNS - 34 - 3 - 64) // 2 + 4 * column + 2, 1 + (ROWS - 3 - 32) // 2 + 2 * row + 1


def welcome(folder: Path) -> None:
    """Mark the program as having run with this folder before, so that it does not offer the lesson."""
    welcomed = folder / "state" / "daoqi-tui" / "welcomed"
    welcomed.parent.mkdir(parents=True, exist_ok=True)
    welcomed.touch()


def homes(folder: Path) -> dict[str, str]:
    """Return the environment variables that make the program keep all its files in ``folder``."""
    return {f"XDG_{kind}_HOME": str(folder / kind.lower()) for kind in ("STATE", "DATA", "CONFIG")}


def journal_of(folder: Path) -> Path | None:
    """Return the one journal the program has written, or None."""
    found = sorted((folder / "state").rglob("*.journal"))
    assert len(found) <= 1, "one game has one journal"
    return found[0] if found else None


def read_output(descriptor: int) -> bytes:
    """Read a program's terminal output; return nothing once no process has the terminal open."""
    try:
        return os.read(descriptor, 1 << 18)
    except OSError as error:
        # Linux reports end of file this way. Any other error is a fault in the test, such as a descriptor closed twice.
        if error.errno != errno.EIO:
            raise
        return b""


class Emulator:
    """A terminal that shows what is written to it; only the characters that change are written."""

    def __init__(self, columns: int, rows: int) -> None:
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)

    def feed(self, data: bytes) -> None:
        self._stream.feed(_UNKNOWN.sub(b"", data))

    @property
    def text(self) -> str:
        """The lines that the screen shows."""
        return "\n".join(self._screen.display)


class Terminal:
    """Our end of a pseudo-terminal.

    ``shown`` is the number of the last move shown; ``ended`` returns whether the program has ended. What is shown is
    read from an emulated screen: only the characters that change are written.
    """

    def __init__(self, descriptor: int, ended: Callable[[], bool]) -> None:
        self.descriptor = descriptor
        self.ended = ended
        self.shown: int | None = None
        self.output = bytearray()
        self._emulator = Emulator(COLUMNS, ROWS)

    def read(self, seconds: float) -> bool:
        """Read what arrives within ``seconds``; return whether anything did."""
        if not select.select([self.descriptor], [], [], seconds)[0]:
            return False
        data = read_output(self.descriptor)
        self.output += data
        self._emulator.feed(data)
        if found := _MOVE.search(self.text):
            self.shown = int(found[1]) - 1
        return bool(data)

    @property
    def text(self) -> str:
        """The lines that the screen shows."""
        return self._emulator.text

    def wait_until(self, text: bytes, seconds: float = HANG) -> bool:
        """Wait until ``text`` has been shown or written; return False if the program or the time ends first."""
        end = time.monotonic() + seconds

        def is_seen() -> bool:
            return text in self.output or text.decode() in self.text

        while not is_seen() and time.monotonic() < end and not self.ended():
            self.read(0.05)
        return is_seen()

    def wait_for(self, number: int, until: float) -> bool:
        """Wait until a move number is shown or the time is ``until``; return whether the number was shown."""
        while self.shown != number and time.monotonic() < until:
            self.read(min(0.05, max(0.0, until - time.monotonic())))
        return self.shown == number

    def send(self, keys: str) -> None:
        """Type keys."""
        os.write(self.descriptor, keys.encode())


class Spawned:
    """The program running in its own terminal, with all its files in ``folder``."""

    def __init__(self, folder: Path, command: Sequence[str] = (sys.executable, "-m", "daoqi_tui")) -> None:
        welcome(folder)
        environment = {**os.environ, **homes(folder), "TERM": "xterm-256color", "COLORTERM": "truecolor"}
        environment["LANG"] = "C.UTF-8"
        self.process = ptyprocess.PtyProcess.spawn(list(command), env=environment, dimensions=(ROWS, COLUMNS))
        self.terminal = Terminal(self.process.fd, lambda: not self.process.isalive())


class Driven:
    """The program in a terminal, in a fork, which is killed in the end. All its files are in ``folder``."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        welcome(folder)
        environment = {**os.environ, **homes(folder), "TERM": "xterm-256color", "COLORTERM": "truecolor"}
        environment["LANG"] = "C.UTF-8"
        # They would replace the size of the terminal.
        for name in ("COLUMNS", "LINES"):
            environment.pop(name, None)
        words = ["-m", "daoqi_tui", *arguments]
        self.process = in_terminal(words, Path(), environment, (ROWS, COLUMNS))
        self.terminal = Terminal(self.process.fd, lambda: not self.process.isalive())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def kill_and_read(self) -> None:
        """Kill it, and read what it said until then."""
        self._end()
        while self.terminal.read(0):
            pass
        self.process.close()

    def kill(self) -> None:
        if not self.process.closed:
            self._end()
            self.process.close()

    def _end(self) -> None:
        self.process.kill(signal.SIGKILL)
        while self.process.isalive():
            time.sleep(0.001)
