"""The opening browser: data about the continuations of a position, their order, and their place on the board."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import pytest

from daoqi_tui.ai import Candidate
from daoqi_tui.analysis.opening import OpeningValues, Standing, shipped_values
from daoqi_tui.analysis.opening_index import OpeningIndex
from daoqi_tui.analysis.opening_records import GameRecord
from daoqi_tui.engine import BLACK, WHITE
from daoqi_tui.play.evaluation import Evaluation
from daoqi_tui.play.openings import OpeningBrowser, describe_standing, shifted
from daoqi_tui.reading.symmetry import BoardPosition, canonical_position


@pytest.fixture
def index() -> Iterator[OpeningIndex]:
    """An index of three 9×9 games: two open with the knight's move and then differ, one opens with contact."""
    with closing(OpeningIndex(":memory:")) as found:
        found.add(
            [
                GameRecord("a.sgf#1", 9, (40, 51, 20), BLACK),
                GameRecord("folder/b.sgf#2", 9, (0, 19, 60), WHITE),
                GameRecord("c.sgf#1", 9, (0, 1, 2)),
            ]
        )
        yield found


def test_classes_stand_in_the_order_asked_for(index: OpeningIndex) -> None:
    values = shipped_values(9)
    assert isinstance(values, OpeningValues)
    standings = {number: Standing(number % 3 - 1) for number in values.classes}
    classes = {number: replace(entry, standing=standings[number]) for number, entry in values.classes.items()}
    browser = OpeningBrowser(9, index, replace(values, classes=classes))
    assert [entry.kind.number for entry in browser.classes() if entry.kind] == list(range(1, 15))
    browser.next_order()
    order = [(entry.standing, entry.kind.number) for entry in browser.classes() if entry.kind]
    assert order == sorted(order), "White chooses the class; among those that stand alike the nearest comes first"
    assert len({standing for standing, _number in order}) == 3
    browser.next_order()
    assert [entry.library.games for entry in browser.classes()][:3] == [2, 1, 0]
    browser.next_order()
    assert browser.order == "number"


def test_third_moves_are_those_of_the_values_and_of_the_library(index: OpeningIndex) -> None:
    browser = OpeningBrowser(9, index)
    browser.choose_class(4)
    browser.order = "value"
    found = browser.continuations()
    ranks = [
        (-entry.standing, 9 if entry.rank is None else entry.rank) for entry in found if entry.standing is not None
    ]
    assert ranks == sorted(ranks), "Black moves; the best replies come first"
    assert {0, 1} <= {rank for _standing, rank in ranks}
    assert sum(entry.library.games for entry in found) == 2
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
    assert entry.searched is not None
    assert (entry.searched.visits, entry.searched.win, entry.searched.lead) == (80, pytest.approx(0.45), -1.5)
    assert any("82 visits" in line for line in browser.describe())
    browser.back()
    assert not any(entry.searched for entry in browser.continuations())


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
    assert all(entry.standing is None for entry in browser.classes())
    browser.choose_class(2)
    assert browser.continuations() == []


def test_what_is_said_of_an_opening_has_no_figures_but_the_fair_komi() -> None:
    browser = OpeningBrowser(16)
    assert browser.describe_made() == ("Who is better after each opening at the fair komi, where both networks agree")
    assert re.fullmatch(
        r"Fair komi: [\d.]+ \([\d.−]+ to [\d.]+, 95 %\), by \d+ games of the computer against itself",
        browser.describe_fair_komi(),
    )
    browser.choose_class(4)
    name, standing = browser.describe()
    assert name == "4  knight's move, (1,2)"
    assert browser.values is not None
    assert standing == f"At the fair komi: {describe_standing(browser.values.classes[4].standing)}"


@pytest.mark.parametrize("size", [9, 16])
def test_one_position_stands_alike_on_every_page(size: int) -> None:
    """Black's two stones may have come in either order: the lists of both openings say the same of the position."""
    browser = OpeningBrowser(size)
    found: dict[BoardPosition, set[str]] = {}
    for number in range(1, 7):
        browser.choose_class(number)
        (own,) = (entry.standing for entry in browser.classes() if entry.kind and entry.kind.number == number)
        assert own is not None
        assert browser.describe()[1] == f"At the fair komi: {describe_standing(own)}"
        for entry in browser.continuations():
            assert entry.standing is not None
            browser.go(entry.point)
            position = canonical_position(browser.game().board).position
            found.setdefault(position, set()).update(
                (describe_standing(entry.standing), browser.describe()[1].removeprefix("At the fair komi: "))
            )
            browser.back()
    assert len(found) > 100
    assert all(len(words) == 1 for words in found.values())
