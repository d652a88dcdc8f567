"""Online play in lines of text: two persons, a spectator and an engine, each as the command line has them."""

from __future__ import annotations

import asyncio
import io
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from daoqi_tui.plain.online import COMMANDS, PlainOnline, play
from daoqi_tui.play.online.client import Bot, OnlineClient
from daoqi_tui.play.online.events import ClientEvent, Ended
from daoqi_tui.play.online.invitation import Invitation
from daoqi_tui.play.online.protocol import Agree, Ask, Declined, Play, Said, Welcome
from daoqi_tui.play.online.referee import Terms
from daoqi_tui.play.online.seats import Recorder, SavedSeat, SeatBook, peek
from daoqi_tui.play.players import make_player
from daoqi_tui.play.seats import EngineSeat
from tests.play.online.table import Player, Server, Wire, server
from tests.waiting import until

SIMPLE_ENGINE = Path(__file__).parents[1] / "gtp" / "simple.py"


class Person:
    """Text mode with the lines that it told."""

    def __init__(self, url: str, game: str, *, key: str = "", code: str = "", name: str = "Ke") -> None:
        self.told: list[str] = []

        def make(hear: Callable[[ClientEvent], object]) -> OnlineClient:
            return OnlineClient(Invitation(url, game, code), name, hear, key=key)

        self.table = PlainOnline(make, "daoqi", self.told.append)
        self.task = asyncio.create_task(self.table.client.run())

    async def says(self, line: str) -> None:
        await until(lambda: line in self.told, lambda: "\n".join(self.told))

    def since(self, line: str) -> list[str]:
        return self.told[len(self.told) - self.told[::-1].index(line) :]

    async def end(self) -> None:
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)


async def two(table: Server) -> tuple[Person, Person]:
    host = Person(table.url, table.game, key=table.host_key, name="Lu")
    guest = Person(table.url, table.game, code=table.code)
    await host.says("Your move.")
    await guest.says("You play White.")
    return host, guest


class BrokenInput(io.StringIO):
    """An input that a person cannot type into any more."""

    def readline(self, size: int | None = -1, /) -> str:
        raise ValueError("I/O operation on closed file")


async def test_an_input_that_breaks_is_the_end_of_it(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        table.lay(Terms(size=9, komi=4, black="host"))
        client = OnlineClient(Invitation(table.url, table.game, ""), "Lu", lambda _event: None, key=table.host_key)
        async with asyncio.timeout(10):
            assert await play(PlainOnline(lambda _hear: client, "daoqi", print), BrokenInput()) == 0


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
        await guest.says("The opponent requests: undo. Type accept or decline.")
        guest.table.answer("decline")
        await host.says("The opponent declined: undo.")
        host.table.answer("undo")
        await until(lambda: guest.told.count("The opponent requests: undo. Type accept or decline.") == 2)
        guest.table.answer("accept")
        await host.says("Undone: 0 moves remain.")
        host.table.answer("pass")
        await guest.says("Black passes.")
        guest.table.answer("pass")
        await host.says("Dead stones: none.")
        host.table.answer("agree")
        await host.says("You agree; the opponent has not yet.")
        guest.table.answer("agree")
        await guest.says("The game is over: White wins by 4.")
        guest.table.answer("rematch")
        await host.says("The opponent requests: a rematch with colours changed. Type accept or decline.")
        host.table.answer("accept")
        await guest.says("You play Black.")
        await guest.end()
        await host.says("Ke has lost the connection; the clock runs on.")
        await host.end()


async def test_chat_is_shown_as_text_and_can_be_muted(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        table.lay(Terms(size=9, black="host"))
        host, guest = await two(table)
        guest.table.answer("say hello \x1b[31mthere")
        await host.says("<Ke> hello ␛[31mthere")
        host.table.answer("mute")
        host.table.client._hear(Said("Ke", "white", "unheard"))
        assert not [line for line in host.told if "unheard" in line]
        await guest.end()
        await host.end()


async def test_a_server_cannot_send_escape_sequences_to_the_terminal() -> None:
    person = Person("ws://127.0.0.1:1", "aaaaaaaa")
    person.table.hear(Said("\x1b[2J", "spectator", "\x9b31m"))
    assert person.told[-1] == "<␛[2J> �31m"
    await person.end()


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
    assert len([line for line in host.told if line.startswith("No connection")]) <= 2
    await guest.end()
    await host.end()


async def test_every_command_has_help() -> None:
    person = Person("ws://127.0.0.1:1", "aaaaaaaa")
    person.table.answer("help")
    assert len(person.told) == len(COMMANDS) + 1
    for name in COMMANDS:
        if name != "quit":
            person.table.answer(name)
    person.table.answer("quit")
    assert person.table.over
    await person.end()


async def test_an_engine_plays_a_whole_game(tmp_path: Path) -> None:
    """An engine in the guest's seat against a person who passes; it declines undo and agrees to the count."""
    seat = EngineSeat(shlex.join([sys.executable, str(SIMPLE_ENGINE)]))
    async with server(tmp_path) as table:
        table.lay(Terms(size=5, black="host"))
        troubles: list[object] = []
        player = Player(table.url, table.game, code=table.code, name="Engine")
        bot = Bot(player.client, make_player(seat), troubles.append)
        player.client._hear = bot.hear
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
        seat = SavedSeat(table.url, table.game, guest.table.client.key, "Ke")
        book.put(seat)
        assert (tmp_path / "state" / "seats.json").stat().st_mode & 0o077 == 0
        assert book.find(Invitation(table.url, table.game, "code")) == seat
        found = await peek(seat)
        assert isinstance(found, tuple)
        assert found.role == "white"
        assert not seat.seen(found.state, found.role).my_turn
        host.table.answer("E5")
        await guest.says("Black E5.")
        found = await peek(seat)
        assert isinstance(found, tuple)
        later = seat.seen(found.state, found.role)
        assert (later.my_turn, later.opponent, later.phase) == (True, "Lu", "playing")
        # Nobody was put out of the seat.
        guest.table.answer("C3")
        await host.says("White C3.")
        book.put(later)
        assert book.seats() == [later]
        book.remove(later)
        await guest.end()
        await host.end()
    assert not isinstance(await peek(seat), tuple)


class Guest:
    """A client whose seat is kept, with what the book holds at each of its events."""

    def __init__(self, url: str, game: str, code: str, folder: Path) -> None:
        self.book = SeatBook(folder / "seats.json")
        self.held: list[tuple[ClientEvent, list[SavedSeat]]] = []
        recorder = self.recorder = Recorder(self.book, None, None)

        def hear(event: ClientEvent) -> None:
            self.held.append((event, self.book.seats()))
            recorder.hear(client)

        client = self.client = OnlineClient(
            Invitation(url, game, code), "Ke", hear, joining=lambda: recorder.joining(client)
        )


async def test_a_seat_is_kept_before_its_code_is_used_up(tmp_path: Path) -> None:
    """A program that ends before it hears that it has the seat finds it again."""
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
        found = await peek(seat)
        assert isinstance(found, tuple)
        assert found.role == "white"
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
    """The server may have begun without its games."""
    async with server(tmp_path) as table:
        book = SeatBook(tmp_path / "seats.json")
        seat = SavedSeat(table.url, "aaaaaaaa", "k" * 20, "Ke", "Lu", "playing", 1)
        book.put(seat)
        recorder = Recorder(book, seat, None)
        client = OnlineClient(seat.invitation, "Ke", lambda _: recorder.hear(client), key=seat.key)
        await client.run()
        await recorder.close()
        assert book.seats() == [seat]


@pytest.mark.parametrize("text", [b"", b"{", b'{"seats": 3}', b'{"seats": [{"server": 1}]}', b"\xff"])
def test_a_damaged_book_of_seats_is_an_empty_one(text: bytes, tmp_path: Path) -> None:
    path = tmp_path / "seats.json"
    path.write_bytes(text)
    assert SeatBook(path).seats() == []
