"""The program in a pseudo-terminal: what it shows is read as it comes, and keys are sent to it."""

from __future__ import annotations

import errno
import os
import re
import select
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import ptyprocess

from tests.waiting import HANG

COLUMNS, ROWS = 120, 40
_MOVE = re.compile(rb"Move (\d+)")


def place(point: int) -> tuple[int, int]:
    """Where a point of the unshifted 16 × 16 board stands on a screen of 120 × 40, counted from 1."""
    row, column = divmod(point, 16)
    return 3 + (COLUMNS - 34 - 3 - 64) // 2 + 4 * column + 2, 1 + (ROWS - 3 - 32) // 2 + 2 * row + 1


def welcome(folder: Path) -> None:
    """Say that the program has run with this folder before, so that it does not offer the lesson."""
    welcomed = folder / "state" / "daoqi-tui" / "welcomed"
    welcomed.parent.mkdir(parents=True, exist_ok=True)
    welcomed.touch()


def homes(folder: Path) -> dict[str, str]:
    """Return the variables that have the program keep everything in ``folder``."""
    return {f"XDG_{kind}_HOME": str(folder / kind.lower()) for kind in ("STATE", "DATA", "CONFIG", "CACHE")}


def journal_of(folder: Path) -> Path | None:
    """Return the one journal the program has written, None where there is none."""
    found = sorted((folder / "state").rglob("*.journal"))
    assert len(found) <= 1, "one game has one journal"
    return found[0] if found else None


def read_output(descriptor: int) -> bytes:
    """Read what a program has written to its terminal, nothing once no program has the terminal open any more."""
    try:
        return os.read(descriptor, 1 << 18)
    except OSError as error:
        # So Linux tells the end of the file. Any other error is a fault of the test, such as a descriptor closed twice.
        if error.errno != errno.EIO:
            raise
        return b""


class Terminal:
    """Our end of a pseudo-terminal; ``shown`` is the number of the move last shown, ``ended`` tells of the program."""

    def __init__(self, descriptor: int, ended: Callable[[], bool]) -> None:
        self.descriptor = descriptor
        self.ended = ended
        self.shown: int | None = None
        self.output = bytearray()

    def read(self, seconds: float) -> bool:
        """Read what comes within some seconds; tells whether anything did."""
        if not select.select([self.descriptor], [], [], seconds)[0]:
            return False
        data = read_output(self.descriptor)
        self.output += data
        numbers = _MOVE.findall(self.output[-len(data) - 16 :])
        if numbers:
            self.shown = int(numbers[-1]) - 1
        return bool(data)

    def wait_until(self, text: bytes, seconds: float = HANG) -> bool:
        """Wait until a text has been shown; False when the program ends or the time is over before."""
        end = time.monotonic() + seconds
        while text not in self.output and time.monotonic() < end and not self.ended():
            self.read(0.05)
        return text in self.output

    def wait_for(self, number: int, until: float) -> bool:
        """Wait until a move's number shows, or it is time to be killed."""
        while self.shown != number and time.monotonic() < until:
            self.read(min(0.05, max(0.0, until - time.monotonic())))
        return self.shown == number

    def send(self, keys: str) -> None:
        """Type keys."""
        os.write(self.descriptor, keys.encode())


class Spawned:
    """The program started in a terminal of its own, keeping everything in ``folder``."""

    def __init__(self, folder: Path, command: Sequence[str] = (sys.executable, "-m", "daoqi_tui")) -> None:
        welcome(folder)
        environment = {**os.environ, **homes(folder), "TERM": "xterm-256color", "COLORTERM": "truecolor"}
        environment["LANG"] = "C.UTF-8"
        self.process = ptyprocess.PtyProcess.spawn(list(command), env=environment, dimensions=(ROWS, COLUMNS))
        self.terminal = Terminal(self.process.fd, lambda: not self.process.isalive())
