"""How networks of model format 8 see many positions at once: as :class:`daoqi_tui.ai.katago_features.Features`.

Ladders are not read, which no tensor could do: their planes stay zero, as for ``Features(8, ladders=False)``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor

from daoqi_tui.ai.katago_features import KOMI, LAYOUTS, MINE, ON_BOARD, RULES, THEIRS
from daoqi_tui.ai.katago_format import INPUTS
from daoqi_tui.ai.network_judge import HISTORY
from daoqi_tui.engine import BLACK, EMPTY, WHITE
from daoqi_tui.training.areas import Areas
from daoqi_tui.training.grid import Grid
from daoqi_tui.training.states import Chains, States

FORMAT: Final = 8
"""The model format whose inputs these are, and whose outputs our networks have."""


@dataclass(frozen=True, slots=True)
class Looks:
    """Positions as a network sees them.

    Attributes:
        planes: shape ``(games, planes, points)``, bool.
        whole: what is said of the whole board, shape ``(games, globals)``, float32.
    """

    planes: Tensor
    whole: Tensor

    def taken(self, chosen: Tensor) -> Looks:
        """Some of the positions."""
        return Looks(self.planes[chosen], self.whole[chosen])


def looks_of(grid: Grid, states: States, chains: Chains, plays: Tensor, areas: Areas, *, komi: Tensor) -> Looks:
    """How the positions are seen.

    Args:
        grid: for the boards.
        states: the positions.
        chains: of the positions.
        plays: where the side to move may play, ``(games, points)``.
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
    planes[:, layout.banned] = empty & ~plays
    moves = states.recent[:, :, None] == grid.places.to(torch.int16)
    planes[:, layout.moves : layout.moves + HISTORY] = moves
    whole[:, :HISTORY] = (states.recent == grid.points).float()
    is_black = (states.to_move == BLACK)[:, None]
    black, white = areas.certain[:, 0], areas.certain[:, 1]
    planes[:, layout.area] = torch.where(is_black, black, white)
    planes[:, layout.area + 1] = torch.where(is_black, white, black)
    reach = grid.points + layout.komi_reach
    own_komi = own_komi_of(states, komi).clamp(-reach, reach)
    whole[:, KOMI] = own_komi / layout.komi_unit
    for place, value in RULES.items():
        whole[:, place] = value
    whole[:, layout.ending] = (states.in_row == 1).float()
    whole[:, layout.parity] = _wave(own_komi, grid.points)
    return Looks(planes, whole)


def own_komi_of(states: States, komi: Tensor) -> Tensor:
    """The points that each side to move has beside its area, as :func:`daoqi_tui.ai.katago_features.komi_of`."""
    tie_break = 0.5 * (komi == komi.trunc())
    white = komi + states.passes[:, 0] - states.passes[:, 1] + tie_break
    return torch.where(states.to_move == WHITE, white, -white)


def _wave(own_komi: Tensor, points: int) -> Tensor:
    """As in :mod:`daoqi_tui.ai.katago_features`: a triangular wave of komi with period 2."""
    odd = points % 2
    above = (own_komi - odd) - 2.0 * torch.floor((own_komi - odd) / 2)
    return torch.where(above < 0.5, above, torch.where(above < 1.5, 1.0 - above, above - 2.0))
