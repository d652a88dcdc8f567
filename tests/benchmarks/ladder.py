"""Time the ladder reader: ``python -m tests.benchmarks.ladder``.

Goals: to read the ladder around an empty 16×16 torus at least 20 times as fast as a reader that copies the board at
every node, in the same run; and to find all ladder breakers and makers, with 252 points tried for each colour, in under
2 seconds.

The other reader plays the same ladder game, but stores the board as a list of lists, copies it before every move,
flood-fills chains to find their liberties, and ignores superko. It tries liberties in the order in which it finds them,
as a simple reader does; it is also timed with our order of moves, to separate the gain of the order from that of the
board. Times are CPU time.
"""

import time
from collections.abc import Callable
from functools import partial

from daoqi_tui.engine import BLACK, WHITE, opponent
from daoqi_tui.reading.ladder import ladder_points, read_ladder
from tests.analysis.pictures import bare_ladder

Grid = list[list[int]]
Place = tuple[int, int]


class CopyingReader:
    """A ladder reader that works on copies of the board."""

    def __init__(self, target: Place, defender: int, *, ordered: bool = False) -> None:
        self.target = target
        self.ordered = ordered
        self.defender = defender
        self.nodes = 0

    def captured(self, grid: Grid, to_move: int) -> bool:
        stones, liberties = chain(grid, self.target)
        if to_move != self.defender:
            if len(liberties) != 2:
                return len(liberties) < 2
            return any(self._after_atari(grid, move) for move in self._in_order(grid, liberties))
        if len(liberties) > 1:
            return False
        moves = liberties | captures(grid, stones, opponent(self.defender))
        return all(self._after_defence(grid, move) for move in moves)

    def _in_order(self, grid: Grid, liberties: set[Place]) -> list[Place]:
        if not self.ordered:
            return list(liberties)

        def room(move: Place) -> int:
            (last,) = liberties - {move}
            return len(chain(self._played(grid, last, self.defender), self.target)[1] - {move})

        return sorted(liberties, key=room)

    def _after_atari(self, grid: Grid, move: Place) -> bool:
        after = self._played(grid, move, opponent(self.defender))
        return len(chain(after, self.target)[1]) == 1 and self.captured(after, self.defender)

    def _after_defence(self, grid: Grid, move: Place) -> bool:
        after = self._played(grid, move, self.defender)
        row, column = self.target
        return after[row][column] != self.defender or self.captured(after, opponent(self.defender))

    def _played(self, grid: Grid, move: Place, colour: int) -> Grid:
        self.nodes += 1
        after = [row.copy() for row in grid]
        after[move[0]][move[1]] = colour
        for near in (*around(after, move), move):
            if near == move or after[near[0]][near[1]] == opponent(colour):
                stones, liberties = chain(after, near)
                if not liberties:
                    for row, column in stones:
                        after[row][column] = 0
        return after


def around(grid: Grid, place: Place) -> list[Place]:
    size = len(grid)
    row, column = place
    return [((row + down) % size, (column + right) % size) for down, right in ((0, 1), (1, 0), (0, -1), (-1, 0))]


def chain(grid: Grid, start: Place) -> tuple[set[Place], set[Place]]:
    """Return the stones and the liberties of the chain at ``start``."""
    colour = grid[start[0]][start[1]]
    stones, liberties, edge = {start}, set(), [start]
    while edge:
        for row, column in around(grid, edge.pop()):
            if not grid[row][column]:
                liberties.add((row, column))
            elif grid[row][column] == colour and (row, column) not in stones:
                stones.add((row, column))
                edge.append((row, column))
    return stones, liberties


def captures(grid: Grid, stones: set[Place], attacker: int) -> set[Place]:
    """Return the last liberties of the attacker's chains in atari next to ``stones``."""
    found = set()
    for stone in stones:
        for near in around(grid, stone):
            if grid[near[0]][near[1]] == attacker:
                liberties = chain(grid, near)[1]
                if len(liberties) == 1:
                    found |= liberties
    return found


def best_of(times: int, read: Callable[[], object]) -> float:
    """Return the shortest of several runs, in seconds of CPU time."""
    spent = []
    for _ in range(times):
        start = time.process_time()
        read()
        spent.append(time.process_time() - start)
    return min(spent)


def read_by_copies(grid: Grid, target: Place, ordered: bool) -> int:
    """Read the ladder with copies; return how many were made."""
    reader = CopyingReader(target, WHITE, ordered=ordered)
    assert reader.captured(grid, BLACK)
    return reader.nodes


def main() -> None:
    board, target = bare_ladder(16)
    grid = [list(board.colours[start : start + 16]) for start in range(0, 256, 16)]
    assert read_ladder(board, target).result == "captured"
    ours = best_of(50, lambda: read_ladder(board, target))
    print(f"bare ladder, 16 × 16: {ours * 1e3:.2f} ms, {read_ladder(board, target).nodes} nodes")
    for ordered, name in ((False, "copying, as found"), (True, "copying, in our order")):
        theirs = best_of(10, partial(read_by_copies, grid, divmod(target, 16), ordered))
        boards = read_by_copies(grid, divmod(target, 16), ordered)
        print(f"{name}: {theirs * 1e3:.2f} ms, {boards} boards: {theirs / ours:.0f} times as long")
    start = time.process_time()
    points = ladder_points(board, target)
    spent = time.process_time() - start
    print(f"all breakers: {len(points.white)} white, {len(points.black)} black, 2 × 252 questions in {spent:.2f} s")


if __name__ == "__main__":
    main()
