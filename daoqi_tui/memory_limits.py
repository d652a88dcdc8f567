"""Limits of a game in a browser: the size of its window, and the memory of its processes."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NoReturn

WIDEST, HIGHEST = 1000, 400
"""Columns and rows of the largest window."""
GAME_MEMORY: Final = 768 << 20
"""The memory of a game's process in bytes; with the largest window it uses a ninth of that."""
PLAYER_MEMORY: Final = 2 << 30
"""The memory of its computer player in bytes; with our network it uses a ninth. A large network takes six times its
file size."""
EXHAUSTED: Final = 71
"""The exit status of a game that exceeded its memory."""

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


_SAID: Final = ("can't start new thread", "failed to map segment", "Cannot allocate memory")
"""What other errors say that mean a lack of memory: of threads, of libraries that are loaded, and of the system."""


def is_exhaustion(error: BaseException) -> bool:
    """Return whether an error means that there is not enough memory."""
    return isinstance(error, MemoryError) or any(said in str(error) for said in _SAID)


def end_exhausted() -> NoReturn:
    """End a game in a browser: there may not be enough memory for an orderly exit, and the moves are saved."""
    os.write(2, b"daoqi-tui: a game in a browser needed more memory than it may have, and was ended\n")
    os._exit(EXHAUSTED)


def end_when_exhausted() -> None:
    """End this process where Python only reports a MemoryError: in a thread, as one begins, and in a finalizer."""
    ignored, in_thread = sys.unraisablehook, threading.excepthook

    def note_ignored(error: sys.UnraisableHookArgs) -> None:
        if issubclass(error.exc_type, MemoryError):
            end_exhausted()
        ignored(error)

    def note_in_thread(error: threading.ExceptHookArgs) -> None:
        if issubclass(error.exc_type, MemoryError):
            end_exhausted()
        in_thread(error)

    sys.unraisablehook, threading.excepthook = note_ignored, note_in_thread


@contextmanager
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
