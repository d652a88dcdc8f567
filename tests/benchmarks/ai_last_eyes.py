"""How often do recorded games end where only eyes are left, and does the right side win from then on?

    python tests/benchmarks/ai_last_eyes.py FOLDER...

FOLDER holds the records of a ``daoqi-tui match --out``. For each game that comes so far, the script prints its result,
the move from which on the result is certain, and the moves that changed the certain winner.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from _arena import recorded

from daoqi_tui.engine import PASS, Board, Game
from daoqi_tui.reading.status import final_margin


def certain_margins(game: Game) -> list[tuple[int, float]]:
    """Return the certain margins after the moves of a game, which is at its end, with the numbers of these moves."""
    board, found, passes = Board(game.torus, game.rules), [], 0
    for node in game.node.path():
        if node.move is not None:
            move = PASS if node.move.is_pass else node.move.point
            board.make(move)
            passes = passes + 1 if move == PASS else 0
        margin = final_margin(board, game.komi, passed=passes == 1) if passes < 2 else None
        if margin is not None:
            found.append((board.move_number, margin))
    return found


def main() -> None:
    """Print a line for each game that comes so far, and the numbers of games."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    games = came = wrong = 0
    for path, game in recorded(options.parse_args().folders):
        games += 1
        margins = certain_margins(game)
        if not margins or game.result is None or game.result.winner is None:
            continue
        values = [game.rules.value(margin) for _, margin in margins]
        values.append(game.rules.value(1 if game.result.winner == 1 else -1))
        numbers = [number for number, _ in margins] + [game.node.number]
        mistakes = [numbers[index + 1] for index in range(len(margins)) if values[index] != values[index + 1]]
        came += 1
        wrong += bool(mistakes)
        changed = f"changed by moves {', '.join(map(str, mistakes))}" if mistakes else "as was certain"
        print(f"{path}: {game.result}, {game.node.number} moves, only eyes after move {numbers[0]}, {changed}")
    print(f"{games} games, {came} came so far, {wrong} of them with a mistake that changed the winner")


if __name__ == "__main__":
    main()
