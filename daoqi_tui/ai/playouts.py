"""Positions judged by random games: the evaluator that needs nothing but the rules."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.ai import features
from daoqi_tui.ai.backend import Backend, Tables, copy, interpreted
from daoqi_tui.ai.evaluator import Outcome, Prior, Stopped
from daoqi_tui.ai.kernel import I_LAST
from daoqi_tui.ai.policy import PATTERNS, TACTICS
from daoqi_tui.engine import PASS, Board, Torus

MOVES_A_POINT: Final = 3
"""Playouts are cut off after this many moves for each point of the board."""
MARGIN_SHARE: Final = 0.04
"""How much of a playout's worth is by how much it was won, so that of two won games the clearer is preferred."""
GLANCE: Final = 64
"""Moves of an interpreted playout between two looks at whether to go on: about a millisecond."""


@dataclass(frozen=True, slots=True)
class Hunches:
    """Imagined games given to a move in a new node: all won unless said otherwise.

    Attributes:
        even: for every move, half of them won.
        capture, rescue: for taking stones, for saving them, and as much again where several are at stake.
        pattern, atari: for a 3×3 shape, for giving atari.
        cramped: lost, for a stone with one liberty.
        near: by distance from the last move, entry 0 for its neighbours; see :func:`nearness`.
    """

    even: float = 10.0
    capture: float = 15.0
    rescue: float = 15.0
    pattern: float = 8.0
    atari: float = 3.0
    cramped: float = 10.0
    near: tuple[float, ...] = (12.0, 12.0, 8.0, 8.0, 4.0, 4.0, 2.0, 2.0)


@lru_cache(maxsize=8)
def nearness(torus: Torus) -> NDArray[np.intp]:
    """For each pair of points how far apart they are: down + right + the larger of both, less 2."""
    points = np.arange(torus.points)
    apart = []
    for place, length in ((points // torus.columns, torus.rows), (points % torus.columns, torus.columns)):
        step = np.abs(place[:, None] - place[None, :])
        apart.append(np.minimum(step, length - step))
    return np.asarray(apart[0] + apart[1] + np.maximum(apart[0], apart[1]) - 2, dtype=np.intp)


class PlayoutEvaluator:
    """Judges a leaf by one playout, and new moves by their features.

    Args:
        seed: of all random numbers.
        style: what a playout heeds, see :mod:`~daoqi_tui.ai.policy`.
        hunches: the weights of the features; None for none, when all moves of a new node look alike.
        patience: how often a leaf is played out before the search opens it.

    Attributes:
        backend: the form of the kernel; a new one is taken up at once.
        stopped: asked in the middle of an interpreted playout; a compiled one is over before one could ask.
    """

    def __init__(
        self,
        seed: int = 0,
        style: int = TACTICS | PATTERNS,
        hunches: Hunches | None = Hunches(),
        patience: int = 4,
        backend: Backend | None = None,
    ) -> None:
        self.patience = patience
        self.backend = backend or interpreted()
        self.stopped: Callable[[], bool] = lambda: False
        self._random = random.Random(seed)
        self._style = style
        self._hunches = hunches
        self._ready: Backend | None = None

    def begin(self, board: Board, komi: float, last: int) -> None:
        """Take ``board`` for the root of what follows; ``last`` is the point just played, or PASS."""
        self._torus, self._komi = board.torus, komi
        self._stones, self._to_move, self._last = list(board.colours), board.to_move, last
        self._ready = None

    def _prepare(self) -> Backend:
        """Set up the root in the present backend, where that is new."""
        backend = self.backend
        if backend is self._ready:
            return backend
        torus = self._torus
        points = torus.points
        self._tables = tables = Tables.of(torus, backend)
        self._root, self._work = backend.empty_state(points), backend.empty_state(points)
        self._moves, self._owner, self._first, self._marks, self._amount, self._path = (
            backend.sequence([0] * length)
            for length in (MOVES_A_POINT * points, points, points + 1, points, points, 16 * points)
        )
        if backend is interpreted():
            self._moves = _WatchedMoves(self._moves, lambda: self.stopped())
        backend.load(points, tables.near, self._root, backend.sequence(self._stones))
        self._root[7][I_LAST] = self._last
        self._ready = backend
        return backend

    def prior(self, path: Sequence[int], moves: Sequence[int]) -> Prior:
        """First thoughts by features: captures, rescues, shapes, what is near the last move."""
        hunches = self._hunches
        count = len(moves)
        games = np.full(count, hunches.even if hunches else 1.0, dtype=np.float32)
        wins = games * np.float32(0.5)
        if hunches is None:
            wins[-1] *= 0.2
            return Prior(games, wins)
        backend, tables = self._prepare(), self._tables
        copy(self._root, self._work)
        self._set_path(path)
        mine = backend.follow(tables.near, self._work, self._path, len(path), self._to_move)
        backend.judge(
            tables.points, tables.near, tables.diagonal, tables.pattern, self._work, mine, self._marks, self._amount
        )
        plays = np.array(moves, dtype=np.intp)
        marks, amount = np.array(self._marks)[plays], np.array(self._amount)[plays]
        several = 1.0 + (amount > 1)
        good = np.where(marks & features.F_CAPTURE, hunches.capture * several, 0.0)
        good = np.maximum(good, np.where(marks & features.F_RESCUE, hunches.rescue * several, 0.0))
        good += np.where(marks & features.F_PATTERN, hunches.pattern, 0.0)
        good += np.where(marks & features.F_ATARI, hunches.atari, 0.0)
        last = self._work[7][I_LAST]
        if last >= 0:
            near = np.array((*hunches.near, 0.0))
            good += near[np.minimum(nearness(self._torus)[last][plays], len(hunches.near)).clip(0)]
        bad = np.where(marks & features.F_CRAMPED, hunches.cramped, 0.0)
        hopeless = (marks & (features.F_EYE | features.F_SUICIDE)) != 0
        hopeless |= plays == PASS
        good[hopeless] = 0.0
        wins = np.where(hopeless, wins * 0.2, wins + good).astype(np.float32)
        return Prior((games + good + bad).astype(np.float32), wins)

    def evaluate(self, path: Sequence[int], black_lead: int) -> Outcome:
        """One playout from the leaf."""
        backend, tables = self._prepare(), self._tables
        copy(self._root, self._work)
        self._set_path(path)
        margin = (
            backend.simulate(
                tables.points,
                tables.near,
                tables.diagonal,
                tables.pattern,
                self._work,
                self._path,
                len(path),
                self._to_move,
                self._style,
                self._random.getrandbits(32),
                self._moves,
                self._owner,
                self._first,
            )
            + black_lead
            - self._komi
        )
        return Outcome(
            worth(margin, tables.points), margin, np.array(self._owner, np.int8), np.array(self._first, np.int8)
        )

    def _set_path(self, path: Sequence[int]) -> None:
        for place, move in enumerate(path):
            self._path[place] = move


class _WatchedMoves(list[int]):
    """The moves of an interpreted playout, which looks up from the board now and then as it writes them down.

    A playout of a large board takes tens of milliseconds so, and a stop is not to wait for it.
    """

    def __init__(self, moves: Iterable[int], stopped: Callable[[], bool]) -> None:
        super().__init__(moves)
        self._stopped = stopped

    def __setitem__(self, place: int, move: int) -> None:  # type: ignore[override]  # no slices here
        if place % GLANCE == 0 and self._stopped():
            raise Stopped
        super().__setitem__(place, move)


def worth(margin: float, points: int) -> float:
    """The worth to Black of a game that ends with ``margin``: won or lost, and a little by how much."""
    won = 1.0 if margin > 0 else 0.0
    return (1.0 - MARGIN_SHARE) * won + MARGIN_SHARE * (0.5 + 0.5 * math.tanh(4.0 * margin / points))
