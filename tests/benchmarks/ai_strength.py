"""What the parts of the search are worth, at equal playouts or equal time: games on one core.

python tests/benchmarks/ai_strength.py rave-uct [--size 9] [--games 20] [--playouts 400 | --seconds 1]
python tests/benchmarks/ai_strength.py doubling | patterns | tactics | hunches | ladders | kernels
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass, field

from _arena import Mover, play_game, row

from daoqi_tui.ai.backend import Backend, compiled, interpreted
from daoqi_tui.ai.endgame import at_once, decide
from daoqi_tui.ai.ladders import heed_ladders
from daoqi_tui.ai.playouts import Hunches, PlayoutEvaluator
from daoqi_tui.ai.policy import PATTERNS, PLAIN, TACTICS
from daoqi_tui.ai.protocol import Position
from daoqi_tui.ai.search import Search
from daoqi_tui.ai.tree import Formula
from daoqi_tui.ai.tree_search import Limits
from daoqi_tui.engine import BLACK, STANDARD_KOMI


@dataclass(frozen=True)
class Recipe:
    """A player to be measured."""

    formula: Formula = field(default_factory=Formula)
    style: int = TACTICS | PATTERNS
    hunches: Hunches | None = field(default_factory=Hunches)
    ladders: bool = False
    share: float = 1.0
    interpreted: bool = False


UCT = Recipe(Formula(rave=0.0, exploration=0.6))
PAIRS: dict[str, tuple[Recipe, Recipe]] = {
    "rave-uct": (Recipe(), UCT),
    "doubling": (Recipe(share=2.0), Recipe()),
    "patterns": (Recipe(), Recipe(style=TACTICS)),
    "tactics": (Recipe(style=TACTICS), Recipe(style=PLAIN)),
    "hunches": (Recipe(), Recipe(hunches=None)),
    "ladders": (Recipe(ladders=True), Recipe()),
    "kernels": (Recipe(), Recipe(interpreted=True)),
}


def mover(recipe: Recipe, limits: Limits, backend: Backend, seed: int) -> Mover:
    """A player by recipe, which begins a new tree for every move."""

    def move(position: Position) -> tuple[int, bool]:
        evaluator = PlayoutEvaluator(seed, recipe.style, recipe.hunches, backend=backend)
        last, passes = position.last, position.passes_in_row
        search = Search(position.board(), position.komi, evaluator, recipe.formula, last=last, passes_in_row=passes)
        if (quick := at_once(search)) is not None:
            return quick, False
        if recipe.ladders:
            heed_ladders(search.board, search.root)
        playouts = None if limits.playouts is None else int(limits.playouts * recipe.share)
        seconds = None if limits.seconds is None else limits.seconds * recipe.share
        search.run(Limits(playouts, seconds))
        decision = decide(search)
        return decision.move, decision.hopeless

    return move


def main() -> None:
    """Play the games and print the score of the first."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("pair", choices=PAIRS)
    options.add_argument("--size", type=int, default=9)
    options.add_argument("--games", type=int, default=20)
    options.add_argument("--playouts", type=int, default=None, help="400 where no time is given")
    options.add_argument("--seconds", type=float, default=None)
    given = options.parse_args()
    playouts = given.playouts if given.playouts or given.seconds else 400
    limits = Limits(playouts, given.seconds)
    fast: Callable[[], Backend] = compiled
    try:
        backend = fast()
    except ImportError:
        backend = interpreted()
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
