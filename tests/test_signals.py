"""Signals that end the program: its engines end with it, the terminal is restored, and moves are kept."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import random
import re
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from array import array
from collections.abc import Iterator
from pathlib import Path

import pytest

from daoqi_tui.record.journal import replay
from daoqi_tui.tui.driver import TerminalDriver, _Output
from daoqi_tui.tui.graphics import Answer
from tests.tui.in_terminal import Spawned, journal_of, place
from tests.waiting import HANG, is_running, wait_until

ROOT = Path(__file__).resolve().parents[1]
RUNS = 200 if os.environ.get("DAOQI_TESTS") == "thorough" else 5
"""How often the program is ended while moves are entered."""

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="only Linux tells of processes in /proc")


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """Yield the command of an engine that never moves, and the file with its process id once it is thinking."""
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
    if told.exists() and is_running(int(told.read_text())):
        os.kill(int(told.read_text()), signal.SIGKILL)


def environment(home: Path) -> dict[str, str]:
    homes = {name: str(home) for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")}
    return {**os.environ, **homes, "TERM": "xterm-256color"}


def with_pipes(home: Path, *words: str, stdout: int = subprocess.PIPE) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "daoqi_tui", *words],
        cwd=ROOT,
        env=environment(home),
        stdin=subprocess.PIPE,
        stdout=stdout,
        stderr=subprocess.PIPE,
    )


def in_terminal(home: Path, terminal: int, *words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "daoqi_tui", *words],
        cwd=ROOT,
        env=environment(home),
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        start_new_session=True,
    )


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
@pytest.mark.parametrize("kind", ["match", "plain"])
def test_no_engine_is_left_behind(engine: tuple[str, Path], tmp_path: Path, kind: str, name: str) -> None:
    command, told = engine
    words = {
        "match": ["match", command, command, "--size", "5", "--games", "1", "--parallel", "1", "--opening", "0"],
        "plain": ["--plain", "--size", "5", "--white-engine", command],
    }[kind]
    program = with_pipes(tmp_path, *words, stdout=subprocess.DEVNULL)
    with program:
        assert program.stdin is not None
        assert program.stderr is not None
        if kind == "plain":
            program.stdin.write(b"c3\n")
            program.stdin.flush()
        wait_until(told.exists)
        number = getattr(signal, name)
        program.send_signal(number)
        try:
            assert program.wait(HANG) == 128 + number
        finally:
            program.kill()
        # A match writes its progress there; nothing else may be written.
        progress = rb"games +(?:\xe2\x94\x81|\xe2\x95[\xb8\xba]| )*0/1 \d:\d\d:\d\d\n" if kind == "match" else rb""
        told_there = program.stderr.read()
        assert re.fullmatch(progress, told_there), told_there
    wait_until(lambda: not is_running(int(told.read_text())))


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_gtp_ends_although_nobody_reads_its_answers(tmp_path: Path, name: str) -> None:
    program = with_pipes(tmp_path, "gtp")
    with program:
        assert program.stdin is not None
        assert program.stdout is not None
        program.stdin.write(b"list_commands\n" * 1000)
        program.stdin.flush()
        answers = program.stdout

        def waiting() -> int:
            return int(array("i", fcntl.ioctl(answers, termios.FIONREAD, bytes(4)))[0])

        # The pipe is full once it holds no more than a moment ago.
        held = [0, waiting()]
        while not 0 < held[-2] == held[-1]:
            time.sleep(0.5)
            held.append(waiting())
        number = getattr(signal, name)
        program.send_signal(number)
        try:
            assert program.wait(HANG) == 128 + number
        finally:
            program.kill()


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_the_screen_puts_the_terminal_back_and_its_engine_ends(
    engine: tuple[str, Path], tmp_path: Path, name: str
) -> None:
    command, told = engine
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (30, 100))
    program = in_terminal(tmp_path, theirs, "--size", "5", "--black-engine", command)
    os.close(theirs)
    seen = bytearray()

    def read() -> None:
        with contextlib.suppress(OSError):
            while data := os.read(ours, 1 << 16):
                seen.extend(data)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    try:
        wait_until(told.exists)
        number = getattr(signal, name)
        program.send_signal(number)
        assert program.wait(HANG) == 128 + number
    finally:
        program.kill()
        program.wait()
        reader.join(HANG)
        os.close(ours)
    # It has left the alternate screen.
    assert seen.rfind(b"\x1b[?1049l") > seen.rfind(b"\x1b[?1049h") >= 0
    assert b"Traceback" not in seen
    wait_until(lambda: not is_running(int(told.read_text())))


def test_ended_while_moves_are_entered(tmp_path: Path) -> None:
    rng = random.Random(15)
    # Load the processor in a thorough run, so that signals arrive at other moments than on an idle machine.
    load = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 * (RUNS > 50))]
    try:
        for run in range(RUNS):
            end_while_playing(tmp_path / str(run), rng, early=run % 5 == 4)
    finally:
        for each in load:
            each.kill()
            each.wait()


def end_while_playing(folder: Path, rng: random.Random, *, early: bool) -> None:
    """Enter moves as fast as possible and end the program at a random moment; if ``early``, while it starts."""
    number = rng.choice([signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
    program = Spawned(folder)
    try:
        if early:
            program.terminal.wait_until(b"Move 1", rng.uniform(0.0, 1.0))
        else:
            assert program.terminal.wait_until(b"Move 1", HANG), program.terminal.output[-2000:]
        points = rng.sample(range(256), rng.randrange(1, 100))
        for point in points:
            x, y = place(point)
            program.terminal.send(f"\x1b[<0;{x};{y}M\x1b[<0;{x};{y}m")
            program.terminal.read(rng.uniform(0.0, 0.02))
        program.process.kill(number)
        end = time.monotonic() + HANG
        while program.process.isalive() and time.monotonic() < end:
            program.terminal.read(0.05)
        assert not program.process.isalive(), f"left behind by {number.name}: {program.terminal.output[-2000:]!r}"
        while program.terminal.read(0.0):
            pass
        # Before the signal handlers are installed, a signal kills the process directly.
        statuses = [(128 + number, None), (None, number)][: 1 + early]
        assert (program.process.exitstatus, program.process.signalstatus) in statuses
    finally:
        program.process.close(force=True)
    output = bytes(program.terminal.output)
    assert b"Traceback" not in output
    assert b"Exception ignored" not in output
    assert output.rfind(b"\x1b[?1049l") >= output.rfind(b"\x1b[?1049h")
    journal = journal_of(folder)
    if journal is None:
        assert not program.terminal.shown
        return
    restored = replay(journal)
    assert not restored.damaged
    # A click may also have gone back in the history, which the journal records before the screen shows it: check only
    # that every move is there.
    kept, shown = max(node.number for node in restored.game.root.walk()), program.terminal.shown or 0
    assert kept >= shown, f"{number.name}: {journal.read_bytes()[-600:]!r} {output[-1500:]!r}"


def test_a_second_signal_ends_the_program_at_once(engine: tuple[str, Path], tmp_path: Path) -> None:
    command, told = engine
    # Make the orderly exit hang while it ends the engine.
    code = (
        "import asyncio, daoqi_tui.gtp.client as client\n"
        "async def never(*_):\n"
        "    print('ending', flush=True)\n"
        "    await asyncio.Event().wait()\n"
        "client.Engine.close = never\n"
        "import daoqi_tui.signals as signals; signals._PATIENCE = 1000.0\n"
        "from daoqi_tui.cli.main import main; main()\n"
    )
    program = subprocess.Popen(
        [sys.executable, "-c", code, "--plain", "--size", "5", "--black-engine", command],
        cwd=ROOT,
        env=environment(tmp_path),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with program:
        assert program.stdout is not None
        wait_until(told.exists)
        program.send_signal(signal.SIGHUP)
        while program.stdout.readline() not in ("ending\n", ""):
            pass
        assert program.poll() is None
        program.send_signal(signal.SIGTERM)
        try:
            assert program.wait(HANG) == 128 + signal.SIGTERM
        finally:
            program.kill()
    wait_until(lambda: not is_running(int(told.read_text())), lambda: "its engine is left")


def ended_by(code: str, home: Path) -> tuple[int, bytes]:
    """Run Python code; return its exit status and what it wrote on standard error."""
    command = [sys.executable, "-c", code]
    program = subprocess.run(command, cwd=ROOT, env=environment(home), capture_output=True, timeout=HANG, check=False)
    return program.returncode, program.stderr


def test_a_wrapped_exit_is_no_unexpected_exception(tmp_path: Path) -> None:
    code = (
        "import os, signal, daoqi_tui.cli.main as cli\n"
        "def run(_):\n"
        "    try:\n"
        "        os.kill(os.getpid(), signal.SIGTERM)\n"
        "    except SystemExit as end:\n"
        # As Python 3.11 does in __set_name__, which every dataclass has called while it is imported.
        "        raise RuntimeError('Error calling __set_name__') from end\n"
        "cli.run = run\n"
        "cli.main(['doctor'])\n"
    )
    assert ended_by(code, tmp_path) == (128 + signal.SIGTERM, b"")


@pytest.mark.parametrize("place", ["finalizer", "exit"])
def test_an_exit_that_python_would_lose_is_not(tmp_path: Path, place: str) -> None:
    code = {
        "finalizer": "Told = type('Told', (), {'__del__': tell}); Told(); import time; time.sleep(1000)",
        "exit": "import atexit; atexit.register(tell)",
    }[place]
    prepared = (
        "import os, signal, daoqi_tui.signals as signals; signals._PATIENCE = 1000.0; signals.prepare()\n"
        "def tell(*_): os.kill(os.getpid(), signal.SIGTERM)\n"
    )
    assert ended_by(prepared + code, tmp_path) == (128 + signal.SIGTERM, b"")


HELD = 4095
"""Bytes that a pty buffers until they are read."""


def unread(terminal: int) -> int:
    count: int = struct.unpack("i", fcntl.ioctl(terminal, termios.FIONREAD, bytes(4)))[0]
    return count


def test_what_does_not_end_in_good_order_is_ended(tmp_path: Path) -> None:
    """Nobody reads its terminal, so it cannot write any more."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (60, 200))
    before = termios.tcgetattr(theirs)
    program = in_terminal(tmp_path, theirs, "--size", "19")
    try:
        # The first frame is larger than the buffer.
        wait_until(lambda: unread(ours) == HELD)
        assert termios.tcgetattr(theirs)[3] != before[3]
        program.terminate()
        assert program.wait(HANG) == 128 + signal.SIGTERM
        assert termios.tcgetattr(theirs)[3] == before[3], "the terminal is left without echo"
    finally:
        program.kill()
        program.wait()
        os.close(theirs)
        os.close(ours)


@pytest.mark.parametrize("blocking", [True, False])
def test_the_terminal_is_put_back_without_waiting_for_it(blocking: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = pty.openpty()
    os.set_blocking(theirs, blocking)
    write, blocked = os.write, []

    def watched(number: int, data: bytes) -> int:
        blocked.append(os.get_blocking(number))
        return write(number, data)

    with os.fdopen(theirs, "w") as terminal, os.fdopen(ours, "rb", 0) as shown:
        driver = object.__new__(TerminalDriver)
        driver.attrs_before, driver._said, driver._named = None, Answer(), True
        driver._output = _Output(terminal)
        # A partly written image.
        os.write(theirs, b"\x1b_Ga=t,i=1,f=100,q=2,m=0;iVBOR")
        monkeypatch.setattr(os, "write", watched)
        driver._put_back()
        assert blocked == [False]
        assert os.get_blocking(theirs) is blocking
        written = b""
        while not written.endswith(b"\x1b[23;2t"):
            written += shown.read(1 << 12)
        assert re.match(rb"\x1b_G[^\x1b]*\x1b\\\x1b\[\?1000l", written), written
        # Nor does it wait when the buffer is full.
        os.set_blocking(theirs, False)
        with contextlib.suppress(BlockingIOError):
            while True:
                write(theirs, b"x" * 64)
        driver._put_back()


@pytest.mark.parametrize("ignored", [True, False])
def test_the_program_ends_with_its_terminal(tmp_path: Path, ignored: bool) -> None:
    with ignoring_hangup(ignored):
        program = Spawned(tmp_path)
    assert program.terminal.wait_until(b"Move 1", HANG)
    # Close it through its owner, which would otherwise close the descriptor again when it is collected: by then the
    # number may belong to another test's terminal.
    program.process.fileobj.close()
    try:
        wait_until(lambda: not program.process.isalive(), lambda: "it goes on without a terminal")
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(program.process.pid, signal.SIGKILL)


@contextlib.contextmanager
def ignoring_hangup(ignored: bool) -> Iterator[None]:
    """Make programs started in the block ignore SIGHUP, as nohup does, if ``ignored``."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN if ignored else signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, before)


def test_continued_though_it_was_not_stopped_the_program_can_be_left(tmp_path: Path) -> None:
    program = Spawned(tmp_path)
    try:
        assert program.terminal.wait_until(b"Move 1", HANG)
        del program.terminal.output[:]
        # The system also sends SIGCONT to processes that lose their terminal.
        program.process.kill(signal.SIGCONT)
        assert program.terminal.wait_until(b"\x1b[?1049h", HANG)
        program.terminal.send("q")
        end = time.monotonic() + HANG
        while program.process.isalive() and time.monotonic() < end:
            program.terminal.read(0.05)
        assert program.process.exitstatus == 0
    finally:
        program.process.close(force=True)


@pytest.mark.parametrize("words", [["gtp"], ["--plain"]])
def test_what_waits_for_input_ends_too(tmp_path: Path, words: list[str]) -> None:
    program = with_pipes(tmp_path, *words)
    with program:
        assert program.stdin is not None
        assert program.stdout is not None
        assert program.stderr is not None
        program.stdin.write(b"name\n")
        program.stdin.flush()
        assert program.stdout.readline()
        program.terminate()
        try:
            assert program.wait(HANG) == 128 + signal.SIGTERM
        finally:
            program.kill()
        assert program.stderr.read() == b""


SIGNALLED_ASIDE = """
import asyncio, signal, sys, threading, time
from pathlib import Path

def send():
    while not Path(sys.argv[1]).exists():
        time.sleep(0.05)
    signal.pthread_kill(threading.get_ident(), signal.SIGTERM)

threading.Thread(target=send, daemon=True).start()
"""
"""Signals a thread once a file exists, which does not interrupt the main thread's wait."""
IDLE = """
from daoqi_tui import signals

async def main():
    Path(sys.argv[1]).touch()
    await asyncio.Event().wait()

signals.prepare()
signals.run(main())
"""
"""Has itself signalled once its loop runs: earlier, the signal would end it without being handled."""
PROGRAM = """
from daoqi_tui.cli.main import main

main([])
"""


def test_a_signal_that_interrupts_nothing_wakes_an_idle_loop(tmp_path: Path) -> None:
    told = tmp_path / "told"
    command = [sys.executable, "-c", SIGNALLED_ASIDE + IDLE, str(told)]
    with subprocess.Popen(command, cwd=ROOT) as process:
        try:
            assert process.wait(HANG) == 128 + signal.SIGTERM
        finally:
            process.kill()


def test_a_signal_that_interrupts_nothing_ends_an_idle_program(tmp_path: Path) -> None:
    told = tmp_path / "told"
    program = Spawned(tmp_path, [sys.executable, "-c", SIGNALLED_ASIDE + PROGRAM, str(told)])
    assert program.terminal.wait_until(b"Black to move", HANG)
    while program.terminal.read(1.0):
        pass
    told.touch()
    wait_until(lambda: not program.terminal.read(0.0) and not program.process.isalive())
    assert program.process.exitstatus == 128 + signal.SIGTERM


def test_what_is_ignored_stays_so() -> None:
    code = (
        "import signal; from daoqi_tui.signals import prepare\n"
        "signal.signal(signal.SIGHUP, signal.SIG_IGN); prepare()\n"
        "assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
