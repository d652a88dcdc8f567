"""Each level against the one half a level below, on 9×9 and 16×16: are the steps between them even?

    python tests/benchmarks/ai_levels.py --out levels.jsonl [--games 40] [--sizes 9 16] [--levels 1 10]

Each finished game is a line of the file; run again with the same file, the script continues where it was interrupted,
and prints the table when nothing is left to play. Colours alternate, and each pair of games shares an opening of two
random plays. Seconds are CPU time. Several runs can share the work with different ``--sizes`` or ``--levels``.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from _arena import Mover, compile_kernels, play_game, row, think_by_cpu_time

from daoqi_tui.ai import USUAL, Position, Think
from daoqi_tui.ai.nets import checked
from daoqi_tui.ai.player import SearchPlayer
from daoqi_tui.engine import BLACK, STANDARD_KOMI
from daoqi_tui.typed import LEVEL_NUMBERS, STRONGEST


def mover(level: float, seconds: float | None, net: str) -> Mover:
    """Return a player of one level; ``seconds`` per move limit only the strongest, the others count evaluations."""
    search_player = SearchPlayer()

    def move(position: Position) -> tuple[int, bool]:
        limit = seconds if level == STRONGEST else 3600.0
        answer = search_player.think(Think(position, level, seconds=limit, net=net))
        return answer.move, answer.hopeless

    return move


def recorded(path: Path) -> list[dict[str, Any]]:
    """Return the games in a file, without a last line that was cut off while it was written."""
    games = []
    for line in path.read_text("utf-8").splitlines() if path.exists() else []:
        try:
            games.append(json.loads(line))
        except ValueError:
            print(f"left out a line that is no game: {line[:60]!r}")
    return games


def report(path: Path, sizes: list[int]) -> None:
    """Print the table of all games in the file."""
    games = recorded(path)
    for size in sizes:
        print(f"\n{size}×{size}, upper level's wins")
        for upper in sorted({game["upper"] for game in games if game["size"] == size}):
            found = [game for game in games if game["size"] == size and game["upper"] == upper]
            length = sum(game["moves"] for game in found) / len(found)
            spent = sum(game["seconds"] for game in found) / len(found)
            wins = sum(game["won"] for game in found)
            print(row(f"level {upper} – level {below(upper)}", wins, len(found)), f"{length:5.0f} moves {spent:6.1f} s")


def below(level: float) -> float:
    """Return the level below one."""
    return LEVEL_NUMBERS[LEVEL_NUMBERS.index(level) - 1]


def main() -> None:
    """Play the missing games, then print the table."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--out", type=Path, required=True, help="file of finished games, one JSON object a line")
    options.add_argument("--games", type=int, default=40, help="for each pair of levels and size")
    options.add_argument("--sizes", type=int, nargs="+", default=[9, 16])
    options.add_argument("--levels", type=float, nargs=2, default=[1, 10], metavar=("LOWEST", "HIGHEST"))
    options.add_argument("--seconds", type=float, default=None, help="a move of level 10; its own time by default")
    options.add_argument("--net", default=USUAL, help="auto, or a file")
    given = options.parse_args()
    net = checked(given.net)
    think_by_cpu_time()
    compile_kernels()
    print(f"network {net}")
    done = {(game["size"], game["upper"], game["number"]) for game in recorded(given.out)}
    if given.out.exists() and not given.out.read_bytes().endswith(b"\n"):
        with given.out.open("ab") as file:
            file.write(b"\n")
    lowest, highest = given.levels
    for number in range(given.games):
        for size in given.sizes:
            for upper in LEVEL_NUMBERS:
                if not lowest < upper <= highest or (size, upper, number) in done:
                    continue
                start = time.process_time()
                players = [mover(level, given.seconds, net) for level in (upper, below(upper))]
                upper_is_black = number % 2 == 0
                black, white = players if upper_is_black else players[::-1]
                played = play_game(black, white, size, STANDARD_KOMI, 2, seed=number // 2)
                game = {
                    "size": size,
                    "upper": upper,
                    "number": number,
                    "upper_is_black": upper_is_black,
                    "won": (played.winner == BLACK) == upper_is_black,
                    "result": played.result,
                    "moves": len(played.actions),
                    "seconds": round(time.process_time() - start, 1),
                    "net": Path(net).name,
                    "actions": played.actions,
                }
                with given.out.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(game) + "\n")
    report(given.out, given.sizes)


if __name__ == "__main__":
    main()
