"""Races are read as an exhaustive search with rules of its own plays them, and as the shared rings say."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import lru_cache

import pytest

from daoqi_tui.engine import BLACK, WHITE, Board, Colour, Torus, opponent
from daoqi_tui.reading.races import LEAST_STONES, races
from tests.benchmarks.ai_gates import board_of
from tests.shared_data import data_json
from tests.thorough import rounds

WIDTH = 3
"""Columns of the boards below: rows closed around them are rings."""


def racing(pick: random.Random, *, closed: bool) -> list[str]:
    """Return the rows of a board with two chains that race, and a strong chain around each.

    The strong chains share the liberties of the first row; the others have some in the other side's rows. They are
    rings if ``closed``, and have some liberties between them that are common to both or belong to one of them;
    otherwise a stone of the other colour ends each.
    """

    def row(sign: str, gaps: int) -> str:
        cells = ["."] * gaps + [sign] * (WIDTH - gaps)
        pick.shuffle(cells)
        return "".join(cells)

    above, below = row("X", pick.randint(0, 2)), row("O", pick.randint(0, 2))
    if not closed:
        chains = "X" + "O" * (WIDTH - 1), "O" + "X" * (WIDTH - 1)
        return ["." * WIDTH, "X" * WIDTH, above, *chains, below, "O" * WIDTH]
    between = "".join(pick.choice(".XO") for _ in range(WIDTH))
    return [
        *("." * WIDTH, "X" * WIDTH, above, "O" * WIDTH),
        *((between,) if pick.random() < 0.7 else ()),
        *("X" * WIDTH, below, "O" * WIDTH),
    ]


class Exhaustive:
    """Plays a race on all points of a small torus: who captures a stone of the other's chain first, by brute force.

    Who captures a chain around the race wins as well: a race that is counted as won must be won before that.

    Args:
        rows: the board; the first one has the liberties of the chains around.
        own: a point of the one chain.
        other: a point of the other.
        around: whether the chains around may be attacked.
    """

    def __init__(self, rows: list[str], own: int, other: int, *, around: bool) -> None:
        self.first = 0 if around else len(rows[0])
        self.height, self.width = len(rows), len(rows[0])
        self.start = "".join(rows)
        self.targets = own, other
        self.seen: dict[tuple[str, str], int] = {}

    def beside(self, place: int) -> Iterator[int]:
        row, column = divmod(place, self.width)
        for down, right in ((0, 1), (0, -1), (1, 0), (-1, 0)):
            yield (row + down) % self.height * self.width + (column + right) % self.width

    def chain(self, cells: str, place: int) -> tuple[set[int], bool]:
        """Return the places of a chain and whether it has a liberty."""
        found, edge, free = {place}, [place], False
        while edge:
            for near in self.beside(edge.pop()):
                if cells[near] == ".":
                    free = True
                elif cells[near] == cells[place] and near not in found:
                    found.add(near)
                    edge.append(near)
        return found, free

    def played(self, cells: str, place: int, sign: str) -> str | None:
        """Return the board after a play; None for a suicide."""
        after = cells[:place] + sign + cells[place + 1 :]
        for near in self.beside(place):
            if after[near] not in (".", sign):
                stones, free = self.chain(after, near)
                if not free:
                    after = "".join("." if index in stones else cell for index, cell in enumerate(after))
        return after if self.chain(after, place)[1] else None

    def outcome(self, cells: str, sign: str, *, passed: bool = False) -> int:
        """Return 1 if the side ``sign``, to move, captures first, −1 if the other does, 0 if neither."""
        key = cells, sign + "p" * passed
        if key in self.seen:
            return self.seen[key]
        mine, theirs = (place for place in sorted(self.targets, key=lambda place: self.start[place] != sign))
        other = "OX"["XO".index(sign)]
        # A repetition captures nothing.
        self.seen[key] = 0
        best = 0 if passed else -self.outcome(cells, other, passed=True)
        around = self.width if sign == "O" else -1
        for place in range(self.first, len(cells)):
            if best == 1:
                break
            if cells[place] != "." or (after := self.played(cells, place, sign)) is None:
                continue
            if after[theirs] != other or after[around] != other:
                best = 1
            elif after[mine] == sign:
                best = max(best, -self.outcome(after, other))
        self.seen[key] = best
        return best


@lru_cache
def laid_out(rows: tuple[str, ...], to_move: Colour) -> Board:
    board = Board(Torus(len(rows), len(rows[0])))
    board.setup([".XO".index(cell) for row in rows for cell in row], to_move)
    return board


@pytest.mark.parametrize("seed", range(rounds(10, 200)))
@pytest.mark.parametrize("closed", [True, False])
def test_races_end_as_an_exhaustive_search_plays_them(seed: int, *, closed: bool) -> None:
    pick = random.Random(seed)
    found = []
    while not found:
        rows = racing(pick, closed=closed)
        to_move = pick.choice((BLACK, WHITE))
        try:
            board = laid_out(tuple(rows), to_move)
        except ValueError:
            # A ring without a liberty.
            continue
        found = races(board)
    for race in found:
        own, other = ((mask & -mask).bit_length() - 1 for mask in (race.own, race.other))
        assert board.colours[own] == to_move
        signs = "XO"[to_move - 1], "XO"[opponent(to_move) - 1]
        cells, picture = "".join(rows), "\n".join((*rows, f"{signs[0]} to move", str(race)))
        # Where neither is captured, the chains around may be attacked at leisure afterwards.
        first, second = (Exhaustive(rows, own, other, around=bool(told)) for told in (race.first, race.second))
        assert race.first == first.outcome(cells, signs[0]), picture
        assert race.second == -second.outcome(cells, signs[1]), picture
        for place in board.torus.points_in(race.moves):
            after = first.played(cells, place, signs[0])
            assert after is not None
            assert after[other] != signs[1] or -first.outcome(after, signs[1]) == race.first, picture


def test_the_rings_of_the_shared_data_are_read() -> None:
    for position in data_json("rings.json")["positions"]:
        board = board_of(position)
        (race,) = races(board, LEAST_STONES)
        assert (race.first, race.second) == (1, -1)
        names = {board.torus.name(point, "gtp") for point in board.torus.points_in(race.moves)}
        assert names == set(position["race_moves"])


@pytest.mark.parametrize(
    ("rows", "count"),
    [
        (["...", "XXX", "X.X", "OOO", "XXX", "O.O", "OOO"], 1),
        # The chain above can grow where two of its liberties are one room with a third point.
        (["...", "XXX", "X..", "...", "OOO", "XXX", "O.O", "OOO"], 0),
        # The strong chains have but one liberty more than the rings.
        (["X.O", "XXX", "X.X", "OOO", "XXX", "O.O", "OOO"], 0),
    ],
)
def test_a_chain_that_can_grow_or_whose_captors_may_be_captured_does_not_race(rows: list[str], count: int) -> None:
    assert len(races(laid_out(tuple(rows), BLACK))) == count
