"""Compiling the kernels: the cache folder, and logging of failures."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from daoqi_tui import log
from daoqi_tui.ai import compiled
from daoqi_tui.ai.compiled import LateKernel, compile_all, compile_modules, filling_cache
from daoqi_tui.ai.search import kernel
from daoqi_tui.record.files import Release
from tests.waiting import HANG


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> Callable[[], str]:
    """A function that returns the log so far."""
    monkeypatch.setattr(log, "_logger", logging.getLogger("daoqi_tui"))
    caplog.set_level(logging.DEBUG, "daoqi_tui")
    return lambda: caplog.text


class Kernel(LateKernel):
    """A fake kernel that fails to compile, or needs no compilation."""

    def __init__(self, error: Exception | None = None) -> None:
        super().__init__((), lambda _: None)
        self.error = error

    def compile(self) -> None:
        if self.error is not None:
            raise self.error
        self.functions = self


def test_a_kernel_that_fails_is_logged_and_the_next_one_is_compiled(told: Callable[[], str]) -> None:
    good = Kernel()
    compile_all((Kernel(KeyError("no such processor")), good))
    assert good.functions is good
    assert "KeyError('no such processor')" in told()


def test_a_cache_that_was_not_used_for_long_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    old, used, current = (tmp_path / "daoqi-tui" / name for name in ("kernel-old", "kernel-used", "openings"))
    for folder in (old, used, current):
        (folder / "deep").mkdir(parents=True)
        if folder is not used:
            os.utime(folder, (1e9, 1e9))
    found = compiled._cache_folder((kernel,))
    assert found is not None
    os.utime(found, (1e9, 1e9))
    assert compiled._cache_folder((kernel,)) == found
    assert sorted(found.parent.iterdir()) == sorted((found, used, current))


def test_nothing_is_cached_beside_the_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    numba = pytest.importorskip("numba", reason="numba is not installed, so there is nothing to cache")
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr(numba.config, "CACHE_DIR", numba.config.CACHE_DIR)
    for function in compile_modules((kernel,)).values():
        assert function.stats.cache_path is None


def test_calls_with_different_constants_share_a_compiled_function(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    numba = pytest.importorskip("numba", reason="numba is not installed, so nothing is compiled")
    monkeypatch.setattr(numba.config, "CACHE_DIR", numba.config.CACHE_DIR)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    module, file = ModuleType("halves"), tmp_path / "halves.py"
    file.write_text(
        "def part(whole, by):\n    return whole // by\ndef parts(whole):\n    return part(whole, 2) + part(whole, 3)"
    )
    module.__file__ = str(file)
    exec(compile(file.read_text(), file, "exec"), vars(module))
    functions = compile_modules((module,))
    assert functions["parts"](12) == 10
    assert len(functions["part"].signatures) == 1


def test_a_complete_cache_is_told_from_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    numba = pytest.importorskip("numba", reason="numba is not installed, so there is nothing to cache")
    monkeypatch.setattr(numba.config, "CACHE_DIR", numba.config.CACHE_DIR)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    late = LateKernel((kernel,), lambda _functions: None)
    assert late.cache_state == "missing"
    broken = LateKernel((kernel,), lambda _functions: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        broken.compile()
    assert late.cache_state == "missing", "not all of it has been compiled"
    late.compile()
    assert late.cache_state == "cached"
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert late.cache_state == "impossible"


def test_one_process_at_a_time_compiles_what_is_not_cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "_marker", lambda: "complete")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(compiled, "_PAUSE", 0.01)
    tried = threading.Event()
    lock_file = compiled.lock_file

    def watched(path: Path) -> Release:
        tried.set()
        return lock_file(path)

    monkeypatch.setattr(compiled, "lock_file", watched)
    order: list[str] = []

    def second() -> None:
        with filling_cache((kernel,)):
            order.append("second")

    waiter = threading.Thread(target=second)
    with filling_cache((kernel,)):
        tried.clear()
        waiter.start()
        assert tried.wait(HANG)
        order.append("first")
    waiter.join(HANG)
    assert order == ["first", "second"]
