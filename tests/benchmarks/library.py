"""Opening a library of ten thousand synthetic games, searching it, and building its index.

    python tests/benchmarks/library.py [GAMES]

Opening is timed in a separate process, from importing the library to the list of entries, with the files in the
system's cache; the best and the worst of five runs are printed. The goal is 300 ms. All times are CPU time.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from daoqi_tui.engine import Game
from daoqi_tui.record import Info, dump
from daoqi_tui.record.library import Library

_OPEN = """
import sys, time
import daoqi_tui.engine
start = time.process_time()
from pathlib import Path
from daoqi_tui.record.library import Library
imported = time.process_time()
listing = Library(Path(sys.argv[1])).games()
end = time.process_time()
assert len(listing.entries) == int(sys.argv[2]) and not listing.unread, listing.unread
print(imported - start, end - imported)
"""
WORDS = (
    "道棋",
    "ladder",
    "torus",
    "seam",
    "capture",
    "ko",
    "fight",
    "opening",
    "joseki",
    "influence",
    "territory",
    "围棋",
    "suicide",
    "pass",
)


def write_games(folder: Path, count: int) -> None:
    """Write games with random names and comments; their moves are those of 30 random games on 16×16."""
    rng = Random(1)
    games = []
    for _ in range(30):
        game = Game(16)
        for _ in range(rng.randint(80, 250)):
            game.play(rng.choice(game.legal_points()))
        games.append(game)
    for number in range(count):
        info = Info(
            black=f"Player {rng.randint(1, 500)}",
            white=f"棋手{rng.randint(1, 500)}",
            date=f"{rng.randint(2004, 2026)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}",
            result=rng.choice(["B+R", "W+R", "B+3", "W+12"]),
            comment=" ".join(rng.choices(WORDS, k=40)),
        )
        (folder / f"{number:05} game.sgf").write_bytes(dump(games[number % 30], info))


def timed(act: Callable[[], object]) -> float:
    start = time.process_time()
    act()
    return time.process_time() - start


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_games(folder, count)
        library = Library(folder)
        spent = timed(library.games)
        print(f"index of {count} games made anew: {spent:.1f} s, {spent / count * 1000:.2f} ms a game")
        rounds = []
        for _ in range(5):
            command = [sys.executable, "-c", _OPEN, name, str(count)]
            said = subprocess.run(
                command, cwd=Path(__file__).resolve().parents[2], check=True, capture_output=True, text=True
            ).stdout
            rounds.append([float(word) * 1000 for word in said.split()])
        opening = [sum(pair) for pair in rounds]
        imports = median(pair[0] for pair in rounds)
        print(f"opening: {min(opening):.0f} to {max(opening):.0f} ms, of which imports {imports:.0f} ms")
        entries = library.games().entries
        again = min(timed(library.games) for _ in range(5)) * 1000
        print(f"listing again: {again:.0f} ms")
        for text in ("p", "player 17", "棋手 ladder 2010", "nowhere"):
            spent = min(timed(partial(library.search, text, entries)) for _ in range(5)) * 1000
            print(f"search {text!r}: {spent:.1f} ms, {len(library.search(text, entries))} found")
        pictures = timed(lambda: [entry.stones() for entry in entries[:50]]) * 1000
        print(f"boards of 50 rows: {pictures:.1f} ms")
        new = folder / "new.sgf"
        new.write_bytes((folder / "00000 game.sgf").read_bytes())
        print(f"listing with one new game: {timed(library.games) * 1000:.0f} ms")
        library.close()


if __name__ == "__main__":
    main()
