"""Networks of a few lines, for games that are quick to play."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from daoqi_tui.ai.katago_features import Features
from daoqi_tui.ai.network_judge import Judgement, Look
from daoqi_tui.engine import Board


class Even:
    """Finds every move as good as any other, and every game even; counts how it is asked."""

    name = "even"

    def __init__(self) -> None:
        self._features = Features(8, ladders=False)
        self.batches: list[int] = []

    def look(self, board: Board, komi: float, recent: Sequence[int], passes_in_row: int) -> Look:
        return self._features.look(board, komi, recent, passes_in_row)

    def judge(self, looks: Sequence[Look], size: int) -> list[Judgement]:
        self.batches.append(len(looks))
        points = size * size
        policy = np.full(points + 1, 1.0 / (points + 1), np.float32)
        return [Judgement(policy, 0.5, 0.0, 1.0, np.zeros(points, np.float32)) for _ in looks]
