"""Which chains a ladder captures: what KataGo's networks are told of ladders, read on the torus."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from daoqi_tui.analysis.ladder import read_ladder
from daoqi_tui.engine import Board, Colour, IllegalMove, opponent

NODES: Final = 250
"""Moves tried for one ladder; one that is not decided by then counts as no capture."""
KEPT: Final = 4000
"""Positions whose ladders are remembered."""


@dataclass(frozen=True, slots=True)
class Laddered:
    """Masks: the stones that a ladder captures, and where the side to move begins one that captures."""

    stones: int
    moves: int


class LadderReader:
    """Reads the ladders of positions, and remembers them: a search meets each position as a forerunner of others."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[int, int], Laddered] = OrderedDict()

    def read(self, board: Board) -> Laddered:
        """The ladders on ``board``, which is as it was afterwards.

        A chain with one liberty is laddered when its own side, moving first, cannot save it; one with two, when the
        opponent, moving first, captures it.
        """
        key = board.torus.size, board.key
        if (found := self._known.get(key)) is None:
            found = self._known[key] = _read(board)
            if len(self._known) > KEPT:
                self._known.popitem(last=False)
        return found


def _read(board: Board) -> Laddered:
    torus = board.torus
    seen = stones = moves = 0
    for point in torus.points_in(torus.full ^ board.empty):
        if seen >> point & 1:
            continue
        chain = board.chain_at(point)
        assert chain is not None
        whole = torus.mask(chain.stones)
        seen |= whole
        if len(chain.liberties) == 1:
            runs = _runs(board, chain.colour, chain.liberties[0], 0)
            if not runs and read_ladder(board, point, chain.colour, NODES).result == "captured":
                stones |= whole
        elif len(chain.liberties) == 2:
            one, other = chain.liberties
            working = [
                atari
                for atari, left in ((one, other), (other, one))
                if not _runs(board, chain.colour, left, torus.bits[atari]) and _works(board, point, atari)
            ]
            if working:
                stones |= whole
                if chain.colour != board.to_move:
                    moves |= torus.mask(working)
    return Laddered(stones, moves)


def _runs(board: Board, colour: Colour, last: int, taken: int) -> bool:
    """Whether a chain of ``colour`` whose last liberty is ``last`` gets three by a play there, and so escapes.

    ``taken`` is the mask of the point where the opponent has just played. Most ladders end here, unread.
    """
    torus = board.torus
    liberties = torus.around[last] & board.empty & ~taken
    if liberties.bit_count() >= 3:
        return True
    for nearby in torus.neighbours[last]:
        if board.colours[nearby] == colour:
            chain = board.chain_at(nearby)
            assert chain is not None
            liberties |= torus.mask(chain.liberties)
    return (liberties & ~taken & ~torus.bits[last]).bit_count() >= 3


def _works(board: Board, point: int, liberty: int) -> bool:
    """Whether an atari at ``liberty`` begins a ladder that captures the chain on ``point``."""
    defender = board.colours[point]
    passed = board.to_move == defender
    if passed:
        board.pass_turn()
    try:
        board.play(liberty)
    except IllegalMove:
        return False
    else:
        chain = board.chain_at(point)
        works = chain is not None and len(chain.liberties) == 1 and board.colours[liberty] == opponent(defender)
        works = works and read_ladder(board, point, defender, NODES).result == "captured"
        board.undo()
        return works
    finally:
        if passed:
            board.undo()
