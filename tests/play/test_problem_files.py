"""Problem collections: reading and writing, files by other authors with RIGHT or CORRECT, and invalid problems."""

import threading
from datetime import date
from pathlib import Path

import pytest

from daoqi_tui.analysis.problems import KINDS, LEVELS, Kind, faults
from daoqi_tui.engine import BLACK, PASS, WHITE
from daoqi_tui.lab.problems.generator import Attempts
from daoqi_tui.paths import assets_folder
from daoqi_tui.play import problem_files
from daoqi_tui.play.problem_files import SHIPPED, add_to_collection, keep, key_of, read_collection, shipped
from daoqi_tui.play.problems import Attempt, Progress, conditions, groups
from daoqi_tui.record import files
from daoqi_tui.record.text import SgfError
from tests.waiting import HANG

OWN = b"""(;GM[1]SZ[5]GN[one]AB[ba][ab][bc]AW[bb]C[Catch it]PL[B]
(;B[ca]C[no];W[cb])(;B[cb]C[that is CORRECT]))
(;SZ[5]AB[aa];AW[cc](;W[dd](;B[de]C[RIGHT];W[ee]))(;W[ab]C[INCORRECT])(;B[ba]C[RIGHT]))
(;SZ[5]C[no problem here]AB[aa])"""


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    kinds: tuple[Kind, ...] = ("ladder", "capture", "life")
    problems = [next(found for found in map(Attempts(kind, 5).attempt, range(3000)) if found) for kind in kinds]
    file = tmp_path / "problems.sgf"
    for problem in problems:
        add_to_collection(file, problem)
    again = read_collection(file)
    assert again.skipped == 0
    for was, read in zip(problems, again.problems, strict=True):
        assert (read.name, read.kind, read.task, read.position) == (was.name, was.kind, was.task, was.position)
        assert (read.target, read.area, read.choices, read.plies) == (was.target, was.area, was.choices, was.plies)
        assert set(read.right) == set(was.right)
        assert {step.move: step.right for step in read.steps} == {step.move: step.right for step in was.steps}
        assert key_of(read) == key_of(was)
        assert faults(read) == []


def test_what_a_collection_holds_stays_byte_for_byte(tmp_path: Path) -> None:
    """This includes games with comments, and positions without moves, which are not problems."""
    file = tmp_path / "game.sgf"
    file.write_bytes(OWN + b"\n(;SZ[9]PB[Ke]PW[Go]RE[B+3];B[aa]C[my note];W[ba]BL[30])")
    before = file.read_bytes()
    problem = next(found for found in map(Attempts("ladder", 5).attempt, range(3000)) if found)
    add_to_collection(file, problem)
    assert file.read_bytes().startswith(before)
    assert key_of(read_collection(file).problems[-1]) == key_of(problem)


def test_own_collections_have_their_right_moves_in_comments() -> None:
    collection = read_collection(OWN)
    first, second = collection.problems
    assert collection.skipped == 1
    assert (first.name, first.kind, first.comment, first.position.to_move) == ("one", "own", "Catch it", BLACK)
    assert {step.move: step.right for step in first.steps} == {2: False, 7: True}
    # Stones set up in a later node count; a move by the side that is not to move is skipped.
    assert (second.name, second.position.to_move, second.position.white) == ("2", WHITE, 1 << 12)
    assert {step.move: step.right for step in second.steps} == {18: True, 5: False}


def test_without_a_word_the_main_line_is_right() -> None:
    problem = read_collection(b"(;SZ[5]AB[aa](;W[bb];B[cc];W[])(;W[dd]))").problems[0]
    assert [(step.move, step.right) for step in problem.steps] == [(6, True), (18, False)]
    assert problem.steps[0].replies[0].replies[0].move == PASS
    assert problem.plies == 3


@pytest.mark.parametrize(
    ("moves", "right", "left"),
    [
        ("(;B[ee]C[RIGHT])(;B[ff];W[aa];B[dd])", 40, 50),
        ("(;B[ee]C[RIGHT])(;B[ff];W[gg];B[gg])", 40, 50),
        ("(;B[ee]C[RIGHT];W[aa];B[dd])(;B[aa]C[RIGHT])(;B[ff];W[cc])", 40, 50),
        ("(;B[];W[];B[dd])(;B[ee])", PASS, 40),
    ],
    ids=["on a stone", "on a stone of the line", "after a right move", "after two passes"],
)
def test_a_line_ends_before_a_move_that_cannot_be_played_on_the_torus(moves: str, right: int, left: int) -> None:
    problem = read_collection(f"(;SZ[9]AB[aa]AW[cc]{moves})".encode()).problems[0]
    assert [(step.move, step.right) for step in problem.steps] == [(right, True), (left, False)]
    for first in (right, left):
        attempt = Attempt(problem)
        for move in attempt.play(first).line:
            attempt.game.make(move)
        assert attempt.solved is (first == right)


@pytest.mark.parametrize("moves", [";B[aa]", ";B[ee];W[aa];B[dd]C[RIGHT]"])
def test_what_has_no_right_move_on_the_torus_is_no_problem(moves: str) -> None:
    collection = read_collection(OWN + f"(;SZ[9]AB[aa]AW[cc]{moves})".encode())
    assert (len(collection.problems), collection.skipped) == (2, 2)


def test_the_word_in_what_is_asked_marks_no_line() -> None:
    problem = read_collection(b"(;SZ[5]AB[aa]C[Find the RIGHT move](;W[bb])(;W[dd]))").problems[0]
    assert problem.right == (6,)


@pytest.mark.parametrize(
    "said",
    [
        "fight:capture:3:0.5:0",
        "life:capture:three:0.5:0",
        "life:capture:3:9:0",
        "life:eat:3:0.5:0",
        "life:capture",
        "life:capture:0:0.5:0",
        "opening:reply:3:0.5:-1",
        pytest.param(f"life:capture:{'9' * 400}:0.5:0", id="400 digits"),
    ],
)
def test_a_property_that_makes_no_sense_leaves_an_own_problem(said: str) -> None:
    problem = read_collection(f"(;SZ[5]DQPZ[{said}]TR[bb]AW[bb];B[aa])".encode()).problems[0]
    assert problem.kind == "own"
    assert 1 <= problem.level <= LEVELS


def test_a_pass_is_no_point_to_choose() -> None:
    problem = read_collection(b"(;SZ[5]DQPZ[ladder:break:3:0.5:0]TR[bb]AW[bb]LB[:A][aa:B];B[aa])").problems[0]
    assert problem.kind == "own"
    assert conditions(problem) == []


@pytest.mark.parametrize("data", [b"", b"nothing", b"(;SZ[5]AB[aa])", b"(;SZ[99];B[aa])", b"(;SZ[5]AB[aa][ba];B[zz])"])
def test_a_file_without_a_problem_is_refused(data: bytes) -> None:
    with pytest.raises(SgfError):
        read_collection(data)


def test_a_line_may_be_very_long() -> None:
    moves = b"".join(b";B[aa];W[bb]" for _ in range(20_000))
    assert read_collection(b"(;SZ[5]AB[cc]" + moves + b")").problems[0].right == (0,)


def test_a_problem_may_say_that_there_is_no_handicap() -> None:
    assert len(read_collection(b"(;SZ[5]HA[0]AB[cc];W[aa])").problems) == 1


@pytest.mark.parametrize("stones", [b"", b"HA[2]AB[gc][cg]"])
def test_the_record_of_a_game_holds_no_problem(tmp_path: Path, stones: bytes) -> None:
    """So it is not taken for a collection to add problems to."""
    file = tmp_path / "game.sgf"
    file.write_bytes(b"(;SZ[9]" + stones + b"PB[Ke]PW[Go]RE[B+3];W[ba]BL[30];B[aa]C[my note])")
    before = file.read_bytes()
    with pytest.raises(SgfError, match="no problem in the file"):
        read_collection(file)
    problem = next(found for found in map(Attempts("ladder", 5).attempt, range(3000)) if found)
    with pytest.raises(SgfError, match="no problem in the file"):
        keep(problem, file)
    assert file.read_bytes() == before
    # What a comment says is right is looked for, whatever the position.
    file.write_bytes(before.replace(b"BL[30]", b"C[RIGHT]"))
    assert len(read_collection(file).problems) == 1


def test_the_shipped_collection_is_large_and_small_enough() -> None:
    problems = shipped()
    assert len(problems) >= 1000
    assert (assets_folder() / SHIPPED).stat().st_size < 600_000
    assert {problem.kind for problem in problems} == set(KINDS)
    assert {problem.level for problem in problems} == {1, 2, 3, 4, 5}
    assert len({key_of(problem) for problem in problems}) == len(problems)
    assert all(problem.right for problem in problems)


def test_all_lines_of_the_shipped_collection_can_be_played() -> None:
    """It is read without playing them."""
    assert read_collection(assets_folder() / SHIPPED).problems == shipped()


def test_a_problem_is_kept_once_and_nothing_else_is_lost(tmp_path: Path) -> None:
    file = tmp_path / "new" / "problems.sgf"
    first, second = (problem for problem in shipped()[:2])
    assert keep(first, file)
    assert not keep(first, file)
    before = file.read_bytes()
    assert keep(second, file)
    assert file.read_bytes().startswith(before)
    again = read_collection(file).problems
    assert [key_of(problem) for problem in again] == [key_of(first), key_of(second)]
    assert [problem.name for problem in again] == ["own-1", "own-2"]


def test_a_file_that_is_no_collection_stays_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "problems.sgf"
    file.write_bytes(b"(;SZ[9])")
    with pytest.raises(SgfError):
        keep(shipped()[0], file)
    assert file.read_bytes() == b"(;SZ[9])"


def test_what_two_windows_keep_at_once_is_all_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "problems.sgf"
    first, second = shipped()[:2]
    write, lock_file, met = problem_files.write_atomically, files.lock_file, threading.Event()

    def refuses(*given: Path) -> files.Release:
        try:
            return lock_file(*given)
        except files.InUse:
            met.set()
            raise

    def keep_second() -> None:
        keep(second, file)
        met.set()

    other = threading.Thread(target=keep_second)

    def write_slowly(path: Path, data: bytes) -> None:
        monkeypatch.setattr(problem_files, "write_atomically", write)
        other.start()
        assert met.wait(HANG)
        write(path, data)

    monkeypatch.setattr(files, "lock_file", refuses)
    monkeypatch.setattr(problem_files, "write_atomically", write_slowly)
    assert keep(first, file)
    other.join()
    assert [key_of(problem) for problem in read_collection(file).problems] == [key_of(first), key_of(second)]


def test_a_file_that_another_window_holds_is_waited_for_in_vain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "problems.sgf"
    monkeypatch.setattr(files, "_PATIENCE", 0.0)
    with files.changing(file), pytest.raises(files.InUse, match=r"^problems.sgf is in use by another daoqi-tui$"):
        keep(shipped()[0], file)
    assert not file.exists()
    assert keep(shipped()[0], file)


def test_a_list_of_the_shipped_problems_reads_none_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    read = problem_files.read_collection
    asked: list[Path] = []

    def counted(source: Path, *, played: bool) -> problem_files.Collection:
        asked.append(source)
        return read(source, played=played)

    monkeypatch.setattr(problem_files, "read_collection", counted)
    problem_files.shipped.cache_clear()
    problem_files._read_shipped.cache_clear()
    listed = groups(shipped(), Progress(), date(2026, 11, 29))
    assert sum(len(group.problems) for group in listed) == len(shipped()) > 100
    assert asked == []
    assert all(problem.right for problem in listed[0].problems)
    assert asked == [assets_folder() / SHIPPED]
