"""The welcome screen, shown at the first start, and the default players of a new game."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Event

import pytest
from textual.screen import Screen
from textual.widgets import Button, Input

from daoqi_tui.engine import BLACK, WHITE
from daoqi_tui.i18n import use_language
from daoqi_tui.play.keeper import Folders
from daoqi_tui.play.profile import HABITS, Habits, is_first_start
from daoqi_tui.play.session import PERSON, USUAL_LEVEL, Computer, GameSetup, Session
from daoqi_tui.tui.app import DaoqiApp
from daoqi_tui.tui.features.online.form import NetworkScreen
from daoqi_tui.tui.features.problems.screen import ProblemList
from daoqi_tui.tui.features.program.lesson import LessonScreen
from daoqi_tui.tui.features.program.living import BEND, TURN, LivingBoard, sample_game
from daoqi_tui.tui.features.program.welcome import NumberRow, WelcomeScreen
from daoqi_tui.tui.features.records.game_list import GameList
from daoqi_tui.tui.features.records.library import LibraryScreen
from daoqi_tui.tui.graphics import Sixel
from daoqi_tui.tui.look import Options
from daoqi_tui.tui.screens import Picker
from daoqi_tui.tui.screens.form import Choice
from daoqi_tui.tui.screens.setup import SetupScreen
from daoqi_tui.typed import LEVEL_NUMBERS
from tests.tui.driving import Person, playing, until
from tests.tui.test_keeping import SAMPLES, keeping


async def greeted(person: Person) -> WelcomeScreen:
    """Open the welcome screen."""
    await person.press("f3")
    await until(person, lambda: not person.at_the_board)
    await person.wait()
    return person.open(WelcomeScreen)


def row(welcome: WelcomeScreen, name: str) -> NumberRow:
    return welcome.query_one(f"#{name}", NumberRow)


async def test_the_first_start_alone_is_welcomed() -> None:
    async with playing() as person:
        person.screen.commands.welcome_first()
        await until(person, lambda: not person.at_the_board)
        person.open(WelcomeScreen)
        await person.press("escape")
        await person.wait()
        assert person.at_the_board
        person.screen.commands.welcome_first()
        await person.wait()
        assert person.at_the_board


async def test_who_comes_for_the_first_time_is_welcomed_where_no_unfinished_game_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "journal").write_text("not a folder")
    async with keeping(tmp_path, offer_resume=True) as person:
        await until(person, lambda: isinstance(person.app.screen, WelcomeScreen))
        await person.press("escape")
        await until(person, lambda: person.at_the_board)
        assert "cannot be read" in person.status


@pytest.mark.parametrize("key", ["f2", "enter"], ids=["tour", "stone"])
async def test_the_welcome_does_not_cover_what_was_begun_meanwhile(
    key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on, asked = Event(), Event()

    def slow(_today: object) -> int:
        asked.set()
        goes_on.wait(60)
        return 0

    monkeypatch.setattr("daoqi_tui.play.problems.due_mistakes", slow)
    async with keeping(tmp_path) as person:
        person.screen.commands.welcome_first()
        await until(person, asked.is_set)
        await person.press(key)
        await until(person, lambda: isinstance(person.app.screen, LessonScreen) or bool(person.moves))
        begun = person.app.screen
        (asking,) = (worker for worker in person.app.workers if worker.group == "question")
        goes_on.set()
        await until(person, lambda: asking.is_finished or isinstance(person.app.screen, WelcomeScreen))
        assert person.app.screen is begun


def test_a_first_start_is_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert is_first_start()
    assert not is_first_start()


def test_where_nothing_can_be_remembered_nothing_is_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "state").write_text("a file where the folder should be")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert not is_first_start()


@pytest.mark.parametrize(("size", "suggested"), [((120, 40), 16), ((40, 14), 9)])
async def test_a_game_with_the_computer_is_begun_by_keys(size: tuple[int, int], suggested: int) -> None:
    async with playing(size, GameSetup(komi=2)) as person:
        welcome = await greeted(person)
        assert (row(welcome, "size").value, row(welcome, "level").value) == (suggested, USUAL_LEVEL)
        await person.press("up", "left", "left", "up", *["left"] * 5, "right", "enter")
        await until(person, lambda: person.at_the_board)
        assert person.screen.session.setup == GameSetup(13, 2, white_seat=Computer(USUAL_LEVEL - 1))
        assert person.screen.session.seats == {BLACK: PERSON, WHITE: Computer(USUAL_LEVEL - 1)}


async def test_enter_alone_plays_the_computer_and_letters_choose() -> None:
    async with playing() as person:
        await greeted(person)
        await person.press("enter")
        await until(person, lambda: person.at_the_board)
        assert person.screen.session.setup == GameSetup(white_seat=Computer(USUAL_LEVEL))
        await greeted(person)
        await person.press("f")
        await until(person, lambda: person.at_the_board)
        assert person.screen.session.setup == GameSetup()
        await greeted(person)
        await person.press("t")
        await until(person, lambda: isinstance(person.app.screen, LessonScreen))
        # After the tour an opponent is chosen: the board below is one for two people.
        await person.press("escape")
        await until(person, lambda: isinstance(person.app.screen, WelcomeScreen))
        await person.press("enter")
        await until(person, lambda: person.at_the_board)
        assert person.screen.session.setup == GameSetup(white_seat=Computer(USUAL_LEVEL))


async def test_numbers_and_buttons_are_clicked() -> None:
    async with playing() as person:
        welcome = await greeted(person)
        sizes = row(welcome, "size")
        shown = str(sizes.content)
        assert shown == "Board size  9  13 [16] 19 "
        await person.click(sizes.region.x + shown.index("9"), sizes.region.y)
        assert sizes.value == 9
        await person.click_widget(welcome.query_one("#friend", Button))
        await until(person, lambda: person.at_the_board)
        assert person.screen.session.setup == GameSetup(9)


async def test_a_game_is_opened_from_here(tmp_path: Path) -> None:
    async with keeping(tmp_path) as person:
        await greeted(person)
        await person.press("o")
        await until(person, lambda: isinstance(person.app.screen, LibraryScreen))


@pytest.mark.parametrize("window", [(120, 40), (80, 24), (40, 14)])
async def test_problems_are_a_click_away_in_every_window(window: tuple[int, int]) -> None:
    async with playing(window) as person:
        welcome = await greeted(person)
        assert not welcome.query_one("#welcome").max_scroll_y
        await person.click_widget(welcome.query_one("#problems", Button))
        await until(person, lambda: isinstance(person.app.screen, ProblemList))


@pytest.mark.parametrize(
    ("key", "opened"),
    [("n", NetworkScreen), ("o", LibraryScreen), ("p", ProblemList), ("t", LessonScreen)],
    ids=["network", "library", "problems", "tour"],
)
async def test_esc_leads_back_to_the_welcome_from_what_it_has_opened(
    tmp_path: Path, key: str, opened: type[Screen[object]]
) -> None:
    async with keeping(tmp_path) as person:
        await greeted(person)
        await person.press(key)
        await until(person, lambda: isinstance(person.app.screen, opened))
        await person.press("escape")
        await until(person, lambda: isinstance(person.app.screen, WelcomeScreen))
        await person.press("escape")
        await until(person, lambda: person.at_the_board)


async def test_what_was_chosen_in_the_welcome_is_there_again_after_a_form_that_was_cancelled(tmp_path: Path) -> None:
    async with keeping(tmp_path) as person:
        welcome = await greeted(person)
        row(welcome, "size").action_choose(9)
        row(welcome, "level").action_choose(6.5)
        for key, opened in (("n", NetworkScreen), ("p", ProblemList), ("n", NetworkScreen)):
            await person.press(key)
            await until(person, lambda opened=opened: isinstance(person.app.screen, opened))  # type: ignore[misc]
            if opened is NetworkScreen:
                assert person.app.screen.query_one("#size", Input).value == "9", "a game to host is of this size"
            await person.press("escape")
            await until(person, lambda: isinstance(person.app.screen, WelcomeScreen))
            await person.wait()
        again = person.open(WelcomeScreen)
        assert (row(again, "size").value, row(again, "level").value) == (9, 6.5)


async def test_a_new_game_is_as_filled_in_after_an_online_one_was_cancelled(tmp_path: Path) -> None:
    async with keeping(tmp_path) as person:
        await person.press("n")
        await until(person, lambda: isinstance(person.app.screen, SetupScreen))
        await person.wait()
        form = person.app.screen
        form.query_one("#clock", Choice).value = "fischer"
        await person.wait()
        for name, value in (("size", "11"), ("komi", "2.5"), ("handicap", "3"), ("black", "Ada"), ("main", "7")):
            await person.enter_text(f"#{name}", value)
        await person.click_widget(form.query_one("#network", Button))
        await until(person, lambda: isinstance(person.app.screen, NetworkScreen))
        await until(person, lambda: bool(person.app.screen.query("#komi")))
        online = [
            person.app.screen.query_one(f"#{name}", Input).value for name in ("size", "komi", "handicap", "clock")
        ]
        assert online == ["11", "2.5", "3", "7+10"]
        await person.press("escape")
        await until(person, lambda: isinstance(person.app.screen, SetupScreen))
        await until(person, lambda: bool(person.app.screen.query("#main")))
        again = [
            person.app.screen.query_one(f"#{name}", Input).value
            for name in ("size", "komi", "black", "main", "increment")
        ]
        assert again == ["11", "2.5", "Ada", "7", "10"]


async def test_esc_leads_back_to_the_library_and_to_the_form_of_a_new_game(tmp_path: Path) -> None:
    folders = Folders(tmp_path / "journal", tmp_path / "library")
    folders.library.mkdir()
    (folders.library / "two.sgf").write_text("(;SZ[9];B[aa])(;SZ[9];B[bb])")
    async with keeping(tmp_path) as person:
        await greeted(person)
        await person.press("o")
        await until(person, lambda: isinstance(person.app.screen, LibraryScreen))
        games = person.open(LibraryScreen).query_one(GameList)
        await until(person, lambda: len(games._entries) == SAMPLES + 1)
        while games.highlighted is None or games.highlighted.file != "two.sgf":
            await person.press("down")
        await person.press("enter")
        await until(person, lambda: isinstance(person.app.screen, Picker))
        for back in (LibraryScreen, WelcomeScreen):
            await person.press("escape")
            await until(person, lambda back=back: isinstance(person.app.screen, back))
            await person.wait()
        await person.press("escape")
        await until(person, lambda: person.at_the_board)
        await person.press("n")
        await until(person, lambda: isinstance(person.app.screen, SetupScreen))
        await person.wait()
        await person.click_widget(person.app.screen.query_one("#network", Button))
        for back in (NetworkScreen, SetupScreen):
            await until(person, lambda back=back: isinstance(person.app.screen, back))
            await person.press("escape")
        await until(person, lambda: person.at_the_board)


async def test_a_game_under_way_is_not_left_without_a_question() -> None:
    async with playing(setup=GameSetup(7)) as person:
        await person.play("A1")
        welcome = await greeted(person)
        assert str(row(welcome, "size").content).split() == ["Board", "size", "[7]", "9", "13", "16", "19"]
        await person.press("c")
        await until(person, lambda: "Leave it?" in person.question())
        await person.press("n")
        await until(person, lambda: person.at_the_board)
        assert person.moves == ["A1"]


async def proposed(person: Person) -> GameSetup:
    """Return the setup of a new game that is started with the defaults of the form."""
    await person.press("n")
    await until(person, lambda: not person.at_the_board)
    await person.wait()
    person.open(SetupScreen)
    before = person.screen.session
    await person.press("enter")
    # The form closes before the new game replaces the old one.
    await until(person, lambda: person.at_the_board and person.screen.session is not before)
    return person.screen.session.setup


async def test_a_new_game_is_one_with_the_computer_at_the_last_level(tmp_path: Path) -> None:
    folders = Folders(tmp_path / "journal", tmp_path / "library")
    async with DaoqiApp(Session(GameSetup(9)), folders=folders).run_test(size=(120, 40)) as pilot:
        person = Person(pilot.app, pilot)  # type: ignore[arg-type]
        await person.settle()
        assert await proposed(person) == GameSetup(9, white_seat=Computer(USUAL_LEVEL))
        await greeted(person)
        await person.press("up", "right", "right", "enter")
        await until(person, lambda: person.at_the_board)
        await until(person, (tmp_path / HABITS).exists)
    assert Habits(tmp_path).level == USUAL_LEVEL + 1
    async with DaoqiApp(Session(GameSetup(9)), folders=folders).run_test(size=(120, 40)) as pilot:
        person = Person(pilot.app, pilot)  # type: ignore[arg-type]
        await person.settle()
        assert await proposed(person) == GameSetup(9, white_seat=Computer(USUAL_LEVEL + 1))


async def test_two_with_names_play_again() -> None:
    async with playing(setup=GameSetup(9, black="Ada", white="Ben")) as person:
        assert await proposed(person) == GameSetup(9, black="Ada", white="Ben")


async def test_a_new_game_keeps_the_computer_that_plays() -> None:
    async with playing(setup=GameSetup(9, white_seat=Computer(1, 0.1))) as person:
        assert (await proposed(person)).white_seat == Computer(1, 0.1)


async def test_without_colours_the_row_with_the_focus_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with playing() as person:
        welcome = await greeted(person)
        size, level = row(welcome, "size"), row(welcome, "level")
        assert not size.rich_style.reverse
        assert not level.rich_style.reverse
        await person.press("up")
        assert level.has_focus
        assert level.rich_style.reverse
        assert not size.rich_style.reverse


async def test_the_row_with_the_focus_is_not_underlined_from_end_to_end() -> None:
    async with playing() as person:
        welcome = await greeted(person)
        button = welcome.focused
        assert isinstance(button, Button)
        assert not button.rich_style.underline
        assert button.rich_style.bold


@pytest.mark.parametrize("window", [(120, 40), (80, 24), (40, 14)])
async def test_every_number_is_clicked_with_room_beside_the_brackets(window: tuple[int, int]) -> None:
    async with playing(window) as person:
        welcome = await greeted(person)
        for name, numbers in (("size", (9, 13, 16, 19)), ("level", LEVEL_NUMBERS)):
            line = row(welcome, name)
            for number in numbers:
                places = places_of(line, numbers)
                await person.click(line.region.x + places[number], line.region.y)
                assert line.value == number
                assert len(str(line.content).rstrip()) <= line.size.width


def places_of(line: NumberRow, numbers: Sequence[float]) -> dict[float, int]:
    """Return where in a row the last character of each number stands; all of them have to be there, in order."""
    places, x = {}, len("Board size")
    for number in numbers:
        shown = f"[{number}]" if number == line.value else str(number) if number % 1 == 0 else "·"
        x = str(line.content).index(shown, x) + len(shown)
        places[number] = x - 1
    return places


async def test_the_keys_of_buttons_are_in_the_parentheses_of_the_language() -> None:
    use_language("zh")
    async with playing() as person:
        welcome = await greeted(person)
        assert str(welcome.query_one("#tour", Button).label) == "十步入门（t）"
        await person.press("escape")
        await person.press("R")
        assert str(person.app.screen.query_one("#answer-y", Button).label) == "认输（y）"


async def test_the_levels_are_a_scale_with_the_halves_as_dots() -> None:
    async with playing() as person:
        level = row(await greeted(person), "level")
        assert str(level.content).split(maxsplit=1)[1].rstrip() == "1 · 2 ·[3]· 4 · 5 · 6 · 7 · 8 · 9 · 10"
        await person.press("up", "left")
        assert str(level.content).split(maxsplit=1)[1].rstrip() == "1 · 2 [2.5] 3 · 4 · 5 · 6 · 7 · 8 · 9 · 10"
        await person.press("enter")
        await until(person, lambda: person.at_the_board)
        assert person.screen.session.seats[WHITE] == Computer(2.5)


@pytest.mark.parametrize(
    ("window", "size"), [((200, 60), 16), ((120, 40), 16), ((100, 30), 13), ((80, 24), 9), ((60, 20), 9), ((40, 14), 9)]
)
async def test_a_first_game_has_stones_with_a_shape_where_the_window_allows_it(
    window: tuple[int, int], size: int
) -> None:
    async with playing(window) as person:
        assert row(await greeted(person), "size").value == size
        await person.press("f")
        await until(person, lambda: person.at_the_board)
        await person.wait()
        assert person.game.torus.size == size
        assert person.viewport.cell.width >= 4 or window < (80, 24)
        # Who has begun to play keeps the size.
        await person.press("enter")
        assert row(await greeted(person), "size").value == size


async def test_a_size_that_was_chosen_is_kept_in_a_small_window() -> None:
    async with playing((80, 24), GameSetup(19)) as person:
        assert row(await greeted(person), "size").value == 19


async def living(person: Person) -> LivingBoard:
    """Open the welcome screen with the board behind it, which moves by steps of the test alone."""
    welcome = await greeted(person)
    assert not welcome.query(LivingBoard)
    await welcome.show_living()
    await person.wait()
    return welcome.query_one(LivingBoard)


async def test_behind_the_welcome_a_game_drifts_and_bends_into_the_torus_once() -> None:
    game = sample_game()
    async with playing() as person:
        board = await living(person)
        flat, torus, begin = board.board, board.torus, board.board.viewport
        for step in range(1, BEND):
            board.step()
            assert flat.viewport == begin.pan(step, step // 4)
            assert (flat.shown.stones, flat.shown.last) == game.positions[step // 2]
        board.step()
        assert (flat.display, torus.display, torus.bending) == (False, True, True)
        # No step counts while it bends, and the flat board waits where it was.
        for _ in range(2 * TURN):
            board.step()
        bent = flat.viewport
        await until(person, lambda: not torus.bending)
        assert torus.turning
        for _ in range(TURN):
            board.step()
        assert torus.bending
        await until(person, lambda: flat.display)
        assert not torus.display
        assert flat.viewport == bent
        steps = 0
        while board.moving:
            board.step()
            assert not torus.display
            steps += 1
        assert steps == 2 * (len(game.positions) - 1) - BEND
        assert flat.shown.stones == game.positions[-1].stones
        # The person's own game has not been touched.
        assert person.moves == []


@pytest.mark.parametrize("why", ["motion", "colours", "ssh"])
async def test_the_game_behind_the_welcome_stands_still(why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if why == "colours":
        monkeypatch.setenv("NO_COLOR", "1")
    elif why == "ssh":
        monkeypatch.setenv("SSH_CONNECTION", "192.0.2.1 50000 192.0.2.2 22")
    async with playing(options=Options(motion="reduced" if why == "motion" else "full")) as person:
        board = await living(person)
        assert not board.moving
        assert board._timer is None
        assert board.board.shown.stones.count(BLACK) > 20
        assert not board.torus.display


async def test_over_a_slow_line_it_stops_at_once_and_flat() -> None:
    async with playing() as person:
        board = await living(person)
        for _ in range(BEND):
            board.step()
        driver = person.app._driver
        driver.behind = True  # type: ignore[union-attr]
        while board.moving:
            board.step()
        assert (board.board.display, board.torus.display) == (True, False)
        driver.behind = False  # type: ignore[union-attr]


@pytest.mark.parametrize("shown", [None, Sixel(256, None), "kitty"], ids=["characters", "sixel", "kitty"])
async def test_the_size_suggested_is_shown_whole_with_clear_stones(shown: Sixel | str | None) -> None:
    async with playing((200, 20)) as person:
        if shown is not None:
            person.app.pictures.found((10, 20), *((shown,) if isinstance(shown, Sixel) else ()))
        suggested = set()
        for height in range(20, 61):
            await person.resize(200, height)
            person.screen.begin(Session())
            size = person.screen.commands._suggested()
            person.screen.begin(Session(GameSetup(size)))
            await person.settle()
            view = person.board.viewport
            assert view.period[0] <= view.width
            assert view.period[1] <= view.height
            assert view.cell.height >= 1.5 * view.unit[1] or size == 9
            suggested.add(size)
        assert suggested == {9, 13, 16}


async def test_in_pixels_it_drifts_by_parts_of_a_character_and_in_sixel_stones_appear_in_place() -> None:
    async with playing() as person:
        person.app.pictures.found((10, 20))
        board = await living(person)
        begin = board.board.viewport
        for _ in range(16):
            board._part()
        assert board.board.viewport == begin.pan(40, 20)
        assert board.board.shown.stones == sample_game().positions[2].stones
        await person.press("escape")
        person.app.pictures.found((10, 20), Sixel(256, None))
        board = await living(person)
        begin = board.board.viewport
        for _ in range(BEND):
            board.step()
        assert board.board.viewport == begin
        assert board.board.display
        assert board.board.shown.stones == sample_game().positions[BEND // 2].stones


async def test_the_welcome_is_used_and_left_while_a_game_moves_behind_it() -> None:
    async with playing((80, 24)) as person:
        board = await living(person)
        welcome = person.open(WelcomeScreen)
        assert welcome.region.contains_region(welcome.query_one("#welcome").region)
        await person.press("down")
        assert welcome.focused is welcome.query_one("#friend")
        await person.click_widget(welcome.query_one("#size"))
        assert board.moving
        # A click beside the page closes it, as without the board; it is no move on that.
        await person.click(2, 2)
        await until(person, lambda: person.at_the_board)
        assert not board.moving
        board = await living(person)
        await person.press("f")
        assert not board.moving
        await until(person, lambda: person.at_the_board)


async def test_a_small_window_and_a_game_begun_have_no_other_behind_the_welcome() -> None:
    async with playing((59, 20)) as person:
        welcome = await greeted(person)
        await welcome.show_living()
        assert not welcome.query(LivingBoard)
        await person.press("escape")
        await person.play("A1")
        assert (await greeted(person))._make_living is None
