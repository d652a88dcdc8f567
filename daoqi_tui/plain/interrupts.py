"""Ctrl+C at a moment when it can do no harm."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def held_interrupts() -> Iterator[None]:
    """Hold Ctrl+C back until what is done within is whole: a move half made on a board is none."""
    if threading.current_thread() is not threading.main_thread():
        # Ctrl+C reaches the main thread alone.
        yield
        return
    came = False

    def note(*_: object) -> None:
        nonlocal came
        came = True

    before = signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if came and before is not signal.SIG_IGN:
        raise KeyboardInterrupt
