"""Search trees in tensors equal those of single games, and the search finds winning moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from daoqi_tui.ai.network.features import MINE, THEIRS
from daoqi_tui.ai.search import HISTORY, Evaluation, Inputs
from daoqi_tui.ai.search.puct import PuctSearch
from daoqi_tui.engine import BLACK, DAOQI, PASS, SIMPLE, TROMP_TAYLOR, WHITE, Board, Colour, Rules, Torus
from tests.engine.pictures import colours_of

torch = pytest.importorskip("torch", reason="torch is not installed, so nothing can be trained")
from daoqi_tui.ai.network.torch_network import TorchNetwork  # noqa: E402
from daoqi_tui.lab.training.batch_evaluator import BatchNetwork  # noqa: E402
from daoqi_tui.lab.training.batch_tree import BatchTree  # noqa: E402
from daoqi_tui.lab.training.boards import Boards  # noqa: E402
from daoqi_tui.lab.training.engine_games import EngineTrees  # noqa: E402
from daoqi_tui.lab.training.evaluators import header_of  # noqa: E402
from daoqi_tui.lab.training.gumbel import GumbelRoots, sequential_halving  # noqa: E402
from daoqi_tui.lab.training.model import parameters_of  # noqa: E402
from tests.lab.training.evaluators import Counting, Even, WithoutRaces  # noqa: E402
from tests.lab.training.one_game import GumbelRoot  # noqa: E402
from tests.lab.training.test_learning import SMALL, stirred  # noqa: E402

CPU = torch.device("cpu")


def laid_out(pictures: Sequence[str], to_move: Colour) -> Boards:
    colours = [colours_of(picture) for picture in pictures]
    boards = Boards(len(pictures), round(len(colours[0]) ** 0.5), CPU)
    boards.setup(torch.tensor(colours), torch.full((len(pictures),), to_move))
    return boards


def searched(boards: Boards, network: object, visits: int, considered: int, komi: float = 0.5) -> GumbelRoots:
    tree = BatchTree(network, boards, torch.full((len(boards),), komi), visits)
    gumbel = GumbelRoots(tree, visits, considered, None)
    gumbel.search()
    return gumbel


@pytest.mark.parametrize(
    ("size", "visits", "considered", "rules"),
    [
        (3, 40, 6, DAOQI),
        (5, 33, 8, DAOQI),
        (7, 64, 16, DAOQI),
        (3, 40, 6, TROMP_TAYLOR),
        (3, 40, 6, Rules(SIMPLE, suicide=False, pass_cost=2, tie=BLACK)),
    ],
    ids=str,
)
def test_trees_grow_as_one_tree_does(size: int, visits: int, considered: int, rules: Rules):
    """With the same network and without noise, the trees evaluate the same moves in positions of random games.

    On 3×3, every tree has repetitions and games ended by two passes.
    """
    parameters = parameters_of(stirred(SMALL))
    network = TorchNetwork(parameters, CPU)
    alone, together = WithoutRaces(replace(header_of(SMALL), ladders=False), network), BatchNetwork(network, CPU)
    rng = np.random.default_rng(size)
    games = 6
    boards, engines = Boards(games, size, CPU, rules=rules), [Board(Torus(size), rules) for _ in range(games)]
    made: list[list[int]] = [[] for _ in engines]
    for _ in range(4 * size):
        moves = []
        for place, board in enumerate(engines):
            choices = board.torus.points_in(board.legal_mask())
            move = PASS if not choices or rng.random() < 0.1 else int(rng.choice(choices))
            board.pass_turn() if move == PASS else board.play(move)
            made[place].append(move)
            moves.append(size * size if move == PASS else move)
        boards.play(torch.tensor(moves))
        boards.forget_passes(boards.states.over)
    komi = torch.tensor([0.0, 4.0, -2.5, 1.0, 0.5, -1.0])
    tree = BatchTree(together, boards, komi, visits)
    gumbel = GumbelRoots(tree, visits, considered, None)
    gumbel.search()
    best, policy = gumbel.best(), gumbel.policy()
    searches = []
    for place, board in enumerate(engines):
        recent = made[place][-HISTORY:]
        passes = int(boards.states.in_row[place])
        searches.append(PuctSearch(board, float(komi[place]), alone, recent=recent, passes_in_row=passes))
        search = PuctSearch(board, float(komi[place]), alone, recent=recent, passes_in_row=passes)
        root = GumbelRoot(search.root, visits, considered)
        for first in root.indices():
            search.step(first)
        moves = [size * size if move == PASS else int(move) for move in search.root.moves]
        assert tree.visits[place, 0, moves].tolist() == search.root.visits.tolist()
        assert np.allclose(tree.value_sum[place, 0, moves], search.root.value_sum, atol=1e-4)
        assert np.allclose(tree.policy[place, 0, moves], search.root.policy, atol=1e-6)
        assert int(best[place]) == moves[root.best()]
        assert np.allclose(policy[place, moves], root.policy(), atol=1e-4)
    trees = EngineTrees(searches)
    gumbel = GumbelRoots(trees, visits, considered, None)
    gumbel.search()
    assert torch.equal(trees.roots().moves, tree.roots().moves)
    assert torch.equal(trees.roots().visits, tree.roots().visits)
    assert torch.equal(gumbel.best(), best)
    assert torch.allclose(gumbel.policy(), policy, atol=1e-4)
    assert torch.allclose(gumbel.win_rates(best), GumbelRoots(tree, 1, 1, None).win_rates(best), atol=1e-4)


DECIDED = """
XXXX.
OOOOX
OO.OX
OOOOX
XXXX.
"""


def test_the_capture_that_decides_is_found_and_visits_are_spent():
    """Black is behind after komi unless it captures the eleven stones; the network only counts stones."""
    network = Counting(stones=1.0)
    boards = laid_out([DECIDED] * 3, BLACK)
    gumbel = searched(boards, network, 24, 4, komi=4.5)
    capture = 12
    assert gumbel.best().tolist() == [capture] * 3
    policy = gumbel.policy()
    assert policy.argmax(1).tolist() == [capture] * 3
    assert (policy[:, capture] > 0.5).all()
    assert policy.sum(1).tolist() == pytest.approx([1.0] * 3, abs=1e-5)
    assert network.asked == [3] * 25, "the roots, and one position of each game for each visit"


@pytest.mark.parametrize(("komi", "passes"), [(0.5, True), (4.5, False)])
def test_a_pass_that_ends_the_game_is_worth_what_it_ends_with(komi: float, passes: bool):
    """The network rates all as even. White has passed; Black, with 13 points to 12, wins by passing if komi allows."""
    boards = laid_out([DECIDED], WHITE)
    boards.play(torch.tensor([25]))
    gumbel = searched(boards, Counting(), 16, 4, komi)
    assert (int(gumbel.best()) == 25) == passes
    assert (float(gumbel.win_rates(torch.tensor([25]))) > 0.9) == passes


def test_each_visit_is_spent_and_nothing_forbidden_is_thought_of():
    rng = np.random.default_rng(3)
    boards = Boards(8, 4, CPU)
    for _ in range(30):
        legal = boards.legal().plays
        weights = torch.cat((legal.float(), (~legal.any(1, keepdim=True)).float()), dim=1)
        boards.play(torch.tensor([int(rng.choice(row.nonzero()[:, 0])) for row in weights]))
        boards.forget_passes(boards.states.over)
    for visits, considered in ((1, 4), (7, 3), (24, 40)):
        tree = BatchTree(Counting(), boards, torch.zeros(8), visits)
        gumbel = GumbelRoots(tree, visits, considered, torch.Generator().manual_seed(1))
        gumbel.search()
        spent = tree.visits[:, 0].sum(1)
        assert spent.tolist() == [visits] * 8
        assert ((tree.visits[:, 0] > 0).sum(1) <= considered).all()
        allowed = torch.cat((boards.legal().plays, torch.ones(8, 1, dtype=torch.bool)), dim=1)
        for told in (gumbel.policy(), tree.policy[:, 0], tree.visits[:, 0]):
            assert not told[~allowed].any()
        assert gumbel.policy().sum(1).tolist() == pytest.approx([1.0] * 8, abs=1e-5)
        assert allowed.gather(1, gumbel.best()[:, None]).all()


KO = """
.....
.XO..
XO.O.
.XO..
.....
"""


def test_a_tree_repeats_neither_the_game_nor_itself():
    """Black takes a ko; White may not take it back at once, in the game or in the tree."""
    taking, back, elsewhere = 12, 11, 4
    boards = laid_out([KO], BLACK)
    tree = BatchTree(Counting(), boards, torch.zeros(1), 1)
    tree.evaluate(torch.tensor([taking]))
    assert not tree.moves[0, 1, back], "the state before is the root's"
    boards.play(torch.tensor([taking]))
    tree = BatchTree(Counting(), boards, torch.zeros(1), 1)
    assert not tree.moves[0, 0, back], "the state before is the game's"
    boards = laid_out([KO], WHITE)
    tree = BatchTree(Counting(), boards, torch.zeros(1), 40)
    for _ in range(40):
        tree.evaluate(torch.tensor([elsewhere]))
    taken = int(tree._children[0, 1, taking])
    assert taken > 0
    assert not tree.moves[0, taken, back], "the state before is of the tree alone"
    assert tree.moves[0, taken, elsewhere + 10]


def test_noise_makes_games_differ():
    boards = Boards(16, 5, CPU)
    tree = BatchTree(Counting(), boards, torch.zeros(16), 4)
    gumbel = GumbelRoots(tree, 4, 4, torch.Generator().manual_seed(1))
    gumbel.search()
    assert len(set(gumbel.best().tolist())) > 4


@pytest.mark.parametrize(("visits", "count"), [(24, 8), (60, 26), (12, 12), (7, 3), (5, 1), (1, 1)])
def test_halving_shares_out_all_visits(visits: int, count: int):
    plan = list(sequential_halving(visits, count))
    assert len(plan) == visits
    lefts = [left for left, _ in plan]
    assert lefts[0] == count
    assert lefts == sorted(lefts, reverse=True)
    assert all(turn < left for left, turn in plan)


EMPTY = "\n".join(["....."] * 5)


def test_wins_are_the_movers():
    """With a network that favours Black, moves at the root have high win rates for Black and low ones for White."""
    for to_move, least, most in ((BLACK, 0.5, 1.0), (WHITE, 0.0, 0.5)):
        boards = laid_out([EMPTY], to_move)
        tree = BatchTree(Counting(black=0.9), boards, torch.zeros(1), 8)
        GumbelRoots(tree, 8, 4, None).search()
        tried = tree.visits[0, 0] > 0
        win_rates = (tree.value_sum[0, 0] / tree.visits[0, 0])[tried]
        assert ((win_rates > least) & (win_rates < most)).all()


def test_gumbel_spends_what_it_was_given_and_halves():
    search = PuctSearch(Board(Torus(5)), 0.0, Even())
    gumbel = GumbelRoots(EngineTrees([search]), 24, 8, torch.Generator().manual_seed(4))
    gumbel.search()
    visits = sorted(search.root.visits[search.root.visits > 0].tolist(), reverse=True)
    assert sum(visits) == search.root.total_visits == 24
    assert len(visits) == 8
    assert visits[0] >= visits[2] * 2, "the better half was evaluated on"
    best = list(search.root.moves).index(int(gumbel.best()))
    assert search.root.visits[best] == visits[0], "what was looked at less does not compare"


def test_gumbel_finds_the_move_that_wins():
    class Partial(Even):
        """A network that favours the side with a stone at point 12."""

        def evaluate(self, batch: Sequence[Inputs], size: int) -> list[Evaluation]:
            found = super().evaluate(batch, size)
            return [
                one._replace(win=0.9 if inputs.planes[12, MINE] else 0.1 if inputs.planes[12, THEIRS] else 0.5)
                for one, inputs in zip(found, batch, strict=True)
            ]

    search = PuctSearch(Board(Torus(5)), 0.0, Partial())
    gumbel = GumbelRoots(EngineTrees([search]), 60, 26, None)
    gumbel.search()
    assert int(gumbel.best()) == int(gumbel.policy().argmax()) == 12
    assert gumbel.policy()[0, 12] > search.root.policy[list(search.root.moves).index(12)]
