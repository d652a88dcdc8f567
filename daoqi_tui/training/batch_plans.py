"""What is settled of each of many games before it begins."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from daoqi_tui.training.raw_play import RawPlay


def chance_on(device: torch.device, rng: np.random.Generator) -> torch.Generator:
    """Chance for tensors on a device, which follows from ``rng``."""
    return torch.Generator(device).manual_seed(int(rng.integers(2**62)))


class Plans:
    """How each of many games goes: its komi, how long it is played freely, when it is cut off.

    Args:
        games: how many.
        size: points along a side.
        play: how games are played.
        chance: where it is from.

    Attributes:
        komi: points for White, ``(games,)``, float32.
        free: moves that are played freely at first, ``(games,)``.
        longest: moves after which a game ends.
    """

    def __init__(self, games: int, size: int, play: RawPlay, chance: torch.Generator) -> None:
        points, device = size * size, chance.device
        varied = torch.rand(games, generator=chance, device=device) < play.komi_varied
        more = torch.randn(games, generator=chance, device=device) * play.komi_spread * points
        self.komi = play.komi + torch.round(more * 2) / 2 * varied
        most = 1 + round(play.opening * points)
        self.free = torch.randint(most, (games,), generator=chance, device=device)
        self.longest = round(play.longest * points)

    def renew(self, others: Plans, where: Tensor) -> None:
        """Take the plans of ``others`` for the games ``where``."""
        self.komi, self.free = others.komi.where(where, self.komi), others.free.where(where, self.free)

    def keep(self, places: Tensor) -> None:
        """Go on with some of the games only."""
        self.komi, self.free = self.komi[places], self.free[places]
