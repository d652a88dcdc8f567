"""A match run by a server: local commands become requests, and only the server changes the game."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from daoqi_tui.engine import BLACK, Refusal
from daoqi_tui.play.events import Began, Declined, Event
from daoqi_tui.play.online.client import OnlineClient
from daoqi_tui.play.online.hosting import Place
from daoqi_tui.play.online.invitation import Invitation
from daoqi_tui.play.online.match import OnlineMatch
from daoqi_tui.play.online.protocol import VERSION, State, Welcome
from daoqi_tui.play.online.seat_book import SavedSeat, SeatBook
from daoqi_tui.play.online.seats import Recorder
from daoqi_tui.play.players import PlayerTable
from daoqi_tui.play.position import PositionEditor
from daoqi_tui.play.session import Computer
from tests.play.online.table import Server, server
from tests.waiting import until


@asynccontextmanager
async def two(table: Server) -> AsyncIterator[tuple[OnlineMatch, OnlineMatch]]:
    """Yield the matches of host and guest in a running game."""
    seat = SavedSeat(table.url, table.game, table.host_key, "Lu")
    places = (Place(seat.invitation, "Lu", seat), Place(Invitation(table.url, table.game, table.code), "Ke"))
    matches = [OnlineMatch(place, PlayerTable, spawn=lambda work: asyncio.create_task(work())) for place in places]
    for match in matches:
        match.connect()
    for match in matches:
        await until(lambda match=match: match.state is not None and match.state.phase == "playing")
    yield matches[0], matches[1]
    for match in matches:
        await match.close()


async def _seat(match: OnlineMatch) -> Declined | None:
    return await match.seat(Computer(), None)


async def _set_up(match: OnlineMatch) -> Refusal | Declined | None:
    editor = PositionEditor.of(match.game)
    editor.apply(12, "black")
    return match.set_up(editor)


async def _move_now(match: OnlineMatch) -> Refusal | Declined | None:
    return match.move_now()


@pytest.mark.parametrize("command", [_seat, _set_up, _move_now])
async def test_what_only_the_server_may_change_is_declined(
    command: Callable[[OnlineMatch], Awaitable[object]], tmp_path: Path
) -> None:
    async with server(tmp_path) as table:
        table.lay()
        async with two(table) as (host, _guest):
            node, seats = host.game.node, dict(host.session.seats)
            assert await command(host) is Declined.NOT_NOW
            assert (host.game.node, host.game.to_move, dict(host.session.seats)) == (node, BLACK, seats)
            assert not node.children
            assert (host.turns.thinking, host.turns.due, host.turns.paused) == (None, None, False)


async def test_the_clock_pauses_and_goes_on_by_request(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        table.lay()
        async with two(table) as (host, guest):
            for asker, ask, other, phase in (
                (host, host.pause, guest, "paused"),
                (guest, guest.unpause, host, "playing"),
            ):
                before = asker.turns.paused
                assert ask() is None
                assert asker.turns.paused is before, "the opponent has not agreed"
                await until(lambda other=other: other.state.request is not None)
                assert other.answer(accept=True) is None
                for match in (host, guest):
                    await until(lambda match=match, phase=phase: match.state.phase == phase)
                    assert match.turns.paused is (phase == "paused")


async def test_the_count_is_agreed_on(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        table.lay()
        async with two(table) as (host, guest):
            assert host.agree() is Declined.NOT_COUNTED
            for match in (host, guest):
                await until(lambda match=match: match.awaits_person)
                assert match.pass_turn() is None
            for match in (host, guest):
                await until(lambda match=match: match.awaits_count and match.state.phase == "counting")
                assert match.agree() is None
            await until(lambda: host.state.phase == guest.state.phase == "over")


def _told() -> OnlineMatch:
    """Return a match without a connection, to which a test passes server messages."""
    match = OnlineMatch(Place(Invitation("ws://127.0.0.1:9", "abc"), "Ke"), PlayerTable, spawn=lambda _work: None)  # type: ignore[arg-type, return-value]
    match.client._take(Welcome(VERSION, "abc", "spectator"))
    return match


async def test_after_a_line_that_failed_the_recorder_and_the_server_are_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[str] = []

    async def close(_recorder: Recorder) -> None:
        closed.append("recorder")

    async def fail(_client: OnlineClient) -> None:
        raise RuntimeError("unexpected")

    monkeypatch.setattr(Recorder, "close", close)
    monkeypatch.setattr(OnlineClient, "run", fail)
    served = AsyncExitStack()
    served.callback(closed.append, "server")
    match = OnlineMatch(
        Place(Invitation("ws://127.0.0.1:9", "abc"), "Ke", server=served),
        PlayerTable,
        spawn=lambda work: asyncio.create_task(work()),
        recorder=Recorder(SeatBook.in_folder(tmp_path), None, None),
    )
    match.connect()
    line = match._line
    assert line is not None
    await until(line.done)
    await match.close()
    assert closed == ["recorder", "server"]


def test_rules_that_the_server_spells_otherwise_begin_no_new_game() -> None:
    match = _told()
    began: list[Event] = []
    match.subscribe(lambda event: began.append(event) if isinstance(event, Began) else None)
    for spectators in range(3):
        match.client._take(replace(PASSED, rules="daoqi", spectators=spectators))
    assert len(began) == 1


def test_who_views_an_earlier_move_during_the_count_may_play_on_instead() -> None:
    match = _told()
    match.client._take(Welcome(VERSION, "abc", "white", "key"))
    match.client._take(PASSED)
    match.goto(match.game.root)
    assert match.resume() is None
    assert match.answer(accept=False) is None


PASSED = State(1, 9, 4.0, 0, "Daoqi", "Lu", "Ke", "counting", moves=("C3", "B2", "pass", "pass"))


@pytest.mark.parametrize(
    "between",
    [replace(PASSED, phase="playing"), replace(PASSED, phase="over", result="B+R")],
    ids=["resumed", "resigned"],
)
def test_the_same_passes_end_the_game_again(between: State) -> None:
    """As if there had been an undo and another pass while the client was disconnected."""
    match = _told()
    for state in (PASSED, between, replace(PASSED, dead=("C3",))):
        match.client._take(state)
        assert match.game.ending == match.client.game.ending
        assert len(match.game.moves()) == 4
    assert match.awaits_count
