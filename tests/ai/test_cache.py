"""The cache of evaluations: which positions count as the same, transpositions, and the size limit."""

from __future__ import annotations

import numpy as np

from daoqi_tui.ai.search import Evaluation, EvaluationCache, Situation
from daoqi_tui.ai.search.puct import Limits, PuctSearch
from daoqi_tui.engine import PASS, TROMP_TAYLOR, Board, torus_of
from tests.ai.test_puct import Counting, nodes_below


def situation_after(*moves: int, komi: float = 4.0) -> Situation:
    board = Board(torus_of(5))
    for move in moves:
        board.make(move)
    return Situation.of(board, board.legal_mask(), komi, int(moves[-1:] == (PASS,)))


def evaluation(win: float = 0.5, points: int = 25) -> Evaluation:
    return Evaluation(np.zeros(points + 1, np.float32), win, 0.0, 0.0, np.zeros(points, np.float32))


def test_the_order_of_moves_makes_no_difference_but_all_else_does() -> None:
    one = situation_after(1, 2, 3, 4)
    assert one == situation_after(3, 4, 1, 2) == situation_after(1, 4, 3, 2)
    assert one != situation_after(2, 1, 4, 3), "other colours"
    assert one != situation_after(1, 2, 3, 4, komi=5.0)
    assert one != situation_after(1, 2, 3, 4, PASS)
    assert situation_after(1, PASS, 3, 4) != situation_after(1, 4, 3), "who is to move, and a pass to pay for"
    assert one != one._replace(legal=one.legal & ~(1 << 20)), "a repetition that is forbidden"
    assert one != one._replace(rules=TROMP_TAYLOR)


def test_a_pass_that_has_been_paid_counts_after_moves_too() -> None:
    # The same stones and the same side to move, but the score differs by a point.
    assert situation_after(1, 2, 3, 4) != situation_after(1, 2, PASS, 4, 3, PASS, PASS, PASS)
    assert situation_after(1, 2, 3, 4).balance == situation_after(1, 2, PASS, PASS, 3, 4).balance


def test_those_not_used_for_longest_go_first() -> None:
    cache = EvaluationCache(most_numbers=3 * 51)
    places = [situation_after(move) for move in range(4)]
    for place in places[:3]:
        cache.store(place, evaluation())
    assert cache.find(places[0]) is not None
    cache.store(places[3], evaluation())
    assert len(cache._known) == 3
    assert cache.find(places[1]) is None
    assert cache.find(places[0]) is not None
    cache.store(places[3], evaluation(0.9))
    assert len(cache._known) == 3, "what is known is kept once"


def test_transpositions_are_evaluated_once() -> None:
    def searched(cache: EvaluationCache | None) -> tuple[int, PuctSearch]:
        network = Counting({1: 1.0, 8: 1.0, 13: 1.0, 21: 1.0})
        search = PuctSearch(Board(torus_of(5)), 0, network, cache=cache)
        search.run(Limits(300))
        return sum(network.batches), search

    without, _ = searched(None)
    with_cache, search = searched(EvaluationCache())
    assert search.visits == 300
    assert search.root.visits.sum() == 300
    assert with_cache < without - 30
    for node, _ in nodes_below(search.root, search.board):
        assert node.total_visits == node.visits.sum()
        assert ((node.value_sum >= 0) & (node.value_sum <= node.visits + 1e-4)).all(), "nothing is left as lost"


def test_a_search_of_the_same_position_needs_no_evaluation_but_that_of_its_root() -> None:
    cache = EvaluationCache()
    first = PuctSearch(Board(torus_of(5)), 0, Counting({12: 0.5}), cache=cache)
    first.run(Limits(100))
    network = Counting({12: 0.5})
    again = PuctSearch(Board(torus_of(5)), 0, network, cache=cache)
    again.run(Limits(50))
    # Cache hits change its batches, so it reaches other leaves than the first search.
    assert sum(network.batches) < 25
    assert again.visits == 50


def test_going_on_asks_for_no_evaluation_of_a_known_root() -> None:
    network = Counting({12: 0.5})
    search = PuctSearch(Board(torus_of(5)), 0, network, cache=EvaluationCache())
    search.run(Limits(50))
    before = sum(network.batches)
    search.advance(12)
    assert sum(network.batches) == before
