"""What a full disk does not take is said with the name of the file, and what was there before stays as it was."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from daoqi_tui import crash, log
from daoqi_tui.analysis.opening_index import OpeningIndex
from daoqi_tui.analysis.opening_records import GameRecord
from daoqi_tui.cli.main import main
from daoqi_tui.config.save import save as save_settings
from daoqi_tui.engine import BLACK, Game
from daoqi_tui.i18n import translate
from daoqi_tui.lab.match.results import LOG_NAME, MatchLog
from daoqi_tui.lab.match.results import Played as MatchPlayed
from daoqi_tui.lab.openings.judging import JudgementFile, Task
from daoqi_tui.plain import execute
from daoqi_tui.plain.game import PlainGame, PlainKeeper
from daoqi_tui.play.keeper import Folders, save_as
from daoqi_tui.play.online.invitation import Invitation
from daoqi_tui.play.online.seat_book import SavedSeat, SeatBook
from daoqi_tui.play.online.seats import Recorder
from daoqi_tui.play.online.table import Table, Terms
from daoqi_tui.play.problem_files import keep, read_collection
from daoqi_tui.play.problems import Progress, ProgressFile, Record
from daoqi_tui.play.profile import RATINGS, Habits, Played, Ratings
from daoqi_tui.play.session import GameSetup, Session
from daoqi_tui.record.files import write_atomically
from daoqi_tui.record.journal import Journal
from daoqi_tui.record.journal.writer import JournalFile
from daoqi_tui.record.library import Library
from daoqi_tui.record.sgf.info import Info
from tests.full_disk import full_disk, needs_limits
from tests.play.online.table import server
from tests.waiting import HANG

pytestmark = needs_limits

OWN = b"""(;GM[1]SZ[5]GN[one]AB[ba][ab][bc]AW[bb]C[Catch it]PL[B]
(;B[ca]C[no];W[cb])(;B[cb]C[that is CORRECT]))
(;SZ[5]AB[aa];AW[cc](;W[dd](;B[de]C[RIGHT];W[ee]))(;W[ab]C[INCORRECT]))"""


class Writer(NamedTuple):
    """A file and what writes it.

    Attributes:
        file: the file; its folder where its name is not known before.
        write: writes it.
        appends: whether it grows, and is not replaced.
        close: closes it.
    """

    file: Path
    write: Callable[[], object]
    appends: bool = False
    close: Callable[[], object] = bool


def _any_file(folder: Path) -> Writer:
    write_atomically(folder / "a.bin", b"old")
    return Writer(folder / "a.bin", partial(write_atomically, folder / "a.bin", b"new" * 9))


def _link(folder: Path) -> Writer:
    (folder / "there").mkdir()
    (folder / "there" / "a.bin").write_bytes(b"old")
    (folder / "link").symlink_to("there/a.bin")
    return Writer(folder / "link", partial(write_atomically, folder / "link", b"new" * 9))


def _record(folder: Path) -> Writer:
    session = Session(GameSetup(size=5))
    save_as(session, folder / "game.sgf")
    session.game.play(3)
    return Writer(folder / "game.sgf", partial(save_as, session, folder / "game.sgf"))


def _journal(folder: Path) -> Writer:
    game = Game(5)
    journal = Journal.begin(game, folder=folder)
    game.play(3)
    assert journal.follow().wait(HANG)
    journal.close()
    [path] = folder.glob("*.journal")
    file = JournalFile.claim(path)
    file.begin_at(path.stat().st_size)
    return Writer(path, partial(file.append, b"a line that does not fit\n"), appends=True, close=file.close)


def _new_journal(folder: Path) -> Writer:
    path = folder / "journal" / "new.journal"
    file = JournalFile(path)
    return Writer(path, partial(file.append, b"a line that does not fit\n"), close=file.close)


def _library(folder: Path) -> Writer:
    library = Library(folder)
    data = b"(;GM[1]SZ[5];B[aa])"
    return Writer(folder / "game.sgf", partial(library.put, "game.sgf", data), close=library.close)


def _renamed(folder: Path) -> Writer:
    library = Library(folder)
    path = library.add(Game(5), Info(black="Ke", white="Lu"))
    return Writer(path, partial(library.rename, path.name, black="Li"), close=library.close)


def _ratings(folder: Path) -> Writer:
    ratings = Ratings(folder)
    for number in range(2):
        ratings.note(9, Played(3, number))
        if number == 0:
            ratings.save()
    return Writer(folder / RATINGS, ratings.save)


def _progress(folder: Path) -> Writer:
    path = folder / "progress.json"
    Progress({"one": Record(1, date(2026, 1, 1))}).write(path)
    progress = ProgressFile(path)
    [problem, *_] = read_collection(OWN).problems
    progress.record(problem, date(2026, 1, 2), solved_at_once=True)

    def write() -> None:
        progress.save()
        if progress.trouble is not None:
            raise progress.trouble

    return Writer(path, write)


def _collection(folder: Path) -> Writer:
    first, second = read_collection(OWN).problems
    keep(first, folder / "own.sgf")
    return Writer(folder / "own.sgf", partial(keep, second, folder / "own.sgf"))


def _seats(folder: Path) -> Writer:
    book, seat = SeatBook.in_folder(folder), SavedSeat("127.0.0.1:1", "abcde", "k" * 20, "Ke")
    book.put(seat)
    [file] = (path for path in folder.rglob("*.json"))
    return Writer(file, partial(book.put, replace(seat, name="Lu")))


def _table(folder: Path) -> Writer:
    table = Table.lay(Terms(), "Li")[0]
    table.save(folder)
    [file] = folder.iterdir()
    return Writer(file, partial(replace(table, names=("Lu", "")).save, folder))


def _settings(folder: Path) -> Writer:
    save_settings(folder / "config.toml", {"play.size": 9})
    return Writer(folder / "config.toml", partial(save_settings, folder / "config.toml", {"play.size": 13}))


def _openings(folder: Path) -> Writer:
    index = OpeningIndex(folder / "index")
    index.add([GameRecord("one", 5, (1, 2, 3), BLACK)])
    write = partial(index.add, [GameRecord("two", 5, (1, 2, 4), BLACK)])
    return Writer(folder / "index", write, appends=True, close=index.close)


def _match_log(folder: Path) -> Writer:
    log, played = MatchLog(folder / "match", {}), partial(MatchPlayed, black="A", winner="A", result="B+R")
    log.add(played(1, end="resignation", moves=3, seconds=1))
    write = partial(log.add, played(2, end="resignation", moves=3, seconds=1))
    return Writer(folder / "match" / LOG_NAME, write, appends=True, close=log.close)


def _judgements(folder: Path) -> Writer:
    path = folder / "judged.jsonl"
    file = JudgementFile(path, {})
    return Writer(path, partial(file.add, Task("class", 5, 1), {}), appends=True, close=file.close)


def _report(folder: Path) -> Writer:
    return Writer(folder / "daoqi-tui" / "reports", partial(crash.write_report, "details"))


WRITERS = (
    *(_any_file, _link, _record, _journal, _new_journal, _library, _renamed, _ratings, _progress, _collection, _seats),
    *(_table, _settings, _openings, _match_log, _judgements, _report),
)


@pytest.mark.parametrize("room", [0, 9], ids=["nothing fits", "a part fits"])
@pytest.mark.parametrize("make", WRITERS, ids=lambda make: make.__name__.strip("_"))
def test_the_error_names_the_file_and_what_was_there_stays(
    make: Callable[[Path], Writer], room: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    file, write, appends, close = make(tmp_path)
    before = file.read_bytes() if file.is_file() else b""
    names = sorted(tmp_path.rglob("*"))
    with full_disk(room + len(before) * appends), pytest.raises(Exception) as caught:  # noqa: PT011 (told below)
        write()
    assert str(file) in translate(caught.value)
    if file.is_file():
        assert file.read_bytes()[: len(before)] == before
    assert not {path for path in set(tmp_path.rglob("*")) - set(names) if path.suffix in {".tmp", ".sgf"}}
    write()
    assert not file.is_file() or file.read_bytes() != before
    close()


# What is kept for convenience is given up without a word; the program goes on.


def test_habits_are_left_as_they_were(tmp_path: Path) -> None:
    habits = Habits(tmp_path)
    habits.used("pass")
    habits.save()
    [file] = (path for path in tmp_path.iterdir() if path.suffix == ".json")
    before = file.read_bytes()
    habits.used("undo")
    with full_disk():
        habits.save()
    assert file.read_bytes() == before
    habits.save()
    assert Habits(tmp_path).uses("undo") == 1


# Faces


RECORD = b"(;GM[1]FF[4]SZ[5]TO[3];B[aa])"


@pytest.mark.parametrize(
    "words",
    [
        ["convert", "game.sgf", "{}.sgf"],
        ["export", "game.sgf", "{}.svg"],
        ["export", "game.sgf", "{}.png"],
        ["config", "set", "play.size", "13"],
        ["config", "--init", "--force"],
    ],
    ids=" ".join,
)
def test_a_command_names_the_file(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    Path("game.sgf").write_bytes(RECORD)
    out = str(tmp_path / "out")
    words = [word.format(out) for word in words]
    file = tmp_path / "daoqi-tui" / "config.toml"
    if words[0] != "config":
        file = Path(words[-1])
    else:
        save_settings(file, {"play.size": 9})
    before = file.read_bytes() if file.exists() else None
    with full_disk(), pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 1
    assert capsys.readouterr().err == f"daoqi-tui: {file} cannot be written: File too large\n"
    assert (file.read_bytes() if file.exists() else None) == before


def test_the_log_that_ended_early_is_named_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DAOQI_LOG", str(tmp_path / "log"))
    for name in ("_logger", "_trouble"):
        monkeypatch.setattr(log, name, None)
    with full_disk(), pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().err == f"daoqi-tui: the log has ended early: {tmp_path / 'log'}: File too large\n"


def test_an_engine_names_the_record(tmp_path: Path) -> None:
    record = tmp_path / "game.sgf"
    record.write_bytes(RECORD)
    with subprocess.Popen(
        [sys.executable, "-m", "daoqi_tui", "gtp", "--size", "5"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as engine:
        import resource

        resource.prlimit(engine.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
        said, _ = engine.communicate(f"printsgf {record}\nquit\n", timeout=HANG)
    assert said.splitlines()[0] == f"? cannot write {str(record)!r}: File too large"
    assert record.read_bytes() == RECORD


def text_game(folder: Path, setup: GameSetup | None = None) -> PlainGame:
    session = Session(setup or GameSetup(size=5))
    return PlainGame(session, keeper=PlainKeeper(session, Folders(folder / "state" / "journal", folder / "games")))


def test_text_mode_names_the_record_and_the_journal(tmp_path: Path) -> None:
    game = text_game(tmp_path)
    execute(game, "a1")
    [journal] = (tmp_path / "state" / "journal").glob("*.journal")
    with full_disk():
        assert f"{tmp_path}/a.sgf cannot be written: File too large." in execute(game, f"save {tmp_path}/a.sgf")
        assert f"The game cannot be saved: the disk is full. You can play on; saving in {journal} will" in " ".join(
            execute(game, "b2")
        )
    list(game.leave())


def test_text_mode_names_the_game_that_is_not_in_the_library(tmp_path: Path) -> None:
    game = text_game(tmp_path)
    execute(game, "a1")
    with full_disk():
        said = " ".join(execute(game, "resign"))
    assert f"The game could not be saved in the library: {tmp_path}/games/" in said
    assert ".sgf: File too large" in said
    list(game.leave())


def test_what_nobody_has_expected_is_said_without_a_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As when a browser opens a game in the lobby of a server."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    table = Table.lay(Terms(), "Li")[0]
    with full_disk(), pytest.raises(OSError, match="File too large") as caught:
        table.save(tmp_path)
    assert crash.report(caught.value) is None
    assert re.fullmatch(rf"daoqi-tui: {tmp_path}/[a-z]+\.json: File too large\n", capsys.readouterr().err)
    assert list(tmp_path.iterdir()) == []


async def test_whoever_joins_is_told_the_file_of_the_seats(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        table.lay()
        invitation = Invitation.parse(f"{table.url.removeprefix('ws://')}#{table.game}-{table.code}")
        told: list[str] = []
        book = SeatBook.in_folder(tmp_path / "home")
        recorder = Recorder(
            book,
            SavedSeat(invitation.server, invitation.game, "k" * 20, "Ke"),
            None,
            lambda message: told.append(str(message)),
        )
        with full_disk():
            await recorder.listens("127.0.0.1:1")
        assert told == [f"This cannot be saved: {tmp_path}/home/seats.json: File too large"]
