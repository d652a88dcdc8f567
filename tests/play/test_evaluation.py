"""Evaluations of the positions of a game: points lost by moves, summaries per player, and storage in a record."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from daoqi_tui.ai import Answer, Candidate, Estimate, Position, Think
from daoqi_tui.ai.player import SearchPlayer
from daoqi_tui.config import BY_PATH
from daoqi_tui.engine import BLACK, WHITE, Game, Node
from daoqi_tui.pictures.picture import Mistake
from daoqi_tui.play.analyst import _TEACH, REVIEW, describe_expected
from daoqi_tui.play.evaluation import (
    Evaluation,
    Evaluations,
    Grade,
    describe_lead,
    describe_lost,
    evaluated_moves,
    grade_of,
    least_lost,
    mistakes_on,
    player_summary,
    set_grades,
    swings,
)
from daoqi_tui.play.hints import BestMoves
from daoqi_tui.play.review import describe_why
from daoqi_tui.play.session import Session
from daoqi_tui.play.wording import colour_word
from daoqi_tui.record.sgf.markup import RecordedEvaluation, evaluation, set_evaluation


def game_with(*leads: float | None, best: int = 24) -> tuple[Game, Evaluations]:
    """Return a game with a node for each of Black's ``leads``, and its evaluations with the best move ``best``."""
    game = Game(5)
    for point in range(len(leads) - 1):
        game.play(point)
    evaluations = Evaluations()
    for node, lead in zip(game.node.path(), leads, strict=True):
        if lead is not None:
            lines = (Candidate(best, 50, 0.5, (best, 3), lead),)
            evaluations.note(node, Evaluation(0.5, lead, 100, "network", "", lines), record=False)
    return game, evaluations


def lost(game: Game, evaluations: Evaluations) -> dict[int, float]:
    evaluated = evaluated_moves(game.node.path(), evaluations, game.torus.size)
    return {move.node.number: round(move.lost, 1) for move in evaluated}


def test_a_move_loses_what_the_lead_falls_by_for_its_side() -> None:
    game, evaluations = game_with(1, 0, 4, 4.5, -5.5)
    assert lost(game, evaluations) == {1: 1, 2: 4, 3: 0, 4: 0}
    game, evaluations = game_with(0, 0, 0, -9)
    assert lost(game, evaluations) == {1: 0, 2: 0, 3: 9}


def test_what_all_moves_seem_to_lose_is_no_loss() -> None:
    # Every move but the sixth seems to lose one point: the score estimate always favours the side to move.
    game, evaluations = game_with(0, -1, 0, -1, 0, -1, 5, 4, 5, 4)
    assert lost(game, evaluations) == {number: 5 if number == 6 else 0 for number in range(1, 10)}


def test_the_words_on_a_mistake_add_up() -> None:
    game, evaluations = game_with(0, -1, 0, -1, 0, -1, 5, 4, 5, 4)
    sixth = evaluated_moves(game.node.path(), evaluations, game.torus.size)[5]
    words = describe_why(sixth, game.torus, "daoqi")
    assert words.startswith(
        "Mistake: E1 was 5.0 points better, then D5. Before this move White led by 1 point, after it Black led by 5.0 "
        "points, less 1.0, the"
    )


def test_a_mistake_is_punished_if_the_answer_keeps_more_than_half_of_what_it_lost() -> None:
    game, evaluations = game_with(0, -8, -4.5, -8, -3, 0, 0, -8)
    evaluated = evaluated_moves(game.node.path(), evaluations, game.torus.size)
    lost = [(move.node.number, move.lost, move.punished) for move in evaluated if move.lost]
    assert lost == [(1, 8, True), (2, 3.5, False), (3, 3.5, False), (4, 5, True), (7, 8, False)]


def test_marks_stand_on_the_stones_that_the_mistakes_left() -> None:
    # White's stones at A5 and D5 each lose 4 points; the one at A5 is captured, and Black's there loses nothing.
    game = Game(5)
    for point in (1, 0, 5, 3, 4, 12, 20, 13, 0):
        game.play(point)
    line = game.node.path()
    marks = {line[2]: Mistake(2, punished=False), line[4]: Mistake(2, punished=True)}
    assert mistakes_on(game.board.colours, line, marks) == {3: Mistake(2, punished=True)}
    assert mistakes_on(bytes(25), line, marks) == {}


def test_the_thresholds_of_the_grades_are_those_of_the_settings() -> None:
    try:
        set_grades("0.5 2 20")
        assert [grade_of(lost) for lost in (0.4, 0.5, 2, 19.9, 20)] == [0, 1, 2, 2, 3]
        assert least_lost(Grade.MISTAKE) == 2
    finally:
        set_grades(str(BY_PATH["analysis.grades"].default))
    allowed = BY_PATH["analysis.grades"].fits
    assert not any(map(allowed, ("", "1 2", "1 2 3 4", "3 2 1", "1 1 2", "0 1 2", "a b c", 3, "1 2 1e9")))


def test_what_the_search_would_play_itself_is_no_loss() -> None:
    game, evaluations = game_with(0, 0, 0, -9, best=2)
    assert lost(game, evaluations)[3] == 0


def test_a_fall_between_two_moves_of_a_computer_is_its_opponents() -> None:
    game, evaluations = game_with(None, 0, None, 8, None)
    assert lost(game, evaluations) == {3: 0}
    game, evaluations = game_with(0, None, 8, None, -1)
    (first, second) = evaluated_moves(game.node.path(), evaluations, game.torus.size)
    assert (first.node.number, first.mover, first.lost) == (2, WHITE, 8)
    assert (second.node.number, second.lost) == (4, 0)
    assert first.better == (), "the search two moves before tells no better move"
    game, evaluations = game_with(0, None, None, 8)
    assert lost(game, evaluations) == {}


def judged_by(*evaluators: Evaluation | None) -> dict[int, float]:
    """Return the points lost by each move of a game with these evaluations."""
    game = Game(5)
    for point in range(len(evaluators) - 1):
        game.play(point)
    evaluations = Evaluations()
    for node, value in zip(game.node.path(), evaluators, strict=True):
        if value is not None:
            evaluations.note(node, value, record=False)
    return lost(game, evaluations)


def test_the_difference_of_two_evaluators_is_no_loss() -> None:
    def network(lead: float) -> Evaluation:
        return Evaluation(0.5, lead, 100, "network")

    def larger(lead: float) -> Evaluation:
        return Evaluation(0.5, lead, 100, "network", "b18.bin.gz")

    def engine(lead: float, command: str = "") -> Evaluation:
        return Evaluation(0.5, lead, 100, "engine", "KataGo", engine_id=command)

    playouts, count = Evaluation(0.5, -9, 900, "playouts"), Evaluation(0.0, -9, 0, "count")
    for other in (engine(-9), larger(-9), playouts, count):
        assert judged_by(network(0), other) == {}
        assert judged_by(other, network(-30)) == {}
    assert judged_by(larger(0), larger(-9)) == {1: 9}
    assert judged_by(network(0), engine(50), network(5)) == {2: 5}, "as between two moves of a computer"
    assert judged_by(network(0), engine(50), network(5), engine(40)) == {2: 5, 3: 10}
    assert judged_by(network(0), engine(50), None, network(5)) == {}
    assert judged_by(engine(0, "katago a"), engine(-9, "katago b")) == {}, "two networks of one program"
    assert judged_by(engine(0, "katago a"), engine(-9, "katago a")) == {1: 9}
    assert judged_by(engine(0, "katago a"), engine(-9)) == {1: 9}, "an older record knows its name alone"


def test_a_network_that_did_not_come_with_the_program_is_told_by_its_name() -> None:
    own = found(0.7, 0, 100)
    value = Evaluation.of(own, WHITE, network="b18.bin.gz")
    assert value is not None
    assert value.describe_source() == "b18.bin.gz, 100 visits"
    assert Evaluation.of(found(0.7, 0, 100), WHITE, network="b18.bin.gz") == Evaluation(
        1 - 0.7, 0, 100, "network", "b18.bin.gz", own.lines
    )
    session = Session()
    node = session.game.play(0)
    evaluations = Evaluations()
    evaluations.note(node, value, record=True)
    recorded = Evaluations().of(Session.opened(session.record()).game.root.line()[-1])
    assert recorded is not None
    assert recorded.is_like(value)
    assert not recorded.is_like(Evaluation(0.5, 0, 100, "network"))


def test_an_engine_in_a_record_is_told_from_another_of_its_name() -> None:
    session = Session()
    node = session.game.play(0)
    found_by = {
        command: Evaluation.of(found(0.7, 0, 100), WHITE, "KataGo", command=command)
        for command in ("katago a", "katago b")
    }
    one, other = found_by.values()
    assert one is not None
    assert other is not None
    Evaluations().note(node, one, record=True)
    recorded = Evaluations().of(Session.opened(session.record()).game.root.line()[-1])
    assert recorded is not None
    assert recorded.is_like(one)
    assert not recorded.is_like(other)


@pytest.mark.parametrize(
    ("points", "grade"),
    [(0, Grade.GOOD), (1.49, Grade.GOOD), (1.5, Grade.INACCURACY), (3, Grade.MISTAKE), (8, Grade.BLUNDER)],
)
def test_moves_are_classed_by_points_lost(points: float, grade: Grade) -> None:
    assert grade_of(points) == grade


def test_a_summary_has_the_mean_the_best_run_and_the_worst() -> None:
    game, evaluations = game_with(0, 0, 0, -4, -4, -4, -2, -2, -2, -12)
    evaluated = evaluated_moves(game.node.path(), evaluations, game.torus.size)
    black = player_summary(evaluated, BLACK)
    assert (black.moves, black.counts) == (5, (3, 0, 1, 1))
    assert black.mean == pytest.approx((4 + 10) / 5)
    assert black.best_run == (5, 7, 2)
    white = player_summary(evaluated, WHITE)
    assert (white.moves, white.counts, white.best_run) == (4, (3, 1, 0, 0), (2, 4, 2))
    assert [move.node.number for move in swings(evaluated)] == [9, 3, 6]
    nobody = player_summary([], BLACK)
    assert (nobody.moves, nobody.mean, nobody.best_run) == (0, 0, None)


def test_a_search_of_more_visits_replaces_one_of_fewer() -> None:
    evaluations, node = Evaluations(), Game(5).root
    assert evaluations.note(node, Evaluation(0.5, 1, 100, "network"), record=False)
    assert not evaluations.note(node, Evaluation(0.9, 9, 50, "network"), record=False)
    assert evaluations.of(node) == Evaluation(0.5, 1, 100, "network")
    assert evaluations.note(node, Evaluation(0.6, 2, 100, "network"), record=False)
    assert evaluations.note(node, Evaluation(1.0, 3, 0, "count"), record=False), "a count is certain"
    version = evaluations.version
    evaluations.clear()
    assert evaluations.of(node) is None
    assert evaluations.version > version


def test_an_analysis_replaces_what_another_evaluator_found_but_a_move_in_play_does_not() -> None:
    evaluations, node = Evaluations(), Game(5).root
    evaluations.note(node, Evaluation(0.9, 30, 500, "engine", "Other"), record=False)
    network = Evaluation(0.5, 0, 60, "network")
    assert not evaluations.note(node, network, record=False)
    assert evaluations.note(node, network, record=True)
    assert evaluations.of(node) == network


def found(win: float, margin: float, visits: int) -> Answer:
    return Answer(1, 0, win, False, visits, 1.0, (Candidate(0, 9, win, (0,), margin),), margin)


def test_an_evaluation_is_told_for_black() -> None:
    value = Evaluation.of(found(0.7, -3.0, 12), WHITE)
    assert value is not None
    assert (round(value.black, 2), value.lead, value.source) == (0.3, -3.0, "network")
    assert value.lead_of(WHITE) == 3.0
    assert value.describe_source() == "network, 12 visits"
    engine = Evaluation.of(found(0.7, 0, 1200), WHITE, "KataGo")
    assert engine is not None
    assert engine.describe_source() == "KataGo, 1,200 visits"
    assert Evaluation(0.5, 0.0, 0, "network").describe_source() == "network, at a glance"


def test_leads_in_words() -> None:
    assert [describe_lead(lead) for lead in (3.24, -0.5, 0.04, -0.04)] == ["B+3.2", "W+0.5", "even", "even"]
    assert [describe_lead(lead, short=True) for lead in (9.94, 9.96, -102.5)] == ["B+9.9", "B+10", "W+102"]
    assert [describe_lost(lost) for lost in (0.04, 3.24, 12.34)] == ["0", "−3.2", "−12.3"]
    assert [describe_lost(lost, short=True) for lost in (0.04, 3.24, 9.96, 12.34)] == ["0", "−3.2", "−10", "−12"]


# In a record


def test_a_record_keeps_win_rate_and_lead_as_sabaki_writes_them() -> None:
    session = Session()
    node = session.game.play(0)
    evaluations = Evaluations()
    evaluations.note(node, Evaluation(0.4837, -2.345, 812, "network"), record=True)
    data = session.record()
    assert b"SBKV[48.37]" in data
    assert b"SBKS[-2.35]" in data or b"SBKS[-2.34]" in data
    again = Session.opened(data).game.root.line()[-1]
    value = Evaluations().of(again)
    assert value is not None
    assert (round(value.black, 6), value.visits, value.source) == (0.4837, 812, "network")
    assert value.lead == pytest.approx(-2.345, abs=0.01)
    assert value.describe_source() == "network, 812 visits"


@pytest.mark.parametrize(
    ("properties", "read"),
    [
        ({"SBKV": ["55.5"]}, RecordedEvaluation(0.555)),
        ({"SBKV": ["55.5"], "SBKS": ["1.5"]}, RecordedEvaluation(0.555, 1.5)),
        ({"SBKV": ["50"], "SBKS": ["x"]}, RecordedEvaluation(0.5)),
        ({"SBKV": ["50"], "SBKS": ["inf"], "DQEV": ["network"]}, RecordedEvaluation(0.5)),
        ({"SBKV": ["50"], "DQEV": ["KataGo 1.15:400"]}, RecordedEvaluation(0.5, None, 400, "KataGo 1.15")),
        (
            {"SBKV": ["50"], "DQEV": ["KataGo:400", "0123abcd"]},
            RecordedEvaluation(0.5, None, 400, "KataGo", "0123abcd"),
        ),
        ({"SBKV": ["50"], "DQEV": ["KataGo:400", "\x1b[31m"]}, RecordedEvaluation(0.5, None, 400, "KataGo")),
        ({"SBKV": ["50"], "DQEV": ["network:" + "9" * 5000]}, RecordedEvaluation(0.5)),
        ({"SBKV": ["nan"]}, None),
        ({"SBKV": ["101"]}, None),
        ({"SBKV": [""]}, None),
        ({"SBKV": []}, None),
        ({"SBKS": ["1.5"]}, None),
        ({}, None),
    ],
)
def test_what_a_record_says_is_read_as_far_as_it_can_be(
    properties: dict[str, list[str]], read: RecordedEvaluation | None
) -> None:
    node = Node(None, None, 0)
    node.properties = properties
    assert evaluation(node) == read


def test_a_shorter_search_leaves_the_values_of_a_record_and_adds_its_lines() -> None:
    node = Node(None, None, 0)
    deep = RecordedEvaluation(0.75, 2.0, 5000, "network")
    set_evaluation(node, deep)
    evaluations = Evaluations()
    lines = (Candidate(3, 50, 0.5, (3, 4), 0.5),)
    assert evaluations.note(node, Evaluation(0.5, 0.5, 100, "network", "", lines), record=True)
    assert evaluation(node) == deep
    assert evaluations.of(node) == Evaluation(0.75, 2.0, 5000, "network", "", lines)
    assert evaluations.found_here(node) == Evaluation(0.5, 0.5, 100, "network", "", lines)
    deeper = Evaluation(0.25, -2.0, 6000, "network", "", lines)
    assert evaluations.note(node, deeper, record=True)
    assert evaluation(node) == RecordedEvaluation(0.25, -2.0, 6000, "network")
    assert evaluations.of(node) == deeper
    other = Evaluation(0.5, 0.5, 100, "playouts", "", lines)
    assert evaluations.note(node, other, record=True), "visits of another evaluator say nothing"
    assert evaluation(node) == RecordedEvaluation(0.5, 0.5, 100, "playouts")
    assert evaluations.of(node) == other


def test_the_source_that_a_record_names_is_shown_without_control_characters() -> None:
    data = "(;GM[1]FF[4]SZ[9];B[aa]SBKV[60]SBKS[2]DQEV[\x1b\\]0;title\x07\u202eevil\n :900])".encode()
    (node,) = Session.opened(data).game.root.line()
    value = Evaluations().of(node)
    assert value is not None
    assert value.describe_source() == "␛]0;title␇evil, 900 visits"


def test_an_evaluation_is_written_beside_what_is_there_and_taken_off_again() -> None:
    node = Node(None, None, 0)
    node.properties = {"C": ["said"]}
    set_evaluation(node, RecordedEvaluation(1.0, 3.0, 5, "a: b]"))
    assert evaluation(node) == RecordedEvaluation(1.0, 3.0, 5, "a: b]")
    set_evaluation(node, RecordedEvaluation(0.25))
    assert node.properties == {"C": ["said"], "SBKV": ["25.00"]}
    set_evaluation(node, None)
    assert node.properties == {"C": ["said"]}


@pytest.mark.parametrize("komi", [-20.5, -10, 4, 14, 24.5])
@pytest.mark.parametrize(("handicap", "moves"), [(0, 2), (0, 3), (2, 0), (3, 0), (3, 1), (4, 1), (5, 0)])
def test_headline_win_rate_and_lead_are_for_the_same_side_whatever_komi_and_handicap(
    komi: float, handicap: int, moves: int
) -> None:
    game = Game(9, komi, handicap)
    for point in (11, 69, 40)[:moves]:
        game.play(point)
    mover = game.to_move
    answer = SearchPlayer().think(Think(Position.of(game), 10, visits=32, seed=1, analyse=True))
    found = Evaluation.of(answer, mover)
    assert found is not None
    best = BestMoves(game.node, mover, found)
    first = best.lines[0]
    win = found.black if mover == BLACK else 1 - found.black
    assert win == pytest.approx(first.win), "the headline and the list agree"
    assert (found.lead, best.lost(first)) == (first.margin, 0)
    ahead = BLACK if found.black > 0.5 else WHITE
    if abs(found.black - 0.5) > 0.1:
        assert (found.lead_of(ahead) or 0) > 0, "who is more likely to win leads"
        assert f"{colour_word(ahead)} is " in best.verdict(first, game.torus, "daoqi")
    estimate = SearchPlayer().estimate(Estimate(Position.of(game)))
    words = describe_expected(estimate)
    if max(estimate.black, 1 - estimate.black) >= 0.55:
        likely = BLACK if estimate.black > 0.5 else WHITE
        assert f"Estimate: {colour_word(likely)} is " in words
        lead = estimate.margin if likely == BLACK else -estimate.margin
        assert ("by about" in words) == (round(lead) > 0), "points of the other side are no lead"
    else:
        assert "Estimate: About even" in words
    if abs(komi) > 20 and not handicap:
        # Komi decides, not whose turn it is.
        assert ahead == (WHITE if komi > 0 else BLACK)
        assert (estimate.black > 0.5) is (estimate.margin > 0) is (ahead == BLACK)


@pytest.mark.parametrize("page", ["docs/study.md", "docs/zh-CN/study.md"])
def test_the_page_names_the_caps_of_teach_mode_and_review(page: str) -> None:
    text = (Path(__file__).resolve().parents[2] / page).read_text("utf-8")
    numbers = set(re.findall(r"\d+(?:\.\d+)?", text))
    for budget in (REVIEW, _TEACH):
        assert {f"{budget.visits}", f"{budget.seconds:g}"} <= numbers
