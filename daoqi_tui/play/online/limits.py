"""The limits of a server: games, connections, wrong codes and messages."""

from __future__ import annotations

import math
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

_MINUTE: Final = 60.0
_REMEMBERED: Final = 10_000
"""The number of addresses whose wrong codes are remembered."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a server.

    Attributes:
        games: tables.
        spectators: of one game.
        connections: all together.
        per_address: connections from one address.
        tries: wrong codes and keys from one address in a minute.
        opened: games opened from one address in a minute.
        unattended: seconds after which a game that waits for its guest, or is over, is removed if nobody is present.
        burst: messages from one connection at once.
        rate: sustained messages per second from one connection.
        chat: chat lines from one address in ten seconds, in one game.
    """

    games: int = 200
    spectators: int = 50
    connections: int = 1000
    per_address: int = 100
    tries: int = 10
    opened: int = 5
    unattended: float = math.inf
    burst: int = 40
    rate: float = 10.0
    chat: int = 10


class Rate:
    """A rate limiter: counts events from each address, of which a number is allowed in ``seconds``."""

    def __init__(self, limit: int, now: Callable[[], float], seconds: float = _MINUTE) -> None:
        self._limit = limit
        self._now = now
        self._seconds = seconds
        self._counted: OrderedDict[str, deque[float]] = OrderedDict()

    def allows(self, address: str) -> bool:
        """Return whether another event from an address is allowed."""
        counted = self._counted.get(address)
        while counted and self._now() - counted[0] > self._seconds:
            counted.popleft()
        return counted is None or len(counted) < self._limit

    def count(self, address: str) -> None:
        """Count an event."""
        self._counted.setdefault(address, deque()).append(self._now())
        self._counted.move_to_end(address)
        while len(self._counted) > _REMEMBERED:
            self._counted.popitem(last=False)
