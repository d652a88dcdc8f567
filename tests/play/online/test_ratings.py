"""Ratings beside the worked example of the paper, and what must hold for any."""

from __future__ import annotations

import pytest

from daoqi_tui.play.online.ratings import Rating, updated


def test_the_example_of_the_paper() -> None:
    """Section "Example calculation" of Glickman's "Example of the Glicko-2 system"."""
    opponents = [(Rating(1400, 30), 1.0), (Rating(1550, 100), 0.0), (Rating(1700, 300), 0.0)]
    after = updated(Rating(1500, 200, 0.06), opponents)
    assert (round(after.value, 2), round(after.deviation, 2)) == (1464.05, 151.52)
    # 0.05999 in the paper, which rounds in between.
    assert after.volatility == pytest.approx(0.05999, abs=1e-5)


def test_without_games_the_deviation_alone_grows() -> None:
    known = Rating(1800, 45)
    assert updated(known, (), 0).deviation == pytest.approx(45)
    year = updated(known, (), 365 / 4)
    assert (year.value, year.volatility) == (known.value, known.volatility)
    assert 105 < year.deviation < 115
    assert updated(known, (), 1e9).deviation == 350


@pytest.mark.parametrize("difference", [-3000, -400, 0, 400, 3000])
def test_a_win_never_costs_and_a_loss_never_pays(difference: int) -> None:
    own, other = Rating(1500, 80), Rating(1500 + difference, 200)
    won, drawn, lost = (updated(own, [(other, score)]).value for score in (1, 0.5, 0))
    assert lost <= own.value <= won
    assert lost < drawn < won
    assert (drawn > own.value) is (difference > 0) or difference == 0
