"""Runs the program in forks of one process that has imported its commands: that takes a third of the CPU time.

A fork differs from a new process in what has been imported; what a start imports is tested with new ones. Thorough
runs, measurements of coverage, and systems without ``fork`` start a new process each time.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import runpy
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import IO, Final

from tests.thorough import THOROUGH
from tests.waiting import HANG

ROOT: Final = Path(__file__).resolve().parents[1]
_LATE: Final = ("daoqi_tui.gtp.engine.server", "daoqi_tui.plain.game", "daoqi_tui.record", "daoqi_tui.web.server")
"""What the commands import when they run."""
_LARGEST: Final = 1 << 20
"""Bytes of a request."""


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
    if THOROUGH or not hasattr(os, "fork") or "coverage" in sys.modules:
        return _new_process(words, folder, environment, entered, out)
    with tempfile.TemporaryFile() as told, tempfile.TemporaryFile() as errors:
        typed = entered if isinstance(entered, int) else _pipe_with(entered)
        try:
            server = _server()
            request = json.dumps([list(words), str(folder), dict(environment)]).encode("ascii")
            descriptors = [typed, told.fileno() if out is None else out, errors.fileno()]
            socket.send_fds(server, [request], descriptors)
            status = int(server.recv(100))
        finally:
            if not isinstance(entered, int):
                os.close(typed)
        return subprocess.CompletedProcess([*words], status, None if out is not None else _text(told), _text(errors))


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
def _server() -> socket.socket:
    """Start the process that forks; return the connection to it."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.settimeout(HANG)
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("DAOQI", "LC_", "LANG"))}
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.forked", str(theirs.fileno())],
        cwd=ROOT,
        env={**variables, "LANG": "C.UTF-8"},
        pass_fds=[theirs.fileno()],
        stdin=subprocess.DEVNULL,
    )
    theirs.close()

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


def _become(words: list[str], folder: str, environment: dict[str, str], descriptors: list[int]) -> None:
    """Run Python's command line in this process, as far as the program can tell the difference."""
    for standard, descriptor in enumerate(descriptors):
        os.dup2(descriptor, standard)
        os.close(descriptor)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.orig_argv[1:] = words
    sys.path[0] = ""
    kind, what, *arguments = words
    sys.argv = [kind, *arguments]
    if kind == "-c":
        exec(compile(what, "<string>", "exec"), {"__name__": "__main__"})
    else:
        runpy.run_module(what, run_name="__main__", alter_sys=True)


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
    connection = socket.socket(fileno=int(sys.argv[1]))
    while True:
        request, descriptors, _flags, _address = socket.recv_fds(connection, _LARGEST, 3)
        if not request:
            return
        if process := os.fork():
            for descriptor in descriptors:
                os.close(descriptor)
            status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
            connection.send(str(status).encode())
        else:
            connection.close()
            _become(*json.loads(request), descriptors)
            return


if __name__ == "__main__":
    main()
