"""Tests the choice of players: in forms, in the middle of a game, and as saved with it."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input

from daoqi_tui.config import BY_PATH
from daoqi_tui.engine import BLACK, WHITE
from daoqi_tui.i18n import LANGUAGES, bot_name, name_in_language, use_language
from daoqi_tui.play import session as opponents
from daoqi_tui.play.keeper import Folders
from daoqi_tui.play.profile import Played, Ratings
from daoqi_tui.play.session import (
    PERSON,
    Computer,
    EngineSeat,
    GameSetup,
    Session,
    is_seat_name,
    parse_seat,
    seat_name,
    seat_text,
)
from daoqi_tui.tui.app import DaoqiApp
from daoqi_tui.tui.features.playing.result import ResultScreen
from daoqi_tui.tui.screens.form import Choice
from daoqi_tui.tui.screens.setup import PlayersScreen, SetupScreen
from daoqi_tui.typed import STYLES
from tests.play.quick import PlayerFactory
from tests.tui.driving import Person, playing, until
from tests.tui.test_keeping import keeper_of

BACK = "left_square_bracket"


# Changing players during a game


async def choose_kind(person: Person, side: str, kind: str) -> None:
    person.open(PlayersScreen).query_one(f"#{side}-kind", Choice).value = kind
    await person.settle()


async def test_a_computer_sits_down_in_the_middle_of_a_game_and_leaves_again(factory: PlayerFactory) -> None:
    async with playing(setup=GameSetup(size=5)) as person:
        await person.play("C3")
        await person.press("C")
        await choose_kind(person, "white", "computer")
        person.open(PlayersScreen).query_one("#white-level", Input).value = "7"
        person.open(PlayersScreen).query_one("#white-seconds", Input).value = "2.5"
        person.open(PlayersScreen).action_begin()
        await until(person, lambda: person.at_the_board and person.moves == ["C3", "A5"])
        assert factory.last.seat == Computer(7, 2.5)
        assert factory.last.seconds == [2.5]
        assert "Computer 7" in person.text("#game")
        await person.press("C")
        await choose_kind(person, "white", "person")
        person.open(PlayersScreen).action_begin()
        await until(person, lambda: person.at_the_board and person.session.seats[WHITE] == PERSON)
        await person.play("D3")
        assert person.moves == ["C3", "A5", "D3"]
        assert "Computer" not in person.text("#game")


async def test_it_can_sit_down_at_any_node(factory: PlayerFactory) -> None:
    async with playing(setup=GameSetup(size=5)) as person:
        await person.play("C3", "D3", "C4")
        await person.press(BACK, BACK, "C")
        await choose_kind(person, "white", "computer")
        person.open(PlayersScreen).action_begin()
        await until(person, lambda: person.at_the_board and person.moves == ["C3", "A5"])
        assert [person.move_name(child) for child in person.game.node.parent.children] == ["D3", "A5"]


async def test_wrong_fields_are_said_and_nothing_changes(factory: PlayerFactory) -> None:
    async with playing(setup=GameSetup(size=5)) as person:
        await person.press("C")
        await choose_kind(person, "black", "computer")
        person.open(PlayersScreen).query_one("#black-level", Input).value = "11"
        person.open(PlayersScreen).action_begin()
        await person.settle()
        assert "1 to 10" in person.question()
        await choose_kind(person, "black", "engine")
        person.open(PlayersScreen).action_begin()
        await person.settle()
        assert "daoqi-tui" in person.question()
        await person.press("escape")
        assert person.session.seats == {BLACK: PERSON, WHITE: PERSON}


async def test_the_new_game_form_asks_who_plays(factory: PlayerFactory) -> None:
    async with playing(setup=GameSetup(size=5)) as person:
        await person.press("n")
        form = person.open(SetupScreen)
        form.query_one("#black-kind", Choice).value = "engine"
        await person.settle()
        form.query_one("#black-command", Input).value = "gnugo --mode gtp"
        form.query_one("#white-kind", Choice).value = "person"
        await person.settle()
        form.action_begin()
        await until(person, lambda: person.at_the_board and person.moves == ["A5"])
        assert person.session.setup.black_seat == EngineSeat("gnugo --mode gtp")
        assert "gnugo" in person.text("#game")


# Saving the players


@pytest.mark.parametrize(
    ("seat", "text"),
    [
        (PERSON, "person"),
        (Computer(10), "level:10"),
        (Computer(3, 2.5), "time:2.5 level:3"),
        (Computer(4.5), "level:4.5"),
        (Computer(4.5, 2.0, "fighting"), "time:2 level:4.5:fighting"),
        (Computer(3, 0.00001), "time:0.00001 level:3"),
        (Computer(3, 1234.56789), "time:1234.56789 level:3"),
        (EngineSeat("gnugo --mode gtp"), "engine:gnugo --mode gtp"),
        (EngineSeat("a 'b c'", 10.0), "time:10 engine:a 'b c'"),
    ],
)
def test_seats_as_text(seat: opponents.Seat, text: str) -> None:
    assert seat_text(seat) == text
    assert parse_seat(text) == seat
    assert BY_PATH["play.white"].fits(text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "level:11",
            "level:4.25",
            "level:.5",
            "level:x",
            "level:5:",
            "level:5:wild",
            "level:5:fighting:simple",
            "engine:",
            "engine:'a",
            "time:0 level:3",
            "time:9999 level:3",
            "gnugo",
        ),
        *("time:1.2.3 level:5", "time:. level:5", "time:3 person"),
    ],
)
def test_other_text_is_no_seat_and_no_setting(text: str) -> None:
    with pytest.raises(ValueError, match=r"player|range|no level|no style|command"):
        parse_seat(text)
    assert not BY_PATH["play.white"].fits(text)


@pytest.mark.parametrize("style", ["", *STYLES])
def test_the_name_of_a_computer_says_its_style_in_every_language(style: str) -> None:
    seat = Computer(4.5, style=style)
    names = []
    for code in LANGUAGES:
        use_language(code)
        names.append(seat_name(seat))
    use_language("en")
    assert [name_in_language(name) for name in names] == [seat_name(seat)] * len(names)
    assert all(is_seat_name(name, seat) and not is_seat_name(name, Computer(5, style=style)) for name in names)
    assert style == "" or not any(is_seat_name(name, Computer(4.5)) for name in names)


def test_a_bot_is_known_by_its_name_in_every_language() -> None:
    names = set()
    for code in LANGUAGES:
        use_language(code)
        names.add(name_in_language(bot_name(7.5)))
    use_language("en")
    assert len(names) > 1
    assert {name_in_language(name) for name in names} == {bot_name(7.5)}


def test_a_resumed_game_knows_who_plays(tmp_path: Path) -> None:
    keeper = keeper_of(tmp_path)
    session = Session(GameSetup(size=5, white_seat=Computer(3)))
    session.game.play(0)
    keeper.follow(session)
    session.seats = {BLACK: EngineSeat("gnugo", 4.0), WHITE: Computer(4, style="simple")}
    keeper.write_seats(session)
    keeper.leave()
    keeper = keeper_of(tmp_path)
    (found,) = keeper.unfinished().journals
    resumed = keeper.open(found.path).session
    assert resumed.seats == session.seats
    assert resumed.player(BLACK) == "gnugo"
    assert resumed.player(WHITE) == "Computer 4 (simple)"
    keeper.leave()


def test_records_name_the_computer_and_an_opened_one_starts_nothing() -> None:
    session = Session(GameSetup(size=5, black="Ke", white_seat=EngineSeat("/usr/games/gnugo --mode gtp")))
    session.game.play(0)
    data = session.record()
    assert b"PB[Ke]" in data
    assert b"PW[gnugo]" in data
    assert b"mode" not in data
    assert Session.opened(data).seats == {BLACK: PERSON, WHITE: PERSON}


@pytest.mark.usefixtures("factory")
async def test_a_new_game_at_my_level_and_the_rating_after_it(tmp_path: Path) -> None:
    folders = Folders(tmp_path / "journal", tmp_path / "games")
    ratings = Ratings(tmp_path)
    for _ in range(3):
        ratings.note(9, Played(7, 1))
    ratings.save()
    app = DaoqiApp(Session(GameSetup(size=5)), folders=folders)
    async with app.run_test(size=(120, 50)) as pilot:
        await pilot.pause()
        person = Person(app, pilot)
        await person.press("n")
        form = person.open(SetupScreen)
        assert "no game is rated yet" in person.question()
        await person.enter_text("#size", "9")
        await until(person, lambda: "Your rating on 9×9: level 7.6, 3 games" in person.question())
        form.query_one("#white-kind", Choice).value = "mine"
        await person.settle()
        form.action_begin()
        await until(person, lambda: person.at_the_board and person.session.seats[WHITE] == Computer(7.5))
        for number in range(5):
            point = next(point for point in reversed(range(81)) if person.game.refusal(point) is None)
            await person.play(person.game.torus.name(point))
            await until(person, lambda number=number: person.game.node.number == 2 * number + 2)  # type: ignore[misc]
        await person.press("R", "y", "f4")
        await until(person, lambda: isinstance(person.app.screen, ResultScreen))
        assert "Your rating on 9×9: level " in person.question()
        assert "4 games" in person.question()
        await person.press("escape", "n")
        assert person.open(SetupScreen).query_one("#white-kind", Choice).value == "mine"
