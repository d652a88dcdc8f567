"""File locks between processes of the program.

The lock is flock if the file system supports it, else a separate lock file next to the locked one.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, TypeAlias

from daoqi_tui.message import Message
from daoqi_tui.paths import naming

fcntl: Any
try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

Release: TypeAlias = Callable[[], None]
_OPENED: Final = os.O_RDONLY | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)
_PATIENCE: Final = 30.0
"""The timeout in seconds for other processes that are changing a file, each of which may wait for a slow disk."""
_PAUSE: Final = 0.02


class InUse(OSError):
    """The file is locked by another process."""


@contextmanager
def changing(path: Path) -> Iterator[None]:
    """Lock a file that is read, changed and replaced; waits for the processes that have it locked.

    Every short change of a file that several windows share is made in this block, in a thread if a face must stay
    responsive. A lock that is held as long as something is open, as that of a journal, is taken with :func:`lock_file`.

    The lock is on a separate, permanent file next to it, since a lock on a replaced file does not protect the new one.

    Raises:
        InUse: another process kept it locked.
        OSError: the lock file cannot be created; the error names ``path``.
    """
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            with naming(path):
                release = lock_file(path.with_name(f".{path.name}.lock"), path)
        except InUse:
            if time.monotonic() > until:
                raise
            time.sleep(_PAUSE)
        else:
            break
    try:
        yield
    finally:
        release()


def lock_file(path: Path, locked: Path | None = None, mode: int = 0o600) -> Release:
    """Open a file, created if missing, and lock it; return a function that releases the lock and closes the file.

    Args:
        path: the file.
        locked: the file that it protects; itself if None.
        mode: the permissions of a new file.

    Raises:
        InUse: it is locked already.
        OSError: it cannot be opened.
    """
    descriptor = os.open(path, _OPENED, mode)
    try:
        release = lock(descriptor, locked or path)
    except BaseException:
        os.close(descriptor)
        raise

    def end() -> None:
        release()
        os.close(descriptor)

    return end


def lock(descriptor: int, path: Path) -> Release:
    """Lock the file open as ``descriptor``; returns a function that releases the lock, to be called once.

    If the system or the file system has no flock, a lock file next to it contains the process id.

    Raises:
        InUse: it is locked already.
        OSError: the lock file cannot be created.
    """
    if fcntl is not None:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InUse(Message("{file} is in use by another daoqi-tui", file=path.name)) from None
        except OSError:
            pass  # This file system has no locks.
        else:
            return lambda: fcntl.flock(descriptor, fcntl.LOCK_UN)
    return _lock_by_name(path)


def is_locked(path: Path) -> bool:
    """Return whether a running process has locked a file.

    Raises:
        OSError: the file cannot be opened.
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
        raise InUse(Message("{file} is in use by another daoqi-tui", file=path.name)) from None
    os.write(descriptor, b"%d" % os.getpid())

    def release() -> None:
        os.close(descriptor)
        with suppress(OSError):
            beside.unlink()

    return release


def _owner_lives(beside: Path) -> bool:
    """Return whether the process named in a lock file is running."""
    if os.name == "nt":
        # On Windows an open file cannot be removed, and os.kill would end the process.
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
        return True  # It belongs to another user, but is alive.
    except (OSError, ValueError, OverflowError):
        return False
    return True
