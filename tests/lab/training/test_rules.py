"""Every field of the rules reaches the tensors of training: they play, count and see what the engine's boards do."""

from __future__ import annotations

import numpy as np
import pytest

from daoqi_tui.ai.network.features import Features
from daoqi_tui.ai.search import HISTORY
from daoqi_tui.engine import PASS, Board, Rules, Torus, area
from tests.engine.every_rules import LEGALITIES, differing

torch = pytest.importorskip("torch", reason="torch is not installed, so nothing can be trained")
from daoqi_tui.lab.training.areas import results_of  # noqa: E402
from daoqi_tui.lab.training.batch_features import BatchInputs, inputs_of  # noqa: E402
from daoqi_tui.lab.training.boards import Boards  # noqa: E402
from tests.lab.training.test_boards import assert_alike, play_all  # noqa: E402

CPU = torch.device("cpu")
torch.set_num_threads(1)


def seen(boards: Boards, komi: float) -> BatchInputs:
    komis = torch.full((len(boards),), komi)
    return inputs_of(boards.grid, boards.states, boards.chains, boards.legal().banned, boards.areas, komi=komis)


@pytest.mark.parametrize("rules", LEGALITIES, ids=str)
@pytest.mark.parametrize(("size", "games", "plies"), [(2, 6, 30), (3, 6, 50), (5, 4, 60)])
def test_random_games_are_the_engines(rules: Rules, size: int, games: int, plies: int):
    rng = np.random.default_rng(size)
    boards, engines = Boards(games, size, CPU, rules=rules), [Board(Torus(size), rules) for _ in range(games)]
    features, made = Features(8, ladders=False), [list[int]() for _ in engines]
    for _ in range(plies):
        for place, board in enumerate(engines):
            choices = board.torus.points_in(board.legal_mask())
            made[place].append(PASS if not choices or rng.random() < 0.15 else int(rng.choice(choices)))
            board.make(made[place][-1])
        play_all(boards, [moves[-1] for moves in made])
        boards.forget_passes(boards.states.over)
        assert_alike(boards, engines)
        inputs = seen(boards, rules.komi)
        for place, board in enumerate(engines):
            in_row = int(boards.states.in_row[place])
            wanted = features.encode(board, rules.komi, made[place][-HISTORY:], in_row)
            assert np.array_equal(inputs.planes[place].numpy().T, wanted.planes)
            assert np.array_equal(inputs.whole[place].numpy(), wanted.whole)
    margins = [area(board, rules.komi).margin for board in engines] + [-1.0, 0.0, 1.0]
    assert results_of(torch.tensor(margins), rules).tolist() == [rules.value(margin) for margin in margins]


@pytest.mark.parametrize(("field", "one", "other"), differing(), ids=str)
def test_a_network_in_training_sees_the_field(field: str, one: Rules, other: Rules):
    found = []
    for rules in (one, other):
        boards = Boards(1, 5, CPU, rules=rules)
        for move in (12, 25, 7, 3):
            boards.play(torch.tensor([move]))
        inputs = seen(boards, rules.komi)
        found.append(inputs.planes.numpy().tobytes() + inputs.whole.numpy().tobytes())
    assert found[0] != found[1]
