"""A program that is told to end takes the engines along that it has started."""

from __future__ import annotations

import contextlib
import os
import pty
import signal
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MISBEHAVING = ROOT / "tests" / "gtp" / "misbehaving.py"
SOON = 60.0
"""Seconds after which a test gives up on something that should come at once."""

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="only Linux tells of processes in /proc")


def alive(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    return False


def within_reason(condition: object) -> bool:
    assert callable(condition)
    end = time.monotonic() + SOON
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return bool(condition())


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """The command line of an engine that never moves, and the file in which it says its process, when it thinks."""
    script, told = tmp_path / "engine.py", tmp_path / "pid"
    script.write_text(
        "import os, sys, time\n"
        "for line in sys.stdin:\n"
        "    if 'genmove' in line:\n"
        f"        open({str(told) + '.new'!r}, 'w').write(str(os.getpid()))\n"
        f"        os.rename({str(told) + '.new'!r}, {str(told)!r})\n"
        "        time.sleep(1000)\n"
        "    number = line.split()[0]\n"
        "    print(f'={number} ok\\n', flush=True)\n"
    )
    yield f"'{sys.executable}' '{script}'", told
    if told.exists() and alive(int(told.read_text())):
        os.kill(int(told.read_text()), signal.SIGKILL)


def environment(home: Path) -> dict[str, str]:
    homes = {name: str(home) for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")}
    return {**os.environ, **homes, "TERM": "xterm-256color"}


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
@pytest.mark.parametrize("kind", ["match", "plain"])
def test_no_engine_is_left_behind(engine: tuple[str, Path], tmp_path: Path, kind: str, name: str) -> None:
    command, told = engine
    words = {
        "match": ["match", command, command, "--size", "5", "--games", "1", "--parallel", "1", "--opening", "0"],
        "plain": ["--plain", "--size", "5", "--white-engine", command],
    }[kind]
    program = subprocess.Popen(
        [sys.executable, "-m", "daoqi_tui", *words],
        cwd=ROOT,
        env=environment(tmp_path),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    with program:
        assert program.stdin is not None
        assert program.stderr is not None
        if kind == "plain":
            program.stdin.write(b"c3\n")
            program.stdin.flush()
        assert within_reason(told.exists)
        number = getattr(signal, name)
        program.send_signal(number)
        try:
            assert program.wait(SOON) == 128 + number
        finally:
            program.kill()
        assert program.stderr.read() == b""
    assert within_reason(lambda: not alive(int(told.read_text())))


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_the_screen_puts_the_terminal_back_and_its_engine_ends(
    engine: tuple[str, Path], tmp_path: Path, name: str
) -> None:
    command, told = engine
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (30, 100))
    program = subprocess.Popen(
        [sys.executable, "-m", "daoqi_tui", "--size", "5", "--black-engine", command],
        cwd=ROOT,
        env=environment(tmp_path),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    seen = bytearray()

    def read() -> None:
        with contextlib.suppress(OSError):
            while data := os.read(ours, 1 << 16):
                seen.extend(data)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    try:
        assert within_reason(told.exists)
        program.send_signal(getattr(signal, name))
        program.wait(SOON)
    finally:
        program.kill()
        program.wait()
        reader.join(SOON)
        os.close(ours)
    # Back from the second screen, which full-screen programs draw on.
    assert seen.rfind(b"\x1b[?1049l") > seen.rfind(b"\x1b[?1049h") >= 0
    assert b"Traceback" not in seen
    assert within_reason(lambda: not alive(int(told.read_text())))


@pytest.mark.parametrize("words", [["gtp", "--net", "none"], ["--plain"]])
def test_what_waits_for_input_ends_too(tmp_path: Path, words: list[str]) -> None:
    program = subprocess.Popen(
        [sys.executable, "-m", "daoqi_tui", *words],
        cwd=ROOT,
        env=environment(tmp_path),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with program:
        assert program.stdin is not None
        assert program.stdout is not None
        assert program.stderr is not None
        program.stdin.write(b"name\n")
        program.stdin.flush()
        assert program.stdout.readline()
        program.terminate()
        try:
            assert program.wait(SOON) == 128 + signal.SIGTERM
        finally:
            program.kill()
        assert program.stderr.read() == b""


def test_what_is_ignored_stays_so() -> None:
    code = (
        "import signal; from daoqi_tui.cli_streams import prepare\n"
        "signal.signal(signal.SIGHUP, signal.SIG_IGN); prepare()\n"
        "assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
