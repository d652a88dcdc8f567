import pytest
from hypothesis import given
from hypothesis import strategies as st

from daoqi_tui.analysis.opening import opening_classes
from daoqi_tui.engine import BLACK, PASS, WHITE, Board, torus_of
from daoqi_tui.reading.symmetry import BoardPosition, Symmetry, canonical_moves, canonical_position


def symmetry_of(size: int) -> st.SearchStrategy[Symmetry]:
    return st.integers(0, 8 * size * size - 1).map(lambda index: Symmetry.from_index(size, index))


def moved(position: BoardPosition, symmetry: Symmetry) -> BoardPosition:
    return BoardPosition(position.size, symmetry.mask(position.black), symmetry.mask(position.white), position.to_move)


@st.composite
def positions(draw: st.DrawFn) -> BoardPosition:
    size = draw(st.sampled_from((2, 3, 4, 9, 16, 19)))
    stones = draw(st.dictionaries(st.integers(0, size * size - 1), st.sampled_from((BLACK, WHITE)), max_size=40))
    torus = torus_of(size)
    black, white = (torus.mask(point for point in stones if stones[point] == colour) for colour in (BLACK, WHITE))
    return BoardPosition(size, black, white, draw(st.sampled_from((BLACK, WHITE))))


@given(positions(), st.data())
def test_equivalent_positions_have_one_canonical_image(position: BoardPosition, data: st.DataObject):
    symmetry = data.draw(symmetry_of(position.size))
    form = canonical_position(position)
    assert canonical_position(moved(position, symmetry)).position == form.position
    assert all(moved(position, Symmetry.from_index(position.size, index)) == form.position for index in form.indices)


@pytest.mark.parametrize("size", [2, 3])
def test_canonical_images_are_equal_for_equivalent_positions_only(size: int):
    """Compares all colourings of a tiny board with the classes found by applying all symmetries."""
    count = size * size
    every = [(black, white) for black in range(1 << count) for white in range(1 << count) if not black & white]
    group = {
        tuple(symmetry.points(range(count))): symmetry
        for symmetry in (Symmetry.from_index(size, index) for index in range(8 * size * size))
    }
    seen: dict[tuple[int, int], int] = {}
    classes = 0
    for black, white in every:
        if (black, white) not in seen:
            classes += 1
            for symmetry in group.values():
                seen[symmetry.mask(black), symmetry.mask(white)] = classes
    forms = {stones: canonical_position(BoardPosition(size, *stones)).position for stones in every}
    assert len(set(forms.values())) == classes
    assert len({(seen[stones], forms[stones]) for stones in every}) == classes


def test_the_side_to_move_is_part_of_a_position():
    black, white = (canonical_position(BoardPosition(9, 1, 2, colour)).position for colour in (BLACK, WHITE))
    assert black != white
    board = Board(torus_of(9))
    board.play(44)
    assert canonical_position(board).position == BoardPosition(9, 1, 0, WHITE)


def test_moves_that_a_symmetry_of_the_position_exchanges_count_as_one():
    torus = torus_of(9)
    form = canonical_position(BoardPosition(9, torus.mask([torus.point(4, 4)]), to_move=WHITE))
    assert len(form.indices) == 8
    knights = [torus.point(4 + down, 4 + right) for down in (-2, -1, 1, 2) for right in (-2, -1, 1, 2)]
    knights = [point for point in knights if torus.distance(point, torus.point(4, 4)) == 3]
    assert len({form.move(point) for point in knights}) == 1
    assert form.back(form.move(knights[0])) == tuple(sorted(knights))
    assert (form.move(PASS), form.back(PASS)) == (PASS, (PASS,))


@given(st.data())
def test_equivalent_games_have_one_canonical_sequence(data: st.DataObject):
    size = data.draw(st.sampled_from((2, 5, 16)))
    move = st.integers(-1, size * size - 1)
    moves = data.draw(st.lists(move, max_size=8))
    symmetry = data.draw(symmetry_of(size))
    form = canonical_moves(size, moves)
    assert canonical_moves(size, symmetry.points(moves)).moves == form.moves
    assert all(Symmetry.from_index(size, index).points(moves) == form.moves for index in form.indices)


@pytest.mark.parametrize(("size", "classes"), [(9, 14), (11, 20), (13, 27), (16, 44), (19, 54)])
def test_the_second_move_has_this_many_classes(size: int, classes: int):
    first = torus_of(size).point(3, 5)
    forms: dict[tuple[int, ...], int] = {}
    for second in range(size * size):
        if second != first:
            moves = canonical_moves(size, (first, second)).moves
            forms[moves] = forms.get(moves, 0) + 1
            row, column = divmod(moves[1], size)
            assert moves[0] == 0
            assert 0 <= column <= row <= size / 2
    assert len(forms) == classes
    if size == 16:
        assert sorted(forms.values()) == [1, 2] + 21 * [4] + 21 * [8]


def test_there_are_8382_openings_of_three_moves():
    forms = set()
    for kind in opening_classes(16):
        first, second = kind.points(16)
        forms |= {canonical_moves(16, (first, second, third)).moves for third in range(256)} - {(first, second, first)}
        forms -= {(first, second, second)}
    assert len(forms) == 8382


def test_there_are_4265_sets_of_two_black_stones_and_a_white_one():
    forms = set()
    for kind in opening_classes(16):
        first, third = kind.points(16)
        for second in range(256):
            if second not in (first, third):
                forms.add(canonical_position(BoardPosition(16, 1 << first | 1 << third, 1 << second, WHITE)).position)
    assert len(forms) == 4265


def test_moves_after_setup_use_what_symmetry_the_stones_leave():
    torus = torus_of(9)
    start = BoardPosition(9, torus.mask((torus.point(2, 2), torus.point(2, 6))), to_move=WHITE)
    left, right = (canonical_moves(9, (torus.point(4, column),), start) for column in (3, 5))
    assert left.start == right.start
    assert left.moves == right.moves
    other = canonical_moves(9, (torus.point(4, 2),), start)
    assert other.moves != left.moves


def test_a_move_off_the_board_is_refused():
    with pytest.raises(ValueError, match="move 81 is off the board: 0 to 80, or -1 for a pass"):
        canonical_moves(9, (3, 81))


def test_an_oblong_board_has_other_symmetries():
    with pytest.raises(ValueError, match="square"):
        canonical_position(Board(torus_of(2, 3)))
