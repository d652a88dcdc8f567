"""Game clocks: main time with byo-yomi periods or with an increment per move (Fischer).

A clock never reads the time itself: the caller passes ``now``, in seconds of any monotonic clock.
"""

import math
import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, NamedTuple

from daoqi_tui.engine.rules import BLACK, WHITE, Colour, Value
from daoqi_tui.message import Message

DAY: Final = 24 * 3600.0
LONGEST_TURN: Final = 14
"""The most days for a move."""
_CONTROL: Final = r"([0-9]{1,4})(?:\+([0-9]{1,4})|\+([0-9]{1,2})x([0-9]{1,4}))?"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TimeControl(Value):
    """The time settings of a game, in seconds.

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
            raise ValueError(Message("times cannot be negative"))
        if not all(number < math.inf for number in (self.main, self.periods, self.period, self.increment)):
            raise ValueError(Message("times must be finite numbers of seconds"))
        if self.main + self.periods * self.period <= 0:
            raise ValueError(Message("a clock needs some time to start with"))

    @property
    def days(self) -> int:
        """The days for each move of a correspondence game, whose deadlines are dates; 0 for any other game."""
        return int(self.period / DAY) if self.main == 0 and self.periods == 1 else 0


def parse_time_control(text: str) -> TimeControl:
    """Read minutes of main time, with an increment or byo-yomi: ``20``, ``20+5``, ``20+3x30``.

    Raises:
        ValueError: the text is not a time control.

    >>> parse_time_control("20+3x30")
    TimeControl(main=1200, periods=3, period=30, increment=0)
    """
    found = re.fullmatch(_CONTROL, text)
    try:
        if found is None:
            raise ValueError
        main, increment, periods, period = (int(each or 0) for each in found.groups())
        return TimeControl(main * 60, periods, period, increment)
    except ValueError:
        raise ValueError(
            Message(
                "{text} is not a clock: minutes such as 20, 20+5 with an increment, or 20+3x30 with byo-yomi",
                text=repr(text),
            )
        ) from None


def clock_text(time: TimeControl | None) -> str:
    """Return the text that :func:`parse_time_control` reads as a time control; empty if there is none.

    >>> clock_text(TimeControl(1200, 3, 30)), clock_text(TimeControl(90))
    ('20+3x30', '')
    """
    if time is None:
        return ""
    more = f"+{time.periods}x{time.period:g}" if time.periods else f"+{time.increment:g}" if time.increment else ""
    text = f"{time.main / 60:g}{more}"
    with suppress(ValueError):
        return text if parse_time_control(text) == time else ""
    return ""


def parse_clock(text: str) -> TimeControl:
    """Read a time control, or days for each move of a correspondence game: ``3d``.

    Raises:
        ValueError: the text is neither.

    >>> parse_clock("3d").days, parse_clock("20").days
    (3, 0)
    """
    found = re.fullmatch(r"([0-9]{1,2})d", text)
    if found is None:
        return parse_time_control(text)
    days = int(found[1])
    if not 1 <= days <= LONGEST_TURN:
        raise ValueError(Message("a move has 1 to {most} days, such as 3d", most=LONGEST_TURN))
    return TimeControl(0, 1, days * DAY)


class TimeLeft(NamedTuple):
    """The time a player has left: seconds of the main time or of the current period, and the periods."""

    seconds: float
    periods: int
    in_byoyomi: bool

    @property
    def is_out(self) -> bool:
        return self.seconds <= 0


class Press(NamedTuple):
    """What a move brought its player on the clock, in seconds.

    Attributes:
        colour: the player.
        gain: the increment, or what was spent of the period.
        had: what there was before; infinite if that is unknown.
        taken: what was taken of it while the move is undone, None while it is not.
    """

    colour: Colour
    gain: float
    had: float = math.inf
    taken: float | None = None


class Clock:
    """The clocks of both players under one time control."""

    def __init__(self, control: TimeControl) -> None:
        self.control: Final = control
        start = _started(control, TimeLeft(control.main, control.periods, in_byoyomi=False))
        self._left = {BLACK: start, WHITE: start}
        self.running: Colour | None = None
        """The player whose time is running, None while the clock is stopped."""
        self._since = 0.0
        self.turn_began = 0.0
        """When the turn of a correspondence game began, in seconds of the epoch; 0 if that is unknown."""

    def start(self, colour: Colour, now: float) -> None:
        self.stop(now)
        self.running, self._since = colour, now

    def stop(self, now: float) -> None:
        if self.running is not None:
            self._left[self.running] = self.left(self.running, now)
        self.running = None

    def press(self, now: float) -> Press | None:
        """Complete the running player's move: reset the period, add the increment; expired time stays expired."""
        colour = self.running
        if colour is None:
            return None
        self.stop(now)
        left = self._left[colour]
        if left.is_out:
            return None
        seconds = self.control.period if left.in_byoyomi else left.seconds + self.control.increment
        self._left[colour] = left._replace(seconds=seconds)
        return Press(colour, seconds - left.seconds, left.seconds)

    def settle(self, press: Press, now: float) -> Press:
        """Take away what an undone move brought, or give back what was taken for it when it is redone.

        Nobody runs out of time by an undo: it leaves what there was before the move, or if that is less, what is left
        now or what the move brought.
        """
        colour, left = press.colour, self.left(press.colour, now)
        if press.taken is None:
            seconds = max(left.seconds - press.gain, min(left.seconds, press.had, press.gain))
            taken = left.seconds - seconds
        else:
            seconds, taken = left.seconds + press.taken, None
        if not left.is_out:
            most = self.control.period if left.in_byoyomi else math.inf
            self._left[colour] = left._replace(seconds=min(seconds, most))
            self._since = now if colour == self.running else self._since
        return press._replace(taken=taken)

    def give_back(self, seconds: float, now: float) -> None:
        """Give the running player back up to ``seconds`` of the time spent since the clock was started."""
        if self.running is not None:
            self._since = min(now, self._since + seconds)

    def set_left(self, black: TimeLeft, white: TimeLeft) -> None:
        """Set the time both players have left, as when a game is resumed; this stops the clock."""
        self.running = None
        self._left = {BLACK: black, WHITE: white}

    def begin_turn(self, at: float, now: float) -> None:
        """Begin a turn of a correspondence game, at a time in seconds of the epoch; both sides have all of theirs.

        The deadline is a date, which a server keeps: no time is spent on this clock.
        """
        running, full = self.running, TimeLeft(self.control.period, self.control.periods, in_byoyomi=True)
        self.turn_began = at
        self.set_left(full, full)
        if running is not None:
            self.start(running, now)

    def left(self, colour: Colour, now: float) -> TimeLeft:
        """Return the time a player has left at ``now``."""
        left = self._left[colour]
        if colour != self.running:
            return left
        spent = max(0.0, now - self._since)
        return _started(self.control, TimeLeft(left.seconds - spent, left.periods, left.in_byoyomi))

    def out_of_time(self, now: float) -> Colour | None:
        """Return the running player if their time is up."""
        return self.running if self.running is not None and self.left(self.running, now).is_out else None


def _started(control: TimeControl, left: TimeLeft) -> TimeLeft:
    """Return ``left`` after entering byo-yomi and using up periods for the overdrawn time."""
    if left.seconds > 0:
        return left
    unused = left.periods - left.in_byoyomi
    # Not one period at a time: a journal may contain any number of periods of any length.
    ended, spent = divmod(-left.seconds, control.period) if control.period else (unused, 0.0)
    if ended < unused:
        return TimeLeft(control.period - spent, unused - int(ended), in_byoyomi=True)
    return TimeLeft(0.0, 0, left.in_byoyomi or left.periods > 0)
