"""What a search reports for each move: its margin and prior, and nothing for moves excluded by restrictions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from daoqi_tui.ai import Answer, Position, Restriction, Think
from daoqi_tui.ai.player import SearchPlayer
from daoqi_tui.ai.search import Evaluation, Inputs
from daoqi_tui.ai.search.node import PuctNode
from daoqi_tui.ai.search.puct import Limits, PuctSearch
from daoqi_tui.engine import BLACK, PASS, WHITE, Board, area
from tests.ai.test_puct import Counting
from tests.engine.pictures import board_of

PICTURE = """
    .....
    .XXX.
    .XOO.
    ..O..
    .....
"""


def board() -> Board:
    found = board_of(PICTURE)
    assert found.to_move == BLACK
    return found


def make(*restrictions: Restriction, komi: float = 0) -> PuctSearch:
    return PuctSearch(board(), komi, Counting(), restrictions=restrictions)


def backed_up(search: PuctSearch, monkeypatch: pytest.MonkeyPatch) -> dict[int, list[float]]:
    """Return a dict that the search fills with the margins of the leaves below each root move."""
    found: dict[int, list[float]] = {}

    learn = PuctNode.add_value

    def noting(node: PuctNode, place: int, win: float, margin: float) -> None:
        if node is search.root:
            found.setdefault(int(node.moves[place]), []).append(margin)
        learn(node, place, win, margin)

    monkeypatch.setattr(PuctNode, "add_value", noting)
    return found


def test_the_margin_of_a_move_is_the_mean_below_it(monkeypatch: pytest.MonkeyPatch) -> None:
    search = make(komi=3)
    leaves = backed_up(search, monkeypatch)
    search.run(Limits(visits=300))
    candidates = search.candidates(1000)
    assert {found.move: found.visits for found in candidates} == {move: len(all_) for move, all_ in leaves.items()}
    for found in candidates:
        assert found.margin == pytest.approx(np.mean(leaves[found.move]))
    assert len({round(found.margin, 6) for found in candidates}) > 3


def test_all_moves_together_have_the_margin_of_the_search() -> None:
    search = make()
    search.run(Limits(visits=200))
    candidates = search.candidates(1000)
    assert sum(found.visits for found in candidates) == 200
    # The root has an evaluation of its own.
    assert sum(found.visits * found.margin for found in candidates) / 200 == pytest.approx(search.margin, rel=0.01)


def test_a_move_seen_once_has_the_margin_that_its_board_counts_for() -> None:
    search = make(komi=3)
    search.run(Limits(visits=15))
    once = [found for found in search.candidates(1000) if found.visits == 1]
    assert once
    for found in once:
        after = board()
        after.pass_turn() if found.move == PASS else after.play(found.move)
        assert found.margin == area(after, 3).margin


def test_margins_are_kept_from_move_to_move(monkeypatch: pytest.MonkeyPatch) -> None:
    search = make()
    search.run(Limits(visits=400))
    root = search.root
    best = root.best()[0]
    child = root.children[best]
    before = {place: child.margin(place) for place in range(len(child.moves)) if child.visits[place]}
    search.advance(int(root.moves[best]))
    told = {found.move: found.margin for found in search.candidates(1000)}
    assert told == {int(child.moves[place]): margin for place, margin in before.items()}


def test_a_margin_is_one_that_the_board_can_hold() -> None:
    class Boasting(Counting):
        def evaluate(self, batch: Sequence[Inputs], size: int) -> list[Evaluation]:
            return [
                Evaluation(one.policy, one.win, 1000.0, one.spread, one.owner) for one in super().evaluate(batch, size)
            ]

    search = PuctSearch(board(), 3, Boasting())
    search.run(Limits(visits=40))
    # A pass shifts these limits by one point.
    assert all(-28 - 1 <= found.margin <= 22 + 1 for found in search.candidates(1000))
    assert abs(search.margin) <= 29


def test_the_priors_are_those_of_the_policy() -> None:
    search = make()
    search.run(Limits(visits=100))
    policy = search.root.policy
    assert policy.sum() == pytest.approx(1.0, abs=1e-5)
    for found in search.candidates(1000):
        assert found.prior == pytest.approx(float(policy[search.root.index_of(found.move)]))


def nodes(node: PuctNode, plies: int = 0) -> Iterator[tuple[PuctNode, int]]:
    yield node, plies
    for child in node.children.values():
        yield from nodes(child, plies + 1)


@pytest.mark.parametrize("plies", [1, 3])
def test_moves_to_avoid_are_left_out_as_deep_as_asked(plies: int) -> None:
    free = make()
    free.run(Limits(visits=400))
    best = free.candidates(2)
    left_out = (best[0].move, best[1].move, PASS)
    search = make(Restriction(BLACK, left_out, plies))
    search.run(Limits(visits=1000))
    assert not {found.move for found in search.candidates(1000)} & set(left_out)
    visits = {True: 0.0, False: 0.0}
    for node, depth in nodes(search.root):
        excluded = node.to_move == BLACK and depth < plies
        for place in (node.index_of(move) for move in left_out):
            if place is not None:
                visits[excluded] += float(node.visits[place])
    assert visits[True] == 0
    # White may play there.
    assert visits[False] > 0


def test_only_moves_that_are_allowed_are_searched() -> None:
    search = make(Restriction(BLACK, (0, 4), 1, only=True))
    search.run(Limits(visits=100))
    candidates = search.candidates(1000)
    assert {found.move for found in candidates} <= {0, 4}
    assert sum(found.visits for found in candidates) == 100


def test_where_nothing_would_be_left_all_moves_are_searched() -> None:
    search = make(Restriction(WHITE, (), 10, only=True))
    search.run(Limits(visits=50))
    assert search.visits == 50


POSITION = Position(5, 4, (6, 12))


def ask(search_player: SearchPlayer, **how: Any) -> Answer:
    return search_player.think(Think(POSITION, 8, seconds=1e6, **how))


def test_a_restricted_search_does_not_serve_another_question() -> None:
    search_player = SearchPlayer()
    only = (Restriction(BLACK, (3,), 1, only=True),)
    first = ask(search_player, visits=30, analyse=True, restrictions=only)
    assert (first.move, len(first.lines)) == (3, 1)
    # The same restrictions continue with the tree, and apply to the move even without analysis.
    again = ask(search_player, visits=60, restrictions=only)
    assert (again.move, again.visits) == (3, 60)
    # Without restrictions a new tree is started, and the search may choose other moves.
    free = ask(search_player, visits=40, analyse=True, shown=100)
    assert free.visits == 40
    assert {line.move for line in free.lines} != {3}


def test_as_many_candidates_are_told_as_asked_for() -> None:
    search_player = SearchPlayer()
    told = [len(ask(search_player, visits=60, analyse=True, shown=count).lines) for count in (1, 2, 1000)]
    assert told[:2] == [1, 2]
    assert told[2] > 3
    assert len(ask(search_player, visits=60, analyse=True).lines) == 3


def test_an_analysis_stopped_at_once_has_looked_at_a_move() -> None:
    search_player = SearchPlayer()
    question = Think(POSITION, 8, analyse=True)
    answer = search_player.think(question, stopped=lambda: True)
    assert answer.lines[0].visits >= 1
    assert answer.visits >= 1


def test_what_was_thought_is_forgotten() -> None:
    search_player = SearchPlayer()
    assert ask(search_player, visits=300, analyse=True).visits == 300
    assert ask(search_player, visits=20, analyse=True).visits == 300
    search_player.forget()
    assert ask(search_player, visits=20, analyse=True).visits == 20


def test_the_ownership_of_the_moves_and_the_root_together_is_that_of_the_search() -> None:
    search = make(komi=3)
    root = np.array(search.ownership())
    search.run(Limits(visits=120))
    told = search.candidates(1000, owned=True)
    owned = [found.ownership for found in told if found.ownership is not None]
    assert [each.ownership for each in search.candidates(1000)] == [None] * len(told)
    counts = np.array([found.visits for found in told])
    assert counts.sum() == 120
    means = np.array([each.mean for each in owned])
    whole = search.details().ownership
    assert (root + counts @ means) / 121 == pytest.approx(np.array(whole.mean), abs=2e-3)
    # The squares add up likewise: their mean is the square of the mean and that of the deviation.
    squares = np.array([np.square(each.mean) + np.square(each.deviation) for each in owned])
    found = np.square(whole.mean) + np.square(whole.deviation)
    assert (np.square(root) + counts @ squares) / 121 == pytest.approx(found, abs=4e-3)
    assert max(whole.deviation) > 0.1


def test_the_policy_is_a_probability_of_what_is_searched() -> None:
    alone = Restriction(BLACK, (4, 9, PASS), 1, only=True)
    for search in (make(), make(alone)):
        policy = np.array(search.details().policy)
        assert len(policy) == 26
        searched = {found.move for found in search_all(search)}
        assert {int(point) for point in np.flatnonzero(policy[:-1] >= 0)} == searched - {PASS}
        assert set(policy[policy < 0]) <= {-1.0}
    assert np.array(make().details().policy).clip(0).sum() == pytest.approx(1, abs=1e-4)


def search_all(search: PuctSearch) -> Sequence[Any]:
    """Visit every move of the root once, and return all candidates."""
    for index, move in enumerate(search.root.moves):
        if search.root.excluded is None or not search.root.excluded[index]:
            search.step(index)
            assert int(move) == int(search.root.moves[index])
    return search.candidates(1000)


def test_the_visits_along_a_line_are_those_of_its_moves() -> None:
    search = make()
    search.run(Limits(visits=200))
    for found in search.candidates(1000):
        assert len(found.line_visits) == len(found.line)
        assert found.line_visits[0] == found.visits
        assert list(found.line_visits) == sorted(found.line_visits, reverse=True)
