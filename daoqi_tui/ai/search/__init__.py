"""Tree search by PUCT with a network.

Here is what a search needs to know of a position: a network's inputs and its evaluation, and the value of an end.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.ai.network.layout import Floats
from daoqi_tui.engine import BLACK, WHITE, Board, Colour, Rules, opponent
from daoqi_tui.reading.races import Race

MARGIN_SHARE: Final = 0.04
"""The weight of the score in a value, so that of two won games the clearer is preferred."""
MARGIN_SLOPE: Final = 4.0
"""The slope of tanh for the score as a share of the points."""


def game_value(rules: Rules, margin: float, points: int) -> float:
    """Return the value for Black of a game that ends with ``margin``: win, draw or loss, and a little the score."""
    return blended_value(rules.value(margin), margin, points)


def blended_value(win: float, margin: float, points: int) -> float:
    return (1.0 - MARGIN_SHARE) * win + MARGIN_SHARE * (0.5 + 0.5 * math.tanh(MARGIN_SLOPE * margin / points))


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a game that has ended.

    Attributes:
        black: the value for Black, 0 to 1.
        margin: the score in points, Black's less White's, with komi and passes.
        owner: the final colour of each point, 0 for nobody; shape ``(points,)``.
    """

    black: float
    margin: float
    owner: NDArray[np.int8]


HISTORY: Final = 5


class Inputs(NamedTuple):
    """The inputs of a network for one position.

    Attributes:
        planes: the spatial features, shape ``(points, planes)``.
        whole: the global features, shape ``(globals,)``.
        races: those that are read exactly; the evaluation is corrected by them.
    """

    planes: Floats
    whole: Floats
    races: tuple[Race, ...] = ()


class Evaluation(NamedTuple):
    """A network's evaluation of one position.

    Attributes:
        policy: the probability of each point and, last, of the pass, illegal moves included; the sum is 1.
        win: the win rate of the side to move, 0 to 1.
        lead: the score lead of the side to move in points, with komi and passes.
        spread: the standard deviation of the score, 0 where the network does not have it.
        owner: the ownership of each point from −1 (the opponent's) to 1 (the side to move's).
    """

    policy: Floats
    win: float
    lead: float
    spread: float
    owner: Floats


class NetworkEvaluator(Protocol):
    """A network with the encoding of its inputs."""

    @property
    def name(self) -> str: ...

    @property
    def inputs(self) -> Hashable:
        """What the inputs are; equal for networks with the same inputs."""

    def encode(self, board: Board, komi: float, recent: Sequence[int], passes_in_row: int) -> Inputs:
        """Return the inputs for the position on ``board``, which is unchanged afterwards.

        Args:
            board: the position.
            komi: points for White.
            recent: up to :data:`HISTORY` moves before this position, oldest first; the board can undo them.
            passes_in_row: the consecutive passes before this position; with one, another ends the game.
        """

    def evaluate(self, batch: Sequence[Inputs], size: int) -> list[Evaluation]:
        """Evaluate positions on boards of ``size`` × ``size`` points; a few at once take less time each."""


# Evaluations that are known


MOST_NUMBERS: Final = 8_000_000
"""The most numbers of all evaluations kept, 4 bytes each: 15,000 evaluations on 16×16, 49,000 on 9×9."""


class Situation(NamedTuple):
    """All that decides an evaluation but the last moves, which KataGo leaves out of its cache, too.

    Attributes:
        size, rules: of the game.
        to_move: the side to move.
        key: the state of the board, exactly.
        legal: the mask of its legal plays, which the history decides.
        balance: White's points beside the board: komi and Black's passes less her own.
        passes_in_row: the consecutive passes before.
    """

    size: int
    rules: Rules
    to_move: Colour
    key: int
    legal: int
    balance: float
    passes_in_row: int

    @classmethod
    def of(cls, board: Board, legal: int, komi: float, passes_in_row: int) -> Situation:
        balance = komi + board.passes[BLACK] - board.passes[WHITE]
        return cls(board.torus.size, board.rules, board.to_move, board.key, legal, balance, passes_in_row)


class EvaluationCache:
    """The evaluations used last of one network.

    Args:
        most_numbers: the most numbers of all evaluations; those not used for longest go first.
    """

    def __init__(self, most_numbers: int = MOST_NUMBERS) -> None:
        self._left = most_numbers
        self._known: OrderedDict[Situation, Evaluation] = OrderedDict()

    def find(self, situation: Situation) -> Evaluation | None:
        found = self._known.get(situation)
        if found is not None:
            self._known.move_to_end(situation)
        return found

    def store(self, situation: Situation, evaluation: Evaluation) -> None:
        if situation in self._known:
            return
        self._known[situation] = evaluation
        self._left -= _numbers(evaluation)
        while self._left < 0 and self._known:
            _, dropped = self._known.popitem(last=False)
            self._left += _numbers(dropped)


def _numbers(evaluation: Evaluation) -> int:
    return evaluation.policy.size + evaluation.owner.size


# Plays and scores by the rules


def margin_bounds(board: Board, komi: float) -> tuple[float, float]:
    points = board.torus.points
    beside = board.passes[WHITE] - board.passes[BLACK] - komi
    return beside - points, beside + points


def value_after_cost(board: Board, cost: int, margin: float) -> float:
    """Return what a game that ends now is worth to the side to move, which first pays ``cost`` points.

    Args:
        board: says whose move it is, and by its rules who wins a tie.
        cost: in points.
        margin: Black's points less White's before the payment.

    Returns:
        1 for a won, 0.5 for a drawn, 0 for a lost game.
    """
    if board.to_move == BLACK:
        return board.rules.value(margin - cost)
    return 1 - board.rules.value(margin + cost)


def sensible_plays(board: Board, legal: int) -> int:
    """Return the ``legal`` plays with only the first of all one-stone suicides, which lead to the same position."""
    lone = lone_suicides(board, legal)
    return legal ^ (lone & (lone - 1))


def lone_suicides(board: Board, legal: int) -> int:
    """Return the single-stone suicides of the ``legal`` plays, which hand the same board to the opponent."""
    torus = board.torus
    lone = legal & ~torus.dilate(board.empty | board.stones(board.to_move))
    for point in torus.points_in(lone):
        if captures(board, point):
            lone ^= torus.bits[point]
    return lone


def captures(board: Board, point: int) -> bool:
    theirs, own = opponent(board.to_move), board.torus.bits[point]
    return any(
        board.colours[nearby] == theirs and board.liberties_of(nearby) == own
        for nearby in board.torus.neighbours[point]
    )
