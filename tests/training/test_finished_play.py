"""Games of the policy alone go on until what is thought dead is off the board, and their ends are what is learnt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from daoqi_tui.ai.network_grid import Floats
from daoqi_tui.ai.network_judge import Judgement, Look
from daoqi_tui.engine import BLACK, PASS, WHITE, Board, Torus, area
from daoqi_tui.training.endings import End, Seen
from daoqi_tui.training.finished_play import FinishedGame, finished_games
from daoqi_tui.training.raw_play import RawPlay, legal_policy
from daoqi_tui.training.settings import Finishing
from tests.training.judges import Even

PLAIN = RawPlay(opening=0.0, komi_varied=0.0, komi=0.0)
MINE = 1


class Leader(Even):
    """Would only pass, and thinks that the side to move leads by so many points."""

    def __init__(self, lead: float) -> None:
        super().__init__()
        self.lead = lead

    def judge(self, looks: Sequence[Look], size: int) -> list[Judgement]:
        policy = np.full(size * size + 1, 1e-4, np.float32)
        policy[-1] = 1.0
        return [replace(one, policy=policy, lead=self.lead) for one in super().judge(looks, size)]


def game_of(moves: Sequence[int], size: int = 4, play: RawPlay = PLAIN) -> FinishedGame:
    game = FinishedGame(size, play, Finishing(astray=0.0), np.random.default_rng(1))
    for move in moves:
        game.make(move)
    return game


def serious(game: FinishedGame, policy: Floats, lead: float) -> Floats:
    return game.serious_policy(legal_policy(policy, game.board), lead)


def passing(points: int) -> Floats:
    policy = np.full(points + 1, 0.001, np.float32)
    policy[-1] = 0.9
    return policy


def test_a_pass_is_in_order_where_the_count_gives_what_is_thought():
    game = game_of([0])
    white = -area(game.board, 0.0).margin
    assert white == -16
    assert serious(game, passing(16), -16.0).argmax() == 16
    assert serious(game, passing(16), -14.5).argmax() == 16, "within the slack"


def test_a_pass_is_refused_where_stones_thought_dead_still_count():
    game = game_of([0])
    policy = serious(game, passing(16), 10.0)
    assert policy[-1] == 0
    assert policy[0] == 0, "a stone is there"
    assert policy.sum() == pytest.approx(1.0, abs=1e-5)


def test_another_move_than_a_pass_is_never_refused():
    policy = np.full(17, 0.01, np.float32)
    policy[5] = 0.5
    assert serious(game_of([0]), policy, 10.0)[-1] > 0


def test_eyes_are_not_filled_to_settle_what_is_settled():
    """Black's only legal plays are eyes of its own; a pass is all that is left, whatever is thought."""
    game = game_of([])
    for point in range(16):
        if point not in (0, 10):
            game.make(point)
            game.make(PASS)
    game.passes = 0
    assert game.board.to_move == BLACK
    policy = serious(game, passing(16), 40.0)
    assert policy.argmax() == 16


def test_waiting_while_stones_are_taken_off_costs_nothing():
    game = game_of([0, PASS, 1, 5])
    for move in (PASS, 6, PASS, 7, PASS, PASS):
        policy = passing(16) if move == PASS else np.eye(17, dtype=np.float32)[move]
        game.heed(legal_policy(policy, game.board))
        game.make(move)
    assert game.passes == 2
    count = area(game.board, 0.0)
    assert (count.black.passes, count.white.passes) == (3, 2)
    # White passed once before, and the passes since do not count.
    assert game.end().margin == count.margin + 3 - 2 + 1


def test_lessons_are_told_from_the_side_to_move():
    board = Board(Torus(4))
    for move in (0, PASS, 1, PASS):
        board.make(move)
    end = End.of(board, 0.0)
    assert end.margin == 16 + 2
    look = Look(np.zeros((16, 2), np.float32), np.zeros(3, np.float32))
    seen = [Seen(look, colour, np.zeros(17, np.float32), 0.4) for colour in (BLACK, WHITE)]
    (_, black), (_, white) = end.lessons(seen, 0.5)
    assert (black.win, white.win) == pytest.approx((0.7, 0.2))
    assert (black.lead, white.lead) == (18, -18)
    assert black.owner.sum() == 16 == -white.owner.sum()


def test_whole_games_yield_positions_with_one_end():
    rng = np.random.default_rng(2)
    finishing = Finishing(astray=0.3, noted=1.0)
    for game in islice(finished_games(Even(), None, 4, PLAIN, finishing, rng=rng, boards=4), 12):
        assert game
        assert len({abs(target.lead) for _, target in game}) == 1
        for look, target in game:
            assert target.win == float(target.lead > 0) or target.lead == 0
            assert set(np.unique(target.owner)) <= {-1.0, 0.0, 1.0}
            assert not (target.policy[:-1] * look.planes[:, MINE]).any()


def test_what_is_played_astray_is_not_learnt_from():
    rng = np.random.default_rng(3)
    finishing = Finishing(astray=1.0, noted=1.0)
    games = islice(finished_games(Even(), None, 5, PLAIN, finishing, rng=rng, boards=4), 20)
    stones = [int(game[0][0].planes[:, 1:3].sum()) for game in games]
    assert max(stones) > 5, "some games begin late"


def test_the_policy_is_the_teachers_and_the_judgement_ones_own():
    rng = np.random.default_rng(4)
    finishing = Finishing(astray=0.0, noted=1.0, outcome=0.0)
    games = finished_games(Even(), Leader(-50.0), 4, PLAIN, finishing, rng=rng, boards=2)
    for game in islice(games, 4):
        for _, target in game:
            # The lead that decides whether a pass is in order is one's own.
            assert target.win == 0.5
            assert target.policy[-1] > 0.9 or target.policy[-1] == 0.0


def test_who_thinks_everything_won_and_passes_plays_on():
    rng = np.random.default_rng(5)
    finishing = Finishing(astray=0.0, noted=1.0)
    lengths = {}
    for lead in (-99.0, 99.0):
        games = finished_games(Leader(lead), None, 4, PLAIN, finishing, rng=rng, boards=2)
        lengths[lead] = [len(game) for game in islice(games, 6)]
    assert lengths[-99.0] == [2] * 6
    assert min(lengths[99.0]) > 8
