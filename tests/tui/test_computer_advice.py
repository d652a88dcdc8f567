"""Hints, the expected territory, the chances through the game, and the review."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from daoqi_tui.ai.player import PlayerCrashed
from daoqi_tui.ai.protocol import Answer, Estimated, Line
from daoqi_tui.engine import BLACK, WHITE, Game
from daoqi_tui.record.markup import comment, set_comment
from daoqi_tui.tui.judging import Hint, dead_in, estimate_of
from daoqi_tui.tui.options import Options
from daoqi_tui.tui.painter import NOBODY
from daoqi_tui.tui.picture import Picture
from daoqi_tui.tui.review import Mistake, Seen, erase, mistakes, summary, write
from daoqi_tui.tui.session import GameSetup, Session
from daoqi_tui.tui.side_panes import SIDE_PANES
from daoqi_tui.tui.widgets.graph import GraphPane
from tests.engine.pictures import game_of
from tests.tui.driving import Person, playing
from tests.tui.thinkers import QuickAdviser, answer

SMALL = GameSetup(size=5)
BACK = "left_square_bracket"


@asynccontextmanager
async def underway(options: Options | None = None) -> AsyncIterator[Person]:
    """A person in front of a small board on which two stones stand far from what is asked about."""
    async with playing(setup=SMALL, options=options) as person:
        await person.lay_out("""
            . . . . .
            . . . . .
            . . . . .
            . . . . .
            O . . . X
        """)
        yield person


def advised(person: Person) -> QuickAdviser:
    """Put a quick adviser in the place of the real one."""
    adviser = QuickAdviser()
    person.screen.__dict__["adviser"] = adviser
    return adviser


def three_moves(*, first: tuple[int, ...] = (12, 13, 14)) -> Answer:
    lines = (Line(12, 80, 0.62, first), Line(7, 15, 0.5, (7, 8)), Line(0, 5, 0.031, (0,)))
    return Answer(1, 12, 0.62, False, 100, 1.0, lines, 0.0)


# Hints


async def test_a_hint_shows_three_moves_with_win_rates_and_the_line() -> None:
    async with underway() as person:
        advised(person).answers[1] = three_moves()
        before = str(person.game.board)
        await person.press("l", "l", "H")
        picture = person.board.picture
        assert picture.labels == {12: "62", 7: "50", 0: "03", 13: "2", 14: "3"}
        assert [picture.stones[point] for point in (12, 13, 14, 7, 0)] == [BLACK, WHITE, BLACK, 0, 0]
        assert person.status.startswith("C3 62%, C4 50%, A5 3%  ·  C3 D3 E3")
        assert person.moves == []
        assert str(person.game.board) == before


async def test_pointing_at_another_move_shows_its_line() -> None:
    async with underway() as person:
        advised(person).answers[1] = three_moves()
        await person.press("H", "k")
        picture = person.board.picture
        assert [picture.stones[point] for point in (12, 13, 7, 8)] == [0, 0, BLACK, WHITE]
        assert picture.labels[8] == "2"


def test_a_line_leaves_the_win_rates_of_the_other_moves_to_be_read() -> None:
    game = Game(5)
    hint = Hint(game.root, BLACK, three_moves(first=(12, 7, 14)).lines, "100 playouts")
    picture = hint.shown_on(Picture(5, bytes(25)), 12)
    assert picture.labels == {12: "62", 7: "50", 0: "03", 14: "3"}
    assert not picture.stones[7]


@pytest.mark.parametrize("key", ["escape", "enter"])
async def test_escape_and_a_move_clear_the_hint(key: str) -> None:
    async with underway() as person:
        advised(person).answers[1] = three_moves()
        await person.press("H", key)
        assert person.board.picture.labels == {}
        assert person.moves == (["C3"] if key == "enter" else [])
        assert "62%" not in person.status


async def test_escape_stops_looking() -> None:
    async with underway() as person:
        adviser = advised(person)
        adviser.may_answer.clear()
        await person.press("H")
        assert "Looking for the best moves" in person.status
        await person.press("escape")
        adviser.may_answer.set()
        await person.wait()
        assert person.board.picture.labels == {}


@pytest.mark.parametrize(("choice", "net"), [("none", None), ("/a/net.npz", "/a/net.npz")])
async def test_the_network_of_the_options_is_asked(choice: str, net: str | None) -> None:
    async with underway(options=Options(net=choice)) as person:
        adviser = advised(person)
        await person.press("H")
        await person.press("escape", "e")
        await person.wait(0.2)
        assert adviser.nets == [net, net]


async def test_positions_that_a_network_judged_are_told_as_such() -> None:
    async with underway() as person:
        advised(person).answers[1] = replace(three_moves(), by_network=True, playouts=7)
        await person.press("H")
        assert "7 positions judged" in person.status
        assert person.screen.judged == {person.game.node: 0.62}, "a few looks of a network say something"


async def test_a_crash_of_the_adviser_is_one_line() -> None:
    async with underway() as person:
        advised(person).problem = PlayerCrashed("the computer player's process ended with status 1")
        await person.press("H")
        assert person.status.startswith("the computer player's process ended with status 1")
        await person.play("C3")


async def test_no_hint_is_looked_for_on_an_empty_board() -> None:
    async with playing(setup=SMALL) as person:
        adviser = advised(person)
        await person.press("H")
        assert person.status.startswith("Every first move is as good as any other")
        assert adviser.nets == []
        # After a pass the board is as empty, but who passes has paid for it.
        await person.play("pass")
        await person.press("H")
        assert person.status.startswith("A5 50%")


async def test_no_hint_is_looked_for_after_the_end() -> None:
    async with playing(setup=SMALL) as person:
        advised(person)
        await person.play("pass", "pass")
        await person.press("H")
        assert "over" in person.status


# Who will own what

DEAD_STONE = """
    . X . O .
    X X . O .
    . X O O .
    X X . O .
    . X . O X
"""


def found(board: Game, owners: str) -> Estimated:
    shares = {"X": 0.9, "O": -0.9, ".": -0.1}
    return Estimated(1, 400, tuple(shares[sign] for sign in owners.split()), 2.5, 7.0, 0.75)


OWNERS = """
    X X X O O
    X X . O O
    X X O O O
    X X . O O
    X X . O O
"""


def test_the_expected_territory_counts_every_point_by_its_share() -> None:
    game = game_of(DEAD_STONE, BLACK, 4)
    expected = found(game, OWNERS)
    assert dead_in(bytes(game.board.colours), expected) == {24}
    area = estimate_of(game.board, 4, expected).area
    # Eleven points are Black's to 95 %, three to 45 %, eleven to 5 %; of its eight stones seven and the dead one.
    assert (area.black.stones, area.black.territory) == (7, 5)
    assert (area.white.stones, area.white.territory, area.white.komi) == (6, 6, 4)
    assert area.neutral == 1
    assert area.margin == -4


@pytest.mark.parametrize("size", [8, 9])
@pytest.mark.parametrize("share", [-1.0, -0.4, -0.03, 0.0, 0.012, 0.15, 0.2, 1.0])
def test_a_board_that_is_a_little_blacks_everywhere_is_not_counted_for_black(size: int, share: float) -> None:
    game = Game(size, komi=4)
    game.play(0)
    expected = Estimated(1, 1, (share,) * size**2, 0.0, 9.0, 0.5, True)
    area = estimate_of(game.board, 4, expected).area
    assert abs(area.margin + 4 - share * size**2) <= 0.5
    assert area.black.total + area.white.total - 4 + area.neutral == size**2
    assert min(area.black.stones, area.black.territory, area.white.stones, area.white.territory) >= 0


async def test_the_estimate_is_replaced_by_playouts() -> None:
    async with playing() as person:
        await person.lay_out(DEAD_STONE)
        adviser = advised(person)
        adviser.ownership = found(person.game, OWNERS).ownership
        adviser.may_answer.clear()
        await person.press("e")
        assert person.status.startswith("Estimate:")
        assert person.board.picture.dead == frozenset()
        adviser.may_answer.set()
        await person.wait(0.1)
        assert person.status.startswith("Expected: Black by 6.5 ± 9  ·  wins 80% of 400 playouts")
        picture = person.board.picture
        assert picture.dead == {24}
        assert picture.strength is not None
        assert picture.strength[4] == NOBODY - 3
        assert "Black by" not in person.text("#area")
        assert "White by 4" in person.text("#area")
        await person.press("e")
        assert person.board.picture.strength is None
        assert person.board.picture.dead == frozenset()


# The chances


async def test_the_chances_stand_in_the_graph() -> None:
    async with underway() as person:
        adviser = advised(person)
        adviser.answers[1] = three_moves()
        await person.play("C3", "D3")
        await person.press(BACK, BACK, "H")
        assert list(person.screen.judged.values()) == [0.62]
        await person.screen.show_side(next(pane for pane in SIDE_PANES if pane.id == "graph"))
        await person.wait()
        pane = person.screen.query_one(GraphPane)
        lines = [pane.render_line(y).text for y in range(pane.content_size.height)]
        assert any(line.startswith("Chances: Black 62%") for line in lines)
        assert sum("100%" in line for line in lines) == 2


# The review


def chances(*black: float) -> tuple[Game, dict[object, Seen]]:
    """A game of as many nodes, and what a search found at each: its best move is always A1."""
    game = Game(5)
    for point in range(len(black) - 1):
        game.play(point)
    corner = game.torus.parse("A1")
    path = game.node.path()
    return game, {node: Seen(share, (corner, 3)) for node, share in zip(path, black, strict=True)}


def test_the_moves_that_lost_most_are_found() -> None:
    game, seen = chances(0.5, 0.5, 0.5, 0.1, 0.1, 0.1, 0.45, 0.45)
    got = mistakes(game.node.path(), seen)  # type: ignore[arg-type]
    assert [(mistake.node.number, mistake.mover) for mistake in got] == [(3, BLACK), (6, WHITE)]
    assert got[0].loss == pytest.approx(0.4)
    assert got[1].before == pytest.approx(0.9)
    assert got[1].after == pytest.approx(0.55)


def test_what_all_moves_seem_to_lose_is_no_mistake() -> None:
    # Each mover's chances look a tenth better before the move than after it.
    game, seen = chances(0.6, 0.5, 0.6, 0.5, 0.6, 0.2, 0.3)
    got = mistakes(game.node.path(), seen)  # type: ignore[arg-type]
    assert [mistake.node.number for mistake in got] == [5]
    assert got[0].loss == pytest.approx(0.3)


def test_the_move_the_search_would_play_is_no_mistake() -> None:
    game, seen = chances(0.5, 0.5, 0.5, 0.1, 0.1, 0.1)
    before = game.node.path()[2]
    seen[before] = Seen(0.5, (2,))
    assert mistakes(game.node.path(), seen) == []  # type: ignore[arg-type]


@pytest.mark.parametrize(("loss", "marked"), [(0.12, {"DO": [""]}), (0.2, {"BM": ["1"]}), (0.4, {"BM": ["2"]})])
def test_a_mistake_is_written_beside_what_is_there_and_taken_off_again(loss: float, marked: dict[str, object]) -> None:
    game = Game(5)
    node = game.play(3)
    set_comment(node, "A bold move: indeed")
    mistake = Mistake(node, BLACK, 0.5, 0.5 - loss, loss, (12, 13))
    for _again in range(2):
        write(mistake, game.torus, "daoqi")
        assert comment(node).count("Review: ") == 1
        assert comment(node).startswith("A bold move: indeed\nReview: 50% before this move")
        assert "Better was C3, then D3." in comment(node)
        assert {name: values for name, values in (node.properties or {}).items() if name != "C"} == marked
    assert erase(node)
    assert comment(node) == "A bold move: indeed"
    assert list(node.properties or {}) == ["C"]
    assert not erase(node)


def test_the_summary_names_the_moves() -> None:
    game = Game(5)
    node = game.play(12)
    assert summary([Mistake(node, BLACK, 0.5, 0.1, 0.4, (3,))], game.torus, "daoqi").endswith("1 C3 −40%")
    assert "no move lost much" in summary([], game.torus, "daoqi")


async def test_a_review_walks_the_game_and_marks_it_in_the_record() -> None:
    async with playing(setup=SMALL, options=Options(names="daoqi")) as person:
        adviser = advised(person)
        await person.play("C3", "D3", "C2", "D2", "C4", "D4")
        for actions, win in enumerate((0.5, 0.5, 0.5, 0.9, 0.1, 0.9, 0.1)):
            adviser.answers[actions] = answer(0, win)
        await person.press(BACK, "V")
        await person.wait()
        assert not person.screen.reviewing
        assert "3 C2 −40%" in person.status
        assert person.moves == ["C3", "D3", "C2", "D2", "C4"]
        record = person.session.record().decode()
        assert "BM[2]" in record
        assert record.count("Better was A5") == 1
        marked = Session.opened(record.encode()).game.root.line()[2]
        assert "50% before this move, 10% after it" in comment(marked)
        assert len(person.screen.judged) == 7


async def test_a_review_can_be_stopped_and_needs_a_move() -> None:
    async with playing(setup=SMALL) as person:
        adviser = advised(person)
        await person.press("V")
        assert "no move to review" in person.status
        adviser.may_answer.clear()
        await person.play("C3")
        await person.press("V")
        assert person.screen.reviewing
        assert "Reviewing" in person.status
        await person.press("V")
        assert not person.screen.reviewing
        adviser.may_answer.set()
        await person.wait()
        assert person.screen.judged == {}


async def test_the_end_of_a_counted_game_is_judged_by_its_count() -> None:
    async with playing(setup=GameSetup(size=5, komi=0)) as person:
        adviser = advised(person)
        for actions in range(3):
            adviser.answers[actions] = answer(0, 0.5)
        await person.play("C3", "pass", "pass")
        await person.press("V")
        await person.wait()
        assert person.screen.judged[person.game.node] == 1.0
        assert person.game.is_over
