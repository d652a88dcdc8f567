"""The program in a real pseudo-terminal, as a person starts it: it plays, and leaves the terminal as it found it."""

from __future__ import annotations

import os
import select
import sys
import time
from pathlib import Path
from typing import Any

import pytest

ptyprocess = pytest.importorskip("ptyprocess", reason="ptyprocess, which makes pseudo-terminals, is not installed")
pyte = pytest.importorskip("pyte", reason="pyte, which shows what a terminal would, is not installed")

CHECKOUT = Path(__file__).resolve().parents[2]
COLUMNS, ROWS = 80, 24


class Terminal:
    """A program in a terminal of 80×24, and what the terminal shows."""

    def __init__(self, home: Path) -> None:
        kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "VIRTUAL_ENV") if name in os.environ}
        environment = {**kept, "HOME": str(home), "TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}
        command = [sys.executable, "-m", "daoqi_tui", "--size", "5"]
        # Not the first start of all, which would offer the lesson.
        state = home / ".local" / "state" / "daoqi-tui"
        state.mkdir(parents=True, exist_ok=True)
        (state / "welcomed").touch()
        self.process: Any = ptyprocess.PtyProcess.spawn(
            command, cwd=str(CHECKOUT), dimensions=(ROWS, COLUMNS), env=environment
        )
        self.output = b""
        self.screen: Any = pyte.Screen(COLUMNS, ROWS)
        self.stream: Any = pyte.ByteStream(self.screen)

    def read(self, seconds: float) -> bool:
        """Read what comes within some seconds; False when the program has closed the terminal."""
        if not select.select([self.process.fd], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self.process.fd, 1 << 16)
        except OSError:
            return False
        self.output += data
        # pyte takes the reply to a question for text; the program asks what the terminal can do.
        self.stream.feed(data.replace(b"\x1b[?2026$p", b"").replace(b"\x1b[?2048$p", b"").replace(b"\x1b[>0q", b""))
        return bool(data)

    @property
    def shown(self) -> str:
        return "\n".join(self.screen.display)

    def wait_for(self, *words: str) -> None:
        """Wait until the screen shows all of ``words``; a slow machine may take its time."""
        end = time.monotonic() + 60
        while not all(word in self.shown for word in words):
            assert self.read(0.2), f"the program has ended; its screen:\n{self.shown}"
            assert time.monotonic() < end, f"{words} never came; the screen:\n{self.shown}"

    def wait_for_quiet(self) -> None:
        """Wait until nothing has been written for half a second."""
        end, before = time.monotonic() + 60, -1
        while before != len(self.output) and time.monotonic() < end:
            before = len(self.output)
            self.read(0.5)

    def type(self, keys: str) -> None:
        self.process.write(keys.encode())

    def wait_for_end(self) -> int:
        end = time.monotonic() + 60
        while self.read(0.2):
            assert time.monotonic() < end, f"the program goes on; its screen:\n{self.shown}"
        self.process.wait()
        status: int = self.process.exitstatus
        return status


def test_a_game_in_a_real_terminal(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path)
    try:
        terminal.wait_for("Black to move")
        terminal.type("\r")
        terminal.wait_for("White to move", "C3")
        # Panned once round a square, the cursor is back where it was.
        terminal.type("\x1b[C\x1b[A\x1b[D\x1b[B")
        terminal.type("l ")
        terminal.wait_for("Black to move", "D3")
        terminal.type("p")
        terminal.wait_for("White to move", "pass")
        terminal.type("p")
        terminal.wait_for("ends the game", "(y)", "(n)")
        terminal.type("y")
        terminal.wait_for("wins")
        terminal.type("q")
        status = terminal.wait_for_end()
    finally:
        terminal.process.terminate(force=True)
    assert status == 0
    for mode in (b"1000", b"1003", b"1006", b"1015", b"1049", b"2004"):
        on, off = terminal.output.rfind(b"\x1b[?%sh" % mode), terminal.output.rfind(b"\x1b[?%sl" % mode)
        assert off > on or on == -1, f"mode {mode.decode()} is left on"
    assert terminal.output.rfind(b"\x1b[?25h") > terminal.output.rfind(b"\x1b[?25l"), "the cursor is left hidden"
    assert b"Traceback" not in terminal.output


def test_a_click_in_a_real_terminal_plays_and_a_drag_pans(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path)
    try:
        terminal.wait_for("Black to move")
        terminal.wait_for_quiet()
        terminal.type("\x1b[<0;40;10M\x1b[<0;40;10m")
        terminal.wait_for("White to move")
        before = terminal.shown
        terminal.type("\x1b[<0;40;10M\x1b[<32;45;12M\x1b[<0;45;12m")
        end = time.monotonic() + 60
        while terminal.shown == before and time.monotonic() < end:
            terminal.read(0.2)
        assert terminal.shown != before
        assert "White to move" in terminal.shown
        terminal.type("q")
        terminal.wait_for("(y)", "(n)")
        terminal.type("y")
        assert terminal.wait_for_end() == 0
    finally:
        terminal.process.terminate(force=True)
