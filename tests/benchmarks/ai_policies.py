"""Two networks by their first thoughts alone: nobody searches, each plays the likeliest move.

    python tests/benchmarks/ai_policies.py NET RIVAL [--size 16] [--games 200]

NET is a file, ``auto`` for the network that comes along. All games go on at once, so that positions are judged in
batches. Two games share an opening of six random plays, with colours changed. Nobody passes while stones that it thinks
dead still count; after two passes, or two moves a point, the board is counted as it stands.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path

import numpy as np
from _arena import judged, row

from daoqi_tui.ai.nets import checked
from daoqi_tui.ai.network_files import NetworkFiles
from daoqi_tui.ai.network_judge import Judgement
from daoqi_tui.engine import BLACK, area
from daoqi_tui.training.finished_play import FinishedGame
from daoqi_tui.training.raw_play import RawPlay, legal_policy
from daoqi_tui.training.settings import Finishing

OPENING = 6


class Playing(FinishedGame):
    """One game under way; the first network has Black in the even ones."""

    def __init__(self, number: int, size: int) -> None:
        play, finishing = RawPlay(komi_varied=0.0), Finishing(astray=0.0)
        super().__init__(size, play, finishing, np.random.default_rng(number))
        self.first_is_black = number % 2 == 0
        rng = random.Random(number // 2)
        for _ in range(OPENING):
            self.make(rng.choice(self.board.torus.points_in(self.board.legal_mask())))

    @property
    def is_firsts_turn(self) -> bool:
        """Whether the first network moves."""
        return (self.board.to_move == BLACK) == self.first_is_black

    @property
    def is_won_by_first(self) -> bool:
        """Whether the first network has won, by the board as it stands."""
        return (area(self.board, self.komi).margin > 0) == self.first_is_black

    def answer(self, found: Judgement) -> None:
        """Make the likeliest move."""
        policy = self.serious_policy(legal_policy(found.policy, self.board), found.lead)
        self.make(self.move_at(int(policy.argmax())))


def main() -> None:
    """Play the games and print the score of the first network."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("net")
    options.add_argument("rival")
    options.add_argument("--size", type=int, default=16)
    options.add_argument("--games", type=int, default=200)
    given = options.parse_args()
    files = [checked(name) for name in (given.net, given.rival)]
    if None in files:
        options.error("playouts have no first thoughts; name networks")
    first, second = (NetworkFiles().load(file) for file in files if file is not None)
    games = [Playing(number, given.size) for number in range(given.games)]
    while going := [game for game in games if not game.over]:
        for judge, theirs in (
            (first, [game for game in going if game.is_firsts_turn]),
            (second, [game for game in going if not game.is_firsts_turn]),
        ):
            for game, found in zip(
                theirs, judged(judge, [game.look(judge) for game in theirs], given.size), strict=True
            ):
                game.answer(found)
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{len(going)} games go on ")
    wins = sum(game.is_won_by_first for game in games)
    names = (Path(file).name.split(".")[0] for file in files if file)
    print(row(f"{' – '.join(names)}, {given.size}×{given.size}", wins, len(games)))


if __name__ == "__main__":
    main()
