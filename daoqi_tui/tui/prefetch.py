"""What screens need is imported and parsed beforehand, in idle moments after the first frame: they open at once.

Not what an online game needs, nor numpy: most sessions open no screen that needs them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from threading import Event, Thread
from time import monotonic
from typing import Final

from textual.widget import Widget

MODULES: Final = (
    "daoqi_tui.record.journal",
    "textual.scrollbar",
    "daoqi_tui.tui.panes.study",
    "daoqi_tui.tui.screens",
    "daoqi_tui.tui.screens.hinted",
    "daoqi_tui.tui.screens.form",
    "daoqi_tui.tui.screens.setup",
    "daoqi_tui.tui.features.program.menu",
    "daoqi_tui.play.profile",
    "daoqi_tui.tui.features.program.options",
    "daoqi_tui.record.library",
    "daoqi_tui.tui.features.records.library",
    "daoqi_tui.tui.features.program.lesson",
    "daoqi_tui.play.problems",
    "daoqi_tui.tui.features.problems.screen",
    "daoqi_tui.play.online.seat_book",
    "daoqi_tui.tui.features.online.form",
    "daoqi_tui.play.analyst",
    "daoqi_tui.tui.features.openings.screen",
)
"""What the first move and the first frames of screens need, in the order in which they are imported."""
_IDLE: Final = 0.3
"""Seconds without input before the next module is imported."""


class Prefetch:
    """Imports modules in a thread of its own, one at a time, and only while nobody presses keys or moves the mouse.

    Args:
        imported: called in that thread when all are imported.

    Attributes:
        last_input: by the monotonic clock; nothing is imported until a while after it.
        is_done: whether all are imported.
    """

    def __init__(self, imported: Callable[[], object] = lambda: None) -> None:
        self.last_input = monotonic()
        self.is_done = False
        self._imported = imported
        self._stopped = Event()
        self._thread = Thread(target=self._import_all, name="prefetch", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """End after the module that is being imported."""
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join()

    @property
    def wait(self) -> float:
        """Seconds until something may be done, if nothing is pressed until then."""
        return self.last_input + _IDLE - monotonic()

    def _import_all(self) -> None:
        for name in MODULES:
            while (wait := self.wait) > 0:
                if self._stopped.wait(wait):
                    return
            if self._stopped.is_set():
                return
            try:
                import_module(name)
            except Exception:
                # It is raised again, and reported, where the screen is opened.
                return
        self.is_done = True
        self._imported()


def widget_classes() -> list[type[Widget]]:
    """Return the classes of widgets and screens that the modules use, with others from the same files."""
    used = dict.fromkeys(kind for name in MODULES for kind in _widgets_in(name))
    return list(dict.fromkeys(each for kind in used for each in _widgets_in(kind.__module__)))


def _widgets_in(module: str) -> Iterator[type[Widget]]:
    for value in vars(sys.modules[module]).values() if module in sys.modules else ():
        if isinstance(value, type) and issubclass(value, Widget):
            yield value
