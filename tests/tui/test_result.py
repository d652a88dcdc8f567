"""The result card: shown when a game ends, with the score and the biggest mistake; any command closes it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.cells import cell_len
from textual import events
from textual.containers import VerticalScroll
from textual.errors import NoWidget
from textual.geometry import Region
from textual.widget import Widget
from textual.widgets import Static

from daoqi_tui.i18n import LANGUAGES, _, use_language
from daoqi_tui.play.evaluation import Evaluation
from daoqi_tui.play.session import GameSetup
from daoqi_tui.tui.features.playing.result import ResultScreen
from daoqi_tui.tui.features.program.options import OptionsScreen
from daoqi_tui.tui.look import Options
from daoqi_tui.tui.panes.minimap import SmallBoard
from daoqi_tui.tui.screen import GameScreen
from daoqi_tui.tui.screens import Prompt
from tests.tui.driving import Person, playing, until

SMALL = GameSetup(size=5, black="Ada", white="Ben")
TWO_WALLS = """
    X . X O .
    X . X O .
    X . X O O
    X . X O .
    X . X O .
    """


@pytest.fixture
def _shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GameScreen, "shows_result", True)


async def card(person: Person) -> ResultScreen:
    await until(person, lambda: isinstance(person.app.screen, ResultScreen))
    await person.wait()
    return person.open(ResultScreen)


def words(screen: ResultScreen) -> str:
    return "\n".join(str(static.content) for static in screen.query(Static))


async def end_by_passes(person: Person) -> None:
    await person.press("p")
    await person.press("p", "y")


def stones_in(widget: Static) -> list[tuple[object, object]]:
    """Return the colours of the stones in a text, and those they stand on."""
    parts = (part for y in range(widget.size.height) for part in widget.render_line(y) if part.text.strip() == "●")
    return [(part.style.color.triplet, part.style.bgcolor.triplet) for part in parts]  # type: ignore[union-attr]


@pytest.mark.usefixtures("_shown")
async def test_stones_in_dialogs_have_the_colours_of_the_board() -> None:
    """In the colour of a text, a black stone would be light where texts are."""
    async with playing() as person:
        shades = person.board.palette.bright
        stones = [(shades.black, shades.board), (shades.white, shades.board)]
        await person.press("p", "p")
        assert stones_in(person.app.screen.query_one(".question", Static)) == stones
        await person.press("y")
        assert stones_in((await card(person)).query_one("#result-count", Static)) == stones


@pytest.mark.usefixtures("_shown")
@pytest.mark.parametrize("size", [(120, 40), (80, 24), (40, 14)])
async def test_it_is_shown_when_the_game_ends_and_copied_as_text(size: tuple[int, int]) -> None:
    async with playing(size) as person:
        await person.lay_out(TWO_WALLS)
        await end_by_passes(person)
        screen = await card(person)
        assert "Black wins by 5" in words(screen)
        await person.press("y")
        copied = person.app.clipboard
        assert copied.startswith(
            "Black wins by 5\n"
            "● Black\n"
            "  stones 10 + territory 5 − passes 1 = 14\n"
            "○ White\n"
            "  stones 6 + territory 0 − passes 1 + komi 4 = 9\n"
            "2 moves\n\n"
            "   A B C D E\n"
        )
        assert person.open(ResultScreen) is screen
        await person.press("escape")
        await until(person, lambda: person.at_the_board)
        await person.press("f4")
        await card(person)


@pytest.mark.usefixtures("_shown")
async def test_a_click_beside_the_card_closes_it_and_acts_there_but_plays_no_move() -> None:
    """As a key does: the hints and the panes stay in view."""
    async with playing((120, 40)) as person:
        await end_by_passes(person)
        await card(person)
        end, hints = person.game.node, person.screen.query_one("#hints")
        x = hints.render_line(0).text.index("Back") + hints.region.x
        await person.click(x, hints.region.y)
        await until(person, lambda: person.at_the_board and person.game.node is end.parent)
        await person.press("f4")
        await card(person)
        await person.click_point("D4")
        await until(person, lambda: person.at_the_board)
        await person.settle()
        assert person.game.node is end.parent
        assert not any(person.game.board.colours)


@pytest.mark.usefixtures("_shown")
async def test_a_click_beside_it_before_the_game_is_laid_out_anew_only_closes_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Textual raises NoWidget where nothing is laid out yet, as after a resize."""
    async with playing((80, 24)) as person:
        await end_by_passes(person)
        screen = await card(person)
        end = person.game.node

        def nothing(_x: int, _y: int) -> tuple[Widget, Region]:
            raise NoWidget

        monkeypatch.setattr(person.screen, "get_widget_at", nothing)
        screen.post_message(events.Click(screen, 1, 1, 0, 0, 1, False, False, False, 1, 1))
        await until(person, lambda: person.at_the_board)
        assert person.game.node is end


@pytest.mark.usefixtures("_shown")
@pytest.mark.parametrize("size", [(80, 24), (40, 14)])
async def test_what_is_said_of_the_clipboard_is_whole(size: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("daoqi_tui.tui.access.takes_clipboard", lambda _environment: False)
    async with playing(size) as person:
        await end_by_passes(person)
        hints = (await card(person)).query_one("#result-hints", Static)
        await person.press("y")
        await until(person, lambda: hints.size.height > 1)
        rows = " ".join(hints.render_line(y).text.strip() for y in range(hints.size.height))
        assert rows == "Copied, if this terminal allows it: paste it to check"


@pytest.mark.usefixtures("_shown")
@pytest.mark.parametrize("size", [(60, 14), (40, 14), (80, 19)])
async def test_in_a_low_window_the_count_is_in_view_and_the_rest_is_scrolled_to(size: tuple[int, int]) -> None:
    async with playing(size) as person:
        await person.lay_out(TWO_WALLS)
        await end_by_passes(person)
        screen = await card(person)
        assert screen.query_one("#result-count").region in screen.query_one("#result").content_region
        long = replace(screen._summary, play=tuple(f"{number} lost 2 points" for number in range(12)))
        screen.dismiss(None)
        screen = ResultScreen(long, person.game, person.game.node, person.screen.match.evaluations)
        person.app.push_screen(screen)
        await person.wait()
        page, view = screen.query_one(VerticalScroll), person.viewport
        assert page.max_scroll_y
        for _row in range(page.max_scroll_y):
            await person.press("down")
        await person.wait()
        assert person.open(ResultScreen) is screen
        assert person.viewport == view
        assert page.scroll_y == page.max_scroll_y
        dialog = screen.query_one("#result").content_region
        assert screen.query_one("#result-mistake").region.bottom <= dialog.bottom
        assert screen.query_one("#result-hints").region in dialog
        await person.press("up")
        assert page.scroll_y == page.max_scroll_y - 1
        await person.press("escape")
        await until(person, lambda: person.at_the_board)


@pytest.mark.usefixtures("_shown")
async def test_the_players_and_the_count_are_whole_in_the_smallest_window() -> None:
    async with playing((40, 14)) as person:
        await person.lay_out(TWO_WALLS)
        await end_by_passes(person)
        count = (await card(person)).query_one("#result-count")
        lines = [count.render_line(y).text.split() for y in range(count.size.height)]
        assert lines[0] == ["2", "moves", "●", "Black", "●", "White"]
        assert lines[1:] == [
            ["Stones", "10", "6"],
            ["Territory", "5", "0"],
            ["Passes", "−1", "−1"],
            ["Komi", "0", "4"],
            ["Total", "14", "9"],
        ]
        await person.resize(80, 24)
        assert count.render_line(1).text.split() == ["●", "Black", "10", "5", "−1", "0", "14"]


@pytest.mark.usefixtures("_shown")
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("resigned", [False, True])
async def test_what_may_follow_a_game_is_named_whole_in_each_window(language: str, resigned: bool) -> None:
    use_language(language)
    async with playing((80, 24)) as person:
        await person.lay_out(TWO_WALLS)
        await (person.press("R", "y") if resigned else end_by_passes(person))
        hints = (await card(person)).query_one("#result-hints", Static)
        for width in (80, 40, 120):
            await person.resize(width, 24)
            line = str(hints.content)
            assert cell_len(line) <= hints.content_region.width
            assert f"V {_('Review')}   n {_('New game')}" in line


@pytest.mark.usefixtures("_shown")
@pytest.mark.parametrize("size", [9, 13, 16])
async def test_no_row_of_the_card_is_empty_but_those_between_its_parts(size: int) -> None:
    async with playing((120, 40), GameSetup(size=size)) as person:
        await person.play("A1", "B1")
        await person.press("R", "y")
        screen = await card(person)
        assert "y Copy" in str(screen.query_one("#result-hints", Static).content)
        for part in screen.query("VerticalScroll > *").results(Widget):
            rows = [part.render_line(y) for y in range(part.size.height)]
            assert all(row.text.strip() or len({segment.style for segment in row}) > 1 for row in rows), part


@pytest.mark.usefixtures("_shown")
async def test_a_resignation_is_not_counted() -> None:
    async with playing(setup=SMALL) as person:
        await person.play("A1", "B1")
        await person.press("R", "y")
        screen = await card(person)
        assert "Black resigns: White wins" in words(screen)
        await person.press("y")
        assert person.app.clipboard.split("\n")[1:4] == ["● Black · Ada", "○ White · Ben", "2 moves"]


@pytest.mark.usefixtures("_shown")
@pytest.mark.parametrize(("key", "kind"), [("w", Prompt), ("o", OptionsScreen)])
async def test_the_key_of_any_command_closes_it_and_runs_the_command(key: str, kind: type) -> None:
    async with playing(setup=SMALL) as person:
        await person.play("A1")
        await person.press("R", "y")
        await card(person)
        await person.press(key)
        await until(person, lambda: isinstance(person.app.screen, kind))


@pytest.mark.usefixtures("_shown")
async def test_undo_takes_the_end_back_at_once() -> None:
    async with playing(setup=SMALL) as person:
        await person.play("A1")
        await person.press("R", "y")
        await card(person)
        await person.press("u")
        await until(person, lambda: person.at_the_board and not person.game.is_over)


@pytest.mark.usefixtures("_shown")
async def test_it_does_not_come_back_when_the_end_is_looked_at_again() -> None:
    async with playing(setup=SMALL) as person:
        await person.play("A1", "B1")
        await end_by_passes(person)
        await card(person)
        await person.press("left_square_bracket")
        await until(person, lambda: person.at_the_board)
        await person.press("end")
        await person.wait(0.2)
        assert person.at_the_board


async def test_before_the_end_there_is_none() -> None:
    async with playing(setup=SMALL) as person:
        await person.play("A1")
        await person.press("f4")
        await until(person, lambda: "not over yet" in person.status)
        assert person.at_the_board


async def test_it_names_the_move_after_which_the_win_rate_fell_most() -> None:
    async with playing(setup=SMALL) as person:
        await person.play("A1", "B1", "C1", "D1", "E1")
        nodes = person.game.node.path()[1:]
        for node, lead in zip(nodes, (0.0, 0.5, -6.5, -6.0, -6.0), strict=True):
            person.screen.match.evaluations.note(node, Evaluation(0.5, lead, 100, "network"), record=False)
        await person.press("R", "y")
        await until(person, lambda: person.game.is_over)
        await person.press("f4")
        shown = words(await card(person))
        assert "Move 3, Black C1: mistake, 7.0 points lost" in shown


async def test_it_names_what_a_review_marked_in_the_record() -> None:
    async with playing(setup=SMALL) as person:
        await person.play("A1", "B1", "C1")
        doubtful, bad = person.game.node.path()[1:3]
        doubtful.properties, bad.properties = {"DO": [""]}, {"BM": ["1"]}
        await person.press("R", "y")
        await until(person, lambda: person.game.is_over)
        await person.press("f4")
        assert "Biggest mistake: move 2, White B1" in words(await card(person))


@pytest.mark.usefixtures("_shown")
@pytest.mark.parametrize(("no_color", "glyphs", "stones"), [("1", "auto", "●○"), ("", "ascii", "XO")])
async def test_where_pixels_cannot_be_shown_the_board_is_written_in_signs(
    monkeypatch: pytest.MonkeyPatch, no_color: str, glyphs: str, stones: str
) -> None:
    monkeypatch.setenv("NO_COLOR", no_color)
    async with playing((100, 40), GameSetup(size=19), Options(glyphs=glyphs)) as person:
        await person.play("B1", "C1", "D19", "pass")
        await end_by_passes(person)
        screen = await card(person)
        board = screen.query_one(SmallBoard)
        rows = [board.render_line(y).text.split() for y in range(board.size.height)]
        black, white = stones
        assert len(rows) == 19
        assert rows[18] == ["·", black, white, *"·" * 16]
        assert rows[0] == ["·", "·", "·", black, *"·" * 15]
        assert all(row == ["·"] * 19 for row in rows[1:18])
