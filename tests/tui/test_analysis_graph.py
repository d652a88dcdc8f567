"""The margin of a game as a graph: what is drawn, what it costs, and where a click leads."""

from __future__ import annotations

from math import nan

import pytest

from daoqi_tui.engine import Game
from daoqi_tui.tui.margin_graph import draw
from daoqi_tui.tui.margin_keeper import MarginKeeper
from daoqi_tui.tui.session import GameSetup
from daoqi_tui.tui.widgets.graph import GraphPane
from tests.tui.driving import Person, playing


def test_bars_rise_from_zero_and_hang_from_it() -> None:
    graph = draw([4, 4, -4, -4, 0, 0, 8, 8], 4, 4)
    assert graph.rows == (
        "   █",
        "█  █",
        "█▄▄█",
        " █  ",
    )
    assert graph.zero == 2
    assert (graph.top, graph.bottom) == (8, -4)
    assert graph.places == (0, 0, 1, 1, 2, 2, 3, 3)


def test_what_is_unknown_is_left_out() -> None:
    graph = draw([nan, nan, 8, 8], 2, 2)
    assert [row[0] for row in graph.rows] == [" ", " "]
    assert [row[1] for row in graph.rows] == ["█", "█"]


def test_a_long_game_is_drawn_closer_and_loses_no_peak() -> None:
    values = [1.0] * 1000
    values[501] = 40
    graph = draw(values, 20, 10)
    assert len(graph.rows[0]) == 20
    assert "▌" in graph.rows[0] or "▐" in graph.rows[0]
    assert graph.places[-1] == 19
    assert all(0 <= graph.value_at(place) < 1000 for place in range(20))
    assert graph.value_at(19) == 999


@pytest.mark.parametrize("values", [[], [0.0], [nan], [0.25, -0.25]])
def test_little_is_drawn_small(values: list[float]) -> None:
    graph = draw(values, 6, 3)
    assert len(graph.rows) == 3
    assert graph.top - graph.bottom >= 8


def test_a_move_costs_one_more_count() -> None:
    game = Game(9)
    keeper = MarginKeeper()
    for point in (0, 40, 2, 42):
        game.play(point)
    keeper.line(game, game.node)
    assert keeper.counted == 5
    keeper.line(game, game.node)
    assert keeper.counted == 5
    game.play(44)
    line = keeper.line(game, game.node)
    assert keeper.counted == 6
    assert len(line) == 6
    # A variation costs what is new in it, and going back nothing.
    last = game.node
    game.undo()
    game.play(60)
    keeper.line(game, game.node)
    keeper.line(game, last)
    assert keeper.counted == 7


async def graph_of(person: Person) -> GraphPane:
    for _ in range(10):
        if person.screen.side.id == "graph":
            break
        await person.press("tab")
    await person.wait()
    return person.screen.query_one(GraphPane)


def shown(pane: GraphPane) -> list[str]:
    return [pane.render_line(y).text.rstrip() for y in range(pane.content_size.height)]


async def test_the_pane_tells_the_margin_and_marks_captures_and_passes() -> None:
    async with playing(setup=GameSetup(9)) as person:
        # White takes A1 with four stones around it.
        await person.play("A1", "A2", "E5", "B1", "E6", "I1", "E7", "A9", "pass")
        pane = await graph_of(person)
        lines = shown(pane)
        assert lines[0].startswith("Move 9: White by")
        (events,) = (line for line in lines if "×" in line and "capture" not in line)
        # Move 8 captures, move 9 is a pass; two moves stand on one place.
        assert events.index("×") == 5 + 4
        assert "▴" not in events
        await person.press("left_square_bracket", "left_square_bracket", "left_square_bracket")
        assert shown(pane)[0].startswith("Move 6:")


async def test_a_click_goes_to_a_move() -> None:
    async with playing(setup=GameSetup(9)) as person:
        await person.play("A1", "E5", "C3", "G7", "pass", "H8", "B6")
        pane = await graph_of(person)
        (events,) = (line for line in shown(pane) if "▴" in line and "pass" not in line)
        assert events.index("▴") == 5 + 2
        region = pane.content_region
        await person.click(region.x + 5 + 1, region.y + 3)
        assert person.game.node.number == 3
        # The whole game is still drawn.
        await person.click(region.x + 5 + 3, region.y + 3)
        assert person.game.node.number == 7


async def test_the_graph_fits_the_strip_of_a_small_window() -> None:
    async with playing((60, 20), setup=GameSetup(9)) as person:
        await person.play("A1", "E5", "C3", "G7")
        pane = await graph_of(person)
        lines = shown(pane)
        assert len(lines) == 3
        assert any(set(line) & set("▀▄█▌▐▛▜▙▟") for line in lines)
