"""The weakest levels against a scripted beginner that captures, saves chains in atari, and otherwise plays anywhere.

    python tests/benchmarks/ai_beginner.py [--levels 1 2 3] [--sizes 9 16] [--games 40] [--net auto]

The beginner captures the largest chain in atari; if there is none, it extends its own largest chain in atari that gains
a second liberty by it; otherwise it plays at random, but neither fills its own eyes nor commits suicide. Colours
alternate.
"""

from __future__ import annotations

import argparse
import random

from _arena import Mover, compile_kernels, play_game, row
from ai_levels import mover

from daoqi_tui.ai import USUAL, Position
from daoqi_tui.ai.nets import checked
from daoqi_tui.ai.player import is_plausible
from daoqi_tui.engine import BLACK, PASS, STANDARD_KOMI, WHITE, Board


def in_atari(board: Board, colour: int) -> list[tuple[int, int, int]]:
    """Return the chains of a colour in atari, the largest first: the number of stones, one of them, and the liberty."""
    found = []
    for head in list(board.chains_of(colour)):
        liberties = board.liberties_of(head)
        if liberties.bit_count() == 1:
            stones = board.stones_of(head)
            found.append((len(stones), stones[0], liberties.bit_length() - 1))
    return sorted(found, reverse=True)


def escapes(board: Board, stone: int, liberty: int) -> bool:
    """Return whether a play at the only liberty of a chain of the side to move gives it a second one."""
    board.play(liberty)
    escaped = board.colours[stone] != 0 and board.liberties_of(board.head_of(stone)).bit_count() > 1
    board.undo()
    return escaped


def beginner(seed: int) -> Mover:
    """Return the scripted beginner."""
    rng = random.Random(seed)

    def move(position: Position) -> tuple[int, bool]:
        board = position.board()
        mine, legal = board.to_move, board.legal_mask()
        for _, _, liberty in in_atari(board, BLACK + WHITE - mine):
            if legal >> liberty & 1:
                return liberty, False
        for _, stone, liberty in in_atari(board, mine):
            if legal >> liberty & 1 and escapes(board, stone, liberty):
                return liberty, False
        points = [point for point in board.torus.points_in(legal) if is_plausible(board, point)]
        return (rng.choice(points) if points else PASS), False

    return move


def main() -> None:
    """Print a line for each level and size."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--levels", type=int, nargs="+", default=[1, 2, 3])
    options.add_argument("--sizes", type=int, nargs="+", default=[9, 16])
    options.add_argument("--games", type=int, default=40)
    options.add_argument("--net", default=USUAL, help="auto, or a file")
    given = options.parse_args()
    compile_kernels()
    for size in given.sizes:
        for level in given.levels:
            wins = 0
            for number in range(given.games):
                players = mover(level, None, checked(given.net)), beginner(number)
                level_is_black = number % 2 == 0
                black, white = players if level_is_black else players[::-1]
                played = play_game(black, white, size, STANDARD_KOMI, 2, seed=number // 2)
                wins += (played.winner == BLACK) == level_is_black
            print(f"{size}×{size}  {row(f'level {level} – beginner', wins, given.games)}", flush=True)


if __name__ == "__main__":
    main()
