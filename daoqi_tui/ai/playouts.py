"""Positions judged by random games: the evaluator that needs nothing but the rules."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.ai import features, glance
from daoqi_tui.ai.backend import Backend, Tables, copy, interpreted
from daoqi_tui.ai.evaluator import Outcome, Prior, Stopped
from daoqi_tui.ai.kernel import I_LAST
from daoqi_tui.ai.policy import PATTERNS, TACTICS
from daoqi_tui.engine import PASS, Board

MOVES_A_POINT: Final = 3
"""Playouts are cut off after this many moves for each point of the board."""
MARGIN_SHARE: Final = 0.04
"""How much of a playout's worth is by how much it was won, so that of two won games the clearer is preferred."""
MARGIN_SLOPE: Final = 4.0
"""How fast the worth of a margin, as a share of the points, comes near its most."""
GLANCE: Final = 64
"""Moves of an interpreted playout between two looks at whether to go on: about a millisecond."""


@dataclass(frozen=True, slots=True)
class Hunches:
    """Imagined games given to a move in a new node, by how likely it looks beside a move of the average.

    Attributes:
        even: for every move, half of them won.
        good: won games for each unit of the logarithm above the average, ``most`` at most.
        bad: lost games for each unit below it, ``least`` at most.
        capture: won games at least for taking a stone, twice as many for several. A network knows which stones are
            dead already and need no capture; a search of few playouts does better to look.
    """

    even: float = 10.0
    good: float = 8.0
    most: float = 40.0
    bad: float = 4.0
    least: float = 15.0
    capture: float = 15.0


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
        self._moves, self._path = (backend.sequence([0] * length) for length in (MOVES_A_POINT * points, 16 * points))
        self._first = backend.sequence([0] * (points + 1))
        self._owner, self._marks, self._amount, self._shapes = (backend.sequence([0] * points) for _ in range(4))
        if backend is interpreted():
            self._moves = _WatchedMoves(self._moves, lambda: self.stopped())  # noqa: PLW0108 - it may change
        backend.load(points, tables.near, self._root, backend.sequence(self._stones))
        self._root[7][I_LAST] = self._last
        self._ready = backend
        return backend

    def prior(self, path: Sequence[int], moves: Sequence[int]) -> Prior:
        """First thoughts at a glance: how likely a good player is to play there."""
        hunches = self._hunches
        count = len(moves)
        games = np.full(count, hunches.even if hunches else 1.0, dtype=np.float32)
        wins = games * np.float32(0.5)
        if hunches is None:
            wins[-1] *= 0.2
            return Prior(games, wins)
        likely, stakes, hopeless = self._glance(path, np.array(moves, dtype=np.intp))
        good = np.clip(hunches.good * likely, hunches.capture * stakes, hunches.most)
        bad = np.clip(-hunches.bad * likely, 0.0, hunches.least)
        wins = np.where(hopeless, wins * 0.2, wins + good).astype(np.float32)
        return Prior((games + good + bad).astype(np.float32), wins)

    def policy(self, moves: Sequence[int]) -> NDArray[np.float32]:
        """As :meth:`daoqi_tui.ai.evaluator.Evaluator.policy` says."""
        hunches = self._hunches or Hunches()
        likely, stakes, _ = self._glance([], np.array(moves, dtype=np.intp))
        chance = np.exp(np.where(stakes, np.maximum(likely, stakes * (hunches.capture / hunches.good)), likely))
        return np.asarray(chance / chance.sum(), np.float32)

    def _glance(
        self, path: Sequence[int], plays: NDArray[np.intp]
    ) -> tuple[NDArray[np.float32], NDArray[np.intp], NDArray[np.bool_]]:
        """How the moves ``plays`` look, an entry each.

        Returns:
            The logarithm of how much likelier than the average a move is; 1 where it takes a stone and 2 where it
            takes several, else 0; whether it is hopeless.
        """
        backend, tables = self._prepare(), self._tables
        copy(self._root, self._work)
        self._set_path(path)
        mine = backend.follow(tables.near, self._work, self._path, len(path), self._to_move)
        found = self._marks, self._amount, self._shapes
        backend.judge(tables.points, tables.near, tables.diagonal, self._work, mine, *found)
        marks, amount, shapes = (np.array(numbers)[plays] for numbers in found)
        value = glance.tactics()[glance.stakes(amount), marks] + glance.shapes()[mine][shapes]
        last, before = (self._last, *path)[-1:], (self._last, *path)[-2:-1]
        for moves, near in zip((last, before), glance.near_values(self._torus), strict=True):
            if moves and moves[0] >= 0:
                value += near[moves[0], plays]
        taking = np.where(marks & features.F_CAPTURE, 1 + (amount > 1), 0)
        hopeless = (marks & features.F_SUICIDE != 0) | (plays == PASS)
        value[hopeless] = -99.0
        chance = np.exp(value - value.max())
        return np.log(chance * (len(plays) / chance.sum()) + 1e-9), taking, hopeless

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
    return blended(1.0 if margin > 0 else 0.0, margin, points)


def blended(win: float, margin: float, points: int) -> float:
    """The worth of a chance to win, 0 to 1, and of an expected margin, for the same side."""
    return (1.0 - MARGIN_SHARE) * win + MARGIN_SHARE * (0.5 + 0.5 * math.tanh(MARGIN_SLOPE * margin / points))
