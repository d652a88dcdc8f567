"""Lead and win rate follow komi and what is certain; the built-in networks pass the gates."""

from __future__ import annotations

from statistics import median

import numpy as np
import pytest

from daoqi_tui.ai.nets import file_for
from daoqi_tui.ai.network import Counting
from daoqi_tui.ai.network.network import counted, with_races
from daoqi_tui.ai.player import certain_ownership
from daoqi_tui.ai.search import Evaluation, NetworkEvaluator
from daoqi_tui.engine import Board
from daoqi_tui.reading.races import Race
from tests.ai.networks import fastest
from tests.benchmarks.ai_gates import (
    SHARES,
    bias,
    board_of,
    error,
    handicaps,
    handicaps_count,
    pass_error,
    settled_games,
    span,
    winners,
)
from tests.shared_data import data_json
from tests.thorough import rounds

POINTS = 25


def evaluation(owner: float, *, win: float = 0.6, lead: float = 2.0) -> Evaluation:
    policy = np.full(POINTS + 1, 1 / (POINTS + 1), np.float32)
    return Evaluation(policy, win, lead, 10.0, np.full(POINTS, owner, np.float32))


@pytest.mark.parametrize("owner", [-0.9, 0.0, 0.3, 1.0])
def test_a_count_moves_the_lead_by_as_much_as_komi_moves(owner: float) -> None:
    leads, wins = zip(
        *(
            (one.lead, one.win)
            for one in (counted(evaluation(owner), komi, Counting(1.0, 1.0)) for komi in range(-30, 31, 3))
        ),
        strict=True,
    )
    assert np.diff(leads) == pytest.approx(3.0)
    assert all(np.diff(wins) >= 0)
    assert min(wins) < 0.1
    assert max(wins) > 0.9
    assert counted(evaluation(owner), -owner * POINTS, Counting(1.0, 1.0)).win == pytest.approx(0.5, abs=1e-5)


def test_a_share_grows_to_all_as_the_board_is_settled() -> None:
    open_, settled = (counted(evaluation(owner), 3.0, Counting(0.5, 0.5)) for owner in (0.0, 1.0))
    assert open_.lead == pytest.approx((2.0 + 3.0) / 2, abs=0.5)
    assert settled.lead == pytest.approx(POINTS + 3.0)
    found = evaluation(0.5)
    on_open, on_begun = (
        counted(evaluation(owner, win=0.9), 0.0, Counting(0.5, 0.2, open=1.0)).win for owner in (0.0, 0.5)
    )
    assert on_open == pytest.approx(0.5), "of an empty board the count alone"
    assert on_begun == pytest.approx(counted(evaluation(0.5, win=0.9), 0.0, Counting(0.5, 0.2)).win, abs=0.01)
    assert counted(found, 3.0, Counting()) is found


def test_who_wins_a_race_owns_both_chains_and_only_one_of_two_can_be_had() -> None:
    first, second = Race(0b111, 0b111000, 1, -1, 1 << 20), Race(0b11 << 8, 0b11 << 10, 1, -1, 1 << 21)
    found = evaluation(0.0, win=0.5, lead=0.0)
    one, both = with_races(found, [first]), with_races(found, [second, first])
    assert (one.owner[:6] == 1).all()
    assert one.lead == pytest.approx(6.0)
    assert one.win > 0.5
    assert int(one.policy.argmax()) == 20
    assert one.policy.sum() == pytest.approx(1.0)
    # The larger race is taken, and the opponent takes the other.
    assert (both.owner[:6] == 1).all()
    assert (both.owner[8:12] == -1).all()
    assert with_races(found, []) is found
    assert with_races(found, [first._replace(first=0, second=0, moves=0)]) is found


@pytest.fixture(scope="module", params=[9, 13, 16])
def shipped(request: pytest.FixtureRequest) -> tuple[NetworkEvaluator, int]:
    return fastest(file_for("auto", request.param)), request.param


def test_the_owner_of_every_point_of_the_settled_games_is_certain() -> None:
    for game in settled_games():
        assert certain_ownership(game.board()).all()


def test_the_lead_follows_komi(shipped: tuple[NetworkEvaluator, int]) -> None:
    network, size = shipped
    games = list(settled_games(size))[: rounds(2, 5)]
    assert median(span(network, game, 4) for game in games) >= 12
    for share in SHARES:
        late = median(span(network, game, round(share * len(game.moves))) for game in games)
        assert late >= (20 if share >= 0.7 else 12), share


def test_the_win_rate_names_the_winner_of_a_finished_board(shipped: tuple[NetworkEvaluator, int]) -> None:
    network, size = shipped
    games = list(settled_games(size))
    close = [right for game in games for right in winners(network, game)]
    closest = [right for game in games for right in winners(network, game, 3)]
    assert sum(close) >= 0.9 * len(close)
    assert sum(closest) >= 0.85 * len(closest)
    assert all(abs(bias(network, game)) < 3 for game in games), "neither side gains by having the move"
    assert all(error(network, game, komi) < 0.25 for game in games[:2] for komi in (-8, 4, 16))


def test_a_pass_that_is_paid_for_is_a_point_of_komi_and_every_handicap_stone_counts(
    shipped: tuple[NetworkEvaluator, int],
) -> None:
    network, size = shipped
    (game, *_others) = settled_games(size)
    assert pass_error(network, game) < 0.1
    found = handicaps(network, size)
    assert handicaps_count(found)
    assert all(each.win < 0.5 for each in found), "Black, who has two stones more, is ahead"


def test_the_moves_of_a_race_come_first_and_win(shipped: tuple[NetworkEvaluator, int]) -> None:
    network, size = shipped
    boards: list[tuple[Board, set[str]]] = [
        (board_of(position), set(position["race_moves"]))
        for position in data_json("rings.json")["positions"]
        if position["size"] == size
    ]
    for board, moves in boards:
        found = network.evaluate([network.encode(board, 4.0, (), 0)], size)[0]
        assert board.torus.name(int(found.policy.argmax()), "gtp") in moves
        board.make(int(found.policy.argmax()))
        answered = network.evaluate([network.encode(board, 4.0, (), 0)], size)[0]
        assert answered.lead < -size
