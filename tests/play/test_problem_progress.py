"""Progress with problems in several windows: how it is merged, and that no attempt is lost."""

from __future__ import annotations

import math
import subprocess
import sys
from datetime import date, timedelta
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daoqi_tui.analysis.problems import Problem
from daoqi_tui.codec import decode, encode
from daoqi_tui.play.problem_files import key_of, shipped
from daoqi_tui.play.problems import LEITNER, Progress, ProgressFile, Record

TODAY = date(2026, 12, 1)
DAYS = st.integers(0, 3).map(lambda days: TODAY + timedelta(days))
RECORDS = st.builds(
    Record,
    st.integers(0, len(LEITNER) - 1),
    DAYS,
    st.integers(0, 3),
    st.integers(0, 3),
    st.sampled_from((0.0, 2.5)),
    st.sampled_from((0.0, 2.5)),
    st.none() | DAYS,
)
PROGRESS = st.dictionaries(st.sampled_from("abc"), RECORDS).map(Progress)


@cache
def problems() -> tuple[Problem, ...]:
    return shipped()[:3]


WINDOW = """
import sys
from datetime import date
from pathlib import Path
from daoqi_tui.play.problem_files import shipped
from daoqi_tui.play.problems import ProgressFile

file = ProgressFile(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
for number in range(30):
    problem = shipped()[int(sys.argv[2]) if number % 2 else 0]
    file.record(problem, date(2026, 12, 1), solved_at_once=number % 3 > 0)
    file.save()
assert file.trouble is None, file.trouble
"""


@given(PROGRESS, PROGRESS, PROGRESS)
def test_merging_is_commutative_associative_and_idempotent(one: Progress, two: Progress, three: Progress) -> None:
    assert one.merged(two) == two.merged(one)
    assert one.merged(two).merged(three) == one.merged(two.merged(three))
    assert one.merged(one) == one
    assert one.merged(two).merged(two) == one.merged(two)


@given(PROGRESS, PROGRESS)
def test_a_merged_record_is_one_of_the_two_and_none_has_fewer_tries(one: Progress, two: Progress) -> None:
    merged = one.merged(two).records
    assert merged.keys() == one.records.keys() | two.records.keys()
    for key, record in merged.items():
        both = [progress.records[key] for progress in (one, two) if key in progress.records]
        assert record in both
        assert record.tries == max(each.tries for each in both)


@given(data=st.data())
def test_every_attempt_of_two_windows_counts_once_however_they_save(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("progress") / "problems.json"
    windows = [ProgressFile(path), ProgressFile(path)]
    tried = dict.fromkeys(map(key_of, problems()), 0)
    for act in data.draw(st.lists(st.sampled_from(["record", "save", "fail", "open"]), max_size=30)):
        place = data.draw(st.integers(0, 1))
        window = windows[place]
        if act == "record":
            problem = data.draw(st.sampled_from(problems()))
            window.record(problem, TODAY, solved_at_once=data.draw(st.booleans()))
            tried[key_of(problem)] += 1
        elif act == "fail":
            with pytest.MonkeyPatch.context() as patch:

                def full(_progress: Progress, _path: Path) -> None:
                    raise OSError(28, "No space left on device")

                patch.setattr(Progress, "write", full)
                window.save()
        else:
            window.save()
            assert window.trouble is None
            if act == "open":
                windows[place] = ProgressFile(path)
    for window in windows:
        window.save()
    kept = Progress.read(path).records
    assert {key: record.tries for key, record in kept.items()} == {key: count for key, count in tried.items() if count}


def test_two_processes_that_record_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "problems.json"
    windows = [
        subprocess.Popen(
            [sys.executable, "-c", WINDOW, str(path), str(own)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for own in (1, 2)
    ]
    for window in windows:
        assert window.stdout is not None
        assert window.stdout.readline() == "ready\n"
    for window in windows:
        assert window.stdin is not None
        window.stdin.write("go\n")
        window.stdin.flush()
    assert [window.communicate()[1] or window.wait() for window in windows] == [0, 0]
    tries = {key: record.tries for key, record in Progress.read(path).records.items()}
    assert tries == {key_of(problems()[0]): 30, key_of(problems()[1]): 15, key_of(problems()[2]): 15}


def test_what_was_known_survives_a_file_that_an_older_one_replaced(tmp_path: Path) -> None:
    path = tmp_path / "problems.json"
    window = ProgressFile(path)
    window.record(problems()[0], TODAY, solved_at_once=True)
    window.save()
    older = path.read_bytes()
    window.record(problems()[0], TODAY, solved_at_once=True)
    window.save()
    path.write_bytes(older)
    window.record(problems()[1], TODAY, solved_at_once=False)
    window.save()
    kept = Progress.read(path).records
    assert {key: record.tries for key, record in kept.items()} == {key_of(problems()[0]): 2, key_of(problems()[1]): 1}


@given(
    RECORDS | st.just(Record(0, TODAY)),
    st.lists(st.tuples(st.integers(-40, 400), st.booleans()), max_size=30),
)
def test_a_problem_is_not_due_earlier_after_a_right_answer_and_tomorrow_after_a_wrong_one(
    record: Record, answers: list[tuple[int, bool]]
) -> None:
    for days, right in answers:
        today = (record.last or TODAY) + timedelta(days)
        before, record = record, record.after(today, solved_at_once=right)
        assert record.due >= max(before.due, today + timedelta(1)) if right else record.due == today + timedelta(1)
        assert record.box == (before.box + 1 if right else 0)
        assert decode(encode(record), Record) == record


@pytest.mark.parametrize("box", range(len(LEITNER)))
def test_a_leitner_box_carries_over(box: int, tmp_path: Path) -> None:
    path = tmp_path / "problems.json"
    path.write_text(f'{{"problems": {{"a": [{box}, "2026-12-01", {box + 1}, {box}]}}}}')
    known = Progress.read(path).records["a"]
    assert known == Record(box, TODAY, box + 1, box)
    solved, failed = (known.after(TODAY, solved_at_once=right) for right in (True, False))
    assert failed.due == TODAY + timedelta(1)
    assert solved.due > TODAY + timedelta(LEITNER[box]), "the higher the box, the later it comes back"
    assert solved.stability > failed.stability


def test_the_first_intervals_are_those_of_fsrs() -> None:
    """Recalculated from the published formulas of FSRS-6 and its default weights."""
    weights = 2.3065, 0.1542
    first = Record(0, TODAY).after(TODAY, solved_at_once=True)
    assert first.stability == weights[0]
    factor = 0.9 ** (-1 / weights[1]) - 1
    assert (first.due - TODAY).days == round(weights[0] / factor * (0.9 ** (-1 / weights[1]) - 1))
    difficulty = 6.4133 - math.exp(0.8334 * 2) + 1
    assert first.difficulty == pytest.approx(difficulty)
    recalled = (1 + factor * 2 / weights[0]) ** -weights[1]
    grown = weights[0] * (
        1 + math.exp(1.8722) * (11 - difficulty) * weights[0] ** -0.1666 * (math.exp((1 - recalled) * 0.796) - 1)
    )
    assert first.after(first.due, solved_at_once=True).stability == pytest.approx(grown)
