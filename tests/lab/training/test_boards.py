"""Boards in tensors agree with the engine's boards in all respects, whatever is played."""

from __future__ import annotations

import numpy as np
import pytest

from daoqi_tui.engine import BLACK, EMPTY, PASS, WHITE, Board, Torus, area
from tests.engine.pictures import colours_of
from tests.shared_data import data_json

torch = pytest.importorskip("torch", reason="torch is not installed, so nothing can be trained")
from daoqi_tui.ai.search import sensible_plays  # noqa: E402
from daoqi_tui.lab.training.areas import areas_of  # noqa: E402
from daoqi_tui.lab.training.boards import Boards  # noqa: E402
from daoqi_tui.lab.training.grid import TorusGrid, distinct, grid_of  # noqa: E402
from daoqi_tui.reading.status import area_points  # noqa: E402

CPU = torch.device("cpu")
torch.set_num_threads(1)


def play_all(boards: Boards, moves: list[int]) -> None:
    """Play one move in each game; it may be PASS."""
    boards.play(torch.tensor([boards.grid.points if move == PASS else move for move in moves]))


def points(mask: torch.Tensor) -> tuple[int, ...]:
    return tuple(mask.nonzero()[:, 0].tolist())


def assert_alike(boards: Boards, engines: list[Board]) -> None:
    """Assert that stones, chains, liberties, legal plays, passes and area equal the engine's."""
    states, liberties, found = boards.states, boards.chains.liberties, boards.legal()
    areas = areas_of(boards.grid, states)
    for place, board in enumerate(engines):
        assert states.colours[place].tolist() == list(board.colours)
        assert int(states.to_move[place]) == board.to_move
        assert states.passes[place].tolist() == board.passes[1:]
        assert points(found.plays[place]) == board.torus.points_in(board.legal_mask())
        assert points(found.sensible[place]) == board.torus.points_in(sensible_plays(board, board.legal_mask()))
        labels = states.chains[place]
        seen: dict[int, int] = {}
        for point in range(board.torus.points):
            chain = board.chain_at(point)
            label = int(labels[point])
            if chain is None:
                assert label == board.torus.points
                assert int(liberties[place, point]) == 0
                continue
            assert label in chain.stones
            assert seen.setdefault(chain.stones[0], label) == label
            assert int(liberties[place, point]) == len(chain.liberties)
        counted = area(board, 4.0)
        assert bytes(areas.owners[place].numpy().astype(np.uint8)) == counted.owners
        assert float(areas.margin(states.passes, torch.tensor(4.0))[place]) == counted.margin
        owned = area_points(board, board.rules)
        for colour in (BLACK, WHITE):
            assert points(areas.certain[place, colour - 1]) == board.torus.points_in(owned[colour])


@pytest.mark.parametrize(
    ("size", "games", "plies", "every"),
    [
        (2, 9, 60, 1),
        (3, 24, 160, 1),
        (4, 16, 160, 1),
        (5, 12, 160, 2),
        (7, 8, 200, 5),
        (9, 6, 260, 10),
        (16, 3, 600, 60),
    ],
)
def test_random_games_are_the_engines(size: int, games: int, plies: int, every: int):
    """Random legal moves, a tenth of them passes, continuing long after the board has filled up."""
    rng = np.random.default_rng(size)
    boards, engines = Boards(games, size, CPU), [Board(Torus(size)) for _ in range(games)]
    refused = suicides = 0
    for ply in range(plies):
        legal = boards.legal().plays.numpy()
        for place, board in enumerate(engines):
            assert points(torch.from_numpy(legal[place])) == board.torus.points_in(board.legal_mask())
            refused += board.empty.bit_count() - board.legal_mask().bit_count()
        moves = []
        for place, board in enumerate(engines):
            choices = np.flatnonzero(legal[place])
            move = PASS if not len(choices) or rng.random() < 0.1 else int(rng.choice(choices))
            lost = sum(board.suicided)
            board.pass_turn() if move == PASS else board.play(move)
            suicides += sum(board.suicided) > lost
            moves.append(move)
        play_all(boards, moves)
        if ply % every == 0:
            assert_alike(boards, engines)
    assert_alike(boards, engines)
    assert suicides
    assert refused or size > 5


def test_every_state_faced_counts():
    """The superko examples, including repetitions of the start and of states reached by passes."""
    for example in data_json("superko.json")["examples"]:
        size = example["size"]
        board = Board(Torus(size))
        colours = [EMPTY] * board.torus.points
        for side, colour in (("black", BLACK), ("white", WHITE)):
            for column, row in example.get("setup", {}).get(side, ()):
                colours[row * size + column] = colour
        board.setup(colours, BLACK)
        boards = Boards(1, size, CPU)
        boards.setup(torch.tensor([colours]), torch.tensor([BLACK]))
        for move, accepted in zip(example["moves"], example["accepted"], strict=True):
            point = PASS if move == "pass" else move[1] * size + move[0]
            assert point == PASS or bool(boards.legal().plays[0, point]) == accepted, example["name"]
            if accepted:
                board.pass_turn() if point == PASS else board.play(point)
                play_all(boards, [point])
        assert_alike(boards, [board])


def test_a_game_goes_on_where_others_begin_anew_and_end():
    """Restarted games forget their history, games left out of a move stay the same, dropped games affect no others."""
    boards, engines = Boards(3, 4, CPU), [Board(Torus(4)) for _ in range(3)]
    for moves in ([0, 0, 0], [1, 5, PASS], [PASS, 2, 4]):
        play_all(boards, moves)
        for board, move in zip(engines, moves, strict=True):
            board.pass_turn() if move == PASS else board.play(move)
    boards.restart(torch.tensor([False, True, False]))
    engines[1] = Board(Torus(4))
    assert_alike(boards, engines)
    assert boards.plies.tolist() == [3, 0, 3]
    boards.play(torch.tensor([16, 3, 16]), torch.tensor([True, True, False]))
    engines[0].pass_turn()
    engines[1].play(3)
    assert_alike(boards, engines)
    assert boards.states.in_row.tolist() == [2, 0, 0]
    assert boards.states.over.tolist() == [True, False, False]
    assert boards.states.recent.tolist() == [[16, 16, 1, 0, -1], [3, -1, -1, -1, -1], [4, 16, 0, -1, -1]]
    boards.keep(torch.tensor([1, 2]))
    play_all(boards, [PASS, 7])
    engines[1].pass_turn()
    engines[2].play(7)
    assert_alike(boards, engines[1:])


def test_games_may_be_longer_than_there_was_room_for():
    rng = np.random.default_rng(4)
    boards, board = Boards(1, 2, CPU), Board(Torus(2))
    for _ in range(30):
        choices = [*board.torus.points_in(board.legal_mask()), PASS]
        move = int(rng.choice(choices))
        board.pass_turn() if move == PASS else board.play(move)
        play_all(boards, [move])
        assert_alike(boards, [board])
    assert int(boards.plies) == 30


CONNECTED = """
XX...
.XX.X
..X..
XX.XX
X..XX
"""


def test_regions_go_round_the_torus():
    inside = torch.tensor([[colour == BLACK for colour in colours_of(CONNECTED)]])
    labels = TorusGrid(5, CPU).regions(inside)[0].tolist()
    found = {label: [point for point in range(25) if labels[point] == label] for label in labels if label < 25}
    assert found == {0: [0, 1, 6, 7, 12, 15, 16, 18, 19, 20, 23, 24], 9: [9]}


def test_a_name_is_told_once():
    names = torch.tensor([[[3, 9], [3, 9], [4, 5], [3, 5]]])
    assert distinct(names, 9).tolist() == [[[True, False], [False, False], [True, True], [False, False]]]


def test_tables_are_made_once():
    assert grid_of(7, CPU) is grid_of(7, CPU)
    numbers = grid_of(7, CPU).stones.tolist()
    assert len(set(numbers[49:])) == 98
    assert not any(numbers[:49])
