"""Where a game is saved, and when the user must confirm first."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from daoqi_tui.paths import assets_folder
from daoqi_tui.play.keeper import check_target, must_ask, own_file, save_as, suggested_path
from daoqi_tui.play.session import GameSetup, Session
from daoqi_tui.play.wording import Unable
from daoqi_tui.record import load

GAME = b"(;GM[1]SZ[5]TO[3];B[cc])"
DIAGRAM = b"$$ B\n$$ . . .\n$$ . X .\n$$ . . .\n"


def opened(file: Path, data: bytes = GAME, index: int = 0) -> Session:
    file.write_bytes(data)
    return Session.opened(data, torus=True, source=file, index=index)


def test_a_new_game_has_no_file_until_it_is_saved(tmp_path: Path) -> None:
    session, file = Session(GameSetup(size=5)), tmp_path / "mine"
    assert (suggested_path(session), own_file(session)) == (Path("game.sgf"), None)
    assert not must_ask(session, file)
    assert save_as(session, file) == file.read_bytes()
    assert (suggested_path(session), own_file(session)) == (file, file)
    assert not must_ask(session, file)


@contextmanager
def at(zone: str) -> Iterator[None]:
    """Set the local time zone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", zone)
        time.tzset()
        yield
    time.tzset()


def test_a_game_keeps_the_date_on_which_it_was_begun(tmp_path: Path) -> None:
    # The zones are 26 hours apart, so the second is always on a later date.
    with at("EARLY+12"):
        today = time.strftime("%Y-%m-%d")
        session = Session(GameSetup(size=5))
        first = save_as(session, tmp_path / "first.sgf")
    assert f"DT[{today}]".encode() in first
    with at("LATE-14"):
        assert time.strftime("%Y-%m-%d") > today
        assert save_as(session, tmp_path / "second.sgf") == first
        assert session.record_info().date == today


def test_the_file_of_a_single_game_is_saved_again_and_others_are_asked_for(tmp_path: Path) -> None:
    session = opened(tmp_path / "game.SGF")
    assert suggested_path(session) == own_file(session) == tmp_path / "game.SGF"
    assert not must_ask(session, tmp_path / "game.SGF")
    (other := tmp_path / "other.sgf").write_bytes(GAME)
    assert must_ask(session, other)
    save_as(session, other)
    assert must_ask(session, tmp_path / "game.SGF")


def test_a_file_of_several_games_is_not_replaced_by_one_of_them(tmp_path: Path) -> None:
    file = tmp_path / "games.sgf"
    session = opened(file, GAME * 3, index=1)
    assert must_ask(session, file)
    beside = suggested_path(session)
    assert beside == tmp_path / "games-2.sgf"
    assert not must_ask(session, beside)
    save_as(session, beside)
    assert not must_ask(session, beside)
    assert load(file).games == 3


@pytest.mark.parametrize("name", ["shape.txt", "shape", "shape.gib"])
def test_what_is_no_sgf_file_is_not_replaced_by_one(name: str, tmp_path: Path) -> None:
    session = opened(tmp_path / name, DIAGRAM)
    assert must_ask(session, tmp_path / name)
    assert suggested_path(session) == tmp_path / "shape.sgf"
    assert not must_ask(session, tmp_path / "shape.sgf")


def test_sample_games_are_saved_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sample = min((assets_folder() / "games" / "en").glob("*.sgf"))
    (link := tmp_path / "link.sgf").symlink_to(sample)
    for file in (sample, link):
        assert must_ask(Session.opened(sample.read_bytes(), source=file), file)
        assert suggested_path(Session.opened(sample.read_bytes(), source=file)) == Path(file.name)
    monkeypatch.chdir(tmp_path)
    shutil.copy(sample, sample.name)
    assert must_ask(Session.opened(sample.read_bytes(), source=sample), Path(sample.name)), "another file"


def test_what_was_read_from_a_stream_has_no_file() -> None:
    assert suggested_path(Session.opened(GAME, source=Path("/dev/stdin"))) == Path("game.sgf")


def test_a_place_where_nothing_can_be_saved_is_known_before(tmp_path: Path) -> None:
    with pytest.raises(Unable, match=f"{tmp_path} is a folder: name a file in it"):
        check_target(tmp_path)
    missing = tmp_path / "nowhere"
    with pytest.raises(Unable, match=f"There is no folder {missing}: name one that exists"):
        check_target(missing / "game.sgf")
    check_target(tmp_path / "game.sgf")
