"""The inputs of networks of model format 8 for many positions, as :class:`daoqi_tui.ai.network.features.Features`.

Ladders are not read, since that takes a search: their planes stay zero, as for ``Features(8, ladders=False)``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor

from daoqi_tui.ai.network import INPUTS
from daoqi_tui.ai.network.features import KOMI, LAYOUTS, MINE, ON_BOARD, THEIRS, rule_inputs
from daoqi_tui.ai.search import HISTORY
from daoqi_tui.engine import BLACK, EMPTY, WHITE, Rules
from daoqi_tui.lab.training.areas import Areas
from daoqi_tui.lab.training.grid import TorusGrid
from daoqi_tui.lab.training.states import Chains, States

FORMAT: Final = 8
"""The model format of these inputs, and of our networks' outputs."""


@dataclass(frozen=True, slots=True)
class BatchInputs:
    """The inputs of a network for many positions.

    Attributes:
        planes: shape ``(games, planes, points)``, bool.
        whole: the global features, shape ``(games, globals)``, float32.
    """

    planes: Tensor
    whole: Tensor

    def taken(self, chosen: Tensor) -> BatchInputs:
        """Return the inputs of the positions at ``chosen``, a mask or indices."""
        return BatchInputs(self.planes[chosen], self.whole[chosen])


def inputs_of(
    grid: TorusGrid, states: States, chains: Chains, banned: Tensor, areas: Areas, *, komi: Tensor
) -> BatchInputs:
    """Return the inputs of the positions.

    Args:
        grid: for the boards.
        states: the positions.
        chains: of the positions.
        banned: the empty points that superko forbids, ``(games, points)``.
        areas: of the positions.
        komi: points for White, ``(games,)``.
    """
    layout = LAYOUTS[FORMAT]
    planes_count, whole_count = INPUTS[FORMAT]
    assert layout.liberties is not None
    assert layout.area is not None
    assert layout.ending is not None
    assert layout.parity is not None
    games = len(states)
    planes = torch.zeros((games, planes_count, grid.points), dtype=torch.bool, device=grid.device)
    whole = torch.zeros((games, whole_count), device=grid.device)
    own, empty = states.own, states.colours == EMPTY
    planes[:, ON_BOARD] = True
    planes[:, MINE] = own
    planes[:, THEIRS] = ~own & ~empty
    for count in (1, 2, 3):
        planes[:, layout.liberties + count - 1] = chains.liberties == count
    planes[:, layout.banned] = banned
    moves = states.recent[:, :, None] == grid.indices.to(torch.int16)
    planes[:, layout.moves : layout.moves + HISTORY] = moves
    whole[:, :HISTORY] = (states.recent == grid.points).float()
    is_black = (states.to_move == BLACK)[:, None]
    black, white = areas.certain[:, 0], areas.certain[:, 1]
    planes[:, layout.area] = torch.where(is_black, black, white)
    planes[:, layout.area + 1] = torch.where(is_black, white, black)
    reach = grid.points + layout.komi_reach
    own_komi = mover_komi(states, komi, grid.rules).clamp(-reach, reach)
    whole[:, KOMI] = own_komi / layout.komi_unit
    for index, value in rule_inputs(grid.rules).items():
        whole[:, index] = value
    whole[:, layout.ending] = (states.in_row == 1).float()
    whole[:, layout.parity] = _komi_parity_wave(own_komi, grid.points)
    return BatchInputs(planes, whole)


def mover_komi(states: States, komi: Tensor, rules: Rules) -> Tensor:
    """Return each mover's komi with passes and tie rule, as :func:`daoqi_tui.ai.network.features.mover_komi`."""
    tie_break = (0.5 - rules.value(0)) * (komi == komi.trunc())
    white = komi + states.passes[:, 0] - states.passes[:, 1] + tie_break
    return torch.where(states.to_move == WHITE, white, -white)


def _komi_parity_wave(own_komi: Tensor, points: int) -> Tensor:
    """Return KataGo's komi parity feature, as :mod:`daoqi_tui.ai.network.features`: a triangular wave of period 2."""
    odd = points % 2
    above = (own_komi - odd) - 2.0 * torch.floor((own_komi - odd) / 2)
    return torch.where(above < 0.5, above, torch.where(above < 1.5, 1.0 - above, above - 2.0))
