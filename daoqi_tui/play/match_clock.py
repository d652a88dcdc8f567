"""The clock of a match: it runs at the front of the game, whichever node is viewed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from daoqi_tui.engine import Colour, Node
from daoqi_tui.play.session import Session

if TYPE_CHECKING:
    from daoqi_tui.engine.clock import TimeLeft

_KEPT: Final = 5.0
"""Seconds between readings of the clock in the journal, while nobody moves."""


class MatchClock:
    """Starts, stops and reads the clock of a session; does nothing if the session has none.

    As on a server it runs at the front of the game: if it stopped while earlier moves are viewed, a player could think
    for free by going back one move.

    Args:
        session: the game with its clock, which a session may lose.
        now: returns the time for the clock, in seconds of a monotonic clock.
    """

    def __init__(self, session: Session, now: Callable[[], float]) -> None:
        self._session = session
        self._now = now
        self._kept = 0.0

    @property
    def increment(self) -> float:
        """The seconds that a move adds."""
        clock = self._session.clock
        return clock.control.increment if clock is not None else 0.0

    @property
    def period(self) -> float:
        """The seconds of a byo-yomi period."""
        clock = self._session.clock
        return clock.control.period if clock is not None else 0.0

    def left(self, colour: Colour) -> TimeLeft | None:
        """Return the time a side has left; None without a clock."""
        clock = self._session.clock
        return clock.left(colour, self._now()) if clock is not None else None

    def run(self, front: Node, *, stands: bool) -> None:
        """Run for the side to move at the front of the game; after the end, or where it ``stands``, stop."""
        clock = self._session.clock
        if clock is None:
            return
        if stands or front.is_over:
            clock.stop(self._now())
        elif clock.running != front.to_move:
            clock.start(front.to_move, self._now())

    def press(self) -> None:
        """End the turn of the side whose time is running."""
        clock = self._session.clock
        if clock is not None:
            clock.press(self._now())

    def out_of_time(self) -> Colour | None:
        """Return the side whose time is up; None while there is none."""
        clock = self._session.clock
        if clock is None or clock.running is None:
            return None
        return clock.running if clock.left(clock.running, self._now()).is_out else None

    def reading_is_due(self) -> bool:
        """Return whether the journal needs another reading: every few seconds while the clock is running."""
        clock, now = self._session.clock, self._now()
        due = clock is not None and clock.running is not None and now - self._kept > _KEPT
        if due:
            self._kept = now
        return due
