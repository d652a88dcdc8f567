"""The ladder of levels: each thinks more than the one below, and each gives a legal move."""

from __future__ import annotations

from itertools import pairwise

import pytest

from daoqi_tui.ai.backend import interpreted
from daoqi_tui.ai.levels import LEVELS, STRONGEST, WEAKEST, level_of
from daoqi_tui.ai.protocol import Position, Think
from daoqi_tui.ai.thinker import Thinker
from daoqi_tui.engine import BLACK, WHITE
from tests.ai.test_search import random_game
from tests.engine.pictures import game_of, points_of


def test_ten_levels_each_with_more_thought_than_the_one_below() -> None:
    assert [level.number for level in LEVELS] == list(range(WEAKEST, STRONGEST + 1)) == list(range(1, 11))
    playouts = [level.playouts for level in LEVELS]
    assert playouts[-1] is None
    counted = [count for count in playouts if count is not None]
    assert all(2 * below <= above for below, above in pairwise(counted))


@pytest.mark.parametrize("number", [0, 11, -1])
def test_other_levels_are_refused_with_the_range(number: int) -> None:
    with pytest.raises(ValueError, match="1 to 10"):
        level_of(number)


@pytest.mark.parametrize("level", range(1, 11))
def test_every_level_plays_legal_moves(level: int) -> None:
    for seed in range(3):
        game = random_game(9, 20, seed)
        move = Thinker(interpreted).think(Think(1, Position.of(game), level, playouts=20, seed=1)).move
        assert move in game.legal_points()


def test_the_weakest_level_still_captures_and_rescues() -> None:
    # Weak is not random: a chain in atari is taken by the one side, saved by the other.
    picture = """
        . . . . . . .
        . . O O O . .
        . O X X X O .
        . . O O a . .
        . . X . . O .
        . X . . . . .
        . . . . . . .
    """
    for to_move in (BLACK, WHITE):
        game = game_of(picture.replace("a", "."), to_move)
        for level in (1, 2):
            move = Thinker(interpreted).think(Think(1, Position.of(game), level, seed=3)).move
            assert move == points_of(picture, "a")[0]


def test_moves_are_the_less_loose_the_higher_the_level_on_every_size() -> None:
    for size in range(2, 26):
        found = [level.looseness_on(size) for level in LEVELS]
        temperatures = [loose.temperature for loose in found if loose is not None]
        assert temperatures == sorted(temperatures, reverse=True)
        assert len(set(temperatures)) == len(temperatures) == 5
        assert found[5:] == [None] * 5


def test_the_network_looks_at_the_more_positions_the_higher_the_level_on_every_size() -> None:
    for size in range(2, 26):
        counts = [level.visits_on(size) for level in LEVELS]
        assert counts[:6] == [0] * 6
        assert counts[-1] is None
        counted = [count for count in counts[5:-1] if count is not None]
        assert all(2 * below < above for below, above in pairwise(counted))


def test_visits_between_the_sizes_measured_are_in_between() -> None:
    small, middle, large = (LEVELS[7].visits_on(size) for size in (9, 13, 16))
    assert small is not None
    assert middle is not None
    assert large is not None
    assert min(small, large) < middle < max(small, large)
    assert LEVELS[7].visits_on(2) == small
    assert LEVELS[7].visits_on(25) == large


def test_looseness_between_the_sizes_measured_is_in_between() -> None:
    small, middle, large = (LEVELS[1].looseness_on(size) for size in (9, 13, 16))
    assert small is not None
    assert middle is not None
    assert large is not None
    assert small.temperature > middle.temperature > large.temperature
    assert LEVELS[1].looseness_on(2) == small
    assert LEVELS[1].looseness_on(25) == large
