"""Webhooks: an address of an account's own, to which the server posts a line when it becomes the account's turn.

Whoever has an account chooses where the server sends a request, so that it has to be kept from addresses that only the
server reaches: names are resolved here, what they lead to must be public unless the operator allows others, and
redirects are not followed. What fails is dropped, since no game may wait for it.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from ipaddress import IPv4Address, IPv6Address, ip_address
from time import monotonic
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from aiohttp import ClientError, ClientSession, ClientTimeout, TCPConnector
from aiohttp.abc import AbstractResolver, ResolveResult

from daoqi_tui import codec, crash, log
from daoqi_tui.play.online.limits import Rate
from daoqi_tui.play.online.protocol import REASONS

LONGEST_ADDRESS: Final = 400
JSON_MARK: Final = "json"
"""The fragment of an address to which the line is sent as JSON."""
_MOST_NOTICES: Final = 1000
"""The lines that wait at most; more are dropped."""
_WORKERS: Final = 4
_PATIENCE: Final = 10.0
_HOUR: Final = 3600.0


def is_public(address: str) -> bool:
    """Return whether an address is one of the internet, as far as its number says.

    >>> [is_public(each) for each in ("9.9.9.9", "2620:fe::9", "127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1")]
    [True, True, False, False, False]
    """
    found: IPv4Address | IPv6Address = ip_address(address.partition("%")[0])
    if isinstance(found, IPv6Address) and found.ipv4_mapped is not None:
        found = found.ipv4_mapped
    if isinstance(found, IPv6Address) and (found.sixtofour is not None or found.teredo is not None):
        # They lead to an address of IPv4 that is not looked at.
        return False
    return found.is_global and not (found.is_multicast or found.is_reserved or found.is_unspecified)


def check_address(text: str) -> str:
    """Return an address to which can be posted, without spaces around it.

    Raises:
        ValueError: it is none; the message says what would be.
    """
    text = text.strip()
    try:
        parts = urlsplit(text)
        _ = parts.port
        is_good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.username is None
    except ValueError:
        is_good = False
    if not is_good or len(text) > LONGEST_ADDRESS or not text.isascii() or not text.isprintable() or " " in text:
        raise ValueError(REASONS["webhook"])
    return text


class _ForbiddenError(OSError):
    """The address is not public."""


class _Resolver(AbstractResolver):
    """Resolves names in threads of its own, so that slow ones hold up nobody else.

    Args:
        private: whether addresses that are not public are allowed.
    """

    def __init__(self, *, private: bool) -> None:
        self._private = private
        self._threads = ThreadPoolExecutor(_WORKERS, "webhook")

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        work = partial(socket.getaddrinfo, host, port, family, socket.SOCK_STREAM)
        found = await asyncio.get_running_loop().run_in_executor(self._threads, work)
        numbers = [(str(address[0]), kind, proto) for kind, _type, proto, _name, address in found]
        # One that is not public is enough: another time, it may be the first.
        if not numbers or not (self._private or all(is_public(number) for number, _kind, _proto in numbers)):
            raise _ForbiddenError(host)
        return [
            ResolveResult(hostname=host, host=number, port=port, family=kind, proto=proto, flags=socket.AI_NUMERICHOST)
            for number, kind, proto in numbers
        ]

    async def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)


class Notice(NamedTuple):
    """A line for an account, and the page it is about."""

    account: str
    text: str
    url: str


class Webhooks:
    """Posts lines to the addresses of accounts.

    Args:
        address_of: returns the address of an account, empty for none; it may wait for the disk, and raise OSError.
        hourly: the lines for an account in an hour; more are dropped.
        now: returns the time for that limit.
        private: whether addresses that are not public are allowed.
    """

    def __init__(
        self,
        address_of: Callable[[str], str],
        hourly: int,
        now: Callable[[], float] = monotonic,
        *,
        private: bool = False,
    ) -> None:
        self._address_of = address_of
        self._rate = Rate(hourly, now, _HOUR)
        self._private = private
        self._queue: asyncio.Queue[Notice] = asyncio.Queue(_MOST_NOTICES)

    def notify(self, notice: Notice) -> None:
        """Have a line posted some time, unless there are too many."""
        if not self._rate.allows(notice.account):
            return
        self._rate.count(notice.account)
        with suppress(asyncio.QueueFull):
            self._queue.put_nowait(notice)

    async def run(self) -> None:
        """Post what comes until cancelled."""
        resolver = _Resolver(private=self._private)
        try:
            async with ClientSession(
                connector=TCPConnector(resolver=resolver, use_dns_cache=False, force_close=True, limit=_WORKERS),
                timeout=ClientTimeout(total=_PATIENCE),
                trust_env=False,
            ) as session:
                await asyncio.gather(*(self._post_all(session) for _worker in range(_WORKERS)))
        finally:
            await resolver.close()

    async def _post_all(self, session: ClientSession) -> None:
        while True:
            notice = await self._queue.get()
            try:
                # The whole way in one span: a database that does not answer is no better than an address.
                async with asyncio.timeout(2 * _PATIENCE):
                    await self._post(session, notice)
            except (ClientError, OSError, TimeoutError, ValueError) as error:
                log.info("no line was posted for account %s: %s", notice.account, type(error).__name__)
            except Exception as error:  # The next line is posted all the same.
                crash.report(error)

    async def _post(self, session: ClientSession, notice: Notice) -> None:
        address = await asyncio.to_thread(self._address_of, notice.account)
        if not address:
            return
        parts = urlsplit(check_address(address))
        self._check_number(parts.hostname or "")
        url, _mark, fragment = address.partition("#")
        body, kind = f"{notice.text}\n{notice.url}".rstrip().encode(), "text/plain; charset=utf-8"
        if fragment == JSON_MARK:
            text = body.decode()
            # As chat servers call it: most of them text, Discord content.
            body, kind = codec.encode({"text": text, "content": text, "url": notice.url}), "application/json"
        headers = {"Content-Type": kind, "User-Agent": "daoqi-tui"}
        # What is answered is not read.
        async with session.post(url, data=body, headers=headers, allow_redirects=False):
            pass

    def _check_number(self, host: str) -> None:
        """Check a host that is an address, which aiohttp does not resolve. Raises OSError if it is forbidden."""
        try:
            public = is_public(host)
        except ValueError:
            return
        if not public and not self._private:
            raise _ForbiddenError(host)
