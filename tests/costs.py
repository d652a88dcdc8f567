"""The CPU time that tests take, with that of the processes they start: ``python -m tests.costs tests/engine``.

Unlike the times of ``--durations``, these hardly depend on what else the machine does.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pytest

_VARIABLE: Final = "DAOQI_COSTS"
"""Names the file that each process of the run appends to."""
_COLLECTION: Final = "collection, in each worker"
_SHOWN: Final = 40


def _spent() -> float:
    """Return the seconds of CPU time that this process and those below it have taken, ended ones included.

    Only Linux lists them. What a process has taken is lost if nobody waits for its end.
    """
    parents, ticks = {}, {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = file.read_text("utf-8", "replace").rpartition(")")[2].split()
            parents[int(file.parent.name)] = int(fields[1])
            ticks[int(file.parent.name)] = sum(map(int, fields[11:15]))
    found = [os.getpid()]
    for process in found:
        found += [child for child, parent in parents.items() if parent == process]
    return sum(ticks.get(process, 0) for process in found) / os.sysconf("SC_CLK_TCK")


@contextmanager
def _noted(what: str) -> Iterator[None]:
    before = _spent()
    yield
    with Path(os.environ[_VARIABLE]).open("a", encoding="utf-8") as file:
        file.write(f"{_spent() - before:.3f}\t{what}\n")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    with _noted(_COLLECTION):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    with _noted(item.nodeid):
        return (yield)


def main() -> None:
    """Run the tests that the arguments name, and list the files and the tests that took most."""
    with TemporaryDirectory() as folder:
        written = Path(folder) / "costs"
        command = [sys.executable, "-m", "pytest", "-p", "tests.costs", "-n", "2", *sys.argv[1:]]
        status = subprocess.run(command, env={**os.environ, _VARIABLE: str(written)}, check=False).returncode
        rows = [line.split("\t") for line in written.read_text("utf-8").splitlines()]
    tests, files = Counter[str](), Counter[str]()
    for seconds, name in rows:
        tests[name] += float(seconds)
        files[name.partition("::")[0]] += float(seconds)
    lines = [f"{sum(tests.values()):8.1f} s in all"]
    for found in (files, tests):
        lines += ["", *(f"{seconds:8.2f} s  {name}" for name, seconds in found.most_common(_SHOWN))]
    print(*lines, sep="\n")  # noqa: T201 (a script)
    sys.exit(status)


if __name__ == "__main__":
    main()
