"""The addresses of this computer, and a host that lets its network in. Only addresses of this computer are used."""

from __future__ import annotations

import asyncio
import ipaddress
import shutil
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from daoqi_tui.play.online import hosting
from daoqi_tui.play.online.client import Lost
from daoqi_tui.play.online.connections import own_addresses
from daoqi_tui.play.online.hosting import Place
from daoqi_tui.play.online.story import describe_reach
from daoqi_tui.play.online.table import Terms
from tests.play.online.table import Player
from tests.waiting import HANG, until

ELSEWHERE = "127.0.0.2"
"""Another computer's way to this one: who listens at 127.0.0.1 is not reached there."""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has all of 127.0.0.0/8")


def test_they_are_addresses_of_this_computer_in_a_network() -> None:
    found = own_addresses()
    assert len(set(found)) == len(found)
    for text in found:
        address = ipaddress.ip_address(text)
        assert not address.is_loopback
        assert not address.is_unspecified
        # Only an address of one's own can be bound.
        with socket.socket(socket.AF_INET6 if address.version == 6 else socket.AF_INET) as own:
            own.bind((text, 0))


def test_without_a_network_there_are_none() -> None:
    alone = [shutil.which("unshare") or "unshare", "--map-root-user", "--net"]
    code = "from daoqi_tui.play.online.connections import own_addresses; print(own_addresses())"
    try:
        subprocess.run([*alone, "true"], check=True, capture_output=True, timeout=HANG)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no network namespaces here")
    done = subprocess.run(
        [*alone, sys.executable, "-c", code], capture_output=True, text=True, timeout=HANG, check=True
    )
    assert done.stdout == "()\n"


@asynccontextmanager
async def hosted(folder: Path, address: str = "127.0.0.1", public: str = "") -> AsyncIterator[tuple[Place, int]]:
    with socket.create_server((address, 0)) as listening:
        async with hosting.hosting(
            listening, Terms(size=5), "Lu", folder=folder, library=folder / "library", public=public
        ) as (place, _problems):
            yield place, listening.getsockname()[1]


async def reaches(address: str, number: int) -> bool:
    try:
        _reader, writer = await asyncio.open_connection(address, number)
    except OSError:
        return False
    writer.close()
    return True


async def test_a_host_is_reached_from_elsewhere_only_once_the_network_is_let_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hosting, "own_addresses", lambda: (ELSEWHERE, "2001:db8::7"))
    async with hosted(tmp_path) as (place, number):
        assert place.addresses == (f"ws://127.0.0.1:{number}",)
        assert place.is_local
        assert not await reaches(ELSEWHERE, number)
        assert place.guest is not None
        assert place.let_in is not None
        here = Player(place.guest.server, place.guest.game, code=place.guest.code)
        await here.until(lambda: here.client.connected)
        opened = await place.let_in(place)
        assert await reaches(ELSEWHERE, number)
        assert opened.addresses == (f"ws://{ELSEWHERE}:{number}", f"ws://127.0.0.1:{number}")
        assert opened.guest is not None
        assert opened.guest.server == opened.addresses[0]
        assert (opened.is_local, opened.let_in) == (False, None)
        assert opened.seat is not None
        assert hosting.served_at(opened.seat) == ("0.0.0.0", number)
        # Who was connected still is.
        assert here.client.connected
        assert not [event for event in here.heard if isinstance(event, Lost)]
        await here.end()


async def test_a_network_that_cannot_be_let_in_leaves_the_game_where_it_was(tmp_path: Path) -> None:
    async with hosted(tmp_path) as (place, number):
        with socket.create_server((ELSEWHERE, number)):
            assert place.let_in is not None
            with pytest.raises(OSError, match="in use"):
                await place.let_in(place)
        assert place.guest is not None
        guest = Player(place.guest.server, place.guest.game, code=place.guest.code)
        await until(lambda: guest.client.connected)
        await guest.end()
        assert not await reaches(ELSEWHERE, number)


@pytest.mark.parametrize(
    ("networks", "listens", "reached"),
    [
        (("127.0.0.2", "127.0.0.3", "2001:db8::7"), "0.0.0.0", ("127.0.0.2", "127.0.0.3", "127.0.0.1")),
        (("2001:db8::7", "127.0.0.2"), "0.0.0.0", ("127.0.0.2", "127.0.0.1")),
        (("2001:db8::7",), "::", ("[2001:db8::7]", "[::1]")),
        ((), "0.0.0.0", ("127.0.0.1",)),
    ],
)
async def test_all_addresses_of_the_network_are_named_and_that_of_this_computer_last(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    networks: tuple[str, ...],
    listens: str,
    reached: tuple[str, ...],
) -> None:
    monkeypatch.setattr(hosting, "own_addresses", lambda: networks)
    with hosting.listening_everywhere(0) as listening:
        assert listening.getsockname()[0] == listens
        number = listening.getsockname()[1]
        async with hosting.hosting(listening, Terms(size=5), "Lu", folder=tmp_path, library=tmp_path / "library") as (
            place,
            _problems,
        ):
            assert place.addresses == tuple(f"ws://{address}:{number}" for address in reached)
            assert place.let_in is None
            assert place.is_local == (not networks)


async def test_a_host_with_a_public_address_has_nothing_to_let_in(tmp_path: Path) -> None:
    async with hosted(tmp_path, public="wss://go.example") as (place, _number):
        assert place.addresses == ("wss://go.example",)
        assert describe_reach(place) == "Whoever reaches wss://go.example reaches the game."
        assert place.let_in is None
        assert not place.is_local
