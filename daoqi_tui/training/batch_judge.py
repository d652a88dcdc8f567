"""A network that judges many positions at once, which stay where it runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor
from torch.nn import functional

from daoqi_tui.ai.katago import EVEN, LEAD, SCORE_UNIT, SURE
from daoqi_tui.ai.playouts import MARGIN_SHARE, MARGIN_SLOPE
from daoqi_tui.training.batch_features import Looks
from daoqi_tui.training.torch_network import TensorOutputs, TorchNetwork


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What a network thinks of positions: the fields of :class:`daoqi_tui.ai.network_judge.Judgement` as tensors.

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

    def worth(self) -> Tensor:
        """The worth to each side to move, ``(games,)``."""
        return blended(self.win, self.lead, self.owner.shape[1])


class BatchJudge(Protocol):
    """Judges positions, all on boards of one size."""

    device: torch.device
    """Where the positions are."""

    def judge(self, looks: Looks, size: int) -> Verdicts:
        """Judge positions on boards of ``size`` × ``size`` points."""


class BatchNetwork:
    """A network of model format 8 as a :class:`BatchJudge`.

    Args:
        network: runs its weights.
        device: where.
    """

    def __init__(self, network: TorchNetwork, device: torch.device) -> None:
        self.device = device
        self._network = network

    def judge(self, looks: Looks, size: int) -> Verdicts:
        """As :meth:`BatchJudge.judge` says."""
        return verdicts(self._network.outputs(looks.planes.view(*looks.planes.shape[:2], size, size), looks.whole))


def verdicts(outputs: TensorOutputs) -> Verdicts:
    """What the outputs of a network of format 8 mean, as :func:`daoqi_tui.ai.katago.judgements`."""
    win = functional.softmax(outputs.value[:, :2], dim=1)[:, 0]
    spread = functional.softplus(outputs.score[:, 1]) * SCORE_UNIT
    lead = outputs.score[:, LEAD] * SCORE_UNIT
    # As daoqi_tui.ai.katago.agreeing: where lead and chance contradict each other, the chance is believed.
    agrees = (lead > 0) == (win > EVEN)
    lead = torch.where(agrees, lead, spread * torch.special.ndtri(win.clamp(1.0 - SURE, SURE)))
    return Verdicts(functional.softmax(outputs.policy, dim=1), win, lead, spread, torch.tanh(outputs.ownership))


def blended(win: Tensor, margin: Tensor, points: int) -> Tensor:
    """As :func:`daoqi_tui.ai.playouts.blended`: the worth of a chance to win and of an expected margin."""
    return (1.0 - MARGIN_SHARE) * win + MARGIN_SHARE * (0.5 + 0.5 * torch.tanh(MARGIN_SLOPE * margin / points))


def legal_policies(policy: Tensor, plays: Tensor) -> Tensor:
    """Policies without forbidden plays, as :func:`daoqi_tui.training.raw_play.legal_policy`; each sum is 1.

    Args:
        policy: shape ``(games, points + 1)``.
        plays: where may be played, ``(games, points)``.
    """
    passing = torch.ones_like(plays[:, :1])
    legal = policy * torch.cat((plays, passing), dim=1)
    total = legal.sum(1, keepdim=True)
    # A policy of forbidden moves alone becomes a pass.
    passes = functional.one_hot(torch.full_like(plays[:, 0], plays.shape[1], dtype=torch.int64), policy.shape[1])
    return torch.where(total > 0, legal / total, passes.to(policy.dtype))


def drawn_moves(policy: Tensor, temperature: Tensor, chance: torch.Generator) -> Tensor:
    """A move of each policy drawn by chance, as :func:`daoqi_tui.ai.drawing.drawn`; ``(games,)``.

    Args:
        policy: shape ``(games, moves)``.
        temperature: for each game, ``(games,)``.
        chance: where it is from.
    """
    risen = torch.exp((policy.log() - policy.log().amax(1, keepdim=True)) / temperature[:, None])
    return torch.multinomial(risen, 1, generator=chance)[:, 0]
