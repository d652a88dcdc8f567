"""The search: legal moves, the tree kept between moves, limits, and reproducibility with a seed."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence

import numpy as np
import pytest

from daoqi_tui.ai.player import SearchPlayer
from daoqi_tui.ai.playout.backend import Backend, compiled, interpreted
from daoqi_tui.ai.playout.evaluator import PlayoutEvaluator
from daoqi_tui.ai.protocol import Position, Think
from daoqi_tui.ai.search import mcts
from daoqi_tui.ai.search.evaluator import PATH_A_POINT, Outcome, Prior
from daoqi_tui.ai.search.mcts import Limits, RaveParameters, SearchNode
from daoqi_tui.ai.search.rave import RaveSearch
from daoqi_tui.engine import BLACK, PASS, WHITE, Board, Game, Rules, area, torus_of
from tests.engine.pictures import board_state, game_of, points_of
from tests.shared_data import data_json


def search_at(game: Game, playouts: int = 0, parameters: RaveParameters | None = None, seed: int = 1) -> RaveSearch:
    position = Position.of(game)
    evaluator = PlayoutEvaluator(seed=seed)
    evaluator.expansion_visits = 2
    last, passes = position.last, position.passes_in_row
    search = RaveSearch(position.board(), game.komi, evaluator, parameters, last=last, passes_in_row=passes)
    search.run(Limits(playouts=playouts))
    return search


def nodes_below(node: SearchNode, path: tuple[int, ...] = ()) -> list[tuple[tuple[int, ...], SearchNode]]:
    found = [(path, node)]
    for place, child in node.children.items():
        found += nodes_below(child, (*path, int(node.moves[place])))
    return found


def random_game(size: int, moves: int, seed: int) -> Game:
    rng, game = random.Random(seed), Game(size)
    for _ in range(moves):
        legal = game.legal_points()
        if not legal or (rng.random() < 0.05 and game.node.passes_in_row == 0):
            game.pass_turn()
        else:
            game.play(rng.choice(legal))
        if game.is_over:
            break
    return game


@pytest.mark.parametrize("seed", range(6))
def test_every_move_in_the_tree_is_legal_and_endings_are_counted(seed: int) -> None:
    game = random_game(4, 60, seed)
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
    search_player = SearchPlayer(interpreted)
    refused = 0
    for seed in range(4):
        game = random_game(3, 40, seed)
        while not game.is_over and game.node.number < 150:
            refused += game.board.empty.bit_count() - len(game.legal_points())
            move = search_player.think(Think(1, Position.of(game), level, seconds=60.0)).move
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
def test_it_captures_the_stones_that_would_capture(to_move: int, backend: Backend) -> None:
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
    search_player = SearchPlayer(lambda: backend)
    assert search_player.think(Think(1, Position.of(game), 5, seed=1)).move == points_of(picture, "a")[0]


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
    assert search_at(game, 300).candidates(1)[0].move == points_of(picture, "a")[0]


def test_the_same_seed_gives_the_same_thoughts_in_both_forms(backend: Backend) -> None:
    game = random_game(7, 12, 5)
    request = Think(1, Position.of(game), 5, seconds=60.0, seed=42)
    first, second = (SearchPlayer(lambda: backend).think(request) for _ in range(2))
    assert (first.move, first.lines, first.margin) == (second.move, second.lines, second.margin)
    reference = SearchPlayer(interpreted).think(request)
    assert (first.move, first.lines) == (reference.move, reference.lines)
    other = SearchPlayer(lambda: backend).think(Think(1, Position.of(game), 5, seconds=60.0, seed=43))
    assert other.lines != first.lines


def test_the_tree_is_kept_from_move_to_move() -> None:
    game = random_game(7, 10, 3)
    search = search_at(game, 400)
    best = search.candidates(1)[0]
    expected = search.root.children[search.root.best()[0]]
    search.advance(best.move)
    assert search.root is expected
    assert search.playouts > best.visits // 2
    search_player = SearchPlayer(interpreted)
    first = search_player.think(Think(1, Position.of(game), 5, seconds=60.0))
    tree = search_player._trees._trees[-1]
    root = tree.search.root
    index = root.index_of(first.lines[0].line[0])
    assert index is not None
    below = root.children[index]
    game.play(first.lines[0].line[0])
    search_player.think(Think(2, Position.of(game), 5, seconds=60.0))
    tree = search_player._trees._trees[-1]
    assert tree.search.root is below
    # While a game is played, nobody goes back in it, so earlier trees are not kept.
    assert len(search_player._trees._trees) == 1


def test_the_board_is_left_as_it_was() -> None:
    game = random_game(5, 20, 2)
    search = search_at(game)
    before = board_state(search.board)
    search.run(Limits(playouts=200))
    assert board_state(search.board) == before


def test_it_stops_when_told_and_tells_progress() -> None:
    search = search_at(random_game(5, 6, 1))
    told: list[int] = []
    search.run(Limits(), lambda: search.playouts >= 120, lambda: told.append(search.playouts), pace=0.0)
    assert search.playouts == 120
    assert told == sorted(told)
    assert len(told) > 50


@pytest.mark.parametrize("asked", [1, 3])
def test_an_interpreted_playout_is_broken_off_and_not_counted(asked: int) -> None:
    game = random_game(19, 60, 1)
    search = search_at(game, 20)
    before = board_state(search.board), search.playouts, search.root.visits.sum(), search.margin
    questions: list[None] = []

    def stopped() -> bool:
        questions.append(None)
        return len(questions) >= asked

    search.evaluator.stopped = stopped
    search.step()
    assert len(questions) == asked, "the playout went on after it was told to stop, or never asked"
    assert (board_state(search.board), search.playouts, search.root.visits.sum(), search.margin) == before
    search.evaluator.stopped = lambda: False
    search.step()
    assert search.playouts == before[1] + 1


def test_plain_uct_needs_its_exploration() -> None:
    board = Position.of(random_game(5, 4, 1)).board()
    tried = []
    for exploration in (0.0, 0.6):
        evaluator = PlayoutEvaluator(seed=1, prior_weights=None)
        evaluator.expansion_visits = 2
        search = RaveSearch(board, 4, evaluator, RaveParameters(rave=0.0, exploration=exploration))
        search.run(Limits(playouts=400))
        tried.append((search.root.visits[:-1] > 0).mean())
    assert tried[1] > 0.9 > tried[0]


def test_superko_is_kept_with_moves_the_tree_never_saw() -> None:
    board = Board(torus_of(5))
    search = RaveSearch(board, 4, PlayoutEvaluator(seed=1))
    for move in (0, 1, PASS, 2):
        search.advance(move)
    assert search.playouts == 0
    assert 0 not in search.root.moves
    assert search.root.to_move == BLACK


def test_limits_of_time_end_the_thinking() -> None:
    search = search_at(random_game(5, 4, 1))
    search.run(Limits(seconds=0.0))
    assert search.playouts == 0


@pytest.mark.parametrize("limit", [None, 10**9])
def test_no_search_makes_more_visits_than_it_can_count(monkeypatch: pytest.MonkeyPatch, limit: int | None) -> None:
    assert np.float32(mcts.MOST_VISITS + 1000) == np.float32(mcts.MOST_VISITS + 999) + 1
    monkeypatch.setattr(mcts, "MOST_VISITS", 70)
    search, polls = search_at(random_game(5, 4, 1)), itertools.count()
    search.run(Limits(limit), lambda: next(polls) > 200)
    assert search.playouts == 70


def test_several_threads_count_every_playout_once() -> None:
    pytest.importorskip("numba", reason="numba is not installed, and interpreted playouts would only take turns")
    board = Board(torus_of(5))
    search = RaveSearch(board, 4, PlayoutEvaluator(seed=1, backend=compiled()))
    search.evaluator.expansion_visits = 2
    search.threads = 3
    search.run(Limits(playouts=700))
    assert search.playouts == search.root.visits.sum() == 700
    for index, child in search.root.children.items():
        assert child.total_visits == child.visits.sum() <= search.root.visits[index]
        assert (child.value_sum <= child.visits).all()
    assert abs(search.ownership()).max() <= 1
    assert board.move_number == 0
    search.advance(12)
    kept = search.playouts
    search.run(Limits(playouts=kept + 100))
    assert search.playouts == kept + 100


def test_interpreted_playouts_stay_in_one_thread() -> None:
    evaluator = PlayoutEvaluator(seed=1, backend=interpreted())
    evaluator.begin(Board(torus_of(5)), 4, PASS)
    assert not evaluator.twins(2)


def test_a_batch_of_playouts_is_what_each_is_alone() -> None:
    pytest.importorskip("numba", reason="numba is not installed, so there is no compiled kernel to compare")
    board = Board(torus_of(5))
    one, many = (PlayoutEvaluator(seed=7, backend=compiled()) for _ in range(2))
    paths = [[3], [3, 4, PASS], [12, 7]]
    for evaluator in (one, many):
        evaluator.begin(board, 4, PASS)
    found = many.evaluate_batch(paths, [0, -1, 0])
    for path, lead, outcome in zip(paths, [0, -1, 0], found, strict=True):
        alone = one.evaluate(path, lead)
        assert (outcome.black, outcome.margin) == (alone.black, alone.margin)
        assert (outcome.owner == alone.owner).all()
        assert outcome.first is not None
        assert (outcome.first == alone.first).all()


class Capturing(PlayoutEvaluator):
    """An evaluator with a strong prior for the first move, so that games go on for ever where the rules allow it."""

    longest = 0

    def prior(self, path: Sequence[int], moves: Sequence[int]) -> Prior:
        visits, value_sum = (np.full(len(moves), games, np.float32) for games in (1e6, 5e5))
        value_sum[0] = 1e6
        return Prior(visits, value_sum)

    def evaluate(self, path: Sequence[int], black_lead: int) -> Outcome:
        self.longest = max(self.longest, len(path))
        return super().evaluate(path, black_lead)


def test_no_path_is_longer_than_an_evaluator_has_room_for(backend: Backend) -> None:
    board, again = (Board(torus_of(2), Rules(superko="simple", suicide=False)) for _ in range(2))
    evaluator = Capturing(backend=backend)
    evaluator.expansion_visits = 1
    search = RaveSearch(board, 4, evaluator)
    search.run(Limits(playouts=150))
    assert search.playouts == 150
    assert evaluator.longest == PATH_A_POINT * board.torus.points
    # A forked search a few moves ahead makes the shared tree deeper.
    below = search.fork(again)
    for _ in range(4):
        below.advance(int(below.root.moves[0]))
    below.run(Limits(playouts=150))
    search.run(Limits(playouts=300))
    assert evaluator.longest == PATH_A_POINT * board.torus.points


class Listening(PlayoutEvaluator):
    """An evaluator that records its paths, and Black's lead from the passes in them."""

    def __init__(self) -> None:
        super().__init__(seed=1)
        self.heard: list[tuple[tuple[int, ...], int]] = []

    def evaluate(self, path: Sequence[int], black_lead: int) -> Outcome:
        self.heard.append((tuple(path), black_lead))
        return super().evaluate(path, black_lead)


@pytest.mark.parametrize("cost", [1, 0, 3])
@pytest.mark.parametrize("to_move", [BLACK, WHITE])
def test_passes_in_the_tree_cost_what_the_rules_say(cost: int, to_move: int) -> None:
    board, evaluator = Board(torus_of(3), Rules(pass_cost=cost)), Listening()
    if to_move == WHITE:
        board.play(0)
    search = RaveSearch(board, 0.5, evaluator)
    for first in (len(search.root.moves) - 1, 0):
        for _ in range(300):
            search.step(first)
    assert any(PASS in path for path, _ in evaluator.heard)
    for path, lead in evaluator.heard:
        by_first = path[::2].count(PASS) - path[1::2].count(PASS)
        assert lead == cost * (by_first if to_move == WHITE else -by_first)
