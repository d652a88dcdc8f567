"""Time the index of openings: ``python -m tests.benchmarks.openings [GAMES]``.

Goal: 10,000 games in under 2 minutes of CPU time. The games are synthetic: each move is near the previous one, so that
early positions recur as they do in real collections.
"""

import random
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from daoqi_tui.analysis.opening_index import OpeningIndex
from daoqi_tui.analysis.opening_records import GameRecord
from daoqi_tui.engine import Board, torus_of
from daoqi_tui.reading.symmetry import BoardPosition, Symmetry


def synthetic_games(count: int, size: int = 16, moves: int = 60) -> list[GameRecord]:
    """Return games of legal moves, each near the move before it; each game is in a random orientation."""
    chance, torus = random.Random(0), torus_of(size)
    games = []
    for number in range(count):
        board, played = Board(torus), [0]
        board.play(0)
        while len(played) < moves:
            reach = min(2 + len(played) // 4, size // 2)
            point = torus.shift(played[-1], chance.randint(-reach, reach), chance.randint(-reach, reach))
            if board.refusal(point) is None:
                board.play(point)
                played.append(point)
        symmetry = Symmetry.from_index(size, chance.randrange(8 * size * size))
        games.append(GameRecord(f"game-{number}.sgf", size, symmetry.points(played), chance.choice((1, 2))))
    return games


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    games = synthetic_games(count)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "openings.sqlite3"
        with closing(OpeningIndex(path)) as index:
            start = time.process_time()
            added = index.add(games)
            print(f"{added.indexed} games of {len(games[0].moves)} moves: {time.process_time() - start:.1f} s")
            start = time.process_time()
            print(f"again: {index.add(games).unchanged} unchanged, {time.process_time() - start:.2f} s")
            start = time.process_time()
            index.add([GameRecord("one-more.sgf", 16, games[0].moves)])
            print(f"one more game: {(time.process_time() - start) * 1e3:.1f} ms")
            for name, position in (("empty board", BoardPosition(16)), ("one stone", BoardPosition(16, 1, 0, 2))):
                start = time.process_time()
                found = index.at(position)
                spent = (time.process_time() - start) * 1e3
                print(f"{name}: {found.tally.games} games, {len(found.moves)} moves, {spent:.1f} ms")
            start = time.process_time()
            index.remove(game.source for game in games[:100])
            print(f"100 games removed: {(time.process_time() - start) * 1e3:.0f} ms")
        print(f"on disk: {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
