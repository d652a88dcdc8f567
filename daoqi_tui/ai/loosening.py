"""Weak play that is still like a person's: a move that came to mind, not always the best of them."""

from __future__ import annotations

import numpy as np

from daoqi_tui.ai.drawing import drawn
from daoqi_tui.ai.endgame import Decision
from daoqi_tui.ai.levels import Looseness
from daoqi_tui.ai.puct import PuctSearch
from daoqi_tui.engine import PASS


def loosened(search: PuctSearch, decision: Decision, looseness: Looseness, random: np.random.Generator) -> Decision:
    """A move drawn by how likely the network thinks it; passes stay as they were decided.

    Args:
        search: on the position, which has thought.
        decision: the best move.
        looseness: how loosely.
        random: where chance is from.
    """
    if decision.move == PASS or decision.hopeless:
        return decision
    board, root = search.board, search.root
    mine = board.stones(board.to_move)
    sensible = [
        place
        for place in np.flatnonzero(root.policy >= looseness.least * root.policy[:-1].max(initial=0.0))
        # Neither a pass, nor a fill of an own eye.
        if root.moves[place] != PASS and board.torus.around[int(root.moves[place])] & ~mine
    ]
    if not sensible:
        return decision
    place = int(sensible[drawn(root.policy[sensible], looseness.temperature, random)])
    return Decision(int(root.moves[place]), root.rate(place))
