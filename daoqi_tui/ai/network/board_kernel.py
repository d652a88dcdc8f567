"""The board for computing the network's inputs, written for numba: chains, plays with their legality, and undo.

Plain Python over flat arrays: sizes are arguments, and nothing allocates an array.
:mod:`~daoqi_tui.ai.network.reading_kernel` reads ladders on it, and finds liberties and areas.
:mod:`daoqi_tui.ai.network.features` computes the same on the engine's board where numba is not installed; tests compare
the two.

``near`` is the table of the four neighbours of each point, padded with ``points``, the index that stands for everything
off the board. Chains are found by flood fill, which is cheaper than incremental updates for the short chains of
ladders.

The history of the game is rarely needed: a play can repeat a state only where its colour has lost a stone, and not
while the last stone of the game is on a point that its colour never lost. So :func:`remember` sets it up only on
demand; until then, the answer for a play that depends on it is DOUBTFUL.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import Final, NamedTuple, TypeAlias

Numbers: TypeAlias = MutableSequence[int]

OFF: Final = 3
ESCAPES: Final = 0
CAPTURED: Final = 1
DOUBTFUL: Final = 2
"""Answers for a chain and, of :func:`play`, illegal, legal and doubtful."""
PASS: Final = -1

I_FLOOD: Final = 0
"""The number of the last flood."""
I_STONES: Final = 1
"""Entries in ``stones``, and likewise in ``gone``, ``trail`` and ``line``."""
I_GONE: Final = 2
I_TRAIL: Final = 3
I_LINE: Final = 4
I_LAST: Final = 5
"""The last stone of the game, if its colour never lost one there; else -1."""
I_LAST_COLOUR: Final = 6
I_SUICIDE: Final = 7
I_TURN: Final = 8
"""1 where states differ by the side to move."""
I_BUDGET: Final = 9
I_FACED: Final = 10
"""Entries in ``faced``, -1 while the history is not set up."""
INFO: Final = 11

MOST_FLOODS: Final = 1 << 30
"""Flood numbers restart at 0 on the next board after reaching this: the numbers in ``mark`` have 32 bits."""


class Work(NamedTuple):
    """The arrays of a board, with one entry per point unless stated otherwise.

    Attributes:
        colour: EMPTY, BLACK or WHITE, and OFF at the index ``points``.
        mark, mark2: the number of the last flood that visited a point; also at the index ``points``.
        stones, free: the stones and the liberties that a flood found.
        vacated: the colours that have lost a stone there, in the game or in the line being read.
        gone: the points of stones captured by the moves of a line, in order, doubled, plus 1 if their colour had lost a
            stone there before.
        trail: three numbers for each move of a line: point, colour, and where its captures begin in ``gone``.
        frames: for ladders, FRAME numbers for each position of a line, named by the ``F_`` indices.
        tries: the attackers in atari and the moves to try of those positions, one after the other.
        labels, counts: the weak chains and those in atari while ladders are read; for areas the first point and, at
            that point, the number of points of each chain and region.
        status: for areas, at that point, whether the chain may be alive, or the opponent cannot live in the region.
        owned: whose area a point is, as :func:`~daoqi_tui.ai.network.reading_kernel.find_certain` says.
        info: INFO single numbers, named by the ``I_`` indices.
    """

    colour: Numbers
    mark: Numbers
    mark2: Numbers
    stones: Numbers
    free: Numbers
    vacated: Numbers
    gone: Numbers
    trail: Numbers
    frames: Numbers
    tries: Numbers
    labels: Numbers
    counts: Numbers
    status: Numbers
    owned: Numbers
    info: Numbers


class Hashes(NamedTuple):
    """The hashes of states of the board.

    Attributes:
        keys: a random number for each colour and point, and a last one for the side to move.
        line: the states of the line being read, none of which may repeat.
        faced: the states of the game.
        states: these states as in :attr:`Board.key`, each starting at a new word of 64 bits.
    """

    keys: Sequence[int]
    line: Numbers
    faced: Numbers
    states: Numbers


def liberties(near: Sequence[int], work: Work, p: int, most: int) -> int:
    """Flood the chain on ``p``; return the number of its liberties. The flood stops at ``most`` if above 0."""
    colour, mark, stones, free, info = work.colour, work.mark, work.stones, work.free, work.info
    flood = info[I_FLOOD] + 1
    info[I_FLOOD] = flood
    mine = colour[p]
    mark[p] = flood
    stones[0] = p
    count = 1
    found = 0
    at = 0
    while at < count:
        s = stones[at]
        at += 1
        for i in range(4 * s, 4 * s + 4):
            q = near[i]
            if mark[q] != flood:
                c = colour[q]
                if c == mine:
                    mark[q] = flood
                    stones[count] = q
                    count += 1
                elif c == 0:
                    mark[q] = flood
                    free[found] = q
                    found += 1
                    if found == most:
                        info[I_STONES] = count
                        return found
    info[I_STONES] = count
    return found


def remove(points: int, work: Work, hashes: Hashes, state: int) -> int:
    """Remove the chain that was flooded last; return the hash of the state without it."""
    colour, stones, vacated, gone, info = work.colour, work.stones, work.vacated, work.gone, work.info
    keys = hashes.keys
    at = info[I_GONE]
    for index in range(info[I_STONES]):
        s = stones[index]
        c = colour[s]
        state ^= keys[(c - 1) * points + s]
        gone[at] = 2 * s
        if vacated[s] & c:
            gone[at] += 1
        vacated[s] |= c
        colour[s] = 0
        at += 1
    info[I_GONE] = at
    return state


def undo(work: Work) -> None:
    colour, vacated, gone, trail, info = work.colour, work.vacated, work.gone, work.trail, work.info
    info[I_LINE] -= 1
    at = info[I_TRAIL] - 3
    info[I_TRAIL] = at
    p = trail[at]
    if p == PASS:
        return
    mine = trail[at + 1]
    start = trail[at + 2]
    lost = 3 - mine
    if colour[p] == 0:
        lost = mine
    for index in range(start, info[I_GONE]):
        s = gone[index] >> 1
        colour[s] = lost
        if gone[index] & 1 == 0:
            vacated[s] ^= lost
    info[I_GONE] = start
    colour[p] = 0


def repeats(work: Work, hashes: Hashes, state: int) -> int:
    """Return CAPTURED if a state never occurred in the game, ESCAPES if it did, or DOUBTFUL."""
    info, faced = work.info, hashes.faced
    for index in range(info[I_FACED]):
        if faced[index] == state:
            return ESCAPES
    return DOUBTFUL if info[I_FACED] < 0 else CAPTURED


def pass_turn(points: int, work: Work, hashes: Hashes) -> None:
    trail, info, keys, line = work.trail, work.info, hashes.keys, hashes.line
    trail[info[I_TRAIL]] = PASS
    info[I_TRAIL] += 3
    line[info[I_LINE]] = line[info[I_LINE] - 1] ^ keys[2 * points] * info[I_TURN]
    info[I_LINE] += 1


def play(points: int, near: Sequence[int], work: Work, hashes: Hashes, p: int, mine: int) -> int:
    """Play at the empty point ``p`` if that is certainly legal; return CAPTURED then, ESCAPES if not, or DOUBTFUL."""
    colour, vacated, trail, info = work.colour, work.vacated, work.trail, work.info
    keys, line = hashes.keys, hashes.line
    at = info[I_TRAIL]
    trail[at] = p
    trail[at + 1] = mine
    trail[at + 2] = info[I_GONE]
    info[I_TRAIL] = at + 3
    was_lost = vacated[p] & mine
    state = line[info[I_LINE] - 1] ^ keys[(mine - 1) * points + p]
    if info[I_TURN]:
        state ^= keys[2 * points]
    colour[p] = mine
    other = 3 - mine
    lives = False
    for i in range(4 * p, 4 * p + 4):
        q = near[i]
        c = colour[q]
        if c == 0:
            lives = True
        elif c == other and liberties(near, work, q, 1) == 0:
            state = remove(points, work, hashes, state)
            lives = True
    suicide = not lives and liberties(near, work, p, 1) == 0
    if suicide:
        state = remove(points, work, hashes, state)
    answer = CAPTURED
    if suicide and not info[I_SUICIDE]:
        answer = ESCAPES
    else:
        for index in range(info[I_LINE]):
            if line[index] == state:
                answer = ESCAPES
        if answer == CAPTURED and (suicide or was_lost):
            last = info[I_LAST]
            if last < 0 or colour[last] != info[I_LAST_COLOUR]:
                answer = repeats(work, hashes, state)
    line[info[I_LINE]] = state
    info[I_LINE] += 1
    if answer != CAPTURED:
        undo(work)
    return answer


def bit(words: Sequence[int], at: int, index: int) -> int:
    """Return a bit of an integer whose words of 64 bits, the lowest first, begin at ``at``."""
    return words[at + (index >> 6)] >> (index & 63) & 1


def remember(points: int, work: Work, hashes: Hashes, known: int, count: int) -> None:
    """Set up the history: the ``count`` faced states in ``states``, of which the first ``known`` have hashes."""
    info, keys, faced, states = work.info, hashes.keys, hashes.faced, hashes.states
    words = (2 * points >> 6) + 1
    for index in range(known, count):
        state = keys[2 * points] * bit(states, index * words, 2 * points)
        for p in range(2 * points):
            state ^= keys[p] * bit(states, index * words, p)
        faced[index] = state
    info[I_FACED] = count


def load(points: int, work: Work, hashes: Hashes, position: Sequence[int], to_move: int, last: int) -> None:
    """Set up a board.

    Args:
        points: of the board.
        work, hashes: to be filled; ``info`` has the rules already.
        position: a bit for each point with a stone of Black, then of White, and for each that lost a stone of Black in
            the game, then of White; in words of 64 bits.
        to_move: the side to move.
        last: the point of the last stone of the game if no earlier state has it, else -1.
    """
    colour, mark, mark2, vacated, info = work.colour, work.mark, work.mark2, work.vacated, work.info
    keys, line = hashes.keys, hashes.line
    if info[I_FLOOD] >= MOST_FLOODS:
        info[I_FLOOD] = 0
        for p in range(points + 1):
            mark[p] = 0
            mark2[p] = 0
    state = keys[2 * points] * info[I_TURN] * (to_move - 1)
    for p in range(points):
        c = bit(position, 0, p) + 2 * bit(position, 0, points + p)
        colour[p] = c
        if c:
            state ^= keys[(c - 1) * points + p]
        vacated[p] = bit(position, 0, 2 * points + p) + 2 * bit(position, 0, 3 * points + p)
    colour[points] = OFF
    info[I_FACED] = -1
    line[0] = state
    info[I_LINE] = 1
    info[I_GONE] = 0
    info[I_TRAIL] = 0
    info[I_LAST] = -1
    if last >= 0:
        info[I_LAST] = last
        info[I_LAST_COLOUR] = colour[last]
