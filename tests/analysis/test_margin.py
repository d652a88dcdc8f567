import random

import pytest

from daoqi_tui.analysis.influence import estimate
from daoqi_tui.analysis.margin import margins
from daoqi_tui.engine import BLACK, Game, IllegalMove


def random_game() -> Game:
    """A game with captures, passes, a setup in the middle and a variation; the cursor is in the variation."""
    chance = random.Random(7)
    game = Game(7, komi=3.5, handicap=2)
    for step in range(120):
        if step == 50:
            game.setup(empty=range(7), to_move=BLACK)
        if step % 17 == 5:
            game.pass_turn()
        try:
            game.play(chance.choice(game.legal_points()))
        except IllegalMove:
            raise AssertionError from None
    for _ in range(40):
        game.undo()
    game.pass_turn()
    return game


def test_each_margin_is_the_area_at_its_node_and_the_cursor_stays():
    game = random_game()
    here, key = game.node, game.board.key
    main = game.root.line()[-1]
    for through in (None, main):
        points = margins(game, through)
        assert game.node is here
        assert game.board.key == key
        end = here if through is None else main
        assert [point.node for point in points] == [*end.path(), *end.line()]
        for point in points:
            game.goto(point.node)
            assert point.margin == game.area().margin
            assert (point.captured, point.lost) == (point.node.captured, point.node.lost)
            assert point.is_pass == (point.node.move is not None and point.node.move.is_pass)
        game.goto(here)
    assert any(point.captured for point in margins(game))
    assert any(point.is_pass for point in margins(game))


def test_the_line_goes_on_after_the_cursor():
    game = Game(5)
    for move in (0, 12, 24):
        game.play(move)
    game.undo()
    game.undo()
    points = margins(game)
    assert [point.node.number for point in points] == [0, 1, 2, 3]
    assert points[1].as_dict() == {"move": 1, "margin": 21.0, "captured": 0, "lost": 0, "pass": False}
    assert points[2].margin == 1 - 1 - 4


def test_another_count_can_be_drawn():
    game = Game(9)
    game.play(0)
    points = margins(game, count=lambda board, komi: estimate(board, komi).area.margin)
    assert (points[0].margin, points[1].margin) == (-4, estimate(game.board, 4).area.margin)
    assert points[1].margin < margins(game)[1].margin


def test_a_node_of_another_game_is_refused():
    with pytest.raises(ValueError, match="another game"):
        margins(Game(5), Game(5).root)
