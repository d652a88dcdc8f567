"""What a move looks like before anything is tried: the numbers that guide a search through a new node.

Part of the kernel: plain Python over flat sequences, interpreted or compiled.
"""

# ruff: noqa: PLR0917 - compiled functions take their arguments by position

from __future__ import annotations

from typing import Final

from daoqi_tui.ai.kernel import OFF, UNIT, Numbers, State, Table, atari, is_eye
from daoqi_tui.ai.policy import rescue, roomy, shape

F_EYE: Final = 1
"""Fills an eye of one's own."""
F_CAPTURE: Final = 2
"""Takes stones; ``amount`` says how many."""
F_RESCUE: Final = 4
"""Saves stones in atari; ``amount`` says how many, beside those taken."""
F_CRAMPED: Final = 8
"""Leaves the stone with fewer than two liberties, and takes nothing."""
F_PATTERN: Final = 16
"""Fits a 3×3 shape."""
F_ATARI: Final = 32
"""Gives atari."""
F_SUICIDE: Final = 64
"""Is the suicide of a single stone: it changes nothing but whose turn it is."""


def judge(
    points: int,
    near: Table,
    diagonal: Table,
    pattern: Table,
    state: State,
    mine: int,
    marks: Numbers,
    amount: Numbers,
) -> None:
    """Write the features of a play by ``mine`` at each empty point to ``marks``, the stones at stake to ``amount``."""
    colour, head, _, size, _, _, _, _ = state
    other = 3 - mine
    for p in range(points):
        marks[p] = 0
        amount[p] = 0
    for p in range(points):
        if colour[p]:
            continue
        mark = 0
        taken = 0
        threat = False
        alone = True
        for i in range(4 * p, 4 * p + 4):
            q = near[i]
            if colour[q] != other:
                alone = alone and colour[q] == OFF
            else:
                h = head[q]
                if atari(near, state, h) == p:
                    taken += size[h]
                elif two_left(near, state, h, p):
                    threat = True
        if taken:
            mark |= F_CAPTURE
            amount[p] += taken
        elif not roomy(near, state, p, mine):
            mark |= F_CRAMPED
            if alone:
                mark |= F_SUICIDE
            if is_eye(near, diagonal, state, p, mine):
                mark |= F_EYE
        if threat:
            mark |= F_ATARI
        if pattern[shape(near, diagonal, state, p)] & mine:
            mark |= F_PATTERN
        marks[p] |= mark
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
