"""What a full disk does not take is said on the screen with the name of the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from daoqi_tui.config import load_config
from daoqi_tui.play.problems import progress_file
from daoqi_tui.play.session import Computer, GameSetup
from daoqi_tui.tui.app import DaoqiApp
from daoqi_tui.tui.screens import Picker, Prompt, Question
from tests.full_disk import full_disk, needs_limits
from tests.play.quick import PlayerFactory
from tests.tui import test_library, test_problems
from tests.tui.driving import Person, until
from tests.tui.test_keeping import filed, keeping, shown

pytestmark = needs_limits


@pytest.fixture(autouse=True)
def _folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("daoqi_tui.play.problems.library_folder", lambda: tmp_path / "games")


@pytest.mark.parametrize(
    ("key", "name"), [("w", "game.sgf"), ("P", "board.png"), ("P", "board.svg"), ("P", "game.gif"), ("P", "game.sgf")]
)
async def test_of_what_is_saved_or_exported(key: str, name: str, tmp_path: Path) -> None:
    async with keeping(tmp_path) as person:
        await person.click_point("A1")
        await shown(person, 1)
        await person.press(key)
        await until(person, lambda: isinstance(person.app.screen, Prompt))
        await person.enter_text("Input", str(tmp_path / name))
        with full_disk():
            await person.press("enter")
            await until(person, lambda: f"{tmp_path / name} cannot be written: File too large" in person.status)
    assert not (tmp_path / name).exists()


async def test_of_the_journal(tmp_path: Path) -> None:
    async with keeping(tmp_path) as person:
        await person.click_point("A1")
        await shown(person, 1)
        with full_disk():
            await person.click_point("B2")
            words = "The game cannot be saved: the disk is full. You can play on"
            await until(person, lambda: words in person.status)
        await until(person, lambda: "Saving works again" in person.status)


async def test_of_the_library_and_of_the_ratings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, factory: PlayerFactory
) -> None:
    setup = GameSetup(size=5, white_seat=Computer(3))
    async with keeping(tmp_path, setup) as person:
        for moves in (2, 4, 6, 8, 10):
            free = next(point for point in range(25) if person.game.refusal(point) is None)
            await person.click_point(person.game.torus.name(free))
            await until(person, lambda moves=moves: len(person.moves) == moves)
        said, say = list[str](), person.screen.say
        monkeypatch.setattr(person.screen, "say", lambda words: (said.append(words), say(words)))
        await person.press("R")
        await until(person, lambda: isinstance(person.app.screen, Question))
        with full_disk():
            await person.press("y")
            await until(person, lambda: any("could not be saved in the library" in words for words in said))
    [words] = (words for words in said if "could not be saved in the library" in words)
    assert f"in the library: {tmp_path}/library/" in words
    assert f"after the next game: {tmp_path}/" in words
    assert "ratings.json: File too large" in words
    assert filed(tmp_path), "it is there once it is left"


async def test_of_what_the_library_exports_and_renames(tmp_path: Path) -> None:
    (tmp_path / "library").mkdir()
    game = tmp_path / "library" / "game.sgf"
    game.write_text(test_library.GAME)
    async with keeping(tmp_path) as person:
        screen = await test_library.open_library(person, 1)
        with full_disk():
            await test_library.answer(person, "f3", str(tmp_path / "copy.sgf"))
            await until(person, lambda: isinstance(person.app.screen, Picker))
            await person.press("enter")
            words = f"{tmp_path}/copy.sgf: File too large"
            await until(person, lambda: words in test_library.said(screen))
            await test_library.enter_names(person, "Lu", "Wu")
            await until(person, lambda: f"{game}: File too large" in test_library.said(screen))
    assert not (tmp_path / "copy.sgf").exists()
    assert game.read_text() == test_library.GAME


async def test_of_the_settings(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('[look]\nboard = "jade"\n')
    app = DaoqiApp(config=load_config((), file, {}))
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        person = Person(app, pilot)
        with full_disk():
            app.keep_settings({"look.board": "slate"})
            await until(person, lambda: list(app._notifications))
        [told] = app._notifications
        assert told.message == f"{file} cannot be written: File too large"
    assert file.read_text() == '[look]\nboard = "jade"\n'


async def test_of_the_progress_with_problems(tmp_path: Path) -> None:
    async with test_problems.keeping(tmp_path) as person:
        screen = await test_problems.open_first(person)
        wrong = next(step.move for step in screen.practice.problem.steps if not step.right)
        with full_disk():
            await test_problems.play(person, screen, wrong)
            words = f"{progress_file()}: File too large"
            await until(person, lambda: words in test_problems.words(screen))
