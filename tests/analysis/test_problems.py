"""Problem generation, proofs, grades, and the verification that finds wrong solutions."""

from dataclasses import replace

import pytest

from daoqi_tui.analysis import problems
from daoqi_tui.analysis.problems import (
    Fight,
    Kind,
    Problem,
    Step,
    enclosing_area,
    faults,
    ladder_after,
    prove,
    prove_position,
    rim_is_alive,
    weak_rim,
)
from daoqi_tui.engine import BLACK, PASS, WHITE, Board, Colour
from daoqi_tui.lab.problems.generator import Attempts
from daoqi_tui.lab.problems.making import graded
from daoqi_tui.reading.symmetry import BoardPosition
from tests.analysis.pictures import bare_ladder, draw

QUICK: tuple[Kind, ...] = ("ladder", "capture", "life")


def first(kind: Kind, seed: int = 3) -> Problem:
    return next(problem for problem in map(Attempts(kind, seed).attempt, range(5000)) if problem is not None)


@pytest.mark.parametrize("kind", QUICK)
def test_the_same_seed_makes_the_same_problem_and_it_is_proved(kind: Kind) -> None:
    problem = first(kind)
    number = int(problem.name.rpartition("-")[2])
    assert Attempts(kind, 3).attempt(number) == problem
    assert faults(problem) == []
    assert problem.kind == kind
    assert problem.is_proved
    assert 1 <= len(problem.right) <= 2


def test_every_first_move_of_a_fight_is_in_the_answer() -> None:
    problem = first("capture")
    board = problem.position.board()
    assert {step.move for step in problem.steps} == set(board.torus.points_in(board.empty & problem.area))


def wrong(step: Step) -> Step:
    return step._replace(right=not step.right)


def test_a_wrong_answer_is_found() -> None:
    made = filter(None, map(Attempts("capture", 3).attempt, range(5000)))
    problem = next(problem for problem in made if any(step.right and step.replies for step in problem.steps))
    right = next(step for step in problem.steps if step.right)
    others = tuple(step for step in problem.steps if step is not right)
    assert faults(replace(problem, steps=others))  # the right move is missing
    assert faults(replace(problem, steps=(wrong(right), *others)))
    assert faults(replace(problem, steps=(right, wrong(others[0]), *others[1:])))
    assert faults(replace(problem, steps=(right._replace(replies=()), *others)))  # the answer ends too soon
    unrefuted = next(step for step in others if step.replies)
    found = []
    for move in (PASS, *(step.move for step in problem.steps if step is not unrefuted)):
        weak = unrefuted._replace(replies=(Step(move, right=False),))
        found.append(
            faults(replace(problem, steps=tuple(weak if step is unrefuted else step for step in problem.steps)))
        )
    assert any("does not refute" in fault for listed in found for fault in listed)
    assert faults(replace(problem, task="save" if problem.task == "capture" else "capture"))


def test_an_answer_that_would_take_too_long_to_prove_is_not_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    board, _named = draw(ALIVE_OR_DEAD)
    whole = Problem(
        "whole board", "life", "capture", BoardPosition.of(board), (Step(0, True),), board.torus.point(2, 2)
    )
    assert faults(whole) == ["49 empty points are too many for a proof: 16 at most"]
    monkeypatch.setattr(problems, "_CHECK_BUDGET", 5)
    assert faults(first("capture")) == ["not settled after as many moves as may be tried"]


def test_a_wrong_answer_to_a_ladder_is_found() -> None:
    problem = first("ladder")
    assert faults(replace(problem, steps=tuple(wrong(step) for step in problem.steps)))


def test_nothing_to_find_makes_no_problem() -> None:
    board, named = draw(
        """
        XXXXXXX
        XOOOOOX
        XO.o.OX
        XOOOOOX
        XXXXXXX
        .......
        .......
        """
    )
    assert prove(Fight(BoardPosition.of(board), named["o"], board.torus.full), "life") is None


def test_a_ladder_round_the_world_goes_on_after_an_atari_or_a_pass() -> None:
    board, target = bare_ladder(9)
    atari = board.torus.shift(target, -1, 0)
    works, line = ladder_after(board, target, atari)
    assert works
    assert len(line) == 32
    # A distant stone is no atari: the defender passes, and then the ladder begins.
    works, line = ladder_after(board, target, board.torus.shift(target, 4, 4))
    assert line[0] == PASS


def test_the_grade_is_by_depth_and_by_what_the_policy_thinks() -> None:
    problem = first("capture")

    def sure(board: Board) -> list[float]:
        return [1.0 if point in problem.right else 0.0 for point in range(board.torus.points + 1)]

    def blind(board: Board) -> list[float]:
        return [0.0 if point in problem.right else 1.0 for point in range(board.torus.points + 1)]

    assert graded(problem, sure).prior == 1
    assert graded(problem, blind).prior == 0
    assert graded(problem, sure).level < graded(problem, blind).level
    assert replace(problem, plies=3, prior=0.1).level < replace(problem, plies=11, prior=0.1).level


ALIVE_OR_DEAD = """
    .........
    .XXXXXXX.
    .XOOOOOX.
    .XO...OX.
    .XOOOOOX.
    .XXXXXXX.
    .........
    .........
    .........
    """
"""A straight three-point eye space: the side that plays the middle point decides whether it lives."""


@pytest.mark.parametrize("to_move", [BLACK, WHITE])
def test_a_position_is_proved_as_it_is(to_move: Colour) -> None:
    board, _named = draw(ALIVE_OR_DEAD)
    position = replace(BoardPosition.of(board), to_move=to_move)
    target, middle = board.torus.point(2, 2), board.torus.point(3, 4)
    problem = prove_position(position, target)
    assert isinstance(problem, Problem)
    assert problem.right == (middle,)
    assert problem.task == ("capture" if to_move == BLACK else "save")
    assert problem.area.bit_count() == 15
    assert faults(problem) == []


def test_a_position_that_makes_no_problem() -> None:
    board, _named = draw(ALIVE_OR_DEAD)
    torus, position = board.torus, BoardPosition.of(board)
    target, middle = torus.point(2, 2), torus.point(3, 4)
    assert prove_position(position, torus.point(1, 1)) == "open"
    assert prove_position(replace(position, black=position.black | 1 << middle), target) != "open"
    two_eyes = replace(position, white=position.white | 1 << middle)
    assert prove_position(replace(two_eyes, to_move=BLACK), target) == "lost"
    assert prove_position(replace(two_eyes, to_move=WHITE), target) == "passing"


def test_an_area_takes_in_the_attackers_that_have_no_liberty_outside() -> None:
    board, _named = draw(ALIVE_OR_DEAD)
    middle = board.torus.point(3, 4)
    with_stone = replace(BoardPosition.of(board), black=board.stones(BLACK) | 1 << middle).board()
    assert enclosing_area(with_stone, board.torus.point(2, 2)) >> middle & 1


def test_an_area_takes_in_a_wall_that_might_be_captured_from_outside() -> None:
    board, _named = draw(ALIVE_OR_DEAD)
    torus, target = board.torus, board.torus.point(2, 2)
    strong = enclosing_area(board, target)
    assert weak_rim(board, strong) == 0
    # White takes all liberties of the wall except two.
    ring = torus.dilate(board.stones(BLACK)) & board.empty & ~strong
    free = torus.mask(torus.points_in(ring)[:2])
    cut = replace(BoardPosition.of(board), white=board.stones(WHITE) | ring & ~free).board()
    area = enclosing_area(cut, target)
    assert area & ~strong == (board.stones(BLACK) | free)
    assert weak_rim(cut, area) == 0


def test_the_answer_to_a_fight_within_a_weak_wall_is_no_proof() -> None:
    board, _named = draw(ALIVE_OR_DEAD)
    torus, target = board.torus, board.torus.point(2, 2)
    problem = prove_position(BoardPosition.of(board), target)
    assert isinstance(problem, Problem)
    assert not rim_is_alive(problem)
    ring = torus.dilate(board.stones(BLACK)) & board.empty & ~problem.area
    free = torus.mask(torus.points_in(ring)[:2])
    weaker = replace(problem.position, white=problem.position.white | ring & ~free)
    (fault,) = faults(replace(problem, position=weaker))
    assert "fewer than 3 liberties outside the area" in fault


def test_walls_that_are_made_around_an_area_live_whatever_happens_in_it() -> None:
    made = filter(None, map(Attempts("ring", 3).attempt, range(5000)))
    problem = next(problem for problem in made if problem.area)
    assert rim_is_alive(problem)
    assert faults(problem) == []
