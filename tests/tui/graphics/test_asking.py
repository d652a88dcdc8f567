"""Whether the terminal shows pictures is asked at the start, whatever it answers, and when."""

from __future__ import annotations

import os
import re
import signal
import time
from pathlib import Path

import ptyprocess
import pytest

from tests.forked import in_terminal
from tests.tui.in_terminal import COLUMNS, ROWS, Terminal, homes, welcome
from tests.waiting import HANG, wait_until

GOOD = b"\x1b_Gi=31;OK\x1b\\\x1b[6;20;10t\x1b[?1016;2$y\x1b[?62;4c"
SENT = re.compile(rb"\x1b_Ga=t,")


PAINTS = b"\x1b[6;20;10t\x1b[?1016;2$y\x1b[?63;1;2;4c"
"""Answers of a terminal that shows Sixel pictures alone."""
COLOURED = re.compile(rb"[34]8;2;(?!1;2;3m)")
"""Text in one of all colours, other than that of the query."""
PAINTED = re.compile(rb"\x1bP0;1;0q")
ELSEWHERE = ("SSH_CONNECTION", "SSH_TTY", "TMUX", "STY")


def started(folder: Path, term: str = "xterm-kitty", **more: str) -> tuple[ptyprocess.PtyProcess, Terminal]:
    """The program in a terminal that can be answered for."""
    welcome(folder)
    ours = {name: value for name, value in os.environ.items() if name not in ELSEWHERE}
    environment = {**ours, **homes(folder), "TERM": term, "COLORTERM": "truecolor", "LANG": "C.UTF-8", **more}
    process = in_terminal(["-m", "daoqi_tui"], Path(), environment, (ROWS, COLUMNS))
    return process, Terminal(process.fd, lambda: not process.isalive())


def leave(process: ptyprocess.PtyProcess, terminal: Terminal) -> bytes:
    """End the program, and return all that was written."""
    process.kill(signal.SIGTERM)
    end = time.monotonic() + HANG
    while process.isalive() or terminal.read(0.1):
        assert time.monotonic() < end, f"process {process.pid} goes on, and has written {bytes(terminal.output[-99:])}"
        terminal.read(0.1)
    process.close(force=True)
    assert process.exitstatus == 128 + signal.SIGTERM
    return bytes(terminal.output)


def test_a_terminal_that_shows_pictures_gets_them_and_is_freed_of_them(tmp_path: Path) -> None:
    process, terminal = started(tmp_path)
    assert terminal.wait_until(b"a=q")
    os.write(process.fd, GOOD)
    assert terminal.wait_until(b"a=t,")
    assert terminal.wait_until(b"a=p,")
    assert terminal.wait_until(b"\x1b[?1016h"), "the mouse in pixels"
    sent = {int(number) for number in re.findall(rb"a=t,i=(\d+)", terminal.output)}
    written = leave(process, terminal)
    sent |= {int(number) for number in re.findall(rb"a=t,i=(\d+)", written)}
    deleted = {int(number) for number in re.findall(rb"a=d,d=I,i=(\d+)", written)}
    assert deleted == sent
    assert b"\x1b[?1016l" in written


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"\x1b[?1;2c",
        b"\x1b_Gi=31;ENOTSUP:no\x1b\\\x1b[?1;2c",
        b"\x1b_Gi=31;OK",
        b"\x1b_Gi=31;" + b"x" * 3000 + b"\x1b\\",
        b"\x1b_Gi=99;OK\x1b\\\x1b[?6c",
        b"\x1b[6;0;0t\x1b[?1c",
    ],
    ids=["none", "no", "refused", "half", "long", "another's", "no size"],
)
def test_whatever_a_terminal_answers_the_program_plays_on(tmp_path: Path, answer: bytes) -> None:
    process, terminal = started(tmp_path)
    assert terminal.wait_until(b"a=q")
    if answer:
        os.write(process.fd, answer)
    assert terminal.wait_until(b"Black to move")
    # A key that comes with half an answer belongs to it.
    while not terminal.wait_until(b"White to move", 1):
        terminal.send("p")
    assert not SENT.search(leave(process, terminal))


def test_an_answer_may_come_late(tmp_path: Path) -> None:
    process, terminal = started(tmp_path)
    assert terminal.wait_until(b"Black to move")
    terminal.send("p")
    assert terminal.wait_until(b"White to move")
    os.write(process.fd, GOOD)
    assert terminal.wait_until(b"a=p,")
    leave(process, terminal)


@pytest.mark.parametrize("term", ["linux", "vt100"])
def test_terminals_that_would_show_the_question_are_not_asked(tmp_path: Path, term: str) -> None:
    process, terminal = started(tmp_path, term)
    assert terminal.wait_until(b"Black to move")
    assert b"a=q" not in leave(process, terminal)


def test_a_terminal_that_shows_sixel_pictures_is_asked_for_more_and_gets_them(tmp_path: Path) -> None:
    """Its TERM promises sixteen colours, which the text has until it says that it has all of them."""
    process, terminal = started(tmp_path, "xterm", COLORTERM="")
    assert terminal.wait_until(b"Black to move")
    os.write(process.fd, PAINTS)
    assert terminal.wait_until(b"\x1b[?1;1;0S")
    assert terminal.wait_until(b"\x1bP$qm")
    assert not COLOURED.search(terminal.output)
    style = b"\x1bP1$r0;38:2::1:2:3m\x1b\\"
    os.write(process.fd, b"\x1b[?1;0;16S\x1b[?2;0;600;400S" + style + b"\x1b[?63;1;2;4c")
    assert terminal.wait_until(b"\x1bP0;1;0q")
    wait_until(lambda: COLOURED.search(terminal.output) or (terminal.read(0.05) and False))
    written = leave(process, terminal)
    assert COLOURED.search(written)
    sizes = re.findall(rb'\x1bP0;1;0q"1;1;(\d+);(\d+)', written)
    assert all(int(width) <= 600 and int(height) <= 400 for width, height in sizes)
    assert b"\x1b[?1016h" not in written
    assert not SENT.search(written)


@pytest.mark.parametrize(
    ("term", "more"),
    [("xterm", {"TMUX": "/tmp/tmux-0/default,1,0"}), ("xterm", {"STY": "1.screen"}), ("tmux-256color", {})],
)
def test_within_a_terminal_of_many_windows_nothing_is_painted(tmp_path: Path, term: str, more: dict[str, str]) -> None:
    process, terminal = started(tmp_path, term, **more)
    assert terminal.wait_until(b"\x1b[?1016$p\x1b[c")
    os.write(process.fd, PAINTS)
    terminal.send("p")
    assert terminal.wait_until(b"White to move")
    written = leave(process, terminal)
    assert b"\x1b_" not in written, "tmux takes it for the title of the pane"
    assert not PAINTED.search(written)
