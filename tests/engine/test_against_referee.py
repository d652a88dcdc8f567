"""Random games on a Board and a Game, compared with the naive referee."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daoqi_tui.engine import EMPTY, Board, Game, IllegalMove, Torus
from tests.engine.comparing import refusal_of, same_position, same_refusals
from tests.engine.pictures import board_state
from tests.engine.referee import Position

SHAPES = [(2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (7, 7), (1, 5), (1, 8), (2, 3), (3, 5)]
SEEDS = st.integers(0, 2**32 - 1)


def chosen(rng: random.Random, board: Board) -> int:
    """Return a point to try: mostly legal, often without empty neighbours, for frequent suicides and repetitions."""
    torus = board.torus
    if rng.random() < 0.15:
        return rng.randrange(torus.points)
    points = torus.points_in(board.legal_mask()) or tuple(range(torus.points))
    if rng.random() < 0.3:
        hemmed = [point for point in points if not torus.around[point] & board.empty]
        points = tuple(hemmed) or points
    return rng.choice(points)


@given(shape=st.sampled_from(SHAPES), seed=SEEDS)
def test_a_board_agrees_with_the_referee(shape: tuple[int, int], seed: int):
    rng, board, position = random.Random(seed), Board(Torus(*shape)), Position(*shape)
    for _ in range(60 if board.torus.points > 9 else 40):
        if rng.random() < 0.08:
            board.pass_turn()
            position = position.after_pass()
        else:
            point = chosen(rng, board)
            result = position.after(divmod(point, shape[1]))
            if isinstance(result, Position):
                board.play(point)
                position = result
            else:
                before = board_state(board)
                with pytest.raises(IllegalMove) as error:
                    board.play(point)
                assert error.value.refusal == refusal_of(position, point)
                assert board_state(board) == before
        same_position(board, position)
        same_refusals(board, position, range(board.torus.points))


@given(seed=SEEDS)
def test_a_game_on_16_agrees_with_the_referee(seed: int):
    size = 16
    rng, game, position = random.Random(seed), Game(size), Position(size, size)
    crowd = [rng.choice((1, 2, 1, 2, 0)) for _ in range(size * size)]
    changes = {divmod(point, size): " BW"[colour] for point, colour in enumerate(crowd) if colour}
    # A crowded start leads to captures and suicides at once; stones are removed until every chain has a liberty.
    while (start := position.after_setup(dict(changes), "B")) is None:
        changes.pop(rng.choice(sorted(changes)))
    cells = {
        letter: [row * size + column for (row, column), found in changes.items() if found == letter] for letter in "BW"
    }
    game.setup(black=cells["B"], white=cells["W"])
    position = start
    for step in range(12):
        point = chosen(rng, game.board)
        result = position.after(divmod(point, size))
        if isinstance(result, Position):
            game.play(point)
            position = result
        else:
            assert game.refusal(point) == refusal_of(position, point)
        if step % 4 == 3:
            same_position(game.board, position)
            same_refusals(game.board, position, rng.sample(range(size * size), 12))
    same_refusals(game.board, position, [point for point, colour in enumerate(game.board.colours) if colour == EMPTY])


@given(size=st.integers(2, 7), seed=SEEDS)
def test_undo_brings_back_every_state_exactly(size: int, seed: int):
    rng, board = random.Random(seed), Board(Torus(size))
    states = [board_state(board)]
    for _ in range(80):
        point = chosen(rng, board)
        if rng.random() < 0.05:
            board.pass_turn()
        elif board.refusal(point) is None:
            board.play(point)
        else:
            continue
        states.append(board_state(board))
    while len(states) > 1:
        assert board_state(board) == states.pop()
        board.undo()
    assert board_state(board) == states[0]
    with pytest.raises(IndexError):
        board.undo()
