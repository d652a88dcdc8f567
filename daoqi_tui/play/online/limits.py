"""The limits of a server: games, connections, wrong codes and messages; and how long each table is kept under them.

:class:`Tables` is a state machine without clocks, files and connections. A table is *in use* (in memory) until no
player has been there for a while, or until it gives way when the server is full; then it is *adjourned*: only its
folder is left, and its players' keys bring it back. Later it is *archived*: its games go into the library, and folder
and keys are gone.

What holds at any time, whatever others do:

- A table at which both players are present is neither adjourned nor archived.
- An address that holds no table in use can open one, unless every table in use has a player present.
- At most :attr:`Limits.games` tables are in use, apart from those that players have come back to, each with a
  connection of its own; at most :attr:`Limits.kept` are adjourned.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from itertools import islice
from math import inf
from typing import Final, Literal, NamedTuple, TypeAlias, TypeVar

T = TypeVar("T")

_MINUTE: Final = 60.0
_HOUR: Final = 60 * _MINUTE
DAY: Final = 24 * _HOUR
_REMEMBERED: Final = 10_000
_AT_A_LOOK: Final = 100


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
        accounts_daily: accounts made from one address in a day.
        lookups: requests for ratings and records from one address in a minute.
        reports_daily: reports of a player in a day.
        notices: lines that are posted to the webhook of an account in an hour.
        rated_daily: rated games of an account in a day.
        first_move: after so long a table without a move leaves the list, unless a player comes again.
        offered: for so long a correspondence game to which anybody may sit down stays on the list, without its host.
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
    accounts_daily: int = 5
    lookups: int = 120
    reports_daily: int = 5
    notices: int = 30
    rated_daily: int = 50
    first_move: float = 2 * _HOUR
    offered: float = 3 * DAY
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
        counted = self._counted.get(address)
        while counted and self._now() - counted[0] > self._seconds:
            counted.popleft()
        return counted is None or len(counted) < self._limit

    def wait(self, address: str) -> float:
        if self.allows(address):
            return 0.0
        return self._seconds - (self._now() - self._counted[address][-self._limit])

    def count(self, address: str) -> None:
        self._counted.setdefault(address, deque()).append(self._now())
        self._counted.move_to_end(address)
        while len(self._counted) > _REMEMBERED:
            self._counted.popitem(last=False)


class LookTurns:
    """Which of many things are looked at next: at most about 100, so that no look takes long, and all in turn."""

    def __init__(self) -> None:
        self._looks = 0

    def some(self, among: Collection[T]) -> Iterator[T]:
        self._looks += 1
        steps = 1 + len(among) // _AT_A_LOOK
        return islice(among, self._looks % steps, None, steps)


Step: TypeAlias = Literal["adjourn", "archive"]


class Sight(NamedTuple):
    """What is seen of a table in use.

    Attributes:
        players: how many of its two players are present.
        begun: whether a move has been made.
        over: whether the game is over.
        timed: whether a clock is running.
        keys: the digests of the keys of its seats, empty for a free one.
        offered: whether anybody may sit down to a correspondence game.
    """

    players: int = 0
    begun: bool = False
    over: bool = False
    timed: bool = False
    keys: tuple[str, ...] = ()
    offered: bool = False


@dataclass(slots=True)
class TableLife:
    """One table.

    Attributes:
        seen: what was seen of it last.
        addresses: those from which its seats were taken, empty for unknown ones and this computer.
        in_use: whether it is in memory.
        arrived: when it was opened, or a player last came; ``-inf`` if that was before this start of the server.
        left: when a player was last there, in seconds of the calendar.
        idle: since when nobody needs it in memory.
    """

    seen: Sight
    addresses: tuple[str, str]
    in_use: bool
    arrived: float
    left: float
    idle: float

    @property
    def unfinished(self) -> bool:
        """True if it has a game in progress, whose keys are worth more than those of any other table."""
        return self.seen.begun and not self.seen.over


class Tables:
    """All tables of a server; times are seconds of a calendar that does not jump.

    Args:
        limits: of the server.

    Attributes:
        lives: the tables by name.
    """

    def __init__(self, limits: Limits) -> None:
        self.lives: Final[dict[str, TableLife]] = {}
        self._limits: Final = limits

    # What happens

    def add(
        self, name: str, now: float, address: str = "", *, left: float | None = None, seen: Sight | None = None
    ) -> None:
        """Add a table that was opened from an address; with ``left``, one from an earlier start of the server."""
        last = now if left is None else min(left, now)
        arrived = now if left is None else -inf
        self.lives[name] = TableLife(seen or Sight(), (address, ""), left is None, arrived, last, now)

    def sit(self, name: str, seat: int, address: str, now: float) -> None:
        """Note that a player has come to a seat from an address."""
        life = self.lives[name]
        before = life.addresses
        life.addresses = (address, before[1]) if seat == 0 else (before[0], address)
        life.arrived = now

    def see(self, name: str, seen: Sight, now: float) -> None:
        life = self.lives[name]
        life.seen = seen
        if seen.players:
            life.left = life.idle = now

    def wake(self, name: str, now: float) -> None:
        """Note that an adjourned table is in use again."""
        life = self.lives[name]
        life.in_use, life.idle = True, now

    def adjourn(self, name: str) -> None:
        life = self.lives[name]
        life.in_use, life.seen = False, life.seen._replace(players=0)

    def remove(self, name: str) -> None:
        self.lives.pop(name, None)

    # What follows

    def is_listed(self, name: str, now: float) -> bool:
        """Return whether a table is on the list: a player was there lately, and it did not wait long for a move."""
        life = self.lives.get(name)
        if life is None or not life.in_use:
            return False
        begins = life.unfinished or life.seen.over or now - life.arrived <= self._limits.first_move
        return self._is_offered(life, now) or (begins and now - life.left <= self._limits.absent)

    def _is_offered(self, life: TableLife, now: float) -> bool:
        return life.seen.offered and now - life.left <= self._limits.offered

    def is_outdated(self, name: str, now: float) -> bool:
        life = self.lives[name]
        return now - life.left > (self._limits.archived if life.unfinished else self._limits.forgotten)

    def due(self, now: float) -> Iterator[tuple[str, Step]]:
        """Return the tables to adjourn or to archive now."""
        adjourned: list[str] = []
        for name, life in self.lives.items():
            if life.in_use:
                # A running clock ends the game by itself.
                needed = life.seen.players or life.seen.timed or self._is_offered(life, now)
                if not needed and now - life.idle > self._limits.absent:
                    yield name, "adjourn"
            elif self.is_outdated(name, now):
                yield name, "archive"
            else:
                adjourned.append(name)
        surplus = len(adjourned) - self._limits.kept
        if surplus > 0:
            held = self._held(in_use=False)
            yield from (
                (name, "archive") for name in sorted(adjourned, key=lambda name: self._rank(name, held))[:surplus]
            )

    def refuses(self, address: str, key: str = "", *, at: str = "") -> bool:
        """Return whether an address, or the digest of a key, holds as many unfinished tables in use as it may.

        The one that it wants to sit down ``at`` does not count.
        """
        in_use = [life for name, life in self.lives.items() if life.in_use and not life.seen.over and name != at]
        if address and sum(address in life.addresses for life in in_use) >= self._limits.tables_per_address:
            return True
        return bool(key) and sum(key in life.seen.keys for life in in_use) >= self._limits.tables_per_key

    def has_room(self, address: str) -> bool:
        """Return whether one more table can be in use; the last quarter is for addresses that hold none."""
        holds = bool(address) and any(address in life.addresses for life in self.lives.values() if life.in_use)
        games = self._limits.games
        return sum(life.in_use for life in self.lives.values()) < games - (games // 4 if holds else 0)

    def giving_way(self) -> str | None:
        """Return the table that gives way where there is no room: nobody is there, and its address holds the most.

        One without a move comes before one with a game in progress, and that before one with a running clock, which
        then waits for its players as after a restart of the server.
        """
        absent = [name for name, life in self.lives.items() if life.in_use and not life.seen.players]
        held = self._held(in_use=True)
        return min(absent, key=lambda name: self._rank(name, held), default=None)

    def _held(self, *, in_use: bool) -> Counter[str]:
        lives = (life for life in self.lives.values() if life.in_use == in_use)
        return Counter(address for life in lives for address in set(life.addresses) if address)

    def _rank(self, name: str, held: Counter[str]) -> tuple[bool, bool, int, float]:
        """Return the order in which a table gives way, given how many tables each address holds."""
        life = self.lives[name]
        most = max(held[address] for address in life.addresses)
        return life.unfinished, life.seen.timed, -most, life.left
