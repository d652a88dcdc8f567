"""The sequential probability ratio test: its pairs, its bounds, and its error rates."""

from __future__ import annotations

import math
from random import Random
from typing import Literal

import pytest

from daoqi_tui.lab.match.results import End, Played, expected_score
from daoqi_tui.lab.match.sprt import SequentialTest, Sprt, paired_scores


def played(game: int, winner: Literal["A", "B"] | None, end: End = "passes") -> Played:
    return Played(game, "A" if game % 2 else "B", winner, "B+1", end, 10, 1.0)


def test_pairs_stand_in_the_order_of_their_numbers():
    games = [played(2, "B"), played(1, "A"), played(4, "A"), played(3, "A"), played(5, "A"), played(8, "A")]
    assert paired_scores(games) == [0.5, 1.0], "games after one that is not finished wait for it"
    assert paired_scores([*games, played(6, None), played(7, "B")]) == [0.5, 1.0, 0.75, 0.5]


def test_a_pair_with_a_forfeit_says_nothing():
    games = [played(1, "A"), played(2, "A", "forfeit"), played(3, "B"), played(4, "B")]
    assert paired_scores(games) == [0.0]


def test_one_pair_decides_nothing():
    assert SequentialTest(Sprt(0, 50)).go_on([]) is None
    assert SequentialTest(Sprt(0, 50)).go_on([1.0]) is None
    assert SequentialTest(Sprt(0, 50)).go_on([0.0]) is None


@pytest.mark.parametrize("at_once", [True, False])
def test_a_verdict_stands(at_once: bool):
    """Later pairs would bring the ratio back between the bounds, whether counted one by one or all at once."""
    test = SequentialTest(Sprt(0, 50))
    pairs = [1.0, 0.5] * 12 + [0.0] * 10
    ends = [len(pairs)] if at_once else range(len(pairs) + 1)
    verdicts = [test.go_on(pairs[:end]) for end in ends]
    low, high = test.sprt.bounds
    assert low < test.sprt.log_likelihood_ratio(pairs) < high
    assert verdicts[-1] == "elo1"
    assert test.pairs < 24, "it counts up to the pair that decided"
    assert test.ratio == test.sprt.log_likelihood_ratio(pairs[: test.pairs]) >= high
    assert test.sprt.log_likelihood_ratio(pairs[: test.pairs - 1]) < high


def test_the_ratio_is_that_of_two_outcomes_where_no_other_occurs():
    """Each pair is won or lost as a whole, so the likelihoods are those of coin tosses."""
    low, high = expected_score(0), expected_score(100)
    wanted = 30 * math.log(high / low) + 10 * math.log((1 - high) / (1 - low))
    assert Sprt(0, 100).log_likelihood_ratio([1.0] * 30 + [0.0] * 10) == pytest.approx(wanted, abs=0.01)


def test_the_ratio_of_many_pairs_is_nearly_that_of_normal_scores():
    pairs = [0.5] * 1000 + [1.0] * 270 + [0.0] * 230
    mean, variance = 0.5 + 20 / 1500, 500 / 1500 * 0.25 - (20 / 1500) ** 2
    low, high = expected_score(0), expected_score(10)
    wanted = 1500 * (high - low) * (2 * mean - low - high) / (2 * variance)
    assert Sprt(0, 10).log_likelihood_ratio(pairs) == pytest.approx(wanted, rel=0.01)


@pytest.mark.parametrize(("truth", "wrong"), [(0.0, "elo1"), (150.0, "elo0")])
def test_it_errs_as_seldom_as_it_says(truth: float, wrong: str):
    """In 200 matches without draws, between players of a known difference, at most 5 % of the verdicts may be wrong."""
    random, chance = Random(5), expected_score(truth)
    errors, lengths = 0, []
    for _ in range(200):
        pairs: list[float] = []
        test = SequentialTest(Sprt(0, 150))
        while (verdict := test.go_on(pairs)) is None:
            pairs.append(((random.random() < chance) + (random.random() < chance)) / 2)
        errors += verdict == wrong
        lengths.append(len(pairs))
    assert errors <= 0.05 * 200
    assert sum(lengths) / 200 < 45, "a match of fixed length would take 57 pairs for such errors"


def test_the_differences_are_two():
    with pytest.raises(ValueError, match="between 5 and 5 Elo; the second must be larger"):
        Sprt(5, 5)


@pytest.mark.parametrize("test", [(-1e6, 50), (0, math.inf), (0, 1001), (math.nan, 50), (0, math.nan)])
def test_the_differences_are_numbers_that_games_can_tell(test: tuple[float, float]):
    with pytest.raises(ValueError, match=r"both must be from -1000 to 1000|the second must be larger"):
        Sprt(*test)


@pytest.mark.parametrize("chances", [(0, 0.05), (0.05, 0), (1, 0.05), (0.5, 0.5), (math.nan, 0.05), (-0.1, 0.05)])
def test_the_chances_of_an_error_are_chances(chances: tuple[float, float]):
    with pytest.raises(ValueError, match="chances of an error"):
        Sprt(0, 50, *chances)
