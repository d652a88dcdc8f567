"""Keys pressed and screens closed at any moment: while a screen is opening, and while a worker is running."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace

import pytest
from textual import events
from textual.command import CommandList
from textual.widgets import OptionList

from daoqi_tui.i18n import language
from daoqi_tui.tui.features.program.menu import Menu
from daoqi_tui.tui.features.program.options import OptionsScreen
from daoqi_tui.tui.features.records.game_list import GameList
from daoqi_tui.tui.features.records.library import LibraryScreen
from daoqi_tui.tui.screens import Question
from daoqi_tui.tui.screens.form import Choice
from tests.thorough import THOROUGH
from tests.tui.driving import Person, playing, until
from tests.tui.test_keeping import SAMPLES, keeping

OPENING = {
    "help": "question_mark",
    "torus": "3",
    "menu": "ctrl+p",
    "lesson": "f2",
    "boards": "T",
    "settings": "o",
    "setup": "n",
    "players": "C",
    "comment": "i",
    "move": "slash",
    "library": "b",
    "openings": "O",
}
"""The keys that open each kind of screen."""
QUICK = (
    (2, ["escape"]),
    (4, ["escape", "escape"]),
    (5, ["T", "escape"]),
    (6, ["ctrl+s", "escape"]),
    (8, ["enter", "escape"]),
    (10, ["pageup", "escape"]),
    (14, ["escape"]),
)
"""Numbers of event loop turns to wait, each with the keys to press then."""


def send(person: Person, key: str) -> None:
    """Press a key without waiting for its effect."""
    driver = person.app._driver
    assert driver is not None
    driver.send_message(events.Key(key, key if len(key) == 1 else None))


@pytest.mark.parametrize("opening", OPENING.values(), ids=OPENING)
async def test_keys_may_come_while_a_screen_opens(opening: str, tmp_path: Path) -> None:
    # In the ordinary run every second moment, others for every second screen.
    moments = QUICK if THOROUGH else QUICK[[*OPENING.values()].index(opening) % 2 :: 2]
    async with keeping(tmp_path) as person:
        for turns, keys in moments:
            send(person, opening)
            # The next keys arrive at a different stage of opening each time.
            for _turn in range(turns):
                await asyncio.sleep(0)
            for key in keys:
                send(person, key)
            await person.settle()
            for _again in range(3):
                if not person.at_the_board:
                    # Closing a started comment asks for confirmation.
                    await person.press("y" if isinstance(person.app.screen, Question) else "escape")
            await until(person, lambda: person.at_the_board)


@pytest.mark.parametrize("work", ["_load", "_search_soon", "action_rename"])
async def test_the_library_is_left_while_it_is_searched(
    work: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The result arrives when the list is already unmounted but Textual has not yet cancelled the screen's workers.

    Reading is cancelled; a change is completed, although no list is left to show it.
    """
    list_gone = asyncio.Event()
    answered = []

    async def slow(_screen: LibraryScreen, _use: object) -> Path | None:
        await list_gone.wait()
        answered.append(work)
        return tmp_path / "b.sgf" if work == "action_rename" else None

    async with keeping(tmp_path) as person:
        await person.press("b")
        await until(person, lambda: isinstance(person.app.screen, LibraryScreen))
        screen = person.open(LibraryScreen)
        games = screen.query_one(GameList)
        await until(person, lambda: len(games._entries) == SAMPLES)
        monkeypatch.setattr(LibraryScreen, "_with_library", slow)
        monkeypatch.setattr(GameList, "on_unmount", lambda _list: list_gone.set(), raising=False)
        if work == "_search_soon":
            await person.type("s")
            await asyncio.sleep(0.15)
        elif work == "_load":
            screen._load()
        else:

            async def own(_screen: LibraryScreen) -> SimpleNamespace:
                return SimpleNamespace(file="a.sgf", black="", white="")

            monkeypatch.setattr(LibraryScreen, "_own", own)
            screen.action_rename()
            await person.settle()
            await person.press("enter")
            await person.press("enter")
        await person.settle()
        await person.press("escape")
        await until(person, lambda: person.at_the_board)
        await until(person, list_gone.is_set)
        await person.settle()
    assert answered == (["action_rename"] if work == "action_rename" else [])


async def test_the_game_is_left_while_something_is_still_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker continues when the panes are unmounted but the screen is not."""
    panes_gone = asyncio.Event()
    shown = []
    async with playing() as person:

        async def look_up() -> None:
            await panes_gone.wait()
            shown.append("again")
            person.screen.show_panes()

        turn = person.screen.query_one("#game")
        monkeypatch.setattr(type(turn), "on_unmount", lambda _pane: panes_gone.set(), raising=False)
        person.screen.run_worker(look_up())
        await person.settle()
    assert panes_gone.is_set()
    assert not shown


async def test_the_settings_are_left_while_the_language_changes(tmp_path: Path) -> None:
    for turns in (4, 8, 16, 32):
        async with keeping(tmp_path) as person:
            await person.press("o")
            await until(person, lambda: isinstance(person.app.screen, OptionsScreen))
            form = person.open(OptionsScreen)
            await until(person, lambda form=form: bool(form.query("#language")))
            other = "zh" if language() == "en" else "en"
            form.query_one("#language", Choice).value = other
            for _turn in range(turns):
                await asyncio.sleep(0)
            send(person, "escape")
            await until(person, lambda: person.at_the_board)


@pytest.mark.parametrize("key", ["pageup", "pagedown"])
async def test_paging_through_a_menu_that_is_not_laid_out_does_nothing(key: str) -> None:
    async with playing() as person:
        await person.press("ctrl+p")
        menu = person.open(Menu)
        commands = menu.query_one(CommandList)
        await until(person, lambda: bool(commands.option_count))
        commands.styles.height = 0
        await until(person, lambda: not commands.scrollable_content_region)
        commands.highlighted = 3
        commands._clear_caches()
        await person.press(key)
        assert commands.highlighted == 3
        commands.styles.height = 10
        await until(person, lambda: bool(commands.scrollable_content_region))
        await person.press(key)
        assert commands.highlighted != 3


@pytest.mark.parametrize("key", ["pageup", "pagedown"])
async def test_paging_through_a_list_that_is_not_laid_out_does_nothing(key: str) -> None:
    async with playing() as person:
        await person.press("T")
        names = person.app.screen.query_one(OptionList)
        await until(person, lambda: person.app.focused is names)
        names.styles.height = 0
        await until(person, lambda: not names.scrollable_content_region)
        names.highlighted = 1
        names._clear_caches()
        await person.press(key)
        assert names.highlighted == 1
