"""Stones and chains at the speed of the machine: the one other place that knows how a stone is captured.

Here and in :mod:`~daoqi_tui.ai.policy` everything is plain Python over flat sequences of integers: lists when
interpreted, int32 arrays when :mod:`~daoqi_tui.ai.backend` compiles the very same source. Sizes are arguments,
since a compiled function would freeze a global. The functions know of no superko, only of the immediate
recapture; they are compared move by move with :class:`~daoqi_tui.engine.board.Board`, which knows all.

*Tables*, for a board of ``points`` points, where the index ``points`` stands for everything off the board:
``near[4 * p + i]`` and ``diagonal[4 * p + i]`` are the neighbours of ``p``, filled up with ``points``.

*State*, a tuple of sequences with one entry a point unless said otherwise:

* ``colour``: EMPTY, BLACK or WHITE, and OFF at the index ``points``;
* ``head``, ``after``, ``size``: the stone that names the chain a stone is in, the next stone round that chain,
  and, at the head, how many stones it has;
* ``breath``: at the head, UNIT + the empty point for every pair of a stone and an empty neighbour, summed. It
  is 0 when the chain has no liberty, and one division tells whether all pairs meet in one point (after the
  pseudo-liberties of libego);
* ``free``, ``place``: the empty points in any order, and where in ``free`` a point is;
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
"""How many points are empty."""
I_KO: Final = 1
"""The point where an immediate recapture would repeat the board, -1 when there is none."""
I_LAST: Final = 2
"""The point of the last play, -1 after a pass and at the start."""
INFO: Final = 3


def clear(points: int, state: State) -> None:
    """Take all stones off."""
    colour, _, _, _, _, free, place, info = state
    for p in range(points):
        colour[p] = 0
        free[p] = p
        place[p] = p
    colour[points] = OFF
    info[I_FREE] = points
    info[I_KO] = -1
    info[I_LAST] = -1


def load(points: int, near: Table, state: State, stones: Table) -> None:
    """Lay out ``stones``, the colour of each point, of a position without breathless chains."""
    clear(points, state)
    for p in range(points):
        if stones[p]:
            put(near, state, p, stones[p])


def put(near: Table, state: State, p: int, mine: int) -> int:
    """Put a stone on the empty point ``p`` and join it with its friends; whoever is out of breath stays.

    Returns:
        How many times the stone touches a chain of the opponent that has no liberty left.
    """
    colour, head, after, size, breath, free, place, info = state
    other = 3 - mine
    colour[p] = mine
    left = info[I_FREE] - 1
    info[I_FREE] = left
    spot = place[p]
    moved = free[left]
    free[spot] = moved
    place[moved] = spot
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
            b = breath[h] - pair
            breath[h] = b
            if b == 0:
                kills += 1
        elif c == mine:
            h = head[q]
            breath[h] -= pair
            if main < 0:
                main = h
            elif h != main:
                if size[h] > size[main]:
                    h, main = main, h
                size[main] += size[h]
                breath[main] += breath[h]
                s = h
                while True:
                    head[s] = main
                    s = after[s]
                    if s == h:
                        break
                s = after[main]
                after[main] = after[h]
                after[h] = s
    if main < 0:
        head[p] = p
        after[p] = p
        size[p] = 1
        breath[p] = total
    else:
        head[p] = main
        after[p] = after[main]
        after[main] = p
        size[main] += 1
        breath[main] += total
    return kills


def remove(near: Table, state: State, start: int) -> int:
    """Take the chain of ``start`` off the board; returns its number of stones."""
    colour, head, after, _, breath, free, place, info = state
    other = 3 - colour[start]
    count = info[I_FREE]
    before = count
    p = start
    while True:
        colour[p] = 0
        free[count] = p
        place[p] = count
        count += 1
        pair = UNIT + p
        for i in range(4 * p, 4 * p + 4):
            q = near[i]
            if colour[q] == other:
                breath[head[q]] += pair
        p = after[p]
        if p == start:
            break
    info[I_FREE] = count
    return count - before


def play(near: Table, state: State, p: int, mine: int) -> int:
    """Play at the empty point ``p``: put, capture, and remove a suicide.

    Returns:
        The number of stones captured, or minus the number lost by suicide.
    """
    colour, head, _, size, breath, _, _, info = state
    kills = put(near, state, p, mine)
    info[I_KO] = -1
    info[I_LAST] = p
    if kills:
        other = 3 - mine
        taken = 0
        last = -1
        for i in range(4 * p, 4 * p + 4):
            q = near[i]
            if colour[q] == other and breath[head[q]] == 0:
                taken += remove(near, state, q)
                last = q
        if taken == 1 and size[head[p]] == 1 and breath[head[p]] == UNIT + last:
            info[I_KO] = last
        return taken
    if breath[head[p]] == 0:
        return -remove(near, state, p)
    return 0


def follow(near: Table, state: State, path: Table, length: int, mine: int) -> int:
    """Make the first ``length`` moves of ``path``, -1 being a pass; returns the side then to move."""
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
    """The only liberty of the chain with head ``h``, -1 when it has more."""
    colour, head, _, _, breath, _, _, _ = state
    b = breath[h]
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


def room(near: Table, state: State, p: int, mine: int) -> int:
    """How many liberties a stone at the empty point ``p`` would have with its friends: 0, 1, or 2 for two and more.

    Of stones that it captures, only those beside ``p`` count as liberties.
    """
    colour, head, _, size, breath, _, _, _ = state
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
                total += breath[h]
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
    """How many stones a play at the empty point ``p`` takes from the opponent (a chain met twice counts twice)."""
    colour, head, _, size, _, _, _, _ = state
    other = 3 - mine
    taken = 0
    for i in range(4 * p, 4 * p + 4):
        q = near[i]
        if colour[q] == other and atari(near, state, head[q]) == p:
            taken += size[head[q]]
    return taken


def is_eye(near: Table, diagonal: Table, state: State, p: int, mine: int) -> bool:
    """Whether ``p`` is a point to leave alone: four neighbours of one's own, at most one diagonal false.

    Off the board counts as one false diagonal, as usual on a board with edges.
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
