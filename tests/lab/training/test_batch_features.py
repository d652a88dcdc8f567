"""Features of positions in batches equal those of each position by itself."""

from __future__ import annotations

import numpy as np
import pytest

from daoqi_tui.ai.network.features import Features
from daoqi_tui.ai.search import HISTORY
from daoqi_tui.engine import PASS, Board, Torus

torch = pytest.importorskip("torch", reason="torch is not installed, so nothing can be trained")
from daoqi_tui.lab.training.areas import areas_of  # noqa: E402
from daoqi_tui.lab.training.batch_features import inputs_of  # noqa: E402
from daoqi_tui.lab.training.boards import Boards  # noqa: E402

CPU = torch.device("cpu")
torch.set_num_threads(1)


@pytest.mark.parametrize(
    ("size", "plies", "every"),
    [(3, 60, 1), (5, 120, 2), (6, 120, 3), (9, 200, 10), (16, 520, 65)],
)
def test_positions_of_random_games_are_seen_alike(size: int, plies: int, every: int):
    """With passes, various komi, moves forbidden by superko, and certain areas."""
    rng = np.random.default_rng(size)
    komi = [4.0, 0.0, -3.5, 7.5, 1000.0, -1000.0]
    games = len(komi)
    boards, engines = Boards(games, size, CPU), [Board(Torus(size)) for _ in komi]
    made: list[list[int]] = [[] for _ in komi]
    features = Features(8, ladders=False)
    banned = 0
    for ply in range(plies):
        moves = []
        for place, board in enumerate(engines):
            choices = board.torus.points_in(board.legal_mask())
            move = PASS if not choices or rng.random() < 0.15 else int(rng.choice(choices))
            board.pass_turn() if move == PASS else board.play(move)
            made[place].append(move)
            moves.append(boards.grid.points if move == PASS else move)
        boards.play(torch.tensor(moves))
        boards.forget_passes(boards.states.over)
        if ply % every and ply != plies - 1:
            continue
        grid, states = boards.grid, boards.states
        inputs = inputs_of(
            grid, states, boards.chains, boards.legal().banned, areas_of(grid, states), komi=torch.tensor(komi)
        )
        for place, board in enumerate(engines):
            wanted = features.encode(board, komi[place], made[place][-HISTORY:], int(states.in_row[place]))
            assert np.array_equal(inputs.planes[place].numpy().T, wanted.planes)
            assert np.array_equal(inputs.whole[place].numpy(), wanted.whole)
            banned += int(wanted.planes[:, 6].sum())
    assert banned or size > 6
