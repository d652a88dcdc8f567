"""The fair komi: the same however it is computed, and in little memory."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from daoqi_tui.lab.openings import fair_komi


@pytest.mark.parametrize("games", [1, 7, 400])
def test_the_fair_komi_is_the_same_however_much_is_drawn_at_once(games: int, monkeypatch: pytest.MonkeyPatch) -> None:
    margins = np.random.default_rng(3).normal(5, 10, games).tolist()
    drawn = np.random.default_rng(0).choice(np.array(margins), (fair_komi.RESAMPLES, games))
    whole = np.quantile(np.median(drawn, axis=1), (0.025, 0.975)).tolist()
    for at_once in (1, 1000, 1 << 20):
        monkeypatch.setattr(fair_komi, "_AT_ONCE", at_once)
        found = fair_komi.fair_komi(margins)
        assert [found.low, found.high] == whole


def test_the_fair_komi_of_many_games_takes_little_memory() -> None:
    tracemalloc.start()
    try:
        fair_komi.fair_komi([5.0] * 20_000)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 64 << 20


def test_no_games_have_no_fair_komi() -> None:
    with pytest.raises(ValueError, match="no games"):
        fair_komi.fair_komi([])
