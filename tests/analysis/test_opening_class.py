import pytest

from daoqi_tui.analysis.opening import (
    class_count,
    find_opening,
    opening_class,
    opening_classes,
    opening_name,
    opening_of,
)
from daoqi_tui.engine import PASS, WHITE, Game, torus_of
from daoqi_tui.reading.symmetry import BoardPosition, Symmetry
from tests.every import every


def test_classes_are_numbered_from_the_nearest_outwards():
    classes = list(opening_classes(16))
    assert [kind.number for kind in classes] == list(range(1, 45))
    assert [kind.displacement for kind in classes[:5]] == [(0, 1), (1, 1), (0, 2), (1, 2), (2, 2)]
    assert classes[-1].displacement == (8, 8)


@every("size", range(2, 26))
def test_every_second_move_has_a_class_and_every_class_a_second_move(size: int):
    first = size + 1
    found = {find_opening(size, (first, second)).kind for second in range(size * size) if second != first}
    assert found == set(opening_classes(size))
    assert len(found) == class_count(size)


@pytest.mark.parametrize("number", [0, 45])
def test_a_class_that_does_not_exist_is_refused(number: int):
    with pytest.raises(ValueError, match=f"opening {number} does not exist: 1 to 44 on size 16"):
        opening_class(16, number)


def test_an_opening_in_standard_form():
    torus = torus_of(16)
    moves = (torus.point(12, 3), torus.point(9, 13), torus.point(0, 0))
    opening = find_opening(16, moves)
    assert opening.kind is not None
    assert opening.kind.displacement == (3, 6)
    assert opening.symmetry.points(moves) == opening.moves
    answer = opening.as_dict()
    assert answer["class"] == 6 * 7 // 2 + 3
    assert answer["standard"][:2] == [[0, 0], [3, 6]]
    assert Symmetry(16, **answer["symmetry"]) == opening.symmetry


def test_a_game_without_two_plays_on_the_empty_board_has_no_class():
    assert find_opening(16, ()).kind is None
    assert find_opening(16, (5,)).kind is None
    assert find_opening(16, (5, PASS)).kind is None
    assert find_opening(16, (5, PASS)).as_dict()["standard"] == [[0, 0], None]
    assert find_opening(16, (5, 6), BoardPosition(16, to_move=WHITE)).kind is None
    assert opening_of(Game(16, handicap=2)).kind is None


def test_setup_and_the_cursor_of_a_game_count():
    game = Game(9)
    game.setup(black=[40], to_move=WHITE)
    game.setup(empty=[40], to_move=1)
    for point in (40, 42, 60):
        game.play(point)
    game.undo()
    opening = opening_of(game)
    assert opening.kind is not None
    assert opening.kind.displacement == (0, 2)
    assert len(opening.moves) == 2
    game.setup(black=[3])
    game.play(4)
    assert len(opening_of(game).moves) == 2


@every("size", range(2, 26))
def test_names_are_all_different_and_end_with_the_displacement(size: int):
    names = [kind.name for kind in opening_classes(size)]
    assert len({name.english for name in names}) == len({name.chinese for name in names}) == class_count(size)
    for kind in opening_classes(size):
        x, y = kind.displacement
        assert kind.name.english.endswith(f", ({x},{y})")
        assert kind.name.chinese.endswith(f"({x},{y})")


@every(
    ("size", "displacement", "english", "chinese"),
    [
        (16, (1, 2), "knight's move, (1,2)", "小飞(1,2)"),
        (16, (0, 7), "six-space jump, (0,7)", "六间跳(0,7)"),
        (16, (3, 5), "four-space jump, 3 aside, (3,5)", "四间跳偏三路(3,5)"),
        (16, (2, 3), "two-space jump, 2 aside, (2,3)", "二间跳偏两路(2,3)"),
        (16, (4, 4), "three-space diagonal jump, (4,4)", "斜三间跳(4,4)"),
        (16, (3, 8), "half way round, 3 aside, (3,8)", "半周偏三路(3,8)"),
        (16, (0, 8), "half way round on a line, (0,8)", "直线半周(0,8)"),
        (17, (8, 8), "seven-space diagonal jump, (8,8)", "斜七间跳(8,8)"),
        (25, (1, 12), "11-space jump, 1 aside, (1,12)", "11间跳偏一路(1,12)"),
    ],
)
def test_names(size: int, displacement: tuple[int, int], english: str, chinese: str):
    name = opening_name(size, displacement)
    assert (name.english, name.chinese) == (english, chinese)


@pytest.mark.parametrize("displacement", [(2, 1), (0, 0), (0, 9), (-1, 3)])
def test_a_displacement_out_of_standard_form_is_refused(displacement: tuple[int, int]):
    with pytest.raises(ValueError, match="is no standard displacement"):
        opening_name(16, displacement)
