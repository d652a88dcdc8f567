"""Regression tests for the known faults of the 2022 reference listing, one test each."""

import pytest

from daoqi_tui.engine import BLACK, EMPTY, WHITE, Game, IllegalMove, Repeats, Torus
from tests.engine.pictures import game_of, game_state, points_of


def test_territory_is_counted():
    count = game_of("""
        X X X X X X
        X . . X . X
        X X X X X X
        O O O O O O
        O . . . . O
        O O O O O O
    """).area()
    assert (count.black.territory, count.white.territory, count.neutral) == (3, 4, 0)


def test_passes_cost_a_point_in_the_area_count():
    game = Game(5, komi=0)
    game.play(12)
    before = game.area().margin
    game.pass_turn()
    assert game.area().margin == before + 1
    game.pass_turn()
    assert game.area().margin == before
    assert (game.area().black.passes, game.area().white.passes) == (1, 1)


def test_repetition_is_found_whoever_played_wherever():
    # White's suicide repeats the starting state, which no earlier play by White, or at this point, produced.
    picture = """
        . . . . .
        . . X . .
        . X a X .
        . . X . .
        . . . . .
    """
    game = game_of(picture)
    eye = points_of(picture, "a")[0]
    game.pass_turn()
    assert game.refusal(eye) == Repeats(eye, move=0, to_move=BLACK)


def test_the_start_counts_as_faced():
    picture = """
        . . . . .
        . . O . .
        . O a O .
        . . O . .
        . . . . .
    """
    game = game_of(picture, WHITE)
    game.pass_turn()
    eye = points_of(picture, "a")[0]
    assert game.refusal(eye) == Repeats(eye, move=0, to_move=WHITE)


def test_repetition_is_forbidden_without_being_asked_for():
    game = game_of("""
        . X O . .
        X O . O .
        . X O . .
        . . . . .
        . . . . .
    """)
    game.play(7)
    with pytest.raises(IllegalMove):
        game.play(6)


def test_no_ko_remains_after_a_double_capture():
    # Black captures two single stones at once; White may then play at either point, since neither repeats a position.
    picture = """
        . X O X .
        X O a O X
        . X O X .
        . . . . .
        . . . . .
    """
    game = game_of(picture)
    assert game.play(7).captured == 2
    assert game.board.colours[6] == game.board.colours[8] == EMPTY
    assert game.refusal(6) is None
    assert game.refusal(8) is None


def test_history_holds_positions_that_differ():
    game = Game(5)
    nodes = [game.play(point) for point in (0, 1, 5, 12)]
    pictures = []
    for node in [game.root, *nodes]:
        game.goto(node)
        pictures.append(str(game.board))
    assert len(set(pictures)) == 5
    assert pictures[0] == "\n".join(["....."] * 5)
    assert pictures[1] == "\n".join(["X....", *["....."] * 4])


@pytest.mark.parametrize("point", [-1, 25, 26, -25, 1000])
def test_points_off_the_board_neither_wrap_nor_half_apply(point: int):
    game = Game(5)
    game.play(0)
    before = game_state(game)
    with pytest.raises(ValueError, match=f"point {point} is off the board: 0 to 24"):
        game.play(point)
    assert game_state(game) == before


def test_no_move_is_accepted_after_the_end():
    game = Game(5)
    game.pass_turn()
    game.pass_turn()
    before = game_state(game)
    with pytest.raises(IllegalMove, match="the game is over; resume it to play on"):
        game.play(3)
    with pytest.raises(IllegalMove):
        game.pass_turn()
    assert game_state(game) == before


def test_a_name_belongs_to_a_point_and_not_to_a_place_on_the_screen():
    # Panning the view by (3, 5) moves other points to the same screen positions; each keeps its name.
    torus = Torus(16)
    names = {point: torus.name(point) for point in range(torus.points)}
    panned = [torus.shift(place, 3, 5) for place in range(torus.points)]
    assert {point: torus.name(point) for point in panned} == names
    assert torus.name(panned[0]) == "F13"


@pytest.mark.parametrize("style", ["daoqi", "gtp", "sgf"])
def test_an_empty_line_names_no_point_and_never_passes(style: str):
    for line in ("", " ", "\n"):
        with pytest.raises(ValueError, match="is not a point"):
            Torus(16).parse(line, style)  # type: ignore[arg-type]


def test_white_wins_a_tie():
    game = Game(5, komi=0)
    assert game.area().winner == WHITE
