"""Every subcommand exits with a status that help and manual list; standard output carries results only."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from daoqi_tui.cli import EXIT_STATUSES
from daoqi_tui.cli.parsers import COMMANDS, parser_for
from tests.forked import run_python
from tests.plain.test_game import home
from tests.thorough import THOROUGH

CHECKOUT = Path(__file__).resolve().parents[1]
GAME = "(;FF[4]GM[1]SZ[5]TO[3];B[cc];W[dd])"
JUDGED = '{{"made":{{"network":"{}","sha256":"","visits":1,"third_visits":1}}}}\n'
RIGHT = {
    "play": ["--plain"],
    "host": ["--port", "0", "--plain"],
    "join": ["--plain"],
    "games": [],
    "show": ["game.sgf"],
    "score": ["game.sgf"],
    "convert": ["game.sgf", "new.sgf"],
    "export": ["game.sgf", "-"],
    "ladder": ["game.sgf", "--point", "C3"],
    "openings": ["game.sgf"],
    "search": [".", "game.sgf"],
    "review": ["."],
    "problems": ["list"],
    "serve": ["--port", "0"],
    "admin": ["accounts"],
    "gtp": [],
    "analysis": [],
    "match": ["level:1", "level:1", "--size", "5", "--games", "1"],
    "conformance": ["--print"],
    "export-net": ["daoqi", "daoqi.onnx"],
    "train": ["net", "--print-settings"],
    "judge": ["judged.jsonl", "others.jsonl", "--compact", "openings.json.gz"],
    "config": [],
    "doctor": [],
    "completion": ["bash"],
    "man": [],
}
"""Valid arguments for each command, given a ``game.sgf`` and a ``judged.jsonl``."""
WRONG = {
    "play": [],
    "host": ["--port", "0", "--plain", "--listen", "203.0.113.1"],
    "join": ["--plain", "127.0.0.1:9#mzxw6ytb-abcdefghijklmnopqrst"],
    "games": [],
    **{
        name: [argument.replace("game", "no-game") for argument in RIGHT[name]]
        for name in ("show", "score", "convert", "export", "ladder", "openings")
    },
    "search": ["no-folder", "game.sgf"],
    "review": ["no-folder"],
    "problems": ["list", "no-file.sgf"],
    "serve": ["--host", "203.0.113.1"],
    "admin": ["ban", "nobody", "spam"],
    "gtp": [],
    "analysis": [],
    "match": ["level:1", "no-such-engine", "--games", "1"],
    "conformance": ["no-such-engine"],
    "export-net": ["no-file.npz", "daoqi.onnx"],
    "train": ["net", "--settings", "no-file.toml"],
    "judge": ["no-folder/judged.jsonl"],
    "config": [],
    "doctor": [],
    "completion": ["bash"],
    "man": [],
}
"""Arguments with which each command fails if the settings are invalid or nothing can be printed."""
needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")


ENDED = ("play", "gtp", "match")
"""Commands of each kind: for people, for programs, and one that takes long. All of them end in the same lines."""


def run(
    folder: Path, *arguments: str, code: str = "", out: int | None = None, typed: str | int = ""
) -> subprocess.CompletedProcess[str]:
    words = [*(["-c", code] if code else ["-m", "daoqi_tui"]), *arguments]
    return run_python(words, folder, {**home(folder), "PYTHONPATH": str(CHECKOUT)}, typed, out)


def ended_by(deed: str, name: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command with ``deed`` in place of its own action."""
    code = f"""
import json, os, signal, sys, time
from daoqi_tui.cli import main as entry
def run(options):
    {deed}
entry.runner_of = lambda name: run
entry.main(json.loads(sys.argv[1]))
"""
    return run(folder, json.dumps([name, *RIGHT[name]]), code=code)


def test_every_command_is_tried() -> None:
    assert list(RIGHT) == list(COMMANDS)
    assert set(WRONG) == set(COMMANDS)


def test_the_help_names_every_status() -> None:
    words = parser_for().format_help()
    assert [status for status, _words in EXIT_STATUSES] == ["0", "1", "2", "70", "128+N"]
    assert all(f"\n  {status} " in words for status, _words in EXIT_STATUSES)


_WITHOUT_POSIX = """
import io, sys, types
sys.modules.update(dict.fromkeys(("fcntl", "termios", "tty", "pty", "resource", "pwd", "grp")))
from daoqi_tui.play.online import connections
connections.sys = types.SimpleNamespace(platform="win32")
"""
_EACH = """
import json, sys, tempfile, traceback
from daoqi_tui.cli.main import main
for arguments in json.loads(sys.argv[1]):
    sys.stdin, sys.stdout, sys.stderr = (tempfile.TemporaryFile("w+", encoding="utf-8") for _ in range(3))
    sys.stdin.write("" if arguments[0] == "analysis" else "quit\\n")
    sys.stdin.seek(0)
    try:
        main(arguments)
    except SystemExit as end:
        code = end.code
    except BaseException:
        code = traceback.format_exc()
    for stream in (sys.stdout, sys.stderr):
        stream.seek(0)
    out, errors = sys.stdout.read(), sys.stderr.read()
    print(json.dumps([arguments, code, out, errors]), file=sys.__stdout__)
"""
_UNASKED = """
class Terminal(io.StringIO):
    def isatty(self):
        return True

from daoqi_tui.cli.doctor import ambiguous_width
print(json.dumps([["doctor"], 0, str(ambiguous_width(lines=Terminal(), out=Terminal())), ""]), file=sys.__stdout__)
"""


def run_each(folder: Path, commands: list[list[str]], before: str = "", after: str = "") -> list[list[Any]]:
    """Run commands one after another in one program: each with its status, its output and its errors."""
    done = run(folder, json.dumps(commands), code=before + _EACH + after)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_help_is_a_result_and_ends_with_0(tmp_path: Path) -> None:
    told = run_each(tmp_path, [[name, "--help"] for name in COMMANDS])
    assert [name for (name, _help), *_told in told] == list(COMMANDS)
    for (name, _help), status, out, errors in told:
        assert (status, errors) == (0, ""), name
        assert out.startswith(f"usage: daoqi-tui {name} ")


# A match follows below.
@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in ("serve", "join", "doctor", "match")])
def test_success_is_0(name: str, tmp_path: Path) -> None:
    (tmp_path / "game.sgf").write_text(GAME)
    for other in ("judged", "others"):
        (tmp_path / f"{other}.jsonl").write_text(JUDGED.format(other))
    done = run(tmp_path, name, *RIGHT[name])
    assert done.returncode == 0, done.stderr
    assert bool(done.stdout) is (name not in ("convert", "gtp", "analysis")), "what it prints is its result"
    if name != "openings":
        assert done.stderr == ""


def test_where_posix_is_missing_commands_work_or_say_in_one_sentence_that_they_do_not(tmp_path: Path) -> None:
    """As on Windows, simulated: the modules of POSIX cannot be imported."""
    (tmp_path / "game.sgf").write_text(GAME)
    for other in ("judged", "others"):
        (tmp_path / f"{other}.jsonl").write_text(JUDGED.format(other))
    # Without an address it joins what was joined last: nothing.
    tried = [name for name in COMMANDS if name != "join"]
    each = run_each(tmp_path, [[name, *RIGHT[name]] for name in tried], _WITHOUT_POSIX, _UNASKED)
    found = {name: told for (name, *_options), *told in each}
    assert set(found) == {*tried, "doctor"}
    sentence = "daoqi-tui: serve is not available on Windows; the board in a terminal is: daoqi-tui\n"
    assert found.pop("serve") == [1, "", sentence]
    assert found.pop("doctor")[1] == "None", "nothing can be asked of the terminal"
    for name, (code, _out, errors) in found.items():
        assert code == 0, (name, code, errors)


def test_wrong_usage_is_2(tmp_path: Path) -> None:
    wrong = [[name, "--no-such-option"] for name in COMMANDS]
    wrong += [[name, *RIGHT[name], "too", "much", "by", "far"] for name in COMMANDS]
    told = run_each(tmp_path, wrong)
    assert [arguments for arguments, *_told in told] == wrong
    for arguments, status, out, errors in told:
        assert (status, out) == (2, ""), arguments
        assert errors.startswith("daoqi-tui: "), arguments
        assert errors.count("\n") == 1, arguments


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="written for the folders of XDG")
@pytest.mark.parametrize("arguments", [["--help"], ["config"], ["show", "game.sgf"], ["--plain"], ["gtp"], ["doctor"]])
def test_without_a_home_it_is_told_in_one_sentence(arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "game.sgf").write_text(GAME)
    code = """
import os, pwd
for name in [name for name in os.environ if name == "HOME" or name.startswith("XDG_")]:
    del os.environ[name]
def unknown(uid): raise KeyError(uid)
pwd.getpwuid = unknown
from daoqi_tui.cli.main import main
main()
"""
    done = run(tmp_path, *arguments, code=code)
    words = "daoqi-tui: your home folder is not known; set the variable HOME to its path\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", words)
    assert [each.name for each in tmp_path.iterdir()] == ["game.sgf"]


@needs_full
@pytest.mark.parametrize("name", COMMANDS)
def test_an_error_is_1(name: str, tmp_path: Path) -> None:
    if name == "train":
        pytest.importorskip("torch", reason="torch is not installed")
    settings = tmp_path / "config" / "daoqi-tui" / "config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text("[look]\nboard = 'oak'\n")
    # Writing to the device is harmless: each command fails before it writes a file.
    full = os.open("/dev/full", os.O_WRONLY)
    # ``join`` exits when its input ends; with an open pipe it stays until it has an error to report.
    reading, writing = os.pipe()
    try:
        typed = reading if name == "join" else ""
        done = run(tmp_path, name, *WRONG[name], out=full, typed=typed)
    finally:
        for file in (full, reading, writing):
            os.close(file)
    if name in ("gtp", "analysis"):
        # Its input ended before it had to answer anything.
        assert done.returncode == 0
        return
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("daoqi-tui: ")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", COMMANDS if THOROUGH else ENDED)
def test_an_unexpected_error_is_70(name: str, tmp_path: Path) -> None:
    done = ended_by("raise ValueError('strange')", name, tmp_path)
    assert (done.returncode, done.stdout) == (70, "")
    assert "a report of it is in" in done.stderr


SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("name", COMMANDS if THOROUGH else ENDED)
def test_a_signal_is_128_and_its_number(name: str, number: signal.Signals, tmp_path: Path) -> None:
    done = ended_by(f"os.kill(os.getpid(), {number.value}); time.sleep(600)", name, tmp_path)
    assert (done.returncode, done.stdout) == (128 + number, "")
    assert "Traceback" not in done.stderr


def test_the_progress_of_a_match_is_no_result(tmp_path: Path) -> None:
    done = run(tmp_path, "match", *RIGHT["match"], "--out", "kept")
    assert done.returncode == 0
    assert done.stdout.startswith("A: ")
    assert "game 1: " not in done.stdout
    assert "game 1: " in done.stderr
    again = run(tmp_path, "match", *RIGHT["match"], "--out", "kept")
    assert again.stdout == done.stdout
    assert "1 of 1 games are already in kept" in again.stderr
