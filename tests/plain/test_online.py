"""Online play in text mode, with human players and an engine, and saved seats."""

from __future__ import annotations

import asyncio
import shlex
import sys
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest

from daoqi_tui.commands.text import ONLINE_BY_NAME, ONLINE_COMMANDS
from daoqi_tui.engine import Game
from daoqi_tui.engine.clock import TimeControl
from daoqi_tui.i18n import use_language
from daoqi_tui.plain.online import HANDLERS, PlainOnline, play
from daoqi_tui.play.analyst import Proposal
from daoqi_tui.play.online import client
from daoqi_tui.play.online.bots import Bot
from daoqi_tui.play.online.client import ClientEvent, Ended, OnlineClient
from daoqi_tui.play.online.hosting import Place
from daoqi_tui.play.online.invitation import Invitation
from daoqi_tui.play.online.limits import Limits
from daoqi_tui.play.online.protocol import REASONS, Agree, Ask, Declined, Play, Said, Welcome
from daoqi_tui.play.online.seat_book import SavedSeat, SeatBook
from daoqi_tui.play.online.seats import Recorder
from daoqi_tui.play.online.table import Terms
from daoqi_tui.play.players import PlayerTable, make_player
from daoqi_tui.play.session import EngineSeat
from tests.play.online.refusing import TEN, refusing
from tests.play.online.table import Player, Server, Time, Wire, server, standing
from tests.waiting import HANG, until

SIMPLE_ENGINE = Path(__file__).parents[1] / "gtp" / "simple.py"


class Person:
    """A text-mode client with a log of its output."""

    def __init__(self, url: str, game: str, *, key: str = "", code: str = "", name: str = "Ke") -> None:
        self.told: list[str] = []

        seat = SavedSeat(url, game, key, name) if key else None
        place = Place(Invitation(url, game, code), name, seat)
        self.table = PlainOnline(place, PlayerTable, "daoqi", self.told.append)
        self.table.match.connect()

    async def says(self, line: str) -> None:
        await until(lambda: line in self.told, lambda: "\n".join(self.told))

    async def end(self) -> None:
        await self.table.match.close()


async def two(table: Server) -> tuple[Person, Person]:
    host = Person(table.url, table.game, key=table.host_key, name="Lu")
    guest = Person(table.url, table.game, code=table.code)
    await host.says("Your move.")
    await guest.says("You play White.")
    return host, guest


class BrokenInput(StringIO):
    """An input stream that fails on every read."""

    def readline(self, size: int | None = -1, /) -> str:
        raise ValueError("I/O operation on closed file")


async def test_an_input_that_breaks_is_the_end_of_it(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        table.lay(Terms(size=9, komi=4, black="host"))
        person = PlainOnline(Place(Invitation(table.url, table.game), "Lu"), PlayerTable, "daoqi", print)
        async with asyncio.timeout(HANG):
            assert await play(person, BrokenInput()) == 0


async def test_a_game_is_told_and_played(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        table.lay(Terms(size=9, komi=4, black="host"))
        host, guest = await two(table)
        assert guest.told[0] == "Lu (Black) against Ke (White), 9 by 9, komi 4."
        guest.table.answer("E5")
        assert guest.told[-1] == "It is the opponent's turn."
        host.table.answer("J9x")
        assert host.told[-1] == "'J9x' is neither a point nor a command; help lists them."
        host.table.answer("I9")
        await guest.says("Black I9.")
        await guest.says("Your move.")
        guest.table.answer("I9")
        assert guest.told[-1] == "I9 is occupied: play on an empty point."
        guest.table.answer("pass")
        await host.says("White passes.")
        host.table.answer("undo")
        await guest.says("The opponent requests: undo. Answer with accept or decline.")
        guest.table.answer("decline")
        await host.says("The opponent declined: undo.")
        host.table.answer("undo")
        await until(lambda: guest.told.count("The opponent requests: undo. Answer with accept or decline.") == 2)
        guest.table.answer("accept")
        await host.says("Undone: 0 moves remain.")
        host.table.answer("pass")
        await guest.says("Black passes.")
        guest.table.answer("pass")
        await host.says("Dead stones: none.")
        host.table.answer("agree")
        await host.says("You agree; the opponent has not yet.")
        guest.table.answer("agree")
        await guest.says("The game is over. White wins by 4.")
        watcher = Person(table.url, table.game)
        await watcher.says("White, 3 in all: stones 0, territory 0, minus 1 for passes, komi 4.")
        await watcher.end()
        for person in (guest, host):
            counted = [line for line in person.told if line.startswith("White, ")]
            assert len(counted) == 1, "said with the count, and not again at the end"
        guest.table.answer("rematch")
        await host.says("The opponent requests: a rematch with colours changed. Answer with accept or decline.")
        host.table.answer("accept")
        await guest.says("You play Black.")
        await guest.end()
        await host.says("Ke has lost the connection.")
        await host.end()


async def counting(table: Server) -> tuple[Person, Person]:
    """Return host and guest of a new game after one stone each and two passes."""
    table.lay(Terms(size=9, komi=4, black="host"))
    host, guest = await two(table)
    for number, (mover, move) in enumerate(((host, "E5"), (guest, "A1"), (host, "pass"), (guest, "pass"))):
        await until(lambda mover=mover: mover.table.match.awaits_person, lambda: str((number, mover.told)))  # noqa: B023
        mover.table.answer(move)
    for person in (host, guest):
        await person.says("Dead stones: none.")
    return host, guest


async def test_accept_agrees_to_the_count_and_decline_plays_on(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        host, guest = await counting(table)
        host.table.answer("accept")
        await host.says("You agree; the opponent has not yet.")
        await guest.says("The opponent agrees to the count; accept agrees as well, resume plays on.")
        for person in (host, guest):
            # The count is told once, and the game is not over yet.
            assert person.told.count("Dead stones: none.") == 1
            assert person.told.count("White by 4.") == 1
            assert not [line for line in person.told if "over" in line]
        guest.table.answer("decline")
        await until(lambda: not host.table.match.awaits_count)
        assert host.told[-1] == "Your move."
        host.table.answer("accept")
        assert host.told[-1] == "There is no request."
        host.table.answer("pass")
        await guest.says("Your move.")
        await until(lambda: guest.table.match.awaits_person)
        guest.table.answer("pass")
        for person in (host, guest):
            await until(lambda person=person: person.table.match.awaits_count)
            person.table.answer("accept")
        await guest.says("The game is over. White wins by 4.")
        await guest.end()
        await host.end()


async def test_a_computer_proposes_dead_stones_to_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def propose(_players: object, game: Game) -> Proposal:
        return Proposal(frozenset({game.torus.parse("A1", "daoqi")}), certain=0)

    monkeypatch.setattr("daoqi_tui.plain.online.propose_dead", propose)
    async with server(tmp_path) as table:
        host, guest = await counting(table)
        host.table.answer("dead")
        await host.says("Looking for dead stones.")
        await host.says("These look dead (over 80% sure).")
        await guest.says("Dead stones: A1.")
        guest.table.answer("dead B2")
        assert guest.told[-1] == "There is no stone at B2."
        guest.table.answer("dead A1")
        await until(lambda: host.told.count("Dead stones: none.") == 2)
        await guest.end()
        await host.end()


async def test_the_clock_runs_on_without_a_player_only_where_there_is_one(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        referee = table.lay(Terms(size=9, black="host", time=TimeControl(600)))
        await table.two()
        now = referee.state()
    person = Person("ws://127.0.0.1:1", "aaaaaaaa")
    for state in (now, replace(now, clock=None)):
        person.table.match.client._take(state)
        person.table.match.client._take(replace(state, present=("white",)))
        person.table.match.client._take(state)
    told = [line for line in person.told if "lost the connection" in line]
    assert told == ["Lu has lost the connection; the clock runs on.", "Lu has lost the connection."]
    await person.end()


async def test_dead_stones_are_marked_only_during_the_count(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        table.lay(Terms(size=9, black="host"))
        host, guest = await two(table)
        for typed in ("dead", "dead A1"):
            host.table.answer(typed)
            assert host.told[-1] == "Dead stones are marked when two passes have ended the game."
        await guest.end()
        await host.end()


async def test_moves_missed_while_the_line_was_lost_are_told(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        referee = table.lay(Terms(size=9, black="host"))
        await table.two()
        now = referee.state()
    person = Person("ws://127.0.0.1:1", "aaaaaaaa")
    client = person.table.match.client
    for moves in (("E5",), ("E5", "D4"), ("E5", "D4", "pass", "C3"), ("E5", "D4"), ("E5", "A1", "B2")):
        client._take(replace(now, moves=moves))
    told = [line for line in person.told if line.startswith(("Black", "White", "Undone"))]
    assert told[:4] == ["White D4.", "Black pass.", "White C3.", "Undone: 2 moves remain."]
    assert told[4:] == ["Undone: 1 move remains.", "White A1.", "Black B2."]
    await person.end()


async def test_an_error_that_nobody_expected_ends_the_program(tmp_path: Path) -> None:
    def tell(line: str) -> None:
        raise RuntimeError(line)

    async with server(tmp_path) as table:
        table.lay(Terms(size=9, black="host"))
        person = PlainOnline(Place(Invitation(table.url, table.game), "Wu"), PlayerTable, "daoqi", tell)
        with pytest.raises(RuntimeError, match="against"):
            await play(person, StringIO(), stays=True)


async def test_who_is_refused_leaves_with_status_1(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        table.lay(Terms(size=9, black="host"))
        told: list[str] = []
        place = Place(Invitation(table.url, table.game, "a" * 20), "Ke")
        assert await play(PlainOnline(place, PlayerTable, "daoqi", told.append), StringIO(), stays=True) == 1
        assert told == [f"{REASONS['code']}."]


async def test_chat_is_shown_as_text_and_can_be_muted(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        table.lay(Terms(size=9, black="host"))
        host, guest = await two(table)
        guest.table.answer("say hello \x1b[31mthere")
        await host.says("<Ke (White)> hello ␛[31mthere")
        host.table.answer("mute")
        host.table.match._on_event(Said("Ke", "white", "unheard"))
        assert not [line for line in host.told if "unheard" in line]
        await guest.end()
        await host.end()


async def test_players_hear_spectators_when_they_turn_it_on(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        table.lay(Terms(size=9, black="host"))
        host, guest = await two(table)
        watcher = Person(table.url, table.game, name="KE")
        await watcher.says("You watch.")
        watcher.table.answer("listen")
        assert watcher.told[-1] == "You watch this game."
        host.table.answer("listen")
        for person in (host, guest):
            await person.says("Lu hears what spectators say.")
        watcher.table.answer("say cut!")
        await host.says("<KE 2 (Spectator)> cut!")
        host.table.answer("listen")
        await guest.says("Lu no longer hears what spectators say.")
        assert not [line for line in guest.told if "cut!" in line]
        for person in (watcher, guest, host):
            await person.end()


async def test_a_win_is_claimed_after_a_warning(tmp_path: Path) -> None:
    time = Time()
    async with server(tmp_path, now=time) as table:
        table.lay(Terms(size=9, black="guest"))
        host = Person(table.url, table.game, key=table.host_key, name="Lu")
        guest = Person(table.url, table.game, code=table.code)
        await guest.says("Your move.")
        key = guest.table.match.client.key
        await guest.end()
        await host.says("Ke has lost the connection.")
        host.table.answer("claim")
        await until(lambda: "10 minutes after they left" in host.told[-1], lambda: host.told[-1])
        time.now += 601
        host.table.answer("claim")
        await host.says("The absent side is warned: the win can be claimed in 24 hours.")
        told = len(host.told)
        host.table._say_claimable()
        assert len(host.told) == told, "the end of an earlier warning is not that of this one"
        time.now += 86_000
        guest = Person(table.url, table.game, key=key)
        await guest.says("You were away and are warned: play on within 7 minutes, or the opponent may claim the win.")
        await guest.end()
        await until(lambda: host.told.count("Ke has lost the connection.") == 2)
        time.now += 601
        host.table.answer("claim")
        await host.says("The game is over. Black ran out of time: White wins.")
        await host.end()


async def test_it_is_said_when_the_time_of_an_absent_player_is_over(tmp_path: Path) -> None:
    async with server(tmp_path, limits=Limits(away=0, warning=0.1)) as table:
        table.lay(Terms(size=9, black="guest"))
        host = Person(table.url, table.game, key=table.host_key, name="Lu")
        guest = Person(table.url, table.game, code=table.code)
        await guest.says("Your move.")
        await guest.end()
        await host.says("Ke has lost the connection.")
        host.table.answer("claim")
        await host.says("The absent side was warned: claim claims the win.")
        host.table.answer("claim")
        await host.says("The game is over. Black ran out of time: White wins.")
        await host.end()


async def test_the_board_of_an_online_game_is_described(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        table.lay(Terms(size=9, black="guest"))
        host = Person(table.url, table.game, key=table.host_key, name="Lu")
        guest = Person(table.url, table.game, code=table.code)
        await guest.says("Your move.")
        guest.table.answer("e5")
        await host.says("Black E5.")
        watcher = Person(table.url, table.game)
        await watcher.says("From move 1: Black E5.")
        for typed, answer in (
            ("stones", "Black, 1 stone: E5."),
            ("around e4", "Above: E5 Black; to the right: F4 empty; below: E3 empty; to the left: D4 empty."),
            ("chain e5", "Liberties: E6, D5, F5, E4."),
            ("turn", "The last move: Black E5."),
            ("chain a1", "There is no stone at A1."),
            ("around k10", "Name a point: around E5."),
        ):
            host.table.answer(typed)
            await host.says(answer)
        for person in (watcher, guest, host):
            await person.end()


async def test_a_server_cannot_send_escape_sequences_to_the_terminal() -> None:
    person = Person("ws://127.0.0.1:1", "aaaaaaaa")
    person.table.announce_from_server(Said("\x1b[2J", "spectator", "\x9b31m"))
    assert person.told[-1] == "<␛[2J (Spectator)> �31m"
    await person.end()


async def test_why_there_is_no_connection(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        elsewhere = Person(f"{table.url}/elsewhere", "aaaaaaaa")
        await until(lambda: any("serves no Daoqi games (HTTP status 404)" in line for line in elsewhere.told))
        assert elsewhere.table.ended
        await elsewhere.end()
    nowhere = Person(table.url, "aaaaaaaa")
    words = "No connection: 127.0.0.1 is this computer, which serves no game at port "
    await until(lambda: any(line.startswith(words) for line in nowhere.told))
    assert not nowhere.table.ended
    await nowhere.end()


async def test_a_lost_line_is_told_once(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        table.lay(Terms(size=9, black="host"))
        port = table.address[1]
        host, guest = await two(table)
    await host.says("No connection: the server closed the connection. Trying again.")
    async with server(tmp_path, port=port):
        await host.says("Connected again.")
        await guest.says("Connected again.")
        host.table.answer("E5")
        await guest.says("Black E5.")
        assert len([line for line in host.told if line.startswith("No connection")]) == 1
    await guest.end()
    await host.end()


async def test_who_is_refused_ten_times_for_reasons_that_time_heals_plays_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "_PAUSES", (0.0,))
    async with server(tmp_path) as table, refusing(table.url) as (url, left):
        table.lay(Terms(size=5, black="host"))
        host = Person(table.url, table.game, key=table.host_key, name="Lu")
        guest = Person(url, table.game, code=table.code)
        await host.says("Your move.")
        left.extend(TEN)
        for connection in tuple(table.lobby._open):
            connection.end()
        await guest.says("Connected again.")
        assert not left
        assert not guest.table.ended
        for reason in (
            "too many wrong codes came from this address; wait a minute",
            "too many messages in a short time",
        ):
            assert f"No connection: {reason}. Trying again." in guest.told
        await until(lambda: host.table.match.client.my_turn)
        host.table.answer("C3")
        await guest.says("Black C3.")
        guest.table.answer("D3")
        await host.says("White D3.")
        await host.end()
        await guest.end()


async def test_every_command_has_help() -> None:
    person = Person("ws://127.0.0.1:1", "aaaaaaaa")
    person.table.answer("help")
    assert list(HANDLERS) == [command.name for command in ONLINE_COMMANDS]
    assert len(person.told) == len(ONLINE_COMMANDS) + 1
    assert "say TEXT: Say something to the players, or as a spectator to the spectators." in person.told
    use_language("zh")
    person.table.answer("help")
    assert "say 文字、说：对对局双方说话；观战者则对其他观战者说。" in person.told
    assert not any(line.startswith(" ") or "  " in line for line in person.told)
    use_language("en")
    for name in ONLINE_BY_NAME:
        if name != "quit":
            person.table.answer(name)
    person.table.answer("quit")
    assert person.table.over
    await person.end()


async def test_an_engine_plays_a_whole_game(tmp_path: Path) -> None:
    """The engine, as guest, plays against passes, declines an undo and agrees to the score."""
    seat = EngineSeat(shlex.join([sys.executable, str(SIMPLE_ENGINE)]))
    async with server(tmp_path) as table:
        table.lay(Terms(size=5, black="host"))
        troubles: list[object] = []
        player = Player(table.url, table.game, code=table.code, name="Engine")
        bot = Bot(player.client, make_player(seat), troubles.append)
        player.client._on_event = bot.react
        host: Wire = await table.wire()
        await host.join(key=table.host_key)
        referee = table.lobby.games[table.game]
        await until(lambda: referee.phase == "playing")
        await host.say(Play(1, "C3"))
        await until(lambda: len(referee.state().moves) == 2 or troubles, lambda: str(troubles))
        await host.say(Ask("undo"))
        assert (await host.hear(Declined)).by == "white"
        while referee.phase == "playing":
            number = len(referee.state().moves)
            assert number < 200
            await host.say(Play(number + 1, "pass"))
            await until(lambda: len(referee.state().moves) >= number + 2 or referee.phase != "playing")  # noqa: B023
        if referee.phase == "counting":
            await until(lambda: referee.state().agreed == ("white",))
            await host.say(Agree(referee.state().dead))
            await until(lambda: referee.phase == "over")
        await host.say(Ask("rematch"))
        await until(lambda: referee.state().round == 2, lambda: str(referee.state()))
        assert troubles == []
        await bot.close()
        await player.end()


async def test_seats_are_kept_and_looked_at_without_taking_them(tmp_path: Path) -> None:
    book = SeatBook(tmp_path / "state" / "seats.json")
    assert book.seats() == []
    async with server(tmp_path) as table:
        table.lay(Terms(size=9, black="host"))
        host, guest = await two(table)
        seat = SavedSeat(table.url, table.game, guest.table.match.client.key, "Ke")
        book.put(seat)
        assert (tmp_path / "state" / "seats.json").stat().st_mode & 0o077 == 0
        assert book.find(Invitation(table.url, table.game, "code")) == seat
        found, reason, _left = await standing(seat)
        assert (reason, found.opponent, found.phase, found.my_turn) == ("", "Lu", "playing", False)
        host.table.answer("E5")
        await guest.says("Black E5.")
        later, reason, _left = await standing(seat)
        assert (reason, later.my_turn, later.opponent, later.phase) == ("", True, "Lu", "playing")
        # The guest still holds the seat.
        guest.table.answer("C3")
        await host.says("White C3.")
        book.put(later)
        assert book.seats() == [later]
        book.remove(later)
        await guest.end()
        await host.end()
    assert (await standing(seat)).reason


class Guest:
    """A client whose seat is saved, with a log of the saved seats at each of its events."""

    def __init__(self, url: str, game: str, code: str, folder: Path) -> None:
        self.book = SeatBook(folder / "seats.json")
        self.held: list[tuple[ClientEvent, list[SavedSeat]]] = []
        recorder = self.recorder = Recorder(self.book, None, None)

        def hear(event: ClientEvent) -> None:
            self.held.append((event, self.book.seats()))
            recorder.save(client)

        client = self.client = OnlineClient(
            Invitation(url, game, code), "Ke", hear, joining=lambda: recorder.joining(client)
        )


async def test_a_seat_is_kept_before_its_code_is_used_up(tmp_path: Path) -> None:
    """A program that exits before it receives the confirmation can still resume the seat."""
    async with server(tmp_path) as table:
        referee = table.lay(Terms(size=9, black="host"))
        guest = Guest(table.url, table.game, table.code, tmp_path / "guest")
        running = asyncio.create_task(guest.client.run())
        await until(lambda: guest.held)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        first, [seat] = guest.held[0]
        assert isinstance(first, Welcome)
        assert seat.key == guest.client.key
        assert referee.phase == "playing"
        found = await standing(seat)
        assert (found.reason, found.seat.phase) == ("", "playing")
        await guest.recorder.close()


async def test_a_seat_that_is_refused_is_not_kept(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        table.lay(Terms(size=9, black="host"))
        guest = Guest(table.url, table.game, "a" * 20, tmp_path / "guest")
        await guest.client.run()
        await guest.recorder.close()
        [(ended, before)] = guest.held
        assert isinstance(ended, Ended)
        assert [seat.game for seat in before] == [table.game]
        assert guest.book.seats() == []


async def test_a_seat_taken_before_stays_when_its_server_does_not_know_it(tmp_path: Path) -> None:
    """The server may have started without its games."""
    async with server(tmp_path) as table:
        book = SeatBook(tmp_path / "seats.json")
        seat = SavedSeat(table.url, "aaaaaaaa", "k" * 20, "Ke", "Lu", "playing", 1)
        book.put(seat)
        recorder = Recorder(book, seat, None)
        client = OnlineClient(seat.invitation, "Ke", lambda _: recorder.save(client), key=seat.key)
        await client.run()
        await recorder.close()
        assert book.seats() == [seat]


@pytest.mark.parametrize("text", [b"", b"{", b'{"seats": 3}', b'{"seats": [{"server": 1}]}', b"\xff"])
def test_a_damaged_book_of_seats_is_an_empty_one(text: bytes, tmp_path: Path) -> None:
    path = tmp_path / "seats.json"
    path.write_bytes(text)
    assert SeatBook(path).seats() == []
