"""Which network predicts the results of games on the torus best? All evaluate the same positions of our own games.

    python tests/benchmarks/ai_outcomes.py NET OTHER … [--size 16] [--games 48] [--noted 0.06] [--seed 1]

NET is a file, or ``auto`` for the built-in network. It plays the games, by its policy alone to a settled end, and a
share of their positions is evaluated. The script prints for each network the cross entropy of the winner and of the
owners of the points, in nats, and for all but the first the difference from the first with its 95 % interval (bootstrap
over games). This exposes networks that take stones for dead that live on a torus.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch
from _arena import compile_kernels, evaluated
from numpy.typing import NDArray

from daoqi_tui.ai.nets import NetworkFiles, checked
from daoqi_tui.ai.search import Inputs
from daoqi_tui.lab.training.engine_games import EngineGames
from daoqi_tui.lab.training.self_play import settled_games
from daoqi_tui.lab.training.settings import Finishing, PolicyPlay

SURE = 1e-3
"""Probabilities are clamped to this, so that a single game cannot dominate the mean."""
DRAWS = 2000


def entropies(chances: NDArray[np.float64], truth: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return binary cross entropies."""
    chances = chances.clip(SURE, 1 - SURE)
    return -(truth * np.log(chances) + (1 - truth) * np.log(1 - chances))


def more(losses: NDArray[np.float64], first: NDArray[np.float64], game: NDArray[np.int_]) -> str:
    """Return by how much the mean loss exceeds that of the first network, with its interval."""
    numbers = np.unique(game)
    sums = np.array([(losses - first)[game == number].sum() for number in numbers])
    counts = np.array([(game == number).sum() for number in numbers])
    drawn = np.random.default_rng(1).integers(len(numbers), size=(DRAWS, len(numbers)))
    low, high = np.quantile(sums[drawn].sum(1) / counts[drawn].sum(1), (0.025, 0.975))
    return f"{(losses - first).mean():+.3f} ({low:+.3f} to {high:+.3f})"


def main() -> None:
    """Play the games, evaluate the positions with the networks, and print the table."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("nets", nargs="+", metavar="NET")
    options.add_argument("--size", type=int, default=16)
    options.add_argument("--games", type=int, default=48)
    options.add_argument("--noted", type=float, default=0.06)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    files = [checked(net) for net in given.nets]
    compile_kernels()
    size = given.size
    games = EngineGames(NetworkFiles().load(files[0]), size, given.games)
    generator = torch.Generator().manual_seed(given.seed)
    played = settled_games(games, PolicyPlay(), Finishing(recorded=given.noted), generator)
    positions, game = played.positions, played.game.numpy()
    assert positions is not None
    planes = positions.planes_of().reshape(len(positions), size * size, -1)
    batch = [Inputs(*each) for each in zip(planes, positions.whole, strict=True)]
    owned = (1 + positions.owner / 127) / 2
    print(f"{size}×{size}: {len(positions)} positions of {len(np.unique(game))} games")
    first: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None
    for file in files:
        found = evaluated(NetworkFiles().load(file), batch, size)
        winner = entropies(np.array([one.win for one in found]), positions.value[:, 0].astype(float))
        owners = entropies((1 + np.array([one.owner for one in found])) / 2, owned).mean(1)
        line = f"{Path(file).name.split('.')[0]:24} winner {winner.mean():.3f}   owners {owners.mean():.3f}"
        if first is None:
            first = winner, owners
        else:
            line += f"   more: winner {more(winner, first[0], game)}, owners {more(owners, first[1], game)}"
        print(line, flush=True)


if __name__ == "__main__":
    main()
