"""Standard streams that are full, closed, endless, or in an old encoding."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from daoqi_tui.cli.main import main
from daoqi_tui.record.sgf import MOST_BYTES

ROOT = Path(__file__).resolve().parents[1]
GAME = "(;FF[4]GM[1]SZ[5]TO[3];B[cc])"

needs_shell = pytest.mark.skipif(os.name == "nt", reason="written for the shell of POSIX")
needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")


def shell(words: str, text: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command line in which ``daoqi-tui`` is this program."""
    line = words.replace("daoqi-tui", f"'{sys.executable}' -m daoqi_tui")
    environment = {**os.environ, "PYTHONUNBUFFERED": "", **variables}
    return subprocess.run(
        ["sh", "-c", line], cwd=ROOT, env=environment, input=text, capture_output=True, text=True, check=False
    )


@needs_shell
@needs_full
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("words", ["--version", "--help", "match --help", "man", "config --path", "show -", "gtp"])
def test_a_full_output_is_told_in_one_sentence(words: str, unbuffered: str) -> None:
    # Safe for the device: none of these commands replaces files.
    done = shell(f"daoqi-tui {words} >/dev/full", "name\n" if words == "gtp" else GAME, PYTHONUNBUFFERED=unbuffered)
    assert done.returncode == 1
    assert done.stderr == "daoqi-tui: standard output cannot be written: No space left on device\n"


@needs_shell
@pytest.mark.parametrize("words", ["config --show", "--help", "gtp"])
def test_a_closed_output_is_told_in_one_sentence(words: str) -> None:
    done = shell(f"daoqi-tui {words} >&-", "name\n")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert done.stderr.startswith("daoqi-tui: standard output cannot be written: ")


@needs_shell
@needs_full
@pytest.mark.parametrize("errors", ["/dev/full", "&-"])
def test_the_status_tells_what_happened_where_the_errors_cannot_be_written(errors: str) -> None:
    assert shell(f"daoqi-tui score --no-such-option 2>{errors}").returncode == 2
    assert shell(f"daoqi-tui score no-such-file.sgf 2>{errors}").returncode == 1


@needs_shell
@needs_full
def test_a_match_that_cannot_be_shown_is_told_in_one_sentence() -> None:
    done = shell("daoqi-tui match level:1 level:1 --size 5 --games 1 >/dev/full", PYTHONUNBUFFERED="1")
    assert done.returncode == 1
    # The progress of the match precedes it.
    assert done.stderr.endswith("\ndaoqi-tui: standard output cannot be written: No space left on device\n")
    assert done.stderr.count("daoqi-tui:") == 1


@needs_shell
@pytest.mark.parametrize("words", ["show -", "gtp"])
def test_a_closed_input_is_told_in_one_sentence(words: str) -> None:
    done = shell(f"daoqi-tui {words} <&-")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert done.stderr.startswith("daoqi-tui: standard input cannot be read: ")


@needs_shell
def test_a_game_in_lines_needs_its_input(tmp_path: Path) -> None:
    done = shell("daoqi-tui --plain <&-", HOME=str(tmp_path), XDG_STATE_HOME=str(tmp_path))
    assert (done.returncode, done.stderr) == (1, "daoqi-tui: standard input cannot be read: Bad file descriptor\n")


@needs_shell
def test_bytes_that_are_no_text_are_typed_in_vain(tmp_path: Path) -> None:
    # As when GBK text is pasted into a UTF-8 terminal.
    words = "printf 'a1\\n\\377\\264\\nb2\\nquit\\n' | daoqi-tui --plain --size 5"
    homes = {name: str(tmp_path) for name in ("HOME", "XDG_STATE_HOME", "XDG_DATA_HOME")}
    done = shell(words, **homes, PYTHONIOENCODING="utf-8:strict")
    assert done.returncode == 0, done.stderr
    assert "Move 3, Black to move." in done.stdout
    assert "\N{REPLACEMENT CHARACTER}" in done.stdout


@needs_shell
def test_an_input_that_was_read_from_before_is_left_as_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with io.TextIOWrapper(io.BytesIO(b"one\ntwo\n"), "utf-8") as read:
        monkeypatch.setattr(sys, "stdin", read)
        assert read.readline() == "one\n"
        with pytest.raises(SystemExit) as end:
            main(["--version"])
        assert end.value.code == 0
        assert capsys.readouterr().out
        assert read.readline() == "two\n"


def test_a_command_that_needs_no_stream_works_without(tmp_path: Path) -> None:
    (tmp_path / "old.sgf").write_text(GAME)
    done = shell(f"daoqi-tui convert '{tmp_path}/old.sgf' '{tmp_path}/new.sgf' <&- >&- 2>&-")
    assert done.returncode == 0
    assert (tmp_path / "new.sgf").read_bytes().startswith(b"(;")


@needs_shell
def test_a_reader_that_has_gone_is_no_error_to_tell() -> None:
    done = shell("(daoqi-tui man; echo $? >&2) | true")
    assert done.stderr in ("1\n", "0\n")


def test_signs_that_the_output_cannot_show_become_escapes() -> None:
    done = shell("daoqi-tui --help", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert r"Daoqi (\u9053\u68cb)" in done.stdout


def test_an_input_without_end_is_refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    class Endless(io.RawIOBase):
        given = 0

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
            assert self.given <= MOST_BYTES + 2 * io.DEFAULT_BUFFER_SIZE, "more is read than will ever be used"
            buffer[:] = b" " * len(buffer)
            self.given += len(buffer)
            return len(buffer)

    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(Endless())))
    with pytest.raises(SystemExit) as end:
        main(["show", "-"])
    assert end.value.code == 1
    assert "larger than the limit" in capsys.readouterr().err


def test_what_a_terminal_would_obey_is_not_repeated(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for words in (["convert", "a\x1b[31m.sgf", "b"], ["openings", "\x1b[31m"], ["--no\x1b[31m"], ["show", "a", "\x1b"]):
        with pytest.raises(SystemExit):
            main(words)
        output, errors = capsys.readouterr()
        assert "\x1b" not in output + errors
        assert "␛" in errors


@needs_shell
@pytest.mark.parametrize(
    ("variables", "coloured"),
    [
        ({"TERM": "xterm-256color"}, True),
        ({"TERM": "xterm-256color", "NO_COLOR": ""}, True),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
    ],
)
def test_a_board_is_printed_in_colour_where_the_terminal_takes_it(
    variables: dict[str, str], coloured: bool, tmp_path: Path
) -> None:
    from ptyprocess import PtyProcessUnicode

    (tmp_path / "game.sgf").write_text(GAME)
    bare = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TERM")}
    words = [sys.executable, "-m", "daoqi_tui", "show", str(tmp_path / "game.sgf")]
    process = PtyProcessUnicode.spawn(words, cwd=str(ROOT), env={**bare, **variables})
    said = ""
    with suppress(EOFError):
        while True:
            said += process.read()
    process.wait()
    assert "move 1" in said
    assert ("\x1b[48;5;" in said) is coloured
    assert ("\x1b" in said) is coloured


@needs_shell
def test_after_a_line_of_a_pipe_the_terminal_can_be_read() -> None:
    program = (
        "import sys; from daoqi_tui.streams import read_from_terminal, read_line;"
        "print(repr(read_line()), sys.stdin.isatty()); read_from_terminal(); print(sys.stdin.isatty())"
    )
    leader, follower = os.openpty()
    # A session without a terminal gets the one that it opens first.
    line = f": < '{os.ttyname(follower)}'; echo invitation | '{sys.executable}' -c '{program}'"
    done = subprocess.run(
        ["sh", "-c", line],
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    os.close(leader)
    os.close(follower)
    assert done.stdout.split() == [r"'invitation\n'", "False", "True"]
