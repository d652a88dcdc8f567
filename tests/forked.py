"""Runs the program in forks of one process that has imported its commands: that takes a third of the CPU time.

A fork differs from a new process in what has been imported; what a start imports is tested with new ones. Measurements
of coverage and systems other than Linux start a new process each time; so do thorough runs, except in terminals, where
they kill thousands of programs.
"""

from __future__ import annotations

import atexit
import ctypes
import fcntl
import gc
import marshal
import os
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import termios
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import IO, Any, Final

from tests.thorough import THOROUGH
from tests.waiting import HANG

ROOT: Final = Path(__file__).resolve().parents[1]
_LATE: Final = (
    "daoqi_tui.gtp.engine",
    "daoqi_tui.plain",
    "daoqi_tui.plain.online",
    "daoqi_tui.play.online.hosting",
    "daoqi_tui.record",
    "daoqi_tui.tui.app",
    "daoqi_tui.web.server",
    "tests.gtp.simple",
)
"""What the commands import when they run."""
_LARGEST: Final = 1 << 20
"""Bytes of a request."""
_PR_SET_CHILD_SUBREAPER: Final = 36
_WORKER: Final = "daoqi_tui.ai.worker"
_RUN, _IN_TERMINAL = 0, 1
"""The program ends with the connection, or becomes a child of the process that started this one."""
_CAN_FORK: Final = hasattr(os, "pidfd_open") and "coverage" not in sys.modules
_FORKS: Final = _CAN_FORK and not THOROUGH


def run_python(
    words: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    entered: str | int = "",
    out: int | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run ``python -m daoqi_tui …`` or ``python -c CODE …`` without a terminal.

    The input is text or a descriptor; the output is returned unless it goes to a descriptor.
    """
    if not _FORKS:
        return _new_process(words, folder, environment, entered, out)
    with tempfile.TemporaryFile() as told, tempfile.TemporaryFile() as errors:
        typed = entered if isinstance(entered, int) else _pipe_with(entered)
        try:
            descriptors = [typed, told.fileno() if out is None else out, errors.fileno()]
            status = _ask(_RUN, words, folder, environment, descriptors)
        finally:
            if not isinstance(entered, int):
                os.close(typed)
        return subprocess.CompletedProcess([*words], status, None if out is not None else _text(told), _text(errors))


def in_terminal(words: Sequence[str], folder: Path, environment: Mapping[str, str], dimensions: tuple[int, int]) -> Any:
    """Start ``python -m daoqi_tui …`` or ``python -c CODE …`` in a terminal of its own, of so many rows and columns.

    Return a :class:`ptyprocess.PtyProcess`. Its process is a child of this one.
    """
    from ptyprocess import PtyProcess

    if not _CAN_FORK:
        command = [sys.executable, *words]
        return PtyProcess.spawn(command, cwd=str(folder), env=dict(environment), dimensions=dimensions)
    ours, theirs = os.openpty()
    try:
        termios.tcsetwinsize(theirs, dimensions)
        process = _ask(_IN_TERMINAL, words, folder, environment, [theirs] * 3)
    finally:
        os.close(theirs)
    return PtyProcess(process, ours)


def forked_command(*words: str) -> tuple[str, ...]:
    """Return a command line that does what Python with these ``words`` does, ``-m MODULE …`` or ``-c CODE …``.

    Its process is not that of the program, but hands on the signals that end one, and ends with it.
    """
    if not _FORKS:
        return sys.executable, *words
    return sys.executable, "-I", "-S", str(Path(__file__).with_name("fork.py")), _server(), *words


def _ask(
    kind: int, words: Sequence[str], folder: Path, environment: Mapping[str, str], descriptors: Sequence[int]
) -> int:
    """Have a program run in a fork; return its status, or in a terminal its process."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as server:
        server.settimeout(HANG)
        server.connect(b"\0" + _server().encode())
        variables = {os.fsencode(name): os.fsencode(value) for name, value in environment.items()}
        socket.send_fds(server, [marshal.dumps((kind, [*words], str(folder), variables))], descriptors)
        answer = int(server.recv(100))
        # Once all have closed it, the parent of a program in a terminal has ended.
        assert not server.recv(100)
        return answer


def _new_process(
    words: Sequence[str], folder: Path, environment: Mapping[str, str], entered: str | int, out: int | None
) -> subprocess.CompletedProcess[str]:
    typed = entered if isinstance(entered, int) else _pipe_with(entered)
    try:
        return subprocess.run(
            [sys.executable, *words],
            cwd=folder,
            env=environment,
            stdin=typed,
            stdout=subprocess.PIPE if out is None else out,
            stderr=subprocess.PIPE,
            text=True,
            timeout=HANG,
            check=False,
        )
    finally:
        if not isinstance(entered, int):
            os.close(typed)


def _pipe_with(text: str) -> int:
    """Return the end of a pipe from which a text can be read."""
    reading, writing = os.pipe()
    with open(writing, "wb") as pipe:  # noqa: PTH123 (a descriptor)
        written = os.write(pipe.fileno(), text.encode())
    assert written == len(text.encode()), "the text is longer than what a pipe holds"
    return reading


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode()


@cache
def _server() -> str:
    """Start the process that forks; return the name of its socket, in the abstract namespace of Linux."""
    name = f"daoqi-tui-forked-{os.getpid()}"
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listening.bind(b"\0" + name.encode())
    listening.listen(100)
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("DAOQI", "LC_", "LANG"))}
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.forked", str(listening.fileno())],
        cwd=ROOT,
        env={**variables, "LANG": "C.UTF-8"},
        pass_fds=[listening.fileno()],
        stdin=subprocess.PIPE,
    )
    listening.close()
    # Programs in terminals, whose parent ends at once, become children of this process.
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)

    def end() -> None:
        process.communicate()

    atexit.register(end)
    return name


def _become(kind: int, words: list[str], folder: str, environment: dict[bytes, bytes], descriptors: list[int]) -> None:
    """Run Python's command line in this process, as far as the program can tell the difference."""
    for standard, descriptor in enumerate(descriptors):
        os.dup2(descriptor, standard)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    os.setsid()
    if kind == _IN_TERMINAL:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    os.chdir(folder)
    os.environ.clear()
    os.environb.update(environment)
    sys.orig_argv[1:] = words
    sys.path[0] = ""
    kind, what, *arguments = words
    sys.argv = [kind, *arguments]
    if kind == "-c":
        exec(compile(what, "<string>", "exec"), {"__name__": "__main__"})
    else:
        runpy.run_module(what, run_name="__main__", alter_sys=True)


@cache
def _prepare_players() -> None:
    """Load what the process of a computer player loads: kernels and networks take a second."""
    from daoqi_tui.ai import nets, player
    from daoqi_tui.ai.compiled import compile_all
    from daoqi_tui.paths import assets_folder

    import_module(_WORKER)
    compile_all(player.KERNELS)
    read = {assets_folder() / name: nets.read(assets_folder() / name) for name in nets.COUNTING}
    read_other = nets.read
    nets.read = lambda path: read[path] if path in read else read_other(path)
    gc.freeze()


class _Forks:
    """The forks that run, each with the connection of the one who asked for it."""

    def __init__(self, listening: socket.socket) -> None:
        self._listening = listening
        self._selector = selectors.DefaultSelector()
        self._selector.register(listening, selectors.EVENT_READ, self._accept)
        self._selector.register(0, selectors.EVENT_READ, self._end)
        self._running: dict[int, tuple[int, socket.socket]] = {}
        """The descriptor of each process and its connection."""
        self.child = False

    def run(self) -> None:
        """Serve until this process is one of the forks, whose program has ended, or the input ends."""
        while not self.child:
            # One at a time: it may unregister another, or end in a fork.
            key, _events = self._selector.select()[0]
            key.data()

    def _end(self) -> None:
        for process in self._running:
            os.kill(process, signal.SIGKILL)
        sys.exit()

    def _accept(self) -> None:
        connection, _address = self._listening.accept()
        request, descriptors, _flags, _address = socket.recv_fds(connection, _LARGEST, 3)
        if not request:
            connection.close()
            return
        kind, words, folder, environment = marshal.loads(request)
        if words[1] == _WORKER:
            _prepare_players()
        if process := os.fork():
            for descriptor in descriptors:
                os.close(descriptor)
            if kind == _IN_TERMINAL:
                os.waitpid(process, 0)
                connection.close()
                return
            ended = os.pidfd_open(process)
            self._running[process] = ended, connection
            self._selector.register(ended, selectors.EVENT_READ, lambda: self._reap(process))
            self._selector.register(connection, selectors.EVENT_READ, lambda: self._signal(process))
        else:
            if kind == _IN_TERMINAL and (process := os.fork()):
                connection.send(str(process).encode())
                os._exit(0)
            self.child = True
            self._selector.close()
            for held in (self._listening, connection, *(other for _ended, other in self._running.values())):
                held.close()
            _become(kind, words, folder, environment, descriptors)

    def _signal(self, process: int) -> None:
        """Send the signal that was received for a process; kill it if nobody asks for it any more."""
        ended, connection = self._running[process]
        number = connection.recv(100)
        if not number:
            self._selector.unregister(connection)
        signal.pidfd_send_signal(ended, int(number or signal.SIGKILL))

    def _reap(self, process: int) -> None:
        ended, connection = self._running.pop(process)
        status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        with suppress(OSError):
            connection.send(str(status).encode())
        self._selector.unregister(ended)
        with suppress(KeyError):
            self._selector.unregister(connection)
        os.close(ended)
        connection.close()


def main() -> None:
    """Fork for each request, and answer with the status in which the fork ended."""
    from daoqi_tui.cli.main import runner_of
    from daoqi_tui.cli.parsers import COMMANDS

    for name in COMMANDS:
        runner_of(name)
    for module in _LATE:
        with suppress(ImportError):  # of an extra that is not installed
            import_module(module)
    gc.freeze()
    _Forks(socket.socket(fileno=int(sys.argv[1]))).run()


if __name__ == "__main__":
    main()
