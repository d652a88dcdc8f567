"""Write a journal on a separate thread, so that the game never waits for the disk.

Entries that cannot be written stay queued in order; writing is retried when one is added, and every few seconds.
"""

from __future__ import annotations

import asyncio
import errno
import threading
from collections import deque
from collections.abc import Callable, Generator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any, Final, Literal, TypeAlias

from daoqi_tui import log, signals
from daoqi_tui.message import Message, reason_of
from daoqi_tui.record.journal.file import JournalFile
from daoqi_tui.record.journal.format import JournalEntry, encode_line

Why: TypeAlias = Literal["full", "read-only", "forbidden", "other"]
_WHY: Final[dict[int | None, Why]] = {
    errno.ENOSPC: "full",
    errno.EDQUOT: "full",
    errno.EFBIG: "full",
    errno.EROFS: "read-only",
    errno.EACCES: "forbidden",
    errno.EPERM: "forbidden",
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
        match self.why:
            case "full":
                return Message("the disk is full")
            case "read-only":
                return Message("the disk is read-only")
            case "forbidden":
                return Message("the folder is not writable")
        return self.reason

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
        """When each of them was appended."""
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
                    signals.last_resorts.add(self._write_what_waits)
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
        """The ticket of all entries so far."""
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
                    self._write_what_waits()
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

    def _write_what_waits(self) -> None:
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
            signals.last_resorts.discard(self._write_what_waits)
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
    """Return why a file cannot be written."""
    number = error.errno if isinstance(error, OSError) else None
    reason = reason_of(error) or type(error).__name__
    return SaveFailure(_WHY.get(number, "other"), file, reason)
