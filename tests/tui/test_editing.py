"""Editing a record on the screen: variations, information, annotations, arrows and lines, each with undo."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual.widgets import Static

from daoqi_tui.engine.clock import TimeControl
from daoqi_tui.play.session import GameSetup, Session
from daoqi_tui.tui.features.notes.dialogs import InformationScreen
from daoqi_tui.tui.panes.study import CommentPane
from daoqi_tui.tui.screens import Picker
from tests.tui.driving import Person, playing, until

RECORD = b"(;SZ[9]KM[4]RU[Daoqi]PB[Ke]PW[Go];B[ee];W[cc](;B[gg];W[gc])(;B[gc];W[cg]))"


def opened() -> Session:
    return Session.opened(RECORD, torus=True)


@asynccontextmanager
async def editing(record: bytes = RECORD) -> AsyncIterator[Person]:
    async with playing() as person:
        person.app.screen.begin(Session.opened(record, torus=True))
        await person.settle()
        yield person


async def go_to(person: Person, *way: int) -> None:
    node = person.game.root
    for place in way:
        node = node.children[place]
    person.app.screen.match.goto(node)
    await person.settle()


async def test_a_variation_is_deleted_and_comes_back() -> None:
    async with editing() as person:
        before = person.session.record()
        await go_to(person, 0, 0, 0)
        await person.press("delete")
        assert person.status.startswith("2 moves deleted; u undoes it")
        assert b"gg" not in person.session.record()
        assert person.game.node.number == 2
        await person.press("u")
        assert person.status.startswith("Undone: Delete variation")
        assert person.session.record() == before
        await person.press("U")
        assert person.status.startswith("Redone: Delete variation")
        assert b"gg" not in person.session.record()


async def test_a_variation_is_cut_pasted_promoted_and_kept_alone() -> None:
    async with editing() as person:
        await go_to(person, 0, 0, 1)
        await person.press("ctrl+x")
        assert len(person.game.root.children[0].children[0].children) == 1
        await person.press("insert")
        assert person.status.startswith("Variation pasted; u undoes it")
        assert person.game.node.number == 3
        await person.press("asterisk")
        assert person.game.root.line()[2] is person.game.node
        await person.press("asterisk")
        assert person.status.startswith("This is the main line already")
        await person.press("dollar_sign")
        assert b"gg" not in person.session.record()
        await person.press("u", "u", "u", "u")
        assert person.session.record() == opened().record()


async def test_a_variation_is_copied_to_another_game() -> None:
    async with editing() as person:
        await go_to(person, 0, 0, 0)
        await person.press("ctrl+y")
        assert person.status.startswith("2 moves copied")
        person.app.screen.begin(Session(GameSetup(9)))
        await person.press("ctrl+v")
        assert len(list(person.game.root.walk())) == 3


async def test_the_game_information_is_edited() -> None:
    async with editing() as person:
        await person.press("f5")
        await until(person, lambda: isinstance(person.app.screen, InformationScreen))
        await person.enter_text("#black_rank", "9p")
        await person.enter_text("#event", "第一届 Cup")
        await person.enter_text("#result", "黑中盘胜")
        await person.enter_text("#komi", "abc")
        await person.press("enter")
        assert isinstance(person.app.screen, InformationScreen)
        await person.enter_text("#komi", "3.5")
        await person.press("enter")
        await until(person, lambda: person.at_the_board)
        record = person.session.record().decode()
        for text in ("BR[9p]", "EV[第一届 Cup]", "RE[B+R]", "KM[3.5]", "PB[Ke]"):
            assert text in record
        await person.press("u")
        assert person.session.record() == opened().record()


async def test_what_is_not_changed_in_the_form_stays_as_it_is_written() -> None:
    record = b"(;SZ[9]KM[4]RU[Chinese]PB[ a  b ]RE[White wins]DT[1.1.2020]C[x];B[ee])"
    async with editing(record) as person:
        before = person.session.record()
        await person.press("f5")
        await until(person, lambda: isinstance(person.app.screen, InformationScreen))
        await person.press("enter")
        await until(person, lambda: person.at_the_board)
        assert person.session.record() == before


async def test_an_annotation_is_shown_beside_the_board() -> None:
    async with editing() as person:
        await go_to(person, 0, 0, 0)
        await person.press("exclamation_mark")
        await until(person, lambda: isinstance(person.app.screen, Picker))
        await person.press("down", "down", "enter")
        await until(person, lambda: person.at_the_board)
        assert person.game.node.properties == {"BM": ["1"]}
        assert any("G3  ?" in line for line in person.history_lines())
        assert "? Bad move" in str(person.app.screen.query_one(CommentPane).query_one(Static).content)
        await person.press("u")
        assert person.game.node.properties is None
        assert not any("G3  ?" in line for line in person.history_lines())


@pytest.mark.parametrize(("key", "name"), [("circumflex_accent", "AR"), ("backslash", "LN")])
async def test_an_arrow_is_drawn_from_point_to_point(key: str, name: str) -> None:
    async with editing() as person:
        await go_to(person, 0)
        start = person.game.torus.name(person.app.screen.cursor.point, "sgf")
        await person.press(key)
        assert person.status.startswith("From ")
        await person.press("l", "l", "j", key)
        end = person.game.torus.name(person.app.screen.cursor.point, "sgf")
        assert person.game.node.properties == {name: [f"{start}:{end}"]}
        await person.press("h", "h", "k", key, "l", "l", "j", key)
        assert person.game.node.properties is None
        await person.press(key, "escape", "l", key)
        assert person.game.node.properties is None


async def test_a_running_clock_forbids_editing() -> None:
    async with playing(setup=GameSetup(9, time=TimeControl(600))) as person:
        await person.play("E5", "C7")
        for key in ("delete", "ctrl+x", "asterisk", "f5"):
            await person.press(key)
            assert person.status.startswith("The clock is running; edit the record when the game is over")
        assert len(person.moves) == 2
