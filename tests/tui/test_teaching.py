"""Teach mode on the game screen: the question beside the board, the better move on it, and the answers."""

from __future__ import annotations

import pytest
from textual.screen import Screen

from daoqi_tui.ai import Position
from daoqi_tui.engine import BLACK
from daoqi_tui.play.session import Computer, GameSetup
from daoqi_tui.record.sgf.markup import comment
from daoqi_tui.tui.features.notes.dialogs import CommentScreen
from daoqi_tui.tui.features.program.menu import HelpScreen
from daoqi_tui.tui.features.torus import TorusScreen
from daoqi_tui.tui.look import Options
from daoqi_tui.tui.screens import SideQuestion
from tests.play.quick import QuickAnalyst, leading
from tests.tui.driving import Person, playing, until
from tests.tui.thinkers import analysed_by

AS_BLACK = GameSetup(size=5, white_seat=Computer(3))


async def before_blunder(person: Person) -> tuple[QuickAnalyst, int]:
    """Play until B2 would lose four points; return the fake analyst that finds this, and the better point."""
    analyst = analysed_by(person)
    await person.click_point("C3")
    await until(person, lambda: person.moves == ["C3", "A5"])
    better = person.game.torus.parse("E1")
    analyst.answers[2] = leading(Position.of(person.game), 4.0, better)
    return analyst, better


async def blunder_beneath(person: Person, key: str, screen: type[Screen[object]]) -> QuickAnalyst:
    """Lose four points and open a screen by its key during the evaluation; return the analyst."""
    analyst, _better = await before_blunder(person)
    analyst.may_answer.clear()
    await person.click_point("B2")
    await person.press(key)
    await until(person, lambda: isinstance(person.app.screen, screen))
    return analyst


async def blunder(person: Person) -> int:
    """Lose four points with the second move; return the better point."""
    _analyst, better = await before_blunder(person)
    await person.click_point("B2")
    await until(person, lambda: isinstance(person.app.screen, SideQuestion))
    return better


@pytest.mark.usefixtures("factory")
async def test_a_bad_move_is_questioned_and_the_better_one_shows() -> None:
    async with playing(setup=AS_BLACK, options=Options(teach=3)) as person:
        better = await blunder(person)
        assert "E1 was 4.0 points better" in person.question()
        assert "network, 100 visits" in person.question()
        assert person.board.picture.proposed == {better: BLACK}
        await person.press("u")
        await until(person, lambda: person.at_the_board)
        assert person.moves == ["C3", "A5"]
        assert person.board.picture.proposed == {}


@pytest.mark.usefixtures("factory")
async def test_a_move_that_is_kept_is_answered() -> None:
    async with playing((80, 24), setup=AS_BLACK, options=Options(teach=3)) as person:
        await blunder(person)
        await person.press("escape")
        await until(person, lambda: len(person.moves) == 4)
        assert person.board.picture.proposed == {}


@pytest.mark.usefixtures("factory")
async def test_the_question_waits_for_what_is_being_written() -> None:
    async with playing(setup=AS_BLACK, options=Options(teach=3)) as person:
        analyst = await blunder_beneath(person, "i", CommentScreen)
        await person.type("why?")
        analyst.may_answer.set()
        await until(person, lambda: person.screen.match.turns.questioned is not None)
        await person.wait()
        node = person.game.node
        person.open(CommentScreen)
        await person.press("ctrl+s")
        await until(person, lambda: isinstance(person.app.screen, SideQuestion))
        assert comment(node) == "why?"
        await person.press("u")
        await until(person, lambda: person.moves == ["C3", "A5"])


@pytest.mark.usefixtures("factory")
async def test_a_move_that_is_undone_before_the_question_shows_is_not_asked_about() -> None:
    async with playing(setup=AS_BLACK, options=Options(teach=3)) as person:
        analyst = await blunder_beneath(person, "question_mark", HelpScreen)
        analyst.may_answer.set()
        await until(person, lambda: person.screen.match.turns.questioned is not None)
        person.screen.match.undo()
        await person.press("escape")
        await until(person, lambda: person.at_the_board)
        await person.wait()
        assert person.at_the_board


@pytest.mark.usefixtures("factory")
async def test_the_question_is_asked_over_the_torus_too() -> None:
    async with playing(setup=AS_BLACK, options=Options(teach=3)) as person:
        await before_blunder(person)
        await person.press("3")
        await until(person, lambda: isinstance(person.app.screen, TorusScreen))
        person.screen.point_chosen(person.game.torus.parse("B2"))
        await until(person, lambda: isinstance(person.app.screen, SideQuestion))
        await person.press("u")
        await until(person, lambda: person.moves == ["C3", "A5"])
        person.open(TorusScreen)


async def test_the_key_turns_teach_mode_on_and_off() -> None:
    async with playing(setup=AS_BLACK) as person:
        await person.press("B")
        assert person.screen.options.teach == 3
        assert "3 points or more" in person.status
        await person.press("B")
        assert person.screen.options.teach == 0
