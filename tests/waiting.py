"""Waiting for a condition, such as the end of a process, with a limit that suits slow machines."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from itertools import chain, repeat
from pathlib import Path
from typing import Final

HANG: Final = 120.0
"""Seconds after which something counts as hung. What takes a second alone takes a minute beside sixty others."""
_PAUSES: Final = 0.0, 0.002, 0.005, 0.01, 0.02
"""Seconds between looks at a condition, the last again and again: most become true at once."""


async def until(
    condition: Callable[[], object],
    told: Callable[[], str] = lambda: "nothing more is known",
    pause: Callable[[float], Awaitable[object]] = asyncio.sleep,
) -> None:
    """Wait until ``condition`` holds; if it never does, fail with the state that ``told`` returns."""
    end, pauses = time.monotonic() + HANG, chain(_PAUSES, repeat(_PAUSES[-1]))
    while not condition():
        assert time.monotonic() < end, f"it did not come true within {HANG:g} seconds: {told()}"
        await pause(next(pauses))


def wait_until(condition: Callable[[], object], told: Callable[[], str] = lambda: "nothing more is known") -> None:
    """Like :func:`until`, without an event loop."""
    end, pauses = time.monotonic() + HANG, chain(_PAUSES, repeat(_PAUSES[-1]))
    while not condition():
        assert time.monotonic() < end, f"it did not come true within {HANG:g} seconds: {told()}"
        time.sleep(next(pauses))


def is_running(pid: int) -> bool:
    """Return whether a process is running; a zombie is not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
