"""Which moves would the search play with other parameters, and how much worse or better does a judge rate them?

    python tests/benchmarks/ai_moves.py RECORD... --judge NET [--try exploration=0.55] [--try fpu_reduction=0]
        [--net auto] [--visits 400] [--judge-visits 40] [--positions 100]

Positions are drawn from the records, which must be of games on one board size without setup stones. Each position is
searched with the default parameters and with each change. Where the moves differ, the judge searches the position after
each of them. This shows in minutes what is not worth the hours of a match; since a judge has biases of its own, a
change that looks better still has to be tested in games.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TypeAlias

from _arena import compile_kernels

from daoqi_tui.ai.nets import NetworkFiles, checked
from daoqi_tui.ai.search import HISTORY, NetworkEvaluator
from daoqi_tui.ai.search.node import PuctParameters
from daoqi_tui.ai.search.puct import Limits, PuctSearch
from daoqi_tui.engine import BLACK, PASS, Board, torus_of
from daoqi_tui.record import load

Moves: TypeAlias = tuple[int, ...]
POSITIONS_A_GAME = 6
POLICY = "policy"
"""The row for playing the most likely move without a search."""
MOST_POINTS = 30.0
"""The limit of a score difference: when a group dies, its size matters less."""


def drawn(records: Sequence[Path], count: int, seed: int) -> tuple[int, float, list[Moves]]:
    """Return the board size, the komi, and the moves that lead to each position."""
    rng = random.Random(seed)
    found: list[Moves] = []
    size, komi = 0, 0.0
    for record in records:
        game = load(record, torus=True).game
        size, komi = game.torus.size, game.rules.komi
        moves = tuple(node.move.point for node in game.root.line() if node.move is not None)
        longest = min(len(moves) - 10, round(2 / 3 * size * size))
        places = range(6, longest)
        found += [moves[:place] for place in rng.sample(places, min(POSITIONS_A_GAME, len(places)))]
    rng.shuffle(found)
    return size, komi, found[:count]


def searched(
    network: NetworkEvaluator, size: int, komi: float, moves: Moves, *, visits: int, puct: PuctParameters | None = None
) -> PuctSearch:
    """Search the position after some moves; return the search."""
    board, passes = Board(torus_of(size)), 0
    for move in moves:
        board.make(move)
        passes = passes + 1 if move == PASS else 0
    search = PuctSearch(board, komi, network, puct, recent=moves[-HISTORY:], passes_in_row=passes)
    search.run(Limits(visits))
    return search


def changed(text: str) -> PuctParameters:
    """Return the default parameters with a change such as ``exploration=0.55``."""
    name, _, value = text.partition("=")
    return replace(PuctParameters(), **{name: float(value)})


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("records", type=Path, nargs="+", metavar="RECORD")
    options.add_argument("--judge", required=True, metavar="NET")
    options.add_argument("--try", dest="changes", action="append", default=[], metavar="NAME=VALUE")
    options.add_argument("--net", default="auto")
    options.add_argument("--visits", type=int, default=400)
    options.add_argument("--judge-visits", type=int, default=40)
    options.add_argument("--positions", type=int, default=100)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    compile_kernels()
    nets = NetworkFiles()
    files = checked(given.net), checked(given.judge)
    if files[0] is None or files[1] is None:
        options.error("--net and --judge name networks")
    network, judge = nets.load(files[0]), nets.load(files[1])
    size, komi, positions = drawn(given.records, given.positions, given.seed)

    @cache
    def worth(moves: Moves) -> tuple[float, float]:
        """Return the judge's win rate and score for the side that made the last move."""
        search = searched(judge, size, komi, moves, visits=given.judge_visits)
        root = search.root
        win = 1.0 - float(root.value_sum.sum()) / root.total_visits
        return win, -search.margin if root.to_move == BLACK else search.margin

    differences: dict[str, list[tuple[float, float]]] = {name: [] for name in (POLICY, *given.changes)}
    for done, moves in enumerate(positions, 1):
        root = searched(network, size, komi, moves, visits=given.visits).root
        usual = int(root.moves[root.best()[0]])
        others = {POLICY: int(root.moves[int(root.policy.argmax())])}
        for change in given.changes:
            other = searched(network, size, komi, moves, visits=given.visits, puct=changed(change)).root
            others[change] = int(other.moves[other.best()[0]])
        for name, move in others.items():
            win = score = 0.0
            if move != usual:
                one, two = worth((*moves, move)), worth((*moves, usual))
                win, score = one[0] - two[0], max(-MOST_POINTS, min(MOST_POINTS, one[1] - two[1]))
            differences[name].append((win, score))
        print(f"{done}/{len(positions)}", end="\r", flush=True)
    print(f"{'in place of the parameters':28}{'other moves':>12}{'win rate, %':>18}{'score':>18}")
    for name, pairs in differences.items():
        cells = [f"{name:28}{sum(pair != (0.0, 0.0) for pair in pairs):>8}/{len(pairs)}"]
        for factor, values in zip((100.0, 1.0), zip(*pairs, strict=True), strict=True):
            error = statistics.pstdev(values) / math.sqrt(len(values))
            cells.append(f"{factor * statistics.fmean(values):+8.2f} ± {factor * error:.2f}".rjust(18))
        print("".join(cells))


if __name__ == "__main__":
    main()
