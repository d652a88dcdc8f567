"""Analyses positions with our own player or a GTP engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from daoqi_tui.ai.protocol import Answer, Position, Progress, Restriction
from daoqi_tui.engine import BLACK, Game, Node, TwoPasses
from daoqi_tui.play.evaluation import Evaluation, engine_id_of, source_of
from daoqi_tui.play.players import PlayerTable

MOVES_SHOWN: Final = 10
"""The number of moves that an analysis lists."""


class Budget(NamedTuple):
    """Limits of the analysis of one position; the first one reached ends it.

    Attributes:
        visits: evaluations, including those of a reused tree.
        seconds: since the request.
    """

    visits: int
    seconds: float


HINT: Final = Budget(100_000, 5.0)
"""For a hint; asking again continues the search."""
OPENING: Final = Budget(400, 5.0)
"""For a position of the opening browser."""
REVIEW_NETWORK: Final = Budget(60, 2.0)
"""For a position of a review; the tree is reused from move to move, so the next position starts with some visits."""
REVIEW_PLAYOUTS: Final = Budget(400, 2.0)
"""The same with playouts, each of which says less than a network evaluation."""


def review_budget(players: PlayerTable) -> Budget:
    """Return the budget for a position of a review."""
    return REVIEW_PLAYOUTS if players.by_playouts else REVIEW_NETWORK


async def analyse(
    players: PlayerTable,
    game: Game,
    node: Node,
    budget: Budget,
    tell: Callable[[Evaluation], None] = lambda _: None,
    *,
    restrictions: Sequence[Restriction] = (),
) -> Evaluation | None:
    """Search a position until the budget is used up; cancelling the task stops the search and keeps its tree.

    Args:
        players: whose analyst is asked.
        game: the game.
        node: the position; the game must not be over there.
        budget: the limits.
        tell: called a few times a second with the current evaluation.
        restrictions: moves to avoid or allow.

    Returns:
        The evaluation, None after too few playouts.

    Raises:
        PlayerError: there is no answer.
    """
    mover = node.to_move
    player, engine = players.analyst
    command, network = players.analyst_command, players.network

    def found_in(found: Progress | Answer) -> Evaluation | None:
        return Evaluation.of(found, mover, engine, command=command, network=network)

    def hear(progress: Progress) -> None:
        if (found := found_in(progress)) is not None:
            tell(found)

    answer = await player.think(
        Position.of(game, node),
        seconds=budget.seconds,
        playouts=budget.visits,
        analyse=True,
        on_progress=hear,
        shown=MOVES_SHOWN,
        restrictions=restrictions,
    )
    if engine:
        # Only a running engine has told its name.
        engine = players.analyst[1]
    return found_in(answer)


def is_of_analyst(players: PlayerTable, evaluation: Evaluation) -> bool:
    """Return whether an evaluation comes from the current analyst.

    Raises:
        PlayerError: the analysis engine's command cannot be parsed.
    """
    _player, engine = players.analyst
    source = source_of(engine, by_network=not players.by_playouts)
    own = Evaluation(0.5, None, 0, source, engine or players.network, engine_id=engine_id_of(players.analyst_command))
    return evaluation.is_like(own)


def counted(game: Game, node: Node) -> Evaluation | None:
    """Return the value of a position at which the game is over by two passes; None if it is not."""
    if not node.ends_by_passes:
        return None
    here = game.node
    game.goto(node)
    try:
        result, ending = game.result, game.ending
        area = game.area(ending.dead if isinstance(ending, TwoPasses) else ())
    finally:
        game.goto(here)
    if result is None:
        return None
    black = 1.0 if result.winner == BLACK else 0.5 if not result.winner else 0.0
    return Evaluation(black, area.margin, 0, "count")
