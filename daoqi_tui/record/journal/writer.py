"""The files of journals, and the thread that writes them, so that the game never waits for the disk.

A file is locked, created atomically, appended to in whole lines, and flushed each time. Entries that cannot be written
stay queued in order; writing is retried when one is added, and every few seconds. A scan of the folder finds the games
that can be resumed; no file in it can make the program fail to start.
"""

from __future__ import annotations

import asyncio
import errno
import os
import secrets
import stat
import threading
import time
from collections import deque
from collections.abc import Callable, Generator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from time import monotonic
from typing import Any, BinaryIO, Final, Literal, TypeAlias

from daoqi_tui import log, signals
from daoqi_tui.message import Message, reason_of
from daoqi_tui.paths import naming
from daoqi_tui.record.files import InUse, Release, flush_folder, is_locked, lock, set_aside
from daoqi_tui.record.journal.format import About, Begin, JournalEntry, encode_line, read_lines, read_names
from daoqi_tui.record.sgf.info import Info
from daoqi_tui.text import plain_line

_OPENED: Final = os.O_RDWR | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
TEMPORARY: Final = ".tmp"
_ATTEMPTS: Final = 5


class JournalFile:
    """The file of one journal and its lock.

    Attributes:
        path: of the file, which is created by the first :meth:`append`.
        sound: the number of bytes of valid lines on disk.
    """

    def __init__(self, path: Path) -> None:
        self.path: Final = path
        self.sound = 0
        self._descriptor: int | None = None
        self._release: Release | None = None
        self._writable = True
        self._dirty = False
        self._emerging: tuple[int, Path] | None = None

    @classmethod
    def claim(cls, path: Path) -> JournalFile:
        """Open and lock an existing journal.

        A read-only file is accepted: appending then fails until it becomes writable.

        Raises:
            InUse: another window has locked it.
            OSError: it cannot be opened.
        """
        claimed = cls(path)
        for attempt in range(_ATTEMPTS):
            try:
                claimed._open()
            except InUse:
                # Another window may be checking whether it is in use.
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
                raise InUse(Message("{file} has just been renamed by another window", file=self.path.name))
        except BaseException:
            self._let_go(descriptor)
            raise
        self._descriptor, self._writable = descriptor, writable

    def reader(self) -> BinaryIO:
        assert self._descriptor is not None
        file = os.fdopen(os.dup(self._descriptor), "rb")
        file.seek(0)
        return file

    def begin_at(self, sound: int) -> None:
        """Append after the first ``sound`` bytes from now on, truncating the rest."""
        self.sound = sound
        self._dirty = True

    def append(self, data: bytes) -> None:
        """Append ``data`` and wait until it is on the disk; on failure the valid part of the file is unchanged.

        Raises:
            OSError: it cannot be written now; call again with the same data.
        """
        with naming(self.path):
            self._append(data)

    def _append(self, data: bytes) -> None:
        if self._descriptor is None:
            self._create(data)
            return
        if not self._writable:
            self._reopen()
        descriptor = self._descriptor
        if not os.fstat(descriptor).st_nlink:
            # Someone removed the file; while it is open it can still be read, so nothing is lost.
            self._create(self._sound_bytes(descriptor) + data)
            os.close(descriptor)
            return
        if self._dirty:
            os.ftruncate(descriptor, self.sound)
        # Leftovers of a failure are truncated before the next attempt. After a failed fsync the system may have dropped
        # the data it could not write, so they are written again.
        self._dirty = True
        _write_at(descriptor, data, self.sound)
        os.fsync(descriptor)
        self.sound += len(data)
        self._dirty = False

    def write_unsynced(self, data: bytes, offset: int) -> None:
        """Hand ``data`` for ``offset`` to the system without waiting for the disk.

        A process may do so when it ends, while :meth:`append` waits on another thread: if both write, they write the
        same. A file that is being created gets its name. An unwritable one stays as it is.

        Raises:
            OSError: it cannot be written now.
        """
        descriptor, temporary = self._emerging or (self._descriptor, self.path)
        if descriptor is None or not self._writable or not hasattr(os, "pwrite"):
            return
        while data:
            written = os.pwrite(descriptor, data, offset)
            data, offset = data[written:], offset + written
        self._name(temporary)

    def _create(self, data: bytes) -> None:
        """Create the file with its first lines; it appears under its name complete and locked."""
        folder = self.path.parent
        folder.mkdir(parents=True, exist_ok=True)
        # Windows cannot rename an open file; there, a crash at this point leaves the beginning of a journal behind.
        temporary = self.path if os.name == "nt" else self.path.with_name(f".{self.path.name}{TEMPORARY}")
        if self._release is not None:
            self._release()
            self._release = None
        descriptor = os.open(temporary, _OPENED | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            self._release = lock(descriptor, self.path)
            _write_at(descriptor, data, 0)
            self._emerging = descriptor, temporary
            os.fsync(descriptor)
            self._name(temporary)
            flush_folder(folder)
        except BaseException:
            self._emerging = None
            self._let_go(descriptor)
            with suppress(OSError):
                temporary.unlink()
            raise
        self._descriptor, self._writable, self._dirty, self.sound = descriptor, True, False, len(data)
        self._emerging = None

    def _name(self, temporary: Path) -> None:
        """Rename a newly created file, unless another thread was faster."""
        try:
            if temporary != self.path:
                temporary.rename(self.path)
        except FileNotFoundError:
            if not self.path.exists():
                raise

    def _reopen(self) -> None:
        """Reopen a file for writing that was read-only so far.

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
        descriptor, self._descriptor = self._descriptor, None
        self._let_go(descriptor)

    def remove(self) -> None:
        """Remove the file from the disk and close it.

        Raises:
            OSError: it cannot be removed; it is closed all the same.
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
        """Rename a damaged file, so that it is kept but not offered again, and close it.

        Raises:
            OSError: it cannot be renamed; it is closed all the same.
        """
        try:
            if os.name == "nt":
                self.close()
            return set_aside(self.path)
        finally:
            self.close()


def _write_at(descriptor: int, data: bytes, offset: int) -> None:
    os.lseek(descriptor, offset, os.SEEK_SET)
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


SUFFIX: Final = ".journal"
_HEAD_LINES: Final = 4
_DAY: Final = 86_400


@dataclass(frozen=True, slots=True)
class UnfinishedGame:
    """A game that can be resumed.

    Attributes:
        path: its journal.
        size: of the board.
        names: the game information; players may have been changed during the game.
        changed: time of the last change, in seconds since the epoch.
    """

    path: Path
    size: int
    names: Info
    changed: float


@dataclass(frozen=True, slots=True)
class FolderScan:
    """The result of :func:`scan`.

    Attributes:
        journals: games to resume, the most recent first.
        problems: a sentence for each file that could not be used.
    """

    journals: tuple[UnfinishedGame, ...]
    problems: tuple[Message, ...]


def new_path(folder: Path, now: datetime) -> Path:
    """Return a path for a new journal that no other process will choose."""
    return folder / f"{now:%Y-%m-%d-%H%M%S}-{secrets.token_hex(4)}{SUFFIX}"


def scan(folder: Path) -> FolderScan:
    """Find the games to resume, which no running process uses.

    A journal whose first lines are damaged is renamed, one of a newer version is not. Never raises.
    """
    journals: list[UnfinishedGame] = []
    problems: list[Message] = []
    try:
        paths = sorted(path for path in folder.iterdir() if path.suffix in (SUFFIX, TEMPORARY))
    except FileNotFoundError:
        return FolderScan((), ())
    except OSError as error:
        problem = Message(
            "The folder of unfinished games cannot be read: {reason}: {folder}", reason=reason_of(error), folder=folder
        )
        return FolderScan((), (problem.map_text(plain_line),))
    for path in paths:
        try:
            if path.suffix == TEMPORARY:
                _tidy(path)
                continue
            found = _examine(path)
        except OSError as error:
            found = Message("{file} cannot be read: {reason}", file=path.name, reason=reason_of(error))
        if isinstance(found, Message):
            problems.append(found.map_text(plain_line))
        elif found is not None:
            journals.append(found)
    journals.sort(key=lambda journal: journal.changed, reverse=True)
    return FolderScan(tuple(journals), tuple(problems))


def _examine(path: Path) -> UnfinishedGame | Message | None:
    """Return the game of a journal, a sentence about a problem with it, or None if another process has it."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        return Message("{file} is not a file; skipped", file=path.name)
    if is_locked(path):
        return None
    begin: Begin | None = None
    newer: Message | None = None
    names = Info()
    with path.open("rb") as file:
        for line in read_lines(file):
            if isinstance(line.entry, Begin):
                begin = line.entry
            elif isinstance(line.entry, About):
                names = line.entry.info
            newer = newer or line.newer
            if line.place >= _HEAD_LINES:
                names = read_names(file) or names
                break
    if begin is None and newer is not None:
        # Left unchanged: the newer version will offer it.
        return Message("{file}: {reason}", file=path.name, reason=newer)
    if begin is None:
        return Message(
            "{file} is damaged at its beginning and was kept as {name}", file=path.name, name=set_aside(path).name
        )
    return UnfinishedGame(path, begin.size, names, status.st_mtime)


def _tidy(path: Path) -> None:
    """Remove the temporary file of a process that died while creating a journal; its game was never shown."""
    if path.name.startswith(".") and path.name.endswith(SUFFIX + TEMPORARY):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > _DAY:
                path.unlink()


Why: TypeAlias = Literal["full", "read-only", "forbidden", "other"]
_WHY: Final[dict[int | None, Why]] = {
    errno.ENOSPC: "full",
    errno.EDQUOT: "full",
    errno.EFBIG: "full",
    errno.EROFS: "read-only",
    errno.EACCES: "forbidden",
    errno.EPERM: "forbidden",
}
_CAUSES: Final[dict[Why, Message]] = {
    "full": Message("the disk is full"),
    "read-only": Message("the disk is read-only"),
    "forbidden": Message("the folder is not writable"),
}

_LAST_MOMENT: Final = 1.0
"""Seconds for which the end of the process waits for the thread to release the queue."""


@dataclass(frozen=True, slots=True)
class SaveFailure:
    """The current failure to save; saving is retried.

    Attributes:
        why: the kind of failure, for a face to put into words.
        file: that cannot be written.
        reason: the system's message.
    """

    why: Why
    file: Path
    reason: Message | str

    @property
    def cause(self) -> Message | str:
        """The reason why saving fails, for the user."""
        return _CAUSES.get(self.why, self.reason)

    def __str__(self) -> str:
        return f"the game cannot be saved in {self.file}: {self.cause}; saving is tried again"


OnState: TypeAlias = Callable[[SaveFailure | None], object]


class Ticket:
    """A handle on appended entries: await it, or :meth:`wait`, until they are on disk.

    The result is whether they are; False if writing failed, so that the game continues whatever the disk does.
    """

    __slots__ = ("_number", "_writer")

    def __init__(self, writer: JournalWriter, number: int) -> None:
        self._writer = writer
        self._number = number

    @property
    def done(self) -> bool:
        return self._writer.durable >= self._number

    def wait(self, timeout: float | None = None) -> bool:
        """Wait, at most ``timeout`` seconds, until it is on the disk or an attempt to write it failed."""
        return self._writer.wait_for(self._number, timeout)

    def __await__(self) -> Generator[Any, None, bool]:
        return self._writer.written(self._number).__await__()


class JournalWriter:
    """Appends entries to the file of a journal.

    Args:
        file: the file, owned by the writer from now on.
        sequence: the number of lines in it.
        on_state: called on the writer's thread when saving begins to fail, and with None when it works again.
        after_first: called on the writer's thread once the first entries are on the disk.
        retry: seconds between attempts while saving fails.
        now: returns the time by which :attr:`waited` counts.

    Attributes:
        durable: the number of appended entries that are on disk.
        failing: why saving fails, None while it works.
    """

    def __init__(
        self,
        file: JournalFile,
        sequence: int = 0,
        *,
        on_state: OnState | None = None,
        after_first: Callable[[], object] | None = None,
        retry: float = 2.0,
        now: Callable[[], float] = monotonic,
    ) -> None:
        self._now = now
        self.path: Final = file.path
        self.durable = 0
        self.failing: SaveFailure | None = None
        self._file = file
        self._sequence = sequence
        self._on_state = on_state
        self._after_first = after_first
        self._retry = retry
        self._pending: deque[bytes] = deque()
        self._times: deque[float] = deque()
        self._place = 0
        """The offset in the file of the first pending entry."""
        self._appended = 0
        self._tried = 0
        self._closing = self._removing = False
        self._waiting: list[tuple[int, asyncio.AbstractEventLoop, asyncio.Future[bool]]] = []
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def append(self, *entries: JournalEntry) -> Ticket:
        """Queue entries and return immediately. After :meth:`close` they are ignored."""
        with self._changed:
            if not self._closing:
                for entry in entries:
                    self._pending.append(encode_line(self._sequence, entry))
                    self._times.append(self._now())
                    self._sequence += 1
                self._appended += len(entries)
                if self._thread is None:
                    self._thread = threading.Thread(target=self._run, name="journal", daemon=True)
                    self._place = self._file.sound
                    self._thread.start()
                    signals.last_resorts.add(self._write_pending)
                self._changed.notify_all()
            return Ticket(self, self._appended)

    @property
    def waited(self) -> float:
        """The seconds for which the oldest entry not on disk has been waiting; 0 if all are."""
        with suppress(IndexError):
            return self._now() - self._times[0]
        return 0.0

    @property
    def last(self) -> Ticket:
        return Ticket(self, self._appended)

    def close(self, timeout: float = 5.0, *, remove: bool = False) -> bool:
        """Write the queued entries, then close the file and release its lock.

        Args:
            timeout: maximum seconds to wait; entries not on disk by then are only handed to the system.
            remove: remove the file instead.

        Returns:
            Whether all appended entries are on disk, or the file is removed.
        """
        with self._changed:
            self._closing = True
            self._removing = self._removing or remove
            self._changed.notify_all()
        if self._thread is None:
            return self._end()
        self._thread.join(timeout)
        if self._thread.is_alive():
            if not self._removing:
                with suppress(OSError):
                    self._write_pending()
            return False
        return self._removing or self.durable == self._appended

    def wait_for(self, number: int, timeout: float | None = None) -> bool:
        """Wait until the first ``number`` entries are on disk; False if that failed or took too long."""
        with self._changed:
            self._changed.wait_for(lambda: max(self.durable, self._tried) >= number, timeout)
            return self.durable >= number

    async def written(self, number: int) -> bool:
        """Await what :meth:`wait_for` waits for."""
        with self._changed:
            if max(self.durable, self._tried) >= number:
                return self.durable >= number
            loop = asyncio.get_running_loop()
            future: asyncio.Future[bool] = loop.create_future()
            self._waiting.append((number, loop, future))
        return await future

    def _write_pending(self) -> None:
        """Hand pending entries to the system if the disk takes too long, since the process is about to end."""
        if self._changed.acquire(timeout=_LAST_MOMENT):
            try:
                self._file.write_unsynced(b"".join(self._pending), self._place)
            finally:
                self._changed.release()

    # On the thread

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._pending or self._closing)
                batch = list(self._pending)
                last = self._closing
                if self._removing or not batch:
                    break
            try:
                self._file.append(b"".join(batch))
            except Exception as error:  # Whatever goes wrong here, the game continues.
                log.warning("the game cannot be saved in %s: %r", self.path, error)
                self._settle(len(batch), failure_of(error, self.path))
                if last:
                    break
                self._pause()
            else:
                self._settle(len(batch), None)
        self._end()

    def _pause(self) -> None:
        """Wait before the next attempt: until entries are added, the writer is closed, or the interval ends."""
        with self._changed:
            tried = self._tried
            self._changed.wait_for(lambda: self._closing or self._appended > tried, timeout=self._retry)

    def _settle(self, tried: int, failing: SaveFailure | None) -> None:
        """Record the outcome of writing the first ``tried`` entries and notify those who wait."""
        with self._changed:
            self._tried = self.durable + tried
            if failing is None:
                for _ in range(tried):
                    self._pending.popleft()
                    self._times.popleft()
                self.durable += tried
                self._place = self._file.sound
            news = failing != self.failing
            self.failing = failing
            reached = [waiter for waiter in self._waiting if waiter[0] <= self._tried]
            self._waiting = [waiter for waiter in self._waiting if waiter[0] > self._tried]
            after_first, self._after_first = self._after_first, self._after_first if failing else None
            self._changed.notify_all()
        for _, loop, future in reached:
            # The loop may have been closed meanwhile.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(_resolve, future, failing is None)
        # An error in a callback must not stop saving.
        with suppress(Exception):
            if failing is None and after_first is not None:
                after_first()
        with suppress(Exception):
            if news and self._on_state is not None:
                self._on_state(failing)

    def _end(self) -> bool:
        """Close or remove the file; return whether that succeeded."""
        try:
            if self._removing:
                self._file.remove()
        except OSError:
            return False  # It will be offered again, and filed under the same name.
        finally:
            signals.last_resorts.discard(self._write_pending)
            self._file.close()
            with self._changed:
                self._tried = self._appended
                waiting, self._waiting = self._waiting, []
                self._changed.notify_all()
            for number, loop, future in waiting:
                with suppress(RuntimeError):
                    loop.call_soon_threadsafe(_resolve, future, number <= self.durable)
        return True


def _resolve(future: asyncio.Future[bool], outcome: bool) -> None:
    if not future.done():
        future.set_result(outcome)


def failure_of(error: Exception, file: Path) -> SaveFailure:
    number = error.errno if isinstance(error, OSError) else None
    reason = reason_of(error) or type(error).__name__
    return SaveFailure(_WHY.get(number, "other"), file, reason)
