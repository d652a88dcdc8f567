"""The ladder reader compared with a brute-force solver on small boards full of captures and kos."""

import random

import pytest

from daoqi_tui.engine import BLACK, WHITE, Board, Colour, IllegalMove, opponent, torus_of
from daoqi_tui.reading.ladder import read_ladder
from tests.reading.exhaustive_ladder import Solver, State, TooLong

NAMES = {BLACK: "black", WHITE: "white"}


def state_of(key: int, size: int) -> State:
    points = size * size
    at = [divmod(point, size) for point in range(points)]
    black = frozenset(at[point] for point in range(points) if key >> point & 1)
    white = frozenset(at[point] for point in range(points) if key >> (point + points) & 1)
    return black, white, "white" if key >> (2 * points) & 1 else "black"


def exhaustive(board: Board, point: int, to_move: Colour, most: int) -> str | None:
    """Return the solver's result, or None if it exceeds the move budget."""
    size = board.torus.size
    faced = {state_of(key, size) for key in board.faced}
    state = state_of(board.key, size)
    if to_move != board.to_move:
        state = (state[0], state[1], NAMES[to_move])
        faced.add(state)
    attacker = opponent(board.colours[point])
    solver = Solver(size, divmod(point, size), NAMES[attacker], most)
    try:
        return "captured" if solver.captured(state, frozenset(faced)) else "escapes"
    except TooLong:
        return None


def short_chains(board: Board) -> list[int]:
    """Return one point of each chain with one or two liberties."""
    found: dict[tuple[int, ...], int] = {}
    for point in range(board.torus.points):
        chain = board.chain_at(point)
        if chain is not None and len(chain.liberties) <= 2:
            found.setdefault(chain.stones, point)
    return list(found.values())


def compare(board: Board, most: int) -> dict[str, int]:
    """Compare both on every chain with few liberties, for either side to move; return the number of each result."""
    answers: dict[str, int] = {}
    before = (board.key, dict(board.faced), list(board.colours))
    for point in short_chains(board):
        for to_move in (BLACK, WHITE):
            truth = exhaustive(board, point, to_move, most)
            if truth is None:
                continue
            ladder = read_ladder(board, point, to_move, nodes=200_000)
            assert ladder.result == truth, f"\n{board}\n{board.torus.name(point)}, {NAMES[to_move]} to move"
            check_line(board, point, to_move, ladder.line, truth)
            answers[truth] = answers.get(truth, 0) + 1
    assert (board.key, board.faced, board.colours) == before
    return answers


def check_line(board: Board, point: int, to_move: Colour, line: tuple[int, ...], result: str) -> None:
    """Check that the main line is legal and ends with the given result."""
    if board.to_move != to_move:
        board.pass_turn()
        check_line(board, point, to_move, line, result)
        board.undo()
        return
    target = board.colours[point]
    for move in line:
        board.pass_turn() if move < 0 else board.play(move)
    assert (board.colours[point] != target) == (result == "captured")
    for _ in line:
        board.undo()


@pytest.mark.parametrize(("size", "positions"), [(2, 40), (3, 300), (4, 300), (5, 150)])
def test_random_positions(size: int, positions: int):
    chance = random.Random(size)
    torus = torus_of(size)
    answers: dict[str, int] = {}
    for _ in range(positions):
        fill = chance.uniform(0.4, 0.9)
        colours = [chance.choice((BLACK, WHITE)) if chance.random() < fill else 0 for _ in range(torus.points)]
        board = Board(torus)
        try:
            board.setup(colours, chance.choice((BLACK, WHITE)))
        except ValueError:
            continue
        for answer, count in compare(board, most=20_000).items():
            answers[answer] = answers.get(answer, 0) + count
    assert min(answers.get("captured", 0), answers.get("escapes", 0)) > (0 if size == 2 else 30)


@pytest.mark.parametrize(("size", "games"), [(2, 60), (3, 40), (4, 15), (5, 6)])
def test_random_games_where_superko_remembers(size: int, games: int):
    chance = random.Random(100 + size)
    torus = torus_of(size)
    answers: dict[str, int] = {}
    for _ in range(games):
        board = Board(torus)
        for _ in range(3 * torus.points):
            moves = torus.points_in(board.legal_mask())
            try:
                board.play(chance.choice(moves)) if moves and chance.random() < 0.95 else board.pass_turn()
            except IllegalMove:
                raise AssertionError("a legal move was refused") from None
            if chance.random() < 0.3:
                for answer, count in compare(board, most=5_000).items():
                    answers[answer] = answers.get(answer, 0) + count
    assert min(answers.get("captured", 0), answers.get("escapes", 0)) > 20
