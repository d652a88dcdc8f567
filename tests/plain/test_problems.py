"""Problems in text mode: listing, answering and retrying them leaves the current game unchanged."""

from __future__ import annotations

from pathlib import Path

import pytest

from daoqi_tui.analysis.problems import KINDS, Kind
from daoqi_tui.engine import Game
from daoqi_tui.i18n import use_language
from daoqi_tui.plain import execute
from daoqi_tui.plain.game import PlainGame
from daoqi_tui.play.problem_files import read_collection, shipped
from daoqi_tui.play.problems import describe_kind, kind_word
from daoqi_tui.play.session import Session

OWN = "(;SZ[5]AB[ba][ab][bc]AW[bb]C[Catch it]PL[B](;B[ca];W[cb])(;B[cb]C[CORRECT]))"


@pytest.fixture
def person() -> PlainGame:
    return PlainGame(Session(game=Game(9)))


def test_kinds_and_levels_are_listed(person: PlainGame) -> None:
    told = execute(person, "problem")
    assert any("Type problem ladders 1." in line for line in told)
    assert person.practice is None
    assert " ".join(execute(person, "problem chess")) == (
        "Name a kind, and a level from 1 to 5 if you like: "
        "ladders, capture, life, rings, seki, superko, openings, mistakes, or all."
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_kind_is_typed_as_it_is_shown(person: PlainGame, kind: Kind, language: str) -> None:
    use_language(language)
    name, level = describe_kind(kind), next(problem.level for problem in shipped() if problem.kind == kind)
    for typed in (kind, name, name.upper(), kind_word(kind), f"{name} {level}", f"{kind_word(kind)} {level}"):
        assert name in execute(person, f"problem {typed}")[0]
        assert person.practice is not None
        assert person.practice.problem.kind == kind


def test_of_a_collection_that_is_cut_off_the_rest_is_solved_and_that_is_said(person: PlainGame, tmp_path: Path) -> None:
    file = tmp_path / "own.sgf"
    file.write_text(OWN + "(;SZ[5]")
    cut = "the file is cut off: the '(' at line 1, column "
    assert cut in execute(person, f"problem open {file}")[0]
    (repair,) = read_collection(file).repairs
    assert cut in str(repair)


def test_of_a_collection_with_many_problems_of_reading_the_first_are_told(person: PlainGame, tmp_path: Path) -> None:
    file = tmp_path / "own.sgf"
    file.write_text(OWN + "(;SZ[5]" + "%x " * 80 + ")")
    told = execute(person, f"problem open {file}")
    assert [line.startswith("line 1, column ") for line in told[:6]] == [True] * 5 + [False]
    assert told[5] == "and 155 more like these."


def test_a_problem_is_told_failed_tried_again_and_solved(person: PlainGame, tmp_path: Path) -> None:
    file = tmp_path / "own.sgf"
    file.write_text(OWN)
    execute(person, "e5")
    told = execute(person, f"problem open {file}")
    assert told == [
        "Own problems, level 1, on 5 by 5.",
        "Catch it",
        "Black to play.",
        "Black: B5, A4, B3.",
        "White: B4.",
    ]
    assert execute(person, "c5") == [
        "Wrong: this is how it is refuted.",
        "Then: White C4.",
        "Type problem again to try again, problem hint after that, or problem next.",
    ]
    assert execute(person, "a1") == ["Type problem next for another problem, or problem again."]
    assert execute(person, "problem hint") == ["Type problem again first."]
    assert execute(person, "undo") == ["A problem is open: answer it with a point or pass, or type problem stop first."]
    assert execute(person, "problem again") == ["Black to play."]
    assert execute(person, "problem hint") == ["One of these is right: C5, C4."]
    assert execute(person, "b4") == ["B4 is occupied: play on an empty point."]
    assert execute(person, "c4")[0] == "Solved."
    assert execute(person, "problem stop") == ["Back to the game."]
    assert person.game.node.number == 1
    assert execute(person, "undo")[0] == "Undone: E5."


def test_a_file_that_is_no_collection_changes_nothing(person: PlainGame) -> None:
    (told,) = execute(person, "problem open no-file.sgf")
    assert "cannot be read" in told
    assert person.practice is None


def test_a_collection_is_opened_by_its_name(person: PlainGame) -> None:
    assert execute(person, "problem open") == ["Name a file: problem open FILE."]
    assert person.practice is None


def test_a_shipped_problem_names_its_points(person: PlainGame) -> None:
    told = execute(person, "problem capture 2")
    assert told[0].startswith("Capture and escape, level 2")
    assert any(line.startswith("The marked points: ") for line in told)
    assert "next" not in told[-1]
    assert execute(person, "board")[0].strip().startswith("A")
    assert execute(person, "problem next") != told


def test_while_one_is_solved_the_word_for_what_to_do_suffices(person: PlainGame, tmp_path: Path) -> None:
    file = tmp_path / "own.sgf"
    file.write_text(OWN * 2)
    execute(person, f"problem open {file}")
    assert execute(person, "hint")[0].startswith(("One of these", "Solution"))
    execute(person, "c5")
    assert "Black to play." in "\n".join(execute(person, "Again"))
    assert "on 5 by 5" in execute(person, "next")[0]
    use_language("zh")
    assert "正解" in execute(person, "支招")[0]
    use_language("en")
    assert execute(person, "stop") == ["Back to the game."]
    for name in ("e5", "d4", "c3", "f6", "resign", "back 4", "guess black"):
        execute(person, name)
    assert person.guessing is not None
    assert execute(person, "stop")[-1] == "Back to the game."
