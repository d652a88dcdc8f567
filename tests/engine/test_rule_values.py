"""Each option of the rules: the three kinds of superko, suicide, the cost of a pass, komi and ties."""

from __future__ import annotations

import random
from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daoqi_tui.engine import (
    BLACK,
    DAOQI,
    EMPTY,
    PASS,
    POSITIONAL,
    SIMPLE,
    SITUATIONAL,
    TROMP_TAYLOR,
    WHITE,
    Board,
    Game,
    IllegalMove,
    Move,
    Repeats,
    Rules,
    Suicide,
    Torus,
    parse_rules,
)
from tests.engine.pictures import board_state, colours_of, points_of
from tests.engine.referee import Position
from tests.every import every
from tests.shared_data import data_json

LONE_EYE = """
    . . . . .
    . . O . .
    . O a O .
    . . O . .
    . . . . .
"""
TWO_EYES = """
    . . . . .
    . O O . .
    O a b O .
    . O O . .
    . . . . .
"""
KO = """
    . X O . .
    X a b O .
    . X O . .
    . . . . .
    . . . . .
"""


def board_of(picture: str, rules: Rules, to_move: int = BLACK) -> Board:
    board = Board(Torus(len(picture.split("\n")) - 2), rules)
    board.setup(colours_of(picture.replace("a", ".").replace("b", ".")), to_move)
    return board


def test_the_presets():
    assert Rules() == DAOQI == Rules(SITUATIONAL, suicide=True, pass_cost=1, komi=4, tie=WHITE)
    assert Rules(POSITIONAL, suicide=True, pass_cost=0, komi=4, tie=None) == TROMP_TAYLOR
    assert hash(DAOQI) != hash(TROMP_TAYLOR)
    with pytest.raises(FrozenInstanceError):
        DAOQI.pass_cost = 0  # type: ignore[misc]


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("daoqi", DAOQI),
        ("Tromp-Taylor", TROMP_TAYLOR),
        ("TROMP TAYLOR", TROMP_TAYLOR),
        ("suicide=no", Rules(suicide=False)),
        ("tromp-taylor, pass_cost=2, tie=black", Rules(POSITIONAL, pass_cost=2, tie=BLACK)),
        ("superko = simple , tie=none", Rules(SIMPLE, tie=None)),
    ],
)
def test_rules_are_read_and_written(text: str, rules: Rules):
    assert parse_rules(text) == rules
    assert parse_rules(str(rules)) == rules
    assert str(replace(rules, komi=7)) == str(rules)


@every(
    "text",
    [
        "",
        "chinese",
        "superko=none",
        "suicide=perhaps",
        "pass_cost=-1",
        "pass_cost=x",
        "pass_cost=1_0",
        "pass_cost=١",
        "pass_cost=101",
        "komi=3",
        "tie=red,",
        "suicide=no,daoqi",
    ],
)
def test_unknown_rules_are_refused(text: str):
    with pytest.raises(ValueError, match=r"rules|yes or no|whole number|situational|white, black"):
        parse_rules(text)


@pytest.mark.parametrize(
    "fields",
    [
        {"superko": "none"},
        {"suicide": 1},
        {"pass_cost": 1.0},
        {"pass_cost": -1},
        {"tie": 0},
        {"tie": "white"},
        {"tie": True},
        {"tie": 1.0},
    ],
)
def test_rules_check_their_fields(fields: dict[str, Any]):
    with pytest.raises((ValueError, TypeError)):
        Rules(**fields)


def test_a_one_stone_suicide_repeats_the_board_but_not_the_situation():
    eye = points_of(LONE_EYE, "a")[0]
    assert board_of(LONE_EYE, DAOQI).refusal(eye) is None
    positional = board_of(LONE_EYE, TROMP_TAYLOR)
    assert positional.refusal(eye) == Repeats(eye, 0, BLACK)
    assert not positional.legal_mask() >> eye & 1
    with pytest.raises(IllegalMove):
        positional.play(eye)


def test_a_board_with_the_other_side_to_move_repeats_positionally_alone():
    first, second = points_of(TWO_EYES, "a")[0], points_of(TWO_EYES, "b")[0]
    for rules, refused in ((DAOQI, False), (TROMP_TAYLOR, True), (Rules(SIMPLE), False)):
        board = board_of(TWO_EYES, rules)
        board.play(first)
        board.pass_turn()
        # Both black stones are removed: the first board again, but with White to move.
        assert (board.refusal(second) is not None) == refused, rules
        if refused:
            assert board.refusal(second) == Repeats(second, 0, BLACK)


def test_the_number_of_a_repetition_and_its_side_after_passes():
    board = board_of(LONE_EYE, TROMP_TAYLOR, WHITE)
    board.play(24)
    board.pass_turn()
    board.play(20)
    eye = points_of(LONE_EYE, "a")[0]
    assert board.refusal(eye) == Repeats(eye, 3, BLACK)


@pytest.mark.parametrize("rules", [DAOQI, TROMP_TAYLOR, Rules(SIMPLE)])
def test_the_ko_is_shut_under_all_rules(rules: Rules):
    a, b = points_of(KO, "a")[0], points_of(KO, "b")[0]
    board = board_of(KO, rules)
    board.play(24)
    board.play(a)
    board.play(b)
    assert board.refusal(a) == Repeats(a, 2, BLACK)
    with pytest.raises(IllegalMove):
        board.play(a)
    board.play(20)
    board.play(22)
    assert board.refusal(a) is None
    assert board.legal_mask() >> a & 1


def test_a_pass_lifts_a_simple_ko():
    a, b = points_of(KO, "a")[0], points_of(KO, "b")[0]
    for rules, shut in ((DAOQI, True), (TROMP_TAYLOR, True), (Rules(SIMPLE), False)):
        board = board_of(KO, rules)
        board.play(24)
        board.play(a)
        board.play(b)
        board.pass_turn()
        board.pass_turn()
        assert (board.refusal(a) is not None) == shut, rules


def test_a_cycle_longer_than_a_ko_is_legal_under_simple_ko_and_undone_exactly():
    eye = points_of(LONE_EYE, "a")[0]
    board = board_of(LONE_EYE, Rules(SIMPLE))
    states = []
    for _ in range(3):
        for move in (eye, PASS):
            states.append(board_state(board))
            board.make(move)
    while states:
        board.undo()
        assert board_state(board) == states.pop()


def test_suicide_is_refused_where_the_rules_forbid_it():
    rules = Rules(suicide=False)
    game = Game(5, rules=rules)
    game.setup(black=(), white=points_of(TWO_EYES, "O"))
    first, second = points_of(TWO_EYES, "a")[0], points_of(TWO_EYES, "b")[0]
    game.play(first)
    game.pass_turn()
    before = board_state(game.board)
    assert game.refusal(second) == Suicide(second)
    assert second not in game.legal_points()
    with pytest.raises(IllegalMove, match="suicide") as error:
        game.play(second)
    assert error.value.refusal == Suicide(second)
    assert board_state(game.board) == before
    node = game.record(Move(BLACK, second))
    assert (node.against, node.lost) == (Suicide(second), 2)
    assert game.undo().children == (node,)
    assert board_state(game.board) == before
    lone = board_of(LONE_EYE, rules)
    eye = points_of(LONE_EYE, "a")[0]
    assert lone.refusal(eye) == Suicide(eye)
    assert not lone.legal_mask() >> eye & 1


def test_a_capture_is_no_suicide():
    board = board_of(KO, Rules(suicide=False), WHITE)
    a, b = points_of(KO, "a")[0], points_of(KO, "b")[0]
    board.play(a)
    assert board.refusal(b) is None
    board.play(b)
    assert board.captured == [0, 1, 0]


@pytest.mark.parametrize("cost", [0, 1, 3])
def test_a_pass_costs_what_the_rules_say(cost: int):
    game = Game(5, komi=0, rules=Rules(pass_cost=cost))
    game.play(12)
    game.pass_turn()
    game.pass_turn()
    assert game.board.passes == [0, cost, cost]
    assert (game.area().black.passes, game.area().margin) == (cost, 25)
    game.undo()
    assert game.board.passes == [0, 0, cost]


@pytest.mark.parametrize(
    ("tie", "winner", "result", "words"),
    [
        (WHITE, WHITE, "W+0", "White wins by 0 (equal totals: White wins a tie)"),
        (BLACK, BLACK, "B+0", "Black wins by 0 (equal totals: Black wins a tie)"),
        (None, EMPTY, "0", "the totals are equal: the game is drawn"),
    ],
)
def test_who_wins_a_tie(tie: int | None, winner: int, result: str, words: str):
    rules = Rules(pass_cost=0, tie=tie)
    game = Game(5, komi=25, rules=rules)
    game.play(12)
    game.pass_turn()
    game.pass_turn()
    assert game.area().tie
    assert game.area().winner == winner == rules.winner(0)
    assert str(game.area()) == words
    assert game.result is not None
    assert (game.result.winner, game.result.margin, str(game.result)) == (winner, 0, result)
    assert (rules.winner(0.5), rules.winner(-3)) == (BLACK, WHITE)
    assert rules.value(0) == {WHITE: 0, BLACK: 1, EMPTY: 0.5}[winner]
    assert (rules.value(0.5), rules.value(-3)) == (1, 0)


def test_komi_is_that_of_the_rules_unless_another_is_given():
    assert Game(5).komi == 4
    assert Game(5, rules=Rules(komi=7.5)).komi == 7.5
    assert Game(5, komi=0, rules=Rules(komi=7.5)).komi == 0


def test_a_separate_board_has_the_rules_of_the_game():
    game = Game(5, rules=TROMP_TAYLOR)
    node = game.play(3)
    assert game.board_at(node).rules == game.rules == TROMP_TAYLOR


def test_reprs_say_what_is_there():
    assert repr(Game(9)) == "<Game 9×9, komi 4: move 0, Black to move>"
    game = Game(9, 0.5, 2, TROMP_TAYLOR)
    game.play(3)
    game.resign()
    assert repr(game) == "<Game 9×9, komi 0.5, handicap 2, rules Tromp-Taylor: move 1, result W+R>"
    assert repr(game.board) == "<Board 9×9, rules Tromp-Taylor: black 2, white 1, Black to move>"


def referee_refuses(position: Position, before: list[Position], point: int, rules: Rules) -> bool:
    """Return whether the rules refuse a play, by comparing pictures of the states before it."""
    if divmod(point, position.columns) in position.cells:
        return True
    trial = replace(position, faced=(("", -1),))
    after = trial.after(divmod(point, position.columns))
    assert isinstance(after, Position)
    if not rules.suicide and after.suicided != position.suicided:
        return True
    drawing = after.picture()
    if rules.superko == POSITIONAL:
        return any(state.picture()[:-1] == drawing[:-1] for state in before)
    if rules.superko == SITUATIONAL:
        return any(state.picture() == drawing for state in before)
    was_play = len(before) > 1 and before[-2].passes == position.passes
    return was_play and before[-2].picture() == drawing


@given(
    shape=st.sampled_from([(2, 2), (1, 5), (2, 3), (3, 3), (4, 4), (5, 5)]),
    superko=st.sampled_from([SITUATIONAL, POSITIONAL, SIMPLE]),
    suicide=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_all_rules_agree_with_the_referee(shape: tuple[int, int], superko: Any, suicide: bool, seed: int):
    rules = Rules(superko, suicide=suicide, pass_cost=2)
    rng, board, position = random.Random(seed), Board(Torus(*shape), rules), Position(*shape)
    before, states = [position], [board_state(board)]
    for _ in range(40):
        legal = []
        for point in range(board.torus.points):
            refused = referee_refuses(position, before, point, rules)
            assert (board.refusal(point) is not None) == refused
            if not refused:
                legal.append(point)
        assert board.torus.points_in(board.legal_mask()) == tuple(legal)
        if not legal or rng.random() < 0.1:
            board.pass_turn()
            position = position.after_pass()
        else:
            point = rng.choice(legal)
            board.play(point)
            after = replace(position, faced=(("", -1),)).after(divmod(point, shape[1]))
            assert isinstance(after, Position)
            position = after
        before.append(position)
        states.append(board_state(board))
    while len(states) > 1:
        assert board_state(board) == states.pop()
        board.undo()
    assert board_state(board) == states[0]


FIRST_REFUSED = {
    SITUATIONAL: [None, 1, 2, 1, None, 14],
    POSITIONAL: [0, 0, 0, 1, 2, 9],
    SIMPLE: [None, 1, None, None, None, 14],
}
"""The index of the first move of each superko example that the rules refuse, or None."""


@every("superko", FIRST_REFUSED)
@every("number", range(6))
def test_superko_examples_under_all_rules(superko: Any, number: int):
    example = data_json("superko.json")["examples"][number]
    size = example["size"]
    game = Game(size, rules=Rules(superko))
    if setup := example.get("setup"):
        black, white = ([row * size + column for column, row in setup[side]] for side in ("black", "white"))
        game.setup(black=black, white=white)
    first = None
    for place, move in enumerate(example["moves"]):
        if game.is_over:
            game.resume()
        if move == "pass":
            game.pass_turn()
            continue
        point = move[1] * size + move[0]
        if game.refusal(point) is not None:
            first = place
            break
        game.play(point)
    assert first == FIRST_REFUSED[superko][number]
    if superko == SITUATIONAL:
        assert (first is None) == all(example["accepted"])
