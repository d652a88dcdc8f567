"""The wording of moves, refusals, scores, results and clocks."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from daoqi_tui.ai import Candidate, Progress
from daoqi_tui.engine import (
    BLACK,
    PASS,
    WHITE,
    Game,
    GameOver,
    IllegalMove,
    Occupied,
    Refusal,
    Repeats,
    Rules,
    torus_of,
)
from daoqi_tui.engine.clock import TimeLeft
from daoqi_tui.i18n import use_language
from daoqi_tui.play.players import Thinking
from daoqi_tui.play.wording import (
    brief_result,
    colour_word,
    describe_margin,
    describe_move,
    describe_now,
    describe_refusal,
    describe_result,
    describe_sum,
    describe_turn,
    fitting,
    two_sentences,
    with_keys,
)
from daoqi_tui.record.sgf.info import read_result
from daoqi_tui.text import cell_width
from daoqi_tui.tui.panes import describe_time

TORUS = torus_of(16)


@pytest.mark.parametrize(
    ("refusal", "named"),
    [
        (Occupied(TORUS.parse("C3")), ["C3"]),
        (Repeats(TORUS.parse("C3"), 37, WHITE), ["C3", "37", "White"]),
        (Repeats(TORUS.parse("K12"), 4, BLACK), ["K12", "4", "Black"]),
        (Repeats(TORUS.parse("C3"), 0, BLACK), ["C3", "start", "Black"]),
        (GameOver(), ["over"]),
    ],
)
def test_a_refusal_names_the_point_the_move_and_the_side(refusal: Refusal, named: list[str]) -> None:
    words = describe_refusal(refusal, TORUS, "daoqi")
    assert all(name in words for name in named), words


def test_a_repetition_is_told_as_the_rules_of_the_game_do() -> None:
    words = describe_refusal(Repeats(TORUS.parse("C3"), 37, WHITE), TORUS, "daoqi")
    assert words == "C3 would repeat the position after move 37 with White to move"


def test_points_are_named_in_the_style_chosen() -> None:
    point = TORUS.parse("J3")
    assert "J3" in describe_refusal(Occupied(point), TORUS, "daoqi")
    assert "K3" in describe_refusal(Occupied(point), TORUS, "gtp")
    assert "jn" in describe_refusal(Occupied(point), TORUS, "sgf")


def test_a_refused_play_of_a_real_game_is_put_into_words() -> None:
    game = Game(5)
    game.play(0)
    with pytest.raises(IllegalMove) as refused:
        game.play(0)
    assert game.torus.name(0) in describe_refusal(refused.value.refusal, game.torus, "daoqi")


def test_moves_are_named() -> None:
    game = Game(9)
    start = game.node
    setup = game.setup(black=[0], to_move=WHITE)
    play = game.play(game.torus.parse("E5"))
    assert [describe_move(node, game.torus, "daoqi") for node in (start, setup, play, game.pass_turn())] == [
        "start",
        "setup",
        "E5",
        "pass",
    ]


def test_a_count_is_written_out_so_that_it_adds_up() -> None:
    game = Game(5, komi=3.75)
    game.play(0)
    game.pass_turn()
    game.pass_turn()
    area = game.area()
    assert describe_sum(area, BLACK) == "1 + 24 − 1 = 24"
    assert describe_sum(area, WHITE) == "0 + 0 − 1 + 3.75 = 2.75"
    assert describe_margin(area) == "Black by 21.25"


@pytest.mark.parametrize(("cost", "words"), [(0, "1"), (1, "1 − 2 passes = −1"), (3, "1 − 3 × 2 passes = −5")])
def test_a_count_tells_passes_and_what_they_cost(cost: int, words: str) -> None:
    game = Game(5, komi=0, rules=Rules(pass_cost=cost))
    for point in (PASS, 0, PASS, 1, 12):
        game.play(point) if point != PASS else game.pass_turn()
    assert describe_now(game.area(), cost) == f"Black {words}, White 2"


def test_a_negative_total_has_the_minus_sign_of_the_sum() -> None:
    game = Game(5, komi=0)
    game.pass_turn()
    assert describe_now(game.area(), 1) == "Black 0 − 1 pass = −1, White 0"


def test_a_tie_says_who_wins_it() -> None:
    game = Game(5, komi=0)
    assert game.area().tie
    assert "White" in describe_margin(game.area())
    game.pass_turn()
    game.pass_turn()
    assert game.result is not None
    assert describe_result(game.result) == "Equal: White wins a tie"
    drawn = Game(5, komi=0, rules=replace(game.rules, tie=None))
    drawn.pass_turn()
    drawn.pass_turn()
    assert drawn.result is not None
    assert describe_result(drawn.result) == "Equal: the game is drawn"


_RESULTS = ("B+R", "W+R", "B+T", "W+T", "B+F", "B+3", "W+0.5", "W+0", "B+0", "W+", "0", "Void")


@pytest.mark.parametrize("language", ["zh", "zh-TW"])
def test_results_in_chinese_have_no_letters_and_are_read_as_they_are_shown(language: str) -> None:
    use_language(language)
    rules = Game(5).rules
    counted = [
        Game(5, komi=komi, rules=replace(rules, tie=tie))
        for komi, tie in ((0, BLACK), (0, WHITE), (0, None), (4, None))
    ]
    for game in counted:
        game.pass_turn()
        game.pass_turn()
    sentences = [describe_result(game.result) for game in counted if game.result is not None]
    sentences += [describe_margin(game.area()) for game in counted]
    words = list(map(brief_result, _RESULTS))
    assert len(set(words)) == len(_RESULTS)
    for text in (*sentences, *words):
        assert not re.search("[A-Za-z+]", text), text
    assert list(map(read_result, words)) == list(_RESULTS)


def test_results_name_the_winner_and_the_way() -> None:
    counted, resigned, timed = Game(5), Game(5), Game(5)
    counted.pass_turn()
    counted.pass_turn()
    resigned.resign(BLACK)
    timed.lose_on_time(WHITE)
    results = [game.result for game in (counted, resigned, timed)]
    words = [describe_result(result) for result in results if result is not None]
    assert words == ["White wins by 4", "Black resigns: White wins", "White ran out of time: Black wins"]
    assert colour_word(BLACK) == "Black"


def test_the_name_of_an_engine_has_a_space_beside_chinese() -> None:
    use_language("zh")
    game = Game(5)
    words = [
        Thinking(game.node, BLACK, name, 0).describe(0, game.torus, "daoqi", 80) for name in ("gnugo", "电脑 5 级")
    ]
    assert [text.split("  ")[0] for text in words] == ["gnugo 思考中", "电脑 5 级思考中"]
    assert with_keys("{name}正在思考", name="gnugo") == "gnugo 正在思考"


@pytest.mark.parametrize("code", ["en", "zh"])
def test_the_end_of_a_game_is_told_with_one_colon_at_most(code: str) -> None:
    use_language(code)
    resigned, timed, drawn, tied = Game(5), Game(5), Game(5, rules=Rules(komi=0, tie=None)), Game(5, komi=0)
    resigned.resign(BLACK)
    timed.lose_on_time(WHITE)
    for game in (drawn, tied):
        game.pass_turn()
        game.pass_turn()
    for game in (resigned, timed, drawn, tied):
        words = describe_turn(game)
        assert game.is_over
        assert words.count(":") + words.count("：") <= 1, words


@pytest.mark.parametrize(
    ("left", "words"),
    [
        (TimeLeft(600, 3, in_byoyomi=False), "10:00"),
        (TimeLeft(59.9, 0, in_byoyomi=False), "0:59"),
        (TimeLeft(9.94, 0, in_byoyomi=False), "0:09.9"),
        (TimeLeft(0, 0, in_byoyomi=True), "0:00.0 ×0"),
        (TimeLeft(24, 3, in_byoyomi=True), "0:24 ×3"),
        (TimeLeft(3661, 0, in_byoyomi=False), "1:01:01"),
    ],
)
def test_clocks_are_written_as_people_read_them(left: TimeLeft, words: str) -> None:
    assert describe_time(left) == words


@pytest.mark.parametrize(
    ("room", "line"),
    [
        (18, "甲乙  ·  丙  ·  丁"),
        (17, "甲乙 · 丙 · 丁"),
        (14, "甲乙 · 丙 · 丁"),
        (13, "甲乙  ·  丙"),
        (9, "甲乙 · 丙"),
        (8, "甲乙"),
        (2, "甲乙"),
    ],
)
def test_parts_are_joined_closer_and_left_out_as_the_cells_of_the_line_demand(room: int, line: str) -> None:
    assert fitting(["甲乙", "", "丙", "丁"], room) == line


def test_what_a_computer_thinks_fits_the_line_in_either_language() -> None:
    torus = torus_of(9)
    candidate = Candidate(40, 900, 0.54, (40, 41, 42, 43, 44, 45), 0.5)
    for code in ("zh", "en"):
        use_language(code)
        thinking = Thinking(Game(9).node, BLACK, "电脑 3", 0.0, Progress(1, 1234, 1.0, (candidate,), 0.5))
        for room in range(30, 100):
            assert cell_width(thinking.describe(1.0, torus, "daoqi", room)) <= room


def test_what_is_joined_in_chinese_has_full_width_punctuation() -> None:
    game = Game(9)
    game.play(40)
    use_language("zh")
    assert describe_now(game.area(), game.rules.pass_cost) == "黑 81，白 0 + 4 = 4"
    assert two_sentences("甲", "乙") == "甲。乙"
