"""KataGo networks on the torus: Black's win rate after a few moves, and predictions of the winner.

python tests/benchmarks/katago_values.py FILE ... [--games 40]

First the empty flat board with zero padding, whose value is known: a network that is read correctly considers 7 points
fair on 9×9, and slightly less than 7.5 on 19×19. Then the torus with circular padding: positions from games that the
built-in network plays by its policy alone until both sides pass. The winner is the side ahead on the final board.
"""

from __future__ import annotations

import os

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

# ruff: noqa: E402 - numpy reads the environment when it is imported
import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from _rivals import network_named

from daoqi_tui.ai import USUAL
from daoqi_tui.ai.nets import NetworkFiles, net_of
from daoqi_tui.ai.search import HISTORY, NetworkEvaluator
from daoqi_tui.engine import BLACK, PASS, WHITE, Board, torus_of
from daoqi_tui.reading.status import area_points

KOMI = 4.0
FLAT = ((9, 6.5), (9, 7.5), (19, 7.5))
MOVES = (0, 1, 2, 3, 4, 6, 8, 12, 16, 24)
SHARES = (0.1, 0.25, 0.5, 0.75, 0.9)
WARMTH = 0.3
"""The temperature of the policy after the opening."""


@dataclass
class Play:
    """A game: its board and its moves."""

    board: Board
    moves: list[int] = field(default_factory=list)

    def is_over(self) -> bool:
        return self.moves[-2:] == [PASS, PASS] or len(self.moves) >= 3 * self.board.torus.points

    def play(self, move: int) -> None:
        if move == PASS:
            self.board.pass_turn()
        else:
            self.board.play(move)
        self.moves.append(move)

    def black_wins(self) -> bool:
        area = area_points(self.board, self.board.rules)
        lead = area[BLACK].bit_count() - self.board.passes[BLACK] - area[WHITE].bit_count() + self.board.passes[WHITE]
        return lead > KOMI


def games_of(network: NetworkEvaluator, size: int, count: int) -> list[Play]:
    """Return policy-only games."""
    rng = np.random.default_rng(size)
    games = [Play(Board(torus_of(size))) for _ in range(count)]
    while live := [game for game in games if not game.is_over()]:
        batch = [
            network.encode(game.board, KOMI, game.moves[-HISTORY:], int(game.moves[-1:] == [PASS])) for game in live
        ]
        for game, found in zip(live, network.evaluate(batch, size), strict=True):
            points = size * size
            legal = np.zeros(points + 1)
            legal[[*game.board.torus.points_in(game.board.legal_mask()), points]] = 1
            likings = (found.policy * legal).astype(float) ** (1 if len(game.moves) < size else 1 / WARMTH)
            move = int(rng.choice(points + 1, p=likings / likings.sum()))
            game.play(PASS if move == points else move)
    return games


def black_rates(network: NetworkEvaluator, games: Sequence[Play], counts: Sequence[int]) -> np.ndarray:
    """Return Black's win rate in each game after the given number of moves."""
    size, batch, turns = games[0].board.torus.rows, [], []
    for game, count in zip(games, counts, strict=True):
        start = Play(Board(torus_of(size)))
        for move in game.moves[:count]:
            start.play(move)
        batch.append(network.encode(start.board, KOMI, start.moves[-HISTORY:], int(start.moves[-1:] == [PASS])))
        turns.append(start.board.to_move == BLACK)
    found = network.evaluate(batch, size)
    return np.array([one.win if turn else 1 - one.win for one, turn in zip(found, turns, strict=True)])


def main() -> None:
    """Print the figures."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("files", type=Path, nargs="+", metavar="FILE")
    options.add_argument("--games", type=int, default=40)
    options.add_argument("--sizes", type=int, nargs="+", default=(9, 16))
    given = options.parse_args()
    own = NetworkFiles().load(str(net_of(USUAL)))
    played = {size: games_of(own, size, given.games) for size in given.sizes}
    for path in given.files:
        print(path.name)
        flat, network = network_named(str(path), "zero"), network_named(str(path), "wrap")
        assert flat is not None
        assert network is not None
        for size, komi in FLAT:
            found = flat.evaluate([flat.encode(Board(torus_of(size)), komi, (), 0)], size)[0]
            print(f"  flat {size}×{size}, komi {komi}: win rate {found.win:.3f}, lead {found.lead:+.1f}", flush=True)
        for size, games in played.items():
            for count in MOVES:
                rates = black_rates(network, games, [count] * len(games))
                extreme = int(((rates < 0.05) | (rates > 0.95)).sum())
                print(
                    f"  torus {size}×{size} after {count:2} moves: mean {rates.mean():.2f}, "
                    f"{rates.min():.2f} to {rates.max():.2f}, {extreme}/{len(rates)} beyond 95 %",
                    flush=True,
                )
            won = np.array([game.black_wins() for game in games])
            for share in SHARES:
                rates = black_rates(network, games, [int(share * len(game.moves)) for game in games])
                likely = np.clip(np.where(won, rates, 1 - rates), 1e-4, None)
                right = int((likely > 0.5).sum())
                print(
                    f"  torus {size}×{size} at {share:.0%}: winner right {right}/{len(won)}, "
                    f"cross entropy {-np.log(likely).mean():.2f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
