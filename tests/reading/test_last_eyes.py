"""The end of a game where nothing but eyes is left: the exact result, and who plays for it."""

from __future__ import annotations

import random
from functools import cache

import pytest

from daoqi_tui.ai import Position, Think
from daoqi_tui.ai.player import SearchPlayer
from daoqi_tui.ai.search.puct import Limits, PuctSearch
from daoqi_tui.engine import (
    BLACK,
    PASS,
    POSITIONAL,
    SIMPLE,
    WHITE,
    Board,
    Colour,
    Rules,
    area,
    torus_of,
)
from daoqi_tui.reading.status import best_move, final_margin, gain_of, spare_eyes
from tests.ai.test_puct import Counting
from tests.engine.pictures import board_of, colours_of, game_of

ONE = """
    X X X X O O O
    X . X X O . O
    X X X X O O O
    X . X X O . O
    X X X X O O O
    X . X X O O O
    X X X X O O O
"""
"""Black has 28 points and can spare one of three eyes, White has 21 and none."""

EVEN = """
    X X X X O O O
    X . X X O . O
    X X X X O O O
    X . X X O . O
    X X X X O O O
    X . X X O . O
    X X X X O O O
"""

SHARED = """
    X X X X O O O O
    X . X . X X X O
    X X O X X . X O
    O O O O X X X O
    O O O O O O O O
    O . O O . O O O
    O O O O O O O O
    O O O O O O O O
"""
"""Black's two chains live by the eye between them. It can be filled, since that joins them; the others cannot."""

BIG = """
    X X X X O O O
    X . X X O . O
    X X X X O O O
    X . X X O . .
    X X X X O O O
    X . X X O O O
    X X X X O O O
"""


@cache
def gain(mine: int, theirs: int, passed: bool, suicide: bool) -> int:
    """Return :func:`gain_of` from its definition, by trying all moves that give nothing away."""
    found = [-1 - (0 if passed else gain(theirs, mine, True, False))]
    if mine:
        found.append(-gain(theirs, mine - 1, False, True))
    if suicide:
        found.append(-gain(theirs, mine, False, False))
    return max(found)


def test_the_side_with_more_eyes_to_spare_gains_a_pass() -> None:
    for mine in range(25):
        for theirs in range(25):
            for passed, suicide in ((False, False), (False, True), (True, False)):
                found = gain_of(mine, theirs, passed=passed, suicide=suicide)
                assert found == gain(mine, theirs, passed, suicide), (mine, theirs, passed, suicide)


@pytest.mark.parametrize(
    ("picture", "black", "white"),
    [(ONE, 1, 0), (EVEN, 1, 1), (SHARED, 1, 0), (ONE.replace("X . X X O O O", "X X X X O O O"), 0, 0)],
)
def test_the_eyes_that_a_side_can_spare(picture: str, black: int, white: int) -> None:
    assert spare_eyes(board_of(picture)) == {BLACK: black, WHITE: white}


@pytest.mark.parametrize(
    "picture",
    [
        BIG,
        # A point beside both colours; a chain in atari; no stones of one colour; no stones.
        EVEN.replace("X X X X", "X X X .", 1),
        EVEN.replace("O . O", "O O O", 2),
        "X . X\nX X X\nX X .",
        ". . .\n. . .\n. . .",
    ],
)
def test_where_more_is_left_than_eyes_nothing_is_certain(picture: str) -> None:
    board = board_of(picture)
    assert spare_eyes(board) is None
    assert final_margin(board, 4, passed=False) is None
    assert best_move(board, 4, passed=False) is None


@pytest.mark.parametrize(
    "rules", [Rules(superko=POSITIONAL), Rules(superko=SIMPLE), Rules(suicide=False), Rules(pass_cost=2)]
)
def test_under_rules_without_a_free_suicide_or_with_costly_passes_nothing_is_certain(rules: Rules) -> None:
    board = Board(torus_of(7), rules)
    board.setup(colours_of(ONE), BLACK)
    assert spare_eyes(board) is not None
    assert final_margin(board, 4, passed=False) is None


def best_margin(board: Board, komi: float, passed: bool) -> float:
    """Return the final margin of best play by trying all moves on the board that leave nothing but eyes."""
    black = board.to_move == BLACK
    board.pass_turn()
    found = [area(board, komi).margin if passed else best_margin(board, komi, True)]
    board.undo()
    for point in board.torus.points_in(board.legal_mask()):
        board.play(point)
        if spare_eyes(board) is not None:
            found.append(best_margin(board, komi, False))
        board.undo()
    return max(found) if black else min(found)


@pytest.mark.parametrize("to_move", [BLACK, WHITE])
@pytest.mark.parametrize("picture", [ONE, EVEN, SHARED])
def test_the_exact_margin_is_that_of_all_moves_on_the_board(picture: str, to_move: Colour) -> None:
    """With the real superko: who may play a suicide, and for how long, is not assumed here."""
    board, seen = board_of(picture, to_move), set()

    def compare(passed: bool, left: int) -> None:
        margin = final_margin(board, 4, passed=passed)
        assert margin == best_margin(board, 4, passed), (str(board), passed)
        seen.add(margin)
        moves = (*board.torus.points_in(board.legal_mask()), *([] if passed else [PASS]))
        for move in moves if left else ():
            board.make(move)
            if spare_eyes(board) is not None:
                compare(move == PASS, left - 1)
            board.undo()

    compare(False, 3)
    assert len(seen) > 1


def spoiling(board: Board, rng: random.Random) -> int:
    """Return a random move that gives nothing away."""
    moves = [PASS]
    for point in board.torus.points_in(board.legal_mask()):
        board.play(point)
        if spare_eyes(board) is not None:
            moves.append(point)
        board.undo()
    return rng.choice(moves)


@pytest.mark.parametrize("komi", [5, 6, 7, 8, 9])
@pytest.mark.parametrize("computer", [BLACK, WHITE])
@pytest.mark.parametrize("picture", [ONE, EVEN])
def test_the_computer_gets_what_is_certain_against_any_moves(picture: str, computer: Colour, komi: float) -> None:
    for seed in range(6):
        game, rng, player = game_of(picture, BLACK, komi), random.Random(seed), SearchPlayer()
        certain = final_margin(game.board, komi, passed=False)
        assert certain is not None
        while not game.is_over:
            if game.to_move == computer:
                move = player.think(Think(Position.of(game), 1, seconds=600.0, seed=1)).move
            else:
                move = spoiling(game.board, rng)
            game.pass_turn() if move == PASS else game.play(move)
            assert game.node.number < 60, "the game does not end"
        assert game.result is not None
        expected = BLACK if certain > 0 else WHITE
        if expected == computer:
            assert game.result.winner == computer, (seed, str(game.result))


def test_only_a_suicide_wins_where_a_fill_would_spend_the_spare_eye() -> None:
    game = game_of(ONE, BLACK, 7)
    move = best_move(game.board, 7, passed=False)
    assert move is not None
    assert (move.margin, move.given_up) == (1, False)
    assert move.move in (board := game.board).torus.points_in(board.empty & board.torus.dilate(board.stones(WHITE)))
    answer = SearchPlayer().think(Think(Position.of(game), 10, seconds=600.0))
    assert (answer.move, answer.win, answer.hopeless) == (move.move, 1.0, False)
    # No time is spent on what is known.
    assert answer.visits < 100


def test_a_side_that_is_behind_does_not_fill_the_eyes_it_lives_by() -> None:
    # White has none to spare. A play would lose everything, two passes lose by a few points.
    for komi, hopeless in ((6, False), (1, True)):
        game = game_of(ONE, BLACK, komi)
        game.pass_turn()
        answer = SearchPlayer().think(Think(Position.of(game), 5, seconds=600.0, seed=1))
        assert (answer.move, answer.hopeless) == (PASS, hopeless)


def test_a_search_with_a_network_knows_the_result() -> None:
    for komi, wins in ((7, True), (8, False)):
        board = board_of(ONE)
        search = PuctSearch(board, komi, Counting())
        search.run(Limits(300))
        found = {move: search.root.win_rate(index) for index, move in enumerate(map(int, search.root.moves))}
        moves = [move for move, win in found.items() if win > 0.5]
        assert bool(moves) == wins, found
        assert all(board.torus.around[move] & board.stones(WHITE) for move in moves)
