"""Run failed tests once more, with nothing beside them: ``python -m tests.again STATUS``.

Among thousands of tests on a busy machine, one that depends on time may fail in one run and pass in the next. A run
that ended with status 1 and few failures is decided here: a test that fails again fails the run; one that passes is
printed as depending on time, which is a fault to mend, of the test or of the program (see ``tests.disturbed``).
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

MOST: Final = 3
"""So many failures may come from time; more of them are not run again."""
_FAILED: Final = Path(".pytest_cache/v/cache/lastfailed")


def _say(text: str) -> None:
    sys.stdout.write(f"\n{text}\n")
    sys.stdout.flush()


def main(arguments: list[str]) -> int:
    """Return the status of the run: that of the tests run again, or ``STATUS`` where none are."""
    status = int(arguments[0])
    if status != pytest.ExitCode.TESTS_FAILED or not _FAILED.exists():
        return status
    names = list(json.loads(_FAILED.read_text("utf-8")))
    if not 0 < len(names) <= MOST:
        return status
    _say(f"Once more, alone: {len(names)} of the tests failed")
    again = subprocess.run([sys.executable, "-m", "pytest", "-n", "0", *names], check=False).returncode
    if again == pytest.ExitCode.OK:
        _say("\n  ".join(("DEPENDS ON TIME: failed among the others, passed alone. Mend it:", *names)))
    return again


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
