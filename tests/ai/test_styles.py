"""Styles: what they give up is bounded, they look alike all over the torus, and each prefers its kind of move."""

from __future__ import annotations

import numpy as np
import pytest

from daoqi_tui.ai import Candidate, Position, Think
from daoqi_tui.ai.player import SearchPlayer
from daoqi_tui.ai.styles import AHEAD, LEANING, LEAST_VISITS, POINTS_COST, WIN_COST, choose, leaning
from daoqi_tui.engine import BLACK, PASS, Board, torus_of
from daoqi_tui.typed import STYLES
from tests.ai.test_search import random_game
from tests.engine.pictures import game_of, points_of

every_style = pytest.mark.parametrize("style", STYLES)


def about_as_good(moves: tuple[int, ...], win: float = 0.7) -> tuple[Candidate, ...]:
    """Return candidates of which only the order says which is better."""
    return tuple(Candidate(move, 10, win, (move,)) for move in moves)


@every_style
@pytest.mark.parametrize("seed", range(8))
def test_no_style_gives_up_more_than_it_may(style: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    board = random_game(9, 20 + seed, seed).board
    owned = random.uniform(-1, 1, board.torus.points)
    moves = [*random.permutation(board.torus.points_in(board.legal_mask()))[:12], PASS]
    found = [
        Candidate(
            int(move),
            int(random.integers(0, 40)),
            float(random.uniform(0.6, 0.7)),
            (int(move),),
            float(random.normal(0, 1)),
        )
        for move in moves
    ]
    best = found[0]
    chosen = choose(style, board, found, owned)
    sign = 1 if board.to_move == BLACK else -1
    assert chosen in found
    assert chosen is best or chosen.move != PASS
    assert chosen.win >= best.win - WIN_COST
    assert sign * (chosen.margin - best.margin) >= -POINTS_COST
    assert chosen.visits >= LEAST_VISITS * best.visits
    assert choose("", board, found, owned) is best
    leans = leaning(style, board, [int(move) for move in moves[:-1]], best.win, owned)
    assert leans.min() == pytest.approx(1)
    assert leans.max() <= LEANING * 1.0001


@every_style
@pytest.mark.parametrize("seed", range(3))
def test_a_search_plays_one_of_its_own_good_moves(style: str, seed: int) -> None:
    position = Position.of(random_game(9, 16, seed))
    plain, styled = (
        SearchPlayer().think(Think(position, 8, visits=60, seed=1, shown=82, style=each)) for each in ("", style)
    )
    assert styled.lines == plain.lines, "the search is the same"
    (chosen,) = (line for line in styled.lines if line.move == styled.move)
    assert styled.win == chosen.win >= plain.win - WIN_COST
    sign = 1 if position.board().to_move == BLACK else -1
    assert sign * (chosen.margin - plain.lines[0].margin) >= -POINTS_COST


@every_style
def test_where_all_moves_fit_alike_the_best_is_played(style: str) -> None:
    board = Board(torus_of(9))
    found = about_as_good((30, 3, 77, 40))
    owned = np.zeros(board.torus.points)
    assert choose(style, board, found, owned) is found[0]
    assert leaning(style, board, [30, 3, 77], 0.7, owned).tolist() == [1, 1, 1]


POSITION = """
    . . . . . . . . .
    . a . . . . . . .
    . . . . . . . . .
    . . b X . . . . .
    . . . . O c . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . d .
    . . . . . . . . .
"""


@pytest.mark.parametrize(
    ("style", "win", "expected"),
    [
        ("fighting", 0.5, "c"),
        ("territory", 0.5, "a"),
        ("influence", 0.5, "d"),
        ("simple", AHEAD - 0.01, "c"),
        ("simple", AHEAD, "d"),
    ],
)
def test_each_style_prefers_its_kind_of_move(style: str, win: float, expected: str) -> None:
    board = game_of(POSITION).board
    named = {sign: points_of(POSITION, sign)[0] for sign in "abcdXO"}
    owned = np.zeros(81)
    # Black leans to what is around a.
    owned[list(board.torus.points_in(board.torus.dilate(1 << named["a"])))] = 0.5
    owned[named["X"]], owned[named["O"]] = 0.9, -0.9
    found = about_as_good(tuple(named[name] for name in ("cd" if style == "simple" else "bdac")), win)
    assert choose(style, board, found, owned).move == named[expected]


@every_style
def test_the_place_on_the_torus_does_not_matter(style: str) -> None:
    game = random_game(9, 30, 4)
    torus = game.torus
    owned = np.random.default_rng(1).uniform(-1, 1, torus.points)
    moved = [torus.point((row + 5) % 9, (column + 7) % 9) for row in range(9) for column in range(9)]
    other = Board(torus)
    colours = game.board.colours
    masks = [torus.mask([moved[point] for point in range(81) if colours[point] == colour]) for colour in (1, 2, 0)]
    other.lay_out(*masks, game.board.to_move)
    there = np.empty(81)
    there[moved] = owned
    legal = list(torus.points_in(game.board.legal_mask()))
    here = leaning(style, game.board, legal, 0.7, owned)
    assert leaning(style, other, [moved[point] for point in legal], 0.7, there) == pytest.approx(here)
