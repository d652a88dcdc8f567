"""Free moves: their number, their safety, and games that they decide because a pass costs a point."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from daoqi_tui.ai import Position, Think
from daoqi_tui.ai.passing import ROOMY, free_moves, free_plays, territories
from daoqi_tui.ai.player import SearchPlayer
from daoqi_tui.ai.search import lone_suicides
from daoqi_tui.engine import BLACK, PASS, TROMP_TAYLOR, WHITE, Board, Colour, Game, Rules, opponent, torus_of
from daoqi_tui.reading.status import safe_points
from tests.engine.pictures import board_of, colours_of, game_of

ROOM = """
    X X X X O O O
    X . . X O . O
    X X X X O O O
    X . . X O . O
    X X X X O O O
    X . . X O . O
    X X X X O O O
"""
"""Black has 28 points and three free moves, White 21 and none."""

BOTH = """
    X X X X O O O
    X . . X O . O
    X X X X O . O
    X . . X O O O
    X X X X O . O
    X . . X O . O
    X X X X O O O
"""
"""The same points; White has two free moves."""

OPEN = """
    X X X X X X X X X
    X . . . . . . . X
    X X X X X X X X X
    X . . . . . . . X
    X X X X X X X X X
    O O O O O O O O O
    O . O O O O O O O
    O O O O . . . . O
    O O O O O O O O O
"""


MANY = """
    X X X X X X X X X
    X . . . . . . . X
    X X X X X X X X X
    X . . . . . . . X
    X X X X X X X X X
    O O O O O O O O O
    O . . . O . . . O
    O O O O . O O O O
    O O O O O O O O O
"""
"""Black has 45 points and 12 free moves, White has 36 and 4."""


@pytest.mark.parametrize(("picture", "black", "white"), [(ROOM, 3, 0), (BOTH, 3, 2), (OPEN, 12, 3), (MANY, 12, 4)])
def test_each_territory_keeps_one_eye(picture: str, black: int, white: int) -> None:
    board = board_of(picture)
    assert (free_moves(board, BLACK), free_moves(board, WHITE)) == (black, white)
    for colour in (BLACK, WHITE):
        assert [region.bit_count() for region in territories(board, colour)] == sorted(
            (region.bit_count() for region in territories(board, colour)), reverse=True
        )


def test_a_region_that_touches_both_sides_or_none_is_nobodys() -> None:
    board = Board(torus_of(5))
    assert territories(board, BLACK) == []
    board.play(0)
    assert [region.bit_count() for region in territories(board, BLACK)] == [24]
    board.play(12)
    assert territories(board, BLACK) == territories(board, WHITE) == []


@pytest.mark.parametrize("picture", [ROOM, BOTH, OPEN])
@pytest.mark.parametrize("to_move", [BLACK, WHITE])
def test_free_moves_cost_no_point_and_endanger_nothing(picture: str, to_move: Colour) -> None:
    board = board_of(picture, to_move)
    safe = safe_points(board, board.rules)[to_move]
    for _ in range(free_moves(board, to_move)):
        board.play(filling(board)[0])
        board.pass_turn()
        assert not safe & ~safe_points(board, board.rules)[to_move]
    assert filling(board) == []


def filling(board: Board) -> list[int]:
    """Return the free moves that leave an eye in each territory, suicides and stones thrown in apart."""
    room = sum(region for region in territories(board, board.to_move) if region.bit_count() > 1)
    return [point for point in free_plays(board) if room >> point & 1]


@pytest.mark.parametrize("picture", [ROOM, BOTH, OPEN])
@pytest.mark.parametrize("to_move", [BLACK, WHITE])
def test_a_suicide_comes_first_and_hands_over_the_same_board(picture: str, to_move: Colour) -> None:
    board = board_of(picture, to_move)
    before = board.colours[:]
    eyes = [region for region in territories(board, opponent(to_move)) if region.bit_count() == 1]
    plays = list(free_plays(board))
    assert {1 << point for point in plays[: len(eyes)]} == set(eyes)
    if eyes:
        board.play(plays[0])
        assert board.colours[:] == before
        assert not lone_suicides(board, board.legal_mask()), "the opponent may not answer in kind"


@pytest.mark.parametrize("picture", [ROOM, BOTH, OPEN])
@pytest.mark.parametrize("to_move", [BLACK, WHITE])
def test_stones_are_thrown_into_territory_where_there_is_room(picture: str, to_move: Colour) -> None:
    board = board_of(picture, to_move)
    room = sum(region for region in territories(board, opponent(to_move)) if region.bit_count() > 1)
    thrown = [point for point in free_plays(board, throw_in=True) if point not in list(free_plays(board))]
    assert sum(1 << point for point in thrown) == room


def test_a_territory_that_is_not_certainly_alive_is_left_alone_unless_it_is_roomy() -> None:
    picture = """
        . . . . . . .
        . X X X X X .
        . X . . . X .
        . X X X X X .
        . O . . . . .
        . . . . . . .
        . . . . . . .
    """
    board = board_of(picture)
    assert [region.bit_count() for region in territories(board, BLACK)] == [3]
    assert list(free_plays(board)) == []
    roomy = board_of("X . . . . . . . .\n" * 8 + "X . O . . . . . .".replace("O", "."))
    assert territories(roomy, BLACK)[0].bit_count() >= ROOMY
    assert list(free_plays(roomy))


def move_at(game: Game, level: float = 8, *, seed: int = 1) -> int:
    return SearchPlayer().think(Think(Position.of(game), level, seconds=600.0, seed=seed)).move


def fills(game: Game, rng: random.Random) -> int:
    """Fill one's own territories down to one eye each, then pass."""
    return next(iter(filling(game.board)), PASS)


def fills_or_passes(game: Game, rng: random.Random) -> int:
    return fills(game, rng) if rng.random() < 0.5 else PASS


def only_passes(game: Game, rng: random.Random) -> int:
    return PASS


Other = Callable[[Game, random.Random], int]


def play_out(game: Game, computer: Colour, other: Other, level: int) -> Game:
    player, rng = SearchPlayer(), random.Random(1)
    while not game.is_over:
        if game.to_move == computer:
            move = player.think(Think(Position.of(game), level, seconds=600.0, seed=1)).move
        else:
            move = other(game, rng)
        game.pass_turn() if move == PASS else game.play(move)
        assert game.node.number < 200, "the game does not end"
    return game


@pytest.mark.parametrize("level", [3, 5])
@pytest.mark.parametrize("other", [fills, fills_or_passes, only_passes])
def test_who_is_ahead_pays_for_one_refused_pass_at_most(other: Other, level: int) -> None:
    game = play_out(game_of(MANY, BLACK, 1), BLACK, other, level)
    assert game.result is not None
    assert game.result.winner == BLACK
    # One pass that the opponent did not answer with a pass, and one of the two that end the game.
    assert game.board.passes[BLACK] <= 2


@pytest.mark.parametrize("other", [fills, fills_or_passes, only_passes])
@pytest.mark.parametrize("komi", [5, 6])
def test_a_lead_that_a_pass_would_spend_is_kept(other: Other, komi: float) -> None:
    # Black leads by 2 or 1 on the board; a pass that White answers with a free move would cost one of them.
    game = play_out(game_of(BOTH, BLACK, komi), BLACK, other, 5)
    assert game.result is not None
    assert game.result.winner == BLACK, str(game.result)


@pytest.mark.parametrize("level", [7, 7.5, 8, 8.5])
def test_no_pass_is_offered_where_it_would_cost_the_game(level: float) -> None:
    assert move_at(game_of(BOTH, BLACK, 6), level) in free_plays(board_of(BOTH), throw_in=True)
    # Three points ahead, it can afford to lose one.
    assert move_at(game_of(BOTH, BLACK, 4), level) == PASS


@pytest.mark.parametrize(("komi", "winner"), [(7, BLACK), (8, BLACK), (10, WHITE)])
def test_who_is_behind_by_little_has_the_other_side_pay_for_passes(komi: float, winner: Colour) -> None:
    # Black is tied or behind on the board. White has no free moves and has to pass.
    game = play_out(game_of(ROOM, BLACK, komi), BLACK, fills, 8)
    assert game.result is not None
    assert game.result.winner == winner, str(game.result)


def test_a_game_that_no_pass_can_turn_is_given_up_as_before() -> None:
    position = Position.of(game_of(ROOM, BLACK, 20))
    answer = SearchPlayer().think(Think(position, 5, seconds=600.0, seed=1))
    assert answer.move == PASS
    assert answer.hopeless


@pytest.mark.parametrize("rules", [TROMP_TAYLOR, Rules(pass_cost=0)])
def test_where_passes_are_free_no_free_move_is_needed(rules: Rules) -> None:
    game = Game(7, komi=6, rules=rules)
    colours = colours_of(BOTH)
    sides = {colour: [point for point, found in enumerate(colours) if found == colour] for colour in (BLACK, WHITE)}
    game.setup(black=sides[BLACK], white=sides[WHITE], to_move=BLACK)
    assert move_at(game) == PASS
