"""Weak play that is still like a person's: a move that came to mind, not always the best of them."""

from __future__ import annotations

from typing import Final

import numpy as np

from daoqi_tui.ai.endgame import Decision
from daoqi_tui.ai.puct import PuctSearch
from daoqi_tui.engine import PASS

LEAST: Final = 0.01
"""Moves thought less likely than this share of the likeliest do not come to mind, however loose the play."""


def loosened(search: PuctSearch, decision: Decision, temperature: float, random: np.random.Generator) -> Decision:
    """A move drawn by how likely the network thinks it; passes stay as they were decided.

    Args:
        search: on the position, which has thought.
        decision: the best move.
        temperature: 1 draws as the network says, more makes the moves that come to mind more alike.
        random: where chance is from.
    """
    if decision.move == PASS or decision.hopeless:
        return decision
    board, root = search.board, search.root
    mine = board.stones(board.to_move)
    sensible = [
        place
        for place in np.flatnonzero(root.policy >= LEAST * root.policy[:-1].max(initial=0.0))
        # Neither a pass, nor a fill of an own eye.
        if root.moves[place] != PASS and board.torus.around[int(root.moves[place])] & ~mine
    ]
    if not sensible:
        return decision
    chances = root.policy[sensible].astype(np.float64) ** (1.0 / temperature)
    place = int(random.choice(sensible, p=chances / chances.sum()))
    return Decision(int(root.moves[place]), root.rate(place))
