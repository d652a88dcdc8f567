"""A run names a failing test while others still run, and Ctrl+C ends it with all that it has started."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interrupted import interrupted
from tests.waiting import is_running, wait_until


@pytest.mark.parametrize(("workers", "hang"), [(0, "fixture"), (2, "child")])
def test_a_run_names_a_failing_test_at_once_and_ends_with_ctrl_c(workers: int, hang: str, tmp_path: Path) -> None:
    ended = interrupted(tmp_path, hang, workers)
    assert "FAILED test_hanging.py::test_fails\n" in ended.before
    assert "the answer" in ended.before
    assert ended.status == pytest.ExitCode.INTERRUPTED
    wait_until(lambda: not any(is_running(process) for process in ended.processes))
