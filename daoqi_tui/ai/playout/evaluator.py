"""Evaluates leaves by playouts, and new moves by their policy features."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from copy import copy as shallow_copy
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.ai.playout import features, policy_features
from daoqi_tui.ai.playout.backend import Backend, Tables, copy, interpreted
from daoqi_tui.ai.playout.kernel import I_LAST, NOWHERE
from daoqi_tui.ai.playout.policy import PATTERNS, TACTICS
from daoqi_tui.ai.search.evaluator import PATH_A_POINT, Outcome, Prior, Stopped, game_value
from daoqi_tui.engine import PASS, Board

MOVES_A_POINT: Final = 3
"""Playouts are cut off after this many moves per point of the board."""
STOP_CHECK_INTERVAL: Final = 64
"""Moves of an interpreted playout between two polls of ``stopped``: about a millisecond."""


@dataclass(frozen=True, slots=True)
class PriorWeights:
    """Virtual playouts of a move in a new node, by the log of its probability relative to the average move.

    Attributes:
        even: for every move, half of them won.
        good: won ones for each unit of the logarithm above the average, ``max_good`` at most.
        bad: lost ones for each unit below it, ``max_bad`` at most.
        capture: the minimum of won ones for capturing a stone, twice as many for several. The policy was fitted to a
            network that knows which stones are dead and need no capture; a search with few playouts has to try.
    """

    even: float = 10.0
    good: float = 8.0
    max_good: float = 40.0
    bad: float = 4.0
    max_bad: float = 15.0
    capture: float = 15.0


class PlayoutEvaluator:
    """Evaluates a leaf by one playout, and new moves by their policy features.

    Args:
        seed: of all random numbers.
        style: the playout policy, see :mod:`~daoqi_tui.ai.playout.policy`.
        prior_weights: virtual playouts by policy; None for a uniform prior.

    Attributes:
        expansion_visits: visits of a leaf before the search expands it.
        backend: the kernel; a new one takes effect with the next evaluation.
        stopped: polled during an interpreted playout; a compiled one is too short for that.
    """

    def __init__(
        self,
        seed: int = 0,
        style: int = TACTICS | PATTERNS,
        prior_weights: PriorWeights | None = PriorWeights(),
        backend: Backend | None = None,
    ) -> None:
        self.expansion_visits = 4
        self.backend = backend or interpreted()
        self.stopped: Callable[[], bool] = lambda: False
        self._random = random.Random(seed)
        self._style = style
        self._prior_weights = prior_weights
        self._ready: Backend | None = None
        self._twins: list[PlayoutEvaluator] = []

    def begin(self, board: Board, komi: float, last: int) -> None:
        """As :meth:`daoqi_tui.ai.search.evaluator.Evaluator.begin` says."""
        self._torus, self._komi, self._rules = board.torus, komi, board.rules
        self._stones, self._to_move, self._last = list(board.colours), board.to_move, last
        self._ready = None

    def _prepare(self) -> Backend:
        """Return the backend with the root set up in it."""
        backend = self.backend
        if backend is self._ready:
            return backend
        torus = self._torus
        points = torus.points
        self._tables = tables = Tables.of(torus, backend)
        self._root = backend.empty_state(points)
        self._twins = []
        self._make_room(backend, points)
        backend.load(points, tables.near, self._root, backend.sequence(self._stones))
        self._root[8][I_LAST] = NOWHERE if self._last == PASS else self._last
        self._ready = backend
        return backend

    def _make_room(self, backend: Backend, points: int) -> None:
        """Allocate the sequences that playouts write to."""
        self._work = backend.empty_state(points)
        self._moves, self._path = (backend.sequence([0] * (moves * points)) for moves in (MOVES_A_POINT, PATH_A_POINT))
        self._first = backend.sequence([0] * (points + 1))
        self._owner, self._marks, self._amount, self._shapes = (backend.sequence([0] * points) for _ in range(4))
        if backend is interpreted():
            self._moves = _InterruptibleMoves(self._moves, lambda: self.stopped())  # noqa: PLW0108 - it may change

    def twins(self, count: int) -> Sequence[PlayoutEvaluator]:
        """As :meth:`daoqi_tui.ai.search.evaluator.Evaluator.twins` says; interpreted playouts only take turns."""
        backend = self._prepare()
        if backend is interpreted():
            return ()
        while len(self._twins) < count:
            twin = shallow_copy(self)
            twin._random = random.Random(self._random.getrandbits(32))  # noqa: SLF001 - it is one of us
            twin._make_room(backend, self._torus.points)  # noqa: SLF001
            self._twins.append(twin)
        return self._twins[:count]

    def prior(self, path: Sequence[int], moves: Sequence[int]) -> Prior:
        """As :meth:`daoqi_tui.ai.search.evaluator.Evaluator.prior` says, from the policy features."""
        prior_weights = self._prior_weights
        count = len(moves)
        visits = np.full(count, prior_weights.even if prior_weights else 1.0, dtype=np.float32)
        value_sum = visits * np.float32(0.5)
        if prior_weights is None:
            value_sum[-1] *= 0.2
            return Prior(visits, value_sum)
        likely, stakes, hopeless = self._policy_features(path, np.array(moves, dtype=np.intp))
        good = np.clip(prior_weights.good * likely, prior_weights.capture * stakes, prior_weights.max_good)
        bad = np.clip(-prior_weights.bad * likely, 0.0, prior_weights.max_bad)
        value_sum = np.where(hopeless, value_sum * 0.2, value_sum + good).astype(np.float32)
        return Prior((visits + good + bad).astype(np.float32), value_sum)

    def policy(self, moves: Sequence[int]) -> NDArray[np.float32]:
        """As :meth:`daoqi_tui.ai.search.evaluator.Evaluator.policy` says."""
        prior_weights = self._prior_weights or PriorWeights()
        likely, stakes, _ = self._policy_features([], np.array(moves, dtype=np.intp))
        chance = np.exp(
            np.where(stakes, np.maximum(likely, stakes * (prior_weights.capture / prior_weights.good)), likely)
        )
        return np.asarray(chance / chance.sum(), np.float32)

    def _policy_features(
        self, path: Sequence[int], plays: NDArray[np.intp]
    ) -> tuple[NDArray[np.float32], NDArray[np.intp], NDArray[np.bool_]]:
        """Compute the policy of ``plays`` in the position that ``path`` leads to, an entry each.

        Returns:
            The log of the probability relative to the average move; 1 where it captures a stone, 2 where it captures
            several, else 0; whether it is a pass or a single-stone suicide.
        """
        backend, tables = self._prepare(), self._tables
        copy(self._root, self._work)
        self._set_path(path)
        mine = backend.play_path(tables.near, self._work, self._path, len(path), self._to_move)
        found = self._marks, self._amount, self._shapes
        backend.move_features(tables.points, tables.near, tables.diagonal, self._work, mine, *found)
        marks, amount, shapes = (np.array(numbers)[plays] for numbers in found)
        value = (
            policy_features.tactical_weights()[policy_features.stake_classes(amount), marks]
            + policy_features.pattern_weights()[mine][shapes]
        )
        last, before = (self._last, *path)[-1:], (self._last, *path)[-2:-1]
        for moves, near in zip((last, before), policy_features.distance_weights(self._torus), strict=True):
            if moves and moves[0] >= 0:
                value += near[moves[0], plays]
        taking = np.where(marks & features.F_CAPTURE, 1 + (amount > 1), 0)
        hopeless = (marks & features.F_SUICIDE != 0) | (plays == PASS)
        value[hopeless] = -99.0
        chance = np.exp(value - value.max())
        return np.log(chance * (len(plays) / chance.sum()) + 1e-9), taking, hopeless

    def evaluate(self, path: Sequence[int], black_lead: int) -> Outcome:
        """As :meth:`daoqi_tui.ai.search.evaluator.Evaluator.evaluate` says, by one playout."""
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
        value = game_value(self._rules, margin, tables.points)
        return Outcome(value, margin, np.array(self._owner, np.int8), np.array(self._first, np.int8))

    def evaluate_batch(self, paths: Sequence[Sequence[int]], black_leads: Sequence[int]) -> list[Outcome]:
        """As :meth:`daoqi_tui.ai.search.evaluator.BatchEvaluator.evaluate_batch` says; only in compiled form."""
        backend, tables = self._prepare(), self._tables
        count, points = len(paths), tables.points
        margins = np.empty(count, np.int32)
        owners, firsts = (np.zeros((count, points + extra), np.int8) for extra in (0, 1))
        played = np.empty((count, points), np.int8)
        backend.simulate_batch(
            points,
            tables.near,
            tables.diagonal,
            tables.pattern,
            self._root,
            self._work,
            np.fromiter((move for path in paths for move in path), np.int32),
            np.array([len(path) for path in paths], np.int32),
            self._to_move,
            self._style,
            np.array([self._random.getrandbits(32) for _ in paths], np.uint32),
            self._path,
            self._moves,
            self._owner,
            self._first,
            margins,
            owners.reshape(-1),
            played.reshape(-1),
        )
        firsts[:, :points] = played
        outcomes = []
        for margin, lead, owner, first in zip(margins.tolist(), black_leads, owners, firsts, strict=True):
            total = margin + lead - self._komi
            outcomes.append(Outcome(game_value(self._rules, total, points), total, owner, first))
        return outcomes

    def _set_path(self, path: Sequence[int]) -> None:
        for index, move in enumerate(path):
            self._path[index] = move


class _InterruptibleMoves(list[int]):
    """The move list of an interpreted playout; storing a move polls ``stopped`` now and then.

    An interpreted playout on a large board takes tens of milliseconds, which is too long to wait for.
    """

    def __init__(self, moves: Iterable[int], stopped: Callable[[], bool]) -> None:
        super().__init__(moves)
        self._stopped = stopped

    def __setitem__(self, index: int, move: int) -> None:  # type: ignore[override]  # no slices here
        if index % STOP_CHECK_INTERVAL == 0 and self._stopped():
            raise Stopped
        super().__setitem__(index, move)
