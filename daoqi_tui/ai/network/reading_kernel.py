"""The network's inputs that need reading, written for numba: ladders, stones, liberties and certain areas.

It works on the arrays of :mod:`~daoqi_tui.ai.network.board_kernel`. If the history decides a ladder and is not set up,
the answer for the chain is DOUBTFUL.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from daoqi_tui.ai.network.board_kernel import (
    CAPTURED,
    DOUBTFUL,
    ESCAPES,
    I_BUDGET,
    I_FACED,
    I_FLOOD,
    I_LAST,
    I_LAST_COLOUR,
    I_LINE,
    I_STONES,
    I_SUICIDE,
    I_TRAIL,
    I_TURN,
    OFF,
    PASS,
    Hashes,
    Numbers,
    Work,
    bit,
    liberties,
    load,
    pass_turn,
    play,
    undo,
)

F_ATTACKING: Final = 0
F_CAPTURED: Final = 1
"""The answer, unless one of the moves to try gives another."""
F_ATARIS: Final = 2
F_MOVES: Final = 3
F_END: Final = 4
"""Indices in ``tries`` of the first attacker in atari, the first move, and the end; the last move is tried first."""
FRAME: Final = 5


def room(near: Sequence[int], work: Work, chain: int, p: int, taken: int) -> int:
    """Return the liberties of a chain after it extends to ``p``, one of its last two liberties.

    ``chain`` is a stone of the chain, which a complete flood has just visited; ``taken`` is the other liberty, where
    the opponent will have a stone, or -1.
    """
    colour, mark, mark2, free, info = work.colour, work.mark, work.mark2, work.free, work.info
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
    """List the attacker's moves against a chain with two liberties; the one that leaves fewer liberties is last.

    The chain is the one that was flooded last.
    """
    colour, vacated, frames, tries = work.colour, work.vacated, work.frames, work.tries
    defender = colour[target]
    first = room(near, work, target, two, one)
    second = room(near, work, target, one, two)
    end = frames[FRAME * depth + F_MOVES]
    # Where the defender never had a stone, its extension to three liberties cannot repeat a state: no need to try.
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
    """Return whether the game's last stone survives any one move of the chain's side and the chain's capture.

    The chain is the one on ``target``, in atari. If so, no state of the game can recur.
    """
    colour, mark, info = work.colour, work.mark, work.info
    last = info[I_LAST]
    if last < 0 or colour[last] != info[I_LAST_COLOUR]:
        return False
    if colour[last] != colour[target]:
        return liberties(near, work, last, 2) >= 2
    liberties(near, work, last, 0)
    return mark[target] != mark[last]


def may_forbid(points: int, work: Work, hashes: Hashes, target: int, escape: int) -> int:
    """Return CAPTURED if superko may forbid the capture of a chain by a play at ``escape``, else ESCAPES, or DOUBTFUL.

    It may if a state of the game had the attacker's stone there and no chain of this colour on ``target``.
    """
    colour, info, states = work.colour, work.info, hashes.states
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
    """Add every other empty point and the pass, to be tried last; return whether the array is full."""
    colour, frames, tries = work.colour, work.frames, work.tries
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
    # Move the earlier moves behind these: a rotation by three reversals.
    reverse(tries, start, end)
    reverse(tries, end, at)
    reverse(tries, start, at)
    frames[FRAME * depth + F_END] = at
    return False


def reverse(tries: Numbers, left: int, end: int) -> None:
    right = end - 1
    while left < right:
        tries[left], tries[right] = tries[right], tries[left]
        left += 1
        right -= 1


def list_defences(points: int, near: Sequence[int], work: Work, hashes: Hashes, depth: int, target: int) -> int:
    """List the moves that may save a chain in atari, the extension last.

    Returns:
        CAPTURED; ESCAPES if the chain is not in atari; DOUBTFUL if the history may matter.
    """
    colour, mark2, stones, free, vacated = work.colour, work.mark2, work.stones, work.free, work.vacated
    frames, tries, info = work.frames, work.tries, work.info
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
    # The moves begin behind the attackers listed so far, of which those no longer in atari drop out.
    kept = frames[base + F_ATARIS]
    start = frames[base + F_MOVES]
    tries[start] = escape
    end = start + 1
    for index in range(kept, start):
        stone = tries[index]
        if colour[stone] != attacker or liberties(near, work, stone, 2) != 1:
            continue
        tries[kept] = stone
        kept += 1
        capture = free[0]
        known = False
        for at in range(start, end):
            known = known or tries[at] == capture
        if not known:
            touches = False
            for at in range(info[I_STONES]):
                for i in range(4 * stones[at], 4 * stones[at] + 4):
                    touches = touches or mark2[near[i]] == flood
            if touches:
                tries[end] = capture
                end += 1
    for at in range(start, end):
        tries[kept + at - start] = tries[at]
    end += kept - start
    frames[base + F_MOVES] = kept
    frames[base + F_END] = end
    reverse(tries, kept, end)
    if forbidden == CAPTURED and add_elsewhere(points, work, depth):
        return DOUBTFUL
    return CAPTURED


def open_frame(work: Work, depth: int, attacking: int) -> bool:
    """Begin the position after the one at ``depth``, with its attackers in atari; return whether it does not fit."""
    frames, tries = work.frames, work.tries
    base = FRAME * depth
    start = frames[base + F_END]
    count = frames[base + F_MOVES] - frames[base + F_ATARIS]
    # Room for up to six more attackers, and as many moves as attackers.
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
    frames, tries = work.frames, work.tries
    if liberties(near, work, stone, 2) == 1:
        at = frames[FRAME * depth + F_MOVES]
        tries[at] = stone
        frames[FRAME * depth + F_MOVES] = at + 1


def is_captured(points: int, near: Sequence[int], work: Work, hashes: Hashes, target: int, attackers: int) -> int:
    """Return whether a ladder captures the chain in atari on ``target``, whose side moves first.

    ``tries`` begins with ``attackers`` attacking chains in atari, in the order of their liberties.
    """
    colour, free, frames, tries, info = work.colour, work.free, work.frames, work.tries, work.info
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
                    # The attacker's move was suicide and gave no atari.
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

    Those at the start of the reading are in ``counts``, with their number last; ``more`` is a stone played since,
    or -1.
    """
    colour, free, tries, counts = work.colour, work.free, work.tries, work.counts
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
    colour, info, keys, line = work.colour, work.info, hashes.keys, hashes.line
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


def list_weak(points: int, near: Sequence[int], work: Work, planes: Any, first: int) -> int:
    """List one stone of each chain with at most two liberties in ``labels``, and of those in atari in ``counts``.

    If ``first`` is above 0, the three planes from there get the stones of chains with one, two and three liberties.

    Returns:
        The number of chains in ``labels``; that of those in atari stands last in ``counts``.
    """
    colour, mark2, stones, info = work.colour, work.mark2, work.stones, work.info
    labels, counts = work.labels, work.counts
    weak = 0
    number = 0
    scan = info[I_FLOOD] + 1
    info[I_FLOOD] = scan
    for p in range(points):
        if colour[p] and mark2[p] != scan:
            count = liberties(near, work, p, 0)
            for index in range(info[I_STONES]):
                mark2[stones[index]] = scan
                if first > 0 and count <= 3:
                    planes[stones[index], first + count - 1] = 1.0
            if count <= 2:
                labels[weak] = p
                weak += 1
                if count == 1:
                    counts[number] = p
                    number += 1
    counts[points - 1] = number
    return weak


def load_and_read(
    points: int,
    near: Sequence[int],
    work: Work,
    hashes: Hashes,
    position: Sequence[int],
    to_move: int,
    last: int,
    found: Any,
) -> int:
    """Set up a board as :func:`load` does, and read its ladders as :func:`read_chains` does."""
    load(points, work, hashes, position, to_move, last)
    weak = list_weak(points, near, work, found, 0)
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
    """Read the ladders of the first ``weak`` chains of ``labels``; return how many of them stay doubtful.

    Row 0 of ``found`` gets the stones that a ladder captures, row 1 the plays of the side to move that begin one.
    """
    colour, stones, free, labels, info, line = work.colour, work.stones, work.free, work.labels, work.info, hashes.line
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
                        line[1] = state ^ hashes.keys[2 * points] * info[I_TURN]
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


# Planes


GAME: Final = 4


def fill_stones(points: int, work: Work, to_move: int, planes: Any) -> None:
    """Set plane 0, the board, 1, the stones of the side to move, and 2, the opponent's."""
    colour = work.colour
    for p in range(points):
        planes[p, 0] = 1.0
        if colour[p]:
            planes[p, 1 + (colour[p] != to_move)] = 1.0


def flood(near: Sequence[int], work: Work, p: int, mine: int) -> int:
    """List in ``stones`` the chain of ``mine`` on ``p``, or the region without stones of ``mine``; return its size."""
    colour, mark, stones, info = work.colour, work.mark, work.stones, work.info
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
    """Return the number of regions not yet ruled out that are vital to the chain on ``p``.

    That is, all their points are adjacent to it; where suicide is illegal, all their empty points.
    """
    colour, mark2, stones, free = work.colour, work.mark2, work.stones, work.free
    labels, counts, status, info = work.labels, work.counts, work.status, work.info
    count = flood(near, work, p, mine)
    number = info[I_FLOOD]
    suicide = info[I_SUICIDE]
    seen = 0
    vital = 0
    for index in range(count):
        for i in range(4 * stones[index], 4 * stones[index] + 4):
            q = near[i]
            counted = colour[q] == 0 or (suicide and colour[q] != mine and colour[q] != OFF)
            if counted and mark2[q] != number:
                mark2[q] = number
                free[seen] = q
                seen += 1
                counts[labels[q]] -= 1
                # The last of its points.
                vital += counts[labels[q]] == 0 and status[labels[q]] != 0
    for index in range(seen):
        counts[labels[free[index]]] += 1
    return vital


def find_certain(points: int, near: Sequence[int], work: Work, mine: int) -> None:
    """Add to ``owned`` the points that certainly belong to the colour ``mine``.

    That is ``mine`` for pass-alive chains (Benson 1976) and regions they alone surround where the opponent cannot live,
    and ``mine * GAME`` for empty regions that touch no other colour.
    """
    colour, stones, owned = work.colour, work.stones, work.owned
    labels, counts, status = work.labels, work.counts, work.status
    suicide = work.info[I_SUICIDE]
    for p in range(points):
        labels[p] = -1
    alive = 0
    closed = 0
    for p in range(points):
        if labels[p] >= 0:
            continue
        count = flood(near, work, p, mine)
        for index in range(count):
            labels[stones[index]] = p
        if colour[p] == mine:
            status[p] = 1
            alive += 1
            continue
        # Stones of the opponent leave the board only where they may play a suicide.
        counts[p] = 0
        empty = True
        far = 0
        outside = 0
        for index in range(count):
            s = stones[index]
            counted = suicide or colour[s] == 0
            counts[p] += counted
            empty = empty and colour[s] == 0
            beside = False
            for i in range(4 * s, 4 * s + 4):
                beside = beside or colour[near[i]] == mine
            far += not beside
            outside += counted and not beside
        # 2 where the opponent has room for one eye at most; an empty region counts, as in KataGo.
        status[p] = 2 if empty or far <= 1 else 1
        closed += outside == 0
        if empty and far < count:
            for index in range(count):
                owned[stones[index]] |= mine * GAME
    # A chain lives by two regions that are vital to it.
    if closed < 2:
        return
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
    if alive > 0:
        for p in range(points):
            if status[labels[p]] == 2 or (colour[p] == mine and status[labels[p]] != 0):
                owned[p] |= mine


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
    colour, owned = work.colour, work.owned
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
    hashes: Hashes,
    position: Sequence[int],
    to_move: int,
    last: int,
    planes: Any,
    few: int,
    area: int,
    only_safe: bool,
    found: Any,
) -> int:
    """Set up a board as :func:`load` does, and its planes; return what :func:`read_chains` does.

    These are the planes of :func:`fill_stones`, of :func:`list_weak` with ``few``, and, if ``area`` is above 0, of
    :func:`fill_areas`. Ladders are read into ``found`` unless it is empty. One call, since the arrays take longer to
    pass than the stones to fill in.
    """
    load(points, work, hashes, position, to_move, last)
    fill_stones(points, work, to_move, planes)
    if area > 0:
        fill_areas(points, near, work, to_move, planes, area, only_safe)
    weak = list_weak(points, near, work, planes, few)
    return read_chains(points, near, work, hashes, to_move, found, weak) if len(found) > 0 else 0
