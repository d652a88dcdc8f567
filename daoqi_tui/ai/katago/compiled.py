"""The kernel of the inputs, compiled, with its tables and arrays; :mod:`daoqi_tui.ai.katago.kernel` explains them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.ai.compiled import LateKernel
from daoqi_tui.ai.katago import kernel
from daoqi_tui.engine import BLACK, POSITIONAL, WHITE, Board, Torus, torus_of


class Reading:
    """The tables and arrays of the kernel for boards of one torus.

    Args:
        torus: the points and their neighbours.
        budget: the most moves tried for one ladder.
    """

    def __init__(self, torus: Torus, budget: int) -> None:
        points = torus.points
        self._points = points
        near = [point for nearby in torus.neighbours for point in (*nearby, *(points,) * 4)[:4]]
        self._near = np.array(near, np.int32)
        self._work = tuple(np.zeros(length, np.int32) for length in kernel.sizes(points, budget))
        keys = np.random.default_rng(2026).integers(1, 1 << 62, 2 * points + 1, np.int64)
        self._hashes = keys, np.zeros(budget + 8, np.int64)
        self._info = self._work[-1]
        self._info[kernel.I_BUDGET] = budget
        self._bytes = (points + 7) // 8

    def load(self, functions: Any, board: Board) -> None:  # noqa: ANN401
        """Set up the position on ``board``."""
        rules, info = board.rules, self._info
        info[kernel.I_SUICIDE] = rules.suicide
        info[kernel.I_TURN] = rules.superko != POSITIONAL
        black, white = (
            np.frombuffer(board.vacated(colour).to_bytes(self._bytes, "little"), np.uint8) for colour in (BLACK, WHITE)
        )
        colours = np.frombuffer(bytes(board.colours), np.uint8)
        functions.load(self._points, self._work, self._hashes, colours, (black, white), board.to_move, board.newest())

    def fill_stones(
        self,
        functions: Any,  # noqa: ANN401
        planes: NDArray[np.float32],
        to_move: int,
        liberties: int | None,
    ) -> None:
        """Set the planes of the board and its stones, and from ``liberties`` on those of chains with few of them."""
        functions.fill_stones(self._points, self._near, self._work, to_move, planes, liberties or 0)

    def read_ladders(self, functions: Any, to_move: int) -> tuple[NDArray[np.float32], list[int]]:  # noqa: ANN401
        """Read the ladders of the board.

        Returns:
            For each point 1 where a ladder captures the stone, in the first row, and where a play of the side to move
            begins one, in the second; and a stone of each chain that was left open.
        """
        found = np.zeros((2, self._points), np.float32)
        count = functions.ladders(self._points, self._near, self._work, self._hashes, to_move, found)
        return found, [int(point) for point in self._work[10][:count]] if count else []

    def fill_areas(
        self,
        functions: Any,  # noqa: ANN401
        planes: NDArray[np.float32],
        to_move: int,
        first: int,
        *,
        only_safe: bool,
    ) -> None:
        """Set plane ``first`` for the area of the side to move, and the next for the opponent's."""
        functions.fill_areas(self._points, self._near, self._work, to_move, planes, first, only_safe)


class Readings:
    """The :class:`Reading` of each torus that has been asked for."""

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._of: dict[Torus, Reading] = {}

    def of(self, torus: Torus) -> Reading:
        """Return that of ``torus``."""
        found = self._of.get(torus)
        if found is None:
            found = self._of[torus] = Reading(torus, self._budget)
        return found


def _warm_up(functions: Any) -> None:  # noqa: ANN401
    board = Board(torus_of(5))
    for point in (6, 7, 11, 5):
        board.play(point)
    reading = Reading(board.torus, 10)
    planes = np.zeros((board.torus.points, 22), np.float32)
    reading.load(functions, board)
    reading.fill_stones(functions, planes, board.to_move, 3)
    reading.read_ladders(functions, board.to_move)
    reading.fill_areas(functions, planes, board.to_move, 18, only_safe=False)


KERNEL: Final = LateKernel((kernel,), _warm_up)
