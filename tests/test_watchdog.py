"""The watchdog ends a loop that computes without end, and no other: only the CPU time of the loop's thread counts."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections.abc import Callable

import pytest

from daoqi_tui import watchdog
from daoqi_tui.watchdog import Watchdog, is_debugged, watching

pytestmark = pytest.mark.skipif(
    not hasattr(time, "pthread_getcpuclockid"), reason="the system has no CPU clock for a single thread"
)


class Watched:
    """A watchdog with a clock set by hand, for the loop that is running."""

    def __init__(self) -> None:
        self.cpu = 0.0
        self.debugged = False
        self.ends = 0
        self.questions = 0
        loop = asyncio.get_running_loop()
        ask = loop.call_soon_threadsafe

        def counted(*arguments: object) -> object:
            self.questions += 1
            return ask(*arguments)  # type: ignore[arg-type]

        loop.call_soon_threadsafe = counted  # type: ignore[method-assign, assignment]
        self.dog = Watchdog(loop, clock=lambda: self.cpu, debugged=lambda: self.debugged, end=self.end)

    def end(self) -> None:
        self.ends += 1

    def look(self, used: float) -> None:
        """Let the loop's thread use CPU time, and look."""
        self.cpu += used
        self.dog.look()


async def test_a_loop_that_computes_without_turning_is_ended() -> None:
    watched = Watched()
    for _ in range(6):
        watched.look(2.0)
        assert watched.ends == 0 or watched.cpu >= 12
    assert watched.ends == 1


async def test_a_loop_that_is_starved_of_the_processor_is_given_its_ten_seconds() -> None:
    watched = Watched()
    while not watched.ends:
        watched.look(0.001)
    assert watched.cpu > 10


async def test_a_loop_that_turns_is_not_ended_however_busy() -> None:
    watched = Watched()
    for _ in range(100):
        watched.look(2.0)
        await asyncio.sleep(0)
    assert not watched.ends


async def test_a_loop_that_waits_is_neither_ended_nor_woken() -> None:
    watched = Watched()
    for _ in range(1000):
        watched.look(0.0)
    assert (watched.ends, watched.questions) == (0, 0)
    # Nor if it began to wait, for a disk or a terminal, while it owed an answer.
    watched.look(1.0)
    for _ in range(1000):
        watched.look(0.0)
    assert (watched.ends, watched.questions) == (0, 1)


async def test_time_under_a_debugger_does_not_count() -> None:
    watched = Watched()
    watched.debugged = True
    for _ in range(100):
        watched.look(2.0)
    watched.debugged = False
    for _ in range(4):
        watched.look(2.0)
    assert watched.ends == 0
    watched.look(2.0)
    assert watched.ends == 1


def burn(enough: Callable[[], object]) -> None:
    while not enough():
        pass


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> float:
    """Make real watchdogs impatient; return their patience."""
    monkeypatch.setattr(watchdog, "_INTERVAL", 0.01)
    monkeypatch.setattr(watchdog, "_PATIENCE", 0.3)
    return 0.3


def run_watched(work: Callable[[threading.Event], object]) -> bool:
    """Run a callback in a watched loop, with the event that its end sets; return whether it was to be ended."""
    ended = threading.Event()

    async def main() -> None:
        loop = asyncio.get_running_loop()
        with watching(loop, ended.set):
            loop.call_soon(work, ended)
            await asyncio.sleep(0)

    asyncio.run(main())
    return ended.is_set()


def test_an_endless_computation_is_noticed(quick: float) -> None:
    assert run_watched(lambda ended: burn(ended.is_set))
    assert "watchdog" not in [thread.name for thread in threading.enumerate()]


def test_a_wait_is_not(quick: float) -> None:
    def work(ended: threading.Event) -> None:
        # Long enough to be asked for a sign of life.
        start = time.thread_time()
        burn(lambda: time.thread_time() > start + quick / 3)
        ended.wait(4 * quick)

    assert not run_watched(work)


def test_a_computation_in_another_thread_is_not(quick: float) -> None:
    def work(ended: threading.Event) -> None:
        def compute() -> None:
            start = time.thread_time()
            burn(lambda: time.thread_time() > start + 4 * quick)

        start = time.thread_time()
        burn(lambda: time.thread_time() > start + quick / 3)
        other = threading.Thread(target=compute)
        other.start()
        other.join()

    assert not run_watched(work)


def test_a_computation_under_a_debugger_is_not(quick: float) -> None:
    def work(ended: threading.Event) -> None:
        def traced() -> None:
            start = time.thread_time()
            burn(lambda: time.thread_time() > start + 4 * quick)

        before = sys.gettrace()
        sys.settrace(lambda *_: lambda *_: None)
        try:
            traced()
        finally:
            sys.settrace(before)

    assert not run_watched(work)


@pytest.mark.skipif(sys.gettrace() is not None, reason="coverage is measured with a trace function")
def test_without_a_debugger_none_is_found() -> None:
    assert not is_debugged(threading.get_ident())
