"""Types for background work, shared by a match, its players and its faces."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, Protocol, TypeAlias


class Background(Protocol):
    """A coroutine that runs in the background: a task, or a worker of a screen."""

    def cancel(self) -> object:
        """Stop it."""


Work: TypeAlias = Callable[[], Coroutine[Any, Any, None]]
Spawn: TypeAlias = Callable[[Work], Background]
"""Runs a coroutine function in the background. The function is not called if it is cancelled before it starts."""
