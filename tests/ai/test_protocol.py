"""Positions and messages: encoding as a line of JSON and decoding."""

from __future__ import annotations

import subprocess
import sys

import pytest

from daoqi_tui.ai import (
    RESUME,
    Answer,
    Candidate,
    Estimate,
    Estimated,
    Failure,
    Forget,
    Position,
    Progress,
    Ready,
    Reply,
    Request,
    Restriction,
    Stop,
    Think,
    decode,
    encode,
)
from daoqi_tui.engine import PASS, WHITE, Game, Setup
from daoqi_tui.message import Message

LINES = (Candidate(3, 20, 0.5, (3, 4, PASS), -2.5, 0.125), Candidate(PASS, 1, 0.25, (PASS,)))
POSITION = Position(9, 3.75, (Setup(0b110, 0b1000, 0, WHITE), 5, PASS, PASS, RESUME, 7))


@pytest.mark.parametrize(
    "message",
    [
        Think(POSITION, 3, visits=10, seconds=0.5, seed=7, analyse=True, id=1),
        Think(Position(25, 4), 10),
        Estimate(POSITION),
        Think(POSITION, 3, shown=9, restrictions=(Restriction(WHITE, (1, PASS), 3, only=True),)),
        Stop(3),
        Forget(),
        Ready("compiled"),
        Progress(1, 100, 0.25, LINES, -3.5),
        Answer(1, PASS, 0.97, True, 100, 1.5, LINES, 12.25),
        Estimated(3, (0.5, -1.0, 0.0), 3.0, 9.5, 0.6),
        Failure(4, "IllegalMove: 道棋 \n two lines"),
        Failure(4, "komi 4", Message("komi {komi}", komi=4)),
    ],
    ids=lambda message: type(message).__name__,
)
def test_a_message_is_one_line_and_comes_back(message: Request | Reply) -> None:
    line = encode(message)
    assert line.count(b"\n") == 1
    assert decode(line) == message


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\n",
        b"{}",
        b"[]",
        b"7",
        b'["Nonsense",{}]',
        b'["Stop",{}]',
        b'["Stop",{"id":"1"}]',
        b'["Stop",[1]]',
        b'["Stop"]',
        b"\xff",
    ],
)
def test_anything_else_is_refused(line: bytes) -> None:
    with pytest.raises(ValueError, match="not a message"):
        decode(line)


def test_a_position_knows_all_that_was_faced() -> None:
    game = Game(5, handicap=2)
    for point in (3, 1, 7):
        game.play(point)
    game.pass_turn()
    game.pass_turn()
    game.resume()
    game.setup(empty=[3], to_move=WHITE)
    game.play(3)
    game.play(2)
    game.pass_turn()
    position = Position.of(game)
    board = position.board()
    assert (board.key, board.faced, board.passes) == (game.board.key, game.board.faced, game.board.passes)
    assert position.passes_in_row == 1
    game.pass_turn()
    assert Position.of(game).passes_in_row == 2
    game.resume()
    assert Position.of(game).passes_in_row == 0
    game.pass_turn()
    assert Position.of(game).passes_in_row == 1


def test_impossible_positions_are_refused() -> None:
    # A record may play on a stone.
    assert Position(5, 4, (1, 1)).board().colours[1] == WHITE
    with pytest.raises(ValueError, match="no point of the board"):
        Position(5, 4, (25,)).board()


def test_the_app_imports_the_player_at_little_cost() -> None:
    heavy = "'numpy', 'numba', 'textual', 'rich'"
    code = f"import sys, daoqi_tui.ai.process; print([m for m in ({heavy}) if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
