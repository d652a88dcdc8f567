"""The position editor: positions are written as SGF, start a game, or are inserted into one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from daoqi_tui.engine import BLACK, EMPTY, WHITE, Game, parse_rules
from daoqi_tui.play.position import PositionEditor
from daoqi_tui.play.session import Session
from daoqi_tui.record import load
from daoqi_tui.record.sgf.markup import labels, marks


def test_a_tool_used_twice_on_a_point_takes_away() -> None:
    editor = PositionEditor(5)
    editor.apply(3, "black")
    editor.apply(3, "white")
    assert editor.stones[3] == WHITE
    editor.apply(3, "white")
    assert editor.stones[3] == EMPTY
    editor.apply(3, "triangle")
    editor.apply(4, "letter")
    editor.apply(5, "letter")
    assert marks(editor.notes, 5) == {3: "triangle"}
    assert labels(editor.notes, 5) == {4: "A", 5: "B"}
    editor.apply(3, "triangle")
    editor.apply(4, "letter")
    assert marks(editor.notes, 5) == {}
    assert labels(editor.notes, 5) == {5: "B"}


def test_every_change_can_be_undone_and_redone() -> None:
    editor = PositionEditor(5)
    editor.apply(3, "black")
    editor.to_move = WHITE
    editor.komi = 0
    editor.apply(3, "cross")
    editor.clear()
    for _ in range(5):
        assert editor.undo()
    assert not editor.undo()
    assert (bytes(editor.stones), editor.to_move, editor.komi) == (bytes(25), BLACK, 4)
    for _ in range(4):
        assert editor.redo()
    assert (editor.stones[3], editor.to_move, editor.komi) == (BLACK, WHITE, 0)
    assert marks(editor.notes, 5) == {3: "cross"}
    assert editor.redo()
    assert not editor.redo()
    assert bytes(editor.stones) == bytes(25)


def test_the_record_begins_a_game() -> None:
    editor = PositionEditor(5, komi=0.5, rules=parse_rules("Tromp-Taylor"))
    editor.apply(0, "black")
    editor.apply(12, "white")
    editor.apply(12, "letter")
    editor.to_move = WHITE
    session = Session.opened(editor.record())
    game = session.game
    assert not session.problems
    assert session.ask_torus is None
    assert (game.komi, str(game.rules), game.to_move) == (0.5, "Tromp-Taylor", WHITE)
    assert game.board.colours[0] == BLACK
    assert game.board.colours[12] == WHITE
    assert game.node is game.root
    assert labels(game.node, 5) == {12: "A"}


def test_it_goes_into_a_game_as_a_difference() -> None:
    game = Game(5)
    for point in (0, 1, 2):
        game.play(point)
    editor = PositionEditor.of(game)
    assert editor.to_move == WHITE
    editor.apply(0, "empty")
    editor.apply(1, "black")
    editor.apply(7, "square")
    editor.to_move = BLACK
    before = game.node
    node = editor.insert(game)
    assert node.parent is before
    assert game.to_move == BLACK
    assert list(game.board.colours[:3]) == [EMPTY, BLACK, BLACK]
    assert marks(node, 5) == {7: "square"}
    game.undo()
    assert list(game.board.colours[:3]) == [BLACK, WHITE, BLACK]


def test_a_chain_without_liberties_is_found() -> None:
    editor = PositionEditor(2)
    for point in (0, 1, 2):
        editor.apply(point, "black")
    assert editor.stifled() is None
    editor.apply(3, "white")
    assert editor.stifled() is not None


@given(st.integers(2, 9).flatmap(lambda size: st.lists(st.integers(0, 2), min_size=size * size, max_size=size * size)))
def test_what_can_stand_is_read_back(colours: list[int]) -> None:
    size = round(len(colours) ** 0.5)
    editor = PositionEditor(size, bytes(colours))
    stands = True
    try:
        Game(size).setup(
            black=[point for point, colour in enumerate(colours) if colour == BLACK],
            white=[point for point, colour in enumerate(colours) if colour == WHITE],
        )
    except ValueError:
        stands = False
    assert (editor.stifled() is None) is stands
    if stands:
        assert list(load(editor.record()).game.board.colours) == colours
