"""The planes of the network's inputs, written to be compiled by numba: stones, liberties and certain areas.

They are computed on the arrays of :mod:`~daoqi_tui.ai.katago.board_kernel`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from daoqi_tui.ai.katago.board_kernel import I_FLOOD, I_SUICIDE, OFF, Hashes, Work, load
from daoqi_tui.ai.katago.ladder_kernel import list_weak, read_chains

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
