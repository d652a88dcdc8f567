"""How well calibrated is a network? Measured on its own policy-only games, played to a settled end.

    python tests/benchmarks/ai_calibration.py NET [--size 16] [--games 120] [--seed 1]

NET is a file, or ``auto`` for the built-in network. Games begin with exploratory moves, as in training, and continue at
a low temperature; games that do not end by two passes are left out. The script prints, for each range of win rates, how
often the side rated ahead won; further, how much of the board that the network considered certainly owned belonged to
the other side in the end, and by how much the win rate of the side to move exceeds that of the positions before and
after, which should be zero.
"""

from __future__ import annotations

import argparse
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from _arena import compile_kernels, evaluated
from numpy.typing import NDArray

from daoqi_tui.ai.nets import NetworkFiles, checked
from daoqi_tui.ai.search import Inputs, NetworkEvaluator
from daoqi_tui.lab.training.engine_games import EngineGames
from daoqi_tui.lab.training.self_play import settled_games
from daoqi_tui.lab.training.settings import Finishing, PolicyPlay

STRIPS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 1.0)
SURE = 0.9
"""The absolute ownership above which a point counts as certainly owned."""


def told(
    network: NetworkEvaluator, size: int, games: int, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Play games and compare the network's evaluations with their results.

    Returns:
        An array ``(positions, 5)``: the win rate of the side rated ahead, whether it won, the error of the lead, the
        share of the board considered certainly owned, and the share wrongly so. And an array with a number for each
        position between two others: by how much the win rate of the side to move exceeds that of these two.
    """
    play, finishing = PolicyPlay(opening=0.1, random=0.06, temperature=1.0), Finishing(recorded=1.0)
    better: list[float] = []
    rows: list[tuple[float, ...]] = []
    played = settled_games(EngineGames(network, size, games), play, finishing, torch.Generator().manual_seed(seed))
    positions = played.positions
    assert positions is not None
    planes = positions.planes_of().reshape(len(positions), size * size, -1)
    for number in played.game.unique():
        of_game = (played.game == number).nonzero()[:, 0].tolist()
        batch = [Inputs(planes[row], positions.whole[row]) for row in of_game]
        evaluations = evaluated(network, batch, size)
        for before, found, after in zip(evaluations, evaluations[1:], evaluations[2:], strict=False):
            better.append(found.win - 1.0 + (before.win + after.win) / 2)
        for found, row in zip(evaluations, of_game, strict=True):
            win, lead, _ = positions.value[row]
            sure = np.abs(found.owner) > SURE
            wrong = sure & (np.sign(found.owner) != np.sign(positions.owner[row]))
            right = (found.win > 0.5) == (win > 0.5)
            ahead = max(found.win, 1.0 - found.win)
            rows.append((ahead, float(right), abs(found.lead - lead), float(sure.mean()), float(wrong.mean())))
    return np.array(rows), np.array(better)


def main() -> None:
    """Play the games and print the tables."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("net")
    options.add_argument("--size", type=int, default=16)
    options.add_argument("--games", type=int, default=120)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    file = checked(given.net)
    compile_kernels()
    rows, better = told(NetworkFiles().load(file), given.size, given.games, given.seed)
    ahead, right, off, sure, wrong = rows.T
    print(f"{Path(file).name}, {given.size}×{given.size}: {given.games} games, {len(rows)} positions")
    for low, high in pairwise(STRIPS):
        strip = (ahead >= low) & ((ahead < high) | (high == 1.0))
        if strip.any():
            print(f"thought {ahead[strip].mean():6.1%}   came true {right[strip].mean():6.1%}   of {strip.sum():6}")
    print(f"Brier score {np.mean((ahead - right) ** 2):.3f}; lead off by {np.median(off):.1f} points (median)")
    print(
        f"owned beyond doubt {sure.mean():.1%} of the board, of which wrongly {wrong.sum() / max(sure.sum(), 1e-9):.1%}"
    )
    print(f"whoever moves is thought better off than a move before and after by {better.mean():+.1%}")


if __name__ == "__main__":
    main()
