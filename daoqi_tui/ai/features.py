"""What a move looks like before anything is tried: the numbers that guide a search through a new node.

Part of the kernel: plain Python over flat sequences, interpreted or compiled.
"""

# ruff: noqa: PLR0917 - compiled functions take their arguments by position

from __future__ import annotations

from typing import Final

from daoqi_tui.ai.kernel import UNIT, Numbers, State, Table, atari, room
from daoqi_tui.ai.policy import rescue, shape

F_CAPTURE: Final = 1
"""Takes stones; ``amount`` says how many."""
F_RESCUE: Final = 2
"""Saves stones in atari; ``amount`` says how many, beside those taken."""
F_CRAMPED: Final = 4
"""Leaves the stone and its friends with fewer than two liberties."""
F_ATARI: Final = 8
"""Gives atari."""
F_TWO: Final = 16
"""Is one of two liberties of a chain of one's own."""
F_SUICIDE: Final = 32
"""Is the suicide of a single stone: it changes nothing but whose turn it is."""
F_ALL: Final = 63


def judge(
    points: int,
    near: Table,
    diagonal: Table,
    state: State,
    mine: int,
    marks: Numbers,
    amount: Numbers,
    shapes: Numbers,
) -> None:
    """Write what a play by ``mine`` at each empty point looks like.

    ``marks`` receives the features, ``amount`` the stones at stake, ``shapes`` the code of the eight points around.
    """
    colour, head, _, size, _, _, _, _ = state
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
                if two_left(near, state, head[q], p):
                    mark |= F_TWO
            elif c == other:
                h = head[q]
                if atari(near, state, h) == p:
                    taken += size[h]
                elif two_left(near, state, h, p):
                    mark |= F_ATARI
        if taken:
            mark |= F_CAPTURE
            amount[p] = taken
        elif alone:
            mark |= F_SUICIDE
        if room(near, state, p, mine) < 2:
            mark |= F_CRAMPED
        marks[p] = mark
        shapes[p] = shape(near, diagonal, state, p)
    # Chains in atari, each looked at once, from its head.
    for h in range(points):
        if colour[h] == mine and head[h] == h:
            out = atari(near, state, h)
            if out >= 0:
                p = rescue(near, state, h, out)
                if p >= 0:
                    marks[p] |= F_RESCUE
                    amount[p] += size[h]


def two_left(near: Table, state: State, h: int, p: int) -> bool:
    """Whether the chain ``h`` would be in atari after a play of its opponent at its liberty ``p``."""
    colour, head, _, _, breath, _, _, _ = state
    mine = colour[h]
    b = breath[h]
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
