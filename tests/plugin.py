"""A pytest plugin: a failing test is named when it fails, and Ctrl+C ends a run at once, with all that it has started.

The few failed tests of a whole run are run again (``tests.again``).

`tests/conftest.py` registers it. ``python -m tests.interrupted`` measures how long a run takes to end.
"""

from __future__ import annotations

import _thread
import gc
import os
import signal
import time
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Final

import pytest
from _pytest._io import TerminalWriter
from _pytest.doctest import DoctestModule

from tests import again, compiling

_TESTS: Final = Path(__file__).parent
_PATIENCE: Final = 1.2
"""Seconds that pytest has for its summary and its fixtures after Ctrl+C."""


def pytest_configure(config: pytest.Config) -> None:
    # What the tests start would inherit a signal that is ignored, but not one that has a handler.
    with suppress(ValueError):  # Pytest does not run in the main thread.
        signal.signal(signal.SIGINT, _leave_to_the_controller if hasattr(config, "workerinput") else _interrupt)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    compiling.compile_in_turn(session.config)
    plugins = session.config.pluginmanager
    if plugins.has_plugin("terminalreporter"):
        plugins.register(_Failures(session.config.get_terminal_writer()))
        if plugins.has_plugin("dsession"):
            plugins.register(again.Again())


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Look for examples only in modules of the package that have some: looking through all takes seconds."""
    found = yield
    return [each for each in found if not isinstance(each, DoctestModule) or _has_examples(file_path)]


def _has_examples(file: Path) -> bool:
    return not file.is_relative_to(_TESTS) and ">>> " in file.read_text("utf-8")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage while tests are collected: there is little, and what is kept would be looked at each time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Leave the thousands of tests out of each collection of garbage: they stay until the end."""
    gc.freeze()
    # A screen has tens of thousands of objects; with the usual 700 a tenth of the time goes into looking for garbage.
    gc.set_threshold(20_000, 20, 20)


class _Failures:
    """Writes the name and the error of each failure, beside the dots. The tracebacks follow at the end."""

    def __init__(self, writer: TerminalWriter) -> None:
        self._writer = writer

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._write(report, "FAILED" if report.when == "call" else f"ERROR in {report.when}:")

    @pytest.hookimpl(trylast=True)
    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._write(report, "ERROR in collection:")

    def _write(self, report: pytest.TestReport | pytest.CollectReport, word: str) -> None:
        if self._writer.width_of_current_line:
            self._writer.line()
        self._writer.line(f"{word} {report.nodeid}", red=True)
        crash = getattr(report.longrepr, "reprcrash", None)
        error = f"{crash.path}:{crash.lineno}: {crash.message}" if crash else report.longreprtext
        for line in error.splitlines():
            self._writer.line(f"    {line}")
        self._writer.flush()


def _interrupt(number: int, frame: FrameType | None) -> None:
    """End all that the run has started, workers included: nothing is left that pytest would have to wait for."""
    _kill_descendants()
    # A timer of the threading module might interrupt code that holds a lock.
    _thread.start_new_thread(_end_late, ())
    signal.default_int_handler(number, frame)


def _leave_to_the_controller(_number: int, _frame: FrameType | None) -> None:
    """Do nothing: Ctrl+C reaches all processes of the terminal, and the one that started this worker ends it."""


def _end_late() -> None:
    """End the run though a fixture or a thread still waits."""
    time.sleep(_PATIENCE)
    _kill_descendants()
    os._exit(pytest.ExitCode.INTERRUPTED)


def _kill_descendants() -> None:
    """Kill the processes below this one, whatever group or session they are in. Only Linux lists them."""
    children: dict[int, list[int]] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parent = int(status.read_text("utf-8", "replace").rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(status.parent.name))
    found = [os.getpid()]
    for process in found:
        found += children.get(process, [])
    for process in found[1:]:
        with suppress(OSError):
            os.kill(process, signal.SIGKILL)
