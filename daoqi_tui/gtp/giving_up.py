"""What players answer, made on the board: a move, or giving up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from daoqi_tui.engine import PASS, Colour, Game, Node

if TYPE_CHECKING:
    from daoqi_tui.ai.protocol import Answer

RESIGN: Final = -3
"""Stands for resignation where the move of an :class:`~daoqi_tui.ai.protocol.Answer` is neither point nor pass."""
HOPELESS_MOVES: Final = 3
"""A player resigns when it has had no hope for so many of its moves in a row."""


class GivingUp:
    """Counts the moves in a row at which each player had no hope; what was taken back does not count."""

    def __init__(self) -> None:
        self._hopeless: dict[Colour, tuple[int, Node]] = {}

    def clear(self) -> None:
        """Begin anew: a new game, or other players."""
        self._hopeless.clear()

    def now(self, game: Game, colour: Colour, answer: Answer) -> bool:
        """Whether a player should resign rather than make the move of its answer."""
        count, where = self._hopeless.get(colour, (0, game.root))
        before = game.node.parent
        # Its last move was made two moves ago, or one where a controller has a player move twice.
        follows = before is not None and where in (before, before.parent)
        count = (count if follows else 0) + 1 if answer.hopeless else 0
        self._hopeless[colour] = count, game.node
        # Where its pass ends the game, the count says all.
        ends = answer.move == PASS and game.node.passes_in_row == 1
        return count >= HOPELESS_MOVES and not ends


def make(game: Game, answer: Answer, giving_up: GivingUp | None) -> None:
    """Play, pass or resign for the side to move.

    Args:
        game: where.
        answer: what its player says.
        giving_up: when to resign; None makes every move.

    Raises:
        IllegalMove: nothing was done.
    """
    hopeless = giving_up is not None and giving_up.now(game, game.to_move, answer)
    if hopeless or answer.move == RESIGN:
        game.resign()
        if giving_up is not None:
            # Play may be resumed.
            giving_up.clear()
    elif answer.move == PASS:
        game.pass_turn()
    else:
        game.play(answer.move)
