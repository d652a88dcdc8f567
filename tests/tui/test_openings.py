"""The opening browser: all classes, the moves from each, and games of the library, by keyboard and mouse."""

from __future__ import annotations

import gzip
import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from textual import events
from textual.containers import VerticalScroll
from textual.content import Content
from textual.strip import Strip
from textual.widgets import OptionList, Static

from daoqi_tui.analysis import opening
from daoqi_tui.engine import PASS
from daoqi_tui.i18n import LANGUAGES, use_language
from daoqi_tui.paths import assets_folder, library_folder
from daoqi_tui.pictures.palettes import BOARDS, contrast
from daoqi_tui.play.evaluation import Evaluation
from daoqi_tui.play.openings import OpeningBrowser
from daoqi_tui.play.session import GameSetup
from daoqi_tui.tui.features.openings.screen import OpeningCard, OpeningScreen, OpeningsScreen
from daoqi_tui.tui.look import Options
from daoqi_tui.tui.panes.minimap import SmallBoard
from daoqi_tui.tui.screens import Picker, Question
from tests.tui.driving import Person, playing, until

SMALL = GameSetup(9, 4)
GAME = "(;GM[1]SZ[9]TO[3]RU[Daoqi]PB[Li]PW[Ke];B[ee];W[fg];B[cc];W[gg];B[cg])"


async def open_page(person: Person) -> OpeningsScreen:
    await person.press("O")
    await until(person, lambda: isinstance(person.app.screen, OpeningsScreen))
    return person.open(OpeningsScreen)


def rows(person: Person) -> list[str]:
    options = person.app.screen.query_one(OptionList)
    return [str(options.get_option_at_index(place).prompt) for place in range(options.option_count)]


async def open_first(person: Person) -> OpeningScreen:
    """Open the first class by keyboard."""
    await open_page(person)
    await person.press("enter")
    await until(person, lambda: isinstance(person.app.screen, OpeningScreen) and bool(rows(person)))
    return person.open(OpeningScreen)


@pytest.mark.parametrize("board", BOARDS)
async def test_what_is_highlighted_is_read_in_every_theme(board: str) -> None:
    """The numbers of cards and the names of the best points had the colour of the highlight itself."""

    def least(lines: list[Strip]) -> float:
        styles = [each.style for line in lines for each in line if each.style and each.text.strip(" ▀")]
        pairs = [(style.color, style.bgcolor) for style in styles if style.color and style.bgcolor]
        return min(contrast(ink.get_truecolor(), ground.get_truecolor(foreground=False)) for ink, ground in pairs)

    async with playing((80, 24), options=Options(board=board, motion="reduced")) as person:
        page = await open_page(person)
        card = page.highlighted
        await until(person, lambda: card.size.height)
        await person.wait()
        assert least([card.render_line(y) for y in range(card.size.height)]) >= 3
        await person.press("enter")
        await until(person, lambda: isinstance(person.app.screen, OpeningScreen) and bool(rows(person)))
        await person.wait()
        assert least([person.app.screen.query_one(OptionList).render_line(0)]) >= 4


@pytest.mark.usefixtures("every_frame")
async def test_only_cards_in_view_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = []
    draw = OpeningCard._draw

    def note(card: OpeningCard, *given: Any, **named: Any) -> list[Strip]:
        drawn.append(card)
        return draw(card, *given, **named)

    monkeypatch.setattr(OpeningCard, "_draw", note)
    async with playing() as person:
        await person.press("O")
        page = person.open(OpeningsScreen)
        scrolled = page.query_one(VerticalScroll)
        await until(person, lambda: drawn)
        await person.wait()
        in_view = [card for card in page.cards if card.region.overlaps(scrolled.region)]
        assert set(drawn) == set(in_view)
        assert len(drawn) == len(in_view) < len(page.cards) / 2
        await person.press("end")
        await until(person, lambda: page.cards[-1] in drawn)


async def test_classes_are_sorted_and_one_is_opened_by_key() -> None:
    async with playing(setup=SMALL) as person:
        page = await open_page(person)
        assert [card.number for card in page.cards] == list(range(1, 15))
        assert "at the fair komi" in str(page.query_one("#openings-made", Static).content)
        assert "Fair komi" in str(page.query_one("#openings-made", Static).content)
        await person.press("right", "right", "left")
        assert page.highlighted.number == 2
        await person.press("s")
        assert page.highlighted.number == 2, "the highlight stays on its class"
        assert "Best for White first" in str(_hints(page))
        await person.press("enter")
        await person.wait()
        deeper = person.open(OpeningScreen)
        assert "Black to move" in str(deeper.query_one("#opening").border_title)
        assert len(rows(person)) > 10
        await person.press("down", "enter")
        assert "White to move" in str(deeper.query_one("#opening").border_title)
        await person.press("escape", "escape")
        await person.wait()
        assert person.open(OpeningsScreen).highlighted.number == 2
        await person.press("escape")
        await person.wait()
        assert person.at_the_board


async def test_the_classes_stand_in_the_order_that_is_named_after_one_was_looked_at() -> None:
    async with playing(setup=SMALL) as person:
        page = await open_page(person)
        await person.press("enter")
        await until(person, lambda: isinstance(person.app.screen, OpeningScreen))
        await person.press("escape")
        await until(person, lambda: person.app.screen is page)
        await person.wait()
        assert "Nearest first" in str(page.query_one("#openings").border_subtitle)
        assert [card.number for card in page.cards] == list(range(1, 15))


async def test_two_clicks_at_once_open_one_class() -> None:
    async with playing(setup=SMALL) as person:
        page = await open_page(person)
        await person.wait()
        page.action_open()
        page.action_open()
        await person.wait()
        person.open(OpeningScreen)
        await person.press("escape")
        await until(person, lambda: person.app.screen is page)


async def test_a_click_meant_for_the_screen_before_does_nothing_on_the_one_that_it_opened() -> None:
    """The hints of both screens name the same actions; the second of two clicks may find the next screen unmounted."""
    async with playing(setup=SMALL) as person:
        page = await open_page(person)
        await person.wait()
        page.action_open()
        opened = person.open(OpeningScreen)
        assert not opened.is_mounted
        hint = page.query("#openings Static").first()
        assert await person.app.run_action("screen.sort", hint)
        assert await person.app.run_action("screen.sort", opened)
        await until(person, lambda: opened.is_mounted and bool(rows(person)))
        order = opened._browser.order
        assert await person.app.run_action("screen.sort", hint)
        assert opened._browser.order == order
        opened.dismiss(None)
        await until(person, lambda: person.app.screen is page and not opened.is_attached)
        assert await person.app.run_action("screen.sort", opened)


async def test_all_of_it_goes_by_mouse() -> None:
    async with playing(setup=SMALL) as person:
        page = await open_page(person)
        card = page.cards[3]
        assert card.number == 4
        await person.click_widget(card)
        await until(person, lambda: isinstance(person.app.screen, OpeningScreen))
        options = person.app.screen.query_one(OptionList)
        x, y, _width, _height = options.region
        before = rows(person)
        await person.click(x + 2, y + 1)
        await until(person, lambda: rows(person) != before)
        assert "White to move" in str(person.app.screen.query_one("#opening").border_title)
        await person.click(0, 0)
        await person.wait()
        assert isinstance(person.app.screen, OpeningScreen), "the page fills the window"


@pytest.mark.parametrize("place", [0, 5])
async def test_a_click_meant_for_moves_that_are_listed_no_more_does_nothing(place: int) -> None:
    async with playing(setup=SMALL) as person:
        page = await open_first(person)
        options = page.query_one(OptionList)
        x, y = options.region.x + 2, options.region.y + place
        style = page.get_style_at(x, y)
        assert style.meta["option"] == place
        click = events.Click(options, 2, place, 0, 0, 1, False, False, False, x, y, style)
        await person.press("down", "enter")
        assert rows(person) == []
        for key in ("s", "escape"):
            await person.press(key)
            before = rows(person), options.highlighted
            options.post_message(click)
            await person.settle()
            assert (rows(person), options.highlighted) == before


async def test_two_clicks_at_once_make_one_move() -> None:
    async with playing(setup=SMALL) as person:
        page = await open_first(person)
        options = page.query_one(OptionList)
        browser, known, option = page._browser, page._rows, options.get_option_at_index(0)
        moves = len(browser.moves)
        browser.continuations = lambda: [row for row in known if row.point not in browser.moves]  # type: ignore[method-assign]
        for _click in range(2):
            options.post_message(OptionList.OptionSelected(options, option, 0))
        await person.settle()
        assert len(browser.moves) == moves + 1


async def test_a_position_is_searched_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, ...]] = []

    async def analyse(_players: object, game: object, node: object, budget: object) -> Evaluation:
        from daoqi_tui.ai import Candidate

        asked.append(tuple(each.move.point for each in node.path() if each.move))  # type: ignore[attr-defined]
        return Evaluation(0.4, -2.0, 90, "network", lines=(Candidate(80, 88, 0.6, (80,), -2.0),))

    monkeypatch.setattr("daoqi_tui.play.analyst.analyse", analyse)
    async with playing(setup=SMALL) as person:
        await open_page(person)
        await person.press("enter")
        await until(person, lambda: isinstance(person.app.screen, OpeningScreen))
        await person.press("down", "enter")
        assert rows(person) == []
        assert not person.session.helped
        await person.press("a")
        await until(person, lambda: rows(person))
        assert person.session.helped, "a game is not rated with a search beside it"
        assert len(asked[0]) == 3
        assert "40.0%" in rows(person)[0]
        assert "88 *" in rows(person)[0]
        assert "network, 90 visits" in str(person.app.screen.query_one("#opening-about", Static).content)
        assert "searched now" in str(person.app.screen.query_one("#complaint", Static).content)


async def test_games_of_the_library_are_listed_and_opened() -> None:
    folder = library_folder()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "knight\x1b[31m.sgf").write_text(GAME)
    async with playing(setup=SMALL) as person:
        await person.press("O", "escape")
        await until(person, lambda: person.screen.openings.index and person.screen.openings.index.sizes())
        page = await open_page(person)
        card = next(card for card in page.cards if card.number == 4)
        assert any("1 game" in card.render_line(y).text for y in range(card.size.height))
        await person.click_widget(card)
        await until(person, lambda: isinstance(person.app.screen, OpeningScreen))
        await person.press("g")
        assert rows(person) == ["knight␛[31m"]
        await person.press("escape")
        assert len(rows(person)) > 10
        await person.press("g", "enter")
        await until(person, lambda: person.at_the_board and "Li" in person.text("#game"))


async def test_games_with_the_position_are_found_and_opened_there() -> None:
    """Here it came about in another order, and is turned by a quarter and shifted."""
    folder = library_folder()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "two.sgf").write_text(f"(;GM[1]SZ[9]TO[3]PB[An];B[aa]){GAME}")
    async with playing(setup=SMALL) as person:
        for name in ("D2", "H5", "F4"):
            await person.play(name)
        await person.press("ctrl+f")
        await until(person, lambda: isinstance(person.app.screen, Picker))
        assert rows(person)[0] == "This position"
        await person.press("enter")
        await until(person, lambda: isinstance(person.app.screen, Picker) and rows(person) == ["two: move 3"])
        assert "White" in person.question(), "the move played next"
        assert person.session.helped
        await person.press("enter")
        # The game on the board is not finished.
        await until(person, lambda: isinstance(person.app.screen, Question))
        await person.press("y")
        await until(person, lambda: person.at_the_board and "Li" in person.text("#game"))
        assert (person.game.node.number, str(person.game.to_move)) == (3, "2")
        # Escape ends a search and its process, which the next one starts anew.
        openings = person.screen.openings
        first = openings._reader.pid
        assert first is not None
        os.kill(first, signal.SIGSTOP)
        person.screen.cursor.point = person.game.torus.parse("E5", "daoqi")
        await person.press("ctrl+f")
        await until(person, lambda: isinstance(person.app.screen, Picker))
        await person.press("enter")
        await until(person, lambda: person.at_the_board and "Searching the library …" in person.status)
        assert "Esc stops" in person.status
        await person.press("escape")
        await until(person, lambda: "Search stopped" in person.status and openings._reader.pid is None)
        # The shape around the cursor, where no stone is, is none.
        person.screen.cursor.point = 8
        await person.press("ctrl+f")
        await until(person, lambda: isinstance(person.app.screen, Picker))
        await person.press("down", "enter")
        await until(person, lambda: "no stone in this shape" in person.status)


async def test_without_a_game_it_says_so() -> None:
    async with playing(setup=SMALL) as person:
        await open_page(person)
        await person.press("enter")
        await until(person, lambda: isinstance(person.app.screen, OpeningScreen))
        await person.press("g")
        assert "No game in your library" in str(person.app.screen.query_one("#complaint", Static).content)


@pytest.mark.parametrize("window", [(80, 24), (120, 40), (200, 60)])
async def test_names_of_openings_are_shown_whole(window: tuple[int, int]) -> None:
    async with playing(window) as person:
        page = await open_page(person)
        await person.wait()
        for card in page.cards:
            lines = [strip.text for strip in card._draw()][-3:]
            kind = next(kind for kind in opening.opening_classes(16) if kind.number == card.number)
            assert kind.name.in_language("en").split() == " ".join(lines[1:]).split(), lines


async def test_a_row_of_cards_ends_before_the_boards_of_the_next() -> None:
    async with playing(setup=SMALL) as person:
        page = await open_page(person)
        first, below = page.cards[0].region, page.cards[page._columns()].region
        assert below.y > first.bottom


@pytest.mark.parametrize("window", [(80, 24), (40, 15), (200, 60)])
async def test_it_fits_every_window(window: tuple[int, int]) -> None:
    async with playing(window, setup=SMALL) as person:
        page = await open_page(person)
        assert len(page.query(OpeningCard)) == 14
        await person.press("end", "up", "down", "home", "enter")
        await until(person, lambda: isinstance(person.app.screen, OpeningScreen))
        assert person.app.screen.query_one(OptionList).size.height >= 3
        await person.resize(100, 30)
        assert isinstance(person.app.screen, OpeningScreen)


async def test_a_board_and_its_name_are_seen_whole_in_the_smallest_window() -> None:
    async with playing((40, 14)) as person:
        page = await open_page(person)
        await person.wait()
        card, seen = page.highlighted, page.query_one("#openings VerticalScroll").region
        name = next(row for row in range(card.size.height) if "contact" in card.render_line(row).text)
        assert seen.y <= card.region.y
        assert card.region.y + name < seen.bottom


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("window", [(80, 24), (120, 40)])
async def test_what_is_said_of_an_opening_is_whole_and_right_below_its_board(
    language: str, window: tuple[int, int]
) -> None:
    use_language(language)
    async with playing(window, GameSetup(size=9)) as person:
        screen = await open_first(person)
        board, about = screen.query_one(SmallBoard), screen.query_one("#opening-about")
        assert board.region.bottom == about.region.y
        assert len({segment.style for segment in board.render_line(board.size.height - 1)}) > 1, "its last row is drawn"
        said = screen.query_one("#complaint", Static)
        assert cell_len(str(screen._browser.describe_made())) <= said.content_region.width


async def test_the_keys_named_fit_the_window_of_now() -> None:
    async with playing(setup=SMALL) as person:
        page = await open_page(person)
        before = _hints(page)
        await person.resize(40, 30)
        assert _hints(page).cell_length <= 34 < before.cell_length


def _hints(page: OpeningsScreen) -> Content:
    return Content.from_markup(str(page.query_one("#openings").border_subtitle))


async def test_a_pass_takes_the_same_cells_as_a_point_in_either_language() -> None:
    async with playing(setup=SMALL) as person:
        page = await open_first(person)
        entry = next(entry for entry in page._rows if entry.standing is not None)
        for code in ("zh", "en"):
            use_language(code)
            moves = [page._row(replace(entry, point=point)).plain for point in (PASS, entry.point)]
            assert cell_len(moves[0]) == cell_len(moves[1]), moves


WHOLE = (assets_folder() / opening.SHIPPED).read_bytes()
DAMAGED = {
    "empty": b"",
    "cut off": WHOLE[: len(WHOLE) // 2],
    "one byte changed": WHOLE[:900] + bytes([WHOLE[900] ^ 255]) + WHOLE[901:],
    "another file": b"(;GM[1]SZ[9])",
    "other JSON": gzip.compress(b"[1, 2, 3]"),
    "values missing": gzip.compress(b'{"format": 2, "made": {}, "sizes": {"9": {}}}'),
    "nested": gzip.compress(b"[" * 100_000),
    "another version": gzip.compress(b'{"format": 99}'),
}


@pytest.fixture
def assets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for the file of opening values, instead of the one that comes with the program."""
    monkeypatch.setattr(opening, "assets_folder", lambda: tmp_path)
    opening.shipped_values.cache_clear()
    yield tmp_path
    opening.shipped_values.cache_clear()


@pytest.mark.parametrize("kind", DAMAGED)
def test_whatever_damages_the_file_of_opening_values_is_one_sentence(kind: str, assets: Path) -> None:
    file = assets / opening.SHIPPED
    file.write_bytes(DAMAGED[kind])
    browser = OpeningBrowser(9)
    assert browser.describe_made() == f"{file} is damaged: install the program again."
    assert browser.describe_fair_komi() == ""
    assert len(browser.classes()) == 14
    use_language("zh")
    assert browser.describe_made() == f"{file} 已损坏，请重新安装本程序。"


def test_a_file_of_opening_values_that_cannot_be_read_is_named(assets: Path) -> None:
    file = assets / opening.SHIPPED
    file.mkdir()
    assert OpeningBrowser(9).describe_made() == f"{file} cannot be read: Is a directory."


async def test_with_a_damaged_file_of_opening_values_the_openings_and_the_game_go_on(assets: Path) -> None:
    (assets / opening.SHIPPED).write_bytes(DAMAGED["cut off"])
    async with playing(setup=SMALL) as person:
        await person.play("C3")
        page = await open_page(person)
        assert "is damaged: install the program again" in str(page.query_one("#openings-made", Static).content)
        await person.press("enter")
        await until(person, lambda: isinstance(person.app.screen, OpeningScreen))
        await person.press("escape", "escape")
        await person.play("D4")
        assert len(person.moves) == 2
