"""Completing work that must not be interrupted, even if the task that awaits it is cancelled; how a child begins."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from daoqi_tui.children import complete, is_exhaustion

ROOT = Path(__file__).resolve().parents[1]


async def test_what_is_completed_goes_on_while_its_task_is_cancelled_which_it_is_then() -> None:
    going, held, done = asyncio.Event(), asyncio.Event(), []

    async def ending() -> None:
        going.set()
        await held.wait()
        done.append(True)

    task = asyncio.create_task(complete(ending()))
    await going.wait()
    for _ in range(2):
        task.cancel()
        await asyncio.sleep(0)
    assert not task.done()
    held.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert done == [True]


@pytest.mark.parametrize("cancelled", [False, True])
async def test_an_error_of_what_is_completed_is_raised_even_if_the_task_was_cancelled(cancelled: bool) -> None:
    going, held = asyncio.Event(), asyncio.Event()
    told: list[dict[str, object]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: told.append(context))

    async def ending() -> None:
        going.set()
        await held.wait()
        raise OSError("the process does not end")

    task = asyncio.create_task(complete(ending()))
    await going.wait()
    if cancelled:
        task.cancel()
        await asyncio.sleep(0)
    held.set()
    with pytest.raises(OSError, match="does not end") as raised:
        await task
    assert isinstance(raised.value.__cause__, asyncio.CancelledError) == cancelled
    assert told == []


async def test_what_is_cancelled_itself_cancels_its_task() -> None:
    async def ending() -> None:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await complete(ending())


def test_a_child_is_watched_before_anything_slow_is_imported() -> None:
    """Its module may take a second to import: until it is watched, the end of its parent would leave it behind."""
    code = "import daoqi_tui.children, sys; print(*{'asyncio', 'pathlib', 'subprocess'} & sys.modules.keys())"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r}); {code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == []


@pytest.mark.parametrize(
    ("first", "told"),
    [(MemoryError(), True), (RuntimeError("can't start new thread"), True), (ValueError("7"), False)],
)
def test_an_error_that_came_from_a_lack_of_memory_is_one(first: Exception, told: bool) -> None:
    assert is_exhaustion(first) == told
    for cause in (first, None):
        with pytest.raises(KeyError) as raised:
            _fail_after(first, cause)
        assert is_exhaustion(raised.value) == told


def _fail_after(first: Exception, cause: Exception | None) -> None:
    try:
        raise first
    except Exception:
        raise KeyError("board") from cause
