"""The best moves on the board and in words: hints of increasing clarity, and complete search results."""

from __future__ import annotations

import pytest

from daoqi_tui.ai import Candidate
from daoqi_tui.engine import BLACK, PASS, WHITE, Colour, Game, torus_of
from daoqi_tui.pictures.picture import Chip, Picture
from daoqi_tui.play.evaluation import Clarity, Evaluation
from daoqi_tui.play.hints import BestMoves, describe_balance, short_count

LINES = (
    Candidate(40, 812, 0.62, (40, 41, 42), 3.0),
    Candidate(8, 150, 0.55, (8, 40), 0.4),
    Candidate(72, 5, 0.031, (72,), -9.0),
    Candidate(PASS, 2, 0.01, (PASS,), -40.0),
)


def best(lines: tuple[Candidate, ...] = LINES, *, mover: int = BLACK) -> BestMoves:
    game = Game(9)
    return BestMoves(game.root, mover, Evaluation(0.62, 3.0, 970, "network", "", lines))


def shown(moves: BestMoves, clarity: Clarity, point: int = 0, picture: Picture | None = None) -> Picture:
    return moves.shown_on(picture or Picture(9, bytes(81)), torus_of(9), clarity, point)


def test_a_hint_says_the_area_then_three_points_then_the_move() -> None:
    area = shown(best(), Clarity.REGION)
    assert 40 in area.chain
    assert 9 <= len(area.chain) <= 16
    assert not area.labels
    assert not area.chips
    assert not area.proposed
    points = shown(best(), Clarity.POINTS)
    assert points.labels == {8: "A", 40: "B", 72: "C"}, "in the order of the board, not of their worth"
    assert not points.proposed
    move = shown(best(), Clarity.MOVE)
    assert move.proposed == {40: BLACK, 41: WHITE, 42: BLACK}
    assert move.labels == {40: "1", 41: "2", 42: "3"}
    assert not move.chips
    assert shown(best(), Clarity.NOTHING) == Picture(9, bytes(81))


@pytest.mark.parametrize("point", range(0, 81, 7))
def test_the_area_holds_the_move_wherever_it_is(point: int) -> None:
    area = best((Candidate(point, 9, 0.5, (point,), 0.0),)).region(torus_of(9))
    assert point in area
    assert len(area) == 9


def test_steps_of_clarity() -> None:
    steps = [Clarity.NOTHING]
    for _ in range(4):
        steps.append(steps[-1].clearer)
    assert steps == [Clarity.NOTHING, Clarity.REGION, Clarity.POINTS, Clarity.MOVE, Clarity.MOVE]


def test_all_moves_have_win_rate_points_lost_visits_and_the_colour_of_their_loss() -> None:
    assert shown(best(), Clarity.ALL).chips == {
        40: Chip(0, ("62%", "0", "812"), 1),
        8: Chip(1, ("55%", "−2.6", "150"), 2),
        72: Chip(3, ("3%", "−12.0", "5"), 3),
    }
    assert [chip.short for chip in shown(best(), Clarity.ALL).chips.values()] == ["62", "55", " 3"]


def test_what_a_move_loses_is_told_for_its_side() -> None:
    lines = (Candidate(40, 9, 0.5, (40,), -3.0), Candidate(8, 9, 0.5, (8,), 1.0))
    assert [round(best(lines, mover=WHITE).lost(line), 1) for line in lines] == [0, 4]
    assert [round(best(lines, mover=BLACK).lost(line), 1) for line in lines] == [0, 0], "a worse first move loses 0"


def test_the_move_pointed_at_shows_its_line_and_the_others_stay() -> None:
    pointed = shown(best(), Clarity.ALL, point=8)
    # The second move of the line is not drawn: it would cover the numbers of another best move.
    assert pointed.proposed == {8: BLACK}
    assert set(pointed.chips) == {40, 72}
    pointed = shown(best(), Clarity.ALL, point=40)
    assert pointed.proposed == {40: BLACK, 41: WHITE, 42: BLACK}
    assert set(pointed.chips) == {8, 72}


def test_nothing_is_drawn_over_stones() -> None:
    picture = Picture(9, bytes(81)[:41] + bytes([1]) + bytes(39))
    pointed = shown(best(), Clarity.ALL, 40, picture)
    assert pointed.proposed == {40: BLACK, 42: BLACK}
    assert pointed.stones == picture.stones


def test_words_say_what_the_numbers_are() -> None:
    torus = torus_of(9)
    words = best().describe(torus, "daoqi", Clarity.ALL, 8, 200)
    assert words == "I9 loses 2.6 points compared with E5  ·  Then E5"
    words = best().describe(torus, "daoqi", Clarity.ALL, 0, 64)
    assert words.startswith("Best: E5. Black is slightly ahead")
    assert best().describe_move(LINES[1], torus, "daoqi") == (
        "I9: win rate 55%, score lead B+0.4, points lost 2.6, 150 visits"
    )
    area = best().describe(torus, "daoqi", Clarity.REGION, 0, 200)
    assert "E5" not in area
    words = best().describe(torus, "daoqi", Clarity.REGION, 0, 68)
    assert words == "Look in the highlighted area  ·  hint says more, clear clears"
    words = best().describe(torus, "daoqi", Clarity.POINTS, 0, 28)
    assert words == "One of these moves is best"
    only_pass = best((LINES[3],))
    assert "pass" in only_pass.describe(torus, "daoqi", Clarity.REGION, 0, 200)
    assert shown(only_pass, Clarity.REGION).chain == frozenset()


def test_short_counts() -> None:
    counts = [short_count(count) for count in (7, 999, 1000, 1234, 34_567, 2_500_000)]
    assert counts == ["7", "999", "1.0k", "1.2k", "34k", "2.5M"]
    counts = [short_count(count) for count in (9_950, 9_951, 9_999, 10_000, 999_999, 1_000_000, 9_960_000)]
    assert counts == ["9.9k", "9.9k", "9.9k", "10k", "999k", "1.0M", "9.9M"]


@pytest.mark.parametrize(
    ("share", "mover", "words"),
    [
        (0.5, BLACK, "About even"),
        (0.46, WHITE, "About even"),
        (0.6, WHITE, "White is slightly ahead"),
        (0.28, BLACK, "White is ahead"),
        (0.93, BLACK, "Black is winning"),
        (0.07, WHITE, "Black is winning"),
    ],
)
def test_the_balance_is_said_as_a_player_says_it(share: float, mover: Colour, words: str) -> None:
    assert describe_balance(share, mover) == words
