"""Limits of a game in a browser: the size of its window, and the memory of its processes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

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
