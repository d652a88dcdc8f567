"""Autosave without a screen: what the keeper opens for a game that ends, it closes."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from daoqi_tui.engine import WHITE
from daoqi_tui.i18n import use_language
from daoqi_tui.play.keeper import Folders, Keeper
from daoqi_tui.play.seats import PERSON, Computer
from daoqi_tui.play.session import GameSetup, Session
from daoqi_tui.record import library_index


def test_the_library_is_closed_after_a_game_was_filed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[sqlite3.Connection] = []
    connect = library_index._connect

    def noting(*arguments: Any) -> sqlite3.Connection:
        opened.append(connect(*arguments))
        return opened[-1]

    monkeypatch.setattr(library_index, "_connect", noting)
    keeper = Keeper(lambda: Folders(tmp_path / "journal", tmp_path / "library"), lambda _failing: None)
    session = Session(GameSetup(size=5))
    session.game.play(0)
    session.game.resign()
    keeper.follow(session)
    assert keeper.file() is not None
    assert keeper.leave()
    assert len(list((tmp_path / "library").glob("*.sgf"))) == 1
    assert opened
    for database in opened:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            database.execute("SELECT 1")


@pytest.mark.parametrize("other", ["en", "zh"])
def test_the_name_of_a_computer_is_not_taken_for_a_persons_in_another_language(tmp_path: Path, other: str) -> None:
    keeper = Keeper(lambda: Folders(tmp_path / "journal", tmp_path / "library"), lambda _failing: None)
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
