"""Judges of many positions at once, of a few lines."""

from __future__ import annotations

import pytest

from daoqi_tui.ai.katago_features import KOMI, MINE, THEIRS

torch = pytest.importorskip("torch", reason="torch is not installed, so nothing can be trained")
from daoqi_tui.training.batch_features import Looks  # noqa: E402
from daoqi_tui.training.batch_judge import Verdicts  # noqa: E402


class Counting:
    """Finds every move as good as any other, and every game even unless told otherwise; counts how it is asked.

    Args:
        black: Black's chance to win. Whose turn it is it knows by whose komi is.
        stones: how much of the chance hangs on who has more stones.
    """

    device = torch.device("cpu")

    def __init__(self, black: float = 0.5, stones: float = 0.0) -> None:
        self.asked: list[int] = []
        self._black = black
        self._stones = stones

    def judge(self, looks: Looks, size: int) -> Verdicts:
        count, points = len(looks.whole), size * size
        self.asked.append(count)
        nothing = torch.zeros(count)
        win = torch.where(looks.whole[:, KOMI] > 0, 1 - self._black, self._black)
        ahead = (looks.planes[:, MINE].float() - looks.planes[:, THEIRS].float()).mean(1)
        win = (win + self._stones * ahead / 2).clamp(0, 1)
        policy = torch.full((count, points + 1), 1 / (points + 1))
        return Verdicts(policy, win, nothing, nothing + 1, torch.zeros(count, points))
