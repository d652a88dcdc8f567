"""Child processes: the environment of those that run a module of this package, and waiting for their end."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

_T = TypeVar("_T")


def environment(**settings: str) -> dict[str, str]:
    """Return this process's environment, with this package on the child's path wherever it was imported from.

    Args:
        settings: variables of the child, overriding those of this process.
    """
    root = str(Path(__file__).resolve().parents[1])
    path = os.pathsep.join(part for part in (root, os.environ.get("PYTHONPATH", "")) if part)
    return {**os.environ, **settings, "PYTHONPATH": path}


async def complete(ending: Coroutine[Any, Any, _T]) -> _T:
    """Await ``ending`` until it is done even if this task is cancelled, however often; only then is it cancelled.

    With :func:`asyncio.shield` alone a process would be orphaned, and the event loop could end before it.

    Raises:
        Exception: that of ``ending`` if it fails, also where this task was cancelled: nobody else would ever see it.
    """
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
