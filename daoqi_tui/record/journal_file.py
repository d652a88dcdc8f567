"""The file of a journal: created whole, appended to in whole lines, flushed to the disk each time.

Everything here waits for the disk and raises what the system raises; the writer's thread calls it, nobody else.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final

from daoqi_tui.record.journal_lock import InUse, Release, lock

_OPENED: Final = os.O_RDWR | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
TEMPORARY: Final = ".tmp"
_ATTEMPTS: Final = 5


class JournalFile:
    """The file of one journal and its lock.

    Attributes:
        path: where it is, or will be once something was appended.
        sound: bytes of it that are safely on the disk.
    """

    def __init__(self, path: Path) -> None:
        self.path: Final = path
        self.sound = 0
        self._descriptor: int | None = None
        self._release: Release | None = None
        self._writable = True
        self._dirty = False

    @classmethod
    def claim(cls, path: Path) -> JournalFile:
        """Take over a journal that is there.

        A file that may only be read is taken too: appending then fails until it may be written.

        Raises:
            InUse: another window keeps it.
            OSError: it cannot be opened.
        """
        claimed = cls(path)
        for attempt in range(_ATTEMPTS):
            try:
                claimed._open()
            except InUse:
                # Another window may just be looking whether it is in use.
                if attempt == _ATTEMPTS - 1:
                    raise
                time.sleep(0.02)
            else:
                break
        return claimed

    def _open(self) -> None:
        try:
            descriptor, writable = os.open(self.path, _OPENED), True
        except OSError:
            descriptor, writable = os.open(self.path, _OPENED & ~os.O_RDWR | os.O_RDONLY), False
        try:
            self._release = lock(descriptor, self.path)
            if not os.path.samestat(os.fstat(descriptor), self.path.stat()):
                raise InUse(f"{self.path.name} has just been renamed by another window")
        except BaseException:
            self._let_go(descriptor)
            raise
        self._descriptor, self._writable = descriptor, writable

    def reader(self) -> BinaryIO:
        """The claimed file from its start, to be read."""
        assert self._descriptor is not None
        file = os.fdopen(os.dup(self._descriptor), "rb")
        file.seek(0)
        return file

    def begin_at(self, sound: int) -> None:
        """Let what is appended next follow the first ``sound`` bytes; what stands behind them goes then."""
        self.sound = sound
        self._dirty = True

    def append(self, data: bytes) -> None:
        """Add ``data`` and wait until it is on the disk, or leave no trace of it in what counts as sound.

        Raises:
            OSError: it cannot be written now; the same data may be given again.
        """
        if self._descriptor is None:
            self._create(data)
            return
        if not self._writable:
            self._reopen()
        descriptor = self._descriptor
        if not os.fstat(descriptor).st_nlink:
            # Someone removed the file; as long as it is open it can be read, so nothing is lost.
            self._create(self._sound_bytes(descriptor) + data)
            os.close(descriptor)
            return
        if self._dirty:
            os.ftruncate(descriptor, self.sound)
        # What a failure leaves behind is cut off before the next attempt. After a failed fsync the system may
        # have dropped the data it could not write, so they are written again.
        self._dirty = True
        _write_at(descriptor, data, self.sound)
        os.fsync(descriptor)
        self.sound += len(data)
        self._dirty = False

    def _create(self, data: bytes) -> None:
        """Make the file with its first lines in it: it appears under its name locked and whole."""
        folder = self.path.parent
        folder.mkdir(parents=True, exist_ok=True)
        # Windows renames no open file; there a crash at this point leaves a beginning of a journal behind.
        temporary = self.path if os.name == "nt" else self.path.with_name(f".{self.path.name}{TEMPORARY}")
        if self._release is not None:
            self._release()
            self._release = None
        descriptor = os.open(temporary, _OPENED | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            self._release = lock(descriptor, self.path)
            _write_at(descriptor, data, 0)
            os.fsync(descriptor)
            if temporary != self.path:
                temporary.rename(self.path)
            flush_folder(folder)
        except BaseException:
            self._let_go(descriptor)
            with suppress(OSError):
                temporary.unlink()
            raise
        self._descriptor, self._writable, self._dirty, self.sound = descriptor, True, False, len(data)

    def _reopen(self) -> None:
        """Open for writing what could only be read so far.

        Raises:
            OSError: it still cannot be written.
        """
        old = self._descriptor
        descriptor = os.open(self.path, _OPENED)
        self._let_go(old)
        self._descriptor, self._writable = descriptor, True
        self._release = lock(descriptor, self.path)

    def _sound_bytes(self, descriptor: int) -> bytes:
        with os.fdopen(os.dup(descriptor), "rb") as file:
            file.seek(0)
            return file.read(self.sound)

    def _let_go(self, descriptor: int | None) -> None:
        if self._release is not None:
            with suppress(OSError):
                self._release()
        self._release = None
        if descriptor is not None:
            with suppress(OSError):
                os.close(descriptor)

    def close(self) -> None:
        """Give up the file and its lock."""
        descriptor, self._descriptor = self._descriptor, None
        self._let_go(descriptor)

    def remove(self) -> None:
        """Remove the file from the disk and give it up.

        Raises:
            OSError: it cannot be removed; it is given up all the same.
        """
        if self._descriptor is None:
            return
        try:
            if os.name == "nt":
                self.close()
            self.path.unlink(missing_ok=True)
            flush_folder(self.path.parent)
        finally:
            self.close()

    def set_aside(self) -> Path:
        """Give the file up under another name, under which it is kept and not offered again.

        Raises:
            OSError: it cannot be renamed; it is given up all the same.
        """
        try:
            if os.name == "nt":
                self.close()
            return set_aside(self.path)
        finally:
            self.close()


def set_aside(path: Path) -> Path:
    """Rename a damaged journal so that it is kept and not offered again; returns the new name.

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


def flush_folder(folder: Path) -> None:
    """Make names in ``folder`` outlast a power cut, where the system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _write_at(descriptor: int, data: bytes, offset: int) -> None:
    os.lseek(descriptor, offset, os.SEEK_SET)
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
