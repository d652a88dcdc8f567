"""Evaluates positions with KataGo's networks, using circular padding."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from statistics import NormalDist
from typing import Final, Protocol

import numpy as np

from daoqi_tui.ai.katago.features import LAYOUTS, Features
from daoqi_tui.ai.katago.format import Header, NetError
from daoqi_tui.ai.network.layout import Floats
from daoqi_tui.ai.network.network import Outputs
from daoqi_tui.ai.search.evaluator import Evaluation, Inputs
from daoqi_tui.engine import Board
from daoqi_tui.message import Message

EVEN: Final = 0.5
LEAD: Final = 2
"""The index of the lead in the score outputs since format 8; earlier formats only have the mean score."""
_LEADS: Final = 8
"""The first model format with an output for the lead."""
SURE: Final = 0.999
"""Win rates are clamped to 1 − SURE and SURE before a lead is derived from them."""


class Runner(Protocol):
    """Runs a network's weights, in numpy or torch."""

    def run(self, planes: Floats, whole: Floats, size: int) -> Outputs:
        """As :meth:`daoqi_tui.ai.network.network.Network.run`."""


class KataGoNetwork:
    """A network as a :class:`~daoqi_tui.ai.search.evaluator.NetworkEvaluator`.

    Args:
        header: from the file; its format determines the inputs and outputs.
        runner: runs the file's weights.
    """

    def __init__(self, header: Header, runner: Runner) -> None:
        self._header = header
        self._runner = runner
        self._features = Features(header.format, ladders=header.ladders)

    @property
    def name(self) -> str:
        """The name in the file."""
        return self._header.name

    @property
    def inputs(self) -> Hashable:
        """As :attr:`daoqi_tui.ai.search.evaluator.NetworkEvaluator.inputs`."""
        return LAYOUTS[self._header.format], self._header.ladders

    def encode(self, board: Board, komi: float, recent: Sequence[int], passes_in_row: int) -> Inputs:
        """As :meth:`daoqi_tui.ai.search.evaluator.NetworkEvaluator.encode` says."""
        return self._features.encode(board, komi, recent, passes_in_row)

    def evaluate(self, batch: Sequence[Inputs], size: int) -> list[Evaluation]:
        """As :meth:`daoqi_tui.ai.search.evaluator.NetworkEvaluator.evaluate` says.

        Raises:
            NetError: the outputs are not finite, because the weights are not those of a trained network.
        """
        planes = np.stack([inputs.planes for inputs in batch])
        whole = np.stack([inputs.whole for inputs in batch])
        # Overflows are found in the outputs.
        with np.errstate(all="ignore"):
            outputs = self._runner.run(planes, whole, size)
            found = evaluations_of(outputs, self._header, size)
        numbers = outputs.policy, outputs.value, outputs.score, outputs.ownership
        if not all(np.isfinite(part).all() for part in numbers) or not all(
            math.isfinite(one.lead) and math.isfinite(one.spread) for one in found
        ):
            raise NetError(Message("the network {name} computes no numbers; its file is damaged", name=self.name))
        return found


def evaluations_of(outputs: Outputs, header: Header, size: int) -> list[Evaluation]:
    """Convert the outputs of a network to evaluations."""
    policy = _softmax(outputs.policy)
    # Under superko every game has a result.
    win = _softmax(outputs.value[:, :2])[:, 0]
    if header.format == 3:
        # The output is the mean score divided by twice the board's side; there is none for the spread.
        lead, spread = outputs.score[:, 0] * (2.0 * size), np.zeros(len(win))
    else:
        has_lead = header.format >= _LEADS
        lead = outputs.score[:, LEAD] * header.units.lead if has_lead else outputs.score[:, 0] * header.units.mean
        spread = np.logaddexp(outputs.score[:, 1], 0.0) * header.units.spread
    owner = np.tanh(outputs.ownership)
    return [
        Evaluation(
            policy[board],
            float(win[board]),
            consistent_lead(float(lead[board]), float(win[board]), float(spread[board])),
            float(spread[board]),
            owner[board],
        )
        for board in range(len(policy))
    ]


def consistent_lead(lead: float, win: float, spread: float) -> float:
    """Return the lead, or one derived from the win rate if the two contradict each other.

    On boards with few stones they do: the lead is the least reliable output of a network trained on flat boards, and
    "behind by three points, win rate 67 %" would make no sense to the user.
    """
    if (lead > 0) == (win > EVEN):
        return lead
    return spread * NormalDist().inv_cdf(min(max(win, 1.0 - SURE), SURE))


def _softmax(logits: Floats) -> Floats:
    risen = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(risen / risen.sum(axis=1, keepdims=True), np.float32)
