"""What runs in the background of a face: the types that a match, its players and its faces share."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, Protocol, TypeAlias


class Background(Protocol):
    """A coroutine that runs in the background: a task, or a worker of a screen."""

    def cancel(self) -> object:
        """Stop it."""


Work: TypeAlias = Callable[[], Coroutine[Any, Any, None]]
Spawn: TypeAlias = Callable[[Work], Background]
"""Runs a coroutine function in the background. It is not called where the background is cancelled before it begins."""
