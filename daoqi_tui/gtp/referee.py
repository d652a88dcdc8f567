"""One game between two players under the rules of the torus: the referee alone knows what is legal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from daoqi_tui.ai.player import PlayerError
from daoqi_tui.ai.protocol import Position
from daoqi_tui.engine import BLACK, Colour, Game, IllegalMove, Resignation, opponent, points_text
from daoqi_tui.gtp.giving_up import GivingUp, make
from daoqi_tui.gtp.thinker import Thinker

End: TypeAlias = Literal["passes", "resignation", "forfeit", "length"]

_LONGEST: Final = 3
"""Moves for each point of the board, after which a game is counted as it stands."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game went.

    Attributes:
        winner: the colour.
        result: as records have it, ``B+F`` for a forfeit.
        end: two passes, a resignation, a forfeit, or the limit of its length.
        reason: of a forfeit, one sentence; else empty.
    """

    winner: Colour
    result: str
    end: End
    reason: str = ""


def longest(size: int) -> int:
    """How many moves a game on a board may take."""
    return _LONGEST * size * size


async def referee(
    game: Game,
    players: Mapping[Colour, Thinker],
    seconds: float | None = None,
    limit: int | None = None,
    on_move: Callable[[Game], None] = lambda _: None,
) -> Outcome:
    """Play ``game`` on to its end.

    Args:
        game: the game, on as yet; it keeps the moves.
        players: who plays which colour.
        seconds: time for each move, None for what the players see fit.
        limit: the game is counted as it stands after so many moves, :func:`longest` by default.
        on_move: called after every move.
    """
    most = longest(game.torus.size) if limit is None else limit
    giving_up = GivingUp()
    while not game.is_over:
        if game.node.number >= most:
            return _counted(game, "length")
        colour = game.to_move
        try:
            answer = await players[colour].think(Position.of(game), seconds=seconds)
            make(game, answer, giving_up)
        except PlayerError as error:
            return _forfeit(colour, str(error))
        except IllegalMove as error:
            return _forfeit(colour, f"the move {game.torus.name(answer.move)} is illegal: {error}")
        if isinstance(game.ending, Resignation):
            return Outcome(opponent(colour), str(game.result), "resignation")
        on_move(game)
    return _counted(game, "passes")


def _counted(game: Game, end: End) -> Outcome:
    count = game.area()
    letter = "B" if count.winner == BLACK else "W"
    return Outcome(count.winner, f"{letter}+{points_text(abs(count.margin))}", end)


def _forfeit(loser: Colour, reason: str) -> Outcome:
    return Outcome(opponent(loser), "W+F" if loser == BLACK else "B+F", "forfeit", reason)
