"""Seats saved between sessions, and games opened by a host.

A user who opens a game and also joins it as guest has two seats.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import time

import pytest

from daoqi_tui.play.online import hosting as module
from daoqi_tui.play.online.client import Ended, Lost, OnlineClient
from daoqi_tui.play.online.hosting import Place, hosted, hosting, join, served_at
from daoqi_tui.play.online.invitation import Invitation
from daoqi_tui.play.online.limits import Limits
from daoqi_tui.play.online.protocol import OpenRequest, Role, State
from daoqi_tui.play.online.referee import RefusedError
from daoqi_tui.play.online.seat_book import SavedSeat, SeatBook
from daoqi_tui.play.online.seats import Recorder, current_states
from daoqi_tui.play.online.server import Lobby
from daoqi_tui.play.online.table import Terms
from tests.play.online.refusing import answered, refusing
from tests.play.online.table import Player, server
from tests.ports import free_port
from tests.waiting import until


def _listening() -> socket.socket:
    return socket.create_server(("127.0.0.1", 0))


async def test_host_and_guest_of_one_home_come_back_each_to_their_seat(tmp_path: Path) -> None:
    book = SeatBook.in_folder(tmp_path)
    with _listening() as listening:
        async with hosting(listening, Terms(), "Li", folder=tmp_path, library=tmp_path / "games") as (place, _problems):
            host, invitation = place.seat, place.guest
            assert host is not None
            assert invitation is not None
            book.put(host)
            assert join(invitation, "Ke", book).seat is None, "the seat of the host is not the guest's"
            guest = SavedSeat(invitation.server, invitation.game, "k" * 32, "Ke")
            book.put(guest)
            assert book.seats() == [guest, host]
            assert join(invitation, "?", book).seat == guest
    with _listening() as listening:
        async with hosting(listening, book.seats(), "Li", folder=tmp_path, library=tmp_path / "games") as (
            again,
            _problems,
        ):
            assert again.key == host.key
            assert again.name == "Li"
    book.remove(host)
    assert book.seats() == [guest]


async def test_a_game_taken_up_keeps_the_address_that_others_reach_it_by(tmp_path: Path) -> None:
    async def hosted(opened: Terms | list[SavedSeat], public: str = "") -> Place:
        with _listening() as listening:
            async with hosting(listening, opened, "Li", folder=tmp_path, library=tmp_path / "games", public=public) as (
                place,
                _problems,
            ):
                return place

    place = await hosted(Terms(), "wss://go.example.org")
    for public, address in (("", "wss://go.example.org"), ("wss://other.example", "wss://other.example")):
        assert place.seat is not None
        place = await hosted([place.seat], public)
        assert (place.addresses, place.watch) == ((address,), Invitation(address, place.invitation.game))


def _of_three(folder: Path) -> tuple[SeatBook, Path, list[SavedSeat]]:
    """Return a book with three seats, its file, and the seats."""
    book, path = SeatBook.in_folder(folder), folder / "seats.json"
    seats = [SavedSeat("ws://h:1", game, f"key of {game}", "Ke") for game in "cba"]
    for seat in reversed(seats):
        book.put(seat)
    return book, path, seats


@pytest.mark.parametrize("change", [{"colour": "black"}, {"round": "first"}, {"key": None}], ids=str)
def test_an_odd_entry_costs_no_other_seat_and_stays_in_the_file(change: dict[str, object], tmp_path: Path) -> None:
    book, path, seats = _of_three(tmp_path)
    held = json.loads(path.read_bytes())
    held["seats"][1] |= change
    path.write_text(json.dumps(held), encoding="utf-8")
    assert book.seats() == [seats[0], seats[2]]
    book.remove(seats[0])
    assert book.seats() == [seats[2]]
    assert json.loads(path.read_bytes())["seats"][0] == held["seats"][1]


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"format": 1}',
        '{"format": 1, "seats": 3}',
        '{"format": 2, "seats": []}',
        pytest.param("[" * 100_000, id="nested"),
    ],
)
def test_a_file_of_seats_that_cannot_be_read_is_not_replaced(text: str, tmp_path: Path) -> None:
    book, path, seats = _of_three(tmp_path)
    path.write_text(text, encoding="utf-8")
    assert book.seats() == []
    for change in (book.put, book.remove):
        with pytest.raises(OSError, match="is damaged or of a newer version"):
            change(seats[0])
    assert path.read_text("utf-8") == text


def test_a_file_of_seats_that_was_only_made_is_begun(tmp_path: Path) -> None:
    book, path, seats = _of_three(tmp_path)
    path.write_bytes(b"")
    book.put(seats[0])
    assert book.seats() == [seats[0]]


@pytest.mark.parametrize(("code", "kept"), [("code", False), ("no-game", False), ("too-many-tries", True)])
async def test_a_seat_that_may_have_been_given_is_kept(code: str, kept: bool, tmp_path: Path) -> None:
    book = SeatBook.in_folder(tmp_path)
    recorder = Recorder(book, None, None)
    client = OnlineClient(Invitation("ws://h:1", "abc", "def"), "Ke", recorder.save)
    await recorder.joining(client)
    [asked] = book.seats()
    client.ended = Ended("no", code)
    recorder.save(client)
    await recorder.close()
    assert book.seats() == ([asked] if kept else [])


ON = State(1, 5, 4.0, 0, "Daoqi", "Lu", "Ke", "playing", moves=("C3",))
COUNTED = replace(ON, phase="counting", moves=("pass", "pass"))


@pytest.mark.parametrize(
    ("state", "waits_for"),
    [
        (ON, {"white"}),
        (COUNTED, {"black", "white"}),
        (replace(COUNTED, agreed=("black",)), {"white"}),
        (replace(ON, request=OpenRequest("undo", "white")), {"black", "white"}),
        (replace(ON, phase="paused"), set()),
        (replace(ON, phase="paused", request=OpenRequest("continue", "black")), {"white"}),
    ],
)
def test_a_game_waits_for_moves_agreements_and_answers(state: State, waits_for: set[str]) -> None:
    seat = SavedSeat("ws://h:1", "abc", "key", "Ke")
    roles: tuple[Role, ...] = ("black", "white")
    assert {role for role in roles if seat.seen(state, role).my_turn} == waits_for


@pytest.mark.parametrize("everywhere", ["0.0.0.0", "::"])
async def test_the_invitation_of_a_host_that_listens_everywhere_leads_there(everywhere: str, tmp_path: Path) -> None:
    family = socket.AF_INET6 if ":" in everywhere else socket.AF_INET
    try:
        listening = socket.create_server((everywhere, 0), family=family)
    except OSError:
        pytest.skip("this computer has no address of this family")
    with listening:
        async with hosting(listening, Terms(), "Li", folder=tmp_path, library=tmp_path / "games") as (place, _problems):
            assert place.guest is not None
            guest = OnlineClient(place.guest, "Ke", lambda _event: None)
            line = asyncio.create_task(guest.run())
            await until(lambda: guest.connected)
            line.cancel()
            await asyncio.gather(line, return_exceptions=True)


async def test_a_game_that_is_resumed_elsewhere_leaves_no_seat_behind(tmp_path: Path) -> None:
    book = SeatBook.in_folder(tmp_path)
    for opened in (Terms(), None):
        with _listening() as listening:
            async with hosting(
                listening, opened or book.seats(), "Li", folder=tmp_path, library=tmp_path / "library"
            ) as (place, _problems):
                assert place.seat is not None
                book.put(place.seat)
                server = place.seat.server
    [seat] = book.seats()
    assert seat.server == server, "the game is served there now"


async def test_a_game_is_resumed_where_it_was_served(tmp_path: Path) -> None:
    book = SeatBook.in_folder(tmp_path)
    assert hosted(tmp_path) == []
    with socket.create_server(("0.0.0.0", 0)) as listening:
        port = listening.getsockname()[1]
        async with hosting(listening, Terms(watch=False), "Li", folder=tmp_path, library=tmp_path / "library") as (
            place,
            _problems,
        ):
            assert place.seat is not None
            book.put(place.seat)
            assert place.guest is not None
    [seat] = hosted(tmp_path)
    assert served_at(seat) == ("0.0.0.0", port)
    with socket.create_server(served_at(seat)) as listening:
        async with hosting(listening, [seat], "", folder=tmp_path, library=tmp_path / "library") as (again, _problems):
            assert again.key == place.key
            assert again.addresses == place.addresses
            assert place.guest.server == place.addresses[0]
            assert again.guest is again.watch is None


async def test_the_game_joined_last_comes_first_though_nothing_happened_in_it(tmp_path: Path) -> None:
    book = SeatBook.in_folder(tmp_path)
    seats = [SavedSeat("ws://h:1", game, "key", "Ke").seen(ON, "white") for game in "ab"]
    for seat in seats:
        book.put(seat)
    recorder = Recorder(book, seats[0], None)
    client = OnlineClient(seats[0].invitation, "Ke", recorder.save, key="key")
    client.state, client.role = ON, "white"
    recorder.save(client)
    await recorder.close()
    assert book.seats() == seats


@pytest.mark.parametrize("server", ["", "ws://h", "ws://h:x", "ws://[::1", "ws://h:99999"])
def test_a_seat_that_names_no_port_is_served_at_the_usual_one(server: str) -> None:
    assert served_at(SavedSeat(server, "abc", "key", "Ke", host=True)) == ("127.0.0.1", 7777)


async def _opened(folder: Path, terms: Terms) -> Place:
    """Open a game and close it immediately."""
    with _listening() as listening:
        async with hosting(listening, terms, "Li", folder=folder, library=folder / "library") as (place, problems):
            assert problems == []
            return place


async def test_a_game_that_cannot_be_opened_leaves_the_others_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = await _opened(tmp_path, Terms())
    with pytest.raises(ValueError, match="banana"):
        await _opened(tmp_path, Terms(rules="banana"))
    with monkeypatch.context() as patched:
        patched.setattr(module, "Lobby", partial(Lobby, limits=Limits(games=0)))
        with pytest.raises(RefusedError, match="full"):
            await _opened(tmp_path, Terms())
    assert place.seat is not None
    SeatBook.in_folder(tmp_path).put(place.seat)
    with _listening() as listening:
        async with hosting(listening, [place.seat], "Li", folder=tmp_path, library=tmp_path / "library") as (
            again,
            _problems,
        ):
            assert again.key == place.key


async def test_a_game_whose_guest_does_not_come_is_kept_for_a_week(tmp_path: Path) -> None:
    old, young = [tmp_path / "games" / (await _opened(tmp_path, Terms())).invitation.game for _ in range(2)]
    for folder, days in ((old, 8), (young, 6)):
        os.utime(folder, (time() - days * 86_400,) * 2)
    await _opened(tmp_path, Terms())
    assert not old.exists()
    assert young.exists()


async def test_games_and_players_say_the_same_of_a_server_that_is_not_there() -> None:
    port = free_port()
    player = Player(f"ws://127.0.0.1:{port}", "aaaaaaaa")
    await player.until(lambda: player.heard)
    await player.end()
    [(_seat, reason, _left)] = await current_states([SavedSeat(f"ws://127.0.0.1:{port}", "aaaaaaaa", "k" * 32, "Ke")])
    assert isinstance(player.heard[0], Lost)
    assert player.heard[0].reason == reason
    assert "is this computer, which serves no game" in str(reason)


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (503, "a proxy answers for 127.0.0.1, but the server behind it does not"),
        (404, "it serves no Daoqi games (HTTP status 404); check the address"),
    ],
)
async def test_an_answer_that_opens_no_connection_is_put_into_words(status: int, words: str, tmp_path: Path) -> None:
    async with server(tmp_path) as table, refusing(table.url, answered(status), answered(status)) as (url, _left):
        table.lay()
        seat = SavedSeat(url, table.game, table.host_key, "Lu")
        [(_seat, reason, _left)] = await current_states([seat])
        player = Player(seat.server, seat.game, key=seat.key)
        await player.until(lambda: player.heard)
        await player.end()
    assert words in str(reason)
    assert isinstance(player.heard[0], Lost)
    assert player.heard[0].reason == reason
