"""Reading and writing whole files so that nothing is half done."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path

from daoqi_tui.record.problem import SgfError
from daoqi_tui.record.sgf_parse import MOST_BYTES
from daoqi_tui.record.text import plain_line


def read_record(path: Path) -> bytes:
    """The bytes of a record, at most one more than :data:`~daoqi_tui.record.sgf_parse.MOST_BYTES`.

    Raises:
        SgfError: the file cannot be read; the reason is the system's.
    """
    try:
        with path.open("rb") as file:
            return file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise SgfError(f"{plain_line(str(path))} cannot be read: {reason}") from error


def write_atomically(path: Path, data: bytes) -> None:
    """Write ``data`` to ``path`` so that after a crash the file is either the old or the new one, whole.

    A temporary file in the same folder is written, flushed to the disk and renamed over the target; then the
    folder is flushed, so that the new name survives a power cut. A link is followed, an existing file's
    permissions are kept.

    Raises:
        OSError: as the system gives it; the target is then as it was, and no temporary file is left.
    """
    target = path.resolve()
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
