"""The board of the playouts: stones and chains with pseudo-liberties, written to be compiled by numba.

Here and in :mod:`~daoqi_tui.ai.playout.policy` everything is plain Python over flat sequences of integers: lists when
interpreted, arrays when :mod:`~daoqi_tui.ai.playout.backend` compiles the same source. Sizes are arguments, since a
compiled function would freeze a global. The functions forbid the immediate recapture of a ko and know no superko; tests
compare them move by move with :class:`~daoqi_tui.engine.board.Board`, which knows all rules.

Numbers in tables and states are never negative ("no point" is NOWHERE): unsigned indices avoid the test for a negative
index, which took a third of the time. Most of the remaining time is mispredicted branches; hence the sums over all four
neighbours instead of tests that skip some.

*Tables*, for a board of ``points`` points, where the index ``points`` stands for everything off the board:
``near[4 * p + i]`` and ``diagonal[4 * p + i]`` are the neighbours of ``p``, filled up with ``points``.

*State*, a tuple of sequences with one entry a point, and one for the index ``points``, unless said otherwise:

* ``colour``: EMPTY, BLACK or WHITE, and OFF at the index ``points``;
* ``head``, ``next_stone``, ``size``: the stone that represents a stone's chain (an empty point represents itself), the
  next stone in the circular list of the chain and, at the head, the number of its stones;
* ``pseudo_liberties``: at the head, UNIT + the empty point for every pair of a stone and an empty neighbour, summed. It
  is 0 when the chain has no liberty, and one division shows whether all pairs share one point (as in libego). At a
  point without a stone it is meaningless;
* ``nearby``: the neighbours of a point, summed: counts of black and white ones, and EMPTY_SIDE for each empty one;
* ``free``, ``free_index``: the empty points in any order, and the index of each point in ``free``;
* ``info``: INFO single numbers, named by the ``I_`` indices.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import Final, TypeAlias

Numbers: TypeAlias = MutableSequence[int]
Table: TypeAlias = Sequence[int]
State: TypeAlias = tuple[Numbers, Numbers, Numbers, Numbers, Numbers, Numbers, Numbers, Numbers, Numbers]

OFF: Final = 3
UNIT: Final = 1 << 20
"""Larger than the sum of the points of all pairs on the largest board: 1250 pairs of at most 624."""

I_FREE: Final = 0
"""The number of empty points."""
I_KO: Final = 1
"""The point forbidden by a ko, NOWHERE when there is none."""
I_LAST: Final = 2
"""The point of the last play, NOWHERE after a pass and at the start."""
INFO: Final = 3
NOWHERE: Final = 0xFFFF
"""No point."""

WHITES: Final = 3
"""The number of bits in an entry of ``nearby`` that count black neighbours; those for white ones follow."""
COUNT: Final = 7
"""Masks one of the two counts."""
EMPTY_SIDE: Final = 1 << 6
"""The value that an empty neighbour adds to an entry of ``nearby``."""


def clear(points: int, near: Table, state: State) -> None:
    """Remove all stones."""
    colour, head, _, _, _, nearby, free, free_index, info = state
    for p in range(points):
        colour[p] = 0
        head[p] = p
        free[p] = p
        free_index[p] = p
        nearby[p] = 0
        for i in range(4 * p, 4 * p + 4):
            if near[i] != points:
                nearby[p] += EMPTY_SIDE
    colour[points] = OFF
    head[points] = points
    info[I_FREE] = points
    info[I_KO] = NOWHERE
    info[I_LAST] = NOWHERE


def load(points: int, near: Table, state: State, stones: Table) -> None:
    """Set up ``stones``, the colour of each point; every chain must have a liberty."""
    clear(points, near, state)
    for p in range(points):
        if stones[p]:
            place_stone(near, state, p, stones[p])


def copy_state(points: int, source: State, target: State) -> None:
    """Copy a state, for compiled functions; others take :func:`daoqi_tui.ai.playout.backend.copy`."""
    colour, head, next_stone, size, pseudo_liberties, nearby, free, free_index, info = source
    colour2, head2, next_stone2, size2, pseudo_liberties2, nearby2, free2, free_index2, info2 = target
    for p in range(points + 1):
        colour2[p] = colour[p]
        head2[p] = head[p]
        next_stone2[p] = next_stone[p]
        size2[p] = size[p]
        pseudo_liberties2[p] = pseudo_liberties[p]
        nearby2[p] = nearby[p]
        free2[p] = free[p]
        free_index2[p] = free_index[p]
    for i in range(INFO):
        info2[i] = info[i]


def place_stone(near: Table, state: State, p: int, mine: int) -> bool:
    """Place a stone on the empty point ``p`` and join it with adjacent chains, without removing anything.

    Returns:
        Whether the stone takes the last liberty of an opponent's chain.
    """
    colour, head, next_stone, size, pseudo_liberties, nearby, free, free_index, info = state
    colour[p] = mine
    left = info[I_FREE] - 1
    info[I_FREE] = left
    spot = free_index[p]
    moved = free[left]
    free[spot] = moved
    free_index[moved] = spot
    pair = UNIT + p
    change = (1 << WHITES * (mine - 1)) - EMPTY_SIDE
    total = 0
    for i in range(4 * p, 4 * p + 4):
        q = near[i]
        nearby[q] += change
        pseudo_liberties[head[q]] -= pair
        if colour[q] == 0:
            total += UNIT + q
    stones = nearby[p]
    if stones >> WHITES * (mine - 1) & COUNT:
        join(near, state, p, mine, total)
    else:
        next_stone[p] = p
        size[p] = 1
        pseudo_liberties[p] = total
    if stones >> WHITES * (2 - mine) & COUNT:
        other = 3 - mine
        for i in range(4 * p, 4 * p + 4):
            q = near[i]
            if pseudo_liberties[head[q]] == 0 and colour[q] == other:
                return True
    return False


def merge(near: Table, state: State, p: int, mine: int) -> int:
    """Make one chain of the own chains adjacent to ``p``; return its head."""
    colour, head, next_stone, size, pseudo_liberties, _, _, _, _ = state
    main = NOWHERE
    for i in range(4 * p, 4 * p + 4):
        q = near[i]
        if colour[q] != mine:
            continue
        h = head[q]
        if main == NOWHERE:
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
    return main


def join(near: Table, state: State, p: int, mine: int, total: int) -> None:
    """Add the new stone ``p``, whose own pseudo-liberties are ``total``, to the adjacent own chains."""
    colour, head, next_stone, size, pseudo_liberties, _, _, _, _ = state
    main = NOWHERE
    several = False
    for i in range(4 * p, 4 * p + 4):
        q = near[i]
        h = head[q]
        if colour[q] == mine:
            if main != NOWHERE and main != h:  # noqa: PLR1714 - the tuple would be slower
                several = True
            main = h
    if several:
        main = merge(near, state, p, mine)
    head[p] = main
    next_stone[p] = next_stone[main]
    next_stone[main] = p
    size[main] += 1
    pseudo_liberties[main] += total


def remove(near: Table, state: State, start: int) -> int:
    """Remove the chain of the stone ``start``; return its number of stones."""
    colour, head, next_stone, _, pseudo_liberties, nearby, free, free_index, info = state
    change = EMPTY_SIDE - (1 << WHITES * (colour[start] - 1))
    count = info[I_FREE]
    before = count
    p = start
    while True:
        colour[p] = 0
        head[p] = p
        free[count] = p
        free_index[p] = count
        count += 1
        pair = UNIT + p
        for i in range(4 * p, 4 * p + 4):
            q = near[i]
            nearby[q] += change
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
    colour, head, _, size, pseudo_liberties, _, _, _, info = state
    captured = place_stone(near, state, p, mine)
    info[I_KO] = NOWHERE
    info[I_LAST] = p
    if captured:
        other = 3 - mine
        taken = 0
        last = NOWHERE
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
    info = state[8]
    for i in range(length):
        p = path[i]
        if p < 0:
            info[I_KO] = NOWHERE
            info[I_LAST] = NOWHERE
        else:
            play(near, state, p, mine)
        mine = 3 - mine
    return mine


def atari(near: Table, state: State, h: int) -> int:
    """Return the only liberty of the chain with head ``h``, NOWHERE if it is not in atari."""
    pairs_and_sum = state[4][h]
    pairs = pairs_and_sum // UNIT
    if pairs > 4 or pairs == 0:
        return NOWHERE
    p = (pairs_and_sum - pairs * UNIT) // pairs
    return p if is_only_liberty(near, state, h, p) else NOWHERE


def is_only_liberty(near: Table, state: State, h: int, p: int) -> bool:
    """Return whether ``p`` is empty and the chain with head ``h`` has no other liberty."""
    colour, head, _, _, pseudo_liberties, _, _, _, _ = state
    left = pseudo_liberties[h]
    if left > 4 * (UNIT + p) or colour[p]:
        return False
    for i in range(4 * p, 4 * p + 4):
        if head[near[i]] == h:
            left -= UNIT + p
    return left == 0


def liberties_after(near: Table, state: State, p: int, mine: int) -> int:
    """Return the liberties of the chain after a play at the empty point ``p``: 0, 1, or 2 for two and more.

    Of captured stones only those adjacent to ``p`` count as liberties.
    """
    colour, head, _, size, pseudo_liberties, _, _, _, _ = state
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
        elif c != OFF and is_only_liberty(near, state, head[q], p):
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
    """Return the number of stones that a play at ``p`` captures (a chain that touches it twice counts twice)."""
    colour, head, _, size, _, _, _, _, _ = state
    other = 3 - mine
    taken = 0
    for i in range(4 * p, 4 * p + 4):
        q = near[i]
        if colour[q] == other and is_only_liberty(near, state, head[q], p):
            taken += size[head[q]]
    return taken


def is_eye(diagonal: Table, state: State, p: int, mine: int) -> bool:
    """Return whether ``p``, all of whose neighbours are own, is an eye: at most one diagonal is the opponent's.

    On a board with edges, points off the board together count as one such diagonal.
    """
    colour = state[0]
    other = 3 - mine
    bad = 0
    edge = 0
    for i in range(4 * p, 4 * p + 4):
        c = colour[diagonal[i]]
        bad += c == other
        edge |= c == OFF
    return bad + edge < 2
