"""Unconditional life and area on the torus."""

from __future__ import annotations

import random

import pytest

from daoqi_tui.engine import BLACK, DAOQI, EMPTY, WHITE, Board, Rules, opponent, torus_of
from daoqi_tui.reading.status import area_points, dead_stones, safe_points, status
from tests.engine.pictures import board_of, drawn


def owned_on(board: Board, owned: dict[int, int]) -> str:
    signs = ["."] * board.torus.points
    for colour, sign in ((BLACK, "B"), (WHITE, "W")):
        for point in board.torus.points_in(owned[colour]):
            signs[point] = sign
    size = board.torus.size
    return "\n".join("".join(signs[start : start + size]) for start in range(0, len(signs), size))


def test_two_eyes_live_and_one_does_not() -> None:
    two_eyes = board_of("""
        .......
        .XXXXX.
        .X.X.X.
        .XXXXX.
        .......
        ..O....
        .......
    """)
    assert owned_on(two_eyes, safe_points(two_eyes, DAOQI)) == drawn("""
        .......
        .BBBBB.
        .BBBBB.
        .BBBBB.
        .......
        .......
        .......
    """)
    one_eye = board_of("""
        .......
        .XXX...
        .X.X...
        .XXX...
        .......
        .....O.
        .......
    """)
    assert safe_points(one_eye, DAOQI) == {BLACK: 0, WHITE: 0}


def test_a_ring_round_the_torus_has_two_sides_that_are_one_region() -> None:
    ring = board_of("""
        .....
        XXXXX
        .....
        ....O
        .....
    """)
    assert safe_points(ring, DAOQI) == {BLACK: 0, WHITE: 0}
    rings = board_of("""
        ....
        XXXX
        ..O.
        XXXX
    """)
    # Both strips border both rings because the board wraps around.
    assert owned_on(rings, safe_points(rings, DAOQI)) == drawn("""
        BBBB
        BBBB
        BBBB
        BBBB
    """)


def test_dead_stones_in_safe_territory_count_for_who_surrounds_them() -> None:
    board = board_of("""
        XXXXXXX
        X.X..OX
        XXXXXXX
        .......
        ..OOO..
        ..O.O..
        ..OOO..
    """)
    assert owned_on(board, area_points(board, DAOQI)) == drawn("""
        BBBBBBB
        BBBBBBB
        BBBBBBB
        .......
        ..WWW..
        ..WWW..
        ..WWW..
    """)


def test_an_opposing_stone_keeps_a_region_from_being_vital_where_it_touches_none_of_the_chain() -> None:
    """Suicide is legal, so all points of a region count, including those with enemy stones."""
    all_touch = board_of("""
        XXXXXXX
        X.XO.OX
        XXOOOOX
        XXXXXXX
        .......
        ..O....
        .......
    """)
    assert safe_points(all_touch, DAOQI)[BLACK].bit_count() == 28
    one_does_not = board_of("""
        XXXXXXXX
        XX.XO.OX
        XXXXOOOX
        XXXXO.OX
        XXXXXXXX
        ........
        ...O....
        ........
    """)
    assert safe_points(one_does_not, DAOQI)[BLACK] == 0


def test_an_empty_board_is_nobodys() -> None:
    board = Board(torus_of(5))
    assert area_points(board, DAOQI) == {BLACK: 0, WHITE: 0}


def neighbours(point: int, size: int) -> set[int]:
    """Return the neighbours of a point, without the engine."""
    row, column = divmod(point, size)
    return {
        (row - 1) % size * size + column,
        (row + 1) % size * size + column,
        row * size + (column - 1) % size,
        row * size + (column + 1) % size,
    } - {point}


def chain_and_liberties(colours: bytes, point: int, size: int) -> tuple[set[int], set[int]]:
    chain, liberties, open_points = {point}, set(), [point]
    while open_points:
        for nearby in neighbours(open_points.pop(), size):
            if colours[nearby] == EMPTY:
                liberties.add(nearby)
            elif colours[nearby] == colours[point] and nearby not in chain:
                chain.add(nearby)
                open_points.append(nearby)
    return chain, liberties


def survivors(colours: bytes, mine: int, size: int, *, suicide: bool) -> set[int]:
    """Return the stones of ``mine`` that the opponent captures by no sequence of plays in a row: by trying them all."""
    theirs = opponent(mine)
    lasting = {point for point, colour in enumerate(colours) if colour == mine}
    seen, to_try = {colours}, [colours]
    while to_try and lasting:
        before = to_try.pop()
        for point, colour in enumerate(before):
            if colour != EMPTY:
                continue
            board = bytearray(before)
            board[point] = theirs
            captured = False
            for nearby in neighbours(point, size):
                if board[nearby] == mine:
                    chain, liberties = chain_and_liberties(bytes(board), nearby, size)
                    if not liberties:
                        captured = True
                        lasting -= chain
                        for stone in chain:
                            board[stone] = EMPTY
            chain, liberties = chain_and_liberties(bytes(board), point, size)
            if not captured and not liberties:
                if not suicide:
                    continue
                for stone in chain:
                    board[stone] = EMPTY
            after = bytes(board)
            if after not in seen:
                seen.add(after)
                to_try.append(after)
    return lasting


@pytest.mark.parametrize("suicide", [True, False])
def test_the_stones_that_live_are_those_that_no_sequence_of_plays_captures(suicide: bool) -> None:
    """Compared with all sequences of the opponent's plays, on boards that a checker without the engine plays out."""
    rules, size, lived, differed = Rules(suicide=suicide), 4, 0, 0
    for seed in range(1500):
        source = random.Random(seed)
        black, white = source.choice([(0.7, 0.1), (0.75, 0.15), (0.7, 0.2)])
        board = Board(torus_of(size), rules)
        drawn_colours = [
            BLACK if (share := source.random()) < black else WHITE if share < black + white else EMPTY
            for _ in range(size * size)
        ]
        colours = bytes(drawn_colours)
        if any(colour and not chain_and_liberties(colours, point, size)[1] for point, colour in enumerate(colours)):
            continue
        if colours.count(BLACK) < 9:
            # All sequences would be too many.
            continue
        board.setup(colours, BLACK)
        expected = survivors(colours, BLACK, size, suicide=suicide)
        found = status(board, rules)[BLACK].alive
        assert set(board.torus.points_in(found)) == expected, str(board)
        lived += bool(expected)
        differed += status(board, Rules(suicide=not suicide))[BLACK].alive != found
    assert lived > 40
    assert differed > 0


def test_an_eye_inside_needs_a_point_that_touches_no_stone_around() -> None:
    room_for_one = board_of("""
        XXXXXXXX
        X.X.X..X
        XXXXX..X
        ....XO.X
        ....XXXX
        ........
        ...O....
        ........
    """)
    assert dead_stones(room_for_one, DAOQI) == 1 << (3 * 8 + 5)
    room_for_two = board_of("""
        XXXXXXXX
        X.X....X
        XXX....X
        X.X..O.X
        XXX....X
        ..X....X
        ..XXXXXX
        ...O....
    """)
    assert not dead_stones(room_for_two, DAOQI) & 1 << (3 * 8 + 5)
    assert status(room_for_two, DAOQI)[BLACK].alive


def test_a_large_empty_region_is_not_certain() -> None:
    """The opponent may still live there, although KataGo's networks are told that it is safe."""
    board = board_of("""
        XXXXXXXX
        X.X.X..X
        XXXXXXXX
        ........
        ........
        ........
        ........
        ........
    """)
    assert status(board, DAOQI)[BLACK].territory.bit_count() == 4
    assert safe_points(board, DAOQI)[BLACK] == board.torus.full
