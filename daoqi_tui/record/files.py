"""Reading and writing whole files so that nothing is half done."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path
from typing import Final

from daoqi_tui.record.problem import SgfError, reason_of
from daoqi_tui.record.sgf_parse import MOST_BYTES
from daoqi_tui.record.text import plain_line

_OPEN_FILES: Final = ("/dev/fd/", "/dev/stdout", "/dev/stderr", "/proc/")


def read_record(path: Path) -> bytes:
    """The bytes of a record, at most one more than :data:`~daoqi_tui.record.sgf_parse.MOST_BYTES`.

    Raises:
        SgfError: the file cannot be read; the reason is the system's.
    """
    try:
        with path.open("rb") as file:
            return file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = reason_of(error)
        raise SgfError(f"{plain_line(str(path))} cannot be read: {reason}") from error


def write_atomically(path: Path, data: bytes) -> None:
    """Write ``data`` to ``path`` so that after a crash the file is either the old or the new one, whole.

    A temporary file in the same folder is written, flushed to the disk and renamed over the target; then the
    folder is flushed, so that the new name survives a power cut. A link is followed, an existing file's
    permissions are kept. What is no file to be replaced, such as a device or a pipe, is written to as it is.

    Raises:
        OSError: as the system gives it; a file is then as it was, and no temporary file is left.
        TypeError: ``path`` is no :class:`~pathlib.Path`.
    """
    if not isinstance(path, Path):
        raise TypeError(f"a file is named by a pathlib.Path, not {type(path).__name__}")
    if _is_replaced(path):
        _replace(path.resolve(), data)
    else:
        # Not truncated and not made: standard output may lead to a file that has something in it already.
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | getattr(os, "O_CLOEXEC", 0))
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)


def _is_replaced(path: Path) -> bool:
    """Whether a new file takes the place of ``path``: it is a file, or nothing yet.

    The names of open files lead to files too, but whoever has them open would not see the new one.
    """
    if str(path.absolute()).startswith(_OPEN_FILES):
        return False
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return True


def _replace(target: Path, data: bytes) -> None:
    temporary = target.with_name(f".{target.name[:100]}.{secrets.token_hex(6)}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), 0o666)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            temporary.chmod(stat.S_IMODE(target.stat().st_mode))
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _flush_folder(target.parent)


def _flush_folder(folder: Path) -> None:
    """Make a rename in ``folder`` durable where the system can open folders; elsewhere renames are durable."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(descriptor)
    except OSError:
        # Some network file systems cannot; the file itself is safe.
        pass
    finally:
        os.close(descriptor)
