"""Autosave without a screen: what the keeper opens for a game that ends, it closes."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from daoqi_tui.play.keeper import Folders, Keeper
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
