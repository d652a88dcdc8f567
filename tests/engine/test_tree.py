"""The game tree: undo, redo, variations, jumps, promotion and deletion; and handicap stones."""

import sys
from collections.abc import Callable
from functools import partial
from itertools import combinations
from typing import Any

import pytest

from daoqi_tui.engine import BLACK, PASS, WHITE, Game, Move, Repeats, Setup, Torus, handicap_points
from tests.engine.pictures import game_of


def line(game: Game, *points: int) -> None:
    for point in points:
        game.play(point)


def test_undo_and_redo_walk_the_same_nodes():
    game = Game(5)
    line(game, 0, 1, 2)
    last, pictures = game.node, []
    while game.node.parent:
        pictures.append(str(game.board))
        game.undo()
    assert str(game.board) == "\n".join(["....."] * 5)
    while game.node.children:
        game.redo()
        assert str(game.board) == pictures.pop()
    assert game.node is last
    assert pictures == []
    assert [node.number for node in last.path()] == [0, 1, 2, 3]
    assert game.moves() == [Move(BLACK, 0), Move(WHITE, 1), Move(BLACK, 2)]


def test_playing_a_known_move_follows_the_tree_and_another_branches():
    game = Game(5)
    first = game.play(0)
    game.undo()
    assert game.play(0) is first
    game.undo()
    second = game.play(1)
    game.undo()
    passing = game.pass_turn()
    game.undo()
    assert game.pass_turn() is passing
    assert passing.move == Move(BLACK, PASS)
    assert game.root.children == (first, second, passing)
    game.goto(game.root)
    assert game.redo(1) is second


def test_goto_crosses_from_one_variation_to_another():
    game = Game(5)
    line(game, 0, 1, 2)
    left = game.node
    game.undo()
    game.undo()
    line(game, 7, 8, 9)
    right = game.node
    for target in (left, right, game.root, left, left, right):
        game.goto(target)
        fresh = Game(5)
        for move in game.moves():
            fresh.play(move.point)
        assert game.node is target
        assert str(game.board) == str(fresh.board)
        assert game.board.faced == fresh.board.faced


def test_each_variation_has_faced_only_its_own_states():
    ko = """
        . X O . .
        X O . O .
        . X O . .
        . . . . .
        . . . . .
    """
    game = game_of(ko)
    captured = game.play(7)
    assert game.refusal(6) == Repeats(6, move=0, to_move=BLACK)
    game.undo()
    game.pass_turn()
    game.play(24)
    game.play(7)
    assert game.refusal(6) == Repeats(6, move=2, to_move=BLACK)
    game.goto(captured)
    assert game.refusal(6) == Repeats(6, move=0, to_move=BLACK)


def test_promote_makes_the_main_line_all_the_way():
    game = Game(5)
    line(game, 0, 1)
    game.undo()
    line(game, 2)
    game.goto(game.root)
    line(game, 5, 6, 7)
    game.undo()
    game.undo()
    line(game, 8)
    wanted = game.node
    game.promote(wanted)
    assert game.root.line() == wanted.path()[1:]
    assert [child.move.point for child in game.root.children] == [5, 0]  # type: ignore[union-attr]
    assert len(list(game.root.walk())) == 8
    assert game.node is wanted


def test_delete_takes_the_branch_and_steps_out_of_it():
    game = Game(5)
    line(game, 0, 1, 2)
    second = game.root.line()[1]
    game.delete(second)
    assert game.node.number == 1
    assert game.node.children == ()
    assert str(game.board).count("O") == 0
    line(game, 1)
    assert game.node is not second


def test_deleting_elsewhere_leaves_the_cursor():
    game = Game(5)
    other = game.play(0)
    game.undo()
    here = game.play(1)
    game.delete(other)
    assert game.node is here
    assert game.root.children == (here,)


def test_pruning_leaves_the_line_to_the_cursor():
    game = Game(5)
    line(game, 0, 1, 2)
    second, kept = game.undo(), game.root.children[0]
    beside = game.play(7)
    game.undo()
    game.undo()
    other = game.play(8)
    game.goto(second)
    game.prune()
    assert list(game.root.walk()) == [game.root, kept, second]
    assert game.node is second
    assert not kept.deleted
    for node in (beside, other):
        with pytest.raises(ValueError, match="not in this game's tree"):
            game.goto(node)


def lines_run(work: Callable[[], object]) -> int:
    """Return how many lines of Python ``work`` executes: a measure of its time that other processes do not disturb."""
    count = 0

    def trace(_frame: object, event: str, _argument: object) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def with_variations(moves: int) -> Game:
    """Return a game of passes, each with a second variation."""
    game = Game(5)
    for _ in range(moves):
        game.record(Move(game.to_move, PASS))
        game.undo()
        game.record(Move(game.to_move, PASS))
    return game


def undo_all(game: Game) -> None:
    """Undo every move without keeping it for redo, as a GTP session does."""
    while game.node.parent is not None:
        game.delete(game.node)


@pytest.mark.parametrize("work", [Game.prune, undo_all])
def test_a_game_of_twice_the_length_takes_twice_the_time(work: Callable[[Game], None]):
    short, long = (lines_run(partial(work, with_variations(moves))) for moves in (100, 200))
    assert long < 3 * short


def test_walk_gives_each_node_before_its_children():
    game = Game(5)
    line(game, 0, 1)
    game.goto(game.root)
    line(game, 2)
    numbers = [node.move.point for node in game.root.walk() if node.move]
    assert numbers == [0, 1, 2]


def test_setup_is_a_node_that_can_be_taken_back():
    game = Game(5)
    line(game, 0, 1)
    faced = dict(game.board.faced)
    node = game.setup(black=[12], empty=[0], to_move=WHITE)
    assert isinstance(node.action, Setup)
    assert node.move is None
    assert node.number == 2
    assert (game.board.colours[0], game.board.colours[12], game.to_move) == (0, BLACK, WHITE)
    assert game.board.faced == {game.board.key: 2}
    game.undo()
    assert game.board.faced == faced
    assert game.board.colours[0] == BLACK
    game.redo()
    assert game.setup(to_move=WHITE).parent is node, "the same setup again is another node below"


def test_a_long_game_needs_no_deep_recursion():
    game, passes = Game(2), 3000
    for _ in range(passes):
        if game.is_over:
            game.resume()
        game.pass_turn()
    last = game.node
    game.goto(game.root)
    game.goto(last)
    assert last.number == passes
    assert len(list(game.root.walk())) == passes + 1
    game.promote(last)
    game.delete(game.root.children[0])
    assert game.node is game.root


@pytest.mark.parametrize("size", [5, 6, 9, 13, 16, 19, 25])
def test_handicap_stones_are_spread_over_the_torus(size: int):
    torus, most = Torus(size), min(9, size * size // 4)
    layout = handicap_points(torus, most)
    assert len(set(layout)) == most
    for count in range(2, most + 1):
        assert handicap_points(torus, count) == layout[:count]
    for start, end in combinations(layout, 2):
        down, right = torus.offset(start, end)
        assert down**2 + right**2 >= (size // 4) ** 2
    down, right = torus.offset(layout[0], layout[1])
    assert {abs(down), abs(right)} == {size // 2}, "two stones stand as far apart as they can"


def test_after_handicap_white_moves_first_from_the_start_of_the_game():
    game = Game(16, handicap=4)
    assert game.handicap == 4
    assert game.to_move == WHITE
    assert game.board.stones(BLACK).bit_count() == 4
    assert game.board.faced == {game.board.key: 0}
    assert game.board.captured == game.board.passes == [0, 0, 0]
    assert game.play(1).move == Move(WHITE, 1)
    assert handicap_points(Torus(16), 4) == (136, 0, 8, 128)


def test_no_handicap_lays_nothing_out():
    assert handicap_points(Torus(9), 0) == ()
    assert Game(9).root.children == ()
