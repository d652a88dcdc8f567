"""Files that version 1.0.0 wrote, one of each kind, are read by this one: ``version_1_0_0.tar.xz`` has its folders.

They were made by playing with that version: settings; games in progress with variations, a comment, set-up stones,
handicap and other rules; finished games in the library, with its index; ratings, habits and progress with problems; a
saved record; an online game of the host, its seat and the guest's; and an online game that an earlier build of that
version saved, without ``open_code``.
"""

from __future__ import annotations

import tarfile
from pathlib import Path
from time import monotonic

import pytest

from daoqi_tui.config import load_config
from daoqi_tui.engine import BLACK, WHITE, Rules
from daoqi_tui.play.keeper import Folders, Keeper, open_library
from daoqi_tui.play.online.hosting import hosted
from daoqi_tui.play.online.seat_book import SeatBook
from daoqi_tui.play.online.server import Lobby
from daoqi_tui.play.problems import ProgressFile
from daoqi_tui.play.profile import Habits, Ratings
from daoqi_tui.record.sgf.read import load


@pytest.fixture
def old(tmp_path: Path) -> Path:
    with tarfile.open(Path(__file__).with_name("version_1_0_0.tar.xz")) as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path


def test_settings(old: Path) -> None:
    config = load_config(path=old / "config/daoqi-tui/config.toml", environment={})
    assert not config.problems
    chosen = ("play.size", "play.komi", "play.rules", "play.teach", "look.board", "look.names", "bell.move", "language")
    assert [config[name] for name in chosen] == [9, 3.5, "tromp-taylor", 3, "slate", "gtp", True, "zh"]
    assert config.keys["pass"] == ("P",)


async def test_games_in_progress(old: Path) -> None:
    keeper = Keeper(Folders(old / "state/daoqi-tui/journal", old / "library"), lambda _failing: None)
    found = keeper.unfinished()
    assert not found.problems
    opened = [keeper.open(journal.path) for journal in sorted(found.journals, key=lambda each: each.path)]
    games = [each.session.game for each in opened]
    assert [problem for each in opened for problem in each.session.problems] == []
    assert [(game.torus.size, game.komi, game.handicap) for game in games] == [
        *((9, 3.5, 0), (13, 0.5, 3), (7, 3.5, 0), (9, 3.5, 0), (9, 3.5, 0))
    ]
    assert [len(list(game.root.walk())) for game in games] == [6, 5, 4, 3, 3]
    assert games[0].node.properties["C"] == ["other"]
    assert games[1].rules == Rules("simple", suicide=False)
    for each in opened:
        each.journal.close()


def test_the_library(old: Path) -> None:
    library = open_library(old / "data/daoqi-tui/games")
    entries = library.games().entries
    library.close()
    assert sorted(entry.result for entry in entries) == ["B+R", "W+3.5", "W+R", "W+R"]
    for file in (*(entry.file for entry in entries), old / "saved.sgf"):
        loaded = load(old / "data/daoqi-tui/games" / file)
        assert loaded.game.moves()
        assert not loaded.problems


def test_what_is_known_of_the_person(old: Path) -> None:
    state = old / "state/daoqi-tui"
    rating = Ratings(state).of(9)
    assert rating is not None
    assert (rating.games, round(rating.value, 1)) == (4, 5.8)
    habits = Habits(state)
    assert (habits.level, habits.uses("estimate")) == (8, 3)
    progress = ProgressFile(old / "data/daoqi-tui/problems.json")
    assert progress.trouble is None
    assert {key: (record.tries, record.solved) for key, record in progress.progress.records.items()} == {
        "abc": (2, 2),
        "def": (1, 0),
    }


async def test_online_games_and_seats(old: Path) -> None:
    online = old / "state/daoqi-tui/online"
    [host] = hosted(online)
    [guest] = SeatBook(old / "guest/seats.json").seats()
    lobby = Lobby(online / "games", old / "library", now=monotonic)
    lobby.load()
    assert not lobby.problems
    assert sorted(lobby.games) == ["telqae3e", host.game]
    for game in lobby.games.values():
        state = game.state()
        assert (state.moves, state.phase, state.size) == (("E5", "D4"), "playing", 9)
        assert state.clock is not None
        assert state.clock.black.seconds > 1200 - 60
    table = lobby.games[host.game].table
    assert [table.seat_with(seat.key) for seat in (host, guest)] == [table.seat_of(BLACK), table.seat_of(WHITE)]
    await lobby.close()
