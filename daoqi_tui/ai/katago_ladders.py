"""Which chains a ladder captures: what KataGo's networks are told of ladders, read on the torus."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from daoqi_tui.analysis.ladder_search import BudgetSpent, LadderSearch
from daoqi_tui.analysis.reading_board import ReadingBoard
from daoqi_tui.engine import BLACK, EMPTY, WHITE, Board, Colour, IllegalMove

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
    torus, reading = board.torus, ReadingBoard(board)
    stones = moves = 0
    for head in (*reading.chains_of(BLACK), *reading.chains_of(WHITE)):
        one = reading.liberties_of(head)
        rest = one & (one - 1)
        if rest & (rest - 1):
            continue
        colour = reading.colours[head]
        if not rest:
            laddered = not _runs(reading, colour, one, 0) and _is_captured(reading, head, colour)
        else:
            one ^= rest
            working = 0
            for atari, left in ((one, rest), (rest, one)):
                if not _runs(reading, colour, left, atari) and _works(reading, head, colour, atari):
                    working |= atari
            laddered = working > 0
            if colour != board.to_move:
                moves |= working
        if laddered:
            stones |= torus.mask(reading.stones_of(head))
    return Laddered(stones, moves)


def _runs(board: Board, colour: Colour, last: int, taken: int) -> bool:
    """Whether a chain of ``colour`` whose last liberty is ``last`` gets three by a play there, and so escapes.

    Both are masks of a point; the opponent has just played at ``taken``. Most ladders end here, unread.
    """
    torus, point = board.torus, last.bit_length() - 1
    liberties = torus.around[point] & board.empty & ~taken
    if liberties.bit_count() >= 3:
        return True
    for nearby in torus.neighbours[point]:
        if board.colours[nearby] == colour:
            liberties |= board.liberties_of(nearby)
    return (liberties & ~taken & ~last).bit_count() >= 3


def _works(board: ReadingBoard, head: int, colour: Colour, atari: int) -> bool:
    """Whether a play of the opponent at ``atari``, a mask, begins a ladder that captures the chain of ``colour``."""
    point = atari.bit_length() - 1
    before = board.move_number
    if board.to_move == colour:
        board.pass_turn()
    try:
        board.play(point)
    except IllegalMove:
        works = False
    else:
        # A suicide gives no atari.
        is_atari = board.colours[point] != EMPTY and board.liberties_of(head).bit_count() == 1
        works = is_atari and _is_captured(board, head, colour)
    _take_back(board, before)
    return works


def _is_captured(board: ReadingBoard, head: int, colour: Colour) -> bool:
    """Whether the chain of ``colour``, which moves first, cannot be saved from a ladder."""
    before = board.move_number
    if board.to_move != colour:
        board.pass_turn()
    try:
        return LadderSearch(board, head, NODES).solve()[0]
    except BudgetSpent:
        return False
    finally:
        _take_back(board, before)


def _take_back(board: Board, number: int) -> None:
    while board.move_number > number:
        board.undo()
