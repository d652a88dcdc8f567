"""Limits of browser sessions: they cannot start programs, nor read or write files of the user's choice."""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from textual.screen import Screen
from textual.widgets import Input, Static

from daoqi_tui.engine import BLACK
from daoqi_tui.play.session import EngineSeat, GameSetup, Session
from daoqi_tui.record.sgf.read import load
from daoqi_tui.tui.app import DaoqiApp
from daoqi_tui.tui.features.problems.screen import ProblemList
from daoqi_tui.tui.features.records.library import LibraryScreen
from daoqi_tui.tui.screens import PathPrompt, Picker, Prompt
from daoqi_tui.tui.screens.form import Choice
from daoqi_tui.tui.screens.setup import PlayersScreen
from tests.tui.driving import Person, playing, until
from tests.tui.test_keeping import keeping

PACKAGE = Path(__file__).resolve().parents[2] / "daoqi_tui"


@pytest.fixture
def downloads(monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    """Make the app believe that it runs in a browser; return the downloads it delivers, by file name."""
    handed: dict[str, bytes] = {}

    def deliver(_app: DaoqiApp, file: BytesIO, *, save_filename: str, mime_type: str) -> str:
        assert mime_type in ("application/x-go-sgf", "image/png")
        handed[save_filename] = file.read()
        return "key"

    monkeypatch.setattr(DaoqiApp, "is_web", property(lambda _app: True))
    monkeypatch.setattr(DaoqiApp, "deliver_binary", deliver)
    return handed


PATHS: tuple[tuple[str, type[Screen[Any]] | None, str], ...] = (
    ("w", None, ""),
    ("P", None, ""),
    ("b", LibraryScreen, "f3"),
    ("b", LibraryScreen, "f4"),
    ("f7", ProblemList, "o"),
)
"""Every way to a path prompt: the key on the game screen, the dialog it opens, and the key in that dialog."""


async def _ask_for_path(person: Person, key: str, dialog: type[Screen[Any]] | None, then: str) -> None:
    await person.press(key)
    if dialog is not None:
        await until(person, lambda: isinstance(person.app.screen, dialog))
        if dialog is LibraryScreen:
            await until(person, lambda: person.app.screen.query_one("GameList").highlighted is not None)
        await person.press(then)
    await person.wait(0.2)


@pytest.mark.parametrize(("key", "dialog", "then"), PATHS)
async def test_a_path_is_asked_for_at_this_computer_alone(
    key: str, dialog: type[Screen[Any]] | None, then: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    async with keeping(tmp_path) as person:
        await _ask_for_path(person, key, dialog, then)
        await until(person, lambda: isinstance(person.app.screen, PathPrompt))
    request.getfixturevalue("downloads")
    async with keeping(tmp_path) as person:
        await _ask_for_path(person, key, dialog, then)
        assert not any(isinstance(screen, Prompt) for screen in person.app.screen_stack)
        if dialog is ProblemList:
            assert "collection" not in str(person.app.screen.query_one("#problems").border_subtitle)


def test_every_question_for_a_path_is_among_these() -> None:
    sources = {file: file.read_text("utf-8") for file in PACKAGE.rglob("*.py")}
    # Saving and exporting share ``_ask_path``: its calls count, but not the prompt in it.
    asked, shared = (
        sum(len(re.findall(pattern, text)) for text in sources.values())
        for pattern in (r"(?<!class )PathPrompt\(|\._ask_path\(", r"def _ask_path\(")
    )
    assert asked - shared == len(PATHS)


def test_where_the_person_sits_is_asked_in_one_place() -> None:
    asking = {file.name for file in PACKAGE.rglob("*.py") if re.search(r"\w\.is_web\b(?!``)", file.read_text("utf-8"))}
    assert asking == {"access.py", "app.py"}, "app.py asks only how to end when the memory is used up"


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
        assert "pasting" in str(library.query_one("#complaint", Static).content)
        await person.press("f3")
        await until(person, lambda: isinstance(person.app.screen, Picker))
        await person.press("escape")
        await until(person, lambda: person.app.screen is library)
        await person.press("f3")
        await until(person, lambda: isinstance(person.app.screen, Picker))
        await person.press("down", "enter")
        await until(person, lambda: bool(downloads))
        assert "downloads" in str(library.query_one("#complaint", Static).content)
    [(name, data)] = downloads.items()
    assert name.endswith(".sgf")
    assert "/" not in name
    assert load(data).game.root.children
