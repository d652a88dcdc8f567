"""Policy features of moves: the same in all symmetries and for both colours, with near moves before distant ones."""

from __future__ import annotations

import random

import numpy as np
import pytest

from daoqi_tui.ai.playout import features, policy_features
from daoqi_tui.ai.playout.backend import interpreted
from daoqi_tui.ai.playout.policy import pattern_code
from daoqi_tui.engine import BLACK, WHITE, Board, torus_of
from tests.ai.other_boards import Bordered
from tests.ai.test_kernel import laid_out
from tests.ai.test_search import search_at
from tests.engine.pictures import game_of, points_of


def value(colours: list[int], point: int, mine: int) -> float:
    board = Board(torus_of(7))
    board.setup(colours, mine)
    tables, state = laid_out(interpreted(), board)
    return float(policy_features.pattern_weights()[mine][pattern_code(tables.near, tables.diagonal, state, point)])


def test_a_shape_is_worth_the_same_from_every_side_and_for_both_colours() -> None:
    rng = random.Random(1)
    found = set()
    for _ in range(40):
        grid = np.zeros((7, 7), dtype=np.int64)
        grid[2:5, 2:5] = [[rng.choice((0, 0, 1, 2)) for _ in range(3)] for _ in range(3)]
        grid[3, 3] = 0
        values = set()
        for turned in (np.rot90(side, turns) for side in (grid, grid.T) for turns in range(4)):
            colours = [int(colour) for colour in turned.ravel()]
            values.add(value(colours, 24, BLACK))
            values.add(value([(0, 2, 1)[colour] for colour in colours], 24, WHITE))
        assert len(values) == 1, grid
        found |= values
    assert len(found) > 10, "nearly all shapes look alike, so nothing was tested"


def test_nearness_goes_round_the_torus_and_stops_at_edges() -> None:
    assert policy_features.distances(torus_of(9))[0].reshape(9, 9)[0].tolist() == [-2, 0, 2, 4, 6, 6, 4, 2, 0]
    assert policy_features.distances(Bordered(9))[0].reshape(9, 9)[0].tolist() == [-2, 0, 2, 4, 6, 8, 10, 12, 14]
    assert policy_features.distances(torus_of(9))[40].reshape(9, 9)[2].tolist() == [8, 6, 4, 3, 2, 3, 4, 6, 8]


@pytest.mark.parametrize(
    ("less", "more"),
    [
        ((0, features.F_CRAMPED), (0, 0)),
        ((0, features.F_CRAMPED | features.F_SUICIDE), (0, features.F_CRAMPED)),
        ((0, 0), (0, features.F_RESCUE)),
        ((0, features.F_RESCUE), (2, features.F_RESCUE)),
        ((0, 0), (0, features.F_ATARI)),
    ],
)
def test_tactics_are_in_the_order_that_a_player_expects(less: tuple[int, int], more: tuple[int, int]) -> None:
    assert policy_features.tactical_weights()[less] < policy_features.tactical_weights()[more]


def test_the_search_begins_with_what_looks_likely() -> None:
    picture = """
        . . . . . . . . .
        . . . . . . . . .
        . . . a O . . . .
        . . O O X b . . .
        . . . X . . . . .
        . . . . . . . . .
        . c . . . . . . .
        d . d . . . . . .
        . d . . . . . . .
    """
    game = game_of(picture.translate(str.maketrans("abcd", "...X")), BLACK)
    root = search_at(game).root
    rates = {int(move): root.win_rate(place) for place, move in enumerate(root.moves)}
    far, eye = 8, 7 * 9 + 1
    assert rates[points_of(picture, "b")[0]] > rates[far] > rates[eye]
    assert rates[-1] < 0.2, "a pass is the last thing to think of"
