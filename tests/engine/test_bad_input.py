"""Invalid arguments: each raises one clear error and leaves the game unchanged."""

from collections.abc import Callable
from typing import Any

import pytest

from daoqi_tui.engine import BLACK, PASS, WHITE, Game, IllegalMove, Move, Node, Setup
from tests.engine.pictures import game_state
from tests.every import every

NOT_WHOLE: list[Any] = ["5", 5.0, True, None, (1, 2), b"5", 2j]
OFF_BOARD = [-1, 25, 10**30, -(10**30)]


@pytest.fixture
def game() -> Game:
    game = Game(5)
    for point in (0, 1, 5, 12):
        game.play(point)
    game.undo()
    return game


def refused(game: Game, act: Callable[[], object], error: type[Exception], words: str) -> None:
    """Check that ``act`` raises exactly ``error`` with ``words``, and changes nothing."""
    before = game_state(game)
    with pytest.raises(error, match=words) as caught:
        act()
    assert type(caught.value) is error
    assert "\n" not in str(caught.value)
    assert game_state(game) == before


@every("point", NOT_WHOLE, ids=repr)
@every("name", ["play", "refusal", "chain_at"])
def test_a_point_is_a_whole_number(game: Game, name: str, point: Any):
    refused(game, lambda: getattr(game, name)(point), TypeError, "a point is a whole number, not ")


@every("point", OFF_BOARD)
@every("name", ["play", "refusal", "chain_at"])
def test_a_point_is_on_the_board(game: Game, name: str, point: int):
    refused(game, lambda: getattr(game, name)(point), ValueError, f"point {point} is off the board: 0 to 24")


@pytest.mark.parametrize("side", ["black", "white", "empty"])
def test_setup_points_are_checked_one_and_all(game: Game, side: str):
    for point in NOT_WHOLE:
        refused(game, lambda: game.setup(**{side: [3, point]}), TypeError, "a point is a whole number")  # noqa: B023
    for point in OFF_BOARD:
        refused(game, lambda: game.setup(**{side: [3, point]}), ValueError, "is off the board")  # noqa: B023


@pytest.mark.parametrize(
    "laid_out",
    [
        {"black": [7, 8, 7]},
        {"black": [7], "white": [7]},
        {"black": [7], "empty": [7]},
        {"white": [7], "empty": [7]},
        {"empty": [7, 7]},
    ],
    ids=repr,
)
def test_setup_names_no_point_twice(game: Game, laid_out: dict[str, list[int]]):
    refused(game, lambda: game.setup(**laid_out), ValueError, "C4 is set up twice; name each point once")  # type: ignore[arg-type]


def test_setup_leaves_every_chain_a_liberty(game: Game):
    refused(
        game,
        lambda: game.setup(white=[7, 11, 13, 17], black=[12]),
        ValueError,
        "the chain at C3 would have no liberties; leave it at least one",
    )
    refused(game, lambda: game.setup(black=[p for p in range(25) if p != 1]), ValueError, "would have no liberties")


@pytest.mark.parametrize(
    ("move", "error", "text"),
    [
        (Move(WHITE, 25), ValueError, "off the board"),
        (Move(WHITE, -2), ValueError, "off the board"),
        (Move(WHITE, 7.0), TypeError, "whole number"),  # type: ignore[arg-type]
        (Move(BLACK, 7), ValueError, "it is the turn of White"),
        (Move(BLACK, PASS), ValueError, "it is the turn of White"),
        (Move(0, 7), ValueError, "it is the turn of White"),
    ],
    ids=repr,
)
def test_a_recorded_move_is_on_the_board_and_of_the_side_to_move(
    game: Game, move: Move, error: type[Exception], text: str
):
    refused(game, lambda: game.record(move), error, text)


@pytest.mark.parametrize(
    "setup",
    [Setup(1 << 25, 0, 0, BLACK), Setup(0, -1, 0, BLACK), Setup(0, 0, 1 << 30, WHITE), Setup(1, 0, 0, 3)],
    ids=repr,
)
def test_a_recorded_setup_is_on_the_board_and_leaves_a_player_to_move(game: Game, setup: Setup):
    refused(game, lambda: game.record(setup), ValueError, "points off the board, or no player to move")


@pytest.mark.parametrize("player", ["B", 1.0, True, (1,)], ids=repr)
def test_a_player_is_a_whole_number(game: Game, player: Any):
    for act in (
        lambda: game.setup(black=[7], to_move=player),
        lambda: game.resign(player),
        lambda: game.lose_on_time(player),
    ):
        refused(game, act, TypeError, r"a player is 1 \(Black\) or 2 \(White\), not ")


@pytest.mark.parametrize("player", [0, 3, -1])
def test_a_player_is_black_or_white(game: Game, player: int):
    for act in (
        lambda: game.setup(black=[7], to_move=player),
        lambda: game.resign(player),
        lambda: game.lose_on_time(player),
    ):
        refused(game, act, ValueError, f"not {player}$")


def test_dead_stones_are_stones_after_two_passes(game: Game):
    refused(game, lambda: game.agree_dead([0]), ValueError, "after two passes in a row; pass first")
    game.pass_turn()
    game.pass_turn()
    refused(game, lambda: game.agree_dead([0, 24]), ValueError, "there is no stone at E1; name a point with a stone")
    refused(game, lambda: game.agree_dead([0, 25]), ValueError, "off the board")
    refused(game, lambda: game.agree_dead([0, "A5"]), TypeError, "whole number")  # type: ignore[list-item]
    refused(game, lambda: game.area([25]), ValueError, "off the board")
    refused(game, lambda: game.area([True]), TypeError, "whole number")


@pytest.mark.parametrize("end", [lambda g: (g.pass_turn(), g.pass_turn()), Game.resign, Game.lose_on_time])
def test_nothing_is_played_after_the_end(game: Game, end: Callable[[Game], object]):
    end(game)
    acts: list[Callable[[], object]] = [
        lambda: game.play(20),
        lambda: game.play(0),
        game.pass_turn,
        game.resign,
        game.lose_on_time,
        lambda: game.setup(black=[20]),
    ]
    for act in acts:
        refused(game, act, IllegalMove, "the game is over; resume it to play on")
    assert game.legal_points() == ()


def test_there_is_nothing_to_resume_while_the_game_is_on(game: Game):
    refused(game, game.resume, ValueError, "the game is not over")
    game.pass_turn()
    refused(game, game.resume, ValueError, "the game is not over")


def test_the_cursor_stays_in_the_tree(game: Game):
    other = Game(5)
    stranger = other.play(3)
    for act in (game.goto, game.promote, game.delete):
        refused(game, lambda: act(stranger), ValueError, "not in this game's tree")  # noqa: B023
        refused(game, lambda: act(other.root), ValueError, "not in this game's tree")  # noqa: B023
        refused(game, lambda: act(3), TypeError, "a node of the game is wanted, not 3")  # type: ignore[arg-type]  # noqa: B023
    assert other.root.children == (stranger,)
    refused(game, lambda: game.delete(game.root), ValueError, "the start cannot be deleted")
    refused(game, lambda: game.redo(1), ValueError, "there are no moves after this one")
    refused(game, lambda: game.redo(-1), ValueError, "there are no moves after this one")
    for variation in NOT_WHOLE:
        refused(game, lambda: game.redo(variation), TypeError, "a variation is a whole number")  # noqa: B023
    game.goto(game.root)
    refused(game, game.undo, ValueError, "this is the start")


def test_a_deleted_node_is_gone_with_all_below_it(game: Game):
    second = game.root.line()[1]
    below = second.line()
    game.delete(second)
    gone: list[Node] = [second, *below]
    for node in gone:
        for act in (game.goto, game.promote, game.delete):
            refused(game, lambda: act(node), ValueError, "not in this game's tree")  # noqa: B023


@pytest.mark.parametrize("size", ["9", 9.0, True, None, (9, 9), [9]], ids=repr)
def test_a_size_is_a_whole_number(size: Any):
    with pytest.raises(TypeError, match="the size is a whole number from 2 to 25"):
        Game(size)


@pytest.mark.parametrize("size", [-9, 0, 1, 26, 10**30])
def test_a_size_is_from_2_to_25(size: int):
    with pytest.raises(ValueError, match="out of range: 2 to 25"):
        Game(size)


@pytest.mark.parametrize("komi", ["4", True, (4,), 4j], ids=repr)
def test_komi_is_a_number(game: Game, komi: Any):
    with pytest.raises(TypeError, match="komi must be a number"):
        Game(9, komi)
    refused(game, lambda: setattr(game, "komi", komi), TypeError, "komi must be a number")


@pytest.mark.parametrize("komi", [float("nan"), float("inf"), -float("inf"), 1000.25, -1001, 10**400])
def test_komi_is_finite(game: Game, komi: float):
    with pytest.raises(ValueError, match="out of range: -1000 to 1000"):
        Game(9, komi)
    refused(game, lambda: setattr(game, "komi", komi), ValueError, "out of range: -1000 to 1000")


@pytest.mark.parametrize("handicap", ["2", 2.0, True, None, (2,)], ids=repr)
def test_a_handicap_is_a_whole_number(handicap: Any):
    with pytest.raises(TypeError, match="the handicap is a whole number"):
        Game(9, handicap=handicap)


@pytest.mark.parametrize(("size", "handicap"), [(9, 1), (9, 10), (9, -2), (3, 3), (2, 2), (5, 7)])
def test_a_handicap_fits_the_board(size: int, handicap: int):
    with pytest.raises(ValueError, match=f"handicap {handicap} is out of range: 0"):
        Game(size, handicap=handicap)


def test_a_refusal_in_the_middle_of_a_game_leaves_the_next_moves_as_they_were(game: Game):
    untouched = Game(5)
    for point in (0, 1, 5):
        untouched.play(point)
    bad: list[Any] = [0, 25, "x", None]
    for point in bad:
        with pytest.raises((ValueError, TypeError)):
            game.play(point)
    assert game.legal_points() == untouched.legal_points()
    assert game.to_move == untouched.to_move == WHITE
    assert game.board.stones(BLACK) == untouched.board.stones(BLACK)
