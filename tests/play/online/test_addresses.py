"""Addresses of visitors behind proxies, and the names of a server."""

from __future__ import annotations

import socket
from ipaddress import ip_network
from pathlib import Path

import pytest
from aiohttp.test_utils import make_mocked_request
from multidict import CIMultiDict

from daoqi_tui.play.online.connections import Network, Site, is_own_name
from daoqi_tui.play.online.invitation import Invitation
from daoqi_tui.play.online.protocol import VERSION, Join, Welcome, encode
from tests.play.online.table import SMALL, server

PUBLIC = ("wss://go.example.org/daoqi",)
FAR = ip_network("10.0.0.0/8")


def visitor(site: Site, remote: str, *forwarded: str) -> str:
    headers = CIMultiDict(("X-Forwarded-For", line) for line in forwarded)
    return site.visitor(make_mocked_request("GET", "/", headers).clone(remote=remote))


@pytest.mark.parametrize(
    ("proxies", "remote", "forwarded", "expected"),
    [
        ((), "127.0.0.1", (), "127.0.0.1"),
        ((), "127.0.0.1", ("192.0.2.1",), "127.0.0.1"),
        ((FAR,), "10.1.2.3", ("192.0.2.1",), "192.0.2.1"),
        ((FAR,), "192.0.2.9", ("192.0.2.1",), "192.0.2.9"),
        # What a visitor sent in the header comes before what the proxies appended.
        ((FAR,), "10.1.2.3", ("198.51.100.7, 192.0.2.1",), "192.0.2.1"),
        ((FAR,), "10.1.2.3", ("198.51.100.7", "192.0.2.1"), "192.0.2.1"),
        # Two proxies, one behind the other.
        ((FAR,), "10.1.2.3", ("198.51.100.7, 192.0.2.1, 10.9.9.9",), "192.0.2.1"),
        ((FAR,), "10.1.2.3", ("10.9.9.9",), "10.9.9.9"),
        # With the port, as some proxies write it; an IPv6 network counts as one address.
        ((FAR,), "10.1.2.3", ("192.0.2.1:4711",), "192.0.2.1"),
        ((FAR,), "10.1.2.3", ("[2001:db8::7]:4711",), "2001:db8::/64"),
        ((FAR,), "10.1.2.3", ("2001:db8::7",), "2001:db8::/64"),
        ((FAR,), "10.1.2.3", ("::ffff:192.0.2.1",), "192.0.2.1"),
        # What is no address does not count as one of its own.
        ((FAR,), "10.1.2.3", ("192.0.2.1, unknown",), "10.1.2.3"),
        ((FAR,), "10.1.2.3", ("",), "10.1.2.3"),
        ((ip_network("::1"),), "::1", ("192.0.2.1",), "192.0.2.1"),
        ((FAR,), "", ("192.0.2.1",), ""),
    ],
)
def test_trusted_proxies_are_believed(
    proxies: tuple[Network, ...], remote: str, forwarded: tuple[str, ...], expected: str
) -> None:
    assert visitor(Site((), proxies), remote, *forwarded) == expected


@pytest.mark.parametrize("remote", ["127.0.0.1", "127.8.0.1", "::1", "::ffff:127.0.0.1"])
def test_a_proxy_on_this_computer_is_believed_only_where_it_is_named(remote: str) -> None:
    # With ssh -R, everyone comes from this computer, with a header of their own choice.
    assert visitor(Site(PUBLIC), remote, "192.0.2.1") == visitor(Site(), remote)
    assert visitor(Site(PUBLIC, (FAR,)), remote, "192.0.2.1") == visitor(Site(), remote)
    here = ip_network("127.0.0.0/8"), ip_network("::1")
    assert visitor(Site(PUBLIC, here), remote, "192.0.2.1") == "192.0.2.1"


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1:8000", True),
        ("192.168.1.7:8000", True),
        ("[fe80::1]:8000", True),
        ("localhost", True),
        (f"{socket.gethostname()}:80", True),
        (f"{socket.gethostname().partition('.')[0]}.local:80", True),
        ("my.name:8000", True),
        ("evil.example:8000", False),
        ("evil.local", False),
        ("127.0.0.1.nip.example", False),
        ("", False),
        ("[::1", False),
    ],
)
def test_names_of_this_computer(host: str, expected: bool) -> None:
    assert is_own_name(host, {"my.name", None}) is expected


async def test_clients_reach_a_game_by_its_address_its_name_and_its_public_name(tmp_path: Path) -> None:
    async with server(tmp_path, site=Site(PUBLIC)) as table:
        table.lay(SMALL)
        url = Invitation(table.url, table.game).url
        for host in ("127.0.0.1", "localhost:7777", "go.example.org", "go.example.org:443"):
            async with table.session.ws_connect(url, headers={"Host": host}) as socket_:
                await socket_.send_str(encode(Join(VERSION)))
                assert (await socket_.receive_json())["type"] == "welcome"
        async with table.session.ws_connect(url, headers={"Origin": "https://go.example.org"}) as socket_:
            await socket_.send_str(encode(Join(VERSION)))
            assert (await socket_.receive_json())["role"] == Welcome(VERSION, "", "spectator").role
