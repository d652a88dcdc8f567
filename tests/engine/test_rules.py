"""Rules 2 to 7, each on a small board, and the published counts of legal positions."""

from itertools import product

import pytest

from daoqi_tui.engine import BLACK, EMPTY, WHITE, Board, Game, IllegalMove, Occupied, Repeats, Torus, TwoPasses
from tests.engine.pictures import drawn, game_of, points_of


def test_black_first_then_alternately():
    game = Game(5)
    colours = [game.play(point).move.colour for point in (0, 1, 2)]  # type: ignore[union-attr]
    assert colours == [BLACK, WHITE, BLACK]
    assert game.to_move == WHITE


def test_a_capture_across_both_seams():
    picture = """
        O X . . X
        X . . . .
        . . . . .
        . . . . .
        a . . . .
    """
    game = game_of(picture)
    node = game.play(points_of(picture, "a")[0])
    assert str(game.board) == drawn("""
        . X . . X
        X . . . .
        . . . . .
        . . . . .
        X . . . .
    """)
    assert (node.captured, node.lost) == (1, 0)
    assert game.board.captured == [0, 1, 0]


def test_the_opponent_is_captured_before_own_chain_is_looked_at():
    picture = """
        . X O . .
        X O a O .
        . X O . .
        . . . . .
        . . . . .
    """
    game = game_of(picture)
    node = game.play(points_of(picture, "a")[0])
    assert (node.captured, node.lost) == (1, 0)
    chain = game.chain_at(7)
    assert chain is not None
    assert chain.liberties == (6,)


def test_one_play_captures_several_chains():
    picture = """
        . X . X .
        X O a O X
        . X O X .
        . . X . .
        . . . . .
    """
    game = game_of(picture)
    assert game.play(points_of(picture, "a")[0]).captured == 3
    assert game.board.captured == [0, 3, 0]
    assert game.board.stones(WHITE) == 0


def test_suicide_of_several_stones_gives_prisoners_to_the_opponent():
    picture = """
        . O O . .
        O X a O .
        . O O . .
        . . . . .
        . . . . .
    """
    game = game_of(picture)
    node = game.play(points_of(picture, "a")[0])
    assert (node.captured, node.lost) == (0, 2)
    assert game.board.suicided == [0, 2, 0]
    assert game.board.captured == [0, 0, 0]
    assert game.board.stones(BLACK) == 0
    assert game.to_move == WHITE


def test_a_play_that_fills_the_board_is_suicide_of_everything():
    game = game_of("""
        X X
        X .
    """)
    assert game.play(3).lost == 4
    assert str(game.board) == "..\n.."


def test_one_stone_suicide_is_legal_once_and_the_answer_in_kind_is_not():
    picture = """
        . X . . .
        X b X . .
        . X O . O
        . . . O a
        . O . . O
    """
    # White's eye at `a` wraps across the seam to column 0, so one more stone closes it.
    game = game_of(picture.replace(". . . O a", "O . . O a"))
    white_eye, black_eye = points_of(picture, "a")[0], points_of(picture, "b")[0]
    assert game.play(white_eye).lost == 1
    refusal = game.refusal(black_eye)
    assert refusal == Repeats(black_eye, move=0, to_move=BLACK)
    with pytest.raises(IllegalMove) as error:
        game.play(black_eye)
    assert error.value.refusal == refusal
    assert str(error.value) == "the move would repeat the position after move 0 with Black to move; play elsewhere"


def test_ordinary_ko_and_its_number():
    picture = """
        . X O . .
        X a . O .
        . X O . .
        . . . . .
        . . . . .
    """
    game = game_of(picture.replace("a", "O"), BLACK)
    ko, stone = 6, 7
    game.play(stone)
    assert game.board.colours[ko] == EMPTY
    assert game.refusal(ko) == Repeats(ko, move=0, to_move=BLACK)
    assert ko not in game.legal_points()
    game.play(18)
    game.play(19)
    assert game.refusal(ko) is None, "two moves elsewhere made the board another"


def test_a_state_faced_through_a_pass_counts_and_is_numbered():
    # Black's suicide would recreate the state after Black's pass: the same board with White to move.
    picture = """
        . . . . .
        . . O . .
        . O a O .
        . . O . .
        . . . . .
    """
    game = game_of(picture)
    eye = points_of(picture, "a")[0]
    game.pass_turn()
    game.pass_turn()
    game.resume()
    assert game.refusal(eye) == Repeats(eye, move=1, to_move=WHITE)


def test_the_same_board_with_the_other_side_to_move_is_another_state():
    picture = """
        . . . . .
        . O O . .
        O a b O .
        . O O . .
        . . . . .
    """
    game = game_of(picture)
    first, second = points_of(picture, "a")[0], points_of(picture, "b")[0]
    game.play(first)
    game.pass_turn()
    assert game.play(second).lost == 2
    assert game.to_move == WHITE
    assert game.refusal(12) is None


def test_a_pass_is_always_legal_even_when_it_repeats():
    game = Game(3)
    for _ in range(6):
        game.pass_turn()
        if game.is_over:
            game.resume()
    assert game.board.passes == [0, 3, 3]
    assert game.board.faced[game.board.key] == 0, "the first time a state was faced is kept"


def test_a_suicide_between_two_passes_keeps_the_game_on():
    picture = """
        . . . . .
        . O O . .
        O X a O .
        . O O . .
        . . . . .
    """
    game = game_of(picture, WHITE)
    game.pass_turn()
    assert game.play(points_of(picture, "a")[0]).lost == 2
    game.pass_turn()
    assert not game.is_over
    game.pass_turn()
    assert game.ending == TwoPasses()


def test_an_occupied_point_is_refused():
    game = Game(5)
    game.play(3)
    assert game.refusal(3) == Occupied(3)
    with pytest.raises(IllegalMove, match="that point is occupied"):
        game.play(3)


def test_setup_is_a_start_of_its_own():
    picture = """
        . X O . .
        X O . O .
        . X O . .
        . . . . .
        . . . . .
    """
    game = game_of(picture)
    game.play(7)
    # A setup after the capture starts a new history, so the ko may be retaken at once.
    game.setup(black=[24])
    assert game.refusal(6) is None
    assert game.board.faced == {game.board.key: 1}


def test_chain_at_gives_stones_and_exact_liberties():
    game = game_of("""
        X X . . X
        . O . . .
        . . . . .
        . . . . .
        . . . . .
    """)
    chain = game.chain_at(0)
    assert chain is not None
    assert chain.stones == (0, 1, 4)
    assert chain.liberties == (2, 3, 5, 9, 20, 21, 24)
    assert game.chain_at(12) is None


@pytest.mark.parametrize(
    ("rows", "columns", "count"),
    [(2, 2, 57), (2, 3, 593), (3, 2, 593), (3, 3, 17767)]
    + [(1, n, count) for n, count in zip(range(3, 10), (19, 57, 161, 449, 1247, 3457, 9577), strict=True)],
)
def test_published_numbers_of_legal_positions(rows: int, columns: int, count: int):
    board = Board(Torus(rows, columns))
    legal = 0
    for colours in product((EMPTY, BLACK, WHITE), repeat=rows * columns):
        try:
            board.setup(list(colours), BLACK)
        except ValueError:
            continue
        legal += 1
    assert legal == count


@pytest.mark.parametrize("size", [3, 4, 5])
def test_every_game_reaches_only_legal_positions_and_loses_nobody(size: int):
    """After every play, the stones on the board plus the prisoners equal the number of plays."""
    game, plays = Game(size), 0
    while plays < 300 and (legal := game.legal_points()):
        game.play(legal[(7 * plays + 3) % len(legal)])
        plays += 1
        board = game.board
        standing = (board.stones(BLACK) | board.stones(WHITE)).bit_count()
        assert plays == standing + sum(board.captured) + sum(board.suicided)
        for point, colour in enumerate(board.colours):
            assert not colour or board.chain_at(point).liberties  # type: ignore[union-attr]
    assert plays > 15
