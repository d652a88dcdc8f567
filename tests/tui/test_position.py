"""The position editor: by keyboard or mouse alone, for a new game or inserted into the current one."""

from __future__ import annotations

import pytest
from textual.events import MouseDown, MouseScrollDown, MouseUp
from textual.widgets import Static

from daoqi_tui.engine import BLACK, WHITE
from daoqi_tui.play.session import Computer, GameSetup
from daoqi_tui.record.sgf.markup import labels
from daoqi_tui.tui.board.lines import GUTTER, HEADER
from daoqi_tui.tui.features.problems.position import PositionScreen
from daoqi_tui.tui.look import ASCII, Options
from daoqi_tui.tui.screens import Prompt, Question
from tests.tui.driving import Person, playing, screen_place, until
from tests.tui.thinkers import analysed_by


def _place(person: Person, screen: PositionScreen, name: str) -> tuple[int, int]:
    torus, board = screen.editor.torus, screen.board
    return screen_place(board, *torus.position(torus.parse(name)))


async def _opened(person: Person) -> PositionScreen:
    await person.press("f6")
    await until(person, lambda: isinstance(person.app.screen, PositionScreen))
    screen = person.open(PositionScreen)
    # The hints are in their place once the screen is laid out.
    hints = screen.query_one("#position-hints")
    await until(person, lambda: hints.region.bottom == screen.size.height and hints.region.height == 1)
    return screen


async def _click_text(person: Person, screen: PositionScreen, selector: str, text: str) -> None:
    """Click the first letter of a text in a ``Static``."""
    static = screen.query_one(selector, Static)
    lines = str(static.content).split("\n")
    row = next(row for row, line in enumerate(lines) if text in line)
    x = static.content_region.x + lines[row].index(text)
    await person.mouse(MouseDown, x, static.content_region.y + row, 1)
    await person.mouse(MouseUp, x, static.content_region.y + row, 1)


async def test_by_keys_a_new_game_begins_there() -> None:
    async with playing(setup=GameSetup(9)) as person:
        await _opened(person)
        await person.press("enter", "l", "w", "space", "j", "5", "enter", "t")
        await person.press("c")
        await until(person, lambda: isinstance(person.app.screen, Prompt))
        await person.enter_text("Input", "0.5")
        await person.press("enter")
        await until(person, lambda: isinstance(person.app.screen, PositionScreen))
        await person.press("n")
        await until(person, lambda: person.at_the_board and person.session.info is not None)
        game = person.game
        assert person.position.count("X") == person.position.count("O") == 1
        assert (game.to_move, game.komi, game.torus.size) == (WHITE, 0.5, 9)
        assert list(labels(game.node, 9).values()) == ["A"]


@pytest.mark.parametrize(("typed", "komi"), [("", 4), ("999", None), ("6.5目", None), ("-3.75", -3.75)])
async def test_the_komi_is_read_as_in_a_new_game_and_stays_where_nothing_is_typed(
    typed: str, komi: float | None
) -> None:
    async with playing(setup=GameSetup(9)) as person:
        screen = await _opened(person)
        await person.press("c")
        await until(person, lambda: isinstance(person.app.screen, Prompt))
        await person.enter_text("Input", typed)
        await person.press("enter")
        if komi is None:
            assert "Komi must be a number" in person.question()
            await person.press("escape")
        await until(person, lambda: person.app.screen is screen)
        assert screen.editor.komi == (4 if komi is None else komi)


async def test_it_is_analysed_without_the_players_of_the_game() -> None:
    async with playing(setup=GameSetup(9, white_seat=Computer(3))) as person:
        analyst = analysed_by(person)
        await _opened(person)
        await person.press("enter", "l", "2", "enter", "W")
        await until(person, lambda: person.at_the_board and person.screen.analysis.best is not None)
        assert person.screen.analysis.on
        assert person.session.persons == (BLACK, WHITE)
        assert len(analyst.asked) == 1


async def test_by_mouse_it_goes_into_the_game() -> None:
    async with playing((100, 30), GameSetup(9)) as person:
        await person.play("C3", "D4")
        screen = await _opened(person)
        await _click_text(person, screen, "#position-tools", "White stone")
        await person.click(*_place(person, screen, "F6"))
        await person.click(*_place(person, screen, "G6"))
        await person.click(*_place(person, screen, "G6"))
        await _click_text(person, screen, "#position-tools", "Black to move")
        await _click_text(person, screen, "#position-tools", "Into the game")
        await until(person, lambda: person.at_the_board)
        game = person.game
        assert game.board.colours[game.torus.parse("F6")] == WHITE
        assert game.board.colours[game.torus.parse("G6")] == 0
        assert game.to_move == WHITE
        await person.play("E5")
        assert person.moves == ["C3", "D4", "E5"]
        assert game.board.colours[game.torus.parse("C3")] == BLACK


async def test_it_goes_into_the_game_where_it_was_made_though_moves_were_played_meanwhile() -> None:
    async with playing(setup=GameSetup(9)) as person:
        await person.play("C3", "D4")
        made_at = person.game.node
        await _opened(person)
        await person.press("enter")
        person.screen.match.play(person.game.torus.parse("G7"))
        played = person.game.node
        await person.press("i")
        await until(person, lambda: person.at_the_board)
        game = person.game
        assert game.node.parent is made_at
        assert made_at.children == (played, game.node)
        assert person.position.count("X") == 2
        assert game.board.colours[game.torus.parse("D4")] == WHITE


async def test_a_replay_stops_when_a_position_is_set_up() -> None:
    async with playing(setup=GameSetup(9)) as person:
        await person.play("C3", "D4", "E5", "F6")
        await person.press("home", "a")
        assert person.screen.replay.on
        await _opened(person)
        assert not person.screen.replay.on


async def test_it_goes_into_no_game_that_ended_meanwhile() -> None:
    async with playing(setup=GameSetup(9)) as person:
        await person.play("C3", "D4")
        session, nodes = person.session, len(list(person.game.root.walk()))
        await _opened(person)
        await person.press("enter")
        # As if the players had continued meanwhile, so that the game is no longer at the node that was edited.
        person.screen.match.play(person.game.torus.parse("G7"))
        person.screen.match.resign()
        ended = person.game.node
        await person.press("i")
        await until(person, lambda: "The game ended while you were editing" in person.status)
        assert person.session is session
        assert person.game.node is ended
        assert len(list(person.game.root.walk())) == nodes + 1


async def test_it_goes_beside_an_earlier_move_of_a_game_that_was_over() -> None:
    async with playing(setup=GameSetup(9)) as person:
        await person.play("C3", "D4")
        made_at = person.game.node.parent
        person.screen.match.resign()
        await person.press("escape", "left_square_bracket")
        assert person.game.node is made_at
        await _opened(person)
        await person.press("enter", "i")
        await until(person, lambda: person.at_the_board)
        assert person.game.node.parent is made_at


async def test_it_goes_nowhere_where_its_move_was_deleted() -> None:
    async with playing(setup=GameSetup(9)) as person:
        await person.play("C3", "D4")
        made_at = person.game.node
        await _opened(person)
        await person.press("enter")
        person.game.delete(made_at)
        await person.press("i")
        await until(person, lambda: "The move you started from was deleted" in person.status)
        assert person.moves == ["C3"]
        assert not person.game.node.children


async def test_the_board_looks_as_chosen() -> None:
    async with playing(setup=GameSetup(9), options=Options(board="slate", glyphs="ascii", names="sgf")) as person:
        board = (await _opened(person)).board
        assert (board.palette, board.glyphs) == (person.board.palette, person.board.glyphs)
        assert (board.glyphs, board.lines.names) == (ASCII, "sgf")


async def test_leaving_asks_where_something_was_changed() -> None:
    async with playing((80, 24), GameSetup(9)) as person:
        await _opened(person)
        await person.press("escape")
        await until(person, lambda: person.at_the_board)
        await _opened(person)
        await person.press("enter", "escape")
        await until(person, lambda: isinstance(person.app.screen, Question))
        await person.press("n")
        await until(person, lambda: isinstance(person.app.screen, PositionScreen))
        await person.press("u", "escape")
        await until(person, lambda: person.at_the_board)
        assert "X" not in person.position


async def test_a_chain_that_cannot_stand_is_told() -> None:
    async with playing((100, 30), GameSetup(5)) as person:
        screen = await _opened(person)
        for point in range(screen.editor.torus.points):
            screen.editor.apply(point, "black")
        await person.press("n")
        assert "has no liberty" in str(screen.query_one("#position-said", Static).content)
        assert person.app.screen is screen


@pytest.mark.parametrize("size", [(60, 24), (80, 24), (80, 27), (120, 40)])
async def test_every_tool_is_seen(size: tuple[int, int]) -> None:
    async with playing(size, GameSetup(9)) as person:
        tools = (await _opened(person)).query_one("#position-tools", Static)
        assert str(tools.content).count("\n") < tools.content_region.height


@pytest.mark.parametrize("size", [(40, 14), (60, 20), (75, 24)])
async def test_a_message_is_seen_whole_in_a_narrow_window(size: tuple[int, int]) -> None:
    async with playing(size, setup=GameSetup(9)) as person:
        screen = await _opened(person)
        board, said = screen.board.region, screen.query_one("#position-said", Static)
        await person.press("p")
        words = "Which chain? Put the cursor on it, or a mark on one of its stones"
        assert str(said.content) == words
        await until(person, lambda: said.region.bottom == size[1] or size[0] > len(words))
        shown = " ".join(said.render_line(y).text.strip() for y in range(said.region.height))
        assert shown.strip() == words
        assert screen.board.region == board
        await person.press("b")
        hints = screen.query_one("#position-hints")
        await until(person, lambda: hints.region.height == 1 and hints.region.bottom == size[1])
        assert screen.board.region == board


def _cursor_place(screen: PositionScreen) -> tuple[int, int]:
    cursor = screen.board.picture.cursor
    assert cursor is not None
    return screen.board.viewport.place_of(*screen.editor.torus.position(cursor))


async def test_the_cursor_stays_in_view_whatever_moves_the_window() -> None:
    async with playing((60, 20), setup=GameSetup(16)) as person:
        screen = await _opened(person)

        def in_view() -> bool:
            x, y = _cursor_place(screen)
            return 0 <= x < screen.board.viewport.width and 0 <= y < screen.board.viewport.height

        board = screen.board.region
        for _step in range(10):
            await person.mouse(MouseScrollDown, board.x + 10, board.y + 4)
            assert in_view()
        await person.press("b", "enter")
        assert bytes(screen.editor.stones).count(BLACK) == 1
        assert screen.editor.stones[screen.board.picture.cursor or 0] == BLACK
        # Centring a point at one edge moves the cursor's point at the other edge out of the window.
        await person.press("j")
        while _cursor_place(screen)[1] + 1 < screen.board.viewport.height:
            await person.press("j")
        await person.click(board.x + GUTTER + 1, board.y + HEADER, button=3)
        await until(person, in_view)
        await person.press("0")
        assert in_view()
        while _cursor_place(screen)[1] + 1 < screen.board.viewport.height:
            await person.press("j")
        await person.resize(60, 15)
        await until(person, in_view)
