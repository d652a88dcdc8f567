"""How well do networks rank the moves of a position by their values, compared with a stronger judge?

    python tests/benchmarks/ai_siblings.py NET... --judge NET [--also NET] [--size 16] [--positions 40] [--visits 8]

A search chooses moves by the values of the positions after them, so values are compared within each position. The four
most likely moves by the policy of the first network, and by that of ``--also`` if given, are played; each network
evaluates each resulting position once, and the judge searches it. The script prints the correlations of win rates (as
logits) and score leads with the judge's, each relative to the mean of the position, and the regret: how much lower, on
average, the judge's win rate is after the move with the highest value than after the judge's best move. The judge is
biased: a network trained by related networks looks better here than it plays.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from _arena import compile_kernels
from ai_search import middle_game
from numpy.typing import NDArray

from daoqi_tui.ai.nets import NetworkFiles, checked
from daoqi_tui.ai.search import HISTORY, Evaluation, NetworkEvaluator
from daoqi_tui.ai.search.puct import Limits, PuctSearch
from daoqi_tui.engine import BLACK, STANDARD_KOMI, Board, torus_of

CANDIDATES = 4
"""The number of moves from each policy."""
EARLIEST = 20
"""The lowest move number at which a position is taken."""


def board_after(size: int, moves: Sequence[int]) -> Board:
    """Return the board after some moves from the start."""
    board = Board(torus_of(size))
    for move in moves:
        board.make(move)
    return board


def evaluations(network: NetworkEvaluator, size: int, lines: Sequence[Sequence[int]]) -> list[Evaluation]:
    """Return the evaluations of the positions after some lines of moves."""
    inputs = [network.encode(board_after(size, line), STANDARD_KOMI, line[-HISTORY:], 0) for line in lines]
    return network.evaluate(inputs, size)


def candidates(networks: Sequence[NetworkEvaluator], size: int, moves: Sequence[int]) -> list[int]:
    """Return the most likely legal moves by the policy of each network."""
    board = board_after(size, moves)
    legal = list(board.torus.points_in(board.legal_mask()))
    found: set[int] = set()
    for network in networks:
        policy = evaluations(network, size, [moves])[0].policy
        found.update(sorted(legal, key=lambda point: -policy[point])[:CANDIDATES])
    return sorted(found)


def evaluated(judge: NetworkEvaluator, size: int, line: Sequence[int], visits: int) -> tuple[float, float]:
    """Return the win rate and the score lead of the side that made the last move, from the judge's search."""
    search = PuctSearch(board_after(size, line), STANDARD_KOMI, judge, recent=line[-HISTORY:])
    search.run(Limits(visits))
    root = search.root
    win = (float(root.value_sum.sum()) + root.value) / (root.total_visits + 1)
    return 1.0 - win, -search.margin if root.to_move == BLACK else search.margin


def logits(wins: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the logits of win rates, clamped near 0 and 1."""
    wins = wins.clip(0.002, 0.998)
    return np.log(wins / (1.0 - wins))


@dataclass
class Siblings:
    """The positions after the candidates of one position: win rates and leads of the side that moved."""

    wins: NDArray[np.float64]
    leads: NDArray[np.float64]


def apart(positions: Sequence[Siblings]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the logits of all win rates, and all leads, each minus the mean of its position."""
    columns = [(logits(one.wins), one.leads) for one in positions]
    wins, leads = (
        np.concatenate([values - values.mean() for values in column]) for column in zip(*columns, strict=True)
    )
    return wins, leads


def main() -> None:
    """Print a line for each network."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("nets", nargs="+", metavar="NET")
    options.add_argument("--judge", required=True, metavar="NET")
    options.add_argument("--also", metavar="NET", help="its likeliest moves are candidates, too")
    options.add_argument("--size", type=int, default=16)
    options.add_argument("--positions", type=int, default=40)
    options.add_argument("--visits", type=int, default=8, help="of the judge for each move")
    given = options.parse_args()
    compile_kernels()
    files = NetworkFiles()

    def load(choice: str) -> NetworkEvaluator:
        return files.load(checked(choice))

    networks = [load(choice) for choice in given.nets]
    proposers = [networks[0], load(given.also)] if given.also else networks[:1]
    judge = load(given.judge)
    truth: list[Siblings] = []
    found: list[list[Siblings]] = [[] for _ in networks]
    for seed in range(given.positions):
        game = middle_game(networks[0], given.size, seed)
        rng = np.random.default_rng((seed, given.size))
        moves = game[: int(rng.integers(min(EARLIEST, len(game)), len(game) + 1))]
        lines = [(*moves, move) for move in candidates(proposers, given.size, moves)]
        pairs = [evaluated(judge, given.size, line, given.visits) for line in lines]
        truth.append(Siblings(*(np.array(column) for column in zip(*pairs, strict=True))))
        for network, siblings in zip(networks, found, strict=True):
            after = evaluations(network, given.size, lines)
            siblings.append(
                Siblings(np.array([1.0 - one.win for one in after]), np.array([-one.lead for one in after]))
            )
        print(f"{seed + 1}/{given.positions}", end="\r", flush=True)
    judged_wins, judged_leads = apart(truth)
    print(
        f"{len(judged_wins)} moves in {len(truth)} positions: correlation with the judge, regret in percentage points"
    )
    for network, siblings in zip(networks, found, strict=True):
        own_wins, own_leads = apart(siblings)
        regrets = [best.wins.max() - best.wins[one.wins.argmax()] for best, one in zip(truth, siblings, strict=True)]
        print(
            f"{network.name:50} win rates {np.corrcoef(own_wins, judged_wins)[0, 1]:5.2f}"
            f"  leads {np.corrcoef(own_leads, judged_leads)[0, 1]:5.2f}  regret {100 * np.mean(regrets):5.2f}"
        )


if __name__ == "__main__":
    main()
