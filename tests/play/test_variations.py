"""Stepping through the variations of a game."""

from __future__ import annotations

from daoqi_tui.play.session import GameSetup, Session, Variations


def test_the_way_on_is_along_the_line_viewed_last() -> None:
    session = Session(GameSetup(size=5))
    game = session.game
    first = game.play(0)
    second = game.play(1)
    game.goto(first)
    other = game.play(2)
    last = game.play(3)
    game.goto(game.root)
    variations = Variations(session)
    assert variations.later(2) is variations.later(9) is variations.line[-1] is second, "nothing else was viewed"
    game.goto(last)
    variations.remember()
    assert variations.earlier(1) is other
    assert variations.earlier(9) is game.root
    game.goto(first)
    assert variations.next_node(first) is other
    assert variations.line[-1] is last
    game.goto(other)
    assert variations.sibling() is second
    assert variations.sibling() is second, "it only tells"
    game.goto(game.root)
    assert variations.sibling() is game.root


def test_the_start_is_after_the_handicap_stones() -> None:
    session = Session(GameSetup(size=9, handicap=2))
    session.game.play(4)
    assert Variations(session).earlier(5) is session.start
