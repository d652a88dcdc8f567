"""The ten levels and the halves between them: each is stronger than the one below, and all play legal moves."""

from __future__ import annotations

from itertools import pairwise

import pytest

from daoqi_tui.ai import Position, Think
from daoqi_tui.ai.levels import LEVELS, level_of
from daoqi_tui.ai.player import SearchPlayer
from daoqi_tui.engine import BLACK, WHITE
from daoqi_tui.typed import LEVEL_NUMBERS
from tests.ai.test_search import random_game
from tests.engine.pictures import game_of, points_of


def test_ten_levels_with_halves_between_of_which_only_the_strongest_is_limited_by_time_alone() -> None:
    assert [level.number for level in LEVELS] == [half / 2 for half in range(2, 21)]
    assert [str(level.number) for level in LEVELS[:4]] == ["1", "1.5", "2", "2.5"]
    assert [level.timed for level in LEVELS] == [False] * 18 + [True]


@pytest.mark.parametrize("size", range(2, 26))
def test_the_higher_the_level_the_less_loose_it_plays_or_the_more_it_looks_at(size: int) -> None:
    efforts = [level.effort for level in LEVELS]
    temperatures = [loose.temperature for effort in efforts if (loose := effort.sampling_on(size)) is not None]
    assert temperatures == sorted(set(temperatures), reverse=True)
    sampled = len(temperatures)
    assert all(effort.sampling_on(size) is not None for effort in efforts[:sampled])
    counts = [effort.evaluations_on(size) for effort in efforts]
    assert len(set(counts[:sampled])) == 1
    assert counts[-1] is None
    assert all(1.4 * below < above for below, above in pairwise(counts[sampled:-1]))


@pytest.mark.parametrize("number", [0, 0.5, 4.25, 10.5, 11, -1])
def test_other_levels_are_refused_with_the_range(number: int) -> None:
    with pytest.raises(ValueError, match="1 to 10"):
        level_of(number)


@pytest.mark.parametrize("level", LEVEL_NUMBERS)
def test_every_level_plays_legal_moves(level: float) -> None:
    for seed in range(3):
        game = random_game(9, 20, seed)
        move = SearchPlayer().think(Think(Position.of(game), level, visits=20, seed=1)).move
        assert move in game.legal_points()


def test_weak_levels_capture_and_rescue() -> None:
    # Weak is not random: one side captures a chain in atari, the other saves it, more often than by chance.
    picture = """
        . . . . . . . . .
        . . X X X . . . .
        . X O O O a . . .
        . . X X X . . O .
        . . . . . . . . .
        . O . . . . . O .
        . . . . O . . . .
        . . . O . . . . .
        . . . . . . . . .
    """
    player = SearchPlayer()
    for to_move in (BLACK, WHITE):
        position = Position.of(game_of(picture.replace("a", "."), to_move, 4))
        for level, least in ((1, 2), (2, 3), (3, 5), (4, 12)):
            moves = [player.think(Think(position, level, seed=seed)).move for seed in range(40)]
            # By chance it would be less than once.
            assert moves.count(points_of(picture, "a")[0]) >= least


def test_visits_between_the_sizes_measured_are_in_between() -> None:
    small, middle, large = (level_of(8).effort.evaluations_on(size) for size in (9, 13, 16))
    assert small is not None
    assert middle is not None
    assert large is not None
    assert min(small, large) < middle < max(small, large)
    assert level_of(8).effort.evaluations_on(2) == small
    assert level_of(8).effort.evaluations_on(25) == large


def test_looseness_between_the_sizes_measured_is_in_between() -> None:
    sampled = [level_of(2).effort.sampling_on(size) for size in (2, 9, 13, 16, 18, 19, 25)]
    temperatures = [each.temperature for each in sampled if each is not None]
    _smaller, small, middle, large, between, largest, _larger = temperatures
    assert small > middle > large < between < largest
    assert sampled[:1] == sampled[1:2]
    assert sampled[-1:] == sampled[-2:-1]
