"""The search with a network, tested with fake networks that are simple enough to predict."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np
import pytest

from daoqi_tui.ai.evaluators import BATCH
from daoqi_tui.ai.passing import _nothing_happens, decide, instant_move
from daoqi_tui.ai.search import Evaluation, Inputs, NetworkEvaluator
from daoqi_tui.ai.search import node as nodes
from daoqi_tui.ai.search.node import PuctNode, PuctParameters
from daoqi_tui.ai.search.puct import Limits, PuctSearch
from daoqi_tui.engine import BLACK, PASS, WHITE, Board, area, torus_of
from tests.engine.pictures import board_of


class Counting:
    """A fake network that evaluates the area score as it stands; its policy is uniform except for the liked moves."""

    name = "counting"

    def __init__(self, liked: dict[int, float] | None = None) -> None:
        self.liked = liked or {}
        self.batches: list[int] = []
        self.seen: list[tuple[int, tuple[int, ...], int]] = []

    def encode(self, board: Board, komi: float, recent: Sequence[int], passes_in_row: int) -> Inputs:
        count = area(board, komi)
        sign = 1 if board.to_move == BLACK else -1
        owner = np.frombuffer(count.owners, np.int8)
        planes = (owner == board.to_move).astype(np.float32) - (owner == 3 - board.to_move)
        self.seen.append((board.key, tuple(recent), passes_in_row))
        return Inputs(planes[:, None], np.array([sign * count.margin], np.float32))

    def evaluate(self, batch: Sequence[Inputs], size: int) -> list[Evaluation]:
        self.batches.append(len(batch))
        policy = np.full(size * size + 1, 0.001, np.float32)
        for move, share in self.liked.items():
            policy[move] = share
        evaluated = []
        for inputs in batch:
            lead = float(inputs.whole[0])
            evaluated.append(
                Evaluation(policy / policy.sum(), 0.5 + 0.5 * np.tanh(lead / 5), lead, 0, inputs.planes[:, 0])
            )
        return evaluated


def nodes_below(node: PuctNode, board: Board) -> list[tuple[PuctNode, list[int]]]:
    """Return every node with its path."""
    found, waiting = [], [(node, [])]
    while waiting:
        node, path = waiting.pop()
        found.append((node, path))
        for place, child in node.children.items():
            assert isinstance(child, PuctNode)
            waiting.append((child, [*path, int(node.moves[place])]))
    return found


def test_the_network_satisfies_the_interface() -> None:
    network: NetworkEvaluator = Counting()
    assert network.name == "counting"


def test_the_moves_of_a_leaf_are_undone_though_the_next_leaf_begins_with_them() -> None:
    board = Board(torus_of(5))
    board.play(7)
    before = board.key, board.move_number
    network = Counting({6: 0.9})
    search = PuctSearch(board, 0, network)
    for _ in range(4):
        search.select_leaf()
        assert (board.key, board.move_number) == before
    search = PuctSearch(board, 0, network)
    network.seen.clear()
    search.run(Limits(visits=200))
    assert (board.key, board.move_number) == before
    # Only positions that the moves of the tree lead to were evaluated.
    keys = set()
    for _, path in nodes_below(search.root, board)[1:]:
        for move in path:
            board.make(move)
        keys.add(board.key)
        for _ in path:
            board.undo()
    assert keys >= {key for key, _, _ in network.seen}


def test_an_error_in_the_network_leaves_the_board_as_it_was() -> None:
    class Failing(Counting):
        def encode(self, board: Board, komi: float, recent: Sequence[int], passes_in_row: int) -> Inputs:
            if board.move_number > 2:
                raise ValueError("no inputs")
            return super().encode(board, komi, recent, passes_in_row)

    board = Board(torus_of(5))
    search = PuctSearch(board, 0, Failing())
    with pytest.raises(ValueError, match="no inputs"):
        search.run(Limits(visits=400))
    assert board.move_number == 0


def test_every_node_has_exactly_the_legal_moves() -> None:
    board = board_of("""
        .XO..
        XO.O.
        .XO..
        .....
        ..X..
    """)
    key = board.key
    search = PuctSearch(board, 0, Counting())
    search.run(Limits(visits=300))
    assert board.key == key
    nodes = nodes_below(search.root, board)
    assert len(nodes) > 250
    for node, path in nodes:
        for move in path:
            board.pass_turn() if move == PASS else board.play(move)
        if node.terminal is None:
            assert node.moves[-1] == PASS
            plays = set(node.moves[:-1].tolist())
            assert plays <= set(board.torus.points_in(board.legal_mask()))
            assert node.to_move == board.to_move
        else:
            assert path[-2:] == [PASS, PASS]
        for _ in path:
            board.undo()


def test_a_ko_is_not_taken_back_in_the_tree() -> None:
    board = board_of("""
        .......
        ..XO...
        .XO.O..
        ..XO...
        .......
        .......
        .......
    """)
    search = PuctSearch(board, 0, Counting({17: 1.0, 16: 1.0}))
    search.run(Limits(visits=60))
    place = search.root.index_of(17)
    assert place is not None
    assert search.root.visits[place] > 3
    assert search.root.children[place].index_of(16) is None


def test_counts_add_up_and_nothing_waits() -> None:
    network = Counting()
    search = PuctSearch(Board(torus_of(7)), 4, network)
    search.run(Limits(visits=200))
    assert search.visits == search.root.total_visits == 200
    assert search.root.visits.sum() == 200
    assert not search._waiting
    for node, _ in nodes_below(search.root, search.board):
        assert node.total_visits == node.visits.sum()
        assert ((node.value_sum >= 0) & (node.value_sum <= node.visits + 1e-4)).all()
    assert max(network.batches) == BATCH
    assert network.batches[:3] == [1, 1, 1], "the root, and two leaves that know of no other"


def test_a_capture_is_found() -> None:
    board = board_of("""
        .......
        ..XXX..
        .XOOO..
        ..XXX..
        .....O.
        ....O..
        .......
    """)
    search = PuctSearch(board, 0, Counting())
    search.run(Limits(visits=300))
    assert search.candidates(1)[0].move == 19
    assert search.candidates(1)[0].win > 0.8


def test_before_any_thought_the_network_speaks_alone() -> None:
    network = Counting({12: 0.5, 3: 0.3, 20: 0.1})
    search = PuctSearch(Board(torus_of(5)), 0, network)
    assert [found.move for found in search.candidates(3)] == [12, 3, 20]
    assert network.batches == [1]
    assert search.visits == 0


def test_what_is_known_of_the_position_is_not_asked_again() -> None:
    network, board = Counting({7: 0.9}), Board(torus_of(5))
    asked = PuctSearch(board, 0.0, network)
    (known,) = network.evaluate([network.encode(board, 0.0, (), 0)], 5)
    before = len(network.batches)
    told = PuctSearch(board, 0.0, network, evaluation=known)
    assert len(network.batches) == before
    assert np.array_equal(told.root.policy, asked.root.policy)
    assert told.root.value == asked.root.value
    told.advance(7)
    assert len(network.batches) == before + 1, "of the next position nothing was known"


def test_going_on_keeps_what_is_known() -> None:
    network = Counting({12: 0.5, 3: 0.3})
    search = PuctSearch(Board(torus_of(5)), 0, network)
    search.run(Limits(visits=100))
    place = search.root.best()[0]
    move, child = int(search.root.moves[place]), search.root.children[place]
    search.advance(move)
    assert search.root is child
    assert search.visits == child.total_visits > 0
    assert search.board.colours[move] == BLACK
    search.advance(PASS)
    assert search.passes_in_row == 1
    assert network.seen[-1][1] == (move, PASS)
    search.run(Limits(visits=20))
    assert search.visits == 20


def test_the_network_is_told_the_moves_that_led_there() -> None:
    network = Counting({7: 0.9})
    board = Board(torus_of(5))
    for move in (0, 6, 12, 18):
        board.play(move)
    search = PuctSearch(board, 0, network, recent=(0, 6, 12, 18))
    search.step()
    search.step(search.root.index_of(7))
    told = [recent for _, recent, _ in network.seen]
    assert told[0] == (0, 6, 12, 18)
    assert told[1] == (0, 6, 12, 18, 7)
    assert all(len(recent) == 5 for recent in told[1:])


WON = """
    XXXXXXX
    X.XX..X
    XXXXXXX
    XXXXXXX
    OOOOOOO
    O.OO..O
    OOOOOOO
"""
"""More is left than eyes, so that the result is not known before the game ends."""


def test_a_second_pass_that_wins_is_played_at_once_and_one_that_loses_is_not() -> None:
    board = board_of(WON, WHITE)
    board.pass_turn()
    search = PuctSearch(board, 0, Counting(), recent=(PASS,), passes_in_row=1)
    assert instant_move(search) == PASS
    board = board_of(WON, WHITE)
    board.pass_turn()
    search = PuctSearch(board, 30, Counting(), recent=(PASS,), passes_in_row=1)
    assert instant_move(search) is None


def test_a_won_and_settled_game_is_passed() -> None:
    search = PuctSearch(board_of(WON), -20, Counting({PASS: 0.5}))
    search.run(Limits(visits=50))
    assert decide(search).move == PASS


ROOMY = """
    XXXXXXX
    X.....X
    X.....X
    XXXXXXX
    OOOOOOO
    O.OOO.O
    OOOOOOO
"""


def test_the_proof_of_a_pass_is_evaluated_in_batches() -> None:
    network = Counting()
    search = PuctSearch(board_of(ROOMY), -20, network)
    search.run(Limits(visits=50))
    passing = len(search.root.moves) - 1
    network.batches.clear()
    before = search.root.visits[passing]
    assert _nothing_happens(search, passing, lambda: False)
    assert search.root.visits[passing] == before + search.proof_visits
    assert len(network.batches) < search.proof_visits


def test_a_position_whose_evaluation_is_known_is_not_encoded() -> None:
    network, board = Counting(), board_of(WON)
    (known,) = network.evaluate([network.encode(board, 0, (), 0)], 7)
    network.seen.clear()
    search = PuctSearch(board, 0, network, evaluation=known)
    assert not network.seen
    assert search.margin == area(board, 0).margin


@pytest.mark.parametrize(("behind", "hopeless"), [(3, False), (40, True)])
def test_a_game_lost_by_far_is_given_up_without_search(behind: int, hopeless: bool) -> None:
    board = board_of("""
        XO...
        .....
        ..X..
        ...O.
        .....
    """)
    search = PuctSearch(board, behind, Counting({7: 1.0}))
    decision = decide(search)
    assert decision.move != PASS
    assert decision.hopeless == hopeless


def test_an_ended_game_counts_exactly_and_is_not_evaluated() -> None:
    network = Counting({-1: 5.0})
    board = board_of(WON)
    search = PuctSearch(board, 0, network)
    passing = search.root.index_of(PASS)
    assert passing is not None
    for _ in range(6):
        search.step(passing)
    node = search.root.children[passing]
    ended = node.children[len(node.moves) - 1]
    assert ended.terminal is not None
    # Each side has passed once by then.
    board.pass_turn()
    board.pass_turn()
    assert ended.terminal.margin == area(board, 0).margin


def test_ownership_and_margin_are_blacks_whoever_moves() -> None:
    for to_move in (BLACK, WHITE):
        search = PuctSearch(board_of(WON, to_move), 0, Counting({PASS: 100.0}))
        assert search.margin == area(search.board, 0).margin
        assert search.ownership()[8] == 1
        assert search.ownership()[36] == -1


def test_thinking_stops_when_told() -> None:
    search = PuctSearch(Board(torus_of(9)), 4, Counting())
    asked = []

    def stopped() -> bool:
        asked.append(search.visits)
        return len(asked) > 10

    search.run(Limits(), stopped)
    assert len(asked) == 11


def test_what_is_left_of_a_tree_fills_its_room() -> None:
    search = PuctSearch(Board(torus_of(5)), 0, Counting({12: 0.5}))
    search._room = 60
    search.run(Limits(visits=200))
    search.advance(int(search.root.moves[search.root.best()[0]]))
    kept = len([node for node, _ in nodes_below(search.root, search.board) if node.terminal is None])
    assert kept > 10
    search.run(Limits(visits=600))
    assert len([node for node, _ in nodes_below(search.root, search.board) if node.terminal is None]) <= 60 + BATCH


def test_a_full_tree_is_searched_on_without_growing() -> None:
    search = PuctSearch(Board(torus_of(5)), 0, Counting({12: 0.5}))
    search._room = 10
    search.run(Limits(visits=100))
    assert search.visits == 100
    assert len([node for node, _ in nodes_below(search.root, search.board) if node.terminal is None]) <= 10 + BATCH


def test_a_lost_game_is_not_passed_while_a_capture_is_left() -> None:
    """The opponent has passed: passing too would lose by the count, but capturing the dead stones wins."""
    board = board_of(
        """
        XXXXXXX
        X.OO..X
        XXXXXXX
        XXXXXXX
        OOOOOOO
        O.OOO.O
        OOOOOOO
    """,
        WHITE,
    )
    board.pass_turn()
    # Black has 23 points; White has 23 with the dead stones, plus komi, minus one for its pass.
    search = PuctSearch(board, 3, Counting(), recent=(PASS,), passes_in_row=1)
    assert instant_move(search) is None
    search.run(Limits(visits=60))
    assert decide(search).move in (11, 12, 8)


def clocked(monkeypatch: pytest.MonkeyPatch, search: PuctSearch, visit: float) -> None:
    """Advance the clock of searches by ``visit`` seconds with each visit to this search's root."""
    monkeypatch.setattr(PuctSearch, "clock", staticmethod(lambda: search.root.total_visits * visit))


@pytest.mark.parametrize("limits", [Limits(400, until_decided=True), Limits(seconds=4.0, until_decided=True)])
def test_a_decided_search_ends_early(monkeypatch: pytest.MonkeyPatch, limits: Limits) -> None:
    search = PuctSearch(Board(torus_of(7)), 0, Counting({24: 50.0}))
    clocked(monkeypatch, search, 0.01)
    search.run(limits)
    second, first = sorted(search.root.visits)[-2:]
    assert first - second >= 400 - search.visits
    assert 200 <= search.visits < 300
    assert search.candidates(1)[0].move == 24


@pytest.mark.parametrize(
    ("komi", "liked", "in_full"), [(0, 0.1, True), (0, 50.0, False), (-60, 0.1, False), (60, 0.1, False)]
)
def test_a_decided_search_goes_on_only_where_neither_value_nor_move_is_clear(
    komi: float, liked: float, in_full: bool
) -> None:
    search = PuctSearch(Board(torus_of(7)), komi, Counting({24: liked}))
    search.run(Limits(400, until_decided=True, unclear_in_full=True))
    assert (search.visits == 400) == in_full


def test_the_last_batch_is_no_larger_than_the_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    for seconds in (10, 11, 12, 13):
        search = PuctSearch(Board(torus_of(9)), 4, Counting())
        clocked(monkeypatch, search, 0.3)
        search.run(Limits(seconds=seconds))
        # The last evaluation may begin just before the end.
        assert search.visits * 0.3 < seconds + 0.3


def test_visits_that_wait_neither_lower_the_value_of_their_move_nor_hinder_looking_at_it() -> None:
    search = PuctSearch(Board(torus_of(7)), 0, Counting())
    root = search.root
    for index, values in ((3, (0.6, 0.6)), (5, ())):
        for _each in range(4):
            root.visit(index)
        for value in values:
            root.add_value(index, value, 0.0)
    assert root.win_rate(3) == pytest.approx(0.6)
    assert root.win_rate(5) == root.value
    assert root.best()[0] == 3
    assert root.leader_is_best()


def test_an_undecided_search_goes_on_to_its_end() -> None:
    search = PuctSearch(Board(torus_of(7)), 0, Counting())
    search.run(Limits(200, until_decided=True))
    assert search.visits > 200 - BATCH


def leading_by_visits(search: PuctSearch, *, best: bool) -> None:
    """Give the root a most visited move that is, or is not, the best one by value."""
    root = search.root
    for index, visits, value in ((3, 40, 0.7 if best else 0.3), (5, 30, 0.5)):
        for _ in range(visits):
            root.visit(index)
            root.add_value(index, value, 0.0)


@pytest.mark.parametrize(("best", "most"), [(True, 90), (False, 120)])
def test_a_search_takes_extra_time_while_its_leader_is_not_the_best(
    monkeypatch: pytest.MonkeyPatch, *, best: bool, most: int
) -> None:
    search = PuctSearch(Board(torus_of(5)), 0, Counting())
    leading_by_visits(search, best=best)
    clocked(monkeypatch, search, 1.0)
    monkeypatch.setattr(search, "_grow", lambda _: search.root.visit(3))
    monkeypatch.setattr(PuctNode, "leader_is_best", lambda _: best)
    search.run(Limits(seconds=20, extra=30))
    assert search.visits == most


def test_the_best_move_is_the_one_with_the_highest_lower_bound() -> None:
    search = PuctSearch(Board(torus_of(5)), 0, Counting())
    leading_by_visits(search, best=True)
    assert search.root.best()[:2] == [3, 5]
    assert search.root.leader_is_best()
    search = PuctSearch(Board(torus_of(5)), 0, Counting())
    leading_by_visits(search, best=False)
    assert search.root.best()[:2] == [5, 3]
    assert not search.root.leader_is_best()
    assert search.candidates(1)[0].win == pytest.approx(0.5)


def test_a_few_lucky_visits_do_not_make_a_move_the_best() -> None:
    search = PuctSearch(Board(torus_of(5)), 0, Counting())
    leading_by_visits(search, best=True)
    for index, value in ((7, 0.9), (7, 0.9)):
        search.root.visit(index)
        search.root.add_value(index, value, 0.0)
    assert search.root.best()[0] == 3


@pytest.mark.parametrize("compiled", [False, True])
def test_a_virtual_loss_counts_as_a_lost_visit_until_it_is_taken_back(
    compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without exploration the move with the best mean is chosen, and a loss halves the mean of a single visit."""
    if compiled:
        pytest.importorskip("numba", reason="numba is not installed, so there is no compiled kernel to test")
        monkeypatch.setattr(nodes.KERNEL, "functions", None)
        nodes.KERNEL.compile()
    else:
        monkeypatch.setattr(nodes, "KERNEL", SimpleNamespace(functions=None))
    node = PuctNode(BLACK, (3, 4), np.array([0.5, 0.5], np.float32), 0.5)
    for index, value in enumerate((0.6, 0.5)):
        node.visit(index)
        node.add_value(index, value, 0)
    still = PuctParameters(exploration=0, exploration_growth=0)
    assert node.select_puct(still) == 0
    node.add_virtual_loss(0)
    assert node.win_rate(0) == pytest.approx(0.3)
    assert (node.total_visits, list(node.visits), list(node.completed)) == (3, [2, 1], [2, 1])
    assert node.select_puct(still) == 1
    node.remove_virtual_loss(0)
    assert node.win_rate(0) == pytest.approx(0.6)
    assert (node.total_visits, list(node.visits), list(node.completed)) == (2, [1, 1], [1, 1])
    assert node.select_puct(still) == 0


def test_a_virtual_loss_turns_away_from_a_move_that_waits_for_its_first_value() -> None:
    node = PuctNode(BLACK, (3, 4), np.array([0.5, 0.5], np.float32), 0.9)
    node.visit(0)
    node.add_virtual_loss(0)
    assert node.win_rate(0) == 0
    assert node.win_rate(1) == pytest.approx(0.9)
    assert node.select_puct(PuctParameters(exploration=0, exploration_growth=0)) == 1
