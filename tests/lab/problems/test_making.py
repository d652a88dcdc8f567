"""Generating a problem collection gives the same result in one run or in several."""

from __future__ import annotations

from pathlib import Path

from daoqi_tui.engine import Board
from daoqi_tui.lab.problems.making import NetworkJudge, make
from daoqi_tui.play.problem_files import read_collection


class Unsure(NetworkJudge):
    """A fake network with a uniform policy."""

    def __init__(self) -> None:
        pass

    def policy(self, board: Board) -> list[float]:
        return [1 / (board.torus.points + 1)] * (board.torus.points + 1)


def test_a_run_goes_on_with_the_kind_where_the_last_one_ended(tmp_path: Path) -> None:
    made = {}
    for name, runs in (("once", [4]), ("by and by", [1, 2, 1])):
        path = tmp_path / f"{name}.sgf"
        for count in runs:
            assert len(list(make(path, count, 7, Unsure(), ("capture", "ladder")))) == count
        made[name] = [problem.name for problem in read_collection(path).problems]
    assert [name.split("-")[0] for name in made["once"]] == ["capture", "ladder"] * 2
    assert made["by and by"] == made["once"]
