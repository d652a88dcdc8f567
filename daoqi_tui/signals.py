"""Graceful shutdown on SIGTERM and SIGHUP, and on the screen and in GTP on SIGINT.

A second signal, or two seconds without success, ends the process at once.

A signal handler runs between any two bytecodes of the main thread, even while a lock is held, and in finalizers, which
cannot raise an exception. Code that can stop only at certain points therefore registers its own callback. Use this only
in the main thread, the only one where Python handles signals.
"""

from __future__ import annotations

import _thread
import os
import signal
import sys
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeAlias, TypeVar

if TYPE_CHECKING:
    import asyncio

T = TypeVar("T")
Callback: TypeAlias = Callable[[int], object]

_NAMES: Final = ("SIGTERM", "SIGHUP", "SIGBREAK")
"""The signals handled. Windows sends the last when its console is closed, and has no SIGHUP."""
_PATIENCE: Final = 2.0
"""The maximum seconds of a graceful shutdown."""

last_resorts: Final[set[Callable[[], object]]] = set()
"""Callbacks for an immediate end, in any thread; they must not block."""


def _leave(number: int) -> NoReturn:
    raise SystemExit(128 + number)


class _State:
    """The signal received, 0 before, and the callback for it. Not a dataclass: importing those costs 5 ms."""

    def __init__(self) -> None:
        self.number = 0
        self.callback: Callback = _leave


_state: Final = _State()


def received() -> int:
    """Return the number of the signal received, 0 if there was none."""
    return _state.number


def caused(error: BaseException | None) -> bool:
    """Return whether a signal led to an exception: a few parts of Python wrap the ``SystemExit`` in another one."""
    while error is not None and not isinstance(error, SystemExit):
        error = error.__cause__ or error.__context__
    return bool(_state.number) and error is not None


def prepare() -> None:
    """Install the handlers. Signals that are ignored, as under nohup, stay ignored."""
    for number in (getattr(signal, name) for name in _NAMES if hasattr(signal, name)):
        # Only the main thread may install them.
        with suppress(ValueError):
            if signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, _receive)


def take_interrupts() -> None:
    """Handle SIGINT like the other signals from now on, for a face in which it does not only stop a computer.

    asyncio cancels its main task instead. Textual may handle that, and the program would end with success.
    """
    with suppress(ValueError):
        if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, _receive)


@contextmanager
def handling(callback: Callback) -> Iterator[None]:
    """Call `callback` with the number of a signal received in the block, or at its start for an earlier one."""
    before, _state.callback = _state.callback, callback
    try:
        if _state.number:
            callback(_state.number)
        yield
    finally:
        _state.callback = before


@contextmanager
def handling_in(loop: asyncio.AbstractEventLoop, callback: Callback) -> Iterator[None]:
    """Have an event loop call `callback` as :func:`handling` does, at once even if the loop is idle."""
    with _waking(loop), handling(lambda number: loop.call_soon_threadsafe(callback, number)):
        yield


@contextmanager
def _waking(loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    """Have any signal received in the block wake the event loop.

    Python's handlers run in the main thread once that goes on. A signal received just before it waits, or in another
    thread, does not interrupt the wait: an idle loop would handle it only after its next event.
    """
    if sys.platform == "win32":
        # asyncio does this itself there.
        yield
        return
    import socket  # noqa: PLC0415 (asyncio has imported it)

    reader, writer = socket.socketpair()
    reader.setblocking(False)
    writer.setblocking(False)
    try:
        before = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    except ValueError:
        # Only the main thread handles signals.
        before = None
    loop.add_reader(reader, reader.recv, 1 << 12)
    try:
        yield
    finally:
        if before is not None:
            signal.set_wakeup_fd(before)
        loop.remove_reader(reader)
        reader.close()
        writer.close()


@contextmanager
def deferring() -> Iterator[None]:
    """Defer signals until :func:`raising_exit` or the end of the block."""
    with handling(lambda _number: None):
        yield
    _leave_if_told()


@contextmanager
def raising_exit() -> Iterator[None]:
    """Let a signal raise ``SystemExit`` in the block, as it does by default."""
    with handling(_leave):
        yield


def run(main: Coroutine[Any, Any, T], runner: asyncio.Runner | None = None) -> T:
    """Run a coroutine like ``asyncio.run``; a signal cancels it.

    Raises:
        SystemExit: a signal was received, and the coroutine has ended.
    """
    import asyncio  # noqa: PLC0415 (costs 20 ms that most commands can do without)

    async def cancelled_by_signals() -> T:
        task = asyncio.current_task()
        assert task is not None
        with handling_in(asyncio.get_running_loop(), lambda _number: task.cancel()):
            return await main

    try:
        return asyncio.run(cancelled_by_signals()) if runner is None else runner.run(cancelled_by_signals())
    finally:
        _leave_if_told()


def _leave_if_told() -> None:
    if _state.number:
        _leave(_state.number)


def _receive(number: int, _frame: FrameType | None) -> None:
    if _state.number:
        end_at_once(128 + number)
    _state.number = number
    # A timer of the threading module might interrupt code that holds a lock.
    _thread.start_new_thread(_end_late, (number,))
    _end_if_exit_is_lost(number)
    _state.callback(number)


def _end_if_exit_is_lost(number: int) -> None:
    """End the process at once if the signal arrived in a finalizer: Python only prints ``SystemExit`` there."""
    before = sys.unraisablehook

    def end_or_print(unraisable: sys.UnraisableHookArgs) -> None:
        if isinstance(unraisable.exc_value, SystemExit):
            end_at_once(128 + number)
        before(unraisable)

    sys.unraisablehook = end_or_print


def _end_late(number: int) -> None:
    """End the process if its shutdown hangs, for example on a disk or a terminal that nobody reads."""
    time.sleep(_PATIENCE)
    end_at_once(128 + number)


def end_at_once(status: int, last_text: str = "") -> NoReturn:
    """End the process, from any thread, after the :data:`last_resorts`.

    Args:
        status: the exit status.
        last_text: written to standard error, for which the end waits two seconds at most.
    """
    for last_resort in tuple(last_resorts):
        with suppress(Exception):
            last_resort()
    if last_text:
        _thread.start_new_thread(_exit_late, (status,))
        # The screen replaces sys.stderr.
        data = last_text.encode(getattr(sys.__stderr__, "encoding", "utf-8"), "backslashreplace")
        with suppress(OSError):
            while data:
                data = data[os.write(2, data) :]
    os._exit(status)


def _exit_late(status: int) -> None:
    time.sleep(_PATIENCE)
    os._exit(status)
