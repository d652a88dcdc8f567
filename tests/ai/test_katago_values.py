"""Real KataGo networks: on flat boards their evaluations are the known ones, so the files are read correctly."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import numpy as np
import pytest

from daoqi_tui.ai.nets import katrain_network
from daoqi_tui.ai.network.layout import Padding
from daoqi_tui.ai.network.network import LoadedNetwork, Network
from daoqi_tui.ai.network.reader import read_network
from daoqi_tui.ai.search import Evaluation
from daoqi_tui.engine import Board, torus_of
from tests.ai.katago_reference import TorchKataGo
from tests.ai.network_reference import furthest, load
from tests.shared_data import DATA

FOLDER: Final = "DAOQI_NETS"
"""The environment variable that names a folder with more networks."""


def real_networks() -> list[Path]:
    found = [*(DATA / "nets").glob("*.bin.gz"), *Path(os.environ.get(FOLDER) or "/nonexistent").glob("*.bin.gz")]
    katrain = katrain_network()
    found += [] if katrain is None else [katrain]
    return sorted({path.name: path for path in found}.values())


@pytest.fixture(params=real_networks() or [None], ids=lambda path: path.name[:20] if path else "none")
def file(request: pytest.FixtureRequest) -> Path:
    if request.param is None:
        pytest.skip(f"no KataGo networks here: put some into {DATA / 'nets'} or the folder that {FOLDER} names")
    assert isinstance(request.param, Path)
    return request.param


def evaluation(network: LoadedNetwork, size: int, komi: float, *moves: int) -> Evaluation:
    board = Board(torus_of(size))
    for move in moves:
        board.play(move)
    return network.evaluate([network.encode(board, komi, moves, 0)], size)[0]


def test_on_a_flat_board_the_known_komi_is_about_fair(file: Path) -> None:
    """Fair komi is 7 on 9×9, so half a point either way decides; on 19×19 it is slightly less."""
    network = load(file, "zero")
    below, above = evaluation(network, 9, 6.5), evaluation(network, 9, 7.5)
    assert 0.5 < below.win < 0.9
    assert 0.02 < above.win < 0.5
    assert abs(below.lead) < 2
    assert abs(above.lead) < 2
    large = evaluation(network, 19, 7.5)
    assert 0.3 < large.win < 0.5
    assert -3 < large.lead < 1
    assert evaluation(network, 19, 0).win > large.win + 0.05
    assert 4 < evaluation(network, 19, 0).lead < 8


def test_on_a_flat_board_the_first_move_is_one_that_people_play(file: Path) -> None:
    network = load(file, "zero")
    row, column = divmod(int(evaluation(network, 19, 7.5).policy.argmax()), 19)
    assert {min(row, 18 - row), min(column, 18 - column)} <= {2, 3}
    row, column = divmod(int(evaluation(network, 9, 7).policy.argmax()), 9)
    assert abs(row - 4) <= 1
    assert abs(column - 4) <= 1


def test_a_captured_chain_is_lost_and_belongs_to_who_surrounds_it(file: Path) -> None:
    """On the torus: White has a single stone inside Black's territory, and Black owns the board."""
    network = load(file)
    black = [row * 9 + column for row in (2, 6) for column in range(9)] + [row * 9 for row in (0, 1, 7, 8)]
    board = Board(torus_of(9))
    board.setup([1 if point in black else 2 if point == 40 else 0 for point in range(81)], 1)
    found = network.evaluate([network.encode(board, 4, (), 0)], 9)[0]
    assert found.win > 0.9
    assert found.owner.mean() > 0.5


@pytest.mark.parametrize("padding", ["wrap", "zero"])
def test_it_agrees_with_another_reader_in_torch(file: Path, padding: Padding) -> None:
    reference = TorchKataGo(file, padding)
    header, parameters = read_network(file)
    network, features = Network(parameters, padding), LoadedNetwork(header, Network(parameters))
    rng, board, recent = np.random.default_rng(1), Board(torus_of(9)), []
    for _ in range(20):
        recent.append(int(rng.choice(board.torus.points_in(board.legal_mask()))))
        board.play(recent[-1])
    inputs = features.encode(board, 4, recent[-5:], 0)
    given = inputs.planes[None], inputs.whole[None]
    assert furthest(network.run(*given, 9), reference.run(*given, 9)) < 2e-4
