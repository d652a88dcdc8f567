"""What somebody waits for, in one form in all faces: what runs, how far it is, and how to stop it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import Final, Protocol

from daoqi_tui.i18n import _

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
            text = _("{seconds} of {most} s")
            return text.format(seconds=min(seconds, int(self.most)), most=f"{self.most:g}")
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
    timer = set_interval(EVERY, lambda: show(wait.describe()))
    try:
        yield wait
    finally:
        timer.stop()
