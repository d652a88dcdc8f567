"""``serve`` on the command line: the games it starts, and one sentence for every error."""

from __future__ import annotations

import argparse
import os
import socket
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from daoqi_tui.children import command
from daoqi_tui.cli import CommandError
from daoqi_tui.cli.online import game_arguments, run_serve
from daoqi_tui.cli.parsers import parser_for
from daoqi_tui.extras import install_command
from tests.forked import run_python

CHECKOUT = Path(__file__).resolve().parents[1]
GAME = command("daoqi_tui")


def run(*arguments: str, code: str = "from daoqi_tui.cli.main import main; main()") -> subprocess.CompletedProcess[str]:
    return run_python(["-c", code, "serve", *arguments], CHECKOUT, os.environ)


def options(*arguments: str) -> argparse.Namespace:
    return parser_for("serve").parse_args(["serve", *arguments])


def test_without_options_a_game_is_as_usual() -> None:
    assert game_arguments(options()) == [*GAME, "play", "--handicap=0"]


def test_options_of_the_game_are_passed_on_as_they_can_be_read_again() -> None:
    said = ("--size", "9", "--komi", "-2.5", "--black", "3", "--white-engine", "gnugo --mode gtp", "--time", "2")
    words = game_arguments(options(*said, "--board", "slate", "--stones", "round"))[len(GAME) :]
    read = parser_for("play").parse_args(words)
    assert (read.size, read.komi, read.black, read.white, read.time) == (9, -2.5, "3", None, 2)
    assert (read.white_engine, read.board, read.stones) == ("gnugo --mode gtp", "slate", "round")


def test_options_of_the_file_are_passed_on_as_they_can_be_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CHECKOUT)
    words = game_arguments(options("--torus", "--encoding", "utf-8", "assets/sample.sgf"))[len(GAME) :]
    read = parser_for("play").parse_args(words)
    assert (read.torus, read.encoding, read.file.name) == (True, "utf-8", "sample.sgf")


def test_a_file_is_named_from_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CHECKOUT / "assets")
    assert game_arguments(options("sample.sgf"))[-2:] == ["--", str(CHECKOUT / "assets" / "sample.sgf")]


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["--port", "70000"], 2, "0 to 65535"),
        (["--port", "http"], 2, "0 to 65535"),
        (["--port", "0000099999"], 2, "0 to 65535"),
        (["--public-url", "example.org"], 2, "https://go.example.org"),
        (["--public-url", "ftp://example.org"], 2, "https://go.example.org"),
        (["--public-url", "http://[::1"], 2, "https://go.example.org"),
        (["--public-url", "https://a..b"], 2, "https://go.example.org"),
        (["--size", "4"], 2, "5 to 25"),
        (["--white-engine", "'"], 2, "--white-engine"),
        (["--size", "5", "--handicap", "9"], 2, "handicap 9 is out of range: 0, or 2 to 6"),
        (["--host", "no.such.host.invalid"], 1, "0.0.0.0"),
        (["--host", "192.0.2.1"], 1, "0.0.0.0"),
        (["--host", "é" * 80], 1, "0.0.0.0"),
        (["--size", "9", "assets/sample.sgf"], 2, "are for a new game: leave them out, or the file"),
        (["--flat"], 2, "--game, --torus, --flat and --encoding are for a file: name it, or leave them out"),
        (["--game-prefix", "a"], 2, "--game-prefix goes with --lobby"),
        (["--private-webhooks"], 2, "--private-webhooks goes with --lobby"),
        (["--bots", "1"], 2, "--bots goes with --lobby"),
        (["--ssh", "2222"], 2, "--ssh goes with --lobby"),
        (["--lobby", "--bots", "65"], 2, "'65' is not a number of cores: 0 to 64"),
        (["no-such.sgf"], 1, "no-such.sgf"),
        (["-"], 1, "standard input"),
    ],
    ids=lambda value: " ".join(value)[:30] if isinstance(value, list) else "",
)
def test_what_cannot_be_is_said_in_one_sentence(arguments: list[str], status: int, words: str) -> None:
    pytest.importorskip("textual_serve", reason="the extra web is not installed: pip install -e '.[web]'")
    done = run(*arguments)
    assert done.returncode == status, done.stderr
    assert done.stdout == ""
    assert words in done.stderr
    if status == 1:
        assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("given", [(), ("--lobby",)])
def test_without_the_modules_of_unix_serving_is_refused_in_a_sentence(
    given: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daoqi_tui.cli.online.find_spec", lambda name: None if name == "fcntl" else find_spec(name))
    wanted = options(*given)
    with pytest.raises(CommandError, match=r"^serve is not available on Windows"):
        run_serve(wanted)


@pytest.mark.parametrize("option", ["--port", "--ssh"])
def test_a_port_that_is_taken(option: str) -> None:
    if option == "--ssh":
        pytest.importorskip("asyncssh", reason="the extra ssh is not installed: pip install -e '.[ssh]'")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        wanted = options("--lobby", "--port", "0", option, str(port))
        with pytest.raises(CommandError, match=f"^port {port} is taken: choose another with {option}"):
            run_serve(wanted)


def test_the_missing_extra_is_told_with_the_way_to_it() -> None:
    code = """
import sys
for name in [name for name in sys.modules if name.startswith(("daoqi_tui.web", "textual_serve"))]:
    del sys.modules[name]
sys.modules["textual_serve"] = None
from daoqi_tui.cli.main import main
main()
"""
    done = run(code=code)
    assert done.returncode == 1
    installs = install_command("web")
    assert installs.startswith(f"{sys.executable} -m pip install ")
    assert "textual-serve" in installs
    assert done.stderr == f"daoqi-tui: serve needs the package textual-serve: {installs} installs it\n"


@pytest.mark.parametrize(
    ("arguments", "warning"),
    [
        (["--host", "0.0.0.0"], "whoever opens an address printed here plays as you"),
        (["--public-url", "https://go.example.org"], "whoever opens an address printed here plays as you"),
        (["--host", "0.0.0.0", "--no-token"], "whoever can reach http://0.0.0.0:"),
        (["--public-url", "https://go.example.org", "--no-token"], "whoever can reach https://go.example.org plays"),
        ([], ""),
        (["--no-token"], ""),
    ],
)
def test_a_board_that_others_reach_comes_with_a_warning(arguments: list[str], warning: str) -> None:
    pytest.importorskip("textual_serve", reason="the extra web is not installed: pip install -e '.[web]'")
    # A fake server returns before it serves anybody.
    code = (
        "import daoqi_tui.web.server as s, sys; s.serve = lambda words, listening, url, ready, access, **_: ready();"
        "from daoqi_tui.cli.main import main; main()"
    )
    done = run("--port", "0", *arguments, code=code)
    assert done.returncode == 0, done.stderr
    assert "The board is at http" in done.stdout
    assert ("/?token=" in done.stdout) is ("--no-token" not in arguments)
    assert warning in done.stderr
    assert done.stderr.count("\n") == bool(warning)


def test_each_use_of_a_token_prints_the_address_for_the_next_browser() -> None:
    pytest.importorskip("textual_serve", reason="the extra web is not installed: pip install -e '.[web]'")
    code = (
        "import daoqi_tui.web.server as s\n"
        "def serve(words, listening, url, ready, access, **_):\n"
        "    ready()\n"
        "    assert not any(map(access.use_token, ('', 'é', access.token[:-1], access.secret)))\n"
        "    assert access.use_token(access.token)\n"
        "s.serve = serve\n"
        "from daoqi_tui.cli.main import main; main()"
    )
    done = run("--port", "0", "--public-url", "https://go.example.org/daoqi/", code=code)
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.splitlines()
    assert first.startswith("The board is at https://go.example.org/daoqi/?token=")
    assert second.startswith(
        "A browser has opened the board. The next one is let in by https://go.example.org/daoqi/?to"
    )
    tokens = [word.split("token=")[1] for line in (first, second) for word in line.split() if "token=" in word]
    # 43 characters of base64 hold 256 bits.
    assert len(set(tokens)) == 2
    assert {len(token) for token in tokens} == {43}
