"""A run names a failing test while others still run, and Ctrl+C ends it with all that it has started."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import cache_from_source
from pathlib import Path

import pytest
from _pytest.assertion import rewrite

from tests import again, compiling
from tests.interrupted import SETTINGS, environment, interrupted
from tests.waiting import is_running, wait_until


@pytest.mark.parametrize(("workers", "hang"), [(0, "fixture"), (2, "child")])
def test_a_run_names_a_failing_test_at_once_and_ends_with_ctrl_c(workers: int, hang: str, tmp_path: Path) -> None:
    ended = interrupted(tmp_path, hang, workers)
    assert "FAILED test_hanging.py::test_fails\n" in ended.before
    assert "the answer" in ended.before
    assert ended.status == pytest.ExitCode.INTERRUPTED
    wait_until(lambda: not any(is_running(process) for process in ended.processes))


_TESTS = """
from pathlib import Path


def test_passes(): pass


def test_passes_alone():
    marker = Path(__file__).with_name("tried")
    tried = marker.exists()
    marker.touch()
    assert tried
"""
_ALWAYS = """
def test_fails_always(): assert False
"""


@pytest.mark.parametrize("tests", [_TESTS, _TESTS + _ALWAYS], ids=["one passes alone", "one fails again"])
def test_the_failed_tests_of_a_whole_run_decide_it_when_they_are_run_alone(tests: str, tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text(SETTINGS, "utf-8")
    (tmp_path / "conftest.py").write_text("from tests import again\nagain.WHOLE = 1\n", "utf-8")
    (tmp_path / "test_it.py").write_text(tests, "utf-8")
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", "-n", "2", "test_it.py"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "FAILED test_it.py::test_passes_alone" in ended.stdout
    assert "Once more" in ended.stdout
    assert ("DEPENDS ON TIME" in ended.stdout) == (_ALWAYS not in tests)
    assert (ended.returncode == 0) == (_ALWAYS not in tests)


@pytest.mark.parametrize(
    ("passed", "failed", "status"), [(again.WHOLE, again.MOST + 1, 1), (again.WHOLE - 1, 1, 1), (again.WHOLE, 1, 2)]
)
def test_other_runs_end_as_they_did(passed: int, failed: int, status: int) -> None:
    class Session:
        exitstatus = status

    decides = again.Again()
    for number in range(passed + failed):
        outcome = "passed" if number < passed else "failed"
        decides.pytest_runtest_logreport(
            pytest.TestReport(f"no test {number}", ("", None, ""), {}, outcome, None, "call")
        )
    end = decides.pytest_sessionfinish(Session(), status)
    next(end)
    with pytest.raises(StopIteration):
        next(end)
    assert Session.exitstatus == status


def test_each_worker_begins_to_compile_at_another_source_and_leaves_alone_what_others_have_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config
) -> None:
    for name in ("conftest.py", "helper.py", "test_one.py", "test_two.py"):
        (tmp_path / name).write_text("def test_it():\n    assert 1 + 1 == 2\n", "utf-8")
    (tmp_path / "test_wrong.py").write_text("def test_it() assert", "utf-8")
    monkeypatch.setattr(compiling, "PACKAGE", tmp_path / "helper.py")
    monkeypatch.setattr(pytestconfig, "args", [str(tmp_path), f"{tmp_path}/test_one.py::test_it"])
    order: list[str] = []
    compile_file = compiling.compile_file

    def noted(file: Path, config: pytest.Config) -> bool:
        if done := compile_file(file, config):
            order.append(file.name)
        return done

    monkeypatch.setattr(compiling, "compile_file", noted)
    for worker in ("gw1", "gw0"):
        with monkeypatch.context() as patch:
            patch.setattr(pytestconfig, "workerinput", {"workerid": worker, "workercount": 2}, raising=False)
            compiling.compile_in_turn(pytestconfig)
    assert order == ["test_one.py", "test_two.py", "conftest.py", "helper.py"]
    for name in ("conftest", "test_one", "test_two"):
        compiled = rewrite.get_cache_dir(tmp_path / name) / f"{name}{rewrite.PYC_TAIL}"
        assert rewrite._read_pyc(tmp_path / f"{name}.py", compiled) is not None
    assert Path(cache_from_source(str(tmp_path / "helper.py"))).exists()
