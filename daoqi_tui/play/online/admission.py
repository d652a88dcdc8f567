"""Room for connections: those that hold a seat always have it, all others share a limited number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from typing import Final, Protocol, TypeAlias, TypeVar

from daoqi_tui.play.online.limits import Limits
from daoqi_tui.play.online.referee import RefusedError

Place: TypeAlias = tuple[str, int]
"""A game and a seat at it."""


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
    """

    def __init__(self, address: str, abort: Callable[[], object]) -> None:
        self.address: Final = address
        self.abort: Final = abort


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
        """Add a connection that holds nothing yet, or nothing any more."""
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
        """Forget a connection."""
        self._passing.pop(visit, None)
        self._watching.pop(visit, None)
        for place in [place for place, seated in self._seated.items() if seated is visit]:
            del self._seated[place]
