"""Every shipped problem is solved by our own solver and by a program that shares no code with it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from daoqi_tui.analysis.problems import Problem, Step, faults, rim_is_alive
from daoqi_tui.engine import Board, opponent
from daoqi_tui.paths import assets_folder
from daoqi_tui.play.problem_files import SHIPPED, shipped
from tests.shared_data import SHARED
from tests.thorough import THOROUGH, rounds

CHECKS = SHARED / "checks" / "problems"
PROVED = "b1a97284fc68f2d0070e6a1952e660bb4fbf27e6f4dc5e758e0dd6d9d7159d76"
"""The digest of the problems and of the independent programs when these had proved them.

They share no code with ours, so they find the same again: 15 seconds of CPU time. A thorough run has them do so.
"""


PROBLEMS = "7d5c9a2660083bc31aa65d4b484172476323e03b5f102d271df96c11e481e5bf"
"""The digest of the problems when our solver had proved each of them.

As long as they are these, the ordinary run has it prove every third again, in 3 of 9 seconds: that finds what became
wrong with the solver. A thorough run has it prove all.
"""


def test_our_solver_proves_every_shipped_problem() -> None:
    digest = sha256((assets_folder() / SHIPPED).read_bytes()).hexdigest()
    sys.stdout.write(f"the problems: {digest}\n")
    chosen = list(shipped())[:: rounds(3, 1) if digest == PROBLEMS else 1]
    assert {problem.name: found for problem in chosen if (found := faults(problem))} == {}


def test_the_chains_around_an_area_live_whatever_happens_in_it() -> None:
    areas = [problem for problem in shipped() if problem.area]
    assert areas
    assert [problem.name for problem in areas if not rim_is_alive(problem)] == []


def moves_after_the_end(problem: Problem, board: Board, steps: tuple[Step, ...]) -> Iterator[str]:
    """Yield the board of each position in an answer where the target is gone and the line goes on."""
    for step in steps:
        board.make(step.move)
        gone = board.colours[problem.target] != opponent(problem.position.to_move)
        if gone and step.replies:
            yield f"{problem.name}\n{board}"
        else:
            yield from moves_after_the_end(problem, board, step.replies)
        board.undo()


def test_a_line_ends_with_the_capture() -> None:
    found = []
    for problem in shipped():
        if problem.task == "capture":
            found += moves_after_the_end(problem, problem.position.board(), problem.steps)
    assert found == []


def sources() -> list[Path]:
    return [CHECKS / name for name in ("check.py", "outside.py", "solve.cpp")]


def proved_before() -> bool:
    """Return whether the independent programs have proved these very problems."""
    if THOROUGH or not CHECKS.exists():
        return False
    digest = sha256(b"".join(file.read_bytes() for file in (assets_folder() / SHIPPED, *sources()))).hexdigest()
    sys.stdout.write(f"the problems and what proves them: {digest}\n")
    return digest == PROVED


@pytest.fixture(scope="module")
def checks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the independent checker, compiled."""
    compiler = shutil.which("g++")
    if compiler is None or not CHECKS.exists():
        pytest.skip(f"the independent checker needs g++ and {CHECKS}")
    if proved_before():
        pytest.skip("the independent programs proved these very problems; DAOQI_TESTS=thorough has them do so again")
    folder = tmp_path_factory.mktemp("checks")
    for file in sources():
        shutil.copyfile(file, folder / file.name)
    subprocess.run([compiler, "-O2", "-o", str(folder / "solve"), str(folder / "solve.cpp")], check=True)
    return folder


def told(script: Path) -> str:
    command = [sys.executable, str(script), str(assets_folder() / SHIPPED)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.mark.timeout(300)
def test_an_independent_program_proves_every_fight(checks: Path) -> None:
    found = told(checks / "check.py")
    assert re.findall(r"^(?:FAULT|INFO) .*", found, re.MULTILINE) == []
    proved = sum(int(count) for count in re.findall(r"'proved \w+': (\d+)", found))
    assert proved == sum(problem.kind not in ("ladder", "opening") for problem in shipped())


def test_the_liberties_outside_an_area_change_no_answer(checks: Path) -> None:
    """It plays on the liberties outside of chains with two or fewer."""
    found = told(checks / "outside.py")
    areas = sum(bool(problem.area) for problem in shipped())
    assert f"{{'with area': {areas}, 'with a short outside chain': 0}}" in found
    assert f"{{'problems': {areas}, 'problems with a chain in atari on an outside point': 0}}" in found
