"""The opening browser: data about the continuations of a position, their order, and their place on the board."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from daoqi_tui.ai.protocol import Candidate
from daoqi_tui.analysis.opening_index import GameRecord, OpeningIndex
from daoqi_tui.engine import BLACK, WHITE
from daoqi_tui.play.evaluation import Evaluation
from daoqi_tui.play.openings import OpeningBrowser, shifted


@pytest.fixture
def index() -> Iterator[OpeningIndex]:
    """An index of three 9×9 games: two open with the knight's move and then differ, one opens with contact."""
    with OpeningIndex(":memory:") as found:
        found.add(
            [
                GameRecord("a.sgf#1", 9, (40, 51, 20), BLACK),
                GameRecord("folder/b.sgf#2", 9, (0, 19, 60), WHITE),
                GameRecord("c.sgf#1", 9, (0, 1, 2)),
            ]
        )
        yield found


def test_classes_stand_in_the_order_asked_for(index: OpeningIndex) -> None:
    browser = OpeningBrowser(9, index)
    assert [entry.kind.number for entry in browser.classes() if entry.kind] == list(range(1, 15))
    browser.next_order()
    rates = [entry.value.win for entry in browser.classes() if entry.value]
    assert rates == sorted(rates), "White chooses the class, so that Black's least win rate comes first"
    browser.next_order()
    assert [entry.library.games for entry in browser.classes()][:3] == [2, 1, 0]
    browser.next_order()
    assert browser.order == "number"


def test_third_moves_are_those_of_the_values_and_of_the_library(index: OpeningIndex) -> None:
    browser = OpeningBrowser(9, index)
    browser.choose_class(4)
    browser.order = "value"
    found = browser.continuations()
    rates = [entry.value.win for entry in found if entry.value]
    assert rates == sorted(rates, reverse=True), "Black moves"
    assert sum(entry.library.games for entry in found) == 2
    values = browser.values
    assert values is not None
    best = values.classes[4].replies[0]
    assert next(entry for entry in found if entry.point == best.point).value == best.value, "more visits count"
    assert [str(path) for path in browser.library_games()] == ["a.sgf", "folder/b.sgf"]


def test_a_line_is_gone_down_and_up(index: OpeningIndex) -> None:
    browser = OpeningBrowser(9, index)
    browser.choose_class(4)
    third = browser.continuations()[0].point
    browser.go(third)
    assert browser.to_move == WHITE
    assert len(browser.moves) == 3
    assert browser.back() == third
    assert browser.back() is None, "above the class there is only the page of all"
    assert browser.kind is not None
    assert browser.kind.number == 4


def test_what_a_search_finds_is_listed_where_it_was_made() -> None:
    browser = OpeningBrowser(9)
    browser.choose_class(4)
    browser.go(60)
    assert browser.continuations() == []
    lines = (Candidate(33, 80, 0.55, (33,), -1.5), Candidate(-1, 2, 0.4, (-1,)), Candidate(70, 0, 0.5, (70,)))
    browser.note(browser.moves, Evaluation(0.45, -1.5, 82, "network", lines=lines))
    (entry,) = browser.continuations()
    assert entry.now
    assert entry.value is not None
    assert (entry.value.visits, entry.value.win, entry.value.lead) == (80, pytest.approx(0.45), -1.5)
    assert any("82 visits" in line for line in browser.about())
    browser.back()
    assert not any(entry.now for entry in browser.continuations())


@pytest.mark.parametrize("number", range(1, 15))
def test_the_stones_of_a_class_are_shown_in_the_middle(number: int) -> None:
    browser = OpeningBrowser(9)
    browser.choose_class(number)
    stones = browser.stones()
    assert len(stones) == 81
    rows, columns = zip(*(divmod(point, 9) for point, colour in enumerate(stones) if colour), strict=True)
    assert {stones[browser.shown(point)] for point in browser.moves} == {BLACK, WHITE}
    for places in (rows, columns):
        assert abs(sum(places) / 2 - 4) <= 0.5
    assert shifted(9, 80, (1, 1)) == 0


def test_a_size_without_values_says_so() -> None:
    browser = OpeningBrowser(7)
    assert browser.values is None
    assert browser.describe_made() == "There are no evaluations for this board size"
    assert all(entry.value is None for entry in browser.classes())
    browser.choose_class(2)
    assert browser.continuations() == []


def test_every_number_says_what_it_is() -> None:
    browser = OpeningBrowser(16)
    assert "komi 4: network daoqi-b6c64" in browser.describe_made()
    assert "95 %" in browser.describe_fair_komi()
    browser.choose_class(4)
    name, value, games = browser.about()
    assert name == "4  a knight's move apart, (1,2)"
    assert value.endswith("(800 visits)")
    assert games.startswith("Policy games: Black ")
