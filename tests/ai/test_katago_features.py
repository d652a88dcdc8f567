"""The input features of KataGo's networks, plane by plane."""

from __future__ import annotations

import random

import numpy as np
import pytest

from daoqi_tui.ai.network import INPUTS
from daoqi_tui.ai.network.features import LAYOUTS, Features, LadderReader
from daoqi_tui.ai.search import HISTORY, Inputs
from daoqi_tui.engine import (
    BLACK,
    EMPTY,
    PASS,
    POSITIONAL,
    SIMPLE,
    SITUATIONAL,
    WHITE,
    Board,
    Colour,
    Repeats,
    Rules,
    Superko,
    opponent,
    torus_of,
)
from tests.ai.katago_vectors import vectors
from tests.engine.pictures import board_of
from tests.every import every
from tests.thorough import rounds


def picture(rows: str) -> str:
    return "\n".join(rows.split())


def plane(inputs: Inputs, number: int, size: int) -> str:
    signs = "".join("#" if seen else "." for seen in inputs.planes[:, number])
    return "\n".join(signs[start : start + size] for start in range(0, len(signs), size))


def played(size: int, *moves: int) -> Board:
    board = Board(torus_of(size))
    for move in moves:
        if move == PASS:
            board.pass_turn()
        else:
            board.play(move)
    return board


def test_stones_and_liberties_of_the_side_to_move() -> None:
    board = board_of(
        """
        ...O.
        ..OXO
        .....
        X....
        OX...
    """,
        WHITE,
    )
    inputs = Features(8).encode(board, 4, (), 0)
    mine, theirs, one, two, three = (plane(inputs, number, 5) for number in (1, 2, 3, 4, 5))
    assert plane(inputs, 0, 5) == picture("##### " * 5)
    assert mine == picture("...#. ..#.# ..... ..... #....")
    assert theirs == picture("..... ...#. ..... #.... .#...")
    # Across the edges, O at A1 has liberties to the left and below.
    assert one == picture("..... ...#. ..... ..... .....")
    assert two == picture("..... ..... ..... ..... #....")
    assert three == picture("...#. ..#.# ..... #.... .#...")


def test_the_last_five_moves_and_passes() -> None:
    moves = (7, 12, PASS, 13, 1, 20)
    inputs = Features(8).encode(played(5, *moves), 4, moves, 0)
    assert [np.flatnonzero(inputs.planes[:, number]).tolist() for number in range(9, 14)] == [[20], [1], [13], [], [12]]
    assert inputs.whole[:5].tolist() == [0, 0, 0, 1, 0]
    assert inputs.whole[14] == 0


def test_a_pass_that_would_end_the_game_is_told() -> None:
    board = played(5, 7, PASS)
    assert Features(8).encode(board, 4, (7, PASS), 1).whole[14] == 1
    assert Features(7).encode(board, 4, (7, PASS), 1).whole[14] == 1
    assert Features(4).encode(board, 4, (7, PASS), 1).whole[12] == 1


def test_points_that_repeat_a_state_are_told() -> None:
    board = board_of("""
        .......
        ..XO...
        .XO.O..
        ..XO...
        .......
        .......
        .......
    """)
    board.play(17)
    inputs = Features(8).encode(board, 4, (17,), 0)
    assert plane(inputs, 6, 7) == picture("....... " * 2 + "..#.... " + "....... " * 4)
    assert plane(Features(6).encode(board, 4, (17,), 0), 3, 7) == plane(inputs, 6, 7)


@pytest.mark.parametrize(
    ("model_format", "komi", "passes", "told"),
    [(8, 4, (0, 0), -4.5 / 20), (8, 3.75, (0, 0), -3.75 / 20), (8, 4, (1, 0), -5.5 / 20), (4, 4, (0, 1), -3.5 / 15)],
)
def test_komi_counts_passes_and_who_wins_ties(
    model_format: int, komi: float, passes: tuple[int, int], told: float
) -> None:
    board = Board(torus_of(9))
    board.passes[BLACK], board.passes[WHITE] = passes
    inputs = Features(model_format).encode(board, komi, (), 0)
    assert inputs.whole[5] == pytest.approx(told)
    board.pass_turn()
    board.passes[BLACK] -= 1
    assert Features(model_format).encode(board, komi, (PASS,), 1).whole[5] == pytest.approx(-told)


def test_huge_komi_is_cut() -> None:
    board = Board(torus_of(5))
    assert Features(8).encode(board, 1000, (), 0).whole[5] == pytest.approx(-(25 + 20) / 20)
    assert Features(7).encode(board, 1000, (), 0).whole[5] == pytest.approx(-(25 + 1) / 20)


@every("model_format", sorted(INPUTS))
def test_the_rules_are_told_and_the_rest_is_zero(model_format: int) -> None:
    planes, whole = INPUTS[model_format]
    inputs = Features(model_format).encode(Board(torus_of(9)), 4, (), 0)
    assert inputs.planes.shape == (81, planes)
    assert inputs.whole.shape == (whole,)
    told = {5, 6, 7, 8} | ({whole - 1} if model_format != 6 else set())
    assert set(np.flatnonzero(inputs.whole).tolist()) == told
    assert inputs.whole[6:9].tolist() == [1, -0.5, 1]
    assert np.flatnonzero(inputs.planes.sum(axis=0)).tolist() == [0]


@every("model_format", sorted(INPUTS))
@every(
    ("superko", "suicide", "told"),
    [
        (SIMPLE, True, [0, 0, 1]),
        (POSITIONAL, True, [1, 0.5, 1]),
        (SITUATIONAL, False, [1, -0.5, 0]),
        (SIMPLE, False, [0, 0, 0]),
    ],
)
def test_other_rules_are_told(model_format: int, superko: Superko, suicide: bool, told: list[float]) -> None:
    board = Board(torus_of(9), Rules(superko=superko, suicide=suicide))
    assert Features(model_format).encode(board, 4, (), 0).whole[6:9].tolist() == told


@pytest.mark.parametrize(("tie", "told"), [(WHITE, -4.5 / 20), (BLACK, -3.5 / 20), (None, -4 / 20)])
def test_who_wins_a_tie_is_told_as_komi(tie: Colour | None, told: float) -> None:
    board = Board(torus_of(9), Rules(tie=tie))
    assert Features(8).encode(board, 4, (), 0).whole[5] == pytest.approx(told)
    assert Features(8).encode(board, 3.75, (), 0).whole[5] == pytest.approx(-3.75 / 20)


def test_suicide_the_rules_forbid_is_not_told_as_a_repetition() -> None:
    board = Board(torus_of(7), Rules(suicide=False))
    board.lay_out(board.torus.mask(board.torus.neighbours[24]), 0, 0, WHITE)
    assert not board.legal_mask() >> 24 & 1
    assert not Features(8).encode(board, 4, (), 0).planes[:, 6].any()


LADDER = """
    .........
    .........
    .........
    .........
    ...X{}....
    ....XX...
    .........
    .........
    .........
"""


def test_ladders_are_told_and_where_they_begin() -> None:
    board = board_of(LADDER.format("O"))
    before = board.key, str(board), board.move_number, tuple(board.passes)
    found = LadderReader().read(board)
    assert np.flatnonzero(found.stones).tolist() == [40]
    assert np.flatnonzero(found.moves).tolist() == [31]
    inputs = Features(8).encode(board, 4, (), 0)
    # Without known moves, earlier positions are assumed to be the same.
    assert [np.flatnonzero(inputs.planes[:, number]).tolist() for number in range(14, 18)] == [[40], [40], [40], [31]]
    assert (board.key, str(board), board.move_number, tuple(board.passes)) == before


def test_a_reader_tells_the_sides_apart_under_positional_superko() -> None:
    reader = LadderReader()
    for to_move in (WHITE, BLACK):
        shape = board_of(LADDER.format("O"), to_move)
        board = Board(shape.torus, Rules(superko=POSITIONAL))
        board.setup(shape.colours, to_move)
        assert np.array_equal(reader.read(board).moves, LadderReader().read(board).moves)
        assert reader.read(board).moves.any() == (to_move == BLACK)


def test_where_the_ladder_is_the_opponents_to_begin_its_moves_are_not_told() -> None:
    board = board_of(LADDER.format("O"), WHITE)
    inputs = Features(8).encode(board, 4, (), 0)
    assert [np.flatnonzero(inputs.planes[:, number]).tolist() for number in (14, 17)] == [[40], []]
    assert board.to_move == WHITE
    assert sum(board.passes) == 0


def test_the_ladders_of_the_positions_before_are_told() -> None:
    board = board_of(LADDER.format("."), WHITE)
    board.play(40)
    board.play(0)
    key = board.key
    inputs = Features(8).encode(board, 4, (40, 0), 0)
    assert [np.flatnonzero(inputs.planes[:, number]).tolist() for number in range(14, 18)] == [[40], [40], [], []]
    assert board.key == key


def test_a_breaker_round_the_torus_ends_the_ladder() -> None:
    board = board_of(LADDER.format("O").replace(".........", "........O", 1))
    assert LadderReader().read(board).stones[40] == 0


def test_a_network_can_do_without_ladders() -> None:
    board = board_of(LADDER.format("O"))
    assert not Features(8, ladders=False).encode(board, 4, (), 0).planes[:, 14:18].any()


@pytest.mark.parametrize("superko", [SIMPLE, POSITIONAL, SITUATIONAL])
@pytest.mark.parametrize("suicide", [True, False])
def test_only_a_play_that_repetition_forbids_is_marked(superko: Superko, suicide: bool) -> None:
    """KataGo holds a stone alone without a liberty for suicide, and so for no repetition, under any rules."""
    rng = random.Random(f"{superko} {suicide}")
    banned = lone = 0
    for _ in range(rounds(200, 2000)):
        board = Board(torus_of(4), Rules(superko=superko, suicide=suicide))
        for _ in range(40):
            legal = board.torus.points_in(board.legal_mask())
            if not legal:
                break
            board.play(rng.choice(legal))
        marked = Features(8).encode(board, 4.0, (), 0).planes[:, LAYOUTS[8].banned] > 0
        for point in range(board.torus.points):
            repeats = isinstance(board.refusal(point), Repeats)
            near = [board.colours[other] for other in board.torus.neighbours[point]]
            takes = any(
                board.colours[other] == opponent(board.to_move) and board.liberties_of(other).bit_count() == 1
                for other in board.torus.neighbours[point]
            )
            alone = EMPTY not in near and board.to_move not in near and not takes
            assert marked[point] == (repeats and not alone)
            banned, lone = banned + bool(marked[point]), lone + (repeats and alone)
    assert banned
    assert lone or superko != POSITIONAL or not suicide


LADDER_PLANES = range(14, 18)


def test_the_inputs_are_those_of_katagos_own_code_under_every_superko_and_suicide_rule() -> None:
    """All but ladders, which the program reads by the exact rules: they differ in a few of these crowded positions."""
    features = Features(14)
    differ = positions = 0
    for found in vectors():
        passes = int(bool(found.moves) and found.moves[-1] == PASS)
        inputs = features.encode(found.board, found.komi, found.moves[-HISTORY:], passes)
        for number in range(22):
            if number not in LADDER_PLANES:
                assert (inputs.planes[:, number] == found.planes[:, number]).all(), (number, found)
        np.testing.assert_allclose(inputs.whole, found.whole, atol=1e-5, err_msg=str(found))
        positions += 1
        differ += not (inputs.planes[:, LADDER_PLANES] == found.planes[:, LADDER_PLANES]).all()
    assert positions == 240
    assert differ <= 17
