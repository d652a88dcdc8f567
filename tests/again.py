"""Part of the pytest plugin: the few failed tests of a whole run are run once more, with nothing beside them.

Among thousands of tests on a busy machine, one that depends on time may fail in one run and pass in the next. A test
that fails again fails the run; one that passes is printed as depending on time, which is a fault to mend, of the test
or of the program (see ``tests.disturbed``).
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Generator
from typing import Final

import pytest

MOST: Final = 3
"""So many failures may come from time; more of them are not run again."""
WHOLE: Final = 1000
"""So many tests pass in a run of all. Who runs a few of them wants to see the failure."""


class Again:
    """Registered in the process that hands out the tests."""

    def __init__(self) -> None:
        self._failed: dict[str, None] = {}
        self._passed = 0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._failed[report.nodeid] = None
        self._passed += report.passed and report.when == "call"

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> Generator[None]:
        """After the summary, run failed tests again where time may be the cause; their status is that of the run."""
        yield
        if exitstatus == pytest.ExitCode.TESTS_FAILED and self._passed >= WHOLE and 0 < len(self._failed) <= MOST:
            session.exitstatus = run(list(self._failed))


def run(names: list[str]) -> int:
    """Run tests in one process, print the outcome, and return pytest's status."""
    _say(f"Once more, alone: the {len(names)} failed tests")
    status = subprocess.run([sys.executable, "-m", "pytest", "-n", "0", *names], check=False).returncode
    if status == pytest.ExitCode.OK:
        _say("\n  ".join(("DEPENDS ON TIME: failed among the others, passed alone. Mend it:", *names)))
    return status


def _say(text: str) -> None:
    sys.stdout.write(f"\n{text}\n")
    sys.stdout.flush()
