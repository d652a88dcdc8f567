"""What a person in a browser may not do: start programs, and read or write files of their choice."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest
from textual.widgets import Input, Static

from daoqi_tui.engine import BLACK
from daoqi_tui.play.seats import EngineSeat
from daoqi_tui.play.session import GameSetup, Session
from daoqi_tui.record.sgf.read import load
from daoqi_tui.tui.app import DaoqiApp
from daoqi_tui.tui.screens.dialogs import Choice, Picker, Prompt
from daoqi_tui.tui.screens.library import LibraryScreen
from daoqi_tui.tui.screens.setup import PlayersScreen
from tests.tui.driving import playing
from tests.tui.test_keeping import keeping, until


@pytest.fixture
def downloads(monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    """What is handed to the browser, by name; the program takes itself to be in one."""
    handed: dict[str, bytes] = {}

    def deliver(_app: DaoqiApp, file: BytesIO, *, save_filename: str, mime_type: str) -> str:
        assert mime_type == "application/x-go-sgf"
        handed[save_filename] = file.read()
        return "key"

    monkeypatch.setattr(DaoqiApp, "is_web", property(lambda _app: True))
    monkeypatch.setattr(DaoqiApp, "deliver_binary", deliver)
    return handed


@pytest.mark.usefixtures("downloads")
async def test_no_program_can_be_named() -> None:
    async with playing(setup=GameSetup(size=5)) as person:
        await person.press("C")
        kinds = person.open(PlayersScreen).query_one("#white-kind", Choice)
        assert [value for _label, value in kinds.choices] == ["person", "computer"]


@pytest.mark.usefixtures("downloads")
async def test_the_engine_that_the_owner_chose_stays_as_it_is() -> None:
    seat = EngineSeat("gnugo --mode gtp")
    async with playing(setup=GameSetup(size=5, black_seat=seat)) as person:
        await person.press("C")
        form = person.open(PlayersScreen)
        assert form.query_one("#black-command", Input).disabled
        await person.press("tab", *"rm")
        form.action_begin()
        await person.settle()
        assert person.session.seats[BLACK] == seat


async def test_a_saved_game_is_a_download(downloads: dict[str, bytes], tmp_path: Path) -> None:
    async with playing(setup=GameSetup(size=5)) as person:
        await person.play("C3", "B2")
        await person.press("w")
        await person.settle()
        assert not isinstance(person.app.screen, Prompt), "no name is asked for"
        assert "downloads" in person.status
    [(name, data)] = downloads.items()
    assert name == "game.sgf"
    assert load(data).game.root.line()[-1].number == 2
    assert not list(tmp_path.rglob("*.sgf"))


async def test_a_file_it_was_opened_from_is_left_as_it_is(downloads: dict[str, bytes], tmp_path: Path) -> None:
    source = tmp_path / "opened.sgf"
    source.write_bytes(b"(;GM[1]SZ[5]TO[3];B[cc])")
    async with keeping(tmp_path) as person:
        person.screen.begin(Session.opened(source.read_bytes(), source=source))
        await person.settle()
        await person.press("end")
        await person.play("B2")
        await person.press("w")
        await person.settle()
    assert list(downloads) == ["opened.sgf"]
    assert source.read_bytes() == b"(;GM[1]SZ[5]TO[3];B[cc])"


async def test_the_library_exports_to_downloads_and_imports_no_files(
    downloads: dict[str, bytes], tmp_path: Path
) -> None:
    async with keeping(tmp_path) as person:
        await person.press("b")
        await until(person, lambda: isinstance(person.app.screen, LibraryScreen))
        await until(person, lambda: person.app.screen.query_one("GameList").highlighted is not None)
        await person.press("f4")
        await person.settle()
        library = person.open(LibraryScreen)
        assert "pasting" in str(library.query_one("#complaint", Static).render())
        await person.press("f3")
        await until(person, lambda: isinstance(person.app.screen, Picker))
        await person.press("escape")
        await until(person, lambda: person.app.screen is library)
        await person.press("f3")
        await until(person, lambda: isinstance(person.app.screen, Picker))
        await person.press("down", "enter")
        await until(person, lambda: bool(downloads))
        assert "downloads" in str(library.query_one("#complaint", Static).render())
    [(name, data)] = downloads.items()
    assert name.endswith(".sgf")
    assert "/" not in name
    assert load(data).game.root.children
