"""Teach mode: the points a human's move lost against the best one, while the computer waits to answer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from daoqi_tui.engine import BLACK
from daoqi_tui.play.analyst import Budget, analyse
from daoqi_tui.play.evaluation import Evaluation, JudgedMove

if TYPE_CHECKING:
    from daoqi_tui.ai.protocol import Candidate
    from daoqi_tui.engine import Colour, Game, Node
    from daoqi_tui.play.players import PlayerTable

TEACH_FROM: Final = 3
"""The threshold in points if teach mode is turned on without a number."""
_NETWORK: Final = Budget(80, 1.5)
_PLAYOUTS: Final = Budget(600, 1.5)
_ENOUGH: Final = 12
"""The minimum visits of another move in a network's search for its value to be used."""


async def judge_move(players: PlayerTable, game: Game, node: Node) -> JudgedMove | None:
    """Return a move with the points it lost against the best one; None if there is too little data.

    Both are compared as moves in one position, since after them the opponent is to move, in whose favour a short search
    is biased. If the search hardly visited the move, it is searched alone; a GTP engine cannot do that, and searches
    the position after it.

    Args:
        players: whose analyst is asked.
        game: the game; its cursor stays where it is.
        node: a move, or a pass.

    Raises:
        PlayerError: there is no answer.
    """
    from daoqi_tui.ai.protocol import Restriction  # noqa: PLC0415

    move, parent = node.move, node.parent
    assert move is not None
    assert parent is not None
    by_playouts = players.by_playouts
    budget, enough = (_PLAYOUTS, _ENOUGH * 4) if by_playouts else (_NETWORK, _ENOUGH)
    before = await analyse(players, game, parent, budget)
    if before is None or before.lead is None:
        return None
    made = next((line for line in before.lines if line.move == move.point and line.visits >= enough), None)
    if made is None and before.source == "engine":
        after = await analyse(players, game, node, budget)
    else:
        if made is None:
            only = Restriction(move.colour, (move.point,), 1, only=True)
            alone = await analyse(players, game, parent, budget, restrictions=(only,))
            if alone is not None and alone.is_like(before):
                made = next((line for line in alone.lines if line.move == move.point), None)
        after = _after(made, move.colour, before) if made is not None else None
    # Another analyst may have been chosen meanwhile.
    if after is None or not after.is_like(before):
        return None
    was, came = before.lead_of(move.colour), after.lead_of(move.colour)
    if was is None or came is None:
        return None
    agreed = before.lines[0].move == move.point
    return JudgedMove(node, move.colour, before, after, 0.0 if agreed else max(0.0, was - came))


def _after(made: Candidate, mover: Colour, before: Evaluation) -> Evaluation:
    """Return the value of the position after a move, according to the search of the position before it."""
    black = made.win if mover == BLACK else 1 - made.win
    return replace(before, black=black, lead=made.margin, visits=made.visits, lines=())
