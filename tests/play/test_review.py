"""Game review without a user interface: positions searched, marks in the record, and reports."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest
from sgfmill import sgf

from daoqi_tui.ai import Answer, Candidate
from daoqi_tui.ai.process import PlayerError
from daoqi_tui.engine import BLACK, Game
from daoqi_tui.i18n import use_language
from daoqi_tui.paths import mistakes_file
from daoqi_tui.play.analyst import Budget, analyse, counted
from daoqi_tui.play.evaluation import EvaluatedMove, Evaluation, Evaluations, better_than, evaluated_moves
from daoqi_tui.play.players import PlayerTable, usual_net
from daoqi_tui.play.problem_files import known_mistakes
from daoqi_tui.play.review import (
    ReviewedFile,
    describe_better,
    describe_outcome,
    erase,
    mark,
    mistakes,
    next_mistake,
    review,
    review_folder,
    summary_lines,
)
from daoqi_tui.play.session import Session
from daoqi_tui.record.sgf.markup import better_line, comment, set_comment
from tests.play.quick import QuickAnalyst

BUDGET = Budget(100, 2.0)


def table(analyst: QuickAnalyst) -> PlayerTable:
    return PlayerTable(lambda _seat: analyst)  # type: ignore[arg-type, return-value]


def played(*points: int) -> Game:
    game = Game(5)
    for point in points:
        game.play(point)
    return game


async def test_every_position_is_asked_once_and_the_fall_is_found() -> None:
    analyst, game, evaluations = QuickAnalyst(), played(12, 13, 17, 18), Evaluations()
    analyst.leads = {3: -9.0, 4: -9.0}
    told: list[tuple[int, bool]] = []
    line = game.node.path()
    evaluated = await review(
        table(analyst),
        game,
        line,
        evaluations,
        BUDGET,
        report=lambda place, found: told.append((place, found is not None)),
    )
    assert [len(position.actions) for position in analyst.asked] == [0, 1, 2, 3, 4]
    assert told == [(1, False), (2, True), (3, True), (4, True), (5, True)]
    assert [(move.node.number, move.lost) for move in evaluated] == [(1, 0), (2, 0), (3, 9), (4, 0)]
    again = await review(table(analyst), game, line, evaluations, BUDGET)
    assert [move.lost for move in again] == [move.lost for move in evaluated]
    assert len(analyst.asked) == 5, "what is known with as many visits is not searched again"
    assert (line[3].properties or {})["SBKS"] == ["-9.00"]


async def test_what_another_evaluator_found_is_searched_again() -> None:
    analyst, game, evaluations = QuickAnalyst(), played(12, 13, 17, 18), Evaluations()
    line = game.node.path()
    lines = (Candidate(24, 100, 0.5, (24,), -30.0),)
    for node in line[1::2]:
        evaluations.note(node, Evaluation(0.1, -30.0, 500, "engine", "Other", lines), record=False)
    evaluated = await review(table(analyst), game, line, evaluations, BUDGET)
    assert len(analyst.asked) == len(line)
    assert [(move.before.source, move.after.source, move.lost) for move in evaluated] == [
        ("network", "network", 0.0)
    ] * 4
    await review(table(analyst), game, line, evaluations, BUDGET)
    assert len(analyst.asked) == len(line), "its own are not searched again"


async def test_what_another_network_found_is_searched_again() -> None:
    analyst, game, evaluations = QuickAnalyst(), played(12, 13), Evaluations()
    net: str | None = "/nets/b18.bin.gz"
    players = PlayerTable(lambda _seat: analyst, lambda: net)  # type: ignore[arg-type, return-value]
    line = game.node.path()
    await review(players, game, line[:2], evaluations, BUDGET)
    assert [value.evaluator for node in line if (value := evaluations.of(node)) is not None] == ["b18.bin.gz"] * 2
    net = usual_net()
    analyst.leads = {2: -9.0}
    evaluations.note(line[2], Evaluation(0.1, -30.0, 500, "network"), record=False)
    assert evaluated_moves(line[1:], evaluations, game.torus.size) == []
    await review(players, game, line, evaluations, BUDGET)
    assert [value.evaluator for node in line if (value := evaluations.of(node)) is not None] == ["network"] * 3


async def test_the_end_by_passes_is_judged_by_its_count() -> None:
    analyst, game, evaluations = QuickAnalyst(), played(12), Evaluations()
    game.pass_turn()
    game.pass_turn()
    await review(table(analyst), game, game.node.path(), evaluations, BUDGET)
    assert len(analyst.asked) == 3
    value = evaluations.of(game.node)
    area = game.area()
    assert value == Evaluation(1.0 if area.winner == BLACK else 0.0, area.margin, 0, "count")
    assert counted(game, game.root) is None


async def test_an_error_keeps_what_was_found_before() -> None:
    analyst, game, evaluations = QuickAnalyst(), played(12, 13), Evaluations()

    def report(place: int, _found: Evaluation | None) -> None:
        if place == 3:
            analyst.problem = PlayerError("gone")

    with pytest.raises(PlayerError, match="gone"):
        await review(table(analyst), game, game.node.path(), evaluations, BUDGET, report=report)
    assert evaluations.of(game.root) is not None
    assert evaluations.of(game.node) is None


@pytest.mark.parametrize(("command", "words"), [("'gnugo", "a quotation mark is not closed"), (" ", "no command")])
async def test_an_engine_whose_command_cannot_be_read_is_told_as_any_other_trouble(command: str, words: str) -> None:
    game = played(12)
    with pytest.raises(PlayerError, match=words):
        await analyse(PlayerTable(analyst=lambda: command), game, game.node, BUDGET)


async def test_a_mistake_is_marked_beside_what_is_there_and_taken_off_again() -> None:
    analyst, game, evaluations = QuickAnalyst(), played(12, 13, 17), Evaluations()
    analyst.leads = {1: -5.0, 2: -5.0, 3: -25.0}
    evaluated = await review(table(analyst), game, game.node.path(), evaluations, BUDGET)
    first, _second, third = (move.node for move in evaluated)
    set_comment(first, "A bold move: indeed")
    for _again in range(2):
        assert mark(evaluated, game.torus, "daoqi") == [first, third]
        assert comment(first).startswith(
            "A bold move: indeed\nReview: Mistake: A5 was 5.0 points better. Before this move the game was even"
        )
        assert "after it White led by 5.0 points (network, 100 visits)." in comment(first)
        assert comment(first).count("Review: ") == 1
    assert [(node.properties or {}).get("BM") for node in (first, third)] == [["1"], ["2"]]
    assert erase(first)
    assert comment(first) == "A bold move: indeed"
    assert "BM" not in (first.properties or {})
    assert not erase(first)


async def test_a_review_in_another_language_takes_the_place_of_the_one_before() -> None:
    analyst, game, evaluations = QuickAnalyst(), played(12), Evaluations()
    analyst.leads = {1: -5.0}
    evaluated = await review(table(analyst), game, game.node.path(), evaluations, BUDGET)
    for language in ("en", "zh", "en"):
        use_language(language)
        assert mark(evaluated, game.torus, "daoqi") == [game.node]
        assert len(comment(game.node).splitlines()) == 1
    use_language("zh")
    assert erase(game.node)
    assert comment(game.node) == ""
    assert "BM" not in (game.node.properties or {})


async def test_the_marks_and_words_of_the_author_of_a_record_stay() -> None:
    analyst, game, evaluations = QuickAnalyst(), played(12, 13, 17), Evaluations()
    analyst.leads = {1: -5.0, 2: -5.0, 3: -25.0}
    evaluated = await review(table(analyst), game, game.node.path(), evaluations, BUDGET)
    first, second, third = game.node.path()[1:]
    own = {
        first: {"C": ["Review: my own words"], "DO": [""]},
        second: {"C": ["Review: fine"], "BM": ["1"]},
        third: {"BM": ["1"]},
    }
    for node, properties in own.items():
        node.properties = dict(properties)
    mark(evaluated, game.torus, "daoqi")
    assert (third.properties or {})["BM"] == ["1"], "not the 2 of a blunder"
    record = Session(game=game).record()
    again = Session.opened(record).game.root.line()
    assert [erase(node) for node in again] == [True, False, True]
    assert [comment(node) for node in again] == ["Review: my own words", "Review: fine", ""]
    found = [
        {name: values for name, values in (node.properties or {}).items() if name in ("BM", "DO")} for node in again
    ]
    assert found == [{"DO": [""]}, {"BM": ["1"]}, {"BM": ["1"]}]


async def test_a_mark_that_a_person_changed_after_a_review_stays() -> None:
    analyst, game, evaluations = QuickAnalyst(), played(12), Evaluations()
    analyst.leads = {1: -5.0}
    evaluated = await review(table(analyst), game, game.node.path(), evaluations, BUDGET)
    mark(evaluated, game.torus, "daoqi")
    game.node.properties = {**(game.node.properties or {}), "BM": ["2"]}
    set_comment(game.node, comment(game.node) + " I do not think so.")
    assert erase(game.node)
    assert comment(game.node).endswith("I do not think so.")
    assert (game.node.properties or {})["BM"] == ["2"]


async def test_mistakes_are_stepped_through_and_summed_up() -> None:
    analyst, game, evaluations = QuickAnalyst(), played(12, 13, 17, 18, 22, 23), Evaluations()
    analyst.leads = {1: -4.0, 2: -4.0, 3: -4.0, 4: 6.0, 5: 6.0, 6: 6.0}
    evaluated = await review(table(analyst), game, game.node.path(), evaluations, BUDGET)
    numbers = [move.node.number if (move := next_mistake(evaluated, at, 1)) else None for at in range(5)]
    assert numbers == [1, 4, 4, 4, None]
    numbers = [move.node.number if (move := next_mistake(evaluated, at, -1)) else None for at in (6, 4, 1)]
    assert numbers == [4, 1, None]
    said = "White lost the lead with move 4, D2, which cost 10.0 points"
    assert describe_outcome(evaluated, game.torus, "daoqi") == f"{said}  ·  2 mistakes"
    lines = summary_lines(evaluated, game.torus, "daoqi")
    assert lines[0] == said
    assert lines[1:3] == ["Black: 1 mistake in 3 moves", "  1.33 points lost a move on average"]
    assert "moves 3 to 5" in lines[3]
    assert "Biggest swings:" in lines
    assert lines[-1] == "By: network, 100 visits a position"
    assert summary_lines([], game.torus, "daoqi") == []
    assert summary_lines(evaluated, game.torus, "daoqi", game.node.path()) == lines
    part = summary_lines(evaluated[:2], game.torus, "daoqi", game.node.path())
    assert part[0] == "Reviewed: 2 of 6 moves"


@pytest.mark.parametrize("network", ["", "katrain"])
async def test_what_a_network_sees_at_a_glance_is_worded_alike_for_a_move_and_a_review(network: str) -> None:
    game = played(12, 13, 17)
    evaluated = await review(table(QuickAnalyst()), game, game.node.path(), Evaluations(), BUDGET)
    seen = [move._replace(after=move.after._replace(visits=0, engine=network)) for move in evaluated]
    [source] = {move.after.describe_source() for move in seen}
    assert summary_lines(seen, game.torus, "daoqi")[-1] == f"By: {source}"


async def test_a_best_run_of_one_move_is_named_by_that_move() -> None:
    analyst, game = QuickAnalyst(), played(12, 13, 17, 18)
    analyst.leads = {1: 0.0, 2: 4.0, 3: -4.0, 4: 4.0}
    evaluated = await review(table(analyst), game, game.node.path(), Evaluations(), BUDGET)
    assert summary_lines(evaluated, game.torus, "daoqi")[3] == "  best run: 1 good move, move 1"


async def test_the_analyst_gets_the_budget_and_tells_what_it_finds() -> None:
    analyst, game = QuickAnalyst(), played(12)
    told: list[Evaluation] = []
    value = await analyse(table(analyst), game, game.node, Budget(77, 3.0), told.append)
    assert analyst.budgets == [(77, 3.0)]
    assert value == told[-1]
    assert value is not None
    assert value.source == "network"


async def test_a_folder_is_reviewed_once_and_goes_on_where_it_was_stopped(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Each game is written, noted and its mistakes kept before the next begins; only what has changed is done again."""
    for name in ("DATA", "CACHE", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))
    folder = tmp_path / "games"
    folder.mkdir()
    one, two = (Session(game=played(*moves)).record() for moves in ((12, 13, 17), (12, 18, 22)))
    unfit = {"flat": b"(;SZ[5];B[aa];W[bb])", "unread": one.replace(b";W[", b";W[zz]W[", 1)}
    for name, data in (("a", one), ("b", two), ("broken", b"no record"), ("two", one + two), *unfit.items()):
        (folder / f"{name}.sgf").write_bytes(data)
    (folder / "c.sgf").write_bytes(Session(game=Game(5)).record())
    analyst, shares = QuickAnalyst(), []
    analyst.leads = {1: 0.0, 2: 0.0, 3: -5.0}

    async def reviewed(budget: Budget = BUDGET) -> dict[str, ReviewedFile]:
        analyst.budgets.clear()
        files = review_folder(
            table(analyst), folder, budget, "daoqi", lambda share, place: shares.append((share, place))
        )
        return {done.file.stem: done async for done in files}

    stopped = review_folder(table(analyst), folder, BUDGET, "daoqi")
    async for done in stopped:
        assert done.file.name == "a.sgf"
        break
    await stopped.aclose()
    assert b"BM[1]" in (folder / "a.sgf").read_bytes()
    assert len(known_mistakes(mistakes_file())) == 1

    done = await reviewed()
    assert len(analyst.budgets) == 4, "the positions of the second game alone"
    assert {name: bool(each.evaluated) for name, each in done.items() if each.refused is None} == {
        "a": False,
        "b": True,
        "c": False,
    }
    assert "convert it first" in str(done["two"].refused)
    assert done["broken"].refused
    assert "does not say that it was played on a torus" in str(done["flat"].refused)
    assert done["unread"].refused
    assert {name: (folder / f"{name}.sgf").read_bytes() for name in unfit} == unfit, (
        "nothing is lost, or taken for a torus"
    )
    assert shares[0] == (1 / 7, "2/7")
    assert len(known_mistakes(mistakes_file())) == 2
    kept = {file.name: file.read_bytes() for file in folder.iterdir()}

    again = await reviewed()
    assert analyst.budgets == []
    assert [name for name, each in again.items() if each.refused is None and each.evaluated is not None] == []
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == kept

    (folder / "b.sgf").write_bytes(two)
    assert [name for name, each in (await reviewed()).items() if each.evaluated] == ["b"]
    assert (folder / "b.sgf").read_bytes() == kept["b.sgf"]
    more = await reviewed(Budget(BUDGET.visits + 1, 1.0))
    assert [name for name, each in more.items() if each.evaluated] == ["a", "b"]


async def test_a_folder_is_reviewed_where_nothing_can_be_noted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("DATA", "CACHE", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))
    (tmp_path / "CACHE").write_text("no folder")
    folder = tmp_path / "games"
    folder.mkdir()
    for name, moves in (("a", (12, 13, 17)), ("b", (12, 18, 22))):
        (folder / f"{name}.sgf").write_bytes(Session(game=played(*moves)).record())
    done = [each async for each in review_folder(table(QuickAnalyst()), folder, BUDGET, "daoqi")]
    refused = [each for each in done if each.refused is not None]
    assert [each.file.name for each in done if each.evaluated] == ["a.sgf", "b.sgf"]
    assert [str(each.refused).partition(": ")[0] for each in refused] == [
        "what is reviewed is not noted, and is reviewed again next time"
    ]
    assert refused[0].file.is_relative_to(tmp_path / "CACHE")


@pytest.mark.parametrize("seed", range(5))
async def test_a_record_that_is_opened_again_shows_what_its_review_showed(seed: int) -> None:
    chance, game, analyst = Random(seed), Game(9), QuickAnalyst()
    while len(game.moves()) < 40:
        count, legal = len(game.moves()), [point for point in range(81) if game.refusal(point) is None]
        made, *others = chance.sample(legal, 9)
        best = made if chance.random() < 0.4 else others[0]
        line = (best, *others[1 : chance.randrange(1, 9)])
        lead = chance.choice((0.0, 0.0, 2.0, -4.0, 11.0))
        analyst.answers[count] = Answer(1, best, 0.5, False, 100, 1.0, (Candidate(best, 100, 0.5, line, lead),), lead)
        game.play(made)
    evaluated = await review(table(analyst), game, game.node.path(), Evaluations(), BUDGET)
    unmarked = len(Session(game=game).record())
    mark(evaluated, game.torus, "daoqi")
    record = Session(game=game).record()
    # The lines add less than a fifth to the record.
    assert len(re.findall(rb"DQPV(?:\[[a-i]*\])+", record)) <= 40
    assert sum(map(len, re.findall(rb"DQPV(?:\[[a-i]*\])+", record))) < unmarked / 5
    again = Session.opened(record)
    known = evaluated_moves([again.game.root, *again.game.root.line()], Evaluations(), 9)
    assert [(move.node.number, move.grade, move.lost) for move in known] == [
        (move.node.number, move.grade, pytest.approx(move.lost, abs=0.01)) for move in evaluated
    ]
    shown = [(move.better[:6], describe_better(move, game.torus, "daoqi")) for move in evaluated if mistakes([move])]
    assert shown
    assert shown == [(move.better, describe_better(move, game.torus, "daoqi")) for move in known if mistakes([move])]
    # The next review replaces it; the tree is as it was, in this program and in others.
    mark(evaluated, game.torus, "daoqi")
    assert Session(game=game).record() == record
    assert len(list(again.game.root.walk())) == 41
    flat = sgf.Sgf_game.from_bytes(record).serialise()
    assert re.findall(rb"DQPV(?:\[[a-i]*\])+", flat) == re.findall(rb"DQPV(?:\[[a-i]*\])+", record)
    for node in game.root.walk():
        erase(node)
    assert len(Session(game=game).record()) == unmarked


@pytest.mark.parametrize("values", [["zz"], ["aa"] * 10**5, [""], ["ee"], ["e"], ["\x1b[2J"], ["cc", "xx"]])
def test_a_line_in_a_record_shows_no_stone_where_none_can_be(values: list[str]) -> None:
    game = Game(9)
    game.play(40)
    game.node.properties = {"DQPV": values}
    assert len(better_line(game.node, 9)) <= 100
    move = EvaluatedMove(game.node, BLACK, *[Evaluation(0.5, 0.0, 1, "network")] * 2, 9.0)
    better = move._replace(better=better_line(game.node, 9))
    free = [point for point, colour in enumerate(game.board.colours) if not colour]
    assert better_than(game.node, [better], game.board.colours).keys() <= {*free}
