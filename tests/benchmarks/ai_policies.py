"""Two networks against each other without search: each plays the most likely move of its policy.

    python tests/benchmarks/ai_policies.py NET RIVAL [--size 16] [--games 200]

NET is a file, or ``auto`` for the built-in network. All games are played at the same time, so that positions are
evaluated in batches. Each pair of games shares an opening of six random plays, with colours swapped. A side does not
pass while stones that it considers dead still count; after two passes, or two moves per point, the board is scored as
it stands.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path

import torch
from _arena import compile_kernels, row

from daoqi_tui.ai.nets import NetworkFiles, checked
from daoqi_tui.ai.search import NetworkEvaluator
from daoqi_tui.engine import BLACK, Board, area, torus_of
from daoqi_tui.lab.training.batch_evaluator import legal_policies
from daoqi_tui.lab.training.engine_games import EngineGame, EngineGames
from daoqi_tui.lab.training.self_play import without_early_passes
from daoqi_tui.lab.training.settings import Finishing, PolicyPlay

KOMI = PolicyPlay().komi
OPENING = 6


class Match:
    """Games in progress; the first network is Black in even-numbered ones."""

    def __init__(self, first: NetworkEvaluator, second: NetworkEvaluator, size: int, count: int) -> None:
        self._players = [EngineGames(network, size, 0) for network in (first, second)]
        self.games = [EngineGame(Board(torus_of(size))) for _ in range(count)]
        self._longest = round(Finishing().longest * size**2)
        for number, game in enumerate(self.games):
            rng = random.Random(number // 2)
            for _ in range(OPENING):
                game.make(rng.choice(game.board.torus.points_in(game.board.legal_mask())))

    def going(self) -> list[int]:
        """Return the numbers of the games in progress."""
        return [number for number, game in enumerate(self.games) if game.passes < 2 and len(game.moves) < self._longest]

    def move(self) -> None:
        """Play the most likely move in each game in progress."""
        turns: tuple[list[EngineGame], list[EngineGame]] = ([], [])
        for number in self.going():
            game = self.games[number]
            turns[(game.board.to_move == BLACK) != (number % 2 == 0)].append(game)
        for games, theirs in zip(self._players, turns, strict=True):
            games.games = theirs
            if theirs:
                komi = torch.full((len(games),), KOMI)
                positions = games.positions(komi)
                found = games.evaluate(positions)
                legal = legal_policies(found.policy, positions.plays)
                policy = without_early_passes(legal, games.current_score(komi), found.lead)
                games.play(policy.argmax(1))

    def wins(self) -> int:
        """Return how many games the first network has won, with the boards scored as they stand."""
        return sum((area(game.board, KOMI).margin > 0) == (number % 2 == 0) for number, game in enumerate(self.games))


def main() -> None:
    """Play the games and print the score of the first network."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("net")
    options.add_argument("rival")
    options.add_argument("--size", type=int, default=16)
    options.add_argument("--games", type=int, default=200)
    given = options.parse_args()
    files = [checked(name) for name in (given.net, given.rival)]
    compile_kernels()
    first, second = (NetworkFiles().load(file) for file in files)
    match = Match(first, second, given.size, given.games)
    while going := match.going():
        match.move()
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{len(going)} games go on ")
    names = (Path(file).name.split(".")[0] for file in files if file)
    print(row(f"{' – '.join(names)}, {given.size}×{given.size}", match.wins(), given.games))


if __name__ == "__main__":
    main()
