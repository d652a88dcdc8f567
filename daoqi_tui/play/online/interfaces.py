"""The addresses of this computer in its networks."""

from __future__ import annotations

import ipaddress
import socket
import struct
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

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
