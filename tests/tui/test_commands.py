"""Tests that keys, help, palette and hints, all built from one table of commands, are complete."""

from __future__ import annotations

import inspect
from collections import Counter
from itertools import groupby
from pathlib import Path

import pytest
from textual.actions import parse
from textual.app import App
from textual.command import CommandList, CommandPalette, SearchIcon
from textual.geometry import NULL_REGION
from textual.keys import Keys, _character_to_key
from textual.widgets import Input, OptionList, Static

from daoqi_tui.commands import Command, key_sign, key_signs
from daoqi_tui.commands.screen import BOARD, BY_NAME, COMMANDS, TORUS_KEYS
from daoqi_tui.config import Config
from daoqi_tui.i18n import _ as translated
from daoqi_tui.i18n import use_language
from daoqi_tui.plain import execute
from daoqi_tui.plain.game import PlainGame
from daoqi_tui.play.keeper import Folders
from daoqi_tui.play.session import GameSetup, Session
from daoqi_tui.play.wording import Unable
from daoqi_tui.tui.app import DaoqiApp
from daoqi_tui.tui.features.program import menu as commands
from daoqi_tui.tui.features.program.menu import HelpScreen, Menu
from daoqi_tui.tui.look import Options
from daoqi_tui.tui.screen import GameScreen
from daoqi_tui.tui.screens import TooSmall
from tests.every import every
from tests.tui.driving import Person, playing, until


async def test_the_screen_has_a_function_for_every_command_and_no_other() -> None:
    async with playing() as person:
        assert person.screen.handlers.keys() == BY_NAME.keys()
        for run in person.screen.handlers.values():
            inspect.signature(run).bind()


REFUSED = {
    "undo": "undo",
    "resume": "resume",
    "variation": "variation",
    "hint": "hint",
    "review": "mistakes",
    "guess": "guess black",
    "copy_variation": "copy",
    "delete_variation": "delete",
    "paste_variation": "paste",
    "promote": "promote",
}
"""Commands that cannot do anything before the first move, with those of text mode that cannot either."""


async def test_both_faces_refuse_in_the_same_words() -> None:
    async with playing(setup=GameSetup(size=9)) as person:
        for command, typed in REFUSED.items():
            await person.screen.action_command(command)
            await person.wait()
            assert execute(PlainGame(Session(GameSetup(size=9))), typed) == [f"{person.screen.said}."], command


@pytest.mark.parametrize("way", ["command", "question", "run_exclusive", "spawn"])
async def test_what_cannot_be_done_is_said_wherever_it_is_found_out(way: str) -> None:
    async def refuse() -> None:
        raise Unable(f"{way}  ·  here")

    async with playing() as person:
        screen = person.screen
        screen.handlers["pass"] = refuse
        act = {
            "command": lambda: screen.action_command("pass"),
            "question": lambda: screen.questions.run(refuse),
            "run_exclusive": lambda: screen.run_exclusive(refuse, "test"),
            "spawn": lambda: screen.spawn(refuse),
        }[way]
        if way == "command":
            await act()
        else:
            act()
        await until(person, lambda: screen.said == f"{way}  ·  here")
        assert person.app.is_running


@every("command", COMMANDS, ids=lambda command: command.name)
def test_a_command_says_what_it_does(command: Command) -> None:
    assert command.keys
    assert command.label
    assert command.help != command.label
    assert command.group
    assert command.words


def test_keys_ids_and_labels_are_unique() -> None:
    for values in (
        [key for command in COMMANDS for key in command.keys],
        [command.name for command in COMMANDS],
        [command.label for command in COMMANDS],
    ):
        assert [value for value, count in Counter(values).items() if count > 1] == []


def test_every_key_is_one_that_textual_reports() -> None:
    known = {key.value for key in Keys} | {_character_to_key(chr(code)) for code in range(33, 127)} | {"space"}
    for command in COMMANDS:
        for key in command.keys:
            assert key in known or key.split("+", 1)[0] in {"shift", "ctrl"}, key


def test_every_command_is_bound_on_the_game_screen_under_its_own_name() -> None:
    bound = {binding.id: binding for binding in GameScreen.BINDINGS if not isinstance(binding, tuple)}
    assert set(bound) == {command.name for command in COMMANDS}
    for command in COMMANDS:
        assert command.name.isidentifier()
        assert parse(bound[command.name].action) == ("", "command", (command.name,))
        assert tuple(bound[command.name].key.split(",")) == command.keys


def test_commands_of_a_group_stand_together() -> None:
    groups = [group for group, _commands in groupby(COMMANDS, key=lambda command: command.group)]
    assert len(set(groups)) == len(groups)


def test_every_key_that_players_expect_is_there() -> None:
    keys = {key for command in COMMANDS for key in command.keys}
    wanted = "left right up down shift+left shift+right shift+up shift+down h j k l enter space c 0 f plus minus p u U"
    wanted += " ctrl+z ctrl+r left_square_bracket right_square_bracket left_curly_bracket right_curly_bracket home end"
    wanted += " a v g n R q question_mark t d r o"
    assert set(wanted.split()) <= keys


def test_keys_are_written_as_they_stand_on_a_keyboard() -> None:
    assert key_sign("left_square_bracket") == "["
    assert key_sign("shift+left") == "Shift+←"
    assert key_sign("U") == "U"
    assert "_" not in "".join(key_signs(command.keys) for command in COMMANDS)


def beginning(sentence: str) -> str:
    """Return the words of a sentence of the help that stand on its first line."""
    return sentence if len(sentence) < 30 else sentence[:30].rsplit(" ", 1)[0]


async def test_the_help_lists_every_key_and_what_it_does() -> None:
    async with playing() as person:
        await person.press("question_mark")
        screen = person.open(HelpScreen)
        page = str(screen.query_one(Static).visual)
        for command in COMMANDS:
            start = beginning(command.help)
            assert any(key_signs(command.keys) in line and start in line for line in page.split("\n")), command
        for keys in TORUS_KEYS:
            assert beginning(keys.help) in page
            assert all(key_sign(key) in page for key in keys.actions)
        await person.press("escape")
        assert person.at_the_board


@pytest.mark.parametrize("window", [(120, 30), (80, 24)])
async def test_no_heading_of_the_help_stands_on_the_last_line_of_the_window(window: tuple[int, int]) -> None:
    async with playing(window) as person:
        await person.press("question_mark")
        page = person.open(HelpScreen).query_one("#help")
        text, seen = page.query_one(Static), set()
        headings = {translated(command.group) for command in COMMANDS}
        while page.scroll_offset.y < page.max_scroll_y:
            height = page.scrollable_content_region.height
            rows = [text.render_line(page.scroll_offset.y + y).text for y in range(height)]
            cells = [{cell.strip() for cell in row.split("  ")} for row in rows]
            assert not cells[-1] & headings, rows[-1]
            seen |= headings & set().union(*cells)
            await person.press("down")
            await person.settle()
        assert seen == headings


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize(("window", "columns"), [((200, 60), 4), ((120, 40), 2), ((80, 24), 1), ((40, 14), 1)])
async def test_the_help_has_as_many_columns_as_fit_with_playing_first(
    window: tuple[int, int], columns: int, code: str
) -> None:
    use_language(code)
    async with playing(window) as person:
        await person.press("question_mark")
        await person.wait()
        page = person.open(HelpScreen).query_one("#help")
        assert page.region.width <= window[0]
        text = page.query_one(Static)
        rows = [text.render_line(y).text for y in range(text.size.height)]
        assert translated("Playing") in rows[0]
        assert len([word for word in rows[0].split("  ") if word.strip()]) == columns
        assert not page.max_scroll_x
        # Chinese has no spaces, at which alone Rich would break a line.
        assert not any("…" in row for row in rows)
        await person.resize(60, 20)
        await until(person, lambda: len(text.render_line(0).text.split()) == len(translated("Playing").split()))


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("0", "The view was not moved"),
        ("home", "This is the start"),
        ("end", "There are no more moves"),
        ("m", "Move numbers are shown"),
        ("escape", "There is nothing to clear"),
        ("ctrl+o", "Games are not saved in this window"),
    ],
)
async def test_a_key_that_changes_nothing_on_the_board_says_so(key: str, said: str) -> None:
    async with playing() as person:
        person.screen.say("before")
        await person.press(key)
        await until(person, lambda: person.screen.said == said)


def hits(person: Person) -> list[str]:
    """Return the palette's results, each a name with its keys and a line of help."""
    return [str(option.prompt) for option in person.open(Menu).query_one(OptionList).options]


async def test_the_palette_offers_every_command_with_its_keys() -> None:
    async with playing() as person:
        await person.press("ctrl+p")
        await until(person, lambda: len(hits(person)) == len(COMMANDS))
        # What to begin with comes first; panning and cursor moves last: nobody chooses them from a menu.
        first = [BY_NAME[name] for name in ("library", "new_game", "problems")]
        order = [*first, *(command for command in COMMANDS if command not in (*first, *BOARD)), *BOARD]
        for command, (name, *words) in zip(order, (hit.split("\n") for hit in hits(person)), strict=True):
            assert name == f"{command.label}  {key_signs(command.keys)}  · {command.group}"
            assert words == [command.help]


async def found(person: Person, typed: str) -> list[str]:
    """Return the names of the commands that the palette finds, without their keys."""
    await person.press("ctrl+p")
    field = person.open(Menu).query_one(Input)
    await person.enter_text("Input", typed)
    await until(person, lambda: field.value == typed and not _searching(person) and bool(hits(person)))
    names = [hit.split("\n")[0].partition("  ")[0] for hit in hits(person)]
    await person.press("escape")
    await until(person, lambda: person.at_the_board)
    return names


def _searching(person: Person) -> bool:
    menu = person.open(Menu)
    return any(worker.node is menu and not worker.is_finished for worker in person.app.workers)


async def test_the_palette_finds_what_a_person_would_call_it() -> None:
    async with playing() as person:
        for typed, name in (
            ("undo", "undo"),
            ("take back", "undo"),
            ("back take", "undo"),
            ("REDO", "redo"),
            ("theme", "boards"),
            ("options", "settings"),
            ("shortcuts", "help"),
            ("minimap", "next_pane"),
            ("3d", "torus"),
            ("exit", "quit"),
            ("score", "count"),
            ("clipboard sgf", "copy_game"),
            ("two passes end", "pass"),
            ("nxvr", "variation"),
        ):
            assert BY_NAME[name].label in await found(person, typed), typed


async def test_names_come_before_search_words_and_these_before_help() -> None:
    async with playing() as person:
        names = await found(person, "resign")
        assert names[0] == BY_NAME["resign"].label
        names = await found(person, "hint")
        assert names.index(BY_NAME["hint"].label) < names.index(BY_NAME["clear"].label)  # in the help of Clear
        names = await found(person, "remove")
        assert {BY_NAME["dead"].label, BY_NAME["clear"].label} == set(names[:2])


@pytest.fixture
def in_chinese() -> None:
    use_language("zh")


@pytest.mark.usefixtures("in_chinese")
@pytest.mark.parametrize(
    ("typed", "name"),
    [("悔棋", "undo"), ("hq", "undo"), ("撤销", "undo"), ("undo", "undo"), ("主题", "boards")],
)
async def test_in_chinese_the_palette_finds_chinese_words_pinyin_and_english(typed: str, name: str) -> None:
    async with playing() as person:
        assert translated(BY_NAME[name].label) in await found(person, typed)


@pytest.mark.usefixtures("in_chinese")
async def test_in_chinese_the_start_of_a_game_is_not_called_an_opening() -> None:
    async with playing() as person:
        names = await found(person, "开局")
        assert translated(BY_NAME["openings"].label) in names
        assert {"start", "network"}.isdisjoint(
            name for name, command in BY_NAME.items() if translated(command.label) in names
        )


@pytest.mark.usefixtures("in_chinese")
def test_words_that_mean_two_things_in_english_have_two_names_in_chinese() -> None:
    assert translated(BY_NAME["clear"].label) == "清除"
    assert translated("Clear all") == "清空"
    assert translated("Your colour") == "执黑执白"
    assert (translated("Keep it"), translated("No")) == ("收入", "不收")


@pytest.mark.usefixtures("in_chinese")
@every("command", BY_NAME.values(), ids=lambda command: command.name)
def test_chinese_search_words_do_not_repeat_the_english_ones(command: Command) -> None:
    assert not command.words or command.words not in translated(command.words)


async def test_the_palette_has_no_emoji_which_not_every_terminal_has() -> None:
    async with playing() as person:
        await person.press("ctrl+p")
        await until(person, lambda: bool(person.app.screen.query(SearchIcon)))
        await person.wait()
        assert not person.app.screen.query_one(SearchIcon).display
        rows = [strip.text for strip in person.app.screen._compositor.render_strips()]
        assert any("Search for commands" in row for row in rows)
        assert not any(max(row, default=" ") > "\uffff" for row in rows)


@pytest.mark.usefixtures("in_chinese")
async def test_the_palette_speaks_the_language_of_the_program() -> None:
    async with playing() as person:
        await person.press("ctrl+p")
        assert person.open(Menu).query_one(Input).placeholder == "查找命令…"


@pytest.mark.usefixtures("in_chinese")
async def test_the_palette_says_in_the_language_of_the_program_that_nothing_was_found() -> None:
    async with playing() as person:
        await person.press("ctrl+p")
        await until(person, lambda: hits(person))
        await person.type("qqq")
        listed = person.open(Menu).query_one(OptionList)
        await until(person, lambda: [option.disabled for option in listed.options] == [True])
        # The list is drawn in its new size only after the next layout of the screen.
        await until(
            person,
            lambda: any("没有这个命令" in listed.render_line(y).text for y in range(listed.size.height)),
        )


async def test_what_a_command_says_is_shown_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    odd = BY_NAME["pass"]._replace(label="[bold]Odd[/bold]", help="Ends [red]at once[/]", words="[b]bracketed")
    monkeypatch.setattr(commands, "COMMANDS", (odd,))
    async with playing() as person:
        for typed in ("", "[bold]o", "[b]bra"):
            await person.press("ctrl+p")
            await person.type(typed)
            await until(person, lambda: bool(hits(person)))
            assert hits(person) == ["[bold]Odd[/bold]  p  · Playing\nEnds [red]at once[/]"]
            await person.press("escape")
            await until(person, lambda: person.at_the_board)


async def choose(person: Person, name: str) -> None:
    """Choose a command in the palette by its name."""
    await person.press("ctrl+p")
    await person.type(BY_NAME[name].label)
    await until(person, lambda: bool(hits(person)) and hits(person)[0].startswith(BY_NAME[name].label))
    await person.press("enter")
    await until(person, lambda: person.at_the_board)


async def offered(person: Person) -> list[str]:
    """Return the names of the commands that the palette offers when nothing is typed."""
    await person.press("ctrl+p")
    await until(person, lambda: len(hits(person)) == len(COMMANDS))
    names = [hit.split("\n")[0].partition("  ")[0] for hit in hits(person)]
    await person.press("escape")
    await until(person, lambda: person.at_the_board)
    return names


async def test_the_palette_offers_first_what_was_chosen_there_most_often(tmp_path: Path) -> None:
    folders = Folders(tmp_path / "journal", tmp_path / "library")
    for start in range(2):
        app = DaoqiApp(folders=folders)
        async with app.run_test(size=(120, 40)) as pilot:
            person = Person(app, pilot)
            await person.settle()
            if start == 0:
                before = await offered(person)
                await choose(person, "count")
                await choose(person, "numbers")
                await choose(person, "numbers")
                await person.app.workers.wait_for_complete()
            first = [BY_NAME["numbers"].label, BY_NAME["count"].label]
            assert await offered(person) == [*first, *(name for name in before if name not in first)]


@pytest.mark.parametrize("key", ["question_mark", "f2"], ids=["help", "lesson"])
async def test_the_palette_opens_over_a_game_only(key: str) -> None:
    async with playing() as person:
        await person.press(key)
        await until(person, lambda: not person.at_the_board)
        top = person.app.screen
        await person.press("ctrl+p")
        person.app.action_command_palette()
        await person.settle()
        assert person.app.screen is top


async def test_settings_that_cannot_be_kept_are_named_with_their_folder_as_it_is_written(tmp_path: Path) -> None:
    file = tmp_path / "a[/b]" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text("no toml")
    async with playing() as person:
        person.app.config = Config(path=file)
        person.app.keep_settings({"language": "en"})
        await until(person, lambda: len(person.app._notifications) > 0)
        (told,) = person.app._notifications
        assert str(file) in told.message


@pytest.mark.parametrize(("pieces", "count", "more"), [(5, 10, 0), (80, 160, 140)], ids=["few", "more than are kept"])
async def test_of_many_problems_of_a_record_the_first_are_listed_and_all_are_counted(
    pieces: int, count: int, more: int
) -> None:
    async with playing() as person:
        person.screen.begin(Session.opened(b"(;SZ[9]TO[3]" + b"%x " * pieces + b";B[aa])"))
        await until(person, lambda: len(person.app._notifications) > 0)
        (told,) = person.app._notifications
        assert f"The record has {count} problems; the first: line 1" in person.status
        *listed, last = told.message.splitlines()
        assert all(line.startswith("line 1, column ") for line in listed)
        assert len(listed) == (20 if more else count - 1)
        assert last == f"and {more} more like these" if more else last.startswith("line 1, column ")


@pytest.mark.usefixtures("in_chinese")
async def test_ctrl_c_says_which_key_leaves_once_however_long_it_is_held() -> None:
    async with playing() as person:
        await person.press(*["ctrl+c"] * 4)
        (told,) = person.app._notifications
        assert told.message == "在棋盘界面按 q 退出程序"


@pytest.mark.parametrize("opens", ["n", "question_mark", "o", "f2"])
async def test_over_the_game_these_keys_say_so_too(opens: str) -> None:
    async with playing() as person:
        await person.press(opens)
        await until(person, lambda: not person.at_the_board)
        for key in ("ctrl+q", "ctrl+c"):
            if key == "ctrl+c":
                person.app.set_focus(None)
            await person.press(key)
            await until(person, lambda: person.app._notifications)
            (told,) = person.app._notifications
            assert told.message == "At the board, q leaves the program", key
            person.app.clear_notifications()


async def test_a_command_chosen_in_the_palette_is_done() -> None:
    async with playing() as person:
        assert App.COMMAND_PALETTE_BINDING == "ctrl+p"
        await person.press("ctrl+p")
        assert isinstance(person.app.screen, CommandPalette)
        await person.type("take back")
        await until(person, lambda: hits(person))
        await person.press("escape")
        await until(person, lambda: person.at_the_board)
        await person.play("A1")
        await person.press("ctrl+p")
        await person.type("Undo")
        await until(person, lambda: hits(person) and "Undo" in hits(person)[0])
        await person.press("enter")
        await until(person, lambda: person.at_the_board and person.moves == [])


async def test_enter_runs_the_command_of_a_menu_whose_list_is_not_laid_out_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    async with playing((80, 24)) as person:
        await person.press("ctrl+p")
        await person.type("pass")
        commands = person.open(Menu).query_one(CommandList)
        await until(person, lambda: hits(person) and "Pass" in hits(person)[0] and commands.highlighted is not None)
        monkeypatch.setattr(type(commands), "scrollable_content_region", NULL_REGION)
        await person.press("enter")
        await until(person, lambda: person.moves == ["pass"])


async def test_a_menu_over_which_the_window_was_too_small_for_a_moment_runs_commands_of_the_game() -> None:
    async with playing((80, 24)) as person:
        # Both before the menu has its widgets, as when the window shrinks just then.
        person.app.action_command_palette()
        person.app.push_screen(TooSmall(40, 14, lambda: False))
        await person.resize(80, 25)
        menu = person.open(Menu)
        # What is typed before it has its field is lost.
        await until(person, lambda: person.app.screen is menu and isinstance(menu.focused, Input))
        await person.type("pass")
        commands = menu.query_one(CommandList)

        def has_found() -> bool:
            # The list may still be that of the first letters, or be filled again without anything chosen in it.
            searching = any(worker.node is menu and not worker.is_finished for worker in person.app.workers)
            chosen = commands.highlighted_option
            return not searching and chosen is not None and "Pass" in str(chosen.prompt)

        await until(person, has_found)
        await person.press("enter")
        await until(person, lambda: person.moves == ["pass"])


@pytest.mark.parametrize(("net", "told"), [("katrain", 1), ("nets/b18.bin.gz", 1), ("auto", 0), ("nets/own.npz", 0)])
async def test_a_network_of_flat_boards_is_said_to_misjudge_a_nearly_empty_torus_once(net: str, told: int) -> None:
    async with playing(options=Options(net=net)) as person:
        await until(person, lambda: len(person.app._notifications) == told)
        await person.play("E5")
        words = [each.message for each in person.app._notifications]
        assert ["nearly empty torus" in each for each in words] == [True] * told
