"""One table of commands feeds the keys, the help, the palette and the hints: nothing may be missing from any."""

from __future__ import annotations

import inspect
from collections import Counter

import pytest
from textual.actions import parse
from textual.app import App
from textual.command import CommandPalette
from textual.keys import Keys, _character_to_key
from textual.widgets import Static

from daoqi_tui.tui.commands import COMMANDS, Command, key_sign, key_signs
from daoqi_tui.tui.screens.game import GameScreen
from daoqi_tui.tui.screens.help import HelpScreen
from tests.tui.driving import playing

BY_ID = {command.id: command for command in COMMANDS}


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.id)
def test_a_command_has_a_handler_that_takes_its_arguments(command: Command) -> None:
    namespace, name, arguments = parse(command.id)
    assert not namespace
    handler = getattr(GameScreen, f"action_{name}", None)
    assert handler is not None, f"GameScreen has no action_{name}"
    inspect.signature(handler).bind(None, *arguments)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.id)
def test_a_command_says_what_it_does(command: Command) -> None:
    assert command.keys
    assert command.label
    assert command.help != command.label
    assert command.group


def test_keys_ids_and_labels_are_unique() -> None:
    for values in (
        [key for command in COMMANDS for key in command.keys],
        [command.id for command in COMMANDS],
        [command.label for command in COMMANDS],
    ):
        assert [value for value, count in Counter(values).items() if count > 1] == []


def test_every_key_is_one_that_textual_reports() -> None:
    known = {key.value for key in Keys} | {_character_to_key(chr(code)) for code in range(33, 127)} | {"space"}
    for command in COMMANDS:
        for key in command.keys:
            assert key in known or key.split("+", 1)[0] in {"shift", "ctrl"}, key


def test_every_command_is_bound_on_the_game_screen_under_its_own_name() -> None:
    bound = {binding.action: binding for binding in GameScreen.BINDINGS if not isinstance(binding, tuple)}
    assert set(bound) == {command.id for command in COMMANDS}
    assert len({binding.id for binding in bound.values()}) == len(COMMANDS)
    assert all(binding.id and binding.id.isidentifier() for binding in bound.values())
    for command in COMMANDS:
        assert tuple(bound[command.id].key.split(",")) == command.keys


def test_every_key_that_players_expect_is_there() -> None:
    keys = {key for command in COMMANDS for key in command.keys}
    wanted = "left right up down shift+left shift+right shift+up shift+down h j k l enter space c 0 f plus minus p u U"
    wanted += " ctrl+r left_square_bracket right_square_bracket left_curly_bracket right_curly_bracket home end a v g"
    wanted += " n R q question_mark t d r o"
    assert set(wanted.split()) <= keys


def test_keys_are_written_as_they_stand_on_a_keyboard() -> None:
    assert key_sign("left_square_bracket") == "["
    assert key_sign("shift+left") == "Shift+←"
    assert key_sign("U") == "U"
    assert "_" not in "".join(key_signs(command.keys) for command in COMMANDS)


async def test_the_help_lists_every_key_and_what_it_does() -> None:
    async with playing() as person:
        await person.press("question_mark")
        screen = person.open(HelpScreen)
        console = person.app.console
        with console.capture() as capture:
            console.print(screen.query_one(Static).visual._renderable, width=200)  # type: ignore[attr-defined]
        page = capture.get()
        for command in COMMANDS:
            assert any(key_signs(command.keys) in line and command.help in line for line in page.split("\n")), command
        await person.press("escape")
        assert person.at_the_board


async def test_the_palette_offers_every_command() -> None:
    async with playing() as person:
        offered = {entry.title: entry for entry in person.app.get_system_commands(person.screen)}
        assert {command.label for command in COMMANDS} - {BY_ID["palette"].label if "palette" in BY_ID else ""} <= set(
            offered
        )
        for command in COMMANDS:
            if command.label in offered:
                assert offered[command.label].help == command.help


async def test_a_command_chosen_in_the_palette_is_done() -> None:
    async with playing() as person:
        assert App.COMMAND_PALETTE_BINDING == "ctrl+p"
        await person.press("ctrl+p")
        assert isinstance(person.app.screen, CommandPalette)
        await person.type("take back")
        await person.wait(0.3)
        await person.press("escape")
        assert person.at_the_board
        await person.play("A1")
        await person.press("ctrl+p")
        await person.type("Take back")
        await person.wait(0.5)
        await person.press("enter")
        await person.wait(0.3)
        assert person.at_the_board
        assert person.moves == []
