"""Which network knows during a game who wins it? All evaluate the positions of recorded games.

    python tests/benchmarks/ai_match_values.py FOLDER... --nets NET... [--every 5]

FOLDER holds the records of a ``daoqi-tui match --out``. A share of their positions is evaluated, and the script prints
the cross entropy of the winner in nats, by board size and by the share of points with stones. Games with a search are a
better test than the policy-only games of ``ai_outcomes.py``: many are decided by a point or two, and not by a mistake
of the policy at the end. A network that played is favoured where it won because it was right, and the positions of a
game are alike: mind the number of games.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import numpy as np
from _arena import compile_kernels, evaluated, recorded
from ai_outcomes import entropies

from daoqi_tui.ai.nets import NetworkFiles, checked
from daoqi_tui.ai.search import HISTORY
from daoqi_tui.engine import PASS, Board, Colour, Game

PHASES = (0.0, 0.1, 0.2, 0.3, 0.5, 0.65, 0.8)
"""The lower limits of the phases, as shares of points with stones."""


class Seen(NamedTuple):
    """A position of a game: its board, the moves before it, and whether the side to move wins."""

    board: Board
    recent: tuple[int, ...]
    komi: float
    passes_in_row: int
    wins: bool

    @property
    def filled(self) -> float:
        """The share of points with stones."""
        return 1.0 - self.board.empty.bit_count() / self.board.torus.points


def positions_of(game: Game, winner: Colour, every: int) -> list[Seen]:
    """Return each ``every``-th position of a game, which is at its end."""
    seen, moves = [], []
    for number, node in enumerate(game.node.path()):
        if node.move is not None:
            moves.append(PASS if node.move.is_pass else node.move.point)
        if number % every == every - 1 and moves[-2:] != [PASS, PASS]:
            board = Board(game.torus, game.rules)
            for move in moves:
                board.make(move)
            passes = int(moves[-1:] == [PASS])
            seen.append(Seen(board, tuple(moves[-HISTORY:]), game.komi, passes, board.to_move == winner))
    return seen


def main() -> None:
    """Evaluate the positions and print a table for each board size."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    options.add_argument("--nets", nargs="+", metavar="NET", required=True)
    options.add_argument("--every", type=int, default=5)
    given = options.parse_args()
    files = [file for net in given.nets if (file := checked(net)) is not None]
    compile_kernels()
    by_size: dict[int, list[Seen]] = defaultdict(list)
    games: dict[int, int] = defaultdict(int)
    for path, game in recorded(given.folders):
        if game.result is None or game.result.winner is None:
            print(f"{path}: no winner, skipped")
            continue
        size = game.torus.size
        by_size[size] += positions_of(game, game.result.winner, given.every)
        games[size] += 1
    for size, seen in sorted(by_size.items()):
        won = np.array([one.wins for one in seen], float)
        phase = np.digitize([one.filled for one in seen], PHASES) - 1
        print(f"{size}×{size}: {len(seen)} positions of {games[size]} games")
        for file in files:
            network = NetworkFiles().load(file)
            batch = [network.encode(one.board, one.komi, one.recent, one.passes_in_row) for one in seen]
            losses = entropies(np.array([found.win for found in evaluated(network, batch, size)]), won)
            parts = (
                f"{low:.0%}–: {losses[phase == index].mean():.3f} ({(phase == index).sum()})"
                for index, low in enumerate(PHASES)
                if (phase == index).any()
            )
            print(f"  {Path(file).name.split('.')[0]:24} {losses.mean():.3f}   {'  '.join(parts)}", flush=True)


if __name__ == "__main__":
    main()
