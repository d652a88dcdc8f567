"""Whatever a key begins that takes long says what runs, how far it is, and how to stop it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from dataclasses import replace
from time import monotonic

import pytest
from textual.widgets import Static

from daoqi_tui.ai import Position
from daoqi_tui.play import background
from daoqi_tui.play.reading import Reader
from daoqi_tui.play.session import Computer, GameSetup
from daoqi_tui.tui.features.openings.screen import OpeningScreen
from daoqi_tui.tui.features.problems.position import Proving
from daoqi_tui.tui.look import Options
from tests.play.quick import PlayerFactory, leading
from tests.tui.driving import playing, until
from tests.tui.test_openings import SMALL, open_page
from tests.tui.test_own_problem import ALIVE, editing
from tests.tui.thinkers import analysed_by

LATER = 7
"""Seconds by which the clock of a wait is put forward."""


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Show how far a wait is without a pause."""
    monkeypatch.setattr(background, "EVERY", 0.01)


def put_forward(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "monotonic", lambda: monotonic() + LATER)


@pytest.mark.parametrize(
    ("keys", "what", "how_far", "stops"),
    [
        (["H"], "Looking for the best moves …", "5 of 5 s", "escape"),
        (["e"], "Estimating …", f"{LATER} s", "e"),
        (["p", "p", "y", "d"], "Looking for dead stones …", f"{LATER} s", "d"),
        (["V"], "Reviewing the game …", "1 of 2, at most 2 s each", "V"),
    ],
)
async def test_the_status_line_says_how_far_it_is_until_it_is_stopped(
    keys: list[str], what: str, how_far: str, stops: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with playing(setup=SMALL) as person:
        analyst = analysed_by(person)
        await person.play("C3")
        # A search that has found nothing yet.
        analyst.answers[1] = replace(leading(Position.of(person.game), 0), lines=())
        analyst.may_answer.clear()
        await person.press(*keys)
        await until(person, lambda: what in person.status)
        put_forward(monkeypatch)
        name = {"escape": "Esc"}.get(stops, stops)
        await until(person, lambda: f"{what}  ·  {how_far}  ·  {name} stops" in person.status)
        await person.press(stops)
        await until(person, lambda: what not in person.status)
        analyst.may_answer.set()
        await person.settle()
        assert what not in person.status


async def test_a_hint_says_how_far_the_search_is_beside_what_it_has_found(monkeypatch: pytest.MonkeyPatch) -> None:
    async with playing(setup=SMALL) as person:
        analyst = analysed_by(person)
        await person.play("C3")
        analyst.may_answer.clear()
        put_forward(monkeypatch)
        await person.press("H")
        await until(person, lambda: "Look in the highlighted area  ·  5 of 5 s" in person.status)
        await person.press("H", "H")
        await until(person, lambda: "About even" in person.status)
        assert "5 of 5 s" in person.status
        assert "Esc stops" in person.status
        analyst.may_answer.set()
        await until(person, lambda: "Esc clears" in person.status)
        assert "5 of 5 s" not in person.status


async def test_what_teach_mode_looks_at_is_said_and_escape_has_the_computer_move(
    monkeypatch: pytest.MonkeyPatch, factory: PlayerFactory
) -> None:
    async with playing(setup=GameSetup(size=5, white_seat=Computer(3)), options=Options(teach=3)) as person:
        analyst = analysed_by(person)
        await person.click_point("C3")
        await until(person, lambda: len(person.moves) == 2)
        analyst.may_answer.clear()
        put_forward(monkeypatch)
        await person.click_point("B2")
        await until(person, lambda: "Looking at your move …  ·  3 of 3 s  ·  Esc: move now" in person.status)
        assert analyst.asked
        await person.press("escape")
        await until(person, lambda: len(person.moves) == 4)
        assert person.at_the_board, "nothing is asked"


async def test_the_page_of_an_opening_says_so_too(monkeypatch: pytest.MonkeyPatch) -> None:
    async def analyse(*_: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr("daoqi_tui.play.analyst.analyse", analyse)
    async with playing(setup=SMALL) as person:
        await open_page(person)
        await person.press("enter")
        await until(person, lambda: isinstance(person.app.screen, OpeningScreen))
        page = person.open(OpeningScreen)

        def said() -> str:
            return str(page.query_one("#complaint", Static).content)

        await person.press("a")
        await until(person, lambda: "Looking for the best moves …" in said())
        put_forward(monkeypatch)
        await until(person, lambda: said() == "Looking for the best moves …  ·  5 of 5 s  ·  Esc stops")
        await person.press("escape")
        await until(person, lambda: said() == "Search stopped")
        assert person.app.screen is page


async def test_the_search_for_a_proof_says_how_long_it_has_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    deaf = (sys.executable, "-c", "import sys; sys.stdin.read()")
    monkeypatch.setattr("daoqi_tui.tui.features.problems.position.Reader", lambda: Reader(deaf))
    async with playing(setup=GameSetup(9)) as person:
        screen = await editing(person, ALIVE)
        await person.press("p")
        await until(person, lambda: isinstance(person.app.screen, Proving))
        put_forward(monkeypatch)
        await until(person, lambda: f"Looking for the answer to every move …  ·  {LATER} s" in person.question())
        await person.press("escape")
        await until(person, lambda: person.app.screen is screen)


@pytest.mark.parametrize("ends", [False, True], ids=["stopped", "ended"])
async def test_what_was_due_before_a_wait_was_over_is_not_shown_after_it(ends: bool) -> None:
    said: list[str] = []
    due: list[Callable[[], object]] = []
    over = asyncio.Event()

    class Interval:
        def __init__(self, _seconds: float, tell: Callable[[], object]) -> None:
            due.append(tell)

        def stop(self) -> None:
            pass

    async def work() -> None:
        with background.shown(background.Wait("Looking …"), Interval, said.append):
            await over.wait()
        await asyncio.Event().wait()

    task = asyncio.create_task(work())
    await asyncio.sleep(0)
    due[0]()
    assert said == ["Looking …"]
    if ends:
        over.set()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    else:
        task.cancel()
    due[0]()
    assert said == ["Looking …"]
    task.cancel()
