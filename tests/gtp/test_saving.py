"""Games of a GTP controller that are saved: on disk before the answer, and later resumed or in the library."""

from __future__ import annotations

import asyncio
import errno
import io
import os
import re
from functools import partial
from pathlib import Path
from typing import NoReturn

import pytest

from daoqi_tui.gtp.engine import ServeOptions, Server
from daoqi_tui.gtp.engine.session import GameSaver
from daoqi_tui.play.keeper import Folders, Keeper, open_library
from tests.gtp.simple import SimplePlayer
from tests.journals import moves_in
from tests.slow_disk import SlowDisk
from tests.waiting import until


class Answers(io.StringIO):
    """The output of an engine, with the moves in the journal at each answer."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        self.recorded: list[tuple[str, int]] = []

    def write(self, text: str) -> int:
        recorded = max((len(moves_in(path)) for path in self._folder.glob("*.journal")), default=0)
        self.recorded.append((text, recorded))
        return super().write(text)


def server(folder: Path, text: str, answers: io.StringIO) -> Server:
    saver = GameSaver(folder / "journal", partial(open_library, folder / "library"))
    return Server(io.StringIO(text), answers, SimplePlayer(), ServeOptions(9), saver)


def run(folder: Path, *commands: str) -> Answers:
    answers = Answers(folder / "journal")

    async def serve() -> None:
        await server(folder, "".join(f"{command}\n" for command in commands), answers).run()

    asyncio.run(serve())
    return answers


def filed(folder: Path) -> list[tuple[list[str], str]]:
    """Return the moves and the result of the games in the library, sorted, read as text."""
    records = [path.read_text("utf-8") for path in (folder / "library").glob("*.sgf")]
    return sorted((re.findall(r";[BW]\[(.*?)\]", record), re.findall(r"RE\[(.*?)\]", record)[0]) for record in records)


def test_each_move_is_on_disk_before_it_is_answered(tmp_path: Path) -> None:
    answers = run(tmp_path, "play b C3", "genmove w", "play b D4", "undo", "lz-genmove_analyze b 100", "showboard")
    assert [recorded for _text, recorded in answers.recorded[:4]] == [1, 2, 3, 2]
    [told] = [recorded for text, recorded in answers.recorded if text.startswith("play ")]
    assert told == 3


def test_a_game_that_the_library_cannot_take_says_why_in_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(_folder: Path) -> NoReturn:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "library/game.sgf")

    saver = GameSaver(tmp_path / "journal", partial(full, tmp_path))
    asyncio.run(Server(io.StringIO("play b A9\n"), io.StringIO(), SimplePlayer(), ServeOptions(9), saver).run())
    assert "the game stays unfinished: library/game.sgf: No space left on device\n" in capsys.readouterr().err
    assert len(list((tmp_path / "journal").glob("*.journal"))) == 1


def test_games_that_end_or_are_replaced_are_in_the_library(tmp_path: Path) -> None:
    first, second = ("play b A9", "clear_board"), ("play b B9", "play w pass", "play b pass", "clear_board")
    run(tmp_path, *first, *second, "boardsize 9", "quit")
    assert not list((tmp_path / "journal").glob("*.journal"))
    assert filed(tmp_path) == [(["aa"], "Void"), (["ba", "", ""], "B+77")]


def test_a_game_continues_under_other_rules(tmp_path: Path) -> None:
    run(tmp_path, "play b A9", "kata-set-rules tromp-taylor", "play w B9", "komi 7.5", "quit")
    assert filed(tmp_path) == [(["aa", "ba"], "Void")]


async def test_a_game_that_is_cut_off_can_be_resumed(tmp_path: Path) -> None:
    answers = Answers(tmp_path / "journal")
    engine = server(tmp_path, "play b C3\nplay w D4\n", answers)
    saver = engine._saver
    assert saver is not None
    for point in (20, 30):
        engine.session.play(engine.session.game.to_move, point)
        await saver.save(engine.session.game, engine.session.info)
    # What a kill leaves: the journal, without its lock.
    saver._saved.journal._writer.close()  # type: ignore[union-attr]
    keeper = Keeper(Folders(tmp_path / "journal", tmp_path / "library"), lambda _state: None)
    [unfinished] = keeper.unfinished().journals
    resumed = keeper.open(unfinished.path)
    assert [move.point for move in resumed.session.game.moves()] == [20, 30]
    resumed.journal.close()


async def test_no_answer_comes_before_the_disk_and_the_log_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    disk = SlowDisk(monkeypatch)
    answers = io.StringIO()
    engine = server(tmp_path, "play b C3\n", answers)
    with disk.blocking("fsync"):
        serving = asyncio.create_task(engine.run())
        said: list[str] = []

        def log() -> str:
            said.append(capfd.readouterr().err)
            return "".join(said)

        await until(lambda: "not saved yet: waiting for the disk" in log())
        assert answers.getvalue() == ""
    await serving
    assert answers.getvalue() == "=\n\n"
