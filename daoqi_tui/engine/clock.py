"""Game clocks: main time with byo-yomi periods or with an increment a move (Fischer).

A clock never asks what time it is: the caller passes ``now``, in seconds of any steady clock.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from daoqi_tui.engine.colour import BLACK, WHITE, Colour


@dataclass(frozen=True, slots=True)
class TimeControl:
    """How much time a player has, in seconds.

    Attributes:
        main: time for the whole game.
        periods: byo-yomi periods after the main time; one is lost each time it runs out within a move.
        period: length of a period.
        increment: time added after each move.
    """

    main: float
    periods: int = 0
    period: float = 0
    increment: float = 0

    def __post_init__(self) -> None:
        if min(self.main, self.periods, self.period, self.increment) < 0:
            raise ValueError("times cannot be negative")
        if self.main + self.periods * self.period <= 0:
            raise ValueError("a clock needs some time to start with")


class TimeLeft(NamedTuple):
    """What a player has left: seconds of the main time or of the current period, and how many periods."""

    seconds: float
    periods: int
    in_byoyomi: bool

    @property
    def is_out(self) -> bool:
        """Whether the time has run out."""
        return self.seconds <= 0


class Clock:
    """Two players' time under one control."""

    def __init__(self, control: TimeControl) -> None:
        self.control: Final = control
        start = _started(control, TimeLeft(control.main, control.periods, in_byoyomi=False))
        self._left = {BLACK: start, WHITE: start}
        self._running: Colour | None = None
        self._since = 0.0

    @property
    def running(self) -> Colour | None:
        """The player whose time runs, None while the clock stands."""
        return self._running

    def start(self, colour: Colour, now: float) -> None:
        """Let the time of one player run."""
        self.stop(now)
        self._running, self._since = colour, now

    def stop(self, now: float) -> None:
        """Stand still, as when the game is over or waits."""
        if self._running is not None:
            self._left[self._running] = self.left(self._running, now)
        self._running = None

    def press(self, now: float) -> None:
        """Count a move of the player whose time runs: periods start anew, the increment is added."""
        colour = self._running
        if colour is None:
            return
        self.stop(now)
        left = self._left[colour]
        if left.in_byoyomi:
            left = TimeLeft(self.control.period, left.periods, in_byoyomi=True)
        elif not left.is_out:
            left = TimeLeft(left.seconds + self.control.increment, left.periods, in_byoyomi=False)
        self._left[colour] = left

    def set_left(self, black: TimeLeft, white: TimeLeft) -> None:
        """Set what both players have left, as when a game is taken up again; the clock stands still then."""
        self._running = None
        self._left = {BLACK: black, WHITE: white}

    def left(self, colour: Colour, now: float) -> TimeLeft:
        """What a player has left at ``now``."""
        left = self._left[colour]
        if colour != self._running:
            return left
        spent = max(0.0, now - self._since)
        return _started(self.control, TimeLeft(left.seconds - spent, left.periods, left.in_byoyomi))


def _started(control: TimeControl, left: TimeLeft) -> TimeLeft:
    """Go on into byo-yomi, and from period to period, for as long as time is overdrawn."""
    while left.seconds <= 0:
        if not left.in_byoyomi and left.periods:
            left = TimeLeft(left.seconds + control.period, left.periods, in_byoyomi=True)
        elif left.in_byoyomi and left.periods > 1:
            left = TimeLeft(left.seconds + control.period, left.periods - 1, in_byoyomi=True)
        else:
            return TimeLeft(0.0, 0, left.in_byoyomi)
    return left
