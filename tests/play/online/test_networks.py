"""A guest comes by the printed invitation alone: from this computer, from its network, and from another home.

Networks are namespaces of this computer, joined by wires. DAOQI_PROGRAM names a program to try in place of this
checkout's: `.ci/package` tries those that it has just installed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from daoqi_tui.play.online.invitation import Invitation
from tests.test_cli_online import Program
from tests.thorough import THOROUGH

PROGRAM = [os.environ["DAOQI_PROGRAM"]] if "DAOQI_PROGRAM" in os.environ else [sys.executable, "-m", "daoqi_tui"]
MANUAL = Path(__file__).resolve().parents[3] / "docs" / "online.md"
TERMS = ("--plain", "--size", "5", "--black", "host")


class Network:
    """A network of its own, as long as a process is in it."""

    def __init__(self, ends: ExitStack) -> None:
        # It says that it is in the network, and stays until its input is closed.
        held = ends.enter_context(
            subprocess.Popen(
                ["unshare", "--net", "sh", "-c", "echo there; read line"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        )
        assert held.stdout is not None
        assert held.stderr is not None
        if held.stdout.readline() != b"there\n":
            pytest.skip(f"no networks can be made here: {held.stderr.read().decode().strip()}")
        self.name = str(held.pid)
        self.words = ["nsenter", "--net", "--target", self.name]
        self.ip("link set lo up")

    def ip(self, words: str) -> None:
        done = subprocess.run([*self.words, "ip", *words.split()], check=False, capture_output=True, text=True)
        if done.returncode:
            pytest.skip(f"no networks can be made here: ip {words}: {done.stderr.strip()}")

    def join(self, wire: str, address: str, other: Network, other_address: str) -> None:
        """Lay a wire to another network, with the addresses of its ends."""
        self.ip(f"link add {wire} type veth peer name {wire} netns {other.name}")
        for network, own in ((self, address), (other, other_address)):
            network.ip(f"addr add {own} dev {wire}")
            network.ip(f"link set {wire} up")

    def program(self, *words: str) -> list[str]:
        return [*self.words, *(words or PROGRAM)]


@pytest.fixture
def network() -> Iterator[Callable[[], Network]]:
    for name in ("unshare", "nsenter", "ip"):
        if shutil.which(name) is None:
            pytest.skip(f"no networks can be made here: there is no {name}")
    with ExitStack() as ends:
        yield lambda: Network(ends)


def play(host: Program, guest: Program) -> None:
    """Play a game to its end, and leave it."""
    guest.until("You play White.")
    host.until("Your move.")
    host.type("C3")
    guest.until("Black C3.")
    guest.until("Your move.")
    guest.type("D4")
    host.until("White D4.")
    host.type("resign")
    guest.until("The game is over. Black resigns: White wins.")
    for player in (guest, host):
        player.type("quit")
        assert player.end() == 0


def invited(line: str) -> str:
    """Return what a line says to type, without the program's name."""
    return line.partition("daoqi-tui join ")[2]


@pytest.mark.skipif("DAOQI_PROGRAM" not in os.environ, reason="test_cli_online.py plays this game with the checkout")
def test_on_one_computer(tmp_path: Path) -> None:
    host = Program(tmp_path / "host", "host", *TERMS, "--port", "0", program=PROGRAM)
    invitation = invited(host.until("Your guest types: "))
    play(host, Program(tmp_path / "guest", "join", invitation, "--plain", program=PROGRAM))


def test_in_one_network(tmp_path: Path, network: Callable[[], Network]) -> None:
    home, other = network(), network()
    home.join("wire", "192.168.1.5/24", other, "192.168.1.7/24")
    host = Program(tmp_path / "host", "host", *TERMS, program=home.program())
    assert Invitation.parse(invited(host.until("Your guest types: "))).server == "ws://127.0.0.1:7777"
    host.until("Waiting for the guest")
    host.type("L")
    there = invited(host.until("Your guest types: "))
    assert Invitation.parse(there).server == "ws://192.168.1.5:7777"
    play(host, Program(tmp_path / "guest", "join", there, "--plain", program=other.program()))


@pytest.mark.skipif(not THOROUGH, reason="test_anywhere.py plays such a game in one process")
def test_in_one_network_over_iroh(tmp_path: Path, network: Callable[[], Network]) -> None:
    home, other = network(), network()
    home.join("wire", "192.168.1.5/24", other, "192.168.1.7/24")
    host = Program(tmp_path / "host", "host", *TERMS, "--anywhere", "direct", program=home.program())
    invitation = invited(host.until("Your guest types: "))
    assert invitation.startswith("iroh://")
    host.until("Waiting for the guest")
    play(host, Program(tmp_path / "guest", "join", invitation, "--plain", program=other.program()))


def documented(beginning: str) -> list[str]:
    """Return the line of the manual that begins so, without the program, for the server of the test."""
    [line] = re.findall(f"(?m)^{re.escape(beginning)}.*$", MANUAL.read_text("utf-8"))
    return line.replace("go.example.org", "203.0.113.1").split()[1:]


def test_from_another_home_through_a_server_of_ones_own(tmp_path: Path, network: Callable[[], Network]) -> None:
    """The server passes nothing on between the homes, which is stricter than what two routers with NAT do."""
    if shutil.which("ssh") is None:
        pytest.skip("there is no ssh")
    home, internet, other = network(), network(), network()
    for place, wire, own, its in (
        (home, "wire0", "192.168.1.5/24", "192.168.1.1/24"),
        (other, "wire1", "192.168.2.7/24", "192.168.2.1/24"),
    ):
        place.join(wire, own, internet, its)
        place.ip(f"route add default via {its.partition('/')[0]}")
    internet.ip("addr add 203.0.113.1/32 dev lo")
    with ExitStack() as ends:
        server = ends.enter_context(
            subprocess.Popen(
                internet.program(sys.executable, "-m", "tests.play.online.ssh_server", "203.0.113.1", "22"),
                stdout=subprocess.PIPE,
                text=True,
            )
        )
        ends.callback(server.terminate)
        assert server.stdout is not None
        assert server.stdout.readline() == "ready\n"
        known = f"UserKnownHostsFile={tmp_path / 'known'}"
        ssh = ["ssh", "-F", "none", "-v", "-o", known, *("-oBatchMode=yes", "-oStrictHostKeyChecking=no")]
        line = ends.enter_context(
            subprocess.Popen(
                # All after the options that spare a test questions is as documented.
                home.program(*ssh, *["-N", "-R", "0.0.0.0:7777:127.0.0.1:7777", "203.0.113.1"]),
                stdin=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
        )
        ends.callback(line.terminate)
        assert line.stderr is not None
        said: list[str] = []
        for words in line.stderr:
            said.append(words)
            if "remote forward success" in words:
                break
        else:
            raise AssertionError("".join(said))
        # A computer that is reached would refuse.
        code = "import socket; s = socket.socket(); s.settimeout(0.3); s.connect(('192.168.1.5', 1))"
        tried = subprocess.run(
            other.program(sys.executable, "-S", "-c", code), capture_output=True, text=True, check=False
        )
        assert re.search("TimeoutError|unreachable|No route", tried.stderr), tried.stderr
        words = documented("daoqi-tui host --public-url ws://")
        host = Program(tmp_path / "host", *words, *TERMS, program=home.program())
        invitation = invited(host.until("Your guest types: "))
        assert Invitation.parse(invitation).server == "ws://203.0.113.1:7777"
        play(host, Program(tmp_path / "guest", "join", invitation, "--plain", program=other.program()))
