"""Endings of won games when a pass costs a point, against a side that fills its territory or only passes.

    python tests/benchmarks/ai_passing.py [--levels 3 5 7 9] [--net auto]

Black, the computer, leads in constructed 9×9 positions by a margin that depends on komi; White has free moves left.
Each line shows the result, what Black paid for passes, and the number of moves. The last position is the empty board,
where White passes from its first move on.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

from _arena import compile_kernels

from daoqi_tui.ai import USUAL, Position, Think
from daoqi_tui.ai.nets import checked
from daoqi_tui.ai.passing import free_plays
from daoqi_tui.ai.player import SearchPlayer
from daoqi_tui.engine import BLACK, PASS, STANDARD_KOMI, WHITE, Game

FILLED = """
XXXXXXXXX
X.......X
XXXXXXXXX
X.......X
XXXXXXXXX
OOOOOOOOO
O...O...O
OOOO.OOOO
OOOOOOOOO
"""
"""Black has 45 points and 12 free moves, White 36 and 4."""
FEW = """
XXXXXXXXX
X.XXXXXXX
XXXXXXXXX
X....XXXX
XXXXXXXXX
OOOOOOOOO
O...O...O
OOOO.OOOO
OOOOOOOOO
"""
"""The same points; Black has 3 free moves."""

Other = Callable[[Game], int]


def fills(game: Game) -> int:
    """Play a free move, or pass if none is left."""
    return next(iter(free_plays(game.board)), PASS)


def passes(_: Game) -> int:
    """Pass."""
    return PASS


def built(picture: str, komi: float) -> Game:
    """Return a game that starts from a position with Black to move."""
    signs = "".join(picture.split())
    game = Game(9, komi)
    black, white = ([point for point, found in enumerate(signs) if found == sign] for sign in "XO")
    game.setup(black=black, white=white, to_move=BLACK)
    return game


def main() -> None:
    """Print a line for each level, position and opponent."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--levels", type=int, nargs="+", default=[3, 5, 7, 9])
    options.add_argument("--net", default=USUAL, help="auto, or a file")
    given = options.parse_args()
    compile_kernels()
    others: dict[str, Other] = {"fills": fills, "passes": passes}
    for level in given.levels:
        for name, other in others.items():
            for where, picture, komi in (
                ("ahead by 5", FILLED, 4.0),
                ("ahead by 1", FILLED, 8.0),
                ("ahead by 5, few free moves", FEW, 4.0),
                ("empty board", "", STANDARD_KOMI),
            ):
                if not picture and other is fills:
                    continue
                game = built(picture, komi) if picture else Game(9, komi)
                player = SearchPlayer()
                while not game.is_over and game.node.number < 300:
                    move = other(game)
                    if game.to_move != WHITE:
                        request = Think(Position.of(game), level, seconds=3600.0, seed=1, net=checked(given.net))
                        move = player.think(request).move
                    game.pass_turn() if move == PASS else game.play(move)
                paid = game.board.passes[BLACK]
                print(
                    f"level {level}, White {name}, {where}: {game.result}, Black paid {paid}, {game.node.number} moves"
                )


if __name__ == "__main__":
    main()
