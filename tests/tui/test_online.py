"""Online games between two apps through a server on this machine."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from socket import create_connection, create_server
from urllib.parse import urlsplit

import pytest
from rich.cells import cell_len
from textual.drivers.headless_driver import HeadlessDriver
from textual.events import Paste
from textual.widgets import Input, Static

from daoqi_tui.engine import Game
from daoqi_tui.engine.clock import TimeControl
from daoqi_tui.i18n import bot_name, use_language
from daoqi_tui.play.analyst import Proposal
from daoqi_tui.play.evaluation import Evaluation
from daoqi_tui.play.keeper import Folders
from daoqi_tui.play.online import client, hosting
from daoqi_tui.play.online.client import OnlineClient
from daoqi_tui.play.online.hosting import Place
from daoqi_tui.play.online.invitation import Invitation, qr_code
from daoqi_tui.play.online.limits import Limits
from daoqi_tui.play.online.listing import NewGame
from daoqi_tui.play.online.protocol import Said, Say
from daoqi_tui.play.online.seat_book import SavedSeat, SeatBook, describe_standing
from daoqi_tui.play.online.seats import current_states
from daoqi_tui.play.online.server import Lobby
from daoqi_tui.play.online.table import Terms
from daoqi_tui.play.reading import Reader
from daoqi_tui.play.session import GameSetup, Session
from daoqi_tui.tui.app import DaoqiApp
from daoqi_tui.tui.driver import TerminalDriver
from daoqi_tui.tui.features.online.form import NetworkScreen
from daoqi_tui.tui.features.online.game import OnlinePlay
from daoqi_tui.tui.features.online.lobby import TableForm
from daoqi_tui.tui.features.playing.result import ResultScreen
from daoqi_tui.tui.look import Options
from daoqi_tui.tui.screen import GameScreen
from daoqi_tui.tui.screens import ChoiceDialog, Prompt, Question, TextPage
from daoqi_tui.tui.screens.form import Choice
from tests import waiting
from tests.play.online.refusing import TEN, refusing
from tests.play.online.table import Player, Server, Time, server
from tests.ports import free_port
from tests.slow_disk import SlowDisk
from tests.tui.driving import Person, playing, until


@asynccontextmanager
async def at_the_table(place: Place, folder: Path) -> AsyncIterator[Person]:
    """Run the app in an online game, at ``place``."""
    folders = Folders(folder / "journal", folder / "games")
    liked = Options(bells=frozenset({"turn", "desktop"}))
    app = DaoqiApp(None, liked, folders=folders, place=place)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        yield Person(app, pilot)


def host_place(table: Server) -> Place:
    seat = SavedSeat(table.url, table.game, table.host_key, "Lu")
    return Place(seat.invitation, "Lu", seat)


def guest_place(table: Server) -> Place:
    return Place(Invitation(table.url, table.game, table.code), "Ke")


@asynccontextmanager
async def two(table: Server, folder: Path) -> AsyncIterator[tuple[Person, Person]]:
    async with at_the_table(host_place(table), folder / "host") as host:
        await until(host, lambda: "Waiting for the guest" in host.status)
        async with at_the_table(guest_place(table), folder / "guest") as guest:
            await until(host, lambda: host.status.startswith("Your move"))
            await until(guest, lambda: guest.status.startswith("Black to move"))
            yield host, guest


def online(person: Person) -> OnlinePlay:
    assert person.screen.online is not None
    return person.screen.online


async def test_two_screens_play_a_game_to_the_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GameScreen, "shows_result", True)
    async with server(tmp_path) as table:
        table.lay(Terms(size=5, komi=0, black="host"))
        async with two(table, tmp_path) as (host, guest):
            assert host.app.window_title == "Your move"
            assert guest.app.window_title == "The opponent's move"
            for person in (host, guest):
                assert person.text("#hints").startswith("p Pass   / Chat   R Resign")
            await host.click_point("C3")
            await until(guest, lambda: guest.moves == ["C3"] and guest.status.startswith("Your move"))
            await until(host, lambda: host.text("#hints").startswith("p Pass   u Undo   / Chat   R Resign"))
            assert guest.text("#hints").startswith("p Pass   / Chat"), "who has not moved has nothing to undo"
            assert guest.app.window_title == "Your move"
            await until(host, lambda: host.moves == ["C3"])
            await host.click_point("D3")
            assert "It is the opponent's turn" in host.status
            await guest.press("n")
            assert "This is an online game" in guest.status
            await guest.press("H")
            assert "No help while an online game is on" in guest.status
            for key in ("S", "escape"):
                await guest.press(key)
                assert "No help" not in guest.status
            await guest.press("W")
            assert guest.screen.analysis is not None
            assert not guest.screen.analysis.on
            assert not guest.screen.query("#graph")
            await guest.click_point("A1")
            await until(host, lambda: host.moves == ["C3", "A1"])
            await host.press("p")
            await until(guest, lambda: guest.moves[-1] == "pass" and online(guest).match.client.my_turn)
            await guest.press("p")
            guest.open(Question)
            await guest.press("y")
            for person in (host, guest):
                await until(person, lambda person=person: "agrees to the count" in person.status)  # type: ignore[misc]
                assert person.at_the_board, "the result is not settled yet"
                assert person.text("#hints").startswith("A Accept   r Resume   d Dead stones   / Chat")
            await guest.press("D")
            await until(host, lambda: "The count was not agreed: the game goes on" in host.status)
            await host.press("p")
            await until(guest, lambda: online(guest).match.client.my_turn)
            await guest.press("p")
            guest.open(Question)
            await guest.press("y")
            await until(host, lambda: "agrees to the count" in host.status)
            await guest.click_point("A1")
            await until(host, lambda: host.screen.match.game.dead)
            await host.press("A")
            await until(host, lambda: "You agree" in host.status)
            await until(guest, lambda: "The opponent agrees to the count; A agrees as well" in guest.status)
            await guest.press("A")
            for person in (host, guest):
                await until(person, lambda person=person: not person.at_the_board)  # type: ignore[misc]
                hints = str(person.open(ResultScreen).query_one("#result-hints", Static).content)
                assert "M Rematch" in hints
                assert not any(label in hints for label in ("Resume", "Dead stones", "New game"))
                await person.press("escape")
                await until(person, lambda person=person: "requests a rematch" in person.status)  # type: ignore[misc]
                assert person.text("#hints").startswith("M Rematch   V Review")
            await until(guest, lambda: list((tmp_path / "guest" / "games").glob("*.sgf")))
            await host.press("M")
            await until(guest, lambda: "a rematch with colours changed" in guest.status)
            assert guest.text("#hints").startswith("A Accept   D Decline   V Review")
            await until(host, lambda: "Requested: a rematch" in host.status)
            assert host.text("#hints").startswith("D Withdraw   V Review"), "it is not for the host to accept it"
            await guest.press("A")
            await until(guest, lambda: guest.status.startswith("Your move") and guest.moves == [])
            assert guest.screen.session.setup.black == "Ke"
    for folder in ("library", "guest/games"):
        [record] = (tmp_path / folder).glob("*.sgf")
        assert b"PB[Lu]" in record.read_bytes()


async def test_what_a_computer_proposes_as_dead_is_seen_by_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def propose(_players: object, game: Game) -> Proposal:
        return Proposal(frozenset({game.torus.parse("A1")}), certain=0)

    monkeypatch.setattr("daoqi_tui.play.analyst.propose_dead", propose)
    async with server(tmp_path) as table:
        table.lay(Terms(size=5, komi=0, black="host"))
        async with two(table, tmp_path) as (host, guest):
            await host.click_point("C3")
            await until(guest, lambda: guest.status.startswith("Your move"))
            await guest.click_point("A1")
            await until(host, lambda: host.status.startswith("Your move"))
            await host.press("p")
            await until(guest, lambda: guest.moves[-1] == "pass" and online(guest).match.client.my_turn)
            await guest.press("p", "y")
            for person in (host, guest):
                await until(person, lambda person=person: "d proposes them" in person.status)  # type: ignore[misc]
            await host.press("d")
            for person in (host, guest):
                await until(person, lambda person=person: person.screen.match.game.dead)  # type: ignore[misc]
                assert person.screen.counting.marking
            await guest.click_point("A1")
            await until(host, lambda: not host.screen.match.game.dead)


async def test_a_move_shows_at_once_and_is_taken_off_where_it_is_refused(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        referee = table.lay()
        async with two(table, tmp_path) as (host, guest):
            async with referee._lock:
                await host.click_point("C3")
                await until(host, lambda: "on its way" in host.status)
                picture = host.board.picture
                assert picture is not None
                assert picture.proposed == {12: 1}
                assert picture.labels == {12: "?"}
                assert host.moves == []
                # The referee plays a move itself, so that it will refuse the host's.
                referee._match.play(0)
            await until(host, lambda: "The move was refused" in host.status)
            assert not host.board.picture.proposed
            assert guest.moves == []


async def test_a_move_that_waits_for_the_disk_of_the_server_is_marked_until_it_is_on_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = SlowDisk(monkeypatch)
    async with server(tmp_path) as table:
        referee = table.lay()
        async with two(table, tmp_path) as (host, guest):
            await until(host, lambda: not referee.stored.waited)
            with disk.blocking("fsync"):
                await host.click_point("C3")
                await until(host, lambda: "NOT SAVED YET: slow server, 2 s" in host.status)
                assert "NOT SAVED YET" in host.text("#game")
                assert guest.moves == []
            await until(guest, lambda: guest.moves)
            await until(host, lambda: host.moves and "NOT SAVED" not in host.status + host.text("#game"))


async def test_the_screen_of_a_host_marks_that_the_move_of_a_guest_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = SlowDisk(monkeypatch)
    async with server(tmp_path) as table:
        referee = table.lay(Terms(size=5, black="guest"))
        place = replace(host_place(table), disks=table.lobby.disks)
        guest = Player(table.url, table.game, code=table.code)
        async with at_the_table(place, tmp_path / "host") as host:
            await until(host, lambda: guest.client.my_turn and not referee.stored.waited)
            say, said = host.screen.say, list[str]()
            monkeypatch.setattr(host.screen, "say", lambda words: (said.append(words), say(words)))
            with disk.blocking("fsync"):
                guest.client.play(12)
                # What is said may be replaced before anybody looks, the mark below stays.
                told = "not saved yet: a change has been waiting for the disk"
                await until(host, lambda: any(told in words for words in said))
                # A busy machine may not show every second.
                await until(host, lambda: re.search(r"slow disk, ([2-9]|\d\d+) s", host.text("#game")))
                assert "NOT SAVED YET" in host.text("#game")
                assert host.moves == []
            await until(host, lambda: host.moves and "NOT SAVED" not in host.text("#game"))
        await guest.end()


async def test_the_mistakes_of_a_reviewed_game_are_offered_after_it(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        table.lay(Terms(size=5, black="host"))
        async with two(table, tmp_path) as (host, guest):
            await host.click_point("C3")
            await until(guest, lambda: online(guest).match.client.my_turn)
            await guest.press("R")
            guest.open(Question)
            await guest.press("y")
            await until(host, lambda: host.text("#hints").startswith("M Rematch   V Review"))
            match = host.screen.match
            for node, lead in zip(match.variations.line, (5.0, -20.0), strict=True):
                match.evaluations.note(node, Evaluation(0.5, lead, 100, "network"), record=False)
                match.keep_evaluation(node)
            await until(host, lambda: "Next mistake   M Rematch" in host.text("#hints"))


async def test_who_looks_at_the_result_sees_that_a_rematch_is_wanted_and_wants_it(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        table.lay(Terms(size=5, black="host"))
        async with two(table, tmp_path) as (host, guest):
            await guest.press("R", "enter")
            await until(guest, lambda: guest.status.startswith("The game is over"))
            await guest.press("f4")
            await until(guest, lambda: isinstance(guest.app.screen, ResultScreen))
            await until(host, lambda: host.status.startswith("The game is over"))
            await host.press("M")
            await until(guest, lambda: "The opponent requests: a rematch" in guest.status)
            assert guest.open(ResultScreen)
            await host.press("escape")
            assert host.text("#hints").startswith("D Withdraw   V Review")
            await guest.press("M")
            for person, turn in (
                (host, "Black to move  ·  You play White"),
                (guest, "Your move  ·  You play Black"),
            ):
                await until(person, lambda person=person, turn=turn: person.status.startswith(turn))


async def test_who_is_asked_whether_to_leave_hears_that_the_game_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(GameScreen, "shows_result", True)
    async with server(tmp_path) as table:
        table.lay(Terms(size=5, black="host"))
        async with two(table, tmp_path) as (host, guest):
            await guest.press("q")
            assert "The game goes on" in guest.question()
            await host.press("R")
            assert "Resign as Black?" in host.question()
            await guest.press("escape", "R")
            assert "Resign as White?" in guest.question()
            await host.press("y")
            await until(guest, lambda: isinstance(guest.app.screen, ResultScreen))
            assert guest.app.screen_stack[:-1] == [guest.screen], "no question about the game is open below"


@pytest.mark.parametrize("who", ["host", "guest"])
async def test_the_question_whether_to_leave_closes_with_the_game(who: str, tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        table.lay(Terms(size=5, black="host"))
        async with two(table, tmp_path) as (host, guest):
            asked, other = (host, guest) if who == "host" else (guest, host)
            await asked.press("q")
            assert asked.open(Question)
            await other.press("R", "y")
            await until(asked, lambda: asked.at_the_board)
            assert asked.status.startswith("The game is over")


async def test_the_question_of_a_host_says_whether_the_guest_has_come(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        table.lay(Terms(size=5, black="host"))
        seat = SavedSeat(table.url, table.game, table.host_key, "Lu")
        served = Place(seat.invitation, "Lu", seat, hosts=True)
        async with at_the_table(served, tmp_path / "host") as host:
            await until(host, lambda: "Waiting for the guest" in host.status)
            await host.press("q")
            assert "Your guest cannot come without you" in host.question()
            async with at_the_table(guest_place(table), tmp_path / "guest"):
                await until(host, lambda: "Your guest cannot play on without you" in host.question())


async def test_without_undo_none_is_offered(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        table.lay(Terms(size=5, black="host", undo=False))
        async with two(table, tmp_path) as (host, guest):
            await host.click_point("C3")
            await until(guest, lambda: guest.status.startswith("Your move"))
            await until(host, lambda: host.moves == ["C3"])
            assert host.text("#hints").startswith("p Pass   / Chat   R Resign")


async def test_who_comes_back_reads_whose_turn_it_is_and_not_what_was_said_before(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        table.lay(Terms(size=5, black="host"))
        async with two(table, tmp_path) as (host, guest):
            online(guest).story.say("hello")
            await until(host, lambda: "<Ke (White)> hello" in host.status)
        async with at_the_table(host_place(table), tmp_path / "back") as host:
            await until(host, lambda: "hello" in online(host).remarks().text and host.status != "")
            await until(host, lambda: host.status.startswith("Your move"))
            # The server has answered what came after the state, if anything did.
            online(host).story.share_cursor()
            await until(host, lambda: bool(online(host).match.state.sharing))
            assert "hello" not in host.status
        async with at_the_table(Place(Invitation(table.url, table.game), "Mo"), tmp_path / "watching") as watcher:
            await until(watcher, lambda: watcher.status.startswith("Black to move"))
            assert online(watcher).match.client.colour is None


async def test_requests_chat_and_cursors(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        table.lay(Terms(size=5, black="host", time=TimeControl(600)))
        async with two(table, tmp_path) as (host, guest):
            assert "10:00" in guest.text("#game")
            await host.click_point("C3")
            await until(guest, lambda: guest.moves == ["C3"])
            await until(host, lambda: host.moves == ["C3"])
            await host.press("u")
            await until(guest, lambda: "The opponent requests: undo. Answer with A or D" in guest.status)
            assert guest.text("#hints").startswith("A Accept   D Decline   / Chat")
            # What the status line names can be clicked.
            assert "Requested: undo. Withdraw it with D" in host.status
            assert host.text("#hints").startswith("D Withdraw   / Chat")
            await host.press("D")
            await until(guest, lambda: "Withdrawn: undo" in guest.status)
            await until(host, lambda: "Withdrawn: undo" in host.status)
            await host.press("u")
            await until(guest, lambda: "The opponent requests: undo" in guest.status)
            await guest.press("D")
            await until(host, lambda: "The opponent declined: undo" in host.status)
            await host.press("u")
            await until(guest, lambda: "requests: undo" in guest.status)
            await guest.press("A")
            await until(guest, lambda: guest.moves == [])
            await host.press("z")
            await until(guest, lambda: "pause the clock" in guest.status)
            await guest.press("A")
            await until(host, lambda: "The clock is paused" in host.status)
            assert guest.text("#hints").startswith("r Resume   / Chat")
            await guest.press("r")
            await until(host, lambda: "continue the game" in host.status)
            await host.press("A")
            await until(host, lambda: host.status.startswith("Your move"))

            await guest.press("slash")
            guest.open(Prompt)
            await guest.enter_text("Input", "hello [b]there\x1b[2J")
            guest.app.screen.query_one(Input).focus()
            await guest.press("enter")
            await until(host, lambda: "<Ke (White)> hello [b]there" in host.status)
            assert "<Ke (White)> hello" in online(host).remarks().text
            await host.press("K")
            assert online(host).remarks().text == ""
            await until(host, lambda: "chat muted" in host.text("#game"))

            await host.press("G")
            await until(host, lambda: "once the opponent agrees" in host.status)
            await until(guest, lambda: "G agrees" in guest.status)
            await guest.press("G")
            await until(host, lambda: len(online(host).match.state.sharing) == 2)
            await host.hover_point("D4")
            await until(guest, lambda: guest.board.picture.ghost == (8, 1))
            await guest.press("G")
            await until(host, lambda: len(online(host).match.state.sharing) == 1)


async def test_players_hear_spectators_when_they_turn_it_on(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        table.lay()
        async with two(table, tmp_path) as (host, guest):
            watcher = await table.wire()
            await watcher.join(name="Ke")
            await watcher.say(Say("unheard"))
            await watcher.hear(Said)
            await host.press("f9")
            await until(guest, lambda: "Lu hears what spectators say" in guest.status)
            await until(host, lambda: "spectators are heard" in online(host).line())
            await watcher.say(Say("cut!"))
            await until(host, lambda: "<Ke 2 (Spectator)> cut!" in host.status)
            assert "unheard" not in online(host).remarks().text
            assert "cut!" not in online(guest).remarks().text


async def test_a_win_is_claimed_after_a_warning_that_the_absent_player_sees(tmp_path: Path) -> None:
    time = Time()
    async with server(tmp_path, now=time) as table:
        referee = table.lay(Terms(size=5, black="guest"))
        async with at_the_table(host_place(table), tmp_path / "host") as host:
            guest = await table.wire()
            key = (await guest.join(table.code)).key
            await until(host, lambda: "black" in online(host).match.state.present)
            await host.press("f8")
            await until(host, lambda: "10 minutes after they left" in host.status)
            await guest.socket.close()
            await until(host, lambda: "opponent offline" in host.text("#game"))
            time.now += 601
            await host.press("f8")
            await until(host, lambda: "Black to move" in host.status and "claimed in 24 hours" in host.status)
            place = Place(Invitation(table.url, table.game), "Ke", SavedSeat(table.url, table.game, key, "Ke"))
            async with at_the_table(place, tmp_path / "guest") as back:
                await until(back, lambda: "You were away and are warned: play on within" in back.status)
            await until(host, lambda: "opponent offline" in host.text("#game"))
            time.now += 86_400
            await host.press("f8")
            await until(host, lambda: referee.phase == "over")
            await until(host, lambda: "White wins" in host.status)


async def form_of(person: Person) -> NetworkScreen:
    """Open the form for online games and wait until its fields exist."""
    await person.press("N")
    await until(person, lambda: bool(person.app.screen.query("#everywhere")))
    return person.open(NetworkScreen)


async def test_a_screen_that_loses_its_line_comes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Reconnecting after the usual 0.1 s could be faster than a busy machine checks the screen.
    monkeypatch.setattr(client, "_PAUSES", (2.0,))
    async with server(tmp_path) as table:
        table.lay()
        name, code = table.game, table.code
        place = host_place(table)
        other = Player(table.url, name, code=code)
        async with at_the_table(place, tmp_path / "host") as host:
            await until(host, lambda: host.status.startswith("Your move"))
            await until(host, lambda: " line" in host.text("#game"))
            await host.click_point("C3")
            await other.moves(1)
            await until(host, lambda: host.moves == ["C3"])
            said = list[str]()
            say = host.screen.say
            monkeypatch.setattr(host.screen, "say", lambda words: (said.extend(words.split("  ·  ")), say(words)))
            # The server drops all connections.
            for connection in tuple(table.lobby._open):
                connection.end()
            await until(host, lambda: "No connection" in host.status)
            assert "No connection, trying again" in host.text("#game")
            await other.my_turn()
            other.client.play(18)
            await until(host, lambda: host.moves == ["C3", "D2"])
            assert "Connected again." in said
            await until(host, lambda: "move 2 saved" in host.text("#game"))
            # What does not fit is left out, not cut.
            assert cell_len(host.text("#game").split("\n")[-1]) <= host.screen.query_one("#game").content_size.width
            await host.press("q")
            assert "takes your seat again" in host.question()
            await host.press("n")
        await other.end()
    [seat] = SeatBook.in_folder(tmp_path / "host" / "online").seats()
    assert (seat.game, seat.opponent, seat.my_turn) == (name, "Ke", True)


async def test_at_the_table_a_bot_is_called_in_the_language_of_the_player(tmp_path: Path) -> None:
    use_language("zh")
    async with server(tmp_path) as table:
        table.lay(Terms(size=5, black="host"), name=bot_name(5))
        async with at_the_table(guest_place(table), tmp_path / "guest") as guest:
            await until(guest, lambda: "电脑棋手 5 级" in guest.text("#game"))


async def test_below_a_board_the_line_of_the_connection_takes_no_row_from_it(tmp_path: Path) -> None:
    async with playing((80, 24), GameSetup(size=9)) as person:
        offline = person.board.viewport.cell
    async with server(tmp_path) as table:
        table.lay(Terms(size=9, black="host"))
        app = DaoqiApp(None, folders=Folders(tmp_path / "journal", tmp_path / "games"), place=host_place(table))
        async with app.run_test(size=(80, 24)) as pilot:
            host = Person(app, pilot)
            other = Player(table.url, table.game, code=table.code)
            await until(host, lambda: host.status.startswith("Your move") and " line" in host.text("#status"))
            await until(host, lambda: host.board.viewport.cell == offline)
            # What is under the cursor stands beside it.
            assert f" {host.cursor}   " in host.text("#status")
            await other.end()
            await until(host, lambda: "opponent offline" in host.text("#status"))


async def test_who_cannot_join_reads_on_the_screen_all_of_why(tmp_path: Path) -> None:
    """The status line of 80 columns has no room for what would help."""
    async with server(tmp_path) as table:
        table.lay()
        place = Place(Invitation(table.url, table.game, "no-such-code-as-this"), "Ke")
        app = DaoqiApp(None, folders=Folders(tmp_path / "journal", tmp_path / "games"), place=place)
        async with app.run_test(size=(80, 24)) as pilot:
            guest = Person(app, pilot)
            await until(guest, lambda: isinstance(app.screen, TextPage))
            assert online(guest).story.ended.endswith((".", "。"))
            assert online(guest).story.ended.split() == str(app.screen.query_one(Static).content).split()
            await guest.press("escape")
            await until(guest, lambda: guest.at_the_board)
            for key in ("f9", "R", "f8", "I"):
                guest.screen.say("")
                await guest.press(key)
                await guest.wait()
                assert guest.at_the_board
                assert guest.status.startswith(online(guest).story.ended[:40]), "neither a spectator nor to be patient"
            assert guest.text("#hints").startswith("N Play online")
            assert not any(word in guest.text("#hints") for word in ("Invitation", "Chat"))


async def test_a_screen_that_is_refused_ten_times_for_reasons_that_time_heals_plays_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "_PAUSES", (0.0,))
    async with server(tmp_path) as table, refusing(table.url) as (url, left):
        table.lay()
        other = Player(table.url, table.game, code=table.code)
        seat = SavedSeat(url, table.game, table.host_key, "Lu")
        async with at_the_table(Place(seat.invitation, "Lu", seat), tmp_path / "host") as host:
            await until(host, lambda: host.status.startswith("Your move"))
            left.extend(TEN)
            for connection in tuple(table.lobby._open):
                connection.end()
            await until(host, lambda: not left and online(host).match.client.my_turn)
            await until(host, lambda: online(host).match.client.connected)
            await host.click_point("C3")
            await other.moves(1)
            await other.my_turn()
            other.client.play(18)
            await until(host, lambda: host.moves == ["C3", "D2"])
            assert " line" in host.text("#game") or "Connected" in host.text("#game")
        await other.end()


async def test_earlier_moves_are_viewed_and_spectators_only_watch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    allowed, run = asyncio.Event(), OnlineClient.run
    allowed.set()

    async def wait(self: OnlineClient) -> client.Ended:
        await allowed.wait()
        return await run(self)

    monkeypatch.setattr(OnlineClient, "run", wait)
    async with server(tmp_path) as table:
        table.lay()
        async with two(table, tmp_path) as (host, guest):
            await host.click_point("C3")
            await until(guest, lambda: guest.moves == ["C3"])
            await guest.press("home")
            await guest.click_point("D4")
            assert "You view an earlier move" in guest.status
            await guest.press("end")
            await guest.click_point("D4")
            await until(host, lambda: host.moves == ["C3", "D4"])
            watch = Place(Invitation(table.url, table.game), "Wu")
            # Before the server answers: who has no seat watches.
            allowed.clear()
            async with at_the_table(watch, tmp_path / "watch") as watcher:
                assert online(watcher).match.state is None
                assert "Chat" in watcher.text("#hints")
                assert "Pass" not in watcher.text("#hints")
                allowed.set()
                await until(watcher, lambda: watcher.moves == ["C3", "D4"])
                # It is said a moment later, and would take the place of what is said of the click.
                await until(watcher, lambda: "Spectators: 1" in watcher.status)
                await watcher.click_point("A1")
                assert "You watch this game" in watcher.status
                for key in ("R", "M", "f8"):
                    watcher.screen.say("")
                    await watcher.press(key)
                    assert "You watch this game" in watcher.status
                assert "Chat" in watcher.text("#hints")
                assert not any(word in watcher.text("#hints") for word in ("Pass", "Resign", "Undo"))
                assert "Resign" in host.text("#hints")
                await until(host, lambda: "1 watching" in host.text("#game"))
                await guest.press("R")
                await guest.press("y")
                await until(watcher, lambda: "Black wins" in watcher.status or not watcher.at_the_board)


async def test_no_other_game_takes_the_place_of_an_online_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    async with server(tmp_path) as table:
        table.lay()
        async with two(table, tmp_path) as (host, _guest):
            session = host.session
            # A message from the server could replace this one before it is checked.
            monkeypatch.setattr(host.screen, "say", said.append)
            host.screen.questions.run(partial(host.screen.records.open_session, Session()))
            await until(host, lambda: any("This is an online game" in words for words in said))
            assert host.session is session


async def test_nothing_is_read_for_a_player_while_an_online_game_is_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[object] = []

    async def threatened(_reader: Reader, position: object, _budget: int) -> frozenset[int]:
        read.append(position)
        return frozenset()

    async def sides(person: Person) -> set[str]:
        found = set()
        for _ in person.screen.panes.offered:
            await person.press("tab")
            found.add(person.screen.panes.side.id)
        return found

    monkeypatch.setattr(Reader, "threatened", threatened)
    async with server(tmp_path) as table:
        table.lay()
        async with two(table, tmp_path) as (host, guest):
            host.app.apply_options(host.screen.options._replace(mark_ladders=True))
            await host.click_point("C3")
            await until(host, lambda: host.moves == ["C3"])
            assert not {"opening", "candidates"} & await sides(host)
            assert not read
            await guest.press("R", "y")
            await until(host, lambda: host.game.is_over and host.at_the_board)
            await until(host, lambda: read)
            assert {"opening", "candidates"} <= await sides(host)


async def test_a_game_is_hosted_and_joined_from_the_screen(tmp_path: Path) -> None:
    folders = [Folders(tmp_path / side / "journal", tmp_path / side / "games") for side in ("host", "guest")]
    apps = [DaoqiApp(None, folders=kept) for kept in folders]
    async with apps[0].run_test(size=(120, 40)) as one, apps[1].run_test(size=(80, 24)) as other:
        host, guest = Person(apps[0], one), Person(apps[1], other)
        form = await form_of(host)
        await host.enter_text("#size", "99")
        await host.press("ctrl+s")
        assert "whole number from 5 to 25" in host.question()
        await host.enter_text("#size", "5")
        form.query_one("#colour", Choice).value = "host"
        await host.press("ctrl+s")
        # The invitation is shown automatically.
        await waiting.until(lambda: isinstance(apps[0].screen, ChoiceDialog))
        await waiting.until(lambda: "Only this computer reaches the game." in host.question())
        host = Person(apps[0], one)
        host.screen = apps[0].screen_stack[-2]  # type: ignore[assignment]
        await until(host, lambda: "Waiting for the guest" in host.status)
        invitation = online(host).match.place.guest
        await until(host, lambda: str(invitation) in host.question())
        assert apps[0].clipboard == f"daoqi-tui join {invitation}"
        await host.press("q")
        drawn = apps[0].screen.query_one("#help Static", Static)
        assert str(drawn.visual).splitlines() == qr_code(str(invitation))
        assert drawn.size.width == cell_len(qr_code(str(invitation))[0]), "its frame is no wider"
        # Light on dark, whatever the theme is.
        assert [str(span.style) for span in drawn.visual.spans] == ["#ffffff on #000000"]
        await host.press("escape")
        await host.press("c")
        await until(host, lambda: host.at_the_board and apps[0].clipboard == f"daoqi-tui join {invitation}")
        await host.press("q")
        await until(host, lambda: not host.at_the_board)
        assert "Your guest cannot come without you" in host.question()
        await host.press("n")
        await until(host, lambda: host.at_the_board)
        await host.press("I")
        await until(host, lambda: str(invitation) in host.question())
        form = await form_of(guest)
        form.query_one("#kind", Choice).value = "join"
        await guest.settle()
        await guest.enter_text("#invitation", "nonsense")
        await guest.press("ctrl+s")
        assert "is not an invitation" in guest.question()
        await guest.enter_text("#invitation", f"daoqi-tui join {invitation}")
        await guest.press("ctrl+s")
        await waiting.until(lambda: isinstance(apps[1].screen, GameScreen) and apps[1].screen.online)
        guest.screen = apps[1].screen
        # The invitation closes when the guest joins.
        await until(host, lambda: host.at_the_board and host.status.startswith("Your move"))
        await host.click_point("C3")
        await until(guest, lambda: guest.moves == ["C3"])
        await guest.press("q")
        await guest.press("y")
        await waiting.until(lambda: apps[1].screen is apps[1].screen_stack[0])
        await until(host, lambda: "opponent offline" in host.text("#game"))


async def test_a_host_lets_the_network_in_with_one_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # 127.0.0.2 stands for another computer's way to this one: a server at 127.0.0.1 is not reached there.
    monkeypatch.setattr(hosting, "own_addresses", lambda: ("127.0.0.2", "198.51.100.7", "2001:db8::7"))
    folders = Folders(tmp_path / "journal", tmp_path / "games")
    app = DaoqiApp(None, folders=folders)
    async with app.run_test(size=(120, 40)) as pilot:
        host = Person(app, pilot)
        form = await form_of(host)
        await host.enter_text("#size", "5")
        form.query_one("#colour", Choice).value = "guest"
        await host.press("ctrl+s")
        await waiting.until(lambda: isinstance(app.screen, ChoiceDialog))
        screen = app.screen_stack[-2]
        assert isinstance(screen, GameScreen)
        assert screen.online is not None
        match = screen.online.match
        await waiting.until(lambda: match.state is not None)
        here = match.place.guest
        assert here is not None
        number = urlsplit(here.server).port
        await waiting.until(lambda: "Only this computer reaches the game." in host.question())
        assert "2001:db8::7" not in host.question()
        assert "127.0.0.2, 198.51.100.7" in host.question()
        with pytest.raises(ConnectionRefusedError):
            create_connection(("127.0.0.2", number or 0))
        await host.press("l")
        await waiting.until(lambda: "The computers in this network reach the game." in host.question())
        assert match.client.connected
        words = host.question()
        for address in ("127.0.0.2", "198.51.100.7", "127.0.0.1"):
            assert f"daoqi-tui join {replace(here, server=f'ws://{address}:{number}')}" in words
        assert "2001:db8::7" not in words, "the server listens for IPv4 alone"
        await host.press("c")
        await waiting.until(lambda: app.screen is screen)
        copied = app.clipboard.removeprefix("daoqi-tui join ")
        assert "it works from this network" in str(screen.query_one("#status").render())
        guest = Player(Invitation.parse(copied).server, here.game, code=here.code)
        await waiting.until(lambda: match.state is not None and match.state.phase == "playing")
        await guest.end()
        await waiting.until(
            lambda: [seat.listen for seat in SeatBook.in_folder(folders.online).seats() if seat.host] == ["0.0.0.0"]
        )


async def test_a_host_goes_back_to_a_game_that_no_program_serves(tmp_path: Path) -> None:
    folders = Folders(tmp_path / "journal", tmp_path / "games")
    with create_server(("0.0.0.0", 0)) as listening:
        async with hosting.hosting(
            listening, Terms(size=5, black="host"), "Lu", folder=folders.online, library=folders.library
        ) as (place, _problems):
            assert place.seat is not None
            assert place.guest is not None
            SeatBook.in_folder(folders.online).put(place.seat)
    guest = Player(place.invitation.server, place.invitation.game, code=place.guest.code)
    app = DaoqiApp(None, folders=folders)
    async with app.run_test(size=(120, 40)) as pilot:
        host = Person(app, pilot)
        await form_of(host)
        await host.press("ctrl+s")
        await waiting.until(lambda: isinstance(app.screen, GameScreen) and app.screen.online)
        host.screen = app.screen  # type: ignore[assignment]
        await until(host, lambda: "Your move" in host.status)
        await host.click_point("C3")
        await guest.moves(1)
        assert online(host).match.place.addresses == place.addresses
        await guest.end()


@pytest.mark.parametrize("watch", [True, False])
async def test_who_hosts_or_resumes_a_game_that_others_reach_is_not_told_otherwise(watch: bool, tmp_path: Path) -> None:
    async def invitation(opened: Terms | list[SavedSeat]) -> tuple[Place, str]:
        with create_server(("127.0.0.1", 0)) as listening:
            async with (
                hosting.hosting(
                    listening, opened, "Lu", folder=tmp_path, library=tmp_path / "library", public="wss://go.example"
                ) as (place, _problems),
                at_the_table(place, tmp_path) as host,
            ):
                await until(host, lambda: "Waiting for the guest" in host.status)
                if host.at_the_board:
                    await host.press("I")
                await until(host, lambda: not host.at_the_board)
                return place, host.question()

    place, words = await invitation(Terms(watch=watch))
    assert str(place.guest) in words
    assert "Only this computer" not in words
    assert place.seat is not None
    again, words = await invitation([place.seat])
    assert "The invitation that you sent your guest is still good." in words
    assert "Only this computer" not in words
    assert ("wss://go.example#" in words) == watch
    assert again.guest is None


async def test_a_host_with_too_many_games_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosting, "Lobby", partial(Lobby, limits=Limits(games=0)))
    folders = Folders(tmp_path / "journal", tmp_path / "games")
    app = DaoqiApp(None, folders=folders)
    async with app.run_test(size=(120, 40)) as pilot:
        host = Person(app, pilot)
        assert not (await form_of(host)).query_one("#everywhere").value
        await host.press("ctrl+s")
        await until(host, lambda: host.at_the_board and "No game can be opened here: the server has no" in host.status)


async def test_a_pasted_invitation_sits_down(tmp_path: Path) -> None:
    folders = Folders(tmp_path / "journal", tmp_path / "games")
    async with server(tmp_path) as table:
        table.lay()
        app = DaoqiApp(None, folders=folders)
        async with app.run_test(size=(80, 24)) as pilot:
            guest = Person(app, pilot)
            invitation = Invitation(table.url, table.game, table.code)
            guest.screen.post_message(Paste(f"daoqi-tui join {invitation}\n"))
            await until(guest, lambda: not guest.at_the_board)
            assert table.url in guest.question()
            await guest.press("y")
            await waiting.until(lambda: isinstance(app.screen, GameScreen) and app.screen.online)
            guest.screen = app.screen  # type: ignore[assignment]
            await until(guest, lambda: online(guest).match.client.role == "white")


@pytest.mark.parametrize("key", ["A", "K", "M", "slash", "I"])
async def test_keys_of_online_games_say_so_elsewhere(key: str) -> None:
    async with playing() as person:
        await person.press(key)
        assert person.status.startswith("This is not an online game: N begins one")


async def test_nothing_is_left_running(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        table.lay()
        before = len(asyncio.all_tasks())
        async with at_the_table(host_place(table), tmp_path) as host:
            await until(host, lambda: "Waiting" in host.status)
        await waiting.until(lambda: len(asyncio.all_tasks()) <= before)


async def test_a_start_says_how_many_games_wait(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        book = SeatBook.in_folder(tmp_path / "mine" / "online")
        for _ in range(2):
            table.lay()
            await table.two()
            book.put(SavedSeat(table.url, table.game, table.host_key, "Lu"))
        # One game that is over, and one whose server is down.
        book.put(SavedSeat(table.url, "over", "key", "Lu", phase="over"))
        book.put(SavedSeat("ws://127.0.0.1:9", "gone", "key", "Lu", my_turn=True))
        folders = Folders(tmp_path / "mine" / "journal", tmp_path / "mine" / "games")
        app = DaoqiApp(None, folders=folders)
        async with app.run_test(size=(120, 40)) as pilot:
            person = Person(app, pilot)
            await until(person, lambda: app._notifications)
            [told] = app._notifications
            assert told.message == "2 games wait for your move: N goes there"


async def test_at_an_online_game_no_other_one_is_pointed_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, answered = asyncio.Event(), asyncio.Event()

    async def count(_folder: Path) -> int:
        asked.set()
        await answered.wait()
        return 1

    monkeypatch.setattr("daoqi_tui.play.online.seats.waiting_for_me", count)
    folders = Folders(tmp_path / "mine" / "journal", tmp_path / "mine" / "games")
    folders.online.mkdir(parents=True)
    async with server(tmp_path) as table:
        table.lay()
        app = DaoqiApp(None, folders=folders)
        async with app.run_test(size=(80, 24)) as pilot:
            person = Person(app, pilot)
            await until(person, asked.is_set)
            app.open_online(host_place(table))
            await until(person, lambda: app.game.online)
            answered.set()
            await until(person, lambda: not any(worker.group == "online" for worker in app.workers))
            assert not app._notifications


async def test_the_form_asks_all_servers_how_the_games_stand(tmp_path: Path) -> None:
    time = Time()
    nobody = SavedSeat(f"ws://127.0.0.1:{free_port()}", "aaaaaaaa", "k" * 20, "Lu", "Wu", "playing")
    async with server(tmp_path / "one", now=time) as one, server(tmp_path / "other") as other:
        for table, terms in ((one, Terms(size=5, black="guest", time=TimeControl(600))), (other, Terms(size=5))):
            table.lay(terms)
            await table.two()
        folders = Folders(tmp_path / "journal", tmp_path / "games")
        book = SeatBook.in_folder(folders.online)
        for table, name in ((one, "Ke"), (other, "Ke")):
            book.put(SavedSeat(table.url, table.game, table.host_key, "Lu", name, "playing", host=False))
        book.put(nobody)
        time.now += 60
        app = DaoqiApp(None, folders=folders)
        async with app.run_test(size=(80, 24)) as pilot:
            person = Person(app, pilot)
            form = await form_of(person)
            choice = form.query_one("#seat", Choice)
            await until(person, lambda: "not reached" in str(choice.choices))
            words = [words for words, _value in choice.choices]
        assert words[0] == "against Wu: the opponent's move; not reached"
        assert words[1] in ("against Ke: your move", "against Ke: the opponent's move")
        assert words[2] == "against Ke: the opponent's move, 9:00 left"
        # The same for the command.
        told = [describe_standing(each) for each in await current_states(book.seats())]
        assert told[0].startswith("the opponent's move (not reached: 127.0.0.1 is this computer, which serves no game")
        assert told[2] == "the opponent's move, 9:00 left"


async def test_a_notification_is_shown_when_it_becomes_ones_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[str] = []
    monkeypatch.setattr(HeadlessDriver, "notify_desktop", lambda _driver, text: shown.append(text), raising=False)
    async with server(tmp_path) as table:
        table.lay()
        async with two(table, tmp_path) as (host, _guest):
            await until(host, lambda: shown == ["Daoqi: it is your turn"])


@pytest.mark.parametrize(
    ("term", "written"), [("xterm-kitty", "\x1b]9;Hello\x07"), ("foot-extra", "\x1b]777;notify;Daoqi;Hello\x07")]
)
def test_a_notification_is_written_as_the_terminal_knows_it(
    term: str, written: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[str] = []
    monkeypatch.setenv("TERM", term)
    driver = TerminalDriver.__new__(TerminalDriver)
    monkeypatch.setattr(driver, "write", found.append, raising=False)
    monkeypatch.setattr(driver, "flush", lambda: None, raising=False)
    driver.notify_desktop("Hello")
    assert found == [written]


@pytest.mark.parametrize("is_member", [True, False])
async def test_a_game_for_a_lobby_has_the_terms_of_its_form(is_member: bool) -> None:
    async with playing((80, 24)) as person:
        asked: list[NewGame | None] = []
        person.app.push_screen(TableForm("Wu", accounts=is_member), asked.append)
        await until(person, lambda: bool(person.app.screen.query("#clock")))
        await person.enter_text("#size", "9")
        await person.enter_text("#clock", "3d" if is_member else "20")
        await person.press("enter")
        await until(person, lambda: asked)
        [game] = asked
        assert game is not None
        assert (game.name, game.size, game.rated) == ("Wu", 9, False)
        terms = game.terms()
        assert terms.time is not None
        assert terms.days == (3 if is_member else 0)
        assert terms.rules == NewGame().terms().rules
