"""Atomic writing of files, and targets that must not be replaced, such as pipes and folders."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from daoqi_tui.engine import Game
from daoqi_tui.record import SgfError, load, save, write_atomically
from daoqi_tui.record.files import read_json, read_record
from tests.record.system_calls import SystemCalls
from tests.waiting import HANG


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_a_pipe_stays_a_pipe_and_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write_atomically(pipe, b"(;)")
    assert stat.S_ISFIFO(pipe.lstat().st_mode)
    # If the pipe had been replaced by a file, the reader would wait forever.
    reader.join(HANG)
    assert read == [b"(;)"]
    assert os.listdir(tmp_path) == ["pipe"]  # noqa: PTH208


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "Expecting value"),
        (b"{", "Expecting property name"),
        (b"\xff\xfe", "Expecting value"),
        (b"\xff", "UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
        (b"[%s]" % (b" " * 200_000), "larger than the limit of 146 kB"),
    ],
    ids=lambda value: len(value) if isinstance(value, bytes) else "",
)
def test_what_is_no_json_is_told_by_one_error(data: bytes, words: str, tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=words):
        read_json(path, 150_000)
    path.write_bytes(b'{"a": [1]}')
    assert read_json(path, 150_000) == {"a": [1]}


@pytest.mark.skipif(os.name == "nt", reason="files have no such permissions there")
def test_what_replaces_a_private_file_is_private_from_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    modes = []
    flush = os.fsync

    def look(descriptor: int) -> None:
        modes.append(stat.S_IMODE(os.fstat(descriptor).st_mode))
        flush(descriptor)

    path = tmp_path / "keys"
    path.touch(0o600)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", look)
        write_atomically(path, b"secret")
    assert modes[0] == 0o600
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="standard output has no name here")
@pytest.mark.parametrize("to", ["pipe", "file"])
def test_standard_output_by_its_name(tmp_path: Path, to: str) -> None:
    code = "import pathlib, daoqi_tui.record as r; r.write_atomically(pathlib.Path('/dev/stdout'), b'(;)')"
    command = [sys.executable, "-c", code]
    if to == "pipe":
        done = subprocess.run(command, capture_output=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"(;)", b"")
        return
    path = tmp_path / "all.sgf"
    path.write_bytes(b"before")
    with path.open("ab") as file:
        assert subprocess.run(command, stdout=file, check=False).returncode == 0
        file.write(b"after")
    assert path.read_bytes() == b"before(;)after"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_that_nobody_may_ever_write_to_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(SgfError, match=f"^{path} cannot be read: it is a pipe or a device, not a file$"):
            read_record(path)


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="pipes have no names here")
def test_a_pipe_that_the_program_was_given_is_read() -> None:
    """For example ``daoqi-tui show <(…)``."""
    reading, writing = os.pipe()
    os.write(writing, b"(;SZ[9])")
    os.close(writing)
    try:
        assert read_record(Path(f"/dev/fd/{reading}")) == b"(;SZ[9])"
    finally:
        os.close(reading)


@pytest.mark.parametrize("size", [0, 65_535, 65_536, 65_537, 200_000])
def test_a_record_of_any_size_is_read_whole(size: int, tmp_path: Path) -> None:
    data = bytes(number % 251 for number in range(size))
    path = tmp_path / "game.sgf"
    path.write_bytes(data)
    assert read_record(path) == data


def test_a_folder_is_not_replaced(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        write_atomically(tmp_path, b"(;)")
    assert list(tmp_path.iterdir()) == []


def test_a_link_is_followed_whether_it_leads_somewhere_or_not(tmp_path: Path) -> None:
    link, target = tmp_path / "link", tmp_path / "target"
    link.symlink_to(target)
    for data in (b"one", b"two"):
        write_atomically(link, data)
        assert (link.is_symlink(), target.read_bytes()) == (True, data)


def test_a_path_that_is_text_is_refused_in_words(tmp_path: Path) -> None:
    path: Any = str(tmp_path / "game.sgf")
    with pytest.raises(TypeError, match=r"a record is bytes, or a pathlib\.Path to its file; not str"):
        load(path)
    with pytest.raises(TypeError, match=r"a file is named by a pathlib\.Path, not str"):
        save(path, Game(5))


@pytest.mark.skipif(sys.platform == "win32", reason="folders cannot be flushed there")
def test_a_file_is_flushed_then_renamed_and_then_its_folder_is_flushed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "game.sgf"
    calls = SystemCalls(monkeypatch)
    write_atomically(path, b"(;)")
    file, folder = path.stat().st_ino, tmp_path.stat().st_ino
    assert calls.done == [("flushed", file), ("renamed", file), ("flushed", folder)]
