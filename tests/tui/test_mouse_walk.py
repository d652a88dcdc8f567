"""Opening and closing every screen with the mouse alone, in a standard window and in the smallest one."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual import events
from textual.geometry import Region
from textual.widget import Widget
from textual.widgets import Button, OptionList

from daoqi_tui.commands.screen import BY_NAME
from daoqi_tui.play.keeper import Folders
from daoqi_tui.play.session import GameSetup, Session
from daoqi_tui.tui.app import DaoqiApp
from daoqi_tui.tui.features.program.menu import Menu
from tests.tui.driving import Person, until

OPENING = (
    *("torus", "type_move", "players", "comment", "openings", "network", "library", "save", "export"),
    *("new_game", "boards", "settings", "lesson", "welcome", "help"),
)
"""The commands that open a screen in a new game."""


def lines_of(person: Person) -> list[str]:
    """Return the lines shown in the window."""
    return [line.text for line in person.app.screen._compositor.render_strips()]


async def choose_in_menu(person: Person, name: str) -> None:
    """Open the menu at the bottom of the window, scroll to a command with the wheel, and click it."""
    await until(person, lambda: any("Menu" in line for line in lines_of(person)))
    lines = lines_of(person)
    y = max(y for y, line in enumerate(lines) if "Menu" in line)
    await person.click(lines[y].index("Menu"), y)
    await until(person, lambda: isinstance(person.app.screen, Menu))
    listed = person.open(Menu).query_one(OptionList)
    wanted = BY_NAME[name].label

    def labels() -> list[str]:
        return [str(option.prompt).partition("  ")[0] for option in listed.options]

    await until(person, lambda: wanted in labels() and listed.size.height > 0)
    place = labels().index(wanted)
    for _turn in range(200):
        region = listed.content_region
        top = listed._index_to_line[place] - listed.scroll_offset.y
        if 0 <= top < region.height:
            await person.click(region.x + 2, region.y + top)
            return
        turned = events.MouseScrollUp if top < 0 else events.MouseScrollDown
        # As fast as one turns a wheel: several turns before the list is drawn again.
        rows = -top if top < 0 else top - region.height + 1
        times = max(1, int(rows / person.app.scroll_sensitivity_y))
        await person.mouse(turned, region.x + 2, region.y + 1, times=times)
    raise AssertionError(f"{name} is out of reach")


def way_out(person: Person) -> tuple[int, int]:
    """Return where to click to close the top screen: on a label with Esc, otherwise outside the dialog."""
    screen = person.app.screen
    window = Region(0, 0, *person.app.size)
    for button in screen.query(Button):
        if "Esc" in str(button.label) and window.contains_region(button.region):
            return button.region.x + 1, button.region.y
    for y, line in enumerate(lines_of(person)):
        x = line.find("Esc")
        if x >= 0 and "@click" in screen.get_style_at(x, y).meta:
            return x, y
    dialog = screen.query(".dialog, .prompt").first(Widget).region
    return next((x, y) for y in range(window.height) for x in range(window.width) if not dialog.contains(x, y))


async def leave(person: Person) -> None:
    """Close the top screen by a click, once it shows and its layout no longer changes."""
    await until(person, lambda: person.app.screen.is_mounted and any(map(str.strip, lines_of(person))))
    place = (-1, -1)
    while (found := way_out(person)) != place:
        place = found
        await person.wait()
    await person.click(*place)


@pytest.mark.parametrize("window", [(80, 24), (40, 14)], ids=["80x24", "40x14"])
async def test_everything_that_opens_is_opened_and_left_by_clicks(window: tuple[int, int], tmp_path: Path) -> None:
    folders = Folders(tmp_path / "journal", tmp_path / "library")
    app = DaoqiApp(Session(GameSetup(size=7)), folders=folders)
    async with app.run_test(size=window) as pilot:
        person = Person(app, pilot)
        await person.settle()
        for name in OPENING:
            await choose_in_menu(person, name)
            await until(person, lambda: not person.at_the_board and not isinstance(person.app.screen, Menu))
            await leave(person)
            await until(person, lambda: person.at_the_board)


async def test_the_menu_is_opened_at_the_coordinates_where_the_board_is_alone() -> None:
    app = DaoqiApp(Session(GameSetup(size=7)))
    async with app.run_test(size=(80, 24)) as pilot:
        person = Person(app, pilot)
        await person.settle()
        await choose_in_menu(person, "focus")
        await until(person, lambda: person.screen.has_class("-focus"))
        await person.click(1, 5)
        await until(person, lambda: isinstance(person.app.screen, Menu))
        # Where a click lies outside is known once the menu is laid out.
        await until(person, lambda: person.open(Menu).query_one(OptionList).size.height > 0)
        await person.click(0, 23)
        await until(person, lambda: person.at_the_board)
        assert person.moves == []
