"""Positions and shapes are found in an index of games exactly where an exhaustive search finds them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from daoqi_tui.analysis import opening_arrays
from daoqi_tui.analysis.opening_index import OpeningIndex
from daoqi_tui.analysis.opening_records import GameRecord, Shape
from daoqi_tui.engine import BLACK, EMPTY, PASS, WHITE, Board, torus_of
from daoqi_tui.reading.symmetry import BoardPosition


class Seen(NamedTuple):
    """A position of a game: rows of colours, the side to move, and the move that follows, None at the end."""

    rows: tuple[tuple[int, ...], ...]
    to_move: int
    move: int | None


def positions_of(game: GameRecord) -> list[Seen]:
    """Play a game with the board, and keep what it shows."""
    board, seen = Board(torus_of(game.size)), []
    for move in (*game.moves, None):
        rows = [tuple(board.colours[row * game.size : (row + 1) * game.size]) for row in range(game.size)]
        assert move is None or isinstance(move, int)
        seen.append(Seen(tuple(rows), board.to_move, move))
        if move is not None:
            board.replay(move)
    return seen


def images(size: int) -> Iterator[tuple[dict[tuple[int, int], tuple[int, int]], bool]]:
    """Yield where each symmetry takes each row and column, with and without exchange of colours."""
    for is_exchanged in (False, True):
        for flip in (False, True):
            for turns in range(4):
                for down in range(size):
                    for right in range(size):
                        image = {}
                        for row in range(size):
                            for column in range(size):
                                y, x = (column, row) if flip else (row, column)
                                for _ in range(turns):
                                    y, x = x, -y
                                image[row, column] = (y + down) % size, (x + right) % size
                        yield image, is_exchanged


def exchanged(colour: int, *, is_exchanged: bool) -> int:
    return 3 - colour if is_exchanged and colour else colour


def random_games(size: int, seed: int, count: int = 12) -> list[GameRecord]:
    """Return games with captures; some play the same moves elsewhere, in another order and with a pass first."""
    chance, torus, games = random.Random(seed), torus_of(size), []
    for number in range(count):
        board, moves = Board(torus), []
        if number % 4 == 3:
            whole = list(games[-1].moves)
            early = whole[:4]
            whole[:4] = [early[2], early[3], early[0], early[1]]
            shift = chance.randrange(size), chance.randrange(size)
            turned = [move if move == PASS else torus.shift(move, *shift) for move in whole]
            moves = [PASS, *turned] if chance.random() < 0.5 else turned
        else:
            for _ in range(chance.randint(12, 40)):
                legal = torus.points_in(board.legal_mask())
                moves.append(chance.choice(legal) if legal and chance.random() < 0.95 else PASS)
                board.replay(moves[-1])
        games.append(GameRecord(f"{number:02}.sgf", size, tuple(moves), chance.choice((BLACK, WHITE, EMPTY))))
    return games


@pytest.mark.parametrize(("size", "seed"), [(4, 1), (5, 2)])
def test_positions_are_found_exactly_where_an_exhaustive_search_finds_them(size: int, seed: int):
    games = random_games(size, seed)
    played = {game.source: positions_of(game) for game in games}
    winners = {game.source: game.winner for game in games}
    chance = random.Random(seed)
    with closing(OpeningIndex(":memory:")) as index:
        index.add(games)
        for _ in range(8):
            wanted = chance.choice(chance.choice(list(played.values()))[:: chance.choice((1, 4))])
            queried = BoardPosition(size, *(mask_of(wanted.rows, colour) for colour in (BLACK, WHITE)), wanted.to_move)
            expected: dict[str, tuple[int, set[int], int]] = {}
            turned = {}
            for image, is_exchanged in images(size):
                rows = [[0] * size for _ in range(size)]
                for (row, column), (y, x) in image.items():
                    rows[y][x] = exchanged(wanted.rows[row][column], is_exchanged=is_exchanged)
                back = {y * size + x: row * size + column for (row, column), (y, x) in image.items()} | {PASS: PASS}
                to_move = exchanged(wanted.to_move, is_exchanged=is_exchanged)
                turned.setdefault((tuple(map(tuple, rows)), to_move), []).append((back, is_exchanged))
            for source, seen in played.items():
                for depth, here in enumerate(seen):
                    if (ways := turned.get((here.rows, here.to_move))) and source not in expected:
                        moves = {back[here.move] for back, _ in ways} if here.move is not None else set()
                        expected[source] = depth, moves, exchanged(winners[source], is_exchanged=ways[0][1])
            found = {hit.source: (hit.depth, set(hit.next), hit.winner) for hit in index.find(queried)}
            assert found == expected


def mask_of(rows: tuple[tuple[int, ...], ...], colour: int) -> int:
    size = len(rows)
    return sum(1 << at for at in range(size * size) if rows[at // size][at % size] == colour)


@pytest.mark.parametrize(("size", "seed"), [(4, 3), (5, 4)])
def test_shapes_are_found_exactly_where_an_exhaustive_search_finds_them(size: int, seed: int):
    games = random_games(size, seed)
    played = {game.source: positions_of(game) for game in games}
    winners = {game.source: game.winner for game in games}
    chance = random.Random(seed)
    everywhere = list(images(size))
    with closing(OpeningIndex(":memory:")) as index:
        index.add(games)
        tried = 0
        while tried < 5:
            wanted = chance.choice(chance.choice(list(played.values())))
            top, left = chance.randrange(size), chance.randrange(size)
            height, width = chance.choice([(1, 2), (2, 2), (2, 3), (3, 3), (3, 2), (size, 1), (size, size)])
            cells = [((top + i) % size, (left + j) % size) for i in range(height) for j in range(width)]
            if not any(wanted.rows[row][column] for row, column in cells):
                continue
            tried += 1
            queried = BoardPosition(size, *(mask_of(wanted.rows, colour) for colour in (BLACK, WHITE)), wanted.to_move)
            patterns: dict[frozenset[tuple[int, int]], list[tuple[dict[int, int], bool]]] = {}
            for image, is_exchanged in everywhere:
                back = {image[cell][0] * size + image[cell][1]: cell[0] * size + cell[1] for cell in cells}
                needed = frozenset(
                    (at, exchanged(wanted.rows[cell // size][cell % size], is_exchanged=is_exchanged))
                    for at, cell in back.items()
                )
                patterns.setdefault(needed, []).append((back, is_exchanged))
            expected = {}
            for source, seen in played.items():
                times = [(*time, ways) for needed, ways in patterns.items() if (time := first_time(seen, needed))]
                if not times:
                    continue
                start, end = min(time[:2] for time in times)
                found = (ways for *time, ways in times if time == [start, end])
                least = min(described(seen, end, ways, winners[source]) for ways in found)
                expected[source] = start, *least
            hits = index.find_shape(Shape(queried, top - size, left, height, width))
            assert {hit.source: (hit.depth, hit.next, hit.colour, hit.winner) for hit in hits} == expected


def first_time(seen: list[Seen], needed: frozenset[tuple[int, int]]) -> tuple[int, int] | None:
    """Return the first position in which the points have their colours, and the first after it where they do not."""
    size = len(seen[0].rows)
    stands = [all(here.rows[at // size][at % size] == colour for at, colour in needed) for here in seen]
    if True not in stands:
        return None
    start = stands.index(True)
    return start, stands.index(False, start) if False in stands[start:] else len(seen)


def described(
    seen: list[Seen], end: int, ways: list[tuple[dict[int, int], bool]], winner: int
) -> tuple[tuple[int, ...], int, int]:
    """Describe the move that ended a shape, in the least of the ways to see it."""
    last = seen[end - 1]
    found = sorted(
        (exchanged(last.to_move, is_exchanged=is_exchanged), back[last.move], is_exchanged)
        for back, is_exchanged in ways
        if end < len(seen) and last.move in back
    )
    if not found:
        return (), EMPTY, exchanged(winner, is_exchanged=min(is_exchanged for _back, is_exchanged in ways))
    colour, _point, is_exchanged = found[0]
    points = tuple(sorted({point for other, point, _ in found if other == colour}))
    return points, colour, exchanged(winner, is_exchanged=is_exchanged)


def test_a_search_for_a_shape_looks_at_few_changes_and_points(monkeypatch: pytest.MonkeyPatch):
    """A shape that stands early ends the search of a game there, and the stones around exclude most of the others."""
    games = random_games(9, 8, 30)
    read, seen = {"changes": 0, "points": 0}, positions_of(games[1])
    matching, colours_at = opening_arrays._Block.matching, opening_arrays._Stones.at

    def counting(block: Any, stones: Any, changes: Any) -> Any:
        read["changes"] += len(changes)
        return matching(block, stones, changes)

    def compared(stones: Any, cells: Any, places: Any) -> Any:
        read["points"] += len(cells)
        return colours_at(stones, cells, places)

    monkeypatch.setattr(opening_arrays._Block, "matching", counting)
    monkeypatch.setattr(opening_arrays._Stones, "at", compared)
    with closing(OpeningIndex(":memory:")) as index:
        index.add(games)
        everything = len(index._contents(9).changes)
        for side in (1, 3, 7):
            read.update(changes=0, points=0)
            middle = BoardPosition(9, 1 << 40, 0, WHITE)
            assert len(index.find_shape(Shape(middle, 4 - side // 2, 4 - side // 2, side, side))) >= 29
            assert read["changes"] <= everything / 4
            assert read["points"] <= 3 * side * side * len(games)
        black, white = (mask_of(seen[12].rows, colour) for colour in (BLACK, WHITE))
        read.update(changes=0, points=0)
        hits = index.find_shape(Shape(BoardPosition(9, black, white, BLACK), 0, 0, 6, 6))
        assert games[1].source in {hit.source for hit in hits}
        assert read["points"] <= 2 * 36 * len(games)


def test_flipped_bytes_never_give_a_wrong_answer(tmp_path: Path):
    """Whatever is damaged is noticed by the repair before a search, and then the games are added again."""
    games, path, chance = random_games(4, 6), tmp_path / "index.sqlite", random.Random(7)
    with closing(OpeningIndex(path)) as index:
        index.add(games)
        queried = BoardPosition(4, 1, 0, WHITE)
        expected = index.find(queried), index.find_shape(Shape(queried, 0, 0, 2, 2))
    sound = path.read_bytes()
    for damage in range(40):
        data = bytearray(sound)
        if damage % 4 == 3:
            del data[chance.randrange(len(data)) :]
        else:
            at = chance.randrange(100, len(data))
            data[at : at + 4] = chance.randbytes(4)
        path.write_bytes(data)
        with closing(OpeningIndex(path)) as index:
            index.repair()
            index.remove(index.fingerprints().keys() - {game.source for game in games})
            index.add(games)
            assert (index.find(queried), index.find_shape(Shape(queried, 0, 0, 2, 2))) == expected
