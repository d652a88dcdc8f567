"""The CPU time of a process and all its descendants."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from daoqi_tui.lab.match.cpu import cpu_seconds

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="CPU time is read from /proc")
BUSY = """
import subprocess, sys, time
def work():
    while time.process_time() < 0.2: pass
if len(sys.argv) > 1:
    work()
    print("done", flush=True)
    sys.stdin.read()
else:
    ended = subprocess.run([sys.executable, __file__, "x"], input="", text=True)
    with subprocess.Popen([sys.executable, __file__, "x"], stdin=subprocess.PIPE) as child:
        sys.stdin.read()
"""


def test_children_count_also_those_that_have_ended(tmp_path: Path):
    (tmp_path / "busy (1).py").write_text(BUSY, "utf-8")
    command = [sys.executable, str(tmp_path / "busy (1).py")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        assert [program.stdout.readline() for _ in range(2)] == ["done\n"] * 2
        found = cpu_seconds(program.pid)
        assert found is not None
        # The system truncates each process's time to hundredths of a second. Without the ended child it would be 0.2.
        assert 0.3 < found < 5
        program.communicate("")


def test_a_process_that_is_not_there_has_none():
    with subprocess.Popen([sys.executable, "-c", ""]) as program:
        program.wait()
        assert cpu_seconds(program.pid) is None
    assert cpu_seconds(None) is None
