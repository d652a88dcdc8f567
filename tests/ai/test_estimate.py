"""The estimate: ownership and score lead."""

from __future__ import annotations

import numpy as np
import pytest

from daoqi_tui.ai.estimate import estimate, reconcile_ownership
from daoqi_tui.ai.player import SearchPlayer
from daoqi_tui.ai.playout.backend import Backend
from daoqi_tui.ai.playout.evaluator import PlayoutEvaluator
from daoqi_tui.ai.protocol import Estimate, Position
from daoqi_tui.ai.search.mcts import clamp_margin
from daoqi_tui.engine import BLACK, PASS, WHITE, Board, Colour, Game, Rules, torus_of
from tests.ai.test_passing import SETTLED
from tests.engine.pictures import colours_of, game_of


def test_settled_land_is_owned_and_counted(backend: Backend) -> None:
    game = game_of(SETTLED)
    found = estimate(game.board, 4, PlayoutEvaluator(seed=1, backend=backend), PASS, playouts=100)
    assert found.playouts == 100
    for point, share in enumerate(found.ownership):
        assert share > 0.7 if point % 7 < 4 else share < -0.7
    assert found.black > 0.7


@pytest.mark.parametrize(("tie", "black"), [(WHITE, 0.0), (BLACK, 1.0), (None, 0.5)])
def test_ties_count_as_the_rules_say(tie: Colour | None, black: float, backend: Backend) -> None:
    board = Board(torus_of(7), Rules(tie=tie))
    board.setup(colours_of(SETTLED), BLACK)
    evaluator = PlayoutEvaluator(seed=1, backend=backend)
    margins = estimate(board, 0, evaluator, PASS, playouts=20)
    assert margins.spread == 0, "every playout ends alike"
    assert estimate(board, margins.margin, evaluator, PASS, playouts=20).black == black


def test_the_empty_board_belongs_to_nobody(backend: Backend) -> None:
    game = Game(9, komi=0)
    found = estimate(game.board, 0, PlayoutEvaluator(seed=1, backend=backend), PASS, playouts=400)
    assert max(map(abs, found.ownership)) < 0.35
    assert abs(found.margin) < 12
    assert found.spread > 10


def test_passes_and_komi_are_in_the_margin(backend: Backend) -> None:
    game = Game(5, komi=0)
    game.play(0)
    game.play(12)
    for _ in range(3):
        game.pass_turn()
        game.play(game.legal_points()[0])
    reply = SearchPlayer(lambda: backend).estimate(Estimate(1, Position.of(game), 200, seed=3))
    same = SearchPlayer(lambda: backend).estimate(Estimate(1, Position(5, 7, Position.of(game).actions), 200, seed=3))
    assert round(reply.margin - same.margin, 6) == 7
    board = game.board
    assert board.passes == [0, 3, 0]
    board.passes[1] = 0
    free = estimate(board, 0, PlayoutEvaluator(seed=3, backend=backend), Position.of(game).last, playouts=200)
    assert round(free.margin - reply.margin, 6) == 3


@pytest.mark.parametrize("lead", [-75.0, -12.5, 0.0, 3.0, 80.0])
def test_ownership_is_reconciled_with_the_lead(lead: float) -> None:
    seen = np.random.default_rng(1).uniform(-1, 1, 81)
    ownership = reconcile_ownership(seen, lead)
    assert ownership.sum() == pytest.approx(lead, abs=0.01)
    assert (np.argsort(ownership) == np.argsort(seen)).all()


def test_what_is_decided_stays_so() -> None:
    seen = np.array([1.0, -1.0, 0.98, 0.1, 0.1, 0.1, 0.1])
    ownership = reconcile_ownership(seen, -0.6)
    assert np.abs(ownership - seen)[:3].max() < 0.04
    assert (ownership[3:] < -0.3).all()


def test_no_lead_is_too_large_to_be_come_near() -> None:
    assert reconcile_ownership(np.zeros(9), 1000.0).min() > 0.99


def test_no_board_holds_a_larger_margin_than_its_points() -> None:
    board = Board(torus_of(5))
    board.pass_turn()
    board.play(0)
    board.pass_turn()
    board.play(1)
    # Black has passed twice and White has not: at most 25 points, less two for the passes and four for komi.
    assert clamp_margin(30.5, board, 4) == 19
    assert clamp_margin(-90.0, board, 4) == -31
    assert clamp_margin(6.5, board, 4) == 6.5
