"""Tests the graph of score lead and win rate: the drawing, the text, and what a click does."""

from __future__ import annotations

from math import nan

import pytest
from textual.color import Color

from daoqi_tui.play.evaluation import Evaluation
from daoqi_tui.play.session import GameSetup
from daoqi_tui.tui.look import Options
from daoqi_tui.tui.panes.study import GraphPane, draw
from tests.tui.driving import Person, playing, until


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


async def graph_of(person: Person) -> GraphPane:
    """Press Tab until the graph pane shows, at the side or, in a tall window, below it; return the pane."""
    panes = person.screen.panes
    while "graph" not in [pane.id for pane in (panes.side, *panes.standing)]:
        await person.press("tab")
    # A pane may be mounted before it has its place.
    await until(person, lambda: any(pane.content_size.height for pane in person.screen.query(GraphPane)))
    return person.screen.query_one(GraphPane)


def shown(pane: GraphPane) -> list[str]:
    return [pane.render_line(y).text.rstrip() for y in range(pane.content_size.height)]


def evaluate(person: Person, *leads: float | None, black: float = 0.5) -> None:
    """Assign a score lead to each position of the line played so far."""
    for node, lead in zip(person.game.node.path(), leads, strict=False):
        if lead is not None:
            person.screen.match.evaluations.note(node, Evaluation(black, lead, 60, "network"), record=False)
    person.screen.show_panes()


async def test_before_any_evaluation_it_says_how_to_get_one() -> None:
    async with playing(setup=GameSetup(9)) as person:
        await person.play("A1", "E5")
        lines = shown(await graph_of(person))
        assert lines[0] == "No position is evaluated yet"
        assert lines[1:3] == ["V: review the game", "W: analyse this position"]
        assert not any(set(line) & set("▀▄█") for line in lines)


async def test_it_says_lead_win_rate_and_what_they_come_from() -> None:
    async with playing(setup=GameSetup(9)) as person:
        await person.play("A1", "E5", "C3")
        evaluate(person, 0, 1, 4.5, -7.5, black=0.25)
        lines = shown(await graph_of(person))
        assert lines[0].startswith("Move 3 · W+7.5 · B 25%")
        scale = [line for line in lines if "%" in line and "Move" not in line]
        assert [line.split()[0] for line in scale] == ["+8", "0", "−8"]
        assert [line.split()[-1] for line in scale] == ["100%", "50%", "0%"]
        marked = [row for row, line in enumerate(lines[1:-2]) if "▪" in line]
        middle = next(row for row, line in enumerate(lines[1:-2]) if line.split()[:1] == ["0"])
        assert marked
        assert all(row > middle for row in marked), "a win rate below 50 % stands below the middle"
        await person.press("left_square_bracket")
        assert shown(await graph_of(person))[0].startswith("Move 2 · B+4.5 · B 25%")


async def test_a_win_rate_leaves_the_bar_whole_that_it_stands_on() -> None:
    """Where one side leads far, the bars reach the win rates, which took away what is most of the lead."""
    async with playing(setup=GameSetup(9)) as person:
        await person.play("A1", "E5", "C3", "G7", "B6", "H8", "D1")
        evaluate(person, *[-40] * 8, black=0.0)
        pane = await graph_of(person)
        *_head, row = (y for y, line in enumerate(shown(pane)) if line.rstrip().endswith(" 0%"))
        marks = [each for each in pane.render_line(row) if "▪" in each.text]
        assert "".join(each.text for each in marks) == "▪▪▪▪"
        assert all(each.style is not None and each.style.reverse for each in marks)


async def test_what_moves_lost_stands_below_them() -> None:
    async with playing(setup=GameSetup(9)) as person:
        await person.play("A1", "E5", "C3", "G7", "B6", "H8")
        # Moves 1 to 6 lose 0, 2, 0, 4, 0, 9; two moves share a column.
        evaluate(person, 0, 0, 2, 2, 6, 6, 15)
        lines = shown(await graph_of(person))
        (losses,) = (line for line in lines if set(line.strip()) <= set("▖▄█ ") and line.strip())
        assert losses[5:] == " ▖▄█"
        assert "win rate" in lines[-1]


async def test_what_moves_lost_has_the_colours_of_the_theme_that_is_shown() -> None:
    """They kept those of the theme that was looked at last."""
    async with playing(setup=GameSetup(9)) as person:
        await person.play("A1", "E5", "C3")
        evaluate(person, 0, 0, 15, 15)
        pane = await graph_of(person)
        for board in ("paper", "night", "kaya"):
            person.app.apply_options(Options(board=board))
            await person.settle()
            lines = [pane.render_line(y) for y in range(pane.size.height)]
            *_bars, marks = (line for line in lines if line.text.split() and set(line.text.strip()) == {"█"})
            inks = {each.style.color for each in marks if "█" in each.text and each.style is not None}
            wanted = Color.parse(person.app.theme_variables["error"])
            assert inks == {wanted.rich_color}


async def test_gaps_are_left_out_and_known_positions_are_drawn() -> None:
    async with playing(setup=GameSetup(9)) as person:
        await person.play("A1", "E5", "C3", "G7")
        evaluate(person, None, None, 6)
        lines = shown(await graph_of(person))
        assert lines[0] == "Move 4: not evaluated"
        assert any(set(line) & set("▀▄█▌▐▛▜▙▟▘▝") for line in lines[1:-2])


async def test_a_click_goes_to_a_move() -> None:
    async with playing(setup=GameSetup(9)) as person:
        await person.play("A1", "E5", "C3", "G7", "D2", "H8", "B6")
        evaluate(person, *range(8))
        pane = await graph_of(person)
        region = pane.content_region
        await person.click(region.x + 5 + 1, region.y + 3)
        assert person.game.node.number == 3
        # The whole game is still drawn.
        await person.click(region.x + 5 + 3, region.y + 3)
        assert person.game.node.number == 7


async def test_the_graph_fits_the_strip_of_a_small_window() -> None:
    async with playing((60, 20), setup=GameSetup(9)) as person:
        await person.play("A1", "E5", "C3", "G7")
        evaluate(person, 0, 3, 3, -3, 3)
        graph = await graph_of(person)
        # A busy machine draws it later than the pane is there.
        await until(person, lambda: any(set(line) & set("▀▄█▌▐▛▜▙▟") for line in shown(graph)))
        assert len(shown(graph)) == 3
