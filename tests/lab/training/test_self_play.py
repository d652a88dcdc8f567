"""Games played for training, on the engine's boards and in tensors: their rules, moves and results."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice, pairwise

import numpy as np
import pytest

from daoqi_tui.ai.network.features import mask_to_array
from daoqi_tui.ai.search import Evaluation, Inputs
from daoqi_tui.engine import BLACK, DAOQI, PASS, WHITE, Board, Torus, area
from daoqi_tui.lab.training.positions import Positions, joined
from daoqi_tui.lab.training.settings import Finishing, PolicyPlay, Searching, Teaching

torch = pytest.importorskip("torch", reason="torch is not installed, so nothing can be trained")
from daoqi_tui.ai.network.torch_network import TorchNetwork  # noqa: E402
from daoqi_tui.lab.training.batch_evaluator import legal_policies  # noqa: E402
from daoqi_tui.lab.training.evaluators import header_of  # noqa: E402
from daoqi_tui.lab.training.game_batch import GameBatch  # noqa: E402
from daoqi_tui.lab.training.labels import LabelledPositions, look_ahead, mixed_positions  # noqa: E402
from daoqi_tui.lab.training.model import parameters_of  # noqa: E402
from daoqi_tui.lab.training.samples import (  # noqa: E402
    GameResults,
    PackedInputs,
    RecordedPositions,
)
from daoqi_tui.lab.training.self_play import (  # noqa: E402
    PlayedGames,
    policy_positions,
    searched_games,
    settled_games,
    without_early_passes,
)
from tests.lab.training.evaluators import BEGIN, Even, WithoutRaces, engine_games, seeded, tensor_games  # noqa: E402
from tests.lab.training.test_learning import SMALL, stirred  # noqa: E402

MINE, THEIRS = 1, 2
Begin = Callable[..., GameBatch]
PLAIN = PolicyPlay(opening=0.0, komi_varied=0.0, komi=0.0)


class Leader(Even):
    """A fake network that always passes, and evaluates the side to move as ahead by ``lead`` points."""

    def __init__(self, lead: float) -> None:
        super().__init__()
        self.lead = lead

    def evaluate(self, batch: Sequence[Inputs], size: int) -> list[Evaluation]:
        policy = np.full(size * size + 1, 1e-4, np.float32)
        policy[-1] = 1.0
        return [one._replace(policy=policy, lead=self.lead) for one in super().evaluate(batch, size)]


class FondOfPasses(WithoutRaces):
    """A network of random weights with a higher prior for passes, so that games end."""

    factor = 40.0

    def evaluate(self, inputs: Sequence[Inputs], size: int) -> list[Evaluation]:
        fond = np.ones(size * size + 1, np.float32)
        fond[-1] = self.factor
        return [one._replace(policy=one.policy * fond) for one in super().evaluate(inputs, size)]


def rows_by_game(played: PlayedGames) -> list[list[int]]:
    """Return the rows of each game's positions, for the games that have any."""
    return [(played.game == number).nonzero()[:, 0].tolist() for number in played.game.unique()]


def stones_of(positions: Positions) -> list[int]:
    return positions.planes_of()[..., [MINE, THEIRS]].sum(axis=(1, 2, 3)).astype(int).tolist()


def same(one: Positions, other: Positions) -> bool:
    """Return whether inputs are equal, and targets nearly so: evaluations vary slightly with the batch."""
    exact = all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ("planes", "whole", "size"))
    near = (("policy", 2e-3), ("value", 1e-3), ("owner", 1))
    return exact and all(
        np.allclose(getattr(one, name).astype(float), getattr(other, name).astype(float), atol=off)
        for name, off in near
    )


# The same random numbers give the same games


def random_network(seed: int = 1, factor: float = 40.0) -> FondOfPasses:
    weights = TorchNetwork(parameters_of(stirred(replace(SMALL, seed=seed))), torch.device("cpu"))
    network = FondOfPasses(replace(header_of(SMALL), ladders=False), weights)
    network.factor = factor
    return network


@pytest.mark.parametrize("teacher", [None, 2])
def test_settled_games_are_the_same_on_boards_and_in_tensors(teacher: int | None):
    """All random choices, from komi to the last move, the recorded positions and the results."""
    finishing = Finishing(exploratory=0.5, recorded=0.5, temperature=1.5, longest=2.0, outcome=0.6)
    play = PolicyPlay(opening=0.3, random=0.2, komi_varied=0.7, komi_spread=0.3)
    played = [
        settled_games(
            begin(random_network(), 4, 24, None if teacher is None else random_network(teacher)),
            play,
            finishing,
            seeded(5),
        )
        for begin in (engine_games, tensor_games)
    ]
    assert_same(*played)
    ends = (played[0].moves >= 0).sum(1)
    assert len(set(ends.tolist())) > 5
    assert (ends == 32).any(), "some game is cut off"


@pytest.mark.parametrize(("quick", "full", "decided"), [(0, 0.5, 0.25), (3, 0.4, 1.0), (2, 1.0, 0.5)])
def test_searched_games_are_the_same_on_boards_and_in_tensors(quick: int, full: float, decided: float):
    """All random choices, the number of visits for each move, and the results of the searches."""
    searching = Searching(visits=7, quick_visits=quick, full=full, decided=decided, considered=4, outcome=0.6)
    finishing, play = Finishing(exploratory=0.3, longest=4.0), PolicyPlay(komi_varied=0.7, komi_spread=0.3)
    played = [
        searched_games(begin(random_network(factor=4.0), 4, 12), searching, play, finishing, seeded(7))
        for begin in (engine_games, tensor_games)
    ]
    assert_same(*played)


def assert_same(one: PlayedGames, other: PlayedGames) -> None:
    assert torch.equal(one.komi, other.komi)
    assert torch.equal(one.moves, other.moves)
    assert torch.equal(one.game, other.game)
    assert one.positions is not None
    assert other.positions is not None
    assert len(one.positions) > 50
    assert same(one.positions, other.positions)


@pytest.mark.parametrize(("teacher", "siblings"), [(None, 0), (2, 0), (2, 3)])
def test_games_by_the_policy_are_the_same_on_boards_and_in_tensors(teacher: int | None, siblings: int):
    play = PolicyPlay(opening=0.3, random=0.2, komi_varied=0.7, longest=1.5)
    endless = [
        policy_positions(
            begin(random_network(), 4, 6, None if teacher is None else random_network(teacher)),
            play,
            Teaching(siblings=siblings),
            seeded(3),
            999,
        )
        for begin in (engine_games, tensor_games)
    ]
    before = 99
    restarts = 0
    for one, other in islice(zip(*endless, strict=True), 60 if not siblings else 120):
        assert all(map(same, one[:2], other[:2]))
        assert one.siblings == other.siblings
        if one.siblings > 1:
            continue
        stones = stones_of(one.by_player)[0]
        restarts += stones < before - 4
        before = stones
    assert restarts > 2


# Policy-only games


@BEGIN
def test_games_by_the_policy_yield_one_position_a_board_and_legal_policies(begin: Begin):
    stones = []
    for positions, *_ in islice(policy_positions(begin(Even(), 5, 6), PolicyPlay(), Teaching(), seeded(1), 999), 60):
        assert len(positions) == 6
        planes = positions.planes_of().reshape(6, 25, -1)
        occupied = planes[:, :, MINE] + planes[:, :, THEIRS]
        policy = positions.policy.astype(np.float32)
        assert occupied.max() <= 1
        assert not (policy[:, :-1] * occupied).any()
        assert policy.sum(1) == pytest.approx(np.ones(6), abs=1e-2)
        stones += occupied.sum(1).tolist()
    assert min(stones) < 5, "new games follow those that end"
    assert max(stones) > 15


@BEGIN
def test_another_network_plays_what_the_teacher_labels(begin: Begin):
    """The teacher would always pass; since the games go on, the other network plays them."""
    player = Even()
    games = begin(player, 5, 6, Leader(7.0))
    stones = []
    for labelled in islice(policy_positions(games, PLAIN, Teaching(labelled=0.5), seeded(1), 999), 40):
        for positions, lead in zip(labelled[:2], (0.0, 7.0), strict=True):
            assert (positions.policy[:, -1] > 0.9).all()
            assert (positions.value[:, 1] == lead).all()
            assert len(positions) == 6
        stones += labelled.by_teacher.planes_of()[..., [MINE, THEIRS]].sum(axis=(1, 2, 3)).tolist()
    assert max(stones) > 10
    assert 55 < len(player.batches) < 110, "all in half of the turns"


@BEGIN
def test_the_policy_to_be_learnt_is_mixed_of_both_networks(begin: Begin):
    of_teacher, of_player, mixed = (
        next(policy_positions(begin(random_network(), 5, 6, random_network(2)), PLAIN, teaching, seeded(1), 999))
        for teaching in (Teaching(), Teaching(player_policy=1.0), Teaching(player_policy=0.25))
    )
    player, teacher = (labelled.by_teacher.policy.astype(np.float32) for labelled in (of_player, of_teacher))
    assert np.abs(player - teacher).max() > 0.01
    for positions in mixed[:2]:
        assert positions.policy == pytest.approx(0.25 * player + 0.75 * teacher, abs=1e-3)


@BEGIN
def test_siblings_follow_different_plays_from_a_labelled_position(begin: Begin):
    games = begin(random_network(), 5, 6, random_network(2))
    teaching = Teaching(labelled=0.5, siblings=3)
    labelled = list(islice(policy_positions(games, PLAIN, teaching, seeded(1), 999), 40))
    families = [pair for pair in pairwise(labelled) if pair[1].siblings == 3]
    assert len(families) > 15
    for parents, after in families:
        assert parents.siblings == 1
        assert parents.is_played
        assert not after.is_played
        if len(after.by_player) < 3 * len(parents.by_player):
            # Nearly full boards have fewer plays.
            continue
        before, then = (pair.by_teacher.planes_of() for pair in (parents, after))
        for parent, children in zip(before, then.reshape(-1, 3, 5, 5, 22), strict=True):
            # The side to move has changed; captures remove some of its stones.
            stones = [tuple(np.flatnonzero(child[..., THEIRS] - parent[..., MINE] > 0)) for child in children]
            assert [len(placed) for placed in stones] == [1, 1, 1]
            assert len(set(stones)) == 3
            assert all((child[..., MINE] <= parent[..., THEIRS]).all() for child in children)
        values = after.by_teacher.value[:, 0]
        assert not np.array_equal(values, after.by_player.value[:, 0])


def with_values(win: float, lead: float, owner: int, *, stones: int, count: int) -> Positions:
    """Return identical positions on boards of 25 points, with these values and this number of own stones."""
    planes = np.zeros((count, 25, 22), np.uint8)
    planes[:, :stones, MINE] = 1
    value = np.tile(np.array([win, lead, abs(lead)], np.float32), (count, 1))
    return Positions(
        np.packbits(planes.reshape(count, -1), axis=1),
        np.zeros((count, 19), np.float32),
        np.full((count, 26), 1 / 26, np.float16),
        value,
        np.full((count, 25), owner, np.int8),
        np.array(5),
    )


def labelled_as(player: Positions, teacher: Positions, siblings: int = 1) -> LabelledPositions:
    """Return labelled positions that are all in one stretch, a move apart."""
    count = len(player)
    return LabelledPositions(player, teacher, np.zeros(count, np.int64), np.arange(count), siblings)


def test_values_of_player_and_teacher_are_mixed_with_less_of_the_teacher_as_the_board_fills():
    few, many = (
        labelled_as(
            with_values(0.5, 0.0, -127, stones=stones, count=1), with_values(0.9, 10.0, 127, stones=stones, count=1)
        )
        for stones in (0, 25)
    )
    mixed = mixed_positions([few, many])
    # A single position in a phase hardly counts for the bias.
    assert 1 / (1 + 9**-0.45) - 0.02 < mixed.value[0, 0] < 1 / (1 + 9**-0.45)
    assert 1 / (1 + 9**-0.03) - 0.02 < mixed.value[1, 0] < 1 / (1 + 9**-0.03)
    assert mixed.value[:, 1] == pytest.approx([7.0, 2.0], rel=0.05)
    assert mixed.value[:, 2].tolist() == [10.0, 10.0]
    assert mixed.owner[:, 0].tolist() == [25, -127]


def test_siblings_differ_by_what_the_teacher_says_and_on_full_boards_mostly_by_what_the_player_does():
    for stones, share in ((3, 1.0), (25, 0.2)):
        player, teacher = (
            joined([with_values(*values, 0, stones=stones, count=1) for values in siblings])
            for siblings in (((0.5, 0.0), (0.5, 0.0), (0.2, 4.0)), ((0.8, 6.0), (0.2, 0.0), (0.2, 0.0)))
        )
        alone = with_values(0.6, 1.0, 0, stones=stones, count=2)
        mixed = mixed_positions([labelled_as(alone, alone), labelled_as(player, teacher, 3)])
        wins, leads = np.log(mixed.value[2:, 0] / (1 - mixed.value[2:, 0])), mixed.value[2:, 1]
        of_teacher, of_player = 2 * np.log(4) * share, np.log(4) * (1 - share)
        assert wins[0] - wins[1] == pytest.approx(of_teacher, abs=1e-4)
        assert wins[1] - wins[2] == pytest.approx(of_player, abs=1e-4)
        assert [leads[0] - leads[1], leads[2] - leads[1]] == pytest.approx([6 * share, 4 * (1 - share)], abs=1e-4)
        apart = mixed_positions([labelled_as(alone, alone), labelled_as(player, teacher)])
        assert mixed.value[:2] == pytest.approx(apart.value[:2]), "others are as if there were no families"
        assert leads.mean() == pytest.approx(apart.value[2:, 1].mean(), abs=1e-4)


def test_what_a_teacher_says_of_all_positions_alike_is_left_out():
    """It rates the side to move as behind by five points on average; half of the positions differ by ten either way."""
    pairs = [
        labelled_as(with_values(0.5, 0.0, 0, stones=3, count=600), with_values(win, lead, 0, stones=3, count=600))
        for win, lead in ((0.1, -15.0), (0.5, 5.0))
    ]
    mixed = mixed_positions(pairs)
    low, high = mixed.value[0], mixed.value[-1]
    assert low[0] + high[0] == pytest.approx(1.0, abs=0.02)
    assert low[1] + high[1] == pytest.approx(0.0, abs=0.4)
    assert high[1] == pytest.approx(7.0, abs=0.3)


@BEGIN
def test_a_stretch_ends_with_the_game_and_with_random_and_opening_moves(begin: Begin):
    def stretches_of(play: PolicyPlay, turns: int) -> list[np.ndarray]:
        games = begin(Even(), 4, 6)
        return [pair.stretch for pair in islice(policy_positions(games, play, Teaching(), seeded(1), 999), turns)]

    one_game = stretches_of(PolicyPlay(opening=0.0, random=0.0, longest=3.0), 8)
    assert all(stretch.tolist() == [0, 1, 2, 3, 4, 5] for stretch in one_game)
    for play in (PolicyPlay(opening=0.0, random=1.0), PolicyPlay(opening=1.0, random=0.0, longest=0.4)):
        *_, last = stretches = stretches_of(play, 30)
        assert len(set(np.concatenate(stretches).tolist())) > 30
        assert (last % 6).tolist() == [0, 1, 2, 3, 4, 5]
    restarted = stretches_of(PolicyPlay(opening=0.0, random=0.0, longest=1.0), 40)
    assert {stretch[0] for stretch in restarted} >= {0, 6, 12}


def test_values_look_ahead_to_the_next_positions_of_the_stretch():
    """The last position of three counts fully, in the others with a weight of 0.8 for each move that lies between."""
    first, second, third, other = (
        LabelledPositions(positions, positions, np.array([stretch]), np.array([ply]))
        for positions, stretch, ply in (
            (with_values(0.5, 0.0, 0, stones=3, count=1), 7, 4),
            (with_values(0.2, -10.0, 0, stones=3, count=1), 7, 5),
            (with_values(0.9, 20.0, 0, stones=3, count=1), 7, 7),
            (with_values(0.9, 20.0, 0, stones=3, count=1), 8, 5),
        )
    )
    pairs = [first, second, other, third]
    value = look_ahead(joined([pair.by_player for pair in pairs]), pairs, 4.0).value
    then = 0.36 * 0.2 + 0.64 * 0.9, 0.36 * -10.0 + 0.64 * 20.0
    assert value[3] == pytest.approx([0.9, 20.0, 20.0])
    assert value[1] == pytest.approx([*then, 10.0])
    assert value[0] == pytest.approx([0.2 * 0.5 + 0.8 * (1.0 - then[0]), 0.8 * -then[1], 0.0])
    assert value[2] == pytest.approx([0.9, 20.0, 20.0]), "it is in another stretch"


def test_with_infinitely_many_moves_ahead_only_the_last_position_of_a_stretch_counts():
    pairs = [
        LabelledPositions(positions, positions, np.array([0]), np.array([ply]))
        for ply, positions in enumerate(with_values(0.5, lead, 0, stones=3, count=1) for lead in (0.0, 9.0, -5.0))
    ]
    value = look_ahead(joined([pair.by_player for pair in pairs]), pairs, math.inf).value
    assert value[:, 1].tolist() == [-5.0, 5.0, -5.0]


@pytest.mark.parametrize("siblings", [1, 2])
def test_a_sibling_is_as_far_from_its_parent_as_the_shrunk_values_are(siblings: int):
    """Looking ahead halves leads here, and so the 6 points that a play loses; siblings are not what lies ahead."""
    count = 2000
    parents = joined([with_values(0.5, lead, 0, stones=3, count=1) for lead in (10.0, -10.0) for _ in range(count)])
    numbers = np.arange(2 * count)
    later = joined([with_values(0.5, 0.0, 0, stones=3, count=1)] * (2 * count))
    child = with_values(0.5, 10.0 + 6.0, 0, stones=3, count=siblings)
    last = np.full(siblings, 2 * count - 1)
    pairs = [
        LabelledPositions(parents, parents, numbers, np.full(2 * count, 3)),
        LabelledPositions(child, child, last, np.full(siblings, 4), siblings=siblings, is_played=False),
        LabelledPositions(later, later, numbers, np.full(2 * count, 4)),
    ]
    value = look_ahead(joined([pair.by_player for pair in pairs]), pairs, 1.0).value
    assert value[2 * count - 1, 1] == pytest.approx(-5.0)
    assert value[2 * count : 2 * count + siblings, 1] == pytest.approx([5.0 + 3.0] * siblings, abs=0.05)
    assert value[:, 0] == pytest.approx(0.5)


def test_a_policy_of_forbidden_moves_alone_becomes_a_pass():
    plays = torch.tensor([[False, False, False, True]])
    legal = legal_policies(torch.tensor([[1 / 3, 1 / 3, 1 / 3, 0.0, 0.0]]), plays)
    assert legal.tolist() == [[0, 0, 0, 0, 1]]


def test_planes_hold_only_zeros_and_ones():
    board = Board(Torus(6))
    for point in (0, 1, 7, 2, 8, 13):
        board.play(point)
    inputs = Even().encode(board, 4.0, [2, 8, 13], 0)
    assert set(np.unique(inputs.planes)) <= {0.0, 1.0}, "they are stored as bits"
    assert np.array_equal(inputs.planes[:, MINE], mask_to_array(board.stones(board.to_move), 36))


# When a pass is allowed


def after(begin: Begin, moves: Sequence[int], size: int = 4) -> GameBatch:
    games = begin(Even(), size, 1)
    for move in moves:
        games.play(torch.tensor([size * size if move == PASS else move]))
    return games


def allowed(games: GameBatch, lead: float, policy: object = None) -> object:
    """Return a policy, by default one that passes, with an early pass removed; komi is 0."""
    positions = games.positions(torch.zeros(1))
    if policy is None:
        policy = torch.full((1, games.size**2 + 1), 0.001)
        policy[0, -1] = 0.9
    current_score = games.current_score(torch.zeros(1))
    return without_early_passes(legal_policies(policy, positions.plays), current_score, torch.tensor([lead]))[0]


@BEGIN
def test_a_pass_is_in_order_where_the_count_gives_what_is_thought(begin: Begin):
    games = after(begin, [0])
    assert float(games.current_score(torch.zeros(1)).margin) == -16
    assert allowed(games, -16.0).argmax() == 16
    assert allowed(games, -14.5).argmax() == 16, "within the slack"


@BEGIN
def test_a_pass_is_refused_where_stones_thought_dead_still_count(begin: Begin):
    policy = allowed(after(begin, [0]), 10.0)
    assert policy[-1] == 0
    assert policy[0] == 0, "a stone is there"
    assert float(policy.sum()) == pytest.approx(1.0, abs=1e-5)


@BEGIN
def test_another_move_than_a_pass_is_never_refused(begin: Begin):
    policy = torch.full((1, 17), 0.01)
    policy[0, 5] = 0.5
    assert allowed(after(begin, [0]), 10.0, policy)[-1] > 0


@BEGIN
def test_eyes_are_not_filled_to_settle_what_is_settled(begin: Begin):
    """Black's only legal plays fill its own eyes, so it passes whatever the evaluation."""
    games = after(begin, [move for point in range(16) if point not in (0, 10) for move in (point, PASS)])
    games.forget_passes()
    assert games.positions(torch.zeros(1)).to_move == BLACK
    assert allowed(games, 40.0).argmax() == 16


# Games to a settled end


@BEGIN
def test_waiting_while_stones_are_taken_off_costs_nothing(begin: Begin):
    """Black, who leads, passes from its third move on, while White plays on to take stones off."""
    script = [0, PASS, 1, 5, PASS, 6, PASS, 7, PASS, PASS]

    class Scripted(Even):
        """A fake network that plays the script, and rates the side to move as behind, so that no pass is early."""

        def evaluate(self, batch: Sequence[Inputs], size: int) -> list[Evaluation]:
            move = script[len(self.batches)]
            policy = np.eye(size * size + 1, dtype=np.float32)[-1 if move == PASS else move]
            return [one._replace(policy=policy, lead=-99.0) for one in super().evaluate(batch, size)]

    finishing = Finishing(exploratory=0.0, recorded=1.0, longest=9.0)
    played = settled_games(begin(Scripted(), 4, 1), replace(PLAIN, random=0.0), finishing, seeded(1))
    assert [move if move < 16 else PASS for move in played.moves[0].tolist() if move >= 0] == script
    board = Board(Torus(4))
    for move in script:
        board.make(move)
    count = area(board, 0.0)
    assert (count.black.passes, count.white.passes) == (3, 2)
    assert played.positions is not None
    # Passes do not count from White's first one on, the first to be the most likely move.
    assert played.positions.value[0, 1] == count.margin + 3 - 2


def test_samples_are_told_from_the_side_to_move():
    black = torch.ones(1, 16)
    results = GameResults(torch.tensor([18.0]), black, torch.tensor([True]), DAOQI)
    inputs = PackedInputs(torch.zeros(2, 4, dtype=torch.uint8), torch.zeros(2, 3))
    recorded = RecordedPositions(
        torch.tensor([0, 0]), inputs, torch.tensor([BLACK, WHITE]), torch.zeros(2, 17), torch.tensor([0.4, 0.4])
    )
    positions, game = results.samples([recorded], 0.5)
    assert positions is not None
    assert game.tolist() == [0, 0]
    assert positions.value[:, 0].tolist() == pytest.approx([0.7, 0.2])
    assert positions.value[:, 1].tolist() == [18, -18]
    assert positions.owner.sum(1).tolist() == [16 * 127, -16 * 127]
    unsettled = replace(results, settled=torch.tensor([False]))
    assert unsettled.samples([recorded], 0.5)[0] is None, "what finds no end is not learnt from"


@BEGIN
def test_whole_games_yield_positions_with_one_end(begin: Begin):
    finishing = Finishing(exploratory=0.3, recorded=1.0)
    played = settled_games(begin(Even(), 4, 12), PLAIN, finishing, seeded(2))
    positions = played.positions
    assert positions is not None
    assert len(rows_by_game(played)) > 6
    for rows in rows_by_game(played):
        lead, win = positions.value[rows, 1], positions.value[rows, 0]
        assert len(set(np.abs(lead).tolist())) == 1
        assert ((win == (lead > 0)) | (lead == 0)).all()
    assert set(np.unique(positions.owner)) <= {-127, 0, 127}
    planes = positions.planes_of().reshape(len(positions), 16, -1)
    assert not (positions.policy[:, :-1] * planes[:, :, MINE]).any()


@BEGIN
def test_what_is_explored_is_not_learnt_from(begin: Begin):
    played = settled_games(begin(Even(), 5, 20), PLAIN, Finishing(exploratory=1.0, recorded=1.0), seeded(3))
    assert played.positions is not None
    stones = stones_of(played.positions)
    assert max(stones[rows[0]] for rows in rows_by_game(played)) > 5, "some games begin late"


@BEGIN
def test_the_policy_is_the_teachers_and_the_evaluation_ones_own(begin: Begin):
    finishing = Finishing(exploratory=0.0, recorded=1.0, outcome=0.0)
    played = settled_games(begin(Even(), 4, 4, Leader(-50.0)), PLAIN, finishing, seeded(4))
    assert played.positions is not None
    assert (played.positions.value[:, 0] == 0.5).all()
    # Whether a pass is early depends on the player's own lead.
    passes = played.positions.policy[:, -1]
    assert ((passes > 0.9) | (passes == 0)).all()
    assert (passes > 0.9).any()


@BEGIN
def test_who_thinks_everything_won_and_passes_plays_on(begin: Begin):
    lengths = {}
    for lead in (-99.0, 99.0):
        played = settled_games(begin(Leader(lead), 4, 6), PLAIN, Finishing(exploratory=0.0, recorded=1.0), seeded(5))
        lengths[lead] = (played.moves >= 0).sum(1).tolist()
    assert lengths[-99.0] == [2] * 6
    assert min(lengths[99.0]) > 8


# Searched games


@BEGIN
def test_search_games_end_and_tell_who_won(begin: Begin):
    searching = Searching(visits=6, quick_visits=2, full=0.5, considered=4, outcome=1.0)
    network = Even()
    play, finishing = PolicyPlay(komi_varied=0.0), Finishing(exploratory=0.0, longest=20.0)
    played = searched_games(begin(network, 4, 5), searching, play, finishing, seeded(2))
    assert max(network.batches) == 5, "the games' leaves are evaluated together"
    positions = played.positions
    assert positions is not None
    assert len(rows_by_game(played)) >= 3
    win, lead = positions.value[:, 0], positions.value[:, 1]
    assert (win == (lead > 0)).all()
    assert positions.policy.astype(np.float32).sum(1) == pytest.approx(np.ones(len(positions)), abs=1e-2)
    assert set(np.unique(positions.owner)) <= {-127, 0, 127}
    for rows in rows_by_game(played):
        assert len(set(np.abs(lead[rows]).tolist())) == 1, "one margin a game, told from both sides"


@BEGIN
def test_only_full_searches_are_learnt_from(begin: Begin):
    searching = Searching(visits=4, quick_visits=1, full=0.0, considered=2)
    played = searched_games(begin(Even(), 4, 2), searching, PolicyPlay(), Finishing(), seeded(3))
    assert played.positions is None
    assert (played.moves[:, 0] >= 0).all()


@BEGIN
def test_moves_that_are_not_searched_cost_one_evaluation(begin: Begin):
    searching = Searching(visits=4, quick_visits=0, full=0.0, considered=2)
    network, finishing = Even(), Finishing(exploratory=0.0, longest=2.0)
    played = searched_games(begin(network, 4, 3), searching, PolicyPlay(), finishing, seeded(3))
    assert sum(network.batches) == int((played.moves >= 0).sum())


class Sure(Even):
    """A fake network that is sure of the winner."""

    def evaluate(self, batch: Sequence[Inputs], size: int) -> list[Evaluation]:
        return [one._replace(win=0.99) for one in super().evaluate(batch, size)]


@BEGIN
def test_what_is_explored_and_what_is_decided_is_not_learnt_from(begin: Begin):
    def counted(network: Even, finishing: Finishing, decided: float) -> int:
        searching = Searching(visits=3, quick_visits=0, full=1.0, decided=decided, considered=2)
        played = searched_games(begin(network, 4, 12), searching, PolicyPlay(), finishing, seeded(6))
        return len(played.positions) if played.positions is not None else 0

    earnest = counted(Even(), Finishing(exploratory=0.0, longest=5.0), 0.0)
    assert earnest > 100
    assert counted(Even(), Finishing(exploratory=3.0, longest=5.0), 0.0) < 0.7 * earnest
    assert counted(Sure(), Finishing(exploratory=0.0, longest=5.0), 0.0) == 0
    assert counted(Sure(), Finishing(exploratory=0.0, longest=5.0), 1.0) > 100


@BEGIN
def test_what_is_explored_or_decided_is_not_searched_in_full(begin: Begin):
    """There are no full searches of positions that would not be learnt from."""
    for network, finishing in ((Sure(), Finishing(exploratory=0.0)), (Even(), Finishing(exploratory=1e6))):
        searching = Searching(visits=9, quick_visits=0, full=1.0, decided=0.0, considered=2)
        played = searched_games(begin(network, 4, 4), searching, PolicyPlay(), finishing, seeded(6))
        assert sum(network.batches) == int((played.moves >= 0).sum())


@BEGIN
def test_a_search_does_not_pass_while_stones_thought_dead_still_count(begin: Begin):
    """The network prefers a pass and rates the side to move as far ahead; nevertheless the search must not pass."""

    class Fond(Even):
        def evaluate(self, batch: Sequence[Inputs], size: int) -> list[Evaluation]:
            policy = np.full(size * size + 1, 1e-3, np.float32)
            policy[-1] = 1.0
            return [one._replace(policy=policy, lead=100.0) for one in super().evaluate(batch, size)]

    searching = Searching(visits=2, quick_visits=0, full=1.0, decided=1.0, considered=1)
    finishing = Finishing(exploratory=0.0, longest=9.0)
    played = searched_games(begin(Fond(), 4, 6), searching, PolicyPlay(), finishing, seeded(7))
    assert played.positions is not None
    for rows in rows_by_game(played):
        assert len(rows) > 10
        assert not played.positions.policy[rows[:8], -1].any()


@BEGIN
def test_a_game_that_ends_in_its_opening_ends_the_others_not(begin: Begin):
    class Passing(Even):
        """A fake network that always passes."""

        def evaluate(self, batch: Sequence[Inputs], size: int) -> list[Evaluation]:
            policy = np.eye(size * size + 1, dtype=np.float32)[-1]
            return [one._replace(policy=policy) for one in super().evaluate(batch, size)]

    play, finishing = PolicyPlay(opening=0.0, random=0.5), Finishing(exploratory=1.0)
    searching = Searching(visits=2, quick_visits=1, full=1.0, considered=2)
    played = searched_games(begin(Passing(), 4, 12), searching, play, finishing, seeded(5))
    assert (played.moves[:, 0] >= 0).all()
    with_positions = len(rows_by_game(played))
    assert with_positions < 12, "two passes while it explores leave nothing to learn"
    assert with_positions > 0
