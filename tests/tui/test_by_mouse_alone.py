"""Tests that whatever a click opens, a click closes; and other behaviour that only shows in use."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual import events
from textual.geometry import Region
from textual.widgets import Input, Label, OptionList, Static

from daoqi_tui.engine import BLACK, WHITE
from daoqi_tui.engine.clock import TimeControl
from daoqi_tui.i18n import use_language
from daoqi_tui.pictures.picture import Picture
from daoqi_tui.play.keeper import Keeper
from daoqi_tui.play.session import PERSON, USUAL_LEVEL, Computer, EngineSeat, GameSetup, Session
from daoqi_tui.record.journal import Journal
from daoqi_tui.record.library_index import LibraryEntry
from daoqi_tui.record.sgf.read import load
from daoqi_tui.tui.features.online.form import Hosting, NetworkScreen
from daoqi_tui.tui.features.online.lobby import TableForm
from daoqi_tui.tui.features.openings.screen import OpeningsScreen
from daoqi_tui.tui.features.program.lesson import LessonScreen
from daoqi_tui.tui.features.program.menu import HelpScreen
from daoqi_tui.tui.features.records.game_list import Columns, GameList, describe_row, heading
from daoqi_tui.tui.features.records.library import LibraryScreen
from daoqi_tui.tui.features.torus import TorusScreen
from daoqi_tui.tui.panes import KeyHint, hint_line
from daoqi_tui.tui.screens import Question
from daoqi_tui.tui.screens.form import Choice, ChoiceList, Field
from daoqi_tui.tui.screens.setup import PlayersScreen, SetupScreen
from tests.engine.pictures import game_of
from tests.play.quick import PlayerFactory
from tests.tui.driving import Person, playing, until
from tests.tui.test_keeping import filed, journals, keeper_of, keeping, shown
from tests.tui.thinkers import analysed_by
from tests.waiting import HANG

SMALL = GameSetup(size=7)


async def click_text(person: Person, selector: str, words: str) -> None:
    """Click the given words, once they show on the first line of a widget of the top screen."""
    await until(person, lambda: words in _first_line(person, selector))
    widget = person.app.screen.query_one(selector)
    x, y, _width, _height = widget.region
    await person.click(x + _first_line(person, selector).index(words) + widget.gutter.left, y)
    await person.wait()


def _first_line(person: Person, selector: str) -> str:
    found = person.app.screen.query(selector)
    return found.first().render_line(0).text if found else ""


async def click_edge(person: Person, selector: str, words: str) -> None:
    """Click words on the bottom border of a widget of the top screen."""
    frame = person.app.screen.query_one(selector)

    def edge_text() -> str:
        region = frame.region
        return frame.render_lines(Region(0, region.height - 1, region.width, 1))[0].text if region.height else ""

    # Words on a frame come a frame after its first layout.
    await until(person, lambda: words in edge_text())
    region, edge = frame.region, edge_text()
    await person.click(region.x + edge.index(words) + 1, region.bottom - 1)
    await person.wait()


@pytest.mark.parametrize(
    ("key", "kind", "where"),
    [
        ("question_mark", HelpScreen, "outside"),
        ("question_mark", HelpScreen, "Esc closes"),
        ("O", OpeningsScreen, "Esc Close"),
    ],
)
async def test_a_page_is_left_by_a_click(key: str, kind: type[HelpScreen], where: str) -> None:
    async with playing() as person:
        await person.press(key)
        await person.wait()
        page = person.open(kind).query_one(".dialog").region
        await person.click(page.x + 5, page.y + 2)
        await person.wait()
        assert not person.at_the_board, "a click inside is none to leave"
        if where == "outside":
            await person.click(0, 0)
        else:
            await click_edge(person, ".dialog", where)
        await person.wait()
        assert person.at_the_board


async def test_the_library_is_left_by_a_click(tmp_path: Path) -> None:
    async with keeping(tmp_path) as person:
        await person.press("b")
        await until(person, lambda: isinstance(person.app.screen, LibraryScreen))
        await until(person, lambda: person.app.screen.query_one(GameList)._entries)
        await click_edge(person, "#library", "F8")
        assert "Sample games cannot be changed" in str(person.app.screen.query_one("#complaint", Static).content)
        await click_edge(person, "#library", "Esc")
        assert person.at_the_board
        await person.press("b")
        await until(person, lambda: isinstance(person.app.screen, LibraryScreen))
        await until(person, lambda: person.app.screen.query_one(GameList)._entries)
        await person.click(0, 0)
        await person.wait()
        assert person.at_the_board


async def test_the_torus_is_stopped_and_left_by_clicks() -> None:
    async with playing() as person:
        await person.press("3")
        await person.wait()
        person.open(TorusScreen)
        await click_text(person, "#round-hints", "Go back")
        assert person.at_the_board


async def test_the_lesson_goes_on_and_is_left_by_clicks() -> None:
    async with playing() as person:
        await person.press("f2")
        lesson = person.open(LessonScreen)
        await click_text(person, "#lesson-hints", "Skip")
        assert lesson.lesson.place == 1
        await click_text(person, "#lesson-hints", "Previous step")
        assert lesson.lesson.place == 0
        await click_text(person, "#lesson-hints", "Leave")
        assert person.at_the_board


def test_hints_that_do_not_fit_are_left_out_but_for_the_way_out() -> None:
    hints = [KeyHint("Enter", "Play", "screen.play"), KeyHint("p", "Pass"), KeyHint("Esc", "Leave", "screen.close")]
    assert hint_line(hints, 80).plain == "Enter Play   p Pass   Esc Leave"
    assert hint_line(hints, 24).plain == "Enter Play   Esc Leave"


# Forms


async def choose_in_list(person: Person, name: str, words: str) -> None:
    """Scroll a form to a field with the wheel, click its ▼, and click the row of the list that begins with words."""
    form = person.app.screen
    page, row = form.query_one("#setup VerticalScroll"), form.query_one(f"#field-{name}")

    def is_seen() -> bool:
        return row.region.height > 0 and page.region.contains_region(row.region)

    for _turn in range(20):
        if is_seen():
            break
        # What is further down comes with the wheel, as what is further up does.
        down = row.region.y > page.region.y
        kind = events.MouseScrollDown if down else events.MouseScrollUp
        await person.mouse(kind, page.region.x + 2, page.region.y + 2)
        await person.wait()
    assert is_seen()
    line = form._compositor.render_strips()[row.region.y].text
    x = cell_len(line[: line.index("▼", line.index(str(row.query_one(Label).content)[:6]))])
    await person.click(x, row.region.y)
    await until(person, lambda: isinstance(person.app.screen, ChoiceList))
    listed = person.app.screen.query_one(OptionList)
    await until(person, lambda: listed.content_region.height > 0)
    rows = [str(option.prompt) for option in listed.options]
    place = next(at for at, text in enumerate(rows) if text.split("  ")[0] == words)
    for _turn in range(40):
        top = place - listed.scroll_offset.y
        if 0 <= top < listed.content_region.height:
            break
        turned = events.MouseScrollUp if top < 0 else events.MouseScrollDown
        await person.mouse(turned, listed.content_region.x + 1, listed.content_region.y + 1)
        await person.wait()
    await person.click(listed.content_region.x + 1, listed.content_region.y + place - listed.scroll_offset.y)
    await until(person, lambda: person.app.screen is form)


@pytest.mark.parametrize("window", [(80, 24), (40, 14)], ids=["80x24", "40x14"])
async def test_the_terms_of_a_hosted_game_are_chosen_by_clicks(window: tuple[int, int]) -> None:
    async with playing(window) as person:
        chosen: list[object] = []
        person.app.push_screen(NetworkScreen(GameSetup(), []), chosen.append)
        await until(person, lambda: bool(person.app.screen.query("#delay")))
        await person.wait()
        for name, words in (
            ("size", "9"),
            ("komi", "6.5"),
            ("handicap", "3"),
            ("clock", "10+3x30"),
            ("delay", "60"),
        ):
            await choose_in_list(person, name, words)
        await person.click_widget(person.app.screen.query_one("#begin"))
        await until(person, lambda: chosen)
        [hosting] = chosen
        assert isinstance(hosting, Hosting)
        terms = hosting.terms
        assert (terms.size, terms.komi, terms.handicap, terms.delay) == (9, 6.5, 3, 60)
        assert terms.time == TimeControl(600, 3, 30)


async def test_the_numbers_of_a_new_game_are_chosen_by_clicks() -> None:
    async with playing() as person:
        await person.press("n")
        await until(person, lambda: bool(person.app.screen.query("#field-white-level")))
        form = person.open(SetupScreen)
        form.query_one("#clock", Choice).value = "byoyomi"
        await person.wait()
        for name, words in (
            ("size", "13"),
            ("komi", "0.5"),
            ("handicap", "2"),
            ("white-level", "6.5"),
            ("white-seconds", "5"),
            ("main", "30"),
            ("periods", "5"),
            ("period", "20"),
        ):
            await choose_in_list(person, name, words)
        await person.click_widget(form.query_one("#begin"))
        await until(person, lambda: person.at_the_board)
        setup = person.session.setup
        assert (setup.size, setup.komi, setup.handicap) == (13, 0.5, 2)
        assert setup.white_seat == Computer(6.5, 5)
        assert setup.time == TimeControl(1800, 5, 20)


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_the_sign_of_a_list_leaves_room_for_what_an_empty_field_says(language: str) -> None:
    use_language(language)
    try:
        async with playing() as person:
            person.app.push_screen(TableForm("Wu", accounts=True))
            await until(person, lambda: bool(person.app.screen.query("#clock")))
            await person.wait()
            for field in person.app.screen.query(Field):
                assert cell_len(field.entry.placeholder) < field.entry.content_size.width, field.entry.placeholder
    finally:
        use_language("en")


async def test_a_list_of_values_begins_at_the_one_that_was_typed() -> None:
    async with playing() as person:
        await person.press("n")
        await until(person, lambda: bool(person.app.screen.query("#field-size")))
        form = person.open(SetupScreen)
        await person.enter_text("#komi", "3.25")
        await choose_in_list(person, "size", "16")
        field = form.query_one("#field-komi", Field)
        await person.click(field.region.x, field.region.y)
        await until(person, lambda: isinstance(person.app.screen, ChoiceList))
        listed = person.app.screen.query_one(OptionList)
        await until(person, lambda: listed.highlighted is not None)
        assert str(listed.options[listed.highlighted or 0].prompt) == "3.25"
        await person.press("escape")
        assert form.query_one("#komi", Input).value == "3.25"
        assert form.focused is field.entry


# Dead stones


@pytest.mark.parametrize("owners", [True, False])
async def test_a_dead_stone_is_marked_whatever_it_stands_on(owners: bool) -> None:
    async with playing(setup=GameSetup(size=5)) as person:
        game = game_of(
            """
            . . . . .
            . X . O .
            . . . . .
            . . . . .
            . . . . .
            """
        )
        point = game.torus.parse("B4")

        def picture(dead: frozenset[int]) -> Picture:
            nobody = bytes(25) if owners else None
            return Picture(size=5, stones=bytes(game.board.colours), owners=nobody, dead=dead)

        def lines() -> list[str]:
            return [person.board.render_line(y).text for y in range(12)]

        def colours() -> list[object]:
            return [segment.style for y in range(12) for segment in person.board.render_line(y)]

        person.board.show_picture(picture(frozenset()))
        alive = lines(), colours()
        person.board.show_picture(picture(frozenset({point})))
        assert (lines(), colours()) != alive


# Hints and resigning


async def test_giving_up_ends_the_hint_and_says_the_result() -> None:
    async with playing(setup=SMALL) as person:
        await person.play("A1")
        analysed_by(person)
        await person.press("H")
        assert person.screen.analysis.shown
        await person.press("R")
        await person.press("y")
        await until(person, lambda: person.game.is_over)
        assert not person.screen.analysis.clarity
        assert "White resigns" in person.status


# Leaving


async def test_a_game_that_was_only_looked_at_is_left_without_a_question(tmp_path: Path) -> None:
    async with keeping(tmp_path) as person:
        await person.screen.records.open(b"(;GM[1]SZ[7]TO[3];B[cc];W[bb])")
        await person.wait()
        assert not person.screen.records.worth_asking
        await person.press("end")
        await person.click_point("A1")
        await shown(person, 3)
        assert person.screen.records.worth_asking


@pytest.mark.parametrize("key", ["home", "left_square_bracket"])
async def test_a_finished_game_is_left_without_a_question_though_an_earlier_move_is_looked_at(
    key: str, tmp_path: Path
) -> None:
    async with keeping(tmp_path) as person:
        await person.click_point("A1")
        await shown(person, 1)
        await person.press("p")
        await shown(person, 2)
        await person.press("p")
        await until(person, lambda: isinstance(person.app.screen, Question))
        await person.press("y")
        await until(person, lambda: len(filed(tmp_path)) == 1)
        await person.press(key)
        await until(person, lambda: not person.game.is_over)
        assert not person.screen.records.worth_asking
        await person.press("q")
        await until(person, lambda: bool(person.app._exit))
    # The library has the complete game, and the game is not offered as unfinished.
    assert journals(tmp_path) == []
    (path,) = filed(tmp_path)
    assert load(path).game.root.line()[-1].number == 3


async def test_a_variation_of_a_finished_game_is_under_way(tmp_path: Path) -> None:
    async with keeping(tmp_path) as person:
        await person.play("A1", "B2")
        person.screen.match.resign()
        await person.settle()
        assert not person.screen.records.worth_asking
        await person.press("home")
        assert not person.screen.records.worth_asking
        await person.click_point("C3")
        await shown(person, 1)
        assert person.screen.records.worth_asking
        await person.press("home")
        await shown(person, 0)
        assert person.screen.records.worth_asking


def filed_game(folder: Path) -> tuple[Session, Keeper, Path]:
    """Return a finished game that is in the library, its keeper, and its file."""
    session, keeper = Session(SMALL), keeper_of(folder)
    keeper.begin(session)
    session.game.play(0)
    session.game.resign()
    keeper.follow(session)
    path = keeper.file(session)
    assert path is not None
    return session, keeper, path


def leave_journal(keeper: Keeper, folder: Path) -> None:
    """End the keeper as if the program had been killed: a copy of the journal is left behind."""
    (journal,) = journals(folder)
    data = journal.read_bytes()
    keeper.leave()
    journal.write_bytes(data)


@pytest.mark.parametrize("looked_at", [1, 0])
def test_a_game_over_and_filed_is_not_offered_again(looked_at: int, tmp_path: Path) -> None:
    session, keeper, path = filed_game(tmp_path)
    if looked_at == 0:
        session.game.goto(session.game.root)
        assert keeper.follow(session).wait(HANG)
    leave_journal(keeper, tmp_path)
    again = keeper_of(tmp_path)
    assert again.unfinished().journals == ()
    assert journals(tmp_path) == []
    assert filed(tmp_path) == [path]


@pytest.mark.parametrize("changed", ["deleted", "renamed", "moved back"])
def test_a_game_over_and_filed_that_the_library_changed_stays_so_after_a_kill(changed: str, tmp_path: Path) -> None:
    session, keeper, path = filed_game(tmp_path)
    with closing(keeper.library()) as library:
        if changed == "renamed":
            renamed = library.rename(path.name, black="Ke")
            assert keeper.follow_renamed(session, path, renamed, "Ke", None)
        else:
            trashed = library.delete(path.name)
            if changed == "moved back":
                assert library.restore(trashed, path.name) == path
    left = filed(tmp_path)
    assert keeper.follow(session).wait(HANG)
    leave_journal(keeper, tmp_path)
    assert keeper_of(tmp_path).unfinished().journals == ()
    assert journals(tmp_path) == []
    assert filed(tmp_path) == left
    assert len(left) == (changed != "deleted")


def test_a_game_filed_and_resumed_is_offered(tmp_path: Path) -> None:
    session, keeper, _path = filed_game(tmp_path)
    session.resume()
    session.game.play(1)
    keeper.follow(session)
    keeper.leave()
    again = keeper_of(tmp_path)
    (found,) = again.unfinished().journals
    journal, restored = Journal.resume(found.path)
    assert restored.game.node.number == 2
    journal.close()


# Computers


async def test_a_move_played_again_comes_with_its_answer(factory: PlayerFactory) -> None:
    async with playing(setup=GameSetup(size=5, white_seat=Computer(3))) as person:
        await person.play("C3")
        assert person.moves == ["C3", "A5"]
        await person.press("u")
        assert person.moves == []
        await person.press("U")
        assert person.moves == ["C3", "A5"]
        assert person.game.to_move == BLACK
        assert len(factory.last.asked) == 1


async def test_enter_lets_those_play_who_are_chosen(factory: PlayerFactory) -> None:
    async with playing(setup=GameSetup(size=5)) as person:
        await person.press("C")
        person.open(PlayersScreen).query_one("#black-kind", Choice).focus()
        await person.press("right", "enter")
        await until(person, lambda: person.moves == ["A5"])
        assert person.at_the_board
        assert person.session.seats == {BLACK: Computer(USUAL_LEVEL), WHITE: PERSON}


async def test_two_computers_that_wait_after_a_move_was_taken_back_say_so(factory: PlayerFactory) -> None:
    factory.holding = True
    async with playing(setup=GameSetup(size=5, black_seat=Computer(1), white_seat=Computer(2))) as person:
        person.game.play(0)
        await person.press("u")
        assert "The computers are paused" in person.status


async def test_a_player_that_fails_says_so_for_as_long_as_it_waits(factory: PlayerFactory) -> None:
    from daoqi_tui.gtp.client import EngineError

    setup = GameSetup(size=5, white_seat=EngineSeat("no-such-engine"))
    async with playing(setup=setup) as person:
        factory.script.append(EngineError("not started", "'no-such-engine' cannot be started"))
        await person.play("C3")
        await until(person, lambda: person.screen.match.turns.paused)
        assert "cannot be started" in person.status
        person.screen.show_status()
        assert "cannot be started" in person.status
        assert person.game.to_move == WHITE


# Windows


async def test_a_window_that_was_tiny_for_a_moment_leaves_the_cursor_where_it_was() -> None:
    async with playing(size=(80, 24), setup=GameSetup(size=9)) as person:
        before = person.cursor
        await person.resize(20, 8)
        person.screen.show_position()
        await person.resize(80, 24)
        assert person.cursor == before


async def test_the_status_line_uses_a_new_width() -> None:
    async with playing(size=(120, 40), setup=GameSetup(size=9)) as person:
        await person.press("enter")
        assert "4 liberties" in person.status
        wide = person.status
        await person.resize(80, 24)
        await until(person, lambda: len(person.status) <= 80)
        assert len(wide) > 80
        assert person.status.rstrip().endswith("4 liberties")


def test_rows_of_the_library_name_both_sides_and_the_date_once() -> None:
    def row(**said: str) -> str:
        texts = {**dict.fromkeys(("file", "black", "white", "date", "name", "result"), ""), **said}
        return describe_row(
            LibraryEntry(**texts, modified=0, length=9, size=9, moves=3, komi=4, opening=0, board=b"", problem=""), 60
        )

    assert "Black – Computer 3" in row(white="Computer 3", date="2026-11-21")
    assert row(file="2026-11-21 624bf1.sgf", date="2026-11-21").count("2026-11-21") == 1
    assert " Black – White " in row(file="2026-11-21 624bf1.sgf", date="2026-11-21"), "digits name nobody"
    assert row(black="Black", white="White", name="A ladder").startswith(f" {'':10} A ladder ")
    assert " Final · Ada – White " in row(black="Ada", white="White", name="Final")
    long = row(black="a player of a very long name", white="and another one", date="2026-11-21")
    assert "… " in long
    assert len(long) == 60


def test_the_headings_of_the_library_stand_over_their_columns() -> None:
    texts = {"black": "Ada", "white": "Ben", "date": "2026-11-21", "name": "", "result": "W+1"}
    entry = LibraryEntry(
        file="a.sgf", **texts, modified=0, length=9, size=9, moves=3, komi=4, opening=0, board=b"", problem=""
    )
    for width, title in ((60, None), (100, 16), (100, 40)):
        head, row = heading(width, Columns(title)), describe_row(entry, width, Columns(title))
        assert len(head) == len(row)
        assert head.index("Date") == row.index("2026")
        assert head.index("Game") == row.index("Ada")
        for title, words in (("Size", "9×9"), ("Moves", "3"), ("Result", "W+1")):
            assert head.index(title) + len(title) == row.rindex(words) + len(words)
    # No gap between the names and the columns after them.
    assert len(describe_row(entry, 100, Columns(16)).rstrip()) < 55
    # Nor before the names if no game has a date.
    undated = Columns(16, dated=False)
    assert describe_row(entry, 60, undated).startswith(" Ada")
    assert heading(60, undated).startswith(" Game")


async def test_a_click_on_a_key_of_the_help_runs_its_command() -> None:
    async with playing() as person:
        await person.press("question_mark")
        await person.wait()
        text = person.open(HelpScreen).query_one("#help > Static", Static)
        lines = [text.render_line(y).text for y in range(text.size.height)]
        row, line = next((y, line) for y, line in enumerate(lines) if "Pass: costs" in line)
        await person.click(text.region.x + line.index("Pass: costs"), text.region.y + row)
        await until(person, lambda: person.at_the_board)
        await until(person, lambda: person.game.node.number == 1)


@pytest.mark.parametrize(
    "hints",
    [("Enter Deeper", "? Keys", "Esc Go back"), ("Enter Open game", "? Keys", "Esc Go back"), ("a b", "c d", "e f")],
)
def test_the_least_hints_stand_closer_together_before_the_last_one_is_cut(hints: tuple[str, ...]) -> None:
    line = hint_line([KeyHint(*hint.split(" ", 1)) for hint in hints], 34, last=2, least=3)
    assert line.cell_length <= 34
    assert line.plain.split() == " ".join(hints).split()
