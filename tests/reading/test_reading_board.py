"""A reading board is a full copy: moves played on it do not affect the game's board."""

from __future__ import annotations

import pytest

from daoqi_tui.engine import BLACK, WHITE, Colour
from daoqi_tui.reading.ladder import ReadingBoard, read_ladder
from tests.analysis.pictures import bare_ladder, draw
from tests.engine.pictures import board_state


@pytest.mark.parametrize("to_move", [None, BLACK, WHITE])
def test_nothing_played_in_reading_reaches_the_game(to_move: Colour | None) -> None:
    board, named = draw(
        """
        .....
        .XO..
        XA.O.
        .XO..
        .....
        """
    )
    # Capture in a ko, so that the board has prisoners, earlier states and emptied points.
    board.play(board.torus.parse("C3"))
    board.play(named["A"])
    before = board_state(board)
    reading = ReadingBoard(board, to_move)
    reading.pass_turn()
    for point in board.torus.points_in(reading.legal_mask()):
        if reading.refusal(point) is None:
            reading.play(point)
    assert board_state(board) == before


@pytest.mark.parametrize("to_move", [BLACK, WHITE])
def test_reading_a_ladder_leaves_the_superko_set_alone(to_move: Colour) -> None:
    board, target = bare_ladder(9)
    before = dict(board.faced)
    read_ladder(board, target, to_move)
    assert dict(board.faced) == before


def test_reading_for_the_other_side_forbids_no_move_of_the_game() -> None:
    """A single-stone suicide leads to the same state as a pass, but nobody has passed."""
    board, named = draw(
        """
        .O...
        OAO..
        .O...
        .....
        .....
        """
    )
    ReadingBoard(board, WHITE)
    assert board.refusal(named["A"]) is None
