"""What each part of the search is worth, at equal playouts or equal CPU time: games on one core.

python tests/benchmarks/ai_strength.py rave-uct [--size 9] [--games 20] [--playouts 400 | --seconds 1]
python tests/benchmarks/ai_strength.py doubling | patterns | tactics | priors | ladders | kernels
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field

from _arena import Mover, compile_kernels, play_game, row, think_by_cpu_time

from daoqi_tui.ai.passing import decide, instant_move
from daoqi_tui.ai.playout.backend import Backend, interpreted
from daoqi_tui.ai.playout.evaluator import PlayoutEvaluator, PriorWeights
from daoqi_tui.ai.playout.policy import PATTERNS, PLAIN, TACTICS
from daoqi_tui.ai.protocol import Position
from daoqi_tui.ai.search.mcts import Limits, RaveParameters
from daoqi_tui.ai.search.rave import RaveSearch, add_ladder_priors
from daoqi_tui.engine import BLACK, STANDARD_KOMI


@dataclass(frozen=True)
class Recipe:
    """The configuration of a player to be measured."""

    parameters: RaveParameters = field(default_factory=RaveParameters)
    style: int = TACTICS | PATTERNS
    prior_weights: PriorWeights | None = field(default_factory=PriorWeights)
    ladders: bool = False
    share: float = 1.0
    interpreted: bool = False


UCT = Recipe(RaveParameters(rave=0.0, exploration=0.6))
PAIRS: dict[str, tuple[Recipe, Recipe]] = {
    "rave-uct": (Recipe(), UCT),
    "doubling": (Recipe(share=2.0), Recipe()),
    "patterns": (Recipe(), Recipe(style=TACTICS)),
    "tactics": (Recipe(style=TACTICS), Recipe(style=PLAIN)),
    "priors": (Recipe(), Recipe(prior_weights=None)),
    "ladders": (Recipe(ladders=True), Recipe()),
    "kernels": (Recipe(), Recipe(interpreted=True)),
}


def mover(recipe: Recipe, limits: Limits, backend: Backend, seed: int) -> Mover:
    """Return a player with this configuration, which starts a new tree for every move."""

    def move(position: Position) -> tuple[int, bool]:
        evaluator = PlayoutEvaluator(seed, recipe.style, recipe.prior_weights, backend=backend)
        last, passes = position.last, position.passes_in_row
        search = RaveSearch(
            position.board(), position.komi, evaluator, recipe.parameters, last=last, passes_in_row=passes
        )
        if (quick := instant_move(search)) is not None:
            return quick, False
        if recipe.ladders:
            add_ladder_priors(search.board, search.root)
        playouts = None if limits.playouts is None else int(limits.playouts * recipe.share)
        seconds = None if limits.seconds is None else limits.seconds * recipe.share
        search.run(Limits(playouts, seconds))
        decision = decide(search)
        return decision.move, decision.hopeless

    return move


def main() -> None:
    """Play the games and print the score of the first player."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("pair", choices=PAIRS)
    options.add_argument("--size", type=int, default=9)
    options.add_argument("--games", type=int, default=20)
    options.add_argument("--playouts", type=int, default=None, help="400 where no time is given")
    options.add_argument("--seconds", type=float, default=None, help="of CPU time for each move")
    given = options.parse_args()
    think_by_cpu_time()
    playouts = given.playouts if given.playouts or given.seconds else 400
    limits = Limits(playouts, given.seconds)
    backend = compile_kernels()
    wins = 0
    for number in range(given.games):
        recipes = PAIRS[given.pair]
        players = [
            mover(recipe, limits, interpreted() if recipe.interpreted else backend, number) for recipe in recipes
        ]
        first_is_black = number % 2 == 0
        black, white = players if first_is_black else players[::-1]
        played = play_game(black, white, given.size, STANDARD_KOMI, 2, seed=number // 2)
        wins += (played.winner == BLACK) == first_is_black
        print(row(f"{given.pair}, {given.size}×{given.size}, {backend.name}", wins, number + 1), end="\r", flush=True)
    print()


if __name__ == "__main__":
    main()
