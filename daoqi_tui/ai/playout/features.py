"""Computes the tactical features of moves, for the priors of a new node.

Part of the kernel: plain Python over flat sequences, interpreted or compiled.
"""

# ruff: noqa: PLR0917 - compiled functions take their arguments by position

from __future__ import annotations

from typing import Final

from daoqi_tui.ai.playout.kernel import NOWHERE, UNIT, Numbers, State, Table, atari, is_only_liberty, liberties_after
from daoqi_tui.ai.playout.policy import pattern_code, rescue

F_CAPTURE: Final = 1
"""Captures stones; ``amount`` is their number."""
F_RESCUE: Final = 2
"""Saves stones in atari; ``amount`` includes their number."""
F_CRAMPED: Final = 4
"""Self-atari: leaves the new chain with fewer than two liberties."""
F_ATARI: Final = 8
"""Gives atari."""
F_TWO: Final = 16
"""Fills one of two liberties of an own chain."""
F_SUICIDE: Final = 32
"""Suicide of a single stone, which changes nothing but the turn."""
F_ALL: Final = 63


def move_features(
    points: int,
    near: Table,
    diagonal: Table,
    state: State,
    mine: int,
    marks: Numbers,
    amount: Numbers,
    shapes: Numbers,
) -> None:
    """Write the features of a play by ``mine`` at each empty point.

    ``marks`` receives the ``F_`` flags, ``amount`` the stones at stake, ``shapes`` the pattern code.
    """
    colour, head, _, size, _, _, _, _, _ = state
    other = 3 - mine
    for p in range(points):
        marks[p] = 0
        amount[p] = 0
        shapes[p] = 0
    for p in range(points):
        if colour[p]:
            continue
        mark = 0
        taken = 0
        alone = True
        for i in range(4 * p, 4 * p + 4):
            q = near[i]
            c = colour[q]
            if c == 0:
                alone = False
            elif c == mine:
                alone = False
                if leaves_atari(near, state, head[q], p):
                    mark |= F_TWO
            elif c == other:
                h = head[q]
                if is_only_liberty(near, state, h, p):
                    taken += size[h]
                elif leaves_atari(near, state, h, p):
                    mark |= F_ATARI
        if taken:
            mark |= F_CAPTURE
            amount[p] = taken
        elif alone:
            mark |= F_SUICIDE
        if liberties_after(near, state, p, mine) < 2:
            mark |= F_CRAMPED
        marks[p] = mark
        shapes[p] = pattern_code(near, diagonal, state, p)
    # Chains in atari, each visited once, at its head.
    for h in range(points):
        if colour[h] == mine and head[h] == h:
            out = atari(near, state, h)
            if out != NOWHERE:
                p = rescue(near, state, h, out)
                if p != NOWHERE:
                    marks[p] |= F_RESCUE
                    amount[p] += size[h]


def leaves_atari(near: Table, state: State, h: int, p: int) -> bool:
    """Return whether the chain with head ``h`` is in atari after its opponent plays at its liberty ``p``."""
    colour, head, _, _, pseudo_liberties, _, _, _, _ = state
    mine = colour[h]
    b = pseudo_liberties[h]
    for i in range(4 * p, 4 * p + 4):
        q = near[i]
        if colour[q] == mine and head[q] == h:
            b -= UNIT + p
    if b <= 0:
        return False
    pairs = b // UNIT
    if pairs > 4:
        return False
    total = b - pairs * UNIT
    rest = total // pairs
    if rest * pairs != total or colour[rest] or rest == p:
        return False
    for i in range(4 * rest, 4 * rest + 4):
        q = near[i]
        if colour[q] == mine and head[q] == h:
            pairs -= 1
    return pairs == 0
