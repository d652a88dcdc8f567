"""Two networks by their first thoughts alone: nobody searches, each plays the likeliest sensible move.

    python tests/benchmarks/ai_policies.py NET RIVAL [--size 16] [--games 200] [--judge NET]

NET is a file, ``auto`` for the network that comes along. All games go on at once, so that positions are judged in
batches. Two games share an opening of six random plays, with colours changed. A game ends with two passes, or after
1.2 moves a point, and the lead that the judge sees then decides, by default the rival's.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path

from _arena import row

from daoqi_tui.ai.nets import checked
from daoqi_tui.ai.network_files import NetworkFiles
from daoqi_tui.ai.network_judge import HISTORY, Judge, Judgement
from daoqi_tui.ai.tree_search import sensible_plays
from daoqi_tui.engine import BLACK, PASS, STANDARD_KOMI, Board, torus_of

OPENING = 6
LONGEST = 1.2
BATCH = 32


class Playing:
    """One game under way; the first network has Black in the even ones."""

    def __init__(self, number: int, size: int) -> None:
        self.board = Board(torus_of(size))
        self.moves: list[int] = []
        self.passes = 0
        self.first_is_black = number % 2 == 0
        rng = random.Random(number // 2)
        for _ in range(OPENING):
            self.make(rng.choice(self.board.torus.points_in(self.board.legal_mask())))

    @property
    def is_over(self) -> bool:
        """Whether nobody moves any more."""
        return self.passes == 2 or len(self.moves) >= LONGEST * self.board.torus.points

    @property
    def is_firsts_turn(self) -> bool:
        """Whether the first network moves."""
        return (self.board.to_move == BLACK) == self.first_is_black

    def make(self, move: int) -> None:
        """Play or pass."""
        self.board.make(move)
        self.passes = self.passes + 1 if move == PASS else 0
        self.moves.append(move)

    def choose(self, found: Judgement) -> int:
        """The likeliest move that does not fill an eye."""
        mine = self.board.stones(self.board.to_move)
        plays = [point for point in sensible_plays(self.board) if self.board.torus.around[point] & ~mine]
        # A pass is the last entry of the policy, where −1 points to.
        return max((*plays, PASS), key=lambda move: float(found.policy[move]))


def judged(judge: Judge, games: list[Playing], size: int) -> list[Judgement]:
    """What a network thinks of the positions of some games."""
    looks = [judge.look(game.board, STANDARD_KOMI, game.moves[-HISTORY:], min(game.passes, 1)) for game in games]
    return [found for start in range(0, len(looks), BATCH) for found in judge.judge(looks[start : start + BATCH], size)]


def main() -> None:
    """Play the games and print the score of the first network."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("net")
    options.add_argument("rival")
    options.add_argument("--judge", default=None, help="who counts at the end")
    options.add_argument("--size", type=int, default=16)
    options.add_argument("--games", type=int, default=200)
    given = options.parse_args()
    files = [checked(name) for name in (given.net, given.rival, given.judge or given.rival)]
    if None in files:
        options.error("playouts have no first thoughts; name networks")
    first, second, third = (NetworkFiles().load(file) for file in files if file is not None)
    games = [Playing(number, given.size) for number in range(given.games)]
    while going := [game for game in games if not game.is_over]:
        for judge, theirs in (
            (first, [game for game in going if game.is_firsts_turn]),
            (second, [game for game in going if not game.is_firsts_turn]),
        ):
            for game, found in zip(theirs, judged(judge, theirs, given.size), strict=True):
                game.make(game.choose(found))
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{len(going)} games go on ")
    ends = zip(games, judged(third, games, given.size), strict=True)
    wins = sum((found.lead > 0) == game.is_firsts_turn for game, found in ends)
    names = (Path(file).name.split(".")[0] for file in files[:2] if file)
    print(row(f"{' – '.join(names)}, {given.size}×{given.size}", wins, len(games)))


if __name__ == "__main__":
    main()
