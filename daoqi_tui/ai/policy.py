"""What a playout plays: random moves, answers to atari, answers by 3×3 pattern.

Like :mod:`~daoqi_tui.ai.kernel` this is plain Python over flat sequences, interpreted or compiled. Random numbers
come from a linear congruential generator whose state is one number below 2**32, so that both forms play the
same games.
"""

# ruff: noqa: PLR0917 - compiled functions take their arguments by position

from __future__ import annotations

from typing import Final

from daoqi_tui.ai.kernel import (
    I_FREE,
    I_KO,
    I_LAST,
    OFF,
    Numbers,
    State,
    Table,
    atari,
    captures,
    follow,
    is_eye,
    play,
)

PLAIN: Final = 0
"""Uniformly random, but for own eyes, and stones that die as they land."""
TACTICS: Final = 1
"""Atari is answered: capture or rescue. May be added to PATTERNS."""
PATTERNS: Final = 2
"""Shapes around the last move are answered."""


def shuffle(seed: int) -> int:
    """The next state of the random number generator; its upper 16 bits are the better ones."""
    return (seed * 747796405 + 2891336453) & 0xFFFFFFFF


def sensible(near: Table, diagonal: Table, state: State, p: int, mine: int) -> bool:
    """Whether a playout may play at the empty point ``p``.

    Not into an own eye, not where a ko forbids, and not where the single stone would die at once; the suicide
    of more stones is a move like any other.
    """
    colour = state[0]
    touched = False
    enemies = False
    for i in range(4 * p, 4 * p + 4):
        c = colour[near[i]]
        if c == 0:
            return True
        if c == mine:
            touched = True
        elif c != OFF:
            enemies = True
    if p == state[7][I_KO]:
        return False
    if touched:
        return enemies or not is_eye(near, diagonal, state, p, mine)
    return captures(near, state, p, mine) > 0


def roomy(near: Table, state: State, p: int, mine: int) -> bool:
    """Whether a stone at the empty point ``p`` would have two liberties or more, roughly: friends count by pairs."""
    colour, head, _, _, _, _, _, _ = state
    empty = 0
    for i in range(4 * p, 4 * p + 4):
        q = near[i]
        c = colour[q]
        if c == 0:
            empty += 1
        elif c == mine:
            if atari(near, state, head[q]) < 0:
                empty += 1
        elif c != OFF and atari(near, state, head[q]) == p:
            empty += 1
    return empty >= 2


def rescue(near: Table, state: State, h: int, out: int) -> int:
    """How to save the chain ``h`` in atari at ``out``: take a neighbour in atari, else run; -1 for not at all."""
    colour, head, after, _, _, _, _, info = state
    mine = colour[h]
    other = 3 - mine
    s = h
    while True:
        for i in range(4 * s, 4 * s + 4):
            q = near[i]
            if colour[q] == other:
                p = atari(near, state, head[q])
                if p >= 0 and p != info[I_KO]:
                    return p
        s = after[s]
        if s == h:
            break
    return out if roomy(near, state, out, mine) else -1


def shape(near: Table, diagonal: Table, state: State, p: int) -> int:
    """The eight points around ``p`` as an index into the pattern table: four neighbours, then four diagonals."""
    colour = state[0]
    k = 4 * p
    return (
        colour[near[k]]
        | colour[near[k + 1]] << 2
        | colour[near[k + 2]] << 4
        | colour[near[k + 3]] << 6
        | colour[diagonal[k]] << 8
        | colour[diagonal[k + 1]] << 10
        | colour[diagonal[k + 2]] << 12
        | colour[diagonal[k + 3]] << 14
    )


def answer(near: Table, diagonal: Table, pattern: Table, state: State, mine: int, style: int, seed: int) -> int:
    """The tactical answer to the last move, -1 where there is none."""
    colour, head, _, _, _, _, _, info = state
    last = info[I_LAST]
    if last < 0:
        return -1
    other = 3 - mine
    if style & TACTICS:
        if colour[last] == other:
            p = atari(near, state, head[last])
            if p >= 0 and p != info[I_KO]:
                return p
        for i in range(4 * last, 4 * last + 4):
            q = near[i]
            if colour[q] == mine:
                p = atari(near, state, head[q])
                if p >= 0:
                    p = rescue(near, state, head[q], p)
                    if p >= 0:
                        return p
    if style & PATTERNS:
        first = seed >> 29
        for i in range(first, first + 8):
            k = i & 7
            p = near[4 * last + k] if k < 4 else diagonal[4 * last + k - 4]
            if (
                colour[p] == 0
                and pattern[shape(near, diagonal, state, p)] & mine
                and p != info[I_KO]
                and roomy(near, state, p, mine)
            ):
                return p
    return -1


def playout(
    near: Table, diagonal: Table, pattern: Table, state: State, moves: Numbers, mine: int, style: int, seed: int
) -> int:
    """Play a game to its end, which is two passes in a row or as many moves as ``moves`` has room for.

    Args:
        near: the table of neighbours.
        diagonal: the table of diagonals.
        pattern: the table of shapes.
        state: the position, changed by the game.
        moves: receives the points played, -1 for a pass.
        mine: the side to move.
        style: PLAIN, TACTICS, PATTERNS or both.
        seed: of the random numbers.

    Returns:
        The number of moves.
    """
    free = state[5]
    info = state[7]
    passed = False
    for count in range(len(moves)):
        seed = shuffle(seed)
        chosen = -1
        # One time in sixteen the obvious answer is overlooked: whoever always answers never learns it was wrong.
        if style and seed & 0xF0000:
            chosen = answer(near, diagonal, pattern, state, mine, style, seed)
        if chosen < 0:
            left = info[I_FREE]
            spot = (seed >> 16) * left >> 16
            for _ in range(left):
                p = free[spot]
                if sensible(near, diagonal, state, p, mine):
                    chosen = p
                    break
                spot += 1
                if spot == left:
                    spot = 0
        moves[count] = chosen
        if chosen >= 0:
            play(near, state, chosen, mine)
            passed = False
        elif passed:
            return count + 1
        else:
            passed = True
            info[I_KO] = -1
            info[I_LAST] = -1
        mine = 3 - mine
    return len(moves)


def settle(points: int, near: Table, state: State, owner: Numbers) -> int:
    """Count a played-out position: stones, and empty points that touch one colour only.

    Returns:
        Black's points less White's; ``owner`` receives the colour of each point, 0 for nobody.
    """
    colour = state[0]
    margin = 0
    for p in range(points):
        c = colour[p]
        if c == 0:
            for i in range(4 * p, 4 * p + 4):
                d = colour[near[i]]
                if d and d != OFF:
                    if c == 0:
                        c = d
                    elif c != d:
                        c = 0
                        break
        owner[p] = c
        if c == 1:
            margin += 1
        elif c == 2:
            margin -= 1
    return margin


def firsts(points: int, moves: Table, count: int, mine: int, first: Numbers) -> None:
    """Which colour was the first to play at each point, 0 for none; ``mine`` made the first move."""
    for p in range(points):
        first[p] = 0
    for i in range(count):
        p = moves[i]
        if p >= 0 and first[p] == 0:
            first[p] = mine
        mine = 3 - mine


def simulate(
    points: int,
    near: Table,
    diagonal: Table,
    pattern: Table,
    state: State,
    path: Table,
    length: int,
    mine: int,
    style: int,
    seed: int,
    moves: Numbers,
    owner: Numbers,
    first: Numbers,
) -> int:
    """One playout from where ``path`` leads from ``state``; ``state``, ``moves``, ``owner``, ``first`` are written to.

    Returns:
        Black's points less White's, without komi and passes.
    """
    mine = follow(near, state, path, length, mine)
    count = playout(near, diagonal, pattern, state, moves, mine, style, seed)
    firsts(points, moves, count, mine, first)
    return settle(points, near, state, owner)
