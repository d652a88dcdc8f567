"""Read and write whole files: atomic replacement, locks between processes, and the folders of the program.

A lock is flock if the file system supports it, else a separate lock file next to the locked one.
"""

from __future__ import annotations

import os
import secrets
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any, Final, Generic, TypeAlias, TypeVar

from daoqi_tui import log
from daoqi_tui.codec import decode, encode
from daoqi_tui.message import Message, reason_of
from daoqi_tui.paths import is_replaced, naming, open_file
from daoqi_tui.record.sgf import MOST_BYTES
from daoqi_tui.record.text import SgfError

fcntl: Any
try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

T = TypeVar("T")
Release: TypeAlias = Callable[[], None]
_OPENED: Final = os.O_RDONLY | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)
_PATIENCE: Final = 30.0
"""The timeout in seconds for other processes that are changing a file, each of which may wait for a slow disk."""
_PAUSE: Final = 0.02
_USUAL: Final = 65_536
"""The bytes of a record that are read at first."""
_MOST_SHARED: Final = 1 << 20
"""The size in bytes of a file that several windows change; a larger one is damaged."""


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


TRASH: Final = "trash"
"""The folder in a library that deleted games are moved to."""


def record_bytes(path: Path, *, open_files: bool = True) -> bytes:
    """Return the bytes of a record, at most one more than :data:`~daoqi_tui.record.sgf.MOST_BYTES`.

    Args:
        path: the file.
        open_files: as of :func:`~daoqi_tui.paths.open_file`.

    Raises:
        OSError: the file cannot be read.
        ValueError: no file can have such a name.
    """
    with open_file(path, open_files=open_files) as file:
        data = file.read(_USUAL)
        # As much memory as is asked for is mapped for a moment, which takes longer than reading a small file.
        return data if len(data) < _USUAL else data + file.read(MOST_BYTES + 1 - _USUAL)


def read_record(path: Path, *, open_files: bool = True) -> bytes:
    """Return the bytes of a record, as :func:`record_bytes` does.

    Raises:
        SgfError: the file cannot be read; the error names it.
    """
    try:
        return record_bytes(path, open_files=open_files)
    except (OSError, ValueError) as error:
        raise SgfError(Message("{file} cannot be read: {reason}", file=path, reason=reason_of(error))) from error


def read_json(path: Path, most: int, kind: Any = Any) -> Any:  # noqa: ANN401 (what a file may hold)
    """Return the contents of a JSON file of the program.

    Args:
        path: the file.
        most: the maximum size in bytes; a larger file is not read further.
        kind: the type of the value, as of :func:`~daoqi_tui.codec.decode`.

    Raises:
        ValueError: it is larger, not JSON, or not of the type.
        OSError: it cannot be read.
    """
    with open_file(path) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise ValueError(Message("it is larger than the limit of {size} kB", size=most >> 10))
    return decode(data, kind)


def write_atomically(path: Path, data: bytes) -> None:
    """Write ``data`` to ``path`` atomically: after a crash the file is either the old or the new one, complete.

    A temporary file in the same folder is written, flushed to the disk and renamed over the target; then the
    folder is flushed, so that the new name survives a power cut. A link is followed, an existing file's
    permissions are kept. A device or a pipe is written to directly.

    Raises:
        OSError: as the system gives it, with ``path``; a file is then as it was, and no temporary file is left.
        TypeError: ``path`` is not a :class:`~pathlib.Path`.
    """
    if not isinstance(path, Path):
        raise TypeError(f"a file is named by a pathlib.Path, not {type(path).__name__}")
    with naming(path):
        if is_replaced(path):
            _replace(path.resolve(), data)
        else:
            # Neither truncated nor created: standard output may be redirected to a file with other contents.
            descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | getattr(os, "O_CLOEXEC", 0))
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)


class SharedFile(Generic[T]):
    """The contents of a JSON file that other windows change as well.

    To save, a window locks the file, reads it, repeats its own changes since the last time, and writes it. So every
    change counts once, in whichever window it was made.

    Args:
        path: the file; None keeps nothing.
        kind: the type of the contents.
        empty: makes them where there is no file.
    """

    def __init__(self, path: Path | None, kind: object, empty: Callable[[], T]) -> None:
        self._path = path
        self._kind: Final = kind
        self._empty: Final = empty
        self._unsaved: list[Callable[[T], object]] = []
        # Of both, for moments: a face changes them while a thread saves.
        self._lock: Final = Lock()

    @cached_property
    def contents(self) -> T:
        """The contents as they were read or saved last, with the changes since then; a damaged file has none."""
        if self._path is not None:
            with suppress(OSError, ValueError):
                return self._read(self._path)
        return self._empty()

    def change(self, change: Callable[[T], object]) -> None:
        with self._lock:
            change(self.contents)
            self._unsaved.append(change)

    def save(self) -> None:
        """Repeat the changes since the last time on what is in the file now; a damaged one is set aside.

        Waits for the disk, and for other windows that save.

        Raises:
            OSError: it cannot be read or written; the changes are saved the next time.
        """
        path = self._path
        if path is None or not self._unsaved:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        with changing(path):
            # Without what another thread has saved meanwhile.
            unsaved = tuple(self._unsaved)
            if not unsaved:
                return
            contents = self._to_change(path)
            for change in unsaved:
                change(contents)
            self._write(path, contents)
            with self._lock:
                del self._unsaved[: len(unsaved)]
                for change in self._unsaved:
                    change(contents)
                self.contents = contents

    def _read(self, path: Path) -> T:
        try:
            contents: T = read_json(path, _MOST_SHARED, self._kind)
        except FileNotFoundError:
            return self._empty()
        return contents

    def _to_change(self, path: Path) -> T:
        try:
            return self._read(path)
        except ValueError as error:
            log.warning("%s is damaged and was kept as %s: %s", path.name, set_aside(path), error)
            return self._empty()

    def _write(self, path: Path, contents: T) -> None:
        write_atomically(path, encode(contents, indent=1))


def flush_folder(folder: Path) -> None:
    """Flush renames in ``folder`` to the disk, on systems that need it (those that can open folders)."""
    # Some network file systems cannot flush a folder; the file itself is safe.
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def set_aside(path: Path) -> Path:
    """Rename a damaged file so that it is kept and not read again; returns the new name.

    Raises:
        OSError: it cannot be renamed.
    """
    number = 1
    target = path.with_name(f"{path.name}.damaged")
    while target.exists():
        number += 1
        target = path.with_name(f"{path.name}.damaged-{number}")
    path.rename(target)
    flush_folder(path.parent)
    return target


def _replace(target: Path, data: bytes) -> None:
    temporary = target.with_name(f".{target.name[:100]}.{secrets.token_hex(6)}.tmp")
    # If the old file is private, the new data must never be readable by others.
    mode = 0o600 if target.exists() else 0o666
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), mode)
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
    flush_folder(target.parent)
