"""A terminal program in a real pty, driven and measured from outside."""

from __future__ import annotations

import os
import re
import select
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from ptyprocess import PtyProcess

_SYNCHRONISED = b"\x1b[?2026h"
_ASKS_SYNCHRONISED = b"\x1b[?2026$p"
_TICK = os.sysconf("SC_CLK_TCK")


class PtyApp:
    """A running program. The terminal reports support for synchronised output, so that each frame is marked."""

    def __init__(self, command: Sequence[str], columns: int = 120, rows: int = 40) -> None:
        env = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}
        # As on a user's machine, where the second start finds compiled modules.
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        # Separate folders keep out the user's games and settings; a marker file suppresses the welcome dialog.
        self._home = tempfile.TemporaryDirectory()
        for name in ("STATE", "DATA", "CONFIG", "CACHE"):
            env[f"XDG_{name}_HOME"] = str(Path(self._home.name) / name.lower())
        (Path(self._home.name) / "state" / "daoqi-tui").mkdir(parents=True)
        (Path(self._home.name) / "state" / "daoqi-tui" / "welcomed").touch()
        self.started = time.perf_counter()
        self.process = PtyProcess.spawn(list(command), dimensions=(rows, columns), env=env)
        self.output = bytearray()
        self.first_paint: float | None = None
        """Seconds from the start to the first visible character."""

    def pump(self, seconds: float) -> None:
        """Read the program's output for some seconds."""
        deadline = time.perf_counter() + seconds
        while (left := deadline - time.perf_counter()) > 0:
            ready, _, _ = select.select([self.process.fd], [], [], left)
            if not ready:
                return
            try:
                data = os.read(self.process.fd, 1 << 18)
            except OSError:
                return
            self.output += data
            if _ASKS_SYNCHRONISED in data:
                self.process.write(b"\x1b[?2026;2$y")
            if self.first_paint is None and re.sub(
                rb"\x1b(\[[0-?]*[ -/]*[@-~]|[P\]_][^\x1b\x07]*(\x1b\\|\x07)|.)|\s", b"", data
            ):
                self.first_paint = time.perf_counter() - self.started

    def send(self, text: str) -> None:
        """Type some text."""
        self.process.write(text.encode())

    def wait_for_paint(self) -> float:
        """Wait for the first frame; return its time in seconds."""
        while self.first_paint is None:
            if not self.process.isalive():
                raise RuntimeError(f"the program ended before its first frame: {bytes(self.output)!r}")
            self.pump(0.02)
        return self.first_paint

    @property
    def frames(self) -> int:
        """The number of frames written so far."""
        return self.output.count(_SYNCHRONISED)

    def cpu_seconds(self) -> float:
        """Return the CPU time that the program has used."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICK

    def cpu_seconds_of_threads(self) -> float:
        """Return the CPU time of its live threads; it is exact to nanoseconds, :meth:`cpu_seconds` to 10 ms."""
        tasks = Path(f"/proc/{self.process.pid}/task")
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks.iterdir()) / 1e9

    def memory_mb(self) -> float:
        """Return the resident memory of the program, shared libraries included (VmRSS)."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        match = re.search(r"VmRSS:\s+(\d+)", status)
        assert match is not None
        return int(match[1]) / 1024

    def close(self) -> None:
        """End the program."""
        self.process.terminate(force=True)
        self._home.cleanup()


def daoqi(*arguments: str) -> list[str]:
    """Return the command that starts the program."""
    return [sys.executable, "-m", "daoqi_tui", *arguments]
