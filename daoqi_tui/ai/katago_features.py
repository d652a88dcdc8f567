"""How KataGo's networks see a position: the inputs of model formats 3 to 8, on a torus under the rules of Daoqi.

What each input means is told by KataGo's nninputs.cpp. Daoqi has all that area scoring with situational superko and
legal suicide has; inputs for territory scoring, for the phases after it, for group tax, the button and handicap by
playouts stay zero, as they do in KataGo under such rules.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.ai.katago_area import area_points, safe_points
from daoqi_tui.ai.katago_format import INPUTS
from daoqi_tui.ai.katago_ladders import LadderReader
from daoqi_tui.ai.network_judge import HISTORY, Look
from daoqi_tui.engine import BLACK, PASS, WHITE, Board, opponent


@dataclass(frozen=True, slots=True)
class Layout:
    """Where a format has its inputs; None for what it does not have.

    Attributes:
        liberties: the first of the planes for one, two and three liberties.
        banned: the plane of empty points that superko forbids.
        moves: the first of the planes for the last moves.
        ladders: the first of the planes for laddered stones now, one and two moves ago, and for working moves.
        area: the first of the planes for the area of the side to move and of the opponent.
        safe: whether the area is what cannot be captured alone.
        komi_unit: points of komi for an input of 1.
        komi_reach: points by which komi may exceed the board before it is cut.
        ending: the input for a pass that would end the game.
        parity: the input for the wave of komi and board parity.
    """

    liberties: int | None
    banned: int
    moves: int
    ladders: int | None
    area: int | None
    safe: bool
    komi_unit: float
    komi_reach: float
    ending: int | None
    parity: int | None


_EARLY: Final = Layout(3, 6, 9, 14, 18, False, 15.0, 1.0, 12, 13)
LAYOUTS: Final = {
    3: _EARLY,
    4: _EARLY,
    5: Layout(3, 6, 9, 14, 18, True, 15.0, 1.0, 12, 13),
    6: Layout(None, 3, 6, None, None, False, 15.0, 1.0, None, None),
    7: Layout(3, 6, 9, 14, 18, False, 20.0, 1.0, 14, 15),
    8: Layout(3, 6, 9, 14, 18, False, 20.0, 20.0, 14, 18),
}
ON_BOARD, MINE, THEIRS = 0, 1, 2
"""Planes that all formats have."""
KOMI: Final = 5
RULES: Final = {6: 1.0, 7: -0.5, 8: 1.0}
"""What is always said of the whole board: superko is played, it is situational, suicide is legal."""


class Features:
    """Sees positions as networks of a format do.

    Args:
        model_format: 3 to 8.
        ladders: whether ladders are read; a network that is used to them plays worse without.
    """

    def __init__(self, model_format: int, *, ladders: bool = True) -> None:
        self._layout = LAYOUTS[model_format]
        self._planes, self._globals = INPUTS[model_format]
        self._ladders = LadderReader() if ladders and self._layout.ladders is not None else None

    def look(self, board: Board, komi: float, recent: Sequence[int], passes_in_row: int) -> Look:
        """As :meth:`daoqi_tui.ai.network_judge.Judge.look` says."""
        layout, points = self._layout, board.torus.points
        planes = np.zeros((points, self._planes), np.float32)
        whole = np.zeros(self._globals, np.float32)
        self._see_stones(planes, board)
        banned = board.empty & ~board.legal_mask()
        if banned:
            planes[:, layout.banned] = bits(banned, points)
        for ago, move in enumerate(reversed(recent[-HISTORY:])):
            if move == PASS:
                whole[ago] = 1.0
            else:
                planes[move, layout.moves + ago] = 1.0
        if self._ladders is not None:
            self._see_ladders(planes, board, recent, self._ladders)
        if layout.area is not None:
            owned = safe_points(board) if layout.safe else area_points(board)
            planes[:, layout.area] = bits(owned[board.to_move], points)
            planes[:, layout.area + 1] = bits(owned[opponent(board.to_move)], points)
        own_komi = komi_of(board, komi)
        reach = points + layout.komi_reach
        whole[KOMI] = min(max(own_komi, -reach), reach) / layout.komi_unit
        for place, value in RULES.items():
            whole[place] = value
        if layout.ending is not None:
            whole[layout.ending] = passes_in_row == 1
        if layout.parity is not None:
            whole[layout.parity] = _wave(min(max(own_komi, -reach), reach), points)
        return Look(planes, whole)

    def _see_stones(self, planes: NDArray[np.float32], board: Board) -> None:
        points = board.torus.points
        planes[:, ON_BOARD] = 1.0
        planes[:, MINE] = bits(board.stones(board.to_move), points)
        planes[:, THEIRS] = bits(board.stones(opponent(board.to_move)), points)
        first = self._layout.liberties
        if first is None:
            return
        few: tuple[list[int], ...] = ([], [], [])
        for head in (*board.chains_of(BLACK), *board.chains_of(WHITE)):
            count = board.liberties_of(head).bit_count()
            if count <= len(few):
                few[count - 1].extend(board.stones_of(head))
        for count, stones in enumerate(few):
            planes[stones, first + count] = 1.0

    def _see_ladders(
        self, planes: NDArray[np.float32], board: Board, recent: Sequence[int], reader: LadderReader
    ) -> None:
        first, points = self._layout.ladders, board.torus.points
        assert first is not None
        now = reader.read(board)
        planes[:, first] = bits(now.stones, points)
        planes[:, first + 3] = bits(now.moves, points)
        before = recent[-2:]
        stones = now.stones
        for ago in (1, 2):
            if ago <= len(before):
                board.undo()
                stones = reader.read(board).stones
            planes[:, first + ago] = bits(stones, points)
        for move in before:
            board.make(move)


def komi_of(board: Board, komi: float) -> float:
    """The points that the side to move has beside its area: komi, passes, and half a point for who wins a tie."""
    white = komi + board.passes[BLACK] - board.passes[WHITE] + tie_break(komi)
    return white if board.to_move == WHITE else -white


def tie_break(komi: float) -> float:
    """What White's winning of ties is worth to it, in points: a half where ties can happen."""
    return 0.5 if komi == int(komi) else 0.0


def bits(mask: int, points: int) -> NDArray[np.float32]:
    """A mask as an array of ones and zeros."""
    packed = np.frombuffer(mask.to_bytes((points + 7) // 8, "little"), np.uint8)
    return np.unpackbits(packed, count=points, bitorder="little").astype(np.float32)


def _wave(own_komi: float, points: int) -> float:
    """A triangular wave of komi with period 2: komi is worth most about where a tie would be."""
    even = points % 2 == 0
    floor = math.floor(own_komi / 2) * 2 if even else math.floor((own_komi - 1) / 2) * 2 + 1
    above = own_komi - floor
    if above < 0.5:
        return above
    return 1.0 - above if above < 1.5 else above - 2.0
