"""The playout policy: random moves, tactical replies to atari, and replies by 3×3 pattern (as in MoGo).

Like :mod:`~daoqi_tui.ai.playout.kernel` this is plain Python over flat sequences, interpreted or compiled. Random
numbers come from a linear congruential generator whose state is one number below 2**32, so that both forms play the
same games.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import Final

from daoqi_tui.ai.playout.kernel import (
    COUNT,
    EMPTY_SIDE,
    I_FREE,
    I_KO,
    I_LAST,
    NOWHERE,
    OFF,
    WHITES,
    Numbers,
    State,
    Table,
    atari,
    captures,
    copy_state,
    is_eye,
    is_only_liberty,
    play,
    play_path,
)

# ruff: noqa: PLR0917 - compiled functions take their arguments by position


PLAIN: Final = 0
"""Uniformly random moves, except into own eyes and single-stone suicide."""
TACTICS: Final = 1
"""Replies to atari by capture or rescue. May be combined with PATTERNS."""
PATTERNS: Final = 2
"""Replies to the last move by 3×3 pattern."""


def next_random(seed: int) -> int:
    """Return the next state of the random number generator; use its upper 16 bits, which are the better ones."""
    return (seed * 747796405 + 2891336453) & 0xFFFFFFFF


def is_playable(near: Table, diagonal: Table, state: State, p: int, mine: int) -> bool:
    """Return whether a playout may play at the empty point ``p``.

    Own eyes, the ko point and single-stone suicide are excluded; larger suicides are allowed.
    """
    stones = state[5][p]
    if stones >= EMPTY_SIDE:
        return True
    if p == state[8][I_KO]:
        return False
    if stones >> WHITES * (mine - 1) & COUNT:
        return stones >> WHITES * (2 - mine) & COUNT != 0 or not is_eye(diagonal, state, p, mine)
    return captures(near, state, p, mine) > 0


def has_two_liberties(near: Table, state: State, p: int, mine: int) -> bool:
    """Return whether a play at ``p`` has about two liberties: each own neighbour not in atari counts as one."""
    colour, head, _, _, _, nearby, _, _, _ = state
    other = 3 - mine
    liberties = nearby[p] // EMPTY_SIDE
    if liberties < 2:
        for i in range(4 * p, 4 * p + 4):
            q = near[i]
            c = colour[q]
            if c == mine:
                if atari(near, state, head[q]) == NOWHERE:
                    liberties += 1
            elif c == other and is_only_liberty(near, state, head[q], p):
                liberties += 1
    return liberties >= 2


def rescue(near: Table, state: State, h: int, out: int) -> int:
    """Return the move that saves the chain ``h``, in atari at ``out``: a capture, else an extension, else NOWHERE."""
    colour, head, next_stone, _, _, _, _, _, info = state
    mine = colour[h]
    other = 3 - mine
    s = h
    while True:
        for i in range(4 * s, 4 * s + 4):
            q = near[i]
            if colour[q] == other:
                p = atari(near, state, head[q])
                if p != NOWHERE and p != info[I_KO]:
                    return p
        s = next_stone[s]
        if s == h:
            break
    return out if has_two_liberties(near, state, out, mine) else NOWHERE


def pattern_code(near: Table, diagonal: Table, state: State, p: int) -> int:
    """Return the code of the eight points around ``p``, two bits each: four neighbours, then four diagonals."""
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


def tactical_reply(near: Table, diagonal: Table, pattern: Table, state: State, mine: int, style: int, seed: int) -> int:
    """Return the tactical or pattern reply to the last move, NOWHERE if there is none."""
    colour, head, _, _, _, _, _, _, info = state
    last = info[I_LAST]
    if last == NOWHERE:
        return NOWHERE
    other = 3 - mine
    if style & TACTICS:
        if colour[last] == other:
            p = atari(near, state, head[last])
            if p != NOWHERE and p != info[I_KO]:
                return p
        for i in range(4 * last, 4 * last + 4):
            q = near[i]
            if colour[q] == mine:
                p = atari(near, state, head[q])
                if p != NOWHERE:
                    p = rescue(near, state, head[q], p)
                    if p != NOWHERE:
                        return p
    if style & PATTERNS:
        first = seed >> 29
        for i in range(first, first + 8):
            k = i & 7
            p = near[4 * last + k] if k < 4 else diagonal[4 * last + k - 4]
            if (
                colour[p] == 0
                and pattern[pattern_code(near, diagonal, state, p)] & mine
                and p != info[I_KO]
                and has_two_liberties(near, state, p, mine)
            ):
                return p
    return NOWHERE


def playout(
    near: Table, diagonal: Table, pattern: Table, state: State, moves: Numbers, mine: int, style: int, seed: int
) -> int:
    """Play a game until two passes in a row, or until ``moves`` is full.

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
    free = state[6]
    info = state[8]
    passed = False
    for count in range(len(moves)):
        seed = next_random(seed)
        chosen = NOWHERE
        # One reply in sixteen is skipped: playouts that always reply never find out that a reply is wrong.
        if style and seed & 0xF0000:
            chosen = tactical_reply(near, diagonal, pattern, state, mine, style, seed)
        if chosen == NOWHERE:
            left = info[I_FREE]
            spot = (seed >> 16) * left >> 16
            for _ in range(left):
                p = free[spot]
                if is_playable(near, diagonal, state, p, mine):
                    chosen = p
                    break
                spot += 1
                if spot == left:
                    spot = 0
        if chosen != NOWHERE:
            play(near, state, chosen, mine)
            passed = False
        else:
            chosen = -1
            if passed:
                moves[count] = -1
                return count + 1
            passed = True
            info[I_KO] = NOWHERE
            info[I_LAST] = NOWHERE
        moves[count] = chosen
        mine = 3 - mine
    return len(moves)


def score_area(points: int, near: Table, state: State, owner: Numbers) -> int:
    """Score a played-out position: stones, and empty points that touch one colour only.

    Returns:
        Black's points minus White's; ``owner`` receives the colour of each point, 0 for nobody.
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


def first_players(points: int, moves: Table, count: int, mine: int, first: Numbers) -> None:
    """Write to ``first`` the colour that first played at each point, 0 for none; ``mine`` made the first move."""
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
    """Run one playout after the moves of ``path``; writes to ``state``, ``moves``, ``owner`` and ``first``.

    Returns:
        Black's points minus White's, without komi and passes.
    """
    mine = play_path(near, state, path, length, mine)
    count = playout(near, diagonal, pattern, state, moves, mine, style, seed)
    first_players(points, moves, count, mine, first)
    return score_area(points, near, state, owner)


def simulate_batch(
    points: int,
    near: Table,
    diagonal: Table,
    pattern: Table,
    root: State,
    state: State,
    paths: Table,
    lengths: Table,
    mine: int,
    style: int,
    seeds: Table,
    path: Numbers,
    moves: Numbers,
    owner: Numbers,
    first: Numbers,
    margins: Numbers,
    owners: Numbers,
    firsts: Numbers,
) -> None:
    """Run a playout after each of several paths from ``root``, taking the interpreter lock only once.

    ``paths`` is the concatenation of all paths, with their ``lengths``; ``margins``,
    ``owners`` and ``firsts`` receive what :func:`simulate` returns and writes, ``points`` entries for each path.
    """
    start = 0
    for batch in range(len(lengths)):
        copy_state(points, root, state)
        length = lengths[batch]
        for i in range(length):
            path[i] = paths[start + i]
        start += length
        margins[batch] = simulate(
            points, near, diagonal, pattern, state, path, length, mine, style, seeds[batch], moves, owner, first
        )
        for p in range(points):
            owners[batch * points + p] = owner[p]
            firsts[batch * points + p] = first[p]


SHAPES: Final = (
    ("hane", "XOX ... ???"),
    ("hane", "XO. ... ?.?"),
    ("hane", "XO? X.. ?.?"),
    ("diagonal against two", "XOO ... ?.?"),
    ("cut", "XO? O.o ?o?"),
    ("peeped cut", "XO? O.X ???"),
    ("cut across", "?X? O.O xxx"),
)
_ANY: Final = {"X": (1,), "O": (2,), ".": (0,), "?": (0, 1, 2), "x": (0, 2), "o": (0, 1)}
# The index in a pattern code of the eight places of a drawing, read row by row without the middle: the order of
# Torus.neighbours (up, right, down, left), then of Torus.diagonals (from the upper left, clockwise).
_SHIFT: Final = (8, 0, 10, 6, 2, 14, 4, 12)


@lru_cache(maxsize=1)
def pattern_table() -> bytes:
    """Return for each pattern code 3 where either colour should reply in the middle, else 0; 65,536 bytes."""
    table = bytearray(1 << 16)
    for _, drawing in SHAPES:
        for places in _symmetries(drawing.replace(" ", "")):
            for colours in product(*(_ANY[place] for place in places)):
                code = sum(colour << shift for colour, shift in zip(colours, _SHIFT, strict=True))
                swapped = sum(((0, 2, 1)[colour]) << shift for colour, shift in zip(colours, _SHIFT, strict=True))
                table[code] = table[swapped] = 3
    return bytes(table)


def _symmetries(drawing: str) -> Iterator[str]:
    """Yield the distinct rotations and reflections of a drawing of nine places, each without its middle."""
    seen = set()
    for _ in range(2):
        for _ in range(4):
            drawing = "".join(drawing[3 * (2 - column) + row] for row in range(3) for column in range(3))
            seen.add(drawing[:4] + drawing[5:])
        drawing = drawing[::-1]
        drawing = "".join(drawing[3 * row + 2 - column] for row in range(3) for column in range(3))
    yield from sorted(seen)
