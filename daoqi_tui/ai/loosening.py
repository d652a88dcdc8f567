"""Weak play that is still like a person's: a move that came to mind, not always the best of them."""

from __future__ import annotations

import numpy as np

from daoqi_tui.ai.drawing import drawn
from daoqi_tui.ai.endgame import Decision, Thought
from daoqi_tui.ai.levels import Looseness
from daoqi_tui.engine import PASS, Board


def loosened(search: Thought, decision: Decision, looseness: Looseness, random: np.random.Generator) -> Decision:
    """A move drawn by how likely it comes to mind; passes stay as they were decided.

    Args:
        search: on the position, which has thought.
        decision: the best move.
        looseness: how loosely.
        random: where chance is from.
    """
    if decision.move == PASS:
        return decision
    board, root, policy = search.board, search.root, search.policy()
    sensible = [
        place
        for place in np.flatnonzero(policy >= looseness.least * policy[:-1].max(initial=0.0))
        if root.moves[place] != PASS and _is_plausible(board, int(root.moves[place]))
    ]
    if not sensible:
        return decision
    place = int(sensible[drawn(policy[sensible], looseness.temperature, random)])
    return Decision(int(root.moves[place]), root.rate(place), decision.hopeless)


def _is_plausible(board: Board, point: int) -> bool:
    """Whether a person who plays at ``point`` may have meant it: it neither fills an own eye nor is suicide."""
    around, mine = board.torus.around[point], board.stones(board.to_move)
    if around & board.empty:
        return True
    if not around & ~mine:
        return False
    board.play(point)
    stands = bool(board.colours[point])
    board.undo()
    return stands
