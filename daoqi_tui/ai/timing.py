"""How a player divides the main time of its clock among its moves."""

from __future__ import annotations

from typing import Final

FILLED: Final = 0.7
"""The share of the points that have been played on when a game ends."""
LEAST_LEFT: Final = 15
"""Own moves that main time must last for, however late in the game."""
UNDECIDED: Final = 0.5
"""How much more than its share of the main time a move may take, as a share of it, while its search is undecided."""


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
        moves: it must last for.
    """
    return UNDECIDED * left / moves
