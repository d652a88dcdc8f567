"""Tests the saving of games that continue after being saved, opened, finished, resumed or played elsewhere."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from daoqi_tui.engine import BLACK, WHITE, Resignation
from daoqi_tui.engine.clock import TimeControl
from daoqi_tui.plain import execute
from daoqi_tui.plain.game import PlainGame, PlainKeeper
from daoqi_tui.play.keeper import Folders, Keeper, Resumable
from daoqi_tui.play.session import Computer, GameSetup, Session
from daoqi_tui.record.journal import JournalError, replay
from daoqi_tui.record.journal import writer as journal_writer
from daoqi_tui.record.library import Library
from daoqi_tui.record.sgf.read import load
from daoqi_tui.tui.screens import Prompt, Question
from daoqi_tui.tui.screens.setup import PlayersScreen, SetupScreen
from tests.tui.driving import Person, playing, until
from tests.tui.test_keeping import filed, journals, keeper_of, keeping, shown
from tests.waiting import HANG

SMALL = GameSetup(size=7)


def left_in(folder: Path) -> Resumable:
    """Open the one game that was left unfinished."""
    keeper = keeper_of(folder)
    (found,) = keeper.unfinished().journals
    return keeper.open(found.path)


def kept_moves(folder: Path) -> list[int]:
    return [replay(journal).game.node.number for journal in journals(folder)]


async def save_as(person: Person, name: str) -> None:
    await person.press("w")
    await until(person, lambda: isinstance(person.app.screen, Prompt))
    await person.enter_text("Input", name)
    await person.press("enter")


async def test_what_is_played_after_saving_a_resumed_game_is_kept(tmp_path: Path) -> None:
    async with keeping(tmp_path, SMALL) as person:
        await person.click_point("A1")
        await shown(person, 1)
    async with keeping(tmp_path, offer_resume=True) as person:
        await until(person, lambda: not person.at_the_board)
        await person.press("enter")
        await until(person, lambda: person.game.node.number == 1)
        await person.click_point("C3")
        await shown(person, 2)
        await save_as(person, str(tmp_path / "mine.sgf"))
        await until(person, lambda: "Saved as" in person.status)
        assert kept_moves(tmp_path) == [2], "the file has neither its clock nor its players"
        await person.click_point("D4")
        await shown(person, 3)
        assert kept_moves(tmp_path) == [3]


async def test_what_is_played_after_saving_an_opened_record_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "old.sgf"
    file.write_bytes(b"(;GM[1]SZ[7]TO[3];B[cc])")
    async with keeping(tmp_path, SMALL) as person:
        person.screen.begin(Session.opened(file.read_bytes(), source=file))
        await person.press("end")
        await person.click_point("A1")
        await shown(person, 2)
        await save_as(person, str(tmp_path / "mine.sgf"))
        await until(person, lambda: journals(tmp_path) == [])
        await person.click_point("D4")
        await shown(person, 3)
        assert kept_moves(tmp_path) == [3]


async def test_the_first_move_in_an_opened_record_is_kept(tmp_path: Path) -> None:
    session = Session.opened(b"(;GM[1]SZ[7]TO[3];B[cc];W[bb])")
    keeper = keeper_of(tmp_path)
    keeper.begin(session)
    session.game.goto(session.game.root.line()[-1])
    session.game.play(0)
    assert keeper.follow(session).wait(HANG)
    assert kept_moves(tmp_path) == [3]
    keeper.leave()


async def test_leaving_says_what_a_full_disk_has_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with keeping(tmp_path, SMALL) as person:
        await person.click_point("A1")
        await shown(person, 1)

        def full(_: object, _data: bytes) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(journal_writer.JournalFile, "append", full)
        await person.click_point("B2")
        await until(person, lambda: "disk is full" in person.status)
        await person.press("q")
        await person.wait()
        assert isinstance(person.app.screen, Question)
        assert "The moves played since then will be lost. Quit?" in person.question()
        assert "is kept" not in person.question()


@pytest.mark.parametrize("library", [True, False])
async def test_a_game_that_is_over_and_nowhere_on_the_disk_is_not_left_unasked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, library: bool
) -> None:
    async with keeping(tmp_path, SMALL) as person:
        await person.click_point("A1")
        await shown(person, 1)

        def full(*_: object) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        # The journal and the library report in any order; the later message replaces the earlier one.
        said, say = list[str](), person.screen.say
        monkeypatch.setattr(person.screen, "say", lambda words: (said.append(words), say(words)))
        monkeypatch.setattr(journal_writer.JournalFile, "append", full)
        if not library:
            monkeypatch.setattr(Library, "put", full)
        await person.press("R")
        await until(person, lambda: isinstance(person.app.screen, Question))
        await person.press("y")
        await until(person, lambda: person.at_the_board and person.session.is_over)
        told = "saved in the library" if library else "could not be saved"
        await until(person, lambda: any(told in words for words in said))
        assert person.screen.records.at_risk != library, "what is in the library is not lost"
        if not library:
            await person.press("q")
            await until(person, lambda: isinstance(person.app.screen, Question))
            assert "The moves played since then will be lost. Quit?" in person.question()


def test_the_last_attempt_is_made_when_it_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session, keeper = Session(SMALL), keeper_of(tmp_path)
    keeper.begin(session)
    append, fails = journal_writer.JournalFile.append, [True]

    def full_once(self: journal_writer.JournalFile, data: bytes) -> None:
        if fails:
            fails.pop()
            raise OSError(errno.ENOSPC, "No space left on device")
        append(self, data)

    monkeypatch.setattr(journal_writer.JournalFile, "append", full_once)
    session.game.play(0)
    assert not keeper.follow(session).wait(HANG)
    assert keeper.leave()
    assert kept_moves(tmp_path) == [1]


def test_lines_of_text_say_what_a_full_disk_has_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session(SMALL)
    person = PlainGame(session, keeper=PlainKeeper(session, Folders(tmp_path / "journal", tmp_path / "library")))
    execute(person, "a1")

    def full(_: object, _data: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(journal_writer.JournalFile, "append", full)
    execute(person, "b2")
    assert next(iter(person.leave())) == "The last moves could not be saved."


@pytest.mark.parametrize("name", ["x" * 300, "~nobody-of-this-name/x.sgf", "a\0b"])
async def test_a_name_that_cannot_be_is_said_to_be_wrong(name: str, tmp_path: Path) -> None:
    async with keeping(tmp_path, SMALL) as person:
        await person.click_point("A1")
        # A move that is saved later replaces the message.
        await shown(person, 1)
        await save_as(person, name)
        # The file system refuses some names, the prompt the others.
        await until(
            person,
            lambda: "cannot be written" in person.status if person.at_the_board else "no folder" in person.question(),
        )
        assert person.app.is_running
        assert list(tmp_path.glob("*.sgf")) == []
    session = Session(SMALL)
    plain = PlainGame(session)
    (words,) = execute(plain, f"save {name}")
    assert "cannot be written" in words or "no folder" in words
    assert not plain.over


async def test_looking_at_a_finished_game_does_not_file_it_again(tmp_path: Path) -> None:
    data = b"(;GM[1]SZ[7]TO[3]RE[B+R];B[cc];W[bb])"
    session, keeper = Session.opened(data), keeper_of(tmp_path)
    keeper.begin(session)
    session.game.goto(session.game.root.line()[-1])
    assert session.game.is_over
    keeper.follow(session)
    keeper.leave()
    assert filed(tmp_path) == []
    plain_session = Session.opened(data)
    person = PlainGame(
        plain_session, keeper=PlainKeeper(plain_session, Folders(tmp_path / "journal", tmp_path / "library"))
    )
    assert not any("library" in line for line in [*execute(person, "redo"), *execute(person, "redo")])
    assert person.game.is_over
    assert filed(tmp_path) == []


def test_a_record_that_goes_on_keeps_the_result_it_came_with_until_it_ends_anew(tmp_path: Path) -> None:
    session, keeper = Session.opened(b"(;GM[1]SZ[7]TO[3]RE[B+R];B[cc];W[bb])"), keeper_of(tmp_path)
    assert b"RE[B+R]" in session.record()
    keeper.begin(session)
    game = session.game
    game.goto(game.root.line()[-1])
    session.resume()
    game.play(0)
    keeper.follow(session)
    assert b"RE[B+R]" in session.record()
    again = load(session.record()).game
    assert again.root.line()[-1].ending == Resignation(WHITE)
    assert [node.is_over for node in again.root.line()[0].children] == [True, False]
    game.resign(BLACK)
    keeper.follow(session)
    assert keeper.promote_end(session)
    keeper.follow(session)
    assert b"RE[W+R]" in session.record()
    keeper.leave()
    (file,) = filed(tmp_path)
    assert b"RE[W+R]" in file.read_bytes()
    ended, resumed = reversed(load(file.read_bytes()).game.root.line()[0].children)
    assert ended.ending == Resignation(WHITE), "the line that ended first is a variation"
    assert resumed.line()[-1].ending == Resignation(BLACK)


def test_a_counted_result_stays_while_the_main_line_does() -> None:
    session = Session.opened(b"(;GM[1]SZ[7]TO[3]RE[B+3.5];B[cc];W[bb])")
    session.game.play(0)
    assert b"RE[B+3.5]" in session.record(), "a variation says nothing of how the game ended"


async def test_resigning_while_looking_back_ends_the_game_itself() -> None:
    async with playing(setup=SMALL) as person:
        await person.play("A1", "B2", "C3")
        await person.press("left_square_bracket", "left_square_bracket")
        assert person.game.node.number == 1
        await person.press("R")
        assert "Resign as White?" in person.question()
        await person.press("y")
        assert person.game.node.number == 3
        assert person.game.node.ending == Resignation(WHITE)
        assert b"RE[B+R]" in person.session.record()


def test_a_resignation_where_moves_follow_is_the_result_of_the_record() -> None:
    session = Session(SMALL)
    for point in (0, 1, 2):
        session.game.play(point)
    session.game.undo()
    session.game.resign()
    data = session.record()
    assert b"RE[W+R]" in data
    again = load(data).game
    assert again.root.line()[1].ending == Resignation(BLACK)
    assert again.root.line()[2].ending is None


def test_a_game_resumed_after_a_loss_on_time_stays_without_clocks(tmp_path: Path) -> None:
    session, keeper = Session(GameSetup(7, time=TimeControl(60))), keeper_of(tmp_path)
    keeper.begin(session)
    assert session.clock is not None
    session.game.play(0)
    session.front = session.game.node
    session.clock.start(WHITE, 0.0)
    session.clock.stop(100.0)
    session.game.lose_on_time(WHITE)
    keeper.follow(session)
    session.resume()
    session.game.play(1)
    session.front = session.game.node
    keeper.follow(session)
    keeper.leave()
    again = left_in(tmp_path)
    assert again.session.clock is None
    assert again.session.game.node.number == 2
    again.journal.close()


def test_what_lines_of_text_played_is_where_the_clock_goes_on(tmp_path: Path) -> None:
    session, keeper = Session(GameSetup(7, time=TimeControl(600))), keeper_of(tmp_path)
    keeper.begin(session)
    session.game.play(0)
    session.front = session.game.node
    keeper.follow(session)
    keeper.leave()
    own = Session(SMALL)
    person = PlainGame(own, keeper=PlainKeeper(own, Folders(tmp_path / "journal", tmp_path / "library")))
    assert "Clocks do not run in text mode." in execute(person, "continue")
    execute(person, "b2")
    list(person.leave())
    again = left_in(tmp_path)
    assert again.session.front is again.session.game.node
    assert again.session.game.node.number == 2
    again.journal.close()


def test_whether_computers_may_resign_is_kept(tmp_path: Path) -> None:
    session, keeper = Session(GameSetup(7, white_seat=Computer(3), resigns=False)), keeper_of(tmp_path)
    keeper.begin(session)
    session.game.play(0)
    keeper.follow(session)
    keeper.leave()
    again = left_in(tmp_path)
    assert again.session.resigns is False
    assert again.session.seats[WHITE] == Computer(3)
    again.journal.close()


def test_a_move_that_is_not_there_takes_back_nothing() -> None:
    session = Session(GameSetup(7, white_seat=Computer(3)))
    session.game.resign(WHITE)
    assert session.take_back_turn(BLACK), "the end alone is taken back where it is one's turn"
    session = Session(GameSetup(7, black_seat=Computer(3)))
    session.game.resign(BLACK)
    assert not session.take_back_turn(WHITE)
    assert session.game.is_over, "and nothing has changed"


def test_a_gap_in_the_folder_leaves_the_game_that_is_played(tmp_path: Path) -> None:
    keeper, session = keeper_of(tmp_path), Session(SMALL)
    keeper.begin(session)
    session.game.play(0)
    keeper.follow(session).wait(HANG)
    broken = tmp_path / "journal" / "2026-01-01-000000-00000000.journal"
    broken.write_text("nothing of the kind")
    with pytest.raises(JournalError):
        keeper.open(broken)
    session.game.play(1)
    assert keeper.follow(session).wait(HANG)
    assert 2 in kept_moves_of(tmp_path, but=broken)
    keeper.leave()


class Held:
    """A wrapper that blocks the calling thread until it is released."""

    def __init__(self, run: Callable[..., Any]) -> None:
        self._run, self._may = run, Event()
        self.under_way = False

    def __call__(self, *args: object) -> object:
        self.under_way = True
        assert self._may.wait(HANG)
        return self._run(*args)

    def let_go(self) -> None:
        self._may.set()


@pytest.fixture
def held_leave(monkeypatch: pytest.MonkeyPatch) -> Iterator[Held]:
    """Simulate a slow disk: leaving a game blocks until the test releases it."""
    held = Held(Keeper.leave)
    monkeypatch.setattr(Keeper, "leave", lambda keeper: held(keeper))  # noqa: PLW0108 (only functions are bound)
    yield held
    held.let_go()


async def test_a_key_while_a_game_is_left_is_for_the_next_one(tmp_path: Path, held_leave: Held) -> None:
    # Where White has a name, the form proposes no computer, which might answer the pass.
    async with keeping(tmp_path, SMALL._replace(white="Ben")) as person:
        await person.click_point("A1")
        await shown(person, 1)
        await person.press("n")
        await until(person, lambda: isinstance(person.app.screen, SetupScreen))
        await person.press("enter")
        await until(person, lambda: isinstance(person.app.screen, Question))
        await person.press("y")
        await until(person, lambda: held_leave.under_way)
        await person.press("p")
        held_leave.let_go()
        await until(person, lambda: person.moves == ["pass"])
        await person.click_point("B2")
        await until(person, lambda: kept_moves(tmp_path) in ([1, 2], [2, 1]))


async def test_quitting_is_gone_through_with_whatever_is_typed(tmp_path: Path, held_leave: Held) -> None:
    async with keeping(tmp_path, SMALL) as person:
        await person.click_point("A1")
        await shown(person, 1)
        await person.press("q", "y")
        await until(person, lambda: held_leave.under_way)
        await person.press("n")
        held_leave.let_go()
        await until(person, lambda: not person.app.is_running)


async def test_only_the_last_key_is_dealt_with_once_players_are_seated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    released, begun = asyncio.Event(), asyncio.Event()

    async def release(*_seats: object) -> None:
        begun.set()
        await released.wait()

    async with keeping(tmp_path, SMALL) as person:
        monkeypatch.setattr(person.screen.match.turns, "release_absent", release)
        await person.press("C")
        await until(person, lambda: isinstance(person.app.screen, PlayersScreen))
        await person.press("enter")
        await until(person, begun.is_set)
        changed: list[str] = []
        person.screen.match.subscribe(lambda event: changed.append(getattr(event, "kind", "")))
        await person.press("n", "g")
        assert person.at_the_board
        released.set()
        await until(person, lambda: isinstance(person.app.screen, Prompt))
        assert "seats" in changed
        await person.press("escape")
        await until(person, lambda: person.at_the_board)
        await person.wait()
        assert person.at_the_board


def kept_moves_of(folder: Path, but: Path) -> list[int]:
    return [replay(journal).game.node.number for journal in journals(folder) if journal != but]
