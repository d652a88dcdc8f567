"""Connections of servers: the addresses they come from, the room that each holds, and the wire itself.

Trusted proxies and the checks of Host and Origin are those of a :class:`Site`; :class:`Admission` gives room, which who
holds a seat always has. Idle connections are aborted, since even those take a file descriptor, and unexpected
exceptions are reported.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import re
import socket
import struct
import sys
from collections import Counter, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from socket import SO_SNDBUF, SOL_SOCKET
from time import monotonic
from typing import Final, NamedTuple, Protocol, TypeAlias, TypeVar
from urllib.parse import urlsplit

from aiohttp import WSCloseCode, WSMsgType, web
from aiohttp.http_exceptions import HttpProcessingError

from daoqi_tui import crash
from daoqi_tui.i18n import _
from daoqi_tui.play.online.accounts import BEARER, Account
from daoqi_tui.play.online.limits import Limits
from daoqi_tui.play.online.protocol import (
    FROM_CLIENT,
    ClientMessage,
    Ping,
    ProtocolError,
    Refused,
    ServerMessage,
    decode,
    encode,
)
from daoqi_tui.play.online.referee import RefusedError
from daoqi_tui.play.online.table import digest, new_key

Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network
_Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

_PORTS: Final = {"http": 80, "https": 443}
_SCHEMES: Final = {"ws": "http", "wss": "https"}


@dataclass(frozen=True, slots=True)
class Site:
    """The names under which a server is reached, and the proxies between it and its visitors.

    Attributes:
        public: the URLs under which others reach it, besides its IP addresses and the names of this computer.
        proxies: the networks of proxies whose ``X-Forwarded-For`` is believed. None is unless it is named: what comes
            from this computer may be a tunnel's, which passes on whatever a visitor wrote there.
    """

    public: tuple[str, ...] = ()
    proxies: tuple[Network, ...] = ()

    @web.middleware
    async def guard(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        """Refuse requests with a foreign host or origin, whatever they ask for.

        A web page that a user has open elsewhere could send them.
        """
        if not (self._has_own_host(request) and self._has_own_origin(request)):
            raise web.HTTPForbidden(text=_("This address is not that of the server: see --public-url.") + "\n")
        return await handler(request)

    def _has_own_host(self, request: web.Request) -> bool:
        hosts = request.headers.getall("Host", [])
        return len(hosts) == 1 and is_own_name(hosts[0], {_host_of(url) for url in self.public})

    def _has_own_origin(self, request: web.Request) -> bool:
        origins = request.headers.getall("Origin", [])
        own = {_origin_of(url) for url in (f"{request.scheme}://{request.host}", *self.public)} - {None}
        return all(_origin_of(origin) in own for origin in origins)

    def visitor(self, request: web.Request) -> str:
        """Return the address that a request counts for: the one that trusted proxies forward, if any."""
        address = request.remote or ""
        forwarded = [part for line in request.headers.getall("X-Forwarded-For", []) for part in line.split(",")]
        # Each proxy appends the address it sees, so the last ones are from our own.
        while forwarded and _is_in(address, self.proxies):
            before = _bare(forwarded.pop())
            if before is None:
                break
            address = before
        return network_of(address)


def network_of(address: str) -> str:
    """Return an IPv4 address as it is, and the /64 network of an IPv6 address, since one host may have many of those.

    >>> network_of("192.168.1.7"), network_of("::ffff:192.168.1.7"), network_of("2001:db8::1:2:3:4")
    ('192.168.1.7', '192.168.1.7', '2001:db8::/64')
    """
    parsed = _parsed(address)
    if isinstance(parsed, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return address if parsed is None else str(parsed)


def is_own_name(host: str, names: set[str | None]) -> bool:
    """Return whether a Host header is an IP address, a name of this computer, or one of `names`.

    A foreign page can have its own name resolve to this computer (DNS rebinding), but not an IP address.

    >>> is_own_name("127.0.0.1:8000", set()), is_own_name("[::1]:8000", set()), is_own_name("evil.example", set())
    (True, True, False)
    """
    name = _host_of(f"//{host}")
    if name is None:
        return False
    with suppress(ValueError):
        ipaddress.ip_address(name)
        return True
    own = socket.gethostname().lower()
    # Names that end in .local are resolved in the local network alone.
    return name in ("localhost", own, f"{own.partition('.')[0]}.local", *names)


def _host_of(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


def _origin_of(url: str) -> tuple[str, str, int] | None:
    """Return the scheme, host and port of a URL; None if it has none."""
    try:
        parts = urlsplit(url)
        scheme = _SCHEMES.get(parts.scheme, parts.scheme)
        port = parts.port or _PORTS.get(scheme)
    except ValueError:
        return None
    return None if parts.hostname is None or port is None else (scheme, parts.hostname, port)


def _parsed(address: str) -> _Address | None:
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return None
    return getattr(parsed, "ipv4_mapped", None) or parsed


def _is_in(address: str, networks: tuple[Network, ...]) -> bool:
    parsed = _parsed(address)
    return parsed is not None and any(parsed in network for network in networks)


def _bare(forwarded: str) -> str | None:
    """Return the address in an entry of ``X-Forwarded-For``, to which some proxies add the port; None if unknown."""
    entry = forwarded.strip()
    ported = re.fullmatch(r"\[([^]]*)\](?::\d+)?|([\d.]+):\d+", entry)
    address = entry if ported is None else ported[1] or ported[2]
    return address if _parsed(address) is not None else None


_PROBES: Final = ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1"))
"""Addresses reserved for documentation, which nobody has."""
_GET_FLAGS, _GET_ADDRESS = 0x8913, 0x8915
"""Linux's SIOCGIFFLAGS and SIOCGIFADDR."""
_RUNNING: Final = 0x40
"""The flag of an interface that is connected."""
_IPV6: Final = Path("/proc/net/if_inet6")


def own_addresses() -> tuple[str, ...]:
    """Return the IPv4 and IPv6 addresses of this computer that others may reach, the likeliest first.

    They are those by which it would reach other networks, then private ones, then others. Nothing is sent to find them,
    but a name server may be asked on other systems than Linux, which can take seconds. Without a network there is none.
    """
    routes = list(_routes())
    others = [*_of_interfaces()] if sys.platform == "linux" else [*_of_name()]
    found = dict.fromkeys(address for address in (*routes, *sorted(others, key=_rank)) if _is_of_a_network(address))
    return tuple(found)


def _routes() -> Iterator[str]:
    for family, other in _PROBES:
        with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((other, 9))
            yield str(probe.getsockname()[0])


def _of_interfaces() -> Iterator[str]:
    import fcntl  # noqa: PLC0415 (Unix only)

    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        for _number, name in socket.if_nameindex():
            request = struct.pack("256s", name.encode()[:15])
            with suppress(OSError):
                (flags,) = struct.unpack("H", fcntl.ioctl(asked, _GET_FLAGS, request)[16:18])
                if flags & _RUNNING:
                    yield socket.inet_ntoa(fcntl.ioctl(asked, _GET_ADDRESS, request)[20:24])
    with suppress(OSError):
        for line in _IPV6.read_text("ascii").splitlines():
            yield str(ipaddress.IPv6Address(bytes.fromhex(line.split()[0])))


def _of_name() -> Iterator[str]:
    with suppress(OSError, UnicodeError):
        for _family, _type, _protocol, _name, address in socket.getaddrinfo(socket.gethostname(), None):
            yield str(address[0])


def _is_of_a_network(text: str) -> bool:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        # A link-local one, which is valid on one interface only.
        return False
    linked = address.version == 6 and address.is_link_local
    return not (address.is_loopback or address.is_unspecified or address.is_multicast or linked)


def _rank(text: str) -> tuple[bool, bool, bool]:
    """Order addresses: IPv4 before IPv6, those that a router gave before those a computer took, private ones first."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return True, True, True
    return address.version == 6, address.is_link_local, not address.is_private


Place: TypeAlias = tuple[str, int]


class HasAddress(Protocol):
    """Something that counts for an address."""

    @property
    def address(self) -> str:
        """The address of the visitor."""


V = TypeVar("V", bound=HasAddress)


def oldest_of_busiest(visits: Collection[V]) -> V:
    """Return the oldest visit from the address with the most, given in their order.

    Whoever fills the room from one address so loses its own connections first.
    """
    counts = Counter(visit.address for visit in visits)
    most = max(counts.values())
    return next(visit for visit in visits if counts[visit.address] == most)


class Visit:
    """A connection, as far as room is concerned.

    Attributes:
        address: that it counts for.
        abort: closes it at once.
        account: of the visitor, None for a guest.
        ids: those of the accounts that it is for: the visitor's, and that of its seat.
    """

    def __init__(self, address: str, abort: Callable[[], object]) -> None:
        self.address: Final = address
        self.abort: Final = abort
        self.account: Account | None = None
        self.ids: frozenset[str] = frozenset()


class Pass(NamedTuple):
    """Whom a program of this computer speaks for, as that of a visitor over ssh does.

    Attributes:
        address: of the visitor.
        account: the id of the visitor's account, empty for a guest.
    """

    address: str
    account: str = ""


PASS: Final = "pass."
"""How the secret of a pass begins, and no other."""


class Passes:
    """Those that are good now, by secrets that are told to these programs alone."""

    def __init__(self) -> None:
        self._given: Final[dict[str, Pass]] = {}

    @contextmanager
    def given(self, visitor: Pass) -> Iterator[str]:
        """Give a pass that is good while the block lasts, and return its secret."""
        secret = f"{PASS}{new_key()}"
        self._given[digest(secret)] = visitor
        try:
            yield secret
        finally:
            del self._given[digest(secret)]

    def find(self, secret: str) -> Pass | None:
        return self._given.get(digest(secret))


def secret_of(request: web.Request) -> str:
    """Return the secret in the headers of a request, empty if there is none."""
    given = request.headers.get("Authorization", "")
    return given.removeprefix(BEARER) if given.startswith(BEARER) else ""


class Admission:
    """The connections of a server by what they hold.

    A new connection is *passing* until its first message shows whether it holds a seat, and again when it is about to
    be closed. There is always room for another one: the oldest makes way. A connection with a seat needs no room of
    those without, since a seat has one connection at a time.

    Args:
        limits: of the server.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        # Dictionaries keep the order of arrival.
        self._passing: dict[Visit, None] = {}
        self._watching: dict[Visit, None] = {}
        self._seated: dict[Place, Visit] = {}

    def __len__(self) -> int:
        return len(self._passing) + len(self._watching) + len(self._seated)

    def arrive(self, visit: Visit) -> None:
        self.leave(visit)
        if len(self._passing) >= self._limits.passing:
            dropped = oldest_of_busiest(self._passing)
            del self._passing[dropped]
            dropped.abort()
        self._passing[visit] = None

    def watch(self, visit: Visit) -> None:
        """Give a passing connection room to watch.

        Raises:
            RefusedError: there is none, altogether or for its address.
        """
        if visit in self._watching:
            return
        same = sum(other.address == visit.address for other in self._watching)
        if len(self._watching) >= self._limits.connections or same >= self._limits.per_address:
            raise RefusedError("full")
        self._passing.pop(visit, None)
        self._watching[visit] = None

    def sit(self, visit: Visit, place: Place) -> None:
        """Give a connection the room of a seat, which an earlier one at the same seat loses."""
        before = self._seated.get(place)
        self.leave(visit)
        self._seated[place] = visit
        if before is not None and before is not visit:
            self.arrive(before)

    def leave(self, visit: Visit) -> None:
        self._passing.pop(visit, None)
        self._watching.pop(visit, None)
        for place in [place for place, seated in self._seated.items() if seated is visit]:
            del self._seated[place]


_REQUEST: Final = 10.0
"""The timeout in seconds for a request on a connection."""
_TICK: Final = 0.25
_MOST_IDLE: Final = 200
"""The number of connections without a request; of more, the oldest are aborted."""
_FILES: Final = 4096
"""The number of open files and connections that a server with all its games, players and spectators needs."""


class IdleConnections:
    """Aborts connections without a complete request for a while.

    Args:
        app: the served application, whose requests are watched.
    """

    def __init__(self, app: web.Application) -> None:
        self._served: Final[dict[object, web.Request]] = {}
        app.middlewares.append(self._note)

    @web.middleware
    async def _note(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        self._served[request.protocol] = request
        try:
            return await handler(request)
        finally:
            del self._served[request.protocol]

    @asynccontextmanager
    async def aborted(self, runner: web.AppRunner) -> AsyncIterator[None]:
        """Abort idle connections of a runner that is set up, while the block lasts."""
        assert runner.server is not None
        _allow_files()
        watching = asyncio.create_task(self._watch(runner.server))
        try:
            yield
        finally:
            watching.cancel()
            await asyncio.wait((watching,))

    async def _watch(self, server: web.Server) -> None:
        """Abort connections whose request did not arrive in time, or not completely."""
        since: dict[tuple[object, int], float] = {}
        while True:
            await asyncio.sleep(_TICK)
            now = monotonic()
            idle = [(each, request) for each in server.connections if _is_late(request := self._served.get(each))]
            since = {(each, id(request)): since.get((each, id(request)), now) for each, request in idle}
            # The oldest first; the sort keeps the order of those that were first seen at the same time.
            idle.sort(key=lambda entry: since[entry[0], id(entry[1])])
            for number, (each, request) in enumerate(idle):
                late = now - since[each, id(request)] > _REQUEST or number < len(idle) - _MOST_IDLE
                if late and each.transport is not None:
                    each.transport.abort()


def _allow_files() -> None:
    """Allow this process as many open files as a server needs, as far as the system permits."""
    try:
        import resource  # noqa: PLC0415 (Windows has none)
    except ImportError:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _is_late(request: web.Request | None) -> bool:
    return request is None or not request.content.is_eof()


def _is_logged(record: logging.LogRecord) -> bool:
    """Report an exception that ended a request, instead of logging it."""
    error = record.exc_info[1] if record.exc_info else None
    if error is None:
        return True
    # Invalid HTTP is answered with 400; an aborted request gets no answer.
    if not isinstance(error, HttpProcessingError | ConnectionError):
        crash.report(error)
    return False


REQUEST_LOG: Final = logging.getLogger(__name__)
"""The format of aiohttp's request log, for the runner of a server."""
REQUEST_LOG.addFilter(_is_logged)


_PING: Final = 5.0
"""Seconds between measurements of the lag."""
FAREWELL: Final = 2.0
"""The timeout in seconds for a client to receive the rest when its connection is closed."""
_MOST_UNSENT: Final = 256
"""The maximum number of messages queued for a slow client before it is closed; it may reconnect and catch up.

Whoever joins is sent the chat of both rooms at once, twice 50 lines.
"""
_BUFFER: Final = 1 << 16


class GoneError(Exception):
    """The client closed the connection."""


@lru_cache(maxsize=1)
def _encoded(message: ServerMessage) -> str:
    """Encode a message once for all that are sent it one after the other, as a room of spectators is."""
    return encode(message)


class Connection:
    """A WebSocket with an output queue; the lag is the minimum of the last measurements.

    Attributes:
        lag: seconds from a ping to its pong.
        over: set when the connection is to be closed.
    """

    def __init__(self, response: web.WebSocketResponse, now: Callable[[], float]) -> None:
        self.lag = 0.0
        self._socket = response
        self._now = now
        self._queue: deque[str] = deque()
        self._changed = asyncio.Event()
        self.over = asyncio.Event()
        self._lags: deque[float] = deque(maxlen=4)
        self._pinged: tuple[int, float] | None = None
        self._pings = 0
        self._tokens: float | None = None
        self._counted = now()

    # Receiving

    async def read(self) -> ClientMessage:
        """Return the next message.

        Raises:
            ProtocolError: it is none.
            GoneError: the connection is closed, or will be.
        """
        received = await self._socket.receive()
        if self.over.is_set():
            raise GoneError
        if received.type is WSMsgType.TEXT:
            return decode(received.data, FROM_CLIENT)
        if received.type is WSMsgType.BINARY:
            raise ProtocolError("messages are text, not binary")
        raise GoneError

    def count(self, limits: Limits) -> None:
        now = self._now()
        tokens = limits.burst if self._tokens is None else self._tokens + (now - self._counted) * limits.rate
        self._tokens, self._counted = min(limits.burst, tokens) - 1, now
        if self._tokens < 0:
            raise RefusedError("too-fast")

    def ponged(self, number: int) -> None:
        if self._pinged is not None and self._pinged[0] == number:
            first = not self._lags
            self._lags.append(self._now() - self._pinged[1])
            self.lag = min(self._lags)
            self._pinged = None
            if first:
                # So that the client knows the lag as well.
                self.ping()

    # Sending

    def send(self, message: ServerMessage) -> None:
        """Queue a message; a client that does not take them is closed."""
        if self.over.is_set():
            return
        if len(self._queue) >= _MOST_UNSENT:
            self._queue.clear()
            self.drop(RefusedError("too-slow").message("", fatal=True))
            return
        self._queue.append(_encoded(message))
        self._changed.set()

    def drop(self, refusal: Refused) -> None:
        if not self.over.is_set():
            self._queue.append(encode(refusal))
            self.end()

    def end(self) -> None:
        self.over.set()
        self._changed.set()

    async def write(self) -> None:
        try:
            await self._write()
        except ConnectionError:
            self.over.set()
        finally:
            with suppress(ConnectionError, TimeoutError):
                async with asyncio.timeout(FAREWELL):
                    await self._socket.close(code=WSCloseCode.OK)

    async def _write(self) -> None:
        while True:
            while self._queue:
                text = self._queue.popleft()
                await self._socket.send_str(text)
            if self.over.is_set():
                return
            self._changed.clear()
            try:
                async with asyncio.timeout(_PING):
                    await self._changed.wait()
            except TimeoutError:
                self.ping()

    def ping(self) -> None:
        """Measure the lag, and tell the client what it was."""
        self._pings += 1
        self._pinged = self._pings, self._now()
        self.send(Ping(self._pings, round(self.lag, 4)))


def limit_buffer(request: web.Request) -> None:
    """Limit the system's send buffer for a slow client, which would otherwise grow to megabytes each."""
    wire = request.transport.get_extra_info("socket") if request.transport is not None else None
    if wire is not None:
        with suppress(OSError):
            wire.setsockopt(SOL_SOCKET, SO_SNDBUF, _BUFFER)
