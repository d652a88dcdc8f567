"""What the terminal can do: asked in a real pty by a stand-in for a terminal, and put into words."""

from __future__ import annotations

import io
import os
import select
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from ptyprocess import PtyProcess

from daoqi_tui.doctor import Terminal, ambiguous_width, colours_of, findings, report

CHECKOUT = Path(__file__).resolve().parents[1]
ASK = "import sys; from daoqi_tui.doctor import ambiguous_width; print('width', ambiguous_width({timeout}))"
GOOD = Terminal("xterm-256color", 1 << 24, 1, True, (120, 40), "utf-8", "zh_CN.UTF-8", True)


def asked(answer: bytes | None, timeout: float = 5.0, term: str = "xterm") -> str:
    """What is printed in a terminal that gives ``answer`` when it is asked where the cursor stands."""
    process = PtyProcess.spawn(
        [sys.executable, "-c", ASK.format(timeout=timeout)], cwd=str(CHECKOUT), env={**os.environ, "TERM": term}
    )
    read = b""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if not select.select([process.fd], [], [], 0.2)[0]:
            continue
        try:
            piece = os.read(process.fd, 4096)
        except OSError:
            break
        if answer is not None and b"\x1b[6n" in piece:
            process.write(answer)
        read += piece
    process.close(force=True)
    return read.decode()


@pytest.mark.parametrize(("answer", "width"), [(b"\x1b[7;2R", "1"), (b"\x1b[12;3R", "2"), (b"\x1b[7;40R", "None")])
def test_the_terminal_is_asked(answer: bytes, width: str) -> None:
    printed = asked(answer)
    assert f"width {width}" in printed
    assert "●" in printed
    assert "\r\x1b[K" in printed, "the stone is wiped away"


def test_keys_typed_meanwhile_do_not_disturb() -> None:
    assert "width 2" in asked(b"abc\x1b[A\x1b[7;3R")


def test_a_terminal_that_does_not_answer_is_not_waited_for_long() -> None:
    assert "width None" in asked(None, timeout=0.1)


def test_a_dumb_terminal_is_not_asked() -> None:
    assert asked(b"\x1b[7;2R", term="dumb").strip() == "width None"


def test_without_a_terminal_nothing_is_written() -> None:
    out = io.StringIO()
    assert ambiguous_width(lines=io.StringIO("x"), out=out) is None
    assert out.getvalue() == ""


def test_the_terminal_is_left_as_it_was() -> None:
    import pty
    import termios

    ours, theirs = pty.openpty()
    try:
        before = termios.tcgetattr(theirs)
        with os.fdopen(os.dup(theirs), "r") as lines, os.fdopen(os.dup(theirs), "w") as out:
            thread = threading.Thread(target=lambda: os.read(ours, 100))
            thread.start()
            # This process has another terminal or none, so it is in the background here and must not ask.
            assert ambiguous_width(0.05, lines, out) is None
            out.write("x")
            out.flush()
            thread.join()
        assert termios.tcgetattr(theirs) == before
    finally:
        os.close(ours)
        os.close(theirs)


@pytest.mark.parametrize(
    ("environment", "colours"),
    [
        ({}, 0),
        ({"TERM": "dumb"}, 0),
        ({"TERM": "xterm"}, 16),
        ({"TERM": "linux"}, 16),
        ({"TERM": "xterm-256color"}, 256),
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, 1 << 24),
        ({"TERM": "xterm-direct"}, 1 << 24),
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": "1"}, 0),
        ({"TERM": "xterm-256color", "NO_COLOR": ""}, 256),
    ],
)
def test_colours_as_the_environment_promises(environment: dict[str, str], colours: int) -> None:
    assert colours_of(environment) == colours


def test_a_good_terminal_needs_no_advice() -> None:
    assert [finding.name for finding in findings(GOOD) if finding.advice] == []
    assert "!" not in report(GOOD)


@pytest.mark.parametrize(
    ("change", "name", "advice"),
    [
        ({"is_terminal": False}, "Terminal", "--plain"),
        ({"colours": 0}, "Colours", "NO_COLOR"),
        ({"colours": 16}, "Colours", "TERM=xterm-256color"),
        ({"colours": 256}, "Colours", "COLORTERM=truecolor"),
        ({"width": 2}, "Width of ●", "ASCII"),
        ({"width": None}, "Width of ●", "ASCII"),
        ({"mouse": False}, "Mouse", "keys"),
        ({"mouse": None}, "Mouse", "keys"),
        ({"size": (39, 40)}, "Size", "40 columns and 14 rows"),
        ({"size": (80, 24)}, "Size", "100×34"),
        ({"encoding": "ascii"}, "Text", "UTF-8"),
    ],
)
def test_what_looks_wrong_comes_with_what_to_set(change: dict[str, object], name: str, advice: str) -> None:
    terminal = replace(GOOD, **change)  # type: ignore[arg-type]
    (found,) = [finding for finding in findings(terminal) if finding.advice]
    assert found.name == name
    assert advice in found.advice
    lines = report(terminal).splitlines()
    assert len(lines) == len(findings(GOOD)) + 1
    assert sum(line.startswith("!") for line in lines) == 1


def test_the_command_reports_also_where_there_is_no_terminal() -> None:
    import subprocess

    done = subprocess.run(
        [sys.executable, "-m", "daoqi_tui", "doctor"],
        cwd=CHECKOUT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "daoqi-tui --plain" in done.stdout
