"""From tensors to positions to learn from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from daoqi_tui.training.batch_features import Looks
from daoqi_tui.training.positions import Positions


@dataclass(frozen=True, slots=True)
class Packed:
    """Looks as files keep them.

    Attributes:
        planes: bits of the planes, point by point, shape ``(positions, ⌈points · planes / 8⌉)``, uint8.
        whole: shape ``(positions, globals)``, float32.
    """

    planes: Tensor
    whole: Tensor


def packed(looks: Looks) -> Packed:
    """Looks with their planes as bits, the first in the highest place, as ``numpy.packbits`` has them."""
    flat = looks.planes.transpose(1, 2).flatten(1).to(torch.uint8)
    flat = functional.pad(flat, (0, -flat.shape[1] % 8))
    places = 2 ** torch.arange(7, -1, -1, dtype=torch.uint8, device=flat.device)
    return Packed((flat.view(len(flat), -1, 8) * places).sum(2, dtype=torch.uint8), looks.whole)


def positions_from(looks: Packed, policy: Tensor, value: Tensor, owner: Tensor) -> Positions:
    """Positions to learn from.

    Args:
        looks: how they are seen.
        policy: shape ``(positions, points + 1)``.
        value: win, lead and spread, shape ``(positions, 3)``.
        owner: from -1 to 1, shape ``(positions, points)``.
    """
    return Positions(
        looks.planes.cpu().numpy(),
        looks.whole.cpu().numpy(),
        policy.half().cpu().numpy(),
        value.float().cpu().numpy(),
        torch.round(owner * 127).to(torch.int8).cpu().numpy(),
        np.array(round(owner.shape[1] ** 0.5)),
    )
