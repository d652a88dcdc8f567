"""The paths on the page about the architecture are those that the program takes. ``tui/test_one_key.py`` has a key."""

from __future__ import annotations

from daoqi_tui.ai import Position, Think
from daoqi_tui.ai.player import SearchPlayer
from daoqi_tui.engine import Game
from daoqi_tui.record import dump, load
from tests.readme.pages import path_on_page
from tests.tracing import is_path, traced


def test_a_record():
    with traced() as calls:
        dump(load(b"(;GM[1]FF[4]SZ[9]TO[3]PB[Ke];B[aa];W[ia])").game)
    assert is_path(path_on_page("A record"), calls)


def test_a_move_of_the_computer():
    game = Game(5)
    for point in (0, 2, 7):
        game.play(point)
    with traced() as calls:
        SearchPlayer(1).think(Think(Position.of(game), 10, visits=8))
    assert is_path(path_on_page("A computer's move"), calls)
