"""The layout in windows of all sizes, including too small ones, and resizing during a game."""

from __future__ import annotations

import asyncio
import random
from collections import defaultdict
from itertools import pairwise

import pytest
from textual.command import CommandPalette
from textual.geometry import Region, Size
from textual.widget import Widget
from textual.widgets import Static
from textual.widgets._toast import Toast

from daoqi_tui.i18n import _, use_language
from daoqi_tui.play.evaluation import Evaluation
from daoqi_tui.play.match import View
from daoqi_tui.play.session import GameSetup, Session
from daoqi_tui.record.sgf.markup import comment
from daoqi_tui.tui.app import DaoqiApp
from daoqi_tui.tui.board import BoardView, largest_cell
from daoqi_tui.tui.features.program.lesson import LessonScreen
from daoqi_tui.tui.host import SidePane
from daoqi_tui.tui.look import Options
from daoqi_tui.tui.panes.history import HistoryPane
from daoqi_tui.tui.panes.minimap import MinimapPane
from daoqi_tui.tui.panes.study import GraphPane
from daoqi_tui.tui.screens import Question, TooSmall
from daoqi_tui.tui.screens.hinted import HintedScreen, StudyScreen
from daoqi_tui.tui.side import LONGEST_COMMENT, Panes
from tests.tui.driving import Person, playing, until
from tests.waiting import HANG

PANES = ("#game", "#history")


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
            assert person.screen.query_one("#game").region.x >= board.right
        else:
            assert person.screen.query_one("#game").region.y >= board.bottom


@pytest.mark.parametrize("window", [(120, 40), (60, 20)])
@pytest.mark.parametrize("keys", [("f2",), ("f7", "enter"), ("f6",)])
async def test_a_screen_with_its_own_board_is_laid_out_once(
    keys: tuple[str, ...], window: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: dict[BoardView, set[Size]] = defaultdict(set)
    resized = BoardView.on_resize

    def note(board: BoardView) -> None:
        sizes[board].add(board.size)
        resized(board)

    monkeypatch.setattr(BoardView, "on_resize", note)
    async with playing(window) as person:
        await person.press(*keys)
        await until(person, lambda: isinstance(person.app.screen, HintedScreen))
        board = person.app.screen.query_one(BoardView)
        await until(person, lambda: sizes[board])
        await person.wait(0.2)
        assert sizes[board] == {board.size}


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
                person.screen.playing.play_at(person.game.torus.parse(name))
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
        assert person.tallies() == ["captured 1  passes 0", "captured 0  passes 0"]
        for width, height in ((80, 24), (40, 14), (100, 14)):
            await person.resize(width, height)
            black, white, head = person.text("#game").split("\n")
            assert black.split()[-2:] == ["1", "0"]
            assert white.split()[-2:] == ["0", "0"]
            assert head.split() == ["Move", "2", "Captures", "Passes"]
            # The pane beside it may begin at once.
            assert max(map(len, (black, white, head))) < person.screen.query_one("#game").content_size.width
        await person.resize(120, 40)
        assert person.tallies() == ["captured 1  passes 0", "captured 0  passes 0"]


async def test_a_count_is_as_high_as_the_strip_below_the_board_also_where_it_was_begun_beside_it() -> None:
    async with playing((120, 40)) as person:
        await person.press("t")
        await until(person, lambda: bool(person.screen.query("#area")))
        await person.pilot.resize_terminal(80, 24)
        await until(person, lambda: person.text("#area").startswith("● 0+0"))
        await person.wait()
        assert person.screen.query_one("#area").region.height == person.screen.panes.region.height == 3


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


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_the_history_has_room_for_a_point_in_every_window(code: str) -> None:
    use_language(code)
    async with playing((40, 15)) as person:
        await person.play("L10")
        await person.press("p")
        await person.wait()
        history = person.screen.query_one(HistoryPane)
        shown = [history.render_line(y).text.split()[-1] for y in range(3)]
        assert shown == [_("start"), "L10", _("pass")]


async def test_the_menu_stays_on_the_status_line_of_a_low_window() -> None:
    async with playing((40, 15)) as person:
        await person.play("L10")
        await person.wait()
        line = person.screen.status.render_line(0).text
        assert "last: Black L10" in line
        assert line.rstrip().endswith("Menu")


async def test_the_end_of_a_game_is_said_in_whole_words_in_a_narrow_window() -> None:
    async with playing((40, 15)) as person:
        person.screen.begin(Session.opened(b"(;GM[1]SZ[9]TO[3]RE[W+R];B[aa];W[bb])"))
        await person.settle()
        await person.press("end")
        await person.wait()
        line = person.screen.status.render_line(0).text
        assert line.split("  ")[0].strip() == "Black resigns: White wins"
        assert line.rstrip().endswith("Menu")


async def test_a_comment_takes_the_place_of_the_table_in_a_narrow_window() -> None:
    record = b"(;GM[1]SZ[9]TO[3];B[aa]C[Black begins in a corner that is none.];W[bb])"
    async with playing((40, 15)) as person:
        person.screen.begin(Session.opened(record))
        await person.press("right_square_bracket")
        await person.wait()
        pane, table = person.screen.query_one("#comment"), person.screen.query_one("#game")
        assert pane.region.width >= 30
        assert not table.region.area
        await person.press("t")
        await person.wait()
        assert not pane.region.area
        assert table.region.area
        await person.press("t", "right_square_bracket")
        await person.wait()
        assert not pane.region.area
        assert table.region.area


async def test_only_the_beginning_of_a_comment_without_end_is_wrapped_and_shown() -> None:
    said = "word " * 10_000
    async with playing() as person:
        person.screen.begin(Session.opened(f"(;GM[1]SZ[9]TO[3];B[aa]C[{said}];W[bb])".encode()))
        await person.press("right_square_bracket")
        await person.wait()
        shown = str(person.screen.query_one("#comment Static", Static).content)
        assert shown.startswith("word word")
        assert len(shown) <= LONGEST_COMMENT + 100
        assert comment(person.game.node) == said


async def test_a_chat_has_more_than_half_of_the_smallest_window() -> None:
    async with playing((40, 14)) as person:
        # The CSS classes of the screen while an online game with a chat is shown.
        person.screen.add_class("-online")
        person.screen.begin(Session.opened(b"(;GM[1]SZ[9]TO[3]C[A line of a chat.])"))
        await person.wait()
        chat, table = person.screen.query_one("#comment").region, person.screen.query_one("#game").region
        assert chat.width >= 24
        assert table.width >= 16
        assert not chat.overlaps(table)


@pytest.mark.parametrize(("window", "least"), [((60, 20), 30), ((80, 24), 40), ((99, 30), 50)])
async def test_a_comment_has_room_beside_the_table_in_a_middling_window(window: tuple[int, int], least: int) -> None:
    record = b"(;GM[1]SZ[9]TO[3];B[aa]C[Black begins in a corner that is none.];W[bb])"
    async with playing(window) as person:
        person.screen.begin(Session.opened(record))
        await person.press("right_square_bracket")
        await person.wait()
        comment, table = person.screen.query_one("#comment"), person.screen.query_one("#game")
        assert comment.region.width >= least
        assert "Black" in table.render_line(0).text
        assert "1 ● A9" in person.screen.query_one(HistoryPane).render_line(1).text
        await person.press("t")
        await person.wait()
        assert comment.region.width >= 24
        assert person.screen.query_one("#area").region.width >= 22


async def test_a_message_too_long_for_the_line_loses_whole_parts() -> None:
    async with playing((40, 14)) as person:
        person.screen.status.say("Review: 1 mistake  ·  Move 3, Black pass: mistake, 6.8 points lost  ·  Z: summary")
        await person.wait()
        line = person.screen.status.render_line(0).text
        assert line.split() == ["Review:", "1", "mistake", person.cursor, "Menu"]


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


async def test_the_status_line_fits_a_window_that_gets_narrower_below_a_dialog() -> None:
    async with playing((120, 40)) as person:
        person.screen.say("a sentence of forty characters, and then  ·  another sentence of forty characters, the end")
        await person.press("question_mark")
        question = person.app.screen
        assert not person.at_the_board
        await person.resize(60, 24)
        await until(person, lambda: "another" not in person.status)
        assert person.status.startswith("a sentence of forty characters, and then")
        assert question is person.app.screen


async def test_a_dialog_answered_beneath_goes_when_the_window_is_large_enough() -> None:
    async with playing((80, 24)) as person:
        await person.press("p")
        await person.press("p")
        question = person.open(Question)
        await person.resize(30, 10)
        question.dismiss(True)
        await person.settle()
        person.open(TooSmall)
        await person.resize(80, 24)
        assert person.app.screen is not question
        assert person.moves == ["pass", "pass"]


@pytest.mark.parametrize("moves", [0, 1])
async def test_the_program_can_be_left_from_there_unless_moves_would_be_lost(moves: int) -> None:
    async with playing((80, 24)) as person:
        await person.press(*["enter"] * moves)
        await person.resize(30, 10)
        person.open(TooSmall)
        await person.press("ctrl+q")
        await person.wait()
        assert person.app._exit is not bool(moves)
        if moves:
            assert "The moves are not saved" in person.question()


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


@pytest.mark.parametrize("cell", [None, 2, 4, 6])
@pytest.mark.parametrize("size", [9, 19])
async def test_a_board_not_moved_begins_at_its_first_row_and_column_in_cells_of_any_size(
    cell: int | None, size: int
) -> None:
    async with playing((120, 40), options=Options(cell=cell), setup=GameSetup(size=size)) as person:
        assert person.viewport == person.viewport.at_origin()
        for key in ("plus", "minus", "minus", "plus") if size == 9 else ():
            await person.press(key)
            assert person.viewport == person.viewport.at_origin()


@pytest.mark.parametrize("size", [5, 9, 16])
async def test_the_home_view_stays_the_home_view_whatever_the_window_goes_through(size: int) -> None:
    pick = random.Random(size)
    windows = [(pick.randint(36, 160), pick.randint(14, 60)) for _each in range(10)]
    async with playing((120, 40), setup=GameSetup(size=size)) as person:
        for window in windows:
            await person.resize(*window)
            assert person.viewport == person.viewport.at_origin(), window
        # A view that becomes the home view again without a move of its own.
        person.board.set_viewport(person.viewport.pan_points(1, 1))
        await person.press("0")
        for window in windows[:4]:
            await person.resize(*window)
            assert person.viewport == person.viewport.at_origin(), window


@pytest.mark.parametrize("window", [(80, 24), (81, 25), (60, 24), (120, 39), (40, 14)])
async def test_the_board_of_the_tour_begins_at_its_first_row_and_column(window: tuple[int, int]) -> None:
    async with playing(window) as person:
        await person.press("f2")
        await person.wait()
        for resized in (window, (121, 40), (70, 23), (100, 30)):
            await person.resize(*resized)
            viewport = person.open(LessonScreen).board.viewport
            across, along = viewport.period
            if across <= viewport.width:
                assert viewport.column_at(viewport.bright_columns.start) == (0, 0)
            if along <= viewport.height:
                assert viewport.row_at(viewport.bright_rows.start) == (0, 0)
            middle = viewport.at_origin(centred=True).middle_point()
            assert viewport.middle_point() == middle


@pytest.mark.parametrize("window", [(80, 24), (100, 30), (120, 40)])
@pytest.mark.parametrize("keys", [("f2",), ("f7", "enter")])
async def test_tour_and_problems_use_the_board_that_play_uses(window: tuple[int, int], keys: tuple[str, ...]) -> None:
    async with playing(window) as person:
        await person.press(*keys)
        await until(person, lambda: isinstance(person.app.screen, StudyScreen))
        board = person.app.screen.query_one(BoardView)
        await until(person, lambda: bool(board.size))
        person.screen.begin(Session(GameSetup(board.viewport.size)))
        await person.wait()
        assert board.viewport.cell == person.viewport.cell
        across, along = board.viewport.period
        assert across <= board.viewport.width
        assert along <= board.viewport.height


async def test_the_cursor_stays_at_its_point_where_a_smaller_window_shows_it() -> None:
    async with playing((100, 40), setup=GameSetup(size=19)) as person:
        point = person.cursor
        await person.resize(50, 30)
        assert person.cursor == point


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
        assert person.text("#game").split("\n")[2].split()[2:] == ["Captures", "Passes"]
        await person.press("t")
        await person.wait()
        assert person.text("#area").rstrip().endswith("White by 3")
        assert person.screen.query_one("#area").region.height == 4
        assert len([line for line in person.history_lines() if line]) >= 4


async def test_the_side_gives_the_board_the_column_that_larger_points_need() -> None:
    async with playing((100, 35)) as person:
        screen, board = person.screen, person.board
        await until(person, lambda: (board.size.width, board.viewport.cell) == (67, (4, 2)))
        inside = screen.query_one("#game").content_size.width
        await person.resize(101, 35)
        await until(person, lambda: (board.size.width, board.viewport.cell) == (67, (4, 2)))
        assert screen.query_one("#game").content_size.width == inside
        for columns in range(100, 150):
            for rows in (30, 35, 51, 60):
                screen._use_classes(Size(columns, rows))
                cells = [largest_cell(16, Size(columns - side, rows - 2)) for side in (34, 33)]
                assert screen.has_class("-giving") == (cells[0] != cells[1]), (columns, rows)


def boxes(person: Person) -> dict[str, Region]:
    """Return the regions of the frames at the side, from top to bottom."""
    shown = [box for box in person.screen.panes.children if box.display]
    return {str(box.id).removesuffix("-box"): box.region for box in sorted(shown, key=lambda box: box.region.y)}


async def test_a_high_window_stacks_the_graph_and_the_map_below_the_history() -> None:
    async with playing((200, 60)) as person:
        await person.play("C3", "D4")
        evaluations = person.screen.match.evaluations
        evaluations.note(person.game.node, Evaluation(0.5, 1, 100, "network"), record=False)
        person.screen.show_panes()
        await until(person, lambda: list(boxes(person)) == ["game", "history", "graph", "minimap"])
        regions = list(boxes(person).values())
        # There are no gaps between them.
        assert all(upper.bottom == lower.y for upper, lower in pairwise(regions))
        assert regions[-1].bottom == person.screen.query_one("#status").region.y
        map_pane = person.screen.query_one(MinimapPane)
        assert map_pane.size == (33, 16)
        assert "Move 2" in person.screen.query_one(GraphPane).render_line(0).text
        await person.press("left_square_bracket")
        assert "Move 1" in person.screen.query_one(GraphPane).render_line(0).text
        await person.press("tab")
        await until(person, lambda: list(boxes(person)) == ["game", "history", "tree", "graph", "minimap"])
        await person.resize(120, 40)
        await until(person, lambda: list(boxes(person)) == ["game", "history", "tree", "graph"])
        await person.press("tab")
        await until(person, lambda: list(boxes(person)) == ["game", "history", "minimap", "graph"])
        # There is room for the map below again, so nothing else is selected.
        await person.resize(200, 60)
        await until(person, lambda: list(boxes(person)) == ["game", "history", "graph", "minimap"])
        await person.resize(80, 24)
        await until(person, lambda: list(boxes(person)) == ["game", "history"])


async def test_tab_goes_on_from_a_pane_that_stands_below_since_the_window_grew(monkeypatch: pytest.MonkeyPatch) -> None:
    async with playing((120, 40)) as person:
        await person.press("tab", "tab")
        await until(person, lambda: list(boxes(person)) == ["game", "history", "minimap"])
        # The key arrives before the refresh that fits the panes into the window.
        monkeypatch.setattr(Panes, "standing", (person.screen.panes.offered[4], person.screen.panes.offered[2]))
        assert person.screen.panes.side in person.screen.panes.standing
        await person.press("tab")
        assert person.screen.panes.side.id == "torus"


async def test_a_pane_that_first_shows_is_written_for_its_size() -> None:
    async with playing((120, 40)) as person:
        panes, sizes = person.screen.panes, dict[str, Size]()

        def measured(pane: SidePane) -> SidePane:
            def show(widget: Widget, view: View) -> None:
                sizes[pane.id] = widget.content_size
                pane.show(widget, view)

            return pane._replace(show=show)

        panes.offered = tuple(map(measured, panes.offered))
        panes.side = panes.offered[0]
        for pane in panes.chosen:
            await panes.select(pane.id)
            widget = person.screen.query_one(f"#{pane.id}")
            await until(person, lambda widget=widget: bool(widget.region))
            await person.wait()
            assert sizes[pane.id] == widget.content_size, pane.id


async def test_the_map_takes_the_lines_it_needs() -> None:
    async with playing((200, 60), GameSetup(size=9)) as person:
        await until(person, lambda: "minimap" in boxes(person))
        await until(person, lambda: person.screen.query_one(MinimapPane).size.height == 14)
        person.screen.begin(Session(GameSetup(size=16)))
        await until(person, lambda: person.screen.query_one(MinimapPane).size.height == 16)


@pytest.mark.parametrize("window", [(120, 40), (80, 24), (40, 14), (100, 16)])
async def test_the_focus_mode_shows_the_board_alone(window: tuple[int, int]) -> None:
    async with playing(window, GameSetup(size=9)) as person:
        await person.play("C3")
        await person.press("F")
        await until(person, lambda: person.board.region == person.screen.region)
        status = person.screen.query_one("#status")
        # The hint how to leave is shown in full over the last row for a while.
        assert person.status.split("  ")[0] == "Board only; F shows the rest"
        assert status.region == Region(0, window[1] - 1, window[0], 1)
        person.screen.status.hide()
        await until(person, lambda: not status.display)
        person.screen.cursor.point = person.game.torus.parse("C3")
        await person.press("enter")
        await until(person, lambda: status.display)
        assert "occupied" in person.status or "C3" in person.status
        assert person.board.region == person.screen.region
        await person.play("D4", "E5")
        await person.press("F")
        await until(person, lambda: person.screen.query_one("#game").region.area > 0)
        assert status.region.area > 0
        assert not person.board.region.overlaps(person.screen.query_one("#panes").region)
        assert "Move 4" in person.text("#game")


async def test_a_pane_asked_for_while_others_are_made_is_made_once() -> None:
    async with playing((120, 40)) as person:
        await asyncio.gather(*(person.screen.panes.fit_side() for _ in range(3)))
        names = [str(box.id) for box in person.screen.panes.query_children(".side")]
        assert len(names) == len(set(names))


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (120, 18), (50, 16)])
async def test_a_notice_leaves_the_status_line_to_be_read(size: tuple[int, int]) -> None:
    app = DaoqiApp()
    async with app.run_test(size=size, notifications=True) as pilot:
        person = Person(app, pilot)
        app.notify("Something is to be noticed. " * 5, timeout=HANG)
        await until(person, lambda: any(toast.region for toast in person.screen.query(Toast)))
        await person.wait()
        toast, status = person.screen.query_one(Toast).region, person.screen.query_one("#status").region
        assert status
        assert toast.bottom <= status.y
