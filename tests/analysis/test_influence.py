import pytest

from daoqi_tui.analysis.influence import estimate, influence
from daoqi_tui.engine import BLACK, WHITE, Board, area, torus_of
from daoqi_tui.reading.symmetry import Symmetry
from tests.analysis.pictures import draw

SETTLED = """
    .X.XO.OX
    XXXXOOOX
    .X.XO.OX
    XXXXOOOX
    .X.XO..X
    XXXXOOOX
    .X.XO.OX
    XXXXOOOX
    """


def test_a_settled_board_is_counted_as_area():
    board, _ = draw(SETTLED)
    count, guess = area(board, 4), estimate(board, 4)
    assert guess.area == count


def test_two_facing_walls_own_what_lies_between_the_walls_of_one_colour():
    board, _ = draw(
        """
        .X...X..O...O...
        .X...X..O...O...
        .X...X..O...O...
        .X...X..O...O...
        .X...X..O...O...
        .X...X..O...O...
        .X...X..O...O...
        .X...X..O...O...
        .X...X..O...O...
        .X...X..O...O...
        .X...X..O...O...
        .X...X..O...O...
        .X...X..O...O...
        .X...X..O...O...
        .X...X..O...O...
        .X...X..O...O...
        """
    )
    guess = estimate(board, 0)
    assert guess.area.owners[:16] == bytes([0, 1, 1, 1, 1, 1, 0, 0, 2, 2, 2, 2, 2, 0, 0, 0])
    assert area(board, 0).owners[:16] == guess.area.owners[:16]


def test_an_open_moyo_is_owned_though_area_gives_it_to_nobody():
    board, _ = draw(
        """
        ................
        .XXXXXX.........
        .X....X.........
        .X....X.........
        .X....X.........
        .XX.XXX.........
        ................
        ................
        ................
        .........OOOOOO.
        .........O....O.
        .........O....O.
        .........O....O.
        .........OO.OOO.
        ................
        ................
        """
    )
    inside = board.torus.point(3, 3)
    assert area(board, 0).owners[inside] == 0
    guess = estimate(board, 0)
    assert guess.area.owners[inside] == BLACK
    assert guess.area.owners[board.torus.point(11, 11)] == WHITE
    assert guess.strength[inside] > 0 > guess.strength[board.torus.point(11, 11)]
    assert guess.area.margin == guess.area.black.total - guess.area.white.total


def test_colours_exchanged_exchange_the_estimate():
    board, _ = draw(SETTLED)
    swapped, _ = draw(SETTLED.translate(str.maketrans("XO", "OX")))
    assert (influence(swapped) == -influence(board)).all()


@pytest.mark.parametrize("index", [1, 77, 300, 511])
def test_the_estimate_has_no_edge(index: int):
    board = Board(torus_of(8))
    symmetry = Symmetry.from_index(8, index)
    image = Board(torus_of(8))
    for point in (3, 17, 30, 31, 44, 60):
        board.play(point)
        image.play(symmetry.point(point))
    strength, turned = estimate(board, 4).strength, estimate(image, 4).strength
    assert [turned[symmetry.point(point)] for point in range(64)] == list(strength)


def test_the_empty_board_is_nobodys_and_passes_are_charged():
    board = Board(torus_of(9))
    board.pass_turn()
    guess = estimate(board, 4)
    assert (guess.area.neutral, set(guess.strength)) == (81, {0.0})
    assert guess.area.margin == -5


def test_stones_are_never_eroded():
    board, _ = draw(
        """
        .......
        ..O....
        .OXO...
        .......
        .......
        .......
        .......
        """
    )
    values = influence(board)
    assert values[2, 2] > 0 > max(values[1, 2], values[2, 1], values[2, 3])
    strength = estimate(board, 0).strength
    assert (strength[2 * 7 + 2], strength[1 * 7 + 2]) == (1, -1)
    assert all(-1 <= value <= 1 for value in strength)
