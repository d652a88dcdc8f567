"""Evaluates many positions at once with a network, in tensors on its device, and samples moves from policies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, Self

import torch
from torch import Tensor
from torch.nn import functional

from daoqi_tui.ai.network import SCORE_UNIT
from daoqi_tui.ai.network.network import LEAD
from daoqi_tui.ai.network.torch_network import TensorOutputs, TorchNetwork
from daoqi_tui.ai.search import MARGIN_SHARE, MARGIN_SLOPE
from daoqi_tui.lab.training.batch_features import BatchInputs


@dataclass(frozen=True, slots=True)
class BatchEvaluation:
    """The fields of :class:`daoqi_tui.ai.search.Evaluation` for many positions, as tensors.

    Attributes:
        policy: shape ``(games, points + 1)``.
        win, lead, spread: shape ``(games,)``.
        owner: shape ``(games, points)``.
    """

    policy: Tensor
    win: Tensor
    lead: Tensor
    spread: Tensor
    owner: Tensor

    def taken(self, chosen: Tensor) -> Self:
        """Return the evaluations of the positions at ``chosen``, a mask or indices."""
        return type(self)(*(getattr(self, name)[chosen] for name in self.__slots__))

    def value(self) -> Tensor:
        """Return the value for each side to move, ``(games,)``."""
        return blended_values(self.win, self.lead, self.owner.shape[1])


class BatchEvaluator(Protocol):
    """Evaluates positions, all on boards of one size."""

    device: torch.device
    """The device of the positions."""

    def evaluate(self, inputs: BatchInputs, size: int) -> BatchEvaluation:
        """Evaluate positions on boards of ``size`` × ``size`` points."""


class BatchNetwork:
    """A network of model format 8 as a :class:`BatchEvaluator`.

    Args:
        network: runs its weights.
        device: where.
    """

    def __init__(self, network: TorchNetwork, device: torch.device) -> None:
        self.device = device
        self._network = network

    def evaluate(self, inputs: BatchInputs, size: int) -> BatchEvaluation:
        return evaluations(
            self._network.outputs(inputs.planes.view(*inputs.planes.shape[:2], size, size), inputs.whole)
        )


def evaluations(outputs: TensorOutputs) -> BatchEvaluation:
    """Return the evaluations of outputs of format 8, as :func:`daoqi_tui.ai.network.network.evaluations_of`."""
    win = functional.softmax(outputs.value[:, :2], dim=1)[:, 0]
    spread = functional.softplus(outputs.score[:, 1]) * SCORE_UNIT
    lead = outputs.score[:, LEAD] * SCORE_UNIT
    return BatchEvaluation(functional.softmax(outputs.policy, dim=1), win, lead, spread, torch.tanh(outputs.ownership))


def blended_values(win: Tensor, margin: Tensor, points: int) -> Tensor:
    """Return the value of a win rate and a margin, as :func:`daoqi_tui.ai.search.blended_value`."""
    return (1.0 - MARGIN_SHARE) * win + MARGIN_SHARE * (0.5 + 0.5 * torch.tanh(MARGIN_SLOPE * margin / points))


def legal_policies(policy: Tensor, plays: Tensor) -> Tensor:
    """Return policies masked to the legal moves; each sums to 1.

    Args:
        policy: shape ``(games, points + 1)``.
        plays: the legal plays, ``(games, points)``.
    """
    passing = torch.ones_like(plays[:, :1])
    legal = policy * torch.cat((plays, passing), dim=1)
    total = legal.sum(1, keepdim=True)
    # A policy with only illegal moves becomes a pass.
    passes = functional.one_hot(torch.full_like(plays[:, 0], plays.shape[1], dtype=torch.int64), policy.shape[1])
    return torch.where(total > 0, legal / total, passes.to(policy.dtype))


def sample_moves(policy: Tensor, temperature: Tensor, generator: torch.Generator) -> Tensor:
    """Sample a move from each policy, as :func:`daoqi_tui.ai.player.sample_index`; ``(games,)``.

    Args:
        policy: shape ``(games, moves)``.
        temperature: for each game, ``(games,)``.
        generator: the source of random numbers.
    """
    risen = torch.exp((policy.log() - policy.log().amax(1, keepdim=True)) / temperature[:, None])
    return torch.multinomial(risen, 1, generator=generator)[:, 0]
