"""The conformance cases: true by another implementation, passed by our engine, and failed by every planted fault."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shlex
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from daoqi_tui.engine import DAOQI
from daoqi_tui.lab.conformance.check import Finding, cases_file, check, read_cases
from tests.forked import run_python
from tests.lab.torus_engine import FAULTS, TorusEngine

CHECKER = Path(__file__).resolve().parents[2] / "docs" / "torus_check.py"


class Stopped(Exception):
    pass


def findings(engine: TorusEngine, kinds: tuple[str, ...] = ()) -> list[Finding]:
    """Return what is found of an engine, up to the first fault."""
    found: list[Finding] = []

    def note(finding: Finding) -> None:
        found.append(finding)
        if finding.outcome == "failed":
            raise Stopped

    # Its reader of ladders is simple: the longest take it seconds.
    cases = [case for case in read_cases() if case.kind != "ladder" or case.size <= 7 or "with" in case.name]
    with contextlib.suppress(Stopped):
        asyncio.run(check(engine, [case for case in cases if not kinds or case.kind in kinds], DAOQI, note))
    return found


def test_the_cases_are_true_by_rules_that_share_no_code():
    done = subprocess.run([sys.executable, CHECKER, cases_file()], capture_output=True, text=True, check=False)
    kinds = Counter(case.kind for case in read_cases())
    assert done.stdout.splitlines() == [f"0 wrong, {kinds['last eyes']} not checked, of {kinds.total()}"]
    assert done.returncode == 0


def test_the_cases_cover_what_the_kit_names():
    cases = read_cases()
    assert {case.kind for case in cases} == {"position", "score", "ladder", "opening", "last eyes"}
    assert {case.rules.ko for case in cases} == {"SITUATIONAL", "POSITIONAL", "SIMPLE"}
    assert {case.rules.suicide for case in cases} == {True, False}
    assert {case.rules.tie for case in cases} == {"WHITE", "BLACK", "NONE"}
    assert {case.size for case in cases} >= {2, 3, 4, 5, 9, 13, 16, 19, 25}
    assert {case.result for case in cases if case.kind == "ladder"} == {"captured", "escapes"}
    assert {case.same for case in cases if case.kind == "opening"} == {True, False}
    # An end that the count misjudges is what the last eyes are about.
    assert any("names the loser" in case.name for case in cases)
    assert len({case.name for case in cases}) == len(cases)


def test_an_engine_without_faults_passes():
    found = findings(TorusEngine())
    assert {finding.outcome for finding in found if finding.case.kind != "last eyes"} == {"passed"}
    # It cannot choose moves, and is not asked to.
    assert {finding.outcome for finding in found if finding.case.kind == "last eyes"} == {"not asked"}


@pytest.mark.parametrize("name", FAULTS)
def test_every_planted_fault_is_found(name: str):
    kinds = ("ladder",) if "ladder" in name else ("opening",) if "opening" in name else ()
    assert findings(FAULTS[name](), kinds)[-1].outcome == "failed"


def checked(folder: Path, engine: list[str]) -> tuple[int, str]:
    environment = {**os.environ, "XDG_CONFIG_HOME": str(folder), "XDG_STATE_HOME": str(folder), "LANGUAGE": "en"}
    done = run_python(["-m", "daoqi_tui", "conformance", shlex.join([sys.executable, *engine])], folder, environment)
    return done.returncode, done.stdout


def test_the_engine_passes_every_case(tmp_path: Path):
    status, text = checked(tmp_path, ["-m", "daoqi_tui", "gtp", "--level", "1"])
    counts = [list(map(int, re.findall(r"\d+", line))) for line in text.splitlines() if line.startswith("│")]
    assert status == 0
    assert len(counts) == 5
    assert [row[1:] for row in counts] == [[0, 0]] * 5
    assert sum(row[0] for row in counts) == len(read_cases())


FAILING = """
import sys
for line in sys.stdin:
    number, command = line.split(maxsplit=1)
    print("?" if "komi" in command or "list" in command else "=", number, "\\n", sep="", flush=True)
"""


def test_a_failing_engine_is_told_why(tmp_path: Path):
    script = tmp_path / "engine.py"
    script.write_text(FAILING)
    status, text = checked(tmp_path, [str(script)])
    assert status == 1
    assert re.search(r"^failed: the empty board, a tie is for White: komi 0 is refused$", text, re.MULTILINE)
    # It has no kata-set-rules, and is taken to play by Daoqi's.
    assert "not asked: the engine cannot be set to these rules" in text
