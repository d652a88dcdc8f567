"""One journal, one process: locks that end with the process that holds them, however it ends."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

fcntl: Any
try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

Release: TypeAlias = Callable[[], None]


class InUse(OSError):
    """Another window, of this process or another, keeps the journal."""


def lock(descriptor: int, path: Path) -> Release:
    """Lock the journal open as ``descriptor``; returns what gives the lock up, to be called once.

    Where the system or the file system has no flock, a file beside the journal names the process.

    Raises:
        InUse: it is locked already.
        OSError: the file beside it cannot be made.
    """
    if fcntl is not None:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InUse(f"{path.name} is in use in another window") from None
        except OSError:
            pass  # This file system has no locks.
        else:
            return lambda: fcntl.flock(descriptor, fcntl.LOCK_UN)
    return _lock_by_name(path)


def is_locked(path: Path) -> bool:
    """Whether a living process keeps the journal.

    Raises:
        OSError: the journal cannot be opened.
    """
    if fcntl is not None:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:
            pass
        else:
            return False
        finally:
            os.close(descriptor)
    return _owner_lives(_beside(path))


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.lock")


def _lock_by_name(path: Path) -> Release:
    beside = _beside(path)
    if beside.exists() and not _owner_lives(beside):
        with suppress(OSError):
            beside.unlink()
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), 0o600)
    except FileExistsError:
        raise InUse(f"{path.name} is in use in another window") from None
    os.write(descriptor, b"%d" % os.getpid())

    def release() -> None:
        os.close(descriptor)
        with suppress(OSError):
            beside.unlink()

    return release


def _owner_lives(beside: Path) -> bool:
    """Whether the process that a lock file names is alive; it keeps the file open."""
    if os.name == "nt":
        # An open file cannot be removed there, and os.kill would end the process.
        try:
            beside.unlink()
        except FileNotFoundError:
            return False
        except OSError:
            return True
        return False
    try:
        owner = int(beside.read_bytes()[:20])
        os.kill(owner, 0)
    except PermissionError:
        return True  # It is someone else's, but lives.
    except (OSError, ValueError, OverflowError):
        return False
    return True
