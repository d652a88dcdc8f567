"""``ladder``, ``opening`` and ``openings`` on the command line."""

from __future__ import annotations

import errno
import json
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from daoqi_tui.cli.main import main, run
from daoqi_tui.play.problem_files import add_to_collection, shipped
from daoqi_tui.text import plain
from tests.shared_data import data_path

LADDER = "(;GM[1]SZ[16]TO[3]AW[ii]AB[hi][ij][jj]PL[B])"
Called = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Called:
    """Return a function that runs a command and returns its status, standard output and standard error."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def run(*arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as end:
            main([str(argument) for argument in arguments])
        output, complaints = capsys.readouterr()
        assert isinstance(end.value.code, int)
        return end.value.code, output, complaints

    return run


@pytest.fixture
def ladder(tmp_path: Path) -> Path:
    """Return a file with the bare ladder of the rules."""
    file = tmp_path / "ladder.sgf"
    file.write_text(LADDER)
    return file


def test_the_ladder_of_the_rules_is_captured(call: Called, ladder: Path) -> None:
    status, output, complaints = call("ladder", ladder, "--point", "I8")
    assert (status, complaints) == (0, "")
    lines = output.splitlines()
    assert lines[0] == "White I8, 2 liberties, Black to play: captured in 61 moves"
    assert lines[1].split("  ")[1:4] == ["1.B I9", "2.W J8", "3.B K8"]
    assert output.count(".B ") == 31
    assert output.count(".W ") == 30
    assert lines[-1].endswith("61.B H7")


def test_json_has_result_plies_line_and_breakers(call: Called, ladder: Path) -> None:
    status, output, _ = call("ladder", ladder, "--point", "ii", "--coordinates", "sgf", "--json", "--breakers")
    answer = json.loads(output)
    assert status == 0
    assert answer["result"] == "captured"
    assert answer["plies"] == len(answer["line"]) == 61
    assert answer["line"][:2] == ["ih", "ji"]
    assert len(answer["breakers"]["white"]) == 89
    assert answer["breakers"]["black"] == []
    assert answer["undecided"] == {"black": [], "white": []}
    assert set(answer) == {"result", "plies", "line", "breakers", "makers", "undecided"}
    _, output, _ = call("ladder", ladder, "--point", "I8", "--json")
    assert set(json.loads(output)) == {"result", "plies", "line"}


def test_setup_and_side_to_move_count_and_can_be_overruled(call: Called, tmp_path: Path, ladder: Path) -> None:
    white_first = tmp_path / "white.sgf"
    white_first.write_text(LADDER.replace("PL[B]", "PL[W]"))
    for arguments in ((white_first, "--point", "I8"), (ladder, "--point", "I8", "--to-play", "white")):
        _, output, _ = call("ladder", *arguments)
        assert "White to play: escapes" in output
    _, output, _ = call("ladder", white_first, "--point", "I8", "--to-play", "black")
    assert "Black to play: captured" in output


def test_a_budget_may_leave_it_undecided(call: Called, ladder: Path) -> None:
    status, output, _ = call("ladder", ladder, "--point", "I8", "--nodes", "3", "--json")
    assert status == 0
    assert json.loads(output) == {"result": "undecided", "plies": 0, "line": []}


def test_a_budget_may_leave_breakers_undecided(call: Called, ladder: Path) -> None:
    def answered(*nodes: str) -> dict[str, dict[str, list[str]]]:
        return json.loads(call("ladder", ladder, "--point", "I8", "--breakers", "--json", *nodes)[1])

    every, some = answered(), answered("--nodes", "62")
    assert set(some["breakers"]["white"]) < set(every["breakers"]["white"])
    assert set(every["breakers"]["white"]) <= {*some["breakers"]["white"], *some["undecided"]["white"]}
    _, output, _ = call("ladder", ladder, "--point", "I8", "--breakers", "--nodes", "62")
    open_points = {*some["undecided"]["black"], *some["undecided"]["white"]}
    assert f"\n{len(open_points)} points are undecided\n" in output


def test_of_an_undecided_ladder_no_breakers_are_told(call: Called, ladder: Path) -> None:
    _, output, _ = call("ladder", ladder, "--point", "I8", "--breakers", "--nodes", "3")
    head, rest = output.split("\n", 1)
    assert head.endswith("Black to play: undecided")
    # All empty points, for stones of either colour.
    assert rest == f"{16 * 16 - 4} points are undecided\n"


def test_the_chain_is_read_after_the_move_asked_for(call: Called, tmp_path: Path) -> None:
    file = tmp_path / "game.sgf"
    file.write_text("(;GM[1]SZ[9]TO[3];B[aa];W[ee];B[de];W[ii];B[ed])")
    _, output, _ = call("ladder", file, "--point", "E5", "--move", "2")
    assert output.startswith("White E5, 4 liberties, Black to play: escapes")
    _, output, _ = call("ladder", file, "--point", "E5")
    assert output.startswith("White E5, 2 liberties, White to play: ")
    assert call("ladder", file, "--point", "E5", "--move", "1")[0] == 1


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["ladder", "{file}", "--point", "Z99"], 2, "is not a point"),
        (["ladder", "{file}", "--point", "Q1"], 2, "from A to P"),
        (["ladder", "{file}", "--point", "A1"], 1, "there is no stone at A1"),
        (["ladder", "{file}", "--point", "I8", "--move", "7"], 1, "no move 7"),
        (["ladder", "{file}", "--point", "I8", "--move", "1e3"], 2, "'1e3' is not the number of a move"),
        (["ladder", "{file}", "--point", "I8", "--move", "1_0"], 2, "'1_0' is not the number of a move"),
        (["ladder", "{file}", "--point", "I8", "--move", "-1"], 2, "0 is the start"),
        (["ladder", "{file}"], 2, "--point"),
        (["ladder", "{file}", "--point", "I8", "--to-play", "green"], 2, "green"),
        (["ladder", "{file}", "--point", "I8", "--nodes", "many"], 2, "many"),
        (["ladder", "{file}.gone", "--point", "I8"], 1, "ladder.sgf.gone"),
        (["openings", "{file}.gone"], 1, "ladder.sgf.gone"),
        (["openings"], 2, "FILE|DIR"),
        # Its name until 1.1.
        (["opening", "{file}"], 2, "unknown command 'opening'; did you mean openings?"),
    ],
)
def test_bad_input_is_one_sentence(call: Called, ladder: Path, arguments: list[str], status: int, words: str) -> None:
    code, output, complaints = call(*(argument.format(file=ladder) for argument in arguments))
    assert (code, output) == (status, "")
    said = [line for line in complaints.splitlines() if line.startswith("daoqi-tui")]
    assert len(said) == 1
    assert words in said[0]
    assert "Traceback" not in complaints


@pytest.mark.parametrize("command", ["ladder", "openings"])
def test_help_has_an_example(call: Called, command: str) -> None:
    status, output, _ = call(command, "--help")
    assert status == 0
    assert f": daoqi-tui {command} " in " ".join(output.split()).partition("example")[2]


def test_an_opening_is_named(call: Called, tmp_path: Path) -> None:
    file = tmp_path / "game.sgf"
    file.write_text("(;GM[1]SZ[16]TO[3];B[hh];W[if];B[aa];W[])")
    status, output, _ = call("openings", file)
    assert status == 0
    assert output.splitlines()[0] == "Opening 4 of 44: knight's move, (1,2)"
    assert call("openings", file, "--lang", "zh")[1].splitlines()[0] == "第 4 号开局（共 44 种）：小飞(1,2)"
    assert output.splitlines()[1].startswith("Standard moves: A16 B14 ")
    assert output.splitlines()[1].endswith(" pass")
    answer = json.loads(call("openings", file, "--json")[1])
    assert answer["class"] == 4
    assert answer["standard"][:2] == [[0, 0], [1, 2]]
    assert answer["standard"][3] is None
    assert set(answer["symmetry"]) == {"transposed", "turns", "down", "right"}
    assert call("openings", file, "--coordinates", "sgf")[1].splitlines()[1].startswith("Standard moves: aa bc ")


def test_a_game_with_setup_has_no_class(call: Called, ladder: Path) -> None:
    status, output, _ = call("openings", ladder, "--json")
    assert status == 0
    assert json.loads(output)["class"] is None
    assert "No opening" in call("openings", ladder)[1]


def games(folder: Path) -> None:
    """Write two games of one class, one of another, one on another board size, a broken file and a text file."""
    (folder / "deeper").mkdir(parents=True)
    (folder / "one.sgf").write_text("(;GM[1]SZ[16]TO[3]RE[B+2];B[hh];W[if])")
    (folder / "deeper" / "two.SGF").write_text("(;GM[1]SZ[16]TO[3]RE[W+R];B[aa];W[cb])(;GM[1]SZ[16]TO[3];B[aa];W[ii])")
    (folder / "nine.sgf").write_text("(;GM[1]SZ[9]TO[3];B[aa];W[ab])")
    (folder / "broken.sgf").write_text("no game at all")
    (folder / "notes.txt").write_text("(;GM[1]SZ[16];B[aa];W[ab])")


def test_a_folder_is_counted(call: Called, tmp_path: Path) -> None:
    folder = tmp_path / "games"
    games(folder)
    status, output, complaints = call("openings", folder)
    assert status == 0
    lines = output.splitlines()
    assert lines[0] == "16×16: 3 games"
    assert lines[2].split()[:4] == ["4", "2", "1", "1"]
    assert "小飞" not in lines[2]
    assert "9×9: 1 game" in lines
    assert "broken.sgf" in complaints
    assert "4 games read" in complaints


def test_a_position_and_a_shape_are_searched_in_a_folder(call: Called, tmp_path: Path) -> None:
    folder = tmp_path / "games"
    folder.mkdir()
    (folder / "one.sgf").write_text("(;GM[1]SZ[9]TO[3]RE[B+R];B[aa];W[bc];B[ee])")
    (folder / "two.sgf").write_text("(;GM[1]SZ[9]TO[3]RE[W+R];B[ii];W[hb];B[ee];W[ef])")
    (folder / "other.sgf").write_text("(;GM[1]SZ[9]TO[3];B[aa];W[ac])")
    asked = tmp_path / "asked.sgf"
    asked.write_text("(;GM[1]SZ[9]TO[3];B[dd];W[fe])")
    status, output, _ = call("search", folder, asked)
    assert status == 0
    assert output.splitlines()[0] == "2 games: Black won 1, White won 1"
    assert output.splitlines()[-2:] == [f"{folder / 'one.sgf'}: move 2", f"{folder / 'two.sgf'}: move 2"]
    (folder / "one.sgf").unlink()
    found = json.loads(call("search", folder, asked, "--json")[1])
    assert [(hit["source"], hit["move"], hit["winner"]) for hit in found] == [(f"{folder / 'two.sgf'}#1", 2, "white")]
    # The white stone, without one beside it, is found with colours exchanged, too.
    found = json.loads(call("search", folder, asked, "--shape", "E6:G4", "--json")[1])
    assert [hit["move"] for hit in found] == [1, 1]
    assert call("search", folder, asked, "--shape", "A2:B1")[0] == 2
    assert call("search", folder, asked, "--shape", "A1")[0] == 2


def test_the_index_is_kept_up_to_date(call: Called, tmp_path: Path) -> None:
    folder = tmp_path / "games"
    games(folder)
    (folder / "broken.sgf").unlink()
    call("openings", folder)

    def counts() -> Any:
        _, output, complaints = call("openings", folder, "--json")
        assert complaints == ""
        return {size["size"]: size["games"] for size in json.loads(output)}

    assert counts() == {16: 3, 9: 1}
    assert "0 games read, 4 known" in call("openings", folder)[2]
    (folder / "nine.sgf").unlink()
    (folder / "one.sgf").write_text("(;GM[1]SZ[16]TO[3]RE[B+2];B[hh];W[hi];B[aa])")
    (folder / "new.sgf").write_text("(;GM[1]SZ[16]TO[3];B[hh];W[hi];B[aa])")
    assert "2 games read, 2 known" in call("openings", folder)[2]
    assert counts() == {16: 4}


def test_names_that_are_not_utf_8_are_counted_and_shown(call: Called, tmp_path: Path) -> None:
    folder = tmp_path / "games"
    games(folder)
    try:
        (folder / "caf\udce9.sgf").write_text("(;GM[1]SZ[9]TO[3];B[aa];W[cc])")
    except (OSError, UnicodeError):
        pytest.skip("this file system takes no such names")
    (folder / "b\x1b[31m.sgf").write_text("no game")
    status, output, complaints = call("openings", folder)
    assert status == 0
    assert "\x1b" not in output + complaints
    assert "b␛[31m.sgf: line 1, column 1: this is not a game record" in complaints
    read = int(complaints.splitlines()[-1].split()[0])
    # Recognised by its name the second time too.
    assert f"0 games read, {read} known already" in call("openings", folder)[2]
    (folder / "caf\udce9.sgf").unlink()
    assert f"0 games read, {read - 1} known already" in call("openings", folder)[2]


@pytest.mark.parametrize("trouble", ["no folder", "no writing"])
def test_what_is_counted_does_not_need_to_be_kept(
    call: Called, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trouble: str
) -> None:
    folder = tmp_path / "games"
    games(folder)
    expected = call("openings", folder, "--json")
    if trouble == "no folder":
        (tmp_path / "file").touch()
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    else:
        # As on a read-only disk.
        connect = sqlite3.connect

        def read_only(path: object, **how: Any) -> sqlite3.Connection:
            index = connect(str(path), **how)
            if path != ":memory:":
                index.execute("PRAGMA query_only = 1")
            return index

        monkeypatch.setattr(sqlite3, "connect", read_only)
    assert call("openings", folder, "--json") == expected


def test_an_empty_folder_says_so(call: Called, tmp_path: Path) -> None:
    folder = tmp_path / "games"
    folder.mkdir()
    status, output, _ = call("openings", folder)
    assert (status, output) == (0, "The folder holds no game that can be read.\n")


def test_the_historic_games_are_counted(call: Called) -> None:
    folder = data_path("historic")
    status, output, _ = call("openings", folder, "--json")
    assert status == 0
    (size,) = json.loads(output)
    assert (size["size"], size["games"]) == (19, 14)
    assert sum(entry["games"] for entry in size["openings"]) == 14


TWO_GAMES = "(;GM[1]SZ[5]TO[3]PB[Li];B[aa])(;GM[1]SZ[5]TO[3]KM[0]PB[Ke]PW[Go];B[bb];W[cc];B[])"


@pytest.fixture
def two_games(tmp_path: Path) -> Path:
    file = tmp_path / "two.sgf"
    file.write_text(TWO_GAMES)
    return file


def test_the_score_as_json(call: Called, two_games: Path) -> None:
    status, output, _ = call("score", two_games, "--game", "2", "--json")
    assert status == 0
    assert json.loads(output) == {
        "size": 5,
        "rules": "Daoqi",
        "moves": 3,
        "black": {"stones": 1, "territory": 0, "passes": 1, "komi": 0, "total": 0},
        "white": {"stones": 1, "territory": 0, "passes": 0, "komi": 0, "total": 1},
        "neutral": 23,
        "margin": -1,
        "result": "W+1",
        "recorded_result": "",
        "problems": [],
    }


def test_a_position_as_json(call: Called, two_games: Path) -> None:
    status, output, _ = call("show", two_games, "--game", "2", "--move", "2", "--json", "--coordinates", "gtp")
    assert status == 0
    answer = json.loads(output)
    assert (answer["black"], answer["white"], answer["move"], answer["last"]) == ("Ke", "Go", 2, "C3")
    assert answer["stones"] == {"black": ["B4"], "white": ["C3"]}
    assert (answer["captures"], answer["to_play"]) == ({"black": 0, "white": 0}, "black")
    assert call("show", two_games, "--json", "--format", "svg")[0] == 2


def test_a_game_that_the_file_lacks(call: Called, two_games: Path) -> None:
    status, _, complaints = call("show", two_games, "--game", "3")
    assert (status, complaints) == (1, "daoqi-tui: there is no game 3 in the file; it holds 2\n")
    assert call("show", two_games, "--game", "0")[0] == 2


def test_json_is_safe_in_a_terminal_and_means_the_same(call: Called, tmp_path: Path) -> None:
    name = "a \x9b31m \x9d0;t\x07 \x7f \u202e \u2028 道棋 \U0001f600"
    file = tmp_path / "evil.sgf"
    file.write_text(f"(;GM[1]SZ[5]TO[3]CA[UTF-8]PB[{name}];B[aa])", "utf-8")
    _, output, _ = call("show", file, "--json")
    assert output.rstrip("\n") == plain(output.rstrip("\n"))
    assert "道棋" in output
    assert "\\u009b31m" in output
    assert json.loads(output) == json.loads(json.dumps(json.loads(output)))


@pytest.mark.parametrize("action", ["list", "check"])
@pytest.mark.parametrize("option", ["--count=20", "--seed=1", "--kind=life", "--visits=800", "--net=auto"])
def test_the_options_that_make_problems_are_refused_elsewhere(call: Called, action: str, option: str) -> None:
    status, told, complaints = call("problems", action, option)
    assert (status, told) == (2, "")
    assert "--count, --seed, --kind, --visits and --net are for make: leave them out" in complaints


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--visits", "9000"], "--visits is for --kind openings: leave it out"),
        (["--kind", "life", "--visits", "9000"], "--visits is for --kind openings: leave it out"),
        (["--kind", "openings", "--seed", "7"], "--seed is not for --kind openings: leave it out"),
    ],
)
def test_an_option_that_a_kind_has_no_use_for_is_refused(
    call: Called, tmp_path: Path, options: list[str], words: str
) -> None:
    file = tmp_path / "more.sgf"
    status, told, complaints = call("problems", "make", file, *options)
    assert (status, told) == (2, "")
    assert words in complaints
    assert not file.exists()


def test_that_nobody_reads_what_is_made_is_not_said_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def gone(_text: str) -> None:
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    monkeypatch.setattr("daoqi_tui.lab.problems.making.make", lambda *_arguments: iter(shipped()))
    monkeypatch.setattr("daoqi_tui.cli.lab.write_text", gone)
    with pytest.raises(BrokenPipeError):
        run(["problems", "make", str(tmp_path / "more.sgf")])
    assert capsys.readouterr().err == ""


def test_a_problems_name_is_shown_as_text(call: Called, tmp_path: Path) -> None:
    problem = next(problem for problem in shipped() if problem.kind == "life")
    wrong = replace(
        problem, name="evil \x1b]0;owned\x07", steps=tuple(s._replace(right=not s.right) for s in problem.steps)
    )
    file = tmp_path / "evil.sgf"
    add_to_collection(file, wrong)
    status, _, complaints = call("problems", "check", file)
    assert status == 1
    assert "evil" in complaints
    assert "\x1b" not in complaints
    assert "\x07" not in complaints
