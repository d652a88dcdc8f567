"""Reading and replaying the historic games, compared with sgfmill on its flat board.

    python tests/benchmarks/sgf.py

Both go from the bytes of each file to the position after the last move of the main line. sgfmill neither follows the
rules of the torus nor checks for repetitions, and a stone that flat rules leave on the point of a move is simply
removed, so it does less. The two take turns; the best of several rounds is printed, in CPU time.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

from sgfmill import boards, sgf

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from daoqi_tui.record import dump, load
from tests.shared_data import DATA

ROUNDS = 30


def ours(files: list[bytes]) -> None:
    """Load each game, which checks all moves and builds all variations, and leaves it at the end of the main line."""
    for data in files:
        game = load(data).game
        assert game.node is game.root.line()[-1]


def sgfmills(files: list[bytes]) -> None:
    for data in files:
        record = sgf.Sgf_game.from_bytes(data)
        board = boards.Board(record.get_size())
        for node in record.get_main_sequence():
            colour, move = node.get_move()
            if colour is not None and move is not None:
                row, column = move
                board.board[row][column] = None
                board.play(row, column, colour)


def timed(work: Callable[[list[bytes]], None], files: list[bytes]) -> float:
    start = time.process_time()
    work(files)
    return time.process_time() - start


def main() -> None:
    files = [path.read_bytes() for path in sorted((DATA / "historic").glob("*.sgf"))]
    if not files:
        sys.exit(f"no historic games below {DATA}")
    rounds = [(timed(ours, files), timed(sgfmills, files)) for _ in range(ROUNDS)]
    own, other = (min(times) * 1000 for times in zip(*rounds, strict=True))
    print(f"{len(files)} games read and replayed: ours {own:.1f} ms, sgfmill {other:.1f} ms, ratio {own / other:.2f}")
    large = b"(;SZ[19]TO[3]" + b"(;B[aa]C[a comment of some length];W[bb];B[cc];W[dd])" * 49_000 + b")"
    start = time.process_time()
    loaded = load(large)
    middle = time.process_time()
    dump(loaded.game)
    seconds = time.process_time() - middle
    print(f"{len(large) / 1e6:.1f} MB, 196,000 nodes: read in {middle - start:.2f} s, written in {seconds:.2f} s")


if __name__ == "__main__":
    main()
