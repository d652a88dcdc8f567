"""Self-play games of a network."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from daoqi_tui.ai.nets import SHIPPED, NetworkFiles
from daoqi_tui.ai.search import NetworkEvaluator
from daoqi_tui.ai.search.puct import PuctSearch
from daoqi_tui.engine import Board, torus_of
from daoqi_tui.lab.openings.games import PlayStyle, play_games, search_together
from daoqi_tui.paths import assets_folder


@pytest.fixture(scope="module")
def network() -> NetworkEvaluator:
    """The built-in network."""
    return NetworkFiles().load(str(Path(assets_folder()) / SHIPPED))


def test_a_game_at_every_komi_is_played_to_an_end_that_can_be_counted(network: NetworkEvaluator) -> None:
    games = list(play_games(network, 5, range(10), PlayStyle(), np.random.default_rng(1)))
    assert sorted(game.komi for game in games) == list(range(10))
    for game in games:
        assert 2 < game.moves <= 3 * 25
        assert -25 - game.moves <= game.margin <= 25 + game.moves


def test_the_same_seed_plays_the_same_games(network: NetworkEvaluator) -> None:
    first, again, other = (
        list(play_games(network, 5, [4.0] * 3, PlayStyle(), np.random.default_rng(seed))) for seed in (1, 1, 2)
    )
    assert first == again != other


def test_searches_side_by_side_find_what_each_finds_alone(network: NetworkEvaluator) -> None:
    def search(point: int) -> PuctSearch:
        board = Board(torus_of(5))
        board.make(point)
        return PuctSearch(board, 4.0, network, recent=(point,))

    together = [search(0), search(7)]
    search_together(network, together, 12)
    for found, point in zip(together, (0, 7), strict=True):
        alone = search(point)
        search_together(network, [alone], 12)
        assert found.visits == alone.visits == 12
        assert found.root.visits.tolist() == alone.root.visits.tolist()
