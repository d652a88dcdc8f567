"""The playout kernel against the rules engine, move by move, in both forms."""

from __future__ import annotations

import random
import statistics
from typing import Any

import pytest

from daoqi_tui.ai.playout import features
from daoqi_tui.ai.playout.backend import Backend, Tables, compiled, copy, interpreted
from daoqi_tui.ai.playout.kernel import COUNT, EMPTY_SIDE, I_FREE, I_KO, NOWHERE, UNIT, WHITES, State, atari
from daoqi_tui.ai.playout.policy import PATTERNS, PLAIN, TACTICS
from daoqi_tui.engine import Board, IllegalMove, Torus, area, torus_of
from tests.ai.other_boards import Bordered
from tests.engine.pictures import colours_of, drawn, points_of
from tests.shared_data import data_json

STYLES = [PLAIN, TACTICS, TACTICS | PATTERNS]


def laid_out(backend: Backend, board: Board) -> tuple[Tables, State]:
    """Return the kernel's tables, and its state for the position on a board."""
    tables = Tables.of(board.torus, backend)
    state = backend.empty_state(board.torus.points)
    backend.load(tables.points, tables.near, state, backend.sequence(board.colours))
    return tables, state


def assert_same(near: Any, state: State, board: Board) -> None:
    """Assert that colours, chains, their sizes and liberties, and the list of empty points agree."""
    lists: Any = tuple([int(number) for number in part] for part in state)
    colour, head, after, size, pseudo_liberties, nearby, free, place, info = lists
    points = board.torus.points
    assert colour[:points] == list(board.colours)
    empty = free[: info[I_FREE]]
    assert sorted(empty) == list(board.torus.points_in(board.empty))
    assert all(free[place[point]] == point for point in empty)
    seen: set[int] = set()
    for point in range(points):
        around = [colour[other] for other in board.torus.neighbours[point]]
        counts = nearby[point] & COUNT, nearby[point] >> WHITES & COUNT, nearby[point] // EMPTY_SIDE
        assert counts == (around.count(1), around.count(2), around.count(0))
        if point in seen or (chain := board.chain_at(point)) is None:
            continue
        seen.update(chain.stones)
        assert {head[stone] for stone in chain.stones} == {head[point]}
        assert size[head[point]] == len(chain.stones)
        circle, stone = [point], after[point]
        while stone != point:
            circle.append(stone)
            stone = after[stone]
        assert sorted(circle) == list(chain.stones)
        pairs = [nearby for stone in circle for nearby in board.torus.neighbours[stone] if not colour[nearby]]
        assert pseudo_liberties[head[point]] == UNIT * len(pairs) + sum(pairs)
        assert atari(near, lists, head[point]) == (chain.liberties[0] if len(chain.liberties) == 1 else NOWHERE)


@pytest.mark.parametrize("torus", [*map(torus_of, (2, 3, 4, 5, 9, 16, 25)), Bordered(5), Bordered(9)], ids=str)
def test_every_legal_move_does_the_same_as_on_the_board(backend: Backend, torus: Torus) -> None:
    rng = random.Random(torus.points)
    near = Tables.of(torus, interpreted()).near
    for _ in range(2):
        board = Board(torus)
        tables, state = laid_out(backend, board)
        for number in range(min(600, 5 * torus.points)):
            legal = torus.points_in(board.legal_mask())
            if not legal or rng.random() < 0.02:
                board.pass_turn()
                continue
            point, mine = rng.choice(legal), board.to_move
            before = board.captured[mine] - board.suicided[mine]
            board.play(point)
            assert backend.play(tables.near, state, point, mine) == board.captured[mine] - board.suicided[mine] - before
            if torus.points < 30 or number % 20 == 0:
                assert_same(near, state, board)


def test_recorded_games_end_on_the_recorded_boards(backend: Backend) -> None:
    for record in data_json("torus_games.json")["games"]:
        size = record["size"]
        board = Board(torus_of(size))
        tables, state = laid_out(backend, board)
        mine = 1
        for move, accepted in zip(record["moves"], record["accepted"], strict=True):
            if accepted == "1":
                if move != "pass":
                    backend.play(tables.near, state, move[1] * size + move[0], mine)
                mine = 3 - mine
        assert [int(colour) for colour in state[0][: size * size]] == colours_of("\n".join(record["board"]))


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("size", [2, 3, 5, 9, 16])
def test_playouts_are_games_of_the_rules_but_for_long_cycles(backend: Backend, size: int, style: int) -> None:
    torus = torus_of(size)
    rng = random.Random(1)
    for seed in range(4):
        board = Board(torus)
        for _ in range(rng.randrange(torus.points)):
            if legal := torus.points_in(board.legal_mask()):
                board.play(rng.choice(legal))
        tables, state = laid_out(backend, board)
        moves = backend.sequence([0] * (3 * torus.points))
        board.setup(list(board.colours), board.to_move)
        first = board.to_move
        count = backend.playout(tables.near, tables.diagonal, tables.pattern, state, moves, first, style, seed)
        for move in moves[:count]:
            if move < 0:
                board.pass_turn()
                continue
            assert board.colours[move] == 0
            try:
                board.play(int(move))
            except IllegalMove:
                # A cycle of more than two moves, which playouts do not detect: continue on a board without history.
                fresh = Board(torus)
                fresh.setup(list(board.colours), board.to_move)
                assert fresh.refusal(int(move)) is None
                fresh.play(int(move))
                board = fresh
        assert [int(colour) for colour in state[0][: torus.points]] == list(board.colours)
        owner = backend.sequence([0] * torus.points)
        margin = backend.score_area(torus.points, tables.near, state, owner)
        if count < len(moves):
            assert not board.legal_mask() or moves[count - 1] == moves[count - 2] == -1
        exact = area(board, 0)
        lone = all(not torus.around[point] & board.empty for point in torus.points_in(board.empty))
        if lone:
            assert margin == exact.margin - board.passes[2] + board.passes[1]
            assert bytes(int(colour) for colour in owner) == exact.owners


@pytest.mark.parametrize("torus", [torus_of(5), torus_of(9), Bordered(5)], ids=str)
def test_features_are_those_that_the_board_shows(backend: Backend, torus: Torus) -> None:
    rng = random.Random(7)
    seen: dict[str, int] = {}
    for _ in range(12):
        board = Board(torus)
        for _ in range(rng.randrange(torus.points // 3, 2 * torus.points)):
            if legal := torus.points_in(board.legal_mask()):
                board.play(rng.choice(legal))
        tables, state = laid_out(backend, board)
        marks, amount, shapes = (backend.sequence([0] * torus.points) for _ in range(3))
        mine = board.to_move
        backend.move_features(tables.points, tables.near, tables.diagonal, state, mine, marks, amount, shapes)
        for point in torus.points_in(board.empty):
            around = [chain for nearby in torus.neighbours[point] if (chain := board.chain_at(nearby)) is not None]
            friends = [chain for chain in around if chain.colour == mine]
            enemies = [chain for chain in around if chain.colour != mine]
            taken = any(len(chain.liberties) == 1 for chain in enemies)
            liberties = {nearby for nearby in torus.neighbours[point] if not board.colours[nearby]}
            liberties.update(*(chain.liberties for chain in friends))
            expected = {
                "capture": (features.F_CAPTURE, taken),
                "atari": (features.F_ATARI, any(len(chain.liberties) == 2 for chain in enemies)),
                "two": (features.F_TWO, any(len(chain.liberties) == 2 for chain in friends)),
                "lone suicide": (features.F_SUICIDE, not taken and not friends and not liberties),
            }
            if not taken:
                expected["cramped"] = features.F_CRAMPED, len(liberties - {point}) < 2
            for name, (mark, is_so) in expected.items():
                assert bool(marks[point] & mark) == is_so, (name, str(board), torus.name(point))
                seen[name] = seen.get(name, 0) + is_so
    assert min(seen.values()) > 0, f"nothing was seen of some features: {seen}"


def reference_playout(torus: Torus, rng: random.Random) -> int:
    """Return the length of a plain playout by the rules engine: no own eyes, no single-stone suicide, simple ko."""
    board = Board(torus)
    passes = 0
    for count in range(3 * torus.points):
        mine = board.stones(board.to_move)
        points = list(torus.points_in(board.empty))
        rng.shuffle(points)
        for point in points:
            around = torus.around[point]
            if not around & ~mine:
                other = board.stones(3 - board.to_move)
                if sum(other >> diagonal & 1 for diagonal in torus.diagonals[point]) < 2:
                    continue
            size = board.empty.bit_count()
            key = board.key
            try:
                board.play(point)
            except IllegalMove:
                continue
            if board.empty.bit_count() == size and board.key ^ key == 1 << (2 * torus.points):
                board.undo()
                continue
            break
        else:
            board.pass_turn()
            passes += 1
            if passes == 2:
                return count + 1
            continue
        passes = 0
    return 3 * torus.points


def test_game_lengths_are_those_of_the_rules_core(backend: Backend) -> None:
    torus = torus_of(6)
    rng = random.Random(3)
    expected = [reference_playout(torus, rng) for _ in range(150)]
    tables, root = laid_out(backend, Board(torus))
    work = backend.empty_state(torus.points)
    moves = backend.sequence([0] * (3 * torus.points))
    found = []
    for _ in range(1500):
        copy(root, work)
        seed = rng.getrandbits(32)
        found.append(backend.playout(tables.near, tables.diagonal, tables.pattern, work, moves, 1, PLAIN, seed))
    error = (statistics.variance(expected) / len(expected) + statistics.variance(found) / len(found)) ** 0.5
    assert abs(statistics.mean(expected) - statistics.mean(found)) < 4 * error
    assert 0.8 < statistics.stdev(expected) / statistics.stdev(found) < 1.25


@pytest.mark.parametrize("style", STYLES)
def test_both_forms_play_the_same_games(style: int) -> None:
    pytest.importorskip("numba", reason="numba is not installed, so there is no compiled kernel to compare")
    torus = torus_of(9)
    results: list[Any] = []
    for backend in (interpreted(), compiled()):
        tables, root = laid_out(backend, Board(torus))
        work = backend.empty_state(torus.points)
        moves, owner = (backend.sequence([0] * length) for length in (3 * torus.points, torus.points))
        first = backend.sequence([0] * (torus.points + 1))
        path = backend.sequence([40, 41, -1, 40])
        games = []
        for seed in range(0, 1 << 32, 1 << 27):
            copy(root, work)
            common = (torus.points, tables.near, tables.diagonal, tables.pattern)
            margin = backend.simulate(*common, work, path, 3, 1, style, seed, moves, owner, first)
            games.append((int(margin), [int(move) for move in moves], [int(colour) for colour in first]))
        results.append(games)
    assert results[0] == results[1]


def test_a_ko_is_not_retaken_at_once(backend: Backend) -> None:
    picture = """
        . . . . . . .
        . . X O . . .
        . X O . O . .
        . . X O . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
    """
    board = Board(torus_of(7))
    board.setup(colours_of(picture), 1)
    tables, state = laid_out(backend, board)
    assert backend.play(tables.near, state, 2 * 7 + 3, 1) == 1
    assert state[8][I_KO] == 2 * 7 + 2


def test_suicides_of_one_and_of_many_stones(backend: Backend) -> None:
    picture = """
        . . . . . . .
        . . O O O . .
        . O X a X O .
        . . O O O . .
        . . . . . O .
        . . . . O b O
        . . . . . O .
    """
    board = Board(torus_of(7))
    board.setup(colours_of(picture.replace("a", ".").replace("b", ".")), 1)
    tables, state = laid_out(backend, board)
    assert backend.play(tables.near, state, points_of(picture, "a")[0], 1) == -3
    assert backend.play(tables.near, state, points_of(picture, "b")[0], 1) == -1
    signs = "".join(".XO"[colour] for colour in state[0][:49])
    after = picture.replace("X", ".").replace("a", ".").replace("b", ".")
    assert "\n".join(signs[start : start + 7] for start in range(0, 49, 7)) == drawn(after)
