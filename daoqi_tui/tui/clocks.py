"""What changes by itself while nobody moves: the clocks, and how long a move has waited for the disk."""

from __future__ import annotations

from time import monotonic
from typing import Final

from textual.timer import Timer

from daoqi_tui.i18n import _
from daoqi_tui.paths import SLOW
from daoqi_tui.play.session import Session
from daoqi_tui.play.wording import describe_unsaved
from daoqi_tui.tui.feature import Feature
from daoqi_tui.tui.host import Host

_TICK: Final = 0.2
"""Seconds between updates of the clocks."""
_SHORT: Final = 10
"""The last seconds of a period, each of which rings the bell."""


class Clocks(Feature):
    """Shows running clocks and waiting moves, and rings in the last seconds."""

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self._timer: Timer | None = None
        self._disk_timer: Timer | None = None
        self._second = -1
        """The last shown second of the clock."""

    def begin(self, session: Session) -> None:
        """Switch to the clocks of another session, if it has any."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if session.clock is not None:
            self._timer = self.host.set_interval(_TICK, self.tick)

    def tick(self) -> None:
        """Check the running clock: a side whose time is up loses, and the last seconds ring the bell."""
        clock = self.match.session.clock
        if clock is None or clock.running is None:
            return
        self.match.tick()
        if clock.running is None:
            return
        self.host.show_game()
        second = int(clock.left(clock.running, monotonic()).seconds)
        if second < _SHORT and second != self._second:
            self.host.ring("time")
        self._second = second

    def watch_disk(self) -> None:
        """Show every second how long moves have been waiting for the disk, until they are on it."""
        keeper = self.match.keeper
        waits = keeper is not None and keeper.waited > 0
        if waits and self._disk_timer is None:
            self._disk_timer = self.host.set_interval(SLOW, self._show_waiting)
        elif not waits and self._disk_timer is not None:
            self._disk_timer.stop()
            self._disk_timer = None

    def _show_waiting(self) -> None:
        unsaved = describe_unsaved(self.match.keeper)
        if unsaved is not None and self.host.in_focus_mode:
            # The board that fills the window hides the mark.
            self.host.say(_("{mark}: {why}").format(mark=unsaved[0], why=unsaved[1]))
        self.host.show_game()
