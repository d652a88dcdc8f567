"""What screens need is imported beforehand, in idle moments after the first frame, so that they open at once.

Not what an online game needs, nor numpy: most sessions open no screen that needs them.
"""

from __future__ import annotations

from importlib import import_module
from threading import Event, Thread
from time import monotonic
from typing import Final

MODULES: Final = (
    "textual.scrollbar",
    "daoqi_tui.tui.screens.dialogs",
    "daoqi_tui.tui.screens.hinted",
    "daoqi_tui.tui.screens.form",
    "daoqi_tui.tui.screens.setup",
    "daoqi_tui.tui.features.program.menu",
    "daoqi_tui.play.profile",
    "daoqi_tui.tui.features.program.options",
    "daoqi_tui.record.library",
    "daoqi_tui.tui.features.records.library",
    "daoqi_tui.play.lesson",
    "daoqi_tui.tui.features.program.lesson",
    "daoqi_tui.play.problems",
    "daoqi_tui.tui.features.problems.screen",
    "daoqi_tui.play.online.seat_book",
    "daoqi_tui.tui.features.online.form",
)
"""What the first frames of screens need, in the order in which they are imported; each takes a few milliseconds."""
_IDLE: Final = 0.3
"""Seconds without input before the next module is imported."""


class Prefetch:
    """Imports modules in a thread of its own, one at a time, and only while nobody presses keys or moves the mouse.

    Attributes:
        last_input: by the monotonic clock; nothing is imported until a while after it.
    """

    def __init__(self) -> None:
        self.last_input = monotonic()
        self._stopped = Event()
        self._thread = Thread(target=self._import_all, name="prefetch", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """End after the module that is being imported."""
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join()

    def _import_all(self) -> None:
        for name in MODULES:
            while (wait := self.last_input + _IDLE - monotonic()) > 0:
                if self._stopped.wait(wait):
                    return
            if self._stopped.is_set():
                return
            try:
                import_module(name)
            except Exception:
                # It is raised again, and reported, where the screen is opened.
                return
