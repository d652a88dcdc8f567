"""KataGo's networks at play on the torus: read from their own files, run with circular padding."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import NormalDist
from typing import Final, Protocol

import numpy as np

from daoqi_tui.ai.katago_features import Features
from daoqi_tui.ai.katago_file import read_network
from daoqi_tui.ai.katago_format import Header
from daoqi_tui.ai.network import Network, Outputs
from daoqi_tui.ai.network_grid import Floats, Padding
from daoqi_tui.ai.network_judge import Judgement, Look
from daoqi_tui.engine import Board

EVEN: Final = 0.5
SCORE_UNIT: Final = 20.0
"""Points to a score of 1."""
LEAD: Final = 2
"""Where format 8 has the lead; the formats before it have the mean of the score first."""
SURE: Final = 0.999
"""A chance to win beyond this, or as far from 0, says no more of the lead."""


class Runner(Protocol):
    """Weights ready to run, whatever computes."""

    def run(self, planes: Floats, whole: Floats, size: int) -> Outputs:
        """As :meth:`daoqi_tui.ai.network.Network.run`."""


class KataGo:
    """A network of model format 3 to 8 as a :class:`~daoqi_tui.ai.network_judge.Judge`.

    Args:
        header: from the file.
        runner: runs the file's weights.
        ladders: whether ladders are read for the network's inputs; None for what the file says.
    """

    def __init__(self, header: Header, runner: Runner, *, ladders: bool | None = None) -> None:
        self._header = header
        self._runner = runner
        self._features = Features(header.format, ladders=header.ladders if ladders is None else ladders)

    @classmethod
    def load(cls, path: Path, padding: Padding = "wrap", *, ladders: bool | None = None) -> KataGo:
        """The network in a KataGo file, run in numpy.

        Args:
            path: the file.
            padding: what lies beyond the border; anything but a torus is for measuring.
            ladders: as for the class.

        Raises:
            NetError: it cannot be used; the text says what is supported.
        """
        header, parameters = read_network(path)
        return cls(header, Network(parameters, padding), ladders=ladders)

    @property
    def name(self) -> str:
        """As the file has it."""
        return self._header.name

    def look(self, board: Board, komi: float, recent: Sequence[int], passes_in_row: int) -> Look:
        """As :meth:`daoqi_tui.ai.network_judge.Judge.look` says."""
        return self._features.look(board, komi, recent, passes_in_row)

    def judge(self, looks: Sequence[Look], size: int) -> list[Judgement]:
        """As :meth:`daoqi_tui.ai.network_judge.Judge.judge` says."""
        planes = np.stack([look.planes for look in looks])
        whole = np.stack([look.whole for look in looks])
        return judgements(self._runner.run(planes, whole, size), self._header.format, size)


def judgements(outputs: Outputs, model_format: int, size: int) -> list[Judgement]:
    """What the outputs of a network mean."""
    policy = _softmax(outputs.policy)
    # Under superko no game goes without result.
    win = _softmax(outputs.value[:, :2])[:, 0]
    if model_format == 3:
        # The score is told as the tangent of a share of the board's side, and nothing of how sure it is.
        lead, spread = outputs.score[:, 0] * (2.0 * size), np.zeros(len(win))
    else:
        lead = outputs.score[:, LEAD if model_format == 8 else 0] * SCORE_UNIT
        spread = np.logaddexp(outputs.score[:, 1], 0.0) * SCORE_UNIT
    owner = np.tanh(outputs.ownership)
    return [
        Judgement(
            policy[board],
            float(win[board]),
            agreeing(float(lead[board]), float(win[board]), float(spread[board])),
            float(spread[board]),
            owner[board],
        )
        for board in range(len(policy))
    ]


def agreeing(lead: float, win: float, spread: float) -> float:
    """The lead, or what the chance to win says of it where the two contradict each other.

    On boards with few stones they do: the lead is what a network that never saw a torus knows least about, and
    nobody could read "behind by three points, wins two games of three".
    """
    if (lead > 0) == (win > EVEN):
        return lead
    return spread * NormalDist().inv_cdf(min(max(win, 1.0 - SURE), SURE))


def _softmax(logits: Floats) -> Floats:
    risen = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(risen / risen.sum(axis=1, keepdims=True), np.float32)
