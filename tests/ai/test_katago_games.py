"""A real network on real games of Daoqi: it predicts far more moves with circular padding than with a border."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from daoqi_tui.ai import Position
from daoqi_tui.ai.network.layout import Padding
from daoqi_tui.ai.network.network import LoadedNetwork, Network
from daoqi_tui.ai.network.reader import read_network
from daoqi_tui.ai.search import HISTORY
from daoqi_tui.record import load
from tests.shared_data import data_path
from tests.thorough import rounds

EVERY = rounds(14, 7)


@pytest.mark.parametrize(("padding", "least", "most"), [("wrap", 0.36, 0.5), ("zero", 0.2, 0.33)])
def test_moves_of_real_games_are_guessed(padding: Padding, least: float, most: float) -> None:
    """Over all moves of all games, about 42 % are predicted on the torus and 27 % with a border."""
    header, parameters = read_network(data_path("nets", "g170-b6c96.bin.gz"))
    network = LoadedNetwork(replace(header, ladders=False), Network(parameters, padding))
    guessed = seen = 0
    for path in sorted(data_path("historic").glob("*.sgf")):
        game = load(path).game
        batch, played, legal = [], [], []
        for number, node in enumerate(game.node.path()[0].line()):
            if node.move is None or node.move.is_pass or number % EVERY:
                continue
            assert node.parent is not None
            game.goto(node.parent)
            position = Position.of(game)
            board = position.board()
            batch.append(network.encode(board, position.komi, position.recent(HISTORY), 0))
            played.append(node.move.point)
            legal.append(board.torus.points_in(board.legal_mask()))
        for evaluation, move, points in zip(network.evaluate(batch, game.torus.size), played, legal, strict=True):
            seen += 1
            guessed += points[int(np.argmax(evaluation.policy[list(points)]))] == move
    assert seen > 2_800 // EVERY
    assert least < guessed / seen < most
