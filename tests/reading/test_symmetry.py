import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from daoqi_tui.engine import PASS, torus_of
from daoqi_tui.reading.symmetry import Symmetry, images


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Symmetry, Symmetry, int]:
    """Draw two symmetries of the same size and a point."""
    size = draw(st.integers(2, 25))
    index = st.integers(0, 8 * size * size - 1)
    first, second = (Symmetry.from_index(size, draw(index)) for _ in range(2))
    return first, second, draw(st.integers(0, size * size - 1))


@given(pairs())
def test_composing_is_doing_one_after_the_other(case: tuple[Symmetry, Symmetry, int]):
    first, second, point = case
    assert (second @ first).point(point) == second.point(first.point(point))


@given(pairs())
def test_the_inverse_undoes(case: tuple[Symmetry, Symmetry, int]):
    symmetry, _, point = case
    assert symmetry.inverse.point(symmetry.point(point)) == point
    assert symmetry @ symmetry.inverse == symmetry.inverse @ symmetry == Symmetry(symmetry.size)


@given(pairs())
def test_neighbours_stay_neighbours(case: tuple[Symmetry, Symmetry, int]):
    symmetry, _, point = case
    torus = torus_of(symmetry.size)
    assert symmetry.mask(torus.around[point]) == torus.around[symmetry.point(point)]


@given(pairs())
def test_an_index_says_the_same(case: tuple[Symmetry, Symmetry, int]):
    symmetry, _, point = case
    assert Symmetry.from_index(symmetry.size, symmetry.index) == symmetry
    assert images(symmetry.size, [symmetry.index], point) == [symmetry.point(point)]


@pytest.mark.parametrize("size", [3, 5, 16])
def test_all_symmetries_differ(size: int):
    every = [Symmetry.from_index(size, index) for index in range(8 * size * size)]
    assert len(set(every)) == 8 * size * size
    # Two that do the same with these three points are the same.
    assert len({symmetry.points((0, 1, size)) for symmetry in every}) == 8 * size * size


def test_a_quarter_turn_is_clockwise_and_shifts_go_down_and_right():
    values = np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9]], dtype=np.uint8)

    def image(symmetry: Symmetry) -> list[list[int]]:
        moved = np.zeros(9, np.uint8)
        moved[list(symmetry.points(range(9)))] = values.ravel()
        return moved.reshape(3, 3).tolist()

    assert image(Symmetry(3, down=1)) == [[7, 8, 9], [1, 2, 3], [4, 5, 6]]
    assert image(Symmetry(3, right=1)) == [[3, 1, 2], [6, 4, 5], [9, 7, 8]]
    assert image(Symmetry(3, transposed=True)) == values.T.tolist()
    # Turns are about the top left point (0, 0); the shift by 2 (-1 modulo 3) moves the turned picture back.
    assert image(Symmetry(3, turns=1, right=2)) == np.rot90(values, -1).tolist()


def test_a_pass_stays_a_pass_and_lists_keep_their_order():
    symmetry = Symmetry(5, down=1)
    assert symmetry.points((3, PASS, 0)) == (8, PASS, 5)


@pytest.mark.parametrize("wrong", [{"turns": 4}, {"down": 5}, {"right": -1}])
def test_a_symmetry_out_of_range_is_refused(wrong: dict[str, int]):
    with pytest.raises(ValueError, match="turns are 0 to 3, shifts 0 to 4"):
        Symmetry(5, **wrong)


def test_symmetries_of_different_sizes_do_not_compose():
    with pytest.raises(ValueError, match="sizes 5 and 6"):
        Symmetry(5) @ Symmetry(6)
