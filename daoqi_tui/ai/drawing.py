"""Moves drawn by chance, the likelier the oftener."""

from __future__ import annotations

import numpy as np

from daoqi_tui.ai.network_grid import Floats


def drawn(chances: Floats, temperature: float, random: np.random.Generator) -> int:
    """The place of one of ``chances``, drawn by them.

    Args:
        chances: of each place, not all 0; they need not add up to 1.
        temperature: above 1 the places are more alike than the chances say, below 1 less.
        random: where chance is from.
    """
    risen = chances.astype(np.float64) ** (1.0 / temperature)
    return int(random.choice(len(risen), p=risen / risen.sum()))
