"""Autosave without a user interface: journals, filing into the library, and renamed games."""

from __future__ import annotations

import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from daoqi_tui.engine import BLACK, WHITE
from daoqi_tui.i18n import use_language
from daoqi_tui.play.keeper import Folders, Keeper, suggested_path
from daoqi_tui.play.session import PERSON, Computer, GameSetup, Session
from daoqi_tui.record import library_index, load
from daoqi_tui.record.library import Library
from daoqi_tui.record.sgf.info import Info


@pytest.fixture
def keeper(tmp_path: Path) -> Keeper:
    return Keeper(Folders(tmp_path / "journal", tmp_path / "library"), lambda _failing: None)


def test_the_library_is_closed_after_a_game_was_filed(
    keeper: Keeper, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[sqlite3.Connection] = []
    connect = library_index._connect

    def noting(*arguments: Any) -> sqlite3.Connection:
        opened.append(connect(*arguments))
        return opened[-1]

    monkeypatch.setattr(library_index, "_connect", noting)
    session = Session(GameSetup(size=5))
    session.game.play(0)
    session.game.resign()
    keeper.follow(session)
    assert keeper.file(session) is not None
    assert keeper.leave()
    assert len(list((tmp_path / "library").glob("*.sgf"))) == 1
    assert opened
    for database in opened:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            database.execute("SELECT 1")


@pytest.mark.parametrize("other", ["en", "zh"])
def test_the_name_of_a_computer_is_not_taken_for_a_persons_in_another_language(keeper: Keeper, other: str) -> None:
    use_language("en" if other == "zh" else "zh")
    session = Session(GameSetup(size=5, black="Li", white_seat=Computer(7)))
    session.game.play(0)
    keeper.follow(session)
    keeper.close()
    use_language(other)
    (journal,) = keeper.unfinished().journals
    resumed = keeper.open(journal.path)
    assert (resumed.session.setup.black, resumed.session.setup.white) == ("Li", "")
    resumed.session.sit(None, PERSON)
    assert resumed.session.player(WHITE) == ""
    resumed.journal.close()


def test_the_file_of_a_finished_game_has_a_name_in_one_language(keeper: Keeper) -> None:
    use_language("zh")
    session = Session(GameSetup(5, white_seat=Computer(4.5)))
    session.game.play(0)
    session.game.resign()
    keeper.follow(session)
    filed = keeper.file(session)
    assert filed is not None
    assert " 黑 – 电脑 4.5 级 " in filed.name


def ended(size: int) -> Session:
    session = Session(GameSetup(size))
    session.game.play(0)
    session.game.resign()
    return session


def test_a_filed_game_that_was_renamed_in_the_library_is_written_there_under_its_new_name(
    keeper: Keeper, tmp_path: Path
) -> None:
    session = Session(GameSetup(size=5, black="Li", white_seat=Computer(3)))
    node = session.game.play(0)
    session.game.resign()
    keeper.follow(session)
    old = keeper.file(session)
    assert old is not None
    with closing(keeper.library()) as library:
        new = library.rename(old.name, black="Ke", white="Computer 3")
    assert not keeper.follow_renamed(session, new, old, "Ke", None), "another file"
    assert keeper.follow_renamed(session, old, new, "Ke", "Computer 3")
    assert (session.player(BLACK), session.setup.white) == ("Ke", "")
    record = new.read_bytes()
    assert keeper.file(session) == new
    assert new.read_bytes() == record, "a game that has not changed is not written again"
    session.undo_end()
    session.game.goto(node)
    session.game.resign()
    keeper.follow(session)
    keeper.close()
    assert not keeper.unfinished().journals, "a game that is over is filed again"
    assert list((tmp_path / "library").glob("*.sgf")) == [new]
    assert load(new).info.black == "Ke"


def test_a_game_of_the_library_that_was_renamed_there_is_saved_under_its_new_name(
    keeper: Keeper, tmp_path: Path
) -> None:
    with closing(keeper.library()) as library:
        old = library.add(Session(GameSetup(size=5)).game, Info(black="Li", white="Wu"))
        session = Session.opened(old.read_bytes(), source=old)
        keeper.begin(session)
        new = library.rename(old.name, black="Ke")
    assert new != old
    assert keeper.follow_renamed(session, old, new, "Ke", None)
    assert suggested_path(session) == new
    assert (session.record_info().black, session.setup.black, session.setup.white) == ("Ke", "Ke", "Wu")
    session.game.play(0)
    session.game.resign()
    keeper.follow(session)
    path = keeper.file(session)
    assert path is not None
    assert load(path).info.black == "Ke"
    assert not list((tmp_path / "library").glob("Li*"))
    keeper.close()


def test_what_comes_of_a_game_that_was_left_is_not_kept_as_another(keeper: Keeper, tmp_path: Path) -> None:
    session = Session(GameSetup(size=5))
    keeper.begin(session)
    node = session.game.play(0)
    keeper.follow(session).wait()
    assert keeper.leave()
    session.game.play(1)
    keeper.follow(session)
    keeper.journal_of(session).edited(node)
    keeper.write_seats(session)
    keeper.journal_of(session).helped()
    assert not keeper.has_news
    assert keeper.leave()
    (journal,) = (tmp_path / "journal").glob("*.journal")
    resumed = keeper.open(journal)
    assert len(resumed.session.game.moves()) == 1
    resumed.journal.close()


@pytest.mark.parametrize("leaving", ["leave", "close"])
def test_a_game_that_was_left_meanwhile_is_not_filed_in_the_name_of_the_next(
    keeper: Keeper, tmp_path: Path, leaving: str
) -> None:
    first, second = ended(5), Session(GameSetup(size=9))
    keeper.follow(first)
    assert getattr(keeper, leaving)()
    assert keeper.file(first) is None
    second.game.play(0)
    keeper.follow(second)
    assert keeper.file(first) is None
    assert len(list((tmp_path / "library").glob("*.sgf"))) == (leaving == "leave")
    keeper.close()


def test_a_game_is_not_filed_twice_at_the_same_time(
    keeper: Keeper, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, meeting, met = ended(5), threading.Barrier(2), []
    keeper.follow(session)
    library = keeper.library

    def waiting() -> Library:
        with suppress(threading.BrokenBarrierError):
            met.append(meeting.wait(0.3))
        return library()

    monkeypatch.setattr(keeper, "library", waiting)
    with ThreadPoolExecutor() as pool:
        work = [pool.submit(keeper.file, session), pool.submit(keeper.leave)]
        for each in work:
            each.result()
    assert met == []
    assert len(list((tmp_path / "library").glob("*.sgf"))) == 1
    assert not list((tmp_path / "journal").glob("*.journal"))
