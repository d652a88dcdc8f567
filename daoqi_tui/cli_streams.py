"""The standard streams and the signals of a command, made such that whatever is wrong with them is one sentence."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import signal
import sys
from collections.abc import Iterator
from types import FrameType
from typing import NoReturn, TextIO

from daoqi_tui.standard_streams import check_input, input_error, output_error


def prepare() -> None:
    """Have a command find all three streams, and end as it does otherwise when a signal ends it."""
    _replace_closed()
    for stream in (sys.stdout, sys.stderr):
        _never_refuse(stream)
    _exit_on_signals()


def read_input(most: int) -> bytes:
    """Return at most ``most`` bytes of standard input.

    Raises:
        StreamError: it cannot be read.
    """
    try:
        return sys.stdin.buffer.read(most)
    except OSError as error:
        raise input_error(error) from error


def write_text(text: str) -> None:
    """Write to standard output.

    Raises:
        StreamError: it cannot be written.
        BrokenPipeError: nobody reads it.
    """
    with telling_output():
        sys.stdout.write(text)


def write_bytes(data: bytes) -> None:
    """Write to standard output; raises as :func:`write_text` does."""
    with telling_output():
        sys.stdout.buffer.write(data)


def flush_output() -> None:
    """Write what is still held back, so that it is known whether all was written; raises as :func:`write_text` does."""
    with telling_output():
        sys.stdout.flush()


@contextlib.contextmanager
def telling_output() -> Iterator[None]:
    """Where nothing but standard output is written to: say so when that fails; raises as :func:`write_text` does."""
    try:
        yield
    except OSError as error:
        # Python would else try once more at its end, and complain.
        drop_output()
        if isinstance(error, BrokenPipeError):
            raise
        raise output_error(error) from error


def look_for_trouble(error: OSError) -> None:
    """Tell an error of a standard stream from others.

    Raises:
        StreamError: a stream was the trouble.
        BrokenPipeError: nobody reads standard output.
    """
    # What could not be written is still held back, and fails again.
    flush_output()
    if error.errno != errno.EBADF:
        return
    # Where it is no stream of the system's, as in tests, it is not the trouble.
    with contextlib.suppress(io.UnsupportedOperation):
        check_input()


def drop_output() -> None:
    """Let what is still held back go nowhere."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _replace_closed() -> None:
    """Where a stream was closed before the start, take one whose use fails as that of a closed one does.

    Left alone, the first file to be opened would take its number, and be written to by whoever prints.
    """
    # In the order of their numbers, which are given out from the lowest.
    if sys.stdin is None:
        sys.stdin = os.fdopen(os.open(os.devnull, os.O_WRONLY), "r", closefd=False)
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w", closefd=False)
    if sys.stderr is None:
        # Nobody can be told of its absence.
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", closefd=False)


def _never_refuse(stream: TextIO) -> None:
    """Write signs that the terminal cannot show as escapes, rather than fail because of them."""
    if isinstance(stream, io.TextIOWrapper) and (stream.errors == "strict" or "utf" not in stream.encoding.lower()):
        stream.reconfigure(errors="backslashreplace")


def _exit_on_signals() -> None:
    """Let SIGTERM and SIGHUP end the program by way of its ``finally`` blocks, which end the engines it has started.

    What is ignored, as under nohup, stays so. The screen and the server put handlers of their own in place.
    """
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        # Only the main thread may, and nothing else runs a command.
        with contextlib.suppress(ValueError):
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, _exit)


def _exit(number: int, _frame: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)
