"""A disk that takes as long as a test wants, at any system call of the threads that write games."""

from __future__ import annotations

import asyncio
import fcntl
import io
import os
import threading
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import BuiltinFunctionType
from typing import Any

import pytest

from tests.waiting import HANG

THREADS = ("journal", "disk")
"""The names of the threads that write: those of journals, and those of a server's other files."""


class SlowDisk:
    """Blocks the calls of one name on the threads that write.

    Attributes:
        calls: how often they have called each function of :mod:`os` and :mod:`fcntl` that is not Python, and
            ``io.open``.
        elsewhere: the same of the thread that made this object, such as that of an event loop.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls: Counter[str] = Counter()
        self.elsewhere: Counter[str] = Counter()
        self._thread = threading.current_thread()
        self._blocked: str | None = None
        self._folder: Path | None = None
        self._readlink = os.readlink
        self._entered = threading.Event()
        self._released = threading.Event()
        for module in (os, fcntl):
            for name, function in vars(module).items():
                # Those that only compute are of no interest.
                if isinstance(function, BuiltinFunctionType) and name not in ("fspath", "getpid", "urandom"):
                    monkeypatch.setattr(module, name, self._wrapped(name, function))
        monkeypatch.setattr(io, "open", self._wrapped("io.open", io.open))

    def _wrapped(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **named: Any) -> Any:
            if threading.current_thread() is self._thread:
                self.elsewhere[name] += 1
            if threading.current_thread().name in THREADS and self._concerns(args):
                self.calls[name] += 1
                if name == self._blocked:
                    self._entered.set()
                    assert self._released.wait(HANG), f"{name} was never released"
            return function(*args, **named)

        return call

    def _concerns(self, args: tuple[object, ...]) -> bool:
        """Return whether a call is about a file in the folder of :meth:`blocking`, by its name or descriptor."""
        if self._folder is None:
            return True
        for given in args[:1]:
            with suppress(OSError, TypeError, ValueError):
                path = self._readlink(f"/proc/self/fd/{given}") if isinstance(given, int) else os.fspath(given)
                return str(path).startswith(str(self._folder))
        return False

    @contextmanager
    def blocking(self, name: str, folder: Path | None = None) -> Iterator[None]:
        """Block the calls of a function while the block lasts; only those about files in a folder, if one is given."""
        self._folder = folder
        self._entered.clear()
        self._released.clear()
        self._blocked = name
        try:
            yield
        finally:
            self._blocked = self._folder = None
            self._released.set()

    @property
    def is_blocking(self) -> bool:
        """True once a call has been blocked."""
        return self._entered.is_set()

    def wait(self) -> None:
        """Wait until a call is blocked."""
        assert self._entered.wait(HANG), f"{self._blocked} was never called"


class SlowTicket:
    """A fake ticket for a journal entry that a slow disk has not written yet."""

    done = False

    def __init__(self) -> None:
        self.written = asyncio.Event()

    def __await__(self) -> Generator[object, None, bool]:
        return self.written.wait().__await__()
