"""No process that the program has started survives it, even if it is killed."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tui.in_terminal import Spawned, homes
from tests.waiting import HANG, is_running, wait_until

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/environ").exists(), reason="only Linux tells of processes in /proc"
)

ROOT = Path(__file__).resolve().parents[1]
MARK = "DAOQI_TEST_MARK"
HELPER = "import time; time.sleep(3600)"
DEAF = """
import signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
helper = subprocess.Popen([sys.executable, "-c", sys.argv[1]])
for line in sys.stdin:
    number, name, *_ = line.split()
    if name == "genmove":
        time.sleep(3600)
    print(f"={number} \\n", flush=True)
time.sleep(3600)
"""
"""An engine that notices neither SIGTERM nor the end of its input, and starts another program."""
READS = """
import asyncio, sys
from daoqi_tui.play.reading import Reader
async def main():
    await Reader()._running()
    await asyncio.sleep(3600)

asyncio.run(main())
"""


@pytest.fixture
def mark(monkeypatch: pytest.MonkeyPatch) -> str:
    """Mark all processes that the test starts."""
    mark = uuid.uuid4().hex
    monkeypatch.setenv(MARK, mark)
    return mark


def marked(mark: str) -> set[int]:
    """Return the processes with a mark that are running."""
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                environment = (entry / "environ").read_bytes()
            except OSError:
                continue
            if f"{MARK}={mark}".encode() in environment and is_running(int(entry.name)):
                found.add(int(entry.name))
    return found


@pytest.fixture
def folder(tmp_path: Path, mark: str) -> Iterator[Path]:
    yield tmp_path
    for pid in marked(mark):
        os.kill(pid, signal.SIGKILL)


def check_none_survives(mark: str, program: int) -> None:
    left = marked(mark) - {program}
    assert left, "it has started none"
    os.kill(program, signal.SIGKILL)
    wait_until(lambda: not marked(mark) - {program}, lambda: f"{marked(mark)} of {left} survive")


@pytest.mark.parametrize("helpers", [1, 3])
def test_no_search_process_survives_wherever_it_is(folder: Path, mark: str, helpers: int) -> None:
    """With one helper it is still importing; with three, two of them evaluate for the search."""
    own = {name: where for name, where in homes(folder).items() if "CACHE" not in name}
    program = subprocess.Popen(
        [sys.executable, "-m", "daoqi_tui", "gtp", "--threads", "2", "--size", "9"],
        cwd=ROOT,
        env={**os.environ, **own},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )
    with program:
        assert program.stdin is not None
        program.stdin.write(b"clear_board\ngenmove b\n")
        program.stdin.flush()
        wait_until(lambda: len(marked(mark) - {program.pid}) >= helpers)
        if helpers > 1:
            # Stopped, it cannot notice the end of its input. What it starts has its command for a moment, too.
            workers = [pid for pid in marked(mark) if "daoqi_tui.ai.worker" in command_of(pid)]
            (worker,) = (pid for pid in workers if parent_of(pid) == program.pid)
            os.kill(worker, signal.SIGSTOP)
        check_none_survives(mark, program.pid)


def test_no_engine_survives_that_is_deaf_to_all_nor_what_it_started(folder: Path, mark: str) -> None:
    script = folder / "deaf.py"
    script.write_text(DEAF)
    engine = shlex.join([sys.executable, str(script), HELPER])
    program = Spawned(folder, [sys.executable, "-m", "daoqi_tui", "--size", "9", "--black-engine", engine])
    try:
        end = time.monotonic() + HANG
        while not (deaf := [pid for pid in marked(mark) if str(script) in command_of(pid)]) and time.monotonic() < end:
            program.terminal.read(0.1)
        assert deaf
        wait_until(
            lambda: any("3600" in command_of(pid) and str(script) not in command_of(pid) for pid in marked(mark))
        )
        check_none_survives(mark, program.process.pid)
    finally:
        program.process.close(force=True)


def command_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text("utf-8", "replace")
    except OSError:
        return ""


def parent_of(pid: int) -> int:
    """Return the process that started one, 0 if there is none any more."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[1])
    except OSError:
        return 0


def test_no_reading_process_survives(folder: Path, mark: str) -> None:
    with subprocess.Popen([sys.executable, "-c", READS], cwd=ROOT) as program:
        wait_until(lambda: len(marked(mark)) == 2)
        check_none_survives(mark, program.pid)


def test_an_engine_that_ended_in_good_order_has_no_guard(folder: Path, mark: str) -> None:
    engine = f"{shlex.quote(sys.executable)} {shlex.quote(str(ROOT / 'tests' / 'gtp' / 'simple.py'))} 5"
    done = subprocess.run(
        [sys.executable, "-m", "daoqi_tui", "--plain", "--size", "5", "--white-engine", engine],
        cwd=ROOT,
        env={**os.environ, **homes(folder)},
        input="c3\nquit\n",
        capture_output=True,
        text=True,
        check=False,
        timeout=HANG,
    )
    assert done.returncode == 0, done.stderr
    assert not marked(mark)
