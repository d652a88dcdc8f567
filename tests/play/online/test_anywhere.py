"""Games over iroh, without a relay: those of the internet cannot be reached from a test."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from socket import create_server

import pytest

from daoqi_tui.play.online import anywhere
from daoqi_tui.play.online.anywhere import DIRECT, AnywhereError, reached
from daoqi_tui.play.online.client import Ended, Lost, OnlineClient
from daoqi_tui.play.online.hosting import hosting
from daoqi_tui.play.online.invitation import Invitation, InvitationError
from daoqi_tui.play.online.match import OnlineMatch
from daoqi_tui.play.online.seat_book import SavedSeat
from daoqi_tui.play.online.story import Story, describe_reach, invitations
from daoqi_tui.play.online.table import Terms
from daoqi_tui.play.players import PlayerTable
from tests.play.online.table import Player, standing


async def attempt(invitation: Invitation) -> object:
    """Return the first event of a client that is not let in."""
    told: list[object] = []

    async def stop(_seconds: float) -> None:
        raise asyncio.CancelledError

    await asyncio.gather(OnlineClient(invitation, "Ke", told.append, sleep=stop).run(), return_exceptions=True)
    return told[0]


async def test_a_game_is_played_from_anywhere_and_after_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = {"folder": tmp_path, "library": tmp_path / "library", "anywhere": DIRECT}
    with create_server(("127.0.0.1", 0)) as listening:
        async with hosting(listening, Terms(size=5, black="guest"), "Lu", **options) as (place, _problems):  # type: ignore[arg-type]
            assert place.seat is not None
            assert place.guest is not None
            seat, invitation = place.seat, place.guest
            assert place.ticket == invitation.server
            assert not place.is_local
            assert not place.is_in_network
            assert "from anywhere" in describe_reach(place)
            lines = dict(invitations(place, None))
            assert lines["Your guest types:"] == invitation.join_command
            assert "127.0.0.1" in lines["or, on this computer:"]
            # As it is printed, and pasted.
            assert Invitation.pasted(invitation.join_command) == invitation
            # The way there is only for a host that has not taken it.
            assert place.offer is None
            guest = Player(invitation.server, invitation.game, code=invitation.code)
            await guest.my_turn()
            guest.client.play(12)
            await guest.moves(1)
            known = SavedSeat(invitation.server, invitation.game, guest.client.key, "Ke")
            asked = await standing(known)
            assert (asked.reason, asked.seat.opponent, asked.seat.my_turn) == ("", "Lu", False)
    await guest.until(lambda: not guest.client.connected)
    await guest.end()
    monkeypatch.setattr(anywhere, "_PATIENCE", 0.1)
    event = await attempt(invitation)
    assert isinstance(event, Lost)
    assert "perhaps its program is closed" in str(event.reason)
    # The computer keeps its key: what it was called before leads to it, by a relay or at the same addresses.
    assert (tmp_path / "iroh.key").stat().st_mode & 0o77 == 0
    monkeypatch.undo()
    with create_server(("127.0.0.1", 0)) as listening:
        async with hosting(listening, [seat], "Lu", **options) as (place, _problems):  # type: ignore[arg-type]
            back = Player(place.ticket, invitation.game, key=known.key)
            await back.moves(1)
            await back.end()


async def test_a_ticket_that_is_none_is_not_tried_again() -> None:
    event = await attempt(Invitation.parse("iroh://endpointabc#aaaaaaaa-abcd"))
    assert isinstance(event, Ended)
    assert "a part of the invitation is missing" in str(event.reason)
    for server in ("iroh://", "iroh://a-b", "iroh://a.b"):
        with pytest.raises(InvitationError, match="is not the address of a server"):
            Invitation.parse(f"{server}#aaaaaaaa-abcd")


async def test_what_hinders_is_said_and_leaves_the_game_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(anywhere, "_PATIENCE", 0.1)
    with create_server(("127.0.0.1", 0)) as listening:
        options = {"folder": tmp_path, "library": tmp_path / "library"}
        async with hosting(listening, Terms(size=5), "Lu", **options) as (place, _problems):  # type: ignore[arg-type]
            story = Story(OnlineMatch(place, PlayerTable, spawn=lambda _work: None))  # type: ignore[arg-type, return-value]
            # No relay of the internet answers a test, or none that fast.
            said = [await story.let_in(anywhere=True)]
            assert "no relay server answers" in said[-1]
            monkeypatch.setitem(sys.modules, "iroh", None)
            said.append(await story.let_in(anywhere=True))
            assert "installs it" in said[-1]
            assert "iroh" in said[-1]
            assert story.match.place is place
            assert place.is_local
            with pytest.raises(AnywhereError, match="installs it") as caught:
                async with reached("iroh://endpointabc"):
                    pass
            assert caught.value.lasts
    monkeypatch.undo()
    with create_server(("127.0.0.1", 0)) as listening, pytest.raises(AnywhereError, match="iroh does not start: "):
        async with hosting(listening, [place.seat], "Lu", **options, anywhere="nonsense"):  # type: ignore[arg-type, type-var]
            pass
