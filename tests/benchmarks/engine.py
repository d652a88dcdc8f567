"""The engine's speed and memory compared with the listing of 2022, on a 16×16 torus.

Run by hand: ``python tests/benchmarks/engine.py [repetitions]``. The engine and the listing take turns within one run,
each figure is the median of its repetitions, and a ratio is the median of the ratios of consecutive turns, so that a
machine that slows down meanwhile affects both equally. Times are CPU time, so that other programs do not count.
"""

from __future__ import annotations

import gc
import random
import sys
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any, Final

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[2])]

from _listing import load_listing  # noqa: E402

from daoqi_tui.engine import Board, Game, IllegalMove, torus_of  # noqa: E402

SIZE: Final = 16
POINTS: Final = SIZE * SIZE
MICRO: Final = 1e6


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table, with figures in ``unit``; ``theirs`` is None if there is nothing to compare with."""

    name: str
    ours: float
    theirs: float | None
    ratio: float | None
    goal: float | None
    unit: str = "µs"

    @property
    def met(self) -> bool | None:
        """Whether the goal is met; None if there is none."""
        if self.goal is None:
            return None
        return self.ratio >= self.goal if self.ratio is not None else self.ours <= self.goal

    def __str__(self) -> str:
        theirs = f"{self.theirs:12.2f}" if self.theirs is not None else " " * 12
        ratio = f"{self.ratio:8.1f}x" if self.ratio is not None else " " * 9
        goal, verdict = "", ""
        if self.goal is not None:
            goal = f"{self.goal:g}x" if self.ratio is not None else f"{self.goal:g} {self.unit}"
            verdict = "met" if self.met else "MISSED"
        return f"{self.name:70}{self.ours:9.2f}{theirs} {self.unit:3}{ratio}{goal:>9}  {verdict}"


def random_game(listing: Any, moves: int, seed: int) -> list[int]:
    """Return a random game whose moves both the engine, with superko, and the listing, without, accept."""
    rng, board, state = random.Random(seed), Board(torus_of(SIZE)), listing.GameState(SIZE)
    game: list[int] = []
    while len(game) < moves:
        point = rng.randrange(POINTS)
        if board.refusal(point) is None and state.is_legal(divmod(point, SIZE)):
            board.play(point)
            state.do_move(divmod(point, SIZE))
            game.append(point)
    return game


def timed(act: Callable[[], object]) -> float:
    """Return the seconds of CPU time that ``act`` takes."""
    gc.collect()
    start = process_time()
    act()
    return process_time() - start


def compare(
    name: str, ours: Callable[[], float], theirs: Callable[[], float], repetitions: int, goal: float | None = None
) -> Row:
    """Measure both in turns; they return seconds per operation."""
    pairs = [(ours(), theirs()) for _ in range(repetitions)]
    return Row(
        name,
        median(mine for mine, _ in pairs) * MICRO,
        median(other for _, other in pairs) * MICRO,
        median(other / mine for mine, other in pairs),
        goal,
    )


def played(points: list[int]) -> Board:
    """Return a board after plays at ``points``."""
    board = Board(torus_of(SIZE))
    for point in points:
        board.play(point)
    return board


def play_row(listing: Any, games: list[list[int]], repetitions: int, goal: float | None) -> Row:
    """Measure playing a move: ours with superko and an undo record, the listing's without either.

    All games are played within one measurement: the first one after the other program's turn finds cold caches, so that
    a game of 300 moves takes a third longer.
    """
    in_pairs = [[divmod(point, SIZE) for point in points] for points in games]
    moves = sum(map(len, games))

    def ours() -> None:
        for points in games:
            played(points)

    def theirs() -> None:
        for pairs in in_pairs:
            state = listing.GameState(SIZE)
            for pair in pairs:
                state.do_move(pair)

    count = f"{len(games)} games of {len(games[0])} moves" if len(games) > 1 else f"a game of {moves} moves"
    name = f"play, a move, {count} (listing: no superko, no undo)"
    return compare(name, lambda: timed(ours) / moves, lambda: timed(theirs) / moves, repetitions, goal)


def undo_row(listing: Any, points: list[int], repetitions: int, *, keep: bool) -> Row:
    """Measure undoing a move: ours by its record, the listing's by the copy that it has to make of every state."""
    moves = [divmod(point, SIZE) for point in points]

    def ours() -> float:
        board = played(points)

        def act() -> None:
            for _ in points:
                board.undo()

        return timed(act) / len(points)

    def theirs() -> float:
        gc.collect()
        state, kept, spent = listing.GameState(SIZE), [], 0.0
        for move in moves:
            start = process_time()
            copy = state.copy()
            spent += process_time() - start
            if keep:
                kept.append(copy)
            state.do_move(move)
        return spent / len(moves)

    name = f"undo, a move, {len(points)} moves (listing: copies {'kept' if keep else 'thrown away'})"
    return compare(name, ours, theirs, repetitions, 500 if keep else None)


def legal_row(listing: Any, moves: int, games: int) -> Row:
    """Measure finding all legal points, with superko in both, in the positions of several random games.

    The listing copies itself for each empty point that its player has played on before, so its time depends on how much
    was captured: 2 to 30 ms at move 300. The ratio is that of the totals.
    """
    cells = [divmod(point, SIZE) for point in range(POINTS)]
    pairs = []
    for seed in range(games):
        points = random_game(listing, moves, seed)
        board, state = played(points), listing.GameState(SIZE)
        for point in points:
            state.do_move(divmod(point, SIZE))
        state.enforce_superko = True
        mine, other = [], []
        for _ in range(3):
            mine.append(timed(lambda: [board.torus.points_in(board.legal_mask()) for _ in range(50)]) / 50)  # noqa: B023
            other.append(timed(lambda: [cell for cell in cells if state.is_legal(cell)]))  # noqa: B023
        pairs.append((median(mine), median(other)))
    ours, theirs = (sum(times) / games * MICRO for times in zip(*pairs, strict=True))
    ratios = [other / mine for mine, other in pairs]
    name = f"all legal points at move {moves}, {games} games, {min(ratios):.0f}x to {max(ratios):.0f}x"
    return Row(name, ours, theirs, theirs / ours, 400)


def random_row(listing: Any, moves: int, repetitions: int) -> Row:
    """Measure a move of random games, found by trying random points; only ours obeys superko."""

    def ours(seed: int) -> float:
        def act() -> None:
            board, randrange = Board(torus_of(SIZE)), random.Random(seed).random
            colours, play = board.colours, board.play
            while board.move_number < moves:
                point = int(randrange() * POINTS)
                if not colours[point]:
                    try:
                        play(point)
                    except IllegalMove:
                        continue

        return timed(act) / moves

    def theirs(seed: int) -> float:
        def act() -> None:
            state, randrange = listing.GameState(SIZE), random.Random(seed).random
            done, stones = 0, state.board
            while done < moves:
                move = divmod(int(randrange() * POINTS), SIZE)
                if not stones[move] and state.is_legal(move):
                    state.do_move(move)
                    done += 1

        return timed(act) / moves

    seeds = iter(range(2 * repetitions))
    return compare(
        f"random games of {moves} moves, a move (listing: no superko)",
        lambda: ours(next(seeds)),
        lambda: theirs(next(seeds)),
        repetitions,
        8,
    )


def goto_row(distance: int, depth: int, repetitions: int) -> Row:
    """Measure going back and forth by ``distance`` moves at the end of a game of ``depth`` moves."""
    game, rng = Game(SIZE), random.Random(1)
    while game.node.number < depth:
        legal = game.legal_points()
        game.play(rng.choice(legal)) if legal else game.pass_turn()
    here = there = game.node
    for _ in range(distance):
        assert there.parent is not None
        there = there.parent

    def act() -> None:
        for _ in range(20):
            game.goto(there)
            game.goto(here)

    seconds = median(timed(act) / 40 for _ in range(repetitions))
    return Row(f"goto, {distance} moves at depth {depth}", seconds * MICRO, None, None, 10.0 * distance)


def memory(make: Callable[[], Any], points: list[int]) -> float:
    """Return the memory that a game of ``points`` keeps, in KB per move."""
    owner = make()
    for point in points:  # what all games share is allocated now and not counted
        owner.play(point)
    owner = make()
    gc.collect()
    tracemalloc.start()
    for point in points:
        owner.play(point)
    gc.collect()
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return held / len(points) / 1024


def main() -> int:
    """Print the table; the exit status is 1 if a goal is missed."""
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    listing = load_listing()
    long_game = random_game(listing, 1000, seed=2022)
    short_game = long_game[:300]
    short_games = [random_game(listing, 300, seed) for seed in range(10)]
    print(f"Python {sys.version.split()[0]}, {SIZE}×{SIZE}, medians of {repetitions}")
    print(f"{'':70}{'ours':>9}{'listing':>12}{'':4}{'ratio':>9}{'goal':>9}")
    rows = []
    makes: tuple[Callable[[], Row], ...] = (
        lambda: play_row(listing, short_games, repetitions, 14),
        lambda: play_row(listing, [short_game], repetitions, None),
        lambda: play_row(listing, [long_game], repetitions, None),
        lambda: undo_row(listing, short_game, min(repetitions, 5), keep=True),
        lambda: undo_row(listing, short_game, min(repetitions, 5), keep=False),
        lambda: legal_row(listing, 300, 20),
        lambda: random_row(listing, 600, 2 * repetitions),
        lambda: goto_row(10, 100, repetitions),
        lambda: goto_row(10, 3000, repetitions),
        lambda: Row(
            "memory of Game, tree included, a move of 1000",
            memory(lambda: Game(SIZE), long_game),
            None,
            None,
            0.7,
            "KB",
        ),
        lambda: Row(
            "memory of Board alone, a move of 1000",
            memory(lambda: Board(torus_of(SIZE)), long_game),
            None,
            None,
            None,
            "KB",
        ),
    )
    for make in makes:
        rows.append(make())
        print(rows[-1], flush=True)
    return int(any(row.met is False for row in rows))


if __name__ == "__main__":
    sys.exit(main())
