"""Solving problems: right and wrong answers, hints, spaced repetition, and saved progress."""

from datetime import date, timedelta
from pathlib import Path

import pytest

from daoqi_tui.analysis.problems import Problem
from daoqi_tui.engine import PASS, torus_of
from daoqi_tui.play.problem_files import key_of, numbers_of, read_collection, shipped
from daoqi_tui.play.problems import (
    Attempt,
    Practice,
    Progress,
    ProgressError,
    ProgressFile,
    conditions,
    describe_answer,
    describe_hint,
    describe_task,
    groups,
)
from tests.every import every
from tests.thorough import THOROUGH

TODAY = date(2026, 11, 22)
OWN = read_collection(
    b"""(;SZ[5]GN[one]AB[ba][ab][bc]AW[bb]C[Catch it]PL[B](;B[ca];W[cb];B[aa])(;B[cb]C[RIGHT]))
    (;SZ[5]GN[two]AB[cc]PL[W](;W[aa];B[bb](;W[dd]C[RIGHT])))"""
).problems


def solve(attempt: Attempt) -> int:
    """Solve a problem with its right moves and return how many it took."""
    for count in range(1, 60):
        answer = attempt.play(attempt.right[0])
        assert answer.kind in ("right", "solved"), (attempt.problem.name, answer)
        for move in answer.line:
            attempt.game.make(move)
        if attempt.solved:
            return count
    raise AssertionError(attempt.problem.name)


@every("problem", lambda: shipped()[:: 1 if THOROUGH else 8], ids=lambda problem: problem.name)
def test_a_shipped_problem_is_solved_by_its_right_moves_and_wrong_ones_are_refuted(problem: Problem) -> None:
    attempt = Attempt(problem)
    moves = solve(attempt)
    assert not attempt.failed
    if problem.is_proved and problem.kind != "ladder":
        assert 2 * moves - 1 <= problem.plies
    wrong = next(step.move for step in problem.steps if not step.right) if problem.is_proved else PASS
    attempt = Attempt(problem)
    start = str(attempt.game.board)
    answer = attempt.play(wrong)
    assert answer.kind == "wrong"
    for move in answer.line:
        attempt.game.make(move)
    assert attempt.play(problem.right[0]).kind == "nothing"
    attempt.retry()
    assert str(attempt.game.board) == start
    assert attempt.failed
    assert solve(attempt) == moves
    assert describe_task(problem)
    assert describe_answer(answer, attempt)
    assert isinstance(conditions(problem), list)


def test_what_lies_elsewhere_is_not_wrong() -> None:
    fight = next(problem for problem in shipped() if problem.area)
    attempt = Attempt(fight)
    outside = next(
        point
        for point in range(attempt.torus.points)
        if not fight.area >> point & 1 and not attempt.game.board.colours[point]
    )
    assert attempt.play(outside).kind == "elsewhere"
    assert attempt.play(fight.target).kind == "refused"
    assert not attempt.failed
    choice = next(problem for problem in shipped() if problem.choices)
    attempt = Attempt(choice)
    assert attempt.play(PASS).kind == "elsewhere"
    assert attempt.game.node.move is None


def test_points_to_choose_from_have_numbers_since_columns_have_letters() -> None:
    problem = next(problem for problem in shipped() if problem.choices)
    torus, numbers = torus_of(problem.position.size), numbers_of(problem)
    assert list(numbers.values()) == [str(number) for number in range(1, len(problem.choices) + 1)]
    for point, number in numbers.items():
        assert f"{number}={torus.name(point)}" in conditions(problem)[0]
    attempt = Attempt(problem)
    assert describe_answer(attempt.play(PASS), attempt) == "Choose one of the points with a number."


def test_what_an_own_collection_calls_a_ladder_may_be_captured_at_once() -> None:
    said = "(;SZ[9]DQPZ[ladder:ladder:3:0.5:0]TR[cc]AW[cc]AB[bc][cb][dc];B[cd];W[aa];B[ee];W[ff];B[gg]C[RIGHT])"
    attempt = Attempt(read_collection(said.encode()).problems[0])
    assert attempt.play(29).line == (0,), "Black captures, and White plays elsewhere"
    attempt.game.make(0)
    assert attempt.play(40).line == (50,)


def test_a_pass_may_be_what_the_network_prefers() -> None:
    data = b"(;SZ[5]AB[aa]AW[cc]DQPZ[opening:reply:1:0.5:10](;B[]C[RIGHT])(;B[bb]))"
    attempt = Attempt(read_collection(data).problems[0])
    assert describe_answer(attempt.play(6), attempt) == "The network prefers pass."


def test_a_hint_names_two_points_then_the_right_one_and_counts_as_a_failure() -> None:
    problem = next(problem for problem in shipped() if problem.kind == "life")
    attempt = Attempt(problem)
    first = attempt.hint()
    assert len(first) == 2
    assert set(first) & set(problem.right)
    assert attempt.hint() == problem.right
    assert attempt.failed
    assert describe_hint(problem.right, attempt).startswith("Solution: "), "of one move, or of several"
    assert describe_hint(first, attempt).startswith("One of these is right: ")


def test_a_problem_comes_back_after_more_and_more_days() -> None:
    progress, today, waits = Progress(), TODAY, []
    for _ in range(8):
        progress.record("key", today, solved_at_once=True)
        waits.append((progress.records["key"].due - today).days)
        today = progress.records["key"].due
    assert waits == sorted(set(waits))
    progress.record("key", today, solved_at_once=False)
    assert progress.records["key"][:4] == (0, today + timedelta(days=1), 9, 8)


def test_what_is_due_comes_before_what_is_new() -> None:
    one, two = OWN
    progress = Progress()
    assert progress.next(OWN, TODAY) is one
    assert progress.next(OWN, TODAY, one) is two
    progress.record(key_of(two), TODAY - timedelta(days=3), solved_at_once=True)
    assert progress.next(OWN, TODAY) is two
    progress.record(key_of(two), TODAY, solved_at_once=True)
    assert progress.next(OWN, TODAY) is one
    assert progress.next([two], TODAY, two) is two
    assert progress.next([], TODAY) is None


def test_the_first_answer_decides_and_is_saved_at_once(tmp_path: Path) -> None:
    path = tmp_path / "new" / "problems.json"
    practice = Practice(OWN, ProgressFile(path), lambda: TODAY)
    one, two = OWN
    assert practice.play(2).kind == "wrong"
    assert Progress.read(path).records[key_of(one)].box == 0
    practice.attempt.retry()
    assert practice.play(7).kind == "solved"
    assert Progress.read(path).records[key_of(one)][:4] == (0, TODAY + timedelta(days=1), 1, 0)
    practice.next()
    assert practice.problem is two
    answer = practice.play(0)
    assert answer.kind == "right"
    assert answer.line == (6,)
    practice.attempt.game.make(6)
    assert practice.play(18).kind == "solved"
    assert practice.solved == 1
    assert Progress.read(path).records[key_of(two)][:4] == (1, TODAY + timedelta(days=2), 1, 1)
    (group,) = groups(OWN, practice.file.progress, TODAY + timedelta(days=2))
    assert (group.kind, group.solved, group.due) == ("own", 1, 2)


@pytest.mark.parametrize("text", ["", "[]", '{"problems": 3}', '{"problems": {"a": [1, "someday", 1, 1]}}', "[" * 9999])
def test_a_file_that_is_none_of_ours_is_refused_and_not_replaced(tmp_path: Path, text: str) -> None:
    path = tmp_path / "problems.json"
    path.write_text(text)
    with pytest.raises(ProgressError, match="is not a progress file"):
        Progress.read(path)
    file = ProgressFile(path)
    assert file.trouble is not None
    Practice(OWN, file).play(7)
    assert path.read_text() == text


def test_two_windows_keep_the_progress_of_both(tmp_path: Path) -> None:
    path = tmp_path / "problems.json"
    one, other = ProgressFile(path), ProgressFile(path)
    one.record(OWN[0], TODAY, solved_at_once=True)
    one.save()
    other.record(OWN[1], TODAY, solved_at_once=False)
    other.record(OWN[0], TODAY, solved_at_once=True)
    other.save()
    kept = Progress.read(path).records
    assert kept == other.progress.records
    assert kept[key_of(OWN[0])][2:4] == (2, 2)
    assert kept[key_of(OWN[1])][2:4] == (1, 0)


def test_what_could_not_be_saved_is_with_the_next_record(tmp_path: Path) -> None:
    path = tmp_path / "file" / "problems.json"
    file = ProgressFile(path)
    path.parent.write_text("in the way")
    file.record(OWN[0], TODAY, solved_at_once=True)
    file.save()
    assert file.trouble is not None
    path.parent.unlink()
    file.record(OWN[1], TODAY, solved_at_once=True)
    file.save()
    assert file.trouble is None
    assert len(Progress.read(path).records) == 2
