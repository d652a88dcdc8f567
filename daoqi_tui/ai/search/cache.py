"""Keeps a network's evaluations by position, so that one reached by other moves is not evaluated again."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final, NamedTuple

from daoqi_tui.ai.search.evaluator import Evaluation
from daoqi_tui.engine import BLACK, WHITE, Board, Colour, Rules

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
        """Return the situation on a board; ``legal`` is its mask of legal plays."""
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
        """Return the evaluation of a situation, None where it is not known."""
        found = self._known.get(situation)
        if found is not None:
            self._known.move_to_end(situation)
        return found

    def keep(self, situation: Situation, evaluation: Evaluation) -> None:
        """Keep the evaluation of a situation."""
        if situation in self._known:
            return
        self._known[situation] = evaluation
        self._left -= _numbers(evaluation)
        while self._left < 0 and self._known:
            _, dropped = self._known.popitem(last=False)
            self._left += _numbers(dropped)


def _numbers(evaluation: Evaluation) -> int:
    return evaluation.policy.size + evaluation.owner.size
