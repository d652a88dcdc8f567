"""Addresses of visitors, of a server and of this computer: trusted proxies, and the checks of Host and Origin."""

from __future__ import annotations

import ipaddress
import re
import socket
import struct
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias
from urllib.parse import urlsplit

from aiohttp import web

from daoqi_tui.i18n import _

Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network
_Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

LOOPBACK: Final[tuple[Network, ...]] = (ipaddress.IPv4Network("127.0.0.0/8"), ipaddress.IPv6Network("::1/128"))
"""The addresses from which a proxy on this computer connects."""
_PORTS: Final = {"http": 80, "https": 443}
_SCHEMES: Final = {"ws": "http", "wss": "https"}


@dataclass(frozen=True, slots=True)
class Site:
    """The names under which a server is reached, and the proxies between it and its visitors.

    Attributes:
        public: the URLs under which others reach it, besides its IP addresses and the names of this computer.
        proxies: the networks of proxies whose ``X-Forwarded-For`` is believed; if empty, those of this computer where
            there is a public URL, and otherwise none.
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
        """Return whether a request has this server's origin, or none."""
        origins = request.headers.getall("Origin", [])
        own = {_origin_of(url) for url in (f"{request.scheme}://{request.host}", *self.public)} - {None}
        return all(_origin_of(origin) in own for origin in origins)

    def visitor(self, request: web.Request) -> str:
        """Return the address that a request counts for: the one that trusted proxies forward, if any."""
        trusted = self.proxies or (LOOPBACK if self.public else ())
        address = request.remote or ""
        forwarded = [part for line in request.headers.getall("X-Forwarded-For", []) for part in line.split(",")]
        # Each proxy appends the address it sees, so the last ones are from our own.
        while forwarded and _is_in(address, trusted):
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
    """Yield the addresses from which something would be sent to other networks."""
    for family, other in _PROBES:
        with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((other, 9))
            yield str(probe.getsockname()[0])


def _of_interfaces() -> Iterator[str]:
    """Yield the addresses of the interfaces that are connected."""
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
    """Yield the addresses of this computer's name."""
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
