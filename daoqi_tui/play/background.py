"""Background work, shared by a match, its players, its faces and a server: coroutines, and waiting for a disk.

How somebody who waits sees what runs, how far it is and how to stop it has one form in all faces: :class:`Wait`.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Thread
from time import monotonic
from typing import Any, Final, Protocol, TypeAlias, TypeVar

from daoqi_tui.i18n import _


class Background(Protocol):
    """A coroutine that runs in the background: a task, or a worker of a screen."""

    def cancel(self) -> object:
        """Stop it."""


Work: TypeAlias = Callable[[], Coroutine[Any, Any, None]]
Spawn: TypeAlias = Callable[[Work], Background]
"""Runs a coroutine function in the background. The function is not called if it is cancelled before it starts."""

T = TypeVar("T")


def begin_task(work: Coroutine[Any, Any, T], kept: set[asyncio.Task[T]]) -> asyncio.Task[T]:
    """Run a coroutine as a task that is kept as long as it runs, as the event loop alone would not keep it."""
    task = asyncio.get_running_loop().create_task(work)
    kept.add(task)
    task.add_done_callback(kept.discard)
    return task


async def on_disk(work: Callable[[], T]) -> T:
    """Return the result of a function that waits for the disk, run in a thread of its own.

    The pool of :func:`asyncio.to_thread` is for computing: a few games with a blocked disk would hold all its threads,
    and the others would wait for them.
    """
    future: Future[T] = Future()
    # So that it can no longer be cancelled: the thread runs to its end in any case.
    future.set_running_or_notify_cancel()

    def run() -> None:
        try:
            result = work()
        except BaseException as error:
            future.set_exception(error)
        else:
            future.set_result(result)

    # The program does not end before it, so that what is being written is complete.
    Thread(target=run, name="disk").start()
    return await asyncio.wrap_future(future)


class DiskWork:
    """Work that waits for the disk, with the time for which it has been waiting."""

    def __init__(self) -> None:
        self._begun: list[float] = []

    async def do(self, work: Callable[[], T]) -> T:
        """Return the result of a function, as :func:`on_disk` does."""
        begun = monotonic()
        self._begun.append(begun)
        try:
            return await on_disk(work)
        finally:
            self._begun.remove(begun)

    @property
    def waited(self) -> float:
        """The seconds for which the oldest work has been waiting; 0 if none is."""
        return monotonic() - min(self._begun) if self._begun else 0.0


EVERY: Final = 1.0
"""Seconds between two updates of how far it is."""


@dataclass(eq=False)
class Wait:
    """Work under way that somebody waits for.

    Attributes:
        what: what runs, in words.
        stops: how to stop it, in words; empty if it cannot be stopped.
        most: the seconds that it takes at most, None if that is not known.
        done: how far it is, in words, where the work itself says so; otherwise the seconds count.
        begun: when it began, in seconds of the monotonic clock.
    """

    what: str
    stops: str = ""
    most: float | None = None
    done: str = ""
    begun: float = field(default_factory=monotonic)

    @property
    def how_far(self) -> str:
        """How far it is; empty in the first second if there is nothing to say."""
        seconds = int(monotonic() - self.begun)
        if self.done:
            return self.done
        if self.most is not None:
            return _("{seconds} of {most} s").format(seconds=min(seconds, int(self.most)), most=f"{self.most:g}")
        return _("{seconds} s").format(seconds=seconds) if seconds else ""

    def describe(self) -> str:
        return "  ·  ".join(part for part in (self.what, self.how_far, self.stops) if part)


class _Timer(Protocol):
    def stop(self) -> None: ...


@contextmanager
def shown(
    wait: Wait, set_interval: Callable[[float, Callable[[], object]], _Timer], show: Callable[[str], object]
) -> Iterator[Wait]:
    """Show every second how far a wait is, while it lasts.

    Args:
        wait: for what.
        set_interval: calls a function every so many seconds.
        show: shows the words.
    """
    task, lasts = asyncio.current_task(), True

    def tell() -> None:
        # A call may be queued when the work ends or is stopped, and must not replace what is said of that.
        if lasts and not (task and task.cancelling()):
            show(wait.describe())

    timer = set_interval(EVERY, tell)
    try:
        yield wait
    finally:
        lasts = False
        timer.stop()
