"""Self-play in tensors: it follows the rules and the settings, and its positions equal those of single games."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from daoqi_tui.ai.network.features import KOMI, MINE, THEIRS, Features
from daoqi_tui.ai.network.network import LoadedNetwork
from daoqi_tui.ai.search import HISTORY, Evaluation, Inputs, blended_value
from daoqi_tui.engine import BLACK, PASS, WHITE, Board, Torus, area
from daoqi_tui.lab.training.settings import Finishing, PolicyPlay, Searching, Teaching
from tests.lab.training.one_game import OneGame, legal_policy, likes_pass, positions_of

torch = pytest.importorskip("torch", reason="torch is not installed, so nothing can be trained")
from daoqi_tui.ai.network.torch_network import TorchNetwork  # noqa: E402
from daoqi_tui.lab.training.batch_evaluator import (  # noqa: E402
    BatchEvaluation,
    BatchNetwork,
    blended_values,
    legal_policies,
    sample_moves,
)
from daoqi_tui.lab.training.batch_features import BatchInputs  # noqa: E402
from daoqi_tui.lab.training.evaluators import header_of  # noqa: E402
from daoqi_tui.lab.training.grid import grid_of  # noqa: E402
from daoqi_tui.lab.training.model import parameters_of  # noqa: E402
from daoqi_tui.lab.training.samples import packed, positions_from  # noqa: E402
from daoqi_tui.lab.training.self_play import (  # noqa: E402
    GameParameters,
    PlayedGames,
    policy_positions,
    searched_games,
    settled_games,
)
from daoqi_tui.lab.training.tensor_games import TensorGames  # noqa: E402
from tests.lab.training.evaluators import Counting, WithoutRaces, seeded  # noqa: E402
from tests.lab.training.test_learning import SMALL, stirred  # noqa: E402

CPU = torch.device("cpu")


def test_a_network_says_the_same_of_many_as_of_each():
    parameters = parameters_of(stirred(SMALL))
    network = TorchNetwork(parameters, CPU)
    rng = np.random.default_rng(1)
    planes = rng.integers(0, 2, (5, 49, 22)).astype(np.float32)
    whole = rng.normal(size=(5, 19)).astype(np.float32)
    wanted = LoadedNetwork(header_of(SMALL), network).evaluate(
        [Inputs(*each) for each in zip(planes, whole, strict=True)], 7
    )
    inputs = BatchInputs(torch.from_numpy(planes.transpose(0, 2, 1) > 0), torch.from_numpy(whole))
    found = BatchNetwork(network, CPU).evaluate(inputs, 7)
    assert_judged(found, wanted)


def test_with_16_bit_floats_a_network_says_nearly_the_same():
    parameters = parameters_of(stirred(SMALL))
    rng = np.random.default_rng(2)
    inputs = BatchInputs(
        torch.from_numpy(rng.integers(0, 2, (6, 22, 81)) > 0), torch.from_numpy(rng.random((6, 19), np.float32))
    )
    fine, coarse = (
        BatchNetwork(TorchNetwork(parameters, CPU, kind=kind), CPU).evaluate(inputs, 9)
        for kind in (torch.float32, torch.bfloat16)
    )
    for name, off in (("policy", 0.02), ("win", 0.05), ("owner", 0.1)):
        assert getattr(coarse, name).dtype == torch.float32
        difference = (getattr(fine, name) - getattr(coarse, name)).abs().max()
        assert 0 < difference < off, name


def assert_judged(found: object, wanted: list[Evaluation]) -> None:
    for place, one in enumerate(wanted):
        assert np.allclose(found.policy[place], one.policy, atol=1e-5)
        assert np.allclose(found.owner[place], one.owner, atol=1e-5)
        for name in ("win", "lead", "spread"):
            assert float(getattr(found, name)[place]) == pytest.approx(getattr(one, name), abs=1e-3)
        worth = blended_value(one.win, one.lead, len(one.owner))
        assert float(found.value()[place]) == pytest.approx(worth, abs=1e-4)


def test_values_are_blended_alike():
    for win, margin, points in ((1.0, 3.5, 25), (0.0, -80.0, 256), (0.3, 0.0, 9)):
        found = blended_values(torch.tensor([win]), torch.tensor([margin]), points)
        assert float(found) == pytest.approx(blended_value(win, margin, points), abs=1e-6)


@pytest.mark.parametrize("size", [3, 5, 8])
def test_positions_are_kept_as_those_of_single_looks(size: int):
    rng = np.random.default_rng(size)
    points = size * size
    planes = rng.integers(0, 2, (4, points, 22)).astype(np.float32)
    whole = rng.normal(size=(4, 19)).astype(np.float32)
    policy = rng.dirichlet(np.ones(points + 1), 4).astype(np.float32)
    value = rng.normal(size=(4, 3)).astype(np.float32)
    owner = rng.uniform(-1, 1, (4, points)).astype(np.float32)
    inputs = [Inputs(*each) for each in zip(planes, whole, strict=True)]
    targets = [Evaluation(policy[n], *(float(part) for part in value[n]), owner[n]) for n in range(4)]
    wanted = positions_of(inputs, targets, size)
    seen = packed(BatchInputs(torch.from_numpy(planes.transpose(0, 2, 1) > 0), torch.from_numpy(whole)))
    found = positions_from(seen, *(torch.from_numpy(part) for part in (policy, value, owner)))
    for name in ("planes", "whole", "policy", "value", "owner", "size"):
        assert np.array_equal(getattr(found, name), getattr(wanted, name)), name
        assert getattr(found, name).dtype == getattr(wanted, name).dtype, name


def test_forbidden_moves_leave_the_policy():
    board = Board(Torus(3))
    for point in (0, 1, 2):
        board.play(point)
    policy = np.random.default_rng(1).dirichlet(np.ones(10), 2).astype(np.float32)
    policy[1, 3:] = 0
    plays = torch.tensor([[not colour for colour in board.colours]] * 2)
    found = legal_policies(torch.from_numpy(policy), plays)
    for place in range(2):
        assert np.allclose(found[place], legal_policy(policy[place], board), atol=1e-6)
    assert found[1, -1] == 1


def test_moves_are_drawn_by_their_chance_and_the_temperature():
    policy = torch.tensor([[0.8, 0.2, 0.0]]).repeat(4000, 1)
    for temperature, share in ((1.0, 0.8), (0.5, 0.64 / 0.68), (2.0, 2 / 3)):
        drawn = sample_moves(policy, torch.full((4000,), temperature), torch.Generator().manual_seed(1))
        assert int(drawn.max()) == 1
        assert float((drawn == 0).float().mean()) == pytest.approx(share, abs=0.03)


def test_games_are_planned_as_the_settings_say():
    generator = torch.Generator().manual_seed(1)
    play = PolicyPlay(komi=4.0, komi_varied=0.5, komi_spread=0.1, opening=0.2, longest=1.3)
    plans = GameParameters(4000, 10, play, generator)
    varied = plans.komi != 4
    assert float(varied.float().mean()) == pytest.approx(0.49, abs=0.04)
    assert float(plans.komi[varied].std()) == pytest.approx(10, abs=1)
    assert (plans.komi * 2 == (plans.komi * 2).round()).all()
    assert (int(plans.opening.min()), int(plans.opening.max())) == (0, 20)
    assert play.max_moves(100) == 130


def test_raw_games_yield_one_position_a_board_and_new_games_follow():
    stones, counts = [], set()
    for labelled in islice(
        policy_positions(TensorGames(Counting(), 5, 7), PolicyPlay(), Teaching(), seeded(1), 999), 80
    ):
        positions = labelled.by_player
        counts.add(len(positions))
        planes = positions.planes_of().reshape(7, 25, 22)
        occupied = planes[:, :, MINE] + planes[:, :, THEIRS]
        policy = positions.policy.astype(np.float32)
        assert occupied.max() <= 1
        assert not (policy[:, :-1] * occupied).any()
        assert policy.sum(1) == pytest.approx(np.ones(7), abs=1e-2)
        assert (positions.value[:, 0] == 0.5).all()
        stones += occupied.sum(1).tolist()
    assert counts == {7}
    assert min(stones) < 4
    assert max(stones) > 14


@pytest.mark.parametrize("outcome", [1.0, 0.25])
def test_what_is_learnt_is_what_the_replayed_games_say(outcome: float):
    """Each game is replayed on the engine's board to compare the inputs, the winner, the margin and the ownership."""
    size = 4
    searching = Searching(visits=6, quick_visits=2, full=1.0, decided=1.0, considered=4, outcome=outcome)
    play, finishing = PolicyPlay(opening=0.0, komi_varied=1.0, komi_spread=0.8), Finishing(exploratory=0.0, longest=5.0)
    played = searched_games(TensorGames(Counting(), size, 12), searching, play, finishing, seeded(5))
    positions = played.positions
    assert positions is not None
    assert len(positions) == len(played.game)
    features = Features(8, ladders=False)
    lengths, winners = set(), set()
    planes = positions.planes_of().reshape(len(positions), size * size, -1)
    policies, owners = positions.policy.astype(np.float32), positions.owner
    for game in range(12):
        rows = (played.game == game).nonzero()[:, 0].tolist()
        moves = [PASS if move == 16 else move for move in played.moves[game].tolist() if move >= 0]
        komi = float(played.komi[game])
        if len(moves) == round(finishing.longest * 16):
            assert not rows, "what finds no end is not learnt from"
            continue
        assert len(rows) == len(moves)
        again = OneGame(size, komi)
        board, movers = again.board, []
        for ply, move in enumerate(moves):
            inputs = features.encode(board, komi, moves[max(0, ply - HISTORY) : ply], again.passes)
            assert np.array_equal(planes[rows[ply]], inputs.planes)
            assert np.array_equal(positions.whole[rows[ply]], inputs.whole)
            policy = policies[rows[ply]]
            assert policy.sum() == pytest.approx(1.0, abs=1e-2)
            assert not [point for point in range(16) if policy[point] and not board.legal_mask() >> point & 1]
            movers.append(board.to_move)
            again.note_pass(legal_policy(np.ones(size * size + 1, np.float32), board))
            again.make(move)
        assert again.passes == 2
        count, margin = area(board, komi), again.margin()
        for row, mover in zip(rows, movers, strict=True):
            sign = 1 if mover == BLACK else -1
            win, lead, spread = positions.value[row]
            assert lead == sign * margin
            assert spread < 0
            won = float((margin > 0) == (mover == BLACK))
            assert win == won if outcome == 1 else outcome * won <= win <= outcome * won + 1 - outcome
            mine = [sign * (127 if owner == BLACK else -127 if owner == WHITE else 0) for owner in count.owners]
            assert owners[row].tolist() == mine
        lengths.add(len(moves))
        winners.add(BLACK if margin > 0 else WHITE)
    assert len(lengths) > 1
    assert winners == {BLACK, WHITE}


def test_finished_games_go_as_single_ones_do():
    """Each game is replayed move by move to compare the policies, the inputs and the results."""
    size, points = 4, 16
    network = TorchNetwork(parameters_of(stirred(SMALL)), CPU)
    fond = np.ones(points + 1, np.float32)
    fond[-1] = 40.0

    class FondAlone(WithoutRaces):
        """A network with a higher prior for passes."""

        def evaluate(self, inputs: Sequence[Inputs], size: int) -> list[Evaluation]:
            return [one._replace(policy=one.policy * fond) for one in super().evaluate(inputs, size)]

    class FondTogether(BatchNetwork):
        """The same in batches."""

        def evaluate(self, inputs: BatchInputs, size: int) -> BatchEvaluation:
            found = super().evaluate(inputs, size)
            return replace(found, policy=found.policy * torch.from_numpy(fond))

    alone, together = FondAlone(replace(header_of(SMALL), ladders=False), network), FondTogether(network, CPU)
    finishing = Finishing(exploratory=0.0, recorded=1.0, temperature=1.5, longest=6.0)
    play = PolicyPlay(opening=0.0, komi_spread=0.2)
    played = settled_games(TensorGames(together, size, 40, None), play, finishing, seeded(6))
    positions = played.positions
    assert positions is not None
    refused = waited = 0
    for number in range(40):
        rows = (played.game == number).nonzero()[:, 0].tolist()
        moves = [PASS if move == points else move for move in played.moves[number].tolist() if move >= 0]
        game = OneGame(size, float(played.komi[number]))
        if not rows:
            assert len(moves) == round(finishing.longest * points), "what finds no end is not learnt from"
            continue
        movers = []
        for row, move in zip(rows, moves, strict=True):
            inputs = game.encode(alone)
            (evaluated,) = alone.evaluate([inputs], size)
            liked = legal_policy(evaluated.policy, game.board)
            policy = game.without_early_pass(liked, evaluated.lead)
            assert policy[move] > 0
            assert np.allclose(positions.policy[row].astype(np.float32), policy, atol=2e-3)
            assert np.array_equal(positions.whole[row], inputs.whole)
            refused += likes_pass(liked) and policy[-1] == 0
            movers.append(game.board.to_move)
            game.note_pass(liked)
            game.make(move)
        count = area(game.board, game.komi)
        waited += game.margin() != count.margin
        for row, mover in zip(rows, movers, strict=True):
            sign = 1 if mover == BLACK else -1
            assert positions.value[row, 1] == pytest.approx(sign * game.margin())
            mine = [sign * (127 if owner == BLACK else -127 if owner == WHITE else 0) for owner in count.owners]
            assert positions.owner[row].tolist() == mine
    assert refused > 5
    assert waited > 2


def test_finished_games_explore_first_and_learn_the_teachers_policy():
    finishing = Finishing(exploratory=1.0, recorded=0.5)
    network = BatchNetwork(TorchNetwork(parameters_of(stirred(SMALL)), CPU), CPU)
    played = settled_games(TensorGames(Counting(), 4, 60, network), PolicyPlay(), finishing, seeded(7))
    positions = played.positions
    assert positions is not None
    assert len(positions) < 0.6 * int((played.moves >= 0).sum())
    planes = positions.planes_of().reshape(len(positions), 16, 22)
    first = [int((played.game == number).nonzero()[0, 0]) for number in played.game.unique()]
    stones = planes[first][:, :, [MINE, THEIRS]].sum(axis=(1, 2))
    assert stones.max() > 6
    policy = positions.policy.astype(np.float32)
    assert (policy.max(1) > 3 * policy.mean(1)).mean() > 0.3, "its own would be even"


def test_every_tensor_is_made_on_the_judges_device():
    """The default device cannot compute, so a tensor made without an explicit device makes the test fail."""
    network = BatchNetwork(TorchNetwork(parameters_of(stirred(SMALL)), CPU), CPU)
    grid_of.cache_clear()
    searching = Searching(visits=5, quick_visits=2, full=0.5, considered=3)
    with torch.device("meta"):
        assert torch.zeros(1).is_meta
        assert (
            len(
                list(islice(policy_positions(TensorGames(network, 5, 4), PolicyPlay(), Teaching(), seeded(1), 999), 30))
            )
            == 30
        )
        played = searched_games(TensorGames(network, 5, 8), searching, PolicyPlay(), Finishing(longest=9.0), seeded(1))
        settled_games(TensorGames(network, 5, 4, network), PolicyPlay(), Finishing(), seeded(1))
    assert played.positions is not None
    assert len(played.positions)


def test_only_full_searches_are_learnt_from():
    searching = Searching(visits=4, quick_visits=1, full=0.0, considered=2)
    network = Counting()
    played = searched_games(TensorGames(network, 4, 5), searching, PolicyPlay(), Finishing(exploratory=0.0), seeded(3))
    assert played.positions is None
    assert played.moves.shape[0] == 5
    assert (played.moves[:, 0] >= 0).all()
    assert network.asked[0] == 5
    assert network.asked == sorted(network.asked, reverse=True), "games that have ended cost nothing"


def test_neither_exploratory_moves_nor_decided_positions_are_learnt_from():
    def played(network: Counting, finishing: Finishing, decided: float) -> PlayedGames:
        searching = Searching(visits=3, quick_visits=0, full=1.0, decided=decided, considered=2)
        return searched_games(TensorGames(network, 4, 30), searching, PolicyPlay(komi_varied=0.0), finishing, seeded(4))

    earnest, exploring = Finishing(exploratory=0.0, longest=5.0), Finishing(exploratory=2.0, longest=5.0)
    some = played(Counting(), exploring, 0.0)
    assert some.positions is not None
    assert 0 < len(some.positions) < int((some.moves >= 0).sum())
    assert len(set(some.moves[:, 0].tolist())) > 8
    assert (np.abs(some.positions.whole[:, KOMI] * 20) < 40).all()
    assert played(Counting(black=0.99), earnest, 0.0).positions is None
    assert played(Counting(black=0.99), earnest, 1.0).positions is not None


def test_moves_that_are_not_searched_cost_one_evaluation():
    searching = Searching(visits=4, quick_visits=0, full=0.0, considered=2)
    network, finishing = Counting(), Finishing(exploratory=0.0, longest=2.0)
    played = searched_games(TensorGames(network, 4, 3), searching, PolicyPlay(), finishing, seeded(3))
    assert len(network.asked) == int((played.moves >= 0).sum(1).max())
