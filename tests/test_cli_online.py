"""``host``, ``join`` and ``games`` as two players run them, in separate processes."""

from __future__ import annotations

import argparse
import os
import subprocess
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from socket import create_connection, create_server
from typing import IO
from urllib.parse import urlsplit

import pytest

from daoqi_tui.cli import CommandError, UsageError
from daoqi_tui.cli.main import run
from daoqi_tui.cli.online import _hosted, _listed, _terms, run_host
from daoqi_tui.cli.options import clock, public_address
from daoqi_tui.cli.parsers import parser_for
from daoqi_tui.engine.clock import TimeControl
from daoqi_tui.play.keeper import Folders
from daoqi_tui.play.online import hosting
from daoqi_tui.play.online.connections import own_addresses
from daoqi_tui.play.online.invitation import Invitation, qr_code, server_of
from daoqi_tui.play.online.limits import Limits
from daoqi_tui.play.online.seat_book import SavedSeat, SeatBook
from daoqi_tui.play.online.server import Lobby
from tests.forked import forked_command
from tests.ports import free_port


class Program:
    """A running command; ``type`` writes to its input, and ``until`` reads its output line by line."""

    def __init__(self, folder: Path, *arguments: str, program: Sequence[str] | None = None) -> None:
        state = {name: str(folder / name) for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME")}
        self.process = subprocess.Popen(
            [*program, *arguments] if program else forked_command("-m", "daoqi_tui", *arguments),
            env={**os.environ, **state, "LANGUAGE": "en"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.told: list[str] = []

    def type(self, line: str) -> None:
        stream = self.process.stdin
        assert stream is not None
        stream.write(f"{line}\n")
        stream.flush()

    def until(self, beginning: str) -> str:
        stream: IO[str] | None = self.process.stdout
        assert stream is not None
        for line in stream:
            self.told.append(line.rstrip("\n"))
            if line.startswith(beginning):
                return line.rstrip("\n")
        raise AssertionError(f"{beginning!r} was not told: {self.told}")

    def end(self) -> int:
        out, _err = self.process.communicate()
        self.told += out.splitlines()
        return self.process.returncode


def test_two_programs_play_a_game_and_the_host_is_killed_in_between(tmp_path: Path) -> None:
    terms = ("--size", "5", "--black", "host", "--name", "Lu")
    host = Program(tmp_path / "host", "host", "--plain", "--port", "0", *terms)
    invitation = host.until("Your guest types: ").split()[-1]
    guest = Program(tmp_path / "guest", "join", invitation, "--name", "Ke", "--plain")
    guest.until("You play White.")
    host.until("Your move.")
    host.type("C3")
    guest.until("Black C3.")
    guest.until("Your move.")
    host.process.kill()
    host.end()
    guest.until("No connection")
    listed = Program(tmp_path / "guest", "games")
    assert "against Lu: your move (not reached: 127.0.0.1 is this computer, " in listed.until("127.0.0.1:")
    assert listed.end() == 0
    # On the same port, where the guest looks for it.
    host = Program(tmp_path / "host", "host", "--resume", "--plain")
    assert host.until("Spectators type: ").endswith(invitation.rpartition("-")[0])
    host.until("Lu (Black) against Ke (White), 5 by 5")
    guest.until("Connected again.")
    listed = Program(tmp_path / "guest", "games")
    assert listed.until("127.0.0.1:").endswith("against Lu: your move")
    assert listed.end() == 0
    guest.type("D4")
    host.until("White D4.")
    host.type("resign")
    guest.until("The game is over. Black resigns: White wins.")
    guest.until("The game is saved in the library as")
    guest.type("quit")
    assert guest.end() == 0
    host.type("quit")
    assert host.end() == 0
    for side in ("host", "guest"):
        [record] = (tmp_path / side).rglob("*.sgf")
        assert b"RE[W+R]" in record.read_bytes()
    # What is not an invitation is refused.
    again = Program(tmp_path / "stranger", "join", "nothing")
    assert again.end() == 2
    assert "'nothing' is not an invitation" in again.told[-1]


def test_an_invitation_on_standard_input_is_in_no_command_line(tmp_path: Path) -> None:
    host = Program(tmp_path / "host", "host", "--plain", "--port", "0", "--size", "5", "--black", "guest")
    invitation = host.until("Your guest types: ").split()[-1]
    code = invitation.rpartition("-")[2]
    guest = Program(tmp_path / "guest", "join", "-", "--plain")
    guest.type(f"daoqi-tui join {invitation}")
    guest.until("You play Black.")
    guest.until("Your move.")
    assert code not in Path(f"/proc/{guest.process.pid}/cmdline").read_text()
    # The rest of the input is for the game.
    guest.type("C3")
    host.until("Black C3.")
    guest.type("quit")
    assert guest.end() == 0
    # With a seat, nothing is asked for.
    again = Program(tmp_path / "guest", "join", "--plain")
    again.until("You play Black.")
    again.type("quit")
    assert again.end() == 0
    host.type("quit")
    assert host.end() == 0


@pytest.mark.parametrize(
    ("arguments", "typed", "told"),
    [
        (["join", "-", "--plain"], "nothing\n", "'nothing' is not an invitation"),
        (["join", "-", "--plain"], "\n", "no invitation was typed: the host has it, ADDRESS#CODE"),
        (["join", "-", "--plain"], "", "no invitation was typed: the host has it, ADDRESS#CODE"),
        (["join", "--plain"], "nothing\n", "no game was joined before: give the invitation, ADDRESS#CODE, or -"),
    ],
)
def test_what_is_not_an_invitation_on_standard_input_is_refused(
    arguments: list[str], typed: str, told: str, tmp_path: Path
) -> None:
    program = Program(tmp_path, *arguments)
    program.told += program.process.communicate(typed)[0].splitlines()
    assert program.process.returncode == 2
    assert told in program.told[-1]


@pytest.mark.parametrize("arguments", [[], ["-"]])
def test_an_invitation_is_asked_for_on_a_terminal(arguments: list[str], tmp_path: Path) -> None:
    said = on_terminal(
        tmp_path, ["join", "--plain", *arguments], f"127.0.0.1:{free_port()}#mzxw6ytb-abcdefghijklmnopqrst\n"
    )
    assert said.startswith("Invitation: ")
    assert "No connection" in said


def on_terminal(folder: Path, arguments: list[str], typed: str) -> str:
    """Run a command on a terminal of its own, until it has lost a connection; return what it wrote."""
    leader, follower = os.openpty()
    state = {name: str(folder / name) for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME")}
    process = subprocess.Popen(
        forked_command("-m", "daoqi_tui", *arguments),
        env={**os.environ, **state, "LANGUAGE": "en"},
        stdin=follower,
        stdout=follower,
        stderr=follower,
    )
    os.close(follower)
    said = ""
    try:
        while not said.endswith("Invitation: "):
            said += os.read(leader, 4096).decode()
        os.write(leader, typed.encode())
        while "No connection" not in said:
            said += os.read(leader, 4096).decode()
        return said
    finally:
        process.kill()
        process.wait()
        os.close(leader)


def test_a_host_in_text_mode_lets_the_network_in_with_one_key(tmp_path: Path) -> None:
    networks = [address for address in own_addresses() if "." in address]
    if not networks:
        pytest.skip("this computer is in no network of IPv4")
    host = Program(tmp_path, "host", "--plain", "--port", "0", "--size", "5")
    here = Invitation.parse(host.until("Your guest types: ").split()[-1])
    assert here.server.startswith("ws://127.0.0.1:")
    assert networks[0] in host.until("Only this computer reaches the game.")
    host.until("Type L to let this network in.")
    host.until("Type qr to see the invitation as a QR code.")
    host.until("Waiting for the guest")
    host.type("L")
    told = [Invitation.parse(host.until("Your guest types: ").split()[-1])]
    told += [Invitation.parse(host.until("or, ").split()[-1]) for _each in networks]
    assert [invitation.server.split(":")[1][2:] for invitation in told] == [*networks, "127.0.0.1"]
    assert {(invitation.game, invitation.code) for invitation in told} == {(here.game, here.code)}
    host.until("The computers in this network reach the game.")
    host.type("network")
    host.until("The computers in this network reach the game.")
    host.type("qr")
    for line in qr_code(str(told[0])):
        assert host.until("█") == line
    host.type("quit")
    assert host.end() == 0
    [seat] = SeatBook.in_folder(tmp_path / "XDG_STATE_HOME" / "daoqi-tui" / "online").seats()
    assert seat.listen == "0.0.0.0"


@pytest.mark.parametrize("listen", ["127.0.0.1", "0.0.0.0", "network"])
def test_every_invitation_works_and_a_sentence_says_from_where(listen: str, tmp_path: Path) -> None:
    networks = [address for address in own_addresses() if "." in address]
    if listen == "network":
        if not networks:
            pytest.skip("this computer is in no network of IPv4")
        listen = networks[0]
    host = Program(tmp_path, "host", "--plain", "--port", "0", "--size", "5", "--listen", listen)
    host.until("Waiting for the guest")
    invited = [Invitation.parse(line.split()[-1]) for line in host.told if line.startswith(("Your guest", "or, "))]
    places = [urlsplit(invitation.server) for invitation in invited]
    assert [place.hostname for place in places] == ([*networks, "127.0.0.1"] if listen == "0.0.0.0" else [listen])
    for place in places:
        create_connection((place.hostname, place.port or 0)).close()
    from_elsewhere = networks and listen != "127.0.0.1"
    words = "The computers in this network reach the game." if from_elsewhere else "Only this computer reaches the game"
    assert [line[: len(words)] for line in host.told if " the game" in line and "reach" in line] == [words]
    host.type("quit")
    assert host.end() == 0


async def test_a_host_with_too_many_games_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setattr(hosting, "Lobby", partial(Lobby, limits=Limits(games=0)))
    options = parser_for("host").parse_args(["host", "--plain"])
    with create_server(("127.0.0.1", 0)) as listening, pytest.raises(CommandError, match="no room for more"):
        await _hosted(options, listening, [], None)


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("20", TimeControl(1200)),
        ("10+5", TimeControl(600, increment=5)),
        ("20+3x30", TimeControl(1200, 3, 30)),
        ("0+1x10", TimeControl(0, 1, 10)),
    ],
)
def test_clocks_are_read(text: str, control: TimeControl) -> None:
    assert clock(text) == control


def test_a_handicap_that_does_not_fit_the_board_is_refused() -> None:
    with pytest.raises(UsageError, match="handicap 9 is out of range: 0, or 2 to 6"):
        _terms(parser_for("host").parse_args(["host", "--size", "5", "--handicap", "9"]))


def test_where_no_game_can_be_resumed_it_is_told_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    table = tmp_path / "daoqi-tui" / "online" / "games" / "damaged"
    table.mkdir(parents=True)
    (table / "game.json").write_text("{", encoding="utf-8")
    with pytest.raises(CommandError, match=r"^there is no game to resume"):
        run_host(parser_for("host").parse_args(["host", "--plain", "--resume", "--port", "0"]))
    assert capsys.readouterr().err == "daoqi-tui: damaged: the file of the game is damaged\n"


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        (("--size", "9", "--handicap", "4", "--komi", "7"), "--size, --komi, --handicap"),
        (("--no-undo", "--black", "host", "--spectator-delay", "3"), "--black, --no-undo, --spectator-delay"),
        (("--name", "Lu"), "--name"),
    ],
)
def test_a_game_is_resumed_as_it_was_opened(arguments: tuple[str, ...], options: str) -> None:
    given = parser_for("host").parse_args(["host", "--plain", "--resume", *arguments])
    with pytest.raises(UsageError, match=f"^--resume continues the game as it was opened: leave out {options}$"):
        run_host(given)


@pytest.mark.parametrize(
    "text",
    ["", "foo bar", "ftp://x", "https://x#y", "https://x/?a=b", "https://x/?", "ws://me@x", "ws://[::1", "x:one"],
)
def test_what_is_no_address_is_refused_before_a_game_is_opened(text: str) -> None:
    with pytest.raises(
        UsageError, match=r"^argument --public-url: .* is not the address of a server, such as wss://go"
    ):
        parser_for("host").parse_args(["host", f"--public-url={text}"])


def test_a_host_that_no_invitation_may_name_is_refused_before_a_game_is_opened() -> None:
    with pytest.raises(UsageError, match=r"^argument --public-url: 'a\.\.b' is not a host name"):
        parser_for("host").parse_args(["host", "--public-url=wss://a..b"])


@pytest.mark.parametrize("text", ["", " ", '"unclosed'])
def test_what_starts_no_engine_is_refused_before_a_game_is_opened(text: str) -> None:
    with pytest.raises(UsageError, match=r"^argument --engine: "):
        parser_for("host").parse_args(["host", f"--engine={text}"])


@pytest.mark.parametrize("command", ["/nonexistent/engine", "/bin/true"])
def test_no_game_is_opened_for_an_engine_that_does_not_start(command: str, tmp_path: Path) -> None:
    host = Program(tmp_path, "host", "--port", "0", "--engine", command)
    assert host.end() == 1
    assert [line.startswith("daoqi-tui: ") for line in host.told] == [True]
    assert not list(tmp_path.rglob("game.json")), "a game was opened"


async def test_listed_games_command_no_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    SeatBook.in_folder(Folders.standard().online).put(SavedSeat("ws://127.0.0.1:9/\x9b31m", "abc", "key", "Ke"))
    await _listed()
    listed = capsys.readouterr().out
    assert "127.0.0.1:9/\ufffd31m" in listed
    assert "\x9b" not in listed


def test_a_game_that_nobody_serves_is_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    book = SeatBook.in_folder(Folders.standard().online)
    dead, other = (SavedSeat("ws://127.0.0.1:9", game, "key", "Ke") for game in ("abc", "def"))
    book.put(dead)
    book.put(other)
    for odd in ("127.0.0.1:9", "127.0.0.1:8#abc"):
        with pytest.raises(UsageError):
            run(["games", "--forget", odd])
    assert book.seats() == [other, dead]
    assert run(["games", "--forget", str(dead.invitation)]) == 0
    assert capsys.readouterr().out == f"Forgotten: {dead.invitation}\n"
    assert book.seats() == [other]


@pytest.mark.parametrize("text", ["wss://go.example.org/daoqi/", "http://x.example", "ws://x", "x", "x:80", "[::1]"])
def test_an_address_of_any_form_gives_an_invitation_that_leads_there(text: str) -> None:
    assert public_address(text) == text
    invitation = Invitation.parse(f"{text}#mzxw6ytb-abcd")
    assert invitation.server == server_of(text)
    assert Invitation.parse(str(invitation)) == invitation


@pytest.mark.parametrize("text", ["", "x", "0", "20+", "20+3x", "-5", "20x3", "99999"])
def test_what_is_no_clock_is_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="is not a clock"):
        clock(text)
