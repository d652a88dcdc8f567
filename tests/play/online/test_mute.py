"""The client reconnects to a server that accepts the connection but stays silent, and leaves one that refused it."""

from __future__ import annotations

from socket import create_server

import pytest

from daoqi_tui.play.online import client as module
from daoqi_tui.play.online.client import OnlineClient
from daoqi_tui.play.online.protocol import Refused, Said
from daoqi_tui.play.online.seat_book import SavedSeat
from tests.play.online.scripted import WELCOME, hearing, reconnects
from tests.play.online.table import Player, standing


def seat_of(client: OnlineClient) -> SavedSeat:
    return SavedSeat(client.invitation.server, client.invitation.game, client.key, client.name)


async def test_a_server_without_an_answer_to_the_handshake_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PATIENCE", 0.1)
    with create_server(("127.0.0.1", 0)) as mute:
        player = Player(f"ws://127.0.0.1:{mute.getsockname()[1]}", "aaaaaaaa")
        await player.until(lambda: reconnects(player))
        assert "does not answer" in str(player.heard[0])
        assert "does not answer" in str((await standing(seat_of(player.client), 0.1)).reason)
        await player.end()


async def test_a_server_that_keeps_a_line_it_refused_is_left() -> None:
    refused = Refused("join", "replaced", "", fatal=True)
    async with hearing(WELCOME, refused, Said("Lu", "black", "hello", 1)) as player:
        await player.until(player.task.done)
        assert player.client.ended is not None
        assert player.heard == [WELCOME, player.client.ended]


async def test_a_server_without_a_welcome_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PATIENCE", 0.1)
    async with hearing() as player:
        await player.until(lambda: reconnects(player))
        assert "does not answer" in str(player.heard[0])
        assert "does not answer" in str((await standing(seat_of(player.client), 0.1)).reason)
