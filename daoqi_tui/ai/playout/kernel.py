"""The board of the playouts: stones and chains with pseudo-liberties, written to be compiled by numba.

Here and in :mod:`~daoqi_tui.ai.playout.policy` everything is plain Python over flat sequences of integers: lists when
interpreted, int32 arrays when :mod:`~daoqi_tui.ai.playout.backend` compiles the same source. Sizes are arguments,
since a compiled function would freeze a global. The functions forbid the immediate recapture of a ko and know no
superko; tests compare them move by move with :class:`~daoqi_tui.engine.board.Board`, which knows all rules.

*Tables*, for a board of ``points`` points, where the index ``points`` stands for everything off the board:
``near[4 * p + i]`` and ``diagonal[4 * p + i]`` are the neighbours of ``p``, filled up with ``points``.

*State*, a tuple of sequences with one entry a point unless said otherwise:

* ``colour``: EMPTY, BLACK or WHITE, and OFF at the index ``points``;
* ``head``, ``next_stone``, ``size``: the stone that represents a stone's chain, the next stone in the circular list
  of the chain and, at the head, the number of its stones;
* ``pseudo_liberties``: at the head, UNIT + the empty point for every pair of a stone and an empty neighbour, summed. It
  is 0 when the chain has no liberty, and one division tells whether all pairs meet in one point (after the
  pseudo-liberties of libego);
* ``free``, ``free_index``: the empty points in any order, and the index of each point in ``free``;
* ``info``: INFO single numbers, named by the ``I_`` indices.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import Final, TypeAlias

Numbers: TypeAlias = MutableSequence[int]
Table: TypeAlias = Sequence[int]
State: TypeAlias = tuple[Numbers, Numbers, Numbers, Numbers, Numbers, Numbers, Numbers, Numbers]

OFF: Final = 3
UNIT: Final = 1 << 20
"""More than the sum of the points of all pairs on the largest board, 1250 of at most 624."""

I_FREE: Final = 0
"""The number of empty points."""
I_KO: Final = 1
"""The point forbidden by a ko, -1 when there is none."""
I_LAST: Final = 2
"""The point of the last play, -1 after a pass and at the start."""
INFO: Final = 3


def clear(points: int, state: State) -> None:
    """Remove all stones."""
    colour, _, _, _, _, free, free_index, info = state
    for p in range(points):
        colour[p] = 0
        free[p] = p
        free_index[p] = p
    colour[points] = OFF
    info[I_FREE] = points
    info[I_KO] = -1
    info[I_LAST] = -1


def load(points: int, near: Table, state: State, stones: Table) -> None:
    """Set up ``stones``, the colour of each point; every chain must have a liberty."""
    clear(points, state)
    for p in range(points):
        if stones[p]:
            place_stone(near, state, p, stones[p])


def place_stone(near: Table, state: State, p: int, mine: int) -> int:
    """Place a stone on the empty point ``p`` and join it with adjacent chains, without removing anything.

    Returns:
        The number of sides on which the stone touches an opponent's chain without liberties.
    """
    colour, head, next_stone, size, pseudo_liberties, free, free_index, info = state
    other = 3 - mine
    colour[p] = mine
    left = info[I_FREE] - 1
    info[I_FREE] = left
    spot = free_index[p]
    moved = free[left]
    free[spot] = moved
    free_index[moved] = spot
    pair = UNIT + p
    total = 0
    main = -1
    kills = 0
    for i in range(4 * p, 4 * p + 4):
        q = near[i]
        c = colour[q]
        if c == 0:
            total += UNIT + q
        elif c == other:
            h = head[q]
            b = pseudo_liberties[h] - pair
            pseudo_liberties[h] = b
            if b == 0:
                kills += 1
        elif c == mine:
            h = head[q]
            pseudo_liberties[h] -= pair
            if main < 0:
                main = h
            elif h != main:
                if size[h] > size[main]:
                    h, main = main, h
                size[main] += size[h]
                pseudo_liberties[main] += pseudo_liberties[h]
                s = h
                while True:
                    head[s] = main
                    s = next_stone[s]
                    if s == h:
                        break
                s = next_stone[main]
                next_stone[main] = next_stone[h]
                next_stone[h] = s
    if main < 0:
        head[p] = p
        next_stone[p] = p
        size[p] = 1
        pseudo_liberties[p] = total
    else:
        head[p] = main
        next_stone[p] = next_stone[main]
        next_stone[main] = p
        size[main] += 1
        pseudo_liberties[main] += total
    return kills


def remove(near: Table, state: State, start: int) -> int:
    """Remove the chain of the stone ``start``; return its number of stones."""
    colour, head, next_stone, _, pseudo_liberties, free, free_index, info = state
    other = 3 - colour[start]
    count = info[I_FREE]
    before = count
    p = start
    while True:
        colour[p] = 0
        free[count] = p
        free_index[p] = count
        count += 1
        pair = UNIT + p
        for i in range(4 * p, 4 * p + 4):
            q = near[i]
            if colour[q] == other:
                pseudo_liberties[head[q]] += pair
        p = next_stone[p]
        if p == start:
            break
    info[I_FREE] = count
    return count - before


def play(near: Table, state: State, p: int, mine: int) -> int:
    """Play at the empty point ``p``, with captures and suicide.

    Returns:
        The number of stones captured, or minus the number lost by suicide.
    """
    colour, head, _, size, pseudo_liberties, _, _, info = state
    kills = place_stone(near, state, p, mine)
    info[I_KO] = -1
    info[I_LAST] = p
    if kills:
        other = 3 - mine
        taken = 0
        last = -1
        for i in range(4 * p, 4 * p + 4):
            q = near[i]
            if colour[q] == other and pseudo_liberties[head[q]] == 0:
                taken += remove(near, state, q)
                last = q
        if taken == 1 and size[head[p]] == 1 and pseudo_liberties[head[p]] == UNIT + last:
            info[I_KO] = last
        return taken
    if pseudo_liberties[head[p]] == 0:
        return -remove(near, state, p)
    return 0


def play_path(near: Table, state: State, path: Table, length: int, mine: int) -> int:
    """Make the first ``length`` moves of ``path``, -1 being a pass; return the side then to move."""
    info = state[7]
    for i in range(length):
        p = path[i]
        if p < 0:
            info[I_KO] = -1
            info[I_LAST] = -1
        else:
            play(near, state, p, mine)
        mine = 3 - mine
    return mine


def atari(near: Table, state: State, h: int) -> int:
    """Return the only liberty of the chain with head ``h``, -1 when it is not in atari."""
    colour, head, _, _, pseudo_liberties, _, _, _ = state
    b = pseudo_liberties[h]
    pairs = b // UNIT
    if pairs > 4 or pairs == 0:
        return -1
    total = b - pairs * UNIT
    p = total // pairs
    if p * pairs != total or colour[p]:
        return -1
    mine = colour[h]
    for i in range(4 * p, 4 * p + 4):
        q = near[i]
        if colour[q] == mine and head[q] == h:
            pairs -= 1
    return p if pairs == 0 else -1


def liberties_after(near: Table, state: State, p: int, mine: int) -> int:
    """Return the liberties of the chain after a play at the empty point ``p``: 0, 1, or 2 for two and more.

    Of captured stones only those adjacent to ``p`` count as liberties.
    """
    colour, head, _, size, pseudo_liberties, _, _, _ = state
    total = 0
    freed = 0
    one = two = three = four = -1
    for i in range(4 * p, 4 * p + 4):
        q = near[i]
        c = colour[q]
        if c == 0:
            total += UNIT + q
        elif c == mine:
            h = head[q]
            total -= UNIT + p
            if h != one and h != two and h != three:  # noqa: PLR1714 - numba knows no sets
                total += pseudo_liberties[h]
                four = three
                three = two
                two = one
                one = h
        elif c != OFF and atari(near, state, head[q]) == p:
            freed += 1 if size[head[q]] == 1 else 2
    if freed:
        return 2 if freed > 1 or total > 0 else 1
    pairs = total // UNIT
    if pairs > 4 or pairs == 0:
        return 2 if pairs else 0
    r = (total - pairs * UNIT) // pairs
    if pairs * (UNIT + r) != total or colour[r]:
        return 2
    for i in range(4 * r, 4 * r + 4):
        q = near[i]
        if q == p:
            pairs -= 1
        elif colour[q] == mine:
            h = head[q]
            if h == one or h == two or h == three or h == four:  # noqa: PLR1714, SIM109
                pairs -= 1
    return 1 if pairs == 0 else 2


def captures(near: Table, state: State, p: int, mine: int) -> int:
    """Return the stones a play at the empty point ``p`` captures (a chain that touches it twice counts twice)."""
    colour, head, _, size, _, _, _, _ = state
    other = 3 - mine
    taken = 0
    for i in range(4 * p, 4 * p + 4):
        q = near[i]
        if colour[q] == other and atari(near, state, head[q]) == p:
            taken += size[head[q]]
    return taken


def is_eye(near: Table, diagonal: Table, state: State, p: int, mine: int) -> bool:
    """Return whether ``p`` is an eye: four own neighbours, and at most one diagonal of the opponent.

    On a board with edges, points off the board together count as one such diagonal.
    """
    colour = state[0]
    touched = False
    for i in range(4 * p, 4 * p + 4):
        c = colour[near[i]]
        if c == mine:
            touched = True
        elif c != OFF:
            return False
    other = 3 - mine
    bad = 0
    edge = 0
    for i in range(4 * p, 4 * p + 4):
        c = colour[diagonal[i]]
        if c == other:
            bad += 1
        elif c == OFF:
            edge = 1
    return touched and bad + edge < 2
