"""Windows of all sizes: wide, narrow, too small, and back; the game goes on through all of them."""

from __future__ import annotations

import pytest
from textual.command import CommandPalette

from daoqi_tui.tui.app import DaoqiApp
from daoqi_tui.tui.screens.dialogs import Question, TooSmall
from daoqi_tui.tui.session import GameSetup
from tests.tui.driving import playing

PANES = ("#turn", "#captures", "#passes", "#history")


@pytest.mark.parametrize("window", [(120, 40), (200, 60), (100, 20), (99, 30), (80, 24), (60, 20), (59, 19), (40, 14)])
async def test_every_part_has_its_place(window: tuple[int, int]) -> None:
    async with playing(window) as person:
        await person.wait()
        whole = person.screen.region
        board = person.board.region
        assert person.viewport.width >= 20
        assert person.viewport.height >= 5
        for name in (*PANES, "#status"):
            region = person.screen.query_one(name).region
            assert region.area > 0, name
            assert whole.contains_region(region), name
            assert not region.overlaps(board), name
        if window[0] >= 100:
            assert person.screen.query_one("#turn").region.x >= board.right
        else:
            assert person.screen.query_one("#turn").region.y >= board.bottom


async def test_the_game_goes_on_through_every_size() -> None:
    async with playing((120, 40)) as person:
        names = ["C3", "D4", "E5", "F6", "G7", "H8", "J9", "K10"]
        sizes = [(80, 24), (40, 14), (39, 13), (40, 14), (39, 40), (120, 13), (80, 24), (120, 40)]
        for name, (width, height) in zip(names, sizes, strict=True):
            await person.resize(width, height)
            if width < 40 or height < 14:
                sentence = str(person.open(TooSmall).query_one("#too-small").content)  # type: ignore[attr-defined]
                assert "40" in sentence
                assert "14" in sentence
                before = person.moves
                await person.press("enter", "p", "u")
                assert person.moves == before
                person.screen.choose(person.game.torus.parse(name))
            else:
                assert person.at_the_board
                assert person.viewport.width <= width
                await person.press("g")
                await person.enter_text("Input", name)
                await person.press("enter")
            assert person.moves[-1] == name
        assert person.moves == names
        assert all(name in " ".join(person.history_lines()) for name in names)


async def test_the_captures_are_written_in_the_form_that_fits() -> None:
    async with playing((120, 40), GameSetup(size=5)) as person:
        await person.lay_out(". . . . .\n. X . . .\nX O . . .\n. X . . .\n. . . . .\n")
        await person.play("C3")
        assert person.by_player("#captures") == ["took 1", "took 0"]
        await person.resize(80, 24)
        assert "1" in person.text("#captures")
        assert "took" not in person.text("#captures")
        await person.resize(120, 40)
        assert person.by_player("#captures") == ["took 1", "took 0"]


@pytest.mark.parametrize("window", [(120, 40), (80, 24), (40, 14)])
async def test_the_count_has_room_in_every_window(window: tuple[int, int]) -> None:
    async with playing(window) as person:
        await person.play("C3", "D4")
        await person.press("t")
        await person.wait()
        region = person.screen.query_one("#area").region
        assert region.area > 0
        assert person.screen.region.contains_region(region)
        lines = person.text("#area").split("\n")
        assert max(map(len, lines)) <= region.width


async def test_a_program_started_too_small_shows_its_board_when_the_window_grows() -> None:
    async with playing((30, 10)) as person:
        await person.wait()
        person.open(TooSmall)
        await person.resize(80, 24)
        assert person.at_the_board
        await person.press("enter")
        assert len(person.moves) == 1


async def test_a_question_waits_while_the_window_is_too_small() -> None:
    async with playing((80, 24)) as person:
        await person.press("p", "p")
        person.open(Question)
        await person.resize(30, 10)
        person.open(TooSmall)
        await person.press("y")
        assert person.moves == ["pass"]
        await person.resize(80, 24)
        person.open(Question)
        await person.press("y")
        assert person.moves == ["pass", "pass"]


async def test_nothing_else_opens_over_the_sentence_and_stays() -> None:
    async with playing((80, 24)) as person:
        await person.resize(30, 10)
        await person.press("ctrl+p")
        await person.wait()
        await person.resize(31, 10)
        await person.resize(80, 24)
        if isinstance(person.app.screen, CommandPalette):
            await person.press("escape")
            await person.wait()
        assert person.at_the_board
        await person.resize(30, 10)
        person.open(TooSmall)
        await person.resize(80, 24)
        assert person.at_the_board


async def test_who_starts_the_program_hears_of_the_first_frame_once() -> None:
    shown: list[bool] = []
    app = DaoqiApp(when_shown=lambda: shown.append(app.screen.is_attached))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await pilot.press("h", "enter")
        await pilot.pause()
        assert shown == [True]


@pytest.mark.parametrize("rows", [14, 16, 19])
async def test_a_wide_low_window_has_room_for_the_history(rows: int) -> None:
    async with playing((100, rows), setup=GameSetup(size=9)) as person:
        await person.play("C3", "D4", "E5", "F6", "G7")
        await person.wait()
        assert len([line for line in person.history_lines() if line]) >= 5
        assert person.text("#captures").split("\n")[0] == "Captures"
        await person.press("t")
        await person.wait()
        assert not person.screen.query_one("#captures").display
        assert person.text("#area").rstrip().endswith("White by 3")
        assert person.screen.query_one("#area").region.height == 4
        assert len([line for line in person.history_lines() if line]) >= 4
