"""Sends the events of a match to its subscribers, in order, and changes only once the journal has them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple

from daoqi_tui.play.background import Spawn
from daoqi_tui.play.events import Change, Event

if TYPE_CHECKING:
    from daoqi_tui.record.journal.journal import Ticket

_PATIENCE: Final = 1.0
"""Seconds after which a change is announced even though it is not on disk yet; faces then mark it as not yet saved."""


class _Untold(NamedTuple):
    """An event that waits for the disk, until a deadline by the event loop's clock."""

    event: Event
    ticket: Ticket | None
    deadline: float


class Announcer:
    """Sends events to all subscribers.

    Args:
        spawn: runs a coroutine function in the background; without it, :meth:`tell_when_written` blocks until the
            change is on disk.
    """

    def __init__(self, spawn: Spawn | None) -> None:
        self._spawn = spawn
        self._subscribers: list[Callable[[Event], object]] = []
        self._untold: list[_Untold] = []

    def subscribe(self, hear: Callable[[Event], object]) -> None:
        """Call ``hear`` with all events from now on."""
        self._subscribers.append(hear)

    @property
    def waits(self) -> bool:
        """True if a change of the game is still to be announced."""
        return any(isinstance(untold.event, Change) for untold in self._untold)

    def clear(self) -> None:
        """Drop pending events, since another session begins."""
        self._untold.clear()

    def tell(self, event: Event) -> None:
        """Send an event immediately."""
        for hear in tuple(self._subscribers):
            hear(event)

    def tell_when_written(self, event: Event, ticket: Ticket | None) -> None:
        """Send an event once it is on disk, or once writing has failed or takes too long."""
        if self._spawn is None and ticket is not None:
            ticket.wait(_PATIENCE)
        elif self._untold or not (ticket is None or ticket.done):
            first = not self._untold
            self._untold.append(_Untold(event, ticket, asyncio.get_running_loop().time() + _PATIENCE))
            if first and self._spawn is not None:
                self._spawn(self._tell_untold)
            return
        self.tell(event)

    async def _tell_untold(self) -> None:
        while self._untold:
            event, ticket, deadline = self._untold[0]
            if ticket is not None:
                with suppress(TimeoutError):
                    async with asyncio.timeout_at(deadline):
                        await ticket
            # Another session may have begun meanwhile.
            if self._untold and self._untold[0].event is event:
                del self._untold[0]
                self.tell(event)
