"""How games end, how they are scored, and the results that are recorded."""

import pytest

from daoqi_tui.engine import BLACK, EMPTY, WHITE, Game, OutOfTime, Repeats, Resignation, TwoPasses, points_text
from tests.engine.pictures import game_of, game_state, points_of

SETTLED = """
    X X X X X X
    X . . X . X
    X X X X X X
    O O O O O O
    O . X . . O
    O O O O O O
"""


def passed_out(game: Game) -> Game:
    game.pass_turn()
    game.pass_turn()
    return game


def test_the_breakdown_of_the_area():
    game = game_of(SETTLED, komi=6.75)
    count = game.area()
    assert (count.black.stones, count.black.territory, count.black.passes, count.black.komi) == (16, 3, 0, 0)
    assert (count.white.stones, count.white.territory, count.white.passes, count.white.komi) == (14, 0, 0, 6.75)
    assert count.neutral == 3
    assert (count.black.total, count.white.total, count.margin) == (19, 20.75, -1.75)
    assert (count.player(BLACK), count.player(WHITE)) == (count.black, count.white)
    assert count.winner == WHITE
    assert not count.tie
    assert str(count) == "White wins by 1.75"
    owners = [BLACK] * 18 + [WHITE] * 7 + [EMPTY, BLACK, EMPTY, EMPTY] + [WHITE] * 7
    assert list(count.owners) == owners


def test_each_pass_costs_a_point_and_two_end_the_game():
    game = game_of(SETTLED, komi=0)
    game.pass_turn()
    assert not game.is_over
    assert game.result is None
    assert game.ending is None
    game.pass_turn()
    assert game.ending == TwoPasses()
    assert (game.area().black.passes, game.area().white.passes) == (1, 1)
    assert str(game.result) == "B+5"


def test_the_empty_board_counts_for_nobody_and_komi_decides():
    game = passed_out(Game(16))
    assert game.area().neutral == 256
    assert str(game.result) == "W+4"


@pytest.mark.parametrize("komi", [0, 0.0, -0.0])
def test_white_wins_a_tie_and_says_so(komi: float):
    game = passed_out(Game(9, komi))
    assert game.area().tie
    assert game.area().winner == WHITE
    assert str(game.area()) == "White wins by 0 (equal totals: White wins a tie)"
    assert str(game.result) == "W+0"
    assert game.result is not None
    assert (game.result.winner, game.result.margin) == (WHITE, 0)


@pytest.mark.parametrize(
    ("komi", "result"),
    [(80.75, "B+0.25"), (81, "W+0"), (81.25, "W+0.25"), (0.5, "B+80.5"), (-3.75, "B+84.75"), (1000, "W+919")],
)
def test_komi_in_halves_and_quarters_is_exact(komi: float, result: str):
    game = Game(9, komi)
    game.play(40)
    passed_out(game)
    assert game.area().margin == 81 - komi
    assert str(game.result) == result


@pytest.mark.parametrize(
    ("points", "text"),
    [
        (4, "4"),
        (4.0, "4"),
        (3.75, "3.75"),
        (-0.5, "-0.5"),
        (100, "100"),
        (0, "0"),
        (10.5, "10.5"),
        (-0.0, "0"),
        (-0.00001, "0"),
        (-0.00006, "-0.0001"),
    ],
)
def test_points_are_written_without_needless_zeros(points: float, text: str):
    assert points_text(points) == text


def test_resignation_of_the_side_to_move_or_of_either():
    game = Game(9)
    game.resign()
    assert game.ending == Resignation(BLACK)
    assert str(game.result) == "W+R"
    game.resume()
    assert not game.is_over
    game.play(3)
    game.resign(BLACK)
    assert str(game.result) == "W+R"
    game.resume()
    game.resign()
    assert str(game.result) == "B+R"
    assert game.result is not None
    assert game.result.margin is None


def test_loss_on_time():
    game = Game(9)
    game.play(3)
    game.lose_on_time()
    assert game.ending == OutOfTime(WHITE)
    assert str(game.result) == "B+T"
    game.resume()
    game.lose_on_time(BLACK)
    assert str(game.result) == "W+T"


def test_play_resumes_after_two_passes_and_two_new_passes_end_it():
    game = Game(5)
    game.play(0)
    passed_out(game)
    game.resume()
    assert not game.is_over
    assert game.to_move == WHITE
    game.play(6)
    game.pass_turn()
    assert not game.is_over
    game.pass_turn()
    assert game.is_over
    assert game.area().black.passes + game.area().white.passes == 4


def test_after_resuming_one_pass_does_not_end_the_game_again():
    game = passed_out(Game(5))
    game.resume()
    game.pass_turn()
    assert not game.is_over
    game.pass_turn()
    assert game.is_over
    game.resume()
    game.pass_turn()
    assert not game.is_over


def test_a_resumption_stays_with_its_node():
    game = passed_out(Game(5))
    second = game.node
    game.resume()
    game.play(0)
    game.undo()
    assert game.node is second
    assert not game.is_over
    game.undo()
    game.redo()
    assert not game.is_over


def test_states_before_two_passes_are_still_faced_after_resuming():
    picture = """
        . X O . .
        X O . O .
        . X O . .
        . . . . .
        . . . . .
    """
    game = game_of(picture)
    game.play(7)
    passed_out(game)
    game.resume()
    # After two passes it is White's turn again, so the ko may still not be retaken.
    assert game.refusal(6) == Repeats(6, move=0, to_move=BLACK)


def test_what_stands_counts_until_the_players_agree_it_is_dead():
    game = passed_out(game_of(SETTLED, komi=0))
    stone = points_of(SETTLED, "X")[-1]
    assert str(game.result) == "B+5"
    game.agree_dead([stone])
    assert game.ending == TwoPasses(frozenset({stone}))
    count = game.area({stone})
    assert (count.white.territory, count.neutral) == (4, 0)
    assert (count.black.stones, count.black.territory) == (15, 3)
    assert game.result is not None
    assert (game.result.winner, game.result.margin) == (WHITE, 0)
    assert game.board.colours[stone] == BLACK, "the board is left as it stands"
    game.agree_dead([])
    assert game.ending == TwoPasses()
    assert str(game.result) == "B+5"


def test_one_stone_names_its_whole_chain_dead():
    game = passed_out(
        game_of("""
        . . . . .
        . X X . .
        . . X . .
        . . . . .
        O . . . .
    """)
    )
    assert game.dead == frozenset()
    game.agree_dead([12])
    assert game.ending == TwoPasses(frozenset({6, 7, 12}))
    assert game.dead == {6, 7, 12}
    assert game.area({6, 7, 12}).white.territory == 24


def test_resuming_forgets_what_was_agreed():
    game = passed_out(game_of(SETTLED))
    game.agree_dead([0])
    game.resume()
    assert game.ending is None
    assert game.dead == frozenset()
    passed_out(game)
    assert game.ending == TwoPasses()


def test_looking_changes_nothing():
    game = passed_out(game_of(SETTLED))
    before = game_state(game)
    assert game.area({0}) != game.area()
    assert game.area() == game.area()
    assert game.refusal(25) is not None
    assert game.legal_points() == ()
    assert game.result == game.result
    assert len(game.moves()) == 2
    assert game_state(game) == before


@pytest.mark.parametrize(("komi", "words"), [(-4.5, "-4.5"), (-0.0, "0"), (0, "0"), (4, "4")])
def test_black_has_no_komi_whatever_white_has(komi: float, words: str) -> None:
    game = Game(5, komi)
    assert (points_text(game.area().black.komi), points_text(game.area().white.komi)) == ("0", words)
    assert f"{game.komi:g}" == words
