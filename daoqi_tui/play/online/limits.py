"""The limits of a server: games, connections, wrong codes and messages."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

_MINUTE: Final = 60.0
_HOUR: Final = 60 * _MINUTE
DAY: Final = 24 * _HOUR
_REMEMBERED: Final = 10_000
"""The number of addresses whose wrong codes are remembered."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a server; the times of tables are here alone, in seconds, and in docs/online.md.

    Attributes:
        games: tables in use; the last quarter is for addresses that hold none.
        kept: adjourned tables.
        tables_per_address: unfinished tables in use at which an address holds a seat.
        tables_per_key: the same for the key of a seat, which a client may choose.
        opened: games opened from one address in a minute.
        opened_daily: the same, in a day.
        first_move: after so long a table without a move leaves the list, unless a player comes again.
        absent: after so long without any player, a table is adjourned: it leaves the list and the memory.
        forgotten: after so long without any player, one without a move, or whose game is over, is removed.
        archived: after so long without any player, one with a game in progress is removed; the library has the record.
        away: after so long, an absent player whose turn it is can be warned, in a game without a clock.
        warning: after so long, the opponent can claim the win if the warned player has not played on and is absent.
        spectators: of one game.
        connections: of spectators, of all games together.
        per_address: of spectators from one address.
        passing: connections that have not sent their first message, or are being closed.
        tries: wrong codes and keys from one address in a minute.
        burst: messages from one connection at once.
        rate: sustained messages per second from one connection.
        chat: chat lines from one address in ten seconds, in one game.
    """

    games: int = 200
    kept: int = 2000
    tables_per_address: int = 12
    tables_per_key: int = 12
    opened: int = 5
    opened_daily: int = 100
    first_move: float = 2 * _HOUR
    absent: float = 15 * _MINUTE
    forgotten: float = 7 * DAY
    archived: float = 90 * DAY
    away: float = 10 * _MINUTE
    warning: float = 1 * DAY
    spectators: int = 50
    connections: int = 1000
    per_address: int = 100
    passing: int = 100
    tries: int = 10
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

    def wait(self, address: str) -> float:
        """Return the seconds until another event from an address is allowed."""
        if self.allows(address):
            return 0.0
        return self._seconds - (self._now() - self._counted[address][-self._limit])

    def count(self, address: str) -> None:
        """Count an event."""
        self._counted.setdefault(address, deque()).append(self._now())
        self._counted.move_to_end(address)
        while len(self._counted) > _REMEMBERED:
            self._counted.popitem(last=False)
