"""A program whose event loop is stuck is ended by its watchdog, in a real terminal; one that was stopped is not."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sys
import termios
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from daoqi_tui import watchdog
from daoqi_tui.record.journal import replay
from tests.tui.in_terminal import Spawned, journal_of, place
from tests.waiting import HANG, wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="macOS has no CPU clock for a single thread")

PATIENCE = 0.5
"""CPU seconds from when Ctrl+p was pressed: a start may compute for longer without turning the loop."""
IMPATIENT = f"""
import daoqi_tui.watchdog as watchdog
from daoqi_tui.tui.app import DaoqiApp

def lose_patience(app):
    watchdog._PATIENCE = {PATIENCE}

watchdog._INTERVAL = 0.1
DaoqiApp.action_command_palette = lose_patience
"""
START = "from daoqi_tui.cli.main import main; main()\n"
STUCK = {
    "computing": """
def stuck(app):
    lose_patience(app)
    while True:
        pass

DaoqiApp.action_command_palette = stuck
""",
    # Two sizes that alternate for ever: a callback between two resizes keeps Textual from merging them.
    "resizing": """
from textual import events
from textual.geometry import Size
from textual.screen import Screen
from textual.widgets import Static

class Resized(Screen):
    def compose(self):
        yield Static("x")

    def on_mount(self):
        for width in (100, 110):
            size = Size(width, 30)
            self.post_message(events.Resize(size, size, size))
            self.call_later(lambda: None)

    def on_resize(self):
        self.call_after_refresh(lambda: None)

def resize(app):
    lose_patience(app)
    app.push_screen(Resized())

DaoqiApp.action_command_palette = resize
""",
}
"""What hangs the program after Ctrl+p."""
SHELL = ("sh", "-c", '"$@"; status=$?; printf "[ended]"; read answer; exit $status', "sh")
"""A shell that waits for a line after the program has ended.

As the leader of a terminal's session ends, Linux discards what was written to the terminal but not read.
"""
WORDS = {
    "en": "the screen stopped responding and was ended; all moves are saved: start daoqi-tui again to resume the game; "
    "a report of it is in ",
    "zh": "界面停止响应，程序已结束；所有着手都已保存，重新启动 daoqi-tui 即可继续对局；报告已写入 ",
}


@contextlib.contextmanager
def spawned(folder: Path, code: str, *words: str, shell: Sequence[str] = ()) -> Iterator[Spawned]:
    program = Spawned(folder, [*shell, sys.executable, "-c", IMPATIENT + code + START, *words])
    try:
        yield program
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(program.process.pid, signal.SIGKILL)
        program.process.close(force=True)


def play(program: Spawned, *points: int) -> None:
    """Play at points of the empty 16 × 16 board, one after the other."""
    first = program.terminal.shown or 0
    for number, point in enumerate(points, first + 1):
        x, y = place(point)
        program.terminal.send(f"\x1b[<0;{x};{y}M\x1b[<0;{x};{y}m")
        assert program.terminal.wait_for(number, time.monotonic() + HANG), program.terminal.output[-2000:]


def has_ended(program: Spawned) -> bool:
    ended = not program.process.isalive()
    # Read after that, since it may write until it ends; and the end is only seen once the output has been read.
    while program.terminal.read(0.0):
        pass
    return ended


@pytest.mark.parametrize(("kind", "language"), [("computing", "en"), ("computing", "zh"), ("resizing", "en")])
def test_a_stuck_program_ends_with_a_report_and_keeps_the_game(tmp_path: Path, kind: str, language: str) -> None:
    with spawned(tmp_path, STUCK[kind], "--lang", language, shell=SHELL) as program:
        before = termios.tcgetattr(program.process.fd)
        shown = b"Move 1" if language == "en" else "第 1 手".encode()
        assert program.terminal.wait_until(shown), program.terminal.output[-2000:]
        if language == "en":
            play(program, 17, 40, 99)
        program.terminal.send("\x10")
        assert program.terminal.wait_until(b"[ended]"), program.terminal.output[-2000:]
        program.terminal.send("\n")
        wait_until(lambda: has_ended(program), lambda: repr(program.terminal.output[-2000:]))
        assert program.process.exitstatus == 70
        assert termios.tcgetattr(program.process.fd)[3] == before[3] | termios.ECHO | termios.ICANON
    output = program.terminal.output.decode().partition("[ended]")[0]
    _, left, last_text = output.rpartition("\x1b[?1049l")
    assert left
    [report] = (tmp_path / "state" / "daoqi-tui" / "reports").glob("*")
    assert re.sub(r"\x1b\[[?<>]?[\d;]*[a-z]", "", last_text) == f"daoqi-tui: {WORDS[language]}{report}\r\n"
    text = report.read_text("utf-8")
    assert re.search(r"Thread MainThread \(most recent call last\):\n(  .*\n)+", text), text
    assert "Thread textual-input" in text
    assert kind != "computing" or "in stuck\n" in text
    if language == "en":
        journal = journal_of(tmp_path)
        assert journal is not None
        assert [node.move.point for node in replay(journal).game.root.line() if node.move is not None] == [17, 40, 99]


def test_the_game_of_a_stuck_program_can_be_resumed(tmp_path: Path) -> None:
    with spawned(tmp_path, STUCK["computing"]) as program:
        assert program.terminal.wait_until(b"Move 1"), program.terminal.output[-2000:]
        play(program, 17, 40, 99)
        program.terminal.send("\x10")
        wait_until(lambda: has_ended(program))
    with spawned(tmp_path, "") as program:
        assert program.terminal.wait_until(b"Resume"), program.terminal.output[-2000:]
        program.terminal.send("\r")
        assert program.terminal.wait_for(3, time.monotonic() + HANG), program.terminal.output[-2000:]
        play(program, 200)


def test_a_program_that_was_stopped_goes_on(tmp_path: Path) -> None:
    with spawned(tmp_path, "") as program:
        assert program.terminal.wait_until(b"Move 1"), program.terminal.output[-2000:]
        play(program, 17)
        program.terminal.send("\x10")
        play(program, 18)
        program.process.kill(signal.SIGSTOP)
        stopped = time.monotonic()
        # The time is what is given to the program, not what is asked of it.
        wait_until(lambda: time.monotonic() > stopped + 2 * PATIENCE)
        program.process.kill(signal.SIGCONT)
        play(program, 40, 99)


def test_the_patience_is_ten_seconds() -> None:
    assert watchdog._PATIENCE == 10
