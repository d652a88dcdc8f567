"""Problems made in the position editor: proved by search, solved, and saved."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from textual.widgets import Static

from daoqi_tui.engine import BLACK, Colour
from daoqi_tui.play.problem_files import read_collection
from daoqi_tui.play.reading import Reader
from daoqi_tui.play.session import GameSetup
from daoqi_tui.tui.features.problems.position import PositionScreen
from daoqi_tui.tui.features.problems.screen import ProblemList, ProblemScreen
from daoqi_tui.tui.screens import Prompt, Question
from tests.tui.driving import Person, playing, until
from tests.tui.test_problems import keeping

SHAPE = """
    .........
    .XXXXXXX.
    .XOOOOOX.
    .XO...OX.
    .XOOOOOX.
    .XXXXXXX.
    .........
    .........
    .........
    """
ALIVE = SHAPE.replace("XO...OX", "XO.O.OX")


@pytest.fixture(autouse=True)
def _folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for module in ("problem_files", "problems"):
        monkeypatch.setattr(f"daoqi_tui.play.{module}.library_folder", lambda: tmp_path / "games")


async def editing(person: Person, picture: str, to_move: Colour = BLACK) -> PositionScreen:
    """Open the position editor on the picture; the cursor is on the white chain."""
    await person.lay_out(picture, to_move)
    await person.press("f6")
    await until(person, lambda: isinstance(person.app.screen, PositionScreen))
    return person.open(PositionScreen)


def said(screen: PositionScreen) -> str:
    return str(screen.query_one("#position-said", Static).content)


async def test_it_is_proved_solved_kept_and_found_again(tmp_path: Path) -> None:
    async with keeping(tmp_path, setup=GameSetup(9)) as person:
        screen = await editing(person, SHAPE)
        await person.press("p")
        await until(person, lambda: isinstance(person.app.screen, ProblemScreen))
        solving = person.open(ProblemScreen)
        assert solving.practice.problem.task == "capture"
        solving.play_at(solving.practice.problem.right[0])
        await until(person, lambda: not solving._coming)
        await person.press("escape")
        await until(person, lambda: isinstance(person.app.screen, Question))
        await person.press("y")
        await until(person, lambda: person.app.screen is screen and "problems.sgf" in said(screen))
        assert len(read_collection(tmp_path / "problems.sgf").problems) == 1
        await person.press("escape")
        await until(person, lambda: person.at_the_board)
        await person.press("f7")
        await until(person, lambda: isinstance(person.app.screen, ProblemList))
        await person.press("o")
        await until(person, lambda: isinstance(person.app.screen, Prompt))
        await person.press("enter")
        await until(person, lambda: isinstance(person.app.screen, ProblemScreen))
        assert person.open(ProblemScreen).practice.problem.right == solving.practice.problem.right


async def test_where_nothing_is_proved_that_is_said_and_nothing_changes(tmp_path: Path) -> None:
    async with playing(setup=GameSetup(9)) as person:
        screen = await editing(person, ALIVE)
        before = bytes(screen.editor.stones)
        await person.press("p")
        await until(person, lambda: "Nothing to find" in said(screen))
        assert bytes(screen.editor.stones) == before
        assert not (tmp_path / "problems.sgf").exists()


async def test_the_chain_is_the_one_marked_or_under_the_cursor() -> None:
    async with playing(setup=GameSetup(9)) as person:
        screen = await editing(person, SHAPE)
        await person.press("k", "p")
        await until(person, lambda: "Which chain" in said(screen))
        torus = screen.editor.torus
        screen.editor.apply(torus.point(2, 2), "triangle")
        assert screen.editor.marked_chain() == torus.point(2, 2)
        screen.editor.apply(torus.point(1, 1), "triangle")
        assert screen.editor.marked_chain() is None


async def test_a_process_that_ends_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("daoqi_tui.tui.features.problems.position.Reader", lambda: Reader((sys.executable, "-c", "")))
    async with playing(setup=GameSetup(9)) as person:
        screen = await editing(person, ALIVE)
        await person.press("p")
        await until(person, lambda: "ended" in said(screen))
