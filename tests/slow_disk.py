"""A disk that takes as long as a test wants, at any system call of the journal's thread."""

from __future__ import annotations

import fcntl
import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import BuiltinFunctionType
from typing import Any

import pytest

from tests.waiting import HANG

THREAD = "journal"


class SlowDisk:
    """Blocks the calls of one name on the journal's thread.

    Attributes:
        calls: how often that thread has called each function of :mod:`os` and :mod:`fcntl` that is not Python.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls: Counter[str] = Counter()
        self._blocked: str | None = None
        self._entered = threading.Event()
        self._released = threading.Event()
        for module in (os, fcntl):
            for name, function in vars(module).items():
                # Those that only compute are of no interest.
                if isinstance(function, BuiltinFunctionType) and name not in ("fspath", "getpid", "urandom"):
                    monkeypatch.setattr(module, name, self._wrapped(name, function))

    def _wrapped(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **named: Any) -> Any:
            if threading.current_thread().name == THREAD:
                self.calls[name] += 1
                if name == self._blocked:
                    self._entered.set()
                    assert self._released.wait(HANG), f"{name} was never released"
            return function(*args, **named)

        return call

    @contextmanager
    def blocking(self, name: str) -> Iterator[None]:
        """Block the calls of a function while the block lasts."""
        self._entered.clear()
        self._released.clear()
        self._blocked = name
        try:
            yield
        finally:
            self._blocked = None
            self._released.set()

    @property
    def is_blocking(self) -> bool:
        """True once a call has been blocked."""
        return self._entered.is_set()

    def wait(self) -> None:
        """Wait until a call is blocked."""
        assert self._entered.wait(HANG), f"{self._blocked} was never called"
