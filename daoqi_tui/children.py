"""Child processes: how this one starts them and waits for their end, what they may use, and what runs in them first.

``python -m daoqi_tui.children MODULE [ARGUMENT]...`` runs a module of this package as a child process that ends with
the process that started it, however that ends. It arranges this before the module is imported, which may take a second:
the system sends SIGKILL (Linux), or else a thread looks for the parent a few times a second. That the standard input of
the child ends is not enough: another process may hold its pipe open, and a stopped process would not notice.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar

if TYPE_CHECKING:
    import asyncio

_T = TypeVar("_T")

PARENT: Final = "DAOQI_PARENT"
"""The variable with the id of the parent."""
STARTED_IN_THREAD: Final = "DAOQI_STARTED_IN_THREAD"
"""A variable set if another than the main thread of the parent starts the child: the system's signal is sent when the
thread ends that has started it."""
_INTERVAL: Final = 0.3
"""Seconds between two looks for the parent."""
_PR_SET_PDEATHSIG: Final = 1
_KILL_LATER: Final = 'read -r line || { sleep 0.5; kill -s KILL -- "-$1"; }'
"""A shell script that kills a process group when its input ends, unless it has read a line before."""


def command(module: str) -> tuple[str, ...]:
    """Return the command line that runs a module of this package as a child of this process, with which it ends."""
    return sys.executable, "-P", "-m", "daoqi_tui.children", module


def environment(**settings: str) -> dict[str, str]:
    """Return this process's environment for a :func:`command`, with this package on the child's path.

    Args:
        settings: variables of the child, overriding those of this process.
    """
    from pathlib import Path  # noqa: PLC0415

    root = str(Path(__file__).resolve().parents[1])
    path = os.pathsep.join(part for part in (root, os.environ.get("PYTHONPATH", "")) if part)
    in_thread = "" if threading.current_thread() is threading.main_thread() else "yes"
    starter = {PARENT: str(os.getpid()), STARTED_IN_THREAD: in_thread}
    return {**os.environ, **settings, "PYTHONPATH": path, **starter}


class Guard:
    """A process that kills a process group of another program if this process ends without having released it.

    The program may not notice that its input ends, or may have started others. It is given half a second for that.
    """

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    @classmethod
    async def of(cls, group: int) -> Guard | None:
        """Guard the process group of a child; None where there is no shell for it."""
        import asyncio  # noqa: PLC0415
        from subprocess import DEVNULL, PIPE  # noqa: PLC0415

        try:
            process = await asyncio.create_subprocess_exec(
                *("/bin/sh", "-c", _KILL_LATER, "sh", str(group)),
                stdin=PIPE,
                stdout=DEVNULL,
                stderr=DEVNULL,
                start_new_session=True,
            )
        except OSError:
            return None
        return cls(process)

    async def release(self) -> None:
        """End the guard, and leave the group alone."""
        # It may have been killed.
        with contextlib.suppress(OSError):
            await self._process.communicate(b"\n")


async def complete(ending: Coroutine[Any, Any, _T]) -> _T:
    """Await ``ending`` until it is done even if this task is cancelled, however often; only then is it cancelled.

    With :func:`asyncio.shield` alone a process would be orphaned, and the event loop could end before it.

    Raises:
        Exception: that of ``ending`` if it fails, also where this task was cancelled: nobody else would ever see it.
    """
    import asyncio  # noqa: PLC0415

    task = asyncio.ensure_future(ending)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait((task,))
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is None:
        return task.result()
    if not task.cancelled() and (failure := task.exception()) is not None:
        raise failure from cancelled
    raise cancelled


def kill(process: asyncio.subprocess.Process) -> None:
    """Kill a process, if it has not ended."""
    with contextlib.suppress(ProcessLookupError):
        process.kill()


async def ended(process: asyncio.subprocess.Process, patience: float) -> int:
    """Wait until a process ends, and kill it after some seconds; return its exit status."""
    import asyncio  # noqa: PLC0415

    try:
        async with asyncio.timeout(patience):
            return await process.wait()
    except TimeoutError:
        kill(process)
        return await process.wait()


def end_with_parent() -> None:
    """Have this process end when the one that started it has ended, which its environment names."""
    end_with(int(os.environ.pop(PARENT)), in_thread=bool(os.environ.pop(STARTED_IN_THREAD, "")))


def end_with(parent: int, *, in_thread: bool = False) -> None:
    """Have this process end when its ``parent`` has ended; end it now if that is so already."""
    if in_thread or not _is_killed_by_system():
        _watch(parent)
    if os.getppid() != parent:
        os._exit(0)


def _is_killed_by_system() -> bool:
    """Have the system kill this process; return whether it can."""
    if sys.platform != "linux":
        return False
    import ctypes  # noqa: PLC0415
    import signal  # noqa: PLC0415

    try:
        return bool(ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0) == 0)
    except (OSError, AttributeError):
        return False


def _watch(parent: int) -> None:
    import time  # noqa: PLC0415

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_INTERVAL)
        os._exit(0)

    threading.Thread(target=watch, name="watch parent", daemon=True).start()


# Limits of a game in a browser: the size of its window, and the memory of its processes

WIDEST, HIGHEST = 1000, 400
"""Columns and rows of the largest window."""
GAME_MEMORY: Final = 768 << 20
"""The memory of a game's process in bytes; with the largest window it uses a ninth of that."""
PLAYER_MEMORY: Final = 2 << 30
"""The memory of its computer player in bytes; with our network it uses a ninth. A large network takes six times its
file size."""
EXHAUSTED: Final = 71
"""The exit status of a game that exceeded its memory."""
_SAID: Final = ("can't start new thread", "failed to map segment", "Cannot allocate memory")
"""What other errors say that mean a lack of memory: of threads, of libraries that are loaded, and of the system."""

_START: Final = 10.0
"""Seconds after which a thread that has not begun had no memory for it; others begin in a tenth of a millisecond."""

_limit: int | None = None
_starting = 0


def clamped(width: int, height: int) -> tuple[int, int]:
    """Return the size of a window, clamped to the allowed range."""
    return min(WIDEST, max(1, width)), min(HIGHEST, max(1, height))


def limit_memory(most: int) -> None:
    """Limit this process and its children to ``most`` bytes from now on; exceeding them raises MemoryError.

    Linux counts all private memory; other systems count less of it, or nothing.
    """
    global _limit  # noqa: PLW0603 (it is the process that has one)
    _limit = most
    _allow(most)


def is_exhaustion(error: BaseException) -> bool:
    """Return whether an error, or one from which it came, means that there is not enough memory."""
    if isinstance(error, MemoryError) or any(said in str(error) for said in _SAID):
        return True
    before = error.__cause__ or error.__context__
    return before is not None and is_exhaustion(before)


def end_exhausted() -> NoReturn:
    """End a game in a browser: there may not be enough memory for an orderly exit, and the moves are saved."""
    os.write(2, b"daoqi-tui: a game in a browser needed more memory than it may have, and was ended\n")
    os._exit(EXHAUSTED)


def end_when_exhausted() -> None:
    """End this process also on a lack of memory in a thread, in a finalizer or at the start of a thread.

    Python only reports the first two, and waits for ever for a thread that does not begin.
    """

    def ending_before(report: Callable[[Any], object]) -> Callable[[Any], object]:
        def note(error: sys.UnraisableHookArgs | threading.ExceptHookArgs) -> None:
            if issubclass(error.exc_type, MemoryError):
                end_exhausted()
            report(error)

        return note

    sys.unraisablehook = ending_before(sys.unraisablehook)
    threading.excepthook = ending_before(threading.excepthook)
    start = threading.Thread.start

    def start_or_end(thread: threading.Thread) -> None:
        # One that gets no memory for its first call ends in silence, and would be waited for for ever.
        wait = thread._started.wait  # type: ignore[attr-defined]  # noqa: SLF001 (there is no other way)
        thread._started.wait = lambda: wait(_START) or end_exhausted()  # type: ignore[attr-defined]  # noqa: SLF001
        start(thread)

    threading.Thread.start = start_or_end  # type: ignore[assignment, method-assign]


@contextlib.contextmanager
def unlimited() -> Iterator[None]:
    """Lift the limit of this process in the block, to start programs without it."""
    global _starting  # noqa: PLW0603
    _starting += 1
    _allow(None)
    try:
        yield
    finally:
        _starting -= 1
        # Another block may still need the limit lifted.
        if not _starting:
            _allow(_limit)


def _allow(most: int | None) -> None:
    if _limit is None:
        return
    try:
        import resource  # noqa: PLC0415 (Windows has none)
    except ImportError:
        return
    # Only the soft limit, so that it can be raised again.
    _soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if most is None or (hard != resource.RLIM_INFINITY and most > hard):
        most = hard
    resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


def main() -> None:
    """Run the module that the first argument names, as ``python -m`` does."""
    import runpy  # noqa: PLC0415

    end_with_parent()
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
