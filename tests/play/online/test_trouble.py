"""What `join` says where no game is reached: each way to fail has its own sentence, and some end the attempts."""

from __future__ import annotations

import asyncio
import errno
import socket
import ssl
from typing import Any
from unittest.mock import Mock

import aiohttp
import pytest
from aiohttp.client_reqrep import ConnectionKey
from multidict import CIMultiDict
from yarl import URL

from daoqi_tui.play.online.client import Ended, Lost, OnlineClient, trouble_with
from daoqi_tui.play.online.invitation import Invitation
from daoqi_tui.play.online.protocol import FINAL, REASONS, TAKEN, Refused, describe_reason
from tests.play.online.refusing import answered, refusing
from tests.play.online.table import SMALL, server

HOME, AWAY = "ws://192.168.1.5:7777", "ws://203.0.113.9:7777"
KEY = ConnectionKey("", 0, False, True, None, None, None)
ASKED = aiohttp.RequestInfo(URL("ws://x"), "GET", CIMultiDict(), URL("ws://x"))  # type: ignore[arg-type]


def failed(number: int) -> Exception:
    return aiohttp.ClientConnectorError(KEY, OSError(number, f"Connect call failed ('x', {number})"))


def unknown(number: int) -> Exception:
    return aiohttp.ClientConnectorDNSError(KEY, socket.gaierror(number, "no"))


def answer(status: int) -> Exception:
    return aiohttp.WSServerHandshakeError(ASKED, (), status=status, message="Invalid response status")


CERTIFICATE = aiohttp.ClientConnectorCertificateError(KEY, Mock(verify_message="certificate has expired"))
NO_TLS = aiohttp.ClientConnectorSSLError(KEY, ssl.SSLError(1, "WRONG_VERSION_NUMBER"))
GARBAGE = aiohttp.ClientResponseError(ASKED, (), status=400, message="Bad status line")
SLOW = aiohttp.ConnectionTimeoutError("Connection timeout")
WAYS: list[tuple[str, Exception, str, str, bool]] = [
    ("ws://127.0.0.1:7777", failed(errno.ECONNREFUSED), "", "127.0.0.1 is this computer, which serves no game", False),
    (HOME, failed(errno.ECONNREFUSED), "", "192.168.1.5 is there, but serves no game at port 7777", False),
    (HOME, failed(errno.EHOSTUNREACH), "192.168.1.7", "no computer answers at 192.168.1.5 in this network", True),
    (HOME, failed(errno.EHOSTUNREACH), "10.0.2.15", "private address in another network than 10.0.2.15", True),
    (HOME, SLOW, "10.0.2.15", "private address in another network than 10.0.2.15", True),
    (HOME, failed(errno.ENETUNREACH), "", "this computer is in no network", False),
    ("ws://100.101.1.2:7777", SLOW, "192.168.1.7", "overlay network, such as Tailscale; both computers", True),
    ("ws://[2001:470::1]:7777", failed(errno.ENETUNREACH), "", "IPv6 address, which this network does not reach", True),
    ("ws://8.8.8.8:7777", SLOW, "192.168.1.7", "its router or firewall does not let guests in", False),
    ("wss://go.example.org", failed(errno.ETIMEDOUT), "192.168.1.7", "does not answer at port 443; perhaps its", False),
    (AWAY, TimeoutError(), "", "accepts connections at port 7777, but does not answer", False),
    (AWAY, aiohttp.ServerDisconnectedError(), "", "closes connections at port 7777 at once; behind a tunnel", False),
    ("ws://a.example", unknown(socket.EAI_NONAME), "", "there is no computer of the name a.example", True),
    ("ws://a.example", unknown(socket.EAI_AGAIN), "", "cannot be looked up: is this computer on the internet?", False),
    ("ws://box.local:7777", unknown(socket.EAI_NONAME), "", "box.local is known in the host's own network only", True),
    (AWAY, GARBAGE, "", "is another program; ask the host for the port", True),
    (AWAY, answer(404), "", "serves no Daoqi games (HTTP status 404)", True),
    (AWAY, answer(200), "", "serves no Daoqi games (HTTP status 200)", True),
    (AWAY, answer(400), "", "expects something else; with TLS an invitation begins with wss://", True),
    (AWAY, answer(401), "", "asks for a password", True),
    (AWAY, answer(403), "", "has to give that name with --public-url", True),
    (AWAY, answer(429), "", "takes no more requests from here", False),
    (AWAY, answer(502), "", "a proxy answers for 203.0.113.9, but the server behind it does not", False),
    (AWAY, answer(500), "", "fails, with HTTP status 500", False),
    ("wss://go.example.org", CERTIFICATE, "", "is not valid (certificate has expired); check the name", True),
    ("wss://go.example.org:7777", NO_TLS, "", "does not speak TLS at port 7777", True),
]


@pytest.mark.parametrize(("address", "error", "own", "words", "lasts"), WAYS)
def test_each_way_to_fail_has_its_sentence(address: str, error: Exception, own: str, words: str, lasts: bool) -> None:
    trouble = trouble_with(address, error, own)
    assert words in str(trouble.reason)
    assert trouble.lasts is lasts


def test_all_sentences_differ() -> None:
    said = {str(trouble_with(server, error, own).reason) for server, error, own, _words, _lasts in WAYS}
    # The two that differ by the error alone: an address of another network that is unreachable or silent.
    assert len(said) == len(WAYS) - 1
    refused = {str(REASONS[code]) for code in FINAL} | {str(TAKEN), str(REASONS["full"]), str(REASONS["quota"])}
    assert len(refused) == len(FINAL) + 3
    assert describe_reason(Refused("join", "code", str(TAKEN), fatal=True)) == TAKEN


async def _attempt(url: str, **options: Any) -> list[object]:
    """Return what a client says until it ends or would try again."""
    told: list[object] = []

    async def stop(_seconds: float) -> None:
        raise asyncio.CancelledError

    joined = OnlineClient(Invitation.parse(f"{url}#aaaaaaaa-abcd"), "Ke", told.append, sleep=stop, **options)
    await asyncio.gather(joined.run(), return_exceptions=True)
    return told


async def test_who_was_never_admitted_stops_where_trying_again_does_not_help() -> None:
    async with refusing("ws://127.0.0.1:9") as (url, left):
        for options, kind in (({}, Ended), ({"key": "k" * 20}, Lost)):
            left.append(answered(404))
            [event] = await _attempt(url, **options)
            assert type(event) is kind
        left.append(answered(503))
        [event] = await _attempt(url)
        assert type(event) is Lost
        # Something that is not HTTP, and something that speaks HTTP where TLS is expected.
        [event] = await _attempt(url.replace("ws://", "wss://"))
        assert "does not speak TLS" in str(event)

    def greet(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"SSH-2.0-x\r\n\r\n")
        writer.close()

    listening = await asyncio.start_server(greet, "127.0.0.1", 0)
    async with listening:
        number = listening.sockets[0].getsockname()[1]
        [event] = await _attempt(f"ws://127.0.0.1:{number}")
    assert "is another program" in str(event)
    [event] = await _attempt(f"ws://127.0.0.1:{number}")
    assert "is this computer, which serves no game" in str(event)


async def test_a_taken_seat_is_not_a_wrong_code(tmp_path: Any) -> None:
    async with server(tmp_path) as table:
        table.lay(SMALL)
        host = await _attempt_ended(table.url, table.game, "wrong")
        assert host == REASONS["code"]
        first = OnlineClient(Invitation(table.url, table.game, table.code), "Ke", lambda _event: None)
        line = asyncio.create_task(first.run())
        while not first.connected:
            await asyncio.sleep(0)
        assert await _attempt_ended(table.url, table.game, table.code) == TAKEN
        line.cancel()
        await asyncio.gather(line, return_exceptions=True)


async def _attempt_ended(url: str, game: str, code: str) -> object:
    return (await OnlineClient(Invitation(url, game, code), "Ke", lambda _event: None).run()).reason
