"""The estimate: ownership and score lead, of a network and of what is certain."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from daoqi_tui.ai import Estimate, Estimated, Position
from daoqi_tui.ai.network.features import Features
from daoqi_tui.ai.player import SearchPlayer, certain_ownership, reconcile_ownership
from daoqi_tui.ai.search import Evaluation, Inputs
from daoqi_tui.engine import BLACK, PASS, WHITE, Board, Colour, torus_of
from tests.engine.pictures import board_of, game_of

NOTHING = np.zeros(81)
"""Nothing is certain on 9×9."""
DEAD = """
    X X X X X X X
    X . X O . . X
    X X X X X X X
    . . . . . . .
    . . O O O . .
    . . O . O . .
    . . O O O . .
"""
"""The white stone in the second row cannot live; the others may still die."""


class Claiming:
    """A fake network that gives every point and the game to one side, by more points than the board has."""

    name = "claiming"

    def __init__(self, winner: Colour) -> None:
        self._winner = winner
        self._features = Features(8, ladders=False)

    def encode(self, board: Board, komi: float, recent: Sequence[int], passes_in_row: int) -> Inputs:
        self._mover = board.to_move
        return self._features.encode(board, komi, recent, passes_in_row)

    def evaluate(self, batch: Sequence[Inputs], size: int) -> list[Evaluation]:
        sign = 1.0 if self._mover == self._winner else -1.0
        owner = np.full(size * size, 0.99 * sign, np.float32)
        policy = np.full(size * size + 1, 0.01, np.float32)
        return [Evaluation(policy, (1 + sign) / 2, 999.0 * sign, 60.0, owner) for _ in batch]


def estimated(position: Position, winner: Colour, monkeypatch: pytest.MonkeyPatch) -> Estimated:
    player, network = SearchPlayer(), Claiming(winner)
    monkeypatch.setattr(player._networks, "load", lambda _: network)
    return player.estimate(Estimate(position))


@pytest.mark.parametrize("lead", [-75.0, -12.5, 0.0, 3.0, 80.0])
def test_ownership_is_reconciled_with_the_lead(lead: float) -> None:
    seen = np.random.default_rng(1).uniform(-1, 1, 81)
    ownership = reconcile_ownership(seen, lead, NOTHING)
    assert ownership.sum() == pytest.approx(lead, abs=0.01)
    assert (np.argsort(ownership) == np.argsort(seen)).all()


@pytest.mark.parametrize("lead", [-40.0, 0.0, 25.0])
def test_what_is_certain_stays_and_the_others_make_up_the_lead(lead: float) -> None:
    seen = np.random.default_rng(1).uniform(-1, 1, 81)
    certain = np.zeros(81)
    certain[:20], certain[20:30] = 1, -1
    ownership = reconcile_ownership(seen, lead, certain)
    assert (ownership[:20] == 1).all()
    assert (ownership[20:30] == -1).all()
    assert ownership.sum() == pytest.approx(lead, abs=0.01)
    assert (np.argsort(ownership[30:]) == np.argsort(seen[30:])).all()


def test_what_is_decided_stays_so() -> None:
    seen = np.array([1.0, -1.0, 0.98, 0.1, 0.1, 0.1, 0.1])
    ownership = reconcile_ownership(seen, -0.6, np.zeros(7))
    assert np.abs(ownership - seen)[:3].max() < 0.04
    assert (ownership[3:] < -0.3).all()


def test_no_lead_is_too_large_to_be_come_near() -> None:
    assert reconcile_ownership(np.zeros(9), 1000.0, np.zeros(9)).min() > 0.99


def test_dead_stones_and_the_points_around_them_belong_to_the_other_side() -> None:
    owners = certain_ownership(board_of(DEAD))
    assert owners.tolist() == [1.0] * 21 + [0.0] * 28


@pytest.mark.parametrize("to_move", [BLACK, WHITE])
@pytest.mark.parametrize("winner", [BLACK, WHITE])
def test_an_estimate_agrees_with_what_is_certain_whatever_the_network_says(
    winner: Colour, to_move: Colour, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = estimated(Position.of(game_of(DEAD, to_move, 4)), winner, monkeypatch)
    assert found.ownership[:21] == (1.0,) * 21
    sign = 1 if winner == BLACK else -1
    assert min(sign * share for share in found.ownership[21:]) > 0.9
    assert found.margin == 21 + sign * 28 - 4
    assert found.spread == 28
    assert found.black == (winner == BLACK)


@pytest.mark.parametrize(("winner", "margin"), [(BLACK, 19), (WHITE, -31)])
def test_no_board_holds_a_larger_margin_than_its_points(
    winner: Colour, margin: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Black has passed twice and White has not: at most 25 points, less two for the passes and four for komi."""
    assert estimated(Position(5, 4.0, (PASS, 0, PASS, 1)), winner, monkeypatch).margin == margin


def test_nothing_is_certain_on_an_empty_board() -> None:
    assert not certain_ownership(Board(torus_of(9))).any()
