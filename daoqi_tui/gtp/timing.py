"""How long to think about a move, by the clock the controller keeps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from daoqi_tui.engine import Colour

_LAG: Final = 0.1
"""Seconds kept back a move for whatever lies between the clock and us."""
_FILLED: Final = 0.7
"""The share of the points that have been played on when a game ends."""
_LEAST_LEFT: Final = 15
"""Own moves that main time must last for, however late in the game."""


@dataclass(frozen=True, slots=True)
class TimeSettings:
    """A time system, in seconds.

    Attributes:
        system: ``none`` is no limit; ``canadian`` gives ``period`` for each ``stones`` moves after the main time,
            ``byoyomi`` for each move, with ``stones`` periods.
        main: main time.
        period: of the overtime.
        stones: moves or periods of it.
    """

    system: Literal["none", "absolute", "canadian", "byoyomi"] = "none"
    main: float = 0
    period: float = 0
    stones: int = 0


@dataclass(frozen=True, slots=True)
class _Left:
    seconds: float
    stones: int
    """Of the overtime; 0 in the main time."""


class Timing:
    """The clock of both players, as far as the controller tells it."""

    def __init__(self) -> None:
        self._settings = TimeSettings()
        self._left: dict[Colour, _Left] = {}

    def set(self, settings: TimeSettings) -> None:
        """Begin anew under other settings."""
        self._settings = settings
        self._left.clear()

    def tell(self, colour: Colour, seconds: float, stones: int) -> None:
        """Take in what a player has left: main time when ``stones`` is 0, else overtime for so many moves."""
        self._left[colour] = _Left(seconds, stones)

    def spend(self, colour: Colour, seconds: float) -> None:
        """Count the time a move took, for controllers that never tell what is left."""
        left = self._left.get(colour, _Left(self._settings.main, 0))
        if left.stones == 0:
            self._left[colour] = _Left(max(0.0, left.seconds - seconds), 0)

    def budget(self, colour: Colour, points: int, played: int) -> float | None:
        """Seconds to think about the next move, None where there is no limit.

        Args:
            colour: whose move it is.
            points: of the board.
            played: moves of both players so far.
        """
        settings = self._settings
        if settings.system == "none" and colour not in self._left:
            return None
        left = self._left.get(colour, _Left(settings.main, 0))
        if left.stones:
            moves = 1 if settings.system == "byoyomi" else left.stones
            return _without_lag(left.seconds / moves)
        over = 0.0
        if settings.system == "byoyomi":
            over = settings.period
        elif settings.system == "canadian" and settings.stones:
            over = settings.period / settings.stones
        moves = max(_LEAST_LEFT, round((_FILLED * points - played) / 2))
        # Before the overtime begins, one move may use what is left of the main time and its part of the overtime.
        return _without_lag(max(left.seconds / moves, min(left.seconds, over) if over else 0.0, over * 0.9))


def _without_lag(seconds: float) -> float:
    return max(0.02, seconds - _LAG, seconds * 0.5)
