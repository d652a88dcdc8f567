"""Games played for training: by the rules, as told, and with what they end with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from daoqi_tui.ai.katago_features import bits
from daoqi_tui.ai.network_judge import Judgement, Look
from daoqi_tui.ai.puct import PuctSearch
from daoqi_tui.engine import Board, Torus
from daoqi_tui.training.gumbel import GumbelRoot
from daoqi_tui.training.raw_play import RawPlay, legal_policy, raw_games
from daoqi_tui.training.search_play import search_games
from daoqi_tui.training.settings import Finishing, Searching
from tests.training.judges import Even

MINE, THEIRS = 1, 2


def test_raw_games_yield_one_look_a_board_and_legal_policies():
    rng = np.random.default_rng(1)
    stones = []
    for looks, targets in islice(raw_games(Even(), 5, RawPlay(), rng, boards=6), 60):
        assert len(looks) == len(targets) == 6
        for look, target in zip(looks, targets, strict=True):
            occupied = look.planes[:, MINE] + look.planes[:, THEIRS]
            assert occupied.max() <= 1
            assert not (target.policy[:-1] * occupied).any()
            assert target.policy.sum() == pytest.approx(1.0, abs=1e-5)
            stones.append(int(occupied.sum()))
    assert min(stones) < 5, "new games follow those that end"
    assert max(stones) > 15


def test_a_policy_of_forbidden_moves_alone_becomes_a_pass():
    board = Board(Torus(2))
    for point in (0, 1, 2):
        board.play(point)
    policy = np.zeros(5, np.float32)
    policy[[0, 1, 2]] = 1 / 3
    legal = legal_policy(policy, board)
    assert legal[:-1].sum() == 0
    assert legal[-1] == 1


def test_search_games_end_and_tell_who_won():
    rng = np.random.default_rng(2)
    searching = Searching(visits=6, quick_visits=2, full=0.5, considered=4, outcome=1.0)
    judge = Even()
    play, finishing = RawPlay(komi_varied=0.0), Finishing(astray=0.0, longest=20.0)
    games = list(search_games(judge, 4, searching, play, finishing, rng=rng, games=5, boards=3))
    assert len(games) == 5
    assert max(judge.batches) == 3, "the boards' leaves are judged together"
    assert sum(map(bool, games)) >= 3
    for game in filter(None, games):
        leads = set()
        for look, target in game:
            assert target.win == float(target.lead > 0)
            assert target.policy.sum() == pytest.approx(1.0, abs=1e-4)
            assert set(np.unique(target.owner)) <= {-1.0, 0.0, 1.0}
            # Komi is told from the mover's side: White's when it moves.
            leads.add(target.lead * np.sign(look.whole[5]))
        assert len({round(abs(lead), 6) for lead in leads}) == 1, "one margin a game, told from both sides"


def test_only_full_searches_are_learnt_from():
    rng = np.random.default_rng(3)
    searching = Searching(visits=4, quick_visits=1, full=0.0, considered=2)
    assert list(search_games(Even(), 4, searching, RawPlay(), Finishing(), rng=rng, games=2, boards=2)) == [[], []]


def test_moves_that_are_not_searched_cost_one_evaluation():
    searching = Searching(visits=4, quick_visits=0, full=0.0, considered=2)
    judge, finishing = Even(), Finishing(astray=0.0, longest=2.0)
    play = RawPlay(komi_varied=0.0)
    list(search_games(judge, 4, searching, play, finishing, rng=np.random.default_rng(3), games=1))
    assert len(judge.batches) <= 32, "one for each move"


def test_what_goes_astray_and_what_is_decided_is_not_learnt_from():
    class Sure(Even):
        """Knows who wins."""

        def judge(self, looks: Sequence[Look], size: int) -> list[Judgement]:
            return [replace(one, win=0.99) for one in super().judge(looks, size)]

    def counted(judge: Even, finishing: Finishing, decided: float) -> int:
        searching = Searching(visits=3, quick_visits=0, full=1.0, decided=decided, considered=2)
        rng = np.random.default_rng(6)
        return sum(map(len, search_games(judge, 4, searching, RawPlay(), finishing, rng=rng, games=12)))

    earnest = counted(Even(), Finishing(astray=0.0, longest=5.0), 0.0)
    assert earnest > 100
    assert counted(Even(), Finishing(astray=3.0, longest=5.0), 0.0) < 0.7 * earnest
    assert counted(Sure(), Finishing(astray=0.0, longest=5.0), 0.0) == 0
    assert counted(Sure(), Finishing(astray=0.0, longest=5.0), 1.0) > 100


def test_a_search_does_not_pass_while_stones_thought_dead_still_count():
    """The judge would pass, and thinks that whoever moves leads by far: no search may make that come true."""

    class Fond(Even):
        def judge(self, looks: Sequence[Look], size: int) -> list[Judgement]:
            policy = np.full(size * size + 1, 1e-3, np.float32)
            policy[-1] = 1.0
            return [replace(one, policy=policy, lead=100.0) for one in super().judge(looks, size)]

    searching = Searching(visits=2, quick_visits=0, full=1.0, decided=1.0, considered=1)
    finishing = Finishing(astray=0.0, longest=9.0)
    rng = np.random.default_rng(7)
    ended = [game for game in search_games(Fond(), 4, searching, RawPlay(), finishing, rng=rng, games=6) if game]
    assert ended
    for game in ended:
        assert len(game) > 10
        assert not any(target.policy[-1] for _, target in game[:8])


def test_a_game_that_ends_in_its_opening_ends_the_others_not():
    class Passing(Even):
        """Would only pass."""

        def judge(self, looks: Sequence[Look], size: int) -> list[Judgement]:
            policy = np.eye(size * size + 1, dtype=np.float32)[-1]
            return [Judgement(policy, one.win, one.lead, one.spread, one.owner) for one in super().judge(looks, size)]

    play, finishing = RawPlay(opening=0.0, random=0.5), Finishing(astray=1.0)
    searching = Searching(visits=2, quick_visits=1, full=1.0, considered=2)
    rng = np.random.default_rng(5)
    games = list(search_games(Passing(), 4, searching, play, finishing, rng=rng, games=12, boards=2))
    assert len(games) == 12
    assert [] in games, "two passes while it goes astray leave nothing to learn"
    assert any(games)


def test_gumbel_spends_what_it_was_given_and_halves():
    board = Board(Torus(5))
    search = PuctSearch(board, 0.0, Even())
    gumbel = GumbelRoot(search.root, 24, 8, np.random.default_rng(4))
    places = []
    for place in gumbel.places():
        places.append(place)
        search.step(place)
    assert len(places) == 24
    assert len(set(places)) == 8
    counts = sorted((places.count(place) for place in set(places)), reverse=True)
    assert counts[0] >= counts[2] * 2, "the better half was evaluated on"
    assert places.count(gumbel.best()) == counts[0], "what was looked at less does not compare"
    assert search.root.total == 24


def test_gumbel_finds_the_move_that_wins():
    class Partial(Even):
        """Thinks that whoever has a stone on point 12 wins."""

        def judge(self, looks: Sequence[Look], size: int) -> list[Judgement]:
            found = super().judge(looks, size)
            return [
                type(one)(
                    one.policy,
                    0.9 if look.planes[12, MINE] else 0.1 if look.planes[12, THEIRS] else 0.5,
                    0,
                    0,
                    one.owner,
                )
                for one, look in zip(found, looks, strict=True)
            ]

    board = Board(Torus(5))
    search = PuctSearch(board, 0.0, Partial())
    gumbel = GumbelRoot(search.root, 60, 26, None)
    for place in gumbel.places():
        search.step(place)
    best = gumbel.best()
    assert search.root.moves[best] == 12
    assert gumbel.policy().argmax() == best
    assert gumbel.policy()[best] > search.root.policy[best]


def test_planes_hold_only_zeros_and_ones():
    board = Board(Torus(6))
    for point in (0, 1, 7, 2, 8, 13):
        board.play(point)
    look = Even().look(board, 4.0, [2, 8, 13], 0)
    assert set(np.unique(look.planes)) <= {0.0, 1.0}, "they are kept as bits"
    assert np.array_equal(look.planes[:, MINE], bits(board.stones(board.to_move), 36))
