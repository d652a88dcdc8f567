"""The geometry of the torus, and the names of its points."""

import sys
from collections import Counter
from itertools import product

import pytest

from daoqi_tui.engine import LARGEST, SMALLEST, STYLES, Game, Style, Torus, torus_of
from tests.every import every

ALL_SIZES = range(SMALLEST, LARGEST + 1)


@every("size", ALL_SIZES)
def test_every_point_has_its_wrapped_neighbours(size: int):
    torus = Torus(size)
    for row, column in product(range(size), repeat=2):
        point = row * size + column

        def at(down: int, right: int, row: int = row, column: int = column) -> int:
            return (row + down) % size * size + (column + right) % size

        straight = {at(-1, 0), at(1, 0), at(0, -1), at(0, 1)}
        assert sorted(torus.neighbours[point]) == sorted(straight)
        assert len(torus.neighbours[point]) == (2 if size == 2 else 4)


def test_a_larger_torus_takes_no_more_functions():
    def functions(size: int) -> int:
        calls: Counter[str] = Counter()
        sys.setprofile(lambda _frame, event, _given: calls.update([event]))
        Torus(size)
        sys.setprofile(None)
        return calls["call"]

    assert functions(19) == functions(5), "the first one is made before the first frame"


def test_on_size_2_each_neighbour_counts_once():
    assert [sorted(nearby) for nearby in Torus(2).neighbours] == [[1, 2], [0, 3], [0, 3], [1, 2]]


def test_a_ring_has_two_neighbours_a_point_and_none_of_itself():
    assert [sorted(nearby) for nearby in Torus(1, 4).neighbours] == [[1, 3], [0, 2], [1, 3], [0, 2]]
    assert [sorted(nearby) for nearby in Torus(4, 1).neighbours] == [[1, 3], [0, 2], [1, 3], [0, 2]]
    assert Torus(1, 2).neighbours == ((1,), (0,))


@every("torus", [Torus(2), Torus(3), Torus(1, 2), Torus(1, 5), Torus(5, 1), Torus(2, 3), Torus(16), Torus(25)], ids=str)
def test_dilation_is_the_union_of_neighbours(torus: Torus):
    for point in range(torus.points):
        assert torus.dilate(1 << point) == torus.mask(torus.neighbours[point])
    spread = torus.mask(range(0, torus.points, 3))
    assert torus.points_in(torus.dilate(spread)) == tuple(
        sorted({nearby for point in range(0, torus.points, 3) for nearby in torus.neighbours[point]})
    )


def test_shifts_offsets_and_distances_wrap():
    torus = Torus(5)
    assert torus.shift(0, -1, -1) == 24
    assert torus.shift(24, 6, 11) == 0
    assert torus.offset(0, 24) == (-1, -1)
    assert torus.offset(0, 12) == (2, 2)
    assert torus.offset(0, 13) == (2, -2)
    assert torus.distance(0, 24) == 2
    assert Torus(4).offset(0, 10) == (2, 2), "half way round counts as positive"
    for start, end in product(range(25), repeat=2):
        assert torus.shift(start, *torus.offset(start, end)) == end


@pytest.mark.parametrize(
    ("row", "column", "daoqi", "gtp", "sgf"),
    [
        (15, 0, "A1", "A1", "ap"),
        (0, 0, "A16", "A16", "aa"),
        (7, 7, "H9", "H9", "hh"),
        (7, 8, "I9", "J9", "ih"),
        (7, 10, "K9", "L9", "kh"),
        (0, 15, "P16", "Q16", "pa"),
    ],
)
def test_names_in_three_styles(row: int, column: int, daoqi: str, gtp: str, sgf: str):
    torus = Torus(16)
    point = torus.point(row, column)
    names: dict[Style, str] = {"daoqi": daoqi, "gtp": gtp, "sgf": sgf}
    for style, name in names.items():
        assert torus.name(point, style) == name
        assert torus.parse(name, style) == torus.parse(f" {name.lower()} ", style) == point
    assert torus.name(point) == daoqi


@every("style", STYLES)
@every("size", ALL_SIZES)
def test_every_name_leads_back_to_its_point(size: int, style: Style):
    torus = torus_of(size)
    names = [torus.name(point, style) for point in range(torus.points)]
    assert len(set(names)) == torus.points
    assert [torus.parse(name, style) for name in names] == list(range(torus.points))


def test_gtp_says_that_the_letter_i_is_skipped():
    with pytest.raises(ValueError, match="the letter I is skipped") as error:
        Torus(16).parse("I9", "gtp")
    assert "'I9' is not a point: a letter from A to Q and a number from 1 to 16" in str(error.value)
    with pytest.raises(ValueError, match=r"from A to H and a number from 1 to 8$"):
        Torus(8).parse("I3", "gtp")
    assert Torus(16).parse("I9") == Torus(16).parse("J9", "gtp")


@every("style", ["daoqi", "gtp"])
@every(
    "text",
    ["", " ", "A", "9", "A0", "A17", "Z1", "R1", "AA1", "A-1", "A1.0", "A001", "A0019", "A²", "A１", "ﬆ1", "pass"],
)
def test_what_is_no_name_is_refused_and_never_wraps(text: str, style: Style):
    with pytest.raises(ValueError, match="is not a point: a letter from A to"):
        Torus(16).parse(text, style)


@every("text", ["", "a", "aq", "qa", "aaa", "a1", "tt", "é a"])
def test_what_is_no_sgf_name_is_refused(text: str):
    with pytest.raises(ValueError, match="two letters from a to p"):
        Torus(16).parse(text, "sgf")


@pytest.mark.parametrize("text", [None, 5, 1.5, True, ("A", 1), b"A1"])
def test_a_name_is_text(text: object):
    with pytest.raises(TypeError, match="the name of a point is text"):
        Torus(16).parse(text)  # type: ignore[arg-type]


@pytest.mark.parametrize("point", [-1, 256, 10**9])
def test_only_points_on_the_board_have_names(point: int):
    with pytest.raises(ValueError, match="off the board: 0 to 255"):
        Torus(16).name(point)


@pytest.mark.parametrize("size", [0, 26, -3])
def test_a_torus_of_impossible_size_is_refused(size: int):
    with pytest.raises(ValueError, match="out of range"):
        Torus(size)
    with pytest.raises(ValueError, match="out of range"):
        Torus(5, size)


@pytest.mark.parametrize("size", ["9", 9.0, True, None, (9,)])
def test_a_torus_size_is_a_whole_number(size: object):
    torus_of(9), torus_of(1)
    for make in (Torus, torus_of):
        with pytest.raises(TypeError, match="whole number"):
            make(size)  # type: ignore[arg-type]


@every("size", ALL_SIZES)
def test_a_game_fits_every_size(size: int):
    game = Game(size)
    assert len(game.legal_points()) == size * size
    game.play(size * size - 1)
    assert game.chain_at(size * size - 1).liberties == tuple(sorted(game.torus.neighbours[-1]))  # type: ignore[union-attr]
