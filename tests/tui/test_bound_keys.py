"""Tests that messages and hints name the current keys of commands, not the default ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.events import MouseMove
from textual.geometry import Region

from daoqi_tui.commands.screen import COMMANDS, key_of, use_keys
from daoqi_tui.config import load_config
from daoqi_tui.play.wording import with_keys
from daoqi_tui.tui.app import DaoqiApp
from daoqi_tui.tui.panes import HintBar
from tests import catalogue
from tests.tui.driving import Person, playing

COMMANDS_NAMED = re.compile(r"\{(\w+)\}")


@pytest.fixture(autouse=True)
def _own_keys() -> Iterator[None]:
    use_keys({})
    yield
    use_keys({})


def test_a_command_is_called_up_by_its_first_key_now() -> None:
    assert key_of("undo") == "u"
    assert with_keys("{back} {forward} step, {count} of {clear}", count=3) == "[ ] step, 3 of Esc"
    use_keys({"undo": ("f5", "x"), "back": ("ctrl+b",)})
    assert key_of("undo") == "F5"
    assert key_of("back") == "Ctrl+b"
    assert key_of("forward") == "]"


def test_a_command_without_a_key_is_called_up_from_the_menu() -> None:
    use_keys({"pass": ("r",)})
    assert (
        with_keys("{resume} resumes the game, {new_game} starts a new one")
        == "“Resume” resumes the game, n starts a new one"
    )


def test_a_sentence_names_only_commands_that_there_are() -> None:
    with pytest.raises(KeyError, match="take_bakc"):
        with_keys("{take_bakc} takes back")


def test_every_translation_names_the_same_commands() -> None:
    names = {command.name for command in COMMANDS}
    seen = 0
    for message in catalogue.read("zh_CN"):
        if not isinstance(message.id, str) or not isinstance(message.string, str) or not message.string:
            continue
        named = [name for name in COMMANDS_NAMED.findall(message.id) if name in names]
        assert sorted(named) == sorted(name for name in COMMANDS_NAMED.findall(message.string) if name in names)
        seen += bool(named)
    assert seen >= 15


def rebound(tmp_path: Path, keys: str) -> DaoqiApp:
    (tmp_path / "config.toml").write_text(f"[keys]\n{keys}\n")
    return DaoqiApp(config=load_config((command.name for command in COMMANDS), tmp_path / "config.toml"))


async def test_the_status_line_and_the_hints_name_the_new_keys(tmp_path: Path) -> None:
    app = rebound(tmp_path, 'resume = "f6"\nnew_game = "f7"\nhint = "f8"')
    async with app.run_test(size=(140, 40)) as pilot:
        person = Person(app, pilot)
        assert "F8 Hint" in person.text("#hints")
        await person.press("p", "p")
        await pilot.press("y")
        await person.settle()
        assert "F6 resumes the game, F7 starts a new one" in person.status
        assert "F6 Resume" in person.text("#hints")
        await person.press("enter")
        assert "F6 resumes" in person.status


async def test_a_command_may_have_any_key(tmp_path: Path) -> None:
    app = rebound(tmp_path, 'numbers = "ctrl+p"\ncount = "ctrl+q"')
    async with app.run_test(size=(120, 40)) as pilot:
        person = Person(app, pilot)
        await person.press("ctrl+q")
        assert person.screen.counting.on
        assert app.is_running
        await person.press("ctrl+p")
        assert person.at_the_board
        assert key_of("palette") == "“Menu”"
        assert key_of("quit") == "q"


async def test_ctrl_q_asks_as_q_does() -> None:
    async with playing() as person:
        await person.play("C3")
        await person.press("ctrl+q")
        assert "Quit?" in person.question()


async def test_who_plays_and_the_hint_are_offered_when_they_matter() -> None:
    async with playing((120, 40)) as person:
        assert "C Players   H Hint" in person.text("#hints")
        await person.play("C3")
        line = person.text("#hints")
        assert "H Hint" in line
        assert line.index("Undo") < line.index("Hint")
        await person.resize(80, 24)
        assert "H Hint" in person.text("#hints")
        hints = person.screen.query_one(HintBar)
        assert hints.render().cell_length <= hints.content_size.width
        await person.play("pass", "pass")
        assert "Hint" not in person.text("#hints")


async def test_a_key_lights_up_with_its_word_under_the_mouse() -> None:
    async with playing((120, 40)) as person:
        hints = person.screen.query_one(HintBar)

        def colours() -> dict[str, object]:
            row = hints.render_lines(Region(0, 0, *hints.size))[0]
            return {part.text.strip(): part.style.color for part in row if part.style is not None}

        before = colours()
        for over in ("H Hint", "Hint"):
            at = hints.content_region.x + person.text("#hints").index(over)
            await person.mouse(MouseMove, at, hints.region.y)
            lit = colours()
            assert {word for word in lit if lit[word] != before[word]} == {"H", "Hint"}
