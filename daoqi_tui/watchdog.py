"""A watchdog for an event loop: a thread that ends a program whose loop is stuck in an endless computation.

The invariant: the program is ended only if the thread of the loop has itself computed for ten seconds since the
watchdog asked the loop for a sign of life, the loop has not given one, and no debugger is attached. Only the CPU time
of that one thread counts. It stands still while the process is stopped (SIGSTOP, Ctrl+z, a debugger's breakpoint),
while the machine is suspended, while other processes have the processors, and while the thread waits: for a disk, for a
lock, or for a terminal that takes no output. A loop that waits without computing is therefore never ended, since
nothing distinguishes a deadlock from a slow disk or a stalled ssh.

An idle loop is not woken: it is asked only after its thread has computed. Systems that have no CPU clock for a single
thread (macOS and Windows) have no watchdog.
"""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Final

_PATIENCE: Final = 10.0
"""The CPU seconds after which a loop counts as stuck."""
_INTERVAL: Final = 2.0
"""Seconds between two looks."""
_BUSY: Final = 0.02
"""The CPU seconds after which a loop is asked again: far more than an answer costs, so that idle loops stay idle."""


class Watchdog:
    """What the watchdog knows about a loop; :meth:`look` is called every few seconds in another thread.

    Args:
        loop: the loop.
        clock: returns the CPU time of the loop's thread.
        debugged: returns whether a debugger is attached.
        end: called once the loop counts as stuck; it may return.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        *,
        clock: Callable[[], float],
        debugged: Callable[[], bool],
        end: Callable[[], object],
    ) -> None:
        self._loop = loop
        self._clock = clock
        self._debugged = debugged
        self._end = end
        self._since = clock()
        """The CPU time when the loop was last asked, or a debugger was last seen."""
        # Each is written by one thread only.
        self._asked = self._answered = 0

    def look(self) -> None:
        """Ask the loop for a sign of life if it is busy, and end the program if it owes one for too long.

        Raises:
            RuntimeError: the loop is closed.
        """
        now = self._clock()
        if self._answered == self._asked:
            if now - self._since >= _BUSY:
                self._asked += 1
                self._since = now
                self._loop.call_soon_threadsafe(self._answer, self._asked)
        elif self._debugged():
            self._since = now
        elif now - self._since >= _PATIENCE:
            self._since = now
            self._end()

    def _answer(self, number: int) -> None:
        self._answered = number


@contextmanager
def watching(loop: asyncio.AbstractEventLoop, end: Callable[[], object]) -> Iterator[None]:
    """Watch a loop, which runs in this thread, during the block.

    Args:
        loop: the loop.
        end: called on the watchdog's thread if the loop is stuck; it ends the program, and waits for nothing that the
            loop may hold.
    """
    thread = threading.get_ident()
    clock = _clock_of(thread)
    if clock is None:
        yield
        return
    watchdog = Watchdog(loop, clock=clock, debugged=lambda: is_debugged(thread), end=end)
    done = threading.Event()

    def watch() -> None:
        while not done.wait(_INTERVAL):
            watchdog.look()

    # Daemonic, since the loop may end in an exception while this thread is ending the program.
    watcher = threading.Thread(target=watch, name="watchdog", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        # The clock of a thread may be read only while the thread exists.
        done.set()
        watcher.join()


def _clock_of(thread: int) -> Callable[[], float] | None:
    """Return a function that returns the CPU time of a thread; None if the system has no such clock."""
    if sys.platform == "win32" or sys.platform == "darwin":
        return None
    clock = time.pthread_getcpuclockid(thread)
    return lambda: time.clock_gettime(clock)


def is_debugged(thread: int) -> bool:
    """Return whether a debugger follows a thread of this process: one of Python, or one of the system."""
    # Debuggers for Python 3.12 and later may use monitoring instead of tracing.
    monitoring = getattr(sys, "monitoring", None)
    if monitoring is not None and monitoring.get_tool(monitoring.DEBUGGER_ID) is not None:
        return True
    frame = sys._current_frames().get(thread)  # noqa: SLF001 (documented for debuggers)
    return any(each.f_trace is not None for each in _callers(frame)) or _tracer() != 0


def _callers(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _tracer() -> int:
    """Return the id of the process that traces this one, such as gdb or strace; 0 if there is none."""
    try:
        status = Path("/proc/self/status").read_text("ascii", "replace")
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in status.splitlines() if line.startswith("TracerPid:")), 0)
