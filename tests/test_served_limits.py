"""The limits of a game in a browser: window size, and memory of its process and child processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from daoqi_tui.children import EXHAUSTED, clamped
from tests.waiting import HANG

ROOT = Path(__file__).resolve().parents[1]
linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux holds programs to their memory")


def said_by(code: str, status: int = 0) -> list[str]:
    """Return what code prints in its own process, since a limit applies to the rest of a process."""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False, timeout=HANG
    )
    assert done.returncode == status, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize(
    ("size", "expected"),
    [((80, 24), (80, 24)), ((0, -7), (1, 1)), ((10**30, 10**30), (1000, 400)), ((1000, 400), (1000, 400))],
)
def test_windows_are_brought_within_bounds(size: tuple[int, int], expected: tuple[int, int]) -> None:
    assert clamped(*size) == expected


@linux
def test_more_memory_than_is_allowed_is_an_error_and_less_is_not() -> None:
    assert said_by("""
from daoqi_tui.children import limit_memory
limit_memory(256 << 20)
print(len(bytearray(100 << 20)))
try:
    bytearray(300 << 20)
except MemoryError:
    print("refused")
""") == [str(100 << 20), "refused"]


@linux
def test_programs_started_meanwhile_have_no_limit_and_those_after_have() -> None:
    assert said_by("""
import resource, subprocess, sys
from daoqi_tui.children import limit_memory, unlimited
usual = resource.getrlimit(resource.RLIMIT_DATA)
code = "import resource; print(resource.getrlimit(resource.RLIMIT_DATA)[0])"
def limit():
    return int(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout)
with unlimited():
    assert resource.getrlimit(resource.RLIMIT_DATA) == usual
limit_memory(256 << 20)
assert limit() == 256 << 20
with unlimited():
    # As of two that are started at the same time.
    first = unlimited()
    first.__enter__()
    first.__exit__(None, None, None)
    assert limit() == usual[1]
assert resource.getrlimit(resource.RLIMIT_DATA) == (256 << 20, usual[1])
print("done")
""") == ["done"]


@linux
def test_a_limit_of_the_system_that_is_lower_stays() -> None:
    assert (
        said_by("""
import resource
from daoqi_tui.children import limit_memory, unlimited
resource.setrlimit(resource.RLIMIT_DATA, (200 << 20, 200 << 20))
limit_memory(256 << 20)
with unlimited():
    print(*resource.getrlimit(resource.RLIMIT_DATA))
print(*resource.getrlimit(resource.RLIMIT_DATA))
""")
        == [str(200 << 20)] * 4
    )


@linux
def test_the_computer_has_a_limit_of_its_own_and_an_engine_none() -> None:
    assert said_by("""
import asyncio, os, resource, sys
from daoqi_tui.ai.process import PlayerProcess
from daoqi_tui.gtp.client import EngineProcess
from daoqi_tui.children import GAME_MEMORY, PLAYER_MEMORY, limit_memory
from tests.waiting import until
os.environ["TEXTUAL_DRIVER"] = "any"
hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
limit_memory(GAME_MEMORY)
async def main():
    engine = await EngineProcess.start([sys.executable, "-c", "input()"])
    assert resource.prlimit(engine.pid, resource.RLIMIT_DATA)[0] == hard
    await engine.end()
    async with PlayerProcess() as player:
        await player._start()
        assert player.pid is not None
        # It limits itself once it runs.
        await until(lambda: resource.prlimit(player.pid, resource.RLIMIT_DATA)[0] == PLAYER_MEMORY)
    assert resource.getrlimit(resource.RLIMIT_DATA)[0] == GAME_MEMORY
    print("done")
asyncio.run(main())
""") == ["done"]


def test_a_thread_that_ends_before_it_has_begun_for_want_of_memory_is_not_waited_for() -> None:
    assert said_by(
        """
from threading import Thread
from daoqi_tui import children
children._START = 0.5
children.end_when_exhausted()
Thread(target=lambda: print("begun")).start()
# As where there is no memory for the first call, nor for the hook that would be told.
Thread._bootstrap = lambda thread: None
Thread(target=print).start()
""",
        EXHAUSTED,
    ) == ["begun"]
