"""The search: legal moves, the tree kept between moves, limits, and reproducibility with a seed."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from daoqi_tui.ai import Position, Think
from daoqi_tui.ai.evaluators import BATCH
from daoqi_tui.ai.player import SearchPlayer
from daoqi_tui.ai.search import HISTORY, puct
from daoqi_tui.ai.search.node import PuctNode
from daoqi_tui.ai.search.puct import Limits, PuctSearch
from daoqi_tui.engine import BLACK, DAOQI, PASS, WHITE, Board, Game, Rules, area, torus_of
from tests.ai.networks import shipped
from tests.engine.pictures import board_state, game_of, points_of
from tests.shared_data import data_json


def search_at(game: Game, visits: int = 0) -> PuctSearch:
    position = Position.of(game)
    recent, passes = position.recent(HISTORY), position.passes_in_row
    search = PuctSearch(position.board(), game.komi, shipped(), recent=recent, passes_in_row=passes)
    search.run(Limits(visits=visits))
    return search


def nodes_below(node: PuctNode, path: tuple[int, ...] = ()) -> list[tuple[tuple[int, ...], PuctNode]]:
    found = [(path, node)]
    for place, child in node.children.items():
        found += nodes_below(child, (*path, int(node.moves[place])))
    return found


def random_game(size: int, moves: int, seed: int, rules: Rules = DAOQI) -> Game:
    rng, game = random.Random(seed), Game(size, rules=rules)
    for _ in range(moves):
        legal = game.legal_points()
        if not legal or (rng.random() < 0.05 and game.node.passes_in_row == 0):
            game.pass_turn()
        else:
            game.play(rng.choice(legal))
        if game.is_over:
            break
    return game


@pytest.mark.parametrize("cost", [1, 0, 3])
@pytest.mark.parametrize("seed", range(6))
def test_every_move_in_the_tree_is_legal_and_endings_are_counted(seed: int, cost: int) -> None:
    game = random_game(4, 60, seed, Rules(pass_cost=cost))
    if game.is_over:
        game.resume()
    search = search_at(game, 600)
    opened = nodes_below(search.root)
    assert len(opened) > 20
    for path, node in opened:
        board = Position.of(game).board()
        for move in path:
            board.pass_turn() if move == PASS else board.play(move)
        assert node.to_move == board.to_move
        if node.terminal is not None:
            assert path[-1] == PASS
            assert node.terminal.margin == area(board, game.komi).margin
            continue
        legal = set(board.torus.points_in(board.legal_mask()))
        moves = [int(move) for move in node.moves]
        assert moves[-1] == PASS
        assert set(moves[:-1]) <= legal
        # Only single-stone suicides are left out, and one of them is kept.
        left_out = legal - set(moves)
        for point in left_out:
            board.play(point)
            assert board.colours[point] == 0
            key = board.key
            board.undo()
            kept = set()
            for move in moves[:-1]:
                board.play(move)
                kept.add(board.key)
                board.undo()
            assert key in kept


@pytest.mark.parametrize("level", [1, 4])
def test_no_move_repeats_a_state(level: int) -> None:
    # On a tiny board nearly every game runs into superko; the game raises an error on illegal moves.
    search_player = SearchPlayer()
    refused = 0
    for seed in range(4):
        game = random_game(3, 40, seed)
        while not game.is_over and game.node.number < 150:
            refused += game.board.empty.bit_count() - len(game.legal_points())
            move = search_player.think(Think(Position.of(game), level, seconds=60.0, seed=seed)).move
            game.pass_turn() if move == PASS else game.play(move)
    assert refused > 0, "no game came near a repetition, so nothing was tested"


def test_superko_examples_are_known_to_the_root() -> None:
    for example in data_json("superko.json")["examples"]:
        size = example["size"]
        game = Game(size)
        setup = {
            side: [row * size + column for column, row in example["setup"][side]] for side in example.get("setup", {})
        }
        if setup:
            game.setup(black=setup["black"], white=setup["white"])
        for move, accepted in zip(example["moves"], example["accepted"], strict=True):
            if game.is_over:
                game.resume()
            if move == "pass":
                game.pass_turn()
                continue
            point = move[1] * size + move[0]
            if not accepted:
                assert search_at(game).root.index_of(point) is None
                continue
            game.play(point)


def test_of_all_lone_suicides_one_is_kept() -> None:
    picture = """
        . . . O . . .
        . O O a O . .
        . . . O . . .
        . . . . . . .
        . . O . . X .
        . O b O X . X
        . . O . . X .
    """
    game = game_of(picture.replace("a", ".").replace("b", "."))
    moves = [int(move) for move in search_at(game).root.moves]
    assert len({*points_of(picture, "a"), *points_of(picture, "b")} & set(moves)) == 1


@pytest.mark.parametrize("to_move", [BLACK, WHITE])
def test_it_captures_the_stones_that_would_capture(to_move: int) -> None:
    picture = """
        . . . . . . .
        . . . . . . .
        . . O O . . .
        . O X X . . .
        . X O O a . .
        . . X X . . .
        . . . . . . .
    """
    if to_move == WHITE:
        picture = picture.translate(str.maketrans("XO", "OX"))
    game = game_of(picture.replace("a", "."), to_move)
    search_player = SearchPlayer()
    assert search_player.think(Think(Position.of(game), 5, seed=1)).move == points_of(picture, "a")[0]


def test_it_saves_what_is_in_atari() -> None:
    picture = """
        . . . . . . .
        . . O O . . .
        . O X X a . .
        . O X X O . .
        . . O O . . .
        . . . . . . .
        . . . . . . .
    """
    game = game_of(picture.replace("a", "."), BLACK)
    assert SearchPlayer().think(Think(Position.of(game), 8, seed=1)).move == points_of(picture, "a")[0]


def test_the_same_seed_gives_the_same_answer() -> None:
    game = random_game(7, 12, 5)
    requests = [Think(Position.of(game), 2, seconds=60.0, seed=seed) for seed in range(12)]
    first, second = ([SearchPlayer().think(request).move for request in requests] for _ in range(2))
    assert first == second
    assert len(set(first)) > 1


def test_the_tree_is_kept_from_move_to_move() -> None:
    game = random_game(7, 10, 3)
    search = search_at(game, 400)
    best = search.candidates(1)[0]
    expected = search.root.children[search.root.best()[0]]
    search.advance(best.move)
    assert search.root is expected
    assert search.visits > best.visits // 2
    search_player = SearchPlayer()
    first = search_player.think(Think(Position.of(game), 8, seconds=60.0))
    tree = search_player._trees._trees[-1]
    root = tree.search.root
    index = root.index_of(first.lines[0].line[0])
    assert index is not None
    below = root.children[index]
    game.play(first.lines[0].line[0])
    search_player.think(Think(Position.of(game), 8, seconds=60.0))
    tree = search_player._trees._trees[-1]
    assert tree.search.root is below
    # While a game is played, nobody goes back in it, so earlier trees are not kept.
    assert len(search_player._trees._trees) == 1


def test_the_board_is_left_as_it_was() -> None:
    game = random_game(5, 20, 2)
    search = search_at(game)
    before = board_state(search.board)
    search.run(Limits(visits=200))
    assert board_state(search.board) == before


def test_it_stops_when_told_and_tells_progress() -> None:
    search = search_at(random_game(5, 6, 1))
    told: list[int] = []
    search.run(Limits(), lambda: search.visits >= 120, lambda: told.append(search.visits), pace=0.0)
    assert 120 <= search.visits < 120 + BATCH
    assert told == sorted(told)
    assert len(told) > 10


def test_superko_is_kept_with_moves_the_tree_never_saw() -> None:
    board = Board(torus_of(5))
    search = PuctSearch(board, 4, shipped())
    for move in (0, 1, PASS, 2):
        search.advance(move)
    assert search.visits == 0
    assert 0 not in search.root.moves
    assert search.root.to_move == BLACK


def test_limits_of_time_end_the_thinking() -> None:
    search = search_at(random_game(5, 4, 1))
    search.run(Limits(seconds=0.0))
    assert search.visits == 0


@pytest.mark.parametrize("limit", [None, 10**9])
def test_no_search_makes_more_visits_than_it_can_count(monkeypatch: pytest.MonkeyPatch, limit: int | None) -> None:
    assert np.float32(puct.MOST_VISITS + 1000) == np.float32(puct.MOST_VISITS + 999) + 1
    monkeypatch.setattr(puct, "MOST_VISITS", 70)
    search, polls = search_at(random_game(5, 4, 1)), itertools.count()
    search.run(Limits(limit), lambda: next(polls) > 200)
    assert search.visits == 70
