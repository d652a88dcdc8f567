"""The kernel of the inputs, compiled, with the tables and arrays of :mod:`~daoqi_tui.ai.katago.board_kernel`."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.ai.compiled import LateKernel
from daoqi_tui.ai.katago import board_kernel, ladder_kernel, plane_kernel
from daoqi_tui.ai.katago.board_kernel import Hashes, Work
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
        self._work = _work(points, budget)
        self._keys: Any = np.random.default_rng(2026).integers(1, 1 << 62, 2 * points + 1, np.int64)
        self._line = _zeros(budget + 8, np.int64)
        # A state has the bits of all stones and of the side to move.
        self._words = (2 * points >> 6) + 1
        self._faced: list[int] = []
        self._make_room(2 * points)
        self._work.info[board_kernel.I_BUDGET] = budget
        self._bytes = 8 * ((4 * points >> 6) + 1)

    def _make_room(self, states: int) -> None:
        """Make arrays for so many faced states."""
        self._faced.clear()
        self._hashes = Hashes(self._keys, self._line, _zeros(states, np.int64), _zeros(states * self._words, np.int64))

    def _prepare(self, board: Board) -> NDArray[np.int64]:
        """Set the rules to read by, and return the position on ``board`` as :func:`~.board_kernel.load` takes it."""
        info = self._work.info
        info[board_kernel.I_SUICIDE] = board.rules.suicide
        info[board_kernel.I_TURN] = board.rules.superko != POSITIONAL
        points = self._points
        stones = board.stones(BLACK) | board.stones(WHITE) << points
        lost = board.vacated(BLACK) | board.vacated(WHITE) << points
        return np.frombuffer((stones | lost << 2 * points).to_bytes(self._bytes, "little"), np.int64)

    def read_with_history(self, functions: Any, board: Board, found: NDArray[np.float32], count: int) -> int:  # noqa: ANN401
        """Read the ``count`` ladders that the history decides, or may; return how many are left."""
        self._remember(functions, board)
        return int(
            functions.read_chains(self._points, self._near, self._work, self._hashes, board.to_move, found, count)
        )

    def _remember(self, functions: Any, board: Board) -> None:  # noqa: ANN401
        """Set up the history of ``board``, which is loaded; most of its states are those of the last time."""
        faced, known = list(board.faced), 0
        if len(faced) > len(self._hashes.faced):
            self._make_room(2 * len(faced))
        for state, before in zip(faced, self._faced, strict=False):
            if state != before:
                break
            known += 1
        added = b"".join([state.to_bytes(8 * self._words, "little") for state in faced[known:]])
        self._hashes.states[known * self._words : len(faced) * self._words] = np.frombuffer(added, np.int64)
        self._faced = faced
        functions.remember(self._points, self._work, self._hashes, known, len(faced))

    def fill(
        self,
        functions: Any,  # noqa: ANN401
        board: Board,
        planes: NDArray[np.float32],
        liberties: int | None,
        area: int | None,
        *,
        only_safe: bool,
        with_ladders: bool,
    ) -> tuple[NDArray[np.float32], list[int]]:
        """Set the planes of the stones on ``board``; where wanted, others, too, and read the ladders.

        Those of chains with few liberties begin at ``liberties``. Plane ``area`` is for the area of the side to move,
        the next for the opponent's.

        Returns:
            As :meth:`read_ladders`; without ladders, nothing.
        """
        position = self._prepare(board)
        found = np.zeros((2 * with_ladders, self._points), np.float32)
        count = functions.fill(
            self._points,
            self._near,
            self._work,
            self._hashes,
            position,
            board.to_move,
            board.newest(),
            planes,
            liberties or 0,
            area or 0,
            only_safe,
            found,
        )
        return found, self._left(functions, board, found, count)

    def read_ladders(self, functions: Any, board: Board) -> tuple[NDArray[np.float32], list[int]]:  # noqa: ANN401
        """Read the ladders of ``board``.

        Returns:
            For each point 1 where a ladder captures the stone, in the first row, and where a play of the side to move
            begins one, in the second; and a stone of each chain for which the arrays have too little room.
        """
        position = self._prepare(board)
        found = np.zeros((2, self._points), np.float32)
        arrays = self._points, self._near, self._work, self._hashes, position, board.to_move
        count = functions.load_and_read(*arrays, board.newest(), found)
        return found, self._left(functions, board, found, count)

    def _left(self, functions: Any, board: Board, found: NDArray[np.float32], count: int) -> list[int]:  # noqa: ANN401
        """Read the ladders that the history decides, and return a stone of each chain left."""
        if count:
            count = self.read_with_history(functions, board, found, count)
        return [int(point) for point in self._work.labels[:count]] if count else []


def _zeros(length: int, kind: type[np.signedinteger[Any]] = np.int32) -> Any:  # noqa: ANN401 (to mypy an array is no MutableSequence)
    return np.zeros(length, kind)


def _work(points: int, budget: int) -> Work:
    """Return arrays for boards of so many points; at most ``budget`` moves are tried for one ladder."""
    return Work(
        colour=_zeros(points + 1),
        mark=_zeros(points + 1),
        mark2=_zeros(points + 1),
        stones=_zeros(points),
        free=_zeros(points),
        vacated=_zeros(points),
        gone=_zeros(points + budget + 8),
        trail=_zeros(3 * (budget + 8)),
        frames=_zeros(ladder_kernel.FRAME * (budget + 4)),
        tries=_zeros(16 * (points + budget)),
        labels=_zeros(points),
        counts=_zeros(points),
        status=_zeros(points),
        owned=_zeros(points),
        info=_zeros(board_kernel.INFO),
    )


class Readings:
    """The :class:`Reading` of each torus that has been asked for."""

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._of: dict[Torus, Reading] = {}

    def __reduce__(self) -> tuple[type[Readings], tuple[int]]:
        """Pickle without the arrays, which are made anew."""
        return Readings, (self._budget,)

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
    found, _ = reading.fill(functions, board, planes, 3, 18, only_safe=False, with_ladders=True)
    reading.read_ladders(functions, board)
    reading.read_with_history(functions, board, found, 0)


MODULES: Final = (board_kernel, ladder_kernel, plane_kernel)
KERNEL: Final = LateKernel(MODULES, _warm_up)
