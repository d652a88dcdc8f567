"""Tests the history of a game with variations, as a list of rows and as a tree."""

from __future__ import annotations

import random

import pytest
from rich.style import Style

from daoqi_tui.engine import Game, Node
from daoqi_tui.play.session import GameSetup, Session
from daoqi_tui.tui.panes.history import history_rows
from daoqi_tui.tui.panes.study import TreePane, lay_out
from tests.tui.driving import Person, playing, until

pytestmark = pytest.mark.usefixtures("every_frame")


def line(game: Game, *names: str) -> None:
    """Play a line from the start."""
    game.goto(game.root)
    for name in names:
        if name == "pass":
            game.pass_turn()
        else:
            game.play(game.torus.parse(name))


def listed(game: Game) -> str:
    """Return the rows indented by depth, with ``*`` where a variation begins."""
    lines = []
    for node, depth, first in history_rows(game.root):
        name = "start" if node.move is None else "pass" if node.move.is_pass else game.torus.name(node.move.point)
        lines.append("  " * depth + ("*" if first else "") + f"{node.number} {name}")
    return "\n".join(lines)


def expected(text: str) -> str:
    lines = [line for line in text.split("\n") if line.strip()]
    indent = min(len(line) - len(line.lstrip()) for line in lines)
    return "\n".join(line[indent:] for line in lines)


def test_a_game_without_moves_is_its_start() -> None:
    assert listed(Game(5)) == "0 start"


def test_a_line_without_variations() -> None:
    game = Game(5)
    line(game, "A1", "pass", "C3")
    assert listed(game) == expected("""
        0 start
        1 A1
        2 pass
        3 C3
        """)


def test_a_variation_stands_below_the_move_it_replaces_and_the_main_line_goes_on() -> None:
    game = Game(5)
    line(game, "A1", "B2", "C3")
    line(game, "A1", "D4", "E5")
    assert listed(game) == expected("""
        0 start
        1 A1
        2 B2
          *2 D4
          3 E5
        3 C3
        """)


def test_several_variations_keep_their_order() -> None:
    game = Game(5)
    line(game, "A1", "B2")
    line(game, "B1", "B3")
    line(game, "C1")
    assert listed(game) == expected("""
        0 start
        1 A1
          *1 B1
          2 B3
          *1 C1
        2 B2
        """)


def test_a_variation_within_a_variation_lies_one_step_deeper() -> None:
    game = Game(5)
    line(game, "A1", "B2", "C3", "D4")
    line(game, "A1", "B3", "C4", "D5")
    line(game, "A1", "B3", "C5")
    assert listed(game) == expected("""
        0 start
        1 A1
        2 B2
          *2 B3
          3 C4
            *3 C5
          4 D5
        3 C3
        4 D4
        """)


def test_random_trees_list_every_node_once_below_its_parent() -> None:
    pick = random.Random(5)
    for _ in range(30):
        game = Game(5)
        nodes = [game.root]
        for _move in range(60):
            game.goto(pick.choice(nodes[-12:]))
            legal = game.legal_points()
            if legal:
                node = game.play(pick.choice(legal))
                if node not in nodes:
                    nodes.append(node)
        rows = history_rows(game.root)
        places = {row.node: place for place, row in enumerate(rows)}
        assert len(rows) == len(places) == len(nodes)
        for node, depth, first in rows[1:]:
            parent = node.parent
            assert parent is not None
            assert places[parent] < places[node]
            assert first == (node is not parent.children[0])
            assert depth == rows[places[parent]].depth + first


async def tree_of(person: Person, game: Game) -> TreePane:
    """Show a game and its tree."""
    person.screen.begin(Session(GameSetup(size=9), game))
    await person.press("tab")
    await until(person, lambda: person.screen.query("#tree"))
    tree = person.screen.query_one("#tree", TreePane)
    await until(person, lambda: tree.content_size.width)
    return tree


async def test_of_a_wide_tree_only_the_visible_columns_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Node] = []

    def sign(node: Node) -> str:
        made.append(node)
        return "●"

    monkeypatch.setattr("daoqi_tui.tui.panes.study._sign", sign)
    game = Game(9)
    for point in range(81):
        game.goto(game.root)
        game.play(point)
    async with playing(setup=GameSetup(size=9)) as person:
        tree = await tree_of(person, game)
        width = tree.content_size.width
        for node in (game.root, game.root.children[80], game.root.children[40]):
            person.screen.match.goto(node)
            await person.wait()
            made.clear()
            moves = tree.render_line(1)
            assert node.number == 0 or node in made
            assert len(made) <= width // 2
            assert moves.cell_length == width
            assert moves.text.startswith("  1 ●─●─●─")
        tree.render_line(0)
        assert game.root not in made, "the root stands in the first column, to the left of what is in view"


async def test_in_the_tree_the_current_stone_has_its_colour_and_no_row_is_empty_below_the_last() -> None:
    game = Game(9)
    for point in range(60):
        game.play(point)
    async with playing(setup=GameSetup(size=9)) as person:
        tree = await tree_of(person, game)
        for number in (60, 59):
            person.screen.match.goto(game.root.line()[number - 1])
            await person.wait()
            rows = [tree.render_line(y) for y in range(tree.content_size.height)]
            assert rows[-1].text.startswith(" 60 ")
            assert game.node.move is not None
            colour = game.node.move.colour
            row = next(row for row in rows if row.text.startswith(f" {number} "))
            stone = next(segment.style for segment in row if segment.text == person.screen.stone_signs.sign(colour))
            assert stone == person.screen.stone_signs.style(colour, Style.null())
            highlight = tree.get_component_rich_style("tree--current").bgcolor
            assert highlight in {segment.style.bgcolor for segment in row if segment.style}


def test_the_width_of_a_tree_is_that_of_its_widest_row() -> None:
    game = Game(5)
    line(game, "A1", "B2", "C3")
    line(game, "A1", "D4", "E5")
    line(game, "B1")
    layout = lay_out(game.root)
    assert layout.width == 1 + max(column for _row, column in layout.places.values()) == 2


def test_a_long_game_needs_no_recursion() -> None:
    game = Game(5)
    for _ in range(1500):
        game.pass_turn()
        if game.is_over:
            game.resume()
    assert len(history_rows(game.root)) == 1501
