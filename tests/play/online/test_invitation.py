"""Parsing and printing of invitations, with and without a scheme, a port or a proxy path."""

from __future__ import annotations

import numpy as np
import pytest
import zxingcpp

from daoqi_tui.play.online.invitation import Invitation, InvitationError, qr_code
from daoqi_tui.play.online.seat_book import SavedSeat
from tests.play.online.scripted import reconnects
from tests.play.online.table import Player, standing


@pytest.mark.parametrize(
    ("server", "printed"),
    [
        ("ws://192.168.1.5:7777", "192.168.1.5:7777#abc-def"),
        ("ws://[::1]:8000", "[::1]:8000#abc-def"),
        ("ws://go.example.org", "ws://go.example.org#abc-def"),
        ("ws://[::1]", "ws://[::1]#abc-def"),
        ("ws://go.example.org:8000/daoqi", "go.example.org:8000/daoqi#abc-def"),
        ("ws://go.example.org/daoqi", "ws://go.example.org/daoqi#abc-def"),
        ("wss://go.example.org", "wss://go.example.org#abc-def"),
        ("wss://go.example.org:8000", "wss://go.example.org:8000#abc-def"),
    ],
)
def test_an_invitation_is_read_as_it_was_printed(server: str, printed: str) -> None:
    invitation = Invitation(server, "abc", "def")
    assert str(invitation) == printed
    assert Invitation.parse(printed) == invitation


def test_an_address_without_a_scheme_has_the_port_of_a_host() -> None:
    assert Invitation.parse("go.example.org#abc").url == "ws://go.example.org:7777/game/abc"
    assert Invitation.parse("go.example.org/daoqi/#abc").url == "ws://go.example.org:7777/daoqi/game/abc"


@pytest.mark.parametrize("sign", ["\x9b31m", "\u202egpj", "\U000e0041", "\ud800", "\x07"], ids=ascii)
def test_an_address_that_a_terminal_would_obey_or_hide_is_refused(sign: str) -> None:
    for address in (f"ws://h/{sign}", f"h{sign}"):
        with pytest.raises(InvitationError, match="is not the address of a server"):
            Invitation.parse(f"{address}#abc-def")


def test_schemes_are_known_in_any_case() -> None:
    assert Invitation.parse("HTTPS://go.example.org#abc").server == "wss://go.example.org"


NO_HOSTS = ("a..b", "a" * 64)
"""Host names for which the resolver raises UnicodeError."""


@pytest.mark.parametrize("host", NO_HOSTS)
def test_what_cannot_be_the_name_of_a_host_is_refused(host: str) -> None:
    with pytest.raises(InvitationError, match="is not a host name"):
        Invitation.parse(f"{host}:7777#abc")


@pytest.mark.parametrize("host", NO_HOSTS)
async def test_a_kept_seat_at_such_a_host_is_not_reached(host: str) -> None:
    url = f"ws://{host}:7777"
    told = str((await standing(SavedSeat(url, "abc", "k", "Ke"))).reason)
    assert host in told
    assert "invitation" in told
    # Whoever has a seat there keeps trying, like at any other server; a new guest learns that it makes no sense.
    player, guest = Player(url, "abc", key="k"), Player(url, "abc")
    await player.until(lambda: reconnects(player) or player.task.done())
    await guest.until(guest.task.done)
    assert not player.task.done()
    assert guest.client.ended is not None
    assert str(guest.client.ended.reason) == told
    await player.end()
    await guest.end()


@pytest.mark.parametrize(
    "text",
    [
        "192.168.1.5:7777#mzxw6ytb-abcdefghijklmnopqrst",
        "https://go.example.org/table/mzxw6ytb?code=" + "a" * 20,
        "x" * 300,
    ],
)
def test_a_camera_reads_the_qr_code_of_an_invitation(text: str) -> None:
    lines = qr_code(text)
    # A character cell is drawn as 4 by 8 pixels, in white where it has ink: the usual look of a terminal.
    inked = [[(cell in "▀█", cell in "▄█") for cell in line] for line in lines]
    image = np.array(inked, np.uint8).transpose(0, 2, 1).reshape(2 * len(lines), -1).repeat(4, 0).repeat(4, 1) * 255
    # As it is, not inverted, which some cameras do not read.
    [found] = zxingcpp.read_barcodes(image, try_invert=False)
    assert found.text == text
    assert found.format == zxingcpp.BarcodeFormat.QRCode
