"""Portable records: sgfmill, which knows only flat boards, shows our position at every node."""

from __future__ import annotations

import random

import pytest
from sgfmill import boards, sgf

from daoqi_tui.engine import Board, Game, Setup
from daoqi_tui.record import dump, load
from daoqi_tui.record.sgf.write import dump_portable
from tests.every import every
from tests.shared_data import DATA, data_path


def flat_positions(data: bytes) -> list[str]:
    """Return the position sgfmill shows at each node of the main line, treating a move and its correction as one."""
    record = sgf.Sgf_game.from_bytes(data)
    size = record.get_size()
    board = boards.Board(size)
    positions: list[str] = []
    for node in record.get_main_sequence():
        colour, move = node.get_move()
        black, white, empty = node.get_setup_stones()
        assert colour is None or not (black or white or empty)
        if colour is not None and move is not None:
            board.play(*move, colour)
        # Not Board.apply_setup, which removes chains without liberties: in SGF, setup captures nothing.
        for sign, points in (("b", black), ("w", white), (None, empty)):
            for row, column in points:
                board.board[row][column] = sign
        rows = (
            "".join({"b": "X", "w": "O", None: "."}[board.get(row, column)] for column in range(size))
            for row in reversed(range(size))
        )
        if node.has_property("PL") and node is not record.get_root():
            positions.pop()
        positions.append("\n".join(rows))
    return positions


def our_positions(game: Game) -> list[str]:
    positions = []
    for node in (game.root, *game.root.line()):
        game.goto(node)
        positions.append(str(game.board))
    return positions


def random_game(seed: int) -> Game:
    chance = random.Random(seed)
    game = Game(size=chance.choice((3, 4, 5, 7, 9)), handicap=chance.choice((0, 0, 2)))
    while not game.is_over and game.node.number < 120:
        points = game.legal_points()
        if points and chance.random() > 0.01:
            game.play(chance.choice(points))
        else:
            game.pass_turn()
    return game


@pytest.mark.parametrize("seed", range(200))
def test_random_games(seed: int):
    game = random_game(seed)
    ours = our_positions(game)
    if game.handicap:
        del ours[0]
    assert flat_positions(dump_portable(game)) == ours


@pytest.mark.parametrize("name", sorted(path.name for path in (DATA / "historic").glob("*.sgf")) or ["none found"])
def test_historic_games(name: str):
    game = load(data_path("historic", name)).game
    assert flat_positions(dump_portable(game)) == our_positions(game)


def test_without_the_correction_it_would_show_something_else():
    game = load(b"(;SZ[5]TO[3];B[ab];W[aa];B[ba])").game
    assert flat_positions(dump_portable(game)) == our_positions(game)
    assert flat_positions(dump(game))[-1].split()[0] == ".X..."
    assert our_positions(game)[-1].split()[0] == "OX..."


def test_read_again_as_a_torus_the_corrections_change_nothing():
    game = random_game(7)
    again = load(dump_portable(game)).game
    assert any(isinstance(node.action, Setup) for node in again.root.line())
    for node in again.root.line():
        if isinstance(node.action, Setup):
            again.goto(node.parent)
            before: Board = again.board
            colours = list(before.colours)
            again.goto(node)
            assert again.board.colours == colours
    assert [node.move for node in again.root.line() if node.move] == [
        node.move for node in game.root.line() if node.move
    ]


@every("seed", range(20))
def test_written_twice_it_is_the_same(seed: int):
    once = dump_portable(random_game(seed))
    again = load(once)
    assert dump_portable(again.game, again.info) == once


def test_variations_are_corrected_each_on_its_own():
    text = b"(;SZ[5]TO[3];B[ab];W[aa];B[ba](;W[cc];B[dd])(;W[ee]))"
    written = dump_portable(load(text).game).decode().replace("\n", "")
    assert ";B[ba];AW[aa]PL[W](;W[cc];B[dd])(;W[ee]))" in written


def test_a_move_that_was_skipped_is_left_out():
    game = load(b"(;SZ[9]TO[3];B[aa];W[a9]C[kept];B[bb])").game
    written = dump_portable(game)
    assert b";W[" not in written
    assert b"C[kept]" in written


def test_a_move_on_a_stone_and_a_chain_without_liberties_are_as_recorded():
    game = load(b"(;SZ[5]TO[3]AB[ba][ab][ea][ae]AW[aa];B[cc];W[cc])").game
    written = dump_portable(game)
    for torus in (True, False):
        assert str(load(written, torus).game.board) == str(game.board)
