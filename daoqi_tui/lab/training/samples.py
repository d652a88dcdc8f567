"""Makes training positions from recorded positions and the results of their games, all in tensors.

Samples are made from complete sets of games: using the games that end first would overweight short games.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from daoqi_tui.engine import BLACK, Rules
from daoqi_tui.lab.training.areas import results_of
from daoqi_tui.lab.training.batch_features import BatchInputs
from daoqi_tui.lab.training.positions import Positions


@dataclass(frozen=True, slots=True)
class PackedInputs:
    """Inputs in the form stored in files.

    Attributes:
        planes: bits of the planes, point by point, shape ``(positions, ⌈points · planes / 8⌉)``, uint8.
        whole: shape ``(positions, globals)``, float32.
    """

    planes: Tensor
    whole: Tensor


def packed(inputs: BatchInputs) -> PackedInputs:
    """Return inputs with their planes as bits, most significant bit first, as in ``numpy.packbits``."""
    flat = inputs.planes.transpose(1, 2).flatten(1).to(torch.uint8)
    flat = functional.pad(flat, (0, -flat.shape[1] % 8))
    powers = 2 ** torch.arange(7, -1, -1, dtype=torch.uint8, device=flat.device)
    return PackedInputs((flat.view(len(flat), -1, 8) * powers).sum(2, dtype=torch.uint8), inputs.whole)


def positions_from(inputs: PackedInputs, policy: Tensor, value: Tensor, owner: Tensor) -> Positions:
    """Return training positions.

    Args:
        inputs: of the network.
        policy: shape ``(positions, points + 1)``.
        value: win, lead and spread, shape ``(positions, 3)``.
        owner: from −1 to 1, shape ``(positions, points)``.
    """
    return Positions(
        inputs.planes.cpu().numpy(),
        inputs.whole.cpu().numpy(),
        policy.half().cpu().numpy(),
        value.float().cpu().numpy(),
        torch.round(owner * 127).to(torch.int8).cpu().numpy(),
        np.array(round(owner.shape[1] ** 0.5)),
    )


@dataclass(frozen=True, slots=True)
class RecordedPositions:
    """Positions recorded during games.

    Attributes:
        game: the number of each position's game, ``(positions,)``.
        inputs: of the network.
        to_move: the side to move, ``(positions,)``.
        policy: the policy target, ``(positions, points + 1)``.
        win: its estimated win rate, for the side to move; the value of a search includes a small share of the lead.
    """

    game: Tensor
    inputs: PackedInputs
    to_move: Tensor
    policy: Tensor
    win: Tensor


@dataclass(frozen=True, slots=True)
class GameResults:
    """The results of games.

    Attributes:
        margin: Black's points minus White's, ``(games,)``.
        black: 1 for Black's points, −1 for White's, 0 for nobody's; ``(games, points)``.
        settled: whether two passes ended the game; a game that was cut off has no result. ``(games,)``, bool.
        rules: of the games.
    """

    margin: Tensor
    black: Tensor
    settled: Tensor
    rules: Rules

    def samples(self, recorded: Sequence[RecordedPositions], outcome: float) -> tuple[Positions | None, Tensor]:
        """Return the positions of settled games with their targets, None if there are none, and their games.

        Args:
            recorded: the positions.
            outcome: the share of the game's outcome in the win target; the rest is the recorded win rate.
        """
        if not recorded:
            return None, torch.zeros(0, dtype=torch.int64, device=self.margin.device)
        game, to_move, policy, win = (
            torch.cat([getattr(part, name) for part in recorded]) for name in ("game", "to_move", "policy", "win")
        )
        planes, whole = (torch.cat([getattr(part.inputs, name) for part in recorded]) for name in ("planes", "whole"))
        learnt = self.settled[game]
        game, is_black = game[learnt], (to_move == BLACK)[learnt]
        if not len(game):
            return None, game
        sign = torch.where(is_black, 1.0, -1.0)
        black = results_of(self.margin[game], self.rules)
        won = torch.where(is_black, black, 1.0 - black)
        target = outcome * won + (1.0 - outcome) * win[learnt]
        value = torch.stack((target, sign * self.margin[game], torch.full_like(target, -1.0)), dim=1)
        owner = sign[:, None] * self.black[game]
        return positions_from(PackedInputs(planes[learnt], whole[learnt]), policy[learnt], value, owner), game
