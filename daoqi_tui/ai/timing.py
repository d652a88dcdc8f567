"""Time management: divides the main time of a player's clock among its moves."""

from __future__ import annotations

from typing import Final

FILLED: Final = 0.7
"""The share of the points that are played on by the end of a game."""
LEAST_LEFT: Final = 15
"""The minimum number of own moves that main time must last for, however late in the game."""
UNDECIDED: Final = 0.5
"""The additional time for a move while its search is undecided, as a fraction of its share of the main time."""


def moves_left(points: int, played: int) -> int:
    """Return the own moves that main time must last for.

    Args:
        points: of the board.
        played: moves of both players so far.
    """
    return max(LEAST_LEFT, round((FILLED * points - played) / 2))


def extra_time(left: float, moves: int) -> float:
    """Return the seconds that an undecided move may take beyond its share of the main time.

    Args:
        left: seconds of the main time.
        moves: the number of moves it must last for.
    """
    return UNDECIDED * left / moves
