"""Unconditional life and area on the torus."""

from __future__ import annotations

from daoqi_tui.analysis.life import area_points, safe_points
from daoqi_tui.engine import BLACK, WHITE, Board, torus_of
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
    assert owned_on(two_eyes, safe_points(two_eyes)) == drawn("""
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
    assert safe_points(one_eye) == {BLACK: 0, WHITE: 0}


def test_a_ring_round_the_torus_has_two_sides_that_are_one_region() -> None:
    ring = board_of("""
        .....
        XXXXX
        .....
        ....O
        .....
    """)
    assert safe_points(ring) == {BLACK: 0, WHITE: 0}
    rings = board_of("""
        ....
        XXXX
        ..O.
        XXXX
    """)
    # Both strips border both rings because the board wraps around.
    assert owned_on(rings, safe_points(rings)) == drawn("""
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
    assert owned_on(board, area_points(board)) == drawn("""
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
    assert safe_points(all_touch)[BLACK].bit_count() == 28
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
    assert safe_points(one_does_not)[BLACK] == 0


def test_an_empty_board_is_nobodys() -> None:
    board = Board(torus_of(5))
    assert area_points(board) == {BLACK: 0, WHITE: 0}
