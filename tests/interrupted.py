"""How long a run of tests that hang takes to end after Ctrl+C: ``python -m tests.interrupted``."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.waiting import HANG, wait_until

ROOT: Final = Path(__file__).resolve().parents[1]

HANGS: Final = {
    "child": "wait_for_a_child_that_ignores_the_signal()",
    "fixture": "request.addfinalizer(hang)",
    "thread": "threading.Thread(target=hang).start()",
    "loop": "asyncio.run(asyncio.sleep(3600))",
}
"""What the tests hang on."""

_TESTS: Final = """
import asyncio, os, pathlib, subprocess, sys, threading

import pytest

FOLDER = pathlib.Path(__file__).parent


def hang():
    while True:
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            pass


def wait_for_a_child_that_ignores_the_signal():
    code = "import signal, time; signal.signal(signal.SIGINT, signal.SIG_IGN); print(flush=True); time.sleep(3600)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, start_new_session=True) as child:
        child.stdout.readline()
        (FOLDER / "child.pid").write_text(str(child.pid))
        hang()


def test_fails():
    assert 6 * 9 == 42, "the answer"


@pytest.mark.parametrize("again", range(2))
def test_hangs(again, request):
    (FOLDER / f"{os.getpid()}.started").touch()
    %s
    hang_until_interrupted()


def hang_until_interrupted():
    threading.Event().wait()
"""

SETTINGS: Final = "[pytest]\naddopts = -p xdist.plugin -p tests.plugin\n"
"""Of runs of their own: the plugins for Textual and hypothesis take a second in each of their processes."""


def environment() -> dict[str, str]:
    """Return the variables for such a run."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


@dataclass(frozen=True)
class Interrupted:
    """What a run did that was interrupted while its tests hung."""

    before: str
    """What it had written when it was interrupted."""
    status: int
    seconds: float
    processes: tuple[int, ...]
    """The processes that ran or had been started by tests."""


def interrupted(folder: Path, hang: str, workers: int) -> Interrupted:
    """Run tests that hang in `folder`; press Ctrl+C once all workers hang, and wait for the end.

    Args:
        hang: a name of :data:`HANGS`.
        workers: the number of processes that run tests, 0 for none beside pytest.
    """
    (folder / "test_hanging.py").write_text(_TESTS % HANGS[hang], "utf-8")
    (folder / "pytest.ini").write_text(SETTINGS, "utf-8")
    output = folder / "output"
    with (
        output.open("wb") as writing,
        subprocess.Popen(
            [sys.executable, "-m", "pytest", "-q", "-n", str(workers), "--dist", "loadgroup"],
            cwd=folder,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=writing,
            stderr=writing,
            start_new_session=True,
        ) as run,
    ):
        read = output.read_text
        # A child is the last that a test starts, so that this says that it is there.
        children = (folder / "child.pid",) if hang == "child" else ()
        wait_until(
            lambda: (
                len([*folder.glob("*.started")]) == max(workers, 1)
                and "test_fails" in read("utf-8")
                and all(each.is_file() and each.read_text("utf-8") for each in children)
            ),
            lambda: read("utf-8"),
        )
        before = read("utf-8")
        start = time.monotonic()
        os.killpg(run.pid, signal.SIGINT)
        status = run.wait(HANG)
        seconds = time.monotonic() - start
    processes = (
        *(int(each.stem) for each in folder.glob("*.started")),
        *(int(each.read_text("utf-8")) for each in children),
    )
    return Interrupted(before, status, seconds, processes)


def main() -> None:
    """Print the seconds for each kind of hang, with and without workers."""
    for workers in (0, 2):
        for hang in HANGS:
            with TemporaryDirectory() as folder:
                ended = interrupted(Path(folder), hang, workers)
            print(f"{workers} workers, tests hang on a {hang}: ended after {ended.seconds:.2f} s")  # noqa: T201 (a script)


if __name__ == "__main__":
    main()
