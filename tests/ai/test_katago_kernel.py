"""The kernel of input features, compiled and interpreted, against the engine's board; and move selection."""

from __future__ import annotations

import random
from types import SimpleNamespace

import numpy as np
import pytest

from daoqi_tui.ai.compiled import functions_of
from daoqi_tui.ai.network import board_kernel, features
from daoqi_tui.ai.network.features import Features
from daoqi_tui.ai.search import node
from daoqi_tui.ai.search.node import PuctNode, PuctParameters
from daoqi_tui.engine import BLACK, EMPTY, PASS, WHITE, Board, Rules, torus_of
from daoqi_tui.reading.ladder import LadderSearch
from daoqi_tui.reading.status import status
from tests.engine.every_rules import LEGALITIES


def made(form: str) -> SimpleNamespace:
    if form == "interpreted":
        return SimpleNamespace(**functions_of(features.MODULES))
    pytest.importorskip("numba", reason="numba is not installed, so there is no compiled kernel to test")
    features.KERNEL.compile()
    functions: SimpleNamespace = features.KERNEL.functions
    return functions


def random_games(seed: int, sizes: list[int], games: int) -> list[tuple[Board, list[int]]]:
    """Return random games in which half of the moves are next to the last one, which leads to fights and captures."""
    rng = random.Random(seed)
    found = []
    for _ in range(games):
        size = rng.choice(sizes)
        board, moves = Board(torus_of(size), rng.choice(LEGALITIES)), list[int]()
        for _ in range(rng.randrange(size, 2 * size * size)):
            legal = board.torus.points_in(board.legal_mask())
            beside = [point for point in board.torus.neighbours[moves[-1]] if point in legal] if moves else []
            some = beside if beside and moves[-1] != PASS and rng.random() < 0.5 else legal
            move = rng.choice(some) if some and rng.random() > 0.02 else PASS
            board.make(move)
            moves.append(move)
        found.append((board, moves))
    return found


@pytest.mark.parametrize("form", ["interpreted", "compiled"])
@pytest.mark.parametrize("model_format", [3, 5, 6, 8])
def test_the_kernel_finds_what_the_engines_board_shows(
    monkeypatch: pytest.MonkeyPatch, form: str, model_format: int
) -> None:
    functions = made(form)
    sizes, games = ([2, 3, 4, 5, 6, 7, 9], 6) if form == "interpreted" else ([3, 5, 7, 9, 11, 13], 40)
    plain, quick = Features(model_format), Features(model_format)
    for board, moves in random_games(model_format, sizes, games):
        state = board.key, board.move_number
        monkeypatch.setattr(features.KERNEL, "functions", None)
        expected = plain.encode(board, 4, moves[-5:], 0)
        monkeypatch.setattr(features.KERNEL, "functions", functions)
        inputs = quick.encode(board, 4, moves[-5:], 0)
        assert (board.key, board.move_number) == state
        for number in range(inputs.planes.shape[1]):
            assert np.array_equal(inputs.planes[:, number], expected.planes[:, number]), (str(board), number)
        assert np.array_equal(inputs.whole, expected.whole)


@pytest.mark.parametrize("model_format", [3, 5])
@pytest.mark.parametrize("suicide", [True, False])
def test_the_kernel_finds_the_same_certain_area_on_crowded_boards(
    monkeypatch: pytest.MonkeyPatch, suicide: bool, model_format: int
) -> None:
    """Random games seldom have chains that live for certain, with stones of the opponent inside."""
    functions = made("interpreted")
    plain, quick = Features(model_format, ladders=False), Features(model_format, ladders=False)
    first, lived = features.LAYOUTS[model_format].area, 0
    assert first is not None
    for seed in range(300):
        rng = random.Random(seed)
        size = rng.choice([4, 5, 6, 7])
        colours = bytes(rng.choices([EMPTY, BLACK, WHITE], [1, 7, 1], k=size * size))
        board = Board(torus_of(size), Rules(suicide=suicide))
        try:
            board.setup(colours, WHITE)
        except ValueError:  # A chain without a liberty.
            continue
        monkeypatch.setattr(features.KERNEL, "functions", None)
        expected = plain.encode(board, 4, [], 0).planes[:, first : first + 2]
        monkeypatch.setattr(features.KERNEL, "functions", functions)
        found = quick.encode(board, 4, [], 0).planes[:, first : first + 2]
        assert np.array_equal(found, expected), str(board)
        lived += bool(status(board, board.rules)[BLACK].alive)
    assert lived > 20


def test_the_numbers_of_floods_begin_again_before_they_no_longer_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    # Interpreted only: here an overflow is an error, while the compiled kernel would write outside its arrays.
    monkeypatch.setattr(features.KERNEL, "functions", made("interpreted"))
    kept = features.Readings(features.NODES)
    for board, _ in random_games(8, [5], 3):
        work = kept.of(board.torus)._work
        # Marks of flood 1 may still be there when its number is used again.
        work[1][:] = work[2][:] = 1
        work.info[board_kernel.I_FLOOD] = np.iinfo(np.int32).max - 1
        found, expected = features.LadderReader(kept).read(board), features.LadderReader().read(board)
        assert np.array_equal(expected.stones, found.stones), str(board)
        assert np.array_equal(expected.moves, found.moves), str(board)
        assert 0 < work.info[board_kernel.I_FLOOD] < board_kernel.MOST_FLOODS


@pytest.mark.parametrize("form", ["interpreted", "compiled"])
def test_what_the_history_decides_is_read_as_on_the_engines_board(monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    functions, asked, forbidden = made(form), list[int](), list[int]()
    with_history, add_elsewhere = features.Reading.read_with_history, LadderSearch._add_elsewhere
    monkeypatch.setattr(
        features.Reading,
        "read_with_history",
        lambda *given: asked.append(given[-1]) or with_history(*given),
    )
    monkeypatch.setattr(LadderSearch, "_add_elsewhere", lambda *given: forbidden.append(1) or add_elsewhere(*given))
    sizes, games = ([2, 3, 4, 5, 6, 7], 12) if form == "interpreted" else ([*range(2, 10), 13, 16, 19], 120)
    for board, _ in random_games(8, sizes, games):
        compiled_reader, plain_reader = features.LadderReader(), features.LadderReader()
        for _ in range(min(10, board.move_number)):
            monkeypatch.setattr(features.KERNEL, "functions", functions)
            found = compiled_reader.read(board)
            monkeypatch.setattr(features.KERNEL, "functions", None)
            expected = plain_reader.read(board)
            assert np.array_equal(expected.stones, found.stones), str(board)
            assert np.array_equal(expected.moves, found.moves), str(board)
            board.undo()
    # Some ladders depended on the history, and in some the defender's moves elsewhere were tried.
    assert asked
    assert forbidden


def test_the_history_is_that_of_the_board_wherever_a_search_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The states loaded for one position are reused for the next, of the same game or another."""
    functions, rng, readings = made("compiled"), random.Random(9), features.Readings(features.NODES)
    found = list[bool]()
    for board, _ in random_games(9, [*range(2, 10), 13], 30):
        for _ in range(20):
            for _ in range(min(rng.randrange(5), board.move_number)):
                board.undo()
            for _ in range(rng.randrange(5)):
                legal = board.torus.points_in(board.legal_mask())
                board.make(rng.choice(legal) if legal and rng.random() > 0.02 else PASS)
            monkeypatch.setattr(features.KERNEL, "functions", functions)
            ladders = features.LadderReader(readings).read(board)
            monkeypatch.setattr(features.KERNEL, "functions", None)
            expected = features.LadderReader().read(board)
            assert np.array_equal(expected.stones, ladders.stones), str(board)
            assert np.array_equal(expected.moves, ladders.moves), str(board)
            found.append(bool(ladders.stones.any()))
    assert any(found)


@pytest.mark.parametrize("form", ["engine", "compiled"])
def test_ladders_that_the_history_decides_are_kept_for_that_history_alone(
    monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    monkeypatch.setattr(features.KERNEL, "functions", made(form) if form == "compiled" else None)
    decided = 0
    for board, _ in random_games(5, [4, 5, 6], 400 if form == "compiled" else 80):
        without = Board(board.torus, board.rules)
        without.lay_out(board.stones(BLACK), board.stones(WHITE), 0, board.to_move)
        kept, reader = features.LadderReader(), features.LadderReader
        kept.read(without)
        expected = reader().read(board)
        decided += not np.array_equal(reader().read(without).stones, expected.stones)
        board.pass_turn()
        before = kept.before(board, 1)
        assert before is None or np.array_equal(before.stones, expected.stones), str(board)
        board.undo()
        assert np.array_equal(kept.read(board).stones, expected.stones), str(board)
        board.pass_turn()
        assert kept.before(board, 1) is kept.before(board, 1) is not None
    assert decided


def test_a_ladder_with_too_little_room_is_read_on_the_engines_board(monkeypatch: pytest.MonkeyPatch) -> None:
    functions, asked = made("interpreted"), list[int]()
    read_chain = features._read_chain
    monkeypatch.setattr(
        features, "_read_chain", lambda board, head, turn: asked.append(head) or read_chain(board, head, turn)
    )
    monkeypatch.setattr(functions, "read_chains", lambda *given: given[-1])
    for board, _ in random_games(8, [5, 7], 12):
        monkeypatch.setattr(features.KERNEL, "functions", functions)
        found = features.LadderReader().read(board)
        doubtful = len(asked)
        monkeypatch.setattr(features.KERNEL, "functions", None)
        assert np.array_equal(features.LadderReader().read(board).stones, found.stones), str(board)
        del asked[doubtful:]
    assert asked


def test_the_compiled_choice_is_that_of_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba", reason="numba is not installed, so there is no compiled kernel to test")
    node.KERNEL.compile()
    compiled_choice = node.KERNEL.functions
    rng = np.random.default_rng(5)
    parameters = PuctParameters()
    chosen = set()
    for _ in range(50):
        policy = rng.dirichlet(np.full(80, 0.3)).astype(np.float32)
        found = PuctNode(BLACK, range(80), policy, 0.5)
        for _ in range(60):
            monkeypatch.setattr(node.KERNEL, "functions", None)
            index = found.select_puct(parameters)
            monkeypatch.setattr(node.KERNEL, "functions", compiled_choice)
            assert found.select_puct(parameters) == index
            chosen.add(index)
            found.visit(index)
            if rng.random() < 0.9:
                found.add_value(index, float(rng.random()), 0.0)
    assert len(chosen) > 40
