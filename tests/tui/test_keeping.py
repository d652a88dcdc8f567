"""Tests how games are saved: the journal, resuming, disk errors, and the library of finished games."""

from __future__ import annotations

import errno
import io
import os
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from time import time

import pytest
from textual.events import Paste
from textual.widgets import Button, Input, OptionList

from daoqi_tui.cli.main import run
from daoqi_tui.engine import BLACK, WHITE, TwoPasses
from daoqi_tui.engine.clock import TimeControl
from daoqi_tui.i18n import use_language
from daoqi_tui.paths import assets_folder
from daoqi_tui.play.keeper import Folders, Keeper
from daoqi_tui.play.profile import is_first_start
from daoqi_tui.play.session import GameSetup, Session
from daoqi_tui.record.journal import UnfinishedGame, replay
from daoqi_tui.record.journal import writer as journal_writer
from daoqi_tui.record.library_index import LibraryEntry
from daoqi_tui.record.sgf.info import Info
from daoqi_tui.record.sgf.markup import comment, labels, marks
from daoqi_tui.record.sgf.read import load
from daoqi_tui.tui.app import DaoqiApp
from daoqi_tui.tui.features.notes.dialogs import CommentScreen
from daoqi_tui.tui.features.records.game_list import GameList, title_of
from daoqi_tui.tui.features.records.library import LibraryScreen
from daoqi_tui.tui.look import Options
from daoqi_tui.tui.screens import Prompt, Question, ResumeScreen, file_picker
from tests.full_disk import fail_as_full
from tests.slow_disk import SlowTicket
from tests.tui.driving import Person, until

SMALL = GameSetup(size=7, black="Ke", white="弈秋")


@asynccontextmanager
async def keeping(
    folder: Path, setup: GameSetup = SMALL, *, options: Options | None = None, offer_resume: bool = False
) -> AsyncIterator[Person]:
    """Run the app with games saved below ``folder`` and yield a :class:`Person`."""
    folders = Folders(folder / "journal", folder / "library")
    app = DaoqiApp(Session(setup), options, folders=folders, offer_resume=offer_resume)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        yield Person(app, pilot)


def keeper_of(folder: Path) -> Keeper:
    return Keeper(Folders(folder / "journal", folder / "library"), lambda _: None)


def journals(folder: Path) -> list[Path]:
    return sorted((folder / "journal").glob("*.journal"))


def filed(folder: Path) -> list[Path]:
    return sorted((folder / "library").glob("*.sgf"))


SAMPLES = len(list((assets_folder() / "games" / "en").glob("*.sgf")))


async def shown(person: Person, number: int) -> None:
    await until(person, lambda: f"Move {number + 1} " in person.text("#game") + " ")


async def view_saved(person: Person) -> None:
    """Wait until the view has been passed to the journal, a second after a pan."""
    await until(person, lambda: person.screen.navigation._view_timer is None)


async def test_the_question_whether_to_quit_closes_when_the_game_has_ended_and_is_in_the_library(
    tmp_path: Path,
) -> None:
    async with keeping(tmp_path) as person:
        await person.play("A1", "B1")
        await person.press("q")
        assert "you can resume it at the next start" in person.question()
        person.screen.match.resign(WHITE)
        await until(person, lambda: person.at_the_board)
        await until(person, lambda: filed(tmp_path))


async def test_looking_leaves_no_journal(tmp_path: Path) -> None:
    async with keeping(tmp_path) as person:
        await person.press("left", "l", "t", "t")
        await view_saved(person)
    assert not journals(tmp_path)
    assert not filed(tmp_path)


async def test_the_home_view_comes_back_as_the_home_view_in_a_window_of_another_size(tmp_path: Path) -> None:
    async with keeping(tmp_path) as person:
        await person.click_point("A1")
        await shown(person, 1)
        await person.press("l")
        await view_saved(person)
        point = person.screen.cursor.point
    async with keeping(tmp_path, offer_resume=True) as person:
        await person.resize(81, 25)
        await until(person, lambda: isinstance(person.app.screen, ResumeScreen))
        await until(person, lambda: bool(person.app.screen.query(OptionList)))
        await person.press("enter")
        await until(person, lambda: person.at_the_board and person.moves == ["A1"])
        await until(person, lambda: person.screen.cursor.point == point)
        assert person.viewport == person.viewport.at_origin()
        await person.resize(120, 40)
        assert person.viewport == person.viewport.at_origin()


async def test_a_move_is_on_disk_when_it_shows(tmp_path: Path) -> None:
    async with keeping(tmp_path) as person:
        for number, name in enumerate(("A1", "B2", "C3", "D4"), 1):
            await person.click_point(name)
            await shown(person, number)
            (journal,) = journals(tmp_path)
            assert replay(journal).game.node.number == number


async def test_going_on_where_play_stood(tmp_path: Path) -> None:
    async with keeping(tmp_path) as person:
        for number, name in enumerate(("A1", "B2", "C3"), 1):
            await person.click_point(name)
            await shown(person, number)
        await person.press("u")
        await shown(person, 2)
        await person.click_point("E5")
        await shown(person, 3)
        await person.press("right", "right", "down")
        await view_saved(person)
        viewport, cursor = person.viewport, person.screen.cursor.point
        tree = [(node.number, node.action) for node in person.game.root.walk()]
    async with keeping(tmp_path, offer_resume=True) as person:
        await until(person, lambda: isinstance(person.app.screen, ResumeScreen))
        await until(person, lambda: bool(person.app.screen.query(OptionList)))
        assert "弈秋" in str(person.app.screen.query_one(OptionList).get_option_at_index(0).prompt)
        await person.press("enter")
        await until(person, lambda: person.at_the_board and len(person.moves) == 3)
        assert person.moves == ["A1", "B2", "E5"]
        assert [(node.number, node.action) for node in person.game.root.walk()] == tree
        await until(person, lambda: person.viewport == viewport)
        assert person.screen.cursor.point == cursor
        assert person.session.player(2) == "弈秋"
        await person.click_point("F6")
        await shown(person, 4)
    (journal,) = journals(tmp_path)
    assert replay(journal).game.node.number == 4


async def test_the_list_names_computers_in_the_language_of_now(tmp_path: Path) -> None:
    players = Info(black="Computer 1.5", white="Computer 5")
    game = UnfinishedGame(tmp_path / "a.journal", 9, players, 0)
    use_language("zh")
    async with keeping(tmp_path) as person:
        person.app.push_screen(ResumeScreen([game], requested=True))
        await until(person, lambda: bool(person.app.screen.query(OptionList)))
        row = str(person.app.screen.query_one(OptionList).get_option_at_index(0).prompt)
        assert row.endswith("   9×9 电脑 1.5 级 – 电脑 5 级")
        assert "电脑 1.5 级 – 电脑 5 级" in file_picker([players])._rows[0]
    entry = LibraryEntry("a.sgf", 0, 0, players.black, players.white, "", "", 9, 0, 4, "", 0, b"", None)
    assert title_of(entry) == "电脑 1.5 级 – 电脑 5 级"


@pytest.mark.parametrize("name", ["", "Black", "White"])
async def test_who_has_no_name_is_called_by_the_colour_in_the_language_of_now(name: str, tmp_path: Path) -> None:
    use_language("zh")
    entry = LibraryEntry("2026-11-30 3633fb.sgf", 0, 0, name, "White", "2026-11-30", "", 9, 0, 4, "", 0, b"", None)
    assert title_of(entry) == "黑 – 白"
    for file, title in {"2026-11-30 final": "final", "facade": "facade", "2026-11-30": "2026-11-30.sgf"}.items():
        assert title_of(replace(entry, file=f"{file}.sgf", black="", white="")) == title
    async with keeping(tmp_path) as person:
        game = UnfinishedGame(tmp_path / "a.journal", 9, Info(black="Black", white=name and "White"), 0)
        person.app.push_screen(ResumeScreen([game], requested=True))
        await until(person, lambda: bool(person.app.screen.query(OptionList)))
        assert str(person.app.screen.query_one(OptionList).get_option_at_index(0).prompt).endswith("9×9 黑 – 白")


async def test_each_unfinished_game_has_one_row_in_the_narrowest_window(tmp_path: Path) -> None:
    named = [
        Info(white="Computer 5"),
        Info(black="Computer 19.5 (influence)", white="A name of more than thirty letters"),
    ]
    games = [UnfinishedGame(tmp_path / str(at), 16, info, at) for info in named for at in (0, time())]
    async with keeping(tmp_path) as person:
        await person.resize(40, 14)
        person.app.push_screen(ResumeScreen(games, requested=True))
        await until(person, lambda: bool(person.app.screen.query(OptionList)))
        rows = person.app.screen.query_one(OptionList)
        await until(person, lambda: bool(rows.size))
        assert rows.virtual_size.height == len(games)
        shown_rows = [rows.render_line(y).text.rstrip() for y in range(2)]
        assert [row.endswith(" 16×16 Black – Computer 5") for row in shown_rows] == [True, True]


async def test_a_game_taken_up_has_the_margin_of_the_settings(tmp_path: Path) -> None:
    async with keeping(tmp_path) as person:
        await person.click_point("A1")
        await shown(person, 1)
        await person.press("right")
        await view_saved(person)
        assert person.viewport.margin is None
    async with keeping(tmp_path, options=Options(margin=0), offer_resume=True) as person:
        await until(person, lambda: isinstance(person.app.screen, ResumeScreen))
        await until(person, lambda: bool(person.app.screen.query(OptionList)))
        await person.press("enter")
        await until(person, lambda: person.at_the_board and "Game resumed" in person.status)
        assert person.viewport.margin == person.screen.options.margin == 0


async def test_a_new_game_leaves_the_other_to_be_resumed(tmp_path: Path) -> None:
    async with keeping(tmp_path) as person:
        await person.click_point("A1")
        await shown(person, 1)
    async with keeping(tmp_path, offer_resume=True) as person:
        await until(person, lambda: isinstance(person.app.screen, ResumeScreen))
        await person.press("n")
        await until(person, lambda: person.at_the_board)
        assert person.moves == []
        await person.press("ctrl+o")
        await until(person, lambda: isinstance(person.app.screen, ResumeScreen))
        assert "Go back (Esc)" in str(person.app.screen.query_one("#leave", Button).label), "no game would begin"
        await person.press("enter")
        await until(person, lambda: person.moves == ["A1"])


@pytest.mark.parametrize("answer", ["y", "n"])
async def test_a_game_under_way_is_not_left_unasked_for_an_unfinished_one(answer: str, tmp_path: Path) -> None:
    async with keeping(tmp_path) as person:
        await person.click_point("A1")
        await shown(person, 1)
    async with keeping(tmp_path) as person:
        await person.click_point("B2")
        await shown(person, 1)
        await person.press("ctrl+o")
        await until(person, lambda: isinstance(person.app.screen, ResumeScreen))
        await until(person, lambda: bool(person.app.screen.query(OptionList)))
        await person.press("enter")
        await until(person, lambda: isinstance(person.app.screen, Question))
        assert "Leave it?" in person.question()
        await person.press(answer)
        await until(person, lambda: person.at_the_board and person.moves == (["A1"] if answer == "y" else ["B2"]))


@pytest.mark.parametrize(
    ("arguments", "asked_for"),
    [
        (["--size", "9"], True),
        (["--komi", "3"], True),
        (["--handicap", "2"], True),
        (["--white", "person"], True),
        ([], False),
        (["--board", "slate"], False),
    ],
)
async def test_a_game_that_was_asked_for_begins_and_the_unfinished_ones_are_mentioned(
    arguments: list[str], asked_for: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with keeping(tmp_path) as person:
        await person.click_point("A1")
        await shown(person, 1)
    folders = Folders(tmp_path / "journal", tmp_path / "library")
    made: list[DaoqiApp] = []
    monkeypatch.setattr(Folders, "standard", lambda: folders)
    monkeypatch.setattr(DaoqiApp, "run", lambda app: made.append(app))  # noqa: PLW0108 (a built-in method is not bound)
    monkeypatch.setattr("sys.stdin", Terminal())
    monkeypatch.setattr("sys.stdout", Terminal())
    monkeypatch.setattr("daoqi_tui.cli.play._wait_for_foreground", lambda: None)
    assert run(arguments) == 0
    (app,) = made
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        person = Person(app, pilot)
        if not asked_for:
            await until(person, lambda: isinstance(person.app.screen, ResumeScreen))
            return
        await until(person, lambda: "1 unfinished game" in person.status)
        assert "Ctrl+o resumes one" in person.status
        assert person.at_the_board
        assert person.game.torus.size == (9 if "9" in arguments else 16)
        await person.press("ctrl+o")
        await until(person, lambda: isinstance(person.app.screen, ResumeScreen))
        await person.press("enter")
        await until(person, lambda: person.moves == ["A1"])


class Terminal(io.StringIO):
    """A fake standard input or output that claims to be a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("taken_back", [0, 1])
async def test_a_game_taken_up_on_an_earlier_move_has_its_clock_run_in_front(tmp_path: Path, taken_back: int) -> None:
    setup = GameSetup(size=7, time=TimeControl(600))
    front = 3 - taken_back
    async with keeping(tmp_path, setup) as person:
        for number, point in enumerate(("A1", "B2", "E5"), 1):
            await person.click_point(point)
            await shown(person, number)
        await person.press(*["u"] * taken_back)
        await shown(person, front)
        await person.press("home")
        await shown(person, 0)
    async with keeping(tmp_path, offer_resume=True) as person:
        await until(person, lambda: isinstance(person.app.screen, ResumeScreen))
        await person.press("enter")
        await until(person, lambda: person.at_the_board and person.session.clock is not None)
        assert person.game.node.number == 0
        clock = person.session.clock
        assert clock is not None
        # The clock runs for the side to move where play continues: not for Black, who is to move at the start being
        # viewed, nor for White, who would be to move at the end of a line whose last move was undone.
        assert clock.running == (BLACK if taken_back else WHITE)
        assert person.session.front is not None
        assert person.session.front.number == front


async def test_a_finished_game_goes_into_the_library_by_itself(tmp_path: Path) -> None:
    async with keeping(tmp_path) as person:
        await person.click_point("A1")
        await shown(person, 1)
        await person.press("p")
        await shown(person, 2)
        await person.press("p")
        await until(person, lambda: isinstance(person.app.screen, Question))
        await person.press("y")
        await until(person, lambda: len(filed(tmp_path)) == 1)
        await until(person, lambda: filed(tmp_path)[0].name in person.status)
        (sgf,) = filed(tmp_path)
        loaded = load(sgf)
        assert isinstance(loaded.game.ending, TwoPasses)
        assert (loaded.info.black, loaded.info.white, loaded.info.result) == ("Ke", "弈秋", "B+45")
        await person.press("q")
        await until(person, lambda: bool(person.app._exit))
    assert not journals(tmp_path), "what is in the library needs no journal"
    assert filed(tmp_path) == [sgf]


async def test_play_goes_on_while_the_disk_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = True
    flush = os.fsync

    def fsync(descriptor: int) -> None:
        if full:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        flush(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    async with keeping(tmp_path) as person:
        await person.click_point("A1")
        await until(person, lambda: "disk is full" in person.status)
        assert "\n" not in person.status
        await person.click_point("B2")
        await shown(person, 2)
        full = False
        await until(person, lambda: "Saving works again" in person.status)
    (journal,) = journals(tmp_path)
    assert replay(journal).game.node.number == 2


_WHY = {errno.ENOSPC: "disk full", errno.EROFS: "read-only disk", errno.EIO: os.strerror(errno.EIO)}


@pytest.mark.parametrize(
    ("window", "error"),
    [
        ((120, 40), errno.ENOSPC),
        ((120, 40), errno.EROFS),
        ((120, 40), errno.EIO),
        ((120, 16), errno.ENOSPC),
        ((80, 24), errno.ENOSPC),
        ((40, 14), errno.ENOSPC),
    ],
)
async def test_a_mark_stays_in_the_game_pane_while_saving_fails(
    window: tuple[int, int], error: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fails, write = True, os.write

    def write_or_fail(descriptor: int, data: bytes) -> int:
        if fails and stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(error, os.strerror(error))
        return write(descriptor, data)

    async with keeping(tmp_path) as person:
        await person.resize(*window)
        await person.click_point("A1")
        await shown(person, 1)
        assert "NOT SAVED" not in person.text("#game")
        monkeypatch.setattr(journal_writer.os, "write", write_or_fail)
        # Several moves: the message on the status line disappears, the mark stays.
        for number, name in enumerate(("B2", "C3", "D4"), 2):
            await person.play(name)
            await until(person, lambda told=f"Move {number + 1}": told in person.text("#game"))
            await until(person, lambda: "NOT SAVED" in person.text("#game"))
            assert _WHY[error] in person.text("#game")
        await person.press("home")
        await until(person, lambda: person.game.node.number == 0 and "Move 1" in person.text("#game"))
        assert "NOT SAVED" in person.text("#game")
        # All lines of the pane are visible, and so is the board.
        pane = person.screen.query_one("#game")
        await until(person, lambda: pane.content_size.height >= person.text("#game").count("\n") + 1)
        assert person.text("#game").count("\n") == (6 if window == (120, 40) else 3)
        assert pane.content_size.width >= len(" NOT SAVED ")
        assert person.board.size.height >= 5
        fails = False
        await until(person, lambda: "NOT SAVED" not in person.text("#game"))
        assert not person.screen.has_class("-not-saved")
        tree = [(node.number, node.action) for node in person.game.root.walk()]
    (journal,) = journals(tmp_path)
    restored = replay(journal)
    assert [(node.number, node.action) for node in restored.game.root.walk()] == tree
    assert len(tree) == 5


async def test_another_game_begins_without_the_mark_of_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with keeping(tmp_path) as person:
        await person.click_point("A1")
        await shown(person, 1)
        with monkeypatch.context() as patch:
            patch.setattr(journal_writer.JournalFile, "append", fail_as_full)
            await person.click_point("B2")
            await until(person, lambda: "NOT SAVED" in person.text("#game"))
        await person.screen.records.leave_game()
        person.screen.begin(Session(SMALL))
        await person.settle()
        assert "NOT SAVED" not in person.text("#game")


async def test_play_goes_on_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "journal").write_text("a file where the folder should be")
    assert is_first_start(), "else the welcome would come"
    async with keeping(tmp_path, offer_resume=True) as person:
        await person.click_point("A1")
        # The status line may say already that the folder of unfinished games cannot be read.
        await until(person, lambda: "NOT SAVED" in person.text("#game"))
        await shown(person, 1)
        await person.press("l")
        assert person.moves == ["A1"]


async def test_comments_marks_and_letters_are_kept(tmp_path: Path) -> None:
    async with keeping(tmp_path) as person:
        await person.click_point("A1")
        await shown(person, 1)
        await person.press("i")
        await until(person, lambda: isinstance(person.app.screen, CommentScreen))
        await person.type("good")
        await person.press("ctrl+s")
        await until(person, lambda: any("good" in str(said.content) for said in person.screen.query("#comment Static")))
        await person.press("x", "l", "X")
        await until(person, lambda: len(person.board.picture.labels) == 2)
        node = person.game.node
        torus = person.game.torus
        expected = comment(node), marks(node, 7), labels(node, 7)
    (journal,) = journals(tmp_path)
    node = replay(journal).game.node
    assert (comment(node), marks(node, 7), labels(node, 7)) == expected
    assert expected[0] == "good"
    assert expected[1] == {torus.parse("A1"): "triangle"}
    assert expected[2] == {torus.parse("B1"): "A"}


async def test_the_library_opens_searches_and_previews(tmp_path: Path) -> None:
    async with keeping(tmp_path) as person:
        assert person.screen.match.keeper is not None
        library = person.screen.match.keeper.library()
        for black in ("Ann", "Bob"):
            session = Session(GameSetup(size=9, black=black, white="Cho"))
            session.game.play(40)
            library.add(session.game, session.record_info())
        library.close()
        await person.press("b")
        await until(person, lambda: isinstance(person.app.screen, LibraryScreen))
        screen = person.app.screen
        games = screen.query_one(GameList)
        await until(person, lambda: len(games._entries) == 2 + SAMPLES)
        await person.type("bob")
        await until(person, lambda: [entry.black for entry in games._entries] == ["Bob"])
        assert games.highlighted is not None
        assert games.highlighted.stones()[40] == 1
        await person.press("enter")
        await until(person, lambda: person.at_the_board and person.session.player(1) == "Bob")
        await person.press("end")
        assert person.moves == ["E5"]


async def test_a_sample_game_opens(tmp_path: Path) -> None:
    async with keeping(tmp_path) as person:
        await person.press("b")
        await until(person, lambda: isinstance(person.app.screen, LibraryScreen))
        await until(person, lambda: len(person.app.screen.query_one(GameList)._entries) == SAMPLES)
        await person.type("superko")
        await until(person, lambda: len(person.app.screen.query_one(GameList)._entries) == 1)
        await person.press("enter")
        await until(person, lambda: person.at_the_board and person.session.info is not None)
        await person.press("end")
        assert person.game.node.number == 8


async def test_copy_and_paste(tmp_path: Path) -> None:
    async with keeping(tmp_path) as person:
        await person.click_point("C3")
        await shown(person, 1)
        await person.press("Y")
        record = person.app.clipboard
        assert record.startswith("(;FF[4]GM[q5go-1]CA[UTF-8]AP[daoqi_tui:")
        await person.press("y")
        assert person.app.clipboard.count("X") == 1
        person.screen.post_message(Paste(record.replace("B[ce]", "B[aa]")))
        await until(person, lambda: isinstance(person.app.screen, Question))
        await person.press("y")
        await until(person, lambda: person.at_the_board and person.session.info is not None)
        await person.press("end")
        assert person.moves == ["A7"]
        person.screen.post_message(Paste("not a game"))
        await until(person, lambda: "not a game" in person.status)
        person.screen.post_message(Paste("(;SZ[99]B[aa])"))
        await until(person, lambda: "99" in person.status)
        assert person.moves == ["A7"]


@pytest.mark.parametrize(
    ("environment", "known"),
    [
        ({"TERM": "xterm-kitty"}, True),
        ({"TERM": "foot"}, True),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, True),
        ({"TERM": "xterm-256color", "WT_SESSION": "1"}, True),
        ({"TERM": "xterm-256color"}, False),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"}, False),
        ({"TERM": "xterm-kitty", "TMUX": "/tmp/tmux"}, False),
        ({"TERM": "screen", "STY": "1"}, False),
        ({}, False),
    ],
)
async def test_copied_is_said_only_where_the_terminal_is_known_to_take_it(
    environment: dict[str, str], known: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("TERM", "TERM_PROGRAM", "WT_SESSION", "TMUX", "STY"):
        monkeypatch.delenv(name, raising=False)
    async with keeping(tmp_path) as person:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        for key in ("y", "Y"):
            await person.press(key)
            assert ("copied to the clipboard" in person.status) == known
            assert ("paste it to check" in person.status) != known


async def test_saving_as_a_file(tmp_path: Path) -> None:
    async with keeping(tmp_path) as person:
        await person.click_point("C3")
        await shown(person, 1)
        await person.press("w")
        await until(person, lambda: isinstance(person.app.screen, Prompt))
        await person.enter_text("Input", str(tmp_path / "nowhere" / "game.sgf"))
        person.app.screen.query_one(Input).focus()
        await person.press("enter")
        assert "no folder" in person.question()
        await person.enter_text("Input", str(tmp_path / "game.sgf"))
        await person.press("enter")
        await until(person, (tmp_path / "game.sgf").exists)
        assert load(tmp_path / "game.sgf").game.moves() == person.game.moves()


async def test_a_picture_that_is_not_to_replace_a_file_gets_another_name(tmp_path: Path) -> None:
    (tmp_path / "board.svg").write_text(old := '<svg xmlns="http://www.w3.org/2000/svg"></svg>')
    (tmp_path / "words.svg").write_text("words")
    async with keeping(tmp_path) as person:
        await person.press("P")
        await until(person, lambda: isinstance(person.app.screen, Prompt))
        await person.enter_text("Input", str(tmp_path / "words.svg"))
        await person.press("enter")
        assert "is another kind of file and is not replaced" in person.question()
        await person.enter_text("Input", str(tmp_path / "board.svg"))
        await person.press("enter")
        await until(person, lambda: isinstance(person.app.screen, Question))
        await person.press("escape")
        await until(person, lambda: isinstance(person.app.screen, Prompt))
        await until(person, lambda: isinstance(person.app.focused, Input))
        await person.press("end", *["backspace"] * 4, *"2.svg", "enter")
        await until(person, (tmp_path / "board2.svg").exists)
        assert (tmp_path / "board.svg").read_text() == old


async def test_a_game_of_several_is_not_saved_over_the_others(tmp_path: Path) -> None:
    file = tmp_path / "games.sgf"
    file.write_text("(;SZ[5]TO[3];B[aa])" * 3)
    async with keeping(tmp_path) as person:
        person.screen.begin(Session.opened(file.read_bytes(), source=file, index=1))
        await person.press("w")
        await until(person, lambda: isinstance(person.app.screen, Prompt))
        await person.enter_text("Input", str(file))
        await person.press("enter")
        await until(person, lambda: isinstance(person.app.screen, Question))
        await person.press("n")
        await until(person, lambda: isinstance(person.app.screen, Prompt))
        assert person.app.screen.query_one(Input).value == str(file), "another name begins with the one that was typed"
        await person.press("escape")
        await until(person, lambda: person.at_the_board)
        assert load(file).games == 3
        for _again in range(2):
            await person.press("w")
            await until(person, lambda: isinstance(person.app.screen, Prompt))
            await person.press("enter")
            await until(person, lambda: person.at_the_board)
            assert load(tmp_path / "games-2.sgf").games == 1
    assert load(file).games == 3


async def play_on_slow_disk(person: Person, monkeypatch: pytest.MonkeyPatch) -> SlowTicket:
    """Play on the first point, and return the journal entry of the move, which is not written."""
    slow = SlowTicket()
    monkeypatch.setattr(person.screen.match.keeper, "follow", lambda *_given, **_named: slow)
    person.screen.match.play(0)
    await person.wait()
    return slow


async def test_a_move_that_a_slow_disk_writes_late_does_not_replace_a_later_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with keeping(tmp_path) as person:
        slow = await play_on_slow_disk(person, monkeypatch)
        person.screen.cursor.point = 0
        await person.press("enter")
        refused = person.status
        assert "occupied" in refused
        slow.written.set()
        await until(person, lambda: person.screen.match.written and any(person.board.picture.stones))
        assert person.status == refused
        await person.play("C3")
        assert "last: Black" not in person.status
        assert "C3" in person.status


@pytest.mark.parametrize("ending", [False, True])
async def test_a_slow_disk_that_answers_at_the_end_finds_nothing_to_show_in(
    ending: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with keeping(tmp_path) as person:
        slow = await play_on_slow_disk(person, monkeypatch)
        assert person.moves == ["A7"]
        # No other action shows a move that is not on disk yet.
        await person.hover_point("B2")
        await person.press("l", "f", "tab")
        person.screen.show_game()
        assert not any(person.board.picture.stones)
        assert "Move 1 " in person.text("#game")
        with monkeypatch.context() as patch:
            if ending:
                patch.setattr(DaoqiApp, "is_running", property(lambda _app: False))
            slow.written.set()
            await until(person, lambda: person.screen.match.written)
            assert any(person.board.picture.stones) is not ending
            assert ("Move 2 " in person.text("#game")) is not ending


async def test_why_the_unfinished_games_cannot_be_read_is_seen_in_80_columns(tmp_path: Path) -> None:
    folder = tmp_path / "a-rather-long-name-of-a-folder"
    folder.mkdir()
    (folder / "journal").write_text("not a folder")
    assert is_first_start(), "else the welcome would come"
    async with keeping(folder, offer_resume=True) as person:
        await person.resize(80, 24)
        await until(person, lambda: "cannot be read" in person.status)
        assert person.status[:80].startswith("The folder of unfinished games cannot be read: Not a directory: ")
