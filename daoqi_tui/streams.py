"""Standard input, output and error: preparation, use, and errors as one sentence."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
from collections.abc import Iterator, Mapping
from typing import Final, TextIO

from daoqi_tui.message import Message, reason_of

_LONGEST_LINE: Final = 10_000
"""The characters of a typed answer that are read."""
PLAIN_TERMINALS: Final = ("dumb", "linux", "ansi", *(f"vt{digit}" for digit in range(10)))
"""Prefixes of the names of terminals with few characters, which would show a query about pictures on the screen."""


class StreamError(Exception):
    """A standard stream cannot be used; it carries a message."""


def output_error(error: OSError) -> StreamError:
    return StreamError(Message("standard output cannot be written: {reason}", reason=reason_of(error)))


def input_error(error: OSError) -> StreamError:
    return StreamError(Message("standard input cannot be read: {reason}", reason=reason_of(error)))


def prepare() -> None:
    """Replace closed streams, and make unencodable or undecodable text harmless."""
    _replace_closed()
    if isinstance(sys.stdin, io.TextIOWrapper):
        # A stream that was read from before is not changed.
        with contextlib.suppress(io.UnsupportedOperation):
            sys.stdin.reconfigure(errors="replace")
    for stream in (sys.stdout, sys.stderr):
        _escape_unencodable(stream)


def without_colours(environment: Mapping[str, str]) -> bool:
    """Return whether the environment disables colours, according to https://no-color.org: not by an empty value."""
    return bool(environment.get("NO_COLOR"))


def takes_colours(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Return whether colours may be written to a stream: it is a terminal with colours, and they are not disabled."""
    return stream.isatty() and environment.get("TERM") != "dumb" and not without_colours(environment)


def locale_in(environment: Mapping[str, str]) -> str:
    """Return the locale of characters that an environment names, empty if it names none."""
    return next((environment[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if environment.get(name)), "")


def is_east_asian(locale: str) -> bool:
    """Return whether a locale is Chinese, Japanese or Korean, where terminals may draw ● two columns wide."""
    return locale.startswith(("zh", "ja", "ko"))


def check_input() -> None:
    """Check, without reading, that standard input can be read: later, a closed one looks like the end of the input.

    Raises:
        StreamError: it cannot be read.
        io.UnsupportedOperation: it is not a file of the operating system.
    """
    number = sys.stdin.fileno()
    try:
        os.read(number, 0)
    except OSError as error:
        raise input_error(error) from error


def read_input(most: int) -> bytes:
    """Read at most `most` bytes of standard input.

    Raises:
        StreamError: it cannot be read.
    """
    try:
        return sys.stdin.buffer.read(most)
    except OSError as error:
        raise input_error(error) from error


def read_line() -> str:
    """Read a line of standard input, empty at its end; what follows can be read later.

    Raises:
        StreamError: it cannot be read.
    """
    try:
        return sys.stdin.readline(_LONGEST_LINE)
    except OSError as error:
        raise input_error(error) from error


def read_from_terminal() -> None:
    """Replace a pipe or a file as standard input by the terminal of this process, if it has one."""
    if sys.stdin.isatty():
        return
    with contextlib.suppress(OSError):
        terminal = os.open("/dev/tty", os.O_RDWR)
        os.dup2(terminal, sys.stdin.fileno())
        os.close(terminal)


def write_text(text: str) -> None:
    """Write text to standard output.

    Raises:
        StreamError: it cannot be written.
        BrokenPipeError: its reader is gone.
    """
    with output_errors():
        sys.stdout.write(text)


def write_bytes(data: bytes) -> None:
    """Write bytes to standard output; raises as :func:`write_text` does."""
    with output_errors():
        sys.stdout.buffer.write(data)


def flush_output() -> None:
    """Flush standard output, so that write errors show now; raises as :func:`write_text` does."""
    with output_errors():
        sys.stdout.flush()


def write_error(text: str) -> None:
    """Write text to standard error; if that fails, there is nowhere to report it."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        _discard(sys.stderr)


@contextlib.contextmanager
def output_errors() -> Iterator[None]:
    """Convert every OSError of the block, which writes only to standard output, to those of :func:`write_text`."""
    try:
        yield
    except OSError as error:
        # Otherwise Python flushes again at exit, and complains.
        discard_output()
        if isinstance(error, BrokenPipeError):
            raise
        raise output_error(error) from error


def raise_stream_error(error: OSError) -> None:
    """Return only if `error` did not come from a standard stream.

    Raises:
        StreamError: standard input or output is broken.
        BrokenPipeError: the reader of standard output is gone.
    """
    # The unwritten data is still buffered, and would fail again.
    flush_output()
    if error.errno != errno.EBADF:
        return
    # In tests standard input may not be a file of the operating system; then it is not the cause.
    with contextlib.suppress(io.UnsupportedOperation):
        check_input()


def discard_output() -> None:
    """Redirect standard output to the null device, so that buffered data cannot fail any more."""
    _discard(sys.stdout)


def _discard(stream: TextIO) -> None:
    with contextlib.suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)


def _replace_closed() -> None:
    """Replace closed streams by ones whose use fails in the same way.

    Otherwise the first file to be opened would get the free descriptor, and prints would go into it.
    """
    # In the order of their descriptors, since the system assigns the lowest free one.
    if sys.stdin is None:
        sys.stdin = os.fdopen(os.open(os.devnull, os.O_WRONLY), "r", closefd=False)
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w", closefd=False)
    if sys.stderr is None:
        # There is nowhere to report this.
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", closefd=False)


def _escape_unencodable(stream: TextIO) -> None:
    """Write characters that the terminal's encoding lacks as backslash escapes."""
    if isinstance(stream, io.TextIOWrapper) and (stream.errors == "strict" or "utf" not in stream.encoding.lower()):
        stream.reconfigure(errors="backslashreplace")
