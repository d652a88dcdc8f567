"""The inputs that take longest to find, written to be compiled by numba: liberties, ladders and certain areas.

Plain Python over flat arrays, as the board of the playouts in :mod:`daoqi_tui.ai.playout.kernel`: sizes are arguments,
and nothing makes an array. :mod:`daoqi_tui.ai.katago.features` computes the same on the engine's board where numba is
not installed; tests compare the two.

The board is ``colour``, an entry a point and OFF at the index ``points``, with the table ``near`` of the four
neighbours of each point, filled up with ``points``. Chains are found by flooding, which costs less than upkeep for the
short chains of ladders. *Work* is a tuple of arrays, made by :func:`sizes`:

* ``colour``; ``mark`` and ``mark2``, where a point has been seen that holds the number of the flood at hand;
* ``stones``, ``free``: the stones and the liberties that a flood found;
* ``vacated``: for each point the colours that have lost a stone there, in the game or in the line being read;
* ``gone``: twice the stones captured by the moves of a line, one move after the other, and 1 more for each that stood
  where its colour had lost one before;
* ``trail``: three numbers for each move of a line: point, colour, and where its captures begin in ``gone``;
* ``frames``: FRAME numbers for each position of a line, named by the ``F_`` indices;
* ``tries``: the attackers in atari and the moves to try of those positions, one after the other;
* ``labels``, ``counts``: the weak chains and those in atari while ladders are read; for areas the first point and, at
  that point, the number of points of each chain and region;
* ``status``: for areas, at that point, whether the chain may be alive or the region vital;
* ``owned``: whose area a point is, as :func:`find_certain` says;
* ``info``: single numbers, named by the ``I_`` indices.

*Hashes* are ``keys``, a random number for each colour and point, and last one for the side to move; ``line``, the
hashes of the states of the line being read, in which none may come twice; ``faced``, those of the states of the game;
and ``states``, these states as :attr:`Board.key` has them, each from a new word of 64 bits on.

The history of the game is seldom asked: a play repeats a state only where its colour has lost a stone, and not while
the last stone of the game stands on a point that its colour never lost. So it is set up by :func:`remember` only when
it is wanted; until then the answer for a chain that it decides is DOUBTFUL.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import Any, Final, TypeAlias

Numbers: TypeAlias = MutableSequence[int]
Work: TypeAlias = tuple[
    Numbers,
    Numbers,
    Numbers,
    Numbers,
    Numbers,
    Numbers,
    Numbers,
    Numbers,
    Numbers,
    Numbers,
    Numbers,
    Numbers,
    Numbers,
    Numbers,
    Numbers,
]
Hashes: TypeAlias = tuple[Sequence[int], Numbers, Numbers, Numbers]

OFF: Final = 3
GAME: Final = 4
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
"""1 where suicide is legal."""
I_TURN: Final = 8
"""1 where states differ by the side to move."""
I_BUDGET: Final = 9
"""The most moves tried for one ladder."""
I_FACED: Final = 10
"""Entries in ``faced``, -1 while the history is not set up."""
INFO: Final = 11

MOST_FLOODS: Final = 1 << 30
"""From this number of a flood on, the next board begins again at 0: the numbers in ``mark`` have 32 bits."""

F_ATTACKING: Final = 0
F_CAPTURED: Final = 1
"""The answer, unless a move to try has another."""
F_ATARIS: Final = 2
F_MOVES: Final = 3
F_END: Final = 4
"""Where in ``tries`` the attackers in atari begin, the moves begin, and the moves end; the last is tried first."""
FRAME: Final = 5


def sizes(points: int, budget: int) -> tuple[int, ...]:
    """Return the lengths of the arrays of *work*."""
    return (
        *(points + 1,) * 3,
        points,
        points,
        points,
        points + budget + 8,
        3 * (budget + 8),
        FRAME * (budget + 4),
        16 * (points + budget),
        points,
        points,
        points,
        points,
        INFO,
    )


def liberties(near: Sequence[int], work: Work, p: int, most: int) -> int:
    """Flood the chain on ``p``; return the number of its liberties. The flood ends early at ``most``, if above 0."""
    colour, mark, stones, free, info = work[0], work[1], work[3], work[4], work[14]
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
    colour, stones, vacated, gone, info, keys = work[0], work[3], work[5], work[6], work[14], hashes[0]
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
    """Take back the last play or pass of the line."""
    colour, vacated, gone, trail, info = work[0], work[5], work[6], work[7], work[14]
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
    """Return CAPTURED if the game never had a state, ESCAPES if it had, or DOUBTFUL."""
    info, faced = work[14], hashes[2]
    for index in range(info[I_FACED]):
        if faced[index] == state:
            return ESCAPES
    return DOUBTFUL if info[I_FACED] < 0 else CAPTURED


def pass_turn(points: int, work: Work, hashes: Hashes) -> None:
    """Pass for the side to move."""
    trail, info, keys, line = work[7], work[14], hashes[0], hashes[1]
    trail[info[I_TRAIL]] = PASS
    info[I_TRAIL] += 3
    line[info[I_LINE]] = line[info[I_LINE] - 1] ^ keys[2 * points] * info[I_TURN]
    info[I_LINE] += 1


def play(points: int, near: Sequence[int], work: Work, hashes: Hashes, p: int, mine: int) -> int:
    """Play at the empty point ``p`` if that is certainly legal; return CAPTURED then, ESCAPES if not, or DOUBTFUL."""
    colour, vacated, trail, info, keys, line = work[0], work[5], work[7], work[14], hashes[0], hashes[1]
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


def room(near: Sequence[int], work: Work, chain: int, p: int, taken: int) -> int:
    """Return the liberties of a chain after it extends to ``p``, one of its last two liberties.

    ``chain`` is a stone of the chain, which a flood that did not end early has just seen; ``taken`` is the other
    liberty, where the opponent has a stone then, or -1.
    """
    colour, mark, mark2, free, info = work[0], work[1], work[2], work[4], work[14]
    mine = colour[chain]
    seen = mark[chain]
    flood = info[I_FLOOD] + 1
    info[I_FLOOD] = flood
    mark2[p] = flood
    if taken >= 0:
        mark2[taken] = flood
    count = 0
    for i in range(4 * p, 4 * p + 4):
        q = near[i]
        if colour[q] == 0:
            if mark2[q] != flood:
                mark2[q] = flood
                count += 1
        elif colour[q] == mine and mark[q] != seen:
            for index in range(liberties(near, work, q, 0)):
                f = free[index]
                if mark2[f] != flood:
                    mark2[f] = flood
                    count += 1
    return count


def list_ataris(near: Sequence[int], work: Work, depth: int, target: int, one: int, two: int) -> None:
    """List the attacker's moves against a chain with two liberties; the one that leaves fewer liberties stands last.

    The chain is the last that was flooded.
    """
    colour, vacated, frames, tries = work[0], work[5], work[8], work[9]
    defender = colour[target]
    first = room(near, work, target, two, one)
    second = room(near, work, target, one, two)
    end = frames[FRAME * depth + F_MOVES]
    # Where no stone of the defender has been, its extension to three liberties repeats nothing: no need to try.
    try_first = first <= 2 or vacated[two] & defender != 0
    try_second = second <= 2 or vacated[one] & defender != 0
    if try_second and try_first and second < first:
        tries[end] = one
        tries[end + 1] = two
        end += 2
    else:
        if try_second:
            tries[end] = two
            end += 1
        if try_first:
            tries[end] = one
            end += 1
    frames[FRAME * depth + F_END] = end


def keeps_last(near: Sequence[int], work: Work, target: int) -> bool:
    """Return whether the last stone of the game stands after any one move of the chain's side and the chain's capture.

    The chain is that on ``target``, in atari. Then no state of the game comes again.
    """
    colour, mark, info = work[0], work[1], work[14]
    last = info[I_LAST]
    if last < 0 or colour[last] != info[I_LAST_COLOUR]:
        return False
    if colour[last] != colour[target]:
        return liberties(near, work, last, 2) >= 2
    liberties(near, work, last, 0)
    return mark[target] != mark[last]


def may_forbid(points: int, work: Work, hashes: Hashes, target: int, escape: int) -> int:
    """Return CAPTURED if superko may forbid the capture of a chain by a play at ``escape``, else ESCAPES, or DOUBTFUL.

    It may where a state of the game had the attacker's stone there and no chain of this colour on ``target``.
    """
    colour, info, states = work[0], work[14], hashes[3]
    defender = colour[target]
    words = (2 * points >> 6) + 1
    turn = (defender - 1) * info[I_TURN]
    own = (defender - 1) * points + target
    other = (2 - defender) * points + escape
    for index in range(info[I_FACED]):
        at = index * words
        if bit(states, at, own) == 0 and bit(states, at, other) == 1 and bit(states, at, 2 * points) == turn:
            return CAPTURED
    return DOUBTFUL if info[I_FACED] < 0 else ESCAPES


def add_elsewhere(points: int, work: Work, depth: int) -> bool:
    """Add every other empty point and the pass, to be tried last; return whether there is no room."""
    colour, frames, tries = work[0], work[8], work[9]
    start = frames[FRAME * depth + F_MOVES]
    end = frames[FRAME * depth + F_END]
    if end + points + 1 > len(tries):
        return True
    at = end
    tries[at] = PASS
    at += 1
    for p in range(points):
        if colour[p] == 0:
            listed = False
            for index in range(start, end):
                listed = listed or tries[index] == p
            if not listed:
                tries[at] = p
                at += 1
    # The moves listed before come after these: the three reversals of a rotation.
    reverse(tries, start, end)
    reverse(tries, end, at)
    reverse(tries, start, at)
    frames[FRAME * depth + F_END] = at
    return False


def reverse(tries: Numbers, left: int, end: int) -> None:
    """Reverse the entries from ``left`` on, before ``end``."""
    right = end - 1
    while left < right:
        tries[left], tries[right] = tries[right], tries[left]
        left += 1
        right -= 1


def list_defences(points: int, near: Sequence[int], work: Work, hashes: Hashes, depth: int, target: int) -> int:
    """List the moves that may save a chain in atari, the extension last.

    Returns:
        CAPTURED; ESCAPES where the chain is not in atari; DOUBTFUL where the history may matter.
    """
    colour, mark2, stones, free, vacated = work[0], work[2], work[3], work[4], work[5]
    frames, tries, info = work[8], work[9], work[14]
    base = FRAME * depth
    attacker = 3 - colour[target]
    if liberties(near, work, target, 2) != 1:
        return ESCAPES
    escape = free[0]
    flood = info[I_FLOOD]
    for index in range(info[I_STONES]):
        mark2[stones[index]] = flood
    forbidden = ESCAPES
    if vacated[escape] & attacker and not keeps_last(near, work, target):
        forbidden = may_forbid(points, work, hashes, target, escape)
        if forbidden == DOUBTFUL:
            return DOUBTFUL
    kept = frames[base + F_ATARIS]
    for index in range(kept, frames[base + F_MOVES]):
        stone = tries[index]
        if colour[stone] == attacker and liberties(near, work, stone, 2) == 1:
            tries[kept] = stone
            kept += 1
    frames[base + F_MOVES] = kept
    tries[kept] = escape
    end = kept + 1
    for index in range(frames[base + F_ATARIS], kept):
        liberties(near, work, tries[index], 0)
        capture = free[0]
        known = False
        for at in range(kept, end):
            known = known or tries[at] == capture
        if not known:
            touches = False
            for at in range(info[I_STONES]):
                for i in range(4 * stones[at], 4 * stones[at] + 4):
                    touches = touches or mark2[near[i]] == flood
            if touches:
                tries[end] = capture
                end += 1
    frames[base + F_END] = end
    reverse(tries, kept, end)
    if forbidden == CAPTURED and add_elsewhere(points, work, depth):
        return DOUBTFUL
    return CAPTURED


def open_frame(work: Work, depth: int, attacking: int) -> bool:
    """Begin the position after that at ``depth``, with its attackers in atari; return whether there is no room."""
    frames, tries = work[8], work[9]
    base = FRAME * depth
    start = frames[base + F_END]
    count = frames[base + F_MOVES] - frames[base + F_ATARIS]
    # Up to six more attackers, and as many moves as attackers.
    if start + 2 * (count + 8) > len(tries):
        return True
    for index in range(count):
        tries[start + index] = tries[frames[base + F_ATARIS] + index]
    base += FRAME
    frames[base + F_ATTACKING] = attacking
    frames[base + F_CAPTURED] = 1 - attacking
    frames[base + F_ATARIS] = start
    frames[base + F_MOVES] = start + count
    frames[base + F_END] = start + count
    return False


def add_atari(near: Sequence[int], work: Work, depth: int, stone: int) -> None:
    """Add the attacking chain on ``stone`` to those of the position at ``depth`` if it is in atari."""
    frames, tries = work[8], work[9]
    if liberties(near, work, stone, 2) == 1:
        at = frames[FRAME * depth + F_MOVES]
        tries[at] = stone
        frames[FRAME * depth + F_MOVES] = at + 1


def is_captured(points: int, near: Sequence[int], work: Work, hashes: Hashes, target: int, attackers: int) -> int:
    """Return whether a ladder captures the chain in atari on ``target``, which moves first.

    ``tries`` begins with ``attackers`` attacking chains in atari, in the order of their liberties.
    """
    colour, free, frames, tries, info = work[0], work[4], work[8], work[9], work[14]
    defender = colour[target]
    attacker = 3 - defender
    begin = info[I_TRAIL]
    frames[F_ATTACKING] = 0
    frames[F_CAPTURED] = 1
    frames[F_ATARIS] = 0
    frames[F_MOVES] = attackers
    depth = 0
    nodes = 0
    answer = -1
    if list_defences(points, near, work, hashes, 0, target) == DOUBTFUL:
        return DOUBTFUL
    while answer < 0:
        base = FRAME * depth
        attacking = frames[base + F_ATTACKING]
        end = frames[base + F_END]
        captured = -1
        if end > frames[base + F_MOVES]:
            if nodes == info[I_BUDGET]:
                answer = ESCAPES
                continue
            end -= 1
            frames[base + F_END] = end
            move = tries[end]
            legal = CAPTURED
            if move == PASS:
                pass_turn(points, work, hashes)
            else:
                legal = play(points, near, work, hashes, move, attacker if attacking else defender)
            if legal == DOUBTFUL:
                answer = DOUBTFUL
            if legal != CAPTURED:
                continue
            nodes += 1
            if attacking:
                if open_frame(work, depth, 0):
                    answer = DOUBTFUL
                    continue
                add_atari(near, work, depth + 1, move)
                listed = list_defences(points, near, work, hashes, depth + 1, target)
                if listed == DOUBTFUL:
                    answer = DOUBTFUL
                elif listed == ESCAPES:
                    # The attacker's own suicide gave no atari.
                    undo(work)
                else:
                    depth += 1
                continue
            if colour[target] != defender:
                undo(work)
                continue
            count = liberties(near, work, target, 3)
            if count == 2:
                if open_frame(work, depth, 1):
                    answer = DOUBTFUL
                    continue
                depth += 1
                one = min(free[0], free[1])
                two = max(free[0], free[1])
                if move != PASS:
                    for i in range(4 * move, 4 * move + 4):
                        if colour[near[i]] == attacker:
                            add_atari(near, work, depth, near[i])
                list_ataris(near, work, depth, target, one, two)
                continue
            captured = 0
            if count == 1:
                legal = play(points, near, work, hashes, free[0], attacker)
                if legal == DOUBTFUL:
                    answer = DOUBTFUL
                    continue
                if legal == CAPTURED:
                    undo(work)
                    captured = 1
            undo(work)
        else:
            captured = frames[base + F_CAPTURED]
            if depth == 0:
                answer = captured
                continue
            undo(work)
            depth -= 1
        base = FRAME * depth
        if captured == frames[base + F_ATTACKING]:
            frames[base + F_END] = frames[base + F_MOVES]
            frames[base + F_CAPTURED] = captured
    while info[I_TRAIL] > begin:
        undo(work)
    return answer


def list_attackers(points: int, near: Sequence[int], work: Work, attacker: int, more: int) -> int:
    """List the chains of ``attacker`` in atari in ``tries``, by their liberties; return their number.

    Those at the start of the reading stand in ``counts``, the number of them last; ``more`` is a stone played since,
    or -1.
    """
    colour, free, tries, counts = work[0], work[4], work[9], work[11]
    number = 0
    for index in range(counts[points - 1] + 1):
        stone = more
        if index < counts[points - 1]:
            stone = counts[index]
        if stone < 0 or colour[stone] != attacker or liberties(near, work, stone, 2) != 1:
            continue
        liberty = free[0]
        at = number
        while at > 0:
            liberties(near, work, tries[at - 1], 2)
            if free[0] <= liberty:
                break
            tries[at] = tries[at - 1]
            at -= 1
        tries[at] = stone
        number += 1
    return number


def works(points: int, near: Sequence[int], work: Work, hashes: Hashes, target: int, p: int, passes: bool) -> int:
    """Return whether the opponent's play at ``p`` begins a ladder that captures the chain on ``target``."""
    colour, info, keys, line = work[0], work[14], hashes[0], hashes[1]
    attacker = 3 - colour[target]
    if passes:
        line[info[I_LINE]] = line[info[I_LINE] - 1] ^ keys[2 * points] * info[I_TURN]
        info[I_LINE] += 1
    answer = play(points, near, work, hashes, p, attacker)
    if answer == CAPTURED:
        answer = ESCAPES
        if colour[p] != 0 and liberties(near, work, target, 2) == 1:
            attackers = list_attackers(points, near, work, attacker, p)
            answer = is_captured(points, near, work, hashes, target, attackers)
        undo(work)
    info[I_LINE] -= passes
    return answer


def ladders(
    points: int,
    near: Sequence[int],
    work: Work,
    hashes: Hashes,
    to_move: int,
    found: Any,
) -> int:
    """Read the ladders of the board; return the number of chains whose answer is doubtful, as :func:`read_chains`."""
    colour, mark2, stones, labels, counts, info = work[0], work[2], work[3], work[10], work[11], work[14]
    number = 0
    # All chains in atari, which every reading begins with, and one stone of each chain with two liberties at most.
    weak = 0
    scan = info[I_FLOOD] + 1
    info[I_FLOOD] = scan
    for p in range(points):
        if colour[p] and mark2[p] != scan:
            count = liberties(near, work, p, 0)
            for index in range(info[I_STONES]):
                mark2[stones[index]] = scan
            if count <= 2:
                labels[weak] = p
                weak += 1
                if count == 1:
                    counts[number] = p
                    number += 1
    counts[points - 1] = number
    return read_chains(points, near, work, hashes, to_move, found, weak)


def read_chains(
    points: int,
    near: Sequence[int],
    work: Work,
    hashes: Hashes,
    to_move: int,
    found: Any,
    weak: int,
) -> int:
    """Read the ladders of the first ``weak`` chains of ``labels``; return how many stay there, since in doubt.

    Row 0 of ``found`` gets the stones that a ladder captures, row 1 the plays of the side to move that begin one.
    """
    colour, stones, free, labels, info, line = work[0], work[3], work[4], work[10], work[14], hashes[1]
    doubtful = 0
    state = line[0]
    for mine in range(1, 3):
        for at in range(weak):
            p = labels[at]
            if p < 0 or colour[p] != mine:
                continue
            info[I_LINE] = 1
            answer = ESCAPES
            if liberties(near, work, p, 0) == 1:
                escape = free[0]
                if room(near, work, p, escape, -1) < 3:
                    passes = to_move != mine
                    if passes:
                        line[1] = state ^ hashes[0][2 * points] * info[I_TURN]
                        info[I_LINE] = 2
                    attackers = list_attackers(points, near, work, 3 - mine, -1)
                    answer = is_captured(points, near, work, hashes, p, attackers)
            else:
                one = min(free[0], free[1])
                two = max(free[0], free[1])
                for turn in range(2):
                    atari = two if turn else one
                    left = one if turn else two
                    liberties(near, work, p, 0)
                    if room(near, work, p, left, atari) < 3:
                        begins = works(points, near, work, hashes, p, atari, to_move == mine)
                        if begins == CAPTURED and mine != to_move:
                            found[1, atari] = 1.0
                        answer = max(answer, begins)
            if answer == CAPTURED:
                liberties(near, work, p, 0)
                for index in range(info[I_STONES]):
                    found[0, stones[index]] = 1.0
            elif answer == DOUBTFUL:
                labels[at] = -1 - p
    for at in range(weak):
        if labels[at] < 0:
            labels[doubtful] = -1 - labels[at]
            doubtful += 1
    return doubtful


def fill_stones(points: int, near: Sequence[int], work: Work, to_move: int, planes: Any, first: int) -> None:
    """Set the planes of the board itself.

    Plane 0 is the board, 1 has the stones of the side to move, 2 the others; the three from ``first`` on, if that is
    above 0, the stones of chains with one, two and three liberties.
    """
    colour, mark2, stones, info = work[0], work[2], work[3], work[14]
    scan = info[I_FLOOD] + 1
    info[I_FLOOD] = scan
    for p in range(points):
        planes[p, 0] = 1.0
        if colour[p]:
            planes[p, 1 + (colour[p] != to_move)] = 1.0
            if first > 0 and mark2[p] != scan:
                found = liberties(near, work, p, 0)
                for index in range(info[I_STONES]):
                    mark2[stones[index]] = scan
                    if found <= 3:
                        planes[stones[index], first + found - 1] = 1.0


def flood(near: Sequence[int], work: Work, p: int, mine: int) -> int:
    """List in ``stones`` the chain of ``mine`` on ``p``, or the region without stones of ``mine``; return its size."""
    colour, mark, stones, info = work[0], work[1], work[3], work[14]
    number = info[I_FLOOD] + 1
    info[I_FLOOD] = number
    own = colour[p] == mine
    mark[p] = number
    stones[0] = p
    count = 1
    at = 0
    while at < count:
        s = stones[at]
        at += 1
        for i in range(4 * s, 4 * s + 4):
            q = near[i]
            if mark[q] != number and colour[q] != OFF and (colour[q] == mine) == own:
                mark[q] = number
                stones[count] = q
                count += 1
    return count


def vital_regions(near: Sequence[int], work: Work, p: int, mine: int) -> int:
    """Return how many of the regions not yet ruled out lie beside the chain on ``p`` with all their points."""
    colour, mark2, stones, free = work[0], work[2], work[3], work[4]
    labels, counts, status, info = work[10], work[11], work[12], work[14]
    count = flood(near, work, p, mine)
    number = info[I_FLOOD]
    seen = 0
    for index in range(count):
        for i in range(4 * stones[index], 4 * stones[index] + 4):
            q = near[i]
            if colour[q] != mine and colour[q] != OFF and mark2[q] != number:
                mark2[q] = number
                free[seen] = q
                seen += 1
                counts[labels[q]] -= 1
    vital = 0
    for index in range(seen):
        # A region all beside the chain is counted at its first point.
        region = free[index]
        if labels[region] == region and counts[region] == 0 and status[region] != 0:
            vital += 1
    for index in range(seen):
        counts[labels[free[index]]] += 1
    return vital


def find_certain(points: int, near: Sequence[int], work: Work, mine: int) -> None:
    """Add to ``owned`` what is certainly of the colour ``mine``.

    That is ``mine`` for pass-alive chains (Benson 1976) and regions they alone surround where the opponent cannot live,
    and ``mine * GAME`` for empty regions that touch no other colour.
    """
    colour, stones, labels, counts, status, owned = work[0], work[3], work[10], work[11], work[12], work[13]
    for p in range(points):
        labels[p] = -1
    chains = 0
    regions = 0
    for p in range(points):
        if labels[p] < 0:
            count = flood(near, work, p, mine)
            for index in range(count):
                labels[stones[index]] = p
            counts[p] = count
            status[p] = 1
            if colour[p] == mine:
                chains += 1
            else:
                regions += 1
    if chains == 0:
        return
    alive = chains
    if regions < 2:
        alive = 0
    changed = alive > 0
    while changed:
        changed = False
        for p in range(points):
            if labels[p] == p and colour[p] == mine and status[p] != 0 and vital_regions(near, work, p, mine) < 2:
                status[p] = 0
                alive -= 1
                changed = True
                for index in range(flood(near, work, p, mine)):
                    for i in range(4 * stones[index], 4 * stones[index] + 4):
                        q = near[i]
                        if colour[q] != mine and colour[q] != OFF:
                            status[labels[q]] = 0
    for p in range(points):
        if labels[p] != p:
            continue
        if colour[p] == mine:
            if alive > 0 and status[p] != 0:
                for index in range(flood(near, work, p, mine)):
                    owned[stones[index]] |= mine
            continue
        empty = True
        safe = alive > 0
        far = 0
        count = flood(near, work, p, mine)
        for index in range(count):
            s = stones[index]
            empty = empty and colour[s] == 0
            beside = False
            for i in range(4 * s, 4 * s + 4):
                q = near[i]
                if colour[q] == mine:
                    beside = True
                    safe = safe and status[labels[q]] != 0
            if not beside:
                far += 1
        sign = 0
        if empty:
            sign = mine * GAME
        if safe and (empty or far <= 1):
            sign |= mine
        for index in range(count):
            owned[stones[index]] |= sign


def fill_areas(
    points: int,
    near: Sequence[int],
    work: Work,
    to_move: int,
    planes: Any,
    first: int,
    only_safe: bool,
) -> None:
    """Set plane ``first`` for the area of the side to move, and the next for the opponent's."""
    colour, owned = work[0], work[13]
    for p in range(points):
        owned[p] = 0
    find_certain(points, near, work, 1)
    find_certain(points, near, work, 2)
    for p in range(points):
        for mine in range(1, 3):
            sure = owned[p] & mine != 0
            if not only_safe and owned[p] & 3 == 0:
                sure = colour[p] == mine or owned[p] & (mine * GAME) != 0
            if sure:
                planes[p, first + (mine != to_move)] = 1.0


def fill(
    points: int,
    near: Sequence[int],
    work: Work,
    to_move: int,
    planes: Any,
    few: int,
    area: int,
    only_safe: bool,
) -> None:
    """Set the planes as :func:`fill_stones` with ``few`` and, where ``area`` is above 0, :func:`fill_areas` do."""
    fill_stones(points, near, work, to_move, planes, few)
    if area > 0:
        fill_areas(points, near, work, to_move, planes, area, only_safe)


def bit(words: Sequence[int], at: int, index: int) -> int:
    """Return a bit of an integer whose words of 64 bits, the lowest first, begin at ``at``."""
    return words[at + (index >> 6)] >> (index & 63) & 1


def remember(points: int, work: Work, hashes: Hashes, known: int, count: int) -> None:
    """Set up the history: the ``count`` faced states in ``states``, of which the first ``known`` have hashes."""
    info, keys, faced, states = work[14], hashes[0], hashes[2], hashes[3]
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
    colour, mark, mark2, vacated, info = work[0], work[1], work[2], work[5], work[14]
    keys, line = hashes[0], hashes[1]
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
