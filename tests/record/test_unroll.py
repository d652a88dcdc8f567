"""The unrolled board as SGF: sgfmill, which knows only flat boards, shows every copy of our position at each node."""

from __future__ import annotations

import pytest
from sgfmill import sgf

from daoqi_tui.engine import Game
from daoqi_tui.record import load
from daoqi_tui.record.sgf.info import Info
from daoqi_tui.record.sgf.write import dump_unrolled
from daoqi_tui.record.text import SgfError
from tests.record.test_portable import random_game

GAME = "(;GM[1]SZ[5]TO[3]KM[4]PB[Li];B[aa]C[a comment];W[ba](;B[])(;B[ea];W[ab];B[dd];W[ae]))"


def positions(data: bytes) -> list[list[list[str | None]]]:
    """Return the position at each node of the main line, row by row from the top, as its setup defines it."""
    record = sgf.Sgf_game.from_bytes(data)
    side = record.get_size()
    stones: list[list[str | None]] = [[None] * side for _row in range(side)]
    found = []
    for node in record.get_main_sequence():
        assert node.get_move() == (None, None)
        for colour, points in zip(("b", "w", None), node.get_setup_stones(), strict=True):
            for row, column in points:
                stones[side - 1 - row][column] = colour
        found.append([list(row) for row in stones])
    return found


@pytest.mark.parametrize(("seed", "periods"), [(1, 2), (2, 3), (3, 1)])
def test_every_copy_shows_the_position(seed: int, periods: int) -> None:
    game = random_game(seed)
    size, here = game.torus.size, game.node
    shown = positions(dump_unrolled(game, periods=periods))
    assert game.node is here
    line = (game.root, *game.root.line())
    assert len(shown) == len(line)
    for node, stones in zip(line, shown, strict=True):
        game.goto(node)
        ours = [{0: None, 1: "b", 2: "w"}[colour] for colour in game.board.colours[: size * size]]
        assert [
            [ours[row % size * size + column % size] for column in range(size * periods)]
            for row in range(size * periods)
        ] == stones


def test_variations_comments_names_and_marks_are_kept() -> None:
    loaded = load(GAME.encode(), True)
    text = dump_unrolled(loaded.game, loaded.info).decode()
    assert "SZ[10]" in text
    assert "PB[Li]" in text
    assert "TO[" not in text
    assert "a comment" in text
    assert text.count("\n(") == 2
    assert "AB[aa][fa][af][ff]PL[W]CR[aa][fa][af][ff]" in text


def test_a_result_in_words_is_what_it_was() -> None:
    said = "B+3 \\] by a slip"
    data = dump_unrolled(Game(5), Info(result=said), 2)
    assert sgf.Sgf_game.from_bytes(data).get_root().get("RE") == said


def test_a_board_that_sgf_has_no_letters_for_is_refused() -> None:
    with pytest.raises(SgfError, match="3 boards of size 19 make 57 points across; SGF has room for 52"):
        dump_unrolled(Game(19), Info(), 3)


def test_a_move_out_of_turn_is_one_node() -> None:
    loaded = load(b"(;GM[1]SZ[5]TO[3];B[aa];B[bb](;W[cc])(;B[dd])(;W[ee];W[]))")
    made = dump_unrolled(loaded.game, loaded.info).decode()
    assert [made.count(part) for part in (";", "\n(", ";PL[", "CR[aa]", "CR[bb]", "CR[cc]", "CR[dd]", "CR[ee]")] == [
        *(7, 3, 1, 1, 1, 1, 1, 1)
    ]
    assert made.index("CR[cc]") < made.index("CR[dd]") < made.index("CR[ee]")
