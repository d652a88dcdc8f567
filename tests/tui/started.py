"""Programs in terminals that are killed: started from a process that has already imported the program."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import termios
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.tui.in_terminal import COLUMNS, ROWS, Terminal, welcome


class Starter:
    """Starts the program in one terminal after another; ``running`` is its process id while it runs."""

    running: int | None = None

    def __init__(self) -> None:
        environment = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}
        # They would replace the size of the terminal.
        for name in ("COLUMNS", "LINES"):
            environment.pop(name, None)
        command = [sys.executable, str(Path(__file__).with_name("starter.py"))]
        self.process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        assert self.hear() == "ready"

    def hear(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().decode().rstrip("\n")

    def start(self, folder: Path, terminal: str, arguments: Sequence[str]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps([str(folder), terminal, list(arguments)]).encode() + b"\n")
        self.running = int(self.hear())

    def kill(self) -> None:
        """Kill the program."""
        if self.running is not None:
            os.kill(self.running, signal.SIGKILL)
            assert self.hear() == "gone"
            self.running = None

    def told(self) -> bool:
        """Return whether the starter has reported something: that the program has ended."""
        return bool(select.select([self.process.stdout], [], [], 0)[0])


@contextmanager
def starting() -> Iterator[Starter]:
    """A starter whose program is killed in the end."""
    starter = Starter()
    with starter.process:
        try:
            yield starter
        finally:
            # After a failure the program may still be running, and the starter waits for it.
            starter.kill()


class Driven:
    """The program in a terminal, launched by a starter."""

    def __init__(self, starter: Starter, folder: Path, *arguments: str) -> None:
        welcome(folder)
        self._starter = starter
        ours, self._theirs = os.openpty()
        # The program's end stays open, so that the terminal exists before the program starts and after it ends.
        termios.tcsetwinsize(self._theirs, (ROWS, COLUMNS))
        starter.start(folder, os.ttyname(self._theirs), arguments)
        self.terminal = Terminal(ours, starter.told)

    def kill_and_read(self) -> None:
        """Kill it, and read what it said until then."""
        self._starter.kill()
        while self.terminal.read(0):
            pass
        self.close()

    def kill(self) -> None:
        self._starter.kill()
        self.close()

    def close(self) -> None:
        os.close(self.terminal.descriptor)
        os.close(self._theirs)
