"""Updating the opening index of a folder after its files change."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from daoqi_tui.analysis import opening_index
from daoqi_tui.analysis.opening_index import OpeningIndex
from daoqi_tui.play.openings import index_file, indexed, open_index, update
from daoqi_tui.record.sgf import read

GAMES = [f"(;GM[1]FF[4]SZ[9]AP[daoqi-tui];B[ee];W[{move}])" for move in ("ef", "ff", "cc")]


@pytest.fixture
def index() -> Iterator[OpeningIndex]:
    found = OpeningIndex(":memory:")
    yield found
    found.close()


def write(file: Path, games: list[str], seconds: int) -> None:
    """Write a collection of games with the modification time ``seconds``."""
    file.write_text("".join(games), "utf-8")
    os.utime(file, (seconds, seconds))


def test_a_file_rewritten_with_fewer_games_leaves_none_behind(tmp_path: Path, index: OpeningIndex) -> None:
    file = tmp_path / "some.sgf"
    write(file, GAMES, 1)
    assert update(index, tmp_path).indexed == 3
    write(file, GAMES[:2], 2)
    done = update(index, tmp_path)
    assert (done.indexed, done.unchanged) == (2, 0)
    assert sorted(index.fingerprints()) == [f"{file}#1", f"{file}#2"]
    done = update(index, tmp_path)
    assert (done.indexed, done.unchanged) == (0, 2)


def test_a_file_that_was_interrupted_is_indexed_as_a_whole_next_time(
    tmp_path: Path, index: OpeningIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "some.sgf", GAMES, 1)
    add = index._add_batch
    left = [2]

    def interrupted(*args: Any) -> int:
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        return add(*args)

    monkeypatch.setattr(opening_index, "_BATCH", 1)
    with monkeypatch.context() as patch:
        patch.setattr(index, "_add_batch", interrupted)
        with pytest.raises(KeyboardInterrupt):
            update(index, tmp_path)
    assert len(index.fingerprints()) == 2
    update(index, tmp_path)
    assert len(index.fingerprints()) == 3


def test_a_file_is_parsed_once_however_many_games_it_has(
    tmp_path: Path, index: OpeningIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed = []
    parse = read.parse

    def counted(data: bytes, *args: object) -> object:
        parsed.append(data)
        return parse(data, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(read, "parse", counted)
    write(tmp_path / "some.sgf", GAMES, 1)
    assert update(index, tmp_path).indexed == 3
    assert len(parsed) == 1


def test_a_damaged_index_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "games"
    folder.mkdir()
    write(folder / "some.sgf", GAMES, 1)
    indexed(folder)[0].close()
    file = index_file(folder)
    data = file.read_bytes()
    # Keep the first page, which contains the schema.
    file.write_bytes(data[:4096] + b"\xff" * (len(data) - 4096))
    found, done = indexed(folder)
    found.close()
    assert done.indexed == 3
    with closing(open_index(folder)) as found:
        assert found.sizes() == {9: 3}


def test_a_folder_or_file_that_cannot_be_read_is_told_and_the_others_are_indexed(
    tmp_path: Path, index: OpeningIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "some.sgf", GAMES, 1)
    (tmp_path / "loop.sgf").symlink_to("loop.sgf")
    write(secret := tmp_path / "secret.sgf", GAMES, 1)
    (locked := tmp_path / "locked").mkdir()
    scan, read = os.scandir, Path.open

    def refuse(path: Path) -> None:
        if path in (locked, secret):
            raise PermissionError(13, "Permission denied", str(path))

    def refusing_scan(path: str) -> Any:
        refuse(Path(path))
        return scan(path)

    def refusing_read(path: Path, *arguments: Any) -> Any:
        refuse(path)
        return read(path, *arguments)

    monkeypatch.setattr("os.scandir", refusing_scan)
    monkeypatch.setattr(Path, "open", refusing_read)
    done = update(index, tmp_path)
    assert done.indexed == 3
    assert [(source, str(reason)) for source, reason in done.refused] == [
        (str(locked), "Permission denied"),
        (str(tmp_path / "loop.sgf"), "Too many levels of symbolic links"),
        (str(secret), "Permission denied"),
    ]
