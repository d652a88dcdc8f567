"""Races between two chains that can only be filled: who is captured, and which moves win.

In a race each of two adjacent chains has to capture the other to live. Where all liberties of both can only be filled,
the race is a matter of counting, and the answer here is exact. Chains closed around the torus race like that, since
they have no end at which they could grow; networks trained on flat boards misread them.

A liberty of a chain can only be filled if its side gains nothing there, neither a liberty nor a connection nor a
capture, and if a stone of the opponent there is connected to a chain that cannot be captured before the race is over,
so that it can be played at once and stays.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from daoqi_tui.engine import Board, opponent

MOST_LIBERTIES: Final = 16
"""The liberties of a chain beyond which no race is counted."""

LEAST_STONES: Final = 4
"""The stones of the smallest chains whose races a search reads: looking at all takes longer, and less hangs on them."""


class Race(NamedTuple):
    """A race between a chain of the side to move and one of its opponent.

    Attributes:
        own, other: the stones of the two chains, as masks.
        first: 1 if the side to move captures the other chain when it plays here at once and both sides answer, −1 if
            its own is captured all the same, 0 if neither is.
        second: the same if the opponent plays here first.
        moves: the points that lead to ``first``, as a mask; 0 where it does not have to play here at once.
    """

    own: int
    other: int
    first: int
    second: int
    moves: int


def races(board: Board, least: int = 1) -> list[Race]:
    """Return the races on a board that are decided by counting; ``least`` is the fewest stones of each chain."""
    chains = {colour: list(_closed_chains(board, colour, least)) for colour in (board.to_move, opponent(board.to_move))}
    found = []
    for own, free in chains[board.to_move]:
        beside = board.torus.dilate(own)
        for other, their_free in chains[opponent(board.to_move)]:
            if beside & other and _is_filled_only(board, own, free, other, their_free):
                found.append(_counted(own, free, other, their_free))
    return found


def _closed_chains(board: Board, colour: int, least: int) -> Iterator[tuple[int, int]]:
    """Yield stones and liberties of the chains that a play at none of their liberties extends or connects."""
    torus, empty, same = board.torus, board.empty, board.stones(colour)
    for head in board.chains_of(colour):
        stones = board.stones_of(head)
        free = board.liberties_of(head)
        if len(stones) < least or free.bit_count() > MOST_LIBERTIES:
            continue
        own = torus.mask(stones)
        if not torus.dilate(free) & (same & ~own | empty & ~free):
            yield own, free


def _is_filled_only(board: Board, own: int, free: int, other: int, their_free: int) -> bool:
    """Return whether nothing but filling happens at the liberties of two adjacent chains until one is captured."""
    liberties = free, their_free
    return _is_enclosed(board, own, free, other, liberties) and _is_enclosed(board, other, their_free, own, liberties)


def _is_enclosed(board: Board, chain: int, free: int, rival: int, liberties: tuple[int, int]) -> bool:
    """Return whether ``rival`` and chains that outlast the race are all around a chain and beside its liberties.

    Args:
        board: with the chains.
        chain: its stones.
        free: its liberties.
        rival: the stones of the chain that it races against.
        liberties: those of the two.
    """
    torus = board.torus
    colour = board.colours[(rival & -rival).bit_length() - 1]
    mine, theirs = liberties
    longest = max(mine.bit_count(), theirs.bit_count())
    lasting = 0
    for point in torus.points_in(torus.dilate(chain | free) & board.stones(colour) & ~rival):
        if lasting >> point & 1:
            continue
        # A side that plays elsewhere so often loses the race.
        if (board.liberties_of(point) & ~(mine | theirs)).bit_count() <= longest:
            return False
        lasting |= torus.mask(board.stones_of(point))
    # At a common liberty the rival itself grows; any other stone of its colour needs a lasting chain beside it.
    return not free & ~torus.dilate(lasting | rival)


def _counted(own: int, free: int, other: int, their_free: int) -> Race:
    shared = free & their_free
    mine, theirs, common = (free ^ shared).bit_count(), (their_free ^ shared).bit_count(), shared.bit_count()
    first, second = _outcome(mine, theirs, common), -_outcome(theirs, mine, common)
    moves = 0
    if first > second:
        moves |= their_free ^ shared if _after_fill(mine, theirs, common) == first else 0
        moves |= shared if _after_sharing(mine, theirs, common) == first else 0
    return Race(own, other, first, second, moves)


@lru_cache(maxsize=1 << 14)
def _outcome(mine: int, theirs: int, common: int) -> int:
    """Return the outcome of a race for the side to move: 1, −1, or 0 where neither chain is captured.

    Args:
        mine: the liberties that only its own chain has.
        theirs: those that only the other has.
        common: those that both have.
    """
    # Where filling gains the opponent nothing after a pass, the opponent passes as well.
    passing = -max(0, _best_fill(theirs, mine, common))
    return max(passing, _best_fill(mine, theirs, common))


def _best_fill(mine: int, theirs: int, common: int) -> int:
    return max(_after_fill(mine, theirs, common), _after_sharing(mine, theirs, common))


def _after_fill(mine: int, theirs: int, common: int) -> int:
    """Return the outcome after a play at a liberty that only the other chain has; as lost where there is none."""
    if not theirs:
        return -1
    return 1 if theirs + common == 1 else -_outcome(theirs - 1, mine, common)


def _after_sharing(mine: int, theirs: int, common: int) -> int:
    """Return the outcome after a play at a common liberty; as lost where there is none, or one's own last one."""
    if common and theirs + common == 1:
        return 1
    if not common or mine + common == 1:
        return -1
    return -_outcome(theirs, mine, common - 1)
